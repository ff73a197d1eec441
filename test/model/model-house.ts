/**
 * A recorded market (docs/guides/recorded-market.md, D-563 to D-569): the house has what the record says at each price, between
 * the orders of users, and recorded trades take from the queue. What rests of the house is listed as orders of an account that
 * does not exist.
 */
import type { PlayMarket, Side } from '../../src/venue/contract/commands.ts';
import { restingOn } from './model-book.ts';
import type { Problem } from './model-checks.ts';
import { reserveNeeded, solventLots } from './model-equity.ts';
import { isLiquidation, payCurrency, settleOne } from './model-funds.ts';
import { see } from './model-mark.ts';
import { end, noteFill, takeFromBook } from './model-matching.ts';
import { roomOf } from './model-positions.ts';
import {
  BUY,
  ceilDiv,
  changed,
  emit,
  FINE,
  HOUSE,
  HOUSE_KEY,
  type ModelMarket,
  type ModelOrder,
  type ModelPlayback,
  newOrder,
  notional,
  opposite,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';

const LEVELS = 1;
const SNAPSHOT = 2;
const TRADE = 3;
const REFERENCES = 4;
const GAP = 5;
const FUNDING = 6;

/** Prices of bids are positive, of asks negative: one number names a level. */
const signed = (side: Side, price: number): number => (side === BUY ? price : -price);
const sideOf = (level: number): Side => (level > 0 ? BUY : SELL);
const isBetter = (side: Side, price: number, than: number): boolean => (side === BUY ? price > than : price < than);
const isHouse = (o: ModelOrder): boolean => o.account === HOUSE;

// --- the command ---------------------------------------------------------------------------------------------------

/** Why a message is not one of the recording; null: it is. */
export function playProblem(w: World, c: PlayMarket): Problem | null {
  const market = w.s.markets[c.market];
  if (market === undefined) return { reason: 'unknownMarket', params: {} };
  if (market.playback === null) return { reason: 'marketNotRecorded', params: {} };
  if (c.position < market.playback.position) return { reason: 'recordingUnfit', params: {} };
  return null;
}

/** One message: its steps in order. `references` acts like a feed. */
export function play(w: World, c: PlayMarket, references: (index: number, mark: number) => void): void {
  const market = w.s.markets[c.market];
  const p = market.playback!;
  if (!market.halted) heal(w, market, p);
  const numbers = [...c.steps];
  const next = (): number => numbers.shift()!;
  while (numbers.length > 0) {
    const kind = next();
    if (kind === LEVELS || kind === SNAPSHOT) {
      const rows = Array.from({ length: next() }, () => [next(), next()] as const);
      message(w, market, p, rows, kind === SNAPSHOT);
    } else if (kind === TRADE) {
      const [price, lots] = [next(), next()];
      if (!market.halted) trade(w, market, p, price > 0 ? BUY : SELL, Math.abs(price), lots);
    } else if (kind === REFERENCES) references(next(), next());
    else if (kind === GAP) {
      w.s.house = w.s.house.filter((o) => o.market !== market.index);
      for (const known of [p.recorded, p.taken, p.touched, p.ahead]) known.clear();
    } else if (kind === FUNDING) p.fundingRate = next();
    else throw new Error(`the model does not know step ${kind}`);
  }
  p.position = c.position;
}

/** What users took comes back after its time, but for levels that a trade has changed since. */
function heal(w: World, market: ModelMarket, p: ModelPlayback): void {
  if (p.healAfterMs === null) return;
  for (const [level, { atMs }] of [...p.taken]) {
    if (w.s.now - atMs < p.healAfterMs) continue;
    p.taken.delete(level);
    if (p.touched.has(level)) continue;
    if (!shrink(w, market, p, level)) grow(w, market, p, level, false);
  }
}

// --- the book ------------------------------------------------------------------------------------------------------

const wanted = (p: ModelPlayback, level: number): number =>
  Math.max(0, (p.recorded.get(level) ?? 0) - (p.taken.get(level)?.lots ?? 0));

const queueAt = (w: World, market: ModelMarket, level: number): ModelOrder[] =>
  restingOn(w, market, sideOf(level)).filter((o) => o.resting!.price === Math.abs(level));

const lotsOf = (orders: readonly ModelOrder[]): number =>
  orders.filter(isHouse).reduce((sum, o) => sum + o.resting!.shown, 0);

/** Removals and reductions of the whole message, then what grows; then what trades had changed and the message does not name. */
function message(
  w: World,
  market: ModelMarket,
  p: ModelPlayback,
  rows: readonly (readonly [level: number, lots: number])[],
  isWhole: boolean,
): void {
  if (isWhole) {
    for (const level of p.recorded.keys()) p.touched.add(level);
    p.recorded.clear();
    p.taken.clear();
  }
  for (const [level, lots] of rows) {
    if (lots === 0) p.recorded.delete(level);
    else p.recorded.set(level, lots);
    p.taken.delete(level);
  }
  const named = [...new Set(rows.map(([level]) => level))];
  if (market.halted) {
    for (const level of named) p.touched.add(level);
    return;
  }
  p.ahead.clear();
  const others = [...p.touched].filter((level) => !named.includes(level)).sort((a, b) => a - b);
  p.touched.clear();
  const growing = named.filter((level) => !shrink(w, market, p, level));
  const restored = others.filter((level) => !shrink(w, market, p, level));
  for (const level of growing) grow(w, market, p, level, true);
  for (const level of restored) grow(w, market, p, level, false);
}

/** Takes from the house what is too much there, by the queue rule. False: there is too little. */
function shrink(w: World, market: ModelMarket, p: ModelPlayback, level: number): boolean {
  const queue = queueAt(w, market, level);
  const excess = lotsOf(queue) - wanted(p, level);
  if (excess < 0) return false;
  const mine = queue.filter(isHouse);
  const all = BigInt(lotsOf(queue));
  const cuts = mine.map(({ resting }) =>
    p.queue === 'proportional' && all > 0n ? Number((BigInt(excess) * BigInt(resting!.shown)) / all) : 0,
  );
  let left = excess - cuts.reduce((sum, cut) => sum + cut, 0);
  for (let i = mine.length - 1; i >= 0; i--) {
    const more = Math.min(left, mine[i].resting!.shown - cuts[i]);
    cuts[i] += more;
    left -= more;
  }
  const lastUser = queue.findLastIndex((o) => !isHouse(o));
  mine.forEach((o, i) => {
    if (cuts[i] === 0) return;
    if (queue.indexOf(o) < lastUser) p.ahead.set(level, (p.ahead.get(level) ?? 0) + cuts[i]);
    take(w, o, cuts[i]);
  });
  return true;
}

function take(w: World, o: ModelOrder, lots: number): void {
  o.resting!.shown -= lots;
  if (o.resting!.shown === 0) w.s.house = w.s.house.filter((other) => other !== o);
}

/** Adds at the back what is too little. A level that is only put back waits while the record crosses it. */
function grow(w: World, market: ModelMarket, p: ModelPlayback, level: number, isNews: boolean): void {
  const [side, price] = [sideOf(level), Math.abs(level)];
  const across = restingOn(w, market, opposite(side)).filter((o) => !isBetter(side, o.resting!.price, price));
  if (!isNews && across.some(isHouse)) {
    p.touched.add(level);
    return;
  }
  const missing = wanted(p, level) - lotsOf(queueAt(w, market, level));
  if (missing <= 0) return;
  const met = meet(w, market, p, side, price, missing);
  if (met > 0) {
    const before = p.taken.get(level)?.lots ?? 0;
    p.taken.set(level, { lots: before + met, atMs: w.s.now });
  }
  if (missing === met) return;
  const last = queueAt(w, market, level).at(-1);
  if (last !== undefined && isHouse(last)) last.resting!.shown += missing - met;
  else {
    const { nextIndex } = w;
    const o = newOrder(w, { account: HOUSE, market: market.index, side, kind: 'limit' });
    w.nextIndex = nextIndex;
    o.key = HOUSE_KEY;
    o.resting = { price, shown: missing - met, place: w.s.arrivals++ };
    w.s.house.push(o);
  }
}

/** An order of the record meets the other side: older levels of the record go, users trade. Returns what users took. */
function meet(w: World, market: ModelMarket, p: ModelPlayback, side: Side, price: number, lots: number): number {
  let left = lots;
  const seen = new Set<ModelOrder>();
  for (;;) {
    const across = restingOn(w, market, opposite(side)).filter((o) => !isBetter(side, o.resting!.price, price));
    // With nothing left, users' orders stay; the record's own levels go all the same.
    const o = across.find((other) => isHouse(other) || (left > 0 && !seen.has(other)));
    if (o === undefined) return lots - left;
    if (isHouse(o)) withdraw(w, p, o);
    else {
      const filled = fillByHouse(w, market, o, left);
      left -= filled;
      if (filled === 0) seen.add(o);
    }
  }
}

function withdraw(w: World, p: ModelPlayback, o: ModelOrder): void {
  p.touched.add(signed(o.side, o.resting!.price));
  w.s.house = w.s.house.filter((other) => other !== o);
}

// --- trades --------------------------------------------------------------------------------------------------------

/** A recorded trade prints its whole size: users at better prices first, then the queue at its price, then what is missing. */
function trade(w: World, market: ModelMarket, p: ModelPlayback, side: Side, price: number, lots: number): void {
  const against = opposite(side);
  const level = signed(against, price);
  let left = lots;
  let fits = true;
  for (;;) {
    const [best] = restingOn(w, market, against);
    if (left === 0 || best === undefined || !isBetter(against, best.resting!.price, price)) break;
    if (isHouse(best)) {
      withdraw(w, p, best);
      fits = false;
    } else left -= fillByHouse(w, market, best, left);
  }
  // What the message before has taken from before a user already is not taken again.
  let own = Math.min(left, p.ahead.get(level) ?? 0);
  if (own > 0) p.ahead.set(level, p.ahead.get(level)! - own);
  left -= own;
  const printOwn = () => {
    if (own > 0) print(w, market, side, price, own);
    own = 0;
  };
  for (let [o] = queueAt(w, market, level); left > 0 && o !== undefined; [o] = queueAt(w, market, level)) {
    if (isHouse(o)) {
      const taken = Math.min(left, o.resting!.shown);
      take(w, o, taken);
      p.touched.add(level);
      own += taken;
      left -= taken;
    } else {
      printOwn();
      left -= fillByHouse(w, market, o, left);
    }
  }
  if (left > 0) {
    fits = false;
    own += left - meet(w, market, p, against, price, left);
  }
  printOwn();
  p.trades += 1;
  if (fits) p.tradesFit += 1;
}

/** Nothing moves but the last price. */
function print(w: World, market: ModelMarket, takerSide: Side, price: number, size: number): void {
  tell(w, market, { takerSide, price, size, maker: HOUSE_KEY, taker: HOUSE_KEY, makerFee: 0n, takerFee: 0n });
  see(w, market, 'last', price * FINE);
  market.printed = true;
}

type Told = Omit<Extract<World['events'][number], { type: 'traded' }>, 'type' | 'atMs' | 'tradeId' | 'market'>;

function tell(w: World, market: ModelMarket, told: Told): void {
  emit(w, { type: 'traded', tradeId: market.nextTradeId++, market: market.index, ...told });
}

// --- fills between users and the house -----------------------------------------------------------------------------

/** A taker takes from what rests of the house, which has checked it already. */
export function takeFromHouse(
  w: World,
  market: ModelMarket,
  taker: ModelOrder,
  resting: ModelOrder,
  lots: number,
): void {
  const { price } = resting.resting!;
  const level = signed(resting.side, price);
  const before = market.playback!.taken.get(level)?.lots ?? 0;
  market.playback!.taken.set(level, { lots: before + lots, atMs: w.s.now });
  take(w, resting, lots);
  settleWithHouse(w, market, taker, 'taker', price, lots);
}

/** The record trades with a resting order, at its price. Returns the lots; 0: the order could not, and has ended. */
function fillByHouse(w: World, market: ModelMarket, maker: ModelOrder, most: number): number {
  const { price, shown } = maker.resting!;
  let lots = Math.min(most, shown);
  if (maker.reduceOnly) lots = Math.min(lots, roomOf(w, maker));
  if (lots === 0) {
    end(w, maker, 'cancelled', 'positionClosed');
    return 0;
  }
  const account = w.s.accounts.get(maker.account)!;
  if (market.product === 'spot' && reserveNeeded(w, account, market, payCurrency(market, maker.side))) {
    end(w, maker, 'cancelled', 'margin');
    return 0;
  }
  const solvent = market.product === 'spot' ? lots : solventLots(w, market, maker, 'maker', price, lots);
  const isClipped = solvent < lots;
  if (solvent > 0) {
    settleWithHouse(w, market, maker, 'maker', price, solvent, () => takeFromBook(w, maker, solvent));
    if (unfilled(maker) === 0) end(w, maker, 'filled', null);
    else changed(w, maker, 'filled');
  }
  if (isClipped && (maker.state === 'working' || maker.state === 'waiting')) end(w, maker, 'cancelled', 'margin');
  return solvent;
}

function settleWithHouse(
  w: World,
  market: ModelMarket,
  o: ModelOrder,
  role: 'maker' | 'taker',
  price: number,
  lots: number,
  fromBook: () => void = () => {},
): void {
  const cost = notional(market, price, lots);
  noteFill(w, o, price, lots);
  fromBook();
  const fee = settleOne(w, market, o, role, cost, lots);
  const buys = o.side === BUY;
  if (market.product === 'spot') {
    w.s.houseTotals[market.quote] += buys ? cost : -cost;
    w.s.houseTotals[market.base] += (buys ? -1n : 1n) * BigInt(lots) * market.lotUnits;
  } else changeHousePosition(w, market, opposite(o.side), lots, cost);
  const isMaker = role === 'maker';
  tell(w, market, {
    takerSide: isMaker ? opposite(o.side) : o.side,
    price,
    size: lots,
    maker: isMaker ? o.key : HOUSE_KEY,
    taker: isMaker ? HOUSE_KEY : o.key,
    makerFee: isMaker ? fee : 0n,
    takerFee: isMaker ? 0n : fee,
  });
  if (!isLiquidation(o)) {
    see(w, market, 'last', price * FINE);
    market.printed = true;
  }
  w.touched.push(o);
}

/** Like any position, with the result as money of the house. */
export function changeHousePosition(w: World, market: ModelMarket, side: Side, lots: number, value: bigint): void {
  const position = w.s.housePositions.get(market.index) ?? { size: 0, cost: 0n };
  const sign = side === BUY ? 1 : -1;
  const before = Math.abs(position.size);
  const closing = Math.sign(position.size) === -sign ? Math.min(lots, before) : 0;
  let { size, cost } = position;
  if (closing > 0) {
    const part = ceilDiv(cost * BigInt(closing), BigInt(before));
    const proceeds = (BigInt(-sign) * value * BigInt(closing)) / BigInt(lots);
    cost -= part;
    w.s.houseTotals[market.quote] += proceeds - part;
  }
  size += sign * lots;
  cost += (BigInt(sign) * value * BigInt(lots - closing)) / BigInt(lots);
  w.s.housePositions.set(market.index, { size, cost });
}
