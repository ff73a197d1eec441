/**
 * What the control surface answers, for the documents. The tests check each reply that they get against its schema, and
 * a field that is not here fails. Money, prices and sizes are exact decimals as text, unless a field says otherwise.
 */
import Type, { type TProperties, type TSchema } from 'typebox';
import { PERMISSIONS } from '../../../config/config.ts';
import { FREEZES } from '../../../venue/contract/commands.ts';
import {
  choice,
  component,
  flag,
  list,
  NOTHING,
  number,
  orNull,
  positionMode,
  side,
  sometimes,
  text,
  timestampMs,
  whole,
} from '../../orders/reply-fields.ts';
import { SCOPES } from '../tokens.ts';

const table = (values: TSchema, description: string) => Type.Object({}, { additionalProperties: values, description });
/** Also has fields that depend on what it describes. */
const open = (properties: TProperties, description: string) =>
  Type.Object(properties, { additionalProperties: Type.Unknown(), description });

const seq = whole('The last command that it includes');
const next = sometimes(text('Give it as `after` for the next page; absent: there is none'));
const orderId = text('Order id');
const symbol = text('Market symbol');
const price = orNull(text('Null: there is none'));
const knownFromSeq = sometimes(whole('Earlier history is lost; absent: nothing is'));

export { NOTHING };

export const CONTROL_ERROR = component('ErrorControl', {
  error: Type.Object({
    reason: text('Stable: programs compare it'),
    field: sometimes(text('The field that is wrong')),
    message: text('For people'),
  }),
});

export const DONE_AT = component('DoneAt', { time: timestampMs, seq });

const BALANCES = table(
  component('WalletBalance', {
    total: text(),
    available: text(),
    reserved: text('By orders'),
    margin: text('Of positions'),
    unrealised: text(),
  }),
  'By currency',
);
const POSITION = {
  symbol,
  positionId: text(),
  positionMode,
  direction: choice(['LONG', 'SHORT'], 'The side of the position'),
  size: number('Contracts'),
  entryPrice: number(),
  mark: orNull(number()),
  margin: text(),
  maintenance: text(),
  unrealised: text(),
  liquidationPrice: orNull(number()),
  liquidationInProgress: flag(),
  leverage: number(),
};
const ACCOUNT_FIELDS = {
  balances: BALANCES,
  positions: list(component('OpenPosition', POSITION)),
  openOrders: whole('How many'),
  frozen: orNull(choice(FREEZES)),
  fees: table(
    component('AccountFees', { maker: text('A fraction'), taker: text('A fraction') }),
    'Own rates by symbol',
  ),
};
const POSITION_OF_ACCOUNT = component('PositionOfAccount', { account: text(), ...POSITION });

export const ACCOUNT_CREATED = component('AccountCreated', { account: text('Its name') });
export const ACCOUNTS = component('AccountsPage', {
  accounts: list(component('AccountRow', { account: text(), keys: whole('How many API keys it has') })),
  next,
});
export const ACCOUNT = component('Account', ACCOUNT_FIELDS);
export const DEPOSITED = component('Deposited', { balances: BALANCES });
const ENTRY = component('LedgerEntry', {
  id: text(),
  seq: whole(),
  timeMs: timestampMs,
  account: text(),
  currency: text(),
  amount: text('Negative: taken from the account'),
  reason: text('deposit, trade, fee, funding, …'),
  market: orNull(text()),
  orderId: orNull(text()),
});
export const LEDGER = component('LedgerPage', { entries: list(ENTRY), next, knownFromSeq });

