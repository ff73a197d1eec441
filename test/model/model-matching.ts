/** Matching (semantics.md section 4): price, then time; trades at the resting order's price. */
import type { Side } from '../../src/venue/contract/commands.ts';
import type { EndReason, Params } from '../../src/venue/contract/reasons.ts';
import { bestAgainst, bestOf, rest, within } from './model-book.ts';
import { checkBankruptcy } from './model-checks.ts';
import { reserveNeeded, solventLots } from './model-equity.ts';
import { isLiquidation, payCurrency, settle, takerCost } from './model-funds.ts';
import { takeFromHouse } from './model-house.ts';
import { onEnded } from './model-links.ts';
import { see } from './model-mark.ts';
import { roomOf } from './model-positions.ts';
import {
  BUY,
  changed,
  emit,
  FINE,
  HOUSE,
  isLive,
  type ModelMarket,
  type ModelMarketPositions,
  type ModelOrder,
  type ModelPlayback,
  notional,
  opposite,
  unfilled,
  type World,
} from './model-state.ts';

export function end(
  w: World,
  o: ModelOrder,
  state: 'filled' | 'partlyFilled' | 'cancelled' | 'rejected',
  reason: EndReason | null,
  params: Params = {},
): void {
  if (!isLive(o)) throw new Error(`order ${o.key} ends twice`);
  o.state = state;
  o.ending = reason === null ? null : { reason, params };
  o.resting = null;
  o.expiresAtMs = null;
  o.updatedMs = w.s.now;
  w.s.live = w.s.live.filter((other) => other !== o);
  w.s.ended.push(o);
  emit(w, { type: 'ended', key: o.key, state, filled: o.filled, reason });
  onEnded(w, o);
}

/**
 * How far a market order sweeps: to the protection band around the best price at entry, on futures at most that band
 * beyond the mark; null: nothing to sweep.
 */
export function marketLimit(w: World, market: ModelMarket, side: Side): number | null {
  const best = bestOf(w, market, opposite(side));
  if (best === undefined) return null;
  const byBook = within(market, side, best.resting!.price * FINE, market.marketBand);
  if (market.product === 'spot' || market.mark === 0) return byBook;
  const byMark = within(market, side, market.mark, market.marketBand);
  return side === BUY ? Math.min(byBook, byMark) : Math.max(byBook, byMark);
}

/** Lots that the order may still take at this price. */
function wanted(w: World, market: ModelMarket, o: ModelOrder, price: number): number {
  if (o.quoteOriginal !== null) return affordable(w, market, o, price);
  return o.reduceOnly ? Math.min(unfilled(o), roomOf(w, o)) : unfilled(o);
}

/** The most lots whose cost, with the fee where that comes from the quote, fits into what is left. */
function affordable(w: World, market: ModelMarket, o: ModelOrder, price: number): number {
  const account = w.s.accounts.get(o.account)!;
  const left = o.quoteOriginal! - o.quoteFilled;
  let lots = left / notional(market, price, 1);
  while (lots > 0n && takerCost(w, account, market, notional(market, price, Number(lots))) > left) lots--;
  return Number(lots);
}

export type SweepEnd = 'done' | 'exhausted' | 'selfTrade' | 'ownPeg' | 'quoteSpent' | 'reduced' | 'margin';

/**
 * Takes all that rests within `limit`, up to `most` lots. 'done': nothing is wanted any more; 'exhausted': no more
 * rests there; 'selfTrade': met an order of the same account, and the incoming one gives way; 'ownPeg': a peg met one;
 * 'margin': one lot more would leave the taker insolvent. All fills are checked at the mark before the sweep.
 */
