/**
 * Attached take-profit and stop-loss orders (futures). They are reduce-only MARKET triggers, created by the first fill
 * of their parent that opens a position. Their size is that of the parent's opening fills. When one of them fills, the
 * other protects that much less. They end with the position (rules 11.24 to 11.32).
 *
 * If one fires and is not completely filled, the rest waits again for the next observation that reaches its price.
 */

import type { AttachedTerms, AttachOrders, PositionMode } from '../contract/commands.ts';
import { ending } from '../contract/reasons.ts';
import { NONE, opposite, SELL, type Side } from '../contract/units.ts';
import { endedBySweep } from '../execution/enter-book.ts';
import { finish } from '../execution/finish.ts';
import { markFired, triggerOf } from '../execution/fire-trigger.ts';
import { sweep } from '../execution/matching.ts';
import { admit, newOrder } from '../execution/new-order.ts';
import { reduceOnlyOrdersOf, reducible } from '../risk/reduce-only.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { MarketPositions } from '../state/market-positions.ts';
import type { Order } from '../state/order.ts';
import type { VenueState } from '../state/venue-state.ts';
import { type Algo, shaped } from './shape.ts';

interface Attached {
  readonly role: 'takeProfit' | 'stopLoss';
  /** The order whose fills it covers. 0: it was attached to a position. */
  readonly parentKey: number;
  /** Lots of its fills that the other role has already subtracted. */
  told?: number;
}

/** The state of an attached order. Null for other orders. */
function attachedOf(order: Order): Attached | null {
  return order.algo === 'bracket' ? (order.algoState as Attached) : null;
}

/** After a fill of the parent, its attached orders cover what it has opened. */
export function coverOpened(venue: VenueState, parent: Order): void {
  const lots = parent.openedLots - parent.protectedLots;
  if (lots === 0) return;
  parent.protectedLots = parent.openedLots;
  if (parent.takeProfit !== null) parent.takeProfitKey = cover(venue, parent, lots, parent.takeProfit, 'takeProfit');
  if (parent.stopLoss !== null) parent.stopLossKey = cover(venue, parent, lots, parent.stopLoss, 'stopLoss');
}

/** Adds `lots` to the order that protects the position. If that has ended, a new one covers what is opened now. */
function cover(venue: VenueState, parent: Order, lots: number, terms: AttachedTerms, role: Attached['role']): number {
  const key = role === 'takeProfit' ? parent.takeProfitKey : parent.stopLossKey;
  const order = key === 0 ? undefined : venue.orders.byKey(key);
  if (order?.live) {
    order.quantity += lots;
    order.original += lots;
    venue.changed(order, 'grown');
    return key;
  }
  const { side, positionId, positionMode } = parent;
  const account = venue.account(parent);
  const to = { account, market: venue.market(parent), side: opposite(side), positionId, positionMode };
  return make(venue, to, lots, terms, { role, parentKey: parent.key }).key;
}

/** The position that an attached order protects. `side` is the side that reduces it. */
interface Protected {
  readonly account: Account;
  readonly market: Market;
  readonly side: Side;
  readonly positionId: number;
  readonly positionMode: PositionMode;
}

function make(venue: VenueState, to: Protected, lots: number, terms: AttachedTerms, state: Attached): Order {
  const head = { side: to.side, clientId: null, broker: null, size: lots, reduceOnly: true };
  const order = newOrder(venue, 'bracket', 'conditional', head, to.account, to.market);
  order.state = 'waiting';
  order.algoState = state;
  order.positionId = to.positionId;
  order.positionMode = to.positionMode;
  const profit = state.role === 'takeProfit';
  const up = profit === (to.side === SELL);
  const { price, reference } = terms;
  const rule = profit ? 'profit' : 'stop';
  order.trigger = { rule, reference, price, original: price, up, fired: false, firedStep: 0, limit: null };
  admit(venue, order);
  protect(venue, order);
  to.market.triggers.watch(order, reference, price, up);
  venue.entered.push(order.key);
  return order;
}

/**
 * Attaches orders to an open position, the take-profit first. Each replaces the one that protects the position in the
 * same role.
 */
