/** Liquidation at the mark, the insurance fund and auto-deleveraging (semantics.md section 11). */
import type { Side } from '../../src/venue/commands.ts';
import { crosses, depthOf, within } from './model-book.ts';
import { feeOn } from './model-funds.ts';
import { changePosition, holdingIn, maintenanceOf, markValue, positionsOf, unrealisedOf } from './model-holdings.ts';
import { afterSweep, fitReducers } from './model-links.ts';
import { end, sweep } from './model-matching.ts';
import {
  BUY,
  emit,
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
  PARTS,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';

const MOST_ROUNDS = 10;

interface Held {
  market: ModelMarket;
  position: ModelPosition;
}

/** Whose money is judged, and what lives on it: an account's cross positions in a currency, or one isolated position. */
interface Margin {
  account: ModelAccount;
  currency: number;
  held: Held[];
  isolated: ModelPosition | null;
}

const byNumber = (a: number, b: number): number => a - b;

/** After an observation of the mark: everyone who holds something in the market as it begins. */
export function judgeHolders(w: World, market: ModelMarket): void {
  const holds = (number: number) => positionsOf(holdingIn(w.s.accounts.get(number)!, market)).some((p) => p.size !== 0);
  for (const number of [...w.s.accounts.keys()].sort(byNumber).filter(holds)) judge(w, market, number);
}

/** Those whose liquidation found no book are tried again at each change; true: that has brought one. */
export function judgeDistressed(w: World): boolean {
  const closings = () => w.events.filter(({ type }) => type === 'traded' || type === 'deleveraged').length;
  const before = closings();
  for (const market of w.s.markets) {
    if (market.halted) continue;
    for (const number of [...market.distressed].sort(byNumber)) judge(w, market, number);
  }
  return closings() > before;
}

export function judge(w: World, market: ModelMarket, number: number): void {
  const account = w.s.accounts.get(number)!;
  const holding = holdingIn(account, market);
  market.distressed = market.distressed.filter((other) => other !== number);
  if (holding.mode !== 'ISOLATED') {
    liquidate(w, market, crossMargin(w, account, market.quote));
    return;
  }
  for (const position of [...holding.isolated]) {
    liquidate(w, market, { account, currency: market.quote, held: [{ market, position }], isolated: position });
  }
}

function crossMargin(w: World, account: ModelAccount, currency: number): Margin {
  const held: Held[] = [];
  for (const market of w.s.markets) {
    if (market.product === 'spot' || market.quote !== currency) continue;
    const holding = holdingIn(account, market);
    if (holding.mode === 'ISOLATED') continue;
    for (const position of positionsOf(holding)) if (position.size !== 0) held.push({ market, position });
  }
  return { account, currency, held, isolated: null };
}

function equityOf({ account, currency, held, isolated }: Margin): bigint {
  const own = isolated === null ? account.totals[currency] : isolated.margin;
  return held.reduce((sum, { market, position }) => sum + unrealisedOf(market, position), own);
}

const maintenanceNeeded = ({ account, held }: Margin): bigint =>
  held.reduce((sum, { market, position }) => sum + maintenanceOf(account, market, position), 0n);

function liquidate(w: World, market: ModelMarket, margin: Margin): void {
  const positions = margin.held.map((held) => held.position);
  const safe = () => equityOf(margin) * 5n >= maintenanceNeeded(margin) * 6n;
  const begun = positions.some((p) => p.quarter > 0);
  const needed = maintenanceNeeded(margin);
  if (needed === 0n || (begun ? safe() : equityOf(margin) >= needed)) {
    for (const p of positions) p.quarter = 0;
    return;
  }
  for (const o of [...w.s.live]) {
    const concerned = o.product === 'futures' && (margin.isolated === null || o.market === market.index);
    if (concerned && o.account === margin.account.number && isLive(o)) end(w, o, 'cancelled', 'liquidation');
  }
  for (const p of positions) if (p.quarter === 0) p.quarter = Math.ceil(Math.abs(p.size) / 4);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (safe()) {
      for (const p of positions) p.quarter = 0;
      return;
    }
    const open = margin.held.filter((held) => held.position.size !== 0);
    if (open.length === 0) return;
    // Largest loss first, then market: others do not pay for a loss that only has to wait until its market goes on.
    const worst = open.reduce((a, b) => (loss(b) > loss(a) ? b : a));
    if (worst.market.halted) return;
    const size = worst.position.size;
    closeStep(w, margin, worst);
    if (worst.position.size === size) {
      const { number } = margin.account;
      if (!market.distressed.includes(number)) market.distressed.push(number);
      return;
    }
  }
  w.s.liquidations.push({ market: market.index, account: margin.account.number, atMs: w.s.now });
}

