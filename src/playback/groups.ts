/**
 * A recorded market as groups of steps. A group is what the venue plays at once: one message of the book, and the trades of
 * the same millisecond before it.
 *
 * - The time of a group never goes back: an event that is late by its own clock is played when it comes.
 * - A pass over the files is always the same, so a restart skips as many events as were played and goes on.
 */
import type { MarketEvent } from '../recorded/events.ts';
import { openMarket } from '../recorded/market.ts';
import { RecordingRefused } from '../recorded/refused.ts';
import { CandleMaker, type TimedSteps } from './candles.ts';
import { OffGrid } from './grid.ts';
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

export interface Group {
  /** Epoch ms, without the gaps that are left out, and with the passes before. */
  readonly recordedMs: number;
  /** Events up to the end of the group, from the beginning of the recording. */
  readonly position: number;
  readonly steps: readonly number[];
}

/** Between two passes, so that the new one is after the old one. */
const BETWEEN_PASSES_US = 1e6;

/** Throws RecordingRefused. */
export async function* groupsOf(options: GroupOptions): AsyncGenerator<Group> {
  const { skip } = options;
  let position = 0;
  let group: { recordedMs: number; position: number; steps: number[] } | undefined;
  for await (const { atUs, steps, isBook } of playedEvents(options)) {
    position += 1;
    if (position <= skip) continue;
    const recordedMs = Math.floor(atUs / 1000);
    if (group !== undefined && group.recordedMs !== recordedMs) {
      yield group;
      group = undefined;
    }
    group ??= { recordedMs, position, steps: [] };
    group.position = position;
    for (const step of steps) group.steps.push(step);
    if (!isBook) continue;
    yield group;
    group = undefined;
  }
  if (group !== undefined) yield group;
}

/** Each event with its time in the recording. */
async function* playedEvents(options: GroupOptions): AsyncGenerator<Played> {
  const { paths, symbol, loop, skipGaps } = options;
  let lastUs: number | undefined;
  for (let isOver = false; !isOver; isOver = !loop) {
    const market = await openMarket(paths, symbol === undefined ? {} : { symbol });
    const makers = { candles: new CandleMaker(options), others: new StepMaker(options) };
    /** What is added to the times of the files: the passes before, less the gaps that are left out. */
    let shiftUs: number | undefined;
    let unknownUntilUs = Number.NEGATIVE_INFINITY;
    for await (const batch of market.batches()) {
      for (const event of batch) {
        shiftUs ??= lastUs === undefined ? 0 : lastUs + BETWEEN_PASSES_US - event.atUs;
        const isBook = event.kind !== 'trade' && event.kind !== 'reference';
        for (const { atUs, steps } of stepsOf(makers, event, event.atUs < unknownUntilUs, paths[0])) {
          lastUs = Math.max(lastUs ?? 0, atUs + shiftUs);
          yield { atUs: lastUs, steps, isBook };
        }
        if (!skipGaps || event.kind !== 'gap') continue;
        unknownUntilUs = event.untilUs;
        shiftUs -= event.untilUs - event.atUs;
      }
    }
    if (shiftUs === undefined) return;
  }
}

interface Played extends TimedSteps {
  /** It is about the book. */
  readonly isBook: boolean;
}

interface Makers {
  readonly candles: CandleMaker;
  readonly others: StepMaker;
}

/** The steps of an event. `isLeftOut`: it has none, but counts as an event. */
function* stepsOf(makers: Makers, event: MarketEvent, isLeftOut: boolean, path: string): Generator<TimedSteps> {
  try {
    if (event.kind === 'candle') yield* makers.candles.steps(event);
    else {
      const steps: number[] = [];
      if (!isLeftOut) makers.others.add(event, steps);
      yield { atUs: event.atUs, steps };
    }
  } catch (error) {
    if (!(error instanceof OffGrid)) throw error;
    throw new RecordingRefused(
      path,
      `${error.message} of its market: give the market a finer one, or round with --fit`,
    );
  }
}
