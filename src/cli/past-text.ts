/** What a venue was at a seq, and what a command set off, as text for a terminal. */
import type { Shown } from '../api/control/past.ts';
import type { Book, Order } from '../client/control.ts';
import { leftBy } from '../story/ends.ts';
import type { Left } from '../story/facts.ts';
import { grouped, sentence } from '../story/text.ts';
import { type WhyEffect, whyLines } from '../story/why.ts';
import { printable } from './output.ts';
import { accountText, balanceTable, bookText, orderTable, positionTable, timeText } from './venue-text.ts';

/** A state that was computed, with a part of it: the reply of `GET /control/v1/at/{seq}`. */
export interface ShownState {
  readonly seq: number;
  readonly time: number;
  readonly hash: string;
  readonly left?: Left;
  readonly [member: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

export function stateText(state: ShownState, show: Shown | null): string {
  const head = `seq ${grouped(String(state.seq))}, ${timeText(state.time)}${leftText(state.left)}\nhash ${state.hash}`;
  const part = show === null ? '' : `\n\n${PARTS[show](state)}`;
  const more = state.more === true ? '\nthere are more: give --account or --symbol' : '';
  return `${head}${part}${more}`;
}

function leftText(left: Left | undefined): string {
  return left === undefined ? '' : `\n${sentence(leftBy(left))} has left this branch of the history.`;
}

const PARTS: { readonly [show in Shown]: (state: ShownState) => string } = {
  book: (state) => bookText(state as unknown as Book, true),
  account: (state) => accountText(state.account as string, state),
  orders: ({ orders }) => orderTable(orders as Order[]),
  positions: ({ positions }) => positionTable(positions as Fields[], true),
  balances: ({ balances }) => balanceTable(balances as Fields, true),
};

/** A command and what it set off: the reply of `GET /control/v1/log/{seq}`. */
export interface ShownCommand {
  readonly seq: number;
  readonly time: number;
  /** What left its branch. Absent: it leads to the present state, or that is not known. */
  readonly left?: Left;
  /** Absent: the command was left out. */
  readonly sentence?: string;
  readonly why?: readonly WhyEffect[];
  readonly count: number;
}

export function whyText({ seq, time, left, sentence: said, why = [], count }: ShownCommand): string {
  const head = `seq ${grouped(String(seq))}, ${timeText(time)}${leftText(left)}`;
  if (said === undefined) return `${head}\nThe command was left out, because it made the venue fail.`;
  const lines = whyLines(why);
  if (lines.length === 0) return `${head}\n${printable(said)}\n\nIt set nothing off.`;
  const ranges = lines.map(({ effect: { n, last } }) => (n === last ? `${n}` : `${n}-${last}`));
  // What only began has the numbers of the effect before it.
  const numbers = ranges.map((range, i) => (range === ranges[i - 1] ? '' : range));
  const width = Math.max(...numbers.map((text) => text.length));
  const shownLines = lines.flatMap(({ depth, effect }, i) => {
    const indent = '  '.repeat(depth);
    const detail = effect.detail === undefined ? [] : [`${' '.repeat(width)}  ${indent}  ${printable(effect.detail)}`];
    return [`${numbers[i].padStart(width)}  ${indent}${printable(effect.sentence)}`, ...detail];
  });
  const effects = count === 1 ? '1 effect' : `${grouped(String(count))} effects`;
  return [head, printable(said), '', ...shownLines, '', effects].join('\n');
}
