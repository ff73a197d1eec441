/** What the commands of venue.ts show on a terminal. */
import type { AccountsPage, Book, DueItem, KeysPage, LedgerEntry, Order, PricePreview } from '../client/control.ts';
import { clock, grouped, listed } from '../story/text.ts';
import { kindOf, moveWord } from '../story/words.js';
import { inColumns, printable } from './output.ts';
import { left, right, tableText } from './tables.ts';

/** The venue's clock, in UTC. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

// biome-ignore lint/suspicious/noExplicitAny: a reply of the venue; docs/operating.md has its fields
type Reply = any;

const ACCOUNT = left('Account');

/** Balances by currency of one account, or of several by name. Currencies that an account does not have are left out. */
export function balanceTable(balances: Readonly<Record<string, Reply>>, isByName = false): string {
  const byName: [string, Record<string, Reply>][] = isByName ? Object.entries(balances) : [['', balances]];
  const rows = byName.flatMap(([name, currencies]) =>
    Object.entries(currencies)
      .filter(([, { total, reserved, margin }]) => [total, reserved, margin].some((amount) => Number(amount) !== 0))
      .map(([code, { total, available, reserved, margin }]) => [
        ...(isByName ? [name] : []),
        ...[code, total, available, reserved, margin].map(String),
      ]),
  );
  const amounts = ['Total', 'Available', 'Reserved', 'Margin'].map(right);
  return tableText([...(isByName ? [ACCOUNT] : []), left('Currency'), ...amounts], rows, 'no balances');
}

/** Positions of one account, or of several with their names. */
export function positionTable(positions: readonly Reply[], isByName = false): string {
  const rows = positions.map((position) => [
    ...(isByName ? [position.account] : []),
    position.positionId,
    `${position.direction}${position.liquidationInProgress ? ' (liquidation)' : ''}`,
    ...[position.size, position.entryPrice, position.mark ?? '', position.unrealised].map(String),
    String(position.liquidationPrice ?? 'none'),
  ]);
  const figures = ['Size', 'Entry', 'Mark', 'Unrealised', 'Liquidation'].map(right);
  return tableText([...(isByName ? [ACCOUNT] : []), left('Position'), left('Side'), ...figures], rows, 'no positions');
}

/** `limit`: of the page, if it was given. */
export function accountsText({ accounts, next }: AccountsPage, limit?: string): string {
  const rows = accounts.map(({ account, keys, frozen }) => [account, String(keys), frozen ?? 'no']);
  const table = tableText([left('Account'), right('API keys'), left('Frozen')], rows, 'no accounts');
  const rest = moreText('accounts', { limit, after: next });
  return `${table}${rest}\n\n\`bourse account NAME\` shows what one has.`;
}

/** `ledger`: the newest entries. Absent: it is a past state. */
export function accountText(name: string, { balances, positions, orders, frozen, fees = {}, ledger }: Reply): string {
  return [
    printable(frozen === null ? name : `${name} (frozen: ${frozen})`),
    '',
    balanceTable(balances),
    '',
    positionTable(positions),
    '',
    orderTable(orders),
    ...(Object.keys(fees).length === 0 ? [] : ['', feeTable(fees)]),
    ...(ledger === undefined ? [] : ['', ledgerTable(ledger)]),
  ].join('\n');
}

/** The rates that an account has instead of those of the markets, by symbol. */
export function feeTable(fees: Readonly<Record<string, Reply>>): string {
  const rows = Object.entries(fees).map(([symbol, { maker, taker }]) => [symbol, maker, taker]);
  return tableText([left('Own fees in'), right('Maker'), right('Taker')], rows, 'fees as the markets have them');
}

const LEDGER = [
  left('Time'),
  right('Seq'),
  left('What moved'),
  right('Amount'),
  left('Currency'),
  left('Market'),
  left('Order'),
];

function ledgerTable(entries: readonly LedgerEntry[]): string {
  const rows = entries.map(({ timeMs, seq, reason, amount, currency, market, orderId }) => [
    timeText(timeMs),
    String(seq),
    moveWord(reason),
    amount,
    currency,
    market ?? '',
    orderId?.slice(0, SHORT_ORDER_ID) ?? '',
  ]);
  return tableText(LEDGER, rows, 'no money has moved');
}

