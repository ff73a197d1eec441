/**
 * What each command of a log was, when it came, and what is remarkable about it, for a slider over the log. It is built by the
 * survey (survey.ts), in memory.
 *
 * Cost: a byte for each command, 12 for each change of time, 8 for each trade of an account. The newest 5 million
 * commands are kept. A summary reads a byte for each command in its range.
 */
import { type Course, leftAt, WHOLE } from '../archive/store/timeline.ts';
import type { Left } from '../story/facts.ts';

const CHUNK = 65_536;
const MOST_CHUNKS = 80;
const MOST_MARKS = 100_000;
/** What the log says of a command that was left out, because it made the venue throw. */
const LEFT_OUT = 'leftOut';

/** What a mark is of. */
export const MARKS = ['fill', 'prices', 'snapshot', 'restore', 'reset', LEFT_OUT, 'liquidation'] as const;
export type MarkKind = (typeof MARKS)[number];

export interface Mark {
  readonly kind: MarkKind;
  readonly seq: number;
  /** Venue time after the command, epoch ms. */
  readonly time: number;
  readonly symbol?: string;
  /** Of a named snapshot. */
  readonly name?: string;
}

/** Commands that a reset, or a return to a named snapshot, has left. */
export interface LeftRange extends Left {
  readonly from: number;
  to: number;
}

interface Chunk {
  readonly kinds: Uint8Array;
  /** The commands at which the time changes, from 0 in the chunk, and the time from there on. */
  readonly changes: number[];
  readonly times: number[];
}

export interface Bucket {
  readonly from: number;
  readonly to: number;
  /** Venue time after its last command, epoch ms. */
  readonly time: number;
  /** How many commands of each type. */
  readonly commands: Readonly<Record<string, number>>;
}

/** The marks of one kind in a bucket: the first of them, and how many there are. */
export interface BucketMark extends Mark {
  readonly count: number;
}

export class LogIndex {
  /** The first command that it knows. */
  #first: number;
  /** The command after the last one that it knows. */
  #next: number;
  #chunks: Chunk[] = [];
  readonly #codes = new Map<string, number>();
  readonly #names: string[] = [];
  #marks: Mark[] = [];
  #course: Course = { lineage: WHOLE };
  /** By account: the commands in which it traded. */
  readonly #fills = new Map<string, number[]>();

  /** `first`: the first command that it will get. */
  constructor(first: number) {
    this.#first = first;
    this.#next = first;
  }

  /** The last command that it knows. */
  get seq(): number {
    return this.#next - 1;
  }

  get firstSeq(): number {
    return this.#first;
  }

  /** A command that was applied. Those before it that are missing were left out. */
  add(seq: number, type: string, timeMs: number): void {
    this.leftOut(seq - 1, timeMs);
    this.#put(type, timeMs);
  }