const loss = ({ market, position }: Held): bigint => -unrealisedOf(market, position);

/**
 * A quarter, at prices in the band at which the whole would leave something of the equity; or all of it, where the book has
 * none of these or not even the fee is left.
 */
function closeStep(w: World, margin: Margin, held: Held): void {
  const { market, position } = held;
  const equity = equityOf(margin);
  const size = Math.abs(position.size);
  const side = position.size > 0 ? SELL : BUY;
  const value = magnitude(markValue(market, position));
  const owed = side === SELL ? value - equity : value + equity;
  /** Whether closing all of it at that price pays what is owed and the fee. */
  const pays = (price: number): boolean => {
    const worth = notional(market, price, size);
    const fee = worth * market.liquidationFee;
    return side === SELL ? worth * PARTS - fee >= owed * PARTS : worth * PARTS + fee <= owed * PARTS;
  };
  const best = levelInBand(w, market, side);
  if (equity <= feeOn(value, market.liquidationFee) || best === null || !pays(best[0])) {
    closeAll(w, margin, held, equity);
    return;
  }
  const prices = depthOf(w, market, opposite(side)).map(([price]) => price);
  const band = within(market, side, market.mark, market.band);
  const limit = prices.filter((price) => crosses(side, band, price) && pays(price)).at(-1)!;
  const lots = Math.min(position.quarter, size);
  const o = openLiquidation(w, margin, held, lots, 'PARTIAL_LIQUIDATION');
  sweep(w, market, o, limit, lots);
  const left = equityOf(margin);
  if (left < 0n) toFund(w, margin, left);
  conclude(w, margin, o);
}

/** Price and shown size of the best level that a close of this side may take. */
function levelInBand(w: World, market: ModelMarket, side: Side): [price: number, lots: number] | null {
  const best = depthOf(w, market, opposite(side))[0];
  const limit = within(market, side, market.mark, market.band);
  return best !== undefined && crosses(side, limit, best[0]) ? best : null;
}

function openLiquidation(
  w: World,
  { account }: Margin,
  { market, position }: Held,
  lots: number,
  orderDetailType: ModelOrder['orderDetailType'],
): ModelOrder {
  const side = position.size > 0 ? SELL : BUY;
  const o = newOrder(w, { account: account.number, market: market.index, side, kind: 'market', current: lots });
  o.reduceOnly = true;
  o.orderDetailType = orderDetailType;
  o.positionMode = holdingIn(account, market).mode;
  o.positionId = position.id;
  w.s.live.push(o);
  emit(w, { type: 'accepted', key: o.key });
  return o;
}

/** What is left of the own money of an isolated position that is closed goes to the wallet. */
function conclude(w: World, { account, currency, isolated }: Margin, o: ModelOrder): void {
  if (unfilled(o) === 0) end(w, o, 'filled', null);
  else end(w, o, 'cancelled', 'noLiquidityInBand');
  if (isolated !== null && isolated.size === 0) {
    account.totals[currency] += isolated.margin;
    isolated.margin = 0n;
  }
  afterSweep(w);
}

/**
 * The whole position goes, each lot at the bankruptcy price, at which the equity is used up: what the book gives more
 * goes to the fund, what it gives less comes from it as far as it reaches. The rest is closed against other accounts.
 */
