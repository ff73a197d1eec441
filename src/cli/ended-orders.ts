/** `bourse orders --ended`: the ended orders of accounts, the newest first, with how each ended. */
import type { ControlClient, Order } from '../client/control.ts';
import { printable } from './output.ts';
import { left, tableText } from './tables.ts';
import { ORDER_COLUMNS, orderCells, SHORT_IDS, timeText, whoseText } from './venue-text.ts';

/** Rows of a page, and how many pages of an account are searched: most of its orders may be open, or in other markets. */
const [PAGE_ROWS, MOST_PAGES] = [200, 50];

export interface EndedOrders {
  readonly orders: readonly Order[];
  /** Whose orders they are. Absent: those of all accounts. */
  readonly accounts?: readonly string[];
  /** There are older ones, or older orders were not searched. */
  readonly more: boolean;
  /** Orders that were placed before this seq are not known. Absent: all are. */
  readonly knownFromSeq?: number;
}

/** `symbol`: only those of this market. */
export async function readEnded(
  client: ControlClient,
  accounts: AsyncIterable<string> | Iterable<string>,
  limit: number,
  symbol?: string,
): Promise<Omit<EndedOrders, 'accounts'>> {
  let found: Order[] = [];
  let more = false;
  let knownFromSeq: number | undefined;
  for await (const account of accounts) {
    const of = await readAccount(client, account, limit, symbol);
    found = [...found, ...of.orders].sort((a, b) => b.seq - a.seq);
    more ||= of.more || found.length > limit;
    found = found.slice(0, limit);
    knownFromSeq = of.knownFromSeq;
  }
  return { orders: found, more, ...(knownFromSeq !== undefined && { knownFromSeq }) };
}

async function readAccount(client: ControlClient, account: string, limit: number, symbol: string | undefined) {
  const orders: Order[] = [];
  let after: string | undefined;
  let knownFromSeq: number | undefined;
  for (let pages = 0; pages < MOST_PAGES && orders.length <= limit; pages++) {
    const page = await client.allOrders(account, { limit: PAGE_ROWS, ...(after !== undefined && { after }) });
    const isWanted = ({ live, symbol: of }: Order) => !live && (symbol === undefined || of === symbol);
    orders.push(...page.orders.filter(isWanted));
    ({ knownFromSeq } = page);
    after = page.next;
    if (after === undefined) break;
  }
  return { orders: orders.slice(0, limit), more: orders.length > limit || after !== undefined, knownFromSeq };
}

const ENDED = [...ORDER_COLUMNS.name, ...ORDER_COLUMNS.figures, left('Ended'), left('How')];

export function endedText({ orders, accounts, more, knownFromSeq }: EndedOrders): string {
  const rows = orders.map((order) => {
    const { name, figures } = orderCells(order);
    return [...name, ...figures, timeText(order.updatedMs), order.ended ?? order.state];
  });
  return [
    printable(`Ended orders of ${whoseText(accounts)}, the newest first`),
    '',
    tableText(ENDED, rows, 'no ended orders'),
    ...(more ? ['and older ones: give --account, --symbol or --limit'] : []),
    ...(knownFromSeq === undefined ? [] : [`orders that were placed before seq ${knownFromSeq} are not known`]),
    ...(orders.length === 0 ? [] : ['', SHORT_IDS]),
  ].join('\n');
}
