/**
 * Directed players that need no price to move: each is a way in which two accounts and an empty book might make money.
 * They do not know the rules: they try, and take what they get.
 */
import type { PositionMode, Side } from '../../src/venue/contract/commands.ts';
import type { MarketView } from '../../src/venue/views.ts';
import { BUY, opposite, SELL } from './model-state.ts';
import type { Hand, Play, Terms } from './thief-hand.ts';

const MODES: readonly PositionMode[] = ['ONE_WAY', 'ONE_WAY', 'HEDGE', 'ISOLATED'];

/** The mode that an account has there, if it cannot change it, else one of its choice. */
function modeOf(w: Hand, account: number, m: MarketView): Terms {
  const { mode } = w.venue.settings(account, m);
  return { mode: w.openLots(account, m) !== 0 || w.r.once(2) ? mode : w.r.pick(MODES) };
}

/** Buys far above the mark, or sells far below it, from a friend, with all that it has. */
export function* farOpening(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  const price = w.far(m, side);
  const size = w.most(a, m, w.r.pick([price, w.fair(m)]));
  yield w.limit(b, m, opposite(side), price, size, modeOf(w, b, m));
  yield* w.take(a, m, side, price, size, modeOf(w, a, m));
  yield* cashOut(w, b, m);
}

/** Rests the bad order first: the friend takes it. */
export function* farResting(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  const price = w.far(m, side);
  const size = w.most(a, m, price);
  const mode = modeOf(w, a, m);
  const { orders } = yield w.r.pick([
    () => w.limit(a, m, side, price, size, mode),
    () => w.peg(a, m, side, price, size, side === BUY ? 0.1 : -0.1, mode.mode),
    () => w.limit(a, m, side, w.against(m, opposite(side), 0.05), size, mode),
  ])();
  if (orders.length > 0 && orders[0].price !== price) yield w.amend(a, orders[0].key, 'futures', { price });
  if (w.r.once(3)) yield w.withdraw(a);
  yield* w.take(b, m, opposite(side), price, size);
  yield* cashOut(w, b, m);
}

/** Opens at the mark with all that it has, then closes far from it into a friend's order: all, or a part. */
export function* farClosing(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  const terms = modeOf(w, a, m);
  const size = w.most(a, m, w.fair(m));
  if (terms.mode === 'ISOLATED') yield w.leverage(a, m, w.r.pick([10, 50, 100]), 'ISOLATED');
  yield* w.open(a, b, m, side, w.fair(m), size, terms);
  if (w.r.once(2)) yield w.withdraw(a);
  const closing = opposite(side);
  const price = w.far(m, closing);
  const part = w.r.pick([size, size, size >> 1, size >> 2, 1]) || 1;
  const reduce: Terms = { ...terms, reduceOnly: terms.mode !== 'ONE_WAY' || w.r.once(2) };
  if (w.r.once(3)) {
    // As the maker: it rests first, where no bid is in the way.
    yield w.limit(a, m, closing, price, part, reduce);
    yield* w.take(b, m, side, price, part);
  } else {
    yield w.limit(b, m, side, price, part, modeOf(w, b, m));
    yield* w.take(a, m, closing, price, part, reduce);
  }
  // What is left is liquidated, or not, into what the friend bids.
  if (w.r.once(2)) {
    yield w.limit(b, m, side, w.far(m, closing), size);
    yield* w.take(a, m, closing, w.far(m, closing), size, reduce);
  }
  yield* cashOut(w, b, m);
}

/** Steps down the price: closes a part again and again, always as far away as it may. */
export function* stepsDown(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  const size = w.most(a, m, w.fair(m));
  yield* w.open(a, b, m, side, w.fair(m), size, modeOf(w, a, m));
  const closing = opposite(side);
  for (let i = 0; i < 6; i++) {
    const lots = Math.abs(w.openLots(a, m));
    if (lots === 0) return;
    const price = w.against(m, closing, 0.0001 * w.r.int(1, 120));
    const part = Math.max(1, Math.floor(lots / w.r.pick([2, 3, 10])));
    yield w.limit(b, m, side, price, part);
    yield w.limit(a, m, closing, price, part, { timeInForce: w.r.pick(['IOC', 'GTC']), reduceOnly: w.r.once(2) });
    if (w.r.once(3)) yield w.withdraw(a);
  }
}

