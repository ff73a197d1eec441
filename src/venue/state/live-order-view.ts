/**
 * The view of an order that is read from its record when a field is read. It is what a reply has (reply.ts).
 *
 * Invariant: it can be read until the venue's next command. After that every field throws, because the record may be
 * another order's by then. Whatever must last longer takes a copy by `orderViewOf`.
 * Cost: one object of three fields.
 */

import type { AlgoName, AttachedTerms, PositionMode, TimeInForce } from '../contract/commands.ts';
import { frozen } from '../contract/frozen.ts';
import type { AlgoView, OrderKind, OrderState, OrderView, Trigger } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Product, Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import type { Order } from './order.ts';
import { behaviourOf } from './order-behaviour.ts';
import type { VenueState } from './venue-state.ts';

const { NONE } = units;

export class LiveOrderView implements OrderView {
  readonly #venue: VenueState;
  readonly #order: Order;
  /** The command after which it can be read. */
  readonly #command: number;

  constructor(venue: VenueState, order: Order) {
    this.#venue = venue;
    this.#order = order;
    this.#command = venue.seq;
  }

  /** The order, while it is the one that the reply shows. */
  #read(): Order {
    if (this.#venue.seq !== this.#command) throw readLate(this.#command, this.#venue.seq);
    return this.#order;
  }

  get key(): number {
    return this.#read().key;
  }

  get seq(): number {
    return this.#read().seq;
  }

  get account(): number {
    return this.#read().account;
  }

  get market(): number {
    return this.#read().market;
  }

  get product(): Product {
    return this.#read().product;
  }

  get side(): Side {
    return this.#read().side;
  }

  get kind(): OrderKind {
    return this.#read().kind;
  }

  get algo(): AlgoName {
    return this.#read().algo;
  }

  get details(): AlgoView | null {
    const order = this.#read();
    return behaviourOf(order).describe?.(this.#venue, order) ?? null;
  }

  get state(): OrderState {
    return this.#read().state;
  }

  get live(): boolean {
    return this.#read().live;
  }

  get clientId(): string | null {
    return this.#read().clientId;
  }

  get broker(): string | null {
    return this.#read().broker;
  }

  get price(): number {
    return this.#read().price;
  }

  get original(): number {
    return this.#read().original;
  }

  get quantity(): number {
    return this.#read().quantity;
  }

  get filled(): number {
    return this.#read().filled;
  }

  get remaining(): number {
    return this.#read().remaining;
  }

  get lastFill(): number {
    return this.#read().lastFill;
  }

  get filledNow(): number {
    const order = this.#read();
    return order.filledSeq === this.#command ? order.filledNow : 0;
  }

  get filledCost(): number {
    return this.#read().filledCost;
  }

  get openedLots(): number {
    return this.#read().openedLots;
  }

  get quoteOriginal(): bigint | null {
    return this.#read().quoteOriginal;
  }

  get quoteFilled(): bigint {
    return this.#read().quoteFilled;
  }

  get quoteRemaining(): bigint {
    return this.#read().quoteRemaining;
  }

  get timeInForce(): TimeInForce | null {
    return this.#read().timeInForce;
  }

  get postOnly(): boolean {
    return this.#read().postOnly;
  }

  get reduceOnly(): boolean {
    return this.#read().reduceOnly;
  }

  get positionId(): number {
    return this.#read().positionId;
  }

  get positionMode(): PositionMode {
    return this.#read().positionMode;
  }

  get liquidation(): 'partial' | 'forced' | null {
    return this.#read().liquidation;
  }

  get trigger(): Readonly<Trigger> | null {
    const { trigger } = this.#read();
    return trigger === null ? null : { ...trigger };
  }

  get takeProfit(): AttachedTerms | null {
    return frozen(this.#read().takeProfit);
  }

  get stopLoss(): AttachedTerms | null {
    return frozen(this.#read().stopLoss);
  }

  get takeProfitKey(): number {
    return this.#read().takeProfitKey;
  }

  get stopLossKey(): number {
    return this.#read().stopLossKey;
  }

  get ending(): Ending | null {
    return frozen(this.#read().ending);
  }

  get nextDueMs(): number | null {
    const order = this.#read();
    return order.timer === NONE ? null : order.dueMs;
  }

  get createdMs(): number {
    return this.#read().createdMs;
  }

  get updatedMs(): number {
    return this.#read().updatedMs;
  }
}

export function readLate(command: number, now: number): Error {
  const advice = 'read it before the next command, or take whole() of it';
  return new Error(`the reply to command ${command} is read after command ${now}: ${advice}`);
}
