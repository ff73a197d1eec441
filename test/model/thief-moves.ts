/** Directed players who wait for a price to move, or make it move. */
import type { MarketView } from '../../src/venue/views.ts';
import { BUY, FINE, opposite, SELL } from './model-state.ts';
import type { Hand, Play } from './thief-hand.ts';

/** A friend's orders that wait for the liquidation of an account that is long where `side` is BUY. */
function* baits(w: Hand, friend: number, m: MarketView, side: 0 | 1, size: number): Play {
  for (const away of [w.r.pick([0, 0.0004, 0.0006, 0.002]), w.r.pick([0.005, 0.01, 0.02, 0.05])]) {
    if (w.r.once(2)) continue;
    yield w.limit(friend, m, side, w.against(m, opposite(side), away), size);
  }
}

/** Against a position of `side`: BUY holders lose when the price falls. */
const losing = (side: 0 | 1, part: number) => (side === BUY ? 1 - part : 1 + part);

const JUMPS = [0.001, 0.003, 0.005, 0.0065, 0.008, 0.0095, 0.01, 0.011, 0.02, 0.03, 0.05];

/** Both sides at 100x, then a jump; a friend's bids, or none, wait for the loser. */
export function* straddle(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  const size = Math.min(w.most(a, m, w.fair(m)), w.most(b, m, w.fair(m)));
  yield* w.open(a, b, m, side, w.fair(m), size, { mode: w.r.pick(['ONE_WAY', 'ONE_WAY', 'ISOLATED', 'HEDGE']) });
  if (w.r.once(2)) yield w.withdraw(a);
  if (w.r.once(2)) yield w.withdraw(b);
  if (w.r.once(2)) yield* baits(w, c, m, side, size);
  for (let i = 0; i < w.r.int(1, 4); i++) {
    yield w.move(m, losing(side, w.r.pick(JUMPS)), !w.r.once(3));
    if (w.r.once(3)) yield* baits(w, c, m, side, size);
    if (w.r.once(4)) yield w.withdraw(b);
  }
  yield w.market(b, m, side, size, { reduceOnly: true });
  yield w.withdraw(b);
}

/** C sells to D far below the mark, D sells on to A at the mark: entry prices say that C has lost and D has won. */
export function* washedEntries(w: Hand): Play {
  const [c, d, a] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  const far = w.against(m, side, -w.r.pick([0.02, 0.05, 0.0999]));
  const size = Math.min(w.lots(c, m, w.fair(m), 0.12), w.lots(d, m, w.fair(m), 0.02), w.lots(a, m, w.fair(m)));
  yield* w.open(d, c, m, side, far, size);
  yield* w.open(a, d, m, side, w.fair(m), size);
  yield w.withdraw(a);
  for (let i = 0; i < w.r.int(1, 3); i++) yield w.move(m, losing(side, w.r.pick(JUMPS)));
  yield w.market(c, m, side, size, { reduceOnly: true });
  for (const each of [c, d]) yield w.withdraw(each);
}

/** One account waits for its liquidation in a book without bids; a friend bids far off while the index drifts. */
export function* drift(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  for (const each of w.honest) yield w.cancelAll(each, m);
  const size = Math.min(w.lots(a, m, w.fair(m)), w.lots(b, m, w.fair(m)));
  yield* w.open(a, b, m, side, w.fair(m), size);
  yield w.withdraw(a);
  for (const part of w.r.pick([[0.004, 0.0015], [0.007], [0.0095], [0.003, 0.003, 0.003]])) {
    yield w.move(m, losing(side, part));
  }
  yield w.limit(c, m, side, w.against(m, opposite(side), w.r.pick([0, 0.001, 0.004, 0.02])), size);
  for (let i = 0; i < 8; i++) {
    yield w.move(m, losing(side, w.r.pick([0.0001, 0.0001, 0.0005, -0.0002, 0.002])));
    if (w.r.once(6)) yield w.limit(c, m, side, w.against(m, opposite(side), w.r.pick([0.0001, 0.0005, 0.01])), size);
  }
  yield w.withdraw(b);
}

