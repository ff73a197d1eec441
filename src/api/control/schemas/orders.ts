/** Replies about orders: lists, fills, and the story of an order. */
import {
  component,
  flag,
  list,
  orNull,
  positionMode,
  side,
  sometimes,
  text,
  timestampMs,
  whole,
} from '../../orders/reply-fields.ts';
import { LEDGER_ENTRY } from './accounts.ts';
import { knownFromSeq, LEFT, next, open, orderId, price, seq, symbol, table } from './fields.ts';

const PROGRESS = { ...open({}, 'What it is doing. Null: it has ended'), title: 'AlgoProgress' };
const DETAILS = component('AlgoDetails', {
  name: text(),
  terms: open({}, 'As it was placed, without what was not given'),
  progress: orNull(PROGRESS),
});

const TRIGGER = component('OrderTrigger', {
  rule: text('stop, profit or reach'),
  reference: text('last, mark or index'),
  price,
  original: price,
  above: orNull(flag('true: it fires at or above its price; null: the first price decides, or it has ended')),
  fired: flag(),
  limit: orNull(text('The price of its limit order; null: a market order')),
});

const ATTACHED = component('AttachedTerms', {
  orderId: orNull(text('Null: it waits for the first fill')),
  price: text(),
  reference: text(),
});

const QUEUE = component('QueuePlace', {
  ahead: text('Size before it at its price'),
  own: text('Its own'),
  behind: text('Size behind it'),
});

const ORDER_FIELDS = {
  orderId,
  clientId: orNull(text()),
  account: orNull(text()),
  symbol,
  side,
  kind: text('limit, market, conditional, trailing, peg or twap'),
  state: text('waiting, working, filled, partlyFilled, cancelled or rejected'),
  status: whole('That of the trading surfaces'),
  live: flag('false: it has ended, or a reset or a restore has removed it'),
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
  positionId: sometimes(orNull(text('Null: its market is gone'))),
  liquidation: orNull(text('Of an order that liquidation placed')),
  trigger: orNull(TRIGGER),
  details: orNull(DETAILS),
  takeProfit: orNull(ATTACHED),
  stopLoss: orNull(ATTACHED),
  reason: orNull(text('Why it ended')),
  ended: orNull(text('How it ended, in words. Null: it is open')),
  left: LEFT,
  nextDueMs: orNull(whole('When time brings about something, epoch ms')),
  createdMs: timestampMs,
  updatedMs: timestampMs,
  seq: whole('The command that placed it'),
  queue: sometimes(orNull(QUEUE)),
};

/** Open or ended, wherever one is shown. */
export const ORDER = component('ControlOrder', ORDER_FIELDS);

export const OPEN_ORDERS = component('OpenOrdersPage', { seq, orders: list(ORDER), next });
export const ALL_ORDERS = component('AllOrdersPage', {
  left: sometimes(LEFT),
  orders: list(ORDER),
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

export const FILLS = component('FillsPage', { left: sometimes(LEFT), fills: list(FILL), next, knownFromSeq });
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
  order: ORDER,
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
        relation: text('otherLeg, parent, takeProfit, stopLoss, ownTaker or ownMaker'),
        ...ORDER_FIELDS,
      }),
    ),
  ),
  alongside: sometimes(
    list(component('Alongside', { seq: whole(), time: sometimes(timestampMs), sentences: list(text()) })),
  ),
  ledger: sometimes(component('StoryLedger', { entries: list(LEDGER_ENTRY), more: flag() })),
});
