/** Observations and what they set off (semantics.md sections 3, 6 and 8): one queue, emptied after each step. */
import type { Reference, Side } from '../../src/venue/contract/commands.ts';
import { checkFired } from './model-checks.ts';
import { freshPrice, isStale } from './model-feed.ts';
import { afterSweep } from './model-links.ts';
import { checkHolders, closeBankrupt } from './model-liquidation.ts';
import { end, enterLimit, enterMarket, marketLimit, sweep } from './model-matching.ts';
import { repricePegs } from './model-peg.ts';
import { roomOf } from './model-positions.ts';
import {
  changed,
  emit,
  FINE,
  isLive,
  liveByKey,
  type ModelMarket,
  type ModelOrder,
  type Observation,
  PERCENT_PARTS,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';
import { startTwap } from './model-twap.ts';

/** Empties the queue: what was seen first, then triggers whose condition was true as they entered; what is set off joins the end. */
export function drain(w: World): void {
  for (;;) {
    closeBankrupt(w);
    for (let seen = w.queue.shift(); seen !== undefined; seen = w.queue.shift()) {
      observe(w, seen);
      closeBankrupt(w);
    }
    const key = w.entered.shift();
    if (key === undefined) return;
    const o = liveByKey(w.s, key);
    const fine = o === undefined ? 0 : freshPrice(w.s.markets[o.market], o.trigger!.reference);
    if (
      o === undefined ||
      o.state !== 'waiting' ||
      w.s.markets[o.market].halted ||
      o.trigger!.fired ||
      fine === 0 ||
      !reached(o, fine)
    )
      continue;
    fire(w, o);
    afterSweep(w);
  }
}

/** Extremes, then triggers and activations by distance from the price before, then pegs and TWAP starts by age. */
function observe(w: World, seen: Observation): void {
  const { reference, fine } = seen;
  const market = w.s.markets[seen.market];
  if (market.halted || isStale(market, reference)) return;
  const here = w.s.live.filter((o) => o.market === market.index);
  for (const o of here) if (o.trailing?.activated && o.trigger!.reference === reference) follow(w, o, fine);
  const due = here.filter((o) => watches(o)?.reference === reference && reaches(o, fine));
  const from = seen.before === 0 ? fine : seen.before;
  const distance = (o: ModelOrder) => Math.abs(watches(o)!.price * FINE - from);
  const apart = new Map(due.map((o) => [o, distance(o)]));
  due.sort((a, b) => apart.get(a)! - apart.get(b)! || a.key - b.key);
  for (const o of due) {
    if (o.twap !== null || watches(o)?.reference !== reference || o.trigger!.firedStep === w.step) continue;
    if (o.trailing !== null && !o.trailing.activated) activate(w, market, o, seen);
    else fire(w, o);
    afterSweep(w);
    closeBankrupt(w);
  }
  if (reference === 'index') {
    const pegs = here.filter((o) => o.peg !== null && isLive(o));
    repricePegs(w, market, pegs);
  }
  for (const o of due) if (o.twap !== null && watches(o) !== null) startTwap(w, o);
  if (market.product === 'futures' && reference === 'mark') checkHolders(w, market);
}

interface Watch {
  reference: Reference;
  price: number;
}

/** What price the order waits for, if any: its activation first, then its trigger. */
function watches(o: ModelOrder): Watch | null {
  if (!isLive(o)) return null;
  const waits = o.trailing?.activated === false ? o.trailing : o.twap?.startedAtMs === 0 ? o.twap : null;
  if (waits !== null) return { reference: waits.activationReference!, price: waits.activation! };
  if (o.trigger === null || o.state !== 'waiting' || o.trigger.price === 0) return null;
  return { reference: o.trigger.reference, price: o.trigger.price };
}

/** The first price of all tells a side that was not known. */
function reaches(o: ModelOrder, fine: number): boolean {
  const waits = o.trailing?.activated === false ? o.trailing : o.twap?.startedAtMs === 0 ? o.twap : null;
  if (waits === null) return reached(o, fine);
  const at = waits.activation! * FINE;
  waits.activationUp ??= at >= fine;
  return waits.activationUp ? fine >= at : fine <= at;
}

function reached(o: ModelOrder, fine: number): boolean {
  const trigger = o.trigger!;
  const at = trigger.price * FINE;
  trigger.up ??= at >= fine;
  return trigger.up ? fine >= at : fine <= at;
}

/** Side from which a price is reached: null while there is no reference price. */
export function sideOf(price: number, fine: number): boolean | null {
  return fine === 0 ? null : price * FINE >= fine;
}

/** Releases the order under its own id: a market or a limit order, checked as a new one. */
function fire(w: World, o: ModelOrder): void {
  const trigger = o.trigger!;
  trigger.fired = true;
  if (o.oco !== null) {
    const limit = liveByKey(w.s, o.oco.siblingKey);
    if (limit !== undefined) end(w, limit, 'cancelled', 'ocoSiblingTriggered');
    o.timeInForce = 'GTC';
  }
  trigger.firedStep = w.step;
  o.state = 'working';
  o.updatedMs = w.s.now;
  emit(w, { type: 'triggered', key: o.key });
  if (o.attached !== null) {
    enterAttached(w, o);
    return;
  }
  const problem = checkFired(w, o);
  if (problem !== null) {
    end(w, o, 'rejected', problem.reason, problem.params);
    return;
  }
  if (trigger.limit === null) enterMarket(w, o);
  else enterLimit(w, o, trigger.limit);
}

/** An attached order closes what it can; its rest waits again, for the next observation that reaches its price. */
function enterAttached(w: World, o: ModelOrder): void {
  const market = w.s.markets[o.market];
  const lots = Math.min(unfilled(o), roomOf(w, o));
  if (lots === 0) {
    end(w, o, 'cancelled', 'positionClosed');
    return;
  }
  o.quantity = o.filled + lots;
  const limit = marketLimit(w, market, o.side);
  if (limit !== null) sweep(w, market, o, limit);
  if (unfilled(o) === 0) end(w, o, 'filled', null);
  else {
    o.state = 'waiting';
    changed(w, o, 'waiting');
  }
}

// --- trailing stops (section 8) ----------------------------------------------------------------------------------

/** From here on it follows its reference; armed at once where there is a price. */
export function activate(w: World, market: ModelMarket, o: ModelOrder, seen: Observation | null): void {
  o.trailing!.activated = true;
  const { reference } = o.trigger!;
  const fine = seen?.reference === reference ? seen.fine : freshPrice(market, reference);
  if (fine !== 0) follow(w, o, fine);
}

/** Takes a price into the extreme; the stop only ever tightens. */
function follow(w: World, o: ModelOrder, fine: number): void {
  const trailing = o.trailing!;
  const trigger = o.trigger!;
  if (o.state !== 'waiting') return;
  if (trailing.armed && (o.side === SELL ? fine <= trailing.extreme : fine >= trailing.extreme)) return;
  trailing.extreme = fine;
  const before = trigger.price;
  const first = !trailing.armed;
  trigger.price = stopPrice(o, fine);
  if (first) trigger.original = trigger.price;
  trailing.armed = true;
  if (first) changed(w, o, 'armed');
  else if (trigger.price !== before) changed(w, o, 'repriced');
}

/** On the tick, away from the market: a SELL's down, a BUY's up. */
function stopPrice(o: ModelOrder, extreme: number): number {
  const { distance, percent } = o.trailing!;
  const sell: Side = SELL;
  const unit = distance !== null ? 1n : PERCENT_PARTS;
  const reach = distance !== null ? BigInt(distance) : BigInt(extreme) * BigInt(percent!);
  const scaled = o.side === sell ? BigInt(extreme) * unit - reach : BigInt(extreme) * unit + reach;
  const tick = unit * BigInt(FINE);
  const ticks = o.side === sell ? scaled / tick : (scaled + tick - 1n) / tick;
  return Math.max(0, Number(ticks));
}
