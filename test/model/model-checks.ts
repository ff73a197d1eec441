/** The pre-trade checks (semantics.md sections 1, 4, 5), and the same again for an order whose trigger fired. */
import type { Place, Side, TimeInForce } from '../../src/venue/contract/commands.ts';
import type { Params, RefusalReason } from '../../src/venue/contract/reasons.ts';
import { bestOf, crosses, restingLots, restingOn, within } from './model-book.ts';
import { closingLimit, lossAt, noWorse } from './model-equity.ts';
import { balanceOf, payCurrency, spotNeed, takerCost } from './model-funds.ts';
import { marketLimit } from './model-matching.ts';
import {
  bindTo,
  type Change,
  exposureOf,
  marginIn,
  NET,
  openLossIn,
  positionById,
  positionsIn,
  reducible,
  roomOf,
} from './model-positions.ts';
import { checkMode, checkPositions } from './model-settings.ts';
import {
  BUY,
  FINE,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  notional,
  opposite,
  PARTS,
  referencePrice,
  SELL,
  unfilled,
  type World,
} from './model-state.ts';
import { amountText, decimal, fineText, priceText, sizeText } from './model-text.ts';
import { planChildren } from './model-twap.ts';

export interface Problem {
  reason: RefusalReason;
  params: Params;
}

const IDENTICAL_MS = 60_000;
export const problem = (reason: RefusalReason, params: Params = {}): Problem => ({ reason, params });

/** The first thing that stands against a placement, or null. `about`: the order that a duplicate refusal names. */
export function checkPlace(w: World, c: Place): (Problem & { about?: ModelOrder }) | null {
  const market = w.s.markets[c.market];
  if (market === undefined) return problem('unknownMarket', { symbol: c.market });
  const account = w.s.accounts.get(c.account);
  if (account === undefined) return problem('unknownAccount', { account: c.account });
  return (
    checkHalted(market) ??
    checkMark(market) ??
    checkIdentity(w, market, c) ??
    checkMode(w, account, market, c) ??
    checkInMode(w, account, market, c)
  );
}

export const notTrading = (market: ModelMarket): Problem =>
  problem(market.delisted ? 'marketDelisted' : 'marketHalted', { symbol: market.spec.symbol });

function checkHalted(market: ModelMarket): Problem | null {
  return market.halted ? notTrading(market) : null;
}

/** A perpetual takes no order before it has a mark. */
export function checkMark(market: ModelMarket): Problem | null {
  if (market.product === 'spot' || market.mark !== 0) return null;
  return problem('noMark', { symbol: market.spec.symbol });
}

/** The rest is checked in the mode that the placement names; refused, the account's mode stays as it was. */
function checkInMode(w: World, account: ModelAccount, market: ModelMarket, c: Place): Problem | null {
  const marketPositions = market.product === 'spot' ? null : positionsIn(account, market);
  const before = marketPositions?.mode ?? 'ONE_WAY';
  if (marketPositions !== null) marketPositions.mode = c.positionMode ?? before;
  const legs = c.kind === 'oco' ? 2 : 1;
  const bad =
    checkCap(w, account, market, legs) ?? checkPositions(w, account, market, c) ?? checkTerms(w, account, market, c);
  if (bad !== null && marketPositions !== null) marketPositions.mode = before;
  return bad;
}

/** Section 2: one live order a client id, and an identical request within 60 s doubles nothing. */
function checkIdentity(w: World, market: ModelMarket, c: Place): (Problem & { about?: ModelOrder }) | null {
  if (c.clientId === null || market.spec.duplicateClientIds === 'allow') return null;
  const mine = (o: ModelOrder) => o.account === c.account && o.product === market.product && o.clientId === c.clientId;
  const live = w.s.live.find(mine);
  if (live !== undefined) {
    return { ...problem('duplicateClientId', { order: live.key }), about: live };
  }
  // While duplicates were allowed there may have been several: the newest counts.
  const same = w.s.requests.findLast(
    (r) =>
      r.account === c.account &&
      r.clientId === c.clientId &&
      r.request === c.request &&
      w.s.now - r.atMs < IDENTICAL_MS,
  );
  if (same === undefined) return null;
  const first = [...w.s.live, ...w.s.ended].find((o) => o.key === same.key);
  return { ...problem('identicalRequest', { order: same.key }), ...(first && { about: first }) };
}

