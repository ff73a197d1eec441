/**
 * Who acts next: a directed player at one of its steps, an honest maker who quotes, or a thief who does anything at all.
 * In test 2 prices move in between.
 */

import type { Reply, Venue } from '../../src/venue/venue.ts';
import type { MarketView } from '../../src/venue/views.ts';
import { BUY, opposite, SELL } from './model-state.ts';
import type { Random } from './random.ts';
import { Hand, type Play } from './thief-hand.ts';
import type { Test } from './thief-judge.ts';
import { MOVING_PLAYS } from './thief-moves.ts';
import { operate } from './thief-operator.ts';
import { PINNED_PLAYS } from './thief-plays.ts';
import type { Act } from './thief-run.ts';

export const EVERY_PLAY: Readonly<Record<string, (w: Hand) => Play>> = { ...PINNED_PLAYS, ...MOVING_PLAYS };

/** What a thief does of its own, as often as the number says. */
const DEEDS = {
  limit: 30,
  market: 12,
  conditional: 8,
  oco: 3,
  trailing: 3,
  peg: 6,
  twap: 2,
  amend: 12,
  cancelAll: 3,
  leverage: 4,
  mode: 3,
  riskLimit: 1,
  attach: 4,
  withdraw: 8,
  deposit: 2,
  advance: 4,
  deadMan: 1,
};

/** Before a play, thieves who have taken their money out bring some again, and most of them clear the table. */
function* prepared(w: Hand, play: (w: Hand) => Play): Play {
  const clear = !w.r.once(3);
  for (const thief of w.thieves) {
    if (clear && w.venue.openOrders(thief, 'futures', null).length > 0) yield w.cancelAll(thief);
    if (clear && w.venue.openOrders(thief, 'spot', null).length > 0) yield w.cancelAll(thief, null, 'spot');
    const brings = BigInt(w.r.pick([100, 1000, 10_000, 1_000_000])) * 100_000_000n;
    if (w.available(thief) < 5_000_000_000n) yield w.deposit(thief, brings);
    if (w.settlements.includes('BTC') && w.available(thief, 'BTC') < 100_000n) {
      yield w.deposit(thief, brings / BigInt(w.r.pick([1_000, 60_000])), 'BTC');
    }
  }
  yield* play(w);
}

export class Players {
  readonly #w: Hand;
  readonly #r: Random;
  readonly #test: Test;
  readonly #plays: readonly string[];
  /** Some worlds have an empty book, some a full one. */
  readonly #honestOnceIn: number;
  /** In some worlds markets are halted now and then. */
  readonly #halts: boolean;
  /** In some worlds an operator changes terms. */
  readonly #operates: boolean;
  #play: Play | null = null;
  #playActed = false;
  #reply: Reply | null = null;

  /** `only`: these plays alone. */
  constructor(test: Test, r: Random, venue: () => Venue, only: readonly string[] = []) {
    this.#w = new Hand(test, r, venue);
    this.#r = r;
    this.#test = test;
    const known = Object.keys(test === 1 ? PINNED_PLAYS : EVERY_PLAY);
    // Few plays a world, so that they meet each other's leavings.
    const few = Array.from({ length: 3 }, () => r.pick(known));
    this.#plays = only.length > 0 ? only : r.once(3) ? known : few;
    this.#honestOnceIn = r.pick([4, 12, 1000]);
    this.#halts = test === 2 && r.once(4);
    this.#operates = r.once(4);
  }

