/**
 * How the steps of a recorded market become entries of the book and trades. Users are in the same queues:
 *
 * - The house has at each price what the record says, in one entry unless a user is between.
 * - What a level gains joins the back of its queue. What it loses without a trade goes as the queue rule says.
 * - A recorded trade prints its whole size. Users with better prices fill first, then the queue at its price. What is
 *   missing there prints all the same, because the record says that it traded.
 * - An order of the record that would have met a user's order trades with it, at most its size, at the user's price.
 *
 * A trade may not fit the book, because recordings have trades and books from two feeds: then levels in its way are taken
 * out, and the next message about the book puts them back.
 *
 * Cost: O(1) a level or trade, apart from finding a price in the book and the entries of a level.
 */
import * as marketSteps from '../contract/market-steps.ts';
import * as units from '../contract/units.ts';
import { beyond, opposite, type Side } from '../contract/units.ts';
import type { Market } from '../state/market.ts';
import { keyOf, type Playback, sideOfKey } from '../state/playback.ts';
import type { VenueState } from '../state/venue-state.ts';
import { fillByHouse, printTrade } from './house-fills.ts';

const { FUNDING, GAP, LEVELS, REFERENCES, SNAPSHOT, TRADE } = marketSteps;
const { BUY, HOUSE, NONE, SELL } = units;

/** A market with a recording. */
interface Played {
  readonly venue: VenueState;
  readonly market: Market;
  readonly playback: Playback;
}

/** The index and the mark of a step, fine. 0: not known. */
export type OnReferences = (index: number, mark: number) => void;

/** `steps` are well formed (market-steps.ts). A halted market follows the book without showing it, and trades nothing. */
export function playSteps(
  venue: VenueState,
  market: Market,
  playback: Playback,
  steps: readonly number[],
  onReferences: OnReferences,
): void {
  const played: Played = { venue, market, playback };
  if (!market.halted) heal(played);
  let at = 0;
  while (at < steps.length) {
    const kind = steps[at++];
    if (kind === LEVELS || kind === SNAPSHOT) {
      const count = steps[at++];
      playBook(played, steps, at, count, kind === SNAPSHOT);
      at += 2 * count;
    } else if (kind === TRADE) {
      const [price, lots] = [steps[at], steps[at + 1]];
      at += 2;
      if (!market.halted) playTrade(played, price > 0 ? BUY : SELL, Math.abs(price), lots);
    } else if (kind === REFERENCES) {
      onReferences(steps[at], steps[at + 1]);
      at += 2;
    } else if (kind === GAP) playGap(played);
    else if (kind === FUNDING) playback.fundingRate = steps[at++];
  }
}

/** From here on the book is unknown: nothing of it rests, and users' orders stay. */
function playGap({ market: { book }, playback }: Played): void {
  for (const side of [BUY, SELL] as const) {
    for (let entry = book.front(side); entry !== NONE; ) {
      const next = book.next(entry);
      if (book.owner(entry) === HOUSE) book.remove(entry);
      entry = next;
    }
  }
  playback.forget();
}

/** What users took long enough ago is there again. A level that a trade has changed waits for the next message. */
function heal(played: Played): void {
  const { playback, venue } = played;
  const { healAfterMs } = playback.terms;
  if (healAfterMs === null || playback.taken.size === 0) return;
  for (const [key, { atMs }] of [...playback.taken]) {
    if (venue.nowMs - atMs < healAfterMs) continue;
    playback.taken.delete(key);
    if (!playback.touched.has(key)) fitLevel(played, key, false);
  }
}

// --- the book --------------------------------------------------------------------------------------------------------

function playBook(played: Played, steps: readonly number[], from: number, count: number, isWhole: boolean): void {
  const { market, playback } = played;
  const { recorded, touched } = playback;
  const end = from + 2 * count;
  // The record first: a price may occur twice.
  if (isWhole) {
    for (const key of recorded.keys()) touched.add(key);
    recorded.clear();
    playback.taken.clear();
  }
  for (let at = from; at < end; at += 2) {
    playback.record(steps[at], steps[at + 1]);
    if (market.halted) touched.add(steps[at]);
    else if (touched.size > 0) touched.delete(steps[at]);
  }
  if (market.halted) return;
  playback.ahead.clear();
  const others = [...touched].sort((a, b) => a - b);
  touched.clear();
  // What shrinks first, so that a book that moves does not cross itself.
  const growing: number[] = [];
  for (let at = from; at < end; at += 2) if (!shrinkLevel(played, steps[at])) growing.push(steps[at]);
  const restored = others.filter((key) => !shrinkLevel(played, key));
  for (const key of new Set(growing)) growLevel(played, key, true);
  for (const key of restored) growLevel(played, key, false);
}

