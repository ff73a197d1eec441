/**
 * Every command, one typed union. A command is plain JSON, and the log holds exactly this text, with its sequence number and
 * time beside it. Prices are in ticks, sizes in lots (contracts on futures); both are safe integers. Money is decimal text of
 * the currency's smallest units ("12300000000"), since it may exceed 2^53. Accounts and markets are the numbers that the
 * venue gave them, counted from 0. "Fine" prices are thousandths of a tick (market.ts).
 */
import type { MarketSpec } from './market-spec.ts';
import type { Product, Reference, Side } from './units.ts';

export type { Product, Reference, Side } from './units.ts';
/** How long an order may be valid. */
export const TIMES_IN_FORCE = [
  'GTC',
  'IOC',
  'FOK',
  'HALFSEC',
  'HALFMIN',
  'FIVEMIN',
  'HOUR',
  'TWELVEHOUR',
  'DAY',
  'WEEK',
  'MONTH',
] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];
export const POSITION_MODES = ['ONE_WAY', 'HEDGE', 'ISOLATED'] as const;
export type PositionMode = (typeof POSITION_MODES)[number];
export type Permission = 'read' | 'trading' | 'transfer' | 'wallet';

export interface CurrencySpec {
  readonly decimals: number;
}

export interface KeySpec {
  readonly key: string;
  /** The secret, sealed by the gateway's master key: the venue stores it and never reads it. */
  readonly sealed: string;
  readonly permissions: readonly Permission[];
  readonly ipAllow: readonly string[];
  readonly expiresAtMs: number | null;
}

export interface AccountSpec {
  readonly name: string;
  /** Currency → decimal text in whole units, as in the configuration ("1000.5"). */
  readonly balances: Readonly<Record<string, string>>;
  readonly fees: Readonly<Record<string, { maker: string; taker: string }>>;
  readonly keys: readonly KeySpec[];
}

/** The normalised configuration of the venue proper (gateway options such as rate limits are not part of it). */
export interface VenueConfig {
  readonly currencies: Readonly<Record<string, CurrencySpec>>;
  readonly markets: readonly MarketSpec[];
  readonly accounts: readonly AccountSpec[];
  readonly insuranceFund: Readonly<Record<string, string>>;
  readonly selfTrade: 'cancelIncoming' | 'cancelResting' | 'cancelBoth';
  readonly feeFrom: 'received' | 'quote';
}

/** The first command of every log: the venue as configured, before anyone acts. */
export interface Genesis {
  readonly v: 1;
  readonly type: 'genesis';
  readonly config: VenueConfig;
  readonly seed: number;
  /** On a manual clock, reset and restore may take the venue's time back; a real clock never runs backwards. */
  readonly clock: 'real' | 'manual';
  /** 32 hex digits: the key of the order-id permutation. */
  readonly idKey: string;
}

/** Fields of every placement. */
export interface PlaceBase {
  readonly v: 1;
  readonly type: 'place';
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly clientId: string | null;
  /** A digest of operation and body for the identical-request rule (semantics.md section 2); null without a client id. */
  readonly request: string | null;
  readonly broker: string | null;
  /** Futures only; null: the account's mode. */
  readonly positionMode?: PositionMode | null;
  /** Futures, reduce-only: the position to close; null: the one that follows from side and mode. */
  readonly position?: number | null;
}

/** The terms of an attached take-profit or stop-loss (futures). */
export interface AttachedTerms {
  readonly price: number;
  readonly reference: Reference;
}

export interface AttachedOrders {
  readonly takeProfit?: AttachedTerms | null;
  readonly stopLoss?: AttachedTerms | null;
}

export interface PlaceLimit extends PlaceBase, AttachedOrders {
  readonly kind: 'limit';
  readonly price: number;
  readonly size: number;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
}

/** Sized in lots, or (spot BUY) in quote: exactly one of size and quote is set. */
export interface PlaceMarket extends PlaceBase, AttachedOrders {
  readonly kind: 'market';
  readonly size: number | null;
  readonly quote: string | null;
  /** FOK: all or nothing. Other values change nothing; absent: none was given. */
  readonly timeInForce?: TimeInForce | null;
  readonly reduceOnly: boolean;
}

/**
 * A market order (limit null) or a limit order released when the reference reaches the trigger.
 * rule stop: BUY at or above, SELL at or below; profit: the reverse; reach: from the side on which the reference was at acceptance.
 */
