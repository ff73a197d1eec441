/**
 * Orders that the venue has forgotten, from the archive, in the form of the venue's own views. So a record of one is
 * made by the same code, and is what it was when the order ended.
 */
import type { OrderHistory } from '../../archive/read/history.ts';
import type { OrderRecord } from '../../archive/read/recorded-order.ts';
import type { AttachedTerms, Product, Reference } from '../../venue/contract/commands.ts';
import { type Decimal, onGrid, parseDecimal } from '../../venue/contract/decimal.ts';
import type { AlgoView, OrderView, Trigger } from '../../venue/contract/order-view.ts';
import { BUY, NONE, PARTS_DECIMALS, SELL } from '../../venue/contract/units.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import type { Call } from '../shared/surface.ts';
import { noteKnownFrom } from '../shared/time-window.ts';
import { unitsOf } from './order-records.ts';
import { type IdNames, notFound, type OrderReference, ownOrder } from './order-requests.ts';

interface Accepted {
  readonly trigger?: { readonly limit?: string };
  readonly takeProfit?: { readonly price: string; readonly reference: Reference };
  readonly stopLoss?: { readonly price: string; readonly reference: Reference };
  readonly attachedTo?: object;
  readonly peg?: { readonly stealth: string; readonly deviation: string };
  readonly trailing?: { readonly distance?: string; readonly percent?: string };
}

/**
 * The caller's own order: of the venue, or else of the archive, by its id or the newest one with its client id. Throws as
 * `ownOrder` does.
 */
export async function ownOrOldOrder(
  call: Call,
  product: Product,
  named: OrderReference,
  names: IdNames,
): Promise<OrderView> {
  const known = knownOrder(call, product, named, names);
  if (known !== undefined) return known;
  const history = await archivedOrder(call, product, named);
  noteKnownFrom(call);
  if (history === undefined) throw notFound(named);
  const { orderId, account: owner, market, left } = history.order;
  const now = call.engine.venue;
  const isOwn = owner === now.account(call.account)?.name && now.marketBySymbol(market)?.product === product;
  if (!isOwn || left !== undefined) throw notFound(named);
  const key = now.orderIds.decode(orderId);
  // An order that was accepted since is the venue's.
  return now.order(call.account, product, key) ?? archivedView(now, call.account, key, history);
}

/** As the venue has it. Undefined: the archive may have it. */
function knownOrder(call: Call, product: Product, named: OrderReference, names: IdNames): OrderView | undefined {
  const { venue, account } = call;
  const { id, clientId } = named;
  if (id !== undefined) {
    const key = venue.orderIds.decode(id);
    if (key === NONE) throw notFound(named);
    return venue.order(account, product, key);
  }
  return typeof clientId === 'string'
    ? venue.orderByClientId(account, product, clientId)
    : ownOrder(call, product, named, names);
}

function archivedOrder(call: Call, product: Product, { id, clientId }: OrderReference) {
  const { venue, archive } = call;
  if (id !== undefined) return archive.order(venue.orderIds.decode(id));
  const account = venue.account(call.account)?.name ?? '';
  return archive.clientOrder({ account, product, clientId: clientId ?? '' });
}

/** The view of an ended order. */
export function archivedView(
  venue: Venue,
  account: number,
  key: number,
  { order: row, events }: OrderHistory,
): OrderView {
  const market = venue.marketBySymbol(row.market)!;
  const accepted = (events.find(({ type }) => type === 'accepted') ?? {}) as Accepted;
  const ticks = (text: string | null | undefined) => gridUnits(text, market.tick);
  const lots = (text: string | null | undefined) => gridUnits(text, market.lot);
  const { decimals } = venue.currencies[market.quote];
  const quoteOriginal = row.quoteSize === null ? null : unitsOf(row.quoteSize, decimals);
  const quoteFilled = unitsOf(row.quoteFilled ?? '0', decimals);
  const keyOf = (id: string | null) => (id === null ? 0 : venue.orderIds.decode(id));
  const attached = (terms: Accepted['takeProfit']): AttachedTerms | null =>
    terms === undefined ? null : { price: ticks(terms.price), reference: terms.reference };
  const filledCost = events
    .filter(({ type, leftBranch }) => type === 'traded' && leftBranch === undefined)
    .reduce((sum, { price, size }) => sum + ticks(price as string) * lots(size as string), 0);
  return {
    key,
    seq: row.seq,
    account,
    market: market.index,
    product: market.product,
    side: row.side === 'BUY' ? BUY : SELL,
    kind: row.kind,
    algo: accepted.attachedTo === undefined ? 'none' : 'bracket',
    details: detailsOf(market, accepted),
    state: row.state,
    live: false,
    clientId: row.clientId,
    broker: null,
    price: ticks(row.price),
    original: lots(row.size),
    quantity: lots(row.currentSize),
    filled: lots(row.filledSize),
    remaining: lots(row.remainingSize),
    lastFill: 0,
    filledNow: 0,
    filledCost,
    openedLots: 0,
    quoteOriginal,
    quoteFilled,
    quoteRemaining: quoteOriginal === null ? 0n : quoteOriginal - quoteFilled,
    timeInForce: row.timeInForce,
    postOnly: row.postOnly,
    reduceOnly: row.reduceOnly,
    positionId: row.positionId ?? 0,
    positionMode: row.positionMode ?? 'ONE_WAY',
    liquidation: row.liquidation,
    trigger: triggerOf(row, accepted, ticks),
    takeProfit: attached(accepted.takeProfit),
    stopLoss: attached(accepted.stopLoss),
    takeProfitKey: keyOf(row.takeProfitOrder),
    stopLossKey: keyOf(row.stopLossOrder),
    ending: null,
    nextDueMs: null,
    createdMs: row.createdMs,
    updatedMs: row.updatedMs,
  };
}

function triggerOf(row: OrderRecord, { trigger }: Accepted, ticks: (text?: string | null) => number): Trigger | null {
  if (row.triggerRule === null || row.triggerReference === null) return null;
  return {
    rule: row.triggerRule,
    reference: row.triggerReference,
    price: ticks(row.triggerPrice),
    original: ticks(row.triggerOriginal),
    up: null,
    fired: row.triggered === true,
    firedStep: 0,
    limit: trigger?.limit === undefined ? null : ticks(trigger.limit),
  };
}

/** The terms that records show. */
function detailsOf(market: MarketView, { peg, trailing }: Accepted): AlgoView | null {
  const parts = (text: string) => ({ parts: Number(unitsOf(text, PARTS_DECIMALS)) });
  if (peg !== undefined) {
    const terms = { stealth: parts(peg.stealth), deviation: parts(peg.deviation) };
    return { name: 'peg', terms, progress: {} };
  }
  if (trailing === undefined) return null;
  const { distance, percent } = trailing;
  const fine = { coefficient: market.tick.coefficient, scale: market.tick.scale + FINE_DECIMALS };
  const terms = {
    distance: { fine: distance === undefined ? null : gridUnits(distance, fine) },
    percent: percent === undefined ? { parts: null } : parts(percent),
  };
  return { name: 'trailing', terms, progress: {} };
}

const FINE_DECIMALS = 3;

/** How many steps a decimal is. 0 if it is absent. */
function gridUnits(text: string | null | undefined, step: Decimal): number {
  if (text === null || text === undefined) return 0;
  const value = parseDecimal(text);
  const place = typeof value === 'string' ? value : onGrid(value, step);
  if (typeof place === 'object' && 'units' in place) return place.units;
  throw new RangeError(`${text} is not on the grid of ${step.coefficient} × 10^-${step.scale}`);
}
