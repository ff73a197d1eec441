/**
 * The routes of the control surface, by which a test controls time, prices, accounts and faults. A route reads its
 * body, submits a command, and reports the result.
 */
import type { LedgerPage, LedgerQuery } from '../../archive/read/account-ledger.ts';
import type { OrderHistory } from '../../archive/read/history.ts';
import { PERMISSIONS, readAccountName, readAmount, readCurrencies, readPermissions } from '../../config/config.ts';
import { Field } from '../../config/field.ts';
import { readNetworks } from '../../config/gateway.ts';
import { readMarket } from '../../config/market.ts';
import { nearest } from '../../config/nearest.ts';
import type { ClockReading } from '../../engine/clock/venue-clock.ts';
import type { Command, SetPrices } from '../../venue/contract/commands.ts';
import { toUnits } from '../../venue/contract/decimal.ts';
import type { AccountView, Key, Reply, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { type Faults, isOfStreams } from '../gateway/faults.ts';
import type { MasterOfSeal } from '../gateway/keyring.ts';
import type { Routing } from '../gateway/routing.ts';
import { ApiError, malformed, refusalError, shortened } from '../shared/errors.ts';
import { marketId, unknownMarket } from '../shared/markets.ts';
import { decimalOf, finePrice, priceTicks } from '../shared/tick-conversion.ts';
import type { AccountList, KeyPlace, Page } from './account-list.ts';
import { pageFrom, placeIn, readPage, unknownCursor } from './paging.ts';
import { refuseProblems } from './problems.ts';
import { type ControlTokens, MOST_TOKENS, SCOPES, type Scope } from './tokens.ts';
import {
  accountView,
  auditView,
  balancesView,
  clockView,
  deficitView,
  historyView,
  keyView,
  marketView,
} from './views.ts';

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
  /** Ends the connections of all streams, or of those at one path. */
  closeStreams(path?: string): void;
  submit(command: Command): Promise<Reply>;
  /**
   * Moves a manual clock. Synthetic traders act on the way. Moves run one at a time: `target` is called for the time
   * when the earlier moves are done.
   */
  advance(target: () => number): Promise<Reply>;
  /** The real clock compared with the machine's. Null on a manual clock. */
  readonly clock: ClockReading | null;
  /** Accepts the machine's clock as it is. Timers that are due by then fire. Real clock only. */
  acceptWall(): Promise<Reply>;
  /** SHA-256 over the venue's canonical bytes, lower-case hex. */
  stateHash(): string;
  /** Creates an API key. */
  newKey(): { readonly key: string; readonly secret: string };
  seal(secret: string): string;
  /** Which master key sealed a secret. */
  masterOf(sealed: string): MasterOfSeal;
  /** Why `venue` must not be read now. */
  readonly unreadable?: Error | undefined;
  /** An order with its whole history, by order key. Undefined if there is no such order. */
  orderHistory(key: number): Promise<OrderHistory | undefined>;
  /** A page of an account's ledger. */
  ledger(query: LedgerQuery): Promise<LedgerPage>;
  readonly tokens: ControlTokens;
  /** Accounts and keys in pages. */
  readonly accountList: AccountList;
  /** The highest nonce that was accepted of a key: epoch ms on its client's clock. Null: none is known. */
  lastUsedMs(key: string): number | null;
  /** The first seq that order histories reach back to: 1, unless the history before is lost. */
  readonly knownFromSeq: number;
  /** Writes a snapshot into the data folder. Null: there is no data folder. */
  snapshot(): Promise<{ readonly seq: number; readonly file: string }> | null;
  /** The results of the background checks, for /health. */
  checks(): object;
  /** Empty if the venue is ready. */
  notReadyBecause(): readonly string[];
  metrics(): Promise<string>;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below /control/v1; {names} become the handler's further arguments. */
  readonly path: string;
  /** The least that a token must have. */
  readonly scope: Scope;
  readonly summary: string;
  /** `body`: of a GET the query, whose values are text. */
  handle(context: ControlContext, body: Field, ...params: string[]): Promise<object | string | Unready>;
}

