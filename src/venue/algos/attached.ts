/**
 * Attached take-profit and stop-loss (futures): reduce-only MARKET triggers made by the first fill of their parent that
 * opens a position, sized by its opening fills. What one of them fills, the other one no longer protects. They end with the
 * position (semantics.md section 11).
 *
 * One that fires and is not filled whole waits again with its rest, for the next observation that reaches its price.
 */

import type { AttachBrackets, Bracket, PositionMode } from '../contract/commands.ts';
import { ending } from '../contract/reasons.ts';
import { NONE, opposite, SELL, type Side } from '../contract/units.ts';
import { endedBySweep } from '../execution/enter-book.ts';
import { finish } from '../execution/finish.ts';
import { markFired, triggerOf } from '../execution/fire-trigger.ts';
import { sweep } from '../execution/matching.ts';
import { newOrder } from '../execution/new-order.ts';
import { reducersOf, reducible } from '../risk/reduce-only.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Holding } from '../state/market-positions.ts';
import type { Order } from '../state/order.ts';
import type { Desk } from '../state/venue-state.ts';
import { type Algo, shaped } from './shape.ts';

export interface Attached {
  readonly role: 'takeProfit' | 'stopLoss';
  /** The order whose fills it covers; 0: it was attached to a position. */
  readonly parentKey: number;
  /** Lots of its fills that the other role knows of. */
  told?: number;
}

/** What an attached order protects, and as what; null: the order is none. */
export function attachedOf(order: Order): Attached | null {
  return order.algo === 'bracket' ? (order.own as Attached) : null;
}

/** After a fill of the parent: its attached orders cover what it has opened. */
export function coverOpened(desk: Desk, parent: Order): void {
  const lots = parent.opened - parent.covered;
  if (lots === 0) return;
  parent.covered = parent.opened;
  if (parent.takeProfit !== null) parent.takeProfitKey = cover(desk, parent, lots, parent.takeProfit, 'takeProfit');
  if (parent.stopLoss !== null) parent.stopLossKey = cover(desk, parent, lots, parent.stopLoss, 'stopLoss');
}

/** Adds `lots` to what protects the position; where that has ended, what is opened now has a new one. */
function cover(desk: Desk, parent: Order, lots: number, terms: Bracket, role: Attached['role']): number {
  const key = role === 'takeProfit' ? parent.takeProfitKey : parent.stopLossKey;
  const attached = key === 0 ? undefined : desk.orders.byKey(key);
  if (attached?.live) {
    attached.current += lots;
    attached.original += lots;
    desk.changed(attached, 'grown');
    return key;
  }
  const { side, positionId, positionMode } = parent;
  const account = desk.account(parent);
  const to = { account, market: desk.market(parent), side: opposite(side), positionId, positionMode };
  return make(desk, to, lots, terms, { role, parentKey: parent.key }).key;
}

/** Whose position an attached order protects: `side` is the side that reduces it. */
interface Protected {
  readonly account: Account;
  readonly market: Market;
  readonly side: Side;
  readonly positionId: number;
  readonly positionMode: PositionMode;
}

function make(desk: Desk, to: Protected, lots: number, terms: Bracket, own: Attached): Order {
  const head = { side: to.side, clientId: null, broker: null, size: lots, reduceOnly: true };
  const order = newOrder(desk, 'bracket', 'conditional', head, to.account, to.market);
  order.state = 'waiting';
  order.own = own;
  order.positionId = to.positionId;
  order.positionMode = to.positionMode;
  const profit = own.role === 'takeProfit';
  const up = profit === (to.side === SELL);
  const { price, reference } = terms;
  const rule = profit ? 'profit' : 'stop';
  order.trigger = { rule, reference, price, original: price, up, fired: false, firedStep: 0, limit: null };
  desk.admit(order);
  protect(desk, order);
  to.market.triggers.watch(order, reference, price, up);
  desk.entered.push(order.key);
  return order;
}

