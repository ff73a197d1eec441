/** What orders do to each other: OCO legs, reduce-only against the position, attached take-profit and stop-loss. */
import type { AttachedTerms, Side } from '../../src/venue/contract/commands.ts';
import { moveMark } from './model-mark.ts';
import { end } from './model-matching.ts';
import { positionOf, positionsIn, reducible, UNOPENED } from './model-positions.ts';
import {
  BUY,
  changed,
  emit,
  isLive,
  liveByKey,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  type ModelPosition,
  newOrder,
  opposite,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';
import { makeGood, settleWallets } from './model-wallets.ts';

/** A limit leg that ends for one of these has ended by itself: what was to be protected stays protected. */
const BY_ITSELF: readonly string[] = [
  'immediateRemainder',
  'fillOrKillUnfilled',
  'expired',
  'selfTrade',
  'positionCovered',
  'margin',
];

/**
 * Called once an order has ended: the other leg of its OCO group goes in the same step. A limit leg that ends by itself
 * leaves the stop leg with what was left.
 */
export function onEnded(w: World, o: ModelOrder): void {
  const sibling = o.oco === null ? undefined : liveByKey(w.s, o.oco.siblingKey);
  if (sibling === undefined || o.trigger?.fired || sibling.trigger?.fired) return;
  if (o.state === 'filled') {
    sibling.quantity = 0;
    end(w, sibling, 'cancelled', 'ocoSiblingFilled');
  } else if (o.state === 'rejected') end(w, sibling, 'rejected', 'ocoLimitLegRejected');
  else if (o.oco!.role === 'limit' && BY_ITSELF.includes(o.ending!.reason)) reduceStopLeg(w, o);
  else {
    if (o.oco!.role === 'limit') sibling.quantity = unfilled(o);
    end(w, sibling, 'cancelled', o.ending?.reason === 'positionClosed' ? 'positionClosed' : 'ocoCancelled');
  }
}

/** The stop leg has what is left of the limit leg, also where that has ended by itself. */
function reduceStopLeg(w: World, limit: ModelOrder): void {
  const stop = limit.oco?.role === 'limit' ? liveByKey(w.s, limit.oco.siblingKey) : undefined;
  if (stop === undefined || stop.trigger!.fired) return;
  if (stop.quantity === unfilled(limit)) return;
  stop.quantity = unfilled(limit);
  changed(w, stop, 'reduced');
}

/**
 * After a sweep, for each order that it filled: OCO sibling, attached orders, reduce-only orders of the position. Then what
 * wallets have lost, and the mark that follows from the prints.
 */
export function afterSweep(w: World): void {
  for (let o = w.touched.shift(); o !== undefined; o = w.touched.shift()) {
    const market = w.s.markets[o.market];
    const account = w.s.accounts.get(o.account)!;
    if (isLive(o)) reduceStopLeg(w, o);
    if (o.attached !== null) reduceOtherAttached(w, account, market, o);
    if (market.product !== 'futures') continue;
    coverOpened(w, account, market, o);
    const position = positionOf(account, market, o);
    if (position !== undefined) fitReduceOnlyOrders(w, market, account, position);
  }
  settleWallets(w);
  for (const market of w.s.markets) {
    if (market.printed) moveMark(w, market);
    market.printed = false;
  }
}

/**
 * What a take-profit or stop-loss has closed is no more the other one's, which never has more than its position; with
 * nothing left to protect it goes. One that is cancelled leaves the other alone.
 */
function reduceOtherAttached(w: World, account: ModelAccount, market: ModelMarket, o: ModelOrder): void {
  const { role, parentKey } = o.attached!;
  const closed = o.filled - o.shared;
  o.shared = o.filled;
  const other = w.s.live.find(
    (x) =>
      x.attached?.parentKey === parentKey &&
      x.attached.role !== role &&
      x.account === o.account &&
      x.market === o.market &&
      x.positionId === o.positionId,
  );
  if (other === undefined || closed === 0) return;
  const position = positionOf(account, market, other);
  const left = Math.min(unfilled(other) - closed, reducible(position, other.side));
  if (left <= 0) {
    end(w, other, 'cancelled', 'bracketSiblingDone');
    return;
  }
  other.quantity = other.filled + left;
  changed(w, other, 'reduced');
}

/** Attached orders come with the first fill that opens, and grow with the next ones. */
function coverOpened(w: World, account: ModelAccount, market: ModelMarket, parent: ModelOrder): void {
  const position = positionOf(account, market, parent);
  const lots = parent.openedLots - parent.protectedLots;
  if (lots === 0 || position === undefined) return;
  parent.protectedLots = parent.openedLots;
  const cover = (role: 'takeProfit' | 'stopLoss', terms: AttachedTerms | null, key: number): number => {
    if (terms === null) return 0;
    const existing = liveByKey(w.s, key);
    if (existing !== undefined) {
      existing.quantity += lots;
      existing.original += lots;
      changed(w, existing, 'grown');
      return key;
    }
    const of = { role, parentKey: parent.key };
    return attachOrder(w, account, market, position, opposite(parent.side), lots, terms, of).key;
  };
  parent.takeProfitKey = cover('takeProfit', parent.takeProfit, parent.takeProfitKey);
  parent.stopLossKey = cover('stopLoss', parent.stopLoss, parent.stopLossKey);
}

/** A reduce-only MARKET trigger: on the profit side of a position or on the loss side. */
export function attachOrder(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  position: ModelPosition,
  side: Side,
  lots: number,
  { price, reference }: AttachedTerms,
  attached: NonNullable<ModelOrder['attached']>,
): ModelOrder {
  const profit = attached.role === 'takeProfit';
  const o = newOrder(w, {
    account: account.number,
    market: market.index,
    side,
    kind: 'conditional',
    state: 'waiting',
    quantity: lots,
    reduceOnly: true,
    attached,
    positionId: position.id,
    positionMode: positionsIn(account, market).mode,
    trigger: {
      rule: profit ? 'profit' : 'stop',
      reference,
      price,
      original: price,
      up: profit === (side === SELL),
      fired: false,
      firedStep: 0,
      limit: null,
    },
  });
  w.s.live.push(o);
  emit(w, { type: 'accepted', key: o.key });
  w.entered.push(o.key);
  return o;
}

/**
 * Reduce-only orders at rest go down to their position, least aggressive first, and so does the stop leg of an OCO that
 * has lost its other leg. Without a position they go, and with them the attached ones and the triggers that were placed
 * with it. A closed isolated position is forgotten.
 */
export function fitReduceOnlyOrders(
  w: World,
  market: ModelMarket,
  account: ModelAccount,
  position: ModelPosition,
): void {
  for (const side of [BUY, SELL]) {
    const room = reducible(position, side);
    const mine = w.s.live.filter(
      (o) =>
        o.reduceOnly &&
        o.account === account.number &&
        o.market === market.index &&
        o.side === side &&
        positionOf(account, market, o) === position,
    );
    const resting = mine.filter((o) => o.resting !== null);
    if (room > 0) {
      shrinkTo(w, resting, room, side);
      for (const o of mine) if (o.oco?.role === 'stop' && o.state === 'waiting') shrinkWaiting(w, o, room);
    } else {
      const gone = mine.filter((o) => o.resting !== null || o.attached !== null || (o.bound && o.state === 'waiting'));
      // One leg of an OCO takes the other along.
      for (const o of gone) if (isLive(o)) end(w, o, 'cancelled', 'positionClosed');
    }
  }
  const marketPositions = positionsIn(account, market);
  if (position.size !== 0 || marketPositions.mode !== 'ISOLATED') return;
  if (position.collateral < 0n) {
    makeGood(w, account, market.quote, -position.collateral);
    position.collateral = 0n;
  }
  marketPositions.isolated = marketPositions.isolated.filter((p) => p !== position);
  for (const o of w.s.live) {
    // What is left of an order that opened it is to open another one.
    const bound = o.account === account.number && o.market === market.index && o.positionId === position.id;
    if (bound && !o.reduceOnly) o.positionId = UNOPENED;
  }
}

function shrinkWaiting(w: World, stop: ModelOrder, room: number): void {
  if (unfilled(stop) <= room) return;
  stop.quantity = stop.filled + room;
  changed(w, stop, 'reduced');
}

function shrinkTo(w: World, resting: ModelOrder[], room: number, side: Side): void {
  const passive = (o: ModelOrder) => (side === BUY ? -o.resting!.price : o.resting!.price);
  resting.sort((a, b) => passive(b) - passive(a) || b.key - a.key);
  let excess = resting.reduce((sum, o) => sum + unfilled(o), 0) - room;
  for (const o of resting) {
    const cut = Math.min(Math.max(excess, 0), unfilled(o));
    excess -= cut;
    if (cut > 0 && cut === unfilled(o)) {
      end(w, o, 'cancelled', 'positionCovered');
      continue;
    }
    o.quantity -= cut;
    o.resting!.shown -= cut;
    if (cut === 0) continue;
    changed(w, o, 'reduced');
    reduceStopLeg(w, o);
  }
}
