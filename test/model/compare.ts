/**
 * Venue and model side by side: the same commands, and after each the same refusal, records, events, balances,
 * positions, depth and live orders, with nothing lost in the audit. A difference is a sentence; null is agreement.
 */

import type { Command, Genesis } from '../../src/venue/contract/commands.ts';
import type { VenueEvent } from '../../src/venue/contract/events.ts';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import { Venue } from '../../src/venue/venue.ts';
import {
  compareOrder,
  compareOrders,
  compareReply,
  compareWhole,
  differs,
  eventText,
  inspect,
  keyText,
  modelEventText,
  orderName,
} from './compare-records.ts';
import { Model } from './model.ts';
import { depthOf } from './model-book.ts';
import { balanceOf } from './model-funds.ts';
import { thirdOfQueue } from './model-liquidation.ts';
import { largestExposure, maintenanceOf, positionsOf, tierOf, unrealisedOf } from './model-positions.ts';
import { type ModelAccount, type ModelOrder, magnitude } from './model-state.ts';
import { nextDueMs } from './model-time.ts';
import { brokenInModel, brokenInVenue } from './statements.ts';

export type Step = Exclude<Command, Genesis>;
/** On a real clock a step has its time beside it; on a manual one it is not looked at. */
export interface TimedStep {
  readonly atMs: number;
  readonly command: Step;
  /** The venue is saved and loaded before the command. */
  readonly restart?: boolean;
}

/** Whether replies equal their copies is looked at after every so many commands. */
const WHOLE_EVERY = 5;