export interface PlaceConditional extends PlaceBase, AttachedOrders {
  readonly kind: 'conditional';
  readonly rule: 'stop' | 'profit' | 'reach';
  readonly trigger: number;
  readonly reference: Reference;
  readonly price: number | null;
  readonly size: number | null;
  readonly quote: string | null;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
}

/** Two legs, one group: a limit leg at price, and a stop leg that places a limit at stopPrice when trigger is reached. */
export interface PlaceOco extends PlaceBase {
  readonly kind: 'oco';
  readonly size: number;
  readonly price: number;
  readonly stopTrigger: number;
  readonly stopReference: Reference;
  readonly stopPrice: number;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
}

/** Exactly one of distance (fine price) and percent (parts: 5 % = 500,000,000) is set. */
export interface PlaceTrailing extends PlaceBase {
  readonly kind: 'trailing';
  readonly distance: number | null;
  readonly percent: number | null;
  readonly reference: Reference;
  readonly size: number | null;
  readonly quote: string | null;
  readonly activation: number | null;
  readonly activationReference: Reference | null;
  readonly reduceOnly: boolean;
  /** Absent: none was given. */
  readonly timeInForce?: TimeInForce | null;
}

/** stealth and deviation in parts: stealth 10 % = 1,000,000,000; deviation −0.5 % = −50,000,000. */
export interface PlacePeg extends PlaceBase {
  readonly kind: 'peg';
  readonly price: number;
  readonly size: number;
  readonly stealth: number;
  readonly deviation: number;
}

export interface PlaceTwap extends PlaceBase {
  readonly kind: 'twap';
  readonly size: number;
  readonly periodMs: number;
  readonly makerFirst: boolean;
  readonly randomizeSize: boolean;
  readonly maxChildSize: number | null;
  /** Fraction of mid in parts (0.01 = 1,000,000), null: off. */
  readonly maxSpread: number | null;
  /** Fraction of the best opposite price in parts, null: the market's own protection band. */
  readonly maxThroughBook: number | null;
  readonly pausePrice: number | null;
  readonly activation: number | null;
  readonly activationReference: Reference | null;
}

export type Place = PlaceLimit | PlaceMarket | PlaceConditional | PlaceOco | PlaceTrailing | PlacePeg | PlaceTwap;

/** The kind of an order: that of its placement; `bracket`, an attached order; `none`, an order of the venue's own. Saved: no name is ever changed or reused. */
export type AlgoName = Place['kind'] | 'bracket' | 'none';

/** By order key (order-id.ts), or by client id: then every live order with that id in the product. */
export interface Cancel {
  readonly v: 1;
  readonly type: 'cancel';
  readonly account: number;
  readonly product: Product;
  /** Only an order of this market, where given. */
  readonly market: number | null;
  readonly order: number | null;
  readonly clientId: string | null;
}

/** Cancels all live orders of the account in the product, or in one market. It is no error if there are none. */
export interface CancelAll {
  readonly v: 1;
  readonly type: 'cancelAll';
  readonly account: number;
  readonly product: Product;
  readonly market: number | null;
}

/**
 * Changes a live order: by order key, or by client id (the order that a look-up would find). null: unchanged.
 * size: the new total (filled + unfilled) where totalSize, else the new unfilled size. Prices in ticks.
 */
export interface Amend {
  readonly v: 1;
  readonly type: 'amend';
  readonly account: number;
  readonly product: Product;
  readonly market: number | null;
  readonly order: number | null;
  readonly clientId: string | null;
  readonly price: number | null;
  readonly size: number | null;
  readonly totalSize: boolean;
  readonly trigger: number | null;
}

/** The longest timeout of a dead man's switch: thirty days. */
export const LONGEST_TIMEOUT_MS = 30 * 24 * 3_600_000;

/** Dead man's switch: cancels all the account's orders of the product in timeoutMs unless renewed; 0 disarms. */
export interface CancelAllAfter {
  readonly v: 1;
  readonly type: 'cancelAllAfter';
  readonly account: number;
  readonly product: Product;
  readonly timeoutMs: number;
}

/**
 * Futures: cross leverage (0: the tier's maximum), isolated leverage of positions to come, or the leverage of one position by
 * number, which has to be of that margin type. A setting that the account's mode does not use is kept until a mode uses it.
 */
