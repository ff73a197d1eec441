/**
 * Equity and maintenance (semantics.md sections 5 and 11): an account's cross positions in a currency live on its wallet,
 * less what spot orders reserve; an isolated position on its own money. From these follow the bankruptcy price and
 * whether a fill is solvent.
 */
import type { Side } from '../../src/venue/contract/commands.ts';
import { ratesOf, reservedOf, settleOne } from './model-funds.ts';
import {
  maintenanceOf,
  markValue,
  positionById,
  positionsIn,
  positionsOf,
  reducible,
  unrealisedOf,
} from './model-positions.ts';
import {
  atMark,
  BUY,
  ceilDiv,
  countedMark,
  FINE,
  floorDiv,
  knownMarks,
  least,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  type ModelPosition,
  magnitude,
  most,
  notional,
  PARTS,
  SELL,
  type World,
} from './model-state.ts';

export interface MarginPosition {
  market: ModelMarket;
  position: ModelPosition;
}

/** Whose money counts, and the positions that depend on it: an account's cross positions in a currency, or one isolated position. */
export interface MarginAccount {
  account: ModelAccount;
  currency: number;
  positions: MarginPosition[];
  isolated: ModelPosition | null;
}

export function crossMarginAccount(w: World, account: ModelAccount, currency: number): MarginAccount {
  const open: MarginPosition[] = [];
  for (const market of w.s.markets) {
    if (market.product === 'spot' || market.quote !== currency) continue;
    const marketPositions = positionsIn(account, market);
    if (marketPositions.mode === 'ISOLATED') continue;
    for (const position of positionsOf(marketPositions)) if (position.size !== 0) open.push({ market, position });
  }
  return { account, currency, positions: open, isolated: null };
}

export function marginAccountOf(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  position: ModelPosition,
): MarginAccount {
  if (positionsIn(account, market).mode !== 'ISOLATED') return crossMarginAccount(w, account, market.quote);
  return { account, currency: market.quote, positions: [{ market, position }], isolated: position };
}

/** Cross: what spot orders reserve backs nothing else. */
export function equityOf(w: World, { account, currency, positions, isolated }: MarginAccount): bigint {
  const money = isolated?.collateral ?? account.totals[currency] - reservedOf(w, account, currency);
  return positions.reduce((sum, { market, position }) => sum + unrealisedOf(market, position), money);
}

export const maintenanceNeeded = ({ account, positions }: MarginAccount): bigint =>
  positions.reduce((sum, { market, position }) => sum + maintenanceOf(account, market, position), 0n);

// --- bankruptcy price ------------------------------------------------------------------------------------------------

/** The part of the equity that a position's maintenance is of the account's; all of it once it is below zero. */
export function shareOf(w: World, margin: MarginAccount, { market, position }: MarginPosition): bigint {
  const equity = equityOf(w, margin);
  const needed = maintenanceNeeded(margin);
  if (margin.isolated !== null || equity < 0n || needed === 0n) return equity;
  return (equity * maintenanceOf(margin.account, market, position)) / needed;
}

/** What closing all of the position has to bring (a long) or may cost (a short), fees included, so that its share is used up. */
export function bankruptcyValue(w: World, margin: MarginAccount, marginPosition: MarginPosition): bigint {
  const value = magnitude(markValue(marginPosition.market, marginPosition.position));
  const share = shareOf(w, margin, marginPosition);
  return most(0n, marginPosition.position.size > 0 ? value - share : value + share);
}

/** The price of that, on the tick that is no worse: a SELL is to get it at least, a BUY to pay it at most. */
export function bankruptcyPrice(
  w: World,
  margin: MarginAccount,
  marginPosition: MarginPosition,
  feeRate: bigint,
): number {
  const { market, position } = marginPosition;
  const worth = bankruptcyValue(w, margin, marginPosition) * PARTS;
  const tick = BigInt(Math.abs(position.size)) * market.tickLot;
  const ticks =
    position.size > 0 ? ceilDiv(worth, tick * (PARTS - feeRate)) : floorDiv(worth, tick * (PARTS + feeRate));
  return Math.min(Math.max(Number(ticks), 0), market.maxTicks + 1);
}

/** The bankruptcy price of a position that its account closes itself, with its own taker fee. */
export function closingLimit(w: World, account: ModelAccount, market: ModelMarket, position: ModelPosition): number {
  const { taker } = ratesOf(account, market);
  return bankruptcyPrice(w, marginAccountOf(w, account, market, position), { market, position }, taker);
}

/** No worse than a limit: a SELL not below it, a BUY not above. */
export const noWorse = (side: Side, price: number, limit: number): boolean =>
  side === SELL ? price >= limit : price <= limit;

// --- solvency of a fill ----------------------------------------------------------------------------------------------

