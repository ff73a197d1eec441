/** Replies about the venue as a whole: prices that were set, its clock, its state, its saved states. */
import Type from 'typebox';
import {
  component,
  flag,
  list,
  number,
  orNull,
  sometimes,
  text,
  timestampMs,
  whole,
} from '../../orders/reply-fields.ts';
import { POSITION_OF_ACCOUNT } from './accounts.ts';
import { price, seq, table } from './fields.ts';
import { ORDER } from './orders.ts';

export const DONE_AT = component('DoneAt', { time: timestampMs, seq });
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

export const clock = sometimes(component('ClockReading', CLOCK));
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