/** Asks above, the best prices in the middle. `isPast`: what is shown above says of which seq it is. */
export function bookText({ symbol, status, bids, asks, seq }: Book, isPast = false): string {
  const levels = [...asks.toReversed(), ...bids];
  const [prices, sizes] = [0, 1].map((column) => evenDecimals(levels.map((level) => level[column])));
  const rows = levels.map((_, i) => [i < asks.length ? 'ask' : 'bid', prices[i], sizes[i]]);
  const head = `${symbol}${status === 'active' ? '' : ` (${status})`}${isPast ? '' : ` at seq ${seq}`}`;
  return `${printable(head)}\n\n${tableText([left('Side'), right('Price'), right('Size')], rows, 'the book is empty')}`;
}

/** All with as many decimals as the one that has the most. */
function evenDecimals(numbers: readonly string[]): string[] {
  const most = Math.max(0, ...numbers.map((number) => number.split('.')[1]?.length ?? 0));
  return numbers.map((number) => {
    const [whole, decimals = ''] = number.split('.');
    return most === 0 ? whole : `${whole}.${decimals.padEnd(most, '0')}`;
  });
}

/** How many characters of ids are shown. */
export const SHORT_ORDER_ID = 8;
const LONGEST_ID = 20;

/** What order it is, and its figures: columns of every table of orders. */
export const ORDER_COLUMNS = {
  name: [left('Order'), left('Client id'), left('Account'), left('Market'), left('Side'), left('Kind')],
  figures: [right('Price'), right('Trigger'), right('Size'), right('Filled')],
};

/** Their cells. */
export function orderCells(order: Order): { readonly name: string[]; readonly figures: string[] } {
  const { orderId, clientId, account, symbol, side, price, filled } = order;
  return {
    name: [orderId.slice(0, SHORT_ORDER_ID), shortened(clientId ?? ''), account, symbol, side, kindOf(order)],
    figures: [price ?? 'market', triggerText(order), sizeText(order), filled],
  };
}

const ORDERS = [...ORDER_COLUMNS.name, left('State'), ...ORDER_COLUMNS.figures, right('Ahead'), left('Doing')];

/** What `bourse orders` found. */
export interface FoundOrders {
  readonly orders: readonly Order[];
  /** Whose orders they are. Absent: those of all accounts. */
  readonly accounts?: readonly string[];
  /** How many there are besides. */
  readonly notShown: number;
  /** There may be even more, which were not counted. */
  readonly more: boolean;
}

export function foundOrdersText({ orders, accounts, notShown, more }: FoundOrders): string {
  const rest = `and ${more ? 'at least ' : ''}${grouped(String(notShown))} more: give --account, --symbol or --limit`;
  return [
    printable(`Open orders of ${whoseText(accounts)}`),
    '',
    orderTable(orders),
    ...(notShown === 0 ? [] : [rest]),
    ...(orders.length === 0 ? [] : ['', SHORT_IDS]),
  ].join('\n');
}

/** `accounts`: whose orders are shown. Absent: those of all accounts. */
export function whoseText(accounts: readonly string[] | undefined): string {
  if (accounts === undefined) return 'all accounts';
  return accounts.length === 1 ? accounts[0] : `${listed(accounts)} (--all: of all accounts)`;
}

export const SHORT_IDS = '`bourse story ORDER` takes the beginning of an id, and says what happened to the order.';

export function orderTable(orders: readonly Order[]): string {
  const rows = orders.map((order) => {
    const { name, figures } = orderCells(order);
    return [...name, order.state, ...figures, order.queue?.ahead ?? '', doing(order)];
  });
  return tableText(ORDERS, rows, 'no open orders');
}

export function triggerText({ trigger }: Order): string {
  return trigger === null ? '' : `${trigger.reference} ${trigger.price ?? ''}`.trim();
}

export function sizeText({ size, quoteSize }: Order): string {
  return size ?? `${quoteSize} quote`;
}