const DETAILS = component('AlgoDetails', {
  name: text(),
  terms: open({}, 'As it was placed'),
  progress: open({}, 'What it is doing'),
});
const TRIGGER = component('OrderTrigger', {
  rule: text('stop, profit or reach'),
  reference: text('last, mark or index'),
  price,
  original: price,
  above: orNull(flag('true: it fires at or above its price; null: the first price decides')),
  fired: flag(),
  limit: price,
});
const ATTACHED = component('AttachedTerms', {
  orderId: orNull(text('Null: it waits for the first fill')),
  price: text(),
  reference: text(),
});
const ORDER_FIELDS = {
  orderId,
  clientId: orNull(text()),
  account: orNull(text()),
  symbol,
  side,
  kind: text('limit, market, conditional, trailing, peg or twap'),
  algo: orNull(text()),
  state: text('waiting, working, filled, partlyFilled, cancelled or rejected'),
  status: whole('That of the trading surfaces'),
  live: flag('false: it has ended'),
  price,
  size: price,
  currentSize: price,
  filled: text(),
  remaining: price,
  averagePrice: price,
  quoteSize: sometimes(text('Of an order that spends money')),
  quoteFilled: sometimes(text()),
  quoteRemaining: sometimes(text()),
  timeInForce: orNull(text()),
  postOnly: flag(),
  reduceOnly: flag(),
  positionMode: sometimes(positionMode),
  positionId: sometimes(text()),
  liquidation: orNull(text('Of an order that liquidation placed')),
  trigger: orNull(TRIGGER),
  details: orNull(DETAILS),
  takeProfit: orNull(ATTACHED),
  stopLoss: orNull(ATTACHED),
  reason: orNull(text('Why it ended')),
  message: orNull(text('The same for people')),
  ended: orNull(text('How it ended, in words. Null: it is open')),
  nextDueMs: orNull(whole('When time brings about something, epoch ms')),
  createdMs: timestampMs,
  updatedMs: timestampMs,
  seq: whole('The command that placed it'),
};
const ORDER = component('OrderNow', ORDER_FIELDS);
const QUEUE = component('QueuePlace', {
  ahead: text('Size before it at its price'),
  own: text('Its own'),
  behind: text('Size behind it'),
});
export const OPEN_ORDERS = component('OpenOrdersPage', {
  seq,
  orders: list(component('OpenOrder', { ...ORDER_FIELDS, queue: orNull(QUEUE) })),
  next,
});
export const ALL_ORDERS = component('AllOrdersPage', {
  orders: list(
    component('PastOrder', {
      orderId,
      clientId: orNull(text()),
      symbol,
      side,
      kind: text('limit, market, conditional, trailing, peg or twap'),
      state: text('waiting, working, filled, partlyFilled, cancelled or rejected'),
      live: flag('false: it has ended'),
      price,
      size: price,
      filled: text(),
      quoteSize: sometimes(text('Of an order that spends money')),
      quoteFilled: sometimes(orNull(text())),
      trigger: orNull(component('PastTrigger', { rule: text('stop, profit or reach'), price })),
      liquidation: orNull(text('Of an order that liquidation placed')),
      reason: orNull(text('Why it ended')),
      ended: orNull(text('How it ended, in words. Null: it is open')),
      createdMs: timestampMs,
      updatedMs: timestampMs,
      seq: whole('The command that placed it'),
    }),
  ),
  next: sometimes(text('Give it as `after` for older ones. A page may have few rows and yet a next')),
  knownFromSeq,
});
/** Each is described at the route of its surface. */
export const ORDER_RECORDS = list(open({}, 'A record of the surface whose body it is'));
const FILL = component('AccountFill', {
  seq: whole(),
  time: timestampMs,
  tradeId: whole('Counts the trades of its market'),
  symbol,
  orderId,
  clientId: orNull(text()),
  side,
  price: text(),
  size: text(),
  maker: flag(),
  fee: text(),
  feeCurrency: text(),
  realised: orNull(text('Of a position')),
  liquidation: flag(),
});
export const FILLS = component('FillsPage', { fills: list(FILL), next, knownFromSeq });

