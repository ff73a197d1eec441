/** A trade of an account from its side, from the archive. Exact decimals as text. */
import type { Trade } from '../../archive/read/trades.ts';

export function fillView({ seq, timeMs, tradeId, market, order, price, size, maker, ...rest }: Trade): object {
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
