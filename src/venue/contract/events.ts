/**
 * Every event, one typed union, in the order in which things happened. The archive's rows, the metrics and streams are made
 * from them. Prices are in ticks, sizes in lots, money in smallest units; orders, accounts and markets are named by number.
 *
 * - What an event holds is a value: nothing that happens later changes it.
 * - An event has no time of its own: its sequence number is `Venue.seq`, its time that of the step (a timer's own due time
 *   while timers run).
 * - `bookChanged`, `positionChanged` and `walletChanged` sum a command up. They come last, in this order, when the command, what
 *   it set off and the timers that fell due in it are done: one for each market, position and wallet, and none for what is
 *   as it was before. Each says what is, not by how much it changed, so that a follower may begin at any command.
 * - After `stateReplaced`, and when it begins beside a venue that runs, a follower takes what is there from the venue's
 *   reads, then goes on with the events.
 * - What nobody listens to is neither built nor tracked.
 */

import type { PositionMode } from './commands.ts';
import type { OrderState, OrderView } from './order-view.ts';
import type { Ending } from './reasons.ts';
import type { Reference, Side } from './units.ts';

/** The order as accepted, before it matched. */
export interface OrderAccepted {
  readonly type: 'orderAccepted';
  readonly order: OrderView;
}

export interface OrderChanged {
  readonly type: 'orderChanged';
  readonly change:
    | 'triggered'
    | 'rested'
    | 'filled'
    | 'reduced'
    | 'grown'
    | 'waiting'
    | 'repriced'
    | 'armed'
    | 'started'
    | 'paused'
    | 'amended'
    | 'ended';
  readonly key: number;
  readonly account: number;
  readonly market: number;
  readonly state: OrderState;
  readonly priceTicks: number;
  readonly filledLots: number;
  readonly remainingLots: number;
  readonly ending: Ending | null;
  readonly clientId: string | null;
  /** Filled and unfilled, as last amended; of a quote-sized order what it has filled. */
  readonly quantityLots: number;
  /** Sum of price × size of all fills, ticks × lots: over filledLots it is the average price. */
  readonly filledCost: number;
  /** The price that its trigger waits for; 0: it has none. */
  readonly triggerTicks: number;
  /** Filled since it was accepted or its event before this one. */
  readonly filledNowLots: number;
  /** The side of the book on which it was filled for that; null: it was not, or by auto-deleveraging alone. */
  readonly liquidity: 'maker' | 'taker' | null;
}

export interface Traded {
  readonly type: 'traded';
  readonly tradeId: number;
  readonly market: number;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly takerSide: Side;
  readonly makerKey: number;
  readonly takerKey: number;
  readonly makerAccount: number;
  readonly takerAccount: number;
  readonly makerFee: bigint;
  readonly takerFee: bigint;
  /** Numbers of the currencies that the fees are in. */
  readonly makerFeeCurrency: number;
  readonly takerFeeCurrency: number;
  readonly makerClientId: string | null;
  readonly takerClientId: string | null;
  /** The taker is the venue's own order, which closes a position: such a trade sets no last price. */
  readonly liquidation: boolean;
}

/** The lots that a side of a book shows at a price; 0: the level is gone. */
export interface BookLevel {
  readonly side: Side;
  readonly priceTicks: number;
  readonly sizeLots: number;
}

/** Levels that the command left other than it found them, each once, in the order in which they first changed. */
export interface BookChanged {
  readonly type: 'bookChanged';
  readonly market: number;
  readonly levels: readonly BookLevel[];
}

/**
 * A position as it is. With the mark and the terms of its market it gives unrealised result and maintenance. Liquidation
 * price and, in ONE_WAY and HEDGE, margin depend on the wallet and on resting orders, too: `Venue.positions` has them.
 */