export const KEY_CREATED = component('KeyCreated', { key: text(), secret: text('No other reply contains it') });
export const KEYS = component('KeysPage', {
  keys: list(
    component('KeyRow', {
      key: text(),
      account: text(),
      permissions: list(choice(PERMISSIONS)),
      ipAllow: list(text('Address or CIDR range')),
      expiresAtMs: orNull(timestampMs),
      lastUsedMs: orNull(whole('The highest nonce that was accepted, epoch ms')),
      masterKey: text('present, retired or missing: the master key that seals it'),
    }),
  ),
  next,
});
export const TOKENS = component('ControlTokens', {
  tokens: list(component('ControlToken', { name: text(), scope: choice(SCOPES), createdMs: timestampMs })),
});
export const TOKEN_CREATED = component('TokenCreated', {
  name: text(),
  scope: choice(SCOPES),
  token: text('No other reply contains it'),
});

export const PRICES_SET = component('PricesSet', {
  seq,
  prices: sometimes(component('PreviewedPrices', { index: price, mark: price, last: price })),
  halted: sometimes(flag('This and what follows: of a preview')),
  orders: sometimes(list(ORDER)),
  positions: sometimes(list(POSITION_OF_ACCOUNT)),
  cut: sometimes(flag('There are more')),
});
const CLOCK = {
  state: text('following, slewing, refused, …'),
  speed: number('Venue time per elapsed time'),
  offsetMs: number("The machine's clock minus the venue's"),
  problem: sometimes(text('What is wrong, and what to do')),
};
const clock = sometimes(component('ClockReading', CLOCK));
const DUE_ITEM = component('DueItem', {
  kind: text('algo, expiry, deadMan, minute, liquidation, feed or distressed'),
  time: timestampMs,
  symbol: orNull(text()),
  orderId: orNull(text()),
  account: orNull(text()),
  sentence: text(),
});
export const CLOCK_NOW = component('ClockNow', {
  seq,
  time: whole("The venue's time now, epoch ms"),
  epoch: whole('The start of the data folder, counted from 1'),
  manual: flag(),
  ...Object.fromEntries(Object.entries(CLOCK).map(([name, schema]) => [name, sometimes(schema)])),
});
export const CLOCK_MOVED = component('ClockMoved', {
  time: timestampMs,
  seq,
  due: sometimes(list(DUE_ITEM)),
  clock,
});
export const DUE = component('Due', { seq, time: timestampMs, due: list(DUE_ITEM) });

export const STATE = component('VenueState', {
  seq,
  time: timestampMs,
  epoch: whole(),
  speed: sometimes(number('Of a real clock')),
  hash: text('SHA-256 of the state'),
  orders: whole(),
  accounts: whole(),
  markets: whole(),
});
const FINDINGS = sometimes(list(text('What is wrong')));
const MONEY_LINE = component('AuditLine', {
  accounts: text(),
  reserved: text(),
  fees: text(),
  insurance: text(),
  deficit: text(),
  deposits: text(),
  withdrawals: text(),
  difference: text('0: no money is missing'),
});
export const AUDIT = component('Audit', {
  seq,
  ok: flag(),
  currencies: table(MONEY_LINE, 'By currency'),
  orders: Type.Object({ checked: whole(), bad: whole(), findings: FINDINGS }),
  accounts: Type.Object({
    checked: whole(),
    belowReserved: whole(),
    belowZero: whole(),
    waitingLiquidation: whole(),
    watchedUnsafe: whole(),
    findings: FINDINGS,
  }),
  positions: table(
    component('PositionSums', { long: whole(), short: whole(), difference: whole() }),
    'By market, in contracts',
  ),
});
export const SNAPSHOTS = component('Snapshots', {
  snapshots: list(component('SnapshotRow', { name: text() })),
});
export const SNAPSHOT_DONE = component('SnapshotDone', { name: text(), time: timestampMs, seq });
export const SNAPSHOT_FILE = component('SnapshotFile', { seq, file: text() });

