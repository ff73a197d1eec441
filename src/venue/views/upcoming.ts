/** What is due next. Only time brings these about; what waits for a price is not among them. */
import type { Due } from '../contract/due.ts';
import type { OrderView } from '../contract/order-view.ts';
import type { Product } from '../contract/units.ts';
import type { Market } from '../state/market.ts';
import { Order } from '../state/order.ts';
import { orderViewOf } from '../state/order-view.ts';
import type { VenueState } from '../state/venue-state.ts';
import { TIMER_EXPIRY, type Timed } from '../structures/timer-queue.ts';
import type { MarketView } from './market-view.ts';

/** An item of the queue of timers. Members that do not apply are null. */
export interface Upcoming {
  readonly kind: Due['kind'];
  /** Epoch ms. It may be now. */
  readonly dueMs: number;
  readonly order: OrderView | null;
  readonly market: MarketView | null;
  /** Its number. */
  readonly account: number | null;
  /** Of a dead man's switch. */
  readonly product: Product | null;
  /** A minute at whose end funding is settled. */
  readonly settlesFunding: boolean;
}

/** The timers of the venue itself, as their rules make them. */
interface VenueTimer extends Timed {
  readonly type: 'minute' | 'liquidation' | 'feed' | 'deadMan';
  readonly market?: Market;
  readonly account?: number;
  readonly product?: Product;
}

const NOTHING = { order: null, market: null, account: null, product: null, settlesFunding: false };

export function upcomingOf(venue: VenueState, markets: readonly MarketView[], limit: number): Upcoming[] {
  return venue.timers.soonest(limit).map((item) => {
    const { dueMs } = item;
    if (item instanceof Order) {
      const order = orderViewOf(venue, item);
      const kind: Due['kind'] = item.timerRank === TIMER_EXPIRY ? 'expiry' : 'algo';
      return { ...NOTHING, kind, dueMs, order, market: markets[order.market], account: order.account };
    }
    const timer = item as VenueTimer;
    const { type, market, account = null, product = null } = timer;
    const intervalMs = type === 'minute' ? (market?.fundingIntervalMs ?? 0) : 0;
    return {
      ...NOTHING,
      kind: type,
      dueMs,
      market: market === undefined ? null : markets[market.index],
      account,
      product,
      settlesFunding: intervalMs > 0 && dueMs % intervalMs === 0,
    };
  });
}
