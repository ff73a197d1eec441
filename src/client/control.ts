/** A client of the control surface: the clock, prices, accounts, keys, faults and snapshots of a test venue. */
import { AssertionError } from 'node:assert';
import { addDecimals, type Bound, within } from './decimals.ts';
import { checkAddress, request } from './request.ts';

export interface ControlOptions {
  /** The control listener's address, such as http://127.0.0.1:8081. */
  readonly url: string;
  readonly token: string;
}

/** What a control token may do. Each includes those before it. */
export type ControlScope = 'read' | 'test' | 'admin';

export type KeyPermission = 'read' | 'trading' | 'transfer' | 'wallet';

export interface NewKey {
  readonly permissions: readonly KeyPermission[];
  /** Addresses or CIDR ranges. Empty or absent: any. */
  readonly ipAllow?: readonly string[];
  /** ISO text or epoch ms. */
  readonly expiresAt?: string | number;
}

export interface Prices {
  readonly index?: number | string;
  /** Null releases a mark that was set manually. */
  readonly mark?: number | string | null;
  readonly last?: number | string;
  /**
   * The index comes from a feed: a jump above `indexJump` waits for a second value, and the price goes stale when the
   * feed stops.
   */
  readonly feed?: boolean;
}

/** One fault does one thing: to requests, to frames of streams, to their connections, or to everything. */
export interface Fault {
  /** `path` is exact, without query. `pathPrefix`: all paths that begin so. */
  readonly match?: { readonly method?: string; readonly path?: string; readonly pathPrefix?: string };
  /** Delays the request. */
  readonly latencyMs?: number;
  /** Answers with it, and does nothing. Below 400 only with a `body`. */
  readonly status?: number;
  /** Beside `status`: code and text of the error, in the envelope of the surface. */
  readonly code?: number;
  readonly message?: string;
  /** Beside `status`: the whole body. Text is sent as HTML, all else as JSON. */
  readonly body?: unknown;
  /** Beside `status`: the header Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Carries the request out, and closes the connection without an answer. */
  readonly dropReply?: boolean;
  /** Every request is answered with 503 System error. Streams end, and are refused. */
  readonly maintenance?: boolean;
  /** Ends the connections of the streams. */
  readonly closeStreams?: boolean;
  /** Handshakes of streams are answered with 503. */
  readonly refuseStreams?: boolean;
  /** Delays frames of the streams. */
  readonly streamLatencyMs?: number;
  /** Frames of the streams are not sent. */
  readonly dropFrames?: boolean;
  /** The sequence of a book skips a number. */
  readonly gapBook?: boolean;
  /** The latencies are venue time: on a manual clock they pass when it is moved. */
  readonly inVenueTime?: boolean;
  /** Affects only this share of what it matches. The `seed` decides which: by default it follows from the venue's. */
  readonly probability?: number;
  readonly seed?: number;
  /** Venue time: epoch ms or ISO text. */
  readonly from?: number | string;
  readonly until?: number | string;
  /** Begins again so often, and lasts so long each time: ms, or text such as '30s'. */
  readonly every?: number | string;
  readonly for?: number | string;
  /** How many requests or frames it leaves alone first. */
  readonly skip?: number;
  /** How many requests or frames. Null: any number. Default: 1; any number with `until`, `every` or `maintenance`. */
  readonly times?: number | null;
}

/** An armed fault and its counts. Times are epoch ms, durations ms. */
export interface FaultState extends Fault {
  /** How many requests, frames, handshakes or closings it has affected. */
  readonly hits: number;
  /** How many it will still affect. 0: it is spent. Null: any number. */
  readonly left: number | null;
  /** The last command before it last affected something. Null: it has not. */
  readonly lastHitSeq: number | null;
  /** The latest ten, oldest first. `what`: `POST /path`, or the path of a stream. */
  readonly lastHits: readonly { readonly seq: number; readonly time: number; readonly what: string }[];
}

