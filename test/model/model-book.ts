/** The book as a list that is looked through: whoever rests says so itself (`order.resting`). */
import type { Side } from '../../src/venue/contract/commands.ts';
import {
  BUY,
  FINE,
  HOUSE,
  type ModelMarket,
  type ModelOrder,
  opposite,
  PARTS,
  unfilled,
  type World,
} from './model-state.ts';

/** Resting orders of one side, best price first, then by arrival. */
export function restingOn(w: World, market: ModelMarket, side: Side): ModelOrder[] {
  const found = [...w.s.live, ...w.s.house].filter(
    (o) => o.resting !== null && o.market === market.index && o.side === side,
  );
  return found.sort((a, b) => {
    const better = side === BUY ? b.resting!.price - a.resting!.price : a.resting!.price - b.resting!.price;
    return better !== 0 ? better : a.resting!.place - b.resting!.place;
  });
}

export function bestOf(w: World, market: ModelMarket, side: Side, except?: ModelOrder): ModelOrder | undefined {
  let best: ModelOrder | undefined;
  for (const o of [...w.s.live, ...w.s.house]) {
    if (o.resting === null || o.market !== market.index || o.side !== side || o === except) continue;
    if (best === undefined || comesBefore(o, best)) best = o;
  }
  return best;
}

function comesBefore(a: ModelOrder, b: ModelOrder): boolean {
  const [x, y] = [a.resting!, b.resting!];
  if (x.price !== y.price) return a.side === BUY ? x.price > y.price : x.price < y.price;
  return x.place < y.place;
}

/** Whether an order of `side` at `limit` takes what rests at `price`. */
export function crosses(side: Side, limit: number, price: number): boolean {
  return side === BUY ? price <= limit : price >= limit;
}

export function bestAgainst(w: World, market: ModelMarket, side: Side, limit: number): ModelOrder | undefined {
  const best = bestOf(w, market, opposite(side));
  return best !== undefined && crosses(side, limit, best.resting!.price) ? best : undefined;
}

/** Joins the back of its level, showing what it may (a peg: one slice). */
export function rest(w: World, o: ModelOrder, price: number, lots: number): void {
  const shown = o.peg === null ? lots : Math.min(lots, o.peg.slice);
  o.resting = { price, shown, place: w.s.arrivals++ };
}

/** What remains of a resting order: its TWAP child's size, or all that is unfilled, hidden slices included. */
export function restingLots(o: ModelOrder): number {
  return o.twap === null && o.account !== HOUSE ? unfilled(o) : o.resting!.shown;
}

/** The last price within `fraction` of a reference: a BUY's rounded down, a SELL's up. */
export function within(market: ModelMarket, side: Side, fine: number, fraction: bigint): number {
  const unit = BigInt(FINE) * PARTS;
  const ticks =
    side === BUY ? (BigInt(fine) * (PARTS + fraction)) / unit : (BigInt(fine) * (PARTS - fraction) + unit - 1n) / unit;
  return Math.min(Math.max(Number(ticks), 1), market.maxTicks);
}

/** Price levels as a reader sees them: [price, shown lots], best first. */
export function depthOf(w: World, market: ModelMarket, side: Side): [number, number][] {
  const levels: [number, number][] = [];
  for (const o of restingOn(w, market, side)) {
    const at = levels.at(-1);
    if (at !== undefined && at[0] === o.resting!.price) at[1] += o.resting!.shown;
    else levels.push([o.resting!.price, o.resting!.shown]);
  }
  return levels;
}
