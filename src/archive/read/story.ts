/**
 * An order with a part of its events, and its story: the sentences of `src/story`, its siblings, what else the commands
 * set off that decided about it, and what moved the money of its account meanwhile. It is made beside the venue, as of
 * one command.
 *
 * Cost: all events of the order, for each of at most 3 commands the trades around it, and at most 200 entries of the ledger.
 */
import { type Alongside, alongside } from '../../story/alongside.ts';
import type { MarketFacts, Markets } from '../../story/facts.ts';
import type { OrderFacts, OrderHappening, Present, Story } from '../../story/order-facts.ts';
import { story } from '../../story/story.ts';
import { parseDecimal } from '../../venue/contract/decimal.ts';
import { seqOfKey } from '../../venue/contract/order-id.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import { marketFacts } from '../follow/effects.ts';
import { figureTexts, fineText } from '../follow/records.ts';
import { type ClientQuery, newestOfClient, ordersWithClientId } from '../store/client-ids.ts';
import type { ArchiveStore } from '../store/store.ts';
import { storedOrder } from '../store/stored-orders.ts';
import { numberedRows } from '../store/stretches.ts';
import { type Row, type TableName, toObject, type Value } from '../store/tables.ts';
import { type LedgerPage, ledgerPage } from './account-ledger.ts';
import { type EventRange, type OrderPage, orderHistory } from './history.ts';
import { MarketTerms } from './market-terms.ts';
import { liveOrder, type RecordedOrder, recordedThen, recordOf } from './recorded-order.ts';

/** An order that belongs to this one: the other leg, the parent, an attached order. */
export interface Sibling extends RecordedOrder {
  readonly relation: string;
}

export interface OrderStory extends Omit<OrderPage, 'order'> {
  readonly order: RecordedOrder;
  readonly story: Story;
  readonly siblings: readonly Sibling[];
  /** What else happened in the commands that decided about the order, newest first. */
  readonly alongside: readonly (Alongside & { readonly seq: number })[];
  /** What moved money of the account while the order lived, oldest first. */
  readonly ledger: LedgerPage;
}

const MOST_COMMANDS = 3;
const MOST_ENTRIES = 200;
/** Trades and movements of one command that are looked at, to each side of the order's own. */
const MOST_AROUND = 500;

/**
 * By key, or by client id: the newest one of the present branch, or else of any. Undefined if there is none, or it is forgotten.
 * @throws {ArchiveDamaged}
 */
export function orderStory(
  store: ArchiveStore,
  venue: Venue,
  of: number | ClientQuery,
  { first, limit }: EventRange,
): OrderStory | undefined {
  const key = typeof of === 'number' ? of : (newestOfClient(store, of) ?? ordersWithClientId(store, of)[0]);
  const history = key === undefined ? undefined : orderHistory(store, key);
  if (key === undefined || history === undefined) return undefined;
  const { order: record, events } = history;
  const facts = record as unknown as OrderFacts;
  const happened = events as readonly OrderHappening[];
  const order = recordedThen(store, venue, store.known('orders', key));
  const live = liveOrder(venue, record, key);
  const present = live === undefined ? null : presentOf(venue, live);
  const untilMs = live === undefined ? record.updatedMs : venue.timeMs;
  return {
    order,
    events: events.slice(first, first + limit),
    more: first + limit < events.length,
    story: story({ order: facts, events: happened, markets: marketsThen(store, venue, facts), present }),
    siblings: siblingsOf(store, venue, facts, happened),
    alongside: decidedBy(facts, happened).flatMap((seq) => {
      const found = alongside(aroundIn(store, venue, facts, seq));
      return found.sentences.length === 0 ? [] : [{ seq, ...found }];
    }),
    ledger: ledgerPage(store, {
      account: facts.account,
      after: null,
      limit: MOST_ENTRIES,
      fromMs: facts.createdMs,
      toMs: untilMs,
      ...(record.left !== undefined && { toSeq: record.left.at - 1 }),
    }),
  };
}

/** The markets of now, and that of the order as it was when it was placed. */
function marketsThen(store: ArchiveStore, venue: Venue, { market, seq }: OrderFacts): Markets {
  const { kind, base, quote, tick, step } = new MarketTerms(store).atCommand(market, seq);
  const [priceDecimals, sizeDecimals] = [decimalsOf(tick), decimalsOf(step)];
  const then = { kind, base, quote, priceDecimals, sizeDecimals } as MarketFacts;
  return { ...marketFacts(venue.markets), [market]: then };
}

function decimalsOf(step: Value): number {
  const decimal = parseDecimal(String(step));
  return typeof decimal === 'string' ? 0 : decimal.scale;
}

function presentOf(venue: Venue, order: OrderView): Present {
  const market = venue.markets[order.market];
  const price = (fine: number) => (fine === 0 ? null : fineText(market, fine));
  return {
    time: venue.timeMs,
    last: price(market.last),
    index: price(market.indexPrice),
    mark: price(market.mark),
    nextDueMs: order.nextDueMs,
    progress: order.details === null ? {} : { ...NO_PAUSE, ...figureTexts(venue, market, order.details.progress) },
  };
}

/** A figure without a value is left out of the texts. That nothing pauses a TWAP is a value. */
const NO_PAUSE = { pausedBy: null };