/** Quotes far from the index at the whole minute, and a wash print; someone is short or long meanwhile. */
export function* wholeMinutes(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  for (const each of w.honest) yield w.cancelAll(each, m);
  yield* w.open(a, b, m, side, w.fair(m), Math.min(w.lots(a, m, w.fair(m)), w.lots(b, m, w.fair(m))));
  yield w.withdraw(a);
  yield w.withdraw(b);
  const away = w.r.pick([0.002, 0.02, 0.09]);
  for (let i = 0; i < w.r.int(1, 5); i++) {
    const [bid, ask] = [w.against(m, BUY, side === BUY ? -away : away), 0];
    const size = w.r.pick([1, 1000, 50_000, 100_000]);
    yield w.limit(c, m, BUY, bid, size);
    yield w.limit(b, m, SELL, Math.max(bid + 1, ask), size);
    if (w.r.once(2)) yield w.limit(b, m, SELL, bid, 1);
    yield w.minute();
    if (w.r.once(2)) for (const each of [b, c]) yield w.cancelAll(each, m);
  }
  yield w.move(m, losing(w.side(), w.r.pick([0.0005, 0.002, 0.005])));
}

/** A feed's jump is held: everybody knows where the price goes. */
export function* pendingValue(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  const before = w.r.once(2);
  const size = Math.min(w.most(a, m, w.fair(m)), w.most(b, m, w.fair(m)));
  if (before) yield* w.open(a, b, m, side, w.fair(m), size);
  const resting = w.r.once(3);
  if (resting) yield w.limit(b, m, opposite(side), w.fair(m), size);
  const winning = 2 - losing(side, w.r.pick([0.012, 0.02, 0.04, 0.05]));
  const to = Math.round(m.indexPrice * winning);
  yield w.index(m, to, false);
  if (!before) {
    if (!resting) yield w.limit(b, m, opposite(side), w.fair(m), size);
    yield* w.take(a, m, side, w.fair(m), size);
  }
  if (w.r.once(2)) yield w.withdraw(b);
  if (w.r.once(4)) {
    const s = w.spot();
    const price = w.against(s, BUY, 0.0999);
    const lots = Math.max(1, Math.floor(Number(w.available(b)) / Number(s.notional(price, 1))));
    yield w.limit(a, s, SELL, price, lots);
    yield w.limit(b, s, BUY, price, lots);
  }
  yield w.index(m, to + w.r.pick([0, FINE]), false);
  yield w.market(a, m, opposite(side), size, { reduceOnly: true });
  yield w.withdraw(a);
}

/** Where the price goes is known (a jump is held, or the market halted): an account takes out what it can. */
export function* knownLoss(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  const mode = w.r.pick(['ONE_WAY', 'HEDGE', 'ISOLATED'] as const);
  yield w.mode(a, m, mode);
  yield w.leverage(a, m, w.r.pick([1, 10, 50]), mode === 'ISOLATED' ? 'ISOLATED' : 'CROSS');
  const size = Math.min(w.lots(a, m, w.fair(m), w.r.pick([0.02, 0.12, 0.6])), w.lots(b, m, w.fair(m)));
  yield* w.open(a, b, m, side, w.fair(m), size, { mode });
  const halted = w.r.once(3);
  if (halted) yield { v: 1, type: 'haltMarket', market: m.index };
  const to = Math.round(m.indexPrice * losing(side, w.r.pick([0.012, 0.02, 0.05])));
  yield w.index(m, to, halted);
  for (const position of w.positions(a, m)) {
    const margin = position.mode === 'ISOLATED' ? 'ISOLATED' : 'CROSS';
    yield w.leverage(a, m, 100, margin, position.mode === 'ONE_WAY' ? null : position.id);
  }
  yield* w.r.pick([knownBySpot, knownElsewhere, knownByWithdrawal])(w, a, b, m);
  if (halted) yield { v: 1, type: 'resumeMarket', market: m.index };
  else yield w.index(m, to, false);
  yield w.withdraw(b);
}

