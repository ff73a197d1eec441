/** Liquidation at the mark, the insurance fund and auto-deleveraging (semantics.md section 11). */
import type { Side } from '../../src/venue/contract/commands.ts';
import { bestAgainst, crosses, depthOf, within } from './model-book.ts';
import {
  bankruptcyValue,
  crossMarginAccount,
  equityOf,
  type MarginAccount,
  type MarginPosition,
  maintenanceNeeded,
  marginAccountOf,
  shareOf,
  strictestLimit,
} from './model-equity.ts';
import { feeOn, ratesOf } from './model-funds.ts';
import { changeHousePosition } from './model-house.ts';
import { afterSweep, fitReduceOnlyOrders } from './model-links.ts';
import { end, sweep } from './model-matching.ts';
import { changePosition, markValue, positionsIn, positionsOf, unrealisedOf } from './model-positions.ts';
import {
  BUY,
  countedMark,
  emit,
  FINE,
  floorDiv,
  HOUSE,
  isLive,
  least,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  type ModelPosition,
  magnitude,
  most,
  newOrder,
  notional,
  opposite,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';
import { makeGood, newestSpotOrder } from './model-wallets.ts';

const MOST_ROUNDS = 10;

const byNumber = (a: number, b: number): number => a - b;

/** After an observation of the mark: everyone who holds something in the market as it begins, and still does. */
export function checkHolders(w: World, market: ModelMarket): void {
  for (const number of holdersOf(w, market)) if (holdsIn(w, market, number)) checkAccount(w, market, number);
  judgeDeleveraged(w);
}

const holdsIn = (w: World, market: ModelMarket, number: number): boolean =>
  positionsOf(positionsIn(w.s.accounts.get(number)!, market)).some((p) => p.size !== 0);

export function holdersOf(w: World, market: ModelMarket): number[] {
  return [...w.s.accounts.keys()].sort(byNumber).filter((number) => holdsIn(w, market, number));
}

/** Whom a change of the mark has put below zero is closed before anyone reacts to it: nobody leaves with what he owes. */
export function closeBankrupt(w: World): void {
  for (const market of w.s.markets) {
    if (market.product !== 'spot' && !market.halted && market.mark !== market.checkedMark) closeBankruptIn(w, market);
  }
  judgeDeleveraged(w);
}

function closeBankruptIn(w: World, market: ModelMarket): void {
  for (const number of holdersOf(w, market)) {
    if (!holdsIn(w, market, number)) continue;
    for (const margin of marginsIn(w, market, number)) if (equityOf(w, margin) < 0n) liquidate(w, market, margin);
  }
  judgeDeleveraged(w);
  market.checkedMark = market.mark;
}

/** Before a halted market ends: as if it resumed with its settlement price as the mark. */
export function closeBankruptAtEnd(w: World, market: ModelMarket, fine: number): void {
  const { mark } = market;
  Object.assign(market, { mark: fine, halted: false, pendingIndex: 0 });
  closeBankruptIn(w, market);
  Object.assign(market, { mark, halted: true });
}

/**
 * Whoever has given something up to auto-deleveraging is judged wherever he holds something: below zero he is closed out
 * now, below maintenance with those who wait for a book.
 */
function judgeDeleveraged(w: World): void {
  for (let number = w.deleveraged.shift(); number !== undefined; number = w.deleveraged.shift()) {
    for (const market of w.s.markets) {
      if (market.product === 'spot' || !holdsIn(w, market, number)) continue;
      for (const margin of marginsIn(w, market, number)) {
        if (equityOf(w, margin) < 0n) liquidate(w, market, margin);
        else if (equityOf(w, margin) < maintenanceNeeded(margin)) wait(margin);
      }
    }
  }
}

/** Those whose liquidation found no book are tried again at each change; true: that has brought one. */
export function checkDistressed(w: World): boolean {
  const closings = () => w.events.filter(({ type }) => type === 'traded' || type === 'deleveraged').length;
  const before = closings();
  for (const market of w.s.markets) {
    for (const number of [...market.distressed].sort(byNumber)) checkAccount(w, market, number);
  }
  return closings() > before;
}

export function checkAccount(w: World, market: ModelMarket, number: number): void {
  market.distressed = market.distressed.filter((other) => other !== number);
  for (const margin of marginsIn(w, market, number)) liquidate(w, market, margin);
}

/** The account's cross positions, or each isolated one in the market. */
export function marginsIn(w: World, market: ModelMarket, number: number): MarginAccount[] {
  const account = w.s.accounts.get(number)!;
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode !== 'ISOLATED') return [crossMarginAccount(w, account, market.quote)];
  return marketPositions.isolated.map((position) => marginAccountOf(w, account, market, position));
}