function siblingsOf(
  store: ArchiveStore,
  venue: Venue,
  order: OrderFacts,
  events: readonly OrderHappening[],
): Sibling[] {
  const [accepted] = events;
  const { oco, attachedTo } = (accepted ?? {}) as {
    readonly oco?: { readonly sibling: string };
    readonly attachedTo?: { readonly parent?: string; readonly role: string };
  };
  const found = new Map<string, string>();
  const add = (id: unknown, relation: string) => {
    if (typeof id === 'string' && id !== order.orderId && !found.has(id)) found.set(id, relation);
  };
  add(oco?.sibling, 'otherLeg');
  add(attachedTo?.parent, 'parent');
  add(order.takeProfitOrder, 'takeProfit');
  add(order.stopLossOrder, 'stopLoss');
  const parent = attachedTo?.parent === undefined ? undefined : orderRowOf(store, venue, attachedTo.parent);
  if (parent !== undefined) {
    const { takeProfitOrder, stopLossOrder } = recordOf(parent);
    add(takeProfitOrder, 'takeProfit');
    add(stopLossOrder, 'stopLoss');
  }
  for (const { figures } of events) {
    const { taker, maker } = (figures ?? {}) as { readonly taker?: string; readonly maker?: string };
    add(taker, 'ownTaker');
    add(maker, 'ownMaker');
  }
  return [...found].flatMap(([id, relation]) => {
    const row = orderRowOf(store, venue, id);
    return row === undefined ? [] : [{ relation, ...recordedThen(store, venue, row) }];
  });
}

function orderRowOf(store: ArchiveStore, venue: Venue, id: string): Row | undefined {
  const key = venue.orderIds.decode(id);
  return key < 0 ? undefined : storedOrder(store, key);
}

/** The commands that decided about the order, newest first: those that fired, filled, changed or ended it. */
function decidedBy(order: OrderFacts, events: readonly OrderHappening[]): number[] {
  const seqs = events
    .filter(({ type, leftBranch }) => DECIDES.includes(type) && leftBranch !== true)
    .map(({ seq }) => seq);
  return [...new Set(seqs)]
    .filter((seq) => seq !== order.seq || order.liquidation !== null)
    .slice(-MOST_COMMANDS)
    .reverse();
}

const DECIDES: readonly string[] = ['triggered', 'started', 'traded', 'reduced', 'ended', 'deleveraged'];

/** The trades, and the movements of money beside them, of one command. */
function aroundIn(store: ArchiveStore, venue: Venue, order: OrderFacts, seq: number): Parameters<typeof alongside>[0] {
  const n = numberIn(store, order, seq);
  if (n === undefined) return { order, fills: [], moves: [], fired: [] };
  const fills = around(store, 'fills', n, seq);
  const moves = around(store, 'movements', n, seq);
  const takers = [...new Set(fills.map(({ takerOrder }) => takerOrder as string))];
  const fired = takers.filter((id) => id !== order.orderId && firedIn(store, venue, id, seq));
  return { order, fills, moves, fired };
}

/** The number of a trade or movement of the command: in the market of the order, or of its account. */
function numberIn(store: ArchiveStore, { market, account }: OrderFacts, seq: number): number | undefined {
  const bounds = [['seq', seq, seq]] as const;
  const rows = store.row('markets', market);
  const trades = rows === undefined ? 0 : (toObject('markets', rows).trades as number);
  const query = { bounds, oldestFirst: true } as const;
  const [trade] = first(numberedRows(store, { ...query, table: 'market_trades', key: [market], rows: trades }));
  if (trade !== undefined) return toObject('market_trades', trade).n as number;
  const numbers = store.accounts.get(account);
  if (numbers === undefined) return undefined;
  const [move] = first(numberedRows(store, { ...query, table: 'moves', key: [numbers.account], rows: numbers.moves }));
  return move === undefined ? undefined : (toObject('moves', move).n as number);
}

function first(rows: Generator<Row>): Row[] {
  const { value } = rows.next();
  rows.return(undefined);
  return value === undefined ? [] : [value as Row];
}

/** The rows of a command, next to the one with that number. */
function around(store: ArchiveStore, table: 'fills' | 'movements', n: number, seq: number): Record<string, Value>[] {
  const rows = (condition: string) => ofCommand(store.rows(table, `${condition} LIMIT ${MOST_AROUND}`, n), table, seq);
  return [...rows('n < ? ORDER BY n DESC').reverse(), ...rows('n >= ? ORDER BY n')];
}

/** The first rows, as long as they are of the command. */
function ofCommand(rows: Generator<Row>, table: TableName, seq: number): Record<string, Value>[] {
  const found: Record<string, Value>[] = [];
  for (const row of rows) {
    const object = toObject(table, row);
    if (object.seq !== seq) break;
    found.push(object);
  }
  return found;
}

/** Whether the trigger of an order fired in a command. */
function firedIn(store: ArchiveStore, venue: Venue, id: string, seq: number): boolean {
  const key = venue.orderIds.decode(id);
  if (key < 0) return false;
  const row = seqOfKey(key) === seq ? storedOrder(store, key) : store.row('order_events', key, seq);
  if (row === undefined) return false;
  const { events } = toObject(seqOfKey(key) === seq ? 'orders' : 'order_events', row);
  return Array.isArray(events) && events.some((event) => (event as { type?: unknown }).type === 'triggered');
}
