/** Whether somebody has just done something on the page, or opened it: then what it shows must not wait. */

/** So long after it. */
const HURRY_MS = 1000;

let actedAtMs = performance.now();
/** @type {Set<() => void>} */
const listeners = new Set();

export const isHurried = () => performance.now() - actedAtMs < HURRY_MS;

/** Calls `act` when somebody does something. Returns what ends that. @param {() => void} act */
export function onHurry(act) {
  listeners.add(act);
  return () => void listeners.delete(act);
}

for (const kind of ['pointerdown', 'keydown', 'input', 'wheel']) {
  addEventListener(
    kind,
    () => {
      actedAtMs = performance.now();
      for (const act of listeners) act();
    },
    { capture: true, passive: true },
  );
}
