/** What a venue was at a seq, and what a command set off, as text for a terminal. */
import { type WhyEffect, whyLines } from '../story/why.ts';
import { printable } from './output.ts';
import { type Column, tableText } from './tables.ts';
import { grouped } from './watch/words.ts';

/** A state that was computed, with a part of it: the reply of `GET /control/v1/at/{seq}`. */
export interface ShownState {
  readonly seq: number;
  readonly time: number;
  readonly hash: string;
  readonly [member: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const text = (title: string): Column => ({ title });
const number = (title: string): Column => ({ title, right: true });

export function stateText(state: ShownState): string {
  const head = `seq ${grouped(String(state.seq))}, ${timeText(state.time)}\nhash ${state.hash}`;
  const more = state.more === true ? '\nThere is more: name an account or a market.' : '';
  const parts = [bookText(state), balancesText(state), positionsText(state), ordersText(state)];
  return [head, ...parts.filter((part) => part !== '')].join('\n\n') + more;
}

/** 2026-01-01 14:32:07.000 UTC */
export function timeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, -1).replace('T', ' ')} UTC`;
}

function bookText({ symbol, market, bids, asks }: ShownState): string {
  if (bids === undefined) return '';
  const { last, index, mark, status } = market as Fields;
  const [bid, ask] = [bids, asks] as readonly (readonly [string, string])[][];
  const rows = Array.from({ length: Math.max(bid.length, ask.length) }, (_, i) => [
    bid[i]?.[1] ?? '',
    bid[i]?.[0] ?? '',
    ask[i]?.[0] ?? '',
    ask[i]?.[1] ?? '',
  ]);
  const prices = `${symbol} ${status}: last ${shown(last)}, index ${shown(index)}, mark ${shown(mark)}`;
  return `${prices}\n${tableText(['size', 'bid', 'ask', 'size'].map(number), rows, 'the book is empty')}`;
}

function balancesText({ account, balances }: ShownState): string {
  if (balances === undefined) return '';
  const of = (typeof account === 'string' ? { [account]: balances } : balances) as Record<
    string,
    Record<string, Fields>
  >;
  const rows = Object.entries(of).flatMap(([name, currencies]) =>
    Object.entries(currencies)
      .filter(([, { total, unrealised }]) => total !== '0' || unrealised !== '0')
      .map(([code, { total, available, reserved, margin, unrealised }]) =>
        [name, code, total, available, reserved, margin, unrealised].map(shown),
      ),
  );
  const numbers = ['total', 'available', 'reserved', 'margin', 'unrealised'].map(number);
  return tableText([text('account'), text('currency'), ...numbers], rows, 'no balances');
}

function positionsText({ account, positions }: ShownState): string {
  if (positions === undefined) return '';
  const rows = (positions as Fields[]).map((position) =>
    [
      position.account ?? account,
      position.symbol,
      position.direction,
      position.size,
      position.entryPrice,
      position.mark,
      position.unrealised,
      position.liquidationPrice,
    ].map(shown),
  );
  const numbers = ['size', 'entry', 'mark', 'unrealised', 'liquidation'].map(number);
  return tableText([text('account'), text('market'), text('side'), ...numbers], rows, 'no positions');
}

function ordersText({ orders }: ShownState): string {
  if (orders === undefined) return '';
  const rows = (orders as Fields[]).map((order) => {
    const trigger = order.trigger as Fields | null;
    return [
      String(order.orderId).slice(0, 8),
      order.account,
      order.symbol,
      order.side,
      order.kind,
      order.price,
      order.currentSize ?? order.quoteSize,
      order.filled,
      trigger?.price,
      order.state,
    ].map(shown);
  });
  const columns = ['order', 'account', 'market', 'side', 'kind'].map(text);
  const numbers = ['price', 'size', 'filled', 'trigger'].map(number);
  return tableText([...columns, ...numbers, text('state')], rows, 'no orders');
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '-' : String(value);
}

/** A command and what it set off: the reply of `GET /control/v1/log/{seq}`. */
export interface ShownCommand {
  readonly seq: number;
  readonly time: number;
  /** Absent: the command was left out. */
  readonly sentence?: string;
  readonly why?: readonly WhyEffect[];
  readonly count: number;
}

export function whyText({ seq, time, sentence, why = [], count }: ShownCommand): string {
  const head = `seq ${grouped(String(seq))}, ${timeText(time)}`;
  if (sentence === undefined) return `${head}\nThe command was left out, because it made the venue fail.`;
  const lines = whyLines(why);
  if (lines.length === 0) return `${head}\n${printable(sentence)}\n\nIt set nothing off.`;
  const numbers = lines.map(({ effect: { n, last } }) => (n === last ? `${n}` : `${n}-${last}`));
  const width = Math.max(...numbers.map((text) => text.length));
  const shownLines = lines.flatMap(({ depth, effect }, i) => {
    const indent = '  '.repeat(depth);
    const detail = effect.detail === undefined ? [] : [`${' '.repeat(width)}  ${indent}  ${printable(effect.detail)}`];
    return [`${numbers[i].padStart(width)}  ${indent}${printable(effect.sentence)}`, ...detail];
  });
  const effects = count === 1 ? '1 effect' : `${grouped(String(count))} effects`;
  return [head, printable(sentence), '', ...shownLines, '', effects].join('\n');
}
