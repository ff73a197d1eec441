/** Typical requests for tests: size 1 (spot) or 10 contracts (futures), near the price of 100. */
import { BTC, PERP } from './venue.ts';

export interface Body {
  readonly [field: string]: unknown;
}

export function limit(side: 'BUY' | 'SELL', price: number | string, size: number | string = 1, extra: Body = {}): Body {
  return { symbol: BTC, orderType: 'LIMIT', orderSide: side, orderPrice: price, orderSize: size, ...extra };
}

export function sellMarket(size: number | string, extra: Body = {}): Body {
  return { symbol: BTC, orderType: 'MARKET', orderSide: 'SELL', orderSize: size, ...extra };
}

/** Spends an amount of quote. */
export function buyMarket(quote: number | string, extra: Body = {}): Body {
  return { symbol: BTC, orderType: 'MARKET', orderSide: 'BUY', quoteOrderSize: quote, ...extra };
}

type TriggerKind = 'STOP_LOSS' | 'TAKE_PROFIT';

/** A CONDITIONAL that releases a MARKET order: of 1 BTC (SELL) or for 50 USDT (BUY). */
export function triggered(side: 'BUY' | 'SELL', kind: TriggerKind, triggerPrice: number, extra: Body = {}): Body {
  const sized = side === 'SELL' ? { orderSize: 1 } : { quoteOrderSize: 50 };
  return {
    symbol: BTC,
    orderType: 'CONDITIONAL',
    orderSide: side,
    triggerOrderType: kind,
    triggerPrice,
    triggerPriceType: 'LAST_PRICE',
    ...sized,
    ...extra,
  };
}

/** A CONDITIONAL that releases a LIMIT order of 1 BTC. */
export function triggeredLimit(
  side: 'BUY' | 'SELL',
  kind: TriggerKind,
  triggerPrice: number,
  orderPrice: number,
  extra: Body = {},
): Body {
  return {
    symbol: BTC,
    orderType: 'CONDITIONAL',
    orderSide: side,
    triggerOrderType: `${kind}_LIMIT`,
    triggerPrice,
    triggerPriceType: 'LAST_PRICE',
    orderSize: 1,
    orderPrice,
    ...extra,
  };
}

/** Take-profit at 105, stop at 95 (limit 94) for a SELL; mirrored for a BUY. */
export function oco(side: 'BUY' | 'SELL' = 'SELL', extra: Body = {}): Body {
  const sell = side === 'SELL';
  return {
    symbol: BTC,
    orderType: 'OCO',
    orderSide: side,
    orderSize: 1,
    takeProfitOrderPrice: sell ? 105 : 95,
    stopLossTriggerPrice: sell ? 95 : 105,
    stopLossOrderPrice: sell ? 94 : 106,
    stopLossTriggerPriceType: 'LAST_PRICE',
    ...extra,
  };
}

/** A trailing stop at a distance of 10: 1 BTC (SELL) or 50 USDT (BUY). */
export function trailing(side: 'BUY' | 'SELL' = 'SELL', extra: Body = {}): Body {
  const sized = side === 'SELL' ? { orderSize: 1 } : { quoteOrderSize: 50 };
  return {
    symbol: BTC,
    orderType: 'TRAILING',
    orderSide: side,
    trailValue: 10,
    trailValueType: 'DISTANCE',
    ...sized,
    ...extra,
  };
}

export function peg(side: 'BUY' | 'SELL', orderPrice: number, extra: Body = {}): Body {
  return { symbol: BTC, orderType: 'PEG', orderSide: side, orderPrice, orderSize: 1, stealth: 100, ...extra };
}

/** 1 BTC over 60 s: twenty children of 0.05, three seconds apart. */
export function twap(side: 'BUY' | 'SELL' = 'SELL', extra: Body = {}): Body {
  return { symbol: BTC, orderType: 'TWAP', orderSide: side, orderSize: 1, timePeriod: 60, ...extra };
}

/** Futures v2.3. */
export function future(side: 'BUY' | 'SELL', price: number | null, size = 10, extra: Body = {}): Body {
  const type = price === null ? { type: 'MARKET' } : { type: 'LIMIT', price };
  return { symbol: PERP, side, size, ...type, ...extra };
}

/** Futures v2.3: waits for the mark. */
export function stop(side: 'BUY' | 'SELL', triggerPrice: number, size = 10, extra: Body = {}): Body {
  return { symbol: PERP, side, size, type: 'MARKET', txType: 'STOP', triggerPrice, ...extra };
}
