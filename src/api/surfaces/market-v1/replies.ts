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