export interface SetLeverage {
  readonly v: 1;
  readonly type: 'setLeverage';
  readonly account: number;
  readonly market: number;
  readonly margin: 'CROSS' | 'ISOLATED';
  readonly leverage: number;
  readonly position: number | null;
}

/**
 * Futures: the least risk tier, from 1, for the account's margin in the market. A larger exposure is in a higher tier
 * without this command.
 */
export interface SetRiskLimit {
  readonly v: 1;
  readonly type: 'setRiskLimit';
  readonly account: number;
  readonly market: number;
  readonly level: number;
}

/** Futures: refused while the account has a position or an order in the market. */
export interface SetPositionMode {
  readonly v: 1;
  readonly type: 'setPositionMode';
  readonly account: number;
  readonly market: number;
  readonly mode: PositionMode;
}

/** Attaches a take-profit, a stop-loss or both to an open position, in place of those that it has. */
export interface AttachOrders {
  readonly v: 1;
  readonly type: 'attachBrackets';
  readonly account: number;
  readonly market: number;
  readonly position: number;
  readonly takeProfit: AttachedTerms | null;
  readonly stopLoss: AttachedTerms | null;
}

/** A halted market takes cancels only: triggers, TWAP and pegs wait; expiry and the dead man's switch run. */
export interface HaltMarket {
  readonly v: 1;
  readonly type: 'haltMarket' | 'resumeMarket';
  readonly market: number;
}

export interface CreateAccount {
  readonly v: 1;
  readonly type: 'createAccount';
  readonly name: string;
  readonly fees?: Readonly<Record<string, { maker: string; taker: string }>>;
}

export interface AddKey extends KeySpec {
  readonly v: 1;
  readonly type: 'addKey';
  readonly account: number;
}

export interface RevokeKey {
  readonly v: 1;
  readonly type: 'revokeKey';
  readonly key: string;
}

/** amount: smallest units as decimal text; a negative amount is a withdrawal. */
export interface Deposit {
  readonly v: 1;
  readonly type: 'deposit';
  readonly account: number;
  readonly currency: string;
  readonly amount: string;
}

/** Fine prices; absent: unchanged; mark null: frees a mark that was set manually. byHand: set manually; false: from a feed. */
export interface SetPrices {
  readonly v: 1;
  readonly type: 'setPrices';
  readonly market: number;
  readonly index?: number;
  readonly mark?: number | null;
  /** In ticks, like every trade price. */
  readonly last?: number;
  readonly byHand: boolean;
}

/** Manual clock: moves time to `toMs`. Everything due by then happens on the way. */
export interface Advance {
  readonly v: 1;
  readonly type: 'advance';
  readonly toMs: number;
}

/** Real clock: logged when the venue's next due time is reached. */
export interface Tick {
  readonly v: 1;
  readonly type: 'tick';
}

export interface ListMarket {
  readonly v: 1;
  readonly type: 'listMarket';
  readonly market: MarketSpec;
  /** Currencies to add with the market. One that the venue has already must have the same decimals. */
  readonly currencies?: Readonly<Record<string, CurrencySpec>>;
}

/** Returns to the state after genesis, on a manual clock also to its start time. Sequence numbers and ids go on. */
export interface Reset {
  readonly v: 1;
  readonly type: 'reset';
}

export interface SaveSnapshot {
  readonly v: 1;
  readonly type: 'saveSnapshot';
  readonly name: string;
}

export interface RestoreSnapshot {
  readonly v: 1;
  readonly type: 'restoreSnapshot';
  readonly name: string;
}

/** The key and nonce of the request that a command came from. The log keeps them, so that no restart accepts a nonce again (venue.ts). */
export interface Signed {
  readonly key: string;
  readonly nonceMs: number;
}

/** `signed` is absent if the command came without an API key, and in older logs. */
export type Command = AnyCommand & { readonly signed?: Signed };

type AnyCommand =
  | Genesis
  | Place
  | Cancel
  | CancelAll
  | Amend
  | CancelAllAfter
  | HaltMarket
  | SetLeverage
  | SetRiskLimit
  | SetPositionMode
  | AttachOrders
  | CreateAccount
  | AddKey
  | RevokeKey
  | Deposit
  | SetPrices
  | Advance
  | Tick
  | ListMarket
  | Reset
  | SaveSnapshot
  | RestoreSnapshot;

export type CommandType = Command['type'];