/** What each kind asks of its terms; the first that is wrong, in this order. */
function checkTerms(w: World, account: ModelAccount, market: ModelMarket, c: Place): Problem | null {
  switch (c.kind) {
    case 'limit':
      return (
        checkSizeOrClosing(market, c) ??
        checkPrice(market, 'price', c.price) ??
        checkBand(market, c.side, c.price) ??
        checkAttached(market, c, c.price) ??
        checkReduceOnly(account, market, c, c.position ?? null) ??
        checkStale(w, account, market, c) ??
        (mayRest(c)
          ? checkBankruptcy(w, account, market, c, c.price, c.reduceOnly ? (c.position ?? null) : null)
          : null) ??
        checkLimitFunds(w, account, market, c, c.price)
      );
    case 'market':
      return (
        checkSizeOrClosing(market, c) ??
        checkQuote(w, account, market, c.quote) ??
        checkAttached(market, c, null) ??
        (c.quote === null ? null : checkCovered(w, account, market.quote, BigInt(c.quote))) ??
        (c.size === null ? null : checkStale(w, account, market, { ...c, size: c.size })) ??
        (c.size === null || c.reduceOnly ? null : checkMarketFunds(w, account, market, c.side, c.size)) ??
        checkReduceOnly(account, market, c, c.position ?? null)
      );
    case 'conditional':
      return (
        checkSize(market, 'size', c.size) ??
        checkPrice(market, 'trigger', c.trigger) ??
        checkPrice(market, 'price', c.price) ??
        checkDistance(market, c.price, c.trigger) ??
        checkAttached(market, c, c.price ?? c.trigger) ??
        checkWaitingFunds(w, account, market, c, c.price ?? 0)
      );
    case 'oco':
      return (
        checkSize(market, 'size', c.size) ??
        checkPrice(market, 'price', c.price) ??
        checkPrice(market, 'stopTrigger', c.stopTrigger) ??
        checkPrice(market, 'stopPrice', c.stopPrice) ??
        checkOcoSides(market, c) ??
        checkDistance(market, c.stopPrice, c.stopTrigger) ??
        checkBand(market, c.side, c.price) ??
        checkReduceOnly(account, market, c) ??
        checkStale(w, account, market, c) ??
        (mayRest(c) ? checkBankruptcy(w, account, market, c, c.price) : null) ??
        checkLimitFunds(w, account, market, c, market.product === 'spot' ? Math.max(c.price, c.stopPrice) : c.price)
      );
    case 'trailing':
      return (
        checkSize(market, 'size', c.size) ??
        checkPrice(market, 'activation', c.activation) ??
        checkWaitingFunds(w, account, market, c, 0)
      );
    case 'peg':
      return (
        checkSize(market, 'size', c.size) ??
        checkPrice(market, 'price', c.price) ??
        checkStale(w, account, market, { ...c, reduceOnly: false }) ??
        checkLimitFunds(w, account, market, { ...c, reduceOnly: false }, c.price)
      );
    case 'twap':
      return (
        checkSize(market, 'size', c.size) ??
        checkSize(market, 'maxChildSize', c.maxChildSize) ??
        checkPrice(market, 'pausePrice', c.pausePrice) ??
        checkPrice(market, 'activation', c.activation) ??
        (planChildren(market, c) === null ? problem('sizeUnfit') : null) ??
        checkTwapFunds(w, account, market, c)
      );
  }
}

export function checkPrice(market: ModelMarket, field: string, ticks: number | null): Problem | null {
  if (ticks === null) return null;
  const price = priceText(market, ticks);
  if (ticks < 1) return problem('priceBelowMinimum', { field, price, minimum: priceText(market, 1) });
  if (ticks <= market.maxTicks) return null;
  return problem('priceAboveMaximum', { field, price, maximum: priceText(market, market.maxTicks) });
}

export function checkSize(market: ModelMarket, field: string, lots: number | null): Problem | null {
  if (lots === null) return null;
  const size = sizeText(market, lots);
  if (lots > market.maxLots)
    return problem('sizeAboveMaximum', { field, size, maximum: sizeText(market, market.maxLots) });
  if (lots >= market.minLots) return null;
  return problem('sizeBelowMinimum', { field, size, minimum: sizeText(market, market.minLots) });
}

