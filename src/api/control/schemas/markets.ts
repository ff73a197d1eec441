/** Replies about markets: terms, prices, books, trades and candles. */
import Type from 'typebox';
import {
  choice,
  component,
  flag,
  list,
  number,
  orNull,
  sometimes,
  text,
  timestampMs,
  whole,
} from '../../orders/reply-fields.ts';
import { LEFT, next, price, seq, symbol } from './fields.ts';

const level = list(text());
export const LEVELS = Type.Array(level, { description: '[price, size], best first' });
export const STATUS = text('active, halted, stale or delisted');
const BEST = component('BestLevel', { price: text(), size: text() });
export const TICKER = {
  symbol,
  status: STATUS,
  last: price,
  index: price,
  indexByHand: flag('true: it was set, and not sent by a feed'),
  pendingIndex: orNull(text('A value of a feed that waits for a second one')),
  mark: price,
  markByHand: flag('true: it was set, and does not follow the index'),
  bid: orNull(BEST),
  ask: orNull(BEST),
  fundingRate: sometimes(text('A fraction')),
  nextFundingMs: sometimes(orNull(timestampMs)),
  openInterest: sometimes(text('Contracts')),
  openInterestValue: sometimes(orNull(text('At the mark'))),
};

export const MARKET = component('VenueMarket', {
  symbol,
  kind: choice(['spot', 'perpetual']),
  base: text(),
  quote: text(),
  tick: text(),
  maxPrice: text(),
  step: text(),
  minSize: text(),
  maxSize: text(),
  contractSize: orNull(text('Perpetuals: base currency of one contract')),
  fees: component('MarketFees', { maker: text('A fraction'), taker: text('A fraction') }),
  band: text('A fraction'),
  marketBand: text('A fraction'),
  triggerLimitDistance: orNull(text('A fraction')),
  maxOpenOrders: whole(),
  riskTiers: list(component('RiskTier', { maxNotional: text(), initial: text(), maintenance: text() })),
  funding: orNull(component('Funding', { intervalMs: whole(), cap: text(), impactSize: whole() })),
  liquidationFee: text('A fraction'),
  maxBasis: sometimes(orNull(text('A fraction'))),
  liquidationBand: sometimes(orNull(text('A fraction'))),
  indexJump: text('A fraction'),
  staleAfterMs: whole(),
  twapIntervalMs: orNull(whole()),
  duplicateClientIds: choice(['refuse', 'allow']),
  status: STATUS,
  index: price,
  mark: price,
  markByHand: flag('true: it was set, and does not follow the index'),
  last: price,
  bestBid: price,
  bestAsk: price,
});

export const MARKETS = component('MarketsPage', { markets: list(MARKET), next });
export const MARKET_SUMMARIES = component('MarketSummaries', {
  seq,
  markets: list(
    component('MarketDay', {
      ...TICKER,
      day: component('DayFigures', {
        fromMs: timestampMs,
        open: price,
        high: price,
        low: price,
        change: number('A fraction of the first price'),
        volume: text(),
        value: text(),
      }),
    }),
  ),
  next,
});

export const BOOK = component('BestLevels', { seq, symbol, status: STATUS, bids: LEVELS, asks: LEVELS });
export const MARKET_PAST = component('MarketPast', {
  seq: whole('The command after which it was so'),
  left: LEFT,
  symbol,
  trades: list(
    component('PastTrade', {
      tradeId: whole('Counts the trades of its market'),
      time: timestampMs,
      side: text('That of the taker'),
      price: text(),
      size: text(),
    }),
  ),
  candles: list(
    component('PastCandle', {
      startMs: timestampMs,
      open: text(),
      high: text(),
      low: text(),
      close: text(),
      volume: text('Base or contracts'),
      value: text('In the quote currency'),
    }),
  ),
});
