/** How the thread that reads a recording sends its groups. */
import type { Group } from './groups.ts';

/** Groups one behind the other: time, position, number of steps, steps. Or why the recording cannot be read. */
export type Piece =
  | { readonly numbers: Float64Array<ArrayBuffer>; readonly isLast: boolean }
  | { readonly refused: string };

/** Pieces that the thread sends without a request. */
export const PIECES_AHEAD = 3;

export function addGroup(numbers: number[], { recordedMs, position, steps }: Group): void {
  numbers.push(recordedMs, position, steps.length);
  for (const step of steps) numbers.push(step);
}

export function* groupsIn(numbers: Float64Array): Generator<Group, undefined> {
  for (let at = 0; at < numbers.length; ) {
    const [recordedMs, position, count] = numbers.subarray(at, at + 3);
    at += 3;
    yield { recordedMs, position, steps: Array.from(numbers.subarray(at, at + count)) };
    at += count;
  }
}
