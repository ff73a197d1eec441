/**
 * A seeded stream of commands that looks at the model and aims at what hurts: both sides of every limit, prices where
 * something already stands, sizes of exactly what is there or affordable and one beside, identities used before.
 */
import type { Cancel, Place } from '../../src/venue/contract/commands.ts';
import type { Step, TimedStep } from './compare.ts';
import { Aims, centreOf } from './generator-aims.ts';
import { type Kind, MODES, Placements } from './generator-placements.ts';
import { Solvency } from './generator-solvency.ts';
import { Terms } from './generator-terms.ts';
import type { Model } from './model.ts';
import { bestOf } from './model-book.ts';
import { balanceOf } from './model-funds.ts';
import { BUY, FINE, type ModelMarket, type ModelOrder, opposite, SELL, type World } from './model-state.ts';
import type { Random } from './random.ts';

const SECOND = 1000;
/** A deadline further away than this is not waited for: too many minutes would pass. */
const SOON_MS = 3600 * SECOND;

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
  | 'riskLimit'
  | 'mode'
  | 'attach'
  | 'halt'
  | 'createAccount'
  | 'addKey'
  | 'revokeKey'
  | 'listMarket'
  | 'save'
  | 'restore'
  | 'reset'
  | 'solvency'
  | 'again'
  | 'terms'
  | 'account'
  | 'delist';

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
  riskLimit: 8,
  mode: 6,
  attach: 10,
  halt: 6,
  cancelAllAfter: 6,
  again: 15,
  createAccount: 2,
  addKey: 1,
  revokeKey: 1,
  listMarket: 1,
  save: 4,
  restore: 4,
  reset: 1,
  solvency: 450,
  terms: 20,
  account: 10,
  delist: 6,
};

/** How many commands come with one transfer. */
const TRANSFER_EVERY = 37;

export class Generator {
  readonly #r: Random;
  readonly #aims: Aims;
  readonly #placements: Placements;
  readonly #solvency: Solvency;
  readonly #terms: Terms;
  readonly #actions: Partial<Record<Action, number>>;
  /** The world's time as sent with the commands of a real clock. */
  #atMs: number;
  #lastPlace: Place | null = null;
  #given = 0;
  #asked = 0;
  /** Number of commands from which on the first market gets prices. */
  readonly #pricesFrom: number;

  constructor(r: Random, atMs: number, actions: Partial<Record<Action, number>> = ALL_ACTIONS) {
    this.#r = r;
    this.#aims = new Aims(r);
    this.#placements = new Placements(r, this.#aims);
    this.#solvency = new Solvency(r, this.#aims);
    this.#terms = new Terms(r, this.#aims);
    this.#atMs = atMs;
    this.#actions = actions;
    this.#pricesFrom = r.once(8) ? r.int(10, 80) : 0;
  }

