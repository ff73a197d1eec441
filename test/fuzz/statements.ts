/**
 * The five statements of rules 5.49 to 5.53, checked from outside: by what the control surface shows of
 * accounts and by the audit. Amounts are exact decimal text, compared in units of 1e-8.
 */
import type { Json } from '../support/client.ts';

const DECIMALS = 8;

function units(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const amount = BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(fraction.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -amount : amount;
}

/** What does not hold, in words; empty: all holds. `accounts`: by name, as `GET /accounts/{account}` shows them. */
export function broken(accounts: Readonly<Record<string, Json>>, audit: Json): string[] {
  const found: string[] = [];
  if (audit.ok !== true) found.push(`the audit is not ok: ${JSON.stringify(audit)}`);
  const sums = new Map<string, number>();
  let below = 0;
  for (const [name, { balances, positions }] of Object.entries(accounts)) {
    for (const { symbol, size, direction } of positions) {
      sums.set(symbol, (sums.get(symbol) ?? 0) + (direction === 'LONG' ? size : -size));
    }
    for (const [currency, balance] of Object.entries<Json>(balances)) {
      const [total, reserved] = [units(balance.total), units(balance.reserved)];
      const cross = positions.filter((p: Json) => p.positionMode !== 'ISOLATED' && settlesIn(p, currency));
      const profit = sum(cross.map((p: Json) => units(p.unrealised)));
      const figures = `${name}: ${currency} ${JSON.stringify(balance)}`;
      if (reserved > 0n && total < reserved) found.push(`total is below reserved: ${figures}`);
      if (cross.length === 0 && total < 0n) found.push(`a wallet without a position is below zero: ${figures}`);
      if (cross.length > 0 && total - reserved + profit < 0n) below++;
    }
    for (const position of positions) {
      if (position.positionMode === 'ISOLATED' && units(position.margin) + units(position.unrealised) < 0n) below++;
    }
  }
  for (const [symbol, size] of sums) if (size !== 0) found.push(`the positions in ${symbol} sum to ${size}`);
  const waiting = audit.accounts?.waitingLiquidation;
  if (waiting !== undefined && below > 0 && waiting === 0) {
    found.push(`${below} margins are below zero, and no account waits for its liquidation`);
  }
  return found;
}

/** All default perpetuals settle in USDT. */
function settlesIn(_position: Json, currency: string): boolean {
  return currency === 'USDT';
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