export interface VenueState {
  readonly seq: number;
  readonly time: number;
  readonly epoch: number;
  /** Of a real clock: venue time per elapsed time. */
  readonly speed?: number;
  readonly hash: string;
  readonly orders: number;
  readonly accounts: number;
  readonly markets: number;
}

/** A part of a past state. */
export interface PastQuery {
  readonly show?: 'book' | 'orders' | 'positions' | 'balances' | 'account';
  readonly account?: string;
  readonly symbol?: string;
  readonly limit?: number;
}

/** The state after a command of the log. */
export interface PastState {
  readonly seq: number;
  readonly time: number;
  readonly hash: string;
  readonly counts: { readonly orders: number; readonly accounts: number; readonly markets: number };
  /** The reset or restore that replaced it. Null: the present state comes from it. Absent: not known yet. */
  readonly left?: Left | null;
  readonly [field: string]: unknown;
}

/** A command of the log, and what it set off. */
export interface PastCommand {
  readonly seq: number;
  readonly time: number;
  readonly command: { readonly type: string; readonly [field: string]: unknown } | null;
  readonly sentence?: string;
  readonly effects: readonly { readonly type: string; readonly time: number; readonly [field: string]: unknown }[];
  readonly count: number;
  readonly next?: string;
  readonly [field: string]: unknown;
}

/** A command of the log in a sentence. `count`: how many effects it had. */
export interface CommandLine {
  readonly seq: number;
  /** Venue time after it, epoch ms. */
  readonly time: number;
  /** Null: it was left out, because it made the venue fail. */
  readonly command: { readonly type: string; readonly [field: string]: unknown } | null;
  readonly sentence: string;
  readonly count: number;
  /** What left its branch. Null: it leads to the present state. Absent: that is not known yet. */
  readonly left?: Left | null;
}

/** What moved money of an account. */
export interface LedgerEntry {
  readonly id: string;
  readonly seq: number;
  readonly timeMs: number;
  readonly account: string;
  readonly currency: string;
  /** Exact decimal. Negative: taken from the account. */
  readonly amount: string;
  readonly reason: string;
  readonly market: string | null;
  readonly orderId: string | null;
}

/** Which part of a list: at most `limit` rows (100; at most 1,000) after the `next` of the page before. */
export interface Page {
  /** A number from 1 to 1,000. */
  readonly limit?: number | string;
  readonly after?: string;
}

/** A page of a list that may also be read from its end, or as it was. */
export interface PastPage extends Page {
  /** The newest ones first. */
  readonly newest?: true;
  /** As of this seq, in whatever branch of the history. Absent: now. */
  readonly to?: number;
}

/** Members that are null or undefined are left out. */
function queryOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return String(new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])));
}

export interface MarketsPage {
  readonly markets: readonly { readonly symbol: string; readonly [field: string]: unknown }[];
  /** Absent: there are no more. */
  readonly next?: string;
}

export interface AccountsPage {
  /** `keys`: how many it has. `frozen`: what it may do at most; null: everything. */
  readonly accounts: readonly {
    readonly account: string;
    readonly keys: number;
    readonly frozen: 'cancelOnly' | 'everything' | null;
  }[];
  /** Absent: there are no more. */
  readonly next?: string;
}

/** A key without its secret. */
export interface KeyRow {
  readonly key: string;
  readonly account: string;
  readonly permissions: readonly KeyPermission[];
  /** Addresses or CIDR ranges. Empty: any. */
  readonly ipAllow: readonly string[];
  /** Epoch ms. Null: it does not expire. */
  readonly expiresAtMs: number | null;
  /** The highest nonce that was accepted: epoch ms on its client's clock. Null: none is known. */
  readonly lastUsedMs: number | null;
  /**
   * Which master key seals its secret: the present one, one that a rotation retired, or one that the venue does not have,
   * so that the key does not work.
   */
  readonly masterKey: 'present' | 'retired' | 'missing';
}

