/**
 * What an order is, as data. The table of all orders is in order-table.ts.
 *
 * References between orders are keys, never slots: a slot is a place in memory that the state hash must not see.
 * Invariants: filled ≤ quantity; an ended order has no book entry, no trigger entry, no timer and no reserve.
 */

import type { AlgoName, AttachedTerms, PositionMode, TimeInForce } from '../contract/commands.ts';
import { KEYS_PER_SEQ } from '../contract/order-id.ts';
import type { OrderKind, OrderState, OrderView, Trigger } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Product, Reference, Side } from '../contract/units.ts';
import { NONE } from '../contract/units.ts';
import { TIMER_EXPIRY } from '../structures/timer-queue.ts';

/**
 * Fields that every cancel and fill touches stand first, together: a busy venue is bound by memory, and a live order is
 * read far from when it was written.
 */
export class Order implements Omit<OrderView, 'details' | 'nextDueMs'> {
  /** Place in the order table; −1 in a copy. */
  slot: number;
  /** Sequence number of the command that placed it. With `index`, its place among the orders of that command. */
  seq = 0;
  index = 0;
  account = 0;
  market = 0;
  side: Side = 0;
  product: Product = 'spot';
  kind: OrderKind = 'limit';
  state: OrderState = 'working';
  /** Handle of its entry in the market's book; NONE when it shows nothing there. A resting child is its parent's entry. */
  entry = NONE;
  /** Handle in the trigger book (which of its three: watchReference); NONE when not there. */
  watch = NONE;
  /** Timer queue: position; NONE: nothing due. */
  timer = NONE;
  /** Live orders of an account, oldest first (slots). */
  olderLive = NONE;
  newerLive = NONE;
  /** Filled + unfilled, as last amended. */
  quantity = 0;
  filled = 0;
  /** Limit price, ticks (a peg: its cap); 0 where it has none. */
  price = 0;
  /** Lots of a resting futures order that count towards the account's exposure. */
  exposed = 0;
  reduceOnly = false;
  postOnly = false;
  /** Futures: the position that it works on (market-positions.ts); UNOPENED (−1): it will open one. */
  positionId = 0;
  /** Quote-sized orders: smallest units; null: sized in lots. */
  quoteOriginal: bigint | null = null;
  trigger: Trigger | null = null;
  /** The name of its kind: which algo it behaves as. */
  algo: AlgoName = 'none';
  /** The state that its algo keeps: a flat object of plain data, whose type is in the algo's file. */
  algoState: object | null = null;
  clientId: string | null = null;
  /** Why it ended; null: there is nothing to say. */
  ending: Ending | null = null;
  updatedMs = 0;

  createdMs = 0;
  timeInForce: TimeInForce | null = null;
  /** As submitted; never changes. Quote-sized orders have 0 here. */
  original = 0;
  /** The most recent match. */
  lastFill = 0;
  /** Lots filled by the command `filledSeq`. */
  filledNow = 0;
  filledSeq = 0;
  /** Sum of price × size of all fills, ticks × lots. */
  filledCost = 0;
  /** Futures: lots of its fills that opened or grew a position. */
  openedLots = 0;
  /** Of those, the lots that its attached take-profit and stop-loss were made for. */
  protectedLots = 0;
  quoteFilled = 0n;
  broker: string | null = null;
  /** Futures: the mode it was accepted in. */
  positionMode: PositionMode = 'ONE_WAY';
  /** An order of the venue's own that closes a position: one step (partial), or all of it (forced). */
  liquidation: 'partial' | 'forced' | null = null;
  /** The price that it waits for, ticks, and of which reference; 0: it waits for none. */
  watchTicks = 0;
  watchReference: Reference = 'last';
  /** The reference price that it follows. */
  follows: Reference | null = null;
  /** Of its timer: epoch ms, and kind. */
  dueMs = 0;
  timerRank = TIMER_EXPIRY;
  takeProfit: AttachedTerms | null = null;
  stopLoss: AttachedTerms | null = null;
  /** Keys of the attached orders that this order's fills made; 0 when none. */
  takeProfitKey = 0;
  stopLossKey = 0;

  constructor(slot: number) {
    this.slot = slot;
  }

  /** Its key inside the venue (order-id.ts). */
  get key(): number {
    return this.seq * KEYS_PER_SEQ + this.index;
  }

  get live(): boolean {
    return this.state === 'working' || this.state === 'waiting';
  }

  /** Unfilled lots, in ended orders too. */
  get remaining(): number {
    return this.quantity - this.filled;
  }

  get quoteRemaining(): bigint {
    return this.quoteOriginal === null ? 0n : this.quoteOriginal - this.quoteFilled;
  }

  /** Takes over everything but the slot from another order; what an algo keeps is copied, not shared. Field by field: this is hot. */
  assign(from: Order): this {
    this.seq = from.seq;
    this.index = from.index;
    this.account = from.account;
    this.market = from.market;
    this.product = from.product;
    this.side = from.side;
    this.kind = from.kind;
    this.state = from.state;
    this.clientId = from.clientId;
    this.broker = from.broker;
    this.price = from.price;
    this.original = from.original;
    this.quantity = from.quantity;
    this.filled = from.filled;
    this.lastFill = from.lastFill;
    this.filledNow = from.filledNow;
    this.filledSeq = from.filledSeq;
    this.filledCost = from.filledCost;
    this.openedLots = from.openedLots;
    this.protectedLots = from.protectedLots;
    this.quoteOriginal = from.quoteOriginal;
    this.quoteFilled = from.quoteFilled;
    this.timeInForce = from.timeInForce;
    this.postOnly = from.postOnly;
    this.positionId = from.positionId;
    this.positionMode = from.positionMode;
    this.reduceOnly = from.reduceOnly;
    this.createdMs = from.createdMs;
    this.updatedMs = from.updatedMs;
    this.ending = from.ending;
    this.liquidation = from.liquidation;
    this.entry = from.entry;
    this.exposed = from.exposed;
    this.watch = from.watch;
    this.watchTicks = from.watchTicks;
    this.watchReference = from.watchReference;
    this.follows = from.follows;
    this.timer = from.timer;
    this.dueMs = from.dueMs;
    this.timerRank = from.timerRank;
    this.olderLive = from.olderLive;
    this.newerLive = from.newerLive;
    this.trigger = from.trigger === null ? null : { ...from.trigger };
    this.algo = from.algo;
    this.algoState = from.algoState === null ? null : { ...from.algoState };
    this.takeProfit = from.takeProfit;
    this.stopLoss = from.stopLoss;
    this.takeProfitKey = from.takeProfitKey;
    this.stopLossKey = from.stopLossKey;
    return this;
  }
}

/** What every field of a fresh order is. */
export const BLANK: Order = new Order(NONE);
