/** The liquidity of a scenario: levels around a price that the scenario gives. They are the house's. */
import type { HouseBook } from '../client/control.ts';
import type { MarketView } from '../venue/views.ts';
import { type Liquidity, msOf } from './schema.ts';

const USUAL = { spread: 0.0002, gap: 0.0002, levels: 5 };

/** The book at a time since the beginning, around `price`. Entries at one price add up. */
export function bookOf(
  all: readonly Liquidity[],
  market: MarketView,
  ms: number,
  lengthMs: number,
  price: number,
): Required<HouseBook> {
  const tick = Number(market.spec.tick);
  const [bids, asks] = [new Map<number, number>(), new Map<number, number>()];
  const add = (side: Map<number, number>, ticks: number, size: number) =>
    side.set(ticks, (side.get(ticks) ?? 0) + size);
  for (const liquidity of all) {
    const { symbol, from = 0, until = lengthMs + 1, offset = 0, sides = 'both' } = liquidity;
    if (symbol !== market.symbol || ms < msOf(from) || ms >= msOf(until)) continue;
    const { spread, gap, levels } = { ...USUAL, ...liquidity };
    const middle = Number(liquidity.price ?? price) * (1 + offset);
    for (let i = 0; i < levels; i += 1) {
      const away = spread / 2 + i * gap;
      const bid = Math.floor((middle * (1 - away)) / tick + 1e-9);
      const ask = Math.ceil((middle * (1 + away)) / tick - 1e-9);
      if (sides !== 'asks' && bid > 0) add(bids, bid, Number(liquidity.size));
      if (sides !== 'bids' && ask <= market.maxPriceTicks) add(asks, ask, Number(liquidity.size));
    }
  }
  const levelsOf = (side: Map<number, number>) =>
    [...side].map(([ticks, size]): [string, number] => [market.priceText(ticks), size]);
  return { bids: levelsOf(bids), asks: levelsOf(asks) };
}
