/**
 * All errors of the interface in one table: our reason, and for each envelope its code, its HTTP status and its text. A
 * new reason of the venue does not compile without a row here, and then appears on every surface.
 *
 * Envelope A is for futures, B for spot, markets and wallet. The control surface has its own form, with the statuses
 * and texts of the same rows.
 */

import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Ending, EndReason, Params, RefusalReason } from '../../venue/contract/reasons.ts';
import type { Reply, Venue } from '../../venue/venue.ts';
import { orderState } from './order-state.ts';

export type Envelope = 'A' | 'B';

/** Refusals of the gateway. The venue does not know these reasons. */
export type GatewayReason =
  | 'malformed' // field, problem (with what would be right)
  | 'badJson' // problem
  | 'credentialMissing' // credential, with the words 'the header' if it is one
  | 'credentialMalformed' // credential, expected
  | 'credentialsAmbiguous' // problem
  | 'authenticationFailed'
  | 'keyExpired'
  | 'nonceOutsideWindow' // offMs, windowMs
  | 'nonceBeforeStart' // beforeMs
  | 'nonceReplayed' // offMs
  | 'nonceSpent' // nonce, floor
  | 'signatureReused' // method, path
  | 'addressNotAllowed' // address
  | 'forwardedForUnknown' // entry
  | 'permissionMissing' // permission
  | 'tooManyBadSignatures' // seconds
  | 'tooManyRefused' // seconds
  | 'rateLimited' // most, what, seconds
  | 'tooManyStreams' // most
  | 'otherOrigin' // origin
  | 'upgradeRequired'
  | 'pathNotFound' // path, hint
  | 'notOffered' // what, instead
  | 'methodNotAllowed' // method, allowed
  | 'notHttp'
  | 'headersTooLarge'
  | 'requestTimeout' // seconds
  | 'bodyTooLarge' // maximum
  | 'bodyEncoded' // encoding
  | 'bodyNotJson' // contentType
  | 'bodyNotTaken' // method
  | 'expectationUnknown' // expect
  | 'transferEncodingUnknown' // encoding
  | 'hostNotOnce' // count
  | 'busy' // problem
  | 'readOnly' // problem
  | 'notLeading' // leader
  | 'behind' // seq, wanted
  | 'stateReplaced' // problem
  | 'stopped' // problem
  | 'noRoom' // problem
  | 'commandFailed'
  | 'priceOffTick' // field, price, below, above
  | 'sizeOffStep' // field, size, below, above
  | 'tooManyCandles' // maximum
  | 'assetMissing'
  | 'noPosition' // symbol
  | 'settlementFixed' // symbol, currency, settles
  | 'faultInjected' // status
  | 'maintenance'
  | 'internal'
  // Only on the control surface:
  | 'unauthorized'
  | 'linkSpent'
  | 'misdirected' // host
  | 'otherPage' // what
  | 'scopeMissing' // what, needed, who, scope
  | 'feeUnusual' // field, rate, percent (the rate in percent), asPercent (the rate if percent was meant), maximum
  | 'tokenExists' // name
  | 'unknownToken' // name
  | 'tooManyTokens' // maximum
  | 'logNotMoved' // problem
  | 'pastUnavailable' // what, problem
  | 'superseded'
  | 'notFound' // what
  | 'notAvailable' // what
  | 'manualClockOnly' // what
  | 'realClockOnly'; // what

export type Reason = RefusalReason | GatewayReason;

interface Row {
  readonly status: number;
  /** errorCode of envelope A, code of envelope B. */
  readonly A: number;
  readonly B: number;
  /** {name} is replaced by a value. There is one text per envelope where clients know BTSE's own words. */
  readonly text: string | { readonly A: string; readonly B: string };
  /** HTTP status on the control surface, if it differs. */
  readonly control?: number;
  /** Never sent to clients of the trading surfaces. */
  readonly controlOnly?: true;
}

function row(status: number, A: number, B: number, text: Row['text'], control?: number): Row {
  return control === undefined ? { status, A, B, text } : { status, A, B, text, control };
}

