/** What a reader refuses: the file, the line where there is one, and the reason. */

/** A file that is no recording this reader can use. The message says all that a user needs. */
export class RecordingRefused extends Error {
  override readonly name = 'RecordingRefused';
  readonly file: string;
  /** From 1 on, in the text after decompression. In a JSON array, the row. */
  readonly line: number | undefined;
  readonly reason: string;

  constructor(file: string, reason: string, line?: number, what: 'line' | 'row' = 'line') {
    super(`${file}${line === undefined ? '' : `, ${what} ${line}`}: ${reason}`);
    this.file = file;
    this.line = line;
    this.reason = reason;
  }
}

/** What is wrong where the file is being read. `file.ts` adds the file and the line. */
export class RowProblem extends Error {
  override readonly name = 'RowProblem';
}

/** A cell as a message shows it: quoted, and cut if it is long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
