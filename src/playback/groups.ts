/**
 * A recorded market as groups of steps. A group is what the venue plays at once: one message of the book, and the trades of
 * the same millisecond before it.
 *
 * - The time of a group never goes back: an event that is late by its own clock is played when it comes.
 * - A pass over the files is always the same, so a restart skips as many events as were played and goes on.
 *
 * Cost: an event is made into steps once, in the list that is sent (pieces.ts). Nothing is awaited but the files.
 */
import type { MarketEvent } from '../recorded/events.ts';
import { openMarket } from '../recorded/market.ts';
import { RecordingRefused } from '../recorded/refused.ts';
import { CandleMaker } from './candles.ts';
import { OffGrid } from './grid.ts';
import { PieceWriter } from './pieces.ts';
import { StepMaker, type StepOptions } from './steps.ts';

export interface GroupOptions extends StepOptions {
  readonly paths: readonly string[];
  /** The symbol, in files with several. */
  readonly symbol: string | undefined;
  /** How many events were played already. */
  readonly skip: number;
  /** Begin again at the end. */
  readonly loop: boolean;
  /** Leave out the time in which the book is unknown, and what traded in it. */
  readonly skipGaps: boolean;
  /** Of the paths that candles are made into. */
  readonly seed: number;
}

/** Between two passes, so that the new one is after the old one. */
const BETWEEN_PASSES_US = 1e6;

/** The groups in pieces for another thread. @throws {RecordingRefused} */
export async function* piecesOf(options: GroupOptions): AsyncGenerator<Float64Array<ArrayBuffer>> {
  const groups = new Grouping(options.skip);
  let pass: Pass | undefined;
  do {
    const market = await openMarket(options.paths, options.symbol === undefined ? {} : { symbol: options.symbol });
    pass = new Pass(options, groups, pass?.lastUs);
    for await (const batch of market.batches()) {
      for (const event of batch) {
        pass.play(event);
        if (groups.writer.isFull) yield groups.writer.take();
      }
    }
  } while (options.loop && pass.hasPlayed);
  groups.close();
  yield groups.writer.take();
}

/** Closes and opens groups as the events come. */
class Grouping {
  readonly writer = new PieceWriter();
  readonly #skip: number;
  #position = 0;
  #recordedMs = Number.NaN;

  constructor(skip: number) {
    this.#skip = skip;
  }

  /** The next event: the list for its steps, or undefined if it was played already. */
  begin(atUs: number): number[] | undefined {
    this.#position += 1;
    if (this.#position <= this.#skip) return undefined;
    const recordedMs = Math.floor(atUs / 1000);
    if (recordedMs !== this.#recordedMs) {
      this.close();
      this.#recordedMs = recordedMs;
      this.writer.open(recordedMs);
    }
    this.writer.position = this.#position;
    return this.writer.numbers;
  }

  /** What comes next belongs to another group. */
  close(): void {
    this.writer.close();
    this.#recordedMs = Number.NaN;
  }
}

/** One pass over the files. */
class Pass {
  readonly #groups: Grouping;
  readonly #skipGaps: boolean;
  readonly #path: string;
  readonly #candles: CandleMaker;
  readonly #steps: StepMaker;
  /** The steps of events that were played already. They are made, because later ones depend on them. */
  readonly #unused: number[] = [];
  /** The time of the last event of this pass or the one before. */
  lastUs: number | undefined;
  /** What is added to the times of the files: the passes before, less the gaps that are left out. */
  #shiftUs: number | undefined;
  #unknownUntilUs = Number.NEGATIVE_INFINITY;

  constructor(options: GroupOptions, groups: Grouping, lastUs: number | undefined) {
    this.#groups = groups;
    this.#skipGaps = options.skipGaps;
    this.#path = options.paths[0];
    this.#candles = new CandleMaker(options);
    this.#steps = new StepMaker(options);
    this.lastUs = lastUs;
  }

  get hasPlayed(): boolean {
    return this.#shiftUs !== undefined;
  }

  /** @throws {RecordingRefused} */
  play(event: MarketEvent): void {
    this.#shiftUs ??= this.lastUs === undefined ? 0 : this.lastUs + BETWEEN_PASSES_US - event.atUs;
    try {
      if (event.kind === 'candle') {
        for (const { atUs, steps } of this.#candles.steps(event)) {
          const numbers = this.#begin(atUs);
          for (const step of steps) numbers.push(step);
          this.#groups.close();
        }
        return;
      }
      const numbers = this.#begin(event.atUs);
      // In a gap that is left out, an event has no steps, but counts.
      if (event.atUs >= this.#unknownUntilUs) this.#steps.add(event, numbers);
      if (event.kind !== 'trade' && event.kind !== 'reference') this.#groups.close();
    } catch (error) {
      if (!(error instanceof OffGrid)) throw error;
      const advice = 'give the market a finer one, or round with --fit';
      throw new RecordingRefused(this.#path, `${error.message} of its market: ${advice}`);
    }
    if (!this.#skipGaps || event.kind !== 'gap') return;
    this.#unknownUntilUs = event.untilUs;
    this.#shiftUs -= event.untilUs - event.atUs;
  }

  #begin(atUs: number): number[] {
    this.lastUs = Math.max(this.lastUs ?? 0, atUs + (this.#shiftUs as number));
    const numbers = this.#groups.begin(this.lastUs);
    if (numbers !== undefined) return numbers;
    this.#unused.length = 0;
    return this.#unused;
  }
}
