/**
 * Recorded markets with users between: the venue does what the independent model does (test/model). Each seed is a small world
 * in which some markets play made-up recordings: levels, trades, references and gaps, and between them the orders, halts,
 * snapshots and restarts of the model's runs. A failure prints the shrunk commands as a test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Genesis, PlayMarket, Recordings } from '../../src/venue/contract/commands.ts';
import { Pair, type TimedStep } from '../model/compare.ts';
import { Generator } from '../model/generator.ts';
import { centreOf } from '../model/generator-aims.ts';
import { FINE, HOUSE, HOUSE_KEY, type ModelMarket, type World } from '../model/model-state.ts';
import { Random } from '../model/random.ts';
import { asTest, shrink } from '../model/run.ts';
import { START_MS, scenario } from '../model/scenario.ts';
import { bought, funding, gap, type LevelRow, levels, references, snapshot, sold } from './support.ts';

/** Half a minute on one core. */
const SEEDS = 60;
const PER_TEST = 60;
const COMMANDS = 300;

/** A world in which one or more of the markets play a recording. */
function played(r: Random): Genesis {
  const genesis = scenario(r);
  const symbols = genesis.config.markets.map(({ symbol }) => symbol).filter((_, i) => i === 0 || r.once(2));
  const markets: Recordings['markets'] = Object.fromEntries(
    symbols.map((symbol) => [
      symbol,
      { queue: r.pick(['back', 'proportional'] as const), healAfterMs: r.pick([null, 0, 1000, 1000, 60_000]) },
    ]),
  );
  return { ...genesis, recordings: { markets, files: [] } };
}

class Recording {
  readonly #r: Random;
  #position = 0;

  constructor(r: Random) {
    this.#r = r;
  }

