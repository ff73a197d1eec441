/** The output of commands: results as JSON on standard output, messages for people on standard error. */

/** An error that the caller can fix, printed in one line: wrong flags, a missing file, no venue. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`);
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
