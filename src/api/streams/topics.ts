/**
 * All topics, as one table: a name, the sockets that have it, and what it shows. A difference between two versions of a
 * topic is a difference between two rows.
 */
import type { TSchema } from 'typebox';
import type { Product } from '../../venue/contract/commands.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { GROUP_TICKS } from '../market-data/grouping.ts';
import { knownMarket, marketId, type Names, olderName } from '../shared/markets.ts';
import type { Accounts, PrivateContent, PrivateTopic } from './accounts.ts';
import type { BookTopic } from './book-chain.ts';
import type { Books } from './books.ts';
import { firstVersion, futuresV2, futuresV3, futuresV4, spotV2, spotV3 } from './notifications.ts';
import type { Refusal } from './protocol.ts';
import * as schemas from './schemas.ts';
import type { Publication } from './subscription.ts';
import type { Trades } from './trades.ts';

/** A socket: books on one, everything else on the other, for each product. */
export interface Socket {
  readonly path: string;
  readonly product: Product | null;
  readonly carries: 'books' | 'all else' | 'nothing';
}

const SOCKETS: readonly Socket[] = [
  { path: '/ws/oss/spot', product: 'spot', carries: 'books' },
  { path: '/ws/oss/futures', product: 'futures', carries: 'books' },
  { path: '/ws/spot', product: 'spot', carries: 'all else' },
  { path: '/ws/futures', product: 'futures', carries: 'all else' },
  // An old name of /ws/spot, which its clients also sign.
  { path: '/spotWS', product: 'spot', carries: 'all else' },
  // No quotes over the counter: it accepts connections and has no topics.
  { path: '/ws/otc', product: null, carries: 'nothing' },
];

export const STREAM_PATHS: readonly string[] = SOCKETS.map(({ path }) => path);
/** The sockets of books. */
export const BOOK_PATHS: readonly string[] = SOCKETS.filter(({ carries }) => carries === 'books').map(
  ({ path }) => path,
);

export function socketAt(path: string): Socket | undefined {
  return SOCKETS.find((socket) => socket.path === path);
}

/** What makes the frames. */
export interface Publishers {
  readonly books: Books;
  readonly trades: Trades;
  readonly accounts: Accounts;
}

/** What the documents say of a topic. */
interface Documented {
  readonly frame: TSchema;
  /** One line. */
  readonly summary: string;
}

interface BookRow extends Documented {
  readonly name: BookTopic;
}

interface TradesRow extends Documented {
  readonly name: string;
  readonly product: Product;
  /** Older: a market that was subscribed by its older name has it in the rows. */
  readonly names: Names;
  /** Whether the topic of a frame has the market in it. */
  readonly topicNamesMarket: boolean;
}

interface PrivateRow extends PrivateTopic, Documented {}

const BOOKS: readonly BookRow[] = [
  {
    name: 'update',
    frame: schemas.UPDATE,
    summary: 'A snapshot of the best 50 levels of each side, then deltas. A level of size "0" is removed',
  },
  {
    name: 'snapshotL1',
    frame: schemas.SNAPSHOT_L1,
    summary: 'The best level of each side, whenever one changes',
  },
  {
    name: 'snapshot',
    frame: schemas.SNAPSHOT,
    summary: 'The best 50 levels of each side, whenever one changes',
  },
];

/** What a topic shows, as one line. */
function summaryOf(what: string, names: Names): string {
  return names === 'older' ? `${what}. With the older names` : what;
}

function tradesRow(name: string, product: Product, names: Names, topicNamesMarket: boolean): TradesRow {
  const topic = topicNamesMarket ? '' : `. The topic of its frames is \`${name}\``;
  const older = names === 'older' ? '. Rows name the market as it was subscribed' : '';
  const summary = `The trades of a market, the recent ones first${older}${topic}`;
  return { name, product, names, topicNamesMarket, frame: schemas.PUBLIC_TRADES, summary };
}

const TRADES: readonly TradesRow[] = [
  tradesRow('tradeHistoryApi', 'spot', 'present', true),
  tradesRow('tradeHistory', 'spot', 'present', true),
  tradesRow('tradeHistoryApiV3', 'futures', 'present', true),
  tradesRow('tradeHistoryApiV2', 'futures', 'present', false),
  tradesRow('tradeHistoryApi', 'futures', 'older', false),
];

type Orders = Extract<PrivateContent, { shows: 'orders' }>;

function ordersRow(
  name: string,
  product: Product,
  names: Names,
  frame: TSchema,
  content: Omit<Orders, 'shows'>,
): PrivateRow {
  const what = content.single === true ? 'One for each change of an order' : 'What happened to the orders: a list';
  return { name, product, names, frame, content: { shows: 'orders', ...content }, summary: summaryOf(what, names) };
}

