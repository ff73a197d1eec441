/**
 * Makes the view of an order for code outside the venue. All values are copied or frozen when the view is made, so it
 * never changes, and changing it never reaches the venue. Cost: one object of plain fields, and the details for kinds
 * that have them. It reads the record of the order directly, because every placement and every cancel makes a view.
 */

import { frozen } from '../contract/frozen.ts';
import { indexOfKey, KEYS_PER_SEQ } from '../contract/order-id.ts';
import type { OrderView } from '../contract/order-view.ts';
import type { Side } from '../contract/units.ts';
import type { Order } from './order.ts';
import { behaviourOf } from './order-behaviour.ts';
import * as R from './order-record.ts';
import type { VenueState } from './venue-state.ts';

export function orderViewOf(venue: VenueState, order: Order): OrderView {
  const { trigger, extras, ending } = order;
  const { doubles, words, bytes } = order.chunk;
  const d = order.at;
  const w = d * 2;
  const b = d * 8;
  const { describe } = behaviourOf(order);
  const key = doubles[d + R.KEY];
  const state = bytes[b + R.STATE];
  const terms = bytes[b + R.TERMS];
  const futures = bytes[b + R.FUTURES];
  const quantity = doubles[d + R.QUANTITY];
  const filled = doubles[d + R.FILLED];
  const { quoteOriginal, quoteFilled, takeProfit, stopLoss } = extras;
  return {
    key,
    seq: (key - indexOfKey(key)) / KEYS_PER_SEQ,
    account: words[w + R.ACCOUNT],
    market: words[w + R.MARKET],
    product: (terms & R.IS_FUTURES) === 0 ? 'spot' : 'futures',
    side: (terms & R.IS_SELL) as Side,
    kind: R.KINDS[bytes[b + R.KIND]],
    algo: R.ALGOS[bytes[b + R.ALGO]],
    details: describe === undefined ? null : describe(venue, order),
    state: R.STATES[state],
    live: state < R.FIRST_ENDED,
    clientId: order.clientId,
    broker: extras.broker,
    price: doubles[d + R.PRICE],
    original: doubles[d + R.ORIGINAL],
    quantity,
    filled,
    remaining: quantity - filled,
    lastFill: doubles[d + R.LAST_FILL],
    filledNow: doubles[d + R.FILLED_SEQ] === venue.seq ? doubles[d + R.FILLED_NOW] : 0,
    filledCost: doubles[d + R.FILLED_COST],
    openedLots: doubles[d + R.OPENED],
    quoteOriginal,
    quoteFilled,
    quoteRemaining: quoteOriginal === null ? 0n : quoteOriginal - quoteFilled,
    timeInForce: R.TIMES[bytes[b + R.TIME]],
    postOnly: (terms & R.IS_POST_ONLY) !== 0,
    reduceOnly: (terms & R.IS_REDUCE_ONLY) !== 0,
    positionId: words[w + R.POSITION],
    positionMode: R.MODES[futures & R.LOWER],
    liquidation: R.LIQUIDATIONS[futures >> R.LOWER_BITS],
    trigger: trigger === null ? null : { ...trigger },
    takeProfit: takeProfit === null ? null : frozen(takeProfit),
    stopLoss: stopLoss === null ? null : frozen(stopLoss),
    takeProfitKey: extras.takeProfitKey,
    stopLossKey: extras.stopLossKey,
    ending: ending === null ? null : frozen(ending),
    nextDueMs: words[w + R.TIMER] === R.NOWHERE ? null : doubles[d + R.DUE],
    createdMs: doubles[d + R.CREATED],
    updatedMs: doubles[d + R.UPDATED],
  };
}
