/** Replies about a run as a whole: the recording that is played, and the report of what came of it. */
import Type from 'typebox';
import { component, list, number, orNull, text, timestampMs, whole } from '../../orders/reply-fields.ts';
import { seq, symbol, table } from './fields.ts';
import { STATUS } from './markets.ts';

const RECORDED_MS = orNull(whole('In the recording, epoch ms; null: there is none'));
const HERE_MS = orNull(whole('Venue time of that, epoch ms'));

export const REPLAY = component('Replay', {
  seq,
  replay: orNull(
    component('PlayedRecording', {
      symbol,
      files: list(component('RecordedFile', { name: text(), sha256: text() })),
      state: text(
        'playing, behind (by more than a second), ended, handedOver (ended, and the synthetic traders go on), broken, or ' +
          'notPlayed (this start was not given the files)',
      ),
      problem: orNull(text('Why it is broken')),
      status: STATUS,
      recordedMs: RECORDED_MS,
      playedMs: HERE_MS,
      nextRecordedMs: RECORDED_MS,
      nextDueMs: HERE_MS,
      lagMs: whole('How far venue time is ahead of the next event'),
      speed: orNull(number('Venue time per elapsed time; null: the clock is manual')),
      events: whole('Played so far'),
      trades: whole('Recorded trades so far'),
      tradesFit: whole('Those that the recorded book could fill as it was'),
      fits: orNull(number('Their share; 1 before the first')),
      userTakenRatio: orNull(number('What users took, as a share of what was recorded in a minute')),
      queue: text('back or proportional'),
      healAfterMs: orNull(whole('When a level has again what users took; null: when the recording changes it')),
    }),
  ),
});

const AMOUNT = text('Exact, in the currency');
export const REPORT = component('Report', {
  seq,
  fromMs: timestampMs,
  toMs: timestampMs,
  sinceSeq: orNull(whole('The reset or restore after which it begins; null: it begins with the log')),
  accounts: list(
    component('AccountReport', {
      account: text(),
      orders: whole(),
      refused: table(whole(), 'Refused commands, by reason'),
      fills: whole(),
      fillsAsMaker: whole(),
      againstMid: table(text(), 'By quote currency: what fills cost more than the middle of the book just before'),
      withoutMid: whole('Fills at a moment when a side of the book was empty'),
      currencies: list(
        component('CurrencyReport', {
          currency: text(),
          deposits: AMOUNT,
          withdrawals: AMOUNT,
          traded: text('What spot trades brought, less what they cost'),
          realised: AMOUNT,
          funding: AMOUNT,
          insurance: AMOUNT,
          fees: text('Positive: paid'),
          inPositions: text('In isolated positions'),
          total: AMOUNT,
          unrealised: AMOUNT,
          difference: text('Of the total, what the reasons above do not explain: 0'),
          worstDrawdown: orNull(component('Drawdown', { amount: AMOUNT, fromMs: timestampMs, toMs: timestampMs })),
          equity: Type.Array(Type.Tuple([timestampMs, AMOUNT]), { description: '[epoch ms, equity], at most 1,000' }),
        }),
      ),
    }),
  ),
});
export const REPORT_PAGE = Type.String({ contentMediaType: 'text/html', description: 'A page that loads nothing' });
