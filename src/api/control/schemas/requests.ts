/**
 * What requests of the control surface consist of, for the documents. The handlers read them with `Field`. A test sends
 * each route a field that it does not have: the refusal lists the names that are taken, and they must be those here.
 */
import Type, { type TSchema } from 'typebox';
import { PERMISSIONS } from '../../../config/config.ts';
import { SPEEDS } from '../../../engine/clock/venue-clock.ts';
import { RESOLUTIONS } from '../../../market-data/resolution.ts';
import { FREEZES } from '../../../venue/contract/commands.ts';
import { orNull } from '../../orders/reply-fields.ts';
import { choice, decimal, fields, flag, optional, text } from '../../shared/fields.ts';
import { SHOWN } from '../past.ts';
import { SCOPES } from '../tokens.ts';

const whole = (description: string, minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description });
const list = (items: TSchema, description: string) => Type.Array(items, { description });
const table = (values: TSchema, description: string) => Type.Object({}, { additionalProperties: values, description });
const time = (description: string) => Type.Unsafe<number | string>({ type: ['integer', 'string'], description });
const duration = (description: string) => Type.Unsafe<number | string>({ type: ['integer', 'string'], description });
const fraction = (description: string) => decimal(`${description}, a fraction`, { above: 0, below: 1 });

const LIMIT = { limit: optional(whole('The most rows; default 100', 1, 1000)) };
const PAGE = { ...LIMIT, after: optional(text('The `next` of the page before')) };
const SYMBOL = { symbol: optional(text('Market symbol')) };
const CLIENT = { client: optional(text('Distinguishes clients that share a token')) };

export const LIMIT_QUERY = fields(LIMIT);
export const REPORT_QUERY = fields({ account: optional(text('Only this one')) });
export const PAGE_QUERY = fields(PAGE);
/** Of a list: as it was after that command. */
const TO = {
  to: optional(whole('As of this seq, in whatever branch of the history; default: now', 1, 999_999_999_999_999)),
};
export const LEDGER_QUERY = fields({
  ...TO,
  ...PAGE,
  newest: optional(flag('true: the newest entries, newest first, without pages')),
});
export const OPEN_ORDERS_QUERY = fields({ ...SYMBOL, ...PAGE });
export const ALL_ORDERS_QUERY = fields({
  to: optional(whole('Orders that were placed up to this seq, in its branch', 1, 999_999_999_999_999)),
  ...PAGE,
});
export const FILLS_QUERY = fields({
  market: optional(text('Market symbol')),
  from: optional(time('The earliest time: epoch ms or ISO 8601')),
  newest: optional(flag('true: the newest ones first, and `next` goes back')),
  ...TO,
  ...PAGE,
});
export const MARKET_PAST_QUERY = fields({
  seq: whole('Nothing of later commands is in the reply', 1, 999_999_999_999_999),
  minutes: optional(choice(RESOLUTIONS.map(String), 'Of a candle; default 1')),
  limit: optional(whole('The most trades; default 100', 1, 1000)),
});
export const ORDER_QUERY = fields({
  account: optional(text('The id is a client id of this account')),
  symbol: optional(text('The market of that client id, needed if orders on spot and on futures have it')),
  ...PAGE,
});
export const PREVIEW_QUERY = fields({
  preview: optional(flag('true: says what the prices would set off; sets nothing')),
});
export const AT_QUERY = fields({
  show: optional(choice(SHOWN, 'A part of the state; absent: only its seq, time, hash and counts')),
  account: optional(text('Only this account; show=account needs it')),
  symbol: optional(text('Only this market; show=book needs it')),
  limit: optional(whole('The most levels of a side (50), orders, positions or accounts (1,000)', 1, 1000)),
  ...CLIENT,
});
export const COMMAND_QUERY = fields({
  limit: optional(whole('The most effects; default 1,000', 1, 1000)),
  after: optional(text('The `next` of the page before')),
  ...CLIENT,
});
export const COMMANDS_QUERY = fields({
  from: whole('The first seq', 1, 999_999_999_999_999),
  limit: optional(whole('The most commands; default 20', 1, 100)),
  ...CLIENT,
});
export const SUMMARY_QUERY = fields({
  from: optional(whole('The first seq', 1, 999_999_999_999_999)),
  to: optional(whole('The last seq', 1, 999_999_999_999_999)),
  buckets: optional(whole('Into how many parts the commands are counted; default 120', 1, 1000)),
  account: optional(text('Whose fills are marked')),
  ...CLIENT,
});
/** That of the cancels of spot v4 and futures v2.3. */
export const CANCEL_QUERY = fields({
  symbol: text('Market symbol'),
  orderId: optional(text('Of an order on spot')),
  clOrderId: optional(text('Client id of an order on spot')),
  orderID: optional(text('Of an order on futures; without any id, all orders of the market')),
  clOrderID: optional(text('Client id of an order on futures')),
});

