/** The trades of an account, each from its side. Exact decimals as text. */
import type { ArchivedOrder, Trade } from '../../archive/read/trades.ts';

/** All of them, the newest first. */
export const ALL_FILLS = {
  product: null,
  market: null,
  fromMs: 0,
  toMs: Number.MAX_SAFE_INTEGER,
  orderId: null,
  clientId: null,
  beforeId: null,
  afterId: null,
  oldestFirst: false,
} as const;

/** What is shown of a trade. */
type Fill = Omit<Trade, 'n' | 'order'> & { readonly order: Pick<ArchivedOrder, 'orderId' | 'clientId' | 'side'> };

export function fillView({ seq, timeMs, tradeId, market, order, price, size, maker, ...rest }: Fill): object {
  const { fee, feeCurrency, realised, liquidation } = rest;
  return {
    seq,
    time: timeMs,
    tradeId,
    symbol: market,
    orderId: order.orderId,
    clientId: order.clientId,
    side: order.side,
    price,
    size,
    maker,
    fee,
    feeCurrency,
    realised,
    liquidation,
  };
}
