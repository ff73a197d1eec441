/**
 * What an order is, and the table that holds them: live orders, and ended ones for a stated retention.
 *
 * Orders live in pooled slots (an order that leaves the retention gives its object to the next one), so that a busy
 * venue allocates none and its heap does not grow with history. The book and the trigger book refer to an order by its
 * slot; the outside by its key (order-id.ts), resolved by one typed hash; a client id by one Map an account and product.
 *
 * Invariants: filled ≤ current; an ended order has no book entry, no trigger entry, no timer and no reserve.
 */
import type { Bracket, Product, Reference, Side, TimeInForce } from './commands.ts';
import { KeyIndex } from './key-index.ts';
import type { Ending } from './reasons.ts';

export const RETENTION_MS = 30 * 60_000;
export const RETENTION_ORDERS = 100_000;
const NONE = -1;

export type OrderKind = 'limit' | 'market' | 'conditional' | 'trailing' | 'peg' | 'twap';

/**
 * waiting: a trigger that has not fired · working: in the book, or an algo that runs · filled · partlyFilled: ended with
 * less than a lot's cost left (a quote-sized market buy) · cancelled · rejected.
 */
export type OrderState = 'waiting' | 'working' | 'filled' | 'partlyFilled' | 'cancelled' | 'rejected';

/** The waiting half of a conditional, an OCO stop leg or an attached take-profit / stop-loss. */
export interface Trigger {
  readonly rule: 'stop' | 'profit' | 'reach';
  readonly reference: Reference;
  /** Ticks; 0 while a trailing stop is not armed. */
  price: number;
  /** As submitted (a trailing stop: its first stop), ticks. */
  original: number;
  /** True: fires at or above the price; false: at or below. */
  up: boolean;
  fired: boolean;
  /** Ticks of the limit order that it releases; null: a market order. */
  readonly limit: number | null;
  /** Entry in the trigger book; −1 when not there. */
  handle: number;
}

export interface Trailing {
  readonly distance: number | null; // fine price
  readonly percent: number | null; // parts
  readonly activation: number | null; // ticks
  readonly activationReference: Reference | null;
  activationUp: boolean;
  armed: boolean;
  extreme: number; // fine price; 0 while unarmed
}

export interface Peg {
  readonly stealth: number; // parts
  readonly deviation: number; // parts
  /** Ticks; 0 while there is no index. */
  effective: number;
  /** Lots a slice shows. */
  readonly slice: number;
}

export interface Twap {
  readonly periodMs: number;
  readonly makerFirst: boolean;
  readonly randomizeSize: boolean;
  readonly maxChildSize: number | null;
  readonly maxSpread: number | null;
  readonly maxThroughBook: number | null;
  readonly pausePrice: number | null;
  readonly activation: number | null;
  readonly activationReference: Reference | null;
  readonly activationUp: boolean;
  children: number;
  childrenDone: number;
  /** Epoch ms; 0 before activation. */
  startedAtMs: number;
  /** Epoch ms; 0 when none is due. */
  nextChildAtMs: number;
  pausedBy: 'spread' | 'price' | 'funds' | 'activation' | null;
}

export interface OcoGroup {
  readonly role: 'limit' | 'stop';
  sibling: number; // slot, NONE once the sibling is gone
  siblingKey: number;
}

/** A waiting take-profit or stop-loss that belongs to a position opened by another order. */
export interface BracketOf {
  readonly role: 'takeProfit' | 'stopLoss';
  readonly parentKey: number;
  sibling: number;
}

export class Order {
  readonly slot: number;
  key = 0;
  /** The command that placed it: `requestId` on the wire. */
  seq = 0;
  account = 0;
  market = 0;
  product: Product = 'spot';
  side: Side = 0;
  kind: OrderKind = 'limit';
  state: OrderState = 'working';
  clientId: string | null = null;
  broker: string | null = null;
  /** Limit price, ticks (a peg: its cap); 0 on market, trailing and TWAP orders. */
  price = 0;
  /** As submitted; never changes. Quote-sized orders have 0 here. */
  original = 0;
  /** Filled + unfilled, as last amended. */
  current = 0;
  filled = 0;
  /** The most recent match. */
  lastFill = 0;
  /** Filled by the command in hand. */
  filledNow = 0;
  /** Sum of price × size of all fills, ticks × lots. */
  filledCost = 0;
  /** Quote-sized orders: smallest units; null: sized in lots. */
  quoteOriginal: bigint | null = null;
  quoteFilled = 0n;
  timeInForce: TimeInForce | null = null;
  postOnly = false;
  reduceOnly = false;
  /** Spot: what this order holds back, in smallest units of the currency that it pays with. */
  reserved = 0n;
  createdMs = 0;
  updatedMs = 0;
  /** Why it ended, or what a record says in `message`; null: nothing to say. */
  ending: Ending | null = null;
  orderDetailType: 'TWAP' | 'PARTIAL_LIQUIDATION' | 'FORCED_MARKET_BUY' | 'FORCED_MARKET_SELL' | null = null;

  /** Entry in the market's book; NONE when it shows nothing there. A TWAP's resting child is its parent's entry. */
  entry = NONE;
  /** Price of the entry, ticks (a peg: effective; a TWAP child: its own). */
  entryPrice = 0;
  /** Position in the timer queue; NONE when nothing is due. */
  timer = NONE;
  dueMs = 0;

  trigger: Trigger | null = null;
  trailing: Trailing | null = null;
  peg: Peg | null = null;
  twap: Twap | null = null;
  oco: OcoGroup | null = null;
  bracketOf: BracketOf | null = null;
  takeProfit: Bracket | null = null;
  stopLoss: Bracket | null = null;
  /** The attached orders that this order's fills made, by slot; NONE when none. */
  takeProfitOrder = NONE;
  stopLossOrder = NONE;

  constructor(slot: number) {
    this.slot = slot;
  }

  get live(): boolean {
    return this.state === 'working' || this.state === 'waiting';
  }

  /** Unfilled lots, in ended orders too. */
  get remaining(): number {
    return this.current - this.filled;
  }

  get quoteRemaining(): bigint {
    return this.quoteOriginal === null ? 0n : this.quoteOriginal - this.quoteFilled;
  }

  /** A copy that later changes do not reach: what replies and records are made from. */
  copy(): Order {
    const copy = Object.assign(new Order(this.slot), this);
    if (this.trigger !== null) copy.trigger = { ...this.trigger };
    if (this.trailing !== null) copy.trailing = { ...this.trailing };
    if (this.peg !== null) copy.peg = { ...this.peg };
    if (this.twap !== null) copy.twap = { ...this.twap };
    return copy;
  }
}
