/** Records of market data on spot v3.3 and futures v2.3, and the values that market v1 shows too. */
import type { Candle } from '../../market-data/candles.ts';
import type { FundingRate } from '../../market-data/history.ts';
import type { DayStatistics } from '../../market-data/market-data.ts';
import type { PublicTrade } from '../../market-data/trade-ring.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import {
  BUY,
  type DepthLevel,
  FINE,
  NONE,
  PARTS_DECIMALS,
  SELL,
  type Side,
  sideText,
} from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import { exactNumber } from '../orders/order-records.ts';
import { GROUP_TICKS, grouped, levelPrice } from './grouping.ts';

/** An amount of the quote currency, from ticks × lots. */
export function costText(market: MarketView, cost: bigint): string {
  return market.quoteText(cost * market.unitsPerTickLot);
}

export function rateText(rateParts: number): string {
  return decimalText(BigInt(rateParts), PARTS_DECIMALS);
}

/** The value of all long positions at the mark, in the quote currency. */
export function openInterestValue(market: MarketView): string {
  const fineLots = BigInt(market.openInterest) * BigInt(market.mark);
  return market.quoteText((fineLots * market.unitsPerTickLot) / BigInt(FINE));
}

/** The best level of a side. Null: the side is empty. */
export function bestLevel(market: MarketView, side: Side): DepthLevel | null {
  return market.bestPrice(side) === NONE ? null : (market.depth(side, 1)[0] ?? null);
}

/** When a perpetual next settles funding. Null: it has no funding. */
export function nextFundingMs({ spec: { funding } }: MarketView, nowMs: number): number | null {
  return funding === null ? null : (Math.floor(nowMs / funding.intervalMs) + 1) * funding.intervalMs;
}

/** The statistics of a day with the last price. Prices are fine; those of a market without any price are 0. */
export interface DayPrices {
  readonly last: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
}

/** A market without trades has the last price that was set, if any. */
export function dayPrices(market: MarketView, { openTicks, highTicks, lowTicks }: DayStatistics): DayPrices {
  const { last } = market;
  const fine = (ticks: number | null) => (ticks === null ? last : ticks * FINE);
  return { last, open: fine(openTicks), high: fine(highTicks), low: fine(lowTicks) };
}

/** The change of a day as a fraction of its open. 0 without prices. */
export function change({ last, open }: DayPrices): number {
  return last === 0 || open === 0 ? 0 : (last - open) / open;
}

export function summaryRecord(market: MarketView, day: DayStatistics, nowMs: number, full: boolean): object {
  const { spec, tick, lot } = market;
  const prices = dayPrices(market, day);
  const [bid, ask] = [bestLevel(market, BUY), bestLevel(market, SELL)];
  const step = (of: typeof tick) => exactNumber(decimalText(of.coefficient, of.scale));
  const isFutures = market.product === 'futures';
  const limits = spec.riskTiers.map(({ maxNotional }) => Math.floor(Number(maxNotional)));
  const fundingMs = nextFundingMs(market, nowMs);
  return {
    symbol: market.symbol,
    last: market.fineNumber(prices.last),
    lowestAsk: ask === null ? 0 : market.priceNumber(ask.priceTicks),
    highestBid: bid === null ? 0 : market.priceNumber(bid.priceTicks),
    percentageChange: Number((change(prices) * 100).toFixed(3)),
    volume: exactNumber(costText(market, day.cost)),
    high24Hr: market.fineNumber(prices.high),
    low24Hr: market.fineNumber(prices.low),
    base: spec.base,
    quote: spec.quote,
    active: !market.halted,
    size: exactNumber(market.sizeText(day.volumeLots)),
    minValidPrice: step(tick),
    minPriceIncrement: step(tick),
    minOrderSize: market.sizeNumber(market.minLots),
    maxOrderSize: market.sizeNumber(market.maxLots),
    minSizeIncrement: step(lot),
    openInterest: market.sizeNumber(market.openInterest),
    openInterestUSD: exactNumber(openInterestValue(market)),
    contractStart: 0,
    contractEnd: 0,
    timeBasedContract: false,
    openTime: 0,
    closeTime: 0,
    startMatching: 0,
    inactiveTime: 0,
    fundingRate: isFutures ? exactNumber(rateText(market.fundingRate)) : 0,
    contractSize: isFutures ? Number(spec.contractSize) : 0,
    maxPosition: limits.at(-1) ?? 0,
    minRiskLimit: limits.at(0) ?? 0,
    maxRiskLimit: limits.at(-1) ?? 0,
    availableSettlement: isFutures ? [spec.quote] : null,
    futures: isFutures,
    ...(!isFutures && { isMarketOpenToOtc: false, isMarketOpenToSpot: true }),
    ...(full &&
      fundingMs !== null && {
        fundingIntervalMinutes: (spec.funding?.intervalMs ?? 0) / 60_000,
        fundingTime: fundingMs,
      }),
  };
}

