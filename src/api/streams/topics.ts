/**
 * All topics, as one table: a name, the sockets that have it, and what it shows. A difference between two versions of a
 * topic is a difference between two rows.
 */
import type { Product } from '../../venue/contract/commands.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { GROUP_TICKS } from '../market-data/grouping.ts';
import { ApiError } from '../shared/errors.ts';
import { findMarket, marketId, olderName } from '../shared/markets.ts';
import type { Accounts, PrivateTopic } from './accounts.ts';
import type { BookTopic } from './book-chain.ts';
import type { Books } from './books.ts';
import { fillRow, olderFillRow } from './fills.ts';
import { firstVersion, futuresV2, futuresV3, futuresV4, type OrderUpdate, spotV2, spotV3 } from './notifications.ts';
import type { ErrorCode } from './protocol.ts';
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

interface BookRow {
  readonly about: 'book';
  readonly name: BookTopic;
}

interface TradesRow {
  readonly about: 'trades';
  readonly name: string;
  readonly product: Product;
  /** The name of the market in its frames. */
  readonly nameOf: NameOf;
  /** Whether the topic of a frame has the market in it. */
  readonly topicNamesMarket: boolean;
}

const symbolOf: NameOf = ({ symbol }) => symbol;

const BOOKS: readonly BookRow[] = [
  { about: 'book', name: 'update' },
  { about: 'book', name: 'snapshotL1' },
  { about: 'book', name: 'snapshot' },
];

const TRADES: readonly TradesRow[] = [
  { about: 'trades', name: 'tradeHistoryApi', product: 'spot', nameOf: symbolOf, topicNamesMarket: true },
  { about: 'trades', name: 'tradeHistory', product: 'spot', nameOf: symbolOf, topicNamesMarket: true },
  { about: 'trades', name: 'tradeHistoryApi', product: 'futures', nameOf: olderName, topicNamesMarket: false },
  { about: 'trades', name: 'tradeHistoryApiV2', product: 'futures', nameOf: symbolOf, topicNamesMarket: false },
  { about: 'trades', name: 'tradeHistoryApiV3', product: 'futures', nameOf: symbolOf, topicNamesMarket: true },
];

const orders = (record: (update: OrderUpdate) => object) => ({ shows: 'orders', record }) as const;
const single = (record: (update: OrderUpdate) => object) => ({ shows: 'orders', record, single: true }) as const;
const ALL_POSITIONS = { shows: 'all positions', names: 'present' } as const;
const POSITIONS = { shows: 'positions', names: 'present' } as const;

const PRIVATE: readonly PrivateTopic[] = [
  { name: 'notificationApi', product: 'spot', content: orders(firstVersion) },
  { name: 'notificationApiV1', product: 'spot', content: orders(firstVersion) },
  { name: 'notificationApiV2', product: 'spot', content: single(spotV2) },
  { name: 'notificationApiV3', product: 'spot', content: single(spotV3) },
  { name: 'fills', product: 'spot', content: { shows: 'fills', row: fillRow } },
  { name: 'notificationApi', product: 'futures', content: orders(firstVersion) },
  { name: 'notificationApiV1', product: 'futures', content: orders(firstVersion) },
  { name: 'notificationApiV2', product: 'futures', content: orders(futuresV2) },
  { name: 'notificationApiV3', product: 'futures', content: orders(futuresV3) },
  { name: 'notificationApiV4', product: 'futures', content: orders(futuresV4) },
  { name: 'fills', product: 'futures', content: { shows: 'fills', row: olderFillRow } },
  { name: 'fillsV2', product: 'futures', content: { shows: 'fills', row: fillRow } },
  { name: 'allPosition', product: 'futures', content: { shows: 'all positions', names: 'older' } },
  { name: 'allPositionV2', product: 'futures', content: ALL_POSITIONS },
  { name: 'allPositionV3', product: 'futures', content: ALL_POSITIONS },
  { name: 'allPositionV4', product: 'futures', content: ALL_POSITIONS },
  { name: 'positions', product: 'futures', content: { shows: 'positions', names: 'older' } },
  { name: 'positionsV2', product: 'futures', content: POSITIONS },
  { name: 'positionsV3', product: 'futures', content: POSITIONS },
];

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
  const [, symbol = '', level = '0'] = /^(.*?)(?:_(\d{1,9}))?$/.exec(subject ?? '') ?? [];
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
    return findMarket(venue, product, symbol, { legacyNames: true });
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