export interface KeysPage {
  readonly keys: readonly KeyRow[];
  /** Absent: there are no more. */
  readonly next?: string;
  /** The file of the master key has a newer one, which the next start of the venue takes. */
  readonly rotationPending?: true;
}

/** One row of an order's story. Prices and sizes are exact decimals. Null: not known, or there was none. */
export interface StoryRow {
  /** Null for what is yet to come. */
  readonly seq: number | null;
  /** Counts the order's events of a command from 1. */
  readonly n: number;
  /** Venue time, epoch ms. */
  readonly time: number;
  readonly kind: string;
  readonly sentence: string;
  readonly detail?: string;
  /** The last price then. */
  readonly price: string | null;
  readonly filled: string | null;
  readonly left: string | null;
  /** The rows that this one sums up. */
  readonly each?: readonly StoryRow[];
  /** It happened in a branch that a reset or a return to a snapshot has left. */
  readonly leftBranch?: true;
}

export interface OrderPage {
  readonly order: Order;
  readonly events: readonly { readonly seq: number; readonly type: string; readonly [field: string]: unknown }[];
  /** Absent: there are no more. */
  readonly next?: string;
  // The first page also has the story.
  readonly title?: string;
  readonly status?: string;
  /** Why the order is as it is. */
  readonly sentence?: string;
  readonly rows?: readonly StoryRow[];
  /** Of a TWAP: what became of each part that was due. `why`: of a skipped one. */
  readonly parts?: readonly {
    readonly part: number;
    readonly state: 'traded' | 'rests' | 'skipped';
    readonly filled: string;
    readonly why?: string;
  }[];
  readonly totals?: Readonly<Record<string, unknown>>;
  /** The other leg, the parent, attached orders. */
  readonly siblings?: readonly (Order & { readonly relation: string })[];
  /** What else the commands set off that decided about the order. */
  readonly alongside?: readonly { readonly seq: number; readonly sentences: readonly string[] }[];
  /** What moved money of the account while the order lived, its first entries. */
  readonly ledger?: { readonly entries: readonly LedgerEntry[]; readonly more: boolean };
}

export interface LedgerPage {
  /** With `to`. */
  readonly left?: Left | null;
  readonly entries: readonly LedgerEntry[];
  /** Absent: there are no more. */
  readonly next?: string;
}

/** Something that time brings about. Members that do not apply are null. */
export interface DueItem {
  readonly kind: 'minute' | 'expiry' | 'deadMan' | 'algo' | 'liquidation' | 'feed' | 'distressed';
  /** Epoch ms. */
  readonly time: number;
  readonly symbol: string | null;
  readonly orderId: string | null;
  readonly account: string | null;
  readonly sentence: string;
}

/** The recording that a venue plays. */
export interface PlayedRecording {
  readonly symbol: string;
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
  /** `behind`: by more than a second. `handedOver`: to the synthetic traders. `notPlayed`: this start was not given the files. */
  readonly state: 'playing' | 'behind' | 'ended' | 'handedOver' | 'broken' | 'notPlayed';
  /** The time of the last event in the recording, epoch ms. Null: none was played. */
  readonly recordedMs: number | null;
  /** When the next event is due here, epoch ms. Null: it is not known. */
  readonly nextDueMs: number | null;
  readonly events: number;
  /** The share of recorded trades that the recorded book could fill as it was. */
  readonly fits: number | null;
  readonly [field: string]: unknown;
}

/** Levels of the house. */
export interface HouseBook {
  readonly bids?: readonly (readonly [price: number | string, size: number | string])[];
  readonly asks?: readonly (readonly [price: number | string, size: number | string])[];
}

/** Levels are price and size, as exact decimals. */
export interface Book {
  readonly seq: number;
  readonly symbol: string;
  readonly status: 'active' | 'halted' | 'stale' | 'delisted';
  readonly bids: readonly (readonly [price: string, size: string])[];
  readonly asks: readonly (readonly [price: string, size: string])[];
}

