/** An order with what happened to it, in pages, and its story. */
import { MOST_COMPARED } from '../../../archive/read/short-ids.ts';
import type { OrderStory } from '../../../archive/read/story.ts';
import type { ClientQuery } from '../../../archive/store/client-ids.ts';
import type { Field } from '../../../config/field.ts';
import type { Venue } from '../../../venue/venue.ts';
import { ApiError, malformed, shortened } from '../../shared/errors.ts';
import { type ControlContext, find, findMarket } from '../context.ts';
import { recordedView } from '../order-view.ts';
import { readPage, unknownCursor } from '../paging.ts';
import { refuseProblems } from '../problems.ts';
import { eventView } from '../views.ts';

const EVENTS_READ = /^[0-9]{1,15}$/;
/** The beginning of an order id, as tables and sentences show it, in lower case. */
const BEGINNING = /^[0-9a-f]{4,8}$|^[0-9a-f]{8}-[0-9a-f-]{0,26}$/;

/**
 * By the venue's order id, or the beginning of one. With `account`, and `symbol` if orders of both products have it, by the
 * client's own id, which `orderId` then is. Events are only ever added, so how many were read continues later, when there
 * are new ones. The first page has the story.
 */
export async function showOrder(context: ControlContext, query: Field, id: string): Promise<object> {
  const { limit, after } = readPage(query, ['account', 'symbol']);
  if (after !== null && !EVENTS_READ.test(after)) throw unknownCursor(after);
  const first = Number(after ?? 0);
  const read = (of: number | ClientQuery) => context.orderStory(of, { first, limit });
  const isClients = query.at('account').given || query.at('symbol').given;
  const found = isClients ? await byClientId(context, query, id, read) : await byOrderId(context, id, read);
  const { knownFromSeq } = context;
  return {
    order: recordedView(context.venue, found.order),
    events: found.events.map(eventView),
    ...(found.more && { next: String(first + found.events.length) }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
    ...(first === 0 && storyView(context.venue, found)),
  };
}

type Read = (of: number | ClientQuery) => Promise<OrderStory | undefined>;

async function byOrderId(context: ControlContext, given: string, read: Read): Promise<OrderStory> {
  const { orderIds } = context.venue;
  const id = given.toLowerCase();
  const key = orderIds.decode(id);
  const keys = key >= 0 ? [key] : BEGINNING.test(id) ? await context.ordersBeginning(id) : [];
  if (keys.length > 1) {
    const ids = keys.map((each) => orderIds.encode(each));
    throw malformed('orderId', `is ${id}, with which several ids begin`, `give more of one of ${ids.join(', ')}`);
  }
  const found = keys.length === 0 ? undefined : await read(keys[0]);
  if (found !== undefined) return found;
  const hint = keys.length > 0 ? since(context) : NO_ORDER_ID;
  throw new ApiError('notFound', { what: `order ${shortened(given)}${hint}` });
}

const NO_ORDER_ID = `, which is no order id of this venue, and no beginning of one of its newest ${MOST_COMPARED}: for a client id, give account`;

async function byClientId(context: ControlContext, query: Field, clientId: string, read: Read): Promise<OrderStory> {
  const [account, symbol] = [query.at('account'), query.at('symbol')];
  if (!account.given) throw malformed('account', 'is missing', 'a client id is of one account');
  const name = account.text();
  const of = symbol.given ? symbol.text() : null;
  refuseProblems(query);
  const owner = find(context, name).name;
  const market = of === null ? null : findMarket(context.venue, of, 'symbol');
  const products = market === null ? (['spot', 'futures'] as const) : [market.product];
  const stories = await Promise.all(products.map((product) => read({ account: owner, product, clientId })));
  const found = stories.filter((each) => each !== undefined);
  if (found.length > 1) {
    const symbols = found.map(({ order }) => order.record.market);
    throw malformed('symbol', 'is missing', `orders on ${symbols.join(' and ')} have this client id`);
  }
  const [story] = found;
  if (story !== undefined && (market === null || story.order.record.market === market.symbol)) return story;
  const where = market === null ? '' : ` in ${market.symbol}`;
  throw new ApiError('notFound', {
    what: `order of ${owner}${where} with client id ${shortened(clientId)}${since(context)}`,
  });
}

function since({ knownFromSeq }: ControlContext): string {
  return knownFromSeq === 1 ? '' : ` in the known history, which begins at seq ${knownFromSeq}`;
}

function storyView(venue: Venue, { story, siblings, alongside, ledger }: OrderStory): object {
  const { entries, more } = ledger;
  const related = siblings.map(({ relation, ...order }) => ({ relation, ...recordedView(venue, order) }));
  return { ...story, siblings: related, alongside, ledger: { entries, more } };
}
