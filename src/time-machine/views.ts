/** What is shown of a state: the same records as the control surface shows of the present one. */
import { findMarket } from '../api/control/context.ts';
import { tickerView } from '../api/control/market-summary.ts';
import { orderView } from '../api/control/order-view.ts';
import type { AtQuery, CommandQuery } from '../api/control/past.ts';
import { accountView, balancesView, levelView, marketStatus, positionsView } from '../api/control/views.ts';
import { ApiError } from '../api/shared/errors.ts';
import { marketFacts } from '../archive/follow/effects.ts';
import { recordOf } from '../engine/replay/log-records.ts';
import type { CommandFacts, Happening } from '../story/facts.ts';
import { why } from '../story/why.ts';
import { BUY, SELL, type Side } from '../venue/contract/units.ts';
import type { Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';
import type { Moment } from './traveller.ts';

export type View = Pick<AtQuery, 'show' | 'account' | 'symbol' | 'limit'>;
export type Page = Pick<CommandQuery, 'first' | 'limit'>;

/** Nothing that it needs is missing (`missingFor`). @throws {ApiError} an account or a market that was not there */
export function viewOf(venue: Venue, view: View): object {
  switch (view.show) {
    case null:
      return {};
    case 'book':
      return bookView(venue, view);
    case 'orders':
      return ordersView(venue, view);
    case 'positions':
      return positionsIn(venue, view);
    case 'balances': {
      const shown = accountsOf(venue, view).map((account) => [nameOf(venue, account), balancesView(venue, account)]);
      return { balances: Object.fromEntries(shown.slice(0, view.limit)), ...more(shown.length > view.limit) };
    }
    case 'account': {
      const [account] = accountsOf(venue, view);
      return { account: view.account, ...accountView(venue, account), ...ordersView(venue, view) };
    }
  }
}

function bookView(venue: Venue, { symbol, limit }: View): object {
  const market = findMarket(venue, symbol ?? '');
  const side = (which: Side) => market.depth(which, limit).map((level) => levelView(market, level));
  return {
    symbol: market.symbol,
    status: marketStatus(market),
    market: tickerView(market, venue.timeMs),
    bids: side(BUY),
    asks: side(SELL),
  };
}

/** Live orders, the oldest of an account first. */
function ordersView(venue: Venue, view: View): object {
  const { limit, symbol } = view;
  const market = symbol === null ? null : findMarket(venue, symbol);
  const orders: object[] = [];
  for (const account of accountsOf(venue, view)) {
    for (const product of market === null ? (['spot', 'futures'] as const) : [market.product]) {
      for (const order of venue.openOrders(account, product, market?.index ?? null)) {
        if (orders.length === limit) return { orders, ...more(true) };
        orders.push(orderView(venue, order));
      }
    }
  }
  return { orders };
}

function positionsIn(venue: Venue, view: View): object {
  const { limit, symbol } = view;
  const market: MarketView | null = symbol === null ? null : findMarket(venue, symbol);
  const positions: object[] = [];
  for (const account of accountsOf(venue, view)) {
    for (const position of positionsView(venue, account) as { readonly symbol: string }[]) {
      if (market !== null && position.symbol !== market.symbol) continue;
      if (positions.length === limit) return { positions, ...more(true) };
      positions.push({ account: nameOf(venue, account), ...position });
    }
  }
  return { positions };
}

/** The numbers of the accounts that are asked for. */
function accountsOf(venue: Venue, { account }: View): number[] {
  if (account === null) return venue.accountNumbers();
  const found = venue.accountByName(account);
  if (found === undefined) throw new ApiError('unknownAccount', { account, hint: ` at seq ${venue.seq}` });
  return [found.index];
}

function nameOf(venue: Venue, account: number): string {
  return venue.account(account)?.name ?? String(account);
}

function more(more: boolean): { more?: true } {
  return more ? { more } : {};
}

/**
 * A command with a page of what it set off. `first`: how many effects come before. The first page has its story: the same
 * effects as a tree of sentences.
 */
export function commandView({ seq, venue, entry, happenings }: Moment, { first, limit }: Page): object {
  const { all, count, command } = happenings;
  const effects = all.slice(first, first + limit);
  const rest = first + effects.length;
  return {
    seq,
    time: venue.timeMs,
    record: withoutSecrets(recordOf(entry, seq, seq)),
    command: command ?? null,
    ...(command !== undefined && first === 0 && storyOf(venue, command, effects)),
    effects,
    count,
    ...(rest < all.length && { next: String(rest) }),
  };
}

/** A command in a sentence, and how many effects it had. */
export function commandLine({ seq, venue, happenings: { command, count } }: Moment): object {
  if (command === undefined) return { seq, time: venue.timeMs, command: null, sentence: LEFT_OUT, count };
  const { sentence } = why(command, [], marketFacts(venue.markets));
  return { seq, time: venue.timeMs, command, sentence, count };
}

const LEFT_OUT = 'A command that was left out, because it made the venue fail';

function storyOf(venue: Venue, command: CommandFacts, effects: readonly Happening[]): object {
  const { sentence, effects: tree } = why(command, effects, marketFacts(venue.markets));
  return { sentence, why: tree };
}

/** Neither the sealed secrets of API keys, nor the key of the order ids. */
function withoutSecrets(record: object): object {
  const secret = (name: string, value: unknown) => (name === 'sealed' || name === 'idKey' ? undefined : value);
  return JSON.parse(JSON.stringify(record, secret)) as object;
}
