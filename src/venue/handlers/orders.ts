/**
 * Commands about orders: place, attach, amend, cancel, cancel all. Each finds its orders, has the command checked, and carries it
 * out. The rules are in checks.ts, position-settings.ts, amend.ts and the algos.
 *
 * Invariant: a refused command has changed nothing. Any other command is done completely, including what its fills
 * change for other orders. An order of another account or product counts as not found. Cost of a placement: its checks
 * and what it matches. Cost of a cancel: one look-up, and constant work for each order that ends.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import { attachTo, replacedBy } from '../algos/attached.ts';
import { algoFor } from '../algos/registry.ts';
import type { Amend, AttachOrders, Cancel, CancelAll, Place } from '../contract/commands.ts';
import { type EndReason, ending, type Params, type Refusal, refuse } from '../contract/reasons.ts';
import { opposite, type Product } from '../contract/units.ts';
import { finish } from '../execution/finish.ts';
import {
  attachedOnSide,
  markKnown,
  notTrading,
  refuseDuplicate,
  rememberRequest,
  roomForOrders,
} from '../risk/checks.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';
import { amend } from './amend.ts';
import { attachTarget, modeAllowed, roomForPosition } from './position-settings.ts';

/** The result of a command. The reply is read from it. */
export interface Outcome {
  readonly refusal: Refusal | null;
  /** What `shown` finds the order by that a refusal is about: its key, or the command that names it. */
  readonly about: Cancel | number | null;
  readonly orders: readonly Order[];
  readonly account: number | null;
}

const NO_ORDERS: readonly Order[] = [];

/** The command was carried out. */
export function done(orders: readonly Order[] = NO_ORDERS, account: number | null = null): Outcome {
  return { refusal: null, about: null, orders, account };
}

export function refused(refusal: Refusal, about: Outcome['about'] = null): Outcome {
  return { refusal, about, orders: NO_ORDERS, account: null };
}

/**
 * The order that a refusal is about. Only the next call overwrites it. It is looked up when the reply is read, because few
 * replies are, and because an ended order may have to be loaded from a snapshot (order-table.ts).
 */
export function shown(venue: VenueState, about: Outcome['about']): Order | undefined {
  if (about === null) return undefined;
  if (typeof about === 'number') return venue.orders.shownByKey(about);
  const { account, product, order: key, clientId } = about;
  if (key === null) return newestOf(venue, venue.orders.keysByClientId(account, product, clientId ?? ''), about);
  const order = venue.orders.shownByKey(key);
  return order !== undefined && belongsTo(order, about) ? order : undefined;
}

export function place(venue: VenueState, command: Place): Outcome {
  const market = venue.markets[command.market];
  if (market === undefined) return refused(refuse('unknownMarket', { symbol: command.market }));
  const account = venue.accountAt(command.account);
  if (account === undefined) return refused(refuse('unknownAccount', { account: command.account }));
  if (market.halted) return refused(notTrading(market));
  const noMark = markKnown(market);
  if (noMark !== null) return refused(noMark);
  const refusal = refuseDuplicate(venue, command, market);
  if (refusal !== null) {
    // A refusal of a duplicate names the earlier order.
    return refused(refusal, refusal.params.order as number);
  }
  const algo = algoFor(command);
  const result =
    modeAllowed(account, market, command) ??
    roomForOrders(account, market, algo.legs ?? 1) ??
    roomForPosition(account, market, command, algo.legs ?? 1) ??
    algo.accept(venue, command, account, market);
  if (!Array.isArray(result)) return refused(result);
  rememberRequest(venue, command, result[0].key);
  afterSweep(venue);
  return done(result);
}

/**
 * The reply has the attached orders, take-profit first. The orders that they replace no longer count towards the
 * maximum.
 */
export function attachOrders(venue: VenueState, command: AttachOrders): Outcome {
  const target = attachTarget(venue, command);
  if ('reason' in target) return refused(target);
  const { account, market, marketPositions, closingSide } = target;
  const made = [command.takeProfit, command.stopLoss].filter((terms) => terms !== null).length;
  const more = made - replacedBy(venue, command, marketPositions).length;
  const refusal =
    (more > 0 ? roomForOrders(account, market, more) : null) ??
    attachedOnSide(market, opposite(closingSide), command, null);
  if (refusal !== null) return refused(refusal);
  return done(attachTo(venue, command, target));
}

