/** How commands talk: results as JSON on standard output, words for people on standard error. */

/** A failure that is told in one line, without a stack: wrong flags, a missing file, nobody listening. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`);
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