/** An order that closes the position it names may be as large as that is. */
function checkSizeOrClosing(market: ModelMarket, c: Place & { kind: 'limit' | 'market' }): Problem | null {
  const closing = c.reduceOnly && (c.position ?? null) !== null;
  return closing && (c.size ?? 0) > 0 ? null : checkSize(market, 'size', c.size);
}

/** A buy in quote pays for the minimum size at the best price at least, and for the maximum at most. */
function checkQuote(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  quote: string | bigint | null,
): Problem | null {
  const best = bestOf(w, market, SELL)?.resting?.price;
  if (quote === null || best === undefined) return null;
  const smallest = takerCost(w, account, market, notional(market, best, market.minLots));
  if (BigInt(quote) < smallest) return problem('sizeBelowMinimum', { field: 'quote' });
  return BigInt(quote) > notional(market, best, market.maxLots)
    ? problem('sizeAboveMaximum', { field: 'quote' })
    : null;
}

/** One-sided: a BUY not above, a SELL not below. */
export function checkBand(market: ModelMarket, side: Side, price: number): Problem | null {
  const fine = market.product === 'spot' ? market.indexPrice : market.mark;
  if (fine === 0) return null;
  const limit = within(market, side, fine, market.band);
  if (side === BUY ? price <= limit : price >= limit) return null;
  return problem('priceOutsideBand', {
    symbol: market.spec.symbol,
    side: side === BUY ? 'BUY' : 'SELL',
    price: priceText(market, price),
    limit: priceText(market, limit),
    reference: fineText(market, fine),
  });
}

export function checkDistance(market: ModelMarket, price: number | null, trigger: number): Problem | null {
  if (market.distance === null || price === null) return null;
  const apart = BigInt(Math.abs(price - trigger)) * PARTS;
  if (apart <= BigInt(trigger) * market.distance) return null;
  const maxPercent = decimal(market.distance, PARTS / 100n);
  return problem('triggerLimitDistance', {
    symbol: market.spec.symbol,
    price: priceText(market, price),
    trigger: priceText(market, trigger),
    maxPercent,
  });
}

/** Strictly above (or below) the reference, else refused with the figures. */
export function checkSide(
  market: ModelMarket,
  field: string,
  ticks: number,
  fine: number,
  above: boolean,
): Problem | null {
  if (above ? ticks * FINE > fine : ticks * FINE < fine) return null;
  return problem('priceOnWrongSide', {
    field,
    price: priceText(market, ticks),
    reference: fineText(market, fine),
    expected: above ? 'above' : 'below',
  });
}

function checkOcoSides(market: ModelMarket, c: Extract<Place, { kind: 'oco' }>): Problem | null {
  const fine = referencePrice(market, c.stopReference);
  if (fine === 0) return problem('noReferencePrice', { symbol: market.spec.symbol, reference: c.stopReference });
  const sell = c.side === SELL;
  return (
    checkSide(market, 'price', c.price, fine, sell) ?? checkSide(market, 'stopTrigger', c.stopTrigger, fine, !sell)
  );
}

type WithAttached = Extract<Place, { kind: 'limit' | 'market' | 'conditional' }>;

/** On the profit and the loss side of the order's price; a MARKET order's (from null): of the price they look at. */
export function checkAttached(
  market: ModelMarket,
  c: Pick<WithAttached, 'side' | 'takeProfit' | 'stopLoss'>,
  from: number | null,
): Problem | null {
  for (const field of ['takeProfit', 'stopLoss'] as const) {
    const terms = c[field];
    if (!terms) continue;
    const base = from === null ? referencePrice(market, terms.reference) : from * FINE;
    const bad =
      checkPrice(market, field, terms.price) ??
      (base === 0 ? problem('noReferencePrice') : null) ??
      checkSide(market, field, terms.price, base, (field === 'takeProfit') === (c.side === BUY));
    if (bad !== null) return bad;
  }
  return null;
}

export function checkCap(w: World, account: ModelAccount, market: ModelMarket, more: number): Problem | null {
  const open = w.s.live.filter((o) => o.account === account.number && o.market === market.index).length;
  return open + more > market.spec.maxOpenOrders ? problem('tooManyOpenOrders') : null;
}