export const NEW_ACCOUNT = fields({ name: text('1 to 64 letters, digits, ., _ and -') }, { title: 'NewAccount' });
export const NEW_KEY = fields(
  {
    permissions: list(choice(PERMISSIONS, 'What a key may do'), 'At least one'),
    ipAllow: optional(list(Type.String(), 'Addresses or CIDR ranges; absent or empty: any')),
    expiresAt: optional(orNull(time('In the future: epoch ms or ISO 8601 with a time zone; absent or null: never'))),
  },
  { title: 'NewKey' },
);
export const DEPOSIT = fields(
  { currency: text('Currency code'), amount: decimal('Negative: a withdrawal') },
  { title: 'Deposit' },
);
const rates = (title: string) =>
  fields(
    { maker: decimal('A fraction', { min: 0, below: 1 }), taker: decimal('A fraction', { min: 0, below: 1 }) },
    { title },
  );
export const ACCOUNT_CHANGE = fields(
  {
    fees: optional(
      table(Type.Union([rates('NewAccountFees'), Type.Null()]), 'By symbol; null: the rates of the market again'),
    ),
    frozen: optional(orNull(choice(FREEZES, 'What the account may not do; null: no freeze'))),
    force: optional(flag('true: also with fees above 0.05')),
  },
  { title: 'AccountChange', minProperties: 1 },
);
/** Checked by the surface whose body it is, so it is not described again. */
export const ORDER_BODY = Type.Object(
  { symbol: text('Its product decides which surface the body is of') },
  {
    title: 'OrderOfSurface',
    description:
      'For a pair the body of spot v4 (/spot/api/v4/trade/orders, or …/algo), for a perpetual that of futures v2.3 ' +
      '(/futures/api/v2.3/order, or …/peg)',
    additionalProperties: Type.Unknown(),
  },
);
export const NEW_PRICES = fields(
  {
    symbol: text('Market symbol'),
    index: optional(decimal('The index', { above: 0 })),
    mark: optional(
      Type.Unsafe<unknown>({
        type: ['number', 'string', 'null'],
        description: 'The mark; null: it follows the index again',
      }),
    ),
    last: optional(decimal('The last price, on the tick', { above: 0 })),
    feed: optional(flag('true: the index comes from a feed, so a jump waits for a second value')),
  },
  { title: 'NewPrices' },
);
export const CLOCK_MOVE = fields(
  {
    advance: optional(
      Type.Unsafe<unknown>({ type: ['integer', 'string'], description: 'By milliseconds, or text such as 1h30m' }),
    ),
    to: optional(time('To a time: epoch ms or ISO 8601')),
    toNextDue: optional(flag('true: to what is due next')),
    speed: optional(decimal('Of a real clock: venue time per elapsed time', { min: SPEEDS.least, max: SPEEDS.most })),
    acceptWall: optional(flag("true: a real clock accepts the machine's time")),
  },
  { title: 'ClockMove', description: 'Exactly one of these', minProperties: 1, maxProperties: 1 },
);

