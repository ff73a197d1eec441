/**
 * All topics, as one table: a name, the sockets that have it, and what it shows. A difference between two versions of a
 * topic is a difference between two rows.
 */
import type { TSchema } from 'typebox';
import type { Product } from '../../venue/contract/commands.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { GROUP_TICKS } from '../market-data/grouping.ts';
import { ApiError } from '../shared/errors.ts';
import { findMarket, marketId, olderName } from '../shared/markets.ts';
import type { Accounts, PrivateContent, PrivateTopic } from './accounts.ts';
import type { BookTopic } from './book-chain.ts';
import type { Books } from './books.ts';
import { type Fill, fillRow, olderFillRow } from './fills.ts';
import { firstVersion, futuresV2, futuresV3, futuresV4, spotV2, spotV3 } from './notifications.ts';
import type { PositionNames } from './positions.ts';
import type { ErrorCode } from './protocol.ts';
import * as schemas from './schemas.ts';
import type { Feed } from './subscription.ts';
import type { NameOf, Trades } from './trades.ts';

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

export function socketAt(path: string): Socket | undefined {
  return SOCKETS.find((socket) => socket.path === path);
}

/** What makes the frames. */
export interface Sources {
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
  /** The name of the market in its frames. */
  readonly nameOf: NameOf;
  /** Whether the topic of a frame has the market in it. */
  readonly topicNamesMarket: boolean;
}

interface PrivateRow extends PrivateTopic, Documented {}

const symbolOf: NameOf = ({ symbol }) => symbol;

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

function tradesRow(name: string, product: Product, nameOf: NameOf, topicNamesMarket: boolean): TradesRow {
  const topic = topicNamesMarket ? '' : `. The topic of its frames is \`${name}\``;
  const summary = `The trades of a market, the recent ones first${nameOf === olderName ? ', with the older names' : ''}${topic}`;
  return { name, product, nameOf, topicNamesMarket, frame: schemas.PUBLIC_TRADES, summary };
}

const TRADES: readonly TradesRow[] = [
  tradesRow('tradeHistoryApi', 'spot', symbolOf, true),
  tradesRow('tradeHistory', 'spot', symbolOf, true),
  tradesRow('tradeHistoryApiV3', 'futures', symbolOf, true),
  tradesRow('tradeHistoryApiV2', 'futures', symbolOf, false),
  tradesRow('tradeHistoryApi', 'futures', olderName, false),
];

type Orders = Extract<PrivateContent, { shows: 'orders' }>;

function ordersRow(
  name: string,
  product: Product,
  frame: TSchema,
  content: Omit<Orders, 'shows'>,
  names: 'present' | 'older' = 'present',
): PrivateRow {
  const what = content.single === true ? 'One for each change of an order' : 'What happened to the orders: a list';
  const summary = names === 'older' ? `${what}, with the older names` : what;
  return { name, product, frame, content: { shows: 'orders', ...content }, summary };
}

function positionsRow(name: string, shows: 'positions' | 'all positions', names: PositionNames): PrivateRow {
  const what =
    shows === 'positions'
      ? 'The positions that have changed. One that was closed comes once, with `totalContracts` 0'
      : 'All open positions, whenever one changes';
  const summary = names === 'older' ? `${what}. With the older names` : what;
  return { name, product: 'futures', frame: schemas.POSITIONS, content: { shows, names }, summary };
}

function fillsRow(name: string, product: Product, row: (fill: Fill) => object): PrivateRow {
  const summary = `The account's own trades: a list${row === olderFillRow ? ', with the older names' : ''}`;
  return { name, product, frame: schemas.FILLS, content: { shows: 'fills', row }, summary };
}

const PRIVATE: readonly PrivateRow[] = [
  ordersRow('notificationApiV3', 'spot', schemas.SPOT_NOTIFICATION_V3, { record: spotV3, single: true }),
  ordersRow('notificationApiV2', 'spot', schemas.SPOT_NOTIFICATION_V2, { record: spotV2, single: true }),
  ordersRow('notificationApiV1', 'spot', schemas.FIRST_NOTIFICATIONS, { record: firstVersion }),
  ordersRow('notificationApi', 'spot', schemas.FIRST_NOTIFICATIONS, { record: firstVersion }),
  fillsRow('fills', 'spot', fillRow),
  ordersRow('notificationApiV4', 'futures', schemas.FUTURES_NOTIFICATIONS, { record: futuresV4 }),
  ordersRow('notificationApiV3', 'futures', schemas.FUTURES_NOTIFICATIONS_OLDER, { record: futuresV3 }),
  ordersRow('notificationApiV2', 'futures', schemas.FUTURES_NOTIFICATIONS_OLDER, { record: futuresV2 }, 'older'),
  ordersRow('notificationApiV1', 'futures', schemas.FIRST_NOTIFICATIONS, { record: firstVersion }, 'older'),
  ordersRow('notificationApi', 'futures', schemas.FIRST_NOTIFICATIONS, { record: firstVersion }, 'older'),
  fillsRow('fillsV2', 'futures', fillRow),
  fillsRow('fills', 'futures', olderFillRow),
  positionsRow('positionsV3', 'positions', 'present'),
  positionsRow('positionsV2', 'positions', 'present'),
  positionsRow('positions', 'positions', 'older'),
  positionsRow('allPositionV4', 'all positions', 'present'),
  positionsRow('allPositionV3', 'all positions', 'present'),
  positionsRow('allPositionV2', 'all positions', 'present'),
  positionsRow('allPosition', 'all positions', 'older'),
];

