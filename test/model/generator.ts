/**
 * A seeded stream of commands that looks at the model and aims at what hurts: both sides of every limit, prices where
 * something already stands, sizes of exactly what is there or affordable and one beside, identities used before.
 */
import type { Cancel, Place, Reference, Side, TimeInForce } from '../../src/venue/commands.ts';
import type { Step, TimedStep } from './compare.ts';
import type { Model } from './model.ts';
import { bestOf, within } from './model-book.ts';
import { balanceOf, payCurrency } from './model-funds.ts';
import { BUY, FINE, type ModelMarket, type ModelOrder, notional, opposite, SELL, type World } from './model-state.ts';
import type { Random } from './random.ts';

const CLIENT_IDS = ['a', 'b', 'c', 'd'];
const MODES = ['ONE_WAY', 'HEDGE', 'ISOLATED'] as const;
const SECOND = 1000;
/** A deadline further away than this is not waited for: too many minutes would pass. */
const SOON_MS = 3600 * SECOND;
/** Around these the prices of a world move, in ticks. */
const CENTRE = 40;

type Kind = Place['kind'];
type Action =
  | Kind
  | 'amend'
  | 'cancel'
  | 'cancelAll'
  | 'cancelAllAfter'
  | 'setPrices'
  | 'advance'
  | 'deposit'
  | 'leverage'
  | 'mode'
  | 'attach'
  | 'halt'
  | 'createAccount'
  | 'listMarket'
  | 'save'
  | 'restore'
  | 'reset'
  | 'again';

export const ALL_ACTIONS: Readonly<Record<Action, number>> = {
  limit: 300,
  market: 110,
  conditional: 100,
  oco: 60,
  trailing: 50,
  peg: 50,
  twap: 40,
  cancel: 60,
  cancelAll: 8,
  setPrices: 120,
  advance: 80,
  deposit: 20,
  amend: 70,
  leverage: 8,
  mode: 6,
  attach: 10,
  halt: 6,
  cancelAllAfter: 6,
  again: 15,
  createAccount: 2,
  listMarket: 1,
  save: 4,
  restore: 4,
  reset: 1,
};

export class Generator {
  readonly #r: Random;
  readonly #actions: Partial<Record<Action, number>>;
  /** The world's time as sent with the commands of a real clock. */
  #atMs: number;
  #lastPlace: Place | null = null;
  #given = 0;
  /** Number of commands from which on the first market gets prices. */
  readonly #pricesFrom: number;

  constructor(r: Random, atMs: number, actions: Partial<Record<Action, number>> = ALL_ACTIONS) {
    this.#r = r;
    this.#atMs = atMs;
    this.#actions = actions;
    this.#pricesFrom = r.once(8) ? r.int(10, 80) : 0;
  }