const level = list(text());
const LEVELS = Type.Array(level, { description: '[price, size], best first' });
const STATUS = text('active, halted, stale or delisted');
const BEST = component('BestLevel', { price: text(), size: text() });
const TICKER = {
  symbol,
  status: STATUS,
  last: price,
  index: price,
  pendingIndex: orNull(text('A value of a feed that waits for a second one')),
  mark: price,
  markByHand: flag('true: it was set, and does not follow the index'),
  bid: orNull(BEST),
  ask: orNull(BEST),
  fundingRate: sometimes(text('A fraction')),
  nextFundingMs: sometimes(orNull(timestampMs)),
  openInterest: sometimes(text('Contracts')),
  openInterestValue: sometimes(orNull(text('At the mark'))),
};
export const MARKET = component('VenueMarket', {
  symbol,
  kind: choice(['spot', 'perpetual']),
  base: text(),
  quote: text(),
  tick: text(),
  maxPrice: text(),
  step: text(),
  minSize: text(),
  maxSize: text(),
  contractSize: orNull(text('Perpetuals: base currency of one contract')),
  fees: component('MarketFees', { maker: text('A fraction'), taker: text('A fraction') }),
  band: text('A fraction'),
  marketBand: text('A fraction'),
  triggerLimitDistance: orNull(text('A fraction')),
  maxOpenOrders: whole(),
  riskTiers: list(component('RiskTier', { maxNotional: text(), initial: text(), maintenance: text() })),
  funding: orNull(component('Funding', { intervalMs: whole(), cap: text(), impactSize: whole() })),
  liquidationFee: text('A fraction'),
  maxBasis: sometimes(orNull(text('A fraction'))),
  liquidationBand: sometimes(orNull(text('A fraction'))),
  indexJump: text('A fraction'),
  staleAfterMs: whole(),
  twapIntervalMs: orNull(whole()),
  duplicateClientIds: choice(['refuse', 'allow']),
  status: STATUS,
  index: price,
  mark: price,
  markByHand: flag('true: it was set, and does not follow the index'),
  last: price,
  bestBid: price,
  bestAsk: price,
});
export const MARKETS = component('MarketsPage', { markets: list(MARKET), next });
export const MARKET_SUMMARIES = component('MarketSummaries', {
  seq,
  markets: list(
    component('MarketDay', {
      ...TICKER,
      day: component('DayFigures', {
        fromMs: timestampMs,
        open: price,
        high: price,
        low: price,
        change: number('A fraction of the first price'),
        volume: text(),
        value: text(),
      }),
    }),
  ),
  next,
});
export const BOOK = component('BestLevels', { seq, symbol, status: STATUS, bids: LEVELS, asks: LEVELS });

export const MARKET_PAST = component('MarketPast', {
  seq: whole('The command after which it was so'),
  symbol,
  trades: list(
    component('PastTrade', {
      tradeId: whole('Counts the trades of its market'),
      time: timestampMs,
      side: text('That of the taker'),
      price: text(),
      size: text(),
    }),
  ),
  candles: list(
    component('PastCandle', {
      startMs: timestampMs,
      open: text(),
      high: text(),
      low: text(),
      close: text(),
      volume: text('Base or contracts'),
      value: text('In the quote currency'),
    }),
  ),
});

