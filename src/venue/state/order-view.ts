/**
 * Makes the view of an order for code outside the venue. All values are copied or frozen when the view is made, so it
 * never changes, and changing it never reaches the venue. Cost: one object of plain fields, and the details for kinds
 * that have them. It reads the record of the order directly, because an engine makes one for every placement and cancel.
 */

import { frozen } from '../contract/frozen.ts';
import * as orderId from '../contract/order-id.ts';
import { indexOfKey } from '../contract/order-id.ts';
import type { OrderView } from '../contract/order-view.ts';
import * as reasons from '../contract/reasons.ts';
import type { Side } from '../contract/units.ts';
import type { Order } from './order.ts';
import { behaviourOf } from './order-behaviour.ts';
import * as record from './order-record.ts';
import type { VenueState } from './venue-state.ts';

const { NO_PARAMS } = reasons;

const {
  ACCOUNT,
  ALGO,
  ALGOS,
  CREATED,
  FILLED,
  FILLED_COST,
  FILLED_NOW,
  FILLED_SEQ,
  FIRST_ENDED,
  FUTURES,
  IS_FUTURES,
  IS_POST_ONLY,
  IS_REDUCE_ONLY,
  IS_SELL,
  KEY,
  KIND,
  KINDS,
  LAST_FILL,
  LIQUIDATIONS,
  LOWER,
  LOWER_BITS,
  MARKET,
  MODES,
  NOWHERE,
  ORIGINAL,
  POSITION,
  PRICE,
  QUANTITY,
  STATE,
  STATES,
  TERMS,
  TIME,
  TIMER,
  TIMES,
  UPDATED,
} = record;
const { KEYS_PER_SEQ } = orderId;
const NO_VIEWS: readonly OrderView[] = [];

/** The views of a command's orders. Most have one, for which no list is walked. */
export function viewsOf(venue: VenueState, orders: readonly Order[]): readonly OrderView[] {
  if (orders.length === 0) return NO_VIEWS;
  return orders.length === 1 ? [orderViewOf(venue, orders[0])] : orders.map((order) => orderViewOf(venue, order));
}

export function orderViewOf(venue: VenueState, order: Order): OrderView {
  const { trigger, extras, ending } = order;
  const { doubles, words, bytes } = order.chunk;
  const d = order.at;
  const w = d << 1;
  const b = d << 3;
  const { describe } = behaviourOf(order);
  const key = doubles[d | KEY];
  const state = bytes[b | STATE];
  const terms = bytes[b | TERMS];
  const futures = bytes[b | FUTURES];
  const quantity = small(doubles[d | QUANTITY]);
  const filled = small(doubles[d | FILLED]);
  const { quoteOriginal, quoteFilled, takeProfit, stopLoss } = extras;
  return {
    key,
    seq: small((key - indexOfKey(key)) / KEYS_PER_SEQ),
    account: words[w | ACCOUNT],
    market: words[w | MARKET],
    product: (terms & IS_FUTURES) === 0 ? 'spot' : 'futures',
    side: (terms & IS_SELL) as Side,
    kind: KINDS[bytes[b | KIND]],
    algo: ALGOS[bytes[b | ALGO]],
    details: describe === undefined ? null : describe(venue, order),
    state: STATES[state],
    live: state < FIRST_ENDED,
    clientId: order.clientId,
    broker: extras.broker,
    price: small(doubles[d | PRICE]),
    original: small(doubles[d | ORIGINAL]),
    quantity,
    filled,
    remaining: quantity - filled,
    lastFill: small(doubles[d | LAST_FILL]),
    filledNow: doubles[d | FILLED_SEQ] === venue.seq ? small(doubles[d | FILLED_NOW]) : 0,
    filledCost: doubles[d | FILLED_COST],
    openedLots: small(order.openedLots),
    quoteOriginal,
    quoteFilled,
    quoteRemaining: quoteOriginal === null ? 0n : quoteOriginal - quoteFilled,
    timeInForce: TIMES[bytes[b | TIME]],
    postOnly: (terms & IS_POST_ONLY) !== 0,
    reduceOnly: (terms & IS_REDUCE_ONLY) !== 0,
    positionId: words[w | POSITION],
    positionMode: MODES[futures & LOWER],
    liquidation: LIQUIDATIONS[futures >> LOWER_BITS],
    trigger: trigger === null ? null : { ...trigger },
    takeProfit: takeProfit === null ? null : frozen(takeProfit),
    stopLoss: stopLoss === null ? null : frozen(stopLoss),
    takeProfitKey: extras.takeProfitKey,
    stopLossKey: extras.stopLossKey,
    ending: ending === null || ending.params === NO_PARAMS ? ending : frozen(ending),
    nextDueMs: words[w | TIMER] === NOWHERE ? null : order.dueMs,
    createdMs: doubles[d | CREATED],
    updatedMs: doubles[d | UPDATED],
  };
}

/** The same number, as a small integer of V8 if it is one. Any other number takes an object for itself. */
function small(value: number): number {
  const integer = value | 0;
  return integer === value ? integer : value;
}
