/**
 * How the thread that reads a recording sends its groups: one after the other, each as its time, its position, the number of
 * its steps, and its steps.
 */

/** What the venue plays at once. */
export interface Group {
  /** Epoch ms, without the gaps that are left out, and with the passes before. */
  readonly recordedMs: number;
  /** Events up to the end of the group, from the beginning of the recording. */
  readonly position: number;
  readonly steps: readonly number[];
}

export type Piece =
  | { readonly numbers: Float64Array<ArrayBuffer>; readonly isLast: boolean }
  /** Why the recording cannot be read. */
  | { readonly refused: string };

/** Pieces that the thread sends without a request. */
export const PIECES_AHEAD = 3;
/** A piece has about so many numbers. */
const PIECE_NUMBERS = 1 << 15;
const HEAD = 3;

export class PieceWriter {
  /** Steps of the open group are added here. */
  readonly numbers: number[] = [];
  /** Events up to the end of the open group. */
  position = 0;
  /** Where the open group begins. −1: none is open. */
  #begin = -1;

  open(recordedMs: number): void {
    this.#begin = this.numbers.length;
    this.numbers.push(recordedMs, 0, 0);
  }

  close(): void {
    if (this.#begin < 0) return;
    this.numbers[this.#begin + 1] = this.position;
    this.numbers[this.#begin + 2] = this.numbers.length - this.#begin - HEAD;
    this.#begin = -1;
  }

  /** It is time to take the piece. */
  get isFull(): boolean {
    return this.#closed >= PIECE_NUMBERS;
  }

  /** The closed groups. An open one stays. */
  take(): Float64Array<ArrayBuffer> {
    const piece = Float64Array.from(this.numbers.splice(0, this.#closed));
    if (this.#begin > 0) this.#begin = 0;
    return piece;
  }

  get #closed(): number {
    return this.#begin < 0 ? this.numbers.length : this.#begin;
  }
}

export function* groupsIn(numbers: Float64Array): Generator<Group, undefined> {
  for (let at = 0; at < numbers.length; ) {
    const [recordedMs, position, count] = [numbers[at], numbers[at + 1], numbers[at + 2]];
    at += HEAD;
    const steps: number[] = [];
    for (const end = at + count; at < end; at++) steps.push(numbers[at]);
    yield { recordedMs, position, steps };
  }
}