export function checkReduceOnly(
  account: ModelAccount,
  market: ModelMarket,
  c: { reduceOnly: boolean; side: Side },
  named: number | null = null,
): Problem | null {
  if (!c.reduceOnly) return null;
  const marketPositions = positionsIn(account, market);
  const position = positionById(marketPositions, named ?? bindTo(marketPositions, c.side, true));
  if (reducible(position, c.side) > 0) return null;
  return problem('reduceOnlyWithoutPosition', { side: c.side === BUY ? 'BUY' : 'SELL', position: position?.size ?? 0 });
}

/** BUY size × best ask, else last: what a TWAP must be able to afford at placement. */
function twapPrice(w: World, market: ModelMarket): number | null {
  const best = bestOf(w, market, SELL);
  if (best !== undefined) return best.resting!.price;
  return market.last === 0 ? null : Math.ceil(market.last / FINE);
}

export function checkCovered(
  w: World,
  account: ModelAccount,
  currency: number,
  needed: bigint,
  { available } = balanceOf(w, account, currency),
): Problem | null {
  return needed > 0n && needed > available
    ? problem('insufficientFunds', fundsFigures(w.s, currency, needed, available))
    : null;
}

interface Sized {
  side: Side;
  size: number;
  reduceOnly: boolean;
}

/** While a feed is stale, futures orders may only reduce, beside what else of the side rests. */
export function checkStale(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  { side, size, reduceOnly }: Sized,
  without?: ModelOrder,
): Problem | null {
  if (market.product === 'spot' || !market.stale || reduceOnly) return null;
  const others = w.s.live.filter(
    (o) =>
      o.account === account.number && o.market === market.index && o.side === side && !o.reduceOnly && o !== without,
  );
  const resting = others.filter((o) => o.resting !== null).reduce((sum, o) => sum + unfilled(o), 0);
  const marketPositions = positionsIn(account, market);
  const room = marketPositions.mode === 'ONE_WAY' ? reducible(positionById(marketPositions, NET), side) : 0;
  return resting + size <= room ? null : problem('staleIndex', { symbol: market.spec.symbol });
}

const mayRest = (c: { timeInForce: TimeInForce }): boolean => c.timeInForce !== 'IOC' && c.timeInForce !== 'FOK';

/** A limit price that closes a position beyond its bankruptcy price. */
export function checkBankruptcy(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  { side, reduceOnly }: Pick<Sized, 'side' | 'reduceOnly'>,
  price: number,
  named: number | null = null,
): Problem | null {
  if (market.product === 'spot') return null;
  const marketPositions = positionsIn(account, market);
  if (marketPositions.mode !== 'ONE_WAY' && !reduceOnly) return null;
  const position = positionById(marketPositions, named ?? bindTo(marketPositions, side, reduceOnly));
  if (position === undefined || reducible(position, side) === 0) return null;
  if (noWorse(side, price, closingLimit(w, account, market, position))) return null;
  return problem('beyondBankruptcy', { symbol: market.spec.symbol, price: priceText(market, price) });
}

/** Spot: the money that a limit order holds. Futures: margin, but for what only reduces. */
export function checkLimitFunds(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  { side, size, reduceOnly }: Sized,
  price: number,
): Problem | null {
  if (market.product === 'spot') {
    const needed = spotNeed(w, account, market, side, price, size);
    return checkCovered(w, account, payCurrency(market, side), needed);
  }
  return reduceOnly ? null : checkMargin(w, account, market, limitOrder(w, account, market, side, price, size));
}

type Added = NonNullable<Change['added']>;

/** A limit order as it is charged; an isolated SELL with the margin of the dearest price that it may be filled at. */
export function limitOrder(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  side: Side,
  price: number,
  lots: number,
): Added {
  const isolatedSell = side === SELL && positionsIn(account, market).mode === 'ISOLATED';
  const bid = isolatedSell ? (bestOf(w, market, BUY)?.resting?.price ?? price) : price;
  return {
    side,
    lots,
    value: notional(market, Math.max(price, bid), lots),
    loss: lossAt(market, side, price, lots),
  };
}

/** The margin and the open loss that the order adds have to be there; the last tier is the end. */
export function checkMargin(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  added: Added,
  without?: ModelOrder,
): Problem | null {
  const { side } = added;
  const change = without === undefined ? { added } : { added, without };
  const exposure = exposureOf(w, account, market, side, change);
  const maximum = market.tiers.at(-1)!.max;
  if (exposure > maximum && exposure > exposureOf(w, account, market, side, {}, without)) {
    return problem('exposureAboveMaximum', {
      exposure: amountText(w.s, market.quote, exposure),
      maximum: amountText(w.s, market.quote, maximum),
    });
  }
  const needed =
    marginIn(w, account, market, change) -
    marginIn(w, account, market) +
    openLossIn(w, account, market, change) -
    openLossIn(w, account, market);
  return needed <= 0n ? null : checkCovered(w, account, market.quote, needed);
}