export class Pair {
  venue: Venue;
  readonly model: Model;
  seq = 1;
  /** Orders as the events alone tell them. */
  readonly #told = new Map<number, string>();
  readonly #emit = (event: VenueEvent): void => {
    if (event.type === 'stateReplaced') this.#told.clear();
    if (event.type === 'orderAccepted') this.#told.set(event.order.key, toldOf(event.order));
    if (event.type === 'orderChanged') this.#told.set(event.key, toldBy(event));
    const text = eventText(event);
    if (text !== null) this.#events.push(`${text}, at ${this.venue.timeMs}`);
  };
  #events: string[] = [];

  constructor(
    genesis: Genesis,
    atMs: number,
    open: (emit: (event: VenueEvent) => void) => Venue = (emit) => new Venue(emit),
  ) {
    this.venue = open(this.#emit);
    this.venue.apply(1, atMs, genesis);
    this.model = new Model(genesis, 1, atMs);
  }

  /** Applies one command to both; what differs, or null. */
  run({ atMs, command, restart = false }: TimedStep): string | null {
    if (restart) {
      const before = this.venue.canonical();
      this.venue = Venue.load(this.venue.save(), this.#emit);
      if (this.venue.canonical() !== before) return 'the loaded venue is not the saved one';
    }
    this.seq++;
    this.#events = [];
    // A refused command changes nothing; on a manual clock no timer is due either.
    const { clock } = this.model.w.s.genesis;
    const watched = clock === 'manual' && this.seq % 16 === 0 ? this.venue.canonical() : null;
    const reply = this.venue.apply(this.seq, atMs, command);
    if (watched !== null && reply.refusal !== null && this.venue.canonical() !== watched) {
      return `refused for ${reply.refusal.reason}, and yet the state is another`;
    }
    const expected = this.model.apply(this.seq, atMs, command);
    const { w } = this.model;
    if (reply.timeMs !== expected.timeMs) return differs('reply.timeMs', reply.timeMs, expected.timeMs);
    return (
      compareReply(reply, expected) ??
      (this.seq % WHOLE_EVERY === 0 ? compareWhole(reply) : null) ??
      this.#compareEvents() ??
      this.#compareState() ??
      this.#compareEnded() ??
      compareBooks(this.venue, w) ??
      compareLookup(this.venue, w, command) ??
      brokenInVenue(this.venue, w) ??
      brokenInModel(w)
    );
  }

  #compareEvents(): string | null {
    const found = this.#events;
    const expected = this.model.w.events.map((event) => `${modelEventText(event)}, at ${event.atMs}`);
    for (let i = 0; i < Math.max(found.length, expected.length); i++) {
      if (found[i] !== expected[i]) {
        const all = `\n  venue: ${found.join('\n         ')}\n  model: ${expected.join('\n         ')}`;
        return differs(`event ${i}`, found[i], expected[i]) + all;
      }
    }
    return null;
  }

  /** What ended in this command, as the venue still shows it. */
  #compareEnded(): string | null {
    const { w } = this.model;
    for (const e of w.events) {
      const o = e.type === 'ended' ? w.s.ended.find(({ key }) => key === e.key) : undefined;
      if (o === undefined) continue;
      const order = this.venue.order(o.account, o.product, o.key);
      if (order === undefined) return `${orderName(o)} ended and is not found`;
      const difference = compareOrder(order, o, this.seq);
      if (difference !== null) return `ended: ${difference}`;
    }
    return null;
  }

  #compareState(): string | null {
    const { w } = this.model;
    if (this.venue.timeMs !== w.s.now) return differs('time', this.venue.timeMs, w.s.now);
    if (this.venue.nextDueMs() !== nextDueMs(w)) return differs('next due', this.venue.nextDueMs(), nextDueMs(w));
    const counts = { orders: w.s.live.length, accounts: w.s.accounts.size, markets: w.s.markets.length };
    if (inspect(this.venue.counts()) !== inspect(counts)) return differs('counts', this.venue.counts(), counts);
    const keys = this.venue
      .keys()
      .map(({ key, account }) => `${key} of ${account}`)
      .join();
    const expectedKeys = w.s.keys.map(({ key, account }) => `${key} of ${account}`).join();
    if (keys !== expectedKeys) return differs('keys', keys, expectedKeys);
    for (const account of w.s.accounts.values()) {
      for (const balance of this.venue.balances(account.number)) {
        const currency = w.s.currencies.findIndex(({ code }) => code === balance.currency.code);
        const expected = balanceOf(w, account, currency);
        const spotAlone = w.s.markets.every((m) => m.product === 'spot' || m.quote !== currency);
        if (spotAlone && expected.available < 0n) return `${account.name} ${balance.currency.code} is below zero`;
        for (const field of ['total', 'reserved', 'margin', 'unrealised', 'available'] as const) {
          if (balance[field] !== expected[field]) {
            return differs(`${account.name} ${balance.currency.code} ${field}`, balance[field], expected[field]);
          }
        }
      }
      const difference = comparePositions(this.venue, w, account) ?? compareSettings(this.venue, w, account);
      if (difference !== null) return difference;
      for (const product of ['spot', 'futures'] as const) {
        const live = this.venue.openOrders(account.number, product, null);
        const mine = w.s.live.filter((o) => o.account === account.number && o.product === product);
        for (const order of live) {
          const told = this.#told.get(order.key);
          // After a reset or a restored snapshot whoever follows the events starts over from what is there.
          if (told === undefined) this.#told.set(order.key, toldOf(order));
          else if (told !== toldOf(order))
            return differs(`what events told of order ${keyText(order.key)}`, toldOf(order), told);
        }
        const apart = compareOrders(`${account.name}'s open orders`, live, mine, this.seq);
        if (apart !== null) return apart;
      }
    }
    const audit = this.venue.audit();
    if (!audit.ok) return `the audit fails: ${inspect(audit)}`;
    for (const { currency, line } of audit.currencies) {
      const i = w.s.currencies.findIndex(({ code }) => code === currency.code);
      for (const field of ['fees', 'insurance', 'deposits', 'withdrawals'] as const) {
        if (line[field] !== w.s[field][i]) return differs(`${currency.code} ${field}`, line[field], w.s[field][i]);
      }
    }
    return null;
  }
}

const toldOf = (o: Pick<OrderView, 'state' | 'price' | 'filled' | 'remaining'>): string =>
  `${o.state} ${o.price} ${o.filled} ${o.remaining}`;
const toldBy = (e: Extract<VenueEvent, { type: 'orderChanged' }>): string =>
  `${e.state} ${e.priceTicks} ${e.filledLots} ${e.remainingLots}`;

