/**
 * What the model knows: plain objects, arrays and Maps, nothing kept that can be worked out. There is no book, no
 * reserve column, no trigger index and no timer queue: an order that rests says so itself, and every look-up is a walk
 * over all live orders. Slow on purpose, so that it can be read as an executable form of the rules.
 *
 * Prices are ticks, sizes lots, money smallest units, reference prices thousandths of a tick, as in the commands.
 */

import type {
  AttachedTerms,
  Freeze,
  Genesis,
  PositionMode,
  Product,
  Reference,
  Side,
  TimeInForce,
} from '../../src/venue/contract/commands.ts';
import type { OrderChanged } from '../../src/venue/contract/events.ts';
import type { MarketSpec } from '../../src/venue/contract/market-spec.ts';
import type { OrderKind, OrderState } from '../../src/venue/contract/order-view.ts';
import type { EndReason, Params } from '../../src/venue/contract/reasons.ts';

export const BUY: Side = 0;
export const SELL: Side = 1;
export const FINE = 1000;
export const PARTS = 100_000_000n;
/** Percentages are given in the same parts: 100 % is a hundred times PARTS. */
export const PERCENT_PARTS = 100n * PARTS;
const KEYS_PER_SEQ = 65_536;
/** The number of the house, and the key that its side of a trade has. */
export const HOUSE = -2;
export const HOUSE_KEY = 0;

export interface Resting {
  price: number;
  /** What the book shows of it: a peg with stealth hides the rest. */
  shown: number;
  /** Place in the queue of all arrivals: the smaller, the earlier. */
  place: number;
}

export interface ModelTrigger {
  rule: 'stop' | 'profit' | 'reach';
  reference: Reference;
  price: number;
  original: number;
  /** Fires at or above (true), at or below (false); null until the first reference price tells. */
  up: boolean | null;
  fired: boolean;
  /** The step in which it fired last: an order fires at most once a step. */
  firedStep: number;
  limit: number | null;
}

export interface ModelTrailing {
  distance: number | null;
  percent: number | null;
  activation: number | null;
  activationReference: Reference | null;
  /** Side that the activation price is reached from; null until the first reference price tells. */
  activationUp: boolean | null;
  activated: boolean;
  armed: boolean;
  extreme: number;
}

export interface ModelPeg {
  stealth: number;
  deviation: number;
  effective: number;
  slice: number;
}

export interface ModelTwap {
  periodMs: number;
  makerFirst: boolean;
  randomizeSize: boolean;
  maxChildSize: number | null;
  maxSpread: number | null;
  maxThroughBook: number | null;
  pausePrice: number | null;
  activation: number | null;
  activationReference: Reference | null;
  activationUp: boolean | null;
  children: number;
  childrenDone: number;
  startedAtMs: number;
  nextChildAtMs: number;
  pausedBy: 'halt' | 'spread' | 'price' | 'funds' | 'activation' | 'book' | 'ownOrder' | null;
}

export interface ModelOrder {
  key: number;
  seq: number;
  index: number;
  account: number;
  market: number;
  product: Product;
  side: Side;
  kind: OrderKind;
  state: OrderState;
  clientId: string | null;
  price: number;
  original: number;
  quantity: number;
  filled: number;
  lastFill: number;
  /** Filled by the command in hand, where filledSeq is that command. */
  filledNow: number;
  filledSeq: number;
  filledCost: number;
  openedLots: number;
  /** Of those, the lots that attached orders were made for. */
  protectedLots: number;
  quoteOriginal: bigint | null;
  quoteFilled: bigint;
  timeInForce: TimeInForce | null;
  postOnly: boolean;
  reduceOnly: boolean;
  createdMs: number;
  updatedMs: number;
  ending: { reason: EndReason; params: Params } | null;
  resting: Resting | null;
  expiresAtMs: number | null;
  trigger: ModelTrigger | null;
  trailing: ModelTrailing | null;
  peg: ModelPeg | null;
  twap: ModelTwap | null;
  oco: { role: 'limit' | 'stop'; siblingKey: number } | null;
  attached: { role: 'takeProfit' | 'stopLoss'; parentKey: number } | null;
  /** Attached: of its fills, the lots that the other one of the pair has been reduced by. */
  shared: number;
  takeProfit: AttachedTerms | null;
  stopLoss: AttachedTerms | null;
  takeProfitKey: number;
  stopLossKey: number;
  /** Futures: the position that it works on, and the mode in which it was accepted. */
  positionId: number;
  positionMode: PositionMode;
  /** A reduce-only trigger that was placed with a position for it: it goes with that position. */
  bound: boolean;
  orderDetailType: 'TWAP' | 'PARTIAL_LIQUIDATION' | 'FORCED_MARKET_BUY' | 'FORCED_MARKET_SELL' | null;
}

