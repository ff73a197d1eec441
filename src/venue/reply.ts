/**
 * What the venue says to a command. A reply is read from the records of its orders, without a copy, so reading it costs
 * what is read.
 *
 * Invariants:
 * - It shows its orders as the command left them, before anything that their trades trigger. If something
 *   may follow, the venue copies the whole reply first (`isAtRest` in steps/clock.ts).
 * - It can be read until the venue's next command. After that its orders throw. `whole` makes one that lasts.
 */

import type { OrderView } from './contract/order-view.ts';
import type { Refusal } from './contract/reasons.ts';
import { type Outcome, shown } from './handlers/orders.ts';
import { LiveOrderView, readLate } from './state/live-order-view.ts';
import type { Order } from './state/order.ts';
import { orderViewOf, viewsOf } from './state/order-view.ts';
import type { VenueState } from './state/venue-state.ts';

export interface Reply {
  readonly seq: number;
  /** Venue time after the command. */
  readonly timeMs: number;
  readonly refusal: Refusal | null;
  /**
   * For orderNotFound and duplicate refusals: the caller's own order that the refusal is about, if the venue knows it.
   */
  readonly about: OrderView | null;
  /** As the command left them, oldest first (OCO: the limit leg, then the stop leg). */
  readonly orders: readonly OrderView[];
  /** createAccount: the number of the new account. */
  readonly account: number | null;
}

const NO_VIEWS: readonly OrderView[] = [];

export class LiveReply implements Reply {
  readonly #venue: VenueState;
  readonly #outcome: Outcome;
  readonly seq: number;
  readonly timeMs: number;
  #whole: Reply | null = null;
  /** Undefined: not read yet. */
  #about: OrderView | null | undefined = undefined;
  #orders: readonly OrderView[] | undefined = undefined;

  constructor(venue: VenueState, outcome: Outcome) {
    this.#venue = venue;
    this.#outcome = outcome;
    this.seq = venue.seq;
    this.timeMs = venue.nowMs;
  }

  get refusal(): Refusal | null {
    return this.#outcome.refusal;
  }

  get account(): number | null {
    return this.#outcome.account;
  }

  get about(): OrderView | null {
    if (this.#about === undefined) {
      const order = this.#lookUp();
      this.#about = order === undefined ? null : new LiveOrderView(this.#venue, order);
    }
    return this.#about;
  }

  get orders(): readonly OrderView[] {
    this.#orders ??= this.#live();
    return this.#orders;
  }

  /** A copy that lasts. */
  whole(): Reply {
    return this.#whole ?? this.#copy();
  }

  /** From now on the reply shows its orders as they are now. */
  take(): void {
    this.#whole = this.#copy();
    this.#about = this.#whole.about;
    this.#orders = this.#whole.orders;
  }

  #copy(): Reply {
    const { seq, timeMs, refusal, account } = this;
    const order = this.#lookUp();
    const about = order === undefined ? null : orderViewOf(this.#venue, order);
    return { seq, timeMs, refusal, about, orders: viewsOf(this.#venue, this.#outcome.orders), account };
  }

  #lookUp(): Order | undefined {
    this.#mustBePresent();
    return shown(this.#venue, this.#outcome.about);
  }

  /** Most replies have one order, for which no list is walked. */
  #live(): readonly OrderView[] {
    const { orders } = this.#outcome;
    if (orders.length === 0) return NO_VIEWS;
    this.#mustBePresent();
    return orders.length === 1
      ? [new LiveOrderView(this.#venue, orders[0])]
      : orders.map((order) => new LiveOrderView(this.#venue, order));
  }

  #mustBePresent(): void {
    if (this.#venue.seq !== this.seq) throw readLate(this.seq, this.#venue.seq);
  }
}