/** The reset, or the return to a named snapshot, that left a branch of the history. */
export interface Left {
  /** Its seq. */
  readonly at: number;
  readonly by: 'reset' | 'restore';
}

/** An order, open or ended, with exact decimals as text. Null: it does not apply, or is not known yet. */
export interface Order {
  readonly orderId: string;
  readonly clientId: string | null;
  readonly account: string;
  readonly symbol: string;
  readonly side: string;
  readonly kind: string;
  readonly state: string;
  /** False: it has ended, or a reset or a restore has removed it. */
  readonly live: boolean;
  /** Of the last change: when it ended, if it has. */
  readonly updatedMs: number;
  /** The command that placed it. */
  readonly seq: number;
  /** How it ended, in words. Null: it is open. */
  readonly ended: string | null;
  /** What left the branch of the history that it is in. Null: it is in the present one. */
  readonly left: Left | null;
  readonly price: string | null;
  readonly size: string | null;
  readonly quoteSize?: string;
  readonly filled: string;
  readonly trigger: { readonly price: string | null; readonly reference: string } | null;
  /** Of an algo: its terms, and what it is doing. */
  readonly details: {
    readonly name: string;
    readonly terms: Readonly<Record<string, unknown>>;
    /** Null: it has ended. */
    readonly progress: Readonly<Record<string, unknown>> | null;
  } | null;
  /** Sizes at its price level. In lists of open orders only. */
  readonly queue?: { readonly ahead: string; readonly own: string; readonly behind: string } | null;
  readonly [field: string]: unknown;
}

export interface OpenOrdersPage {
  readonly seq: number;
  readonly orders: readonly Order[];
  /** Absent: there are no more. */
  readonly next?: string;
}

export interface AllOrdersPage {
  /** With `to`. */
  readonly left?: Left | null;
  readonly orders: readonly Order[];
  /** Absent: there are no more. */
  readonly next?: string;
  /** What was placed before this seq is not known. Absent: all is. */
  readonly knownFromSeq?: number;
}

export interface FillsPage {
  /** With `to`. */
  readonly left?: Left | null;
  readonly fills: readonly { readonly orderId: string; readonly seq: number; readonly [field: string]: unknown }[];
  /** Absent: there are no more. */
  readonly next?: string;
}

export interface PricePreview {
  readonly seq: number;
  readonly prices: Readonly<Record<'index' | 'mark' | 'last', string | null>>;
  readonly halted: boolean;
  /** They would fire. */
  readonly orders: readonly Order[];
  /** They would be below maintenance. */
  readonly positions: readonly { readonly account: string; readonly [field: string]: unknown }[];
  /** There are more than are named. */
  readonly cut: boolean;
}

/** Exact decimals, such as `total` and `available`, by currency. */
export type Balances = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface AccountChange {
  readonly fees?: Readonly<Record<string, { readonly maker: number | string; readonly taker: number | string } | null>>;
  readonly frozen?: 'cancelOnly' | 'everything' | null;
  /** Also with fees above 0.05. */
  readonly force?: boolean;
}

/** What a call of `archiveLog` came to. */
export interface ArchivedLog {
  readonly moved: number;
  readonly left: number;
  readonly seq: number;
  /** True: the note of what was moved, `moved.json`, was lost, and was written again. */
  readonly noteRestored?: boolean;
  readonly reason?: string;
}

