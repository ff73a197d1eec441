/** The first sentence of a story, which says why the order is as it is. Its title, its status, and what comes next. */
import { endWord, isLiveState, leftBy, removedText, SPENT } from './ends.ts';
import type { Figures, MarketFacts } from './facts.ts';
import type { OrderFacts, OrderHappening, Present, StoryInput, StoryRow, Totals } from './order-facts.ts';
import { because, marginText, pausedText, reachedText, resumesText } from './reasons.ts';
import { resultText } from './rows.ts';
import { muchText, pastVerbOf, pausePriceText, termsOf, termsText, verbOf } from './terms.ts';
import {
  amountIn,
  averageIn,
  clockFrom,
  compared,
  duration,
  grouped,
  priceIn,
  sentence,
  shifted,
  shortId,
} from './text.ts';
import { orderName } from './words.js';

export function titleOf(order: OrderFacts, events: readonly OrderHappening[], market: MarketFacts | undefined): string {
  const { side, size, quoteSize } = order;
  const much = muchText(
    { side, size: size ?? undefined, quoteSize: (quoteSize as string | null) ?? undefined },
    market,
  );
  const role = roleOf(events);
  const group = role.role === 'limit' || role.role === 'stop' ? 'OCO, ' : '';
  return sentence(`${group}${orderName({ ...order, rule: order.triggerRule, ...role })}, ${much}`);
}

function roleOf(events: readonly OrderHappening[]): { readonly role?: string } {
  const [first] = events;
  if (first?.type !== 'accepted') return {};
  const { oco, attachedTo } = termsOf(first);
  return { role: (oco ?? attachedTo)?.role };
}

export function statusOf({ order, events, present }: StoryInput): string {
  const { state, filledSize, currentSize, left } = order;
  const share = shareText(filledSize, currentSize);
  if (left !== undefined && isLiveState(state)) return `removed${share}`;
  if (state === 'filled' || state === 'partlyFilled') return endWord(state);
  if (present !== null && present !== undefined) {
    const isPaused = pauseOf(events) !== undefined && present.progress.pausedBy !== null;
    const doing = isPaused && order.kind === 'twap' ? 'paused' : state;
    return `${doing}${share}`;
  }
  return `${state}${share}`;
}

function shareText(filled: string, size: string | null): string {
  if (filled === '0' || size === null || compared(size, '0') <= 0) return '';
  // 0.09 of 0.2 is 45 %, and a little less as a double.
  const share = Math.floor((Number(filled) / Number(size)) * 100 + 1e-9);
  return `, ${share} % filled`;
}

export function openingOf(input: StoryInput, market: MarketFacts | undefined, totals: Totals): string {
  const { order } = input;
  const { left } = order;
  if (left === undefined) return presentOpening(input, market, totals);
  if (!isLiveState(order.state)) {
    return `${presentOpening(input, market, totals)} ${sentence(leftBy(left))} has left its branch of the history.`;
  }
  return `${sentence(removedText(left))} while it was ${order.state}, ${afterText(order, market)}.`;
}

function presentOpening(input: StoryInput, market: MarketFacts | undefined, totals: Totals): string {
  const { order, present = null } = input;
  if (order.liquidation !== null && order.liquidation !== undefined) return liquidationText(input, market, totals);
  if (present !== null) return liveText(input, present, market);
  return endedText(input, market, totals);
}

function endedText(input: StoryInput, market: MarketFacts | undefined, totals: Totals): string {
  const { order, events } = input;
  const ended = events.findLast(({ type }) => type === 'ended');
  if (isLiveState(order.state) || ended === undefined) return `${sentence(order.state)}.`;
  const fired = firedText(input, market);
  const figures = (ended.figures ?? {}) as Figures;
  if (order.state === 'filled') {
    const result = totals.realised === null ? '' : `, which ${resultText(totals.realised, market)}`;
    return `Filled: ${fired === '' ? 'it' : `${fired} and`} ${doneText({ order, events }, market)}${result}.`;
  }
  if (order.state === 'partlyFilled') {
    return `Done: it ${doneText({ order, events }, market)}, and ${SPENT}.`;
  }
  const why = whyText(ended, figures, market);
  const state = order.state === 'rejected' ? 'Rejected' : 'Cancelled';
  const after = order.state === 'rejected' ? '' : `, ${afterText(order, market)}`;
  const before = fired === '' ? '' : ` ${sentence(fired)}.`;
  return `${state} because ${why}${after}.${before}`;
}

function whyText(ended: OrderHappening, figures: Figures, market: MarketFacts | undefined): string {
  const { reason } = ended as { readonly reason?: string };
  if (reason === undefined) return 'the venue ended it';
  if (reason === 'liquidation' && ended.equity !== undefined)
    return `the account was liquidated (its ${marginText(ended)})`;
  if (SIBLING.includes(reason) && figures.sibling !== undefined)
    return `${because(reason, figures, market)} (${shortId(figures.sibling)})`;
  if (reason === 'cancelledByClient' && ended.by === 'cancelAll') return 'the client cancelled all orders';
  return because(reason, figures, market);
}