export function sweep(
  w: World,
  market: ModelMarket,
  o: ModelOrder,
  limit: number,
  most = Number.MAX_SAFE_INTEGER,
): SweepEnd {
  let taken = 0;
  for (;;) {
    if (o.quoteOriginal === null && (unfilled(o) === 0 || taken === most)) return 'done';
    if (o.quoteOriginal !== null && o.filled === market.maxLots) return 'done';
    const maker = bestAgainst(w, market, o.side, limit);
    if (maker === undefined) return 'exhausted';
    // What buys no lot at this price meets nobody there, not even an order of its own account.
    if (o.quoteOriginal !== null && wanted(w, market, o, maker.resting!.price) === 0) return 'quoteSpent';
    if (maker.account === o.account) {
      if (o.peg !== null && maker.peg !== null) return 'ownPeg';
      const rule = protectsOrCloses(o) ? 'cancelResting' : w.s.genesis.config.selfTrade;
      if (rule !== 'cancelIncoming') withdraw(w, maker);
      if (rule !== 'cancelResting') return 'selfTrade';
      continue;
    }
    const { price, shown } = maker.resting!;
    let lots = Math.min(wanted(w, market, o, price), most - taken, shown);
    if (lots === 0) return 'reduced';
    if (maker.account === HOUSE) {
      if (market.product === 'futures' && !isLiquidation(o)) lots = solventLots(w, market, o, 'taker', price, lots);
      const account = w.s.accounts.get(o.account)!;
      const isNeeded = market.product === 'spot' && reserveNeeded(w, account, market, payCurrency(market, o.side));
      if (lots === 0 || isNeeded) return 'margin';
      takeFromHouse(w, market, o, maker, lots);
      taken += lots;
      continue;
    }
    if (maker.reduceOnly) {
      const allowed = roomOf(w, maker);
      if (allowed === 0) {
        end(w, maker, 'cancelled', 'positionClosed');
        continue;
      }
      lots = Math.min(lots, allowed);
    }
    if (market.product === 'spot') {
      const needed = (paying: ModelOrder) =>
        reserveNeeded(w, w.s.accounts.get(paying.account)!, market, payCurrency(market, paying.side));
      if (needed(o)) return 'margin';
      if (needed(maker)) {
        end(w, maker, 'cancelled', 'margin');
        continue;
      }
    }
    if (market.product === 'futures') {
      if (!isLiquidation(o)) lots = solventLots(w, market, o, 'taker', price, lots);
      if (lots === 0) return 'margin';
      const solvent = solventLots(w, market, maker, 'maker', price, lots);
      const clipped = solvent < lots;
      lots = solvent;
      if (lots > 0) fill(w, market, maker, o, price, lots);
      if (clipped) end(w, maker, 'cancelled', 'margin');
    } else fill(w, market, maker, o, price, lots);
    taken += lots;
  }
}

/**
 * What no own resting order may disarm: what a trigger has fired, what only reduces (a close, an attached order), and a
 * TWAP, which meets others as a taker child alone.
 */
function protectsOrCloses(o: ModelOrder): boolean {
  return o.trigger?.fired === true || o.reduceOnly || o.twap !== null;
}

/** A resting order gives way to its own account's incoming one; of a TWAP only the child does. */
function withdraw(w: World, maker: ModelOrder): void {
  if (maker.twap !== null) maker.resting = null;
  else end(w, maker, 'cancelled', 'selfTrade');
}

/** On the record of an order. */
export function noteFill(w: World, o: ModelOrder, price: number, lots: number): void {
  o.filled += lots;
  if (o.quoteOriginal !== null) o.quantity = o.filled;
  o.lastFill = lots;
  o.filledNow = lots + (o.filledSeq === w.seq ? o.filledNow : 0);
  o.filledSeq = w.seq;
  o.filledCost += price * lots;
  o.updatedMs = w.s.now;
}

function fill(w: World, market: ModelMarket, maker: ModelOrder, taker: ModelOrder, price: number, lots: number): void {
  for (const o of [maker, taker]) noteFill(w, o, price, lots);
  takeFromBook(w, maker, lots);
  const { makerFee, takerFee } = settle(w, market, maker, taker, price, lots);
  emit(w, {
    type: 'traded',
    tradeId: market.nextTradeId++,
    market: market.index,
    price,
    size: lots,
    takerSide: taker.side,
    maker: maker.key,
    taker: taker.key,
    makerFee,
    takerFee,
  });
  // Liquidation prints count neither as last nor in the mark, which moves after the sweep (afterSweep).
  if (!isLiquidation(taker)) {
    see(w, market, 'last', price * FINE);
    market.printed = true;
  }
  w.touched.push(maker, taker);
  if (unfilled(maker) === 0) end(w, maker, 'filled', null);
  else changed(w, maker, 'filled');
}

