/** Position mode, leverage, risk limit, attached orders of a position, dead man's switch, halts (semantics.md sections 11, 12, 4). */
import type {
  AttachOrders,
  CancelAllAfter,
  HaltMarket,
  Place,
  SetLeverage,
  SetPositionMode,
  SetRiskLimit,
} from '../../src/venue/contract/commands.ts';
import { checkAttached, checkCap, checkCovered, notTrading, type Problem, problem } from './model-checks.ts';
import { balanceOf } from './model-funds.ts';
import { attachOrder } from './model-links.ts';
import { see } from './model-mark.ts';
import { end } from './model-matching.ts';
import {
  isolatedMargin,
  largestExposure,
  maintenanceOf,
  marginIn,
  markValue,
  mostLeverage,
  positionById,
  positionsIn,
  positionsOf,
  restOf,
  UNOPENED,
  unrealisedOf,
} from './model-positions.ts';
import {
  atMark,
  BUY,
  knownMarks,
  least,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  type ModelPosition,
  magnitude,
  most,
  opposite,
  SELL,
  say,
  type World,
} from './model-state.ts';

const MOST_ISOLATED = 5;
const LONGEST_SWITCH_MS = 30 * 24 * 3_600_000;

function unchangeable(w: World, account: ModelAccount, market: ModelMarket): boolean {
  const open = w.s.live.some((o) => o.account === account.number && o.market === market.index);
  return open || positionsOf(positionsIn(account, market)).some((p) => p.size !== 0);
}

/** A placement may name another mode where nothing is in the way; accepted, it switches. */
export function checkMode(w: World, account: ModelAccount, market: ModelMarket, c: Place): Problem | null {
  if (market.product === 'spot') return null;
  const { mode } = positionsIn(account, market);
  if ((c.positionMode ?? mode) === mode || !unchangeable(w, account, market)) return null;
  return problem('positionModeMismatch', { current: mode });
}

/** Up to five isolated positions, counting live orders that will open one. */
export function checkPositions(w: World, account: ModelAccount, market: ModelMarket, c: Place): Problem | null {
  if (market.product === 'spot' || ('reduceOnly' in c && c.reduceOnly)) return null;
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode !== 'ISOLATED') return null;
  const unopened = w.s.live.filter(
    (o) => o.account === account.number && o.market === market.index && o.positionId === UNOPENED && !o.reduceOnly,
  );
  const wanted = marketPositions.isolated.length + unopened.length + (c.kind === 'oco' ? 2 : 1);
  return wanted > MOST_ISOLATED ? problem('tooManyPositions', { maximum: MOST_ISOLATED }) : null;
}

type Found = { account: ModelAccount; market: ModelMarket } | Problem;

function find(w: World, c: { account: number; market: number }): Found {
  const account = w.s.accounts.get(c.account);
  if (account === undefined) return problem('unknownAccount', { account: c.account });
  const market = w.s.markets[c.market];
  if (market === undefined || market.product === 'spot') return problem('unknownMarket', { symbol: c.market });
  return { account, market };
}

export function setPositionMode(w: World, c: SetPositionMode): Problem | null {
  const found = find(w, c);
  if ('reason' in found) return found;
  const marketPositions = positionsIn(found.account, found.market);
  if (marketPositions.mode === c.mode) return null;
  if (unchangeable(w, found.account, found.market))
    return problem('positionModeUnchangeable', { current: marketPositions.mode });
  marketPositions.mode = c.mode;
  return null;
}

/** Not above what the tier in use allows, nor where the margin of what is there would no longer be covered. */
export function setLeverage(w: World, c: SetLeverage): Problem | null {
  const found = find(w, c);
  if ('reason' in found) return found;
  const { account, market } = found;
  const marketPositions = positionsIn(account, market);
  const isolated = c.margin === 'ISOLATED';
  const one =
    c.position === null || isolated !== (marketPositions.mode === 'ISOLATED')
      ? undefined
      : positionById(marketPositions, c.position);
  if (c.position !== null && one === undefined) return problem('unknownPosition', { position: c.position });
  const targets = one !== undefined ? [one] : isolated ? (['pending'] as const) : marketPositions.cross;
  const maximum = Math.min(...targets.map((of) => mostLeverage(w, account, market, of)));
  const minimum = isolated ? 1 : 0;
  if (c.leverage < minimum || c.leverage > maximum) return problem('leverageOutOfRange', { minimum, maximum });
  if (isolated && one !== undefined) return isolatedLeverage(w, account, market, one, c.leverage);
  const before = marginIn(w, account, market);
  const free = balanceOf(w, account, market.quote);
  const old = { isolated: marketPositions.isolatedLeverage, cross: marketPositions.cross.map((p) => p.leverage) };
  for (const of of targets) {
    if (of === 'pending') marketPositions.isolatedLeverage = c.leverage;
    else of.leverage = c.leverage;
  }
  const short = checkCovered(w, account, market.quote, marginIn(w, account, market) - before, free);
  if (short === null) return null;
  marketPositions.isolatedLeverage = old.isolated;
  marketPositions.cross.forEach((p, i) => {
    p.leverage = old.cross[i];
  });
  return short;
}

/** The position's own margin becomes what the new leverage asks for, never below maintenance. */
function isolatedLeverage(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  position: ModelPosition,
  leverage: number,
): Problem | null {
  const target = requiredCollateral(w, account, market, position, leverage);
  const more = target - position.collateral;
  const old = { leverage: position.leverage, margin: marginIn(w, account, market) };
  position.leverage = leverage;
  const needed = more + marginIn(w, account, market) - old.margin;
  position.leverage = old.leverage;
  const short = needed > 0n ? checkCovered(w, account, market.quote, needed) : null;
  if (short !== null) return short;
  position.leverage = leverage;
  position.collateral = target;
  account.totals[market.quote] -= more;
  return null;
}

