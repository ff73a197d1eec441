/**
 * A surface: a folder of routes under one base path, with one envelope for its errors. A route is a schema, a mapping
 * to a command, and a mapping from the result. Sockets, signatures, parsing, envelopes and statuses belong to the
 * gateway (http.ts, exchanges.ts, replies.ts, admission.ts, auth.ts, error-bodies.ts).
 *
 * The contract of a handler: it gets an authenticated, permitted call and returns the JSON body of a 200, or throws an
 * ApiError (errors.ts). Anything else that it throws is answered 500 and logged as a bug.
 */
import type { TObject, TSchema } from 'typebox';
import type { WalletQuery, WalletRecord } from '../../archive/read/account-ledger.ts';
import type { OrderHistory } from '../../archive/read/history.ts';
import type { Trade, TradeQuery } from '../../archive/read/trades.ts';
import type { ClientQuery } from '../../archive/store/client-ids.ts';
import type { MarketData } from '../../market-data/market-data.ts';
import type { Command, Permission, Signed } from '../../venue/contract/commands.ts';
import type { Reply, Venue } from '../../venue/venue.ts';
import type { Envelope } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { RefusedCommands } from './refused-commands.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The part of the engine that routes need. `venue` is its last durable state. It may be replaced, so never keep it. */
export interface EnginePort {
  readonly venue: Venue;
  /** The error to answer with while `venue` must not be read. */
  readonly unreadable?: Error | undefined;
  /** The error for what would change the venue, while another process leads. */
  readonly following?: Error | undefined;
  /** The venue's time now, for records and `…/time`. A real clock never goes back. */
  nowMs(): number;
  /** The moment of the last jump of a real clock, on the machine's monotonic clock. Minus infinity: there was none. */
  jumpedAtMs(): number;
  /** Estimated milliseconds until a command that arrives now is applied; 0: no command waits. */
  readonly queueMs: number;
  /** The error for a new command if a log on another machine has not answered for longer than `limitMs`. Undefined: it has. */
  awaitsLog?(limitMs: number): Error | undefined;
  /** Resolves once the command is durable and applied. Rejects with an error of engine/contract/errors.ts. */
  submit(command: Command): Promise<Reply>;
}

/** The part of the archive that routes need. The archive is a few milliseconds behind the venue. */
export interface ArchivePort {
  /** Waits until the archive has everything that the venue has now. Throws ArchiveBusy if that takes seconds. */
  trades(query: TradeQuery): Promise<readonly Trade[]>;
  /** An order with its history, by order key. Undefined if there is no such order. The same holds. */
  order(key: number): Promise<OrderHistory | undefined>;
  /** The newest order of an account and product with a client id. The same holds. */
  clientOrder(query: ClientQuery): Promise<OrderHistory | undefined>;
  /** The history of an account's wallets. The same holds. */
  wallet(query: WalletQuery): Promise<readonly WalletRecord[]>;
  /** The first seq whose trades and movements it knows: 1, unless earlier ones are lost. */
  readonly knownFromSeq: number;
}

/** Market data for routes. Each call waits for the history if it is needed. Throws an ApiError (busy) if that takes seconds. */
export type MarketDataPort = Pick<MarketData, 'trades' | 'candles' | 'day' | 'rates'>;

export interface Call {
  readonly engine: EnginePort;
  readonly archive: ArchivePort;
  readonly marketData: MarketDataPort;
  /** The engine's venue at the start of the call. After an `await`, use `engine.venue`: it may have been replaced. */
  readonly venue: Venue;
  /** The caller's account number; −1 on public routes. */
  readonly account: number;
  /** The caller's API key and nonce, which are logged with its commands. Null on public routes. */
  readonly signed: Signed | null;
  /** Counts and limits refused commands. */
  readonly refused: RefusedCommands;
  /** Decoded query parameters; a repeated name is refused before the handler. Inherits nothing. */
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON body where the route declares one, else an empty object. Inherits nothing. */
  readonly body: JsonObject;
  /** Header names and values of the reply, alternating. */
  readonly replyHeaders: string[];
  /** The BROKER-ID header. It marks orders, and has no other effect. */
  readonly broker: string | null;
}

/** Bodies of requests, by what they do. */
export type Examples = Readonly<Record<string, object>>;

export interface Route {
  readonly method: Method;
  /** Exact path below the surface's base path, with a leading slash: '/trade/orders/algo'. */
  readonly path: string;
  /** Null: a public route, whose credentials are not checked. */
  readonly permission: Permission | null;
  /** True: it cancels or closes a position, so it is accepted however long commands wait. */
  readonly isExit?: true;
  /** One line for the documents. */
  readonly summary: string;
  readonly query?: TObject;
  /** Declares that the route takes a JSON object. A union of variants is given as `Type.Union`. */
  readonly body?: TSchema;
  /** For the documents. A test sends each of them. */
  readonly examples?: Examples;
  /** The body of a 200. */
  readonly reply: TSchema;
  handle(call: Call): unknown | Promise<unknown>;
}

/** What BTSE offers at a path below a surface's base path, and this venue does not. */
export interface NotOffered {
  /** Exact, or with everything below it if it ends in a slash. */
  readonly path: string;
  /** In the plural: 'withdrawals'. */
  readonly what: string;
  readonly instead: string;
}

export interface Surface {
  /** The name of its folder: 'spot-v4'. */
  readonly name: string;
  readonly envelope: Envelope;
  /** The path of its routes: '/spot/api/v4'. Every path below it is answered in the surface's envelope. */
  readonly basePath: string;
  /** The beginning of the path that clients do not sign: '/spot', '/futures', or '' for public-api. */
  readonly unsignedPrefix: '' | '/spot' | '/futures';
  /** The newer surface whose routes this older version has. */
  readonly newer?: Surface;
  readonly routes: readonly Route[];
  readonly notOffered?: readonly NotOffered[];
}

/** The success envelope of market v1 and wallet v1. */
export function enveloped({ engine }: Call, data: object): object {
  return { code: 1, msg: 'Success', success: true, time: engine.nowMs(), data };
}
