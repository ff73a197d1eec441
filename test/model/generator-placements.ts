/** Placements of every kind, aimed at the edges of their own rules. */
import type { Place, PositionMode, Reference, Side, TimeInForce } from '../../src/venue/contract/commands.ts';
import { type Aims, centreOf } from './generator-aims.ts';
import { bestOf } from './model-book.ts';
import { BUY, FINE, type ModelMarket, opposite, SELL, type World } from './model-state.ts';
import type { Random } from './random.ts';

const CLIENT_IDS = ['a', 'b', 'c', 'd'];
export const MODES: readonly PositionMode[] = ['ONE_WAY', 'HEDGE', 'ISOLATED'];
const SECOND = 1000;
const GTC = { timeInForce: 'GTC', postOnly: false } as const;

export type Kind = Place['kind'];
type PlaceBase = Pick<
  Place,
  'v' | 'type' | 'account' | 'market' | 'side' | 'clientId' | 'request' | 'broker' | 'positionMode'
>;

export class Placements {
  readonly #r: Random;
  readonly #aims: Aims;
  /** Some worlds lean to one position mode, and some crowd in one market. */
  readonly #mode: PositionMode | null;
  readonly #crowded: number | null;

  constructor(r: Random, aims: Aims) {
    this.#r = r;
    this.#aims = aims;
    this.#mode = r.pick([null, null, 'HEDGE', 'ISOLATED']);
    this.#crowded = r.once(3) ? r.int(0, 11) : null;
  }

