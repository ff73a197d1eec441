/**
 * All commands, as one typed union. A command is plain JSON, and the log gives back exactly that. Its sequence number
 * and time are stored beside it.
 *
 * - Prices are in ticks, sizes in lots (contracts on futures). Both are safe integers.
 * - Money is decimal text in the currency's smallest units ("12300000000"), because it may exceed 2^53.
 * - Accounts and markets are the numbers that the venue gave them, counted from 0.
 * - "Fine" prices are thousandths of a tick (market.ts).
 */
import type { MarketSpec, TermsChange } from './market-spec.ts';
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
  /** The secret, sealed with the gateway's master key. The venue stores it and never reads it. */
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

/** The normalised configuration of the venue. Options of the gateway, such as rate limits, are not part of it. */
export interface VenueConfig {
  readonly currencies: Readonly<Record<string, CurrencySpec>>;
  readonly markets: readonly MarketSpec[];
  readonly accounts: readonly AccountSpec[];
  readonly insuranceFund: Readonly<Record<string, string>>;
  readonly selfTrade: 'cancelIncoming' | 'cancelResting' | 'cancelBoth';
  readonly feeFrom: 'received' | 'quote';
}

/**
 * Which part of a level goes when the record says that it shrank without a trade: `back`, what is behind the users there
 * first; `proportional`, before and behind them by size.
 */
export const QUEUE_RULES = ['back', 'proportional'] as const;
export type QueueRule = (typeof QUEUE_RULES)[number];

/** A market that plays a recording. */
export interface PlayedMarket {
  readonly queue: QueueRule;
  /** After this time a level has again what a user took from it. Null: only when the record speaks of the level. */
  readonly healAfterMs: number | null;
}

/** The recordings that a venue plays. */
export interface Recordings {
  /** By symbol. */
  readonly markets: Readonly<Record<string, PlayedMarket>>;
  /** Which files they were, in the order of the start. */
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
}

/** The first command of every log: the venue as configured, before anyone acts. */
export interface Genesis {
  readonly v: 1;
  readonly type: 'genesis';
  readonly config: VenueConfig;
  readonly seed: number;
  /** With a manual clock, reset and restore may set the venue's time back. A real clock never runs backwards. */
  readonly clock: 'real' | 'manual';
  /** The key of the order-id permutation: 32 hex digits. */
  readonly idKey: string;
  /** Absent: no market plays a recording. */
  readonly recordings?: Recordings;
}

/** The fields of every placement. */
export interface PlaceBase {
  readonly v: 1;
  readonly type: 'place';
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly clientId: string | null;
  /**
   * A digest of operation and body for the identical-request rule (rules 2.10 and 2.11). Null without a client id.
   */
  readonly request: string | null;
  readonly broker: string | null;
  /** Futures only. Null: the account's mode. */
  readonly positionMode?: PositionMode | null;
  /** Reduce-only futures orders: the position to close. Null: the position that side and mode determine. */
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

/** Sized in lots or, for a spot BUY, in quote. Exactly one of size and quote is set. */
export interface PlaceMarket extends PlaceBase, AttachedOrders {
  readonly kind: 'market';
  readonly size: number | null;
  readonly quote: string | null;
  /** FOK: all or nothing. Other values have no effect. Absent: not given. */
  readonly timeInForce?: TimeInForce | null;
  readonly reduceOnly: boolean;
}

/**
 * A market order (limit null) or a limit order that is released when the reference reaches the trigger.
 * `stop` fires a BUY at or above the trigger and a SELL at or below it. `profit` is the reverse. `reach` fires from the
 * side on which the reference was when the order was accepted.
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

/**
 * Two legs in one group: a limit leg at `price`, and a stop leg that places a limit order at `stopPrice` when the
 * reference reaches `stopTrigger`.
 */
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

/** Exactly one of distance (a fine price) and percent (parts: 5 % = 500,000,000) is set. */
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
  /** Absent: not given. */
  readonly timeInForce?: TimeInForce | null;
}

