/**
 * What an order may fill: whether its margin and its money allow it, and how its ending says that they do not. Nothing
 * here changes state.
 */

import type { Ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { takerCost } from '../risk/funds.ts';
import { type MarginState, marginStateOf, reserveIsAtRisk } from '../risk/margin-state.ts';
import { solventTicks } from '../risk/solvency.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { VenueState } from '../state/venue-state.ts';
import { takerRateOf } from './settlement.ts';

const { NONE } = units;

/** Whether fills of the market must check foreseeable prices: on spot, while there are any. */
export function mustCheckForeseeablePrices(venue: VenueState, market: Market): boolean {
  return market.product === 'spot' && venue.isPriceForeseen();
}

/** Whether a spot order would pay with money that a foreseeable price will cost its account. */
export function paysWithMoneyAtRisk(venue: VenueState, order: Order): boolean {
  return reserveIsAtRisk(venue.account(order), venue.payCurrency(order));
}

export function takerMarginState(venue: VenueState, taker: Order): MarginState {
  const market = venue.market(taker);
  return marginStateOf(venue, taker, takerRateOf(taker, venue.account(taker), market));
}

/** The ending of an order whose margin allows no further fill, with the price at which it would fill. */
export function marginEnding(market: Market, worstTicks: number): Ending {
  return { reason: 'margin', params: { price: worstTicks === NONE ? 'no price' : market.priceText(worstTicks) } };
}

/** The ending of a taker that its margin stopped. */
export function takerMarginEnding(venue: VenueState, taker: Order): Ending {
  const worst = taker.product === 'spot' ? NONE : solventTicks(takerMarginState(venue, taker), taker.remaining);
  return marginEnding(venue.market(taker), worst);
}

/**
 * The most lots whose cost fits into `budget`, what a quote-sized order has left. The cost includes the fee if that
 * comes from the quote.
 */
export function affordable(venue: VenueState, taker: Order, market: Market, price: number, budget: bigint): number {
  const unit = market.notional(price, 1);
  let lots = budget / unit;
  if (venue.genesis.config.feeFrom === 'quote') {
    const account = venue.account(taker);
    while (lots > 0n && takerCost(venue, account, market, price, Number(lots)) > budget) {
      const excess = BigInt(takerCost(venue, account, market, price, Number(lots))) - budget;
      // A lot costs its notional, and a fee of at most as much again. So this step does not go past the answer.
      const step = excess / (2n * unit);
      lots -= step > 0n ? step : 1n;
    }
  }
  return lots > BigInt(market.maxLots) ? market.maxLots : Number(lots);
}
