/** Replies of the time machine. */
import Type from 'typebox';
import { FREEZES } from '../../../venue/contract/commands.ts';
import {
  choice,
  component,
  flag,
  list,
  orNull,
  sometimes,
  text,
  timestampMs,
  whole,
} from '../../orders/reply-fields.ts';
import { POSITION } from './accounts.ts';
import { LEFT, next, open, seq, symbol, table } from './fields.ts';
import { LEVELS, STATUS, TICKER } from './markets.ts';
import { ORDER } from './orders.ts';

/** Absent: the survey of the log is not there yet. */
const LEFT_IF_KNOWN = sometimes(LEFT);

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
  left: LEFT_IF_KNOWN,
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
  left: LEFT_IF_KNOWN,
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
      left: LEFT_IF_KNOWN,
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
