/**
 * What prices would set off at once, without setting them: the triggers that they reach, and the positions that they would put
 * below maintenance. What the fired orders and liquidations would then set off is not foreseen.
 */
import type { SetPrices } from '../contract/commands.ts';
import type { OrderView } from '../contract/order-view.ts';
import { FINE, type Reference } from '../contract/units.ts';
import { nextMark } from '../prices/mark-and-funding.ts';
import type { Market } from '../state/market.ts';
import { orderViewOf } from '../state/order-view.ts';
import type { VenueState } from '../state/venue-state.ts';
import { figuresOf, type PositionView } from './account-views.ts';
import type { MarketView } from './market-view.ts';

export interface PricePreview {
  /** Fine prices as they would be. 0: there is none. */
  readonly prices: Readonly<Record<Reference, number>>;
  /** They would fire: mark first, then index, then last. Empty in a halted market, where triggers wait. */
  readonly orders: readonly OrderView[];
  /** They would be liquidated. Empty in a halted market. `account`: its number. */
  readonly positions: readonly { readonly account: number; readonly position: PositionView }[];
  /** There are more than MOST_PREVIEWED of one of them. */
  readonly isCut: boolean;
}

export const MOST_PREVIEWED = 1000;

export function pricePreviewOf(
  venue: VenueState,
  markets: readonly MarketView[],
  command: Pick<SetPrices, 'market' | 'index' | 'mark' | 'last'>,
): PricePreview {
  const market = venue.markets[command.market];
  const prices = pricesAfter(venue, market, command);
  if (market.halted) return { prices, orders: [], positions: [], isCut: false };
  const slots = (['mark', 'index', 'last'] as const).flatMap((reference) => fired(market, reference, prices, command));
  const orders = slots.slice(0, MOST_PREVIEWED).map((slot) => orderViewOf(venue, venue.orders.bySlot(slot)));
  const below = prices.mark === market.mark ? [] : belowMaintenance(venue, market, prices.mark);
  const positions = below
    .slice(0, MOST_PREVIEWED)
    .map(({ account, figures }) => ({ account, position: { market: markets[market.index], ...figures } }));
  return { prices, orders, positions, isCut: slots.length > MOST_PREVIEWED || below.length > MOST_PREVIEWED };
}

/** As `setPrices` (handlers/admin.ts) sets them, if they are set manually. */
function pricesAfter(
  venue: VenueState,
  market: Market,
  { index: given, mark: givenMark, last: givenLast }: Pick<SetPrices, 'index' | 'mark' | 'last'>,
): PricePreview['prices'] {
  const index = given ?? market.indexPrice;
  const last = givenLast === undefined ? (market.last === 0 ? index : market.last) : givenLast * FINE;
  const isPinned = givenMark === undefined && market.markPinned;
  const mark = givenMark ?? nextMark(market, isPinned, { index, last }, venue.nowMs);
  return { index, mark, last };
}

/** Slots of the waiting orders that a changed reference reaches. A stale one counts again when it gets a value. */
function fired(
  market: Market,
  reference: Reference,
  prices: PricePreview['prices'],
  { index }: Pick<SetPrices, 'index'>,
): readonly number[] {
  const fine = prices[reference];
  const isStale = market.stale(reference);
  const isSeen = isStale ? index !== undefined : fine !== market.reference(reference);
  return fine === 0 || !isSeen ? [] : market.triggers.reached(reference, fine);
}

/** The mark that a position falls at is its liquidation price, for a move of this market alone. */
function belowMaintenance(venue: VenueState, market: Market, mark: number) {
  return venue.holdersOf(market).flatMap((number) => {
    const account = venue.accountAt(number);
    if (account === undefined) return [];
    const marketPositions = account.positionsIn(market.index);
    return marketPositions.positions().flatMap((position) => {
      if (position.size === 0) return [];
      const figures = figuresOf(account, market, marketPositions, position);
      const at = figures.liquidationPrice;
      const isBelow = at !== null && (figures.size > 0 ? mark <= at : mark >= at);
      return isBelow ? [{ account: number, figures }] : [];
    });
  });
}
