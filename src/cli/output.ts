/**
 * The output of commands: results as JSON on standard output, messages for people on standard error. Texts of others (a
 * client order id, the message of a venue) may have characters that a terminal acts on. They never reach it.
 */

import { once } from 'node:events';

/** An error that the caller can fix, printed in one line: wrong flags, a missing file, no venue. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value, process.stdout.isTTY ? 2 : undefined)}\n`);
}

/** From now on the process ends when standard output cannot be written: without a word if its reader closed the pipe, as `head` does. */
export function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    say(`bourse: standard output cannot be written: ${error.message}`);
    process.exit(1);
  });
}

/** Writes to standard output and waits while it is full. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** JSON.stringify leaves some of these characters as they are. */
export function jsonText(value: unknown, indent?: number): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    found.split('').map(escaped).join(''),
  );
}

/** The text with '?' for control characters, also those that change the direction of text, and for lone surrogates. */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
}

/** The text with '?' for every character that may not be exactly one column wide. */
export function inColumns(text: string): string {
  return text.replace(/[^ -~\u00a1-\u00ac\u00ae-\u024f█…]/gu, '?');
}
