/**
 * Runs of the thief's tests: one seed is one world and one stream of commands. A run that fails is shrunk, and printed as
 * a short story of who did what and what it did to whose money.
 *
 * A step keeps its sequence number when others are left out, so orders keep their ids.
 */
import { readConfiguration, venueConfig } from '../../src/config/config.ts';
import type { Command, Genesis } from '../../src/venue/contract/commands.ts';
import type { VenueEvent } from '../../src/venue/contract/events.ts';
import { type Reply, Venue } from '../../src/venue/venue.ts';
import { Random } from './random.ts';
import { START_MS } from './scenario.ts';
import { isThief, Judge, SETTLEMENT, type Test } from './thief-judge.ts';
import { fundOf, SCALE, text, wealthOf } from './thief-money.ts';
import { Players } from './thief-players.ts';
import { storyOf } from './thief-story.ts';

export type Act = Exclude<Command, Genesis>;

export interface Step {
  readonly seq: number;
  readonly command: Act;
  /** The venue is saved and loaded before the command. */
  readonly restart: boolean;
}

export interface Run {
  readonly test: Test;
  readonly seed: number;
  readonly genesis: Genesis;
  readonly steps: readonly Step[];
  /** What is wrong after the last step; null: nothing. */
  readonly complaint: string | null;
}

/** A venue with its judge. */
export class Scene {
  venue: Venue;
  readonly judge: Judge;
  #begun = false;
  readonly #emit = (event: VenueEvent): void => {
    if (this.#begun) this.judge.see(event);
  };

