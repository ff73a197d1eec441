/** Positions and their margin (semantics.md section 11): ONE_WAY nets, HEDGE has two sides, ISOLATED one an order. */
import type { Side } from '../../src/venue/contract/commands.ts';
import { lossAt } from './model-equity.ts';
import { feeOn, ratesOf } from './model-funds.ts';
import {
  BUY,
  ceilDiv,
  countedMark,
  emit,
  FINE,
  floorDiv,
  least,
  type ModelAccount,
  type ModelMarket,
  type ModelMarketPositions,
  type ModelOrder,
  type ModelPosition,
  magnitude,
  most,
  notional,
  PARTS,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';

export const NET = 0;
export const LONG = 1;
export const SHORT = 2;
/** Of an order that will open an isolated position with its first fill. */
export const UNOPENED = -1;
const DEFAULT_ISOLATED_LEVERAGE = 10;

export function positionsIn(account: ModelAccount, market: ModelMarket): ModelMarketPositions {
  let marketPositions = account.positionsByMarket.get(market.index);
  if (marketPositions === undefined) {
    const blank = (id: number): ModelPosition => ({
      id,
      size: 0,
      cost: 0n,
      leverage: 0,
      collateral: 0n,
      liquidationStepLots: 0,
    });
    marketPositions = {
      mode: 'ONE_WAY',
      cross: [blank(NET), blank(LONG), blank(SHORT)],
      isolated: [],
      isolatedLeverage: DEFAULT_ISOLATED_LEVERAGE,
      nextIsolated: 1,
      leastTier: 0,
    };
    account.positionsByMarket.set(market.index, marketPositions);
  }
  return marketPositions;
}

/** Positions of the mode in force, flat ones too. */
export function positionsOf(marketPositions: ModelMarketPositions): ModelPosition[] {
  if (marketPositions.mode === 'ISOLATED') return marketPositions.isolated;
  return marketPositions.mode === 'ONE_WAY'
    ? [marketPositions.cross[NET]]
    : [marketPositions.cross[LONG], marketPositions.cross[SHORT]];
}

/** A number that the mode does not have names no position. */
export function positionById(marketPositions: ModelMarketPositions, id: number): ModelPosition | undefined {
  return positionsOf(marketPositions).find((p) => p.id === id);
}

export function positionOf(account: ModelAccount, market: ModelMarket, o: ModelOrder): ModelPosition | undefined {
  return market.product === 'spot' ? undefined : positionById(positionsIn(account, market), o.positionId);
}

/** Which position an order of this side works on; reduce-only in ISOLATED: the oldest opposite one. */
export function bindTo(marketPositions: ModelMarketPositions, side: Side, reduceOnly: boolean): number {
  if (marketPositions.mode === 'ONE_WAY') return NET;
  if (marketPositions.mode === 'HEDGE') return (side === BUY) !== reduceOnly ? LONG : SHORT;
  if (!reduceOnly) return UNOPENED;
  return marketPositions.isolated.find((p) => (side === BUY ? p.size < 0 : p.size > 0))?.id ?? UNOPENED;
}

/** Lots that a reduce-only order of this side may still take off a position. */
export function reducible(position: ModelPosition | undefined, side: Side): number {
  const size = position?.size ?? 0;
  return Math.max(0, side === BUY ? -size : size);
}

/** Lots that a reduce-only order may take off the position that it works on. */
export function roomOf(w: World, o: ModelOrder): number {
  const market = w.s.markets[o.market];
  return reducible(positionOf(w.s.accounts.get(o.account)!, market, o), o.side);
}

/** Signed value at the mark; without one yet, what it cost. */
export function markValue(market: ModelMarket, { size, cost }: ModelPosition): bigint {
  const mark = countedMark(market);
  if (mark === 0) return cost;
  return floorDiv(BigInt(size) * BigInt(mark) * market.tickLot, BigInt(FINE));
}

export function unrealisedOf(market: ModelMarket, position: ModelPosition): bigint {
  return position.size === 0 ? 0n : markValue(market, position) - position.cost;
}

/** Cross positions win and lose with the wallet, isolated ones with their own money. */
export function unrealisedIn(account: ModelAccount, market: ModelMarket): bigint {
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode === 'ISOLATED') return 0n;
  return positionsOf(marketPositions).reduce((sum, p) => sum + unrealisedOf(market, p), 0n);
}