/** Positions in two markets; a value that is held in one is going to cost it, and it closes the other into a friend first. */
export function* pendingElsewhere(w: Hand): Play {
  const [a, b] = w.some(2);
  const [m, n] = w.r.once(2) ? ofOneMoney(w) : [...ofOneMoney(w)].reverse();
  const side = w.side();
  for (const each of w.honest) yield w.cancelAll(each, n);
  const size = w.lots(a, m, w.fair(m), w.r.pick([0.07, 0.1]));
  yield* w.open(a, b, m, side, w.fair(m), size);
  const other = w.lots(a, n, w.fair(n), w.r.pick([0.02, 0.04]));
  yield* w.open(a, b, n, side, w.fair(n), other);
  yield w.index(m, Math.round(m.indexPrice * losing(side, w.r.pick([0.02, 0.04, 0.05]))), false);
  const closing = opposite(side);
  const price = w.far(n, closing);
  yield w.limit(b, n, side, price, other);
  yield* w.take(a, n, closing, price, other, { reduceOnly: w.r.once(2) });
  yield w.index(m, m.pendingIndex || m.indexPrice, false);
  yield w.withdraw(b);
}

/** Two perpetuals that settle in the same currency. */
function ofOneMoney(w: Hand): MarketView[] {
  return w.venue.markets.filter((m) => m.product === 'futures' && w.currency(m) === 'USDT');
}

function* knownByWithdrawal(w: Hand, a: number): Play {
  yield w.withdraw(a);
}

/** Pays a friend too much for coins. */
function* knownBySpot(w: Hand, a: number, b: number): Play {
  const s = w.spot();
  const price = w.against(s, BUY, 0.0999);
  const lots = Math.max(1, Math.floor(Number(w.available(a)) / Number(s.notional(price, 1))));
  yield w.limit(b, s, SELL, price, lots);
  yield* w.take(a, s, BUY, price, lots);
}

/** Opens badly in the other market, with a friend. */
function* knownElsewhere(w: Hand, a: number, b: number, m: MarketView): Play {
  const n = w.venue.markets.find((other) => other.product === 'futures' && other.index !== m.index) ?? m;
  const side = w.side();
  const price = w.far(n, side);
  const size = w.most(a, n, price);
  yield w.limit(b, n, opposite(side), price, size);
  yield* w.take(a, n, side, price, size);
}

/** The feed stops, and comes back elsewhere. */
export function* staleFeed(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  yield w.index(m, m.indexPrice + 1, false);
  yield w.advance(m.spec.staleAfterMs + w.r.pick([0, 1, 2, 60_000]));
  const size = Math.min(w.most(a, m, w.fair(m)), w.most(b, m, w.fair(m)));
  yield* w.open(a, b, m, side, w.fair(m), size);
  const to = Math.round(m.indexPrice * losing(side, w.r.pick(JUMPS)));
  yield w.index(m, to, false);
  yield* w.open(a, b, m, side, w.fair(m), size);
  yield w.index(m, to, false);
  yield w.withdraw(b);
}

/** Orders at rest that the mark leaves; a friend takes them at their old prices. */
export function* leftBehind(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  for (const each of w.honest) yield w.cancelAll(each, m);
  const price = w.against(m, side, w.r.pick([-0.01, -0.001, 0, 0.002]));
  const size = w.most(a, m, w.fair(m));
  const mode = w.r.pick(['ONE_WAY', 'ONE_WAY', 'ISOLATED', 'HEDGE'] as const);
  yield w.limit(a, m, side, price, size, { mode });
  if (w.r.once(2)) yield w.withdraw(a);
  for (let i = 0; i < w.r.int(1, 3); i++) yield w.move(m, losing(side, w.r.pick(JUMPS)));
  yield* w.take(b, m, opposite(side), price, size);
  yield w.withdraw(b);
}

/** A cross account with a position in two markets: one of them jams the closing of a third party. */
export function* jam(w: Hand): Play {
  const [a, b, d] = w.some(3);
  const markets = w.venue.markets.filter((m) => m.product === 'futures');
  const [m, n] = w.r.once(2) ? markets : [...markets].reverse();
  for (const each of w.honest) for (const market of markets) yield w.cancelAll(each, market);
  // b is long much of n against d, and falls below maintenance there, with nobody to close it against.
  const much = Math.min(w.most(b, n, w.fair(n)), w.most(d, n, w.fair(n)));
  yield* w.open(b, d, n, BUY, w.fair(n), much);
  const side = w.side();
  const size = Math.max(1, Math.min(w.lots(a, m, w.fair(m)), w.lots(b, m, w.fair(m))));
  yield* w.open(a, b, m, side, w.fair(m), size);
  yield w.withdraw(b);
  yield w.withdraw(a);
  for (let i = 0; i < w.r.int(1, 4); i++) yield w.move(n, 1 - w.r.pick([0.002, 0.004, 0.005, 0.008]));
  for (let i = 0; i < w.r.int(1, 3); i++) yield w.move(m, losing(side, w.r.pick([0.005, 0.01, 0.05])));
  const honest = w.honest[0];
  yield w.limit(honest, m, opposite(side), w.fair(m) + (side === BUY ? 1 : 0), size);
  yield w.market(b, m, side, size, { reduceOnly: true });
  yield w.move(m, losing(side, 0.01));
  yield w.withdraw(b);
}