function requiredCollateral(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  p: ModelPosition,
  leverage: number,
): bigint {
  const value = magnitude(markValue(market, p));
  const all = value + restOf(w, account, market, p.id);
  const wanted = isolatedMargin(account, market, value, all, leverage);
  const worst = [market, ...knownMarks(market).map((mark) => atMark(market, mark))]
    .map((at) => unrealisedOf(at, p))
    .reduce(least);
  return most(wanted, maintenanceOf(account, market, p) - worst);
}

/**
 * The least tier of all in the market. One that makes anything dearer has to be covered; isolated positions get from the
 * wallet what it makes them lack.
 */
export function setRiskLimit(w: World, c: SetRiskLimit): Problem | null {
  const found = find(w, c);
  if ('reason' in found) return found;
  const { account, market } = found;
  const tier = market.tiers[c.level - 1];
  if (tier === undefined) {
    return problem('unknownRiskLevel', {
      level: c.level,
      levels: [...market.tiers.keys()].map((i) => i + 1).join(', '),
    });
  }
  if (largestExposure(w, account, market) > tier.max) return problem('riskLimitBelowExposure', { level: c.level });
  const marketPositions = positionsIn(account, market);
  const old = marketPositions.leastTier;
  const asked = () => marketPositions.isolated.map((p) => requiredCollateral(w, account, market, p, p.leverage));
  const maintenances = () => positionsOf(marketPositions).map((p) => maintenanceOf(account, market, p));
  const total = () => [marginIn(w, account, market), ...asked(), ...maintenances()].reduce((a, b) => a + b);
  const [askedBefore, before, marginBefore] = [asked(), total(), marginIn(w, account, market)];
  const free = balanceOf(w, account, market.quote);
  marketPositions.leastTier = c.level - 1;
  if (total() <= before) return null;
  const lacks = asked().map((own, i) =>
    own > askedBefore[i] ? most(0n, own - marketPositions.isolated[i].collateral) : 0n,
  );
  const needed = lacks.reduce((a, b) => a + b, 0n);
  const taken = marginIn(w, account, market) - marginBefore + needed;
  // Maintenance alone gets dearer: nothing is taken, but an account that is short already may not.
  const figure = taken === 0n && free.available < 0n ? total() - before : taken;
  const short = checkCovered(w, account, market.quote, figure, free);
  if (short !== null) {
    marketPositions.leastTier = old;
    return short;
  }
  for (const [i, p] of marketPositions.isolated.entries()) p.collateral += lacks[i];
  account.totals[market.quote] -= needed;
  return null;
}

/** Attached orders for an open position, in place of those that it has in the same role; take-profit first. */
export function attachBrackets(w: World, c: AttachOrders): Problem | ModelOrder[] {
  const found = find(w, c);
  if ('reason' in found) return found;
  const { account, market } = found;
  if (market.halted) return notTrading(market);
  const position = positionById(positionsIn(account, market), c.position);
  if (position === undefined || position.size === 0) return problem('unknownPosition', { position: c.position });
  const opens = position.size > 0 ? BUY : SELL;
  const { takeProfit, stopLoss } = c;
  const roles = (['takeProfit', 'stopLoss'] as const).filter((role) => c[role] !== null);
  const inRole = (role: (typeof roles)[number]) =>
    w.s.live.filter(
      (o) =>
        o.attached?.role === role && o.account === c.account && o.market === c.market && o.positionId === c.position,
    );
  const more = roles.length - roles.flatMap(inRole).length;
  const bad =
    (more > 0 ? checkCap(w, account, market, more) : null) ??
    checkAttached(market, { side: opens, takeProfit, stopLoss }, null);
  if (bad !== null) return bad;
  const made: ModelOrder[] = [];
  for (const role of roles) {
    const terms = c[role]!;
    for (const old of inRole(role)) end(w, old, 'cancelled', 'bracketReplaced');
    const side = opposite(opens);
    made.push(attachOrder(w, account, market, position, side, Math.abs(position.size), terms, { role, parentKey: 0 }));
  }
  return made;
}

export function cancelAllAfter(w: World, { account, product, timeoutMs }: CancelAllAfter): Problem | null {
  if (!w.s.accounts.has(account)) return problem('unknownAccount', { account });
  if (timeoutMs < 0 || timeoutMs > LONGEST_SWITCH_MS)
    return problem('timeoutOutOfRange', { maximum: LONGEST_SWITCH_MS });
  w.s.switches = w.s.switches.filter((s) => s.account !== account || s.product !== product);
  if (timeoutMs > 0) w.s.switches.push({ account, product, atMs: w.s.now + timeoutMs });
  return null;
}

/** A halted market sees no prices; on resuming, each is seen once more. */
export function haltMarket(w: World, c: HaltMarket): Problem | null {
  const market = w.s.markets[c.market];
  if (market === undefined) return problem('unknownMarket', { symbol: c.market });
  if (market.delisted) return problem('marketDelisted', { symbol: market.spec.symbol });
  const halts = c.type === 'haltMarket';
  if (market.halted === halts) return null;
  market.halted = halts;
  say(w, `${halts ? 'marketHalted' : 'marketResumed'} ${market.index}`);
  if (halts) return null;
  const { mark, indexPrice, last } = market;
  if (mark !== 0) see(w, market, 'mark', mark);
  if (indexPrice !== 0) see(w, market, 'index', indexPrice);
  if (last !== 0) see(w, market, 'last', last);
  return null;
}
