/**
 * The story of an order: a sentence that says why it is as it is, then what happened to it, one row after the other.
 *
 * - Rows are keyed by (seq, n). `n` counts the order's events of a command from 1, because one command may do many things.
 * - Trades of one moment are one row. Repeats are one row too, and `each` has every row of them, so nothing is hidden.
 *
 * Cost: linear in the events.
 */
import { nextOf, openingOf, statusOf, titleOf } from './opening.ts';
import type { OrderFacts, OrderHappening, Story, StoryInput, Totals } from './order-facts.ts';
import { rowsOf } from './rows.ts';
import { sumOf } from './text.ts';

export function story(input: StoryInput): Story {
  const { order, events, markets = {} } = input;
  const market = markets[order.market];
  const next = nextOf(input, market);
  const totals = totalsOf(order, events);
  return {
    title: titleOf(order, events, market),
    status: statusOf(input),
    sentence: openingOf(input, market, totals),
    rows: [...rowsOf(order, events, market), ...(next === null ? [] : [next])],
    totals,
  };
}

function totalsOf(order: OrderFacts, events: readonly OrderHappening[]): Totals {
  const fees = new Map<string, string>();
  const realised: string[] = [];
  for (const event of events) {
    if (event.type !== 'traded' || event.leftBranch === true) continue;
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