// --- fills ---------------------------------------------------------------------------------------------------------

/** What reaches a position: a fill, or a part of auto-deleveraging. `fee`: what an isolated position pays for it itself. */
export interface Lots {
  side: Side;
  lots: number;
  value: bigint;
  fee: bigint;
  liquidated: boolean;
}

/**
 * A fill reaches a position: what closes takes its part of the entry cost along (rounded against the account). The result
 * goes to the wallet; an isolated position's to its own money, of which it gives back the part that it has closed. In
 * liquidation all of it stays with what is left. Returns the lots opened.
 */
export function changePosition(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  position: ModelPosition,
  { side, lots, value, fee, liquidated }: Lots,
): number {
  const isolated = positionsIn(account, market).mode === 'ISOLATED';
  const sign = side === BUY ? 1 : -1;
  let result = -fee;
  const before = Math.abs(position.size);
  const closing = Math.min(lots, reducible(position, side));
  const opening = lots - closing;
  if (closing > 0) {
    const costPart = ceilDiv(position.cost * BigInt(closing), BigInt(before));
    const proceeds = (BigInt(-sign) * value * BigInt(closing)) / BigInt(lots);
    position.cost -= costPart;
    position.size += sign * closing;
    if (position.size === 0) position.liquidationStepLots = 0;
    const realised = proceeds - costPart;
    result += realised;
    if (!isolated) account.totals[market.quote] += realised;
    if (realised !== 0n) emit(w, { type: 'money', account: account.number, amount: realised, reason: 'realised' });
  }
  position.size += sign * opening;
  position.cost += (BigInt(sign) * value * BigInt(opening)) / BigInt(lots);
  if (!isolated) return opening;
  if (opening > 0) takeCollateral(w, account, market, position, { side, lots, value });
  else if (liquidated) position.collateral += result;
  else {
    // Its share of the margin less what it lost; a loss above the share comes from the rest, never from the wallet.
    const share = (position.collateral * BigInt(closing)) / BigInt(before);
    const back = most(0n, share + result);
    position.collateral += result - back;
    account.totals[market.quote] += back;
  }
  return opening;
}

/** From the wallet: the margin of the fill, at the rate of all that its order comes to, and what it loses at once. */
function takeCollateral(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  position: ModelPosition,
  { side, lots, value }: Pick<Lots, 'side' | 'lots' | 'value'>,
): void {
  const size = magnitude(markValue(market, position)) + restOf(w, account, market, position.id);
  const price = Number(value / (BigInt(lots) * market.tickLot));
  const moved =
    isolatedMargin(account, market, value, size, position.leverage) +
    lossMoney(market, lossAt(market, side, price, lots));
  position.collateral += moved;
  account.totals[market.quote] -= moved;
}

/** The position that takes a fill of the order: an isolated opening order makes its own with the first one. */
export function positionToFill(account: ModelAccount, market: ModelMarket, o: ModelOrder): ModelPosition {
  const marketPositions = positionsIn(account, market);
  const found = positionById(marketPositions, o.positionId);
  if (found !== undefined) return found;
  const leverage = marketPositions.isolatedLeverage;
  const made: ModelPosition = {
    id: marketPositions.nextIsolated++,
    size: 0,
    cost: 0n,
    leverage,
    collateral: 0n,
    liquidationStepLots: 0,
  };
  marketPositions.isolated.push(made);
  o.positionId = made.id;
  return made;
}

// --- margin --------------------------------------------------------------------------------------------------------

/** An order that is checked beside those that rest, and one that is left out of account (it is being amended). */
export interface Change {
  /** `loss`: what it would lose at once, fine ticks × lots. */
  added?: { side: Side; lots: number; value: bigint; loss: bigint };
  without?: ModelOrder;
}

const lossMoney = (market: ModelMarket, loss: bigint): bigint => ceilDiv(loss * market.tickLot, BigInt(FINE));

