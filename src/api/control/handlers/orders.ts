/** An order with what happened to it, in pages, and its story. */
import type { OrderStory } from '../../../archive/read/story.ts';
import type { ClientQuery } from '../../../archive/store/client-ids.ts';
import type { Field } from '../../../config/field.ts';
import { ApiError, malformed, shortened } from '../../shared/errors.ts';
import { type ControlContext, find, findMarket } from '../context.ts';
import { readPage, unknownCursor } from '../paging.ts';
import { refuseProblems } from '../problems.ts';
import { historyView } from '../views.ts';

const EVENTS_READ = /^[0-9]{1,15}$/;
const LONGEST_NAME = 64;

/**
 * By the venue's order id. With `account` and `symbol`, by the client's own id, which `orderId` then is. Events are only
 * ever added, so how many were read continues later, when there are new ones. The first page has the story.
 */
export async function showOrder(context: ControlContext, query: Field, orderId: string): Promise<object> {
  const { limit, after } = readPage(query, ['account', 'symbol']);
  if (after !== null && !EVENTS_READ.test(after)) throw unknownCursor(after);
  const of = orderOf(context, query, orderId);
  const first = Number(after ?? 0);
  const found = of === undefined ? undefined : await context.orderStory(of.query, { first, limit });
  if (found === undefined || (of?.symbol !== undefined && found.order.market !== of.symbol)) {
    throw notFound(context, orderId, of);
  }
  const { knownFromSeq } = context;
  return {
    ...historyView(found),
    ...(found.more && { next: String(first + found.events.length) }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
    ...(first === 0 && storyView(found)),
  };
}

interface Named {
  readonly query: number | ClientQuery;
  /** Given with a client id. */
  readonly symbol?: string;
}

/** Undefined: no order can have that id. */
function orderOf(context: ControlContext, query: Field, id: string): Named | undefined {
  const [account, symbol] = [query.at('account'), query.at('symbol')];
  if (!account.given && !symbol.given) {
    const key = context.venue.orderIds.decode(id);
    return key < 0 ? undefined : { query: key };
  }
  for (const [field, name] of [[account, 'account'] as const, [symbol, 'symbol'] as const]) {
    if (!field.given) throw malformed(name, 'is missing', 'a client id is looked up with both account and symbol');
  }
  const [name, of] = [account.text(LONGEST_NAME), symbol.text(LONGEST_NAME)];
  refuseProblems(query);
  const [owner, market] = [find(context, name), findMarket(context.venue, of)];
  return { query: { account: owner.name, product: market.product, clientId: id }, symbol: market.symbol };
}

function notFound({ knownFromSeq }: ControlContext, id: string, named: Named | undefined): ApiError {
  const since = knownFromSeq === 1 ? '' : ` in the known history, which begins at seq ${knownFromSeq}`;
  if (named?.symbol !== undefined && typeof named.query === 'object') {
    const { account } = named.query;
    return new ApiError('notFound', {
      what: `order of ${account} in ${named.symbol} with client id ${shortened(id)}${since}`,
    });
  }
  const hint =
    named === undefined ? ', which is no order id of this venue: for a client id, give account and symbol too' : since;
  return new ApiError('notFound', { what: `order ${shortened(id)}${hint}` });
}

function storyView({ story, siblings, alongside, ledger }: OrderStory): object {
  const { entries, more } = ledger;
  return { ...story, siblings, alongside, ledger: { entries, more } };
}