  /** A message of one of the played markets, in the time of the world or a little later. */
  next(w: World, atMs: number): TimedStep {
    const r = this.#r;
    const market = r.pick(w.s.markets.filter(({ playback }) => playback !== null));
    this.#position += r.once(50) ? 0 : 1;
    const toMs = w.s.now + r.pick([0, 0, 0, 1, 50, 500, 1000, 5000]);
    if (market.product === 'futures' && market.indexPrice > 0 && r.once(25)) return this.#crash(market, toMs, atMs);
    const steps = Array.from({ length: r.pick([1, 1, 1, 2, 4]) }, () => this.#step(market)).flat();
    const command: PlayMarket = {
      ...{ v: 1, type: 'market', market: market.index, toMs, recordedMs: toMs - START_MS, steps },
      position: r.once(60) ? Math.max(0, this.#position - 5) : this.#position,
    };
    return { atMs: Math.max(atMs, w.s.now), command, ...(r.once(60) && { restart: true }) };
  }

  /** The book is unknown, and both references jump: a feed's jump waits for a second value. */
  #crash(market: ModelMarket, toMs: number, atMs: number): TimedStep {
    const fine = Math.max(FINE, Math.floor((market.indexPrice * this.#r.pick([70, 90, 110, 130])) / 100));
    const to = references(Math.min(fine, market.maxTicks * FINE), Math.min(fine, market.maxTicks * FINE));
    const steps = [...gap(), ...to, ...to];
    return {
      atMs: Math.max(atMs, toMs),
      command: {
        ...{ v: 1, type: 'market', market: market.index, toMs, recordedMs: toMs - START_MS, steps },
        position: this.#position,
      },
    };
  }

  #step(market: ModelMarket): number[] {
    const r = this.#r;
    const middle = Math.min(Math.max(centreOf(market) + r.pick([-2, -1, 0, 0, 0, 1, 2]), 8), market.maxTicks - 8);
    const price = middle + r.pick([-4, -2, -1, 0, 1, 2, 4]);
    switch (
      r.pick([
        'levels',
        'levels',
        'levels',
        'trade',
        'trade',
        'trade',
        'snapshot',
        'references',
        'gap',
        'funding',
      ] as const)
    ) {
      case 'levels':
        return levels(this.#side(-1, middle, true), this.#side(1, middle, true));
      case 'snapshot':
        return snapshot(this.#side(-1, middle, false), this.#side(1, middle, false));
      case 'trade':
        return r.once(2) ? bought(price, r.int(1, 40)) : sold(price, r.int(1, 40));
      case 'references': {
        const fine = () => middle * FINE + r.pick([-400, 0, 0, 1, 300]);
        return references(r.once(5) ? 0 : fine(), market.product === 'futures' && r.once(3) ? fine() : 0);
      }
      case 'gap':
        return r.once(3) ? gap() : [];
      case 'funding':
        return funding(r.int(-1_000_000, 1_000_000));
    }
  }

  /** Some crossed ones, some twice, and some gone. */
  #side(sign: -1 | 1, middle: number, mayEnd: boolean): LevelRow[] {
    const r = this.#r;
    return Array.from({ length: r.int(0, 4) }, () => {
      const away = r.once(9) ? -r.int(0, 3) : r.int(1, 6);
      return [middle + sign * away, mayEnd && r.once(4) ? 0 : r.int(1, 30)] as const;
    });
  }
}

/** How often each of these was compared. */
class Reached {
  readonly counts = {
    prints: 0,
    'fills of takers': 0,
    'fills of makers': 0,
    'levels that users took': 0,
    'levels that wait for the next message': 0,
    'moves forward that a trade explains': 0,
    'recorded rates that were paid': 0,
    'liquidations into the recorded book': 0,
    'positions of the house that were closed first': 0,
  };

  note({ s, events }: World): void {
    const add = (what: keyof Reached['counts'], count = 1) => {
      this.counts[what] += count;
    };
    for (const { playback } of s.markets) {
      add('levels that users took', playback?.taken.size ?? 0);
      add('levels that wait for the next message', playback?.touched.size ?? 0);
      add('moves forward that a trade explains', playback?.ahead.size ?? 0);
    }
    for (const e of events) {
      if (e.type === 'funding' && s.markets[e.market].playback?.fundingRate === e.rate)
        add('recorded rates that were paid');
      if (e.type === 'deleveraged' && e.account === HOUSE) add('positions of the house that were closed first');
      if (e.type !== 'traded') continue;
      const [byMaker, byTaker] = [e.maker === HOUSE_KEY, e.taker === HOUSE_KEY];
      if (byMaker && byTaker) add('prints');
      else if (byTaker) add('fills of makers');
      else if (byMaker) add('fills of takers');
      const taker = byMaker ? [...s.live, ...s.ended].find(({ key }) => key === e.taker) : undefined;
      if (taker?.orderDetailType?.startsWith('F') || taker?.orderDetailType?.startsWith('P')) {
        add('liquidations into the recorded book');
      }
    }
  }
}

function run(seed: number, reached: Reached) {
  const r = new Random(seed);
  const genesis = played(r);
  const pair = new Pair(genesis, START_MS);
  const [generator, recording] = [new Generator(r, START_MS), new Recording(r)];
  const steps: TimedStep[] = [];
  let difference: string | null = null;
  for (let i = 0; i < COMMANDS && difference === null; i++) {
    const { w } = pair.model;
    const atMs = steps.at(-1)?.atMs ?? START_MS;
    const step = r.once(2) ? recording.next(w, atMs) : generator.next(pair.model);
    steps.push(step);
    try {
      difference = pair.run(step);
      reached.note(pair.model.w);
    } catch (error) {
      difference = `throws ${error instanceof Error ? error.stack : error}`;
    }
  }
  return { seed, genesis, steps, difference };
}

for (let from = 1; from <= SEEDS; from += PER_TEST) {
  test(`recorded markets are played as the model plays them: seeds ${from} to ${from + PER_TEST - 1}`, () => {
    const reached = new Reached();
    for (let seed = from; seed < from + PER_TEST; seed++) {
      const found = run(seed, reached);
      if (found.difference !== null) assert.fail(asTest(shrink(found)));
    }
    for (const [what, count] of Object.entries(reached.counts)) assert.ok(count > 0, `${count} ${what}`);
  });
}
