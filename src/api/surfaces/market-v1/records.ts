/** Markets, books and market data in market v1. Quantities are text, precisions are numbers of decimals. */

import { MINUTE_MS } from '../../../config/times.ts';
import type { Candle } from '../../../market-data/candles.ts';
import type { FundingRate } from '../../../market-data/history.ts';
import type { DayStatistics } from '../../../market-data/market-data.ts';
import type { PublicTrade } from '../../../market-data/trade-ring.ts';
import { decimalText } from '../../../venue/contract/decimal.ts';
import { BUY, type DepthLevel, SELL, type Side, sideText } from '../../../venue/contract/units.ts';
import type { MarketView } from '../../../venue/views.ts';
import * as shared from '../../market-data/records.ts';
import { exactNumber } from '../../orders/order-records.ts';
import { marketId } from '../../shared/markets.ts';

export function marketType({ product }: MarketView): 'Spot' | 'FuturesPerpetual' {
  return product === 'spot' ? 'Spot' : 'FuturesPerpetual';
}

export function marketRecord(market: MarketView): object {
  const { spec, tick, lot } = market;
  const record = {
    symbol: marketId(market),
    type: marketType(market),
    category: 'CRYPTO',
    tradeCurrency: market.product === 'spot' ? spec.base : market.symbol,
    baseCurrency: spec.base,
    quoteCurrency: spec.quote,
    displayName: spec.base,
    active: !market.halted,
    minOrderPrice: decimalText(tick.coefficient, tick.scale),
    minPriceIncrement: decimalText(tick.coefficient, tick.scale),
    pricePrecision: tick.scale,
    minOrderSize: market.sizeText(market.minLots),
    maxOrderSize: market.sizeText(market.maxLots),
    minSizeIncrement: decimalText(lot.coefficient, lot.scale),
    sizePrecision: lot.scale,
  };
  if (market.product === 'spot') return record;
  return { ...record, contractSize: spec.contractSize, availableSettlement: [spec.quote] };
}

export function bookRecord(market: MarketView, depth: number, timestamp: number): object {
  const level = ({ priceTicks, sizeLots }: DepthLevel) => [market.priceText(priceTicks), market.sizeText(sizeLots)];
  const rows = (side: Side) => market.depth(side, depth).map(level);
  return { timestamp, bids: rows(BUY), asks: rows(SELL) };
}

/** Prices are those of a bare "0" where there is none. `closeTime` is now. */
export function tickerRecord(market: MarketView, day: DayStatistics, nowMs: number): object {
  const prices = shared.dayPrices(market, day);
  const [bid, ask] = [shared.bestLevel(market, BUY), shared.bestLevel(market, SELL)];
  const price = (level: DepthLevel | null) => (level === null ? '0' : market.priceText(level.priceTicks));
  const size = (level: DepthLevel | null) => (level === null ? '0' : market.sizeText(level.sizeLots));
  const record = {
    symbol: marketId(market),
    lastPrice: market.fineText(prices.last),
    openPrice: market.fineText(prices.open),
    highPrice: market.fineText(prices.high),
    lowPrice: market.fineText(prices.low),
    amount: market.sizeText(day.volumeLots),
    volume: shared.costText(market, day.cost),
    openTime: Math.floor(day.fromMs / 1000),
    closeTime: Math.floor(nowMs / 1000),
    priceChange: market.fineText(prices.last === 0 ? 0 : prices.last - prices.open),
    priceChangePercent: String(Number(shared.change(prices).toFixed(3))),
    prevClosePrice: market.fineText(prices.open),
    bidPrice: price(bid),
    bidQty: size(bid),
    askPrice: price(ask),
    askQty: size(ask),
  };
  if (market.product === 'spot') return record;
  return {
    ...record,
    openInterest: market.sizeText(market.openInterest),
    openInterestUSD: shared.openInterestValue(market),
    fundingRate: shared.rateText(market.fundingRate),
    nextFundingTime: shared.nextFundingMs(market, nowMs) ?? 0,
    fundingIntervalMinutes: (market.spec.funding?.intervalMs ?? 0) / MINUTE_MS,
  };
}

export function indicesRecord(market: MarketView): object {
  const { mark, indexPrice } = market;
  return { symbol: marketId(market), indexPrice: market.fineText(indexPrice), markPrice: market.fineText(mark) };
}

export function tradeRecord(market: MarketView, trade: PublicTrade): object {
  return {
    id: trade.tradeId,
    timestamp: trade.timeMs,
    price: market.priceText(trade.priceTicks),
    size: market.sizeText(trade.sizeLots),
    quoteSize: market.quoteText(market.notional(trade.priceTicks, trade.sizeLots)),
    side: sideText(trade.takerSide),
  };
}

/** Seconds, open, high, low, close, volume in the quote currency. */
export function candleRecord(market: MarketView, candle: Candle): string[] {
  const { startMs, openTicks, highTicks, lowTicks, closeTicks, cost } = candle;
  const prices = [openTicks, highTicks, lowTicks, closeTicks].map((ticks) => market.priceText(ticks));
  return [String(startMs / 1000), ...prices, shared.costText(market, cost)];
}

export function fundingRecord({ timeMs, rateParts }: FundingRate): object {
  return { timestamp: timeMs, rate: shared.rateText(rateParts) };
}

/** Ascending. */
export function riskLimitsRecord(market: MarketView): object {
  const levels = market.spec.riskTiers.map(({ maxNotional }, i) => ({ level: i + 1, value: exactNumber(maxNotional) }));
  return { symbol: marketId(market), riskLimits: levels };
}