/**
 * The most of `lots` that the order may fill at the price such that its side is solvent after it, fees included. An
 * account that is below maintenance already, at the mark or at a price that is known to come, may only close: at its
 * bankruptcy price of either, or better.
 */
export function solventLots(
  w: World,
  market: ModelMarket,
  o: ModelOrder,
  role: 'maker' | 'taker',
  price: number,
  lots: number,
): number {
  const account = w.s.accounts.get(o.account)!;
  const position = positionById(positionsIn(account, market), o.positionId);
  const valuations = valuationsOf(w, account, market);
  if (position !== undefined && valuations.some((valuation) => isBelow(w, market, o, valuation))) {
    const closes = Math.min(lots, reducible(position, o.side));
    if (closes === 0) return 0;
    const rates = ratesOf(account, market);
    if (!noWorse(o.side, price, strictestLimit(w, account, market, position, most(rates.taker, rates[role])))) return 0;
    for (const valuation of valuations) {
      // A fee that is rounded up takes nobody below zero.
      const now = valuedNow(w, market, o, valuation);
      const before = equityOf(now.w, now.margin);
      if (equityAfter(w, market, o, role, price, closes, valuation) < least(0n, before)) return 0;
    }
    return closes;
  }
  const slack = (most: number): bigint =>
    valuations.map((valuation) => slackAt(w, market, o, role, price, most, valuation)).reduce(least);
  return mostWith(lots, slack);
}

/** How a fill is valued: its market at a mark, the positions of other markets as they count, or at the worst known mark. */
interface Valuation {
  mark: number;
  othersAtWorst: boolean;
}

/** As things count; and where another mark is known, in this market or in one beside it, with that one, too. */
function valuationsOf(w: World, account: ModelAccount, market: ModelMarket): Valuation[] {
  const counted: Valuation = { mark: countedMark(market), othersAtWorst: false };
  const { positions } = crossMarginAccount(w, account, market.quote);
  const elsewhere = positions.some(
    (h) => h.market !== market && knownMarks(h.market).some((m) => m !== countedMark(h.market)),
  );
  if (market.pendingIndex === 0 && !elsewhere) return [counted];
  return [counted, { mark: market.pendingIndex || counted.mark, othersAtWorst: true }];
}

/** Positions of other markets, each at the worst mark for it that is known. */
function valued(margin: MarginAccount, market: ModelMarket, { othersAtWorst }: Valuation): MarginAccount {
  if (!othersAtWorst) return margin;
  const worst = ({ market: other, position }: MarginPosition): MarginPosition => {
    if (other.index === market.index) return { market: other, position };
    const marks = knownMarks(other);
    if (marks.length === 0) return { market: other, position };
    const mark = position.size > 0 ? Math.min(...marks) : Math.max(...marks);
    return { market: atMark(other, mark), position };
  };
  return { ...margin, positions: margin.positions.map(worst) };
}

/**
 * Whether what spot orders of the account pay with in that currency is needed: at a price that is known to come its cross
 * margin there would be below maintenance.
 */
export function reserveNeeded(w: World, account: ModelAccount, spot: ModelMarket, currency: number): boolean {
  const margin = crossMarginAccount(w, account, currency);
  if (!margin.positions.some((h) => knownMarks(h.market).some((m) => m !== countedMark(h.market)))) return false;
  const worst = valued(margin, spot, { mark: 0, othersAtWorst: true });
  return equityOf(w, worst) < maintenanceNeeded(worst);
}

const SMALL = 64;
const ONE_BY_ONE = 1024;
/** More than all roundings of a fill come to, in smallest units. */
const ROUNDING = 32n;

/** The largest number of lots at which nothing is lacking. But for roundings, the slack only falls once it is below zero. */
function mostWith(lots: number, slack: (lots: number) => bigint): number {
  if (slack(lots) >= 0n) return lots;
  let [low, high] = [0, lots];
  while (high - low > SMALL) {
    const middle = Math.floor((low + high) / 2);
    if (slack(middle) >= -ROUNDING) low = middle;
    else high = middle;
  }
  const oneByOne = Math.max(high - ONE_BY_ONE, 0);
  for (let most = high; most > oneByOne; most--) if (slack(most) >= 0n) return most;
  // From there on each step is longer by an eighth, rounded up (D-670): 2, 3, … 8, 9, 11.
  const longer = (step: number) => Math.ceil((step * 9) / 8);
  for (let [most, step] = [oneByOne - 1, 3]; most > 0; most -= step, step = longer(step)) {
    if (slack(most) >= 0n) return most;
  }
  return 0;
}

