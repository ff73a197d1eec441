/**
 * An independent model of the whole venue, straight from the rules: the same commands in, refusals, orders, events and
 * balances out. It shares with src/venue only the types of commands, events and reasons.
 */
import type {
  Amend,
  Cancel,
  CancelAll,
  Command,
  Genesis,
  PlayMarket,
  SetPrices,
} from '../../src/venue/contract/commands.ts';
import { amend } from './model-amend.ts';
import { checkPlace, fundsFigures, type Problem } from './model-checks.ts';
import { isStale, takeIndex } from './model-feed.ts';
import { balanceOf } from './model-funds.ts';
import { play, playProblem } from './model-house.ts';
import { afterSweep } from './model-links.ts';
import { fairMark, see } from './model-mark.ts';
import { copyState } from './model-matching.ts';
import { openAccount, openMarket, openState } from './model-open.ts';
import { place } from './model-place.ts';
import {
  attachBrackets,
  cancelAllAfter,
  haltMarket,
  setLeverage,
  setPositionMode,
  setRiskLimit,
} from './model-settings.ts';
import { FINE, isLive, type ModelMarket, type ModelOrder, say, type World } from './model-state.ts';
import { changeAccount, changeMarket, delistMarket, frozenProblem } from './model-terms.ts';
import { endAll, passTime, settle } from './model-time.ts';

const RETAINED_MS = 30 * 60_000;
const IDENTICAL_MS = 60_000;
const MOST_SNAPSHOTS = 16;
const FARTHEST_ADVANCE_MS = 366 * 24 * 3_600_000;

export interface ModelReply {
  refusal: Problem | null;
  about: ModelOrder | null;
  orders: ModelOrder[];
  account: number | null;
}

const DONE: ModelReply = { refusal: null, about: null, orders: [], account: null };
const refused = (reason: Problem['reason'], params: Problem['params'] = {}): ModelReply => ({
  ...DONE,
  refusal: { reason, params },
});

const only = (refusal: Problem | null): ModelReply => ({ ...DONE, refusal });

export class Model {
  readonly w: World;
  readonly #start: { genesis: Genesis; atMs: number };

  constructor(genesis: Genesis, seq: number, atMs: number) {
    this.#start = { genesis, atMs };
    this.w = {
      s: openState(genesis, atMs),
      seq,
      step: 0,
      nextIndex: 0,
      nextAccount: genesis.config.accounts.length,
      saved: new Map(),
      queue: [],
      entered: [],
      touched: [],
      deleveraged: [],
      events: [],
    };
  }

  apply(seq: number, timeMs: number, command: Exclude<Command, Genesis>): ModelReply & { timeMs: number } {
    const { w } = this;
    w.seq = seq;
    w.nextIndex = 0;
    w.events = [];
    passTime(w, this.#start.genesis.clock === 'real' ? timeMs : w.s.now);
    w.step++;
    const reply = this.#dispatch(command);
    const shown = {
      ...reply,
      timeMs: w.s.now,
      about: reply.about && shot(w, reply.about),
      orders: reply.orders.map((o) => shot(w, o)),
    };
    settle(w);
    passTime(w, w.s.now);
    w.s.ended = w.s.ended.filter((o) => w.s.now - o.updatedMs < RETAINED_MS);
    w.s.requests = w.s.requests.filter((r) => w.s.now - r.atMs < IDENTICAL_MS);
    return shown;
  }

  /** A recorded message moves a manual clock to its own time. Its references act like a feed. */
  #play(c: PlayMarket): ModelReply {
    const { w } = this;
    const problem = playProblem(w, c);
    if (problem !== null) return { ...DONE, refusal: problem };
    if (w.s.genesis.clock === 'manual') {
      if (c.toMs < w.s.now) return refused('timeBackwards');
      if (c.toMs - w.s.now > FARTHEST_ADVANCE_MS) return refused('timeTooFar');
      passTime(w, c.toMs);
      w.step++;
    }
    play(w, c, (index, mark) => {
      const of = { v: 1, type: 'setPrices', market: c.market, byHand: false } as const;
      setPrices(w, { ...of, ...(index > 0 && { index }), ...(mark > 0 && { mark }) });
    });
    afterSweep(w);
    return DONE;
  }