function controlRow(status: number, text: string): Row {
  return { status, A: status, B: status, text, controlOnly: true };
}

const FAILED = { A: 'Authenticate failed', B: 'Authentication Failed' };
function authentication(rest: string): Row {
  return row(401, -7, 10002, { A: `${FAILED.A}${rest}`, B: `${FAILED.B}${rest}` });
}

export const ERRORS: Readonly<Record<Reason, Row>> = {
  malformed: row(400, -2, 400, '{field} {problem}'),
  badJson: row(400, -2, 400, 'the body {problem}: send one JSON object in UTF-8'),
  credentialMissing: authentication(': {credential} is missing'),
  credentialMalformed: authentication(': {credential} must be {expected}'),
  credentialsAmbiguous: authentication(': {problem}'),
  authenticationFailed: authentication(''),
  keyExpired: authentication(': the key has expired'),
  nonceOutsideWindow: row(
    401,
    401,
    401,
    'Invalid nonce: it is {offMs} ms away from the clock of the venue, at most {windowMs} ms are allowed',
  ),
  nonceBeforeStart: row(
    401,
    401,
    401,
    'Invalid nonce: it is {beforeMs} ms older than the start of this venue, its take-over, or the last jump of its clock',
  ),
  nonceReplayed: row(
    401,
    401,
    401,
    'Invalid nonce: this request was already received; its nonce is {offMs} ms away from the clock of the venue',
  ),
  nonceSpent: row(
    401,
    401,
    401,
    'Invalid nonce: {nonce} is too old, this key has used nonces up to {floor}: send the current time in milliseconds',
  ),
  signatureReused: row(
    401,
    401,
    401,
    'Invalid nonce: this signature was already used with another method or path than {method} {path}: give each request its own nonce',
  ),
  addressNotAllowed: row(403, -7, 10002, 'the address {address} is not in the list of addresses of this key'),
  forwardedForUnknown: row(
    400,
    -2,
    400,
    'X-Forwarded-For of a trusted proxy contains {entry}, which is not an IP address: the proxy must append the address of its client',
  ),
  permissionMissing: row(403, -7, 10002, 'the key lacks the permission {permission}'),
  tooManyBadSignatures: row(
    429,
    303,
    303,
    'Rate limit exceeded: too many bad signatures from this address, try again in {seconds} s',
  ),
  tooManyRefused: row(
    429,
    303,
    303,
    'Rate limit exceeded: too many commands of this account were refused, try again in {seconds} s; cancels are still accepted',
  ),
  rateLimited: row(429, 303, 303, 'Rate limit exceeded: more than {most} {what}, try again in {seconds} s'),
  tooManyStreams: row(
    429,
    303,
    303,
    'Rate limit exceeded: this address has {most} streams open, as many as are allowed: close one first',
  ),
  otherOrigin: row(
    403,
    -7,
    10002,
    'streams are not for web pages of other origins, such as {origin}: serve the page and the venue at one address, through a proxy',
  ),
  upgradeRequired: row(426, 426, 426, 'this is the path of a stream: open it with a WebSocket handshake'),
  pathNotFound: row(404, 404, 404, 'no route at {path}{hint}'),
  notOffered: row(400, 17, 17, 'this venue has no {what}: {instead}'),
  methodNotAllowed: row(405, 405, 405, '{method} is not allowed here: use {allowed}'),
  notHttp: row(400, -2, 400, 'not a valid HTTP/1.1 request'),
  headersTooLarge: row(431, 431, 431, 'the headers are larger than 16 KB'),
  requestTimeout: row(408, 408, 408, 'the request was not complete within {seconds} s'),
  bodyTooLarge: row(413, 413, 413, 'the body is larger than {maximum} bytes'),
  bodyEncoded: row(415, 415, 415, 'content-encoding {encoding} is not supported: send the body without encoding'),
  bodyNotJson: row(415, 415, 415, 'content-type {contentType} is not supported: send application/json'),
  bodyNotTaken: row(400, -2, 400, '{method} takes its parameters in the query here: send no body'),
  expectationUnknown: row(417, 417, 417, 'expect {expect} is not supported: leave it out'),
  transferEncodingUnknown: row(
    501,
    501,
    501,
    'transfer-encoding {encoding} is not supported: send chunked, or a content-length',
  ),
  hostNotOnce: row(400, -2, 400, 'an HTTP/1.1 request needs exactly one Host header, this one has {count}'),
  busy: row(503, -11, -11, 'the venue is busy: {problem}'),
  readOnly: row(503, -11, -11, 'the venue accepts no commands: {problem}; it tries again every second'),
  notLeading: row(503, -11, -11, 'this is a standby, which changes nothing: the leader is {leader}', 409),
  behind: row(503, -11, -11, 'this venue is at seq {seq}, and atLeastSeq is {wanted}: try again later'),
  stateReplaced: row(503, -11, -11, '{problem}'),
  stopped: row(503, -11, -11, '{problem}; look the order up before you send it again'),
  noRoom: row(507, -11, -11, 'the disk of the venue is full: {problem}'),
  commandFailed: row(500, -1, -1, 'the venue failed on this request: the request was rejected and had no effect'),
  priceOffTick: row(400, 302, 302, '{field} {price} is off the tick: the nearest are {below} and {above}'),
  sizeOffStep: row(400, 301, 301, '{field} {size} is off the step: the nearest are {below} and {above}'),
  tooManyCandles: row(
    400,
    10010004,
    10010004,
    'resolution too small for the requested time range. Records returned exceeds {maximum}',
  ),
  assetMissing: row(400, -2, 11000001, 'asset is missing: the history of the spot wallet is that of one currency'),
  faultInjected: row(500, -1, -1, 'this fault was armed on the control surface'),
  // BTSE documents no answer for it. This is what ccxt's authors saw while its system was down.
  maintenance: row(503, -11, -11, 'System error'),
  internal: row(500, -1, -1, 'internal error; it has been logged'),

  insufficientFunds: row(400, 33199101, 51523, 'not enough {currency}: {needed} needed, {available} available'),
  reduceOnlyWithoutPosition: row(
    400,
    33199120,
    33199120,
    'a reduce-only {side} has nothing to reduce on {symbol}: the position is {position}',
  ),
  priceOutsideBand: row(
    400,
    33001003,
    33001003,
    'cannot {side} {symbol} at {price}: the price band around {reference} ends at {limit}',
  ),
  beyondBankruptcy: row(
    400,
    101,
    101,
    'a {side} on {symbol} at {price} would close the position beyond its bankruptcy price: the limit is {limit}',
  ),
  noMark: row(400, 33001003, 33001003, '{symbol} has no mark yet: it accepts orders once it has an index'),
  staleIndex: row(
    400,
    33001003,
    33001003,
    'stale index: the feed of {symbol} has stopped; until it resumes, orders may only reduce a position',
  ),
  triggerLimitDistance: row(
    400,
    33001001,
    33001001,
    'the distance between trigger price {trigger} and limit price {price} on {symbol} cannot exceed {maxPercent} %',
  ),
  sizeAboveMaximum: row(400, 4051, 4003, '{field} {size} is above the maximum of {maximum}'),
  sizeBelowMinimum: row(400, 301, 301, '{field} {size} is below the minimum of {minimum}'),
  exposureAboveMaximum: row(
    400,
    4051,
    4003,
    'the position and orders on {symbol} would be worth {exposure} {currency}, at most {maximum} {currency} are allowed',
  ),
  sizeUnfit: row(400, 301, 301, '{field} {problem}: {expected}'),
  spotOnly: row(400, 301, 301, '{symbol} is a perpetual: {kind} orders are for spot markets'),
  priceBelowMinimum: row(400, 302, 302, '{field} {price} is below the minimum of {minimum}'),
  priceAboveMaximum: row(400, 302, 302, '{field} {price} is above the maximum of {maximum}'),
  priceOnWrongSide: row(400, 302, 302, '{field} {price} is on the wrong side: it must be {expected} {reference}'),
  noReferencePrice: row(400, 302, 302, '{symbol} has no {reference} price yet, which this order needs'),
  noReferenceForSize: row(400, 301, 301, '{symbol} has no {reference} price yet, which is needed to check the size'),
  tooManyOpenOrders: row(400, 304, 304, 'an account can have at most {maximum} open orders on {symbol}'),
  settlementFixed: row(400, 11, 11, '{symbol} settles in {settles}, not in {currency}: use {settles}'),
  noPosition: row(400, 33199120, 33199120, 'there is no open position on {symbol}'),
  positionModeMismatch: row(
    400,
    133,
    133,
    'position mode {positionMode} on {symbol}: the mode is {current}, and can change only without positions and orders there',
  ),
  positionModeUnchangeable: row(
    400,
    134,
    134,
    'the position mode of {symbol} is {current}: it can change only without positions and orders, and there are {positions} positions and {orders} orders',
  ),
  tooManyPositions: row(
    400,
    304,
    304,
    'at most {maximum} isolated positions are allowed on {symbol}, including orders that would open one',
  ),
  unknownPosition: row(400, 135, 135, 'there is no position {position} on {symbol}'),
  leverageOutOfRange: row(400, 13, 13, 'leverage {leverage} on {symbol} is out of range: {minimum} to {maximum}'),
  unknownRiskLevel: row(400, 41, 41, 'there is no risk limit level {level} on {symbol}: the levels are {levels}'),
  riskLimitBelowExposure: row(
    400,
    12,
    12,
    'risk limit level {level} on {symbol} allows {limit} {currency}, but the position and orders there are worth {exposure}',
  ),
  duplicateClientId: row(400, 15, 15, 'the client order id {clientId} belongs to the live order {order}'),
  identicalRequest: row(
    400,
    15,
    15,
    'the same request with client order id {clientId} placed the order {order} less than {withinMs} ms ago',
  ),
  unknownMarket: row(400, -7006, -7006, 'there is no market {symbol}{hint}', 404),
  marketHalted: row(400, -7016, -7016, '{symbol} is halted: it accepts cancels only'),
  notAmendable: row(400, 400, 400, 'the {field} of this {kind} order cannot be amended: {problem}'),
  sizeNotAboveFilled: row(400, 301, 301, '{field} {size} is not above the filled size {filled}'),
  postOnlyAmendWouldMatch: row(400, 302, 302, 'post-only: {price} would match at once, the best price is {best}'),
  timeoutOutOfRange: row(400, -2, 400, '{field} {timeoutMs} is out of range: 0 to {maximum} ms'),
  orderNotFound: row(400, 400, 16, 'Order not found', 404),
  marketDelisted: row(400, -7016, -7016, '{symbol} is delisted: it has ended for ever', 409),
  accountFrozen: row(400, -7016, -7016, 'the account {account} is frozen: it accepts {allowed}'),
  marketNotHalted: controlRow(409, '{symbol} is not halted: halt it before it is delisted'),
  marketPlayed: controlRow(409, '{symbol} plays a recording, and is not delisted'),
  marketNotRecorded: controlRow(409, '{symbol} plays no recording'),
  recordingUnfit: controlRow(409, 'a message of the recording of {symbol} cannot be played: {problem}'),
  termsUnsafe: controlRow(
    409,
    'the terms would put accounts of {symbol} below maintenance ({accounts}: {names}): give force to change them all the same',
  ),
  unknownAccount: controlRow(404, 'there is no account {account}{hint}'),
  accountExists: controlRow(409, 'the account {name} already exists'),
  unknownCurrency: controlRow(
    404,
    'there is no currency {currency}: add a new currency together with its market, by POST /markets',
  ),
  unknownKey: controlRow(404, 'there is no key {key}'),
  keyExists: controlRow(409, 'the key {key} already exists'),
  marketExists: controlRow(409, 'the market {symbol} already exists{hint}'),
  invalidMarket: controlRow(400, '{field} {problem}'),
  amountOutOfRange: controlRow(
    400,
    'the amount of {amount} {currency} is out of range: the venue holds {held} and can hold {maximum}',
  ),
  priceOutOfRange: controlRow(400, '{field} {problem}'),
  timeBackwards: controlRow(400, 'time cannot go backwards: it is {now}, and {to} was requested'),
  timeTooFar: controlRow(400, 'time can move at most {maximum} ms at once: it is {now}, and {to} was requested'),
  unknownSnapshot: controlRow(404, 'there is no snapshot {name}'),
  tooManySnapshots: controlRow(409, 'at most {maximum} snapshots are kept'),
  unauthorized: controlRow(401, '{problem}'),
  linkSpent: controlRow(401, 'this link was used, or is older than ten minutes: `bourse page` prints another'),
  misdirected: controlRow(421, 'the page is not served as {host}: open the address that `bourse page` prints'),
  otherPage: controlRow(
    403,
    'a request with the cookie of the page must come from that page, and this comes from {what}',
  ),
  scopeMissing: controlRow(403, '{what} needs the scope {needed}: {who} has {scope}'),
  feeUnusual: controlRow(
    400,
    '{field} {rate} is {percent} % of what is traded: a fee is a fraction ({rate} % is {asPercent}), and one above {maximum} needs force',
  ),
  tokenExists: controlRow(409, 'the control token {name} already exists'),
  unknownToken: controlRow(404, 'there is no control token {name}'),
  tooManyTokens: controlRow(409, 'at most {maximum} control tokens are kept: revoke one'),
  logNotMoved: controlRow(409, 'the log was not moved: {problem}'),
  pastUnavailable: controlRow(404, '{what} is not available: {problem}'),
  superseded: controlRow(409, 'a newer request of the same client, about another seq, took the place of this one'),
  notFound: controlRow(404, 'there is no {what}'),
  notAvailable: controlRow(404, '{what}'),
  manualClockOnly: controlRow(409, '{what} needs a manual clock: start the venue with --clock manual'),
  realClockOnly: controlRow(
    409,
    "{what} needs a venue on the machine's clock: this clock is manual, move it with advance or to",
  ),
};

