/** Replies, orders and events of the venue beside those of the model: what differs as a sentence, or null. */

import { isDeepStrictEqual } from 'node:util';
import type { VenueEvent } from '../../src/venue/contract/events.ts';
import type { AlgoView, OrderView } from '../../src/venue/contract/order-view.ts';
import type { LiveReply, Reply } from '../../src/venue/venue.ts';
import type { ModelReply } from './model.ts';
import type { ModelEvent, ModelOrder } from './model-state.ts';

export function compareReply(reply: Reply, expected: ModelReply & { timeMs: number }): string | null {
  const found = reply.refusal?.reason ?? null;
  const wanted = expected.refusal?.reason ?? null;
  if (found !== wanted) return `${differs('refusal', found, wanted)} ${inspect(reply.refusal ?? expected.refusal)}`;
  for (const [name, value] of Object.entries(expected.refusal?.params ?? {})) {
    const figure = reply.refusal!.params[name];
    if (figure !== value) return differs(`figure ${name} of ${found}`, figure, value);
  }
  if (reply.account !== expected.account) return differs('account', reply.account, expected.account);
  const about = (o: OrderView | ModelOrder | null) => (o === null ? null : `${o.key} ${o.state}`);
  if (about(reply.about) !== about(expected.about)) return differs('about', about(reply.about), about(expected.about));
  return compareOrders('reply', reply.orders, expected.orders, reply.seq);
}

/** The reply and its copy show the same orders, field by field. */
export function compareWhole(reply: LiveReply): string | null {
  const whole = reply.whole();
  const live = [reply.about, ...reply.orders];
  const copies = [whole.about, ...whole.orders];
  if (copies.length !== live.length) return `a reply with ${live.length} orders and ${copies.length} copies`;
  for (const [i, copy] of copies.entries()) {
    const order = live[i];
    if ((copy === null) !== (order === null)) return 'a reply is about an order that its copy has not';
    if (copy === null || order === null) continue;
    for (const name of Object.keys(copy) as (keyof OrderView)[]) {
      if (isDeepStrictEqual(order[name], copy[name])) continue;
      return `${name} of a reply's order is ${inspect(order[name])}, and ${inspect(copy[name])} in its copy`;
    }
  }
  return null;
}

export function compareOrders(
  what: string,
  found: readonly OrderView[],
  expected: readonly ModelOrder[],
  seq: number,
): string | null {
  if (found.length !== expected.length || found.some((o, i) => o.key !== expected[i].key)) {
    return differs(
      `${what}: keys`,
      found.map((o) => keyText(o.key)).join(' '),
      expected.map((o) => keyText(o.key)).join(' '),
    );
  }
  for (let i = 0; i < found.length; i++) {
    if (looksSame(found[i], expected[i], seq)) continue;
    const difference = compareOrder(found[i], expected[i], seq);
    if (difference !== null) return `${what}: ${difference}`;
  }
  return null;
}

const SAME = [
  'account',
  'market',
  'side',
  'product',
  'kind',
  'state',
  'clientId',
  'price',
  'original',
  'filled',
  'lastFill',
  'filledCost',
  'quoteOriginal',
  'quoteFilled',
  'timeInForce',
  'postOnly',
  'reduceOnly',
  'createdMs',
  'positionId',
  'positionMode',
  'takeProfitKey',
  'stopLossKey',
] as const satisfies readonly (keyof OrderView & keyof ModelOrder)[];
const SAME_TRIGGER = ['rule', 'reference', 'price', 'original', 'up', 'fired', 'limit'] as const;

