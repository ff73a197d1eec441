/** Prices that a caller sets, and the clock. */
import type { Field } from '../../../config/field.ts';
import { SPEEDS } from '../../../engine/clock/venue-clock.ts';
import type { SetPrices } from '../../../venue/contract/commands.ts';
import { ApiError, malformed } from '../../shared/errors.ts';
import { decimalOf, finePrice, priceTicks } from '../../shared/tick-conversion.ts';
import { accepted, type ControlContext, findMarket, nameOf, requireManualClock, submit } from '../context.ts';
import { orderView } from '../order-view.ts';
import { refuseProblems } from '../problems.ts';
import { clockView, positionView } from '../views.ts';
import { dueView } from './due.ts';

export async function setPrices(context: ControlContext, body: Field): Promise<object> {
  return { seq: (await submit(context, readPrices(context, body))).seq };
}

/** What the prices would set off at once. Of a feed nobody can say it, because a value may be held. */
export async function previewPrices(context: ControlContext, body: Field): Promise<object> {
  if (body.at('feed').given) body.at('feed').problem('cannot be previewed: leave it out');
  const { venue } = context;
  const preview = venue.previewPrices(readPrices(context, body));
  const market = findMarket(venue, body.at('symbol').text());
  const price = (fine: number) => (fine === 0 ? null : market.fineText(fine));
  return {
    seq: venue.seq,
    prices: { index: price(preview.prices.index), mark: price(preview.prices.mark), last: price(preview.prices.last) },
    halted: market.halted,
    orders: preview.orders.map((order) => orderView(venue, order)),
    positions: preview.positions.map(({ account, position }) => {
      return { account: nameOf(venue, account), ...positionView(venue, position) };
    }),
    cut: preview.isCut,
  };
}

function readPrices(context: ControlContext, body: Field): SetPrices {
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
  const market = findMarket(context.venue, symbol, 'symbol');
  const fine = (name: string, text: string) => finePrice(market, name, decimalOf(text));
  return {
    v: 1,
    type: 'setPrices',
    market: market.index,
    ...(typeof index === 'string' && { index: fine('index', index) }),
    ...(mark !== undefined && { mark: mark === null ? null : fine('mark', mark) }),
    ...(typeof last === 'string' && { last: priceTicks(market, 'last', decimalOf(last)) }),
    byHand: !feed,
  };
}

/** Where the venue is, without the cost of its whole state. `time`: now, as after a move of the clock. */
export async function showClock(context: ControlContext): Promise<object> {
  const { venue, epoch, clock } = context;
  const time = context.nowMs();
  return { seq: venue.seq, time, epoch, manual: clock === null, ...(clock !== null && clockView(clock)) };
}

/** What a body of the clock may have: one of these. */
const MOVES = ['advance', 'to', 'toNextDue', 'speed', 'acceptWall'] as const;

export async function moveClock(context: ControlContext, body: Field): Promise<object> {
  if (body.at('acceptWall').given) return acceptWall(context, body);
  if (body.at('speed').given) return setSpeed(context, body);
  requireManualClock(context, 'moving the clock');
  body.object(MOVES);
  const [advance, to, toNextDue] = [body.at('advance'), body.at('to'), body.at('toNextDue')];
  if ([advance, to, toNextDue].filter(({ given }) => given).length !== 1) {
    body.problem('must have either advance (how long), to (until when) or toNextDue');
  }
  if (toNextDue.given && !toNextDue.flag()) toNextDue.problem('must be true');
  const ms = advance.given ? advance.duration() : to.given ? to.time() : 0;
  refuseProblems(body);
  if (toNextDue.given) return advanceToNextDue(context);
  const target = () => {
    const toMs = advance.given ? context.venue.timeMs + ms : ms;
    if (!Number.isSafeInteger(toMs)) throw malformed('advance', 'is too large', 'give fewer milliseconds');
    return toMs;
  };
  const reply = accepted(context, await context.advance(target));
  return { time: reply.timeMs, seq: reply.seq };
}

/** The most items of one moment that are named. */
const MOST_DUE = 100;

/** Says what was due: everything of that moment. */
async function advanceToNextDue(context: ControlContext): Promise<object> {
  let due: readonly object[] = [];
  const target = () => {
    const { venue } = context;
    const dueMs = venue.nextDueMs();
    if (dueMs === Number.POSITIVE_INFINITY) throw new ApiError('notAvailable', { what: 'nothing is due' });
    const items = venue.upcoming(MOST_DUE).filter((item) => item.dueMs === dueMs);
    due = items.map((item) => dueView(venue, item));
    return Math.max(dueMs, venue.timeMs);
  };
  const reply = accepted(context, await context.advance(target));
  return { time: reply.timeMs, seq: reply.seq, due };
}

/** The log needs no command for it: every command carries its time. */
async function setSpeed(context: ControlContext, body: Field): Promise<object> {
  if (context.clock === null) throw new ApiError('realClockOnly', { what: 'a speed' });
  body.object(['speed']);
  const speed = body.at('speed').decimal({ atLeast: String(SPEEDS.least), atMost: String(SPEEDS.most) });
  refuseProblems(body);
  context.setSpeed(Number(speed));
  return { time: context.nowMs(), seq: context.venue.seq, clock: clockView(context.clock) };
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
