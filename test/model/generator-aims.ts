/** Where the generator aims: accounts, prices, sizes and amounts at the edges of what the model knows. */

import type { Side } from '../../src/venue/contract/commands.ts';
import { bestOf, within } from './model-book.ts';
import { balanceOf, payCurrency } from './model-funds.ts';
import { BUY, FINE, type ModelMarket, notional, opposite, SELL, type World } from './model-state.ts';
import type { Random } from './random.ts';

/** Around this the prices of a market move, in ticks: some are coarse, in some a tick is a quarter of a per cent. */
export const centreOf = (market: ModelMarket): number => (market.maxTicks > 1000 ? 400 : 40);

export class Aims {
  readonly #r: Random;

  constructor(r: Random) {
    this.#r = r;
  }

  account(w: World): number {
    if (this.#r.once(200)) return 99;
    return this.#r.pick([...w.s.accounts.keys()]);
  }

  /** Prices where something stands or a limit lies, and their neighbours. */
  price(w: World, market: ModelMarket, side: Side): number {
    const r = this.#r;
    const near = (ticks: number | undefined) =>
      ticks === undefined ? centreOf(market) + r.int(-5, 5) : ticks + r.pick([-1, 0, 0, 0, 1]);
    const reference = market.product === 'spot' ? market.indexPrice : market.mark;
    switch (r.weighted({ maker: 16, centre: 6, same: 6, other: 8, band: 2, trigger: 3, reference: 3, edge: 1 })) {
      case 'maker':
        return Math.floor((reference || centreOf(market) * FINE) / FINE) + (side === BUY ? -1 : 1) * r.int(0, 3);
      case 'same':
        return near(bestOf(w, market, side)?.resting?.price);
      case 'other':
        return near(bestOf(w, market, opposite(side))?.resting?.price);
      case 'band':
        return near(within(market, side, reference, market.band));
      case 'trigger': {
        const waiting = w.s.live.filter((o) => o.market === market.index && o.trigger !== null);
        return near(waiting.length === 0 ? undefined : r.pick(waiting).trigger!.price);
      }
      case 'reference':
        return near(Math.floor(r.pick([market.last, market.mark, market.indexPrice]) / FINE));
      case 'edge':
        return r.pick([0, 1, 2, market.maxTicks, market.maxTicks + 1]);
      default:
        return centreOf(market) + r.int(-4, 4);
    }
  }

  /** Sizes at the edges, of exactly what stands there, what the position is, or what the money is worth; and beside. */
  size(w: World, market: ModelMarket, account: number, side: Side, price: number): number {
    const r = this.#r;
    const beside = (lots: number) => {
      const near = Math.max(0, lots + r.pick([-1, 0, 0, 1]));
      return near < market.minLots && !r.once(6) ? market.minLots : near;
    };
    switch (
      r.weighted({ small: 12, minimum: 3, maximum: 1, there: 6, position: market.product === 'spot' ? 0 : 6, funds: 2 })
    ) {
      case 'minimum':
        return beside(market.minLots);
      case 'maximum':
        return beside(market.maxLots);
      case 'there': {
        const best = bestOf(w, market, opposite(side));
        return beside(best?.resting?.shown ?? market.minLots);
      }
      case 'position':
        return beside(this.sizeOfPosition(w, account, market));
      case 'funds': {
        const owner = w.s.accounts.get(account);
        if (owner === undefined || price < 1) return market.minLots;
        const { available } = balanceOf(w, owner, payCurrency(market, side));
        const each = market.product === 'spot' && side === SELL ? market.lotUnits : notional(market, price, 1);
        return beside(Math.min(Number(available / each), market.maxLots));
      }
      default:
        return market.minLots + r.int(0, 4);
    }
  }

  /**
   * What stands in the way of an order that is to protect or close: an own order at the best price of the other side, or
   * before it.
   */
  inTheWay(w: World, market: ModelMarket): { account: number; side: Side; price: number; size: number } | null {
    const waiting = w.s.live.filter((o) => o.market === market.index && (o.state === 'waiting' || o.twap !== null));
    if (waiting.length === 0) return null;
    const { account, side } = this.#r.pick(waiting);
    const best = bestOf(w, market, opposite(side))?.resting?.price ?? centreOf(market);
    const price = Math.max(1, best + this.#r.pick([0, side === BUY ? -1 : 1]));
    return { account, side: opposite(side), price, size: market.minLots + this.#r.int(0, 2) };
  }

  /** What covers the position of a reduce-only OCO beside its limit leg, and gives way after it. */
  covering(w: World, market: ModelMarket): { account: number; side: Side; price: number; size: number } | null {
    const legs = w.s.live.filter((o) => o.market === market.index && o.reduceOnly && o.oco?.role === 'limit');
    if (legs.length === 0) return null;
    const { account, side, price } = this.#r.pick(legs);
    const nearer = Math.max(1, price + (side === SELL ? -1 : 1));
    return { account, side, price: nearer, size: this.sizeOfPosition(w, account, market) };
  }

  /** An account with a position there, and the side that closes it. */
  closing(w: World, market: ModelMarket): { account: number; side: Side } | null {
    const open = [...w.s.accounts.values()].flatMap(({ number, positionsByMarket }) => {
      const marketPositions = positionsByMarket.get(market.index);
      const positions = [...(marketPositions?.cross ?? []), ...(marketPositions?.isolated ?? [])].filter(
        (p) => p.size !== 0,
      );
      return positions.map((p) => ({ account: number, side: p.size > 0 ? SELL : BUY }));
    });
    return open.length === 0 ? null : this.#r.pick(open);
  }

  /** Contracts of one of the account's positions there, whichever. */
  sizeOfPosition(w: World, account: number, market: ModelMarket): number {
    const marketPositions = w.s.accounts.get(account)?.positionsByMarket.get(market.index);
    const open = [...(marketPositions?.cross ?? []), ...(marketPositions?.isolated ?? [])].filter((p) => p.size !== 0);
    return open.length === 0 ? market.minLots : Math.abs(this.#r.pick(open).size);
  }

  /** Whether an order of this side would reduce something. */
  reduces(w: World, account: number, market: ModelMarket, side: Side): boolean {
    const marketPositions = w.s.accounts.get(account)?.positionsByMarket.get(market.index);
    const open = [...(marketPositions?.cross ?? []), ...(marketPositions?.isolated ?? [])];
    return open.some((p) => (side === BUY ? p.size < 0 : p.size > 0));
  }

  quote(w: World, market: ModelMarket, account: number): string {
    const r = this.#r;
    const best = bestOf(w, market, SELL)?.resting?.price ?? centreOf(market);
    const lots = notional(market, best, r.int(1, 6));
    const owner = w.s.accounts.get(account);
    const available = owner === undefined ? 1n : balanceOf(w, owner, market.quote).available;
    const amount = r.pick([
      lots,
      lots,
      lots + 1n,
      lots - 1n,
      lots + notional(market, 1, 1),
      notional(market, best, 1),
      notional(market, best, 1) - 1n,
      available,
      available + 1n,
    ]);
    return String(amount > 0n ? amount : 1n);
  }
}