/** The same comparison as below for plain orders, without a name for what differs: most orders are just the same. */
function looksSame(a: OrderView, b: ModelOrder, seq: number): boolean {
  return (
    a.trigger === null &&
    b.trigger === null &&
    a.details === null &&
    b.peg === null &&
    b.twap === null &&
    b.oco === null &&
    b.attached === null &&
    a.state === b.state &&
    a.filled === b.filled &&
    a.quantity === b.quantity &&
    a.price === b.price &&
    a.original === b.original &&
    a.filledCost === b.filledCost &&
    a.openedLots === b.openedLots &&
    a.filledNow === (b.filledSeq === seq ? b.filledNow : 0) &&
    a.lastFill === b.lastFill &&
    a.side === b.side &&
    a.kind === b.kind &&
    a.clientId === b.clientId &&
    a.account === b.account &&
    a.market === b.market &&
    a.timeInForce === b.timeInForce &&
    a.postOnly === b.postOnly &&
    a.reduceOnly === b.reduceOnly &&
    a.createdMs === b.createdMs &&
    a.quoteOriginal === b.quoteOriginal &&
    a.quoteFilled === b.quoteFilled &&
    a.positionId === b.positionId &&
    a.positionMode === b.positionMode &&
    a.takeProfitKey === b.takeProfitKey &&
    a.stopLossKey === b.stopLossKey &&
    a.ending === null &&
    b.ending === null
  );
}

export function compareOrder(order: OrderView, o: ModelOrder, seq: number): string | null {
  for (const field of SAME)
    if (order[field] !== o[field]) return differs(`${orderName(o)} ${field}`, order[field], o[field]);
  if (order.quantity !== o.quantity) return differs(`${orderName(o)} quantity`, order.quantity, o.quantity);
  if (order.openedLots !== o.openedLots) return differs(`${orderName(o)} opened lots`, order.openedLots, o.openedLots);
  const mine = o.filledSeq === seq ? o.filledNow : 0;
  if (order.filledNow !== mine) return differs(`${orderName(o)} filledNow`, order.filledNow, mine);
  const reason = order.ending?.reason ?? null;
  if (reason !== (o.ending?.reason ?? null)) return differs(`${orderName(o)} ending`, reason, o.ending?.reason);
  return (
    part(o, 'trigger', SAME_TRIGGER, order.trigger, o.trigger) ?? detailsApart(order, o) ?? liquidationApart(order, o)
  );
}

/** What an algo says of an order, in units of its own, beside what the model has. */
function detailsApart({ details }: OrderView, o: ModelOrder): string | null {
  const found = details === null ? null : { [details.name]: { ...bare(details.terms), ...bare(details.progress) } };
  const orNull = (value: number) => (value === 0 ? null : value);
  const { trailing, peg, twap, oco, attached } = o;
  const expected: Record<string, Record<string, unknown>> | null =
    (trailing && {
      trailing: {
        activated: trailing.activated,
        armed: trailing.armed,
        extreme: trailing.armed ? trailing.extreme : null,
      },
    }) ??
    (peg && { peg: { price: orNull(peg.effective), slice: peg.slice } }) ??
    (twap && {
      twap: {
        children: twap.children,
        childrenDone: twap.childrenDone,
        startedAt: orNull(twap.startedAtMs),
        nextChildAt: orNull(twap.nextChildAtMs),
        pausedBy: twap.pausedBy,
      },
    }) ??
    (oco && { oco: { role: oco.role, sibling: oco.siblingKey } }) ??
    (attached && { attachedTo: { role: attached.role, parent: orNull(attached.parentKey) } });
  if (expected === null) return found === null ? null : differs(`${orderName(o)} details`, found, expected);
  const [[name, fields]] = Object.entries(expected);
  return part(o, name, Object.keys(fields), found?.[name] ?? null, fields);
}

/** Without units. */
function bare(values: AlgoView['terms']): Record<string, unknown> {
  const strip = (value: unknown) => (typeof value === 'object' && value !== null ? Object.values(value)[0] : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, strip(value)]));
}

function liquidationApart(order: OrderView, o: ModelOrder): string | null {
  const expected = o.twap !== null || o.orderDetailType === null ? null : o.orderDetailType;
  const name = { partial: 'PARTIAL_LIQUIDATION', forced: `FORCED_MARKET_${order.side === 0 ? 'BUY' : 'SELL'}` };
  const mine = order.liquidation === null ? null : name[order.liquidation];
  return mine === expected ? null : differs(`${orderName(o)} liquidation`, mine, expected);
}

function part<K extends string>(
  o: ModelOrder,
  name: string,
  fields: readonly K[],
  a: Record<K, unknown> | null,
  b: Record<K, unknown> | null,
) {
  if (a === null || b === null) return a === b ? null : differs(`${orderName(o)} ${name}`, a, b);
  for (const field of fields) {
    if (a[field] !== b[field]) return differs(`${orderName(o)} ${name}.${field}`, a[field], b[field]);
  }
  return null;
}

