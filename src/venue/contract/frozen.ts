/** Freezes a value of plain objects and lists with all that is in it, and returns it. What is frozen already is taken to be so all through. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