/** Texts of a record's `message` for the ends of accepted orders. An end that is not here has the text of its error. */
type OwnEnding = Exclude<EndReason, RefusalReason> | 'reduceOnlyWithoutPosition' | 'orderNotFound';

const ENDINGS: Readonly<Record<OwnEnding, string>> = {
  postOnlyWouldMatch: 'post-only: the order would have matched at once',
  fillOrKillUnfilled: 'fill-or-kill: the book could not fill the whole order at once',
  bracketReplaced: 'cancelled: replaced by another order attached to the position',
  liquidation: 'cancelled: the account is being liquidated in this market',
  deadMansSwitch: "cancelled by the dead man's switch",
  venueFailed: 'cancelled: a fault of the venue at what was due of this order',
  immediateRemainder: 'immediate-or-cancel: what the book could not fill at once was cancelled',
  noLiquidityInBand: 'market order: no more to match within the protection band, the rest was cancelled',
  selfTrade: 'self-trade: the rest was cancelled before it met an order of the same account',
  margin: 'margin: the account cannot cover another fill at the price in the book; it would fill at {price}',
  fees: 'cancelled: the account has not enough free for the new fees',
  delisted: 'cancelled: the market was delisted',
  reserveLost: 'cancelled: a loss on futures took the money that it had reserved',
  expired: 'expired: its time in force ended',
  cancelledByClient: 'cancelled by the client',
  ocoSiblingFilled: 'OCO: the other leg was filled',
  ocoSiblingTriggered: 'OCO: the other leg was triggered',
  ocoLimitLegRejected: 'OCO: the limit leg was rejected',
  ocoCancelled: 'OCO: cancelled with the other leg',
  bracketSiblingDone: 'take-profit / stop-loss: the other order completed',
  positionClosed: 'the position that it belonged to was closed',
  positionCovered: 'reduce-only: orders at better prices cover what is left of the position',
  reduceOnlyWithoutPosition: 'reduce-only: there is no position left to reduce',
  windowOver: 'TWAP: the time period ended, the remainder was cancelled',
  orderNotFound: 'the order that it refers to no longer exists',
};

