/**
 * Every event, one typed union: what happened, in the order in which it happened. Streams, the archive and metrics are
 * made from these alone. Prices in ticks, sizes in lots, money in smallest units; orders, accounts and markets by their
 * dense numbers; `seq` and `timeMs` come with the emitter (Venue.seq, and the time of the step, which is a timer's own
 * due time while timers run).
 */

import type { OrderState, OrderView } from './order-view.ts';
import type { Ending } from './reasons.ts';
import type { Reference, Side } from './units.ts';

/** The order as accepted, before it matched. The object is the venue's own: whoever keeps it keeps `order.copy()`. */
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
  /** realised: what a fill or an auto-deleveraging closes of a position; the event of that comes after it. */
  readonly reason: 'deposit' | 'withdrawal' | 'realised' | 'funding' | 'insurance';
  /** The market and the position that it is about; −1 for deposits, withdrawals, and a wallet that the fund makes good. */
  readonly market: number;
  readonly positionId: number;
}

/** Auto-deleveraging: two positions closed against each other at the bankruptcy price, without an order of the second. */
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
  /** Held: a feed's jump, not in force until a second value confirms it. */
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

/** The feed of the index has stopped; a value was taken again. */
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

/** State was replaced as a whole (reset, restored snapshot): whoever follows the events starts over. */
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