/**
 * A MARKET order in lots. Spot: checked at the worst price of its band. Futures: what the walk of the book gives, hidden
 * size included. Without a book there is nothing to pay.
 */
function checkMarketFunds(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  side: Side,
  size: number,
): Problem | null {
  if (market.product === 'spot' && side === SELL) {
    return checkCovered(w, account, market.base, BigInt(size) * market.lotUnits);
  }
  const best = bestOf(w, market, opposite(side))?.resting?.price;
  if (best === undefined) return null;
  if (market.product === 'futures') {
    const added = walk(w, account, market, side, size);
    return added.lots === 0 ? null : checkMargin(w, account, market, added);
  }
  const worst = within(market, side, best * FINE, market.marketBand);
  return checkLimitFunds(w, account, market, { side, size, reduceOnly: false }, worst);
}

function walk(w: World, account: ModelAccount, market: ModelMarket, side: Side, size: number): Added {
  const limit = marketLimit(w, market, side)!;
  const added: Added = { side, lots: 0, value: 0n, loss: 0n };
  for (const maker of restingOn(w, market, opposite(side))) {
    const { price } = maker.resting!;
    if (maker.account === account.number || !crosses(side, limit, price)) continue;
    const lots = Math.min(size - added.lots, restingLots(maker));
    added.lots += lots;
    added.value += notional(market, price, lots);
    added.loss += lossAt(market, side, price, lots);
  }
  return added;
}

/** Waiting triggers hold their money on spot, and nothing on futures. */
function checkWaitingFunds(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  c: Extract<Place, { kind: 'conditional' | 'trailing' }>,
  price: number,
): Problem | null {
  if (market.product === 'futures') return null;
  if (c.quote !== null) return checkCovered(w, account, market.quote, BigInt(c.quote));
  return checkLimitFunds(w, account, market, { side: c.side, size: c.size!, reduceOnly: false }, price);
}

/** SELL size, BUY size × best ask, else last: held child by child later. */
function checkTwapFunds(
  w: World,
  account: ModelAccount,
  market: ModelMarket,
  c: Extract<Place, { kind: 'twap' }>,
): Problem | null {
  const price = twapPrice(w, market);
  if (c.side === BUY && price === null) return problem('noReferenceForSize');
  return checkLimitFunds(w, account, market, { side: c.side, size: c.size, reduceOnly: false }, price ?? 0);
}

export function fundsFigures(s: World['s'], currency: number, needed: bigint, available: bigint): Params {
  return {
    currency: s.currencies[currency].code,
    needed: amountText(s, currency, needed),
    available: amountText(s, currency, available),
  };
}

/** A trigger that fired is checked as a new order would be: what speaks against it then rejects it. */
export function checkFired(w: World, o: ModelOrder): Problem | null {
  const market = w.s.markets[o.market];
  const account = w.s.accounts.get(o.account)!;
  const limit = o.trigger!.limit;
  if (o.reduceOnly) {
    const marketPositions = positionsIn(account, market);
    o.positionMode = marketPositions.mode;
    if (!o.bound) o.positionId = bindTo(marketPositions, o.side, true);
    const bad = checkReduceOnly(account, market, o, o.positionId);
    if (bad !== null) return bad;
    o.quantity = o.filled + Math.min(unfilled(o), roomOf(w, o));
  }
  const bad =
    (limit === null ? null : checkBand(market, o.side, limit)) ?? checkQuote(w, account, market, o.quoteOriginal);
  if (bad !== null || market.product === 'spot') return bad;
  const stood =
    checkMark(market) ?? checkStale(w, account, market, { side: o.side, size: unfilled(o), reduceOnly: o.reduceOnly });
  if (stood !== null || o.reduceOnly) return stood;
  if (limit === null) return checkMarketFunds(w, account, market, o.side, unfilled(o));
  return checkLimitFunds(w, account, market, { side: o.side, size: unfilled(o), reduceOnly: false }, limit);
}