export function priceRecord(market: MarketView): object {
  return {
    symbol: market.symbol,
    indexPrice: market.fineNumber(market.indexPrice),
    lastPrice: market.fineNumber(market.last),
    markPrice: market.product === 'spot' ? 0 : market.fineNumber(market.mark),
  };
}

export interface BookLimits {
  readonly group: number;
  readonly bids: number;
  readonly asks: number;
}

/** The best `limit` levels in steps of `ticks`. A step may have many levels: more are read until the steps suffice. */
function groupedDepth(market: MarketView, side: Side, ticks: number, limit: number): readonly DepthLevel[] {
  if (ticks === 1) return market.depth(side, limit);
  for (let most = limit * 4; ; most *= 4) {
    const levels = market.depth(side, most);
    const groups = grouped(levels, side, ticks, limit + 1);
    // The last step may go on behind the levels that were read.
    if (levels.length < most || groups.length > limit) return groups.slice(0, limit);
  }
}

/** Best first. */
export function bookRecord(market: MarketView, { group, bids, asks }: BookLimits, timestamp: number): object {
  const rows = (side: Side, limit: number) =>
    groupedDepth(market, side, GROUP_TICKS[group], limit).map(({ priceTicks, sizeLots }) => {
      return { price: levelPrice(market, priceTicks), size: market.sizeText(sizeLots) };
    });
  return { buyQuote: rows(BUY, bids), sellQuote: rows(SELL, asks), timestamp, symbol: market.symbol };
}

export function tradeRecord(market: MarketView, trade: PublicTrade): object {
  return {
    price: market.priceNumber(trade.priceTicks),
    size: market.sizeNumber(trade.sizeLots),
    side: sideText(trade.takerSide),
    symbol: market.symbol,
    serialId: trade.tradeId,
    timestamp: trade.timeMs,
  };
}

/** Seconds, open, high, low, close, volume in the quote currency. */
export function candleRecord(market: MarketView, candle: Candle): number[] {
  const { startMs, openTicks, highTicks, lowTicks, closeTicks, cost } = candle;
  const prices = [openTicks, highTicks, lowTicks, closeTicks].map((ticks) => market.priceNumber(ticks));
  return [startMs / 1000, ...prices, exactNumber(costText(market, cost))];
}

export function fundingRecord(market: MarketView, { timeMs, rateParts }: FundingRate): object {
  return { time: Math.floor(timeMs / 1000), rate: exactNumber(rateText(rateParts)), symbol: market.symbol };
}

/** The highest leverage of a risk tier. Its initial margin is a fraction that a double may not hold exactly. */
const ALMOST = 1e-9;

export function riskTierRecords({ symbol, spec }: MarketView): object[] {
  return spec.riskTiers.map(({ maxNotional, initial, maintenance }, i) => ({
    symbol,
    riskLevel: i + 1,
    riskLimitValue: exactNumber(maxNotional),
    initialMarginRate: Number(initial),
    maintenanceMarginRate: Number(maintenance),
    maxLeverage: Math.floor(1 / Number(initial) + ALMOST),
  }));
}
