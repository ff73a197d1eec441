/** Judges conditions of a scenario by the venue as it is now, and by what happened before. Exact: decimals are compared as such. */
import { BOUNDS, type Bound, within } from '../client/decimals.ts';
import { decimalText } from '../venue/contract/decimal.ts';
import type { Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';
import type { Fill, RunRecord } from './record.ts';
import { CONDITION_KINDS, type Condition } from './schema.ts';

/** What conditions are judged by. */
export interface Seen {
  readonly venue: Venue;
  readonly record: RunRecord;
  /** The bot's account. */
  readonly account: string;
  /** How often each fault of the scenario has hit, in their order. */
  readonly hits: () => readonly number[];
  readonly refusals: () => readonly { readonly reason: string; readonly count: number }[];
}

/** `text`: `the position of bot in BTC-PERP is 2000, above 1000`, or `…, and not above 1000`. */
export interface Judged {
  readonly holds: boolean;
  readonly text: string;
}

type OfMarket = { readonly account?: string; readonly symbol?: string };

/** Names that no market, account or currency has, and conditions without a bound. */
export function problemsOf(
  condition: Condition,
  venue: Venue,
  account: string,
  faults: number,
  place: string,
): string[] {
  const kind = kindOf(condition);
  const given = condition[kind] as Exclude<Bound, number | string> &
    OfMarket & { currency?: string; fault?: number; of?: string };
  const where = `${place}.${kind}`;
  const problems: string[] = [];
  if (!BOUNDS.some((bound) => given[bound] !== undefined)) {
    problems.push(`${where} must have one of ${BOUNDS.join(', ')}`);
  }
  const name = given.account ?? account;
  if (venue.accountByName(name) === undefined) problems.push(`${where}.account ${name} is no account of the scenario`);
  const { symbol, currency } = given;
  if (symbol !== undefined && venue.marketBySymbol(symbol) === undefined) {
    problems.push(`${where}.symbol ${symbol} is no market`);
  }
  if (currency !== undefined && !venue.currencies.some(({ code }) => code === currency)) {
    problems.push(`${where}.currency ${currency} is no currency`);
  }
  if (kind === 'fills' && given.of !== undefined && given.of !== 'count' && symbol === undefined) {
    problems.push(`${where}.symbol is required for ${given.of}`);
  }
  if (given.fault !== undefined && given.fault >= faults)
    problems.push(`${where}.fault ${given.fault}: there are ${faults}`);
  return problems;
}

function kindOf(condition: Condition): keyof Condition {
  return CONDITION_KINDS.find((kind) => condition[kind] !== undefined) as keyof Condition;
}

export function judge(condition: Condition, seen: Seen): Judged {
  const { what, value } = measured(condition, seen);
  const bounds = condition[kindOf(condition)] as Bound;
  // There is no price of no trade, and no bound that it is within.
  if (value === null) return { holds: false, text: `${what} is unknown, not ${within('0', bounds).wanted}` };
  const { holds, wanted } = within(value, bounds);
  return { holds, text: `${what} is ${value}${holds ? `, which is ${wanted}` : `, not ${wanted}`}` };
}

interface Measured {
  readonly what: string;
  readonly value: string | null;
}

function measured(condition: Condition, seen: Seen): Measured {
  const { venue, record } = seen;
  const count = (what: string, rows: readonly unknown[]): Measured => ({ what, value: String(rows.length) });
  if (condition.balance !== undefined) {
    const { account = seen.account, currency, of = 'total' } = condition.balance;
    return {
      what: `the ${of === 'equity' ? 'equity' : `${of} balance`} of ${account} in ${currency}`,
      value: balanceOf(venue, account, currency, of),
    };
  }
  if (condition.position !== undefined) {
    const { account = seen.account, symbol } = condition.position;
    const open = venue.positions(numberOf(venue, account)).filter(({ market }) => market.symbol === symbol);
    const size = open.reduce((sum, position) => sum + position.size, 0);
    const market = venue.marketBySymbol(symbol) as MarketView;
    const value = `${size < 0 ? '-' : ''}${market.sizeText(Math.abs(size))}`;
    return { what: `the position of ${account} in ${symbol}`, value };
  }
  if (condition.openOrders !== undefined) {
    const { side } = condition.openOrders;
    const rows = record.orders.filter(
      (order) =>
        order.ending === null &&
        isOf(condition.openOrders as OfMarket, order, seen) &&
        (side ?? order.side) === order.side,
    );
    return count(`the number of open orders${ofWords(condition.openOrders, seen)}`, rows);
  }
  if (condition.orders !== undefined) {
    const { side, ending } = condition.orders;
    const rows = record.orders.filter(
      (order) =>
        isOf(condition.orders as OfMarket, order, seen) &&
        (side ?? order.side) === order.side &&
        (ending === undefined || order.ending === ending),
    );
    return count(
      `the number of orders${ofWords(condition.orders, seen)}${ending === undefined ? '' : ` that ended as ${ending}`}`,
      rows,
    );
  }
  if (condition.fills !== undefined) {
    const { of = 'count', side, symbol } = condition.fills;
    const rows = record.fills.filter(
      (fill) => isOf(condition.fills as OfMarket, fill, seen) && (side ?? fill.side) === fill.side,
    );
    const what = `the ${FILL_WORDS[of]}${side === undefined ? '' : ` (${side})`}${ofWords(condition.fills, seen)}`;
    if (of === 'count') return count(what, rows);
    return { what, value: fillsValue(of, rows, venue.marketBySymbol(symbol as string) as MarketView) };
  }
  if (condition.paid !== undefined) {
    const { what, currency = 'USDT' } = condition.paid;
    const at = venue.currencies.findIndex(({ code }) => code === currency);
    const units =
      what === 'fees'
        ? sum(
            record.fills
              .filter((fill) => isOf(condition.paid as OfMarket, fill, seen) && fill.feeCurrency === at)
              .map(({ fee }) => fee),
          )
        : -sum(
            record.movements
              .filter(
                (move) => move.reason === what && move.currency === at && isOf(condition.paid as OfMarket, move, seen),
              )
              .map(({ amount }) => amount),
          );
    const words = what === 'realised' ? 'loss' : what;
    return {
      what: `the ${words} paid in ${currency}${ofWords(condition.paid, seen)}`,
      value: decimalText(units, venue.currencies[at].decimals),
    };
  }
  if (condition.events !== undefined) {
    const { kind, account, symbol } = condition.events;
    const rows = record.events.filter((event) => {
      if (event.kind !== kind || (symbol !== undefined && venue.markets[event.market]?.symbol !== symbol)) return false;
      return account === undefined || event.account === numberOf(venue, account);
    });
    return count(`the number of ${kind} events`, rows);
  }
  if (condition.refusals !== undefined) {
    const { reason } = condition.refusals;
    const rows = seen.refusals().filter((row) => (reason ?? row.reason) === row.reason);
    return {
      what: `the number of refusals${reason === undefined ? '' : ` (${reason})`}`,
      value: String(rows.reduce((all, row) => all + row.count, 0)),
    };
  }
  if (condition.hits !== undefined) {
    const { fault } = condition.hits;
    return { what: `the number of hits of faults[${fault}]`, value: String(seen.hits()[fault]) };
  }
  const { symbol, of = 'last' } = condition.price as NonNullable<Condition['price']>;
  const market = venue.marketBySymbol(symbol) as MarketView;
  const fine = { last: market.last, mark: market.mark, index: market.indexPrice }[of];
  return { what: `the ${of} price of ${symbol}`, value: fine === 0 ? null : market.fineText(fine) };
}

const FILL_WORDS = {
  count: 'number of fills',
  size: 'size of all fills',
  value: 'value of all fills',
  averagePrice: 'average price of the fills',
  lowestPrice: 'lowest price of the fills',
  highestPrice: 'highest price of the fills',
} as const;

function fillsValue(
  of: Exclude<keyof typeof FILL_WORDS, 'count'>,
  rows: readonly Fill[],
  market: MarketView,
): string | null {
  if (of === 'size') return market.sizeText(rows.reduce((all, { sizeLots }) => all + sizeLots, 0));
  if (of === 'value')
    return market.quoteText(sum(rows.map(({ priceTicks, sizeLots }) => market.notional(priceTicks, sizeLots))));
  if (rows.length === 0) return null;
  const prices = rows.map(({ priceTicks }) => priceTicks);
  if (of === 'lowestPrice') return market.priceText(Math.min(...prices));
  if (of === 'highestPrice') return market.priceText(Math.max(...prices));
  const lots = rows.reduce((all, { sizeLots }) => all + BigInt(sizeLots), 0n);
  const cost = rows.reduce((all, { priceTicks, sizeLots }) => all + BigInt(priceTicks) * BigInt(sizeLots), 0n);
  // Four more digits than the tick.
  const { coefficient, scale } = market.tick;
  return decimalText((cost * coefficient * 10_000n) / lots, scale + 4);
}

/** In smallest units as text. */
export function balanceOf(
  venue: Venue,
  account: string,
  currency: string,
  of: 'total' | 'available' | 'equity',
): string | null {
  const balance = venue.balances(numberOf(venue, account)).find((each) => each.currency.code === currency);
  if (balance === undefined) return null;
  const units = of === 'equity' ? balance.total + balance.unrealised : balance[of];
  return decimalText(units, balance.currency.decimals);
}

function numberOf(venue: Venue, account: string): number {
  return venue.accountByName(account)?.index ?? -1;
}

function isOf({ account, symbol }: OfMarket, row: { account: number; market: number }, seen: Seen): boolean {
  const { venue } = seen;
  if (row.account !== numberOf(venue, account ?? seen.account)) return false;
  return symbol === undefined || venue.markets[row.market]?.symbol === symbol;
}

function ofWords({ account, symbol }: OfMarket, seen: Seen): string {
  return ` of ${account ?? seen.account}${symbol === undefined ? '' : ` in ${symbol}`}`;
}

function sum(all: readonly bigint[]): bigint {
  return all.reduce((total, each) => total + each, 0n);
}