/** `stealth` and `deviation` are in parts: stealth 10 % = 1,000,000,000, deviation −0.5 % = −50,000,000. */
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
  /** Fraction of the mid price in parts (0.01 = 1,000,000). Null: off. */
  readonly maxSpread: number | null;
  /** Fraction of the best opposite price in parts. Null: the market's own protection band. */
  readonly maxThroughBook: number | null;
  readonly pausePrice: number | null;
  readonly activation: number | null;
  readonly activationReference: Reference | null;
}

export type Place = PlaceLimit | PlaceMarket | PlaceConditional | PlaceOco | PlaceTrailing | PlacePeg | PlaceTwap;

/**
 * The kind of an order. It is the kind of its placement, `bracket` for an attached order, or `none` for an order that
 * the venue itself creates. The names are saved, so no name is ever changed or reused.
 */
export type AlgoName = Place['kind'] | 'bracket' | 'none';

/** Cancels one order by key (order-id.ts), or every live order in the product with a client id. */
export interface Cancel {
  readonly v: 1;
  readonly type: 'cancel';
  readonly account: number;
  readonly product: Product;
  /** If given, only an order of this market is cancelled. */
  readonly market: number | null;
  readonly order: number | null;
  readonly clientId: string | null;
}

/** Cancels all live orders of the account in the product, or in one market. Having no orders is not an error. */
export interface CancelAll {
  readonly v: 1;
  readonly type: 'cancelAll';
  readonly account: number;
  readonly product: Product;
  readonly market: number | null;
}

/**
 * Changes a live order, given by order key or by client id (the order that a look-up would find). Null fields stay
 * unchanged. With `totalSize`, `size` is the new total (filled + unfilled). Otherwise it is the new unfilled size.
 * Prices are in ticks.
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

/**
 * Dead man's switch: cancels all orders of the account in the product after timeoutMs, unless it is renewed. 0 disarms
 * it.
 */
export interface CancelAllAfter {
  readonly v: 1;
  readonly type: 'cancelAllAfter';
  readonly account: number;
  readonly product: Product;
  readonly timeoutMs: number;
}

/**
 * Futures. Sets the cross leverage (0: the tier's maximum), the leverage of future isolated positions, or the leverage
 * of one position. That position must be of the given margin type. A setting that the account's mode does not use is
 * kept until a mode uses it.
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
 * Futures. The lowest risk tier, counted from 1, at which the account's margin in the market is calculated. A larger
 * exposure is in a higher tier without this command.
 */
export interface SetRiskLimit {
  readonly v: 1;
  readonly type: 'setRiskLimit';
  readonly account: number;
  readonly market: number;
  readonly level: number;
}

/** Futures. Refused while the account has a position or an order in the market. */
export interface SetPositionMode {
  readonly v: 1;
  readonly type: 'setPositionMode';
  readonly account: number;
  readonly market: number;
  readonly mode: PositionMode;
}

/** Attaches a take-profit, a stop-loss or both to an open position. They replace those that the position has. */
export interface AttachOrders {
  readonly v: 1;
  readonly type: 'attachBrackets';
  readonly account: number;
  readonly market: number;
  readonly position: number;
  readonly takeProfit: AttachedTerms | null;
  readonly stopLoss: AttachedTerms | null;
}

/** A halted market accepts only cancels. Triggers, TWAPs and pegs wait. Expiry and the dead man's switch still run. */
export interface HaltMarket {
  readonly v: 1;
  readonly type: 'haltMarket' | 'resumeMarket';
  readonly market: number;
}

/**
 * Changes terms of a market while it runs. New fees count from the next fill, new funding terms from the next interval,
 * all others at once. What rests stays.
 */
export interface ChangeMarket {
  readonly v: 1;
  readonly type: 'changeMarket';
  readonly market: number;
  readonly terms: TermsChange;
  /** Also if it puts accounts below maintenance. */
  readonly force: boolean;
}

/**
 * Ends a halted market for ever. Its orders are cancelled, and its positions closed at one price, without a fee. Balances
 * stay. `settlementPrice` is in fine ticks. Null: the mark.
 */