function fitLevel(played: Played, key: number, isNews: boolean): void {
  if (!shrinkLevel(played, key)) growLevel(played, key, isNews);
}

/** The lots of the house from an entry to the back of its level. */
function houseLotsFrom({ market: { book } }: Played, first: number): number {
  let lots = 0;
  for (let entry = first; entry !== NONE; entry = book.nextAt(entry)) {
    if (book.owner(entry) === HOUSE) lots += book.size(entry);
  }
  return lots;
}

/** Takes off what the level has more than it should. False: it has too little. */
function shrinkLevel(played: Played, key: number): boolean {
  const { book } = played.market;
  const target = played.playback.target(key);
  const first = book.firstAt(sideOfKey(key), Math.abs(key));
  if (first === NONE) return target === 0;
  if (book.nextAt(first) === NONE) {
    if (book.owner(first) !== HOUSE) return target === 0;
    const lots = book.size(first);
    if (lots < target) return false;
    if (target === 0) book.remove(first);
    else if (target < lots) book.reduce(first, lots - target);
    return true;
  }
  const excess = houseLotsFrom(played, first) - target;
  if (excess > 0) shrinkQueue(played, key, first, excess);
  return excess >= 0;
}

/** Entries of the house at one price. `before`: whether a user is behind it. */
interface HouseEntry {
  readonly entry: number;
  readonly size: number;
  readonly isBeforeUser: boolean;
}

/** Takes `lots` of the house off a level with users. */
function shrinkQueue({ market: { book }, playback }: Played, key: number, first: number, lots: number): void {
  const entries: HouseEntry[] = [];
  let last = NONE;
  for (let entry = first; entry !== NONE; entry = book.nextAt(entry)) if (book.owner(entry) !== HOUSE) last = entry;
  let isBeforeUser = last !== NONE;
  for (let entry = first; entry !== NONE; entry = book.nextAt(entry)) {
    if (book.owner(entry) === HOUSE) entries.push({ entry, size: book.size(entry), isBeforeUser });
    else if (entry === last) isBeforeUser = false;
  }
  const cuts = playback.terms.queue === 'back' ? fromBack(entries, lots) : bySize(entries, lots);
  entries.forEach(({ entry, size, isBeforeUser: moves }, i) => {
    const cut = cuts[i];
    if (cut === 0) return;
    if (cut === size) book.remove(entry);
    else book.reduce(entry, cut);
    if (moves) playback.ahead.set(key, (playback.ahead.get(key) ?? 0) + cut);
  });
}

function fromBack(entries: readonly HouseEntry[], lots: number): number[] {
  const cuts = entries.map(() => 0);
  let left = lots;
  for (let i = entries.length - 1; i >= 0; i--) {
    cuts[i] = Math.min(left, entries[i].size);
    left -= cuts[i];
  }
  return cuts;
}

/** Each entry's share, rounded down. What the rounding leaves comes from the back. */
function bySize(entries: readonly HouseEntry[], lots: number): number[] {
  const whole = BigInt(entries.reduce((sum, { size }) => sum + size, 0));
  const cuts = entries.map(({ size }) => Number((BigInt(lots) * BigInt(size)) / whole));
  let left = lots - cuts.reduce((sum, cut) => sum + cut, 0);
  for (let i = entries.length - 1; i >= 0; i--) {
    const more = Math.min(left, entries[i].size - cuts[i]);
    cuts[i] += more;
    left -= more;
  }
  return cuts;
}

/**
 * Adds what the level has too little. New levels of the record come before its own older ones on the other side: those
 * are out of date. A level that is only put back (`isNews` false) waits while the record crosses it.
 */
