/**
 * Attached take-profit and stop-loss (futures): reduce-only MARKET triggers made by the first fill of their parent that
 * opens a position, sized by its opening fills; one cancels the other; gone when the position is (semantics.md section 11).
 *
 * One that fires and finds no book keeps the rest waiting for the next observation.
 */

import { marketLimit } from '../checks.ts';
import type { AttachBrackets, Bracket, PositionMode } from '../commands.ts';
import type { Desk } from '../desk.ts';
import type { Holding } from '../holdings.ts';
import type { Account } from '../ledger.ts';
import type { Market } from '../market.ts';
import { reducible, sweep } from '../matching.ts';
import type { BracketOf, Order } from '../orders.ts';
import { ending } from '../reasons.ts';
import { NONE, opposite, SELL, type Side } from '../units.ts';
import { markFired } from './conditional.ts';
import type { Algo } from './shape.ts';

/** After a fill of the parent: its attached orders cover what it has opened. */
export function coverOpened(desk: Desk, parent: Order): void {
  const lots = parent.opened - parent.covered;
  if (lots === 0) return;
  parent.covered = parent.opened;
  if (parent.takeProfit !== null) parent.takeProfitKey = cover(desk, parent, lots, parent.takeProfit, 'takeProfit');
  if (parent.stopLoss !== null) parent.stopLossKey = cover(desk, parent, lots, parent.stopLoss, 'stopLoss');
}

/** Adds `lots` to what protects the position; where that has ended, what is opened now has a new one. */
function cover(desk: Desk, parent: Order, lots: number, terms: Bracket, role: BracketOf['role']): number {
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

function make(desk: Desk, to: Protected, lots: number, terms: Bracket, bracketOf: BracketOf): Order {
  const order = desk.create(to.account, to.market, to.side);
  order.kind = 'conditional';
  order.state = 'waiting';
  order.reduceOnly = true;
  order.original = lots;
  order.current = lots;
  order.bracketOf = bracketOf;
  order.positionId = to.positionId;
  order.positionMode = to.positionMode;
  const profit = bracketOf.role === 'takeProfit';
  const up = profit === (to.side === SELL);
  const { price, reference } = terms;
  const rule = profit ? 'profit' : 'stop';
  order.trigger = { rule, reference, price, original: price, up, fired: false, firedStep: 0, limit: null };
  desk.admit(order);
  desk.positionOf(order)?.reducers.add(order.key);
  desk.watch(order, reference, price, up);
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
  const made: Order[] = [];
  for (const role of ['takeProfit', 'stopLoss'] as const) {
    const terms = command[role];
    if (terms === null) continue;
    for (const old of attachedTo(desk, holding, command.position)) {
      if (old.bracketOf?.role === role) desk.finish(old, 'cancelled', ending('bracketReplaced'));
    }
    made.push(make(desk, to, size, terms, { role, parentKey: 0 }));
  }
  return made;
}

function attachedTo(desk: Desk, holding: Holding, position: number): Order[] {
  const keys = [...(holding.byId(position)?.reducers ?? [])].sort((a, b) => a - b);
  return keys
    .map((key) => desk.orders.byKey(key))
    .filter((order) => order?.live && order.bracketOf !== null) as Order[];
}

export const bracket: Algo = {
  accept() {
    throw new Error('attached orders come with their parent');
  },

  onTrigger(desk, order) {
    const { trigger } = order;
    if (trigger === null) throw new Error(`attached order ${order.key} has no trigger`);
    markFired(desk, order);
    const market = desk.market(order);
    const lots = Math.min(order.remaining, reducible(desk, order));
    if (lots === 0) {
      desk.finish(order, 'cancelled', ending('positionClosed'));
      return;
    }
    order.current = order.filled + lots;
    const limit = marketLimit(market, order.side);
    const stop = limit === NONE ? 'limit' : sweep(desk, order, limit, lots);
    if (order.remaining === 0) desk.finish(order, 'filled', null);
    else if (stop === 'selfTrade') desk.finish(order, 'cancelled', ending('selfTrade'));
    else {
      order.state = 'waiting';
      desk.watch(order, trigger.reference, trigger.price, trigger.up);
      desk.changed(order, 'waiting');
    }
  },

  /** The first fill of one cancels the other; one that is cancelled leaves the other to protect alone. */
  onFill(desk, order) {
    const sibling = siblingOf(desk, order);
    if (order.filled > 0 && sibling?.live) desk.finish(sibling, 'cancelled', ending('bracketSiblingDone'));
  },
};

/** The other role of the same parent; of a position's own pair (no parent), the other role of that position. */
function siblingOf(desk: Desk, order: Order): Order | undefined {
  const { bracketOf } = order;
  if (bracketOf === null) return undefined;
  const parent = desk.orders.byKey(bracketOf.parentKey);
  if (parent !== undefined) {
    return desk.orders.byKey(bracketOf.role === 'takeProfit' ? parent.stopLossKey : parent.takeProfitKey);
  }
  const holding = desk.account(order).holding(order.market);
  const others = attachedTo(desk, holding, order.positionId);
  return others.find((other) => other.bracketOf?.parentKey === bracketOf.parentKey && other.key !== order.key);
}
