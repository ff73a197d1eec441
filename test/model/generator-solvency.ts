/**
 * Commands that aim at the rules of solvency: positions as large as the money allows, closed at prices around their
 * bankruptcy price, gaps of the index, pending values, books swept empty, money taken out or reserved up to the last unit.
 */
import type { Place, Side } from '../../src/venue/contract/commands.ts';
import type { Step } from './compare.ts';
import type { Aims } from './generator-aims.ts';
import { bestOf, within } from './model-book.ts';
import { bankruptcyPrice, closingLimit, marginAccountOf } from './model-equity.ts';
import { balanceOf } from './model-funds.ts';
import { mostLeverage, positionsIn, positionsOf } from './model-positions.ts';
import {
  BUY,
  FINE,
  type ModelAccount,
  type ModelMarket,
  type ModelPosition,
  notional,
  opposite,
  SELL,
  type World,
} from './model-state.ts';
import type { Random } from './random.ts';

interface Open {
  account: ModelAccount;
  market: ModelMarket;
  position: ModelPosition;
}

export class Solvency {
  readonly #r: Random;
  readonly #aims: Aims;
  /** What is left of a scene: each command is made when its turn comes. */
  #scene: ((w: World) => Step | null)[] = [];

  constructor(r: Random, aims: Aims) {
    this.#r = r;
    this.#aims = aims;
  }

  /** Whether a scene is going on: it comes to something only where little comes between. */
  get busy(): boolean {
    return this.#scene.length > 0;
  }

  /** Null: the world has no perpetual with a mark. */
  next(w: World): Step | null {
    const r = this.#r;
    for (let make = this.#scene.shift(); make !== undefined; make = this.#scene.shift()) {
      const step = make(w);
      if (step !== null) return step;
    }
    const markets = w.s.markets.filter((m) => m.product === 'futures' && m.mark !== 0);
    if (markets.length === 0) return null;
    const market = r.pick(markets);
    const open = this.#open(w, markets);
    const chosen = open.length === 0 ? null : r.pick(open);
    if (r.once(6)) {
      this.#scene = this.#ruin(w, market);
      return this.next(w);
    }
    switch (
      r.weighted({
        maker: 22,
        load: 22,
        close: chosen ? 22 : 0,
        gap: 16,
        feed: 8,
        thin: 4,
        drain: chosen ? 8 : 0,
        reserve: 5,
        leverage: 4,
        across: 6,
      })
    ) {
      case 'maker':
        return this.#maker(w, market);
      case 'load':
        return this.#load(w, market);
      case 'close':
        return this.#close(w, chosen!);
      case 'gap':
        return this.#gap(w, market, chosen);
      case 'feed':
        return this.#feed(market);
      case 'thin':
        return { v: 1, type: 'cancelAll', account: this.#aims.account(w), product: 'futures', market: market.index };
      case 'across':
        return this.#across(w, market) ?? this.#maker(w, market);
      case 'drain':
        return this.#drain(w, chosen!);
      case 'reserve':
        return this.#reserve(w, chosen) ?? this.#load(w, market);
      default:
        return this.#leverage(w, market);
    }
  }

  #open(w: World, markets: readonly ModelMarket[]): Open[] {
    return [...w.s.accounts.values()].flatMap((account) =>
      markets.flatMap((market) =>
        positionsOf(positionsIn(account, market))
          .filter((position) => position.size !== 0)
          .map((position) => ({ account, market, position })),
      ),
    );
  }

