/**
 * What prices would set off at once, without setting them: the triggers that they reach, and the positions that they would put
 * below maintenance. What the fired orders and liquidations would then set off is not foreseen.
 */
import type { SetPrices } from '../contract/commands.ts';
import type { OrderView } from '../contract/order-view.ts';
import { FINE, type Reference } from '../contract/units.ts';
import { nextMark } from '../prices/mark-and-funding.ts';
import { maintenanceAt, maintenanceOf } from '../risk/margin.ts';
import { collateralOf, crossMarginAccount, isolatedMarginAccount, type MarginAccount } from '../risk/margin-account.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { orderViewOf } from '../state/order-view.ts';
import { notionalAt, type Position, unrealised } from '../state/position.ts';
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
  const below = prices.mark === market.mark ? [] : belowMaintenance(venue, market, prices.mark);
  // A bankrupt account is closed before any trigger fires, and that cancels its orders in the market.
  const bankrupt = new Set(below.filter(({ isBankrupt }) => isBankrupt).map(({ account }) => account.index));
  const orders = (['mark', 'index', 'last'] as const)
    .flatMap((reference) => reached(market, reference, prices, command))
    .map((slot) => venue.orders.bySlot(slot))
    .filter((order) => !onlyActivates(order) && !bankrupt.has(order.account));
  const positions = below.flatMap(({ account, positions }) => positions.map((position) => ({ account, position })));
  return {
    prices,
    orders: orders.slice(0, MOST_PREVIEWED).map((order) => orderViewOf(venue, order)),
    positions: positions.slice(0, MOST_PREVIEWED).map(({ account, position }) => {
      const figures = figuresOf(account, market, account.positionsIn(market.index), position);
      return { account: account.index, position: { market: markets[market.index], ...figures } };
    }),
    isCut: orders.length > MOST_PREVIEWED || positions.length > MOST_PREVIEWED,
  };
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
function reached(
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

/** A trailing stop without a stop price waits for its activation price. From then on it only follows. */
function onlyActivates({ trigger }: Order): boolean {
  return trigger?.price === 0;
}

/** A margin account that would be below maintenance. */
interface Below {
  readonly account: Account;
  /** Its equity would be negative. */
  readonly isBankrupt: boolean;
  /** Its positions in the market. */
  readonly positions: readonly Position[];
}

/** By account number. Cost: each position of each holder, in all markets. */
function belowMaintenance(venue: VenueState, market: Market, mark: number): readonly Below[] {
  return venue.holdersOf(market).flatMap((number) => {
    const account = venue.accountAt(number);
    if (account === undefined) return [];
    return marginAccountsIn(account, market).flatMap((marginAccount) => {
      const { equity, maintenance } = marginAt(marginAccount, market, mark);
      if (equity >= maintenance) return [];
      const held = marginAccount.positions.filter((each) => each.market === market && each.position.size !== 0);
      return [{ account, isBankrupt: equity < 0n, positions: held.map(({ position }) => position) }];
    });
  });
}

function marginAccountsIn(account: Account, market: Market): readonly MarginAccount[] {
  const { mode, isolated } = account.positionsIn(market.index);
  if (mode !== 'ISOLATED') return [crossMarginAccount(account, market.quote)];
  return isolated.map((position) => isolatedMarginAccount(account, market, position));
}

/** With this market at another mark, and the others as they are. Smallest units. */
function marginAt(marginAccount: MarginAccount, market: Market, mark: number) {
  let equity = collateralOf(marginAccount);
  let maintenance = 0n;
  for (const { market: held, position } of marginAccount.positions) {
    if (held === market) {
      equity += unrealised(position, market, mark);
      maintenance += maintenanceAt(market, notionalAt(market, position.size, mark), position.limit);
    } else {
      equity += unrealised(position, held);
      maintenance += maintenanceOf(held, position);
    }
  }
  return { equity, maintenance };
}
