/**
 * The conditions of a scenario, one entry for each kind: its form, and what it measures in the venue as it is now and in what
 * happened before. The schema, the documents and the errors follow from this table. Exact: decimals are compared as such.
 */
import Type, { type Static, type TObject } from 'typebox';
import { BOUNDS, type Bound, within } from '../client/decimals.ts';
import { decimalText } from '../venue/contract/decimal.ts';
import type { Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';
import { choice, decimal, object, optional, SYMBOL, text } from './fields.ts';
import type { Fill, RunRecord } from './record.ts';

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

interface Measured {
  readonly what: string;
  /** Null: there is none, such as the price of no trade. */
  readonly value: string | null;
}

interface Kind<Form extends TObject> {
  readonly schema: Form;
  readonly measure: (given: Static<Form>, seen: Seen) => Measured;
}

function kind<Form extends TObject>(schema: Form, measure: (given: Static<Form>, seen: Seen) => Measured): Kind<Form> {
  return { schema, measure };
}

/** The only members that conditions compare by. At least one. */
const COMPARED = {
  is: optional(decimal('Equal to')),
  above: optional(decimal('Greater than')),
  below: optional(decimal('Less than')),
  atLeast: optional(decimal('Not less than')),
  atMost: optional(decimal('Not greater than')),
};
const OF_ACCOUNT = { account: optional(text("Account; by default the bot's")) };
const OF_MARKET = { ...OF_ACCOUNT, symbol: optional(SYMBOL) };
const SIDE = { side: optional(choice(['BUY', 'SELL'], 'Only of this side')) };

const FILL_WORDS = {
  count: 'number of fills',
  size: 'size of all fills',
  value: 'value of all fills',
  averagePrice: 'average price of the fills',
  lowestPrice: 'lowest price of the fills',
  highestPrice: 'highest price of the fills',
} as const;
type OfFills = keyof typeof FILL_WORDS;

export const CONDITIONS = {
  balance: kind(
    object(
      {
        ...OF_ACCOUNT,
        currency: text('Currency, such as USDT'),
        of: optional(choice(['total', 'available', 'equity'], 'Default: total')),
        ...COMPARED,
      },
      'Money of an account: `total` (default), `available`, or `equity`, which has the unrealised result',
    ),
    ({ account, currency, of = 'total' }, seen) => {
      const name = account ?? seen.account;
      const what = of === 'equity' ? 'equity' : `${of} balance`;
      return { what: `the ${what} of ${name} in ${currency}`, value: balanceOf(seen.venue, name, currency, of) };
    },
  ),
  position: kind(
    object({ ...OF_ACCOUNT, symbol: SYMBOL, ...COMPARED }, 'Contracts, negative if short'),
    ({ account, symbol }, { venue, account: own }) => {
      const open = venue.positions(numberOf(venue, account ?? own)).filter(({ market }) => market.symbol === symbol);
      const size = open.reduce((sum, position) => sum + position.size, 0);
      const sizeText = marketOf(venue, symbol).sizeText(Math.abs(size));
      return { what: `the position of ${account ?? own} in ${symbol}`, value: `${size < 0 ? '-' : ''}${sizeText}` };
    },
  ),
  openOrders: kind(object({ ...OF_MARKET, ...SIDE, ...COMPARED }, 'How many orders are open'), (given, seen) => {
    const open = seen.record.orders.filter((order) => order.ending === null && isMeant(given, order, seen));
    return counted(`the number of open orders${ofWords(given, seen)}`, open);
  }),
  orders: kind(
    object(
      {
        ...OF_MARKET,
        ...SIDE,
        ending: optional(text('Only those that ended so')),
        ...COMPARED,
      },
      'How many orders were placed, or ended so: `filled`, `cancelledByClient`, `immediateRemainder`, …',
    ),
    (given, seen) => {
      const { ending } = given;
      const isSo = (order: { readonly ending: string | null }) => ending === undefined || order.ending === ending;
      const rows = seen.record.orders.filter((order) => isSo(order) && isMeant(given, order, seen));
      const how = ending === undefined ? '' : ` that ended as ${ending}`;
      return counted(`the number of orders${ofWords(given, seen)}${how}`, rows);
    },
  ),
  fills: kind(
    object(
      {
        ...OF_MARKET,
        ...SIDE,
        of: optional(choice(Object.keys(FILL_WORDS) as OfFills[], 'Default: count')),
        ...COMPARED,
      },
      'Trades of an account: `count` (default), `size`, `value`, `averagePrice`, `lowestPrice`, `highestPrice`. ' +
        'Without a trade a price is unknown, and the condition does not hold',
    ),
    (given, seen) => {
      const { of = 'count', side, symbol } = given;
      const rows = seen.record.fills.filter((fill) => isMeant(given, fill, seen));
      const what = `the ${FILL_WORDS[of]}${side === undefined ? '' : ` (${side})`}${ofWords(given, seen)}`;
      if (of === 'count') return counted(what, rows);
      return { what, value: fillsValue(of, rows, marketOf(seen.venue, symbol as string)) };
    },
  ),
  paid: kind(
    object(
      {
        ...OF_MARKET,
        what: choice(['funding', 'fees', 'realised', 'insurance'], 'What moved the money'),
        currency: optional(text('Default: USDT')),
        ...COMPARED,
      },
      'What an account paid in all for `funding`, `fees`, `realised` (a loss is positive) or `insurance`; negative if received',
    ),
    (given, seen) => {
      const { what, currency = 'USDT' } = given;
      const { venue, record } = seen;
      const at = venue.currencies.findIndex(({ code }) => code === currency);
      const fees = () => record.fills.filter((fill) => fill.feeCurrency === at && isMeant(given, fill, seen));
      const moves = () =>
        record.movements.filter((move) => move.reason === what && move.currency === at && isMeant(given, move, seen));
      const units = what === 'fees' ? sum(fees().map(({ fee }) => fee)) : -sum(moves().map(({ amount }) => amount));
      return {
        what: `the ${what === 'realised' ? 'loss' : what} paid in ${currency}${ofWords(given, seen)}`,
        value: decimalText(units, venue.currencies[at].decimals),
      };
    },
  ),
  events: kind(
    object(
      {
        account: optional(text('Only of this account')),
        symbol: optional(SYMBOL),
        kind: choice(['liquidation', 'deleveraging', 'halt', 'resume', 'reset'], 'What happened'),
        ...COMPARED,
      },
      'How often something happened: `liquidation`, `deleveraging`, `halt`, `resume`, `reset`',
    ),
    ({ kind: of, account, symbol }, { venue, record }) => {
      const rows = record.events.filter((event) => {
        if (event.kind !== of || (symbol !== undefined && venue.markets[event.market]?.symbol !== symbol)) return false;
        return account === undefined || event.account === numberOf(venue, account);
      });
      return counted(`the number of ${of} events`, rows);
    },
  ),
  refusals: kind(
    object(
      { reason: optional(text('Only of this reason')), ...COMPARED },
      'Refused commands of all clients, or those of one `reason`',
    ),
    ({ reason }, { refusals }) => {
      const rows = refusals().filter((row) => (reason ?? row.reason) === row.reason);
      const value = String(rows.reduce((all, row) => all + row.count, 0));
      return { what: `the number of refusals${reason === undefined ? '' : ` (${reason})`}`, value };
    },
  ),
  hits: kind(
    object(
      { fault: Type.Integer({ minimum: 0, description: 'Which of `faults`, from 0' }), ...COMPARED },
      'How often a fault of the file hit, by its place from 0',
    ),
    ({ fault }, { hits }) => ({ what: `the number of hits of faults[${fault}]`, value: String(hits()[fault] ?? 0) }),
  ),
  price: kind(
    object(
      { symbol: SYMBOL, of: optional(choice(['last', 'mark', 'index'], 'Default: last')), ...COMPARED },
      'A price of a market: `last` (default), `mark`, `index`',
    ),
    ({ symbol, of = 'last' }, { venue }) => {
      const market = marketOf(venue, symbol);
      const fine = { last: market.last, mark: market.mark, index: market.indexPrice }[of];
      return { what: `the ${of} price of ${symbol}`, value: fine === 0 ? null : market.fineText(fine) };
    },
  ),
} as const;

export type ConditionKind = keyof typeof CONDITIONS;
export const CONDITION_KINDS = Object.keys(CONDITIONS) as ConditionKind[];
/** Has exactly one of them. */
export type Condition = { readonly [kind in ConditionKind]?: Static<(typeof CONDITIONS)[kind]['schema']> };

/** `text`: `the position of bot in BTC-PERP is 2000, above 1000`, or `…, and not above 1000`. */
export interface Judged {
  readonly holds: boolean;
  readonly text: string;
}

export function judge(condition: Condition, seen: Seen): Judged {
  const of = kindOf(condition);
  const measure = CONDITIONS[of].measure as (given: unknown, seen: Seen) => Measured;
  const { what, value } = measure(condition[of], seen);
  const bounds = condition[of] as Bound;
  if (value === null) return { holds: false, text: `${what} is unknown, not ${within('0', bounds).wanted}` };
  const { holds, wanted } = within(value, bounds);
  return { holds, text: `${what} is ${value}${holds ? `, which is ${wanted}` : `, not ${wanted}`}` };
}

/** The one of `CONDITION_KINDS` that a checked condition has. */
function kindOf(condition: Condition): ConditionKind {
  return CONDITION_KINDS.find((name) => condition[name] !== undefined) as ConditionKind;
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
  const of = kindOf(condition);
  const given = condition[of] as Exclude<Bound, number | string> &
    OfMarket & { currency?: string; fault?: number; of?: string };
  const where = `${place}.${of}`;
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
  if (of === 'fills' && given.of !== undefined && given.of !== 'count' && symbol === undefined) {
    problems.push(`${where}.symbol is required for ${given.of}`);
  }
  if (given.fault !== undefined && given.fault >= faults)
    problems.push(`${where}.fault ${given.fault}: there are ${faults}`);
  return problems;
}

function counted(what: string, rows: readonly unknown[]): Measured {
  return { what, value: String(rows.length) };
}

function fillsValue(of: Exclude<OfFills, 'count'>, rows: readonly Fill[], market: MarketView): string | null {
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

/** As exact text in the currency. Null: the account has none of it. */
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

/** `problemsOf` has checked that there is one. */
function marketOf(venue: Venue, symbol: string): MarketView {
  return venue.marketBySymbol(symbol) as MarketView;
}

/** Whether a row is of the account, the market and the side that are meant. */
function isMeant(
  { account, symbol, side }: OfMarket & { readonly side?: string },
  row: { readonly account: number; readonly market: number; readonly side?: string },
  { venue, account: own }: Seen,
): boolean {
  if (row.account !== numberOf(venue, account ?? own)) return false;
  if (side !== undefined && row.side !== side) return false;
  return symbol === undefined || venue.markets[row.market]?.symbol === symbol;
}

function ofWords({ account, symbol }: OfMarket, seen: Seen): string {
  return ` of ${account ?? seen.account}${symbol === undefined ? '' : ` in ${symbol}`}`;
}

function sum(all: readonly bigint[]): bigint {
  return all.reduce((total, each) => total + each, 0n);
}