export function takeFromBook(w: World, maker: ModelOrder, lots: number): void {
  const resting = maker.resting!;
  resting.shown -= lots;
  if (resting.shown > 0) return;
  // A peg's next slice joins at the back, within the same sweep too; a TWAP's child is gone.
  if (maker.peg !== null && unfilled(maker) > 0) rest(w, maker, resting.price, unfilled(maker));
  else maker.resting = null;
}

/** Whether a post-only order at this price would match: an order of the same account counts. */
export function wouldMatch(w: World, market: ModelMarket, o: ModelOrder, price: number): boolean {
  return bestAgainst(w, market, o.side, price) !== undefined;
}

/**
 * FOK is counted before any fill: the sweep is tried on a copy of all that it touches. Own orders that give way do not
 * count (rule 4.17), so they are no price either at which the money of a quote-sized order might end.
 */
function fillsWhole(w: World, market: ModelMarket, o: ModelOrder, limit: number): boolean {
  const copy = copyWorld(w);
  if (o.quoteOriginal !== null && w.s.genesis.config.selfTrade === 'cancelResting') {
    const givesWay = (other: ModelOrder) =>
      other.account === o.account && other.market === o.market && other.side !== o.side && other.resting !== null;
    copy.s.live = copy.s.live.filter((other) => !givesWay(other));
  }
  const there = copy.s.markets[market.index];
  const tried = copy.s.live.find((other) => other.key === o.key)!;
  const result = sweep(copy, there, tried, limit);
  return o.quoteOriginal === null ? unfilled(tried) === 0 : spent(copy, there, tried, result);
}

function copyWorld(w: World): World {
  return { ...w, s: copyState(w.s), queue: [], entered: [], touched: [], deleveraged: [], events: [] };
}

const copyPositions = (h: ModelMarketPositions): ModelMarketPositions => ({
  ...h,
  cross: h.cross.map((p) => ({ ...p })),
  isolated: h.isolated.map((p) => ({ ...p })),
});

const copyPlayback = (p: ModelPlayback): ModelPlayback => ({
  ...p,
  recorded: new Map(p.recorded),
  taken: new Map(p.taken),
  touched: new Set(p.touched),
  ahead: new Map(p.ahead),
});

export function copyState(s: World['s']): World['s'] {
  const copyOrder = (o: ModelOrder): ModelOrder => ({
    ...o,
    resting: o.resting && { ...o.resting },
    trigger: o.trigger && { ...o.trigger },
    trailing: o.trailing && { ...o.trailing },
    peg: o.peg && { ...o.peg },
    twap: o.twap && { ...o.twap },
  });
  return {
    ...s,
    markets: s.markets.map((m) => ({
      ...m,
      basis: [...m.basis],
      premiums: [...m.premiums],
      distressed: [...m.distressed],
      playback: m.playback && copyPlayback(m.playback),
    })),
    accounts: new Map(
      [...s.accounts].map(([n, a]) => [
        n,
        {
          ...a,
          totals: [...a.totals],
          fees: { ...a.fees },
          positionsByMarket: new Map([...a.positionsByMarket].map(([m, h]) => [m, copyPositions(h)])),
        },
      ]),
    ),
    live: s.live.map(copyOrder),
    house: s.house.map(copyOrder),
    houseTotals: [...s.houseTotals],
    housePositions: new Map(s.housePositions),
    ended: [...s.ended],
    keys: [...s.keys],
    requests: [...s.requests],
    switches: [...s.switches],
    liquidations: [...s.liquidations],
    fees: [...s.fees],
    insurance: [...s.insurance],
    deposits: [...s.deposits],
    withdrawals: [...s.withdrawals],
  };
}