  next(model: Model): TimedStep {
    const { w } = model;
    const command = this.#command(w);
    if (w.s.genesis.clock === 'real') {
      this.#atMs = Math.max(this.#atMs, w.s.now);
      if (command.type === 'advance') {
        this.#atMs = Math.max(command.toMs, this.#atMs);
        return this.#step({ v: 1, type: 'tick' });
      }
      if (this.#r.once(3)) this.#atMs += this.#r.pick([1, 499, SECOND, 1500]);
    }
    return this.#step(command);
  }

  /** Once in a while the venue is made anew from what it saved. */
  #step(command: Step): TimedStep {
    return { atMs: this.#atMs, command, ...(this.#r.once(150) && { restart: true }) };
  }

  #command(w: World): Step {
    const r = this.#r;
    // Prices first, else little can happen; some worlds go without for a while.
    this.#given++;
    for (const market of w.s.markets) {
      const withheld = this.#given < this.#pricesFrom && market.index === 0;
      if (market.indexPrice === 0 && !withheld && !r.once(8)) return this.#prices(w, market);
    }
    const halted = w.s.markets.find((m) => m.halted);
    if (halted !== undefined && r.once(8)) return { v: 1, type: 'resumeMarket', market: halted.index };
    let action = r.weighted(this.#actions);
    const spotOnly = action === 'peg' || action === 'twap';
    if (spotOnly && w.s.markets.every((m) => m.product !== 'spot')) action = 'limit';
    switch (action) {
      case 'cancel':
        return this.#cancel(w);
      case 'cancelAll':
        return {
          v: 1,
          type: 'cancelAll',
          account: this.#account(w),
          product: r.pick(['spot', 'futures']),
          market: r.once(2) ? null : r.pick(w.s.markets).index,
        };
      case 'setPrices':
        return this.#prices(w, r.pick(w.s.markets));
      case 'advance':
        return { v: 1, type: 'advance', toMs: this.#until(w) };
      case 'amend':
        return this.#amend(w);
      case 'cancelAllAfter': {
        const timeoutMs = r.pick([0, 1, 500, SECOND, 60 * SECOND, 2_592_000_000, 2_592_000_001]);
        const product = r.pick(['spot', 'futures'] as const);
        return { v: 1, type: 'cancelAllAfter', account: this.#account(w), product, timeoutMs };
      }
      case 'leverage':
        return this.#leverage(w);
      case 'mode': {
        const [account, market] = [this.#account(w), r.pick(w.s.markets).index];
        return { v: 1, type: 'setPositionMode', account, market, mode: r.pick(MODES) };
      }
      case 'attach':
        return this.#attach(w);
      case 'halt': {
        return {
          v: 1,
          type: r.once(9) ? 'resumeMarket' : 'haltMarket',
          market: r.once(20) ? 99 : r.pick(w.s.markets).index,
        };
      }
      case 'deposit':
        return this.#deposit(w);
      case 'createAccount':
        return { v: 1, type: 'createAccount', name: r.pick(['ann', 'eve', 'fay']) };
      case 'listMarket': {
        const spec = w.s.markets[0].spec;
        return { v: 1, type: 'listMarket', market: { ...spec, symbol: r.pick(['AA-QQ', 'NEW-QQ']) } };
      }
      case 'save':
        return { v: 1, type: 'saveSnapshot', name: r.pick(['x', 'y']) };
      case 'restore':
        return { v: 1, type: 'restoreSnapshot', name: r.pick(['x', 'y', 'z']) };
      case 'reset':
        return { v: 1, type: 'reset' };
      case 'again':
        return this.#lastPlace === null ? { v: 1, type: 'tick' } : structuredClone(this.#lastPlace);
      default: {
        const place = this.#place(w, action);
        this.#lastPlace = place;
        return place;
      }
    }
  }

  #account(w: World): number {
    if (this.#r.once(200)) return 99;
    return this.#r.pick([...w.s.accounts.keys()]);
  }

  // --- cancels, time, money, prices ---------------------------------------------------------------------------------

  #cancel(w: World): Cancel {
    const r = this.#r;
    const base = {
      v: 1,
      type: 'cancel',
      product: 'spot',
      account: this.#account(w),
      market: null,
      clientId: null,
    } as const;
    const known = r.once(8) ? w.s.ended : w.s.live;
    if (known.length === 0 || r.once(20)) return { ...base, order: 12345 };
    const o = r.pick(known);
    const account = r.once(15) ? base.account : o.account;
    const product = r.once(15) ? r.pick(['spot', 'futures'] as const) : o.product;
    const market = r.once(4) ? r.pick(w.s.markets).index : null;
    if (o.clientId !== null && r.once(2))
      return { ...base, account, product, market, order: null, clientId: o.clientId };
    return { ...base, account, product, market, order: o.key };
  }

  #amend(w: World): Step {
    const r = this.#r;
    const known = w.s.live.length === 0 || r.once(20) ? w.s.ended : w.s.live;
    if (known.length === 0) return { v: 1, type: 'tick' };
    const o = r.pick(known);
    const market = w.s.markets[o.market];
    const byClient = o.clientId !== null && r.once(2);
    const across = bestOf(w, market, opposite(o.side))?.resting?.price;
    const near = o.postOnly && across !== undefined && r.once(2) ? across : o.price + r.pick([-1, 0, 1]);
    const price = r.once(2) ? (r.once(2) ? near : this.#price(w, market, o.side)) : null;
    const size = r.once(2) ? this.#newSize(w, market, o) : null;
    const waits = o.trigger !== null && !o.trigger.fired;
    const trigger = r.once(waits ? 2 : 12) || (price === null && size === null) ? this.#price(w, market, o.side) : null;
    return {
      v: 1,
      type: 'amend',
      account: r.once(20) ? this.#account(w) : o.account,
      product: o.product,
      market: r.once(3) ? r.pick(w.s.markets).index : null,
      order: byClient ? null : o.key,
      clientId: byClient ? o.clientId : null,
      price,
      size,
      totalSize: r.once(2),
      trigger,
    };
  }

  /** Around what is filled, what it is now, the limits, and what stands on the other side. */
  #newSize(w: World, market: ModelMarket, o: ModelOrder): number {
    const r = this.#r;
    const from = r.pick([o.filled, o.current, o.current, o.current - o.filled, market.minLots, market.maxLots]);
    const beside = from + r.pick([-2, -1, -1, 0, 1, 2]);
    return Math.max(0, r.once(6) ? this.#size(w, market, o.account, o.side, o.price) : beside);
  }

  #leverage(w: World): Step {
    const r = this.#r;
    const market = r.pick(w.s.markets);
    const account = this.#account(w);
    const holding = w.s.accounts.get(account)?.holdings.get(market.index);
    const isolated = r.once(2);
    const open = isolated ? holding?.isolated : holding?.crossed;
    const position = open !== undefined && open.length > 0 && r.once(2) ? r.pick(open).id : r.once(10) ? 7 : null;
    const leverage = r.pick([0, 1, 2, 3, 5, 10, 20, 99, 100, 101]);
    return {
      v: 1,
      type: 'setLeverage',
      account,
      market: market.index,
      margin: isolated ? 'ISOLATED' : 'CROSS',
      leverage,
      position,
    };
  }

  /** Attached orders for an open position: on their sides of the price, at it, and beyond. */
  #attach(w: World): Step {
    const r = this.#r;
    const market = r.pick(w.s.markets);
    const account = this.#account(w);
    const holding = w.s.accounts.get(account)?.holdings.get(market.index);
    const open = [...(holding?.crossed ?? []), ...(holding?.isolated ?? [])].filter((p) => p.size !== 0);
    const position = open.length === 0 ? undefined : r.pick(open);
    const at = Math.floor((market.mark || CENTRE * FINE) / FINE);
    const up = (position?.size ?? 1) > 0 ? 1 : -1;
    const bracket = (ticks: number) => ({ price: Math.max(0, ticks), reference: r.pick(['mark', 'last'] as const) });
    const takeProfit = r.once(3) ? null : bracket(at + up * r.pick([0, 1, 1, 2, 4]));
    const stopLoss = r.once(3) ? null : bracket(at - up * r.pick([0, 1, 1, 2, 4]));
    return {
      v: 1,
      type: 'attachBrackets',
      account,
      market: market.index,
      position: position?.id ?? r.int(0, 2),
      takeProfit,
      stopLoss,
    };
  }

  /** A deadline, a millisecond before it, a little or a lot. */
  #until(w: World): number {
    const r = this.#r;
    const due = [
      ...w.s.live.flatMap((o) => [o.expiresAtMs ?? 0, o.twap?.nextChildAtMs ?? 0]),
      ...w.s.switches.map(({ atMs }) => atMs),
      ...w.s.markets.map(({ nextMinuteMs }) => nextMinuteMs),
    ].filter((at) => at > w.s.now && at <= w.s.now + SOON_MS);
    if (due.length > 0 && r.once(2)) return r.pick(due) - r.pick([0, 0, 0, 1]);
    if (r.once(100)) return w.s.now - 1;
    return w.s.now + r.pick([0, 1, 500, SECOND, 2000, 3000, 30 * SECOND, 60 * SECOND, 59_999, 300 * SECOND, 1_800_000]);
  }

