/**
 * The keyboard. Letters work outside fields, and can be turned off. A view adds its keys with `useKeys` while it is shown;
 * `?` lists whatever is in force.
 */
import { signal, useEffect } from './ui.js';

/** @typedef {{ key: string, what: string, act: (event: KeyboardEvent) => void, shift?: boolean }} Key `key`: of the event */

/** Letters alone do something. Kept in the browser. */
export const lettersOn = signal(localStorage.getItem('letters') !== 'off');

/** @param {boolean} on */
export function setLetters(on) {
  lettersOn.value = on;
  localStorage.setItem('letters', on ? 'on' : 'off');
}

/** The latest first: a view's keys count before the shell's. @type {import('@preact/signals').Signal<readonly (readonly Key[])[]>} */
export const keysInForce = signal(/** @type {readonly (readonly Key[])[]} */ ([]));

/** @param {readonly Key[]} keys */
function addKeys(keys) {
  keysInForce.value = [keys, ...keysInForce.value];
  return () => {
    keysInForce.value = keysInForce.value.filter((each) => each !== keys);
  };
}

/** Adds keys while the component is shown. @param {readonly Key[]} keys @param {readonly unknown[]} [inputs] */
export function useKeys(keys, inputs = []) {
  useEffect(() => addKeys(keys), [...inputs]);
}

const G_MS = 1500;
let gAtMs = Number.NEGATIVE_INFINITY;
/** What `g` and a digit do. @type {(number: number) => void} */
let goToView = () => {};

/** @param {(number: number) => void} act */
export function onViewKey(act) {
  goToView = act;
}

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null;
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const { key, target } = event;
  if (key === 'Escape') {
    if (isField(target)) /** @type {HTMLElement} */ (target).blur();
    else press(event);
    return;
  }
  if (isField(target)) return;
  const isLetter = key.length === 1;
  if (isLetter && !lettersOn.value) return;
  // A button or a slider has its own use for these.
  if ((key === ' ' || key === 'Enter') && target instanceof Element && target.closest('button, a, summary, tr, dialog'))
    return;
  if (target instanceof Element && target.closest('[role=slider]') && key.startsWith('Arrow')) return;
  if (key === 'g') {
    gAtMs = event.timeStamp;
    return;
  }
  if (/^[1-6]$/.test(key) && event.timeStamp - gAtMs < G_MS) {
    gAtMs = Number.NEGATIVE_INFINITY;
    goToView(Number(key));
    return;
  }
  press(event);
});

/** @param {KeyboardEvent} event */
function press(event) {
  for (const keys of keysInForce.value) {
    const found = keys.find((each) => each.key === event.key && (each.shift ?? event.shiftKey) === event.shiftKey);
    if (found === undefined) continue;
    event.preventDefault();
    found.act(event);
    return;
  }
}
