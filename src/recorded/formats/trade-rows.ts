/** Trades of any format with one trade a row: which column is what. */
import { priceOf, sizeOf } from '../decimal.ts';
import type { MarketEvent, TakerSide } from '../events.ts';
import { RowProblem, shown } from '../refused.ts';
import type { Reading, RowReader } from './format.ts';

/** Places of columns. */
export interface TradeColumns {
  readonly names: readonly string[];
  readonly time: number;
  readonly price: number;
  readonly size: number;
  readonly side: number;
  readonly id?: number;
  readonly symbol?: number;
  /** What the side column says of the taker. */
  readonly sides: Readonly<Record<string, TakerSide>>;
}

export const TAKER_SIDES: Readonly<Record<string, TakerSide>> = {
  buy: 'buy',
  sell: 'sell',
  Buy: 'buy',
  Sell: 'sell',
  unknown: 'unknown',
};

/** A buyer who was the maker was hit by a taker who sold. */
export const BUYER_IS_MAKER: Readonly<Record<string, TakerSide>> = {
  true: 'sell',
  True: 'sell',
  false: 'buy',
  False: 'buy',
};

/** `cellsOfRow` returns undefined for a row that does not count. */
export function tradeRows(
  reading: Reading,
  columns: TradeColumns,
  cellsOfRow: (row: string) => readonly string[] | undefined,
): RowReader {
  const { names, time, price, size, side, id, symbol, sides } = columns;
  return {
    row(text: string, out: MarketEvent[]): void {
      const cells = cellsOfRow(text);
      if (cells === undefined || (symbol !== undefined && !reading.takes(cells[symbol]))) return;
      const taker = Object.hasOwn(sides, cells[side]) ? sides[cells[side]] : undefined;
      if (taker === undefined) {
        throw new RowProblem(
          `${names[side]} is ${shown(cells[side])}, and one of ${Object.keys(sides).join(', ')} is needed`,
        );
      }
      const amount = sizeOf(cells[size], names[size]);
      if (amount === '0') throw new RowProblem(`${names[size]} is 0, and a trade has a size`);
      out.push({
        kind: 'trade',
        atUs: reading.at(cells[time], names[time]),
        id: id === undefined ? '' : cells[id],
        side: taker,
        price: priceOf(cells[price], names[price]),
        size: amount,
      });
    },
  };
}