/** The live order with that client id, otherwise the newest ended one. */
export function byClientId(venue: VenueState, account: number, product: Product, clientId: string): Order | undefined {
  const live = venue.orders.liveByClientId(account, product, clientId);
  if (live !== undefined) return live;
  const newest = venue.orders.keysByClientId(account, product, clientId).at(-1);
  return newest === undefined ? undefined : venue.orders.byKey(newest);
}

/** Cancelling one leg of an OCO cancels both, and the reply has both. */
export function cancel(venue: VenueState, command: Cancel): Outcome {
  const { account, product, order: key, clientId } = command;
  if (key !== null) {
    const order = venue.orders.liveByKey(key);
    if (order !== undefined && belongsTo(order, command)) return done(cancelOrder(venue, order));
    return refused(refuse('orderNotFound', { order: key }), command);
  }
  const keys = venue.orders.keysByClientId(account, product, clientId ?? '');
  const live = keys.map((each) => venue.orders.liveByKey(each)).filter((order) => order !== undefined);
  const named = live.filter((order) => belongsTo(order, command));
  if (named.length > 0) return done(cancelOrders(venue, named));
  return refused(refuse('orderNotFound', { clientId: clientId ?? '' }), command);
}

/** The last of these orders that the command could mean. */
function newestOf(venue: VenueState, keys: readonly number[], command: Cancel): Order | undefined {
  for (let i = keys.length - 1; i >= 0; i--) {
    const order = venue.orders.shownByKey(keys[i]);
    if (order !== undefined && belongsTo(order, command)) return order;
  }
  return undefined;
}

function belongsTo(order: Order, command: Cancel | Amend): boolean {
  return (
    order.account === command.account &&
    order.product === command.product &&
    (command.market === null || order.market === command.market)
  );
}

/**
 * Finds the order by key, or by client id as a look-up does. The reply shows the order after it has matched, and before
 * anything that its trades trigger.
 */
export function amendOrder(venue: VenueState, command: Amend): Outcome {
  const { account, product, clientId } = command;
  const found =
    command.order === null ? byClientId(venue, account, product, clientId ?? '') : venue.orders.byKey(command.order);
  const order = found !== undefined && belongsTo(found, command) ? found : undefined;
  const about = order?.key ?? null;
  if (order === undefined || !order.live) {
    const params: Params = command.order === null ? { clientId: clientId ?? '' } : { order: command.order };
    return refused(refuse('orderNotFound', params), about);
  }
  const refusal = amend(venue, command, order);
  return refusal === null ? done([order]) : refused(refusal, about);
}

export function cancelAll(venue: VenueState, command: CancelAll): Outcome {
  return done(cancelOrders(venue, venue.openOrders(command.account, command.product, command.market)));
}

/** Cancels one order and its group, as `cancelOrders` does. Most orders are no group, so it makes no list of those. */
function cancelOrder(venue: VenueState, order: Order): Order[] {
  if (behaviourOf(order).group !== undefined) return cancelOrders(venue, [order]);
  finish(venue, order, 'cancelled', ending('cancelledByClient'));
  afterSweep(venue);
  return [order];
}

/** Cancels the orders and their groups, oldest first, with all consequences. Returns all of them. */
export function cancelOrders(
  venue: VenueState,
  orders: readonly Order[],
  reason: EndReason = 'cancelledByClient',
): Order[] {
  const all = orders.flatMap((order) => behaviourOf(order).group?.(venue, order) ?? [order]);
  const inOrder = all.length === 1 ? all : distinct(all).sort((a, b) => a.key - b.key);
  for (const order of inOrder) if (order.live) finish(venue, order, 'cancelled', ending(reason));
  afterSweep(venue);
  return inOrder;
}

function distinct(orders: readonly Order[]): Order[] {
  return [...new Map(orders.map((order) => [order.key, order])).values()];
}