const SIBLING = [
  'ocoSiblingFilled',
  'ocoSiblingTriggered',
  'ocoLimitLegRejected',
  'ocoCancelled',
  'bracketSiblingDone',
];

/** "last 59,790.0 was below its trigger of 59,800.0, so it fired". Empty: it did not. */
function firedText({ order, events }: StoryInput, market: MarketFacts | undefined): string {
  const fired = events.findLast(({ type }) => type === 'triggered');
  if (fired === undefined) return '';
  const reached = reachedText((fired.figures ?? {}) as Figures, market).replace(' is ', ' was ');
  return `${reached}, so it fired at ${clockFrom(order.createdMs, fired.time)}`;
}

/** "bought 0.5 BTC at 59,000.0", or "at an average of". */
function doneText({ order, events }: StoryInput, market: MarketFacts | undefined): string {
  const verb = pastVerbOf(order.side);
  const { averagePrice, filledSize } = order;
  if (filledSize === '0' || averagePrice === null) return `${verb} nothing`;
  const prices = new Set(events.filter(({ type }) => type === 'traded').map(({ price }) => price));
  const at = prices.size > 1 ? 'an average of ' : '';
  return `${verb} ${amountIn(market, filledSize)} at ${at}${averageIn(market, averagePrice)}`;
}

function afterText(order: OrderFacts, market: MarketFacts | undefined): string {
  const verb = pastVerbOf(order.side);
  if (order.filledSize === '0') return `before it had ${verb} any of ${wholeOf(order, market)}`;
  return `after it had ${verb} ${partOf(order, market)}`;
}

function wholeOf({ currentSize, quoteSize }: OrderFacts, market: MarketFacts | undefined): string {
  if (currentSize !== null) return amountIn(market, currentSize);
  return `its ${grouped(String(quoteSize))} ${market?.quote ?? ''}`.trim();
}

/** "0.2 of 0.5 BTC". */
function partOf({ filledSize, currentSize }: OrderFacts, market: MarketFacts | undefined): string {
  return currentSize === null
    ? amountIn(market, filledSize)
    : `${grouped(filledSize)} of ${amountIn(market, currentSize)}`;
}

function liquidationText({ order, events }: StoryInput, market: MarketFacts | undefined, totals: Totals): string {
  const margin = events.length === 0 ? '' : marginText(events[0]);
  const why = margin === '' ? 'equity was below its maintenance margin' : margin;
  const result = totals.realised === null ? '' : `, which ${resultText(totals.realised, market)}`;
  const part = order.liquidation === 'partial' ? 'a quarter' : 'all';
  return `Liquidation of ${part} of a position of ${order.account}, because its ${why}: it ${doneText({ order, events }, market)}${result}.`;
}

/** The last part of a TWAP that was skipped, if no part has traded or rested since. */
function pauseOf(events: readonly OrderHappening[]): OrderHappening | undefined {
  const last = events.findLast(({ type }) => ['paused', 'skipped', 'traded', 'rested', 'started'].includes(type));
  return last !== undefined && isSkip(last) ? last : undefined;
}

const isSkip = ({ type }: OrderHappening) => type === 'paused' || type === 'skipped';

function liveText(input: StoryInput, present: Present, market: MarketFacts | undefined): string {
  const { order, events } = input;
  const [first] = events;
  const terms = first?.type === 'accepted' ? termsOf(first) : undefined;
  if (order.kind === 'twap') return twapText(input, present, market);
  if (order.state === 'waiting') return waitingText(order, terms, present, market);
  const done = soFarText(order, market);
  if (order.kind === 'peg') {
    const { price, displayedSize, waitingFor } = present.progress;
    if (waitingFor === 'index') return `Waiting for an index price; ${done}.`;
    return `Working: it shows ${amountIn(market, displayedSize)} at ${priceIn(market, price)}, following the index; ${done}.`;
  }
  const left = order.remainingSize === null ? '' : ` with ${amountIn(market, order.remainingSize)} left`;
  const fired = firedText(input, market);
  const expiry = present.nextDueMs === null ? '' : ` It expires at ${clockFrom(order.createdMs, present.nextDueMs)}.`;
  return `Working: ${fired === '' ? 'it' : `${fired} and`} rests at ${priceIn(market, order.price)}${left}; ${done}.${expiry}`;
}

/** "it has bought 0.2 of 0.5 BTC". */
function soFarText(order: OrderFacts, market: MarketFacts | undefined): string {
  const verb = pastVerbOf(order.side);
  return `it has ${verb} ${order.filledSize === '0' ? 'nothing yet' : partOf(order, market)}`;
}

