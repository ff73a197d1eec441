/**
 * The picture of a market as a screen of text: the book with the best prices in its middle, the trades beside it, and
 * below them own positions and orders. It has as many lines as asked, none wider than 80 columns or the terminal.
 */
import type { Level } from '../../client/book.ts';
import { grouped } from '../../story/text.ts';
import { inColumns } from '../output.ts';
import type { OwnOrder, OwnPosition, Picture, Side, Trade } from './picture.ts';
import { priceText, sizeText, termsOf, timeOfDay, unitOf } from './words.ts';

export interface ScreenOptions {
  readonly columns: number;
  readonly rows: number;
  /** Whether own orders are known. */
  readonly hasOwn: boolean;
  /** The last sentence about the connection. */
  readonly said: string;
  readonly colours: boolean;
}

type Style = Side | 'dim' | 'bold';
/** Pieces of one line. */
type Row = readonly (readonly [text: string, style?: Style])[];

const COLOURS: Readonly<Record<Style, number>> = { BUY: 32, SELL: 31, dim: 2, bold: 1 };
const WIDTH = 80;
const LEFT = 38;
const BAR = 10;
/** The lines above the book, of what is the client's own, and below. */
const HEAD = 3;
const OWN = 9;
const FOOT = 1;
const POSITIONS = 2;

export function screen(picture: Picture, options: ScreenOptions): string[] {
  const { rows, hasOwn, said } = options;
  const width = Math.min(options.columns, WIDTH);
  const levels = Math.max(1, Math.floor((rows - HEAD - OWN - FOOT - 1) / 2));
  const trades = picture.trades.map((trade) => tradeRow(picture, trade));
  const book = bookRows(picture, levels).map((row, i): Row => [...row, ['   '], ...(trades[i] ?? [])]);
  const above: Row[] = [header(picture), [], titles(picture), ...book, [], ...ownRows(picture, hasOwn)];
  const below: Row = [[said, 'dim']];
  const filled = [...above.slice(0, rows - FOOT), ...Array<Row>(Math.max(0, rows - FOOT - above.length)).fill([])];
  return [...filled, below].map((row) => lineOf(row, width, options.colours));
}

function header({ market, trades, timeMs }: Picture): Row {
  const [last, before] = trades;
  const moved = last && before ? Math.sign(last.price - before.price) : 0;
  const price = last === undefined ? 'no trades yet' : grouped(priceText(market, last.price));
  const style = moved > 0 ? 'BUY' : moved < 0 ? 'SELL' : 'bold';
  const time = timeMs === 0 ? '' : `${timeOfDay(timeMs)} UTC`;
  const room = WIDTH - market.symbol.length - 2 - price.length;
  return [[market.symbol, 'bold'], ['  '], [price, style], [time.padStart(room), 'dim']];
}

function titles({ market }: Picture): Row {
  const book = ` ${'price'.padStart(12)}${unitOf(market).padStart(14)}`.padEnd(LEFT);
  return [[`${book}   ${'trades'.padEnd(14)}${'price'.padStart(12)}${'size'.padStart(13)}`, 'dim']];
}

/** Asks, worst first, the spread, and bids, best first: `levels` of each side, empty where there are fewer. */
function bookRows(picture: Picture, levels: number): Row[] {
  const [asks, bids] = [picture.asks(levels), picture.bids(levels)];
  const most = Math.max(...[...asks, ...bids].map(([, size]) => Number(size)));
  const rows = (side: Side, of: readonly Level[]) =>
    Array.from({ length: levels }, (_, i) => levelRow(picture, side, of[i], most));
  return [...rows('SELL', asks).reverse(), spreadRow(picture, asks[0], bids[0]), ...rows('BUY', bids)];
}

/** A star marks a price at which an own order rests. */
function levelRow({ market, orders }: Picture, side: Side, level: Level | undefined, most: number): Row {
  if (level === undefined) return [[' '.repeat(LEFT)]];
  const [price, size] = level;
  const isOwn = [...orders.values()].some((order) => order.side === side && order.price === Number(price));
  const bar = '█'.repeat(Math.max(1, Math.round((BAR * Number(size)) / most))).padEnd(BAR);
  const cell = sizeText(market, size).padStart(14);
  return [[isOwn ? '*' : ' '], [grouped(price).padStart(12), side], [cell], [` ${bar}`, side]];
}

