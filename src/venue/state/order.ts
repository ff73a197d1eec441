/**
 * An order as data. The table of all orders is in order-table.ts.
 *
 * References between orders are keys, never slots. A slot is a place in memory, which the state hash must not see.
 * Invariants: filled ≤ quantity. An ended order has no book entry, no trigger entry, no timer and no reserve.
 */

import type { AlgoName, AttachedTerms, PositionMode, TimeInForce } from '../contract/commands.ts';
import { indexOfKey, KEYS_PER_SEQ, seqOfKey } from '../contract/order-id.ts';
import type { OrderKind, OrderState, OrderView, Trigger } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Product, Reference, Side } from '../contract/units.ts';
import { NONE } from '../contract/units.ts';
import { TIMER_EXPIRY } from '../structures/timer-queue.ts';

/**
 * The fields that every cancel and fill uses come first, together. A busy venue is limited by memory access, and a live
 * order is often read long after it was written.
 */
export class Order implements Omit<OrderView, 'details' | 'nextDueMs'> {
  /** Place in the order table. −1 in a copy. */
  slot: number;
  /** Sequence number of the command that placed it. `index` is its place among the orders of that command. */
  seq = 0;
  index = 0;
  account = 0;
  market = 0;
  side: Side = 0;
  product: Product = 'spot';
  kind: OrderKind = 'limit';
  state: OrderState = 'working';
  /**
   * Handle of its entry in the book. NONE: it shows nothing there. A resting child is represented by its parent's
   * entry.
   */
  entry = NONE;
  /** Handle in the trigger book (`watchReference` says in which of its three books). NONE: it is not there. */
  watch = NONE;
  /** Place in the timer queue. NONE: nothing is due. */
  timer = NONE;
  /** Neighbours in the list of the account's live orders, by age (slots). */
  olderLive = NONE;
  newerLive = NONE;
  /** Filled + unfilled, as last amended. */
  quantity = 0;
  filled = 0;
  /** Limit price in ticks (for a peg, its cap). 0: no limit. */
  price = 0;
  /**
   * Lots of a resting futures order that count towards the account's exposure. During a match the lots of a fill are
   * taken off before the fill is booked.
   */
  exposed = 0;
  reduceOnly = false;
  postOnly = false;
  /** Futures: the position that it works on (market-positions.ts). UNOPENED (−1): it will open one. */
  positionId = 0;
  /** For quote-sized orders: smallest units. Null: sized in lots. */
  quoteOriginal: bigint | null = null;
  trigger: Trigger | null = null;
  /** The name of its kind: the algo that determines its behaviour. */
  algo: AlgoName = 'none';
  /** The state of its algo: a flat object of plain data. Its type is in the algo's file. */
  algoState: object | null = null;
  clientId: string | null = null;
  /** Why it ended. Null: there is nothing to report. */
  ending: Ending | null = null;
  updatedMs = 0;

  createdMs = 0;
  timeInForce: TimeInForce | null = null;
  /** As submitted. It never changes, and is 0 for a quote-sized order. */
  original = 0;
  /** Lots of the most recent fill. */
  lastFill = 0;
  /** Lots filled by the command `filledSeq`. */
  filledNow = 0;
  filledSeq = 0;
  /** Sum of price × size of all fills, ticks × lots. Times `unitsPerTickLot` it is money. */
  filledCost = 0;
  /** Futures: lots of its fills that opened or enlarged a position. */
  openedLots = 0;
  /** How many of those lots its attached take-profit and stop-loss cover. */
  protectedLots = 0;
  quoteFilled = 0n;
  broker: string | null = null;
  /** Futures: the mode in which it was accepted. */
  positionMode: PositionMode = 'ONE_WAY';
  /** An order of the venue itself that closes a position: one step (partial), or all of it (forced). */
  liquidation: 'partial' | 'forced' | null = null;
  /** The price that it waits for, in ticks, and the reference. 0: it waits for no price. */
  watchTicks = 0;
  watchReference: Reference = 'last';
  /** The reference price that it follows. */
  follows: Reference | null = null;
  /** When its timer is due (epoch ms), and the kind of the timer. */
  dueMs = 0;
  timerRank = TIMER_EXPIRY;
  takeProfit: AttachedTerms | null = null;
  stopLoss: AttachedTerms | null = null;
  /** Keys of the attached orders that the fills of this order created. 0: not created yet. */
  takeProfitKey = 0;
  stopLossKey = 0;

  constructor(slot: number) {
    this.slot = slot;
  }

  /** Its key inside the venue (order-id.ts). */
  get key(): number {
    return this.seq * KEYS_PER_SEQ + this.index;
  }

  setKey(key: number): void {
    this.seq = seqOfKey(key);
    this.index = indexOfKey(key);
  }

  get live(): boolean {
    return this.state === 'working' || this.state === 'waiting';
  }

  /** Unfilled lots, also of an ended order. */
  get remaining(): number {
    return this.quantity - this.filled;
  }

  get quoteRemaining(): bigint {
    return this.quoteOriginal === null ? 0n : this.quoteOriginal - this.quoteFilled;
  }

  /**
   * Copies everything but the slot from another order. The algo's state is copied, not shared. Field by field, because
   * this is hot.
   */
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

/** Every field as it is in a fresh order. */
export const BLANK: Order = new Order(NONE);
