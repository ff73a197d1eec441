/** The model without a venue beside it: one spot and one perpetual market without fees, three rich accounts. */
import assert from 'node:assert/strict';
import type { Genesis, Place, VenueConfig } from '../../src/venue/contract/commands.ts';
import type { MarketSpec } from '../../src/venue/contract/market-spec.ts';
import type { Step } from './compare.ts';
import { Model, type ModelReply } from './model.ts';
import { positionById, positionsIn } from './model-positions.ts';
import { FINE, type ModelOrder, type ModelPosition, unfilled } from './model-state.ts';
import { START_MS } from './scenario.ts';

export const [ANN, BOB, CYD] = [0, 1, 2];
export const [SPOT, PERP] = [0, 1];
export const [BUY, SELL] = [0, 1] as const;

const COMMON = {
  base: 'AA',
  quote: 'QQ',
  tick: '1',
  maxPrice: '1000',
  step: '1',
  minSize: '1',
  maxSize: '1000',
  fees: { maker: '0', taker: '0' },
  band: '0.5',
  marketBand: '0.3',
  triggerLimitDistance: null,
  maxOpenOrders: 50,
  liquidationFee: '0',
  staleAfterMs: 60_000,
  twapIntervalMs: 30_000,
  duplicateClientIds: 'refuse',
  funding: null,
} as const;

const MARKETS: readonly MarketSpec[] = [
  { ...COMMON, symbol: 'AA-QQ', kind: 'spot', contractSize: null, riskTiers: [] },
  {
    ...COMMON,
    symbol: 'AA-PERP',
    kind: 'perpetual',
    contractSize: '1',
    riskTiers: [{ maxNotional: '1000000', initial: '0.1', maintenance: '0.05' }],
  },
];

function genesis(config: Partial<VenueConfig>): Genesis {
  return {
    v: 1,
    type: 'genesis',
    seed: 1,
    clock: 'manual',
    idKey: '00112233445566778899aabbccddeeff',
    config: {
      currencies: { QQ: { decimals: 0 }, AA: { decimals: 0 } },
      markets: MARKETS,
      accounts: ['ann', 'bob', 'cyd'].map((name) => ({
        name,
        balances: { QQ: '1000000', AA: '10000' },
        fees: {},
        keys: [],
      })),
      insuranceFund: {},
      selfTrade: 'cancelIncoming',
      feeFrom: 'received',
      ...config,
    },
  };
}

type Terms = Record<string, unknown>;
type Side = 0 | 1;

export class Alone {
  readonly model: Model;
  #seq = 1;

  /** Both markets stand at 100. */
  constructor(config: Partial<VenueConfig> = {}) {
    this.model = new Model(genesis(config), 1, START_MS);
    this.prices(SPOT, { index: 100, last: 100 });
    this.prices(PERP, { index: 100, mark: 100, last: 100 });
  }