  #dispatch(c: Exclude<Command, Genesis>): ModelReply {
    const { w } = this;
    const frozen = frozenProblem(w, c);
    if (frozen !== null) return { ...DONE, refusal: frozen };
    switch (c.type) {
      case 'place': {
        const problem = checkPlace(w, c);
        if (problem !== null) return { ...DONE, refusal: problem, about: problem.about ?? null };
        return { ...DONE, orders: place(w, c) };
      }
      case 'cancel':
        return cancel(w, c);
      case 'cancelAll':
        return cancelAll(w, c);
      case 'amend':
        return amendOrder(w, c);
      case 'cancelAllAfter':
        return only(cancelAllAfter(w, c));
      case 'setLeverage':
        return only(setLeverage(w, c));
      case 'setRiskLimit':
        return only(setRiskLimit(w, c));
      case 'setPositionMode':
        return only(setPositionMode(w, c));
      case 'attachBrackets': {
        const made = attachBrackets(w, c);
        return Array.isArray(made) ? { ...DONE, orders: made } : only(made);
      }
      case 'haltMarket':
      case 'resumeMarket':
        return only(haltMarket(w, c));
      case 'changeMarket':
        return only(changeMarket(w, c));
      case 'delistMarket':
        return only(delistMarket(w, c));
      case 'changeAccount':
        return only(changeAccount(w, c));
      case 'deposit':
        return deposit(w, c);
      case 'transfer':
        return transfer(w, c);
      case 'setPrices':
        return setPrices(w, c);
      case 'tick':
        return DONE;
      case 'market':
        return this.#play(c);
      case 'advance':
        if (c.toMs < w.s.now) return refused('timeBackwards');
        if (c.toMs - w.s.now > FARTHEST_ADVANCE_MS) return refused('timeTooFar');
        passTime(w, c.toMs);
        return DONE;
      case 'createAccount': {
        if ([...w.s.accounts.values()].some((a) => a.name === c.name)) return refused('accountExists');
        const account = openAccount(w.nextAccount, c.name, c.fees ?? {}, w.s.currencies.length);
        w.s.accounts.set(w.nextAccount, account);
        say(w, `accountCreated ${w.nextAccount}`);
        return { ...DONE, account: w.nextAccount++ };
      }
      case 'addKey':
        if (!w.s.accounts.has(c.account)) return refused('unknownAccount', { account: c.account });
        if (w.s.keys.some(({ key }) => key === c.key)) return refused('keyExists', { key: c.key });
        w.s.keys.push({ key: c.key, account: c.account });
        say(w, `keyAdded ${c.key} of ${c.account}`);
        return DONE;
      case 'revokeKey': {
        const found = w.s.keys.find(({ key }) => key === c.key);
        if (found === undefined) return refused('unknownKey', { key: c.key });
        w.s.keys = w.s.keys.filter((other) => other !== found);
        say(w, `keyRevoked ${c.key} of ${found.account}`);
        return DONE;
      }
      case 'listMarket':
        if (w.s.markets.some((m) => m.spec.symbol === c.market.symbol)) return refused('marketExists');
        say(w, `marketListed ${w.s.markets.length}`);
        w.s.markets.push(openMarket(w.s.markets.length, c.market, w.s.currencies));
        return DONE;
      case 'saveSnapshot':
        if (!w.saved.has(c.name) && w.saved.size >= MOST_SNAPSHOTS) return refused('tooManySnapshots');
        w.saved.set(c.name, copyState(w.s));
        return DONE;
      case 'restoreSnapshot': {
        const saved = w.saved.get(c.name);
        if (saved === undefined) return refused('unknownSnapshot');
        w.s = copyState(saved);
        say(w, 'stateReplaced');
        return DONE;
      }
      case 'reset': {
        const { genesis, atMs } = this.#start;
        w.s = openState(genesis, genesis.clock === 'manual' ? atMs : w.s.now);
        say(w, 'stateReplaced');
        return DONE;
      }
    }
  }
}

/** The record as it is at this moment; "filled now" speaks of the command in hand alone. */
function shot(w: World, o: ModelOrder): ModelOrder {
  return {
    ...o,
    filledNow: o.filledSeq === w.seq ? o.filledNow : 0,
    trigger: o.trigger && { ...o.trigger },
    trailing: o.trailing && { ...o.trailing },
    peg: o.peg && { ...o.peg },
    twap: o.twap && { ...o.twap },
  };
}

// --- cancels (section 2) -------------------------------------------------------------------------------------------

function cancel(w: World, c: Cancel): ModelReply {
  const fits = (o: ModelOrder) =>
    o.account === c.account &&
    o.product === c.product &&
    (c.market === null || o.market === c.market) &&
    (c.order !== null ? o.key === c.order : o.clientId === c.clientId);
  const found = w.s.live.filter(fits);
  if (found.length === 0) return { ...refused('orderNotFound'), about: newest(w.s.ended.filter(fits)) };
  return { ...DONE, orders: endAll(w, found) };
}

const newest = (orders: ModelOrder[]): ModelOrder | null =>
  orders.reduce<ModelOrder | null>((last, o) => (last === null || o.key > last.key ? o : last), null);

