/**
 * All events, as one typed union, in the order in which things happened. The archive's rows, the metrics and the
 * streams are built from them. Prices are in ticks, sizes in lots, money in smallest units. Orders, accounts and
 * markets are given by number.
 *
 * - An event is a value. Nothing that happens later changes it.
 * - An event carries no time. Its sequence number is `Venue.seq`. Its time is that of the step: while timers run, the
 *   due time of the timer.
 * - `bookChanged`, `positionChanged` and `walletChanged` summarise a command. They come last and in this order, after
 *   everything that the command set off and the timers that fell due in it. There is one for each market, position or
 *   wallet that is different now. Each gives the new value, not the difference, so a follower may begin at any command.
 * - A follower that begins beside a running venue, or sees `stateReplaced`, first reads the venue's state. Then it
 *   continues with the events.
 * - An event that nobody listens to is neither built nor tracked.
 */

import type { PositionMode, TransferWallet } from './commands.ts';
import type { Due } from './due.ts';
import type { Money } from './money.ts';
import type { AlgoValue, OrderState, OrderView } from './order-view.ts';
import type { Ending } from './reasons.ts';
import type { Reference, Side } from './units.ts';

/** What sets off the events that follow, until the next event of this kind, or the end of the command. */
export interface CauseChanged {
  readonly type: 'causeChanged';
  readonly cause: Cause;
}

/**
 * - command: what the command itself does
 * - timer: a timer that fell due
 * - price: a new price. Prices react in the order in which they came. `order`: the key of the order that reacts now.
 *   Null: the price itself is passed on.
 * - liquidation: a margin account below maintenance. Both amounts are in smallest units of the currency.
 */
export type Cause =
  | { readonly by: 'command' }
  | { readonly by: 'timer'; readonly due: Due }
  | {
      readonly by: 'price';
      readonly market: number;
      readonly reference: Reference;
      /** Fine price (market.ts). */
      readonly fine: number;
      readonly order: number | null;
    }
  | {
      readonly by: 'liquidation';
      readonly account: number;
      readonly market: number;
      /** Only this isolated position. Null: the whole cross account. */
      readonly positionId: number | null;
      readonly currency: number;
      readonly equity: bigint;
      readonly maintenance: bigint;
    };

/**
 * An order was accepted: what metrics count of it. `orderAccepted`, which follows, describes the whole order, and costs
 * more.
 */
export interface OrderPlaced {
  readonly type: 'orderPlaced';
  readonly market: number;
  readonly kind: OrderView['kind'];
  readonly liquidation: OrderView['liquidation'];
}

/** The order as it was accepted, before it matched. */
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
  /** Filled and unfilled lots, as last amended. For a quote-sized order, the filled lots. */
  readonly quantityLots: number;
  /** Sum of price × size of all fills, ticks × lots. Divided by filledLots it is the average price. */
  readonly filledCost: number;
  /** The price that its trigger waits for. 0 without a trigger. */
  readonly triggerTicks: number;
  /** Lots filled since it was accepted, or since its previous event. */
  readonly filledNowLots: number;
  /** Whether those lots were filled as maker or as taker. Null if there were none, or only by auto-deleveraging. */
  readonly liquidity: 'maker' | 'taker' | null;
  /** What its kind compared or counted at this change. Null: nothing. */
  readonly figures: Figures | null;
}

/** A child of a TWAP could not be placed, or did not trade. Nothing of the order has changed. */
export interface ChildSkipped {
  readonly type: 'childSkipped';
  readonly key: number;
  readonly account: number;
  readonly market: number;
  readonly figures: Figures;
}

/** By name, with their units. A figure that is null did not exist. */
export type Figures = Readonly<Record<string, AlgoValue>>;

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
  readonly makerFee: Money;
  readonly takerFee: Money;
  /** Numbers of the currencies that the fees are paid in. */
  readonly makerFeeCurrency: number;
  readonly takerFeeCurrency: number;
  readonly makerClientId: string | null;
  readonly takerClientId: string | null;
  /** The taker is an order of the venue that closes a position. Such a trade sets no last price. */
  readonly liquidation: boolean;
}

/** The lots that one side of a book shows at a price. 0: the level is gone. */
export interface BookLevel {
  readonly side: Side;
  readonly priceTicks: number;
  readonly sizeLots: number;
}