  constructor(test: Test, genesis: Genesis) {
    this.venue = new Venue(this.#emit);
    this.venue.apply(1, START_MS, genesis);
    this.judge = new Judge(test, this.venue);
  }

  /** From here on prices are known, and the judge looks on. */
  begin(): void {
    this.judge.begin();
    this.#begun = true;
  }

  apply({ seq, command, restart }: Step): { reply: Reply; complaint: string | null } {
    if (restart) {
      this.venue = Venue.load(this.venue.save(), this.#emit);
      this.judge.follow(this.venue);
    }
    const reply = this.venue.apply(seq, START_MS, command).whole();
    return { reply, complaint: this.#begun ? this.judge.after(command, reply) : null };
  }
}

const SPOT = ['BTC-USDT', 'ETH-USDT'];
export const INDEX = { BTC: 60_000, ETH: 3_000 };

/** Where the mark is pinned, of the index: on a tick, between two, and away from it. */
const PINNED = [1, 1, 1.000_003_7, 1.002, 0.998];

/** First steps of every run: an index for each market, and for test 1 a mark that stays. */
function openingSteps(test: Test, scene: Scene): Step[] {
  return scene.venue.markets.map((market, i) => {
    const { base, quote, tick } = market.spec;
    const price = INDEX[base as keyof typeof INDEX] / (quote === 'BTC' ? INDEX.BTC : 1);
    const fine = Math.round((price * 1000) / Number(tick));
    const pinned = test === 1 && market.product === 'futures';
    const mark = Math.round(fine * PINNED[(scene.venue.genesis?.seed ?? 0) % PINNED.length]);
    const prices = { index: fine, ...(pinned && { mark }) };
    const command: Act = { v: 1, type: 'setPrices', market: market.index, ...prices, byHand: true };
    return { seq: 2 + i, command, restart: false };
  });
}

/** `only`: these plays alone (thief-players.ts has their names). */
export function runSeed(test: Test, seed: number, commands: number, only: readonly string[] = []): Run {
  const r = new Random(seed);
  const genesis = worldOf(test, r);
  const scene = new Scene(test, genesis);
  const steps: Step[] = [];
  const take = (step: Step): Reply | string => {
    steps.push(step);
    try {
      const { reply, complaint } = scene.apply(step);
      return complaint ?? reply;
    } catch (error) {
      return `the venue throws ${error instanceof Error ? (error.stack ?? error.message) : error}`;
    }
  };
  for (const step of openingSteps(test, scene)) take(step);
  scene.begin();
  const players = new Players(test, r, () => scene.venue, only);
  for (let i = 0; i < commands; i++) {
    const seq = steps[steps.length - 1].seq + 1;
    const outcome = take({ seq, command: players.next(), restart: r.once(60) });
    if (typeof outcome === 'string') return { test, seed, genesis, steps, complaint: outcome };
    players.replied(outcome);
  }
  return { test, seed, genesis, steps, complaint: null };
}

/** The first complaint of the steps and how many it took; null: there is none. `look` sees the scene after each step. */
export function replay(
  { test, genesis }: Pick<Run, 'test' | 'genesis'>,
  steps: readonly Step[],
  look: (scene: Scene, step: Step, reply: Reply) => void = () => {},
): { complaint: string; at: number } | null {
  const scene = new Scene(test, genesis);
  const opening = openingSteps(test, scene).length;
  for (const [at, step] of steps.entries()) {
    if (at === opening) scene.begin();
    try {
      const { reply, complaint } = scene.apply(step);
      look(scene, step, reply);
      if (complaint !== null) return { complaint, at };
    } catch (error) {
      return { complaint: `the venue throws ${error instanceof Error ? error.message : error}`, at };
    }
  }
  return null;
}

/** Leaves out steps while some complaint remains: long runs of them first, one by one at the end. */
export function shrink(run: Run): Run {
  let { steps, complaint } = run;
  const opening = openingSteps(run.test, new Scene(run.test, run.genesis)).length;
  const without = (at: number, count: number): boolean => {
    const candidate = steps.toSpliced(at, count);
    const found = replay(run, candidate);
    if (found === null) return false;
    steps = candidate.slice(0, found.at + 1);
    complaint = found.complaint;
    return true;
  };
  for (let pass = 0; pass < 2; pass++) {
    for (let chunk = Math.max(1, (steps.length - opening) >> 1); chunk >= 1; chunk >>= 1) {
      for (let at = steps.length - chunk; at >= opening; at -= chunk)
        if (at + chunk <= steps.length) without(at, chunk);
    }
  }
  return { ...run, steps, complaint };
}

/** The shrunk run in words. */
export function story(run: Run): string {
  const lines = storyOf((look) => replay(run, run.steps, look));
  const names = run.genesis.config.accounts.map(({ name }) => name);
  const ends: string[] = [];
  replay(run, run.steps, ({ venue }) => {
    ends.length = 0;
    for (const name of names) {
      const account = venue.accountByName(name)!;
      const positions = venue.positions(account.index).map((p) => `${p.size} ${p.market.symbol}`);
      const wealth = text(wealthOf(venue, account.index, SETTLEMENT));
      if (isThief(name) || positions.length > 0)
        ends.push(`  ${name} owns ${wealth}${positions.map((p) => `, ${p}`).join('')}`);
    }
    ends.push(`  the fund holds ${text(fundOf(venue, SETTLEMENT) * SCALE)}`);
  });
  return [`test ${run.test}, seed ${run.seed}: ${run.complaint}`, ...lines, ...ends].join('\n');
}

// --- the world -----------------------------------------------------------------------------------------------------

const PERPETUALS = ['BTC-PERP', 'ETH-PERP'];
const NO_FEES = { maker: '0', taker: '0' };

/** Terms of perpetuals other than the default ones: small tiers, dear and odd fees, no liquidation fee, coarse grids. */
const ODD_TERMS = [
  {
    riskTiers: [
      { maxNotional: '1000', initial: '0.01', maintenance: '0.005' },
      { maxNotional: '10000', initial: '0.05', maintenance: '0.025' },
      { maxNotional: '1000000', initial: '0.1', maintenance: '0.05' },
      { maxNotional: '50000000', initial: '0.5', maintenance: '0.4' },
    ],
  },
  { fees: { maker: '0.001', taker: '0.002' }, liquidationFee: '0.02' },
  { fees: { maker: '0.003', taker: '0.0001' } },
  { liquidationFee: '0' },
  { tick: '1', contractSize: '0.01', maxSize: '100000' },
];

/** A perpetual whose money is a coin that spot orders sell. */
const SETTLES_IN_COINS = {
  ...{ symbol: 'ETH-XBT', kind: 'perpetual', base: 'ETH', quote: 'BTC', tick: '0.00001', maxPrice: '10' },
  ...{ step: '1', minSize: '1', maxSize: '7500000', contractSize: '0.01' },
} as const;

/** Money in whole units only, so that every rounding is large. A tick of a lot is one unit. */
const COARSE = {
  currencies: { USDT: { decimals: 0 } },
  spots: [
    { symbol: 'BTC-USDT', tick: '1000', step: '0.001', minSize: '0.001' },
    { symbol: 'ETH-USDT', tick: '50', step: '0.02', minSize: '0.02' },
  ],
  grids: {
    'BTC-PERP': { tick: '1000', contractSize: '0.001', maxSize: '1000000', maxPrice: '1000000' },
    'ETH-PERP': { tick: '50', contractSize: '0.02', maxSize: '1000000', maxPrice: '100000' },
  } as Readonly<Record<string, object>>,
};

/** The default markets, thieves with much or little, and two rich honest makers. */
function worldOf(test: Test, r: Random): Genesis {
  const symbols = [...SPOT, ...PERPETUALS];
  const free = Object.fromEntries(symbols.map((symbol) => [symbol, NO_FEES]));
  const thievesPayNothing = r.once(3);
  const thief = (i: number) => ({
    name: `thief${i + 1}`,
    balances: {
      USDT: String(r.pick([100, 1000, 1000, 10_000, 10_000, 200_000, 3_000_000])),
      ...(r.once(3) && { BTC: '2', ETH: '20' }),
    },
    ...(thievesPayNothing && { fees: free }),
    keys: [],
  });
  const honest = (i: number) => ({
    name: `honest${i + 1}`,
    balances: { USDT: '500000000', BTC: '10000', ETH: '200000' },
    ...(r.once(2) && { fees: free }),
    keys: [],
  });
  const intervalMs = r.pick([8 * 3_600_000, 8 * 3_600_000, 3_600_000, 60_000]);
  const funding = { intervalMs, ...(r.once(3) && { impactSize: 1000 }) };
  const odd = r.once(3) ? r.pick(ODD_TERMS) : {};
  const coarse = r.once(6);
  const perpetual = (symbol: string) => ({ symbol, funding, ...odd, ...(coarse && COARSE.grids[symbol]) });
  const others = coarse ? COARSE.spots : r.once(5) ? [SETTLES_IN_COINS] : [];
  const fund = r.pick(test === 1 ? ['0', '20', '50000'] : ['0', '0', '200', '50000']);
  const input = {
    markets: [...PERPETUALS.map(perpetual), ...others],
    ...(coarse && { currencies: COARSE.currencies }),
    accounts: [...Array.from({ length: r.int(3, 5) }, (_, i) => thief(i)), honest(0), honest(1)],
    insuranceFund: fund === '0' ? {} : { USDT: fund },
    selfTrade: r.pick(['cancelIncoming', 'cancelIncoming', 'cancelResting', 'cancelBoth']),
    feeFrom: r.pick(['received', 'received', 'quote']),
  };
  const config = venueConfig(readConfiguration(input), (secret) => secret);
  return {
    v: 1,
    type: 'genesis',
    config,
    seed: r.int(0, 1_000_000),
    clock: 'manual',
    idKey: '0123456789abcdef'.repeat(2),
  };
}
