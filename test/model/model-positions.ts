/** One-way positions and their margin (semantics.md section 11). */
import type { Side } from '../../src/venue/commands.ts';
import { feeOn, ratesOf } from './model-funds.ts';
import {
  BUY,
  ceilDiv,
  FINE,
  floorDiv,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  type ModelPosition,
  most,
  notional,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';

export function positionIn(account: ModelAccount, market: ModelMarket): ModelPosition {
  let position = account.positions.get(market.index);
  if (position === undefined) {
    position = { size: 0, cost: 0n };
    account.positions.set(market.index, position);
  }
  return position;
}

/** Lots that a reduce-only order of this side may still take off. */
export function reducible(account: ModelAccount, market: ModelMarket, side: number): number {
  const { size } = positionIn(account, market);
  return Math.max(0, side === BUY ? -size : size);
}

/** Books a fill into the position and returns the realised profit. What closes takes its part of the entry cost along. */
export function changePosition(
  market: ModelMarket,
  account: ModelAccount,
  o: ModelOrder,
  price: number,
  lots: number,
): bigint {
  const position = positionIn(account, market);
  const signed = o.side === BUY ? 1 : -1;
  const closing = Math.min(lots, reducible(account, market, o.side));
  let realised = 0n;
  if (closing > 0) {
    const costPart = ceilDiv(position.cost * BigInt(closing), BigInt(Math.abs(position.size)));
    position.cost -= costPart;
    position.size += signed * closing;
    realised = BigInt(-signed) * notional(market, price, closing) - costPart;
  }
  const opening = lots - closing;
  position.size += signed * opening;
  position.cost += BigInt(signed) * notional(market, price, opening);
  o.opened += opening;
  return realised;
}

/** Signed value at the mark; without one yet, what it cost. */
function markValue(market: ModelMarket, { size, cost }: ModelPosition): bigint {
  if (market.mark === 0) return cost;
  return floorDiv(BigInt(size) * BigInt(market.mark) * market.tickLot, BigInt(FINE));
}

export function unrealisedIn(account: ModelAccount, market: ModelMarket): bigint {
  const position = positionIn(account, market);
  return position.size === 0 ? 0n : markValue(market, position) - position.cost;
}

/** An order that is judged beside those that rest: its lots and notional. */
export interface Addition {
  side: Side;
  lots: number;
  notional: bigint;
}

/** The worse of |position + buys| and |position − sells|. What reduces needs none, in proportion to all of its side. */
export function exposureIn(w: World, account: ModelAccount, market: ModelMarket, added?: Addition): bigint {
  const position = positionIn(account, market);
  const value = markValue(market, position);
  const worth = (side: Side): bigint => {
    let lots = added?.side === side ? added.lots : 0;
    let total = added?.side === side ? added.notional : 0n;
    for (const o of w.s.live) {
      if (o.account !== account.number || o.market !== market.index || o.side !== side) continue;
      if (o.resting === null || o.reduceOnly) continue;
      lots += unfilled(o);
      total += notional(market, o.resting.price, unfilled(o));
    }
    const opening = Math.max(0, lots - reducible(account, market, side));
    const held = position.size !== 0 && position.size > 0 === (side === BUY) ? value : 0n;
    return (held < 0n ? -held : held) + (lots === 0 ? 0n : ceilDiv(total * BigInt(opening), BigInt(lots)));
  };
  return most(worth(BUY), worth(SELL));
}

/** Exposure × (the initial rate of its tier + 2 × taker fee), rounded up: one rate for all of it. */
export function marginIn(w: World, account: ModelAccount, market: ModelMarket, added?: Addition): bigint {
  const exposure = exposureIn(w, account, market, added);
  if (exposure === 0n) return 0n;
  const tier = market.tiers.find((t) => exposure <= t.max) ?? market.tiers.at(-1)!;
  return feeOn(exposure, tier.initial + 2n * ratesOf(account, market).taker);
}
