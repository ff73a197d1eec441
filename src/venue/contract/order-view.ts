/** The read-only view of an order for code outside the venue. */
import type { AlgoName, AttachedTerms, PositionMode, TimeInForce } from './commands.ts';
import type { Ending } from './reasons.ts';
import type { Product, Reference, Side } from './units.ts';

/** The venue remembers an ended order for this long, and at most this many ended orders. */
export const RETENTION_MS = 30 * 60_000;
export const RETENTION_ORDERS = 100_000;

export type OrderKind = 'limit' | 'market' | 'conditional' | 'trailing' | 'peg' | 'twap';

/**
 * - waiting: a trigger that has not fired
 * - working: in the book, or an algo that runs
 * - filled
 * - partlyFilled: a quote-sized market BUY that ended with less left than one lot costs
 * - cancelled
 * - rejected
 */
export type OrderState = 'waiting' | 'working' | 'filled' | 'partlyFilled' | 'cancelled' | 'rejected';

/** What a trigger order waits for, and what it becomes then. */
export interface Trigger {
  readonly rule: 'stop' | 'profit' | 'reach';
  readonly reference: Reference;
  /** Ticks. 0 while a trailing stop is not armed. */
  price: number;
  /** As submitted (for a trailing stop, its first stop), in ticks. */
  original: number;
  /** True: fires at or above the price. False: at or below. Null: the first reference price decides. */
  up: boolean | null;
  fired: boolean;
  /** The step (VenueState.step) in which it last fired. An order fires at most once in a step. */
  firedStep: number;
  /** Ticks of the limit order that it releases. Null: a market order. */
  limit: number | null;
  /** True: it reduces a position that was open when it was placed, and ends with that position. */
  withPosition?: boolean;
}

/**
 * A value of one kind of order, with its unit, so that API, archive and command line can print it without knowing the
 * kind. Text, flags, counts and times (epoch ms, or a duration in ms) are plain. Null: not given, or not known yet.
 */
export type AlgoValue = string | number | boolean | null | AlgoFigure;
export type AlgoFigure =
  | { readonly ticks: number | null }
  /** A price in thousandths of a tick. */
  | { readonly fine: number | null }
  | { readonly lots: number | null }
  /** A percentage or a fraction. 1 %, given as a percentage, is 100,000,000. */
  | { readonly parts: number | null }
  /** The key of another order. */
  | { readonly order: number | null };

/**
 * What a kind of order says about one of its orders, beyond what all orders have (`OrderBehaviour.describe`). BTSE's
 * surfaces have fields for the names that are typed here. A kind that uses such a name appears in these fields.
 */
export interface AlgoView {
  /** The archive's name for the terms: usually the name of the kind. */
  readonly name: string;
  /** As placed. */
  readonly terms: {
    /** Trailing: how far the stop follows, as a distance or as a percentage. */
    readonly distance?: { readonly fine: number | null };
    readonly percent?: { readonly parts: number | null };
    /** Pegged: the distance from the index, and how much is shown at a time. Both are percentages. */
    readonly deviation?: { readonly parts: number };
    readonly stealth?: { readonly parts: number };
    /** The price that it waits for before it begins. */
    readonly activation?: { readonly ticks: number | null };
    readonly activationReference?: Reference | null;
    /** For an order in a group: its part in the group. */
    readonly role?: 'limit' | 'stop' | 'takeProfit' | 'stopLoss';
    readonly [name: string]: AlgoValue | undefined;
  };
  /** Its present state. A surface shows the names that its schema of this kind contains. */
  readonly progress: {
    /** Pegged: its present price. */
    readonly price?: { readonly ticks: number | null };
    readonly [name: string]: AlgoValue | undefined;
  };
}

/**
 * A copy of values: changing a view does not change the venue. Prices in ticks, sizes in lots, money in smallest units.
 */
export interface OrderView {
  /** Its key inside the venue. Clients see the id that is made from it (order-id.ts). */
  readonly key: number;
  /** Sequence number of the command that placed it. */
  readonly seq: number;
  readonly account: number;
  readonly market: number;
  readonly product: Product;
  readonly side: Side;
  readonly kind: OrderKind;
  readonly algo: AlgoName;
  /** Null: its kind has nothing to add. */
  readonly details: AlgoView | null;
  readonly state: OrderState;
  /** It has not ended. */
  readonly live: boolean;
  readonly clientId: string | null;
  readonly broker: string | null;
  /** Limit price. 0: no limit. */
  readonly price: number;
  /** Lots as submitted. 0 for a quote-sized order. */
  readonly original: number;
  /** Lots, filled and unfilled, as last amended. */
  readonly quantity: number;
  readonly filled: number;
  /** Unfilled lots, also of an ended order. */
  readonly remaining: number;
  /** Lots of the most recent fill. */
  readonly lastFill: number;
  /** Lots filled by the last command. */
  readonly filledNow: number;
  /** Sum of price × size of all fills, ticks × lots. */
  readonly filledCost: number;
  /** Futures: lots of its fills that opened or enlarged a position. */
  readonly openedLots: number;
  /** For quote-sized orders. Null: sized in lots. */
  readonly quoteOriginal: bigint | null;
  readonly quoteFilled: bigint;
  readonly quoteRemaining: bigint;
  readonly timeInForce: TimeInForce | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly positionId: number;
  readonly positionMode: PositionMode;
  readonly liquidation: 'partial' | 'forced' | null;
  readonly trigger: Readonly<Trigger> | null;
  readonly takeProfit: AttachedTerms | null;
  readonly stopLoss: AttachedTerms | null;
  /** Keys of the attached orders that its fills created. 0: not created yet. */
  readonly takeProfitKey: number;
  readonly stopLossKey: number;
  readonly ending: Ending | null;
  /** When it expires or its next step is due, epoch ms. Null: nothing is due. */
  readonly nextDueMs: number | null;
  /** Epoch milliseconds. */
  readonly createdMs: number;
  readonly updatedMs: number;
}