function closeAll(w: World, margin: Margin, held: Held, equity: bigint): void {
  const { market, position } = held;
  const side: Side = position.size > 0 ? SELL : BUY;
  const size = Math.abs(position.size);
  const value = magnitude(markValue(market, position));
  const bankrupt = most(0n, side === SELL ? value - equity : value + equity);
  const worth = (lots: number): bigint => (bankrupt * BigInt(lots)) / BigInt(size);
  /** Of the best level, the lots whose difference to the bankruptcy price the fund covers. */
  const covered = (most: number) => {
    const [price, level] = levelInBand(w, market, side) ?? [0, 0];
    const gain = (lots: number): bigint => {
      const more = notional(market, price, lots) - worth(lots);
      return side === SELL ? more : -more;
    };
    let lots = Math.min(level, most);
    const fund = fundOf(w, margin);
    if (-gain(lots) > fund) {
      // At least so many do not fit: what the whole size would lose, in proportion, but for a unit of rounding.
      const wholeLoss = magnitude(notional(market, price, size) - bankrupt);
      lots = Number(least(BigInt(lots), ((fund + 1n) * BigInt(size)) / wholeLoss + 1n));
      while (lots > 0 && -gain(lots) > fund) lots--;
    }
    return { price, lots, gain };
  };
  const others = equity < 0n && counterparties(w, margin.account, market, side).length > 0;
  if (covered(size).lots === 0 && !others) return;
  const o = openLiquidation(w, margin, held, size, side === BUY ? 'FORCED_MARKET_BUY' : 'FORCED_MARKET_SELL');
  for (let next = covered(unfilled(o)); next.lots > 0; next = covered(unfilled(o))) {
    const before = o.filled;
    sweep(w, market, o, next.price, next.lots);
    if (o.filled === before) break;
    toFund(w, margin, next.gain(o.filled - before));
  }
  if (unfilled(o) > 0 && equity < 0n) deleverage(w, margin, held, o, worth);
  conclude(w, margin, o);
}

const fundOf = (w: World, { currency }: Margin): bigint => most(0n, w.s.insurance[currency]);

function toFund(w: World, { account, currency, isolated }: Margin, amount: bigint): void {
  if (isolated === null) account.totals[currency] -= amount;
  else isolated.margin -= amount;
  w.s.insurance[currency] += amount;
  if (amount !== 0n) emit(w, { type: 'money', account: account.number, amount: -amount, reason: 'insurance' });
}

/** By profit × leverage, then account and position: closed at the bankruptcy price, without an order of theirs. */
function deleverage(w: World, margin: Margin, held: Held, o: ModelOrder, worth: (lots: number) => bigint): void {
  const { market, position } = held;
  for (const other of counterparties(w, margin.account, market, o.side)) {
    if (unfilled(o) === 0) return;
    const lots = Math.min(unfilled(o), Math.abs(other.position.size));
    const value = worth(o.filled + lots) - worth(o.filled);
    changePosition(w, margin.account, market, position, o.side, lots, value, true);
    changePosition(w, other.account, market, other.position, opposite(o.side), lots, value);
    o.filled += lots;
    o.filledCost += Number(value / market.tickLot);
    o.lastFill = lots;
    emit(w, {
      type: 'deleveraged',
      market: market.index,
      account: other.account.number,
      lots,
      value,
      key: o.key,
    });
    fitReducers(w, market, other.account, other.position);
    fitReducers(w, market, margin.account, position);
  }
}

/** Positions of others that a close of this side can be set against, the highest rank first. */
function counterparties(w: World, bankrupt: ModelAccount | null, market: ModelMarket, side: Side) {
  return [...w.s.accounts.values()]
    .sort((a, b) => a.number - b.number)
    .filter((account) => account !== bankrupt)
    .flatMap((account) => positionsOf(holdingIn(account, market)).map((position) => ({ account, position })))
    .filter(({ position }) => (side === SELL ? position.size < 0 : position.size > 0))
    .map((other) => ({ ...other, rank: rankOf(w, market, other.account, other.position) }))
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank > b.rank ? -1 : 1));
}

/** 2 for a position of the third that is closed first, 0 of the last one: by how many of its side go after it. */
export function thirdOfQueue(w: World, market: ModelMarket, position: ModelPosition): number {
  const queue = counterparties(w, null, market, position.size < 0 ? SELL : BUY).map((other) => other.position);
  const notBefore = queue.length - queue.indexOf(position);
  if (notBefore * 3 > queue.length * 2) return 2;
  return notBefore * 3 > queue.length ? 1 : 0;
}

/** (profit / entry value) × (value / equity), in millionths. */
function rankOf(w: World, market: ModelMarket, account: ModelAccount, position: ModelPosition): bigint {
  const isolated = holdingIn(account, market).mode === 'ISOLATED';
  const own: Margin = { account, currency: market.quote, held: [{ market, position }], isolated: position };
  const equity = equityOf(isolated ? own : crossMargin(w, account, market.quote));
  const value = magnitude(markValue(market, position));
  const cost = most(1n, magnitude(position.cost));
  return (1_000_000n * unrealisedOf(market, position) * value) / (cost * most(1n, equity));
}
