/** What a venue was at a seq, and what a command set off, as text for a terminal. */
import type { Shown } from '../api/control/past.ts';
import type { Book, OpenOrder } from '../client/control.ts';
import { type WhyEffect, whyLines } from '../story/why.ts';
import { printable } from './output.ts';
import { left, right, tableText } from './tables.ts';
import { accountText, bookText, ordersText, timeText } from './venue-text.ts';
import { grouped } from './watch/words.ts';

/** A state that was computed, with a part of it: the reply of `GET /control/v1/at/{seq}`. */
export interface ShownState {
  readonly seq: number;
  readonly time: number;
  readonly hash: string;
  readonly [member: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

export function stateText(state: ShownState, show: Shown | null): string {
  const head = `seq ${grouped(String(state.seq))}, ${timeText(state.time)}\nhash ${state.hash}`;
  const part = show === null ? '' : `\n\n${PARTS[show](state)}`;
  const more = state.more === true && show !== 'orders' ? '\nthere are more: give --account or --symbol' : '';
  return `${head}${part}${more}`;
}

const PARTS: { readonly [show in Shown]: (state: ShownState) => string } = {
  book: (state) => bookText(state as unknown as Book),
  account: (state) => accountText(state.account as string, state),
  orders: ({ orders, more }) => ordersText({ orders: orders as OpenOrder[], more: more === true }),
  positions: ({ positions }) => positionsText(positions as Fields[]),
  balances: ({ balances }) => balancesText(balances as Record<string, Record<string, Fields>>),
};

function positionsText(positions: readonly Fields[]): string {
  const rows = positions.map((position) =>
    ['account', 'symbol', 'direction', 'size', 'entryPrice', 'mark', 'unrealised', 'liquidationPrice'].map((name) =>
      String(position[name] ?? ''),
    ),
  );
  const numbers = ['Size', 'Entry', 'Mark', 'Unrealised', 'Liquidation'].map(right);
  return tableText([left('Account'), left('Market'), left('Side'), ...numbers], rows, 'no positions');
}

/** Currencies that an account does not have are left out. */
function balancesText(balances: Readonly<Record<string, Readonly<Record<string, Fields>>>>): string {
  const rows = Object.entries(balances).flatMap(([account, currencies]) =>
    Object.entries(currencies)
      .filter(([, { total }]) => total !== '0')
      .map(([code, { total, available, reserved, margin }]) =>
        [account, code, total, available, reserved, margin].map(String),
      ),
  );
  const numbers = ['Total', 'Available', 'Reserved', 'Margin'].map(right);
  return tableText([left('Account'), left('Currency'), ...numbers], rows, 'no balances');
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
