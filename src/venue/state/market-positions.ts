/**
 * The position mode and the positions of one account in one perpetual market (rules 11.1 to 11.8).
 *
 * - ONE_WAY: one position that nets.
 * - HEDGE: a long and a short. Each is opened by its own side.
 * - ISOLATED: each opening order creates a position with separate collateral, up to five.
 *
 * An order is bound to a position, by number, when it is accepted. A reduce-only trigger is bound when it fires, and an
 * isolated opening order when its first fill creates the position.
 */

import type { PositionMode } from '../contract/commands.ts';
import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import type { Order } from './order.ts';
import { Position, type RiskLimit } from './position.ts';

const { LONG, NET, NONE, SHORT, UNOPENED } = units;

export const MOST_ISOLATED = 5;
const DEFAULT_ISOLATED_LEVERAGE = 10;

export class MarketPositions {
  mode: PositionMode = 'ONE_WAY';
  /** One for the whole market, whatever the mode. */
  readonly limit: RiskLimit = { leastTier: 0 };
  readonly net = new Position(NET, this.limit);
  readonly long = new Position(LONG, this.limit);
  readonly short = new Position(SHORT, this.limit);
  /** Oldest first. */
  readonly isolated: Position[] = [];
  nextIsolated = 1;
  /** Where the account's band in this market is stored (margin-watch.ts). NONE: it has none. Not saved. */
  band = NONE;
  /** The number of live isolated orders that may still open a position. */
  unopened = 0;
  /** The exposure of these orders, and the leverage of future isolated positions. It never has a size. */
  readonly pending = new Position(UNOPENED, this.limit, DEFAULT_ISOLATED_LEVERAGE);

  /**
   * A copy as it would be in another mode. For the present mode (or null) it is this object itself. Nothing is
   * switched. A switch requires an account without position or order in the market, so only the settings are copied.
   */
  inMode(mode: PositionMode | null): MarketPositions {
    if (mode === null || mode === this.mode) return this;
    const other = new MarketPositions();
    other.mode = mode;
    other.limit.leastTier = this.limit.leastTier;
    for (const slot of ['net', 'long', 'short', 'pending'] as const) other[slot].leverage = this[slot].leverage;
    return other;
  }

  /** The positions that may have a size, in a fixed order. */
  positions(): Position[] {
    if (this.mode === 'ONE_WAY') return [this.net];
    return this.mode === 'HEDGE' ? [this.long, this.short] : this.isolated;
  }

  get flat(): boolean {
    return this.positions().every((position) => position.size === 0);
  }

  byId(id: number): Position | undefined {
    if (this.mode === 'ISOLATED') return this.isolated.find((position) => position.id === id);
    if (this.mode === 'ONE_WAY') return id === NET ? this.net : undefined;
    return id === LONG ? this.long : id === SHORT ? this.short : undefined;
  }

  /** The number of the position that an order of this side works on. UNOPENED: the order will open one. */
  bind(side: Side, reduceOnly: boolean): number {
    // A buy (side 0) opens or enlarges a long. If it only reduces, it closes a short.
    if (this.mode === 'ONE_WAY') return NET;
    if (this.mode === 'HEDGE') return (side === 0) === !reduceOnly ? LONG : SHORT;
    if (!reduceOnly) return UNOPENED;
    return this.isolated.find((position) => (side === 0 ? position.size < 0 : position.size > 0))?.id ?? UNOPENED;
  }

  /** Lots that a reduce-only order of this side can take off that position. */
  reducible(id: number, side: Side): number {
    const size = this.byId(id)?.size ?? 0;
    return side === 0 ? Math.max(0, -size) : Math.max(0, size);
  }

  /**
   * The position where the exposure of a resting order that may open is counted. For an isolated order it is the
   * position that it has opened.
   */
  exposureSlot(side: Side, id: number): Position {
    if (this.mode === 'ONE_WAY') return this.net;
    if (this.mode === 'HEDGE') return side === 0 ? this.long : this.short;
    return this.byId(id) ?? this.pending;
  }

  /**
   * The position that a fill of a new order of that side would change. Undefined: an isolated one that the fill would
   * open.
   */
  positionFor(side: Side, reduceOnly: boolean, named: number | null): Position | undefined {
    return this.byId(named ?? this.bind(side, reduceOnly));
  }

  /** The position that a fill of this order would change. Undefined: an isolated one that the fill would open. */
  positionOfOrder(order: Order): Position | undefined {
    const { side, positionId } = order;
    return this.byId(positionId) ?? (this.mode === 'ISOLATED' ? undefined : this.exposureSlot(side, positionId));
  }

  /** The position for a fill of this order. The first fill of an isolated opening order creates it here. */
  openOrGetPosition(order: Order): Position {
    const found = this.byId(order.positionId);
    if (found !== undefined) return found;
    if (this.mode !== 'ISOLATED' || order.positionId !== UNOPENED || order.reduceOnly) {
      throw new Error(`order ${order.key} fills position ${order.positionId}, which is not there in mode ${this.mode}`);
    }
    if (this.isolated.length >= MOST_ISOLATED || this.unopened < 1) {
      const there = `${this.isolated.length} of ${MOST_ISOLATED} isolated positions, ${this.unopened} yet to come`;
      throw new Error(`order ${order.key} opens a position for which there is no room: ${there}`);
    }
    const made = new Position(this.nextIsolated++, this.limit, this.pending.leverage);
    this.isolated.push(made);
    this.unopened--;
    order.positionId = made.id;
    return made;
  }

  /** Removes a closed isolated position. Returns true if it did. */
  forget(position: Position): boolean {
    if (this.mode !== 'ISOLATED' || position.size !== 0) return false;
    const at = this.isolated.indexOf(position);
    if (at >= 0) this.isolated.splice(at, 1);
    return at >= 0;
  }

  /** The positions whose sizes and resting orders count towards the wallet's margin, in a fixed order. */
  exposureSlots(): Position[] {
    if (this.mode === 'ISOLATED') return [this.pending, ...this.isolated];
    return this.positions();
  }
}