  apply(command: Step): ModelReply {
    return this.model.apply(++this.#seq, START_MS, command);
  }

  accepted(command: Step): ModelReply {
    const reply = this.apply(command);
    assert.equal(reply.refusal, null);
    return reply;
  }

  /** The order as it is in the model, now and later: all that the placement made. */
  place(kind: Place['kind'], account: number, market: number, side: Side, terms: Terms): ModelOrder[] {
    const reply = this.accepted(placement(kind, account, market, side, terms));
    return reply.orders.map(({ key }) => this.order(key));
  }

  limit(account: number, market: number, side: Side, price: number, size: number, terms: Terms = {}): ModelOrder {
    return this.place('limit', account, market, side, { ...GTC, price, size, ...terms })[0];
  }

  market(account: number, market: number, side: Side, size: number, terms: Terms = {}): ModelOrder {
    return this.place('market', account, market, side, { size, quote: null, ...terms })[0];
  }

  /** A stop at `trigger`: a limit order at `price`, or a market order. */
  stop(account: number, market: number, side: Side, trigger: number, size: number, terms: Terms = {}): ModelOrder {
    const stop = { ...GTC, rule: 'stop', reference: 'last', price: null, size, quote: null, trigger, ...terms };
    return this.place('conditional', account, market, side, stop)[0];
  }

  trailing(account: number, market: number, side: Side, ticks: number, size: number, terms: Terms = {}): ModelOrder {
    const trail = { distance: ticks * FINE, percent: null, reference: 'last', size, quote: null };
    return this.place('trailing', account, market, side, { ...trail, ...UNACTIVATED, ...terms })[0];
  }

  /** The limit leg and the stop leg of a SELL with take-profit at 110 and a stop at 90, which sells at 80 or more. */
  oco(account: number, market: number, size: number, terms: Terms = {}): ModelOrder[] {
    const legs = { price: 110, stopTrigger: 90, stopPrice: 80, stopReference: 'last' };
    return this.place('oco', account, market, SELL, { ...GTC, ...legs, size, ...terms });
  }

  /** `deviation` in per cent. */
  peg(account: number, market: number, side: Side, deviation: number, size: number, terms: Terms = {}): ModelOrder {
    const price = side === BUY ? 900 : 2;
    const peg = { price, size, stealth: 100 * PERCENT, deviation: deviation * PERCENT, ...terms };
    return this.place('peg', account, market, side, peg)[0];
  }

  /** Two children, half a minute apart. */
  twap(account: number, side: Side, size: number, terms: Terms = {}): ModelOrder {
    const limits = { maxChildSize: null, maxSpread: null, maxThroughBook: null, pausePrice: null };
    const plan = { size, periodMs: 60_000, makerFirst: false, randomizeSize: false };
    return this.place('twap', account, SPOT, side, { ...plan, ...limits, ...UNACTIVATED, ...terms })[0];
  }

  /** In ticks. */
  prices(market: number, { index, mark, last }: { index?: number; mark?: number; last?: number }): void {
    this.accepted({
      v: 1,
      type: 'setPrices',
      market,
      byHand: true,
      ...(index !== undefined && { index: index * FINE }),
      ...(mark !== undefined && { mark: mark * FINE }),
      ...(last !== undefined && { last }),
    });
  }

  /** To so many milliseconds after the start. */
  advance(ms: number): void {
    this.accepted({ v: 1, type: 'advance', toMs: START_MS + ms });
  }

  cancel(o: ModelOrder): ModelReply {
    const { account, product, key } = o;
    return this.accepted({ v: 1, type: 'cancel', account, product, market: null, order: key, clientId: null });
  }

  /** A trade of two others at this price, in a book that has nothing better. */
  trade(market: number, price: number, size = 1): void {
    this.limit(CYD, market, SELL, price, size);
    this.limit(BOB, market, BUY, price, size);
  }

  order(key: number): ModelOrder {
    const { live, ended } = this.model.w.s;
    return [...live, ...ended].find((o) => o.key === key) as ModelOrder;
  }

  position(account: number, id = 0): ModelPosition {
    const { accounts, markets } = this.model.w.s;
    return positionById(positionsIn(accounts.get(account)!, markets[PERP]), id) as ModelPosition;
  }
}

const PERCENT = 100_000_000;
const GTC = { timeInForce: 'GTC', postOnly: false } as const;
const UNACTIVATED = { activation: null, activationReference: null } as const;

export function placement(kind: Place['kind'], account: number, market: number, side: Side, terms: Terms): Step {
  const base = { v: 1, type: 'place', kind, account, market, side, clientId: null, request: null, broker: null };
  return { ...base, reduceOnly: false, ...terms } as unknown as Step;
}

/** How an order stands: its state, what it has filled, what is left, and why it ended. */
export const stands = (o: ModelOrder): unknown[] =>
  o.ending === null ? [o.state, o.filled, unfilled(o)] : [o.state, o.filled, unfilled(o), o.ending.reason];