  /** The reply to the command that was last given. */
  replied(reply: Reply): void {
    if (this.#playActed) this.#reply = reply;
  }

  next(): Act {
    const r = this.#r;
    this.#playActed = false;
    if (r.once(this.#honestOnceIn)) return this.#quote();
    if (this.#halts && r.once(25)) return this.#halt();
    if (this.#operates && r.once(12)) return operate(this.#w);
    if (this.#test === 2 && r.once(15)) return this.#move();
    if (r.once(this.#play === null ? 3 : 12)) return this.#deed();
    return this.#step() ?? this.#deed();
  }

  /** The next step of the play in hand, or the first of a new one; null: it had none. */
  #step(): Act | null {
    if (this.#play === null) {
      this.#play = prepared(this.#w, EVERY_PLAY[this.#r.pick(this.#plays)]);
      this.#reply = null;
    }
    const { value, done } = this.#play.next(this.#reply as Reply);
    if (done || value === undefined) {
      this.#play = null;
      return null;
    }
    this.#playActed = true;
    return value;
  }

  // --- honest makers, prices ---------------------------------------------------------------------------------------

  /** At the mark or outside it, never through it. */
  #quote(): Act {
    const [w, r] = [this.#w, this.#r];
    const account = r.pick(w.honest);
    const m = r.once(4) ? w.spot() : w.perpetual();
    if (r.once(4)) return w.cancelAll(account, m);
    const side = w.side();
    const fine = m.product === 'futures' ? m.mark : m.indexPrice;
    const at = side === BUY ? Math.floor(fine / 1000) : Math.ceil(fine / 1000);
    const price = Math.max(
      1,
      at + (side === BUY ? -1 : 1) * r.pick([0, 0, 1, 10, 100, 1000, 10_000].map((n) => Math.min(n, at >> 4))),
    );
    const size = Math.max(1, Math.min(m.maxLots, r.pick([1, 100, 10_000, 200_000])));
    return w.limit(account, m, side, price, size, { postOnly: r.once(3) });
  }

  #halt(): Act {
    const halted = this.#w.venue.markets.find((m) => m.halted && !m.delisted);
    const market = (halted ?? this.#w.perpetual()).index;
    return { v: 1, type: halted === undefined ? 'haltMarket' : 'resumeMarket', market };
  }

  #move(): Act {
    const [w, r] = [this.#w, this.#r];
    const m = r.once(4) ? w.spot() : w.perpetual();
    switch (r.weighted({ walk: 10, jump: 3, feed: 5, minute: 4, confirm: 2, pin: 1, free: 1, last: 1 })) {
      case 'jump':
        return w.move(m, 1 + r.int(-50, 50) / 1000);
      case 'feed':
        return w.move(m, 1 + r.pick([0, 1, -1, 5, -5, 12, -12, 40, -40]) / 1000, false);
      case 'minute':
        return w.minute();
      case 'confirm':
        return w.index(m, m.pendingIndex || m.indexPrice, false);
      case 'pin':
        return {
          v: 1,
          type: 'setPrices',
          market: m.index,
          mark: Math.round(m.indexPrice * (1 + r.int(-20, 20) / 10_000)),
          byHand: true,
        };
      case 'free':
        return { v: 1, type: 'setPrices', market: m.index, mark: null, byHand: true };
      case 'last':
        return {
          v: 1,
          type: 'setPrices',
          market: m.index,
          last: w.against(m, BUY, r.int(-20, 20) / 10_000),
          byHand: true,
        };
      default:
        return w.move(m, 1 + r.int(-30, 30) / 10_000);
    }
  }

  // --- anything at all ---------------------------------------------------------------------------------------------

  #deed(): Act {
    const [w, r] = [this.#w, this.#r];
    const account = w.thief();
    const m = r.once(5) ? w.spot() : w.perpetual();
    const side = w.side();
    const price = this.#price(m, side);
    const size = this.#size(account, m, price);
    const futures = m.product === 'futures';
    const lots = futures ? w.openLots(account, m) : 0;
    const reduceOnly = futures && lots !== 0 && lots > 0 === (side === SELL) && r.once(2);
    const mode = futures && r.once(4) ? r.pick(['ONE_WAY', 'HEDGE', 'ISOLATED'] as const) : undefined;
    const terms = { reduceOnly, mode };
    switch (r.weighted(DEEDS)) {
      case 'market':
        return w.market(account, m, side, size, terms);
      case 'conditional': {
        const trigger = {
          rule: r.pick(['stop', 'profit', 'reach'] as const),
          at: this.#price(m, r.pick([side, opposite(side)])),
          reference: r.pick(['mark', 'last'] as const),
        };
        return w.conditional(account, m, side, trigger, r.once(2) ? price : null, size, terms);
      }
      case 'oco':
        return w.oco(account, m, side, size, terms);
      case 'trailing':
        return w.trailing(account, m, side, size, terms);
      case 'peg':
        return w.peg(account, m, side, price, size, r.int(-100, 100) / 1000, mode);
      case 'twap':
        return w.twap(account, w.spot(), side, Math.min(size, 1000));
      case 'amend':
        return this.#amend(account, price, size);
      case 'cancelAll':
        return w.cancelAll(account, r.once(2) ? m : null);
      case 'leverage': {
        const [position] = futures ? w.positions(account, m) : [];
        const isolated = r.once(2) ? 'ISOLATED' : 'CROSS';
        return w.leverage(
          account,
          m,
          r.pick([0, 1, 5, 10, 50, 100]),
          isolated,
          r.once(2) ? (position?.id ?? null) : null,
        );
      }
      case 'mode':
        return w.mode(account, m, r.pick(['ONE_WAY', 'HEDGE', 'ISOLATED']));
      case 'riskLimit':
        return { v: 1, type: 'setRiskLimit', account, market: m.index, level: r.int(1, 4) };
      case 'attach': {
        const [position] = futures ? w.positions(account, m) : [];
        return w.attach(
          account,
          m,
          position?.id ?? 0,
          this.#price(m, side),
          r.once(2) ? this.#price(m, opposite(side)) : null,
        );
      }
      case 'withdraw':
        return w.withdraw(account, r.pick(['USDT', 'USDT', 'USDT', 'BTC', 'ETH']), r.pick([1, 1, 0.5, 0.1]));
      case 'deposit':
        return w.deposit(account, BigInt(r.pick([1, 100_000_000, 10_000_000_000, 100_000_000_000])));
      case 'advance':
        return w.advance(r.pick([1, 1000, 3000, 60_000, 600_000]));
      case 'deadMan':
        return { v: 1, type: 'cancelAllAfter', account, product: m.product, timeoutMs: r.pick([0, 1000, 60_000]) };
      default: {
        const timeInForce = r.pick(['GTC', 'GTC', 'GTC', 'IOC', 'FOK'] as const);
        return w.limit(account, m, side, price, size, {
          ...terms,
          timeInForce,
          postOnly: timeInForce === 'GTC' && r.once(8),
        });
      }
    }
  }

  #price(m: MarketView, side: 0 | 1): number {
    const [w, r] = [this.#w, this.#r];
    const best = w.best(m, r.pick([BUY, SELL]));
    switch (r.weighted({ fair: 4, far: 4, near: 3, best: 5, good: 2 })) {
      case 'far':
        return w.far(m, side);
      case 'good':
        return w.far(m, opposite(side));
      case 'near':
        return Math.max(1, w.fair(m) + r.int(-30, 30));
      case 'best':
        return Math.max(1, (best ?? w.fair(m)) + r.pick([0, 0, 0, 1, -1]));
      default:
        return w.fair(m);
    }
  }

  #size(account: number, m: MarketView, price: number): number {
    const [w, r] = [this.#w, this.#r];
    const lots = m.product === 'futures' ? Math.abs(w.openLots(account, m)) : 0;
    switch (r.weighted({ most: 4, position: lots > 0 ? 4 : 0, half: lots > 1 ? 2 : 0, book: 2, one: 1, some: 2 })) {
      case 'position':
        return Math.min(lots, m.maxLots);
      case 'half':
        return Math.min(Math.ceil(lots / r.pick([2, 3, 4])), m.maxLots);
      case 'book':
        return Math.max(1, Math.min(w.volume(m, r.pick([BUY, SELL])) + r.pick([-1, 0, 1]), m.maxLots));
      case 'one':
        return r.pick([1, 2]);
      case 'some':
        return r.int(1, 20_000);
      default:
        return w.most(account, m, price);
    }
  }

  #amend(account: number, price: number, size: number): Act {
    const [w, r] = [this.#w, this.#r];
    const live = [...w.venue.openOrders(account, 'futures', null), ...w.venue.openOrders(account, 'spot', null)];
    if (live.length === 0) return w.withdraw(account);
    const order = r.pick(live);
    const change = {
      ...(r.once(2) && { price }),
      ...(r.once(2) && { size: order.filled + size }),
      ...(r.once(8) && { trigger: price }),
    };
    return w.amend(account, order.key, order.product, Object.keys(change).length === 0 ? { price } : change);
  }
}
