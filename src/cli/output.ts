/** How commands talk: results as JSON on standard output, words for people on standard error. */

/** What the caller of a command can mend, told in one line: wrong flags, a missing file, nobody listening. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`);
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