export const FAULTS_ARMED = component('FaultsArmed', { armed: whole('How many') });
export const FAULTS = component('Faults', {
  faults: list(
    component('FaultState', {
      match: Type.Object({ method: sometimes(text()), path: sometimes(text()) }),
      latencyMs: sometimes(whole()),
      status: sometimes(whole()),
      dropReply: sometimes(flag()),
      closeStreams: sometimes(flag()),
      streamLatencyMs: sometimes(whole()),
      dropFrames: sometimes(flag()),
      gapBook: sometimes(flag()),
      times: whole(),
      hits: whole('How many requests or frames it has affected'),
      left: whole('How many it will still affect'),
      lastHitSeq: orNull(whole('The last command before the last hit')),
    }),
  ),
});
export const REFUSALS = component('Refusals', {
  refusals: list(
    component('RefusalRow', {
      reason: text(),
      count: whole(),
      lastSeq: orNull(whole('Of the last one that is in the log')),
    }),
  ),
});
export const HEALTH = component('Health', {
  live: flag(),
  ready: flag('false: status 503'),
  reasons: list(text('Why it is not ready')),
  deficit: sometimes(table(text(), 'By currency, how far the insurance fund is below zero')),
  clock,
  log: sometimes(
    Type.Object({
      kind: text('postgres'),
      where: text('The database, without its password'),
      version: text('Of the server'),
      fsync: text(),
      fullPageWrites: text(),
      synchronousCommit: text(),
      synchronousStandbyNames: text('The standbys that a commit waits for'),
      singleNode: Type.Boolean({
        description: 'There is no standby: the loss of the server loses acknowledged commands',
      }),
    }),
  ),
  history: sometimes(open({ state: text('checking, sound or damaged') }, 'The check of what the start did not read')),
  archiveKnownFromSeq: sometimes(whole()),
  archive: sometimes(text('Why the archive is out of service')),
  snapshot: sometimes(text('Why the last snapshot failed')),
});
export const METRICS = text('Prometheus text');
export const LOG_ARCHIVED = component('LogArchived', {
  moved: whole('Segments'),
  left: whole('Segments that the next call can move'),
  seq: whole('The last command that is not in the data folder any more'),
  reason: sometimes(text('Why nothing was moved')),
});

const ARCHIVED = {
  orderId,
  seq: whole('The command that placed it'),
  account: text(),
  market: text(),
  side,
  kind: text(),
  state: text(),
  clientId: orNull(text()),
  price,
  size: price,
  currentSize: price,
  filledSize: text(),
  remainingSize: price,
  averagePrice: price,
  quoteSize: price,
  quoteFilled: price,
  timeInForce: orNull(text()),
  postOnly: flag(),
  reduceOnly: flag(),
  triggerRule: orNull(text()),
  triggerReference: orNull(text()),
  triggerPrice: price,
  triggerOriginal: price,
  triggered: orNull(flag()),
  positionMode: orNull(text()),
  positionId: orNull(whole()),
  liquidation: orNull(text()),
  takeProfitOrder: orNull(text()),
  stopLossOrder: orNull(text()),
  reason: orNull(text()),
  createdMs: timestampMs,
  updatedMs: timestampMs,
  leftBranch: sometimes(flag('true: it is in a branch that a reset or a restore has left')),
};
const STORY_ROW = {
  seq: orNull(whole('Null: it is yet to come')),
  n: whole("Counts the order's events of a command from 1"),
  time: timestampMs,
  kind: text(),
  sentence: text(),
  detail: sometimes(text()),
  price: orNull(text('The last price then')),
  filled: orNull(text()),
  left: orNull(text()),
  leftBranch: sometimes(flag()),
};
export const ORDER_STORY = component('OrderStory', {
  order: component('ArchivedOrder', ARCHIVED),
  events: list(
    open(
      { seq: whole(), time: timestampMs, type: text(), status: sometimes(whole()) },
      'Something that happened to it',
    ),
  ),
  next,
  knownFromSeq,
  title: sometimes(text('This and what follows: on the first page')),
  status: sometimes(text()),
  sentence: sometimes(text('Why the order is as it is')),
  rows: sometimes(
    list(component('StoryRow', { ...STORY_ROW, each: sometimes(list(component('StoryRepeat', STORY_ROW))) })),
  ),
  parts: sometimes(
    list(
      component('StoryPart', {
        part: whole('Of a TWAP, from 1'),
        state: text('traded, rests or skipped'),
        filled: text(),
        why: sometimes(text('Of a skipped one: what was compared')),
      }),
    ),
  ),
  totals: sometimes(
    component('StoryTotals', {
      filled: text(),
      average: orNull(text()),
      fees: table(text(), 'By currency'),
      realised: orNull(text()),
    }),
  ),
  siblings: sometimes(
    list(
      component('SiblingOrder', {
        relation: text(),
        ended: orNull(text('How it ended, in words. Null: it is open')),
        ...ARCHIVED,
      }),
    ),
  ),
  alongside: sometimes(
    list(component('Alongside', { seq: whole(), time: sometimes(timestampMs), sentences: list(text()) })),
  ),
  ledger: sometimes(component('StoryLedger', { entries: list(ENTRY), more: flag() })),
});

