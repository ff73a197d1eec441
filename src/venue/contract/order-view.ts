/** The read-only view of an order, for everything outside the venue. */
import type { AlgoName, Bracket, PositionMode, TimeInForce } from './commands.ts';
import type { Ending } from './reasons.ts';
import type { Product, Reference, Side } from './units.ts';

/** The venue knows an ended order for this long, but never more of them than this. */
export const RETENTION_MS = 30 * 60_000;
export const RETENTION_ORDERS = 100_000;

export type OrderKind = 'limit' | 'market' | 'conditional' | 'trailing' | 'peg' | 'twap';

/**
 * waiting: a trigger that has not fired · working: in the book, or an algo that runs · filled · partlyFilled: ended with
 * less than a lot's cost left (a quote-sized market buy) · cancelled · rejected.
 */
export type OrderState = 'waiting' | 'working' | 'filled' | 'partlyFilled' | 'cancelled' | 'rejected';

/** What a trigger order waits for, and what it then enters as. */
export interface Trigger {
  readonly rule: 'stop' | 'profit' | 'reach';
  readonly reference: Reference;
  /** Ticks; 0 while a trailing stop is not armed. */
  price: number;
  /** As submitted (a trailing stop: its first stop), ticks. */
  original: number;
  /** True: fires at or above the price; false: at or below; null: the first reference price decides. */
  up: boolean | null;
  fired: boolean;
  /** The step (VenueState.step) in which it last fired. An order fires at most once a step. */
  firedStep: number;
  /** Ticks of the limit order that it releases; null: a market order. */
  limit: number | null;
  /** True: it reduces a position that was open when it was placed, and ends with that position. */
  withPosition?: boolean;
}

/** Prices in ticks, sizes in lots, money in smallest units. */
export interface OrderView {
  /** Its key inside the venue; clients see the id made from it (order-id.ts). */
  readonly key: number;
  /** Sequence number of the command that placed it. */
  readonly seq: number;
  readonly account: number;
  readonly market: number;
  readonly product: Product;
  readonly side: Side;
  readonly kind: OrderKind;
  readonly algo: AlgoName;
  readonly state: OrderState;
  readonly clientId: string | null;
  readonly broker: string | null;
  /** Limit price; 0: none. */
  readonly price: number;
  /** Lots as submitted; 0 for a quote-sized order. */
  readonly original: number;
  /** Lots, filled and unfilled, as last amended. */
  readonly quantity: number;
  readonly filled: number;
  readonly remaining: number;
  /** Quote-sized orders; null: sized in lots. */
  readonly quoteOriginal: bigint | null;
  readonly timeInForce: TimeInForce | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly positionId: number;
  readonly positionMode: PositionMode;
  readonly liquidation: 'partial' | 'forced' | null;
  readonly trigger: Readonly<Trigger> | null;
  readonly takeProfit: Bracket | null;
  readonly stopLoss: Bracket | null;
  readonly ending: Ending | null;
  /** Epoch milliseconds. */
  readonly createdMs: number;
  readonly updatedMs: number;
}