export const orderName = (o: ModelOrder): string =>
  `order ${o.seq}/${o.index} (${o.kind}${o.oco ? ` OCO ${o.oco.role}` : ''})`;
export const keyText = (key: number): string => `${Math.floor(key / 65536)}/${key % 65536}`;

/** Null: the model has no event of that kind; what it says follows from others, and test/venue/events.test.ts shows it. */
export function eventText(e: VenueEvent): string | null {
  switch (e.type) {
    case 'causeChanged':
    case 'childSkipped':
    // orderAccepted follows.
    case 'orderPlaced':
      return null;
    case 'orderAccepted':
      return `accepted ${keyText(e.order.key)}`;
    case 'orderChanged':
      if (e.change === 'triggered') return `triggered ${keyText(e.key)}`;
      if (e.change !== 'ended') {
        const stands = `${e.state} at ${e.priceTicks}: ${e.filledLots} filled, ${e.remainingLots} left`;
        return `${e.change} ${keyText(e.key)} ${stands}`;
      }
      return `ended ${keyText(e.key)} ${e.state} ${e.filledLots} ${e.ending?.reason ?? null}`;
    case 'traded':
      return `traded ${e.market}#${e.tradeId} ${e.sizeLots}@${e.priceTicks} by ${e.takerSide}, maker ${keyText(e.makerKey)} fee ${e.makerFee}, taker ${keyText(e.takerKey)} fee ${e.takerFee}`;
    case 'balanceChanged':
      return `${e.reason} ${e.amount} to account ${e.account}`;
    case 'transferred':
      return `transfer of ${e.amount} from ${e.from} to ${e.to}, account ${e.account}`;
    case 'fundingSet':
      return `funding of ${e.market} at ${e.rateParts}`;
    case 'deleveraged':
      return `deleveraged ${e.market}: ${e.sizeLots} for ${e.notional} of account ${e.account} by ${keyText(e.bankruptKey)}`;
    case 'priceChanged':
      return `price of ${e.market}: ${e.reference} ${e.fine}`;
    case 'priceHeld':
      return `held ${e.reference} ${e.fine} of ${e.market}`;
    case 'priceStale':
    case 'priceFresh':
      return `${e.type === 'priceStale' ? 'stale' : 'fresh'} ${e.market}`;
    case 'marketListed':
    case 'marketHalted':
    case 'marketResumed':
    case 'marketDelisted':
    case 'termsChanged':
      return `${e.type} ${e.market}`;
    case 'accountCreated':
    case 'accountChanged':
      return `${e.type} ${e.account}`;
    case 'keyAdded':
    case 'keyRevoked':
      return `${e.type} ${e.key} of ${e.account}`;
    case 'stateReplaced':
      return e.type;
    case 'bookChanged':
    case 'positionChanged':
    case 'walletChanged':
      return null;
  }
}

export function modelEventText(e: ModelEvent): string {
  switch (e.type) {
    case 'accepted':
    case 'triggered':
      return `${e.type} ${keyText(e.key)}`;
    case 'said':
      return e.text;
    case 'money':
      return `${e.reason} ${e.amount} to account ${e.account}`;
    case 'funding':
      return `funding of ${e.market} at ${e.rate}`;
    case 'deleveraged':
      return `deleveraged ${e.market}: ${e.lots} for ${e.value} of account ${e.account} by ${keyText(e.key)}`;
    case 'ended':
      return `ended ${keyText(e.key)} ${e.state} ${e.filled} ${e.reason}`;
    case 'traded':
      return `traded ${e.market}#${e.tradeId} ${e.size}@${e.price} by ${e.takerSide}, maker ${keyText(e.maker)} fee ${e.makerFee}, taker ${keyText(e.taker)} fee ${e.takerFee}`;
  }
}

export function inspect(value: unknown): string {
  return JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
}

export function differs(what: string, found: unknown, expected: unknown): string {
  return `${what}: venue ${inspect(found)}, model ${inspect(expected)}`;
}