  place(w: World, kind: Kind): Place {
    const r = this.#r;
    const spotOnly = kind === 'twap';
    const markets = spotOnly ? w.s.markets.filter((m) => m.product === 'spot') : w.s.markets;
    const crowded = this.#crowded !== null && !r.once(8);
    const market = crowded ? markets[(this.#crowded as number) % markets.length] : r.pick(markets);
    const futures = market.product === 'futures';
    const closing = futures && r.once(4) ? this.#aims.closing(w, market) : null;
    const account = closing?.account ?? this.#aims.account(w);
    const side = closing?.side ?? r.pick([BUY, SELL]);
    const clientId = r.once(3) ? r.pick(CLIENT_IDS) : null;
    const base = {
      v: 1,
      type: 'place',
      account,
      market: r.once(300) ? 99 : market.index,
      side,
      clientId,
      request: clientId === null ? null : `request ${r.int(0, 5)} ${clientId} ${market.index}`,
      broker: null,
      ...(market.product === 'futures' && this.#positionMode()),
    } as const;
    const price = this.#aims.price(w, market, side);
    const size = this.#aims.size(w, market, account, side, price);
    // A trigger may wait for a position that is still to come.
    const ahead = kind === 'conditional' || kind === 'trailing' ? 5 : 20;
    const reduceOnly = futures && r.once(this.#aims.reduces(w, account, market, side) ? 2 : ahead);
    const reference = () => r.pick(futures ? ['mark', 'last'] : ['last', 'mark', 'index']) as Reference;
    switch (kind) {
      case 'limit': {
        const inTheWay = r.once(12) ? this.#aims.inTheWay(w, market) : null;
        if (inTheWay !== null) return { ...base, ...inTheWay, kind, ...GTC, reduceOnly: false };
        const covering = r.once(3) ? this.#aims.covering(w, market) : null;
        if (covering !== null) return { ...base, ...covering, kind, ...GTC, reduceOnly: true };
        return {
          ...base,
          ...this.#named(w, market, account, reduceOnly),
          kind,
          price,
          size,
          ...this.#timing(),
          reduceOnly,
          ...this.#attachedTerms(w, market, side, price, reduceOnly),
        };
      }
      case 'market': {
        const inQuote = !futures && side === BUY && !r.once(6);
        const sized = inQuote ? { size: null, quote: this.#aims.quote(w, market, account) } : { size, quote: null };
        const named = this.#named(w, market, account, reduceOnly);
        const timeInForce = r.pick([null, null, null, 'IOC', 'FOK', 'FOK'] as const);
        const attached = this.#attachedTerms(w, market, side, price, reduceOnly);
        return { ...base, ...named, kind, ...sized, timeInForce, reduceOnly, ...attached };
      }
      case 'conditional':
        return this.#conditional(w, market, base, size, reduceOnly, reference());
      case 'oco': {
        const away = side === SELL ? 1 : -1;
        const at = Math.floor((market.last || market.indexPrice || centreOf(market) * FINE) / FINE);
        const trigger = at - away * r.int(0, 4);
        // A limit leg that takes something at once, where the book stands beyond the reference price.
        const across = bestOf(w, market, opposite(side))?.resting?.price;
        const gap = this.#gap(market, trigger);
        return {
          ...base,
          kind,
          size,
          price: across !== undefined && r.once(3) ? across : r.once(5) ? price : at + away * r.int(0, 4),
          stopTrigger: trigger,
          stopReference: reference(),
          stopPrice: Math.max(0, trigger + r.pick([0, 0, gap, -gap, gap + 1, -away])),
          ...this.#timing(5),
          reduceOnly,
        };
      }
      case 'trailing': {
        const byDistance = r.once(2);
        const inQuote = !futures && side === BUY;
        const activation = r.once(3) ? this.#aims.price(w, market, side) : null;
        return {
          ...base,
          kind,
          distance: byDistance ? r.pick([1, 500, 1000, 2000, 2500, 3000, 50_000]) : null,
          percent: byDistance ? null : r.pick([100_000_000, 500_000_000, 1_250_000_000, 9_900_000_000]),
          reference: reference(),
          size: inQuote ? null : size,
          quote: inQuote ? this.#aims.quote(w, market, account) : null,
          activation,
          activationReference: activation === null || r.once(2) ? null : reference(),
          reduceOnly,
          ...(r.once(3) && { timeInForce: this.#timing().timeInForce }),
        };
      }
      case 'peg': {
        // One account quotes both sides.
        const pegs = w.s.live.filter((o) => o.peg !== null && o.market === market.index);
        const quoted = pegs.length > 0 && r.once(3) ? r.pick(pegs) : null;
        const beside = quoted && { account: quoted.account, side: opposite(quoted.side) };
        return {
          ...base,
          ...beside,
          kind,
          price: r.once(2) ? price : centreOf(market) + r.int(-8, 8),
          size,
          stealth: r.pick([100_000_000, 1_000_000_000, 2_500_000_000, 3_300_000_000, 10_000_000_000]),
          deviation: r.pick([
            0, 0, 100_000_000, -100_000_000, 250_000_000, -250_000_000, 1_000_000_000, -1_000_000_000,
          ]),
        };
      }
      case 'twap':
        return this.#twap(w, market, base, size, price);
    }
  }

  #positionMode(): { positionMode?: PositionMode } {
    if (this.#mode !== null && this.#r.once(2)) return { positionMode: this.#mode };
    return this.#r.once(12) ? { positionMode: this.#r.pick(MODES) } : {};
  }

  /** A closing order may name its position: one that is there, mostly. */
  #named(w: World, market: ModelMarket, account: number, reduceOnly: boolean): { position?: number } {
    const r = this.#r;
    if (market.product === 'spot' || !r.once(reduceOnly ? 3 : 20)) return {};
    const marketPositions = w.s.accounts.get(account)?.positionsByMarket.get(market.index);
    const open = [...(marketPositions?.cross ?? []), ...(marketPositions?.isolated ?? [])].filter((p) => p.size !== 0);
    return { position: open.length === 0 || r.once(10) ? r.int(0, 4) : r.pick(open).id };
  }

  #timing(untilCancelled = 12): { timeInForce: TimeInForce; postOnly: boolean } {
    const r = this.#r;
    const timeInForce = r.weighted({
      GTC: untilCancelled,
      IOC: 3,
      FOK: 3,
      HALFSEC: 1,
      HALFMIN: 2,
      FIVEMIN: 1,
      HOUR: 1,
    });
    return { timeInForce, postOnly: timeInForce !== 'IOC' && timeInForce !== 'FOK' && r.once(6) };
  }

  /** The trigger-to-limit distance in ticks. */
  #gap(market: ModelMarket, trigger: number): number {
    return market.distance === null ? 2 : Math.floor((trigger * Number(market.distance)) / 100_000_000);
  }

  #attachedTerms(w: World, market: ModelMarket, side: Side, price: number, reduceOnly: boolean) {
    const r = this.#r;
    if (market.product === 'spot' || reduceOnly || r.once(2)) return {};
    const up = side === BUY ? 1 : -1;
    const terms = (ticks: number) => ({ price: Math.max(0, ticks), reference: r.pick(['mark', 'last'] as const) });
    const from = r.once(4) ? this.#aims.price(w, market, side) : price;
    return {
      ...(!r.once(3) && { takeProfit: terms(from + up * r.pick([0, 1, 2, 4])) }),
      ...(!r.once(3) && { stopLoss: terms(from - up * r.pick([0, 1, 2, 4])) }),
    };
  }

  #conditional(
    w: World,
    market: ModelMarket,
    base: PlaceBase,
    size: number,
    reduceOnly: boolean,
    reference: Reference,
  ): Place {
    const r = this.#r;
    const trigger = this.#aims.price(w, market, base.side);
    const gap = this.#gap(market, trigger);
    const limited = r.once(2);
    const price = limited ? Math.max(0, trigger + r.pick([0, 0, 1, -1, gap, -gap, gap + 1, -gap - 1])) : null;
    const inQuote = !limited && market.product === 'spot' && base.side === BUY;
    return {
      ...base,
      kind: 'conditional',
      rule: r.pick(['stop', 'profit', 'stop', 'profit', 'reach']),
      trigger,
      reference,
      price,
      size: inQuote ? null : size,
      quote: inQuote ? this.#aims.quote(w, market, base.account) : null,
      ...(limited ? this.#timing() : GTC),
      ...(!limited && market.product === 'futures' && { timeInForce: this.#timing().timeInForce }),
      reduceOnly,
      ...this.#attachedTerms(w, market, base.side, price ?? trigger, reduceOnly),
    };
  }

  #twap(w: World, market: ModelMarket, base: PlaceBase, size: number, price: number): Place {
    const r = this.#r;
    const activation = r.once(4) ? price : null;
    return {
      ...base,
      kind: 'twap',
      size: r.once(2) ? Math.min(market.maxLots, market.minLots * r.int(2, 8) + r.int(0, 2)) : size,
      periodMs: r.pick([60, 60, 61, 90, 600]) * SECOND,
      makerFirst: r.once(2),
      randomizeSize: r.once(3),
      maxChildSize: r.once(3) ? market.minLots + r.int(0, 3) : null,
      maxSpread: r.once(4) ? r.pick([0, 1_000_000, 5_000_000, 20_000_000]) : null,
      maxThroughBook: r.once(4) ? r.pick([0, 2_000_000, 10_000_000, 100_000_000]) : null,
      pausePrice: r.once(4) ? this.#aims.price(w, market, base.side) : null,
      activation,
      activationReference: activation === null ? null : r.pick(['last', 'mark', 'index']),
    };
  }
}