function spreadRow({ market }: Picture, ask: Level | undefined, bid: Level | undefined): Row {
  if (ask === undefined || bid === undefined) return [[' '.repeat(LEFT)]];
  const spread = grouped(priceText(market, Number(ask[0]) - Number(bid[0])));
  return [[` ${spread.padStart(12)} ${'spread'.padEnd(LEFT - 14)}`, 'dim']];
}

function tradeRow({ market }: Picture, { timeMs, side, price, size }: Trade): Row {
  const cells = `${grouped(priceText(market, price)).padStart(12)}${sizeText(market, size).padStart(13)}`;
  return [[`${timeOfDay(timeMs)}  `], [side.padEnd(4), side], [cells]];
}

function ownRows(picture: Picture, hasOwn: boolean): Row[] {
  if (!hasOwn) return [[['own orders and positions need a key: --key and --secret', 'dim']]];
  const positions = picture.market.product === 'spot' ? [] : positionRows(picture);
  return [...positions, ...orderRows(picture, OWN - 2 - positions.length)];
}

function positionRows(picture: Picture): Row[] {
  const positions = [...picture.positions.values()];
  const cells = ['contracts', 'entry', 'liquidation', 'result'].map((title) => title.padStart(15));
  const title: Row = [[`${'position'.padEnd(18)}${cells.join('')}`, 'dim']];
  const rows = limited(positions, POSITIONS, (position) => positionRow(picture, position));
  return [title, ...orNone(rows, positions.length, 'no open position')];
}

/** The result is what a close at the price of the last trade would realise. */
function positionRow({ market, trades }: Picture, position: OwnPosition): Row {
  const { direction, size, entryPrice, liquidationPrice } = position;
  const price = (value: number) => (value === 0 ? 'none' : grouped(priceText(market, value)));
  const sign = direction === 'LONG' ? 1 : -1;
  const last = trades[0]?.price ?? entryPrice;
  const result = (sign * (last - entryPrice) * size * market.contractSize).toFixed(2);
  const cells = [sizeText(market, size), price(entryPrice), price(liquidationPrice), `${result} ${market.quote}`];
  const style = direction === 'LONG' ? 'BUY' : 'SELL';
  return [[direction.padEnd(18), style], [cells.map((cell) => cell.padStart(15)).join('')]];
}

function orderRows(picture: Picture, most: number): Row[] {
  const title = `${'order'.padEnd(6)}${'size'.padStart(14)}${'filled'.padStart(12)}  ${'price'.padEnd(22)}${'status'.padEnd(15)}id`;
  const newestFirst = [...picture.orders.values()].sort((a, b) => b.timeMs - a.timeMs);
  const rows = limited(newestFirst, most, (order) => orderRow(picture, order));
  return [[[title, 'dim']], ...orNone(rows, newestFirst.length, 'no open orders')];
}

function orNone(rows: Row[], count: number, none: string): Row[] {
  return count === 0 ? [[[none, 'dim']], ...rows.slice(1)] : rows;
}

function orderRow({ market }: Picture, order: OwnOrder): Row {
  const { side, size, filled, status, clientId, id } = order;
  const terms = termsOf(order, (price) => grouped(priceText(market, price)));
  const cells = `${size.padStart(14)}${filled.padStart(12)}  ${terms.padEnd(22)}${status.padEnd(15)}`;
  return [[side.padEnd(6), side], [cells + (clientId === '' ? id : clientId)]];
}

/** `most` rows. If there are more things, the last row counts them. */
function limited<Thing>(things: readonly Thing[], most: number, rowOf: (thing: Thing) => Row): Row[] {
  const shown = things.length > most ? things.slice(0, most - 1) : things;
  const rows = shown.map(rowOf);
  if (shown.length < things.length) rows.push([[`and ${things.length - shown.length} more`, 'dim']]);
  return [...rows, ...Array<Row>(most - rows.length).fill([])];
}

function lineOf(row: Row, width: number, colours: boolean): string {
  let room = width;
  let line = '';
  for (const [text, style] of row) {
    const cut = inColumns(text).slice(0, room);
    if (cut === '') continue;
    room -= cut.length;
    line += colours && style !== undefined ? `\u001b[${COLOURS[style]}m${cut}\u001b[0m` : cut;
  }
  return colours ? line : line.trimEnd();
}