  /** The commands up to `seq` that are missing were left out. */
  leftOut(seq: number, timeMs: number): void {
    while (this.#next <= seq) {
      this.mark({ kind: LEFT_OUT, seq: this.#next, time: timeMs });
      this.#put(LEFT_OUT, timeMs);
    }
  }

  mark(mark: Mark): void {
    this.#marks.push(mark);
    if (this.#marks.length > MOST_MARKS) this.#marks = this.#marks.slice(MOST_MARKS / 2);
  }

  /** A command replaced the whole state. */
  turned(course: Course): void {
    this.#course = course;
  }

  /** An account traded in a command. */
  fill(account: string, seq: number): void {
    const seqs = this.#fills.get(account);
    if (seqs === undefined) this.#fills.set(account, [seq]);
    else if (seqs[seqs.length - 1] !== seq) seqs.push(seq);
  }

  /** Null: the command led to the present state. */
  leftAt(seq: number): Left | null {
    return leftAt(this.#course, seq);
  }

  /** The ranges of commands that do not lead to the present state, within the given range. */
  leftBranches(from: number, to: number): LeftRange[] {
    const left: LeftRange[] = [];
    const ends = [...this.#turns().filter((seq) => seq > from && seq <= to), to + 1];
    let first = from;
    for (const end of ends) {
      const branch = this.leftAt(first);
      const before = left.at(-1);
      if (branch !== null && before?.at === branch.at && before.to === first - 1) before.to = end - 1;
      else if (branch !== null) left.push({ from: first, to: end - 1, ...branch });
      first = end;
    }
    return left;
  }

  /** The seqs, ascending, at which one part of the history ends and another begins. */
  #turns(): number[] {
    const { lineage, branches = [] } = this.#course;
    const turns = [lineage, ...branches.map(({ timeline }) => timeline)].flatMap((timeline) =>
      timeline.flatMap(([first, last]) => (last === null ? [first] : [first, last + 1])),
    );
    return [...new Set(turns)].sort((a, b) => a - b);
  }

  /** Venue time after a command that it knows. */
  timeOf(seq: number): number {
    const at = seq - this.#first;
    const { changes, times } = this.#chunks[Math.floor(at / CHUNK)];
    return times[lastUpTo(changes, (change) => change, at % CHUNK)];
  }

  /** Counts per bucket. All commands of the range must be known. */
  buckets(from: number, to: number, most: number): Bucket[] {
    const all = to - from + 1;
    const count = Math.min(most, all);
    return Array.from({ length: count }, (_, i) => {
      const [first, last] = [from + Math.floor((i * all) / count), from + Math.floor(((i + 1) * all) / count) - 1];
      return { from: first, to: last, time: this.timeOf(last), commands: this.#counts(first, last) };
    });
  }

  /** In each bucket one mark of each kind, in order. `account`: whose fills are marked. */
  marksIn(buckets: readonly Bucket[], account: string | undefined): BucketMark[] {
    const fills = (account === undefined ? undefined : this.#fills.get(account)) ?? [];
    return buckets.flatMap(({ from, to }) => {
      const found = new Map<MarkKind, BucketMark>();
      for (const mark of between(this.#marks, ({ seq }) => seq, from, to)) {
        const first = found.get(mark.kind);
        found.set(mark.kind, first === undefined ? { ...mark, count: 1 } : { ...first, count: first.count + 1 });
      }
      const [seq, ...others] = between(fills, (fill) => fill, from, to);
      if (seq !== undefined) found.set('fill', { kind: 'fill', seq, time: this.timeOf(seq), count: 1 + others.length });
      return [...found.values()].sort((a, b) => a.seq - b.seq);
    });
  }

  #counts(from: number, to: number): Record<string, number> {
    const counts = new Uint32Array(this.#names.length);
    for (let seq = from; seq <= to; seq++) {
      const at = seq - this.#first;
      counts[this.#chunks[Math.floor(at / CHUNK)].kinds[at % CHUNK]] += 1;
    }
    return Object.fromEntries(this.#names.flatMap((name, code) => (counts[code] > 0 ? [[name, counts[code]]] : [])));
  }

  #put(type: string, timeMs: number): void {
    const at = (this.#next - this.#first) % CHUNK;
    if (at === 0) this.#begin();
    const chunk = this.#chunks[this.#chunks.length - 1];
    chunk.kinds[at] = this.#codeOf(type);
    if (chunk.times[chunk.times.length - 1] !== timeMs) {
      chunk.changes.push(at);
      chunk.times.push(timeMs);
    }
    this.#next += 1;
  }

  #begin(): void {
    this.#chunks.push({ kinds: new Uint8Array(CHUNK), changes: [], times: [] });
    if (this.#chunks.length <= MOST_CHUNKS) return;
    this.#chunks.shift();
    this.#first += CHUNK;
    for (const [account, seqs] of this.#fills) {
      this.#fills.set(
        account,
        between(seqs, (seq) => seq, this.#first, Number.POSITIVE_INFINITY),
      );
    }
  }

  #codeOf(type: string): number {
    const known = this.#codes.get(type);
    if (known !== undefined) return known;
    this.#codes.set(type, this.#names.length);
    return this.#names.push(type) - 1;
  }
}

/** The entries of a sorted list from `least` to `most`. */
function between<Entry>(sorted: readonly Entry[], of: (entry: Entry) => number, least: number, most: number): Entry[] {
  return sorted.slice(lastUpTo(sorted, of, least - 1) + 1, lastUpTo(sorted, of, most) + 1);
}

/** The index of the last entry up to `most`. −1: there is none. */
function lastUpTo<Entry>(sorted: readonly Entry[], of: (entry: Entry) => number, most: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (of(sorted[middle]) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