  #deposit(w: World): Step {
    const r = this.#r;
    const number = this.#account(w);
    const currency = r.int(0, w.s.currencies.length - 1);
    const account = w.s.accounts.get(number);
    const available = account === undefined ? 0n : balanceOf(w, account, currency).available;
    // An account with positions keeps little beyond its margin, so that a price move liquidates it.
    const holds =
      account !== undefined &&
      [...account.holdings.values()].some((h) => [...h.crossed, ...h.isolated].some((p) => p.size !== 0));
    if (holds && available > 1n && r.once(2)) {
      return {
        v: 1,
        type: 'deposit',
        account: number,
        currency: w.s.currencies[currency].code,
        amount: String(-available),
      };
    }
    const amount = r.pick([100n, 1n, 1000n, -1n, -available, -available - 1n, -available + 1n, -available / 2n]);
    const code = r.once(50) ? 'ZZ' : w.s.currencies[currency].code;
    return { v: 1, type: 'deposit', account: number, currency: code, amount: String(amount === 0n ? 1n : amount) };
  }

  #prices(w: World, market: ModelMarket): Step {
    const r = this.#r;
    const fine = (): number => {
      const near = r.once(4) ? this.#price(w, market, r.pick([BUY, SELL])) : CENTRE + r.int(-6, 6);
      const ticks = r.once(25) ? r.pick([1, 20, 30, 50, 55]) : near;
      const price = Math.max(1, Math.min(ticks, market.maxTicks)) * FINE;
      return r.once(3) ? Math.max(1, price + r.pick([-1, 1, 500, -500])) : price;
    };
    const set: Partial<Record<'index' | 'mark' | 'last', number | null>> = {};
    const what = market.indexPrice === 0 ? 'index' : r.weighted({ index: 8, mark: 3, last: 4, free: 1, all: 2 });
    if (what === 'index' || what === 'all') set.index = fine();
    if (what === 'mark' || what === 'all') set.mark = fine();
    if (what === 'free') set.mark = null;
    if (what === 'last' || what === 'all') set.last = Math.max(1, Math.round(fine() / FINE));
    return { v: 1, type: 'setPrices', market: market.index, byHand: true, ...set } as Step;
  }

  // --- placements ---------------------------------------------------------------------------------------------------

  /** Prices where something stands or a limit lies, and their neighbours. */
  #price(w: World, market: ModelMarket, side: Side): number {
    const r = this.#r;
    const near = (ticks: number | undefined) =>
      ticks === undefined ? CENTRE + r.int(-5, 5) : ticks + r.pick([-1, 0, 0, 0, 1]);
    const reference = market.product === 'spot' ? market.indexPrice : market.mark;
    switch (r.weighted({ maker: 16, centre: 6, same: 6, other: 8, band: 2, trigger: 3, reference: 3, edge: 1 })) {
      case 'maker':
        return Math.floor((reference || CENTRE * FINE) / FINE) + (side === BUY ? -1 : 1) * r.int(0, 3);
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
        return CENTRE + r.int(-4, 4);
    }
  }

  /** Sizes at the edges, of exactly what stands there, what the position is, or what the money is worth; and beside. */
  #size(w: World, market: ModelMarket, account: number, side: Side, price: number): number {
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
        return beside(this.#held(w, account, market));
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

  /** Contracts of one of the account's positions there, whichever. */
  #held(w: World, account: number, market: ModelMarket): number {
    const holding = w.s.accounts.get(account)?.holdings.get(market.index);
    const open = [...(holding?.crossed ?? []), ...(holding?.isolated ?? [])].filter((p) => p.size !== 0);
    return open.length === 0 ? market.minLots : Math.abs(this.#r.pick(open).size);
  }

  /** Whether an order of this side would reduce something. */
  #reduces(w: World, account: number, market: ModelMarket, side: Side): boolean {
    const holding = w.s.accounts.get(account)?.holdings.get(market.index);
    const open = [...(holding?.crossed ?? []), ...(holding?.isolated ?? [])];
    return open.some((p) => (side === BUY ? p.size < 0 : p.size > 0));
  }

  #quote(w: World, market: ModelMarket, account: number): string {
    const r = this.#r;
    const best = bestOf(w, market, SELL)?.resting?.price ?? CENTRE;
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

  #place(w: World, kind: Kind): Place {
    const r = this.#r;
    const spotOnly = kind === 'peg' || kind === 'twap';
    const markets = spotOnly ? w.s.markets.filter((m) => m.product === 'spot') : w.s.markets;
    const market = r.pick(markets);
    const account = this.#account(w);
    const side = r.pick([BUY, SELL]);
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
      ...(market.product === 'futures' && r.once(12) && { positionMode: r.pick(MODES) }),
    } as const;
    const price = this.#price(w, market, side);
    const size = this.#size(w, market, account, side, price);
    const futures = market.product === 'futures';
    const reduceOnly = futures && r.once(this.#reduces(w, account, market, side) ? 2 : 20);
    const reference = () => r.pick(futures ? ['mark', 'last'] : ['last', 'mark', 'index']) as Reference;
    switch (kind) {
      case 'limit':
        return {
          ...base,
          ...this.#named(w, market, account, reduceOnly),
          kind,
          price,
          size,
          ...this.#timing(),
          reduceOnly,
          ...this.#brackets(w, market, side, price, reduceOnly),
        };
      case 'market': {
        const inQuote = !futures && side === BUY && !r.once(6);
        const sized = inQuote ? { size: null, quote: this.#quote(w, market, account) } : { size, quote: null };
        const named = this.#named(w, market, account, reduceOnly);
        return { ...base, ...named, kind, ...sized, reduceOnly, ...this.#brackets(w, market, side, price, reduceOnly) };
      }
      case 'conditional':
        return this.#conditional(w, market, base, size, reduceOnly, reference());
      case 'oco': {
        const away = side === SELL ? 1 : -1;
        const at = Math.floor((market.last || market.indexPrice || CENTRE * FINE) / FINE);
        const trigger = at - away * r.int(0, 4);
        const gap = this.#gap(market, trigger);
        return {
          ...base,
          kind,
          size,
          price: r.once(5) ? price : at + away * r.int(0, 4),
          stopTrigger: trigger,
          stopReference: reference(),
          stopPrice: Math.max(0, trigger + r.pick([0, 0, gap, -gap, gap + 1, -away])),
          ...this.#timing(),
          reduceOnly,
        };
      }
      case 'trailing': {
        const byDistance = r.once(2);
        const inQuote = !futures && side === BUY;
        const activation = r.once(3) ? this.#price(w, market, side) : null;
        return {
          ...base,
          kind,
          distance: byDistance ? r.pick([1, 500, 1000, 2000, 2500, 3000, 50_000]) : null,
          percent: byDistance ? null : r.pick([100_000_000, 500_000_000, 1_250_000_000, 9_900_000_000]),
          reference: reference(),
          size: inQuote ? null : size,
          quote: inQuote ? this.#quote(w, market, account) : null,
          activation,
          activationReference: activation === null || r.once(2) ? null : reference(),
          reduceOnly,
        };
      }
      case 'peg':
        return {
          ...base,
          kind,
          price: r.once(2) ? price : CENTRE + r.int(-8, 8),
          size,
          stealth: r.pick([100_000_000, 1_000_000_000, 2_500_000_000, 3_300_000_000, 10_000_000_000]),
          deviation: r.pick([
            0, 0, 100_000_000, -100_000_000, 250_000_000, -250_000_000, 1_000_000_000, -1_000_000_000,
          ]),
        };
      case 'twap':
        return this.#twap(w, market, base, size, price);
    }
  }

  /** A closing order may name its position: one that is there, mostly. */
  #named(w: World, market: ModelMarket, account: number, reduceOnly: boolean): { position?: number } {
    const r = this.#r;
    if (market.product === 'spot' || !r.once(reduceOnly ? 3 : 20)) return {};
    const holding = w.s.accounts.get(account)?.holdings.get(market.index);
    const open = [...(holding?.crossed ?? []), ...(holding?.isolated ?? [])].filter((p) => p.size !== 0);
    return { position: open.length === 0 || r.once(10) ? r.int(0, 4) : r.pick(open).id };
  }

  #timing(): { timeInForce: TimeInForce; postOnly: boolean } {
    const r = this.#r;
    const timeInForce = r.weighted({ GTC: 12, IOC: 3, FOK: 3, HALFSEC: 1, HALFMIN: 2, FIVEMIN: 1, HOUR: 1 });
    return { timeInForce, postOnly: timeInForce !== 'IOC' && timeInForce !== 'FOK' && r.once(6) };
  }

  /** The trigger-to-limit distance in ticks. */
  #gap(market: ModelMarket, trigger: number): number {
    return market.distance === null ? 2 : Math.floor((trigger * Number(market.distance)) / 100_000_000);
  }

  #brackets(w: World, market: ModelMarket, side: Side, price: number, reduceOnly: boolean) {
    const r = this.#r;
    if (market.product === 'spot' || reduceOnly || r.once(2)) return {};
    const up = side === BUY ? 1 : -1;
    const bracket = (ticks: number) => ({ price: Math.max(0, ticks), reference: r.pick(['mark', 'last'] as const) });
    const from = r.once(4) ? this.#price(w, market, side) : price;
    return {
      ...(!r.once(3) && { takeProfit: bracket(from + up * r.pick([0, 1, 2, 4])) }),
      ...(!r.once(3) && { stopLoss: bracket(from - up * r.pick([0, 1, 2, 4])) }),
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
    const trigger = this.#price(w, market, base.side);
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
      quote: inQuote ? this.#quote(w, market, base.account) : null,
      ...(limited ? this.#timing() : { timeInForce: 'GTC', postOnly: false }),
      reduceOnly,
      ...this.#brackets(w, market, base.side, price ?? trigger, reduceOnly),
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
      pausePrice: r.once(4) ? this.#price(w, market, base.side) : null,
      activation,
      activationReference: activation === null ? null : r.pick(['last', 'mark', 'index']),
    };
  }
}

type PlaceBase = Pick<
  Place,
  'v' | 'type' | 'account' | 'market' | 'side' | 'clientId' | 'request' | 'broker' | 'positionMode'
>;