export function attachTo(
  venue: VenueState,
  command: AttachOrders,
  target: { account: Account; market: Market; marketPositions: MarketPositions; closingSide: Side; size: number },
): Order[] {
  const { account, market, marketPositions, closingSide: side, size } = target;
  const to = { account, market, side, positionId: command.position, positionMode: marketPositions.mode };
  const replaced = replacedBy(venue, command, marketPositions);
  const made: Order[] = [];
  for (const role of ['takeProfit', 'stopLoss'] as const) {
    const terms = command[role];
    if (terms === null) continue;
    for (const old of replaced) {
      if (attachedOf(old)?.role === role) finish(venue, old, 'cancelled', ending('bracketReplaced'));
    }
    made.push(make(venue, to, size, terms, { role, parentKey: 0 }));
  }
  return made;
}

/** The attached orders of the position that the command replaces. */
export function replacedBy(venue: VenueState, command: AttachOrders, marketPositions: MarketPositions): Order[] {
  return attachedTo(venue, marketPositions, command.position).filter((order) => {
    const role = attachedOf(order)?.role;
    return role !== undefined && command[role] !== null;
  });
}

function attachedTo(venue: VenueState, marketPositions: MarketPositions, position: number): Order[] {
  return reduceOnlyOrdersOf(venue, marketPositions.byId(position)).filter((order) => order.algo === 'bracket');
}

/** From now on the order follows changes of the position, and ends with it. */
function protect(venue: VenueState, order: Order): void {
  venue.positionOf(order)?.reduceOnlyOrders.add(order.key);
}

export const attached: Algo = shaped({
  name: 'bracket',
  amendable: 'sidedTrigger',

  accept() {
    throw new Error('an attached order is not placed: fills of its parent create it');
  },

  onTrigger(venue, order, seen) {
    markFired(venue, order, seen);
    const market = venue.market(order);
    const lots = Math.min(order.remaining, reducible(venue, order));
    if (lots === 0) {
      finish(venue, order, 'cancelled', ending('positionClosed'));
      return;
    }
    order.quantity = order.filled + lots;
    const limit = market.marketLimit(order.side);
    const stop = limit === NONE ? 'limit' : sweep(venue, order, limit, lots);
    // Its margin may cover the rest at the next price. It protects as long as the position is open.
    if (stop !== 'margin' && endedBySweep(venue, order, stop)) return;
    const { reference, price, up } = triggerOf(order);
    order.state = 'waiting';
    market.triggers.watch(order, reference, price, up);
    venue.changed(order, 'waiting');
  },

  /** What one has filled, the other no longer protects. If one is cancelled, the other continues alone. */
  onFill(venue, order) {
    const state = order.algoState as Attached;
    const lots = order.filled - (state.told ?? 0);
    state.told = order.filled;
    const sibling = siblingOf(venue, order);
    if (lots > 0 && sibling?.live) leaveWhatIsLeft(venue, sibling, lots, order);
  },

  onLoad: protect,

  describe(_venue, order) {
    const { role, parentKey } = order.algoState as Attached;
    return { name: 'attachedTo', terms: { role, parent: { order: parentKey === 0 ? null : parentKey } }, progress: {} };
  },
});

/**
 * Reduces the order by the `lots` that its sibling has filled, and to what is left of the position. It ends if nothing
 * is left.
 */
function leaveWhatIsLeft(venue: VenueState, order: Order, lots: number, sibling: Order): void {
  const figures = { sibling: { order: sibling.key } };
  const left = Math.min(order.remaining - lots, reducible(venue, order));
  if (left <= 0) {
    finish(venue, order, 'cancelled', ending('bracketSiblingDone'), figures);
    return;
  }
  order.quantity = order.filled + left;
  venue.changed(order, 'reduced', figures);
}

/**
 * The other role of the same parent. If the orders were attached to a position (no parent), the other role of that
 * position.
 */
function siblingOf(venue: VenueState, order: Order): Order | undefined {
  const { role, parentKey } = order.algoState as Attached;
  const parent = venue.orders.byKey(parentKey);
  if (parent !== undefined)
    return venue.orders.byKey(role === 'takeProfit' ? parent.stopLossKey : parent.takeProfitKey);
  const marketPositions = venue.account(order).positionsIn(order.market);
  const others = attachedTo(venue, marketPositions, order.positionId);
  return others.find((other) => attachedOf(other)?.parentKey === parentKey && other.key !== order.key);
}
