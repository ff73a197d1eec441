/** Amending a live order (semantics.md section 4). */
import type { Amend } from '../../src/venue/contract/commands.ts';
import { bestAgainst } from './model-book.ts';
import {
  checkAttached,
  checkBand,
  checkBankruptcy,
  checkCovered,
  checkDistance,
  checkMargin,
  checkMark,
  checkPrice,
  checkReduceOnly,
  checkSide,
  checkSize,
  checkStale,
  limitOrder,
  notTrading,
  type Problem,
  problem,
} from './model-checks.ts';
import { payCurrency, reserveOf, spotNeed } from './model-funds.ts';
import { afterSweep } from './model-links.ts';
import { enterLimit } from './model-matching.ts';
import { roomOf } from './model-positions.ts';
import { changed, type ModelMarket, type ModelOrder, referencePrice, type World } from './model-state.ts';
import { priceText, sizeText } from './model-text.ts';
import { sideOf } from './model-triggers.ts';

interface Terms {
  price: number;
  quantity: number;
  trigger: number;
}

/** Amends, or says why not; a refused amend leaves order and place as they were. */
export function amend(w: World, c: Amend, o: ModelOrder): Problem | null {
  const market = w.s.markets[o.market];
  if (market.halted) return notTrading(market);
  const terms: Terms = {
    price: c.price ?? o.price,
    quantity: c.size === null ? o.quantity : c.totalSize ? c.size : o.filled + c.size,
    trigger: c.trigger ?? o.trigger?.price ?? 0,
  };
  const waiting = o.state === 'waiting';
  const bad =
    checkAmendable(c, o) ??
    (c.size === null ? null : checkNewSize(market, o, terms.quantity)) ??
    (c.price === null
      ? null
      : (checkPrice(market, 'price', c.price) ??
        (waiting || c.price === o.price ? null : checkBand(market, o.side, c.price)))) ??
    (c.trigger === null ? null : checkTrigger(market, o, c.trigger)) ??
    (c.price === null && c.trigger === null
      ? null
      : checkAttached(market, o, o.trigger?.limit === null ? terms.trigger : terms.price)) ??
    (waiting && o.trigger?.limit != null ? checkDistance(market, terms.price, terms.trigger) : null);
  if (bad !== null) return bad;
  if (!waiting) return amendWorking(w, market, o, terms);
  amendWaiting(w, market, o, terms);
  return null;
}

/** Algo orders and OCO legs not, but for the trigger price of a waiting trigger; of waiting spot triggers that alone. */
function checkAmendable(c: Amend, o: ModelOrder): Problem | null {
  const waiting = o.kind === 'conditional' && o.state === 'waiting';
  if (c.trigger !== null && !waiting) return problem('notAmendable', { field: 'trigger' });
  if (c.price === null && c.size === null) return null;
  const field = c.price !== null ? 'price' : 'size';
  const plain = o.kind === 'limit' || o.kind === 'conditional';
  if (!plain || o.oco !== null || o.attached !== null) return problem('notAmendable', { field });
  if (o.kind === 'limit') return null;
  if (!waiting) return o.resting === null ? problem('notAmendable', { field }) : null;
  if (o.product === 'spot') return problem('notAmendable', { field });
  return c.price !== null && o.trigger!.limit === null ? problem('notAmendable', { field }) : null;
}

function checkNewSize(market: ModelMarket, o: ModelOrder, size: number): Problem | null {
  if (size > o.filled) return checkSize(market, 'size', size);
  return problem('sizeNotAboveFilled', { size: sizeText(market, size), filled: sizeText(market, o.filled) });
}

/** An OCO's stop leg and attached orders stay on their side of the reference price. */
function checkTrigger(market: ModelMarket, o: ModelOrder, ticks: number): Problem | null {
  const fine = referencePrice(market, o.trigger!.reference);
  const sided = (o.oco !== null || o.attached !== null) && fine !== 0;
  return (
    checkPrice(market, 'trigger', ticks) ?? (sided ? checkSide(market, 'trigger', ticks, fine, o.trigger!.up!) : null)
  );
}

function amendWaiting(w: World, market: ModelMarket, o: ModelOrder, terms: Terms): void {
  const trigger = o.trigger!;
  o.quantity = terms.quantity;
  o.price = terms.price;
  o.updatedMs = w.s.now;
  if (trigger.limit !== null) trigger.limit = terms.price;
  changed(w, o, 'amended');
  if (terms.trigger === trigger.price) return;
  trigger.price = terms.trigger;
  if (trigger.rule === 'reach') trigger.up = sideOf(terms.trigger, referencePrice(market, trigger.reference));
  w.entered.push(o.key);
}

/** Only a smaller size at the same price keeps the place; a new price that crosses takes, post-only is refused. */
function amendWorking(w: World, market: ModelMarket, o: ModelOrder, terms: Terms): Problem | null {
  const { price } = terms;
  if (o.postOnly && price !== o.price && bestAgainst(w, market, o.side, price) !== undefined) {
    return problem('postOnlyAmendWouldMatch', { price: priceText(market, price) });
  }
  let lots = terms.quantity - o.filled;
  if (o.reduceOnly) {
    const bad = checkReduceOnly(w.s.accounts.get(o.account)!, market, o, o.positionId);
    if (bad !== null) return bad;
    lots = Math.min(lots, roomOf(w, o));
  }
  const short = checkAmendSolvency(w, market, o, price, lots) ?? checkAmendFunds(w, market, o, price, lots);
  if (short !== null) return short;
  const shrinks = price === o.price && o.filled + lots < o.quantity;
  o.quantity = o.filled + lots;
  o.price = price;
  o.updatedMs = w.s.now;
  if (shrinks) {
    o.resting!.shown = lots;
    changed(w, o, 'amended');
    return null;
  }
  o.resting = null;
  changed(w, o, 'amended');
  enterLimit(w, o, price);
  afterSweep(w);
  return null;
}

/** What only lowers the size always may; the rest needs a mark and a living feed, and closes at no price beyond bankruptcy. */
function checkAmendSolvency(w: World, market: ModelMarket, o: ModelOrder, price: number, lots: number): Problem | null {
  if (market.product === 'spot' || (price === o.price && o.filled + lots < o.quantity)) return null;
  const account = w.s.accounts.get(o.account)!;
  return (
    checkMark(market) ??
    checkStale(w, account, market, { side: o.side, size: lots, reduceOnly: o.reduceOnly }, o) ??
    (price === o.price ? null : checkBankruptcy(w, account, market, o, price, o.reduceOnly ? o.positionId : null))
  );
}

/** Money or margin beyond what the order has now. */
function checkAmendFunds(w: World, market: ModelMarket, o: ModelOrder, price: number, lots: number): Problem | null {
  const account = w.s.accounts.get(o.account)!;
  if (market.product === 'spot') {
    const more = spotNeed(w, account, market, o.side, price, lots) - reserveOf(w, o);
    return more <= 0n ? null : checkCovered(w, account, payCurrency(market, o.side), more);
  }
  return o.reduceOnly ? null : checkMargin(w, account, market, limitOrder(w, account, market, o.side, price, lots), o);
}
