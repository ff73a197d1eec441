/**
 * Orders in the name of any account: placed, amended and cancelled with the bodies of the trading surfaces, and listed with what
 * each is doing. A perpetual takes those of futures v2.3, a pair those of spot v4: the same parsers, refusals and replies.
 */
import type { Field } from '../../../config/field.ts';
import type { Product } from '../../../venue/contract/commands.ts';
import type { OrderView } from '../../../venue/contract/order-view.ts';
import type { MarketView } from '../../../venue/views.ts';
import { ALGO_TYPES } from '../../algos/registry.ts';
import { SEQ_HEADER } from '../../shared/at-least-seq.ts';
import { ApiError, malformed, shortened } from '../../shared/errors.ts';
import { type JsonObject, NO_FIELDS, parseBody } from '../../shared/json.ts';
import { knownMarket } from '../../shared/markets.ts';
import type { Method } from '../../shared/surface.ts';
import { type ControlCall, type ControlContext, find, findMarket, unknownMarketIn } from '../context.ts';
import { ALL_FILLS, fillView } from '../fill-view.ts';
import { leftMember, readTo } from '../moment.ts';
import { orderView, recordedView } from '../order-view.ts';
import { readFlag, readPage, unknownCursor } from '../paging.ts';
import { refuseProblems } from '../problems.ts';

/** The paths of the surfaces whose bodies are taken. */
const SPOT = '/spot/api/v4/trade/orders';
const SPOT_ALGO = '/spot/api/v4/trade/orders/algo';
const FUTURES = '/futures/api/v2.3/order';
const FUTURES_PEG = '/futures/api/v2.3/order/peg';
/** What their cancels name an order by. */
const SPOT_IDS = ['orderId', 'clOrderId'] as const;
const FUTURES_IDS = ['orderID', 'clOrderID'] as const;
/** The values of `orderType` that are of no algo. */
const PLAIN_TYPES: readonly string[] = ['LIMIT', 'MARKET'];

export async function placeAs(context: ControlCall, bytes: Field, name: string): Promise<object> {
  const body = parseBody(bytes.value as Buffer);
  return call(context, 'POST', name, { query: NO_QUERY, body });
}

export async function amendAs(context: ControlCall, bytes: Field, name: string): Promise<object> {
  const body = parseBody(bytes.value as Buffer);
  return call(context, 'PUT', name, { query: NO_QUERY, body });
}

/**
 * The trading surfaces ignore parameters that they do not know, as BTSE does. Here one that was to say which orders are meant
 * would cancel all of the market, so it is refused. @throws {ApiError}
 */
export async function cancelAs(context: ControlCall, field: Field, name: string): Promise<object> {
  const query = field.value as Record<string, string>;
  const [id, clientId] = productOf(context, query.symbol) === 'futures' ? FUTURES_IDS : SPOT_IDS;
  field.object(['symbol', id, clientId]);
  if (field.at(id).given && field.at(clientId).given) field.at(clientId).problem(`is beside ${id}: give one of them`);
  refuseProblems(field);
  return call(context, 'DELETE', name, { query, body: NO_FIELDS });
}

const NO_QUERY: Record<string, string> = {};