export interface PositionChanged {
  readonly type: 'positionChanged';
  readonly account: number;
  readonly market: number;
  readonly mode: PositionMode;
  /** 0 in ONE_WAY, 1 LONG and 2 SHORT in HEDGE, the position's own number in ISOLATED. */
  readonly positionId: number;
  /** Signed: positive long; 0: it is closed. */
  readonly sizeLots: number;
  /** Exact entry price = entryCost / |size|. */
  readonly entryCost: bigint;
  /** Money of its own; 0 but in ISOLATED. */
  readonly ownMargin: bigint;
  /** 0: the tier's maximum. */
  readonly leverage: number;
  /** Place of the least risk tier that it counts at, from 0: chosen by the account. */
  readonly leastTier: number;
  /** Its liquidation has begun and is not over. */
  readonly liquidating: boolean;
}

/** What an account has of a currency, and what its spot orders reserve of that, whatever it was that changed them. */
export interface WalletChanged {
  readonly type: 'walletChanged';
  readonly account: number;
  readonly currency: number;
  readonly total: bigint;
  readonly reserved: bigint;
}

/**
 * Money that was moved for a reason of its own. What a trade exchanges and its fees are in `traded`; what an isolated position
 * takes from the wallet and gives back has no entry. `walletChanged` covers all of it.
 */
export interface BalanceChanged {
  readonly type: 'balanceChanged';
  readonly account: number;
  readonly currency: number;
  readonly amount: bigint;
  /** realised: the result of what a fill or an auto-deleveraging closes. `traded` or `deleveraged` comes after this event. */
  readonly reason: 'deposit' | 'withdrawal' | 'realised' | 'funding' | 'insurance';
  /** The market and the position concerned; −1 for deposits, withdrawals, and a negative wallet that the fund fills up. */
  readonly market: number;
  readonly positionId: number;
}

/** Auto-deleveraging: two positions were closed against each other. The second account placed no order. */
export interface Deleveraged {
  readonly type: 'deleveraged';
  readonly market: number;
  readonly sizeLots: number;
  /** Smallest units of the settlement currency. */
  readonly notional: bigint;
  readonly bankruptAccount: number;
  readonly bankruptKey: number;
  readonly account: number;
  readonly positionId: number;
}

export interface FundingSet {
  readonly type: 'fundingSet';
  readonly market: number;
  /** Parts: longs pay shorts where positive. */
  readonly rateParts: number;
}

export interface PriceChanged {
  /** priceHeld: a feed's jump, which is not in force until a second value confirms it. */
  readonly type: 'priceChanged' | 'priceHeld';
  readonly market: number;
  readonly reference: Reference;
  /** Fine price (market.ts). */
  readonly fine: number;
}

export interface MarketListed {
  readonly type: 'marketListed' | 'marketHalted' | 'marketResumed';
  readonly market: number;
}

/** priceStale: the feed of the index has stopped. priceFresh: it has sent a value again. */
export interface FeedChanged {
  readonly type: 'priceStale' | 'priceFresh';
  readonly market: number;
}

export interface AccountCreated {
  readonly type: 'accountCreated';
  readonly account: number;
}

export interface KeyChanged {
  readonly type: 'keyAdded' | 'keyRevoked';
  readonly key: string;
  readonly account: number;
}

/** All state was replaced (reset, restored snapshot). A follower of the events must start over. */
export interface StateReplaced {
  readonly type: 'stateReplaced';
}

export type VenueEvent =
  | OrderAccepted
  | OrderChanged
  | Traded
  | BalanceChanged
  | Deleveraged
  | FundingSet
  | PriceChanged
  | FeedChanged
  | MarketListed
  | AccountCreated
  | KeyChanged
  | StateReplaced
  | BookChanged
  | PositionChanged
  | WalletChanged;

export type EventKind = VenueEvent['type'];
export type EventOf<Kind extends EventKind> = VenueEvent & { readonly type: Kind };

/** By kind, what is called for each event of it. It must not throw, nor give the venue a command; it may read the venue. */
export type EventHandlers = { readonly [Kind in EventKind]?: (event: EventOf<Kind>) => void };

/** Who wants certain kinds, and a function that wants all of them. */
export type Listener = EventHandlers | ((event: VenueEvent) => void);