const LEFT = sometimes(
  orNull(
    component('LeftBranch', {
      at: whole('The command that left it'),
      by: text('reset or restore'),
    }),
  ),
);
const FROM = component('ComputedFrom', {
  kind: text('beginning, snapshot, checkpoint or moment'),
  seq: whole(),
});
const COMMAND = orNull(
  Type.Object(
    { type: text(), seq: whole(), time: timestampMs, refusal: sometimes(text()) },
    {
      title: 'CommandFacts',
      description: 'With what the command asked for: names and decimals',
      additionalProperties: Type.Unknown(),
    },
  ),
);
const EFFECT = { time: timestampMs, sentence: text(), detail: sometimes(text()) };
export const PAST_STATE = component('PastState', {
  seq,
  time: timestampMs,
  hash: text('SHA-256 of the state'),
  counts: component('PastCounts', { orders: whole(), accounts: whole(), markets: whole() }),
  left: LEFT,
  from: FROM,
  tookMs: whole(),
  symbol: sometimes(symbol),
  status: sometimes(STATUS),
  market: sometimes(component('MarketNow', TICKER)),
  bids: sometimes(LEVELS),
  asks: sometimes(LEVELS),
  account: sometimes(text()),
  orders: sometimes(list(ORDER)),
  positions: sometimes(list(component('PastPosition', { account: sometimes(text()), ...POSITION }))),
  balances: sometimes(open({}, 'Of an account by currency, or of all accounts by name')),
  openOrders: sometimes(whole()),
  frozen: sometimes(orNull(choice(FREEZES))),
  fees: sometimes(open({}, 'Own rates by symbol')),
  more: sometimes(flag('true: there were more')),
});
export const PAST_COMMAND = component('PastCommand', {
  seq,
  time: timestampMs,
  record: open({}, 'The record of the log, without sealed secrets'),
  command: COMMAND,
  sentence: sometimes(text()),
  why: sometimes(
    list(
      component('WhyEffect', {
        n: whole('Its first effect, from 1'),
        last: whole('Its last one'),
        ...EFFECT,
        order: sometimes(text()),
        account: sometimes(text()),
        market: sometimes(text()),
        kind: text(),
        effects: list(open(EFFECT, 'What it set off, in the same form')),
      }),
    ),
  ),
  effects: list(open({ type: text(), time: timestampMs }, 'Something that happened, or a cause')),
  count: whole('How many effects there were'),
  next,
  left: LEFT,
  from: FROM,
  tookMs: whole(),
});
export const COMMANDS = component('Commands', {
  commands: list(
    component('CommandRow', {
      seq: whole(),
      time: timestampMs,
      command: COMMAND,
      sentence: text(),
      count: whole('How many effects it had'),
      left: LEFT,
    }),
  ),
  endSeq: whole('The last command of the log'),
});
export const LOG_SUMMARY = component('LogSummary', {
  from: orNull(whole()),
  to: orNull(whole()),
  endSeq: whole('The last command of the log'),
  knownFrom: whole(),
  knownTo: whole('Later commands follow while the survey goes on'),
  buckets: list(
    component('LogBucket', {
      from: whole(),
      to: whole(),
      time: timestampMs,
      commands: table(whole(), 'How many, by type'),
    }),
  ),
  marks: list(
    component('LogMark', {
      kind: text('fill, liquidation, prices, snapshot, restore, reset, fault or leftOut'),
      seq: whole(),
      time: timestampMs,
      count: whole(),
      symbol: sometimes(text()),
      name: sometimes(text()),
    }),
  ),
  left: list(component('LeftRange', { from: whole(), to: whole(), at: whole(), by: text('reset or restore') })),
});