export interface ModelPosition {
  /** 0 one-way, 1 long, 2 short; isolated ones count from 1. */
  id: number;
  /** Signed contracts. */
  size: number;
  /** Signed like size: what the contracts were opened at, smallest units. */
  cost: bigint;
  leverage: number;
  /** Isolated: its collateral. */
  collateral: bigint;
  /** Lots of a step of its liquidation; 0 where none is under way. */
  liquidationStepLots: number;
}

/** The position mode and the positions of an account in a perpetual market. */
export interface ModelMarketPositions {
  mode: PositionMode;
  /** By number: net, long, short. */
  cross: ModelPosition[];
  /** Oldest first. */
  isolated: ModelPosition[];
  isolatedLeverage: number;
  nextIsolated: number;
  /** Chosen: the least tier that margin is counted at, from 0. */
  leastTier: number;
}

export interface ModelAccount {
  number: number;
  name: string;
  totals: bigint[];
  fees: Record<string, { maker: bigint; taker: bigint }>;
  positionsByMarket: Map<number, ModelMarketPositions>;
  frozen: Freeze | null;
}

export interface ModelMarket {
  index: number;
  spec: MarketSpec;
  product: Product;
  base: number;
  quote: number;
  maxTicks: number;
  minLots: number;
  maxLots: number;
  /** Smallest quote units of one tick of one lot. */
  tickLot: bigint;
  /** Smallest base units of one lot (spot). */
  lotUnits: bigint;
  maker: bigint;
  taker: bigint;
  band: bigint;
  marketBand: bigint;
  distance: bigint | null;
  tiers: { max: bigint; initial: bigint; maintenance: bigint }[];
  last: number;
  mark: number;
  indexPrice: number;
  markPinned: boolean;
  /** A feed's jump that waits for a second value; 0: none. */
  pendingIndex: number;
  /** The feed has stopped, or when it will count as stopped (0: not a feed's). */
  stale: boolean;
  staleAtMs: number;
  halted: boolean;
  delisted: boolean;
  /** The funding that runs, and what replaces it when its interval ends. */
  funding: MarketSpec['funding'];
  nextFunding: { terms: MarketSpec['funding'] } | null;
  nextTradeId: number;
  liquidationFee: bigint;
  fundingCap: bigint;
  /** 0: no index yet, nothing to sample. */
  nextMinuteMs: number;
  /** Impact mid − index at the last whole minutes, fine; premiums since the interval began. */
  basis: number[];
  premiums: bigint[];
  /** Of the last interval that was settled, parts: the mark runs down with it. */
  settledRate: number;
  /** Parts: how far the mark may be from the index, how far beyond the mark a bankrupt position is closed. */
  maxBasis: bigint;
  liquidationBand: bigint;
  /** Parts: a feed's value that is further than this from the one before waits for a second value. */
  indexJump: bigint;
  /** The mark at which its holders were last looked at for bankrupts: the solvent had at least nothing there. */
  checkedMark: number;
  /** It has traded since its mark was last worked out. */
  printed: boolean;
  /** Accounts whose liquidation found no book. */
  distressed: number[];
  playback: ModelPlayback | null;
}

/** What a market knows of the recording that it plays. Levels are prices with a sign: positive for bids, negative for asks. */
export interface ModelPlayback {
  queue: 'back' | 'proportional';
  healAfterMs: number | null;
  position: number;
  /** Parts; null: the venue's own counts. */
  fundingRate: number | null;
  trades: number;
  tradesFit: number;
  recorded: Map<number, number>;
  /** What users took of a level, oldest first. */
  taken: Map<number, { lots: number; atMs: number }>;
  /** Levels that trades have changed since the last message. */
  touched: Set<number>;
  /** What the last message has taken from before users. */
  ahead: Map<number, number>;
}

/** An observation that waits in the queue (semantics.md section 3); before 0: the first price of all. */
export interface Observation {
  market: number;
  reference: Reference;
  fine: number;
  before: number;
}

export interface ModelState {
  genesis: Genesis;
  now: number;
  currencies: { code: string; decimals: number }[];
  markets: ModelMarket[];
  accounts: Map<number, ModelAccount>;
  /** Oldest first. */
  live: ModelOrder[];
  /** What rests of recorded markets. */
  house: ModelOrder[];
  /** What they have won, by currency, and their positions, by market. */
  houseTotals: bigint[];
  housePositions: Map<number, { size: number; cost: bigint }>;
  /** In the order in which they ended; those that the venue still remembers. */
  ended: ModelOrder[];
  keys: { key: string; account: number }[];
  requests: { account: number; clientId: string; request: string; key: number; atMs: number }[];
  switches: { account: number; product: Product; atMs: number }[];
  /** Liquidations that go on at the same time, after their ten rounds. */
  liquidations: { market: number; account: number; atMs: number }[];
  arrivals: number;
  fees: bigint[];
  insurance: bigint[];
  deposits: bigint[];
  withdrawals: bigint[];
}