/** Funding falls due while an account waits with next to nothing. */
export function* fundingWhileWaiting(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  for (const each of w.honest) yield w.cancelAll(each, m);
  const size = Math.min(w.lots(a, m, w.fair(m)), w.lots(b, m, w.fair(m), 0.04));
  yield* w.open(a, b, m, side, w.fair(m), size);
  const price = w.against(m, side, w.r.pick([0.01, 0.05, 0.0999]));
  const quote = w.lots(b, m, price, 0.04 + Math.abs(price / w.fair(m) - 1));
  yield w.limit(b, m, side, price, quote);
  yield w.minute();
  const intervalMs = m.spec.funding?.intervalMs ?? 0;
  if (intervalMs > 60_000) for (let i = 0; i < 3; i++) yield w.advance(Math.floor(intervalMs / 4));
  yield w.cancelAll(b, m);
  yield w.withdraw(a);
  for (const part of w.r.pick([[0.004, 0.004], [0.009], [0.0097], [0.003, 0.003, 0.0025]])) {
    yield w.move(m, losing(side, part));
  }
  yield w.advance(intervalMs);
  yield w.withdraw(b);
}

/** A position at 100x in an empty book, and a step back and forth. */
export function* thereAndBack(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  const size = Math.min(w.lots(a, m, w.fair(m)), w.lots(b, m, w.fair(m)));
  yield* w.open(a, b, m, side, w.fair(m), size);
  const before = m.indexPrice;
  yield w.move(m, losing(side, w.r.pick(JUMPS)));
  yield* baits(w, c, m, w.side(), size);
  yield w.withdraw(b);
  yield w.index(m, before);
  yield w.withdraw(a);
  yield w.move(m, losing(opposite(side), w.r.pick(JUMPS)));
  yield w.withdraw(c);
}

/** Both legs of a hedge, or an account that is on both sides in two positions, through a jump. */
export function* bothSides(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const mode = w.r.pick(['HEDGE', 'ISOLATED'] as const);
  yield w.mode(a, m, mode);
  if (mode === 'ISOLATED') yield w.leverage(a, m, w.r.pick([20, 100]), 'ISOLATED');
  const size = w.lots(a, m, w.fair(m), 0.03);
  yield* w.open(a, b, m, BUY, w.fair(m), size, { mode });
  yield* w.open(a, w.r.pick([b, c]), m, SELL, w.fair(m), Math.max(1, Math.floor(size / w.r.pick([1, 2, 4]))), { mode });
  yield w.withdraw(a);
  for (let i = 0; i < w.r.int(1, 3); i++) yield w.move(m, losing(w.side(), w.r.pick(JUMPS)));
  yield w.withdraw(b);
}

/** A spot order holds what a position needs when the index moves. */
export function* spotWhileItMoves(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  yield* w.open(a, b, m, side, w.fair(m), w.lots(a, m, w.fair(m), w.r.pick([0.0112, 0.02, 0.03])));
  const { s, side: spends, lots } = w.spending(a, m);
  const price = w.against(s, spends, w.r.pick([-0.02, 0, 0.01]));
  const size = lots(price);
  yield w.limit(a, s, spends, price, size);
  yield w.move(m, losing(side, w.r.pick(JUMPS)));
  yield w.limit(b, s, opposite(spends), price, size);
  yield w.move(m, losing(side, w.r.pick(JUMPS)));
  yield w.withdraw(b);
}

export const MOVING_PLAYS = {
  straddle,
  washedEntries,
  drift,
  wholeMinutes,
  heldValue: pendingValue,
  knownLoss,
  heldElsewhere: pendingElsewhere,
  staleFeed,
  leftBehind,
  jam,
  fundingWhileWaiting,
  thereAndBack,
  bothSides,
  spotWhileItMoves,
};