function fillsRow(name: string, product: Product, names: Names): PrivateRow {
  const summary = summaryOf("The account's own trades: a list", names);
  return { name, product, names, frame: schemas.FILLS, content: { shows: 'fills' }, summary };
}

function positionsRow(name: string, shows: 'positions' | 'all positions', names: Names): PrivateRow {
  const what =
    shows === 'positions'
      ? 'The positions that have changed. One that was closed comes once, with `totalContracts` 0'
      : 'All open positions, whenever one changes';
  const summary = summaryOf(what, names);
  return { name, product: 'futures', names, frame: schemas.POSITIONS, content: { shows }, summary };
}

const { FIRST_NOTIFICATIONS, FUTURES_NOTIFICATIONS, FUTURES_NOTIFICATIONS_OLDER } = schemas;

const PRIVATE: readonly PrivateRow[] = [
  ordersRow('notificationApiV3', 'spot', 'present', schemas.SPOT_NOTIFICATION_V3, { record: spotV3, single: true }),
  ordersRow('notificationApiV2', 'spot', 'present', schemas.SPOT_NOTIFICATION_V2, { record: spotV2, single: true }),
  ordersRow('notificationApiV1', 'spot', 'present', FIRST_NOTIFICATIONS, { record: firstVersion }),
  ordersRow('notificationApi', 'spot', 'present', FIRST_NOTIFICATIONS, { record: firstVersion }),
  fillsRow('fills', 'spot', 'present'),
  ordersRow('notificationApiV4', 'futures', 'present', FUTURES_NOTIFICATIONS, { record: futuresV4 }),
  ordersRow('notificationApiV3', 'futures', 'present', FUTURES_NOTIFICATIONS_OLDER, { record: futuresV3 }),
  ordersRow('notificationApiV2', 'futures', 'older', FUTURES_NOTIFICATIONS_OLDER, { record: futuresV2 }),
  ordersRow('notificationApiV1', 'futures', 'older', FIRST_NOTIFICATIONS, { record: firstVersion }),
  ordersRow('notificationApi', 'futures', 'older', FIRST_NOTIFICATIONS, { record: firstVersion }),
  fillsRow('fillsV2', 'futures', 'present'),
  fillsRow('fills', 'futures', 'older'),
  positionsRow('positionsV3', 'positions', 'present'),
  positionsRow('positionsV2', 'positions', 'present'),
  positionsRow('positions', 'positions', 'older'),
  positionsRow('allPositionV4', 'all positions', 'present'),
  positionsRow('allPositionV3', 'all positions', 'present'),
  positionsRow('allPositionV2', 'all positions', 'present'),
  positionsRow('allPosition', 'all positions', 'older'),
];

/** Topics of what happens to orders and fills may begin after a seq: `fills@1234`. */
const NUMBERED: readonly PrivateTopic[] = PRIVATE.filter(
  ({ content }) => content.shows === 'orders' || content.shows === 'fills',
).map((row) => ({ ...row, numbered: true }));

/** Undefined: a topic of that name cannot begin after a seq. */
export function numberedTopic(product: Product, name: string): PrivateTopic | undefined {
  return NUMBERED.find((row) => row.name === name && row.product === product);
}

/** A topic of a socket, for the documents. */
export interface DocumentedTopic extends Documented {
  readonly name: string;
  /** What follows the colon of its name: 'SYM_G', 'SYM', or nothing. */
  readonly subject: string;
  readonly isPrivate: boolean;
  /** Its name may have @SEQ behind it. */
  readonly mayBeginAt: boolean;
}

/** The topics of the socket at a path. */
export function topicsOf(path: string): DocumentedTopic[] {
  const socket = socketAt(path);
  if (socket === undefined || socket.carries === 'nothing') return [];
  if (socket.carries === 'books')
    return BOOKS.map((row) => ({ ...row, subject: 'SYM_G', isPrivate: false, mayBeginAt: false }));
  const ofProduct = (row: { readonly product: Product }) => row.product === socket.product;
  return [
    ...TRADES.filter(ofProduct).map((row) => ({ ...row, subject: 'SYM', isPrivate: false, mayBeginAt: false })),
    ...PRIVATE.filter(ofProduct).map((row) => ({
      ...row,
      subject: '',
      isPrivate: true,
      mayBeginAt: numberedTopic(row.product, row.name) !== undefined,
    })),
  ];
}

/** What a subscribed name means. */
export type Topic =
  /** Acknowledged, and silent until a login. `since`: it begins after that seq. */
  | { readonly kind: 'private'; readonly topic: PrivateTopic; readonly since?: number }
  | { readonly kind: 'published'; readonly publication: Publication; readonly topic: string }
  | ({ readonly kind: 'refused' } & Refusal);

