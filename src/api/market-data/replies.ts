/** The reply schemas of market data on spot v3.3 and futures v2.3. records.ts creates the replies. */
import Type from 'typebox';
import * as reply from '../orders/reply-fields.ts';

const SUMMARY = {
  symbol: reply.symbol,
  last: reply.number('0: there is none yet'),
  lowestAsk: reply.number('0: there is none'),
  highestBid: reply.number('0: there is none'),
  percentageChange: reply.number('Of the last 24 hours, in percent'),
  volume: reply.number('Of the last 24 hours, in the quote currency'),
  high24Hr: reply.number(),
  low24Hr: reply.number(),
  base: reply.text(),
  quote: reply.text(),
  active: reply.flag('false: halted'),
  size: reply.number('Of the last 24 hours, in the base currency or in contracts'),
  minValidPrice: reply.number(),
  minPriceIncrement: reply.number(),
  minOrderSize: reply.number(),
  maxOrderSize: reply.number(),
  minSizeIncrement: reply.number(),
  openInterest: reply.number('Contracts'),
  openInterestUSD: reply.number('At the mark, in the quote currency'),
  contractStart: reply.whole(),
  contractEnd: reply.whole(),
  timeBasedContract: reply.flag(),
  openTime: reply.whole(),
  closeTime: reply.whole(),
  startMatching: reply.whole(),
  inactiveTime: reply.whole(),
  fundingRate: reply.number('That was last settled, a fraction'),
  contractSize: reply.number('0 on spot'),
  maxPosition: reply.whole('Largest position, in the quote currency; 0 on spot'),
  minRiskLimit: reply.whole('The first risk tier; 0 on spot'),
  maxRiskLimit: reply.whole('The last risk tier; 0 on spot'),
  availableSettlement: reply.orNull(reply.list(reply.text())),
  futures: reply.flag(),
};

export const SPOT_SUMMARIES = reply.list(
  reply.component('SpotSummary', { ...SUMMARY, isMarketOpenToOtc: reply.flag(), isMarketOpenToSpot: reply.flag() }),
);
export const FUTURES_SUMMARIES = reply.list(
  reply.component('FuturesSummary', {
    ...SUMMARY,
    fundingIntervalMinutes: reply.sometimes(reply.number('With listFullAttributes')),
    fundingTime: reply.sometimes(reply.whole('The next one, epoch ms; with listFullAttributes')),
  }),
);

export const PRICES = reply.list(
  reply.component('Prices', {
    symbol: reply.symbol,
    indexPrice: reply.number('0: there is none yet'),
    lastPrice: reply.number('0: there is none yet'),
    markPrice: reply.number('0 on spot'),
  }),
);

const QUOTES = reply.list(
  reply.component('Quote', { price: reply.text('With as many decimals as the tick'), size: reply.text() }),
);
export const BOOK = reply.component('GroupedBook', {
  buyQuote: QUOTES,
  sellQuote: QUOTES,
  timestamp: reply.timestampMs,
  symbol: reply.symbol,
});

export const TRADES = reply.list(
  reply.component('PublicTrade', {
    price: reply.number(),
    size: reply.number(),
    side: reply.choice(['BUY', 'SELL'], 'Of the taker'),
    symbol: reply.symbol,
    serialId: reply.whole("The trade's number in its market"),
    timestamp: reply.timestampMs,
  }),
);

export const CANDLES = reply.list(
  Type.Array(Type.Number(), {
    description: 'Epoch seconds, open, high, low, close, volume in the quote currency',
    minItems: 6,
    maxItems: 6,
  }),
);

const FUNDING = reply.component('FundingRate', {
  time: reply.whole('Epoch seconds'),
  rate: reply.number('A fraction; positive: longs pay'),
  symbol: reply.symbol,
});
export const FUNDING_HISTORY = Type.Object({}, { additionalProperties: reply.list(FUNDING), description: 'By symbol' });

export const RISK_LIMITS = reply.enveloped(
  reply.list(
    reply.component('MarketRiskLimit', {
      symbol: reply.symbol,
      riskLevel: reply.whole(),
      riskLimitValue: reply.number('Largest notional, in the quote currency'),
      initialMarginRate: reply.number('A fraction'),
      maintenanceMarginRate: reply.number('A fraction'),
      maxLeverage: reply.whole(),
    }),
  ),
);