/** An answer with 503 that is not an error of the request. */
export class Unready {
  readonly body: object;
  constructor(body: object) {
    this.body = body;
  }
}

const MAX_FAULT_LATENCY_MS = 600_000;
const MAX_FAULT_PATH = 200;
/** How many are armed at a time. One with `times` affects many requests. */
const MOST_FAULTS = 1000;

export const ROUTES: readonly ControlRoute[] = [
  { method: 'POST', path: '/accounts', scope: 'admin', summary: 'Create an account', handle: createAccount },
  { method: 'GET', path: '/accounts', scope: 'read', summary: 'All accounts', handle: listAccounts },
  {
    method: 'GET',
    path: '/accounts/{account}',
    scope: 'read',
    summary: 'Balances, positions, open orders',
    handle: showAccount,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/ledger',
    scope: 'read',
    summary: 'What moved the money of an account',
    handle: showLedger,
  },
  { method: 'POST', path: '/accounts/{account}/keys', scope: 'admin', summary: 'Create an API key', handle: createKey },
  {
    method: 'GET',
    path: '/accounts/{account}/keys',
    scope: 'read',
    summary: 'The API keys of an account',
    handle: listAccountKeys,
  },
  { method: 'GET', path: '/keys', scope: 'read', summary: 'All API keys, without secrets', handle: listKeys },
  {
    method: 'POST',
    path: '/accounts/{account}/deposits',
    scope: 'admin',
    summary: 'Deposit or withdraw',
    handle: deposit,
  },
  { method: 'DELETE', path: '/keys/{key}', scope: 'admin', summary: 'Revoke an API key', handle: revokeKey },
  {
    method: 'POST',
    path: '/prices',
    scope: 'test',
    summary: 'Set index, mark and last of a market',
    handle: setPrices,
  },
  {
    method: 'POST',
    path: '/clock',
    scope: 'test',
    summary: 'Move a manual clock, or take the machine’s',
    handle: moveClock,
  },
  { method: 'GET', path: '/state', scope: 'read', summary: 'Sequence, time and state hash', handle: showState },
  {
    method: 'GET',
    path: '/audit',
    scope: 'read',
    summary: 'The ledger audit',
    handle: async ({ venue }) => auditView(venue.audit()),
  },
  { method: 'GET', path: '/markets', scope: 'read', summary: 'All markets', handle: listMarkets },
  { method: 'POST', path: '/markets', scope: 'admin', summary: 'Add a market', handle: addMarket },
  {
    method: 'POST',
    path: '/markets/{symbol}/halt',
    scope: 'admin',
    summary: 'Take cancels only',
    handle: haltMarket('haltMarket'),
  },
  {
    method: 'POST',
    path: '/markets/{symbol}/resume',
    scope: 'admin',
    summary: 'Trade again',
    handle: haltMarket('resumeMarket'),
  },
  { method: 'POST', path: '/reset', scope: 'test', summary: 'Back to the configured beginning', handle: reset },
  {
    method: 'POST',
    path: '/snapshots/{name}',
    scope: 'test',
    summary: 'Save the state under a name',
    handle: saveSnapshot,
  },
  {
    method: 'POST',
    path: '/snapshots/{name}/restore',
    scope: 'test',
    summary: 'Return to a saved state',
    handle: restoreSnapshot,
  },
  { method: 'POST', path: '/faults', scope: 'test', summary: 'Arm a fault at the gateway', handle: armFault },
  { method: 'GET', path: '/faults', scope: 'read', summary: 'What is armed, and how often it hit', handle: listFaults },
  { method: 'DELETE', path: '/faults', scope: 'test', summary: 'Clear all faults', handle: clearFaults },
  { method: 'GET', path: '/health', scope: 'read', summary: 'Liveness and readiness', handle: showHealth },
  {
    method: 'GET',
    path: '/metrics',
    scope: 'read',
    summary: 'Prometheus text',
    handle: (context) => context.metrics(),
  },
  {
    method: 'GET',
    path: '/orders/{orderId}',
    scope: 'read',
    summary: 'An order with its whole history',
    handle: showOrder,
  },
  {
    method: 'POST',
    path: '/snapshot',
    scope: 'test',
    summary: 'Write a snapshot into the data folder',
    handle: takeSnapshot,
  },
  {
    method: 'GET',
    path: '/tokens',
    scope: 'read',
    summary: 'The control tokens, without themselves',
    handle: listTokens,
  },
  { method: 'POST', path: '/tokens', scope: 'admin', summary: 'Create a control token', handle: createToken },
  { method: 'DELETE', path: '/tokens/{name}', scope: 'admin', summary: 'Revoke a control token', handle: revokeToken },
];