/** A limit order meets the book: it is live already, and what is left of it rests, ends or goes. */
export function enterLimit(w: World, o: ModelOrder, price: number): void {
  const market = w.s.markets[o.market];
  if (o.postOnly && wouldMatch(w, market, o, price)) {
    end(w, o, 'rejected', 'postOnlyWouldMatch');
    return;
  }
  if (o.timeInForce === 'FOK' && !fillsWhole(w, market, o, price)) {
    end(w, o, 'cancelled', 'fillOrKillUnfilled');
    return;
  }
  const result = sweep(w, market, o, price);
  if (!isLive(o)) return;
  if (unfilled(o) === 0) end(w, o, 'filled', null);
  else if (result === 'selfTrade') end(w, o, 'cancelled', 'selfTrade');
  else if (result === 'margin') end(w, o, 'cancelled', 'margin');
  else if (result === 'ownPeg') stopBeforeOwnPeg(w, market, o, price);
  else if (result === 'reduced') end(w, o, 'cancelled', 'positionClosed');
  else if (o.timeInForce === 'IOC') end(w, o, 'cancelled', 'immediateRemainder');
  else if (o.trigger !== null && restsBeyondBankruptcy(w, market, o, price)) end(w, o, 'cancelled', 'margin');
  else {
    rest(w, o, price, unfilled(o));
    changed(w, o, o.peg !== null ? 'repriced' : o.filledSeq === w.seq ? 'filled' : 'rested');
  }
}

/** A trigger's limit is not refused when it fires: it takes what it may, and its rest goes. */
function restsBeyondBankruptcy(w: World, market: ModelMarket, o: ModelOrder, price: number): boolean {
  const account = w.s.accounts.get(o.account)!;
  return checkBankruptcy(w, account, market, o, price, o.reduceOnly ? o.positionId : null) !== null;
}

/** A peg that meets a peg of its own account rests one tick before it, where there is such a tick. */
function stopBeforeOwnPeg(w: World, market: ModelMarket, o: ModelOrder, limit: number): void {
  const met = bestAgainst(w, market, o.side, limit)!.resting!.price;
  const price = o.side === BUY ? met - 1 : met + 1;
  if (price < 1 || price > market.maxTicks) {
    end(w, o, 'cancelled', 'selfTrade');
    return;
  }
  o.peg!.effective = price;
  rest(w, o, price, unfilled(o));
  changed(w, o, 'repriced');
}

/** A market order: what it cannot take within the protection band is cancelled. */
export function enterMarket(w: World, o: ModelOrder): void {
  const market = w.s.markets[o.market];
  const limit = marketLimit(w, market, o.side);
  if (o.timeInForce === 'FOK' && (limit === null || !fillsWhole(w, market, o, limit))) {
    end(w, o, 'cancelled', 'fillOrKillUnfilled');
    return;
  }
  const result = limit === null ? 'exhausted' : sweep(w, market, o, limit);
  if (!isLive(o)) return;
  if (o.quoteOriginal !== null) {
    if (result === 'selfTrade') end(w, o, 'cancelled', 'selfTrade');
    else if (result === 'margin') end(w, o, 'cancelled', 'margin');
    else if (spent(w, market, o, result)) end(w, o, 'partlyFilled', null);
    else end(w, o, 'cancelled', 'noLiquidityInBand');
    return;
  }
  if (unfilled(o) === 0) end(w, o, 'filled', null);
  else if (result === 'selfTrade') end(w, o, 'cancelled', 'selfTrade');
  else if (result === 'margin') end(w, o, 'cancelled', 'margin');
  else if (result === 'reduced') end(w, o, 'cancelled', 'positionClosed');
  else end(w, o, 'cancelled', 'noLiquidityInBand');
}

/** Less is left than a lot costs where it could go on, or cost at its last fill, its fee included where that is paid in quote. */
function spent(w: World, market: ModelMarket, o: ModelOrder, result: SweepEnd): boolean {
  if (o.filled === 0) return false;
  const lot = takerCost(w, w.s.accounts.get(o.account)!, market, BigInt(market.last / FINE) * market.tickLot);
  return result === 'quoteSpent' || o.quoteOriginal! - o.quoteFilled < lot;
}