const FUNDING = fields(
  {
    intervalMs: optional(whole('Between two settlements', 60_000, 604_800_000)),
    cap: optional(fraction('The largest rate')),
    impactSize: optional(whole('Contracts for the impact prices', 1, Number.MAX_SAFE_INTEGER)),
  },
  { title: 'FundingTerms' },
);
const TIER = fields(
  {
    maxNotional: decimal('Up to this value of a position', { above: 0 }),
    initial: fraction('Initial margin'),
    maintenance: fraction('Maintenance margin'),
  },
  { title: 'NewRiskTier' },
);
/** config/market.ts reads them. */
const TERMS = {
  minSize: optional(decimal('Smallest order', { above: 0 })),
  maxSize: optional(decimal('Largest order', { above: 0 })),
  fees: optional(rates('NewMarketFees')),
  band: optional(fraction('How far a limit price may be from the reference')),
  marketBand: optional(fraction('The same of a market order')),
  triggerLimitDistance: optional(orNull(fraction('How far a limit may be from its trigger; null: any distance'))),
  maxOpenOrders: optional(whole('Of an account in this market', 1, 100_000)),
  riskTiers: optional(list(TIER, 'Perpetuals, ascending')),
  funding: optional(Type.Union([FUNDING, Type.Null()])),
  liquidationFee: optional(decimal('Perpetuals, a fraction', { min: 0, below: 1 })),
  maxBasis: optional(orNull(fraction('How far the mark may be from the index'))),
  liquidationBand: optional(orNull(fraction('How far beyond the mark a bankrupt position may trade'))),
  indexJump: optional(orNull(fraction('A value of a feed that is further from the index waits for a second one'))),
  staleAfterMs: optional(whole('Without a value of the feed for so long, the index is stale', 1, 86_400_000)),
  twapIntervalMs: optional(
    orNull(whole('Between two parts of a TWAP; null: it follows from the period', 1000, 86_400_000)),
  ),
  duplicateClientIds: optional(choice(['refuse', 'allow'], 'Whether a client id may be used again')),
};
export const NEW_MARKET = fields(
  {
    symbol: text('BASE-QUOTE'),
    kind: optional(choice(['spot', 'perpetual'], 'A new symbol needs it')),
    base: optional(text('Currency code')),
    quote: optional(text('Currency code')),
    tick: optional(decimal('Step of prices', { above: 0 })),
    maxPrice: optional(decimal('Largest price', { above: 0 })),
    step: optional(decimal('Step of sizes', { above: 0 })),
    contractSize: optional(decimal('Perpetuals: base currency of one contract', { above: 0 })),
    ...TERMS,
    currencies: optional(
      table(fields({ decimals: whole('Of its smallest unit', 0, 12) }, { title: 'NewCurrency' }), 'New ones, by code'),
    ),
    force: optional(flag('true: also with fees above 0.05')),
  },
  { title: 'NewMarket', description: 'As in the configuration (docs/markets.md)' },
);
export const TERMS_CHANGE = fields(
  { ...TERMS, force: optional(flag('true: also if that puts accounts below maintenance, and with fees above 0.05')) },
  { title: 'TermsChange', minProperties: 1 },
);
export const DELISTING = fields(
  { settlementPrice: optional(orNull(decimal('Of open positions; absent or null: the mark', { above: 0 }))) },
  { title: 'Delisting' },
);
const LEVEL = Type.Array(decimal('Price, then size', { above: 0 }), { minItems: 2, maxItems: 2 });
export const HOUSE_BOOK = fields(
  { bids: optional(list(LEVEL, 'Absent: none')), asks: optional(list(LEVEL, 'Absent: none')) },
  { title: 'HouseBook' },
);
export const HOUSE_TRADE = fields(
  {
    side: choice(['BUY', 'SELL'], 'Of the taker'),
    size: decimal('Base currency, or contracts', { above: 0 }),
    price: decimal('On the tick', { above: 0 }),
  },
  { title: 'HouseTrade' },
);
export const FAULT = fields(
  {
    match: optional(
      fields(
        {
          method: optional(choice(['GET', 'POST', 'PUT', 'DELETE'], 'Absent: any')),
          path: optional(text('Exact, without query; absent: any')),
          pathPrefix: optional(text('All paths that begin so')),
        },
        { title: 'FaultMatch' },
      ),
    ),
    latencyMs: optional(whole('Delays the request; at most 600,000 unless in venue time', 0, 2_678_400_000)),
    status: optional(whole('Answers with it, and does nothing; below 400 only with a body', 200, 599)),
    code: optional(whole('The code of the error, beside status', -999_999_999, 999_999_999)),
    message: optional(text('The text of the error, beside status')),
    body: optional(Type.Unknown({ description: 'The whole body, beside status; text is sent as HTML' })),
    retryAfterSeconds: optional(whole('The header Retry-After, beside status', 0, 86_400)),
    dropReply: optional(flag('Carries the request out, and closes the connection without an answer')),
    maintenance: optional(flag('Every request is answered with 503 System error; streams end, and are refused')),
    closeStreams: optional(flag('Ends the connections of the streams')),
    refuseStreams: optional(flag('Handshakes of streams are answered with 503')),
    streamLatencyMs: optional(whole('Delays frames of the streams', 0, 2_678_400_000)),
    dropFrames: optional(flag('Does not send frames of the streams')),
    gapBook: optional(flag('The sequence of a book skips a number')),
    inVenueTime: optional(flag('Latencies are venue time: a manual clock must move')),
    probability: optional(decimal('Affects only this share of what it matches', { above: 0, max: 1 })),
    seed: optional(whole('Decides what the probability meets', 0, Number.MAX_SAFE_INTEGER)),
    from: optional(time('Begins then, venue time; a time that has passed is now')),
    until: optional(time('Ends then, venue time')),
    every: optional(duration('Begins again so often, at least 1s')),
    for: optional(duration('How long each turn of `every` lasts')),
    skip: optional(whole('How many requests or frames it leaves alone first', 0, 1_000_000_000)),
    times: optional(
      orNull(
        whole(
          'How many requests or frames; default 1, and any number with until, every or maintenance',
          1,
          1_000_000_000,
        ),
      ),
    ),
  },
  { title: 'NewFault' },
);
export const LOG_ARCHIVE = fields(
  { to: text("Absolute path of a folder on the venue's machine") },
  { title: 'LogArchive' },
);
export const NEW_TOKEN = fields(
  { name: text('1 to 64 letters, digits, ., _ and -'), scope: choice(SCOPES, 'Each includes those before it') },
  { title: 'NewToken' },
);
