/** What the commands of venue.ts show on a terminal. */
import type { Book, DueItem, KeysPage, OpenOrder, PricePreview } from '../client/control.ts';
import { inColumns, printable } from './output.ts';
import { left, right, tableText } from './tables.ts';

/** The venue's clock, in UTC. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

const BALANCES = [left('Currency'), right('Total'), right('Available'), right('Reserved'), right('Margin')];
const POSITIONS = [
  left('Position'),
  left('Side'),
  right('Size'),
  right('Entry'),
  right('Mark'),
  right('Unrealised'),
  right('Liquidation'),
];

// biome-ignore lint/suspicious/noExplicitAny: a reply of the venue; docs/operating.md has its fields
type Reply = any;

/** Currencies that the account does not have are left out. */
export function accountText(name: string, { balances, positions, orders, frozen }: Reply): string {
  const rows = (Object.entries(balances) as [string, Record<string, string>][])
    .filter(([, { total, reserved, margin }]) => [total, reserved, margin].some((amount) => Number(amount) !== 0))
    .map(([code, { total, available, reserved, margin }]) => [code, total, available, reserved, margin]);
  const open = positions.map((position: Reply) => [
    position.positionId,
    `${position.direction}${position.liquidationInProgress ? ' (liquidation)' : ''}`,
    String(position.size),
    String(position.entryPrice),
    String(position.mark ?? ''),
    position.unrealised,
    String(position.liquidationPrice ?? 'none'),
  ]);
  return [
    printable(frozen === null ? name : `${name} (frozen: ${frozen})`),
    '',
    tableText(BALANCES, rows, 'no balances'),
    '',
    tableText(POSITIONS, open, 'no positions'),
    '',
    orderTable(orders),
  ].join('\n');
}

/** Asks above, the best prices in the middle. */
export function bookText({ symbol, status, bids, asks, seq }: Book): string {
  const rows = [
    ...asks.toReversed().map(([price, size]) => ['ask', price, size]),
    ...bids.map(([price, size]) => ['bid', price, size]),
  ];
  const head = `${symbol}${status === 'active' ? '' : ` (${status})`} at seq ${seq}`;
  return `${printable(head)}\n\n${tableText([left('Side'), right('Price'), right('Size')], rows, 'the book is empty')}`;
}

const ORDERS = [
  left('Order'),
  left('Account'),
  left('Market'),
  left('Side'),
  left('Kind'),
  left('State'),
  right('Price'),
  right('Trigger'),
  right('Size'),
  right('Filled'),
  right('Ahead'),
  left('Doing'),
];

export function ordersText({
  orders,
  more,
}: {
  readonly orders: readonly OpenOrder[];
  readonly more: boolean;
}): string {
  const rest = more ? '\nthere are more: give --account or --symbol' : '';
  return `${orderTable(orders)}${rest}`;
}

function orderTable(orders: readonly OpenOrder[]): string {
  const rows = orders.map((order) => [
    order.orderId.slice(0, 8),
    order.account,
    order.symbol,
    order.side,
    order.kind,
    order.state,
    order.price ?? 'market',
    order.trigger?.price ?? '',
    order.size ?? `${order.quoteSize} quote`,
    order.filled,
    order.queue?.ahead ?? '',
    doing(order),
  ]);
  return tableText(ORDERS, rows, 'no open orders');
}

/** What an algo is doing, in the names of the control surface. What is not known yet is left out. */
function doing({ details }: OpenOrder): string {
  const known = Object.entries(details?.progress ?? {}).filter(([, value]) => value !== null);
  const shown = ([name, value]: [string, unknown]) =>
    `${name} ${name.endsWith('At') ? timeText(value as number).slice(11, 23) : String(value)}`;
  return known.map(shown).join(', ');
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
  const columns = [left('Account'), left('Position'), left('Side'), right('Size'), right('Liquidation')];
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

const KEYS = [
  left('Key'),
  left('Account'),
  left('May'),
  left('From'),
  left('Expires'),
  left('Last used'),
  left('Sealed by'),
];

export function keysText({ keys, next }: KeysPage): string {
  const rows = keys.map((key) => [
    key.key,
    key.account,
    key.permissions.join(' '),
    key.ipAllow.length === 0 ? 'anywhere' : key.ipAllow.join(' '),
    key.expiresAtMs === null ? 'never' : timeText(key.expiresAtMs),
    key.lastUsedMs === null ? 'unknown' : timeText(key.lastUsedMs),
    `${key.masterKey} master key`,
  ]);
  const rest = next === undefined ? '' : `\nthere are more: --after ${printable(next)}`;
  return `${tableText(KEYS, rows, 'no keys')}${rest}`;
}
