/**
 * Money (semantics.md section 5): what live orders hold back, what is available, and what a fill moves.
 * Nothing is stored but totals: reserves and margins are worked out from the live orders each time.
 */
import type { Side } from '../../src/venue/contract/commands.ts';
import {
  changePosition,
  marginIn,
  openLossIn,
  positionsIn,
  positionsOf,
  positionToFill,
  unrealisedIn,
  unrealisedOf,
} from './model-positions.ts';
import {
  atMark,
  BUY,
  ceilDiv,
  knownMarks,
  least,
  liveByKey,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  most,
  notional,
  PARTS,
  unfilled,
  type World,
} from './model-state.ts';

export interface Rates {
  maker: bigint;
  taker: bigint;
}

export function ratesOf(account: ModelAccount, market: ModelMarket): Rates {
  return account.fees[market.spec.symbol] ?? { maker: market.maker, taker: market.taker };
}

/** Fees are rounded against the account, by less than one smallest unit. */
export const feeOn = (amount: bigint, rate: bigint): bigint => ceilDiv(amount * rate, PARTS);

/** The most that buying for `cost` can take from the wallet: where fees come from the quote, they come on top. */
export function withFee(w: World, account: ModelAccount, market: ModelMarket, cost: bigint): bigint {
  if (w.s.genesis.config.feeFrom === 'received') return cost;
  const { maker, taker } = ratesOf(account, market);
  const rate = most(most(maker, taker), 0n);
  return cost + feeOn(cost, rate);
}

/** What a taker pays at once for a buy of this cost. */
export function takerCost(w: World, account: ModelAccount, market: ModelMarket, cost: bigint): bigint {
  if (w.s.genesis.config.feeFrom === 'received') return cost;
  return cost + feeOn(cost, most(ratesOf(account, market).taker, 0n));
}

/** What an order of `lots` at a limit price needs in the currency that it pays with. */
export function spotNeed(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  side: Side,
  price: number,
  lots: number,
): bigint {
  if (side !== BUY) return BigInt(lots) * market.lotUnits;
  return withFee(w, account, market, notional(market, price, lots));
}

export function payCurrency(market: ModelMarket, side: Side): number {
  return market.product === 'spot' && side !== BUY ? market.base : market.quote;
}

/** What a live spot order holds back. Futures orders hold margin instead; a TWAP only what its resting child needs. */
export function reserveOf(w: World, o: ModelOrder): bigint {
  const market = w.s.markets[o.market];
  const account = w.s.accounts.get(o.account)!;
  if (market.product !== 'spot') return 0n;
  if (o.twap !== null) {
    if (o.resting === null) return 0n;
    return spotNeed(w, account, market, o.side, o.resting.price, o.resting.shown);
  }
  if (o.quoteOriginal !== null) return o.quoteOriginal - o.quoteFilled;
  if (o.side !== BUY) {
    if (o.oco?.role === 'stop' && liveByKey(w.s, o.oco.siblingKey) !== undefined) return 0n;
    return BigInt(unfilled(o)) * market.lotUnits;
  }
  return buyReserve(w, account, market, o);
}

/** An OCO holds its dearer leg's need once: the limit leg has it while it lives. */
function buyReserve(w: World, account: ModelAccount, market: ModelMarket, o: ModelOrder): bigint {
  const own = o.price;
  const sibling = o.oco === null ? undefined : liveByKey(w.s, o.oco.siblingKey);
  if (sibling === undefined) return spotNeed(w, account, market, BUY, own, unfilled(o));
  if (o.oco?.role === 'stop') return 0n;
  const dearer = Math.max(own, sibling.price);
  return spotNeed(w, account, market, BUY, dearer, unfilled(o));
}

export function reservedOf(w: World, account: ModelAccount, currency: number): bigint {
  let sum = 0n;
  for (const o of w.s.live) {
    if (o.account !== account.number) continue;
    if (payCurrency(w.s.markets[o.market], o.side) === currency) sum += reserveOf(w, o);
  }
  return sum;
}

export interface ModelBalance {
  total: bigint;
  reserved: bigint;
  margin: bigint;
  unrealised: bigint;
  available: bigint;
}