function cancelAll(w: World, c: CancelAll): ModelReply {
  const found = w.s.live.filter(
    (o) => o.account === c.account && o.product === c.product && (c.market === null || o.market === c.market),
  );
  return { ...DONE, orders: endAll(w, found) };
}

/** By key, else the order that a look-up by client id finds: the live one, of an OCO the limit leg first, else the newest. */
function amendOrder(w: World, c: Amend): ModelReply {
  const mine = (o: ModelOrder) => o.account === c.account && o.product === c.product;
  const named = (o: ModelOrder) => mine(o) && (c.order !== null ? o.key === c.order : o.clientId === c.clientId);
  const found = w.s.live.find(named) ?? newest(w.s.ended.filter(named));
  const o = found !== null && (c.market === null || found.market === c.market) ? found : null;
  if (o === null || !isLive(o)) return { ...refused('orderNotFound'), about: o };
  const bad = amend(w, c, o);
  return bad === null ? { ...DONE, orders: [o] } : { ...DONE, refusal: bad, about: o };
}

// --- money and prices ----------------------------------------------------------------------------------------------

function deposit(w: World, c: Extract<Command, { type: 'deposit' }>): ModelReply {
  const account = w.s.accounts.get(c.account);
  if (account === undefined) return refused('unknownAccount');
  const currency = w.s.currencies.findIndex(({ code }) => code === c.currency);
  if (currency < 0) return refused('unknownCurrency');
  const amount = BigInt(c.amount);
  const { available } = balanceOf(w, account, currency);
  if (amount < 0n && -amount > available) {
    return refused('insufficientFunds', fundsFigures(w.s, currency, -amount, available));
  }
  account.totals[currency] += amount;
  if (amount > 0n) w.s.deposits[currency] += amount;
  else w.s.withdrawals[currency] -= amount;
  say(w, `${amount >= 0n ? 'deposit' : 'withdrawal'} ${amount} to account ${c.account}`);
  return DONE;
}

/** Rule 5.55: nothing moves. */
function transfer(w: World, c: Extract<Command, { type: 'transfer' }>): ModelReply {
  const account = w.s.accounts.get(c.account);
  if (account === undefined) return refused('unknownAccount');
  const texts: string[] = [];
  /** By currency. */
  const taken = w.s.currencies.map(() => 0n);
  for (const one of c.amounts) {
    const currency = w.s.currencies.findIndex(({ code }) => code === one.currency);
    if (currency < 0) return refused('unknownCurrency');
    const { available } = balanceOf(w, account, currency);
    const amount = one.amount === null ? available - taken[currency] : BigInt(one.amount);
    const all = taken[currency] + amount;
    if (all > 0n && all > available) return refused('insufficientFunds', fundsFigures(w.s, currency, all, available));
    if (amount > 0n) taken[currency] = all;
    if (amount > 0n) texts.push(`transfer of ${amount} from ${c.from} to ${c.to}, account ${c.account}`);
  }
  for (const text of texts) say(w, text);
  return DONE;
}

/** Section 13: all set, then evaluated once, in the order mark, index, last. */
function setPrices(w: World, c: SetPrices): ModelReply {
  const market: ModelMarket | undefined = w.s.markets[c.market];
  if (market === undefined) return refused('unknownMarket');
  if (market.delisted) return refused('marketDelisted', { symbol: market.spec.symbol });
  const most = market.maxTicks * FINE;
  const last = c.last === undefined ? undefined : c.last * FINE;
  for (const [field, fine] of Object.entries({ index: c.index, mark: c.mark ?? undefined, last })) {
    if (fine !== undefined && (fine < 1 || fine > most)) return refused('priceOutOfRange', { field });
  }
  if (c.mark !== undefined) market.markPinned = c.mark !== null;
  const index = takeIndex(w, market, c);
  // A value that is taken ends what was stale: it is seen even where it is the old one.
  const again = (['mark', 'index'] as const).filter((of) => c.index === index && isStale(market, of));
  if (c.index === index && market.stale) {
    market.stale = false;
    say(w, `fresh ${market.index}`);
  }
  const newLast = last ?? (market.last === 0 ? index : market.last);
  // Freed where there is no index to follow, the mark stays.
  const stays = market.markPinned || index === 0;
  const mark = c.mark ?? (stays ? market.mark : fairMark(w, market, index, newLast));
  if (mark !== market.mark || again.includes('mark')) see(w, market, 'mark', mark);
  if (index !== market.indexPrice || again.includes('index')) see(w, market, 'index', index);
  if (newLast !== market.last) {
    see(w, market, 'last', newLast);
    say(w, `price of ${market.index}: last ${newLast}`);
  }
  return DONE;
}
