/** An order with what happened to it, in pages. */
import type { Field } from '../../../config/field.ts';
import { ApiError, shortened } from '../../shared/errors.ts';
import type { ControlContext } from '../context.ts';
import { readPage, unknownCursor } from '../paging.ts';
import { historyView } from '../views.ts';

const EVENTS_READ = /^[0-9]{1,15}$/;

/** Events are only ever added, so how many were read continues later, when there are new ones. */
export async function showOrder(context: ControlContext, query: Field, orderId: string): Promise<object> {
  const { limit, after } = readPage(query);
  if (after !== null && !EVENTS_READ.test(after)) throw unknownCursor(after);
  const key = context.venue.orderIds.decode(orderId);
  const first = Number(after ?? 0);
  const found = key < 0 ? undefined : await context.orderPage(key, { first, limit });
  const { knownFromSeq } = context;
  const since = knownFromSeq === 1 ? '' : ` in the known history, which begins at seq ${knownFromSeq}`;
  if (found === undefined) throw new ApiError('notFound', { what: `order ${shortened(orderId)}${since}` });
  return {
    ...historyView(found),
    ...(found.more && { next: String(first + found.events.length) }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
  };
}