function liquidate(w: World, market: ModelMarket, margin: MarginAccount): void {
  const positions = margin.positions.map((marginPosition) => marginPosition.position);
  const isShort = () => equityOf(w, margin) < maintenanceNeeded(margin);
  const isSafe = () => equityOf(w, margin) * 5n >= maintenanceNeeded(margin) * 6n;
  const begun = positions.some((p) => p.liquidationStepLots > 0);
  const calm = () => {
    for (const p of positions) p.liquidationStepLots = 0;
  };
  if (begun ? isSafe() : !isShort()) {
    calm();
    return;
  }
  if (margin.isolated !== null && market.halted) {
    wait(margin);
    return;
  }
  cancelOrders(w, market, margin, isShort);
  if (!begun && !isShort()) return;
  for (const p of positions) if (p.liquidationStepLots === 0) p.liquidationStepLots = Math.ceil(Math.abs(p.size) / 4);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (isSafe()) {
      calm();
      return;
    }
    const open = margin.positions.filter((marginPosition) => marginPosition.position.size !== 0);
    if (open.length === 0) return;
    // Where nothing can be closed of one, the next is tried; a halted market has to wait.
    const closable = open.filter((marginPosition) => !marginPosition.market.halted);
    if (!inOrder(w, margin, closable).some((marginPosition) => closeStep(w, margin, marginPosition))) {
      wait(margin);
      return;
    }
  }
  const left = openIn(margin);
  if (left === undefined) return;
  w.s.liquidations.push({ market: left.index, account: margin.account.number, atMs: w.s.now });
}

/** In the first market where something is left: of a market without a position the account may change the mode. */
function wait(margin: MarginAccount): void {
  const market = openIn(margin);
  if (market === undefined) return;
  if (!market.distressed.includes(margin.account.number)) market.distressed.push(margin.account.number);
}

const openIn = ({ positions }: MarginAccount): ModelMarket | undefined =>
  positions.find(({ position }) => position.size !== 0)?.market;

/** Futures orders first, for an isolated position those of its market; then spot orders of the currency, newest first, as far as needed. */
function cancelOrders(
  w: World,
  market: ModelMarket,
  { account, currency, isolated }: MarginAccount,
  isShort: () => boolean,
): void {
  for (const o of [...w.s.live]) {
    const concerned = o.product === 'futures' && (isolated === null || o.market === market.index);
    if (concerned && o.account === account.number && isLive(o)) end(w, o, 'cancelled', 'liquidation');
  }
  if (isolated !== null) return;
  while (isShort()) {
    const o = newestSpotOrder(w, account, currency);
    if (o === undefined) return;
    end(w, o, 'cancelled', 'liquidation');
  }
}

/** Largest loss first, then market: below zero the loss by the last change of the mark, before that the whole of it. */
function inOrder(w: World, margin: MarginAccount, open: MarginPosition[]): MarginPosition[] {
  const loss = ({ market, position }: MarginPosition): bigint => -unrealisedOf(market, position);
  const lastLoss = ({ market, position }: MarginPosition): bigint =>
    BigInt(position.size) * BigInt(markBefore(market) - market.mark) * market.tickLot;
  const order = (a: bigint, b: bigint): number => (a === b ? 0 : a > b ? -1 : 1);
  const bankrupt = equityOf(w, margin) < 0n;
  return [...open].sort((a, b) => (bankrupt ? order(lastLoss(a), lastLoss(b)) : 0) || order(loss(a), loss(b)));
}

const markBefore = (market: ModelMarket): number => market.checkedMark || market.mark;

/** One step of a liquidation; whether it has closed anything. */
function closeStep(w: World, margin: MarginAccount, marginPosition: MarginPosition): boolean {
  const { market, position } = marginPosition;
  const before = position.size;
  const value = magnitude(markValue(market, position));
  const equity = equityOf(w, margin);
  const isLeg = (other: MarginPosition) =>
    other.market === market && other !== marginPosition && other.position.size !== 0;
  const leg = equity < 0n ? margin.positions.find(isLeg) : undefined;
  if (leg !== undefined) closeLegs(w, margin, marginPosition, leg.position);
  else if (equity >= 0n && shareOf(w, margin, marginPosition) > feeOn(value, market.liquidationFee))
    closeQuarter(w, margin, marginPosition);
  else closeAll(w, margin, marginPosition, equity < 0n);
  return position.size !== before;
}

