/** An order with its whole history. */
import type { Field } from '../../../config/field.ts';
import { ApiError, shortened } from '../../shared/errors.ts';
import type { ControlContext } from '../context.ts';
import { pageFrom, readPage, unknownCursor } from '../paging.ts';
import { historyView } from '../views.ts';

const EVENTS_READ = /^[0-9]{1,15}$/;

/** Events are only ever added, so how many were read continues later, when there are new ones. */
export async function showOrder(context: ControlContext, query: Field, orderId: string): Promise<object> {
  const { limit, after } = readPage(query);
  if (after !== null && !EVENTS_READ.test(after)) throw unknownCursor(after);
  const key = context.venue.orderIds.decode(orderId);
  const found = key < 0 ? undefined : await context.orderHistory(key);
  const { knownFromSeq } = context;
  const since = knownFromSeq === 1 ? '' : ` in the known history, which begins at seq ${knownFromSeq}`;
  if (found === undefined) throw new ApiError('notFound', { what: `order ${shortened(orderId)}${since}` });
  const first = Number(after ?? 0);
  const { rows, more } = pageFrom(found.events, first, limit);
  return {
    ...historyView({ order: found.order, events: rows }),
    ...(more && { next: String(first + rows.length) }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
  };
}