/** Opens a bad isolated position, then plays with its leverage and takes out what that frees. */
export function* isolatedJuggling(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  yield w.mode(a, m, 'ISOLATED');
  yield w.leverage(a, m, w.r.pick([1, 2, 10, 100]), 'ISOLATED');
  const price = w.r.pick([w.fair(m), w.far(m, side)]);
  const size = w.lots(a, m, price, w.r.pick([0.0112, 0.12, 0.6, 1.1]));
  yield w.limit(b, m, opposite(side), price, size);
  yield* w.take(a, m, side, price, size, { mode: 'ISOLATED' });
  for (const position of w.positions(a, m)) {
    yield w.leverage(a, m, w.r.pick([1, 10, 50, 100]), 'ISOLATED', position.id);
    if (w.r.once(2)) yield { v: 1, type: 'setRiskLimit', account: a, market: m.index, level: w.r.int(1, 4) };
  }
  yield w.withdraw(a);
  for (const position of w.positions(a, m)) {
    const closing: Side = position.size > 0 ? SELL : BUY;
    const at = w.far(m, closing);
    yield w.limit(b, m, opposite(closing), at, Math.abs(position.size));
    const close = w.market(a, m, closing, Math.abs(position.size), { reduceOnly: true, mode: 'ISOLATED' });
    yield { ...close, position: position.id };
  }
  yield w.withdraw(a);
}

/** Both legs of a hedge, one of them closed at a bad price. */
export function* hedgeLegs(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  yield w.mode(a, m, 'HEDGE');
  const size = w.lots(a, m, w.fair(m), 0.025);
  const hedge = { mode: 'HEDGE' } as const;
  yield* w.open(a, b, m, BUY, w.fair(m), size, hedge);
  yield* w.open(a, b, m, SELL, w.fair(m), size, hedge);
  const leg = w.side();
  const price = w.far(m, leg);
  yield w.limit(b, m, opposite(leg), price, size);
  yield* w.take(a, m, leg, price, size, { ...hedge, reduceOnly: w.r.once(2) });
  yield w.withdraw(a);
  const other = opposite(leg);
  yield w.limit(b, m, leg, w.far(m, other), size);
  yield* w.take(a, m, other, w.far(m, other), size, { ...hedge, reduceOnly: true });
}

/** Money that spot orders hold, and a position that counts on it; a friend fills the spot order. */
export function* spotReserve(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  yield* w.open(a, b, m, side, w.fair(m), w.most(a, m, w.fair(m)), modeOf(w, a, m));
  const spends = w.spending(a, m);
  const { s } = spends;
  const price = w.against(s, spends.side, w.r.pick([-0.09, -0.01, 0, 0.05, 0.0999]));
  const lots = spends.lots(price);
  yield w.r.pick([
    () => w.limit(a, s, spends.side, price, lots),
    () => w.market(a, s, spends.side, lots),
    () => w.peg(a, s, spends.side, price, lots, spends.side === BUY ? 0.1 : -0.1),
    () => w.twap(a, s, spends.side, lots),
    () => w.oco(a, s, spends.side, lots),
  ])();
  const closing = opposite(side);
  const far = w.far(m, closing);
  const openLots = Math.abs(w.openLots(a, m)) || 1;
  yield w.limit(b, m, side, far, openLots);
  yield* w.take(a, m, closing, far, openLots);
  yield w.limit(b, s, opposite(spends.side), price, openLots);
  yield w.withdraw(a);
}

/** Spot at bad prices between friends, through every kind of order. */
export function* spotAway(w: Hand): Play {
  const [a, b] = w.some(2);
  const s = w.spot();
  const side = w.side();
  const price = w.far(s, side);
  const lots = Math.max(1, Math.floor(Number(w.available(a)) / Number(s.notional(price, 1)) / w.r.pick([1, 2, 10])));
  yield w.limit(b, s, opposite(side), price, lots);
  if (w.r.once(3)) {
    yield w.twap(a, s, side, lots);
    yield w.advance(61_000);
  } else yield* w.take(a, s, side, price, lots);
  yield w.withdraw(b);
}

/** Stops and attached orders that fire into a friend's far order. */
export function* stopsIntoFriend(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  const size = w.most(a, m, w.fair(m));
  yield* w.open(a, b, m, side, w.fair(m), size, modeOf(w, a, m));
  const closing = opposite(side);
  const stop = w.against(m, closing, w.r.pick([0.0001, 0.001, 0.01]));
  const profit = w.against(m, side, w.r.pick([0.0001, 0.001, 0.01]));
  const { mode } = w.venue.settings(a, m);
  for (const position of w.positions(a, m)) yield w.attach(a, m, position.id, stop, w.r.once(2) ? profit : null);
  const trigger = { rule: 'stop', at: stop, reference: 'last' } as const;
  yield w.conditional(a, m, closing, trigger, w.r.once(2) ? null : w.far(m, closing), size, {
    mode,
    reduceOnly: w.r.once(2),
  });
  yield w.limit(b, m, side, w.far(m, closing), size);
  // One print where the stop is.
  yield w.limit(c, m, side, stop, 1);
  yield w.limit(b, m, closing, stop, 1);
  yield* cashOut(w, b, m);
}

