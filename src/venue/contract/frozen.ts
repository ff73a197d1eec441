/**
 * Freezes a value of plain objects and lists with all its members, and returns it. A value that is already frozen is
 * taken to be frozen throughout.
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
