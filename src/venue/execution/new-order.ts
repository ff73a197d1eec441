/**
 * How an order begins. The fields that all placements share are read here. An algo adds its own.
 *
 * Invariant: until `admit`, a new order has a key and nothing else. It is in no count, book, reserve or event. But it
 * takes the command's next number, so an algo first refuses and then creates its orders. Cost: one order, no search.
 */

import type { AlgoName, AttachedOrders, PositionMode } from '../contract/commands.ts';
import type { OrderKind } from '../contract/order-view.ts';
import type { Refusal } from '../contract/reasons.ts';
import type { Side } from '../contract/units.ts';
import { clipToPosition } from '../risk/reduce-only.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { orderViewOf } from '../state/order-view.ts';
import type { VenueState } from '../state/venue-state.ts';

/** The common fields of placements. A field that a kind does not have is absent. */
interface PlacedTerms extends AttachedOrders {
  readonly side: Side;
  readonly clientId: string | null;
  readonly broker: string | null;
  readonly size?: number | null;
  readonly quote?: string | null;
  readonly reduceOnly?: boolean;
  /** Futures. Null or absent: the account's mode. */
  readonly positionMode?: PositionMode | null;
}

/**
 * The lots of a placement. If it is to reduce, they are clipped to the position (by number; null: the one that follows
 * from the side).
 */
export function lotsPlaced(
  account: Account,
  market: Market,
  { side, size, reduceOnly }: PlacedTerms,
  position: number | null = null,
): number | Refusal {
  return reduceOnly ? clipToPosition(account, market, side, size ?? 0, position) : (size ?? 0);
}

/**
 * A new order of the present command. The algo adds its own fields, then calls `admit`. An accepted placement switches
 * its account to the mode that it names.
 */
export function newOrder(
  venue: VenueState,
  algo: AlgoName,
  kind: OrderKind,
  terms: PlacedTerms,
  account: Account,
  market: Market,
): Order {
  const { positionMode = null } = terms;
  if (positionMode !== null && market.product === 'futures') account.positionsIn(market.index).mode = positionMode;
  const order = venue.create(account, market, terms.side);
  order.algo = algo;
  order.kind = kind;
  order.original = terms.size ?? 0;
  order.quantity = order.original;
  // A new order is blank.
  if (terms.clientId !== null) order.clientId = terms.clientId;
  if (terms.broker !== null) order.broker = terms.broker;
  if (terms.quote != null) order.quoteOriginal = BigInt(terms.quote);
  if (terms.reduceOnly) order.reduceOnly = true;
  if (terms.takeProfit != null) order.takeProfit = terms.takeProfit;
  if (terms.stopLoss != null) order.stopLoss = terms.stopLoss;
  return order;
}

/** From now on the order exists, and its event is emitted. All code that creates an order calls this. */
export function admit(venue: VenueState, order: Order): void {
  venue.register(order);
  venue.emit.orderPlaced?.({
    type: 'orderPlaced',
    market: order.market,
    kind: order.kind,
    liquidation: order.liquidation,
  });
  venue.emit.orderAccepted?.({ type: 'orderAccepted', order: orderViewOf(venue, order) });
}
