/**
 * Binance public data: trades, aggTrades and bookTicker, of spot and futures. Spot files have no header, and one more column
 * (isBestMatch) than those of futures. The symbol is in the name of the file only. Klines are in `candles.ts`.
 */
import { priceOf, sizeOf } from '../decimal.ts';
import type { Level, MarketEvent } from '../events.ts';
import { timeOf } from '../times.ts';
import {
  cellsOf,
  type Format,
  goesBackwards,
  type Head,
  type Reading,
  type RowReader,
  symbolInName,
} from './format.ts';
import { BUYER_IS_MAKER, type TradeColumns, tradeRows } from './trade-rows.ts';

const TRADES = ['id', 'price', 'qty', 'quote_qty', 'time', 'is_buyer_maker'];
const AGGREGATED = [
  'agg_trade_id',
  'price',
  'quantity',
  'first_trade_id',
  'last_trade_id',
  'transact_time',
  'is_buyer_maker',
];
const TICKER = [
  'update_id',
  'best_bid_price',
  'best_bid_qty',
  'best_ask_price',
  'best_ask_qty',
  'transaction_time',
  'event_time',
];
const BEST_MATCH = 'is_best_match';
/** Headers, for the message about one that is almost this. */
export const BINANCE_HEADERS = {
  'Binance trades': TRADES,
  'Binance aggTrades': AGGREGATED,
  'Binance bookTicker': TICKER,
};

export function binance({ lines, name }: Head): Format | undefined {
  const first = (lines[0] ?? '').split(',');
  const header = /^[A-Za-z]/.test(first[0]);
  const what = header ? whatHeaderSays(first) : whatRowSays(first);
  if (what === undefined) return undefined;
  const { base, names } = what;
  const skip = header ? 1 : 0;
  const time = base === TRADES ? 4 : 5;
  const common = {
    symbol: symbolInName(name),
    skip,
    rows: 'lines',
    newestFirst: goesBackwards(lines.slice(skip).map((line) => line.split(',')[time] ?? '')),
  } as const;
  const market = names.length > base.length ? 'spot' : 'futures';
  if (base === TICKER) {
    return { ...common, name: 'Binance bookTicker', subject: 'quotes', reader: bookTicker };
  }
  const columns: TradeColumns = {
    names,
    id: 0,
    price: 1,
    size: 2,
    time,
    side: base.length - 1,
    sides: BUYER_IS_MAKER,
  };
  return {
    ...common,
    name: `Binance ${base === TRADES ? 'trades' : 'aggTrades'}, ${market}`,
    subject: 'trades',
    reader: (reading) => tradeRows(reading, columns, (line) => cellsOf(line, names)),
  };
}

interface What {
  readonly base: readonly string[];
  readonly names: readonly string[];
}

/** Headers are written in snake case or in camel case. */
function whatHeaderSays(header: readonly string[]): What | undefined {
  const plain = (names: readonly string[]) => names.join(',').toLowerCase().replaceAll('_', '');
  for (const base of [TRADES, AGGREGATED, TICKER]) {
    for (const names of [base, [...base, BEST_MATCH]]) {
      if (plain(header) === plain(names)) return { base, names };
    }
  }
  return undefined;
}

/** Without a header, the truth values or the times at the end of a row show what it is. */
function whatRowSays(cells: readonly string[]): What | undefined {
  const kinds = cells
    .map((cell) => (/^(true|false)$/i.test(cell) ? 'b' : /^\d+(\.\d+)?$/.test(cell) ? 'n' : '?'))
    .join('');
  if (kinds === 'nnnnnb') return { base: TRADES, names: TRADES };
  if (kinds === 'nnnnnbb') return { base: TRADES, names: [...TRADES, BEST_MATCH] };
  if (kinds === 'nnnnnnb') return { base: AGGREGATED, names: AGGREGATED };
  if (kinds === 'nnnnnnn' && timeOf(cells[5]) !== undefined && timeOf(cells[6]) !== undefined) {
    return { base: TICKER, names: TICKER };
  }
  if (kinds === 'nnnnnnbb') return { base: AGGREGATED, names: [...AGGREGATED, BEST_MATCH] };
  return undefined;
}

function bookTicker(reading: Reading): RowReader {
  return {
    row(line: string, out: MarketEvent[]): void {
      const cells = cellsOf(line, TICKER);
      const atUs = reading.at(cells[5], TICKER[5]);
      const level = (at: number): Level => [priceOf(cells[at], TICKER[at]), sizeOf(cells[at + 1], TICKER[at + 1])];
      out.push({ kind: 'quote', atUs, bid: level(1), ask: level(3) });
    },
  };
}
