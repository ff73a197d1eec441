/**
 * The prices of a recording at the moments of a scenario: the index and the last price that a replay of its files would
 * have then (src/playback).
 *
 * Cost: one pass over the files, up to the end of the scenario. Only a price a moment is in memory.
 */
import { type GroupOptions, piecesOf } from '../playback/groups.ts';
import { type Group, groupsIn } from '../playback/pieces.ts';
import { FUNDING, LEVELS, REFERENCES, SNAPSHOT, TRADE } from '../venue/contract/market-steps.ts';
import { FINE } from '../venue/contract/units.ts';

export interface RecordedPricesOptions {
  readonly files: readonly string[];
  /** Of files with several symbols, the one to read. */
  readonly symbol: string | undefined;
  /** How much of the beginning is left out. */
  readonly skipMs: number;
  /** Of the market. Prices are rounded to it. */
  readonly tick: string;
  readonly maxPriceTicks: number;
  /** Of the paths that candles are made into. */
  readonly seed: number;
}

/** In quote currency. */
export interface RecordedPrice {
  /** Since the recording begins to be played. */
  readonly ms: number;
  readonly index: number;
  readonly last: number;
}

/** Sizes do not matter here, and none may be rounded to nothing. */
const SMALLEST_STEP = '0.000000000000001';

/**
 * `moments`: ms since the recording begins to be played, ascending. Only those are returned at which a price differs from
 * the one before. Empty: the files hold no price there.
 * @throws {RecordingRefused}
 */
export async function recordedPrices(
  { files, skipMs, tick, ...rest }: RecordedPricesOptions,
  moments: readonly number[],
): Promise<RecordedPrice[]> {
  const options: GroupOptions = {
    ...rest,
    paths: files,
    tick,
    step: SMALLEST_STEP,
    fit: true,
    depth: null,
    skip: 0,
    loop: false,
    skipGaps: false,
    recordedFunding: false,
  };
  const prices = new Prices(Number(tick));
  const found: RecordedPrice[] = [];
  let at = 0;
  let beganMs: number | undefined;
  let hasBegun = false;
  const note = (ms: number) => {
    const { index, last } = prices;
    const before = found.at(-1);
    if (index !== 0 && (index !== before?.index || last !== before.last)) found.push({ ms, index, last });
  };
  for await (const { recordedMs, steps } of groupsOf(options)) {
    beganMs ??= recordedMs + skipMs;
    const ms = recordedMs - beganMs;
    hasBegun ||= ms >= 0;
    // Before the first price there is none to note: the first moment takes the first one.
    while (at < moments.length && moments[at] < ms && prices.index !== 0) {
      note(moments[at]);
      at += 1;
    }
    if (at === moments.length) return found;
    prices.take(steps);
  }
  if (hasBegun && at < moments.length) note(moments[at]);
  return found;
}

async function* groupsOf(options: GroupOptions): AsyncGenerator<Group> {
  for await (const piece of piecesOf(options)) yield* groupsIn(piece);
}

/** The prices by the steps up to now. In place of a price that they do not give, another one is taken. */
class Prices {
  readonly #tick: number;
  #traded = 0;
  #index = 0;
  #mark = 0;

  constructor(tick: number) {
    this.#tick = tick;
  }

  /** 0: no price is known. */
  get index(): number {
    return this.#index || this.#traded || this.#mark;
  }

  get last(): number {
    return this.#traded || this.index;
  }

  take(steps: readonly number[]): void {
    for (let i = 0; i < steps.length; ) {
      const kind = steps[i];
      if (kind === TRADE) this.#traded = Math.abs(steps[i + 1]) * this.#tick;
      if (kind === REFERENCES) {
        this.#index = (steps[i + 1] / FINE) * this.#tick || this.#index;
        this.#mark = (steps[i + 2] / FINE) * this.#tick || this.#mark;
      }
      i += lengthOf(kind, steps[i + 1]);
    }
  }
}

/** How many numbers a step has, its kind included. `count`: the number after the kind. */
function lengthOf(kind: number, count: number): number {
  if (kind === LEVELS || kind === SNAPSHOT) return 2 + 2 * count;
  if (kind === FUNDING) return 2;
  return kind === TRADE || kind === REFERENCES ? 3 : 1;
}
