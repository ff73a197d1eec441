/**
 * An order as the control surface shows it: one shape for open and ended orders, from the venue or from the archive.
 * Prices, sizes and money are exact decimals as text. Null: it does not apply, or is not known yet.
 */
import { type Accepted, type OrderRecord, type RecordedOrder, recordedNow } from '../../archive/read/recorded-order.ts';
import { endText, isLiveState, removedText } from '../../story/ends.ts';
import { difference } from '../../story/text.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import { positionText } from '../orders/order-records.ts';
import { statusCode } from '../shared/order-state.ts';

/** An order of the venue. */
export function orderView(venue: Venue, order: OrderView): object {
  return recordedView(venue, recordedNow(venue, order));
}

export function recordedView(venue: Venue, { record, accepted, now }: RecordedOrder): object {
  const { state, filledSize: filled, left = null } = record;
  return {
    orderId: record.orderId,
    clientId: record.clientId,
    account: record.account,
    symbol: record.market,
    side: record.side,
    kind: record.kind,
    state,
    status: statusCode({ state, filled: Number(filled) }),
    live: isLiveState(state) && left === null,
    price: record.price,
    size: record.size,
    currentSize: record.currentSize,
    filled,
    remaining: record.remainingSize,
    averagePrice: record.averagePrice,
    ...moneyOf(record),
    timeInForce: record.timeInForce,
    postOnly: record.postOnly,
    reduceOnly: record.reduceOnly,
    ...positionOf(venue, record),
    liquidation: record.liquidation,
    trigger: triggerOf(record, accepted, now?.above ?? null),
    details: detailsOf(accepted, now?.progress ?? null),
    takeProfit: attachedOf(record.takeProfitOrder, accepted.takeProfit),
    stopLoss: attachedOf(record.stopLossOrder, accepted.stopLoss),
    reason: record.reason,
    ended: endOf(record),
    left,
    nextDueMs: now?.nextDueMs ?? null,
    createdMs: record.createdMs,
    updatedMs: record.updatedMs,
    seq: record.seq,
  };
}

/** Of an order that spends money. */
function moneyOf({ quoteSize, quoteFilled }: OrderRecord): object {
  if (quoteSize === null || quoteFilled === null) return {};
  return { quoteSize, quoteFilled, quoteRemaining: difference(quoteSize, quoteFilled) };
}

/** Of a perpetual. A market of a branch that was left may be gone. */
function positionOf(venue: Venue, { market: symbol, positionMode, positionId }: OrderRecord): object {
  if (positionMode === null || positionId === null) return {};
  const market = venue.marketBySymbol(symbol);
  return { positionMode, positionId: market === undefined ? null : positionText(market, positionMode, positionId) };
}

function triggerOf(record: OrderRecord, accepted: Accepted, above: boolean | null): object | null {
  if (record.triggerRule === null) return null;
  return {
    rule: record.triggerRule,
    reference: record.triggerReference,
    price: record.triggerPrice,
    original: record.triggerOriginal,
    above,
    fired: record.triggered,
    // An amend of the price changes it.
    limit: accepted.trigger?.limit === undefined ? null : record.price,
  };
}

/** Members of an acceptance that are objects, and not the terms of its kind. */
const NO_TERMS: readonly string[] = ['trigger', 'takeProfit', 'stopLoss'];

/** The terms of an algo and what it is doing, in the names of docs/algos.md. */
function detailsOf(accepted: Accepted, progress: object | null): object | null {
  const found = Object.entries(accepted).find(
    ([name, value]) => typeof value === 'object' && value !== null && !NO_TERMS.includes(name),
  );
  return found === undefined ? null : { name: found[0], terms: found[1], progress };
}

function attachedOf(orderId: string | null, terms: Accepted['takeProfit']): object | null {
  return terms === undefined ? null : { orderId, price: terms.price, reference: terms.reference };
}

/** How it ended, in words. Null: it is open. */
function endOf({ state, reason, left }: OrderRecord): string | null {
  if (!isLiveState(state)) return endText(state, reason);
  return left === undefined ? null : removedText(left);
}
