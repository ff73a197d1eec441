/**
 * The house: the other side of every trade between a user and a recorded market. It has no limits, no fees and no margin,
 * and nobody can act for it. Its money and its positions are minus what users have won and hold, so the audit includes
 * them. What the recorded market trades with itself moves nothing.
 */
import * as units from '../contract/units.ts';
import { Position } from './position.ts';

const { NET } = units;

export class House {
  /** By currency, in smallest units, of any size and sign. */
  readonly totals: bigint[] = [];
  /** By market, only perpetuals in which it has traded. */
  readonly positions: Position[] = [];

  total(currency: number): bigint {
    return this.totals[currency] ?? 0n;
  }

  credit(currency: number, amount: bigint): void {
    this.totals[currency] = this.total(currency) + amount;
  }

  /** Undefined: it has never traded there. */
  position(market: number): Position | undefined {
    return this.positions[market];
  }

  openOrGetPosition(market: number): Position {
    this.positions[market] ??= new Position(NET, { leastTier: 0 });
    return this.positions[market];
  }
}
