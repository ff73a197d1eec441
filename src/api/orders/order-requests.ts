/**
 * The shared parts of the requests of all trading surfaces: naming an order by id or client id, cancels and amends, the
 * common fields of placements, the dead man's switch, and combinations that every surface refuses. Each surface has its
 * own names and schemas (its schemas.ts).
 */

import {
  type AttachedTerms,
  LONGEST_TIMEOUT_MS,
  type Place,
  type Product,
  type Reference,
  type Side,
  type TimeInForce,
} from '../../venue/contract/commands.ts';
import { compareDecimals, type Decimal } from '../../venue/contract/decimal.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import { NONE } from '../../venue/contract/units.ts';
import type { Reply } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { ApiError, malformed } from '../shared/errors.ts';
import { decimal, fields, misnamed, missing } from '../shared/fields.ts';
import { requestDigest, submit } from '../shared/submit.ts';
import type { Call } from '../shared/surface.ts';
import { finePrice, parts, priceTicks, sizeLots } from '../shared/tick-conversion.ts';

/** What the venue calls a field → what a surface calls it, for refusals. */
export type Names = Readonly<Record<string, string>>;

/** A placement as a surface read it. */
export interface Placement {
  readonly command: Place;
  readonly names: Names;
}

/** The common fields of a placement. `request` is the whole request as read, for the rule of identical requests. */
export interface RequestedOrder {
  readonly side: 'BUY' | 'SELL';
  readonly clientId: string | null | undefined;
  readonly request: object;
}

/** The common fields of a place command. `operation` is part of what makes two requests identical. */
export function placeBase(call: Call, market: MarketView, operation: string, asked: RequestedOrder) {
  const clientId = asked.clientId ?? null;
  const side: Side = asked.side === 'BUY' ? 0 : 1;
  return {
    v: 1,
    type: 'place',
    account: call.account,
    market: market.index,
    side,
    clientId,
    request: requestDigest(operation, asked.request, clientId),
    broker: call.broker,
  } as const;
}

/** A take-profit or stop-loss to attach. Null if its field is absent. */
export function attachedTerms(
  market: MarketView,
  field: string,
  price: Decimal | undefined,
  reference: Reference,
): AttachedTerms | null {
  return price === undefined ? null : { price: priceTicks(market, field, price), reference };
}

/** Refuses a field that contradicts what is named in `by`: 'type MARKET'. */
export function refuse(field: string, given: boolean, by: string): void {
  if (given) throw malformed(field, `is not allowed with ${by}`, `omit ${field}`);
}

/** A post-only order rests or is rejected, and IOC and FOK never rest, so together they can do nothing. */
export function refusePostOnly(
  postOnly: boolean | undefined,
  timeInForce: TimeInForce | undefined,
  name: string,
): void {
  if (postOnly === true && (timeInForce === 'IOC' || timeInForce === 'FOK')) {
    throw malformed('postOnly', `is true with ${name} ${timeInForce}`, `use ${name} GTC, or omit postOnly`);
  }
}

/** A reduce-only order opens nothing that a take-profit or a stop-loss could protect. */
export function refuseAttachedToReduce(
  { takeProfit, stopLoss }: { readonly takeProfit: AttachedTerms | null; readonly stopLoss: AttachedTerms | null },
  reduceOnly: boolean | undefined,
  [takeProfitField, stopLossField]: readonly [string, string],
): void {
  if (reduceOnly !== true) return;
  refuse(takeProfitField, takeProfit !== null, 'reduceOnly true');
  refuse(stopLossField, stopLoss !== null, 'reduceOnly true');
}

const HUNDRED: Decimal = { coefficient: 100n, scale: 0 };

export const TRAIL_TYPES = ['DISTANCE', 'PERCENTAGE'] as const;

/**
 * The distance (fine price) or percentage (parts) of a trailing stop, from trailValue and its type. Exactly one is set.
 */
export function trail(market: MarketView, value: Decimal, type: (typeof TRAIL_TYPES)[number]) {
  if (type === 'DISTANCE') return { distance: finePrice(market, 'trailValue', value), percent: null };
  if (compareDecimals(value, HUNDRED) >= 0) {
    throw malformed('trailValue', 'is 100 % or more', 'give a percentage above 0 and below 100');
  }
  return { distance: null, percent: parts('trailValue', value) };
}

/** An order as a request names it. The id takes precedence over the client id. An empty client id counts as absent. */
export interface OrderReference {
  readonly id: string | undefined;
  readonly clientId: string | null | undefined;
}

/** The names of both in the surface: { id: 'orderId', clientId: 'clOrderId' }. */
export interface IdNames {
  readonly id: string;
  readonly clientId: string;
}

function neitherGiven(call: Call, names: IdNames): Error {
  return missing(names.id, misnamedId(call, names), `give ${names.id} or ${names.clientId}`);
}

/** A name in the request that the surface ignores but that was probably meant as an id. */
export function misnamedId({ query, body }: Call, { id, clientId }: IdNames): string | undefined {
  return misnamed({ ...query, ...body }, ['symbol', id, clientId], [id, clientId]);
}

