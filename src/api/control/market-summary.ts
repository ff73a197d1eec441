/** The figures of markets: prices and open interest as they are now, and the last 24 hours. Exact decimals as text. */
import type { DayStatistics } from '../../market-data/market-data.ts';
import { BUY, type DepthLevel, SELL } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import {
  bestLevel,
  change,
  costText,
  dayPrices,
  nextFundingMs,
  openInterestValue,
  rateText,
} from '../market-data/records.ts';
import { marketStatus } from './views.ts';

/** Null: there is no such price. Rates are fractions: "0.0001" is 0.01 %. */
export function tickerView(market: MarketView, nowMs: number): object {
  const price = (fine: number) => (fine === 0 ? null : market.fineText(fine));
  const level = (best: DepthLevel | null) =>
    best === null ? null : { price: market.priceText(best.priceTicks), size: market.sizeText(best.sizeLots) };
  return {
    symbol: market.symbol,
    status: marketStatus(market),
    last: price(market.last),
    index: price(market.indexPrice),
    indexByHand: market.indexPinned,
    pendingIndex: price(market.pendingIndex),
    mark: price(market.mark),
    markByHand: market.markPinned,
    bid: level(bestLevel(market, BUY)),
    ask: level(bestLevel(market, SELL)),
    ...(market.product === 'futures' && {
      fundingRate: rateText(market.fundingRate),
      nextFundingMs: nextFundingMs(market, nowMs),
      openInterest: market.sizeText(market.openInterest),
      openInterestValue: openInterestValue(market),
    }),
  };
}

/** With the last 24 hours. `change`: a fraction of the first price. */
export function summaryView(market: MarketView, day: DayStatistics, nowMs: number): object {
  const prices = dayPrices(market, day);
  const price = (fine: number) => (fine === 0 ? null : market.fineText(fine));
  return {
    ...tickerView(market, nowMs),
    day: {
      fromMs: day.fromMs,
      open: price(prices.open),
      high: price(prices.high),
      low: price(prices.low),
      change: Number(change(prices).toFixed(6)),
      volume: market.sizeText(day.volumeLots),
      value: costText(market, day.cost),
    },
  };
}