/** An id that is longer than the column, such as one that `bourse order` has drawn, is cut. JSON has the whole. */
export function shortened(clientId: string): string {
  return clientId.length > LONGEST_ID ? `${clientId.slice(0, LONGEST_ID - 1)}…` : clientId;
}

/** What an algo is doing. What is not known yet is left out. */
function doing({ kind, side, details }: Order): string {
  const progress = (details?.progress ?? {}) as Reply;
  const known = (value: unknown, text: string) => (value === null || value === undefined ? [] : [text]);
  switch (kind) {
    case 'twap':
      return [
        `${progress.childrenDone} of ${progress.children} parts done`,
        ...known(progress.pausedBy, `paused by ${progress.pausedBy}`),
        ...known(progress.nextChildAt, `next at ${clock(progress.nextChildAt ?? 0)} UTC`),
      ].join(', ');
    case 'trailing':
      if (progress.armed !== true) return 'waits to be armed';
      return known(progress.extreme, `${side === 'SELL' ? 'high' : 'low'} of ${progress.extreme}`).join('');
    case 'peg':
      if (progress.waitingFor) return `waits for the ${progress.waitingFor}`;
      return known(progress.displayedSize, `shows ${progress.displayedSize} at ${progress.price}`).join('');
  }
  return '';
}

export function previewText({ prices, halted, orders, positions, cut }: PricePreview): string {
  const named = Object.entries(prices).map(([name, value]) => `${name} ${value ?? 'none'}`);
  const owners = positions.map((position: Reply) => [
    position.account,
    position.positionId,
    position.direction,
    String(position.size),
    String(position.liquidationPrice),
  ]);
  const columns = [ACCOUNT, left('Position'), left('Side'), right('Size'), right('Liquidation')];
  return [
    `nothing is set; the prices would be ${named.join(', ')}${halted ? ', in a halted market' : ''}`,
    '',
    'Orders that would fire',
    orders.length === 0 ? 'none' : orderTable(orders),
    '',
    'Positions that would be below maintenance',
    tableText(columns, owners),
    ...(cut ? ['', 'there are more than are shown'] : []),
  ].join('\n');
}

export function clockText({ time, seq, due = [] }: { time: number; seq: number; due?: readonly DueItem[] }): string {
  const lines = due.map(({ sentence }) => `  ${inColumns(sentence)}`);
  return [`${timeText(time)} (seq ${seq})`, ...lines].join('\n');
}

/** The command that shows the next page, with the flags that are given. */
export function moreText(command: string, flags: Readonly<Record<string, string | undefined>>): string {
  if (flags.after === undefined) return '';
  const given = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  return `\nthere are more: \`bourse ${command} ${printable(given.join(' '))}\``;
}

const KEYS = [
  left('Key'),
  left('Account'),
  left('May'),
  left('From'),
  left('Expires'),
  left('Last used'),
  left('Sealed by'),
];

const ROTATION_PENDING = 'a new master key waits in its file: the venue takes it when it is restarted';

/** `given`: the flags of the page. */
export function keysText(
  { keys, next, rotationPending }: KeysPage,
  given: { account?: string; limit?: string } = {},
): string {
  const rows = keys.map((key) => [
    key.key,
    key.account,
    key.permissions.join(' '),
    key.ipAllow.length === 0 ? 'anywhere' : key.ipAllow.join(' '),
    key.expiresAtMs === null ? 'never' : timeText(key.expiresAtMs),
    key.lastUsedMs === null ? 'not since the start' : timeText(key.lastUsedMs),
    `${key.masterKey} master key`,
  ]);
  const rest = moreText('keys list', { account: given.account, limit: given.limit, after: next });
  const pending = rotationPending === true ? `\n${ROTATION_PENDING}` : '';
  return `${tableText(KEYS, rows, 'no keys')}${rest}${pending}`;
}

interface TokensReply {
  readonly tokens: readonly { readonly name: string; readonly scope: string; readonly createdMs: number }[];
}

export function tokensText({ tokens }: TokensReply): string {
  const rows = tokens.map(({ name, scope, createdMs }) => [name, scope, timeText(createdMs)]);
  const none = 'no tokens but the one of the start, which is in the file control-token';
  return tableText([left('Token'), left('Scope'), left('Created')], rows, none);
}