/** The nearer of two limits of an order of this side. */
const nearer = (side: Side, a: number, b: number): number => (side === SELL ? Math.max(a, b) : Math.min(a, b));

/** A quarter, inside the band, at no price worse than the bankruptcy price with its fee. */
function closeQuarter(w: World, margin: MarginAccount, marginPosition: MarginPosition): void {
  const { market, position } = marginPosition;
  const side: Side = position.size > 0 ? SELL : BUY;
  const band = within(market, side, market.mark, market.band);
  const limit = nearer(side, band, strictestLimit(w, margin.account, market, position, market.liquidationFee));
  if (bestAgainst(w, market, side, limit) === undefined) return;
  const lots = Math.min(position.liquidationStepLots, Math.abs(position.size));
  const o = openLiquidation(w, margin, marginPosition, lots, 'PARTIAL_LIQUIDATION');
  sweep(w, market, o, limit, lots);
  conclude(w, margin, o);
}

function openLiquidation(
  w: World,
  { account }: MarginAccount,
  { market, position }: MarginPosition,
  lots: number,
  orderDetailType: ModelOrder['orderDetailType'],
): ModelOrder {
  const side = position.size > 0 ? SELL : BUY;
  const o = newOrder(w, { account: account.number, market: market.index, side, kind: 'market', quantity: lots });
  o.reduceOnly = true;
  o.orderDetailType = orderDetailType;
  o.positionMode = positionsIn(account, market).mode;
  o.positionId = position.id;
  w.s.live.push(o);
  emit(w, { type: 'accepted', key: o.key });
  return o;
}

/** What is left of the own money of an isolated position that is closed goes to the wallet; what an account without positions lacks is the fund's. */
function conclude(w: World, margin: MarginAccount, o: ModelOrder): void {
  const { account, currency, isolated } = margin;
  if (unfilled(o) === 0) end(w, o, 'filled', null);
  else end(w, o, 'cancelled', 'noLiquidityInBand');
  if (isolated !== null && isolated.size === 0) {
    if (isolated.collateral < 0n) toFund(w, margin, isolated.collateral);
    account.totals[currency] += isolated.collateral;
    isolated.collateral = 0n;
  }
  const isFlat = margin.positions.every(({ position }) => position.size === 0);
  if (isolated === null && isFlat) toFund(w, margin, least(0n, account.totals[currency]));
  afterSweep(w);
}

/**
 * The whole position goes, each lot at the bankruptcy price: what the book gives more goes to the fund. Below zero the book
 * is taken a little beyond the mark only, as far as the fund covers what it gives less; the rest is closed against others.
 */
function closeAll(w: World, margin: MarginAccount, marginPosition: MarginPosition, bankrupt: boolean): void {
  const { market, position } = marginPosition;
  const side: Side = position.size > 0 ? SELL : BUY;
  const size = Math.abs(position.size);
  const owed = bankruptcyValue(w, margin, marginPosition);
  /** Of the first so many lots, rounded against the bankrupt account; of all of them nothing is lost. */
  const worth = (lots: number): bigint =>
    side === SELL ? floorDiv(owed * BigInt(lots), BigInt(size)) : -floorDiv(-owed * BigInt(lots), BigInt(size));
  const limit = bankrupt
    ? within(market, side, market.mark, liquidationBand(w, market))
    : nearer(
        side,
        within(market, side, market.mark, market.band),
        strictestLimit(w, margin.account, market, position, 0n),
      );
  /** Of the best level, the lots whose difference to the bankruptcy price the fund covers, after those that are filled. */
  const covered = (filled: number) => {
    const [price, level] = depthOf(w, market, opposite(side))[0] ?? [0, 0];
    const gain = (lots: number): bigint => {
      const more = notional(market, price, lots) - (worth(filled + lots) - worth(filled));
      return side === SELL ? more : -more;
    };
    let lots = level > 0 && crosses(side, limit, price) ? Math.min(level, size - filled) : 0;
    while (bankrupt && lots > 0 && -gain(lots) > fundOf(w, margin)) lots--;
    return { price, lots, gain };
  };
  const others =
    bankrupt &&
    (houseLots(w, market, side) > 0 ||
      counterparties(w, market, side).some((other) => other.position !== margin.isolated));
  if (covered(0).lots === 0 && !others) return;
  const o = openLiquidation(w, margin, marginPosition, size, side === BUY ? 'FORCED_MARKET_BUY' : 'FORCED_MARKET_SELL');
  for (let next = covered(o.filled); next.lots > 0; next = covered(o.filled)) {
    const [filled, depth] = [o.filled, w.s.live.length];
    sweep(w, market, o, next.price, next.lots);
    toFund(w, margin, next.gain(o.filled - filled));
    if (o.filled === filled && w.s.live.length === depth) break;
  }
  if (unfilled(o) > 0 && bankrupt) deleverage(w, margin, marginPosition, o, worth);
  conclude(w, margin, o);
}