export interface DelistMarket {
  readonly v: 1;
  readonly type: 'delistMarket';
  readonly market: number;
  readonly settlementPrice: number | null;
}

/** What the client of an account may not do. `cancelOnly`: only cancel. `everything`: nothing at all. */
export const FREEZES = ['cancelOnly', 'everything'] as const;
export type Freeze = (typeof FREEZES)[number];

/**
 * Changes an account. `fees`: by symbol, null for the market's own rates again. `frozen`: null ends it. An absent field
 * stays as it is. What a frozen account already has goes on: orders may fill, triggers fire, liquidation works.
 */
export interface ChangeAccount {
  readonly v: 1;
  readonly type: 'changeAccount';
  readonly account: number;
  readonly fees?: Readonly<Record<string, { maker: string; taker: string } | null>>;
  readonly frozen?: Freeze | null;
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

/** `amount`: smallest units as decimal text. A negative amount is a withdrawal. */
export interface Deposit {
  readonly v: 1;
  readonly type: 'deposit';
  readonly account: number;
  readonly currency: string;
  readonly amount: string;
}

export type TransferWallet = 'spot' | 'cross';

/**
 * A transfer between the two names of an account's wallet, which moves nothing (rule 5.55). `amount`: smallest units as
 * decimal text; null: all that the amounts before it leave. An amount that is not above 0 is left out.
 */
export interface Transfer {
  readonly v: 1;
  readonly type: 'transfer';
  readonly account: number;
  readonly from: TransferWallet;
  readonly to: TransferWallet;
  readonly amounts: readonly { readonly currency: string; readonly amount: string | null }[];
}

/**
 * Fine prices. An absent price stays unchanged. `mark: null` releases a mark that was set manually. `byHand`: true if
 * the prices were set manually, false if they come from a feed.
 */
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

/** Manual clock: moves the time to `toMs`. Everything that is due by then happens on the way. */
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

/**
 * What a recorded market did: one message of the recording, or a slice of 10 ms. It goes around checks, fees and orders:
 * the book and the trades of the recording are the house's (state/playback.ts).
 */
export interface PlayMarket {
  readonly v: 1;
  readonly type: 'market';
  readonly market: number;
  /** Manual clock: the time of the message, to which the venue moves first. Real clock: its own time counts. */
  readonly toMs: number;
  /** How many events of the recording have been played after this command. */
  readonly position: number;
  /** The time of the last of them in the recording, epoch ms. */
  readonly recordedMs: number;
  /** market-steps.ts */
  readonly steps: readonly number[];
}

export interface ListMarket {
  readonly v: 1;
  readonly type: 'listMarket';
  readonly market: MarketSpec;
  /** Currencies to add together with the market. A currency that the venue already has must have the same decimals. */
  readonly currencies?: Readonly<Record<string, CurrencySpec>>;
}

/** Returns to the state after genesis and, on a manual clock, to its start time. Sequence numbers and ids continue. */
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

/**
 * The key and nonce of the request that a command came from. The log keeps them, so that no nonce is accepted twice,
 * even after a restart (venue.ts).
 */
export interface Signed {
  readonly key: string;
  readonly nonceMs: number;
}

/**
 * `signed` is absent if the command came without an API key, and in older logs. `origin`: the control surface gave the
 * command in the name of an account. Absent: a client did, or the control surface in its own name.
 */
export type Command = AnyCommand & { readonly signed?: Signed; readonly origin?: 'control' };

type AnyCommand =
  | Genesis
  | Place
  | Cancel
  | CancelAll
  | Amend
  | CancelAllAfter
  | HaltMarket
  | ChangeMarket
  | DelistMarket
  | ChangeAccount
  | SetLeverage
  | SetRiskLimit
  | SetPositionMode
  | AttachOrders
  | CreateAccount
  | AddKey
  | RevokeKey
  | Deposit
  | Transfer
  | SetPrices
  | PlayMarket
  | Advance
  | Tick
  | ListMarket
  | Reset
  | SaveSnapshot
  | RestoreSnapshot;

export type CommandType = Command['type'];
