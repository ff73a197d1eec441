/**
 * Attached take-profit and stop-loss (futures): reduce-only MARKET triggers made by the first fill of their parent that
 * opens a position, sized by its opening fills; one cancels the other; gone when the position is (semantics.md section 11).
 *
 * One that fires and finds no book keeps the rest waiting for the next observation.
 */
import { BUY, SELL } from '../book.ts';
import { marketLimit } from '../checks.ts';
import type { Bracket } from '../commands.ts';
import type { Desk } from '../desk.ts';
import { reducible, sweep } from '../matching.ts';
import { NONE, type Order } from '../orders.ts';
import { ending } from '../reasons.ts';
import { markFired } from './conditional.ts';
import type { Algo } from './shape.ts';

/** After a fill of the parent: its attached orders cover what it has opened. */
export function coverOpened(desk: Desk, parent: Order): void {
  if (parent.opened === 0) return;
  if (parent.takeProfit !== null) parent.takeProfitKey = cover(desk, parent, parent.takeProfit, 'takeProfit');
  if (parent.stopLoss !== null) parent.stopLossKey = cover(desk, parent, parent.stopLoss, 'stopLoss');
}

function cover(desk: Desk, parent: Order, terms: Bracket, role: 'takeProfit' | 'stopLoss'): number {
  const key = role === 'takeProfit' ? parent.takeProfitKey : parent.stopLossKey;
  if (key === 0) return attach(desk, parent, terms, role);
  const attached = desk.orders.byKey(key);
  if (attached?.live && attached.original !== parent.opened) {
    attached.current += parent.opened - attached.original;
    attached.original = parent.opened;
  }
  return key;
}

function attach(desk: Desk, parent: Order, terms: Bracket, role: 'takeProfit' | 'stopLoss'): number {
  const account = desk.account(parent);
  const market = desk.market(parent);
  const order = desk.create(account, market, parent.side === BUY ? SELL : BUY);
  order.kind = 'conditional';
  order.state = 'waiting';
  order.reduceOnly = true;
  order.original = parent.opened;
  order.current = parent.opened;
  order.bracketOf = { role, parentKey: parent.key };
  const rule = role === 'takeProfit' ? 'profit' : 'stop';
  const up = (role === 'takeProfit') === (parent.side === BUY);
  const { price, reference } = terms;
  order.trigger = { rule, reference, price, original: price, up, fired: false, firedSeq: 0, limit: null };
  desk.admit(order);
  account.position(market.index).reducers.add(order.key);
  desk.watch(order, reference, price, up);
  desk.entered.push(order.key);
  return order.key;
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
    }
  },

  /** The first fill of one cancels the other; one that is cancelled leaves the other to protect alone. */
  onFill(desk, order) {
    const sibling = siblingOf(desk, order);
    if (order.filled > 0 && sibling?.live) desk.finish(sibling, 'cancelled', ending('bracketSiblingDone'));
  },
};

function siblingOf(desk: Desk, order: Order): Order | undefined {
  const parent = order.bracketOf === null ? undefined : desk.orders.byKey(order.bracketOf.parentKey);
  if (parent === undefined || order.bracketOf === null) return undefined;
  return desk.orders.byKey(order.bracketOf.role === 'takeProfit' ? parent.stopLossKey : parent.takeProfitKey);
}
