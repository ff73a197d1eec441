/** Text in chunks becomes rows: lines, or the inner arrays of a JSON array. One chunk and one row are in memory at a time. */
import { RowProblem } from './refused.ts';

/** A book of 500 levels as one line of JSON has some 30,000 characters. A file without line breaks is something else. */
const MAX_ROW = 4 << 20;

/** The lines of each chunk, without their line breaks. */
export async function* lineBatches(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    if (rest.length > MAX_ROW) throw new RowProblem(`this line is longer than ${MAX_ROW} characters`);
    if (lines.length > 0) yield lines[0].endsWith('\r') ? lines.map(withoutReturn) : lines;
  }
  if (rest !== '') yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The rows of `[[…], […]]`, each as the text between its brackets. The rows themselves have no brackets. */
export async function* arrayBatches(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = '';
  let open = false;
  let closed = false;
  for await (const chunk of chunks) {
    let text = rest + chunk;
    if (!open) {
      text = text.trimStart();
      if (text === '') continue;
      if (text[0] !== '[') throw new RowProblem('this is no JSON array');
      open = true;
      text = text.slice(1);
    }
    const rows: string[] = [];
    let from = 0;
    for (let to = text.indexOf(']'); to >= 0 && !closed; to = text.indexOf(']', from)) {
      const piece = text.slice(from, to).trim();
      from = to + 1;
      if (piece === '') closed = true;
      else rows.push(innerArray(piece));
    }
    rest = text.slice(from);
    if (rows.length > 0) yield rows;
    if (closed && rest.trim() !== '') throw new RowProblem('something follows the end of the JSON array');
    if (rest.length > MAX_ROW) throw new RowProblem(`this row is longer than ${MAX_ROW} characters`);
  }
  if (!closed) throw new RowProblem('the JSON array does not end: the file is truncated');
}

function innerArray(piece: string): string {
  const match = /^,?\s*\[([^[]*)$/.exec(piece);
  if (match === null) throw new RowProblem('a row of the JSON array is no flat array');
  return match[1];
}