/** The levels that are different after the command, each once, in the order in which they first changed. */
export interface BookChanged {
  readonly type: 'bookChanged';
  readonly market: number;
  readonly levels: readonly BookLevel[];
}

/**
 * A position as it is now. Unrealised result and maintenance follow from it, the mark and the terms of its market. The
 * liquidation price and, in ONE_WAY and HEDGE, the margin also depend on the wallet and on resting orders: see
 * `Venue.positions`.
 */
export interface PositionChanged {
  readonly type: 'positionChanged';
  readonly account: number;
  readonly market: number;
  readonly mode: PositionMode;
  /** 0 in ONE_WAY, 1 (LONG) or 2 (SHORT) in HEDGE, the number of the position in ISOLATED. */
  readonly positionId: number;
  /** Signed: positive is long. 0: the position is closed. */
  readonly sizeLots: number;
  /** The exact entry price is entryCost / |size|. */
  readonly entryCost: bigint;
  /** Collateral of an isolated position. 0 in the other modes. */
  readonly collateral: bigint;
  /** 0: the tier's maximum. */
  readonly leverage: number;
  /** Index, from 0, of the lowest risk tier that the account chose for its margin. */
  readonly leastTier: number;
  /** Its liquidation has begun and has not ended. */
  readonly liquidating: boolean;
}

/** What an account owns of a currency, and how much of it its spot orders reserve, whatever changed them. */
export interface WalletChanged {
  readonly type: 'walletChanged';
  readonly account: number;
  readonly currency: number;
  readonly total: bigint;
  readonly reserved: bigint;
}

/**
 * Money that moved for one of the given reasons. What a trade exchanges, and its fees, are in `traded`. What an
 * isolated position takes from the wallet and gives back has no event here. `walletChanged` covers all of it.
 */
export interface BalanceChanged {
  readonly type: 'balanceChanged';
  readonly account: number;
  readonly currency: number;
  readonly amount: bigint;
  /**
   * `realised` is the result of the part of a position that a fill or an auto-deleveraging closes. The `traded` or
   * `deleveraged` event comes after it.
   */
  readonly reason: 'deposit' | 'withdrawal' | 'realised' | 'funding' | 'insurance';
  /**
   * The market and the position concerned. −1 for deposits, withdrawals, and a negative wallet that the insurance fund
   * fills up.
   */
  readonly market: number;
  readonly positionId: number;
}

/** An amount was transferred between the two names of an account's wallet. No money moved. */
export interface Transferred {
  readonly type: 'transferred';
  readonly account: number;
  readonly currency: number;
  /** Above 0. */
  readonly amount: bigint;
  readonly from: TransferWallet;
  readonly to: TransferWallet;
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
  /** Parts. If it is positive, longs pay shorts. */
  readonly rateParts: number;
}

export interface PriceChanged {
  /** `priceHeld`: a jump of a feed. It does not take effect until a second value confirms it. */
  readonly type: 'priceChanged' | 'priceHeld';
  readonly market: number;
  readonly reference: Reference;
  /** Fine prices (market.ts). `previous`: 0 if there was none. */
  readonly fine: number;
  readonly previous: number;
}

export interface MarketListed {
  readonly type: 'marketListed' | 'marketHalted' | 'marketResumed' | 'marketDelisted' | 'termsChanged';
  readonly market: number;
}

/** `priceStale`: the feed of the index has stopped. `priceFresh`: it has sent a value again. */
export interface FeedChanged {
  readonly type: 'priceStale' | 'priceFresh';
  readonly market: number;
}

export interface AccountCreated {
  readonly type: 'accountCreated' | 'accountChanged';
  readonly account: number;
}

export interface KeyChanged {
  readonly type: 'keyAdded' | 'keyRevoked';
  readonly key: string;
  readonly account: number;
}

/** The whole state was replaced by a reset or a restored snapshot. A follower must start over. */
export interface StateReplaced {
  readonly type: 'stateReplaced';
}

export type VenueEvent =
  | CauseChanged
  | OrderPlaced
  | OrderAccepted
  | OrderChanged
  | ChildSkipped
  | Traded
  | BalanceChanged
  | Transferred
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

/**
 * The function for each kind of event. It must not throw, and must not give the venue a command. It may read the venue.
 */
export type EventHandlers = { readonly [Kind in EventKind]?: (event: EventOf<Kind>) => void };

/** Either functions for certain kinds, or one function for all kinds. */
export type Listener = EventHandlers | ((event: VenueEvent) => void);