/** The bankruptcy price of a position; while another price is known to come, the stricter one of now and then. */
export function strictestLimit(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  position: ModelPosition,
  feeRate: bigint,
): number {
  const limits = valuationsOf(w, account, market).map(({ mark, othersAtWorst }) => {
    const then = { ...market, mark };
    const margin = valued(marginAccountOf(w, account, market, position), market, { mark, othersAtWorst });
    const positions = margin.positions.map((h) => (h.market.index === market.index ? { ...h, market: then } : h));
    return bankruptcyPrice(w, { ...margin, positions }, { market: then, position }, feeRate);
  });
  return position.size > 0 ? Math.max(...limits) : Math.min(...limits);
}

/** What the order's position lives on, in that valuation. */
function valuedNow(w: World, market: ModelMarket, o: ModelOrder, valuation: Valuation) {
  const tried = attempt(w, market, o, 0, valuation.mark);
  const position = positionById(positionsIn(tried.account, tried.market), o.positionId)!;
  return {
    w: tried.w,
    margin: valued(marginAccountOf(tried.w, tried.account, tried.market, position), market, valuation),
  };
}

/** Whether the equity that the order's position lives on is below its maintenance in that valuation. */
function isBelow(w: World, market: ModelMarket, o: ModelOrder, valuation: Valuation): boolean {
  const now = valuedNow(w, market, o, valuation);
  return equityOf(now.w, now.margin) < maintenanceNeeded(now.margin);
}

/** Equity that the order's position lives on after a fill of so many lots, booked at the mark of now. */
function equityAfter(
  w: World,
  market: ModelMarket,
  o: ModelOrder,
  role: 'maker' | 'taker',
  price: number,
  lots: number,
  valuation: Valuation,
): bigint {
  const tried = attempt(w, market, o, lots, market.mark);
  settleOne(tried.w, tried.market, tried.o, role, notional(market, price, lots), lots);
  tried.market.mark = valuation.mark;
  const position = positionById(positionsIn(tried.account, tried.market), tried.o.positionId)!;
  const margin = valued(marginAccountOf(tried.w, tried.account, tried.market, position), market, valuation);
  return equityOf(tried.w, margin);
}

/** Equity less the maintenance of the positions after a fill of so many lots. */
function slackAt(
  w: World,
  market: ModelMarket,
  o: ModelOrder,
  role: 'maker' | 'taker',
  price: number,
  lots: number,
  valuation: Valuation,
): bigint {
  const tried = attempt(w, market, o, lots, valuation.mark);
  const cross = () => valued(crossMarginAccount(tried.w, tried.account, market.quote), market, valuation);
  const before = equityOf(tried.w, cross());
  // It is booked at the mark of now, whatever mark it is checked at.
  tried.market.mark = market.mark;
  settleOne(tried.w, tried.market, tried.o, role, notional(market, price, lots), lots);
  tried.market.mark = valuation.mark;
  const wallet = cross();
  const left = equityOf(tried.w, wallet);
  const covered = left - maintenanceNeeded(wallet);
  const marketPositions = positionsIn(tried.account, tried.market);
  if (marketPositions.mode !== 'ISOLATED') return covered;
  // An isolated close that takes nothing from the wallet is not stopped by a poor one.
  const own = marginAccountOf(tried.w, tried.account, tried.market, positionById(marketPositions, tried.o.positionId)!);
  return least(equityOf(tried.w, own) - maintenanceNeeded(own), most(covered, left - before));
}

/** A copy of all that a fill of the order touches, at that mark, with so many of its lots taken from the book. */
function attempt(w: World, market: ModelMarket, order: ModelOrder, lots: number, mark: number) {
  const account = { ...w.s.accounts.get(order.account)! };
  account.totals = [...account.totals];
  account.positionsByMarket = new Map(
    [...account.positionsByMarket].map(([at, h]) => [
      at,
      { ...h, cross: h.cross.map((p) => ({ ...p })), isolated: h.isolated.map((p) => ({ ...p })) },
    ]),
  );
  const o = { ...order, filled: order.filled + lots };
  const copied = { ...market, mark };
  const s: World['s'] = {
    ...w.s,
    accounts: new Map(w.s.accounts).set(account.number, account),
    markets: w.s.markets.with(market.index, copied),
    live: w.s.live.map((other) => (other === order ? o : other)),
    fees: [...w.s.fees],
    insurance: [...w.s.insurance],
  };
  return { w: { ...w, s, events: [] }, account, market: copied, o };
}

/** What an order at this price would lose at once, fine ticks × lots, at the worst mark that everybody knows. */
export function lossAt(market: ModelMarket, side: Side, price: number, lots: number): bigint {
  if (countedMark(market) === 0) return 0n;
  const marks = knownMarks(market);
  const fine = price * FINE;
  const each = side === BUY ? fine - Math.min(...marks) : Math.max(...marks) - fine;
  return BigInt(Math.max(0, each)) * BigInt(lots);
}