function waitingText(
  order: OrderFacts,
  terms: ReturnType<typeof termsOf> | undefined,
  present: Present,
  market: MarketFacts | undefined,
): string {
  const reference = String(order.triggerReference) as 'last' | 'index' | 'mark';
  const price = present[reference];
  const now = price === null ? `there is no ${reference} yet` : `${reference} is ${priceIn(market, price)}`;
  const verb = `${verbOf(order.side)}s`;
  const { progress } = present;
  if (order.kind === 'trailing') {
    if (progress.activated === false) {
      const { activation, activationReference = reference } = terms?.trailing ?? {};
      const reached = activation === undefined ? 'its activation price' : priceIn(market, activation);
      return `Waiting: it begins to follow ${reference} when ${activationReference} reaches ${reached}; ${now}.`;
    }
    if (order.triggerPrice === null) return `Waiting: ${now}, so it has no stop.`;
    const extreme = order.side === 'SELL' ? 'high' : 'low';
    const from =
      typeof progress.extreme === 'string' ? `, after a ${extreme} of ${priceIn(market, progress.extreme)}` : '';
    return `Waiting: its stop is at ${priceIn(market, order.triggerPrice)}${from}; ${now}.`;
  }
  if (terms === undefined) return `Waiting for ${reference} to reach ${priceIn(market, order.triggerPrice)}; ${now}.`;
  // An amend, or the other leg, may have changed trigger and size since.
  const trigger = terms.trigger && { ...terms.trigger, price: String(order.triggerPrice) };
  const does = termsText({ ...terms, trigger, size: order.remainingSize ?? terms.size }, market);
  return `Waiting: it ${does.replace(/^(buy|sell)/, verb)}; ${now}.`;
}

function twapText({ order, events }: StoryInput, present: Present, market: MarketFacts | undefined): string {
  const { progress } = present;
  const { children, childrenDone, nextChildAt } = progress as Readonly<Record<string, number | null | undefined>>;
  if (progress.pausedBy === 'activation') return 'Waiting for its activation price.';
  const skipped = new Set(events.filter(isSkip).map(({ figures }) => (figures as Figures | undefined)?.part)).size;
  const traded = `${soFarText(order, market)} in ${Number(childrenDone) - skipped} of ${children} parts`;
  const done = skipped === 0 ? traded : `${traded} and skipped ${skipped}`;
  const pause = pauseOf(events);
  const end = endOf(events, progress);
  const next =
    typeof nextChildAt === 'number'
      ? `The next part is due at ${clockFrom(order.createdMs, nextChildAt)}`
      : 'Its last step is due';
  const [first] = events;
  if (pause === undefined) {
    // A condition that it was placed with, and not what it does now.
    const pauses = first?.type === 'accepted' ? pausePriceText(termsOf(first), market) : '';
    const unless = pauses === '' || typeof nextChildAt !== 'number' ? '' : `, unless ${pauses} then`;
    return `Working: ${done}. ${next}${unless}.`;
  }
  const figures = (pause.figures ?? {}) as Figures;
  const partsLeft = Number(children) - Number(childrenDone);
  const why = figures.pausedBy === undefined ? 'its last part was skipped' : pausedText(figures, market);
  const awaited = resumesText(figures, order.side, market);
  const resumes = awaited === '' ? '' : ` It continues with the first part that is due while ${awaited}.`;
  const spread = partsLeft > 0 ? `; what was missed is spread over the ${partsLeft} parts left` : '';
  const until = end === null ? '' : `, and its end at ${clockFrom(order.createdMs, end)} does not move`;
  return `Paused because ${why} when part ${figures.part ?? childrenDone} was due; ${done}.${resumes} ${next}${spread}${until}.`;
}

function endOf(events: readonly OrderHappening[], progress: Figures): number | null {
  const [first] = events;
  const period = first?.type === 'accepted' ? termsOf(first).twap?.periodMs : undefined;
  return period === undefined || typeof progress.startedAt !== 'number' ? null : progress.startedAt + period;
}

/** What of a live order is due next. Null: nothing. */
export function nextOf({ order, present = null }: StoryInput, market: MarketFacts | undefined): StoryRow | null {
  if (present === null || present.nextDueMs === null) return null;
  const { time, nextDueMs, progress } = present;
  const row = { seq: null, n: 0, time: nextDueMs, kind: 'next', price: null, filled: null, left: null } as const;
  const detail = nextDueMs > time ? `in ${duration(nextDueMs - time)} of venue time` : 'now';
  if (order.kind !== 'twap') return { ...row, sentence: 'Expires', detail };
  const { children, childrenDone } = progress as Readonly<Record<string, number>>;
  if (childrenDone >= children) return { ...row, sentence: 'Ends', detail };
  const size =
    order.remainingSize === null
      ? ''
      : `, about ${amountIn(market, planned(order.remainingSize, children - childrenDone, market))}`;
  return { ...row, sentence: `Next: part ${childrenDone + 1}${size}`, detail };
}

/** An even share of what is left, rounded down to the market's decimals. */
function planned(left: string, parts: number, market: MarketFacts | undefined): string {
  const places = market?.sizeDecimals ?? 8;
  const lots = BigInt(shifted(left, places).split('.')[0]) / BigInt(parts);
  const digits = String(lots).padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}
