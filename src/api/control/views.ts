/** The venue as the control surface shows it: money as exact decimal text, sizes and prices of positions as numbers. */

import type { AuditReading } from '../../archive/follow/whole-state.ts';
import type { OrderEvent } from '../../archive/read/history.ts';
import type { ClockReading } from '../../engine/clock/venue-clock.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import { BUY, type DepthLevel, NONE, PARTS_DECIMALS, SELL } from '../../venue/contract/units.ts';
import type { Key, PositionView, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { entryPrice, eventStatus, positionText } from '../orders/order-records.ts';

export function balancesView(venue: Venue, account: number): object {
  const rows = venue.balances(account).map((balance) => {
    const { code, decimals } = balance.currency;
    const text = (units: bigint) => decimalText(units, decimals);
    return [
      code,
      {
        total: text(balance.total),
        available: text(balance.available),
        reserved: text(balance.reserved),
        margin: text(balance.margin),
        unrealised: text(balance.unrealised),
      },
    ];
  });
  return Object.fromEntries(rows);
}

export function accountView(venue: Venue, account: number): object {
  const open = (product: 'spot' | 'futures') => venue.openOrders(account, product, null).length;
  const { frozen, fees } = accountTermsView(venue, account);
  // The balances come last: they have a row for each currency.
  return {
    frozen,
    fees,
    openOrders: open('spot') + open('futures'),
    positions: positionsView(venue, account),
    balances: balancesView(venue, account),
  };
}

export function positionsView(venue: Venue, account: number): object[] {
  return venue.positions(account).map((position) => positionView(venue, position));
}

/** Fees as fractions: "0.0002" is 0.02 %. */
function accountTermsView(venue: Venue, account: number): { frozen: unknown; fees: object } {
  const { frozen, fees } = venue.accountTerms(account);
  const text = (parts: bigint) => decimalText(parts, PARTS_DECIMALS);
  const shown = Object.entries(fees).map(([symbol, { maker, taker }]) => [
    symbol,
    { maker: text(maker), taker: text(taker) },
  ]);
  return { frozen, fees: Object.fromEntries(shown) };
}

export function positionView(venue: Venue, position: PositionView): object {
  const { market, size } = position;
  const money = (units: bigint) => decimalText(units, venue.currencies[market.quote].decimals);
  return {
    symbol: market.symbol,
    positionId: positionText(market, position.mode, position.id),
    positionMode: position.mode,
    direction: size > 0 ? 'LONG' : 'SHORT',
    size: market.sizeNumber(Math.abs(size)),
    entryPrice: entryPrice(position),
    mark: market.mark === 0 ? null : market.fineNumber(market.mark),
    margin: money(position.margin),
    maintenance: money(position.maintenance),
    unrealised: money(position.unrealised),
    liquidationPrice: position.liquidationPrice === null ? null : market.fineNumber(position.liquidationPrice),
    liquidationInProgress: position.liquidating,
    leverage: position.leverage,
  };
}

/** A key without its secret. `lastUsedMs`: the highest nonce that was accepted, epoch ms on its client's clock. */
export function keyView({ key, permissions, ipAllow, expiresAtMs }: Key, account: string, lastUsedMs: number | null) {
  return { key, account, permissions, ipAllow, expiresAtMs, lastUsedMs };
}

/** Something that happened to an order. If it changed the state, it has the numeric status that followed. */
export function eventView(event: OrderEvent): object {
  const { seq, time, type, ...figures } = event;
  return { seq, time, type, status: eventStatus(event), ...figures };
}

/** `stale`: the feed of its index has stopped. */
export function marketStatus({ delisted, halted, indexStale }: MarketView) {
  return delisted ? 'delisted' : halted ? 'halted' : indexStale ? 'stale' : 'active';
}

export function marketView(market: MarketView) {
  const price = (fine: number) => (fine === 0 ? null : market.fineText(fine));
  const best = (ticks: number) => (ticks === NONE ? null : market.priceText(ticks));
  return {
    ...market.spec,
    ...limitsInForce(market),
    status: marketStatus(market),
    index: price(market.indexPrice),
    mark: price(market.mark),
    markByHand: market.markPinned,
    last: price(market.last),
    bestBid: best(market.bestPrice(BUY)),
    bestAsk: best(market.bestPrice(SELL)),
  };
}

/** A level of a book. */
export function levelView(market: MarketView, { priceTicks, sizeLots }: DepthLevel): [price: string, size: string] {
  return [market.priceText(priceTicks), market.sizeText(sizeLots)];
}

/** The real clock compared with the machine's. `problem` says what is wrong, and what to do. */
export function clockView({ state, speed, offsetMs, problem }: ClockReading): object {
  return { state, speed, offsetMs, ...(problem !== undefined && { problem }) };
}

/** By currency, the amount by which the insurance fund is below zero. Absent if it is not. */
export function deficitView(venue: Venue): { deficit?: Record<string, string> } {
  const short = venue.insurance().filter(({ units }) => units < 0n);
  if (short.length === 0) return {};
  const texts = short.map(({ currency, units }) => [currency.code, decimalText(-units, currency.decimals)]);
  return { deficit: Object.fromEntries(texts) };
}

/** The values in force of options that a configuration may omit. */
function limitsInForce({ product, maxBasis, liquidationBand, indexJump }: MarketView): object {
  const fraction = (parts: number) => decimalText(BigInt(parts), 8);
  const all = { indexJump: fraction(indexJump) };
  if (product === 'spot') return all;
  return { ...all, maxBasis: fraction(maxBasis), liquidationBand: fraction(liquidationBand) };
}

export function auditView(audit: AuditReading['audit']): object {
  const currencies = audit.currencies.map(({ currency, line }) => {
    const text = (units: bigint) => decimalText(units, currency.decimals);
    return [
      currency.code,
      {
        accounts: text(line.accounts),
        reserved: text(line.reserved),
        fees: text(line.fees),
        insurance: text(line.insurance),
        deficit: text(line.deficit),
        deposits: text(line.deposits),
        withdrawals: text(line.withdrawals),
        difference: text(line.difference),
      },
    ];
  });
  const { checked, bad } = audit.orders;
  const { belowReserved, belowZero, waitingLiquidation, watchedUnsafe } = audit.accounts;
  const broken = [...belowReserved, ...belowZero, ...watchedUnsafe];
  const positions = audit.positions.map(({ symbol, long, short }) => {
    return [symbol, { long, short, difference: long - short }];
  });
  return {
    ok: audit.ok,
    currencies: Object.fromEntries(currencies),
    orders: { checked, bad: bad.length, ...(bad.length > 0 && { findings: bad }) },
    accounts: {
      checked: audit.accounts.checked,
      belowReserved: belowReserved.length,
      belowZero: belowZero.length,
      waitingLiquidation: waitingLiquidation.length,
      watchedUnsafe: watchedUnsafe.length,
      ...(broken.length > 0 && { findings: broken }),
    },
    positions: Object.fromEntries(positions),
  };
}