/** available = total − reserved − margins − open losses + min(0, unrealised); margin shows the open losses, too. */
export function balanceOf(w: World, account: ModelAccount, currency: number): ModelBalance {
  let margin = 0n;
  let unrealised = 0n;
  let worse = 0n;
  for (const market of w.s.markets) {
    if (market.product !== 'futures' || market.quote !== currency) continue;
    margin += marginIn(w, account, market) + openLossIn(w, account, market);
    unrealised += unrealisedIn(account, market);
    worse += worseUnrealised(account, market);
  }
  const total = account.totals[currency];
  const reserved = reservedOf(w, account, currency);
  return { total, reserved, margin, unrealised, available: total - reserved - margin + least(0n, worse) };
}

/** Each cross position at the worst mark that everybody knows. */
function worseUnrealised(account: ModelAccount, market: ModelMarket): bigint {
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode === 'ISOLATED') return 0n;
  const markets = [market, ...knownMarks(market).map((mark) => atMark(market, mark))];
  return positionsOf(marketPositions).reduce(
    (sum, p) => sum + markets.map((m) => unrealisedOf(m, p)).reduce(least),
    0n,
  );
}

/** Moves what one fill moves; returns the two fees. The fee goes to the venue. */
export function settle(
  w: World,
  market: ModelMarket,
  maker: ModelOrder,
  taker: ModelOrder,
  price: number,
  lots: number,
): { makerFee: bigint; takerFee: bigint } {
  const cost = notional(market, price, lots);
  return {
    makerFee: settleOne(w, market, maker, 'maker', cost, lots),
    takerFee: settleOne(w, market, taker, 'taker', cost, lots),
  };
}

export const isLiquidation = (o: ModelOrder): boolean => o.orderDetailType !== null && o.twap === null;

/** In place of the taker fee; a forced close has nothing left to pay with. */
function liquidationRate(market: ModelMarket, o: ModelOrder): bigint | null {
  if (!isLiquidation(o)) return null;
  return o.orderDetailType === 'PARTIAL_LIQUIDATION' ? market.liquidationFee : 0n;
}

export function settleOne(
  w: World,
  market: ModelMarket,
  o: ModelOrder,
  role: 'maker' | 'taker',
  cost: bigint,
  lots: number,
): bigint {
  const account = w.s.accounts.get(o.account)!;
  const rate = ratesOf(account, market)[role];
  const totals = account.totals;
  if (market.product === 'futures') {
    const position = positionToFill(account, market, o);
    const fee = feeOn(cost, liquidationRate(market, o) ?? rate);
    // The closing fee of an isolated position is its own money's.
    const ownFee = o.positionMode === 'ISOLATED' && (isLiquidation(o) || o.reduceOnly);
    o.openedLots += changePosition(w, account, market, position, {
      side: o.side,
      lots,
      value: cost,
      fee: ownFee ? fee : 0n,
      liquidated: isLiquidation(o),
    });
    if (!ownFee) totals[market.quote] -= fee;
    // The liquidation fee goes to the insurance fund.
    (isLiquidation(o) ? w.s.insurance : w.s.fees)[market.quote] += fee;
    return fee;
  }
  const base = BigInt(lots) * market.lotUnits;
  const buys = o.side === BUY;
  const feeInBase = buys && w.s.genesis.config.feeFrom === 'received';
  let fee = feeOn(feeInBase ? base : cost, rate);
  const feeCurrency = feeInBase ? market.base : market.quote;
  totals[market.base] += buys ? base : -base;
  totals[market.quote] += buys ? -cost : cost;
  if (o.quoteOriginal !== null) o.quoteFilled += feeInBase ? cost : cost + fee;
  else if (buys && !feeInBase && fee > 0n) {
    // What the order held covers its fee rounded up once: a fill that finds no more than that rounds down.
    const free = totals[market.quote] - reservedOf(w, account, market.quote);
    const equity =
      free + w.s.markets.filter((m) => m.quote === market.quote).reduce((sum, m) => sum + unrealisedIn(account, m), 0n);
    if (fee > free || fee > equity) fee = (cost * rate) / PARTS;
  }
  totals[feeCurrency] -= fee;
  w.s.fees[feeCurrency] += fee;
  return fee;
}
