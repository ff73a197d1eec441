/** Orders by the beginning of their id, as tables and sentences show it. */
import type { OrderIds } from '../../venue/contract/order-id.ts';
import type { ArchiveStore } from '../store/store.ts';

/** The newest orders, which are looked through. Ids are in no order, so each is compared: about 100 ms for all of them. */
export const MOST_COMPARED = 100_000;
/** Enough to say that a beginning is of several. */
const MOST_FOUND = 5;

/** The keys of the newest orders whose id begins so, newest first. @throws {ArchiveDamaged} */
export function ordersBeginning(store: ArchiveStore, ids: OrderIds, beginning: string): number[] {
  const found: number[] = [];
  for (const key of store.newestOrders(MOST_COMPARED)) {
    if (!ids.encode(key).startsWith(beginning)) continue;
    found.push(key);
    if (found.length === MOST_FOUND) break;
  }
  return found;
}