async function submit(context: ControlContext, command: Command): Promise<Reply> {
  return accepted(context, await context.submit(command));
}

function accepted(context: ControlContext, reply: Reply): Reply {
  if (reply.refusal !== null) throw refusalError(context.venue, reply);
  return reply;
}

/** How many accounts are searched for a name like an unknown one. */
const MOST_COMPARED = 1000;

function find({ venue, accountList }: ControlContext, name: string): AccountView {
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

/** By the symbol of the configuration, or by the id of the markets API. */
function findMarket(venue: Venue, symbol: string): MarketView {
  const market = venue.marketBySymbol(symbol) ?? venue.markets.find((each) => marketId(each) === symbol);
  if (market === undefined) throw unknownMarket(venue, symbol, null);
  return market;
}

// ---- accounts and keys ----

async function createAccount(context: ControlContext, body: Field): Promise<object> {
  const name = readAccountName(body.object(['name']).at('name'));
  refuseProblems(body);
  await submit(context, { v: 1, type: 'createAccount', name });
  return { account: name };
}

async function showAccount(context: ControlContext, _body: Field, name: string): Promise<object> {
  return accountView(context.venue, find(context, name).index);
}

const ENTRY_ID = /^([0-9]{1,15})\.([0-9])$/;

/** Oldest first. The id of the last entry continues later, when there are new ones. */
async function showLedger(context: ControlContext, query: Field, name: string): Promise<object> {
  const { limit, after } = readPage(query);
  const [id, n, part] = ENTRY_ID.exec(after ?? '') ?? [];
  if (after !== null && id === undefined) throw unknownCursor(after);
  find(context, name);
  const from = after === null ? null : { n: Number(n), part: Number(part) };
  const { entries, more } = await context.ledger({ account: name, after: from, limit });
  const { knownFromSeq } = context;
  return {
    entries,
    ...(more && { next: entries[entries.length - 1].id }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
  };
}

async function createKey(context: ControlContext, body: Field, name: string): Promise<object> {
  body.object(['permissions', 'ipAllow', 'expiresAt']);
  const permissions = readPermissions(body.at('permissions'));
  if (permissions.length === 0) body.at('permissions').problem(`must name at least one of ${PERMISSIONS.join(', ')}`);
  const ipAllow = readNetworks(body.at('ipAllow'));
  const expiresAtMs = readExpiry(body.at('expiresAt'));
  refuseProblems(body);
  const account = find(context, name).index;
  const { key, secret } = context.newKey();
  const sealed = context.seal(secret);
  await submit(context, { v: 1, type: 'addKey', account, key, sealed, permissions, ipAllow, expiresAtMs });
  return { key, secret };
}

function readExpiry(field: Field): number | null {
  return field.given && field.value !== null ? field.time() : null;
}

/** In the order in which they were added. New accounts follow the name of the last one. */
async function listAccounts({ venue, accountList }: ControlContext, query: Field): Promise<object> {
  const { limit, after } = readPage(query);
  const last = placeIn(after, (name) => venue.accountByName(name)?.index);
  const { rows, more } = accountList.accountsAfter(last, limit);
  const accounts = rows.map((index) => ({ account: nameOf(venue, index), keys: accountList.keyCount(index) }));
  return { accounts, ...(more && { next: accounts[accounts.length - 1].account }) };
}

function nameOf(venue: Venue, account: number): string {
  return (venue.account(account) as AccountView).name;
}

/** By account, and by name within an account. */
async function listKeys(context: ControlContext, query: Field): Promise<object> {
  const { limit, after } = readPage(query);
  const place = placeIn(after, (cursor) => keyPlace(context.venue, cursor));
  return keysPage(context, context.accountList.keysAfter(place, limit));
}

async function listAccountKeys(context: ControlContext, query: Field, name: string): Promise<object> {
  const { limit, after } = readPage(query);
  const { index } = find(context, name);
  const place = placeIn(after, (cursor) => {
    const found = keyPlace(context.venue, cursor);
    return found?.account === index ? found : undefined;
  });
  return keysPage(context, context.accountList.keysOfAccount(index, place, limit));
}

/** A cursor is ACCOUNT/KEY. The key may be revoked. */
function keyPlace(venue: Venue, cursor: string): KeyPlace | undefined {
  const cut = cursor.indexOf('/');
  const account = cut < 0 ? undefined : venue.accountByName(cursor.slice(0, cut));
  return account && { account: account.index, key: cursor.slice(cut + 1) };
}

function keysPage({ venue, lastUsedMs, masterOf }: ControlContext, { rows, more }: Page<string>): object {
  const keys = rows.map((name) => {
    const key = venue.key(name) as Key;
    const account = nameOf(venue, key.account);
    return { ...keyView(key, account, lastUsedMs(name)), masterKey: masterOf(key.sealed) };
  });
  const last = keys.at(-1);
  return { keys, ...(more && { next: `${last?.account}/${last?.key}` }) };
}

async function revokeKey(context: ControlContext, _body: Field, key: string): Promise<object> {
  await submit(context, { v: 1, type: 'revokeKey', key });
  return {};
}

async function deposit(context: ControlContext, body: Field, name: string): Promise<object> {
  body.object(['currency', 'amount']);
  const code = body.at('currency').text(16);
  const amount = body.at('amount').decimal();
  if (body.problems.length === 0 && amount === '0') body.at('amount').problem('must not be 0');
  refuseProblems(body);
  const account = find(context, name).index;
  const currency = context.venue.currencies.find((each) => each.code === code);
  if (currency === undefined) throw new ApiError('unknownCurrency', { field: 'currency', currency: code });
  readAmount(body.at('amount'), currency.decimals, {});
  refuseProblems(body);
  // readAmount has checked that the amount has no more decimals than its currency.
  const units = toUnits(decimalOf(amount), currency.decimals)!;
  await submit(context, { v: 1, type: 'deposit', account, currency: code, amount: units.toString() });
  return { balances: balancesView(context.venue, account) };
}

// ---- control tokens ----

async function listTokens({ tokens }: ControlContext, query: Field): Promise<object> {
  query.object([]);
  refuseProblems(query);
  return { tokens: tokens.list.map(({ name, scope, createdMs }) => ({ name, scope, createdMs })) };
}

async function createToken({ tokens }: ControlContext, body: Field): Promise<object> {
  body.object(['name', 'scope']);
  const name = readAccountName(body.at('name'));
  const scope = body.at('scope').oneOf(SCOPES);
  refuseProblems(body);
  if (tokens.has(name)) throw new ApiError('tokenExists', { name });
  if (tokens.isFull) throw new ApiError('tooManyTokens', { maximum: MOST_TOKENS });
  return { name, scope, token: tokens.create(name, scope) };
}

async function revokeToken({ tokens }: ControlContext, _body: Field, name: string): Promise<object> {
  if (!tokens.revoke(name)) throw new ApiError('unknownToken', { name: shortened(name) });
  return {};
}

// ---- prices and time ----

async function setPrices(context: ControlContext, body: Field): Promise<object> {
  body.object(['symbol', 'index', 'mark', 'last', 'feed']);
  const symbol = body.at('symbol').text();
  const prices = ['index', 'mark', 'last'] as const;
  if (!prices.some((name) => body.at(name).given)) body.problem('must set at least one of index, mark and last');
  const feed = body.at('feed').flag();
  if (feed && (body.at('mark').given || body.at('last').given)) body.at('feed').problem('sets the index only');
  const [index, mark, last] = prices.map((name) => {
    const price = body.at(name);
    if (!price.given) return undefined;
    return name === 'mark' && price.value === null ? null : price.decimal({ above: '0' });
  });
  refuseProblems(body);
  const market = findMarket(context.venue, symbol);
  const fine = (name: string, text: string) => finePrice(market, name, decimalOf(text));
  const command: SetPrices = {
    v: 1,
    type: 'setPrices',
    market: market.index,
    ...(typeof index === 'string' && { index: fine('index', index) }),
    ...(mark !== undefined && { mark: mark === null ? null : fine('mark', mark) }),
    ...(typeof last === 'string' && { last: priceTicks(market, 'last', decimalOf(last)) }),
    byHand: !feed,
  };
  return { seq: (await submit(context, command)).seq };
}

function requireManualClock({ venue }: ControlContext, what: string): void {
  if (venue.genesis?.clock === 'manual') return;
  throw new ApiError('manualClockOnly', { what });
}

async function moveClock(context: ControlContext, body: Field): Promise<object> {
  if (body.at('acceptWall').given) return acceptWall(context, body);
  requireManualClock(context, 'moving the clock');
  body.object(['advance', 'to', 'acceptWall']);
  const [advance, to] = [body.at('advance'), body.at('to')];
  if (advance.given === to.given) body.problem('must have either advance (how long) or to (until when)');
  const ms = advance.given ? advance.duration() : to.given ? to.time() : 0;
  refuseProblems(body);
  const target = () => {
    const toMs = advance.given ? context.venue.timeMs + ms : ms;
    if (!Number.isSafeInteger(toMs)) throw malformed('advance', 'is too large', 'give fewer milliseconds');
    return toMs;
  };
  const reply = accepted(context, await context.advance(target));
  return { time: reply.timeMs, seq: reply.seq };
}

/** An advance of more than a year at once is a mistake. */
const FARTHEST_WALL_MS = 366 * 24 * 3_600_000;

async function acceptWall(context: ControlContext, body: Field): Promise<object> {
  if (context.clock === null) throw new ApiError('realClockOnly', { what: 'acceptWall' });
  body.object(['acceptWall']);
  if (!body.at('acceptWall').flag()) body.at('acceptWall').problem('must be true');
  refuseProblems(body);
  const { timeMs, offsetMs } = context.clock;
  if (offsetMs > FARTHEST_WALL_MS) {
    throw new ApiError('timeTooFar', { to: timeMs + offsetMs, now: timeMs, maximum: FARTHEST_WALL_MS });
  }
  const reply = accepted(context, await context.acceptWall());
  return { time: reply.timeMs, seq: reply.seq, clock: clockView(context.clock) };
}

async function showState(context: ControlContext): Promise<object> {
  const { seq, timeMs } = context.venue;
  return { seq, time: timeMs, epoch: context.epoch, hash: context.stateHash(), ...context.venue.counts() };
}

// ---- markets ----

/** In the order in which they were added. The symbol of the last one continues later, when there are new ones. */
async function listMarkets({ venue }: ControlContext, query: Field): Promise<object> {
  const { limit, after } = readPage(query);
  const last = placeIn(after, (symbol) => venue.marketBySymbol(symbol)?.index) ?? -1;
  const { rows, more } = pageFrom(venue.markets, last + 1, limit);
  return { markets: rows.map(marketView), ...(more && { next: rows[rows.length - 1].symbol }) };
}

async function addMarket(context: ControlContext, body: Field): Promise<object> {
  const known = Object.fromEntries(context.venue.currencies.map(({ code, decimals }) => [code, { decimals }]));
  const currencies = readCurrencies(body.at('currencies'));
  const market = readMarket(body, { ...currencies, ...known }, ['currencies']);
  refuseProblems(body);
  await submit(context, { v: 1, type: 'listMarket', market, currencies });
  return marketView(context.venue.marketBySymbol(market.symbol)!);
}

/** Halting a halted market, or resuming an active one, changes nothing. */
function haltMarket(type: 'haltMarket' | 'resumeMarket') {
  return async (context: ControlContext, _body: Field, symbol: string): Promise<object> => {
    const { index } = findMarket(context.venue, symbol);
    await submit(context, { v: 1, type, market: index });
    return marketView(context.venue.markets[index]);
  };
}

// ---- whole states ----

async function reset(context: ControlContext): Promise<object> {
  const reply = await submit(context, { v: 1, type: 'reset' });
  return { time: reply.timeMs, seq: reply.seq };
}

async function takeSnapshot(context: ControlContext): Promise<object> {
  const written = context.snapshot();
  if (written === null) throw new ApiError('notAvailable', { what: 'this venue is in memory: it has no data folder' });
  const { seq, file } = await written;
  return { seq, file };
}

const EVENTS_READ = /^[0-9]{1,15}$/;

/** Events are only ever added, so how many were read continues later, when there are new ones. */
async function showOrder(context: ControlContext, query: Field, orderId: string): Promise<object> {
  const { limit, after } = readPage(query);
  if (after !== null && !EVENTS_READ.test(after)) throw unknownCursor(after);
  const key = context.venue.orderIds.decode(orderId);
  const found = key < 0 ? undefined : await context.orderHistory(key);
  const { knownFromSeq } = context;
  const since = knownFromSeq === 1 ? '' : ` in the known history, which begins at seq ${knownFromSeq}`;
  if (found === undefined) throw new ApiError('notFound', { what: `order ${shortened(orderId)}${since}` });
  const first = Number(after ?? 0);
  const { rows, more } = pageFrom(found.events, first, limit);
  return {
    ...historyView({ order: found.order, events: rows }),
    ...(more && { next: String(first + rows.length) }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
  };
}

/** Names are used in paths and appear in errors, so they are short and plain. */
function snapshotName(name: string): string {
  const field = new Field(name, 'name');
  readAccountName(field);
  refuseProblems(field);
  return name;
}

async function saveSnapshot(context: ControlContext, _body: Field, given: string): Promise<object> {
  requireManualClock(context, 'a named snapshot');
  const name = snapshotName(given);
  const reply = await submit(context, { v: 1, type: 'saveSnapshot', name });
  return { name, time: reply.timeMs, seq: reply.seq };
}

async function restoreSnapshot(context: ControlContext, _body: Field, given: string): Promise<object> {
  requireManualClock(context, 'a named snapshot');
  const name = snapshotName(given);
  const reply = await submit(context, { v: 1, type: 'restoreSnapshot', name });
  return { name, time: reply.timeMs, seq: reply.seq };
}

// ---- faults and health ----

async function armFault(context: ControlContext, body: Field): Promise<object> {
  body.object([
    ...['match', 'latencyMs', 'status', 'dropReply', 'times'],
    ...['closeStreams', 'streamLatencyMs', 'dropFrames', 'gapBook'],
  ]);
  const match = body.at('match');
  if (match.given) match.object(['method', 'path']);
  const method = match.at('method').given ? match.at('method').oneOf(['GET', 'POST', 'PUT', 'DELETE']) : undefined;
  const path = match.at('path').given
    ? match.at('path').matching(/^\/[^?#\s]*$/, 'an exact path without query', MAX_FAULT_PATH)
    : undefined;
  const latencyMs = body.at('latencyMs').given ? body.at('latencyMs').integer(0, MAX_FAULT_LATENCY_MS) : undefined;
  const status = body.at('status').given ? body.at('status').integer(400, 599) : undefined;
  const dropReply = body.at('dropReply').flag();
  const closeStreams = body.at('closeStreams').flag();
  const streamLatencyMs = body.at('streamLatencyMs').given
    ? body.at('streamLatencyMs').integer(0, MAX_FAULT_LATENCY_MS)
    : undefined;
  const [dropFrames, gapBook] = [body.at('dropFrames').flag() || undefined, body.at('gapBook').flag() || undefined];
  const times = body.at('times').integer(1, Number.MAX_SAFE_INTEGER, 1);
  const ofRequests = latencyMs !== undefined || status !== undefined || dropReply;
  const ofStreams = { streamLatencyMs, dropFrames, gapBook };
  const isOfFrames = isOfStreams(ofStreams);
  if (ofRequests && (isOfFrames || closeStreams)) {
    body.problem(
      'mixes faults of requests (latencyMs, status, dropReply) with faults of streams (closeStreams, streamLatencyMs, ' +
        'dropFrames, gapBook): arm two faults',
    );
  }
  if (!ofRequests && !isOfFrames && !closeStreams) {
    body.problem(
      'must say what to do: latencyMs, status, dropReply, or closeStreams, streamLatencyMs, dropFrames, gapBook for streams',
    );
  }
  if (ofRequests) refuseUnserved(context, match, method, path);
  else refuseNoStream(context, match, path, gapBook === true);
  if (context.faults.count >= MOST_FAULTS)
    body.problem(`is one fault too many: ${MOST_FAULTS} are armed; clear them first`);
  refuseProblems(body);
  if (closeStreams) context.closeStreams(path);
  if (ofRequests || isOfFrames) {
    context.faults.arm({ match: { method, path }, latencyMs, status, dropReply, closeStreams, ...ofStreams, times });
  }
  return { armed: context.faults.count };
}

/** A fault that no request can match would let a test pass that tested nothing. */
function refuseUnserved(
  { routing, streamPaths }: ControlContext,
  match: Field,
  method: string | undefined,
  path: string | undefined,
): void {
  if (!path) return;
  if (streamPaths.includes(path)) {
    match.at('path').problem('is of streams: use streamLatencyMs instead of latencyMs, or closeStreams or dropFrames');
    return;
  }
  const place = routing.find(path);
  if (place === undefined) match.at('path').problem(`has no route${routing.hint(path)}`);
  else if (method !== undefined && !place.methods.has(method)) {
    match
      .at('method')
      .problem(`${method} has no route at ${path}, which takes ${[...place.methods.keys()].join(', ')}`);
  }
}

/** The same for a path without streams. */
function refuseNoStream(
  { streamPaths, bookPaths }: ControlContext,
  match: Field,
  path: string | undefined,
  isOfBooks: boolean,
): void {
  if (match.at('method').given) match.at('method').problem('applies to requests only: leave it out for streams');
  if (path !== undefined && !streamPaths.includes(path)) {
    match.at('path').problem(`has no streams; there are ${streamPaths.join(', ')}`);
  } else if (isOfBooks && path !== undefined && !bookPaths.includes(path)) {
    match.at('path').problem(`has no books; gapBook is for ${bookPaths.join(', ')}`);
  }
}

async function listFaults({ faults }: ControlContext): Promise<object> {
  return { faults: faults.states.map(({ fault, hits, left }) => ({ ...fault, hits, left })) };
}

async function clearFaults(context: ControlContext): Promise<object> {
  context.faults.clear();
  return { armed: 0 };
}

function healthOf({ venue, clock, checks }: ControlContext): object {
  return { ...deficitView(venue), ...(clock !== null && { clock: clockView(clock) }), ...checks() };
}

async function showHealth(context: ControlContext): Promise<object> {
  const reasons = context.notReadyBecause();
  const body = { live: true, ready: reasons.length === 0, reasons, ...healthOf(context) };
  return reasons.length === 0 ? body : new Unready(body);
}