function openingOrders(w: World, account: ModelAccount, market: ModelMarket, side: Side, change: Change) {
  const added = change.added?.side === side ? change.added : { lots: 0, value: 0n, loss: 0n };
  let { lots, value } = added;
  let loss = lossMoney(market, added.loss);
  for (const o of w.s.live) {
    if (o.account !== account.number || o.market !== market.index || o.side !== side) continue;
    if (o.resting === null || o.reduceOnly || o === change.without) continue;
    lots += unfilled(o);
    value += notional(market, o.price, unfilled(o));
    loss += lossMoney(market, lossAt(market, side, o.price, unfilled(o)));
  }
  return { lots, value, loss };
}

/** What the opening orders of both sides would lose at once; what only reduces counts in proportion, as in the margin. */
export function openLossIn(w: World, account: ModelAccount, market: ModelMarket, change: Change = {}): bigint {
  const marketPositions = positionsIn(account, market);
  const [net, long, short] = marketPositions.cross;
  const reduced = { ONE_WAY: [net, net], HEDGE: [long, short], ISOLATED: [undefined, undefined] }[marketPositions.mode];
  const sides: Side[] = [BUY, SELL];
  return sides.reduce((sum, side) => {
    const { lots, loss } = openingOrders(w, account, market, side, change);
    const opening = Math.max(0, lots - reducible(reduced[side], side));
    return lots === 0 ? sum : sum + ceilDiv(loss * BigInt(opening), BigInt(lots));
  }, 0n);
}

/** The worse of |position + buys| and |position − sells|; what reduces needs none, in proportion to all of its side. */
function worstOf(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  position: ModelPosition,
  sides: readonly Side[],
  change: Change,
): bigint {
  const worth = sides.map((side) => {
    const { lots, value } = openingOrders(w, account, market, side, change);
    const opening = Math.max(0, lots - reducible(position, side));
    return lots === 0 ? 0n : ceilDiv(value * BigInt(opening), BigInt(lots));
  });
  const value = magnitude(markValue(market, position));
  return sides
    .map((side, i) => worth[i] + (position.size !== 0 && position.size > 0 === (side === BUY) ? value : 0n))
    .reduce(most, 0n);
}

/** Exposure of the positions in a market with their orders: one entry for each that has a margin of its own. */
function exposures(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  change: Change,
): { of: ModelPosition; exposure: bigint }[] {
  const [net, long, short] = positionsIn(account, market).cross;
  if (positionsIn(account, market).mode === 'ONE_WAY') {
    return [{ of: net, exposure: worstOf(w, account, market, net, [0, 1], change) }];
  }
  return [
    { of: long, exposure: worstOf(w, account, market, long, [0], change) },
    { of: short, exposure: worstOf(w, account, market, short, [1], change) },
  ];
}

/** The exposure that decides the tier of an opening order; ISOLATED: with the position that it has opened, else those to come. */
export function exposureOf(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  side: Side,
  change: Change = {},
  of: ModelOrder | undefined = change.without,
): bigint {
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode === 'ISOLATED') return isolatedExposure(w, account, market, of?.positionId, change);
  const all = exposures(w, account, market, change);
  return all[all.length === 1 ? 0 : side].exposure;
}

/** ISOLATED: what rests of orders that have opened this position, or none yet. */
export function restOf(w: World, account: ModelAccount, market: ModelMarket, id: number, change: Change = {}): bigint {
  const ids = positionsIn(account, market).isolated.map((p) => p.id);
  const opened = (o: ModelOrder | undefined) =>
    o !== undefined && ids.includes(o.positionId) ? o.positionId : UNOPENED;
  let value = change.added !== undefined && opened(change.without) === id ? change.added.value : 0n;
  for (const o of w.s.live) {
    if (o.account !== account.number || o.market !== market.index || opened(o) !== id) continue;
    if (o.resting !== null && !o.reduceOnly && o !== change.without) value += notional(market, o.price, unfilled(o));
  }
  return value;
}

/** With the position that it has opened, of orders to come all together. */
function isolatedExposure(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  id = UNOPENED,
  change: Change = {},
): bigint {
  const position = positionsIn(account, market).isolated.find((p) => p.id === id);
  if (position === undefined) return restOf(w, account, market, UNOPENED, change);
  return magnitude(markValue(market, position)) + restOf(w, account, market, id, change);
}