/** Never above twice the maker fee plus the taker fee, of whoever has rates of its own: it would pay to be liquidated. */
function liquidationBand(w: World, market: ModelMarket): bigint {
  const own = [...w.s.accounts.values()].map((account) => ratesOf(account, market));
  return most(0n, own.map(({ maker, taker }) => 2n * maker + taker).reduce(least, market.liquidationBand));
}

const fundOf = (w: World, { currency }: MarginAccount): bigint => most(0n, w.s.insurance[currency]);

function toFund(w: World, { account, currency, isolated }: MarginAccount, amount: bigint): void {
  if (isolated === null) account.totals[currency] -= amount;
  else isolated.collateral -= amount;
  w.s.insurance[currency] += amount;
  if (amount !== 0n) emit(w, { type: 'money', account: account.number, amount: -amount, reason: 'insurance' });
}

// --- auto-deleveraging -----------------------------------------------------------------------------------------------

interface Other {
  account: ModelAccount;
  position: ModelPosition;
  /** Of a pair of hedge legs only what one is larger than the other: together the rest has nothing to win or lose. */
  lots: number;
}

/** The legs of a pair are closed against each other first, at the mark. */
function closeLegs(w: World, margin: MarginAccount, marginPosition: MarginPosition, other: ModelPosition): void {
  const { market, position } = marginPosition;
  const lots = Math.min(Math.abs(position.size), Math.abs(other.size));
  const forced = position.size > 0 ? 'FORCED_MARKET_SELL' : 'FORCED_MARKET_BUY';
  const o = openLiquidation(w, margin, marginPosition, lots, forced);
  const value = worthAt(market, market.mark, lots);
  setAgainst(w, margin, marginPosition, o, { account: margin.account, position: other, lots }, lots, value, value);
  conclude(w, margin, o);
}

/** Both sides of a part of auto-deleveraging: `ours` is what the bankrupt position gets or pays, `theirs` the other one. */
function setAgainst(
  w: World,
  { account }: MarginAccount,
  { market, position }: MarginPosition,
  o: ModelOrder,
  other: Other,
  lots: number,
  ours: bigint,
  theirs: bigint,
): void {
  changePosition(w, account, market, position, { side: o.side, lots, value: ours, fee: 0n, liquidated: true });
  const against = { side: opposite(o.side), lots, value: theirs, fee: 0n, liquidated: false };
  changePosition(w, other.account, market, other.position, against);
  if (other.position.size === 0 && other.position.collateral < 0n) {
    makeGood(w, other.account, market.quote, -other.position.collateral);
    other.position.collateral = 0n;
  }
  o.filled += lots;
  o.filledCost += Number(ours / market.tickLot);
  o.lastFill = lots;
  emit(w, {
    type: 'deleveraged',
    market: market.index,
    account: other.account.number,
    lots,
    value: theirs,
    key: o.key,
  });
  fitReduceOnlyOrders(w, market, other.account, other.position);
  fitReduceOnlyOrders(w, market, account, position);
}

/**
 * Closed against opposite positions at the bankruptcy price, without an order of theirs. Whoever gives gives all its lots:
 * at a price that is no worse than the mark before it is no worse off than before the change.
 */
