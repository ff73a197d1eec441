/**
 * Commands and events by name, with exact decimals in place of ticks, lots and smallest units: what `src/story` makes
 * sentences of. An event must be converted while it is emitted, because a later one may remove what it names.
 */
import type { CommandFacts, Happening, Markets } from '../../story/facts.ts';
import type { Command } from '../../venue/contract/commands.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import type { Cause, VenueEvent } from '../../venue/contract/events.ts';
import { BUY, HOUSE, SELL, type Side, sideText } from '../../venue/contract/units.ts';
import type { Reply, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { acceptedEvent, accountName, changedEvent, figureTexts, fineText, priceText, sizeText } from './records.ts';

/** How the numbers of each market are written. */
export function marketFacts(markets: readonly MarketView[]): Markets {
  return Object.fromEntries(
    markets.map(({ symbol, product, spec, tick, lot }) => {
      const kind = product === 'spot' ? 'spot' : 'perpetual';
      const { base, quote } = spec;
      return [symbol, { kind, base, quote, priceDecimals: tick.scale, sizeDecimals: lot.scale }] as const;
    }),
  );
}

/** Null: an event that only repeats others, or sums them up. */
export function effectOf(venue: Venue, event: VenueEvent): Happening | null {
  const facts = factsOf(venue, event);
  return facts === null ? null : { ...facts, time: venue.timeMs };
}

type Facts = { readonly type: string; readonly [member: string]: unknown };

function factsOf(venue: Venue, event: VenueEvent): Facts | null {
  const id = (key: number) => venue.orderIds.encode(key);
  const name = (account: number) => accountName(venue, account);
  const money = (currency: number, amount: bigint) => {
    const { code, decimals } = venue.currencies[currency];
    return { currency: code, amount: decimalText(amount, decimals) };
  };
  switch (event.type) {
    case 'causeChanged':
      return { type: 'cause', ...causeFacts(venue, event.cause) };
    case 'orderAccepted': {
      const { key, account, market, liquidation } = event.order;
      const of = { order: id(key), account: name(account), market: venue.markets[market].symbol };
      return { ...acceptedEvent(venue, event.order, venue.timeMs), ...of, ...(liquidation && { liquidation }) };
    }
    case 'orderChanged': {
      const market = venue.markets[event.market];
      const order = venue.order(event.account, market.product, event.key);
      const side = order === undefined ? undefined : sideText(order.side);
      const rule = order?.trigger?.rule;
      const role = order?.details?.terms.role;
      const what = { side, kind: order?.kind, algo: order?.algo, liquidation: order?.liquidation ?? undefined };
      const of = { order: id(event.key), account: name(event.account), market: market.symbol };
      return { ...changedEvent(venue, event, venue.timeMs), ...of, ...what, rule, role };
    }
    case 'childSkipped': {
      const market = venue.markets[event.market];
      const of = { order: id(event.key), account: name(event.account), market: market.symbol };
      return { type: 'skipped', ...of, figures: figureTexts(venue, market, event.figures) };
    }
    case 'traded': {
      const market = venue.markets[event.market];
      const { priceTicks, sizeLots, tradeId, takerSide, liquidation } = event;
      const side = (key: number, account: number, fee: bigint, currency: number) => {
        const { amount, currency: feeCurrency } = money(currency, fee);
        return { order: account === HOUSE ? undefined : id(key), account: name(account), fee: amount, feeCurrency };
      };
      return {
        type: 'traded',
        market: market.symbol,
        tradeId,
        price: priceText(market, priceTicks),
        size: sizeText(market, sizeLots),
        takerSide: sideText(takerSide),
        liquidation: liquidation || undefined,
        maker: side(event.makerKey, event.makerAccount, BigInt(event.makerFee), event.makerFeeCurrency),
        taker: side(event.takerKey, event.takerAccount, BigInt(event.takerFee), event.takerFeeCurrency),
      };
    }
    case 'balanceChanged': {
      const { account, currency, amount, reason, market } = event;
      const symbol = market < 0 ? undefined : venue.markets[market].symbol;
      return { type: 'money', account: name(account), ...money(currency, amount), reason, market: symbol };
    }
    case 'transferred': {
      const { account, currency, amount, from, to } = event;
      return { type: 'transferred', account: name(account), ...money(currency, amount), from, to };
    }
    case 'deleveraged': {
      const market = venue.markets[event.market];
      const [size, value] = [sizeText(market, event.sizeLots), market.quoteText(event.notional)];
      const bankrupt = { account: name(event.bankruptAccount), order: id(event.bankruptKey) };
      return { type: 'deleveraged', market: market.symbol, size, value, bankrupt, account: name(event.account) };
    }
    case 'fundingSet': {
      const rate = decimalText(BigInt(event.rateParts), RATE_DECIMALS);
      return { type: 'fundingSet', market: venue.markets[event.market].symbol, rate };
    }
    case 'priceChanged':
    case 'priceHeld': {
      const market = venue.markets[event.market];
      const before = event.previous === 0 ? undefined : fineText(market, event.previous);
      const price = fineText(market, event.fine);
      return { type: event.type, market: market.symbol, reference: event.reference, price, before };
    }
    case 'priceStale':
    case 'priceFresh':
    case 'marketListed':
    case 'marketHalted':
    case 'marketResumed':
    case 'marketDelisted':
    case 'termsChanged':
      return { type: event.type, market: venue.markets[event.market].symbol };
    case 'accountCreated':
    case 'accountChanged':
      return { type: event.type, account: name(event.account) };
    case 'keyAdded':
    case 'keyRevoked':
      return { type: event.type, account: name(event.account), key: event.key };
    case 'stateReplaced':
      return { type: 'stateReplaced' };
    case 'orderPlaced':
    case 'bookChanged':
    case 'positionChanged':
    case 'walletChanged':
      return null;
  }
}

const RATE_DECIMALS = 8;

function causeFacts(venue: Venue, cause: Cause): { readonly by: Cause['by'] } & Record<string, unknown> {
  switch (cause.by) {
    case 'command':
      return { by: 'command' };
    case 'timer': {
      const { kind, dueMs, key } = cause.due;
      if (kind === 'algo' || kind === 'expiry') return { by: 'timer', kind, dueMs, order: venue.orderIds.encode(key) };
      const ofMarket = kind === 'minute' || kind === 'feed';
      return { by: 'timer', kind, dueMs, ...(ofMarket && { market: venue.markets[key].symbol }) };
    }
    case 'price': {
      const market = venue.markets[cause.market];
      const { reference, fine, order } = cause;
      const reacts = order === null ? undefined : venue.orderIds.encode(order);
      return { by: 'price', market: market.symbol, reference, price: fineText(market, fine), order: reacts };
    }
    case 'liquidation': {
      const { code, decimals } = venue.currencies[cause.currency];
      const [equity, maintenance] = [cause.equity, cause.maintenance].map((amount) => decimalText(amount, decimals));
      const of = { account: accountName(venue, cause.account), market: venue.markets[cause.market].symbol };
      const position = cause.positionId ?? undefined;
      return { by: 'liquidation', ...of, position, currency: code, equity, maintenance };
    }
  }
}

/** Accounts, markets and orders by name; ticks and lots as decimals. `reply`: what the venue said to it. */
export function commandFacts(venue: Venue, command: Command, reply: Reply): CommandFacts {
  const { signed } = command;
  const orders = reply.orders.map(({ key }) => venue.orderIds.encode(key));
  return {
    ...namedFields(venue, command),
    type: command.type,
    seq: reply.seq,
    time: reply.timeMs,
    ...(signed && { key: signed.key }),
    ...(orders.length > 0 && { orders }),
    ...(reply.refusal && { refusal: reply.refusal.reason }),
  };
}

/** Of fields that are not among these, only plain values are shown: the others are long, or secret. */
const CONVERTED: Readonly<Record<string, (market: MarketView, value: number) => string>> = {
  ...as(priceText, ['price', 'trigger', 'stopTrigger', 'stopPrice', 'last', 'activation', 'pausePrice']),
  ...as(sizeText, ['size', 'maxChildSize']),
  ...as(fineText, ['index', 'mark', 'distance', 'settlementPrice']),
  ...as(partsOf, ['percent', 'stealth', 'deviation', 'maxSpread', 'maxThroughBook']),
};
const LEFT_OUT = ['v', 'type', 'signed', 'idKey', 'sealed', 'request'];

function as(convert: (market: MarketView, value: number) => string, fields: readonly string[]) {
  return Object.fromEntries(fields.map((field) => [field, convert]));
}

function partsOf(_market: MarketView, parts: number): string {
  return decimalText(BigInt(parts), RATE_DECIMALS);
}

function namedFields(venue: Venue, command: Command): Record<string, unknown> {
  const given = command as unknown as Readonly<Record<string, unknown>>;
  const market = typeof given.market === 'number' ? venue.markets[given.market] : undefined;
  const facts: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(given)) {
    const convert = CONVERTED[field];
    if (LEFT_OUT.includes(field) || value === null) continue;
    if (typeof value === 'number' && market !== undefined && convert !== undefined)
      facts[field] = convert(market, value);
    else if (typeof value !== 'object') facts[field] = value;
  }
  if (market !== undefined) facts.market = market.symbol;
  if (command.type === 'listMarket') facts.market = command.market.symbol;
  if (command.type === 'createAccount') facts.account = command.name;
  else if (typeof given.account === 'number') facts.account = accountName(venue, given.account);
  if (typeof given.order === 'number') facts.order = venue.orderIds.encode(given.order);
  if (given.side === BUY || given.side === SELL) facts.side = sideText(given.side as Side);
  const amount = (code: string, units: string) => {
    const decimals = venue.currencies.find((currency) => currency.code === code)?.decimals;
    return decimals === undefined ? units : decimalText(BigInt(units), decimals);
  };
  if (typeof given.quote === 'string' && market !== undefined) facts.quote = market.quoteText(BigInt(given.quote));
  if (command.type === 'deposit') facts.amount = amount(command.currency, command.amount);
  if (command.type === 'transfer') {
    facts.amounts = command.amounts.map(({ currency, amount: units }) => {
      return { currency, amount: units === null ? null : amount(currency, units) };
    });
  }
  return facts;
}
