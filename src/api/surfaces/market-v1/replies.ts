/** The reply schemas of market v1. records.ts creates the replies. */
import Type from 'typebox';
import * as reply from '../../orders/reply-fields.ts';
import { MARKET_TYPES } from './schemas.ts';

const quantity = reply.text('Decimal');

const MARKET = reply.component('Market', {
  symbol: reply.text('Market id: BTC-PERP-USDT'),
  type: reply.choice(MARKET_TYPES),
  category: reply.text(),
  tradeCurrency: reply.text('The base of a spot pair, the symbol of a perpetual'),
  baseCurrency: reply.text(),
  quoteCurrency: reply.text(),
  displayName: reply.text(),
  active: reply.flag('false: halted'),
  minOrderPrice: quantity,
  minPriceIncrement: quantity,
  pricePrecision: reply.whole('Decimals'),
  minOrderSize: quantity,
  maxOrderSize: quantity,
  minSizeIncrement: quantity,
  sizePrecision: reply.whole('Decimals'),
  contractSize: reply.sometimes(reply.text('Perpetuals')),
  availableSettlement: reply.sometimes(reply.list(reply.text())),
});

const LEVEL = Type.Array(quantity, { description: 'Price and size', minItems: 2, maxItems: 2 });

const BOOK = reply.component('Book', {
  timestamp: reply.timestampMs,
  bids: Type.Array(LEVEL, { description: 'Best first' }),
  asks: Type.Array(LEVEL, { description: 'Best first' }),
});

export const MARKETS = reply.enveloped(Type.Object({ symbols: reply.list(MARKET) }));
export const ORDERBOOK = reply.enveloped(BOOK);

const price = reply.text('Decimal; 0: there is none');
export const TICKER = reply.component('Ticker', {
  symbol: reply.text('Market id: BTC-PERP-USDT'),
  lastPrice: price,
  openPrice: price,
  highPrice: price,
  lowPrice: price,
  amount: reply.text('Volume in the base currency, or in contracts'),
  volume: reply.text('Volume in the quote currency'),
  openTime: reply.whole('Where the 24 hours begin, epoch seconds'),
  closeTime: reply.whole('Now, epoch seconds'),
  priceChange: reply.text('lastPrice - openPrice'),
  priceChangePercent: reply.text('A fraction, with three decimals'),
  prevClosePrice: reply.text('As openPrice'),
  bidPrice: price,
  bidQty: quantity,
  askPrice: price,
  askQty: quantity,
  openInterest: reply.sometimes(reply.text('Contracts. This and what follows: perpetuals')),
  openInterestUSD: reply.sometimes(reply.text('At the mark, in the quote currency')),
  fundingRate: reply.sometimes(reply.text('That was last settled, a fraction')),
  nextFundingTime: reply.sometimes(reply.timestampMs),
  fundingIntervalMinutes: reply.sometimes(reply.number()),
});
/** One for a symbol, otherwise a list. */
export const TICKERS = reply.enveloped(Type.Union([TICKER, Type.Array(TICKER, { title: 'Tickers' })]));
export const INDICES = reply.enveloped(
  reply.list(reply.component('Indices', { symbol: reply.text('Market id'), indexPrice: price, markPrice: price })),
);
export const TRADES = reply.enveloped(
  reply.list(
    reply.component('TickerTrade', {
      id: reply.whole("The trade's number in its market"),
      timestamp: reply.timestampMs,
      price: quantity,
      size: quantity,
      quoteSize: quantity,
      side: reply.choice(['BUY', 'SELL'], 'Of the taker'),
    }),
  ),
);
export const KLINES = reply.enveloped(
  reply.list(
    Type.Array(reply.text(), {
      description: 'Epoch seconds, open, high, low, close, volume in the quote currency',
      minItems: 6,
      maxItems: 6,
    }),
  ),
);
export const FUNDING = reply.enveloped(
  reply.list(reply.component('PaidFunding', { timestamp: reply.timestampMs, rate: reply.text('A fraction') })),
);
const RISK_LIMITS_OF = reply.component('RiskLimits', {
  symbol: reply.text('Market id'),
  riskLimits: reply.list(
    reply.component('RiskLimitLevel', {
      level: reply.whole(),
      value: reply.number('Largest notional, in the quote currency'),
    }),
  ),
});
/** One for a symbol, otherwise a list. */
export const RISK_LIMITS = reply.enveloped(
  Type.Union([RISK_LIMITS_OF, Type.Array(RISK_LIMITS_OF, { title: 'AllRiskLimits' })]),
);