export class ControlClient {
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    checkAddress(options.url);
    this.#options = options;
  }

  /** Any request below /control/v1. Throws VenueError for a refusal. */
  async request(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.#options.token}` };
    return request(this.#options.url, method, `/control/v1${path}`, { headers, body, timeoutMs: 600_000 });
  }

  async createAccount(name: string): Promise<string> {
    return ((await this.request('POST', '/accounts', { name })) as { account: string }).account;
  }

  /** This reply is the only one that contains the secret. */
  async createKey(account: string, key: NewKey): Promise<{ key: string; secret: string }> {
    const path = `/accounts/${encodeURIComponent(account)}/keys`;
    return (await this.request('POST', path, key)) as { key: string; secret: string };
  }

  async revokeKey(key: string): Promise<void> {
    await this.request('DELETE', `/keys/${encodeURIComponent(key)}`);
  }

  /** A page of the accounts, in the order in which they were added. `after`: the `next` of the page before. */
  async accounts(page: Page = {}): Promise<AccountsPage> {
    return (await this.request('GET', `/accounts?${queryOf(page)}`)) as AccountsPage;
  }

  /** A page of the API keys of all accounts, or of one. `after`: the `next` of the page before. */
  async keys(page: Page = {}, account?: string): Promise<KeysPage> {
    const path = account === undefined ? '/keys' : `/accounts/${encodeURIComponent(account)}/keys`;
    return (await this.request('GET', `${path}?${queryOf(page)}`)) as KeysPage;
  }

  /**
   * Moves old segments of the log to a folder of the venue's machine, for about 30 s. `left`: segments that the next call
   * can move. `seq`: the last one that is not in the data folder any more. `reason`: why nothing was moved.
   */
  async archiveLog(to: string): Promise<ArchivedLog> {
    return (await this.request('POST', '/log/archive', { to })) as ArchivedLog;
  }

  /** Returns a new control token. This reply is the only one that contains it. */
  async createToken(name: string, scope: ControlScope): Promise<string> {
    return ((await this.request('POST', '/tokens', { name, scope })) as { token: string }).token;
  }

  /** The created control tokens. The one of the start is not among them. */
  async tokens(): Promise<{ name: string; scope: ControlScope; createdMs: number }[]> {
    return ((await this.request('GET', '/tokens')) as { tokens: Awaited<ReturnType<ControlClient['tokens']>> }).tokens;
  }

  async revokeToken(name: string): Promise<void> {
    await this.request('DELETE', `/tokens/${encodeURIComponent(name)}`);
  }

  /**
   * A link to the page, for one session within ten minutes. The session may do what this token may, and nothing but look
   * if `readOnly` is set.
   */
  async pageLink(readOnly = false): Promise<string> {
    const { url, token } = this.#options;
    const headers = { authorization: `Bearer ${token}` };
    const link = await request(url, 'POST', '/session/links', { headers, body: { readOnly } });
    return new URL((link as { path: string }).path, url).href;
  }

  /** A negative amount withdraws. Resolves with the balances after it. */
  async deposit(account: string, currency: string, amount: number | string): Promise<{ readonly balances: Balances }> {
    const path = `/accounts/${encodeURIComponent(account)}/deposits`;
    return (await this.request('POST', path, { currency, amount })) as { readonly balances: Balances };
  }

  async account(account: string): Promise<Record<string, unknown>> {
    return (await this.request('GET', `/accounts/${encodeURIComponent(account)}`)) as Record<string, unknown>;
  }

  /**
   * A page of the account's ledger, oldest first. `after`: the `next` of the page before, or the id of an entry. `newest`:
   * the newest entries instead, newest first.
   */
  async ledger(account: string, page: PastPage = {}): Promise<LedgerPage> {
    const path = `/accounts/${encodeURIComponent(account)}/ledger`;
    return (await this.request('GET', `${path}?${queryOf(page)}`)) as LedgerPage;
  }

  /** A page of the markets, in the order in which they were added. `after`: the `next` of the page before. */
  async markets(page: Page = {}): Promise<MarketsPage> {
    return (await this.request('GET', `/markets?${queryOf(page)}`)) as MarketsPage;
  }

  /**
   * An order with a page of what happened to it, oldest first, and its story, however long ago it ended. `client`: whose
   * client id `id` is, and in which market, where orders on spot and on futures have it. Without it, `id` is the venue's
   * order id, or the beginning of the id of a recent order.
   */
  async order(id: string, page: Page = {}, client?: { account: string; symbol?: string }): Promise<OrderPage> {
    const query = queryOf({ ...page, ...client });
    return (await this.request('GET', `/orders/${encodeURIComponent(id)}?${query}`)) as OrderPage;
  }

  /** Resolves when everything that the prices set off has happened. */
  async setPrices(symbol: string, prices: Prices): Promise<void> {
    await this.request('POST', '/prices', { symbol, ...prices });
  }

  /**
   * Moves a manual clock by milliseconds, or by text such as '90s', '1h30m', '2d'. Resolves with the new time, epoch
   * ms, when everything that was due on the way has happened.
   */
  async advance(duration: number | string): Promise<number> {
    return ((await this.request('POST', '/clock', { advance: duration })) as { time: number }).time;
  }

  /** Like `advance`, to a time: epoch ms, or ISO text such as '2026-01-02T00:00:00Z'. */
  async advanceTo(time: number | string): Promise<number> {
    return ((await this.request('POST', '/clock', { to: time })) as { time: number }).time;
  }

  /**
   * On a real clock: accepts the machine's clock as it is now, however large the difference is. Resolves with the new
   * time, epoch ms, when everything that is due by then has happened.
   */
  async acceptWall(): Promise<number> {
    return ((await this.request('POST', '/clock', { acceptWall: true })) as { time: number }).time;
  }

  /** On a manual clock: moves it to what is due next. Resolves with the new time, epoch ms, and what that was. */
  async advanceToNextDue(): Promise<{ readonly time: number; readonly seq: number; readonly due: readonly DueItem[] }> {
    const reply = await this.request('POST', '/clock', { toNextDue: true });
    return reply as Awaited<ReturnType<ControlClient['advanceToNextDue']>>;
  }

  /** On a real clock: from now on venue time is elapsed time × speed, 0.1 to 1,000. `acceptWall` ends it. */
  async setSpeed(speed: number): Promise<void> {
    await this.request('POST', '/clock', { speed });
  }

  /** What time brings about next. */
  async due(limit = 100): Promise<readonly DueItem[]> {
    return ((await this.request('GET', `/due?limit=${limit}`)) as { due: readonly DueItem[] }).due;
  }

  /** A page of the account's open orders, oldest first, with what each is doing and its place in the queue. */
  async openOrders(account: string, page: Page = {}, symbol?: string): Promise<OpenOrdersPage> {
    const path = `/accounts/${encodeURIComponent(account)}/orders`;
    return (await this.request('GET', `${path}?${queryOf({ ...page, symbol })}`)) as OpenOrdersPage;
  }

  /** A page of the account's open and ended orders, newest first, with how each ended. */
  async allOrders(account: string, page: Omit<PastPage, 'newest'> = {}): Promise<AllOrdersPage> {
    const path = `/accounts/${encodeURIComponent(account)}/orders/all`;
    return (await this.request('GET', `${path}?${queryOf(page)}`)) as AllOrdersPage;
  }

  /** The best levels of a book, best first. */
  async book(symbol: string, limit = 100): Promise<Book> {
    return (await this.request('GET', `/markets/${encodeURIComponent(symbol)}/book?limit=${limit}`)) as Book;
  }

  /** A page of the account's trades, oldest first, or the newest first. */
  async fills(account: string, page: PastPage = {}): Promise<FillsPage> {
    const path = `/accounts/${encodeURIComponent(account)}/fills`;
    return (await this.request('GET', `${path}?${queryOf(page)}`)) as FillsPage;
  }

  /** Places an order in the name of an account: the body of spot v4 for a pair, of futures v2.3 for a perpetual. */
  async placeAs(account: string, body: Record<string, unknown>): Promise<readonly Record<string, unknown>[]> {
    const path = `/accounts/${encodeURIComponent(account)}/orders`;
    return (await this.request('POST', path, body)) as readonly Record<string, unknown>[];
  }

  /** What prices would set off at once. Nothing is set. */
  async previewPrices(symbol: string, prices: Omit<Prices, 'feed'>): Promise<PricePreview> {
    return (await this.request('POST', '/prices?preview=true', { symbol, ...prices })) as PricePreview;
  }

  async state(): Promise<VenueState> {
    return (await this.request('GET', '/state')) as VenueState;
  }

  /** The state after the command `seq`, and a part of it. */
  async at(seq: number, query: PastQuery = {}): Promise<PastState> {
    return (await this.request('GET', `/at/${seq}?${queryOf(query)}`)) as PastState;
  }

  /** A command of the log, with a page of what it set off, in order. */
  async command(seq: number, page: Page = {}): Promise<PastCommand> {
    return (await this.request('GET', `/log/${seq}?${queryOf(page)}`)) as PastCommand;
  }

  /** Consecutive commands of the log from a seq on, at most 100, each in a sentence. */
  async commands(from: number, limit = 20): Promise<{ commands: readonly CommandLine[]; endSeq: number }> {
    const page = await this.request('GET', `/log?from=${from}&limit=${limit}`);
    return page as { commands: readonly CommandLine[]; endSeq: number };
  }

  /** The recording that the venue plays. Null: none. */
  async replay(): Promise<PlayedRecording | null> {
    return ((await this.request('GET', '/replay')) as { replay: PlayedRecording | null }).replay;
  }

  /** What came of the venue, account by account, or of one account. It takes as long as applying the log. */
  async report(account?: string): Promise<Record<string, unknown>> {
    return (await this.request('GET', `/report?${queryOf({ account })}`)) as Record<string, unknown>;
  }

  /** The same as one HTML page. */
  async reportPage(account?: string): Promise<string> {
    return (await this.request('GET', `/report.html?${queryOf({ account })}`)) as string;
  }

  async audit(): Promise<{ ok: boolean; seq: number; [field: string]: unknown }> {
    return (await this.request('GET', '/audit')) as { ok: boolean; seq: number };
  }

  /**
   * Changes terms of a market, as in its configuration. `force`: also if that puts accounts below maintenance,
   * and with fees above 0.05. Resolves with the market.
   */
  async changeMarket(symbol: string, terms: Record<string, unknown>, force = false): Promise<Record<string, unknown>> {
    const body = force ? { ...terms, force } : terms;
    return (await this.request('PATCH', `/markets/${encodeURIComponent(symbol)}`, body)) as Record<string, unknown>;
  }

  /** Ends a halted market for ever. `settlementPrice`: at which positions close, by default the mark. Resolves with the market. */
  async delistMarket(symbol: string, settlementPrice?: number | string): Promise<Record<string, unknown>> {
    const path = `/markets/${encodeURIComponent(symbol)}/delist`;
    return (await this.request('POST', path, { settlementPrice })) as Record<string, unknown>;
  }

  /**
   * Changes the fees of an account in markets (null: those of the market again), and what its client may not do
   * (`cancelOnly`, `everything`; null: nothing is forbidden). Resolves with the account.
   */
  async changeAccount(account: string, change: AccountChange): Promise<Record<string, unknown>> {
    return (await this.request('PATCH', `/accounts/${encodeURIComponent(account)}`, change)) as Record<string, unknown>;
  }

  /**
   * Replaces what the house has in the book, best first or not. It belongs to no account, and touches no limit, fee or history.
   * For a venue that was started with `house: true`.
   */
  async setBook(symbol: string, { bids = [], asks = [] }: HouseBook): Promise<void> {
    await this.request('PUT', `/markets/${encodeURIComponent(symbol)}/book`, { bids, asks });
  }

  /**
   * Prints a trade of the house, whose taker is on this side. It fills who is in the way: orders of accounts at better
   * prices, then those at its price, in their turn. The same venue.
   */
  async trade(symbol: string, side: 'BUY' | 'SELL', size: number | string, price: number | string): Promise<void> {
    await this.request('POST', `/markets/${encodeURIComponent(symbol)}/trades`, { side, size, price });
  }

  /** Until it is resumed, the market accepts cancels only. Resolves with the market. */
  async haltMarket(symbol: string): Promise<Record<string, unknown>> {
    return (await this.request('POST', `/markets/${encodeURIComponent(symbol)}/halt`)) as Record<string, unknown>;
  }

  async resumeMarket(symbol: string): Promise<Record<string, unknown>> {
    return (await this.request('POST', `/markets/${encodeURIComponent(symbol)}/resume`)) as Record<string, unknown>;
  }

  async reset(): Promise<void> {
    await this.request('POST', '/reset');
  }

  async save(name: string): Promise<void> {
    await this.request('POST', `/snapshots/${encodeURIComponent(name)}`);
  }

  async restore(name: string): Promise<void> {
    await this.request('POST', `/snapshots/${encodeURIComponent(name)}/restore`);
  }

  async armFault(fault: Fault): Promise<void> {
    await this.request('POST', '/faults', fault);
  }

  /** The armed faults, and the latest spent ones until they are cleared. */
  async faults(): Promise<FaultState[]> {
    return ((await this.request('GET', '/faults')) as { faults: FaultState[] }).faults;
  }

  async clearFaults(): Promise<void> {
    await this.request('DELETE', '/faults');
  }

  // --- what a test expects: each throws an AssertionError that says what it is instead ----------------------------------

  /** `of`: the total, what is available, or the equity, which has the unrealised result. */
  async expectBalance(
    account: string,
    currency: string,
    bound: Bound,
    of: 'total' | 'available' | 'equity' = 'total',
  ): Promise<void> {
    const { balances } = (await this.account(account)) as { balances: Record<string, Record<string, string>> };
    const balance = balances[currency];
    const value = of === 'equity' ? sumOf(balance?.total, balance?.unrealised) : balance?.[of];
    expected(`the ${of === 'equity' ? 'equity' : `${of} balance`} of ${account} in ${currency}`, value, bound);
  }

  /** In contracts, negative if it is short. */
  async expectPosition(account: string, symbol: string, bound: Bound): Promise<void> {
    const { positions } = (await this.account(account)) as {
      positions: { symbol: string; direction: string; size: number }[];
    };
    const open = positions.filter((position) => position.symbol === symbol);
    const size = open.reduce(
      (sum, position) => sum + (position.direction === 'LONG' ? position.size : -position.size),
      0,
    );
    expected(`the position of ${account} in ${symbol}`, String(size), bound);
  }

  /** How many orders an account has open, in one market or in all. */
  async expectOpenOrders(account: string, bound: Bound, symbol?: string): Promise<void> {
    const { orders } = await this.openOrders(account, { limit: 1000 }, symbol);
    const where = symbol === undefined ? '' : ` in ${symbol}`;
    expected(`the number of open orders of ${account}${where}`, String(orders.length), bound);
  }

  /** How much of an order is filled. By its id, or by a client id of an account. */
  async expectFilled(id: string, bound: Bound, client?: { account: string; symbol?: string }): Promise<void> {
    const { order } = await this.order(id, {}, client);
    expected(`the filled size of order ${id}`, String(order.filled), bound);
  }
}

function expected(what: string, actual: string | undefined, bound: Bound): void {
  const { holds, wanted } = within(actual ?? '0', bound);
  if (actual !== undefined && holds) return;
  const message = `${what} is ${actual ?? 'unknown'}, not ${wanted}`;
  throw new AssertionError({ message, actual, expected: bound, operator: 'expect' });
}

/** Of two exact decimals. Undefined: one is not known. */
function sumOf(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || b === undefined ? undefined : addDecimals(a, b);
}