/** Margin that the wallet covers; isolated positions have brought their own, only their opening orders count here. */
export function marginIn(w: World, account: ModelAccount, market: ModelMarket, change: Change = {}): bigint {
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode === 'ISOLATED') {
    return [{ id: UNOPENED, leverage: marketPositions.isolatedLeverage }, ...marketPositions.isolated].reduce(
      (sum, { id, leverage }) => {
        const exposure = isolatedExposure(w, account, market, id, change);
        const rest = restOf(w, account, market, id, change);
        const entryFee = feeOn(rest, most(0n, ratesOf(account, market).taker));
        return sum + isolatedMargin(account, market, rest, exposure, leverage) + entryFee;
      },
      0n,
    );
  }
  return exposures(w, account, market, change).reduce(
    (sum, { of, exposure }) => sum + feeOn(exposure, marginRate(account, market, exposure, of.leverage)),
    0n,
  );
}

/** The tier of an exposure, or the one that the account has chosen where that is higher. */
export function tierOf(account: ModelAccount, market: ModelMarket, exposure: bigint): ModelMarket['tiers'][number] {
  const byExposure = market.tiers.findIndex((t) => exposure <= t.max);
  const last = market.tiers.length - 1;
  return market.tiers[Math.max(byExposure < 0 ? last : byExposure, positionsIn(account, market).leastTier)];
}

/** The largest exposure that one of the positions, or the isolated orders to come, have. */
export function largestExposure(w: World, account: ModelAccount, market: ModelMarket): bigint {
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode !== 'ISOLATED')
    return exposures(w, account, market, {})
      .map((e) => e.exposure)
      .reduce(most);
  return [UNOPENED, ...marketPositions.isolated.map((p) => p.id)]
    .map((id) => isolatedExposure(w, account, market, id))
    .reduce(most);
}

/** max(the tier's initial rate, 1 / leverage) + 2 × taker fee; leverage 0 is the tier's maximum. */
function marginRate(account: ModelAccount, market: ModelMarket, exposure: bigint, leverage: number): bigint {
  const byLeverage = leverage === 0 ? 0n : ceilDiv(PARTS, BigInt(leverage));
  return most(tierOf(account, market, exposure).initial, byLeverage) + 2n * ratesOf(account, market).taker;
}

/** Isolated: a hundredth more. */
export function isolatedMargin(
  account: ModelAccount,
  market: ModelMarket,
  value: bigint,
  exposure: bigint,
  leverage: number,
): bigint {
  return ceilDiv(value * marginRate(account, market, exposure, leverage) * 101n, PARTS * 100n);
}

/** What has to be left of a position's money: each part of its value at the mark at the rate of its own tier. */
export function maintenanceOf(account: ModelAccount, market: ModelMarket, position: ModelPosition): bigint {
  const size = magnitude(markValue(market, position));
  const { leastTier } = positionsIn(account, market);
  let [sum, from] = [0n, 0n];
  for (const [i, tier] of market.tiers.entries()) {
    const upTo = i === market.tiers.length - 1 ? size : least(size, tier.max);
    sum += (upTo - from) * market.tiers[Math.max(i, leastTier)].maintenance;
    from = upTo;
  }
  return ceilDiv(sum, PARTS);
}

/** The most leverage that the tier of a cross position and its orders, or of isolated orders to come, allows. */
export function mostLeverage(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  of: ModelPosition | 'pending',
): number {
  const whole = 100_000_000;
  let exposure: bigint;
  if (of === 'pending') {
    exposure = positionsIn(account, market).mode === 'ISOLATED' ? restOf(w, account, market, UNOPENED) : 0n;
  } else exposure = ownExposure(w, account, market, of);
  return Math.floor(whole / Number(tierOf(account, market, exposure).initial));
}

/** Orders count for the positions of the mode in force only. */
function ownExposure(w: World, account: ModelAccount, market: ModelMarket, of: ModelPosition): bigint {
  const marketPositions = positionsIn(account, market);
  if (!positionsOf(marketPositions).includes(of)) return magnitude(markValue(market, of));
  if (marketPositions.mode === 'ISOLATED') return isolatedExposure(w, account, market, of.id);
  return exposures(w, account, market, {}).find((entry) => entry.of === of)!.exposure;
}
