/** What every component imports: templates, hooks and signals. */

import { effect } from '@preact/signals';
import htm from 'htm';
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export { batch, computed, effect, signal, useComputed, useSignal } from '@preact/signals';
export { render } from 'preact';
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** A template of elements: html`<p class="note">${text}</p>`. Text is always text, whatever a bot named itself. */
export const html = htm.bind(h);

/**
 * Runs when a signal that it reads has changed: at once, so that what it writes is in the same frame as the rest. That of the library
 * waits for the next frame, which would be a second one.
 * @param {() => void} act
 */
export function useSignalEffect(act) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(
    () =>
      effect(() => {
        latest.current();
      }),
    [],
  );
}

/** Writes the text of a cell that is already on the page, if it is another one. @param {Element} within @param {string} selector @param {string} text */
export function put(within, selector, text) {
  const cell = within.querySelector(selector);
  if (cell === null) return;
  const { firstChild } = cell;
  if (!(firstChild instanceof Text)) cell.textContent = text;
  else if (firstChild.data !== text) firstChild.data = text;
}

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const FLASH_MS = 300;
const APART_MS = 500;
/** @type {WeakMap<Element, number>} */
const flashedAtMs = new WeakMap();

/** Shows that a price has changed, at most twice a second, and not to those who want no motion. @param {Element | null} cell */
export function flash(cell) {
  const at = performance.now();
  if (cell === null || calm.matches || at - (flashedAtMs.get(cell) ?? -APART_MS) < APART_MS) return;
  flashedAtMs.set(cell, at);
  // A ground that fades would have the browser paint sixty times a second.
  cell.classList.add('flash');
  setTimeout(() => cell.classList.remove('flash'), FLASH_MS);
}
