/** One line to the user, for four seconds: a copy was made, the state was replaced. A newer line replaces it. */
import { signal } from './ui.js';

const SHOWN_MS = 4000;

export const message = signal('');
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} text */
export function say(text) {
  message.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    message.value = '';
  }, SHOWN_MS);
}
