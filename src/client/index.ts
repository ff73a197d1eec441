/** `bourse/client`: the clients of a venue and of its control surface, without the venue. */

export type { Level, OrderBook } from './book.ts';
export {
  type AlgoOrderRequest,
  type BookCause,
  type BookOptions,
  BourseClient,
  type ClientOptions,
  type Content,
  type FuturesOrderRequest,
  type Method,
  type OrderReference,
  type Parameters,
  type Path,
  type Product,
  type Reply,
  type SpotOrderRequest,
  type Topic,
} from './client.ts';
export {
  type AccountsPage,
  type ArchivedLog,
  type Balances,
  type Book,
  ControlClient,
  type ControlOptions,
  type ControlScope,
  type DueItem,
  type Fault,
  type FaultState,
  type FillsPage,
  type HouseBook,
  type KeyPermission,
  type KeyRow,
  type KeysPage,
  type LedgerEntry,
  type LedgerPage,
  type NewKey,
  type OpenOrdersPage,
  type Order,
  type PastCommand,
  type PastQuery,
  type PastState,
  type PricePreview,
  type Prices,
  type VenueState,
} from './control.ts';
export type { Bound } from './decimals.ts';
export { type Credentials, type RequestOptions, request, sign, VenueError } from './request.ts';
export { StreamError, type SubscribeOptions, type Subscription } from './streams.ts';
/** The types of every request, reply and frame: `wire.SpotOrder`. */
export type * as wire from './types.ts';
