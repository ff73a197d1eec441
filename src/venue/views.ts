/** What can be read of a venue: balances, positions, order values, and the audit that money is conserved. Nothing here changes state. */
import type { Desk } from './desk.ts';
import type { Account, Currency } from './ledger.ts';
import { FINE, type Market } from './market.ts';
import type { Order } from './orders.ts';
import { marginOf, unrealised } from './positions.ts';
import { floorDiv } from './quantity.ts';
import { liveOrders } from './snapshot.ts';

/** Smallest units of the currency. available = total − reserved − margin + min(0, unrealised). */
export interface Balance {
  readonly currency: Currency;
  readonly total: bigint;
  readonly available: bigint;
  readonly reserved: bigint;
  readonly margin: bigint;
  readonly unrealised: bigint;
}

export interface PositionView {
  readonly market: Market;
  /** Signed contracts: positive long. */
  readonly size: number;
  /** Exact entry price = entryCost / |size|: smallest units of the settlement currency. */
  readonly entryCost: bigint;
  readonly unrealised: bigint;
  /** Margin of the position and the orders in its market. */
  readonly margin: bigint;
  /** 0: the tier's maximum. */
  readonly leverage: number;
}

export interface AuditLine {
  readonly accounts: bigint;
  readonly reserved: bigint;
  readonly fees: bigint;
  readonly insurance: bigint;
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  readonly difference: bigint;
}

export interface Audit {
  readonly ok: boolean;
  readonly currencies: readonly { currency: Currency; line: AuditLine }[];
  readonly orders: { readonly checked: number; readonly bad: readonly string[] };
}

export function balancesOf(desk: Desk, account: Account): Balance[] {
  return desk.ledger.currencies.map((currency, i) => {
    const { margin, unrealised: profit } = desk.margins(account, i);
    return {
      currency,
      total: account.totals[i],
      available: desk.available(account, i),
      reserved: account.reserved[i],
      margin,
      unrealised: profit,
    };
  });
}

/** Open positions; a flat one is absent. */
export function positionsOf(desk: Desk, account: Account): PositionView[] {
  const views: PositionView[] = [];
  for (const market of desk.markets) {
    const position = account.positions[market.index];
    if (position === undefined || position.size === 0) continue;
    views.push({
      market,
      size: position.size,
      entryCost: position.cost < 0n ? -position.cost : position.cost,
      unrealised: unrealised(position, market),
      margin: marginOf(position, market, desk.takerRate(account, market)),
      leverage: position.leverage,
    });
  }
  return views;
}

/** price × current size (without a price: the band reference); quote-sized orders: the quote. Smallest quote units. */
export function orderValueOf(market: Market, order: Order): bigint {
  if (order.quoteOriginal !== null) return order.quoteOriginal;
  if (order.price > 0) return market.notional(order.price, order.current);
  const fine = market.bandReference || market.last;
  return floorDiv(BigInt(fine) * BigInt(order.current) * market.unitsPerTickLot, BigInt(FINE));
}

export function auditOf(desk: Desk): Audit {
  const bad: string[] = [];
  let checked = 0;
  for (const account of desk.accounts.values()) {
    const held = desk.ledger.currencies.map(() => 0n);
    for (const order of liveOrders(desk, account)) {
      checked++;
      held[desk.payCurrency(order)] += desk.heldBy(order);
      if (order.filled > order.current && order.quoteOriginal === null)
        bad.push(`order ${order.key}: filled over size`);
      if (desk.heldBy(order) < 0n) bad.push(`order ${order.key}: holds ${desk.heldBy(order)}`);
    }
    held.forEach((sum, i) => {
      const { code } = desk.ledger.currencies[i];
      if (sum !== account.reserved[i])
        bad.push(`${account.name}: ${code} reserved ${account.reserved[i]}, orders hold ${sum}`);
    });
  }
  const currencies = desk.ledger.currencies.map((currency, i) => ({ currency, line: auditLine(desk, i) }));
  const ok = bad.length === 0 && currencies.every(({ line }) => line.difference === 0n);
  return { ok, currencies, orders: { checked, bad } };
}

function auditLine(desk: Desk, currency: number): AuditLine {
  let accounts = 0n;
  let reserved = 0n;
  for (const account of desk.accounts.values()) {
    accounts += account.totals[currency];
    reserved += account.reserved[currency];
    account.positions.forEach((position, market) => {
      if (position && desk.markets[market].quote === currency) accounts -= position.cost;
    });
  }
  const { fees, insurance, deposits, withdrawals } = desk.ledger;
  const difference = accounts + fees[currency] + insurance[currency] - deposits[currency] + withdrawals[currency];
  return {
    accounts,
    reserved,
    fees: fees[currency],
    insurance: insurance[currency],
    deposits: deposits[currency],
    withdrawals: withdrawals[currency],
    difference,
  };
}
