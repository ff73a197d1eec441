/**
 * Equity and maintenance (semantics.md sections 5 and 11): an account's cross positions in a currency live on its wallet,
 * less what spot orders reserve; an isolated position on its own money. From these follow the bankruptcy price and
 * whether a fill is solvent.
 */
import type { Side } from '../../src/venue/commands.ts';
import { ratesOf, reservedOf, settleOne } from './model-funds.ts';
import {
  holdingIn,
  maintenanceOf,
  markValue,
  positionById,
  positionsOf,
  reducible,
  unrealisedOf,
} from './model-holdings.ts';
import {
  BUY,
  ceilDiv,
  FINE,
  floorDiv,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  type ModelPosition,
  magnitude,
  notional,
  PARTS,
  SELL,
  type World,
} from './model-state.ts';

export interface Held {
  market: ModelMarket;
  position: ModelPosition;
}

/** Whose money is judged, and what lives on it: an account's cross positions in a currency, or one isolated position. */
export interface Margin {
  account: ModelAccount;
  currency: number;
  held: Held[];
  isolated: ModelPosition | null;
}

export function crossMargin(w: World, account: ModelAccount, currency: number): Margin {
  const held: Held[] = [];
  for (const market of w.s.markets) {
    if (market.product === 'spot' || market.quote !== currency) continue;
    const holding = holdingIn(account, market);
    if (holding.mode === 'ISOLATED') continue;
    for (const position of positionsOf(holding)) if (position.size !== 0) held.push({ market, position });
  }
  return { account, currency, held, isolated: null };
}

export function marginOf(w: World, account: ModelAccount, market: ModelMarket, position: ModelPosition): Margin {
  if (holdingIn(account, market).mode !== 'ISOLATED') return crossMargin(w, account, market.quote);
  return { account, currency: market.quote, held: [{ market, position }], isolated: position };
}

/** Cross: what spot orders reserve backs nothing else. */
export function equityOf(w: World, { account, currency, held, isolated }: Margin): bigint {
  const own = isolated?.margin ?? account.totals[currency] - reservedOf(w, account, currency);
  return held.reduce((sum, { market, position }) => sum + unrealisedOf(market, position), own);
}

export const maintenanceNeeded = ({ account, held }: Margin): bigint =>
  held.reduce((sum, { market, position }) => sum + maintenanceOf(account, market, position), 0n);

// --- bankruptcy price ------------------------------------------------------------------------------------------------

/** The part of the equity that a position's maintenance is of the account's; all of it once it is below zero. */
export function shareOf(w: World, margin: Margin, { market, position }: Held): bigint {
  const equity = equityOf(w, margin);
  const needed = maintenanceNeeded(margin);
  if (margin.isolated !== null || equity < 0n || needed === 0n) return equity;
  return (equity * maintenanceOf(margin.account, market, position)) / needed;
}

/** What closing all of the position has to bring (a long) or may cost (a short), fees included, so that its share is used up. */
export function bankruptcyValue(w: World, margin: Margin, held: Held): bigint {
  const value = magnitude(markValue(held.market, held.position));
  const share = shareOf(w, margin, held);
  return held.position.size > 0 ? value - share : value + share;
}

/** The price of that, on the tick that is no worse: a SELL is to get it at least, a BUY to pay it at most. */
export function bankruptcyPrice(w: World, margin: Margin, held: Held, feeRate: bigint): number {
  const { market, position } = held;
  const worth = bankruptcyValue(w, margin, held) * PARTS;
  const tick = BigInt(Math.abs(position.size)) * market.tickLot;
  const ticks =
    position.size > 0 ? ceilDiv(worth, tick * (PARTS - feeRate)) : floorDiv(worth, tick * (PARTS + feeRate));
  return Math.min(Math.max(Number(ticks), 1), market.maxTicks);
}

/** The bankruptcy price of the position that an order of this side would close with its account's own taker fee. */
export function closingLimit(w: World, account: ModelAccount, market: ModelMarket, position: ModelPosition): number {
  const { taker } = ratesOf(account, market);
  return bankruptcyPrice(w, marginOf(w, account, market, position), { market, position }, taker);
}

/** No worse than a limit: a SELL not below it, a BUY not above. */
export const noWorse = (side: Side, price: number, limit: number): boolean =>
  side === SELL ? price >= limit : price <= limit;

// --- solvency of a fill ----------------------------------------------------------------------------------------------

/**
 * The most of `lots` that the order may fill at the price such that its side is solvent after it, fees included. An
 * account that is below maintenance already may only close, at its bankruptcy price or better.
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
  const position = positionById(holdingIn(account, market), o.positionId);
  if (position !== undefined) {
    const margin = marginOf(w, account, market, position);
    if (equityOf(w, margin) < maintenanceNeeded(margin)) {
      const closes = Math.min(lots, reducible(position, o.side));
      return closes > 0 && noWorse(o.side, price, closingLimit(w, account, market, position)) ? closes : 0;
    }
  }
  for (let most = lots; most > 0; most--) if (isSolvent(w, market, o, role, price, most)) return most;
  return 0;
}

/** Whether a fill of so many lots leaves equity for what is then held: at the mark; if it opens, at a held value, too. */
function isSolvent(
  w: World,
  market: ModelMarket,
  o: ModelOrder,
  role: 'maker' | 'taker',
  price: number,
  lots: number,
): boolean {
  const position = positionById(holdingIn(w.s.accounts.get(o.account)!, market), o.positionId);
  const opens = lots > reducible(position, o.side);
  const marks = opens && market.held !== 0 ? [market.mark, market.held] : [market.mark];
  return marks.every((mark) => {
    const tried = attempt(w, market, o, lots);
    tried.market.mark = mark;
    const before = equityOf(tried.w, crossMargin(tried.w, tried.account, market.quote));
    settleOne(tried.w, tried.market, tried.o, role, notional(market, price, lots), lots);
    const wallet = crossMargin(tried.w, tried.account, market.quote);
    const left = equityOf(tried.w, wallet);
    const covered = left >= maintenanceNeeded(wallet);
    const holding = holdingIn(tried.account, tried.market);
    if (holding.mode !== 'ISOLATED') return covered;
    const own = marginOf(tried.w, tried.account, tried.market, positionById(holding, tried.o.positionId)!);
    return equityOf(tried.w, own) >= maintenanceNeeded(own) && (covered || left >= before);
  });
}

/** A copy of all that a fill of the order touches, with so many of its lots taken from the book. */
function attempt(w: World, market: ModelMarket, order: ModelOrder, lots: number) {
  const account = { ...w.s.accounts.get(order.account)! };
  account.totals = [...account.totals];
  account.holdings = new Map(
    [...account.holdings].map(([at, h]) => [
      at,
      { ...h, crossed: h.crossed.map((p) => ({ ...p })), isolated: h.isolated.map((p) => ({ ...p })) },
    ]),
  );
  const o = { ...order, filled: order.filled + lots };
  const copied = { ...market };
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

/** What an order at this price would lose at once, fine ticks × lots; a held value counts where it is worse. */
export function lossAt(market: ModelMarket, side: Side, price: number, lots: number): bigint {
  if (market.mark === 0) return 0n;
  const marks = market.held === 0 ? [market.mark] : [market.mark, market.held];
  const fine = price * FINE;
  const each = side === BUY ? fine - Math.min(...marks) : Math.max(...marks) - fine;
  return BigInt(Math.max(0, each)) * BigInt(lots);
}