/** Position mode, leverage and risk tier of each perpetual market. */
function compareSettings(venue: Venue, w: Model['w'], account: ModelAccount): string | null {
  for (const market of w.s.markets) {
    const marketPositions = account.positionsByMarket.get(market.index);
    if (market.product === 'spot' || marketPositions === undefined) continue;
    const { mode, cross, isolatedLeverage } = marketPositions;
    const [net, long, short] = cross.map((p) => p.leverage);
    const one = mode === 'ONE_WAY' ? net : isolatedLeverage;
    const tier = market.tiers.indexOf(tierOf(account, market, largestExposure(w, account, market)));
    const expected = `${mode === 'HEDGE' ? `HEDGE ${long} ${short}` : `${mode} ${one} ${one}`}, tier ${tier}`;
    const seen = venue.settings(account.number, venue.markets[market.index]);
    const found = `${seen.mode} ${seen.longLeverage} ${seen.shortLeverage}, tier ${seen.tier}`;
    if (found !== expected) return differs(`${account.name}'s settings in ${market.spec.symbol}`, found, expected);
  }
  return null;
}

function comparePositions(venue: Venue, w: Model['w'], account: ModelAccount): string | null {
  const expected = w.s.markets.flatMap((market) => {
    const marketPositions = account.positionsByMarket.get(market.index);
    if (marketPositions === undefined) return [];
    const open = positionsOf(marketPositions).filter((p) => p.size !== 0);
    return open.map((p) => {
      const collateral = marketPositions.mode === 'ISOLATED' ? ` collateral ${p.collateral}` : '';
      const head = `${market.index} ${marketPositions.mode} ${p.id}: ${p.size} for ${magnitude(p.cost)}`;
      const risk = `${maintenanceOf(account, market, p)}, third ${thirdOfQueue(w, market, p)}, ${p.liquidationStepLots > 0}`;
      return `${head} ×${p.leverage} ${unrealisedOf(market, p)} ${risk}${collateral}`;
    });
  });
  const found = venue.positions(account.number).map((v) => {
    const collateral = v.mode === 'ISOLATED' ? ` collateral ${v.margin}` : '';
    const head = `${v.market.index} ${v.mode} ${v.id}: ${v.size} for ${v.entryCost}`;
    const risk = `${v.maintenance}, third ${venue.adlBucket(account.number, v)}, ${v.liquidating}`;
    return `${head} ×${v.leverage} ${v.unrealised} ${risk}${collateral}`;
  });
  const [a, b] = [found.join('; '), expected.join('; ')];
  return a === b ? null : differs(`${account.name}'s positions`, a, b);
}

/** The order that a client id of the command finds: live (of an OCO the limit leg first), else the newest. */
function compareLookup(venue: Venue, w: Model['w'], command: Step): string | null {
  if (!('clientId' in command) || command.clientId === null) return null;
  for (const product of ['spot', 'futures'] as const) {
    const mine = (o: ModelOrder) =>
      o.account === command.account && o.product === product && o.clientId === command.clientId;
    const ended = w.s.ended.filter(mine).sort((a, b) => b.key - a.key);
    const expected = w.s.live.find(mine) ?? ended[0];
    const found = venue.orderByClientId(command.account, product, command.clientId);
    if (found?.key !== expected?.key) return differs(`look-up of ${command.clientId}`, found?.key, expected?.key);
    if (found !== undefined && found.state !== expected.state) return differs('its state', found.state, expected.state);
  }
  return null;
}

function compareBooks(venue: Venue, w: Model['w']): string | null {
  for (const market of w.s.markets) {
    const seen = venue.markets[market.index];
    const prices = [seen.last, seen.mark, seen.indexPrice, seen.halted, seen.pendingIndex, seen.indexStale].join();
    const expected = [
      market.last,
      market.mark,
      market.indexPrice,
      market.halted,
      market.pendingIndex,
      market.stale,
    ].join();
    if (prices !== expected)
      return differs(`${market.spec.symbol} last, mark, index, halted, pending index, stale`, prices, expected);
    for (const side of [0, 1] as const) {
      const depth = seen
        .depth(side, 1000)
        .map(({ priceTicks, sizeLots }) => `${sizeLots}@${priceTicks}`)
        .join(' ');
      const mine = depthOf(w, market, side)
        .map(([price, lots]) => `${lots}@${price}`)
        .join(' ');
      if (depth !== mine) return differs(`${market.spec.symbol} depth of side ${side}`, depth, mine);
    }
  }
  return null;
}