/** Attaches to an open position, in place of what protects it in the same role now; take-profit first. */
export function attachTo(
  desk: Desk,
  command: AttachBrackets,
  target: { account: Account; market: Market; holding: Holding; side: Side; size: number },
): Order[] {
  const { account, market, holding, side, size } = target;
  const to = { account, market, side, positionId: command.position, positionMode: holding.mode };
  const replaced = replacedBy(desk, command, holding);
  const made: Order[] = [];
  for (const role of ['takeProfit', 'stopLoss'] as const) {
    const terms = command[role];
    if (terms === null) continue;
    for (const old of replaced) {
      if (attachedOf(old)?.role === role) finish(desk, old, 'cancelled', ending('bracketReplaced'));
    }
    made.push(make(desk, to, size, terms, { role, parentKey: 0 }));
  }
  return made;
}

/** What is attached to the position in a role that the command fills anew. */
export function replacedBy(desk: Desk, command: AttachBrackets, holding: Holding): Order[] {
  return attachedTo(desk, holding, command.position).filter((order) => {
    const role = attachedOf(order)?.role;
    return role !== undefined && command[role] !== null;
  });
}

function attachedTo(desk: Desk, holding: Holding, position: number): Order[] {
  return reducersOf(desk, holding.byId(position)).filter((order) => order.algo === 'bracket');
}

/** From here on it is among those that the position, when it changes, takes along. */
function protect(desk: Desk, order: Order): void {
  desk.positionOf(order)?.reducers.add(order.key);
}

export const bracket: Algo = shaped({
  name: 'bracket',
  amendable: 'sidedTrigger',

  accept() {
    throw new Error('attached orders come with their parent');
  },

  onTrigger(desk, order) {
    markFired(desk, order);
    const market = desk.market(order);
    const lots = Math.min(order.remaining, reducible(desk, order));
    if (lots === 0) {
      finish(desk, order, 'cancelled', ending('positionClosed'));
      return;
    }
    order.current = order.filled + lots;
    const limit = market.marketLimit(order.side);
    const stop = limit === NONE ? 'limit' : sweep(desk, order, limit, lots);
    // Its margin may cover the rest at the next price: it protects as long as there is a position.
    if (stop !== 'margin' && endedBySweep(desk, order, stop)) return;
    const { reference, price, up } = triggerOf(order);
    order.state = 'waiting';
    market.triggers.watch(order, reference, price, up);
    desk.changed(order, 'waiting');
  },

  /** What one has filled, the other no longer protects. If one is cancelled, the other protects alone. */
  onFill(desk, order) {
    const own = order.own as Attached;
    const lots = order.filled - (own.told ?? 0);
    own.told = order.filled;
    const sibling = siblingOf(desk, order);
    if (lots > 0 && sibling?.live) leaveWhatIsLeft(desk, sibling, lots);
  },

  onLoad: protect,
});

/** It protects `lots` less, and no more than is left of the position; it ends when that is nothing. */
function leaveWhatIsLeft(desk: Desk, order: Order, lots: number): void {
  const left = Math.min(order.remaining - lots, reducible(desk, order));
  if (left <= 0) {
    finish(desk, order, 'cancelled', ending('bracketSiblingDone'));
    return;
  }
  order.current = order.filled + left;
  desk.changed(order, 'reduced');
}

/** The other role of the same parent; of a position's own pair (no parent), the other role of that position. */
function siblingOf(desk: Desk, order: Order): Order | undefined {
  const { role, parentKey } = order.own as Attached;
  const parent = desk.orders.byKey(parentKey);
  if (parent !== undefined) return desk.orders.byKey(role === 'takeProfit' ? parent.stopLossKey : parent.takeProfitKey);
  const holding = desk.account(order).holding(order.market);
  const others = attachedTo(desk, holding, order.positionId);
  return others.find((other) => attachedOf(other)?.parentKey === parentKey && other.key !== order.key);
}
