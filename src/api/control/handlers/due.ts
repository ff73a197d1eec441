/** What time brings about next, each item with a sentence. */
import type { Field } from '../../../config/field.ts';
import { shortId } from '../../../story/text.ts';
import type { OrderView } from '../../../venue/contract/order-view.ts';
import { sideText } from '../../../venue/contract/units.ts';
import type { Upcoming, Venue } from '../../../venue/venue.ts';
import { type ControlContext, nameOf } from '../context.ts';
import { readLimit } from '../paging.ts';

/** The next `limit` items. There is no second page, because what is due later changes until then. */
export async function showDue({ venue }: ControlContext, query: Field): Promise<object> {
  const due = venue.upcoming(readLimit(query)).map((item) => dueView(venue, item));
  return { seq: venue.seq, time: venue.timeMs, due };
}

export function dueView(venue: Venue, item: Upcoming): object {
  const { kind, dueMs, order, market, account } = item;
  return {
    kind,
    time: dueMs,
    symbol: market?.symbol ?? null,
    orderId: order === null ? null : venue.orderIds.encode(order.key),
    account: account === null ? null : nameOf(venue, account),
    sentence: sentenceOf(venue, item),
  };
}

function sentenceOf(venue: Venue, { kind, order, market, account, product, settlesFunding }: Upcoming): string {
  const symbol = market?.symbol ?? '';
  const owner = account === null ? '' : nameOf(venue, account);
  const id = order === null ? '' : shortId(venue.orderIds.encode(order.key));
  const which = order === null ? '' : `${sideText(order.side)} order ${id} of ${owner} in ${symbol}`;
  switch (kind) {
    case 'expiry':
      return `the ${which} expires`;
    case 'algo':
      return `part ${partOf(order)} of the ${order?.kind.toUpperCase()} ${which}`;
    case 'minute':
      return settlesFunding
        ? `the funding of ${symbol} is settled, and its mark moves`
        : `the basis and the premium of ${symbol} are sampled, and its mark moves`;
    case 'deadMan':
      return `the dead man's switch of ${owner} cancels all its ${product} orders`;
    case 'liquidation':
      return `the liquidation of ${owner} in ${symbol} continues`;
    case 'feed':
      return `the index of ${symbol} counts as stale, unless its feed sends a value`;
    case 'distressed':
      return `liquidations that found no orders in the book of ${symbol} are tried again`;
  }
}

/** 3 of 20 */
function partOf(order: OrderView | null): string {
  const { childrenDone, children } = order?.details?.progress ?? {};
  return `${Number(childrenDone ?? 0) + 1} of ${Number(children ?? 0)}`;
}
