/**
 * Bands of marks within which an account is certainly above maintenance, so that nobody needs to judge it
 * (margin-watch.ts).
 *
 * A margin account's slack is its equity less its maintenance. If a mark falls, slack falls by at most the net long
 * lots times the fall, because maintenance falls too or stays. If it rises, slack falls by at most the net short lots
 * and, on all lots, by the highest maintenance rate. So slack / that slope is a distance within which the account is
 * safe. The account's markets share the slack in proportion to the value of their positions. All roundings are on the
 * side of a band that is too narrow: then the account is judged earlier than necessary, and watched again.
 */

import { maintenanceOf } from '../risk/margin.ts';
import { collateralOf, type MarginAccount } from '../risk/margin-account.ts';
import type { Market } from '../state/market.ts';
import { unrealised } from '../state/position.ts';

/** More than the roundings of one position's value and maintenance together, in smallest units. */
const ROUNDING_PER_POSITION = 8;
/** More than the relative rounding of the calculation in doubles. */
const ROUNDING = 1e-12;

/** The positions of one market that a margin account backs. */
interface Share {
  readonly market: Market;
  net: number;
  gross: number;
}

export interface Band {
  readonly market: Market;
  /** Fine prices, both included. */
  readonly low: number;
  readonly high: number;
}

/** One band for each market of the margin account. Null: it is not certain that the account is safe. */
export function safeBands(marginAccount: MarginAccount): Band[] | null {
  const shares: Share[] = [];
  let slack = collateralOf(marginAccount);
  for (const { market, position } of marginAccount.positions) {
    if (market.valuationMark === 0 || position.liquidationStepLots > 0) return null;
    slack += unrealised(position, market) - maintenanceOf(market, position);
    let share = shares.at(-1);
    if (share?.market !== market) {
      share = { market, net: 0, gross: 0 };
      shares.push(share);
    }
    share.net += position.size;
    share.gross += Math.abs(position.size);
  }
  const room = Number(slack) * (1 - ROUNDING) - ROUNDING_PER_POSITION * marginAccount.positions.length;
  if (!(room > 0)) return null;
  let value = 0;
  for (const share of shares) value += grossValue(share);
  const bands = shares.map((share) => bandOf(share, (room * grossValue(share)) / value));
  return bands.every(({ market, low, high }) => low <= market.valuationMark && market.valuationMark <= high)
    ? bands
    : null;
}

function grossValue({ market, gross }: Share): number {
  return gross * market.valuationMark * market.unitsPerFineLot;
}

function bandOf({ market, net, gross }: Share, room: number): Band {
  const distance = room / market.unitsPerFineLot;
  const mark = market.valuationMark;
  // The slope on each side, in lots.
  const falling = net;
  const rising = gross * market.highestMaintenance - net;
  return {
    market,
    low: falling > 0 ? Math.ceil(mark - distance / falling) + 1 : Number.NEGATIVE_INFINITY,
    high: rising > 0 ? Math.floor(mark + distance / rising) - 1 : Number.POSITIVE_INFINITY,
  };
}

/** What two bands of the same market have in common. */
export function narrower(a: Band, b: Band): Band {
  return { market: a.market, low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) };
}