export type ModelEvent =
  | { type: 'accepted'; key: number }
  | { type: 'said'; text: string }
  | { type: 'triggered'; key: number }
  | { type: 'money'; account: number; amount: bigint; reason: 'realised' | 'funding' | 'insurance' }
  | { type: 'funding'; market: number; rate: number }
  | { type: 'deleveraged'; market: number; account: number; lots: number; value: bigint; key: number }
  | { type: 'ended'; key: number; state: OrderState; filled: number; reason: EndReason | null }
  | {
      type: 'traded';
      tradeId: number;
      market: number;
      price: number;
      size: number;
      takerSide: Side;
      maker: number;
      taker: number;
      makerFee: bigint;
      takerFee: bigint;
    };

/** One venue in the model: its state, and what the command in hand has done so far. */
export interface World {
  s: ModelState;
  seq: number;
  /** Counts steps: a command is one, and each timer on the way. */
  step: number;
  nextIndex: number;
  nextAccount: number;
  saved: Map<string, ModelState>;
  queue: Observation[];
  /** Triggers that the step accepted (keys): their condition may hold already. */
  entered: number[];
  /** Orders that the sweep in hand filled, in order: what that means for others comes after it. */
  touched: ModelOrder[];
  /** Accounts (numbers) that auto-deleveraging has taken something from, and that are still to be judged for it. */
  deleveraged: number[];
  events: (ModelEvent & { atMs: number })[];
}

export function floorDiv(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? q - 1n : q;
}

export function ceilDiv(a: bigint, b: bigint): bigint {
  return -floorDiv(-a, b);
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const magnitude = (a: bigint): bigint => (a < 0n ? -a : a);
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** A fresh order of the command in hand: `terms` over the blanks. */
export function newOrder(
  w: World,
  terms: Pick<ModelOrder, 'account' | 'market' | 'side' | 'kind'> & Partial<ModelOrder>,
): ModelOrder {
  const index = w.nextIndex++;
  return {
    key: w.seq * KEYS_PER_SEQ + index,
    seq: w.seq,
    index,
    product: w.s.markets[terms.market].product,
    state: 'working',
    clientId: null,
    price: 0,
    original: terms.quantity ?? 0,
    quantity: 0,
    filled: 0,
    lastFill: 0,
    filledNow: 0,
    filledSeq: 0,
    filledCost: 0,
    openedLots: 0,
    protectedLots: 0,
    quoteOriginal: null,
    quoteFilled: 0n,
    timeInForce: null,
    postOnly: false,
    reduceOnly: false,
    createdMs: w.s.now,
    updatedMs: w.s.now,
    ending: null,
    resting: null,
    expiresAtMs: null,
    trigger: null,
    trailing: null,
    peg: null,
    twap: null,
    oco: null,
    attached: null,
    shared: 0,
    takeProfit: null,
    stopLoss: null,
    takeProfitKey: 0,
    stopLossKey: 0,
    positionId: 0,
    positionMode: 'ONE_WAY',
    bound: false,
    orderDetailType: null,
    ...terms,
  };
}

/** An event, at the model's time. */
export function emit(w: World, event: ModelEvent): void {
  w.events.push({ ...event, atMs: w.s.now });
}

/** A change of a live order, with where the order stands after it. */
export function changed(w: World, o: ModelOrder, change: OrderChanged['change']): void {
  say(w, `${change} ${o.seq}/${o.index} ${o.state} at ${o.price}: ${o.filled} filled, ${unfilled(o)} left`);
}

/** An event that is its own text. */
export function say(w: World, text: string): void {
  emit(w, { type: 'said', text });
}

export function liveByKey(s: ModelState, key: number): ModelOrder | undefined {
  return s.live.find((o) => o.key === key);
}

export const isLive = (o: ModelOrder): boolean => o.state === 'working' || o.state === 'waiting';
export const unfilled = (o: ModelOrder): number => o.quantity - o.filled;
export const opposite = (side: Side): Side => (side === BUY ? SELL : BUY);
export const notional = (market: ModelMarket, ticks: number, lots: number): bigint =>
  BigInt(ticks) * BigInt(lots) * market.tickLot;

/** What positions and orders are valued at: a halted market sees no prices, so there the mark of the halt's beginning. */
export function countedMark(market: ModelMarket): number {
  return market.halted && market.checkedMark !== 0 ? market.checkedMark : market.mark;
}

/** All marks that everybody knows: what is counted, a pending index, and in a halt the mark that has moved on. */
export function knownMarks(market: ModelMarket): number[] {
  return [countedMark(market), market.pendingIndex, market.mark].filter((mark) => mark !== 0);
}

/** The market as it would be with another mark counted. */
export const atMark = (market: ModelMarket, mark: number): ModelMarket => ({ ...market, mark, halted: false });

export function referencePrice(market: ModelMarket, of: Reference): number {
  return of === 'last' ? market.last : of === 'mark' ? market.mark : market.indexPrice;
}
