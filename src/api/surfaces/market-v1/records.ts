/** Markets and books in market v1. Quantities are text, precisions are numbers of decimals. */

import { decimalText } from '../../../venue/contract/decimal.ts';
import { BUY, type DepthLevel, SELL, type Side } from '../../../venue/contract/units.ts';
import type { MarketView } from '../../../venue/views.ts';
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
