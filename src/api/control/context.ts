/** What the handlers of the control surface share: the running venue, a route's form, and what most of them do. */
import type { TObject, TSchema } from 'typebox';
import type { MovedLog } from '../../archive/follow/movable.ts';
import type { AuditReading, StateReading } from '../../archive/follow/whole-state.ts';
import type { LedgerPage, LedgerQuery } from '../../archive/read/account-ledger.ts';
import type { AccountOrders, AccountOrdersQuery } from '../../archive/read/account-orders.ts';
import type { EventRange } from '../../archive/read/history.ts';
import type { OrderStory } from '../../archive/read/story.ts';
import type { Trade, TradeQuery } from '../../archive/read/trades.ts';
import type { ClientQuery } from '../../archive/store/client-ids.ts';
import type { Field } from '../../config/field.ts';
import { nearest } from '../../config/nearest.ts';
import type { ClockReading } from '../../engine/clock/venue-clock.ts';
import type { MarketData } from '../../market-data/market-data.ts';
import type { Left } from '../../story/facts.ts';
import type { Command } from '../../venue/contract/commands.ts';
import type { AccountView, Reply, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import type { Faults } from '../gateway/faults.ts';
import type { MasterOfSeal } from '../gateway/keyring.ts';
import type { Routing } from '../gateway/routing.ts';
import type { AtLeastSeq } from '../shared/at-least-seq.ts';
import { ApiError, refusalError, shortened } from '../shared/errors.ts';
import { marketId, unknownMarket } from '../shared/markets.ts';
import type { RefusedRequests } from '../shared/refused-requests.ts';
import type { Call } from '../shared/surface.ts';
import type { AccountList } from './account-list.ts';
import type { Refusals } from './metrics.ts';
import type { PageSessions } from './page/sessions.ts';
import type { Past } from './past.ts';
import type { ControlTokens, Scope } from './tokens.ts';

/** What the control surface needs of the running venue. */
export interface ControlContext {
  readonly venue: Venue;
  readonly epoch: number;
  readonly faults: Faults;
  /** The routes that the gateway serves. */
  readonly routing: Routing;
  /** The paths of the streams. */
  readonly streamPaths: readonly string[];
  /** Those of books. */
  readonly bookPaths: readonly string[];
  submit(command: Command): Promise<Reply>;
  /**
   * Moves a manual clock. Synthetic traders act on the way. Moves run one at a time: `target` is called for the time
   * when the earlier moves are done.
   */
  advance(target: () => number): Promise<Reply>;
  /** The real clock compared with the machine's. Null on a manual clock. */
  readonly clock: ClockReading | null;
  /** From now on venue time is elapsed time × speed. Real clock only. */
  setSpeed(speed: number): void;
  /** Accepts the machine's clock as it is. Timers that are due by then fire. Real clock only. */
  acceptWall(): Promise<Reply>;
  /** The whole state, with every command that was answered before. @throws {ArchiveBusy} it cannot be read in time */
  readonly wholeState: { state(): Promise<StateReading>; audit(): Promise<AuditReading> };
  /** The time machine. */
  readonly past: Past;
  /** Creates an API key. */
  newKey(): { readonly key: string; readonly secret: string };
  /** A key that expires at `timeMs` has expired. */
  isPastForKeys(timeMs: number): boolean;
  seal(secret: string): string;
  /** Which master key sealed a secret. */
  masterOf(sealed: string): MasterOfSeal;
  /** Whether the file of the master key has a newer one, which the next start takes. */
  rotationPending(): Promise<boolean>;
  /** Why `venue` must not be read now. */
  readonly unreadable?: Error | undefined;
  /** The error for what would change the venue, while another process leads. */
  readonly following?: Error | undefined;
  readonly atLeastSeq: Pick<AtLeastSeq, 'wait'>;
  /** An order with a part of its history, and its story: by order key, or by client id. Undefined: there is none. */
  orderStory(of: number | ClientQuery, range: EventRange): Promise<OrderStory | undefined>;
  /** The keys of the newest orders whose id begins so, at most a few. */
  ordersBeginning(beginning: string): Promise<readonly number[]>;
  /** A page of an account's orders, open and ended. @throws {ArchiveBusy} */
  accountOrders(query: AccountOrdersQuery): Promise<AccountOrders>;
  /** What left the branch of a command. Null: it leads to the present state. @throws {ArchiveBusy} */
  leftAt(seq: number): Promise<Left | null>;
  /** Trades of an account, up to everything that is applied at this moment. @throws {ArchiveBusy} */
  trades(query: TradeQuery): Promise<readonly Trade[]>;
  readonly marketData: Pick<MarketData, 'day' | 'formerTerms' | 'pastOf'>;
  /** What came of the log, of all accounts or of one: as data, and as one HTML page. It takes as long as applying the log. */
  report(account: string | undefined): Promise<{ readonly report: object; page(): string }>;
  /** What plays the recording of this venue. Null: nothing does. */
  readonly player: PlayerReading | null;
  /** The venue's time now. */
  nowMs(): number;
  /**
   * A call of a trading surface in the name of an account, for the routes of `routing`. Its commands are logged with the
   * origin `control`. `onCommand` is called with the seq of each.
   */
  callAs(account: number, request: CallRequest, onCommand: (seq: number) => void): Call;
  /** A page of an account's ledger. */
  ledger(query: LedgerQuery): Promise<LedgerPage>;
  readonly tokens: ControlTokens;
  /** Who looks at the page. */
  readonly sessions: PageSessions;
  /** Accounts and keys in pages. */
  readonly accountList: AccountList;
  /** The highest nonce that was accepted of a key: epoch ms on its client's clock. Null: none is known. */
  lastUsedMs(key: string): number | null;
  /** The first seq that order histories reach back to: 1, unless the history before is lost. */
  readonly knownFromSeq: number;
  /** Writes a snapshot into the data folder. Null: there is no data folder. */
  snapshot(): Promise<{ readonly seq: number; readonly file: string }> | null;
  /** Moves old segments of the log to the folder `to`. Null: there is no data folder. */
  moveLog(to: string): Promise<MovedLog> | null;
  /** The results of the background checks, for /health. */
  checks(): object;
  /** Empty if the venue is ready. */
  notReadyBecause(): readonly string[];
  metrics(): Promise<string>;
  /** Refused commands of clients, by reason. */
  refusals(): readonly Refusals[];
  /** The latest requests that were refused. */
  readonly refusedRequests: RefusedRequests;
}

/** What plays a recording, at this moment. */
export interface PlayerReading {
  /** How far venue time is ahead of the next event, ms. */
  readonly lagMs: number;
  /** By so much that users should know. */
  readonly isBehind: boolean;
  /** The share of recorded trades that the recorded book could fill as it was, and what users took of a minute's volume. */
  readonly fits: number;
  readonly takenRatio: number;
  readonly hasEnded: boolean;
  /** It has ended, and the synthetic traders trade in its market. */
  readonly hasHandedOver: boolean;
  /** Why it cannot be played any further. */
  readonly problem: string | undefined;
  /** The time of the next event in the recording, and when it is due here, epoch ms. */
  readonly next: { readonly recordedMs: number; readonly dueMs: number } | undefined;
}

/** `replyHeaders`: the surface adds to them. */
export type CallRequest = Pick<Call, 'query' | 'body' | 'replyHeaders'>;

/** The context of one request. */
export interface ControlCall extends ControlContext {
  /** The name of the caller's token. */
  readonly caller: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  /** Further headers of the reply: a name, then its value, and so on. */
  readonly replyHeaders: string[];
}

/** A request. A {name} of the path that is left out has the value that `PATH_PARAMETERS` (openapi.ts) has. */
export interface ControlExample {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /control/v1; {names} become the handler's further arguments. */
  readonly path: string;
  /** The least that a token must have. */
  readonly scope: Scope;
  readonly summary: string;
  /**
   * It begins when all earlier calls with this mark were answered: it changes which markets there are, or what it reads
   * of a market or account.
   */
  readonly inTurn?: true;
  /** For a bearer token alone: a session of the page must not give what outlives its end. */
  readonly tokenOnly?: true;
  /** The body is that of a trading surface: `body` is its bytes. */
  readonly takesBytes?: true;
  /** What a request has, and the body of a 200: for the documents (openapi.ts). */
  readonly takes?: { readonly query?: TObject; readonly body?: TSchema };
  readonly reply: TSchema;
  /** It is the handshake of a WebSocket. */
  readonly upgrades?: true;
  /** A 503 has the same body as a 200. */
  readonly mayBeUnready?: true;
  /** Requests for the documents, by what they do. A test sends each of them. */
  readonly examples?: Readonly<Record<string, ControlExample>>;
  /** With `?preview=true`: what `handle` would do. It changes nothing, and the scope `read` is enough. */
  readonly preview?: ControlRoute['handle'];
  /** `body`: of a GET and a DELETE the query, whose values are text. */
  handle(context: ControlCall, body: Field, ...params: string[]): Promise<object | string | Unready | Html>;
}

/** An answer for a browser: one page that loads nothing. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An answer with 503 that is not an error of the request. */
export class Unready {
  readonly body: object;
  constructor(body: object) {
    this.body = body;
  }
}

/** `pathOf`: where the body has a field that the venue names in its own way. @throws {ApiError} the venue refused it */
export async function submit(
  context: ControlContext,
  command: Command,
  pathOf?: (field: string) => string,
): Promise<Reply> {
  return accepted(context, await context.submit(command), pathOf);
}

export function accepted(context: ControlContext, reply: Reply, pathOf = (field: string) => field): Reply {
  if (reply.refusal === null) return reply;
  const { field } = reply.refusal.params;
  throw refusalError(context.venue, reply, typeof field === 'string' ? { [field]: pathOf(field) } : {});
}

/** The venue names the fields of a market after its symbol: `BTC-PERP.maxBasis`. */
export function withoutSymbol(symbol: string): (field: string) => string {
  return (field) => (field.startsWith(`${symbol}.`) ? field.slice(symbol.length + 1) : field);
}

/** How many accounts are searched for a name like an unknown one. */
const MOST_COMPARED = 1000;

export function find({ venue, accountList }: ControlContext, name: string): AccountView {
  const account = venue.accountByName(name);
  if (account !== undefined) return account;
  const { rows } = accountList.accountsAfter(null, MOST_COMPARED);
  const close = nearest(
    name,
    rows.map((index) => nameOf(venue, index)),
  );
  const hint = close === null ? '; GET /accounts lists them' : `: did you mean ${close}?`;
  throw new ApiError('unknownAccount', { account: name, hint });
}

/** By the symbol of the configuration, or by the id of the markets API. `field`: what names it, unless it is the path. */
export function findMarket(venue: Venue, symbol: string, field?: string): MarketView {
  const market = venue.marketBySymbol(symbol) ?? venue.markets.find((each) => marketId(each) === symbol);
  if (market !== undefined) return market;
  throw field === undefined ? unknownMarket(venue, symbol, null) : unknownMarketIn(venue, symbol, field);
}

/** The error for a market that a field of the body or the query names. */
export function unknownMarketIn(venue: Venue, symbol: string, field: string): ApiError {
  const { reason, params } = unknownMarket(venue, symbol, null);
  return new ApiError(reason, { ...params, field: shortened(field) });
}

export function nameOf(venue: Venue, account: number): string {
  return (venue.account(account) as AccountView).name;
}

/** What `result` is, unless it is null because the venue has no data folder. */
export function requireDataFolder<Result>(result: Result | null): Result {
  if (result !== null) return result;
  throw new ApiError('notAvailable', { what: 'this venue is in memory: it has no data folder' });
}

export function requireManualClock({ venue }: ControlContext, what: string): void {
  if (venue.genesis?.clock === 'manual') return;
  throw new ApiError('manualClockOnly', { what });
}