interface Request {
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

async function call(context: ControlCall, method: Method, name: string, request: Request): Promise<object> {
  const account = find(context, name).index;
  const named = method === 'DELETE' ? request.query : request.body;
  const path = pathOf(method, productOf(context, named.symbol), request.body);
  const route = context.routing.find(path)?.methods.get(method)?.route;
  if (route === undefined) throw new Error(`no route for ${method} ${path}`);
  const { replyHeaders } = context;
  let lastSeq = 0;
  const onCommand = (seq: number) => {
    lastSeq = seq;
  };
  try {
    return (await route.handle(context.callAs(account, { ...request, replyHeaders }, onCommand))) as object;
  } catch (error) {
    if (error instanceof ApiError) {
      const about = { timeMs: context.nowMs(), account: name, method, path: `/control/v1/accounts/${name}/orders` };
      context.refusedRequests.add({ ...about, error, envelope: 'B' });
    }
    throw error;
  } finally {
    // A record of a trading surface has no seq.
    if (lastSeq > 0) replyHeaders.push(SEQ_HEADER, String(lastSeq));
  }
}

/** @throws {ApiError} the symbol is missing, or of no market */
function productOf({ venue }: ControlContext, symbol: unknown): Product {
  if (typeof symbol !== 'string') throw malformed('symbol', 'is missing', 'give the market as text');
  const market = venue.marketBySymbol(symbol) ?? knownMarket(venue, 'futures', symbol, { legacyNames: true });
  if (market === undefined) throw unknownMarketIn(venue, symbol, 'symbol');
  return market.product;
}

function pathOf(method: Method, product: Product, { type, orderType }: JsonObject): string {
  const places = method === 'POST';
  if (product === 'futures') return places && textOf(type).toUpperCase() === 'PEG' ? FUTURES_PEG : FUTURES;
  if (!places || orderType === undefined || PLAIN_TYPES.includes(textOf(orderType))) return SPOT;
  if (ALGO_TYPES.includes(textOf(orderType))) return SPOT_ALGO;
  // The route of the algos would name only those.
  const given = typeof orderType === 'string' ? JSON.stringify(shortened(orderType)) : 'not text';
  throw malformed('orderType', `is ${given}`, `give one of ${[...PLAIN_TYPES, ...ALGO_TYPES].join(', ')}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Oldest first. The id of the last one continues later, also if it has ended. */
export async function listOrders(context: ControlContext, query: Field, name: string): Promise<object> {
  const { limit, after } = readPage(query, ['symbol']);
  const market = marketOf(context, query.at('symbol'));
  const { venue } = context;
  const { index } = find(context, name);
  const first = after === null ? 0 : venue.orderIds.decode(after) + 1;
  if (after !== null && first <= 0) throw unknownCursor(after);
  const products: readonly Product[] = market === null ? ['spot', 'futures'] : [market.product];
  const open = products
    .flatMap((product) => venue.openOrders(index, product, market?.index ?? null))
    .filter(({ key }) => key >= first)
    .sort((a, b) => a.key - b.key);
  const shown = open.slice(0, limit);
  return {
    seq: venue.seq,
    orders: withQueue(context, shown),
    ...(open.length > limit && { next: venue.orderIds.encode(shown[shown.length - 1].key) }),
  };
}

/** `queue`: the sizes at the price level before the order, of it, and behind it. Null: it does not rest in a book. */
function withQueue({ venue }: ControlContext, orders: readonly OrderView[]): object[] {
  const places = venue.queuePlaces(orders.map(({ key }) => key));
  return orders.map((order, i) => {
    const place = places[i];
    const size = (lots: number) => venue.markets[order.market].sizeText(lots);
    const queue = place && {
      ahead: size(place.aheadLots),
      own: size(place.ownLots),
      behind: size(place.behindLots),
    };
    return { ...orderView(venue, order), queue };
  });
}

/** Open and ended ones, newest first. `to`: only those that were placed up to that seq, in its branch. */
export async function listAllOrders(context: ControlContext, query: Field, name: string): Promise<object> {
  const to = readTo(context, query);
  const { limit, after } = readPage(query, ['to']);
  if (after !== null && !PLACE.test(after)) throw unknownCursor(after);
  const left = await leftMember(context, to, name);
  const toSeq = to ?? context.venue.seq;
  const beforeKey = after === null ? null : Number(after);
  const { orders, nextKey } = await context.accountOrders({ account: name, toSeq, beforeKey, limit });
  const { knownFromSeq } = context;
  return {
    ...left,
    orders: orders.map((order) => recordedView(context.venue, order)),
    ...(nextKey !== null && { next: String(nextKey) }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
  };
}

/** Null: all. @throws {ApiError} it is no text, or there is no such market */
function marketOf({ venue }: ControlContext, field: Field): MarketView | null {
  if (!field.given) return null;
  const symbol = field.text();
  refuseProblems(field);
  return findMarket(venue, symbol, field.path);
}

const PLACE = /^[0-9]{1,15}$/;

/** Oldest first: `next` continues later, when there are new ones. Or newest first: `next` goes back. `to`: up to that seq. */
export async function listFills(context: ControlContext, query: Field, name: string): Promise<object> {
  const fromMs = timeOf(query.at('from'));
  const to = readTo(context, query);
  const newest = readFlag(query.at('newest'));
  const { limit, after } = readPage(query, ['market', 'from', 'to', 'newest']);
  if (after !== null && !PLACE.test(after)) throw unknownCursor(after);
  const market = marketOf(context, query.at('market'));
  const left = await leftMember(context, to, name);
  const found = await context.trades({
    ...ALL_FILLS,
    account: name,
    market: market?.symbol ?? null,
    fromMs,
    ...(after !== null && { [newest ? 'toN' : 'fromN']: Number(after) }),
    ...(to !== undefined && { toSeq: to }),
    limit: limit + 1,
    oldestFirst: !newest,
  });
  const { knownFromSeq } = context;
  return {
    ...left,
    fills: found.slice(0, limit).map(fillView),
    ...(found.length > limit && { next: String(found[limit].n) }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
  };
}

/** Epoch ms, also as text: the values of a query are text. */
function timeOf(from: Field): number {
  if (!from.given) return 0;
  return PLACE.test(String(from.value)) ? Number(from.value) : from.time();
}
