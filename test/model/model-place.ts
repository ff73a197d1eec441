/** Placements, kind by kind: the order as accepted, its own matching, and what it sets off. */
import type { Place, TimeInForce } from '../../src/venue/contract/commands.ts';
import { freshPrice } from './model-feed.ts';
import { afterSweep } from './model-links.ts';
import { enterLimit, enterMarket } from './model-matching.ts';
import { repricePegs, sliceOf } from './model-peg.ts';
import { bindTo, positionById, positionsIn, reducible } from './model-positions.ts';
import {
  BUY,
  emit,
  FINE,
  type ModelMarket,
  type ModelOrder,
  type ModelTrigger,
  newOrder,
  referencePrice,
  type World,
} from './model-state.ts';
import { activate, sideOf } from './model-triggers.ts';
import { planChildren, startTwap } from './model-twap.ts';

const HOUR_MS = 3_600_000;
const VALID_MS: Partial<Record<TimeInForce, number>> = {
  HALFSEC: 500,
  HALFMIN: 30_000,
  FIVEMIN: 300_000,
  HOUR: HOUR_MS,
  TWELVEHOUR: 12 * HOUR_MS,
  DAY: 24 * HOUR_MS,
  WEEK: 7 * 24 * HOUR_MS,
  MONTH: 30 * 24 * HOUR_MS,
};

type Of<K extends Place['kind']> = Extract<Place, { kind: K }>;

/** Accepts an order that passed its checks; returns its records in the order of the reply. */
export function place(w: World, c: Place): ModelOrder[] {
  const orders = open(w, c);
  for (const o of orders) {
    w.s.live.push(o);
    emit(w, { type: 'accepted', key: o.key });
  }
  if (c.clientId !== null && c.request !== null) {
    w.s.requests.push({
      account: c.account,
      clientId: c.clientId,
      request: c.request,
      key: orders[0].key,
      atMs: w.s.now,
    });
  }
  begin(w, orders[0]);
  return orders;
}

function open(w: World, c: Place): ModelOrder[] {
  const market = w.s.markets[c.market];
  switch (c.kind) {
    case 'limit':
      return [newOrder(w, { ...common(w, c), price: c.price, ...timed(w, c), ...attached(c) })];
    case 'market':
      return [newOrder(w, { ...common(w, c), ...attached(c), ...timedMarket(w, c.timeInForce) })];
    case 'conditional':
      return [newOrder(w, conditional(w, market, c))];
    case 'oco':
      return oco(w, c);
    case 'trailing':
      return [newOrder(w, trailing(w, market, c))];
    case 'peg':
      return [newOrder(w, { ...common(w, c), price: c.price, timeInForce: 'GTC', peg: peg(c) })];
    case 'twap':
      return [newOrder(w, { ...common(w, c), twap: twap(market, c), orderDetailType: 'TWAP' })];
  }
}

function common(w: World, c: Place): Pick<ModelOrder, 'account' | 'market' | 'side' | 'kind'> & Partial<ModelOrder> {
  const market = w.s.markets[c.market];
  const reduceOnly = 'reduceOnly' in c && c.reduceOnly;
  const checkedNow = c.kind !== 'conditional' && c.kind !== 'trailing';
  const size = c.size ?? 0;
  const marketPositions = market.product === 'spot' ? null : positionsIn(w.s.accounts.get(c.account)!, market);
  const named = reduceOnly && (c.kind === 'limit' || c.kind === 'market') ? (c.position ?? null) : null;
  const positionId = marketPositions === null ? 0 : (named ?? bindTo(marketPositions, c.side, reduceOnly));
  const room = marketPositions === null ? 0 : reducible(positionById(marketPositions, positionId), c.side);
  return {
    account: c.account,
    market: c.market,
    side: c.side,
    kind: c.kind === 'oco' ? 'limit' : c.kind,
    clientId: c.clientId,
    original: size,
    quantity: reduceOnly && checkedNow ? Math.min(size, room) : size,
    reduceOnly,
    positionId,
    bound: reduceOnly && !checkedNow && room > 0,
    positionMode: marketPositions?.mode ?? 'ONE_WAY',
    ...('quote' in c && c.quote !== null && { quoteOriginal: BigInt(c.quote) }),
  };
}

function timed(w: World, c: { timeInForce: TimeInForce; postOnly: boolean }): Partial<ModelOrder> {
  const valid = VALID_MS[c.timeInForce];
  return {
    timeInForce: c.timeInForce,
    postOnly: c.postOnly,
    expiresAtMs: valid === undefined ? null : w.s.now + valid,
  };
}

