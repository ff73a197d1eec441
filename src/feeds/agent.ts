/**
 * One synthetic trader in one market. Its decisions depend only on the venue's present state. It keeps a ladder of
 * quotes on both sides of a fair price, renews those that the price has left behind, and sometimes takes.
 *
 * The fair price is the index, shifted against the trader's inventory, and takers tend to reduce their inventory. So
 * inventories move around their beginnings and do not run out. At the inventory limit, the side that would add keeps
 * one small, distant quote, so that no book side is ever empty.
 */

import type { Cancel, Command, PlaceLimit, Side } from '../venue/contract/commands.ts';
import type { OrderView } from '../venue/contract/order-view.ts';
import { FINE } from '../venue/contract/units.ts';
import type { Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';
import type { RandomStream } from './random.ts';

const LEVELS = 4;
/** Distances from the fair price, in hundred-thousandths (1 = a tenth of a basis point). */
const HALF_SPREAD = 10;
const HALF_SPREAD_STEP = 4;
const LEVEL_GAP = 15;
const SKEW_AT_LIMIT = 40;
const DISTANT = 500;
/** A quote is kept while it is within this distance of a level of the present ladder. */
const DRIFT = 10;
const PER_ONE = 100_000;
const TAKE_PERCENT = 45;
/** Value of one quote in quote currency. */
const QUOTE_VALUE = 2_000;
const TAKE_VALUE = 600;
/** The inventory at which a trader stops adding: the value of its difference from the start, in quote currency. */
const INVENTORY_LIMIT = 1_000_000;

export interface Agent {
  readonly account: number;
  /** 0, 1, 2 …: a later trader quotes a wider spread. */
  readonly rank: number;
  /** The lots of base currency at its beginning, by market. Futures begin at 0. */
  homeLots(market: MarketView): number;
}

interface View {
  readonly venue: Venue;
  readonly market: MarketView;
  readonly agent: Agent;
  readonly random: RandomStream;
  readonly fairTicks: number;
  /** From −1 (short, at the limit) to 1 (long, at the limit). */
  readonly lean: number;
}

/** The commands of the trader's first ladder in a market. */
export function openLadder(venue: Venue, market: MarketView, agent: Agent, random: RandomStream): Command[] {
  const view = look(venue, market, agent, random);
  const commands: Command[] = [];
  for (let level = 0; level < LEVELS; level++) {
    for (const side of [0, 1] as const) commands.push(quote(view, side, level));
  }
  return commands;
}

/** Cancels quotes that the price has left behind, fills the gaps of the ladder, and sometimes takes. */
export function act(venue: Venue, market: MarketView, agent: Agent, random: RandomStream): Command[] {
  const view = look(venue, market, agent, random);
  const resting = venue.openOrders(agent.account, market.product, market.index);
  const commands: Command[] = [];
  for (const side of [0, 1] as const) {
    const gaps = new Set(Array.from({ length: LEVELS }, (_, level) => level));
    for (const order of resting) {
      if (order.side !== side) continue;
      const level = [...gaps].find((gap) => Math.abs(distance(view, order) - wanted(view, side, gap)) <= DRIFT);
      if (level === undefined) commands.push(cancel(view, order));
      else gaps.delete(level);
    }
    for (const level of gaps) commands.push(quote(view, side, level));
  }
  if (random.chance(TAKE_PERCENT)) commands.push(...take(view));
  return commands;
}

function look(venue: Venue, market: MarketView, agent: Agent, random: RandomStream): View {
  const indexTicks = Math.max(1, Math.round(market.indexPrice / FINE));
  const away = heldLots(venue, market, agent.account) - agent.homeLots(market);
  const lean = Math.max(-1, Math.min(1, away / lotsWorth(market, indexTicks, INVENTORY_LIMIT) || 0));
  const fairTicks = Math.max(1, Math.round(indexTicks * (1 - (lean * SKEW_AT_LIMIT) / PER_ONE)));
  return { venue, market, agent, random, fairTicks, lean };
}

/** Base currency in lots on spot, signed contracts on futures. */
function heldLots(venue: Venue, market: MarketView, account: number): number {
  if (market.product === 'futures') {
    return venue.positions(account).find((position) => position.market === market)?.size ?? 0;
  }
  const code = venue.currencies[market.base].code;
  const balance = venue.balances(account).find(({ currency }) => currency.code === code);
  return balance === undefined ? 0 : Number(balance.total / market.unitsPerLot);
}

/** The number of lots worth `value` of whole quote currency at a price. */
export function lotsWorth(market: MarketView, ticks: number, value: number): number {
  const lots = value / (market.priceNumber(ticks) * market.sizeNumber(1) * Number(market.spec.contractSize ?? '1'));
  return Math.min(Math.max(Math.round(lots), market.minLots), market.maxLots);
}

/** Distance of a quote from the fair price on its own side, in hundred-thousandths; negative when it is past it. */
function distance(view: View, order: OrderView): number {
  const ticks = order.side === 0 ? view.fairTicks - order.price : order.price - view.fairTicks;
  return (ticks / view.fairTicks) * PER_ONE;
}

function adds(view: View, side: Side): boolean {
  return side === 0 ? view.lean >= 1 : view.lean <= -1;
}

function wanted(view: View, side: Side, level: number): number {
  if (adds(view, side)) return DISTANT;
  return HALF_SPREAD + view.agent.rank * HALF_SPREAD_STEP + level * LEVEL_GAP;
}

function quote(view: View, side: Side, level: number): PlaceLimit {
  const jitter = view.random.between(-4, 4);
  const away = Math.max(1, Math.round((view.fairTicks * (wanted(view, side, level) + jitter)) / PER_ONE));
  const value = adds(view, side) ? QUOTE_VALUE / 10 : (QUOTE_VALUE * view.random.between(50, 200) * (level + 1)) / 100;
  return limit(view, side, side === 0 ? view.fairTicks - away : view.fairTicks + away, value, 'GTC');
}

/** An order that takes from the other side. It reduces the inventory more often than it adds to it. */
function take(view: View): PlaceLimit[] {
  const towardsSell = 50 + Math.round(view.lean * 50);
  const side: Side = view.random.chance(towardsSell) ? 1 : 0;
  const best = view.market.bestPrice(side === 0 ? 1 : 0);
  if (best <= 0) return [];
  const reach = Math.max(1, Math.round((view.fairTicks * LEVEL_GAP) / PER_ONE));
  const value = (TAKE_VALUE * view.random.between(20, 300)) / 100;
  return [limit(view, side, side === 0 ? best + reach : best - reach, value, 'IOC')];
}

function limit(view: View, side: Side, ticks: number, value: number, timeInForce: 'GTC' | 'IOC'): PlaceLimit {
  const price = Math.min(Math.max(ticks, 1), view.market.maxPriceTicks);
  return {
    v: 1,
    type: 'place',
    account: view.agent.account,
    market: view.market.index,
    side,
    clientId: null,
    request: null,
    broker: null,
    kind: 'limit',
    price,
    size: lotsWorth(view.market, price, value),
    timeInForce,
    postOnly: false,
    reduceOnly: false,
  };
}

function cancel(view: View, order: OrderView): Cancel {
  return {
    v: 1,
    type: 'cancel',
    account: order.account,
    product: view.market.product,
    market: view.market.index,
    order: order.key,
    clientId: null,
  };
}