export interface ApiErrorOptions {
  readonly about?: OrderView | null;
  /** HTTP status, where it differs from the table's (orderNotFound is 404 at the v4 lookup). */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** ASCII. Where clients know BTSE's own text of an error, what would be right is said in a header. */
  readonly hint?: string;
  readonly seq?: number;
}

/**
 * Thrown by handlers and by the gateway. replies.ts turns it into a reply. It has no stack: nobody reads it, and capturing
 * it cost a quarter of a refused request.
 */
export class ApiError extends Error {
  readonly reason: Reason;
  readonly params: Params;
  /** The caller's own order that the error is about, where the venue still holds it. */
  readonly about: OrderView | null;
  readonly status: number;
  /** Sent as Retry-After. Null: not sent. */
  readonly retryAfterSeconds: number | null;
  /** Sent as Bourse-Hint. Undefined: not sent. */
  readonly hint: string | undefined;
  /** Of the refused command. Null: none is in the log. */
  readonly seq: number | null;

  constructor(reason: Reason, params: Params = {}, options: ApiErrorOptions = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(reason);
    Error.stackTraceLimit = stackTraceLimit;
    this.reason = reason;
    this.params = params;
    this.about = options.about ?? null;
    this.status = options.status ?? ERRORS[reason].status;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.hint = options.hint;
    this.seq = options.seq ?? null;
  }
}