  #limit(
    account: number,
    market: ModelMarket,
    side: Side,
    price: number,
    size: number,
    terms: Partial<Place> = {},
  ): Step {
    const r = this.#r;
    return {
      v: 1,
      type: 'place',
      kind: 'limit',
      account,
      market: market.index,
      side,
      clientId: null,
      request: null,
      broker: null,
      price: Math.max(1, Math.min(price, market.maxTicks)),
      size: Math.max(1, Math.min(size, market.maxLots)),
      timeInForce: r.weighted({ GTC: 6, IOC: 2, FOK: 1 }),
      postOnly: false,
      reduceOnly: false,
      ...terms,
    } as Step;
  }

  /** A poor account loads all that it can, a friend waits where it would be ruined, and it closes, or the index gaps. */
  #ruin(w: World, market: ModelMarket): ((w: World) => Step | null)[] {
    const r = this.#r;
    const byMoney = [...w.s.accounts.values()].sort((a, b) => Number(a.totals[market.quote] - b.totals[market.quote]));
    const [poor, rich] = [byMoney[0].number, byMoney.at(-1)!.number];
    const friend = r.once(2) ? rich : byMoney[Math.min(1, byMoney.length - 1)].number;
    const side = r.pick([BUY, SELL]);
    const mark = (): number => Math.max(1, Math.round(market.mark / FINE));
    const mine = (now: World): Open | null => {
      const account = now.s.accounts.get(poor);
      const of: ModelMarket | undefined = now.s.markets[market.index];
      // A reset or a restore has taken the market away.
      if (account === undefined || of === undefined) return null;
      const position = positionsOf(positionsIn(account, of)).find((p) => p.size !== 0);
      return position === undefined ? null : { account, market: of, position };
    };
    const lots = Math.max(market.minLots, Math.min(market.maxLots, r.pick([8, 20, market.maxLots])));
    const load = (now: World): Step => {
      const account = now.s.accounts.get(poor);
      const available = account === undefined ? 0n : balanceOf(now, account, market.quote).available;
      const rate = market.tiers[0].initial + 3n * market.taker;
      const most = Number((available * 100_000_000n) / (rate * notional(market, mark(), 1) + 1n));
      const size = Math.max(market.minLots, Math.min(lots, most));
      return r.once(2)
        ? this.#market(poor, market, side, size, {})
        : this.#limit(poor, market, side, mark(), size, { timeInForce: 'GTC' });
    };
    const wait = (now: World): Step | null => {
      const chosen = mine(now);
      if (chosen === null) return null;
      const away = chosen.position.size > 0 ? -1 : 1;
      const limit = closingLimit(now, chosen.account, chosen.market, chosen.position);
      const closing = chosen.position.size > 0 ? SELL : BUY;
      const far = within(chosen.market, closing, chosen.market.mark, chosen.market.marketBand);
      const price = r.pick([limit, limit + away, limit - away, far, mark() + away, mark() + 3 * away]);
      const size = Math.max(1, Math.ceil(Math.abs(chosen.position.size) / r.pick([1, 1, 2])));
      return this.#limit(friend, chosen.market, opposite(closing), price, size, { timeInForce: 'GTC' });
    };
    const then = (now: World): Step | null => {
      const chosen = mine(now);
      if (chosen === null) return null;
      return r.once(3) ? this.#gap(now, chosen.market, chosen) : this.#close(now, chosen, true);
    };
    const drain = (now: World): Step | null => {
      const chosen = mine(now);
      return chosen === null || r.once(2) ? null : this.#drain(now, chosen);
    };
    return [
      () => this.#limit(rich, market, opposite(side), mark(), lots, { timeInForce: 'GTC' }),
      load,
      drain,
      wait,
      then,
      wait,
      then,
    ];
  }

  /** Depth near the mark, of the richest account mostly. */
  #maker(w: World, market: ModelMarket): Step {
    const r = this.#r;
    const accounts = [...w.s.accounts.values()];
    const rich = accounts.reduce((a, b) => (b.totals[market.quote] > a.totals[market.quote] ? b : a));
    const account = r.once(4) ? this.#aims.account(w) : rich.number;
    const side = r.pick([BUY, SELL]);
    const away = side === BUY ? -1 : 1;
    const price = Math.round(market.mark / FINE) + away * r.pick([0, 0, 1, 1, 2, 4]);
    return this.#limit(account, market, side, price, market.minLots + r.int(0, 12), { timeInForce: 'GTC' });
  }

  /** As many contracts as available money carries at the highest rate of leverage, or as reach the edge of a tier. */
  #load(w: World, market: ModelMarket): Step {
    const r = this.#r;
    const number = this.#aims.account(w);
    const account = w.s.accounts.get(number);
    const side = r.pick([BUY, SELL]);
    const mark = Math.max(1, Math.round(market.mark / FINE));
    const each = notional(market, mark, 1);
    const available = account === undefined ? 0n : balanceOf(w, account, market.quote).available;
    const tier = r.pick(market.tiers);
    const rate = tier.initial + 2n * market.taker;
    const affordable = Number((available * 100_000_000n) / (rate * each + 1n));
    const lots = (r.once(4) ? Number(tier.max / each) : affordable) + r.pick([-1, 0, 0, 1]);
    const flat = account === undefined || positionsOf(positionsIn(account, market)).every((p) => p.size === 0);
    const isolated = flat && r.once(6) ? { positionMode: 'ISOLATED' as const } : {};
    if (r.once(3)) return this.#market(number, market, side, lots, isolated);
    const far = within(market, side, market.mark, market.band);
    const toward = side === BUY ? 1 : -1;
    const price = r.pick([mark, mark, mark + toward, mark - toward, mark + toward * r.int(1, 5), far]);
    return this.#limit(number, market, side, price, lots, isolated);
  }

  #market(account: number, market: ModelMarket, side: Side, size: number, terms: Partial<Place>): Step {
    const base = { v: 1, type: 'place', clientId: null, request: null, broker: null, reduceOnly: false } as const;
    const lots = Math.max(1, Math.min(size, market.maxLots));
    return { ...base, kind: 'market', account, market: market.index, side, size: lots, quote: null, ...terms } as Step;
  }

  /** At the mark: it fires at once. Half of them release a limit far away. */
  #stop(account: number, market: ModelMarket, side: Side, lots: number, terms: { reduceOnly: boolean }): Step {
    const trigger = Math.max(1, Math.round(market.mark / FINE));
    const far = within(market, side, market.mark, market.marketBand);
    const price = this.#r.once(2) ? far : null;
    const limited = { kind: 'conditional', rule: 'stop', trigger, reference: 'mark', price } as const;
    const stop: Partial<Place> = { ...limited, timeInForce: 'GTC', quote: null, reduceOnly: terms.reduceOnly };
    return this.#limit(account, market, side, far, lots, stop);
  }

  /** All or half of a position, or more than it, at its bankruptcy price, beside it, and far from the mark. */
  #close(w: World, { account, market, position }: Open, own = false): Step {
    const r = this.#r;
    const side = position.size > 0 ? SELL : BUY;
    const size = Math.abs(position.size);
    const lots = r.pick([size, size, Math.ceil(size / 2), size + 1, size * 2, 1]);
    const reduceOnly = r.once(2);
    const mode = positionsIn(account, market).mode;
    const terms = { reduceOnly: mode === 'ONE_WAY' ? reduceOnly : true };
    if (own && r.once(4)) return this.#stop(account.number, market, side, lots, terms);
    if (r.once(3)) return this.#market(account.number, market, side, lots, terms);
    const margin = marginAccountOf(w, account, market, position);
    const limits = [
      closingLimit(w, account, market, position),
      bankruptcyPrice(w, margin, { market, position }, market.liquidationFee),
      within(market, side, market.mark, market.band),
      within(market, side, market.mark, market.marketBand),
      Math.round(market.mark / FINE),
    ];
    const price = r.pick(limits) + r.pick([-1, 0, 0, 1]);
    // Half of the time somebody else makes the bid that it would be closed at.
    if (!own && r.once(2)) return this.#limit(this.#aims.account(w), market, opposite(side), price, lots);
    return this.#limit(account.number, market, side, price, lots, terms);
  }

  /** Around the price at which a position's equity is its maintenance, or gone; else a move of some per cent. */
  #gap(w: World, market: ModelMarket, chosen: Open | null): Step {
    const r = this.#r;
    const of = chosen?.market ?? market;
    let fine = Math.round(of.mark * (1 + r.pick([-1, 1]) * r.pick([0.0025, 0.01, 0.03, 0.05, 0.1, 0.2])));
    if (chosen !== null && r.once(2)) {
      const gone = closingLimit(w, chosen.account, of, chosen.position) * FINE;
      fine = Math.round(of.mark + (gone - of.mark) * r.pick([1, 1, 0.8, 0.6, 0.4])) + r.pick([-FINE, 0, 1, FINE]);
    }
    const index = Math.max(1, Math.min(fine, of.maxTicks * FINE));
    const set = r.once(4) ? { index, mark: index } : { index };
    return { v: 1, type: 'setPrices', market: of.index, byHand: true, ...set };
  }

  /** A value that is pending, one that confirms it, and small ones that free what was stale. */
  #feed(market: ModelMarket): Step {
    const r = this.#r;
    const from = market.pendingIndex !== 0 && r.once(2) ? market.pendingIndex : market.indexPrice || market.mark;
    const jump = Math.floor((from * Number(market.indexJump)) / 100_000_000);
    const fine = from + r.pick([0, 1, -1]) * r.pick([0, FINE, jump, jump + 1, jump * 2, jump * 5]);
    const index = Math.max(1, Math.min(fine, market.maxTicks * FINE));
    return { v: 1, type: 'setPrices', market: market.index, byHand: false, index };
  }

  /** A resting order's price moves to the other side of the mark: to what stands there, or far. */
  #across(w: World, market: ModelMarket): Step | null {
    const r = this.#r;
    const resting = w.s.live.filter((o) => o.market === market.index && o.kind === 'limit' && o.resting !== null);
    if (resting.length === 0) return null;
    const o = r.pick(resting);
    const best = bestOf(w, market, opposite(o.side))?.resting?.price;
    const far = within(market, o.side, market.mark, market.band);
    const mark = Math.round(market.mark / FINE);
    const price = r.pick([best ?? far, far, mark, mark + (o.side === BUY ? 1 : -1) * r.int(1, 6)]);
    return {
      v: 1,
      type: 'amend',
      account: o.account,
      product: 'futures',
      market: null,
      order: o.key,
      clientId: null,
      price: Math.max(1, Math.min(price, market.maxTicks)),
      size: r.once(3) ? Math.max(1, o.quantity + r.pick([-2, -1, 1, 4])) : null,
      totalSize: true,
      trigger: null,
    };
  }

  #drain(w: World, { account, market }: Open): Step {
    const { available } = balanceOf(w, account, market.quote);
    const out = available - BigInt(this.#r.pick([0, 0, 1]));
    const amount = String(out > 0n ? -out : 1n);
    return { v: 1, type: 'deposit', account: account.number, currency: w.s.currencies[market.quote].code, amount };
  }

  /** A spot BUY of whoever holds a position: what it reserves backs nothing else. */
  #reserve(w: World, chosen: Open | null): Step | null {
    const spot = w.s.markets.find((m) => m.product === 'spot' && m.indexPrice !== 0);
    if (spot === undefined) return null;
    const account = chosen?.account.number ?? this.#aims.account(w);
    const price = Math.max(1, Math.floor(spot.indexPrice / FINE) - this.#r.int(0, 4));
    const owner = w.s.accounts.get(account);
    const available = owner === undefined ? 0n : balanceOf(w, owner, spot.quote).available;
    const lots = Number(available / (notional(spot, price, 1) * BigInt(this.#r.pick([1, 1, 2, 3]))));
    return this.#limit(account, spot, BUY, price, Math.max(lots, spot.minLots), { timeInForce: 'GTC' });
  }

  /** The most that the tier in use allows. */
  #leverage(w: World, market: ModelMarket): Step {
    const account = this.#aims.account(w);
    const owner = w.s.accounts.get(account);
    const isolated = this.#r.once(2);
    const most =
      owner === undefined
        ? 100
        : mostLeverage(w, owner, market, isolated ? 'pending' : positionsIn(owner, market).cross[0]);
    const margin = isolated ? 'ISOLATED' : 'CROSS';
    return { v: 1, type: 'setLeverage', account, market: market.index, margin, leverage: most, position: null };
  }
}