function growLevel(played: Played, key: number, isNews: boolean): void {
  const { market, playback } = played;
  const side = sideOfKey(key);
  const ticks = Math.abs(key);
  if (!isNews && crossesHouse(played, side, ticks)) {
    playback.touched.add(key);
    return;
  }
  const missing = playback.target(key) - houseLotsFrom(played, market.book.firstAt(side, ticks));
  if (missing <= 0) return;
  const met = market.crosses(side, ticks) ? meetOpposite(played, side, ticks, missing) : 0;
  if (met > 0) playback.take(key, met, played.venue.nowMs);
  const lots = missing - met;
  if (lots > 0) addBehind(played, side, ticks, lots);
}

function crossesHouse({ market: { book } }: Played, side: Side, ticks: number): boolean {
  for (let entry = book.front(opposite(side)); entry !== NONE; entry = book.next(entry)) {
    if (beyond(side, book.price(entry), ticks)) return false;
    if (book.owner(entry) === HOUSE) return true;
  }
  return false;
}

/**
 * An order of the record at that price meets the other side: the record's own levels there are taken out, and users' orders
 * trade with it. Returns the lots that users took.
 */
function meetOpposite({ venue, market, playback }: Played, side: Side, ticks: number, lots: number): number {
  const { book } = market;
  const against = opposite(side);
  let left = lots;
  for (let entry = book.front(against); entry !== NONE; ) {
    const price = book.price(entry);
    if (beyond(side, price, ticks)) break;
    const owner = book.owner(entry);
    if (owner === HOUSE) {
      const next = book.next(entry);
      withdraw(playback, market, entry, against);
      entry = next;
      continue;
    }
    if (left === 0) {
      entry = book.next(entry);
      continue;
    }
    left -= fillByHouse(venue, market, venue.orders.bySlot(owner), left);
    entry = book.front(against);
  }
  return lots - left;
}

/** A level of the record is not there for now. */
function withdraw(playback: Playback, { book }: Market, entry: number, side: Side): void {
  playback.touched.add(keyOf(side, book.price(entry)));
  book.remove(entry);
}

function addBehind({ market: { book } }: Played, side: Side, ticks: number, lots: number): void {
  let last = NONE;
  for (let entry = book.firstAt(side, ticks); entry !== NONE; entry = book.nextAt(entry)) last = entry;
  if (last !== NONE && book.owner(last) === HOUSE) book.grow(last, lots);
  else book.add(side, ticks, lots, HOUSE);
}

// --- trades ----------------------------------------------------------------------------------------------------------

/** A recorded trade of the taker's side. */
function playTrade(played: Played, side: Side, ticks: number, lots: number): void {
  const { venue, market, playback } = played;
  const { book } = market;
  const against = opposite(side);
  const key = keyOf(against, ticks);
  let isFit = true;
  let left = lots;
  // Better levels of the record were gone. Users with better prices come first.
  for (let entry = book.front(against); entry !== NONE && left > 0; entry = book.front(against)) {
    const price = book.price(entry);
    if (!beyond(against, price, ticks)) break;
    const owner = book.owner(entry);
    if (owner === HOUSE) {
      withdraw(playback, market, entry, against);
      isFit = false;
    } else left -= fillByHouse(venue, market, venue.orders.bySlot(owner), left);
  }
  // The lots that print as one.
  let own = Math.min(left, playback.ahead.get(key) ?? 0);
  if (own > 0) {
    left -= own;
    playback.ahead.set(key, (playback.ahead.get(key) ?? 0) - own);
  }
  const print = () => {
    if (own > 0) printTrade(venue, market, side, ticks, own);
    own = 0;
  };
  for (let entry = book.firstAt(against, ticks); entry !== NONE && left > 0; entry = book.firstAt(against, ticks)) {
    const owner = book.owner(entry);
    if (owner === HOUSE) {
      const taken = Math.min(left, book.size(entry));
      book.fill(entry, taken);
      playback.touched.add(key);
      own += taken;
      left -= taken;
    } else {
      print();
      left -= fillByHouse(venue, market, venue.orders.bySlot(owner), left);
    }
  }
  if (left > 0) {
    isFit = false;
    // Who bought from this seller, or sold to this buyer, would have met users on the taker's side before.
    const met = market.crosses(against, ticks) ? meetOpposite(played, against, ticks, left) : 0;
    own += left - met;
  }
  print();
  playback.trades++;
  if (isFit) playback.tradesFit++;
}