/** The field name of a malformed control request if no single field is wrong. */
export const BODY = 'the body';

/** The error for an unreadable field: names the field, what was wrong, and what would be right. */
export function malformed(field: string, problem: string, expected: string): ApiError {
  return new ApiError('malformed', { field, problem: `${problem}: ${expected}` });
}

/** A caller's text is shortened, so that an error is never larger than the request. */
const SHOWN = 80;

export function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
}

/** Parameters with the venue's own words, shown in full. Code that puts a caller's words into one must shorten them. */
const OWN_WORDS: readonly string[] = ['problem', 'expected', 'allowed', 'hint', 'what', 'instead'];

function fill(template: string, params: Params): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return name === 'hint' ? '' : whole;
    return OWN_WORDS.includes(name) ? String(value) : shortened(String(value));
  });
}

/** The text of an error without an envelope's prefix. */
export function errorText(error: ApiError, envelope: Envelope): string {
  const { text } = ERRORS[error.reason];
  const filled = fill(typeof text === 'string' ? text : text[envelope], error.params);
  if (error.reason !== 'orderNotFound' || error.about === null) return filled;
  return `${filled}: it ended as ${orderState(error.about)}`;
}

/** Why an order ended or was rejected, for a record's `message`. Null if there is nothing to say. */
export function endingText(ending: Ending | null): string | null {
  if (ending === null) return null;
  const own = ENDINGS[ending.reason as OwnEnding];
  if (own !== undefined) return fill(own, ending.params);
  const { text } = ERRORS[ending.reason as RefusalReason];
  return fill(typeof text === 'string' ? text : text.A, ending.params);
}

/**
 * A reply's refusal as an error. `names` turns the venue's field names into the surface's ({size: 'orderSize'}); order
 * keys become order ids.
 */
export function refusalError(venue: Venue, reply: Reply, names: Readonly<Record<string, string>> = {}): ApiError {
  const { reason, params } = reply.refusal!;
  const shown: Record<string, string | number> = { ...params };
  if (typeof shown.order === 'number') shown.order = venue.orderIds.encode(shown.order);
  if (typeof shown.field === 'string') shown.field = names[shown.field] ?? shown.field;
  return new ApiError(reason, shown, { about: reply.about, seq: reply.seq });
}
