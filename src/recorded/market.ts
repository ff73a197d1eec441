/**
 * All files of one market as one stream in the order of exchange time: at equal times trades first, then the book, quotes,
 * references and candles, then the order of the file.
 *
 * - Files of one subject, such as the trades of several days, follow each other and must not overlap.
 * - A row that is late by its own clock keeps its time, and is where its file has it.
 * - One file of each subject is open at a time, and one piece of each is in memory.
 */
import type { MarketEvent, Subject } from './events.ts';
import { openRecording, type Recording, type RecordingOptions } from './file.ts';
import { RecordingRefused } from './refused.ts';
import { timeText } from './times.ts';

/** At equal times. A trade takes from the book that the message after it shows. */
const ORDER: readonly Subject[] = ['trades', 'book', 'quotes', 'references', 'candles'];
const BATCH = 1024;
/**
 * Files of a day are cut by the recorder's clock, so the next one may begin a little before the end of the last by
 * exchange time: this much, and at most half of that file.
 */
const MAX_OVERLAP_US = 60e6;

/** Opens the files of a market. Throws RecordingRefused if one cannot be read, or if they are of several markets. */
export async function openMarket(paths: readonly string[], options: RecordingOptions = {}): Promise<RecordedMarket> {
  if (paths.length === 0) throw new RangeError('a recorded market needs a file');
  const lanes = new Map<Subject, Part[]>();
  let named: { symbol: string; path: string } | undefined;
  for (const path of paths) {
    const recording = await openRecording(path, options);
    const { firstUs, symbol } = await beginningOf(recording);
    if (symbol !== undefined) {
      named ??= { symbol, path };
      if (plainSymbol(symbol) !== plainSymbol(named.symbol)) {
        throw new RecordingRefused(
          path,
          `this is ${symbol}, and ${named.path} is ${named.symbol}: one market at a time`,
        );
      }
    }
    const parts = lanes.get(recording.subject) ?? [];
    lanes.set(
      recording.subject,
      [...parts, { recording, firstUs }].sort((a, b) => a.firstUs - b.firstUs),
    );
  }
  return new RecordedMarket(named?.symbol, lanes);
}

/** A file and the time of its first event. */
interface Part {
  readonly recording: Recording;
  readonly firstUs: number;
}

/** BTCUSDT, BTC-USDT and BTC_USDT are one market. */
function plainSymbol(symbol: string): string {
  return symbol.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}

/** An empty file says nothing, and comes last. */
async function beginningOf(recording: Recording): Promise<{ firstUs: number; symbol: string | undefined }> {
  for await (const [event] of recording.batches()) return { firstUs: event.atUs, symbol: recording.reading.symbol };
  return { firstUs: Number.POSITIVE_INFINITY, symbol: recording.reading.symbol };
}

export class RecordedMarket {
  /** As the first file that has one writes it. */
  readonly symbol: string | undefined;
  readonly recordings: readonly Recording[];
  readonly #lanes: ReadonlyMap<Subject, readonly Part[]>;

  constructor(symbol: string | undefined, lanes: ReadonlyMap<Subject, readonly Part[]>) {
    this.symbol = symbol;
    this.recordings = ORDER.flatMap((subject) => (lanes.get(subject) ?? []).map(({ recording }) => recording));
    this.#lanes = lanes;
  }

  /** All events of all files. Throws RecordingRefused where a file is wrong. */
  async *batches(): AsyncGenerator<readonly MarketEvent[]> {
    const open = ORDER.flatMap((subject) => {
      const parts = this.#lanes.get(subject);
      return parts === undefined ? [] : [new Lane(parts)];
    });
    try {
      for (const lane of open) await lane.fill();
      let out: MarketEvent[] = [];
      for (let lane = earliest(open); lane !== undefined; lane = earliest(open)) {
        out.push(lane.take());
        if (lane.isEmpty) await lane.fill();
        if (out.length < BATCH) continue;
        yield out;
        out = [];
      }
      if (out.length > 0) yield out;
    } finally {
      for (const lane of open) await lane.close();
    }
  }
}

function earliest(lanes: readonly Lane[]): Lane | undefined {
  let best: Lane | undefined;
  for (const lane of lanes) {
    if (!lane.isEmpty && (best === undefined || lane.atUs < best.atUs)) best = lane;
  }
  return best;
}

/** The files of one subject, one after the other. */
class Lane {
  readonly #parts: readonly Part[];
  #next = 0;
  #batches: AsyncGenerator<readonly MarketEvent[]> | undefined;
  #events: readonly MarketEvent[] = [];
  #at = 0;
  /** The latest time so far: the place of the next event, which may itself be late. */
  atUs = Number.NEGATIVE_INFINITY;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#at === this.#events.length;
  }

  take(): MarketEvent {
    const event = this.#events[this.#at];
    this.#at += 1;
    if (!this.isEmpty) this.#see();
    return event;
  }

  /** Reads the next events, of the next file where one has ended. Stays empty after the last. */
  async fill(): Promise<void> {
    this.#events = [];
    this.#at = 0;
    while (this.isEmpty) {
      this.#batches ??= this.#open();
      if (this.#batches === undefined) return;
      const { value, done } = await this.#batches.next();
      if (done === true) this.#batches = undefined;
      else this.#events = value;
    }
    this.#see();
  }

  async close(): Promise<void> {
    await this.#batches?.return(undefined);
  }

  #see(): void {
    this.atUs = Math.max(this.atUs, this.#events[this.#at].atUs);
  }

  #open(): AsyncGenerator<readonly MarketEvent[]> | undefined {
    const part = this.#parts[this.#next];
    if (part === undefined) return undefined;
    const before = this.#parts[this.#next - 1];
    if (before !== undefined) this.#mustFollow(part, before);
    this.#next += 1;
    return part.recording.batches();
  }

  #mustFollow({ recording: { path }, firstUs }: Part, before: Part): void {
    if (firstUs === Number.POSITIVE_INFINITY) return;
    const overlapUs = Math.min(MAX_OVERLAP_US, (this.atUs - before.firstUs) / 2);
    if (firstUs !== before.firstUs && firstUs >= this.atUs - overlapUs) return;
    const reason = `begins at ${timeText(firstUs)}, before ${before.recording.path} ends (${timeText(this.atUs)})`;
    throw new RecordingRefused(path, `${reason}: give files of the same kind that follow each other`);
  }
}
