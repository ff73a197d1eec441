/**
 * The story of an order: a sentence that says why it is as it is, then what happened to it, one row after the other.
 *
 * - Rows are keyed by (seq, n). `n` counts the order's events of a command from 1, because one command may do many things.
 * - Trades of one moment are one row. Repeats are one row too, and `each` has every row of them, so nothing is hidden.
 *
 * Cost: linear in the events. At most 5,000 of them become rows.
 */
import { nextOf, openingOf, statusOf, titleOf } from './opening.ts';
import type { OrderFacts, OrderHappening, Story, StoryInput, Totals } from './order-facts.ts';
import { partsOf } from './parts.ts';
import { summedUp } from './repeats.ts';
import { draftsOf } from './rows.ts';
import { sumOf } from './text.ts';

/** More events than this are not made rows of. Those after the acceptance are left out then, the oldest first. */
const MOST_EVENTS = 5000;

export function story(input: StoryInput): Story {
  const { order, events, markets = {} } = input;
  const market = markets[order.market];
  // What a left branch did is among the rows, and says nothing about the order as it is, unless all of it is there.
  const counting =
    order.left === undefined ? { ...input, events: events.filter(({ leftBranch }) => leftBranch !== true) } : input;
  const next = nextOf(counting, market);
  const totals = totalsOf(order, counting.events);
  const drafts = draftsOf(order, shortened(events), market);
  return {
    title: titleOf(order, events, market),
    status: statusOf(counting),
    sentence: openingOf(counting, market, totals),
    rows: [...summedUp(drafts, order, market), ...(next === null ? [] : [next])],
    ...(order.kind === 'twap' && { parts: partsOf(drafts) }),
    totals,
  };
}

function shortened(events: readonly OrderHappening[]): readonly OrderHappening[] {
  const count = events.length - MOST_EVENTS;
  if (count <= 0) return events;
  const { seq, time } = events[count];
  return [events[0], { type: 'leftOut', seq, time, count }, ...events.slice(count + 1)];
}

function totalsOf(order: OrderFacts, events: readonly OrderHappening[]): Totals {
  const fees = new Map<string, string>();
  const realised: string[] = [];
  for (const event of events) {
    if (event.type !== 'traded') continue;
    const currency = String(event.feeCurrency);
    fees.set(currency, sumOf([fees.get(currency) ?? '0', String(event.fee)]));
    if (typeof event.realised === 'string') realised.push(event.realised);
  }
  return {
    filled: order.filledSize,
    average: order.averagePrice,
    fees: Object.fromEntries(fees),
    realised: realised.length === 0 ? null : sumOf(realised),
  };
}