  next(model: Model): TimedStep {
    const { w } = model;
    this.#asked++;
    if (this.#asked % TRANSFER_EVERY === 0) {
      this.#atMs = Math.max(this.#atMs, w.s.now);
      return { atMs: this.#atMs, command: this.#transfer(w) };
    }
    const command = this.#command(w);
    if (w.s.genesis.clock === 'real') {
      this.#atMs = Math.max(this.#atMs, w.s.now);
      if (command.type === 'advance') {
        this.#atMs = Math.max(command.toMs, this.#atMs);
        return this.#step({ v: 1, type: 'tick' });
      }
      if (this.#r.once(3)) this.#atMs += this.#r.pick([1, 499, SECOND, 1500]);
      // A request is remembered for a minute: to the millisecond, where there is one to send again.
      const [first] = w.s.requests;
      if (first !== undefined && this.#r.once(40)) {
        this.#atMs = Math.max(this.#atMs, first.atMs + 60 * SECOND - this.#r.pick([0, 0, 1]));
        if (this.#lastPlace !== null) return this.#step(structuredClone(this.#lastPlace));
      }
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
      if (market.indexPrice === 0 && !market.delisted && !withheld && !r.once(8)) return this.#prices(w, market);
    }
    if (r.once(4)) {
      const thaw = this.#terms.thaw(w);
      if (thaw !== null) return thaw;
    }
    const halted = w.s.markets.find((m) => m.halted && !m.delisted);
    if (halted !== undefined && r.once(60)) return this.#terms.end(w);
    if (halted !== undefined && r.once(8)) return { v: 1, type: 'resumeMarket', market: halted.index };
    const stale = w.s.markets.find((m) => m.stale);
    if (stale !== undefined && r.once(12)) return this.#prices(w, stale);
    // Where positions are as large as they may be, dearer tiers and an end of the market hurt.
    if (this.#solvency.busy && r.once(40)) return r.once(4) ? this.#terms.end(w) : this.#terms.changeTiers(w);
    if (this.#solvency.busy && !r.once(5)) return this.#solvency.next(w) ?? { v: 1, type: 'tick' };
    let action = r.weighted(this.#actions);
    if (action === 'twap' && w.s.markets.every((m) => m.product !== 'spot')) action = 'limit';
    switch (action) {
      case 'cancel':
        return this.#cancel(w);
      case 'cancelAll':
        return {
          v: 1,
          type: 'cancelAll',
          account: this.#aims.account(w),
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
        return { v: 1, type: 'cancelAllAfter', account: this.#aims.account(w), product, timeoutMs };
      }
      case 'leverage':
        return this.#leverage(w);
      case 'riskLimit': {
        const [account, market] = [this.#aims.account(w), r.pick(w.s.markets)];
        const level = r.int(r.once(10) ? 0 : 1, market.tiers.length + (r.once(10) ? 1 : 0));
        return { v: 1, type: 'setRiskLimit', account, market: market.index, level };
      }
      case 'mode': {
        const [account, market] = [this.#aims.account(w), r.pick(w.s.markets).index];
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
      case 'addKey': {
        const terms = { sealed: 'sealed', permissions: ['trading'], ipAllow: [], expiresAtMs: null } as const;
        return { v: 1, type: 'addKey', account: this.#aims.account(w), key: r.pick(['k1', 'k2', 'k3']), ...terms };
      }
      case 'revokeKey':
        return { v: 1, type: 'revokeKey', key: r.pick(['k1', 'k2', 'k3']) };
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
      case 'solvency':
        return this.#solvency.next(w) ?? { v: 1, type: 'tick' };
      case 'terms':
        return this.#terms.changeMarket(w);
      case 'account':
        return this.#terms.changeAccount(w);
      case 'delist':
        return this.#terms.end(w);
      case 'again':
        return this.#lastPlace === null ? { v: 1, type: 'tick' } : structuredClone(this.#lastPlace);
      default: {
        const place = this.#placements.place(w, action);
        this.#lastPlace = place;
        return place;
      }
    }
  }

  // --- cancels, time, money, prices ---------------------------------------------------------------------------------

  #cancel(w: World): Cancel {
    const r = this.#r;
    const base = {
      v: 1,
      type: 'cancel',
      product: 'spot',
      account: this.#aims.account(w),
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
    const price = r.once(2) ? (r.once(2) ? near : this.#aims.price(w, market, o.side)) : null;
    const size = r.once(2) ? this.#newSize(w, market, o) : null;
    const waits = o.trigger !== null && !o.trigger.fired;
    const trigger =
      r.once(waits ? 2 : 12) || (price === null && size === null) ? this.#aims.price(w, market, o.side) : null;
    return {
      v: 1,
      type: 'amend',
      account: r.once(20) ? this.#aims.account(w) : o.account,
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
    const from = r.pick([o.filled, o.quantity, o.quantity, o.quantity - o.filled, market.minLots, market.maxLots]);
    const beside = from + r.pick([-2, -1, -1, 0, 1, 2]);
    return Math.max(0, r.once(6) ? this.#aims.size(w, market, o.account, o.side, o.price) : beside);
  }

  #leverage(w: World): Step {
    const r = this.#r;
    const market = r.pick(w.s.markets);
    const account = this.#aims.account(w);
    const marketPositions = w.s.accounts.get(account)?.positionsByMarket.get(market.index);
    const isolated = r.once(2);
    const open = isolated ? marketPositions?.isolated : marketPositions?.cross;
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
    const account = this.#aims.account(w);
    const marketPositions = w.s.accounts.get(account)?.positionsByMarket.get(market.index);
    const open = [...(marketPositions?.cross ?? []), ...(marketPositions?.isolated ?? [])].filter((p) => p.size !== 0);
    const position = open.length === 0 ? undefined : r.pick(open);
    const at = Math.floor((market.mark || centreOf(market) * FINE) / FINE);
    const up = (position?.size ?? 1) > 0 ? 1 : -1;
    const terms = (ticks: number) => ({ price: Math.max(0, ticks), reference: r.pick(['mark', 'last'] as const) });
    const takeProfit = r.once(3) ? null : terms(at + up * r.pick([0, 1, 1, 2, 4]));
    const stopLoss = r.once(3) ? null : terms(at - up * r.pick([0, 1, 1, 2, 4]));
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
      ...w.s.markets.flatMap(({ nextMinuteMs, staleAtMs }) => [nextMinuteMs, staleAtMs]),
    ].filter((at) => at > w.s.now && at <= w.s.now + SOON_MS);
    if (due.length > 0 && r.once(2)) return r.pick(due) - r.pick([0, 0, 0, 1]);
    if (r.once(100)) return w.s.now - 1;
    return w.s.now + r.pick([0, 1, 500, SECOND, 2000, 3000, 30 * SECOND, 60 * SECOND, 59_999, 300 * SECOND, 1_800_000]);
  }

  #deposit(w: World): Step {
    const r = this.#r;
    const number = this.#aims.account(w);
    const currency = r.int(0, w.s.currencies.length - 1);
    const account = w.s.accounts.get(number);
    const available = account === undefined ? 0n : balanceOf(w, account, currency).available;
    // An account with positions keeps little beyond its margin, so that a price move liquidates it.
    const holds =
      account !== undefined &&
      [...account.positionsByMarket.values()].some((h) => [...h.cross, ...h.isolated].some((p) => p.size !== 0));
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

  /** It changes nothing, and takes nothing from the random stream: the other commands of a seed stay what they are. */
  #transfer(w: World): Step {
    const turn = this.#asked / TRANSFER_EVERY;
    const number = turn % 9 === 0 ? 99 : turn % 4;
    const { code } = w.s.currencies[turn % w.s.currencies.length];
    const account = w.s.accounts.get(number);
    const available = account === undefined ? 0n : balanceOf(w, account, turn % w.s.currencies.length).available;
    const amounts = [null, String(available), String(available + 1n), '1', '0'];
    const first = { currency: code, amount: amounts[turn % amounts.length] };
    const other = turn % 11 === 0 ? 'ZZ' : w.s.currencies[0].code;
    const second = { currency: other, amount: amounts[(turn / 3) % amounts.length] };
    const [from, to] = turn % 2 === 0 ? (['spot', 'cross'] as const) : (['cross', 'spot'] as const);
    return { v: 1, type: 'transfer', account: number, from, to, amounts: turn % 3 === 0 ? [first, second] : [first] };
  }

  #prices(w: World, market: ModelMarket): Step {
    const r = this.#r;
    const fine = (): number => {
      const near = r.once(4) ? this.#aims.price(w, market, r.pick([BUY, SELL])) : centreOf(market) + r.int(-6, 6);
      const ticks = r.once(25) ? Math.ceil((centreOf(market) * r.pick([1, 20, 30, 50, 55])) / 40) : near;
      const price = Math.max(1, Math.min(ticks, market.maxTicks)) * FINE;
      return r.once(3) ? Math.max(1, price + r.pick([-1, 1, 500, -500])) : price;
    };
    const set: Partial<Record<'index' | 'mark' | 'last', number | null>> = {};
    const what = market.indexPrice === 0 ? 'index' : r.weighted({ index: 8, mark: 3, last: 4, free: 1, all: 2 });
    if (what === 'index' || what === 'all') set.index = fine();
    if (what === 'mark' || what === 'all') set.mark = fine();
    if (what === 'free') set.mark = null;
    if (what === 'last' || what === 'all') set.last = Math.max(1, Math.round(fine() / FINE));
    const byHand = set.mark !== undefined || set.last !== undefined || !r.once(3);
    if (!byHand) set.index = this.#fed(market) ?? set.index!;
    return { v: 1, type: 'setPrices', market: market.index, byHand, ...set } as Step;
  }

  /** A feed's value: a little move, around what it may jump, and around what is held. */
  #fed(market: ModelMarket): number | null {
    const r = this.#r;
    const from = market.pendingIndex !== 0 && !r.once(3) ? market.pendingIndex : market.indexPrice;
    if (from === 0 || r.once(3)) return null;
    const jump = Math.floor((from * Number(market.indexJump)) / 100_000_000);
    const to = from + r.pick([0, 1, -500, 500, jump, jump + 1, -jump, -jump - 1]);
    return Math.max(1, Math.min(to, market.maxTicks * FINE));
  }
}