/** Good till cancelled says nothing of what never rests. */
function timedMarket(w: World, given: TimeInForce | null = null): Partial<ModelOrder> {
  return given === null || given === 'GTC' ? {} : timed(w, { timeInForce: given, postOnly: false });
}

function attached(c: Of<'limit' | 'market' | 'conditional'>): Partial<ModelOrder> {
  return { takeProfit: c.takeProfit ?? null, stopLoss: c.stopLoss ?? null };
}

function waiting(terms: Omit<ModelTrigger, 'original' | 'fired' | 'firedStep'>): ModelTrigger {
  return { ...terms, original: terms.price, fired: false, firedStep: 0 };
}

function conditional(w: World, market: ModelMarket, c: Of<'conditional'>): ReturnType<typeof common> {
  const up =
    c.rule === 'reach'
      ? sideOf(c.trigger, referencePrice(market, c.reference))
      : (c.rule === 'stop') === (c.side === BUY);
  return {
    ...common(w, c),
    ...attached(c),
    ...(c.price === null ? timedMarket(w, c.timeInForce) : timed(w, c)),
    state: 'waiting',
    price: c.price ?? 0,
    trigger: waiting({ rule: c.rule, reference: c.reference, price: c.trigger, up, limit: c.price }),
  };
}

function oco(w: World, c: Of<'oco'>): ModelOrder[] {
  const limit = newOrder(w, { ...common(w, c), price: c.price, ...timed(w, c) });
  const stop = newOrder(w, {
    ...common(w, c),
    kind: 'conditional',
    state: 'waiting',
    quantity: limit.quantity,
    bound: c.reduceOnly,
    price: c.stopPrice,
    trigger: waiting({
      rule: 'stop',
      reference: c.stopReference,
      price: c.stopTrigger,
      up: c.side === BUY,
      limit: c.stopPrice,
    }),
  });
  limit.oco = { role: 'limit', siblingKey: stop.key };
  stop.oco = { role: 'stop', siblingKey: limit.key };
  return [limit, stop];
}

function trailing(w: World, market: ModelMarket, c: Of<'trailing'>): ReturnType<typeof common> {
  const reference = c.activationReference ?? c.reference;
  const now = referencePrice(market, reference);
  return {
    ...common(w, c),
    ...timedMarket(w, c.timeInForce),
    state: 'waiting',
    trigger: waiting({ rule: 'stop', reference: c.reference, price: 0, up: c.side === BUY, limit: null }),
    trailing: {
      distance: c.distance,
      percent: c.percent,
      activation: c.activation,
      activationReference: c.activation === null ? null : reference,
      activationUp: c.activation === null ? null : sideOf(c.activation, now),
      activated: false,
      armed: false,
      extreme: 0,
    },
  };
}

function peg(c: Of<'peg'>): ModelOrder['peg'] {
  return { stealth: c.stealth, deviation: c.deviation, effective: 0, slice: sliceOf(c.size, c.stealth) };
}

function twap(market: ModelMarket, c: Of<'twap'>): ModelOrder['twap'] {
  const reference = c.activation === null ? null : (c.activationReference ?? 'last');
  const now = reference === null ? 0 : referencePrice(market, reference);
  return {
    periodMs: c.periodMs,
    makerFirst: c.makerFirst,
    randomizeSize: c.randomizeSize,
    maxChildSize: c.maxChildSize,
    maxSpread: c.maxSpread,
    maxThroughBook: c.maxThroughBook,
    pausePrice: c.pausePrice,
    activation: c.activation,
    activationReference: reference,
    activationUp: c.activation === null ? null : sideOf(c.activation, now),
    children: planChildren(market, c)!,
    childrenDone: 0,
    startedAtMs: 0,
    nextChildAtMs: 0,
    pausedBy: c.activation === null ? null : 'activation',
  };
}

/** What the order does by itself at once. A trigger whose condition holds already fires as its own event. */
function begin(w: World, o: ModelOrder): void {
  const market = w.s.markets[o.market];
  if (o.trailing !== null) {
    const { activation, activationReference } = o.trailing;
    const there = activation === null || activation * FINE === freshPrice(market, activationReference!);
    if (there) activate(w, market, o, null);
  } else if (o.twap !== null) {
    const { activation, activationReference } = o.twap;
    const there = activation === null || activation * FINE === freshPrice(market, activationReference!);
    if (there) startTwap(w, o);
  } else if (o.peg !== null) repricePegs(w, market, [o]);
  else if (o.state === 'waiting') w.entered.push(o.key);
  else if (o.kind === 'market') enterMarket(w, o);
  else enterLimit(w, o, o.price);
  afterSweep(w);
}
