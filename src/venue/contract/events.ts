/**
 * Every event, one typed union, in the order in which things happened. The archive's rows and the metrics are made from
 * them. Prices are in ticks, sizes in lots, money in smallest units; orders, accounts and markets are named by number. An
 * event has no time of its own: its sequence number is `Venue.seq`, its time that of the step (a timer's own due time while
 * timers run).
 */

import type { OrderState, OrderView } from './order-view.ts';
import type { Ending } from './reasons.ts';
import type { Reference, Side } from './units.ts';

/** The order as accepted, before it matched. The object is the venue's own and changes: keep what is needed of it. */
export interface OrderAccepted {
  readonly type: 'orderAccepted';
  readonly order: Omit<OrderView, 'details' | 'nextDueMs'>;
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
}

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
  | StateReplaced;