/** Orders of one lot at odd prices: whatever is rounded, is rounded here. */
export function* dust(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.r.once(4) ? w.spot() : w.perpetual();
  const terms = m.product === 'futures' ? modeOf(w, a, m) : {};
  for (let i = 0; i < 10; i++) {
    const side = w.side();
    const price = Math.max(1, w.fair(m) + w.r.int(-7, 7));
    const size = w.r.pick([1, 1, 2, 3]);
    yield w.limit(b, m, opposite(side), price, size);
    yield w.limit(a, m, side, price, size, terms);
  }
  for (const p of w.positions(a, m)) {
    const closing: Side = p.size > 0 ? SELL : BUY;
    yield w.limit(b, m, opposite(closing), w.fair(m), Math.abs(p.size));
    yield { ...w.market(a, m, closing, Math.abs(p.size), { ...terms, reduceOnly: true }), position: p.id };
  }
  yield w.withdraw(a);
}

/** Two markets in one account: a loss realised in one while the profit of the other is not. */
export function* winnerAndLoser(w: Hand): Play {
  const [a, b] = w.some(2);
  const markets = w.venue.markets.filter((m) => m.product === 'futures');
  const [m, n] = w.r.once(2) ? markets : [...markets].reverse();
  const side = w.side();
  // Bought cheaply from a friend who pays for it: profit that only backs positions.
  const cheap = w.against(m, side, -w.r.pick([0.005, 0.02, 0.09]));
  const size = w.lots(b, m, w.fair(m), w.r.pick([0.03, 0.11]));
  yield w.limit(b, m, opposite(side), cheap, size);
  yield w.limit(a, m, side, cheap, size);
  yield w.withdraw(a);
  const other = w.side();
  const many = w.most(a, n, w.fair(n));
  yield* w.open(a, b, n, other, w.fair(n), many);
  const closing = opposite(other);
  const price = w.far(n, closing);
  yield w.limit(b, n, other, price, many);
  yield* w.take(a, n, closing, price, many);
  yield w.withdraw(a);
  yield w.withdraw(b);
  const back = opposite(side);
  yield w.limit(b, m, side, w.far(m, back), size);
  yield* w.take(a, m, back, w.far(m, back), size);
}

/** Flips through nothing: an order of more than the position, at a bad price. */
export function* flip(w: Hand): Play {
  const [a, b] = w.some(2);
  const m = w.perpetual();
  const side = w.side();
  const size = w.lots(a, m, w.fair(m), 0.025);
  yield* w.open(a, b, m, side, w.fair(m), size);
  const price = w.far(m, opposite(side));
  const more = Math.floor(size * w.r.pick([1.1, 1.5, 2, 3]));
  yield w.limit(b, m, side, price, more);
  yield* w.take(a, m, opposite(side), price, more);
  yield w.withdraw(a);
}

/** Several friends' orders of all sorts at several prices, swept by one. */
export function* sweepOfFriends(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  for (let i = 0; i < 4; i++) {
    const price = w.far(m, w.r.pick([side, opposite(side)]));
    const maker = w.r.pick([b, c]);
    const size = w.most(maker, m, price);
    yield w.r.once(4)
      ? w.peg(maker, m, opposite(side), price, size, 0)
      : w.limit(maker, m, opposite(side), price, size, { reduceOnly: w.r.once(4) });
  }
  yield* w.take(a, m, side, w.far(m, side), w.most(a, m, w.fair(m)));
  yield w.withdraw(w.r.pick([a, b, c]));
}

/** Impact-size quotes away from the index at whole minutes, so that funding is paid to a friend. */
export function* fundingPush(w: Hand): Play {
  const [a, b, c] = w.some(3);
  const m = w.perpetual();
  const side = w.side();
  yield* w.open(a, b, m, side, w.fair(m), w.most(a, m, w.fair(m)));
  const price = w.against(m, side, w.r.pick([0.002, 0.02, 0.09]));
  yield w.limit(c, m, side, price, w.lots(c, m, price, 0.03 + Math.abs(price / w.fair(m) - 1)));
  for (let i = 0; i < 3; i++) yield w.minute();
  if (w.r.once(3)) yield w.advance(8 * 3_600_000);
  yield w.cancelAll(c, m);
  yield w.withdraw(b);
}

/** Closes what it holds with whoever quotes, and takes the money out. */
export function* cashOut(w: Hand, account: number, m: MarketView): Play {
  if (w.r.once(2)) return;
  for (const p of w.positions(account, m)) {
    const close = w.market(account, m, p.size > 0 ? SELL : BUY, Math.min(Math.abs(p.size), m.maxLots), {
      reduceOnly: true,
    });
    yield p.mode === 'ISOLATED' ? { ...close, position: p.id } : close;
  }
  yield w.withdraw(account);
}

export const PINNED_PLAYS = {
  farOpening,
  farResting,
  farClosing,
  stepsDown,
  isolatedJuggling,
  hedgeLegs,
  spotReserve,
  spotAway,
  stopsIntoFriend,
  dust,
  winnerAndLoser,
  flip,
  sweepOfFriends,
  fundingPush,
};
