/** An order with everything that is shown of it: as the archive has it, or as the venue does, in the archive's terms. */
import type { Left } from '../../story/facts.ts';
import type { PositionMode, Reference, TimeInForce } from '../../venue/contract/commands.ts';
import type { AlgoView, OrderKind, OrderState, OrderView, Trigger } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import { acceptedEvent, orderRow, placeOf, textOf } from '../follow/records.ts';
import type { ArchiveStore } from '../store/store.ts';
import { type Row, toObject, type Value, withFlags } from '../store/tables.ts';
import { leftAt } from '../store/timeline.ts';

/** A row of `orders`: exact decimals and names as text. Null: it does not apply. */
export interface OrderRecord {
  readonly orderId: string;
  readonly seq: number;
  readonly account: string;
  readonly market: string;
  readonly side: 'BUY' | 'SELL';
  readonly kind: OrderKind;
  readonly state: OrderState;
  readonly clientId: string | null;
  readonly price: string | null;
  readonly size: string | null;
  readonly currentSize: string | null;
  readonly filledSize: string;
  readonly remainingSize: string | null;
  readonly averagePrice: string | null;
  readonly quoteSize: string | null;
  readonly quoteFilled: string | null;
  readonly timeInForce: TimeInForce | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly triggerRule: Trigger['rule'] | null;
  readonly triggerReference: Reference | null;
  readonly triggerPrice: string | null;
  readonly triggerOriginal: string | null;
  readonly triggered: boolean | null;
  readonly positionMode: PositionMode | null;
  readonly positionId: number | null;
  readonly liquidation: 'partial' | 'forced' | null;
  readonly takeProfitOrder: string | null;
  readonly stopLossOrder: string | null;
  readonly reason: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Absent: it is in the present branch. */
  readonly left?: Left;
}

/** What an order was accepted with, beyond its row. A kind that has terms has them under a name of its kind. */
export interface Accepted {
  readonly trigger?: { readonly limit?: string };
  readonly takeProfit?: { readonly price: string; readonly reference: Reference };
  readonly stopLoss?: { readonly price: string; readonly reference: Reference };
  readonly [member: string]: unknown;
}

/** What a live order is doing. */
export interface OrderNow {
  /** True: its trigger fires at or above its price. Null: the first price decides, or it has none. */
  readonly above: boolean | null;
  /** What its kind reports, as text. Null: nothing. */
  readonly progress: Readonly<Record<string, string | number | boolean | null>> | null;
  /** When time brings about something, epoch ms. Null: never. */
  readonly nextDueMs: number | null;
}

export interface RecordedOrder {
  readonly record: OrderRecord;
  /** Empty: it was accepted before the archive begins. */
  readonly accepted: Accepted;
  /** Null: it has ended, or its branch was left. */
  readonly now: OrderNow | null;
}

/** An order of the venue. */
export function recordedNow(venue: Venue, order: OrderView): RecordedOrder {
  return {
    record: recordOf(orderRow(venue, order, placeOf(venue, order))),
    accepted: acceptedEvent(venue, order, order.createdMs) as Accepted,
    now: order.live ? nowOf(venue, order) : null,
  };
}

/** An order of the archive. `venue`: as of the archive's last command. */
export function recordedThen(store: ArchiveStore, venue: Venue, row: Row): RecordedOrder {
  const record = recordOf(row, leftAt(store.state, toObject('orders', row).seq as number));
  const live = liveOrder(venue, record, row[0] as number);
  return { record, accepted: acceptedOf(row), now: live === undefined ? null : nowOf(venue, live) };
}

/** `row`: without the columns that only the archive needs, or with them. */
export function recordOf(row: readonly Value[], left: Left | null = null): OrderRecord {
  const { orderKey: _, events: __, traded: ___, before: ____, eventRows: _____, ...others } = toObject('orders', row);
  const { setBackMs: ______, ...record } = others;
  return { ...withFlags(record), ...(left !== null && { left }) } as unknown as OrderRecord;
}

function acceptedOf(row: Row): Accepted {
  const { events } = toObject('orders', row);
  const [first] = (events ?? []) as unknown as readonly Accepted[];
  return first?.type === 'accepted' ? first : {};
}

/** Undefined: it has ended, or its branch was left. */
export function liveOrder(
  venue: Venue,
  { account, market }: Pick<OrderRecord, 'account' | 'market'>,
  key: number,
): OrderView | undefined {
  const [owner, place] = [venue.accountByName(account), venue.marketBySymbol(market)];
  const order = owner && place && venue.order(owner.index, place.product, key);
  return order?.live === true ? order : undefined;
}

function nowOf(venue: Venue, order: OrderView): OrderNow {
  const { trigger, details, nextDueMs } = order;
  return {
    above: trigger?.up ?? null,
    progress: details === null ? null : progressOf(venue, order, details),
    nextDueMs,
  };
}

function progressOf(venue: Venue, { market }: OrderView, { progress }: AlgoView): OrderNow['progress'] {
  const texts = Object.entries(progress).map(([name, value]) => [
    name,
    textOf(venue, venue.markets[market], value ?? null),
  ]);
  return Object.fromEntries(texts);
}
