/** The liquidity of a scenario: levels around a price that the scenario gives, placed anew when they differ. */
import type { ControlClient } from '../client/control.ts';
import type { MarketView } from '../venue/views.ts';
import { type Liquidity, msOf } from './schema.ts';

/** Its account. It has money for any book. */
export const HOUSE = 'liquidity';

export interface Level {
  readonly side: 'BUY' | 'SELL';
  readonly priceTicks: number;
  readonly size: string;
}

const USUAL = { spread: 0.0002, gap: 0.0002, levels: 5 };

/** The levels at a time since the beginning, around `price`. */
export function levelsOf(
  all: readonly Liquidity[],
  market: MarketView,
  ms: number,
  lengthMs: number,
  price: number,
): Level[] {
  const tick = Number(market.spec.tick);
  return all.flatMap((liquidity) => {
    const { symbol, from = 0, until = lengthMs + 1, offset = 0, size, sides = 'both' } = liquidity;
    if (symbol !== market.symbol || ms < msOf(from) || ms >= msOf(until)) return [];
    const { spread, gap, levels } = { ...USUAL, ...liquidity };
    const middle = Number(liquidity.price ?? price) * (1 + offset);
    const found: Level[] = [];
    for (let i = 0; i < levels; i += 1) {
      const away = spread / 2 + i * gap;
      const bid = Math.floor((middle * (1 - away)) / tick + 1e-9);
      const ask = Math.ceil((middle * (1 + away)) / tick - 1e-9);
      if (sides !== 'asks' && bid > 0) found.push({ side: 'BUY', priceTicks: bid, size: String(size) });
      if (sides !== 'bids' && ask <= market.maxPriceTicks)
        found.push({ side: 'SELL', priceTicks: ask, size: String(size) });
    }
    return found;
  });
}

/** Withdraws what the house has in the market, and places the levels. @throws {VenueError} a level was refused */
export async function quote(control: ControlClient, market: MarketView, levels: readonly Level[]): Promise<void> {
  await withdraw(control, market);
  const { symbol } = market;
  const bodies = levels.map(({ side, priceTicks, size }) => {
    const price = market.priceText(priceTicks);
    return market.spec.kind === 'spot'
      ? { symbol, orderSide: side, orderType: 'LIMIT', orderPrice: price, orderSize: size }
      : { symbol, side, type: 'LIMIT', price, size };
  });
  await Promise.all(bodies.map((body) => control.placeAs(HOUSE, body)));
}

async function withdraw(control: ControlClient, { symbol, spec }: MarketView): Promise<void> {
  const { orders } = await control.openOrders(HOUSE, { limit: 1000 }, symbol);
  const name = spec.kind === 'spot' ? 'orderId' : 'orderID';
  const cancel = (id: string) => control.request('DELETE', `/accounts/${HOUSE}/orders?symbol=${symbol}&${name}=${id}`);
  await Promise.all(orders.map(({ orderId }) => cancel(orderId)));
}