/** A topic of a socket, for the documents. */
export interface DocumentedTopic extends Documented {
  readonly name: string;
  /** What follows the colon of its name: 'SYM_G', 'SYM', or nothing. */
  readonly subject: string;
  readonly isPrivate: boolean;
}

/** The topics of the socket at a path. */
export function topicsOf(path: string): DocumentedTopic[] {
  const socket = socketAt(path);
  if (socket === undefined || socket.carries === 'nothing') return [];
  if (socket.carries === 'books') return BOOKS.map((row) => ({ ...row, subject: 'SYM_G', isPrivate: false }));
  const ofProduct = (row: { readonly product: Product }) => row.product === socket.product;
  return [
    ...TRADES.filter(ofProduct).map((row) => ({ ...row, subject: 'SYM', isPrivate: false })),
    ...PRIVATE.filter(ofProduct).map((row) => ({ ...row, subject: '', isPrivate: true })),
  ];
}

/** What a subscribed name means. */
export type Topic =
  /** Acknowledged, and silent until a login. */
  | { readonly kind: 'private'; readonly topic: PrivateTopic }
  | { readonly kind: 'feed'; readonly feed: Feed; readonly topic: string }
  /** Acknowledged, and then silent. */
  | { readonly kind: 'silent' }
  /** Neither acknowledged nor refused. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

const UNKNOWN: Topic = { kind: 'refused', code: 1005 };
const NO_MARKET: Topic = { kind: 'refused', code: 1000 };

export function topicOf(venue: Venue, socket: Socket, name: string, sources: Sources): Topic {
  const [, prefix, subject] = /^([A-Za-z0-9]+)(?::(.*))?$/.exec(name) ?? [];
  if (prefix === undefined) return UNKNOWN;
  const book = BOOKS.find((row) => row.name === prefix);
  if (book !== undefined)
    return socket.carries === 'books' ? bookTopic(venue, socket, book, subject, sources) : NO_BOOKS;
  if (socket.carries !== 'all else') return UNKNOWN;
  const own = PRIVATE.find((row) => row.name === name && row.product === socket.product);
  if (own !== undefined) return { kind: 'private', topic: own };
  const trades = TRADES.find((row) => row.name === prefix && row.product === socket.product);
  return trades === undefined ? UNKNOWN : tradesTopic(venue, trades, name, subject, sources);
}

const NO_BOOKS: Topic = { kind: 'ignored' };

function bookTopic(
  venue: Venue,
  { product }: Socket,
  { name: shows }: BookRow,
  subject: string | undefined,
  { books }: Sources,
): Topic {
  // One spelling for each grouping: each spelling would cost a separate frame.
  const [, symbol = '', level = '0'] = /^(.*?)(?:_(0|[1-9]\d{0,8}))?$/.exec(subject ?? '') ?? [];
  const market = marketOf(venue, product, symbol);
  if (market === null) return NO_MARKET;
  const group = Number(level);
  if (group >= GROUP_TICKS.length) return { kind: 'silent' };
  // Subscribed as BTC-PERP-USDT, only the snapshot has that name, as on BTSE.
  const topic = `${shows}:${symbol === marketId(market) ? subject?.replace(symbol, market.symbol) : subject}`;
  return { kind: 'feed', feed: books.feed(market, group, shows), topic };
}

function tradesTopic(
  venue: Venue,
  { product, nameOf, name: prefix, topicNamesMarket }: TradesRow,
  name: string,
  symbol: string | undefined,
  { trades }: Sources,
): Topic {
  const market = marketOf(venue, product, symbol ?? '');
  if (market === null) return NO_MARKET;
  return { kind: 'feed', feed: trades.feed(market, nameOf), topic: topicNamesMarket ? name : prefix };
}

function marketOf(venue: Venue, product: Product | null, symbol: string): MarketView | null {
  if (product === null) return null;
  try {
    return findMarket(venue, product, symbol, { legacyNames: product === 'futures' });
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