function deleverage(
  w: World,
  margin: MarginAccount,
  marginPosition: MarginPosition,
  o: ModelOrder,
  worth: (lots: number) => bigint,
): void {
  const { market, position } = marginPosition;
  againstHouse(w, margin, marginPosition, o, worth);
  for (const other of counterparties(w, market, o.side)) {
    if (other.position === margin.isolated || unfilled(o) === 0) continue;
    const lots = Math.min(unfilled(o), other.lots);
    const ours = worth(o.filled + lots) - worth(o.filled);
    const theirs = priceOf(market, o.side, lots, ours);
    w.s.insurance[market.quote] -= o.side === SELL ? ours - theirs : theirs - ours;
    setAgainst(w, margin, { market, position }, o, other, lots, ours, theirs);
    w.deleveraged.push(other.account.number);
  }
}

/** What a recorded market holds against a close of this side. It comes before everybody's. */
function houseLots(w: World, market: ModelMarket, side: Side): number {
  const { size } = w.s.housePositions.get(market.index) ?? { size: 0 };
  return Math.max(0, side === SELL ? -size : size);
}

function againstHouse(
  w: World,
  { account }: MarginAccount,
  { market, position }: MarginPosition,
  o: ModelOrder,
  worth: (lots: number) => bigint,
): void {
  const lots = Math.min(unfilled(o), houseLots(w, market, o.side));
  if (lots === 0) return;
  const ours = worth(o.filled + lots) - worth(o.filled);
  const theirs = priceOf(market, o.side, lots, ours);
  w.s.insurance[market.quote] -= o.side === SELL ? ours - theirs : theirs - ours;
  changePosition(w, account, market, position, { side: o.side, lots, value: ours, fee: 0n, liquidated: true });
  changeHousePosition(w, market, opposite(o.side), lots, theirs);
  o.filled += lots;
  o.filledCost += Number(ours / market.tickLot);
  o.lastFill = lots;
  emit(w, { type: 'deleveraged', market: market.index, account: HOUSE, lots, value: theirs, key: o.key });
  fitReduceOnlyOrders(w, market, account, position);
}

/** The bankruptcy price, or the mark before where that is better for the other side: the fund has the difference. */
function priceOf(market: ModelMarket, side: Side, lots: number, value: bigint): bigint {
  const marks = [markBefore(market), market.mark];
  const bound = side === SELL ? Math.max(...marks) : Math.min(...marks);
  const before = worthAt(market, bound, lots);
  return side === SELL ? least(value, before) : most(value, before);
}

const worthAt = (market: ModelMarket, fine: number, lots: number): bigint =>
  floorDiv(BigInt(lots) * BigInt(fine) * market.tickLot, BigInt(FINE));

/** Positions that a close of this side can be set against, the highest rank first, then by account and position. */
function counterparties(w: World, market: ModelMarket, side: Side): Other[] {
  const others = [...w.s.accounts.values()]
    .sort((a, b) => a.number - b.number)
    .flatMap((account) => positionsOf(positionsIn(account, market)).map((position) => ({ account, position })))
    .filter(({ position }) => (side === SELL ? position.size < 0 : position.size > 0))
    .map((other) => ({ ...other, lots: netLots(market, other.account, other.position) }))
    .filter(({ lots }) => lots > 0);
  const rank = new Map(others.map((other) => [other, rankOf(w, market, other)]));
  return others.sort((a, b) => {
    const [x, y] = [rank.get(a)!, rank.get(b)!];
    return x === y ? 0 : x > y ? -1 : 1;
  });
}

/** By what a position is larger than its opposite hedge leg. */
function netLots(market: ModelMarket, account: ModelAccount, position: ModelPosition): number {
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode !== 'HEDGE') return Math.abs(position.size);
  const net = positionsOf(marketPositions).reduce((sum, { size }) => sum + size, 0);
  return net > 0 === position.size > 0 ? Math.abs(net) : 0;
}

/** 2 for a position of the third that is closed first, 0 of the last one: by how many of its side go after it. */
export function thirdOfQueue(w: World, market: ModelMarket, position: ModelPosition): number {
  const queue = counterparties(w, market, position.size < 0 ? SELL : BUY).map((other) => other.position);
  if (!queue.includes(position)) return 0;
  const notBefore = queue.length - queue.indexOf(position);
  if (notBefore * 3 > queue.length * 2) return 2;
  return notBefore * 3 > queue.length ? 1 : 0;
}

/** Value of its lots / equity, in millionths; without equity the last. */
function rankOf(w: World, market: ModelMarket, { account, position, lots }: Other): bigint {
  const equity = equityOf(w, marginAccountOf(w, account, market, position));
  return equity <= 0n ? 0n : (1_000_000n * worthAt(market, countedMark(market), lots)) / equity;
}
