/** What orders do to each other: OCO legs, reduce-only against the position, attached take-profit and stop-loss. */
import type { Bracket } from '../../src/venue/commands.ts';
import { end } from './model-matching.ts';
import { reducible } from './model-positions.ts';
import {
  BUY,
  isLive,
  liveByKey,
  type ModelMarket,
  type ModelOrder,
  newOrder,
  opposite,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';

/** Called once an order has ended: the other leg of its OCO group follows in the same step. */
export function onEnded(w: World, o: ModelOrder): void {
  const sibling = o.oco === null ? undefined : liveByKey(w.s, o.oco.siblingKey);
  if (sibling === undefined || o.trigger?.fired || sibling.trigger?.fired) return;
  if (o.oco!.role === 'limit') sibling.current = unfilled(o);
  if (o.ending?.reason === 'cancelledByClient') end(w, sibling, 'cancelled', 'ocoCancelled');
  else if (o.state === 'filled') end(w, sibling, 'cancelled', 'ocoSiblingFilled');
  else if (o.state === 'rejected') end(w, sibling, 'rejected', 'ocoLimitLegRejected');
  else end(w, sibling, 'cancelled', 'ocoLimitLegEnded');
}

/** After a sweep, for each order that it filled: OCO sibling, attached orders, reduce-only orders of the position. */
export function afterSweep(w: World): void {
  for (let o = w.touched.shift(); o !== undefined; o = w.touched.shift()) {
    const market = w.s.markets[o.market];
    const stop = o.oco?.role === 'limit' && isLive(o) ? liveByKey(w.s, o.oco.siblingKey) : undefined;
    if (stop !== undefined) stop.current = unfilled(o);
    if (o.bracketOf !== null) endOtherBracket(w, o);
    if (market.product !== 'futures') continue;
    attach(w, o);
    reduceReducers(w, market, o.account);
  }
}

/** The first fill of a take-profit or stop-loss cancels the other; one that is cancelled leaves the other alone. */
function endOtherBracket(w: World, o: ModelOrder): void {
  const { role, parentKey } = o.bracketOf!;
  const other = w.s.live.find((x) => x.bracketOf?.parentKey === parentKey && x.bracketOf.role !== role);
  if (other !== undefined) end(w, other, 'cancelled', 'bracketSiblingDone');
}

/** Attached orders come with the first fill that opens, and grow with the next ones. */
function attach(w: World, parent: ModelOrder): void {
  if (parent.opened === 0) return;
  const grow = (role: 'takeProfit' | 'stopLoss', bracket: Bracket | null, key: number): number => {
    if (bracket === null) return 0;
    const existing = liveByKey(w.s, key);
    if (existing !== undefined) {
      existing.current += parent.opened - existing.original;
      existing.original = parent.opened;
    }
    if (key !== 0) return key;
    const o = newOrder(w, {
      account: parent.account,
      market: parent.market,
      side: opposite(parent.side),
      kind: 'conditional',
      state: 'waiting',
      current: parent.opened,
      reduceOnly: true,
      bracketOf: { role, parentKey: parent.key },
      trigger: {
        rule: role === 'takeProfit' ? 'profit' : 'stop',
        reference: bracket.reference,
        price: bracket.price,
        original: bracket.price,
        up: (role === 'takeProfit') === (parent.side === BUY),
        fired: false,
        firedSeq: 0,
        limit: null,
      },
    });
    w.s.live.push(o);
    w.events.push({ type: 'accepted', key: o.key });
    w.entered.push(o.key);
    return o.key;
  };
  parent.takeProfitKey = grow('takeProfit', parent.takeProfit, parent.takeProfitKey);
  parent.stopLossKey = grow('stopLoss', parent.stopLoss, parent.stopLossKey);
}

/** Reduce-only orders at rest go down to the position, least aggressive first; without one they and attached ones go. */
function reduceReducers(w: World, market: ModelMarket, number: number): void {
  const account = w.s.accounts.get(number)!;
  for (const side of [BUY, SELL]) {
    const room = reducible(account, market, side);
    const mine = w.s.live.filter(
      (o) => o.account === number && o.market === market.index && o.side === side && o.reduceOnly,
    );
    const resting = mine.filter((o) => o.resting !== null);
    if (room === 0) {
      for (const o of mine) if (o.resting !== null || o.bracketOf !== null) end(w, o, 'cancelled', 'positionClosed');
      continue;
    }
    const passive = (o: ModelOrder) => (side === BUY ? -o.resting!.price : o.resting!.price);
    resting.sort((a, b) => passive(b) - passive(a) || b.key - a.key);
    let excess = resting.reduce((sum, o) => sum + unfilled(o), 0) - room;
    for (const o of resting) {
      const cut = Math.min(Math.max(excess, 0), unfilled(o));
      excess -= cut;
      if (cut > 0 && cut === unfilled(o)) {
        end(w, o, 'cancelled', 'positionClosed');
        continue;
      }
      o.current -= cut;
      o.resting!.shown -= cut;
    }
  }
}