export function topicOf(venue: Venue, socket: Socket, name: string, publishers: Publishers): Topic {
  const [, base, since] = SINCE.exec(name) ?? [];
  if (base !== undefined) return sinceTopic(socket, base, Number(since));
  const [, prefix, subject] = /^([A-Za-z0-9]+)(?::(.*))?$/.exec(name) ?? [];
  if (prefix === undefined) return { kind: 'refused', code: 1005 };
  const books = socket.carries === 'books' ? BOOKS : [];
  const book = books.find((row) => row.name === prefix);
  if (book !== undefined) return bookTopic(venue, socket, book, subject, publishers);
  const ofProduct = (row: { readonly product: Product }) =>
    socket.carries === 'all else' && row.product === socket.product;
  const own = PRIVATE.find((row) => row.name === name && ofProduct(row));
  if (own !== undefined) return { kind: 'private', topic: own };
  const trades = TRADES.find((row) => row.name === prefix && ofProduct(row));
  if (trades !== undefined) return tradesTopic(venue, trades, name, subject, publishers);
  return { kind: 'refused', code: 1005, ...socketHint(venue, socket, prefix, subject) };
}

const SINCE = /^([A-Za-z0-9]+)@(\d{1,15})$/;

function sinceTopic({ product, carries }: Socket, name: string, since: number): Topic {
  const topic = product === null || carries !== 'all else' ? undefined : numberedTopic(product, name);
  if (topic !== undefined) return { kind: 'private', topic, since };
  return { kind: 'refused', code: 1005, hint: 'only topics of orders and fills take @SEQ' };
}

/** Which other socket has a topic: that of the market's product, or else that of this socket's. */
function socketHint(
  venue: Venue,
  { product }: Socket,
  prefix: string,
  subject: string | undefined,
): Pick<Refusal, 'hint'> {
  const isPrivate = subject === undefined;
  const having = SOCKETS.filter(({ path }) =>
    topicsOf(path).some((row) => row.name === prefix && row.isPrivate === isPrivate),
  );
  const meant = subject === undefined ? product : (productOf(venue, subject.replace(/_.*$/, '')) ?? product);
  const found = having.find((socket) => socket.product === meant) ?? having[0];
  return found === undefined ? {} : { hint: `this topic is on ${found.path}` };
}

/** The product of a market, under any of its names. */
function productOf(venue: Venue, symbol: string): Product | undefined {
  return (['spot', 'futures'] as const).find((product) => marketOf(venue, product, symbol) !== null);
}

/** No such market on a socket. The hint says which other socket has it. */
function noMarket(venue: Venue, { carries }: Pick<Socket, 'carries'>, symbol: string): Topic {
  const product = productOf(venue, symbol);
  const found = SOCKETS.find((socket) => socket.carries === carries && socket.product === product);
  const hint = found === undefined ? {} : { hint: `${symbol} is on ${found.path}` };
  return { kind: 'refused', code: 1000, ...hint };
}

/** The spellings of the groupings: '0' to '8'. */
const GROUPS = GROUP_TICKS.map((_, group) => String(group));

function bookTopic(
  venue: Venue,
  socket: Socket,
  { name: shows }: BookRow,
  subject: string | undefined,
  { books }: Publishers,
): Topic {
  // One spelling for each grouping: each spelling would cost a separate frame.
  const [, symbol = '', level] = /^(.*?)(?:_(.*))?$/.exec(subject ?? '') ?? [];
  const market = marketOf(venue, socket.product, symbol);
  if (market === null) return noMarket(venue, socket, symbol);
  const group = GROUPS.indexOf(level ?? '0');
  if (group < 0)
    return { kind: 'refused', code: 1000, hint: `a grouping is 0 to ${GROUPS.length - 1}: ${shows}:${symbol}_0` };
  // Subscribed as BTC-PERP-USDT, only the snapshot has that name, as on BTSE.
  const topic = `${shows}:${symbol === marketId(market) ? subject?.replace(symbol, market.symbol) : subject}`;
  return { kind: 'published', publication: books.publication(market, group, shows), topic };
}

function tradesTopic(
  venue: Venue,
  { product, names, name: prefix, topicNamesMarket }: TradesRow,
  name: string,
  symbol: string | undefined,
  { trades }: Publishers,
): Topic {
  const market = marketOf(venue, product, symbol ?? '');
  if (market === null) return noMarket(venue, { carries: 'all else' }, symbol ?? '');
  // A client that knows the market by its present name looks for that in the rows.
  const namesInRows = symbol === olderName(market) ? names : 'present';
  return {
    kind: 'published',
    publication: trades.publication(market, namesInRows),
    topic: topicNamesMarket ? name : prefix,
  };
}

function marketOf(venue: Venue, product: Product | null, symbol: string): MarketView | null {
  if (product === null) return null;
  return knownMarket(venue, product, symbol, { legacyNames: product === 'futures' }) ?? null;
}
