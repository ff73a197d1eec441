/** Position mode and leverage (semantics.md section 11): what may be changed, and when. */

import type { AttachBrackets, Place, SetLeverage, SetPositionMode } from './commands.ts';
import type { Desk } from './desk.ts';
import { covered } from './funds.ts';
import { type Holding, isolatedMargin, MOST_ISOLATED } from './holdings.ts';
import type { Account } from './ledger.ts';
import type { Market } from './market.ts';
import { maintenanceOf, type Position, sizeAtMark, tierOf, unrealised, worstExposure } from './positions.ts';
import { type Refusal, refuse } from './reasons.ts';
import { BUY, PARTS, SELL } from './units.ts';

function changeable(account: Account, market: Market, holding: Holding): boolean {
  return holding.flat && (account.openOrders[market.index] ?? 0) === 0;
}

const NOTHING_TO_UNDO = { undo: () => {} };

/** An order that names another mode switches to it where nothing is in the way; undo gives the mode back. */
export function enterMode(account: Account, market: Market, place: Place): Refusal | { undo: () => void } {
  if (market.product === 'spot') return NOTHING_TO_UNDO;
  const holding = account.holding(market.index);
  const before = holding.mode;
  const wanted = place.positionMode ?? before;
  if (wanted !== before && !changeable(account, market, holding)) {
    return refuse('positionModeMismatch', { symbol: market.symbol, positionMode: wanted, current: before });
  }
  holding.mode = wanted;
  return {
    undo: () => {
      holding.mode = before;
    },
  };
}

/** Up to five isolated positions a market, counting live orders that will open one; `opening`: those of the placement. */
export function roomForPosition(account: Account, market: Market, place: Place, opening: number): Refusal | null {
  if (market.product === 'spot') return null;
  const holding = account.holding(market.index);
  const reduces = 'reduceOnly' in place && place.reduceOnly;
  if (holding.mode !== 'ISOLATED' || reduces) return null;
  if (holding.isolated.length + holding.unopened + opening <= MOST_ISOLATED) return null;
  return refuse('tooManyPositions', { symbol: market.symbol, maximum: MOST_ISOLATED });
}

export function setPositionMode(desk: Desk, command: SetPositionMode): Refusal | null {
  const found = holdingOf(desk, command);
  if (!('holding' in found)) return found;
  const { account, market, holding } = found;
  if (holding.mode === command.mode) return null;
  if (!changeable(account, market, holding)) {
    return refuse('positionModeUnchangeable', {
      symbol: market.symbol,
      current: holding.mode,
      orders: account.openOrders[market.index] ?? 0,
      positions: holding.positions().filter((position) => position.size !== 0).length,
    });
  }
  holding.mode = command.mode;
  return null;
}

interface Found {
  readonly account: Account;
  readonly market: Market;
  readonly holding: Holding;
}

function holdingOf(desk: Desk, command: { account: number; market: number }): Refusal | Found {
  const account = desk.accounts.get(command.account);
  if (account === undefined) return refuse('unknownAccount', { account: command.account });
  const market = desk.markets[command.market];
  if (market === undefined || market.product === 'spot') return refuse('unknownMarket', { symbol: command.market });
  return { account, market, holding: account.holding(market.index) };
}

/** Refused above the maximum of the tier in use, and where the margin of what is there would no longer be covered. */
export function setLeverage(desk: Desk, command: SetLeverage): Refusal | null {
  const found = holdingOf(desk, command);
  if (!('holding' in found)) return found;
  const { account, market, holding } = found;
  const { leverage } = command;
  const positions = leveraged(holding, command);
  if (positions === null) {
    return refuse('unknownPosition', { symbol: market.symbol, position: command.position ?? '' });
  }
  const isolated = command.margin === 'ISOLATED';
  const minimum = isolated ? 1 : 0;
  const maximum = Math.min(...positions.map((position) => mostLeverage(market, position)));
  if (!Number.isInteger(leverage) || leverage < minimum || leverage > maximum) {
    return refuse('leverageOutOfRange', { symbol: market.symbol, leverage, minimum, maximum });
  }
  if (isolated && command.position !== null) return isolatedLeverage(desk, account, market, positions[0], leverage);
  const rate = desk.takerRate(account, market);
  const before = holding.margin(market, rate);
  const old = positions.map((position) => position.leverage);
  for (const position of positions) position.leverage = leverage;
  const short = holding.margin(market, rate) > before ? covered(desk, account, market.quote, 0n) : null;
  if (short !== null) {
    positions.forEach((position, i) => {
      position.leverage = old[i];
    });
  }
  return short;
}

/** The positions that a leverage is for; those of an isolated leverage without a position are yet to come. */
function leveraged(holding: Holding, { margin, position }: SetLeverage): Position[] | null {
  if (position === null) {
    return margin === 'ISOLATED' ? [holding.pending] : [holding.net, holding.long, holding.short];
  }
  const found = (margin === 'ISOLATED') === (holding.mode === 'ISOLATED') ? holding.byId(position) : undefined;
  return found === undefined ? null : [found];
}

function mostLeverage(market: Market, position: Position): number {
  return Math.floor(PARTS / Number(tierOf(market, worstExposure(position, market)).initial));
}

/** An open isolated position: its margin becomes what the new leverage asks for, never below maintenance. */
function isolatedLeverage(
  desk: Desk,
  account: Account,
  market: Market,
  position: Position,
  leverage: number,
): Refusal | null {
  const notional = sizeAtMark(position, market);
  const wanted = isolatedMargin(market, notional, notional, leverage, desk.takerRate(account, market));
  const loss = unrealised(position, market);
  const least = maintenanceOf(position, market) - loss;
  let target = wanted;
  if (target < least) target = least;
  const more = target - position.margin;
  const short = more > 0n ? covered(desk, account, market.quote, more) : null;
  if (short !== null) return short;
  position.leverage = leverage;
  position.margin += more;
  desk.ledger.credit(account, market.quote, -more);
  return null;
}

/** The open position that attached orders are for. */
export function bracketTarget(desk: Desk, command: AttachBrackets): Refusal | (Found & { side: 0 | 1; size: number }) {
  const found = holdingOf(desk, command);
  if (!('holding' in found)) return found;
  if (found.market.halted) return refuse('marketHalted', { symbol: found.market.symbol });
  const position = found.holding.byId(command.position);
  if (position === undefined || position.size === 0) {
    return refuse('unknownPosition', { symbol: found.market.symbol, position: command.position });
  }
  return { ...found, side: position.size > 0 ? SELL : BUY, size: Math.abs(position.size) };
}
