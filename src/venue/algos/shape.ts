/**
 * The one shape of every kind of order, plain or algorithmic. The venue calls; a kind knows nothing of HTTP, of the log,
 * or of other kinds. A sixth algo is one file and one line in index.ts.
 */
import type { Place } from '../commands.ts';
import type { Desk, Observation } from '../desk.ts';
import type { Account } from '../ledger.ts';
import type { Market } from '../market.ts';
import type { Order } from '../orders.ts';
import type { Refusal } from '../reasons.ts';

export interface Algo<P extends Place = never> {
  /** Judges the placement; refused: nothing has changed. Accepted: the orders made, in the order of the reply. */
  readonly accept: (desk: Desk, place: P, account: Account, market: Market) => Refusal | Order[];
  /** The price that the order watches was reached; `seen` is the observation that reached it (null: it held at entry). */
  readonly onTrigger?: (desk: Desk, order: Order, seen: Observation | null) => void;
  /** A reference price that the order follows was seen at `fine` (trailing extremes, pegs). */
  readonly onPrice?: (desk: Desk, order: Order, fine: number) => void;
  /** Its timer is due (TWAP steps; expiry is the venue's). */
  readonly onTime?: (desk: Desk, order: Order) => void;
  /** It was filled, as maker or taker; called once the sweep is over. */
  readonly onFill?: (desk: Desk, order: Order) => void;
  /** It has ended, for whatever reason. */
  readonly onEnd?: (desk: Desk, order: Order) => void;
}