/**
 * The caller's own order. Orders of another account or product look like missing orders.
 * Throws orderNotFound, with `status` if it differs from the table's, or malformed if neither name is given.
 */
export function ownOrder(
  call: Call,
  product: Product,
  named: OrderReference,
  names: IdNames,
  status?: number,
): OrderView {
  const { venue, account } = call;
  let order: OrderView | undefined;
  if (named.id !== undefined) {
    const key = venue.orderIds.decode(named.id);
    if (key !== NONE) order = venue.order(account, product, key);
  } else if (typeof named.clientId === 'string') {
    order = venue.orderByClientId(account, product, named.clientId);
  } else throw neitherGiven(call, names);
  if (order === undefined) throw notFound(named, status);
  return order;
}

export function notFound(named: OrderReference, status?: number, about?: OrderView): ApiError {
  const params = { order: named.id ?? named.clientId ?? '' };
  return new ApiError('orderNotFound', params, { ...(status !== undefined && { status }), ...(about && { about }) });
}

/** The caller's open orders, of one market (its number) or all; an id or a client id leaves those that have it. */
export function openOrders(
  call: Call,
  product: Product,
  market: number | null,
  { id, clientId }: OrderReference,
): OrderView[] {
  const { venue, account } = call;
  const orders = venue.openOrders(account, product, market);
  if (id !== undefined) {
    const key = venue.orderIds.decode(id);
    return orders.filter((order) => order.key === key);
  }
  return typeof clientId === 'string' ? orders.filter((order) => order.clientId === clientId) : orders;
}

/**
 * The order of a command: its key or its client id. Throws orderNotFound for an id that this venue cannot have made.
 */
function target(call: Call, named: OrderReference, names: IdNames): { order: number | null; clientId: string | null } {
  if (named.id !== undefined) {
    const order = call.venue.orderIds.decode(named.id);
    if (order === NONE) throw notFound(named);
    return { order, clientId: null };
  }
  if (typeof named.clientId !== 'string') throw neitherGiven(call, names);
  return { order: null, clientId: named.clientId };
}

/** Cancels by id, or every live order of a client id. The reply holds the cancelled orders, both legs of an OCO. */
export async function cancelNamed(
  call: Call,
  product: Product,
  market: number,
  named: OrderReference,
  names: IdNames,
): Promise<Reply> {
  const { account } = call;
  return submit(call, { v: 1, type: 'cancel', account, product, market, ...target(call, named, names) });
}

/** The changes of an amend, on the market's grids. Absent: unchanged. Sizes are lots. */
export interface Changes {
  readonly price?: number;
  readonly size?: number;
  readonly trigger?: number;
}

/** The changes as the request gives them. */
export type RequestedChanges = { readonly [K in keyof Changes]: Decimal | undefined };

export function givesNothing({ price, size, trigger }: RequestedChanges): boolean {
  return price === undefined && size === undefined && trigger === undefined;
}

/** Converts the given values to the market's grids. `fields` names them in errors. */
export function changesOf(market: MarketView, { price, size, trigger }: RequestedChanges, fields: Names): Changes {
  return {
    ...(price && { price: priceTicks(market, fields.price, price) }),
    ...(size && { size: sizeLots(market, fields.size, size) }),
    ...(trigger && { trigger: priceTicks(market, fields.trigger, trigger) }),
  };
}

/** An amend as a surface reads it. */
export interface Amendment {
  readonly market: MarketView;
  readonly named: OrderReference;
  readonly changes: Changes;
  /** True: `size` is the new total, including the filled part. False: it is the new unfilled size. */
  readonly totalSize: boolean;
  /** Maps the venue's field names to the surface's. */
  readonly fields: Names;
}

/** Amends the one live order that a look-up would find. The reply shows it after its own matching. */
export async function amendNamed(
  call: Call,
  { market, named, changes, totalSize, fields }: Amendment,
  names: IdNames,
): Promise<Reply> {
  const command = {
    v: 1,
    type: 'amend',
    account: call.account,
    product: market.product,
    market: market.index,
    ...target(call, named, names),
    price: changes.price ?? null,
    size: changes.size ?? null,
    totalSize,
    trigger: changes.trigger ?? null,
  } as const;
  return submit(call, command, fields);
}

/** The timeout of a dead man's switch. */
export const TIMEOUT = decimal('Milliseconds until all orders are cancelled, unless renewed; 0 disarms', {
  min: 0,
  max: LONGEST_TIMEOUT_MS,
  whole: true,
});
/** On futures v3 the field is named `timeoutMs`. */
export const CANCEL_ALL_AFTER_BODY = fields({ timeout: TIMEOUT }, { title: 'CancelAllAfter' });

/** Arms, renews or disarms the dead man's switch of the account's orders in a product. */
export async function cancelAllAfter(call: Call, product: Product, timeout: Decimal): Promise<object> {
  const timeoutMs = Number(timeout.coefficient);
  await submit(call, { v: 1, type: 'cancelAllAfter', account: call.account, product, timeoutMs });
  return {};
}
