/**
 * What a loss leaves behind (semantics.md sections 5 and 11): spot orders that are no longer covered go, and the fund makes
 * good what a wallet without positions is short of.
 */
import { crossMarginAccount } from './model-equity.ts';
import { payCurrency, reservedOf } from './model-funds.ts';
import { end } from './model-matching.ts';
import { emit, type ModelAccount, type ModelOrder, type World } from './model-state.ts';

/** Every wallet, by account and currency. */
export function settleWallets(w: World): void {
  for (const account of [...w.s.accounts.values()].sort((a, b) => a.number - b.number)) {
    for (const currency of w.s.currencies.keys()) {
      while (account.totals[currency] < reservedOf(w, account, currency)) {
        const newest = newestSpotOrder(w, account, currency);
        if (newest === undefined) break;
        end(w, newest, 'cancelled', 'reserveLost');
      }
      const total = account.totals[currency];
      if (total >= 0n || crossMarginAccount(w, account, currency).positions.length > 0) continue;
      account.totals[currency] = 0n;
      makeGood(w, account, currency, -total);
    }
  }
}

/** Of those that pay in that currency, whether they hold something now or not. */
export function newestSpotOrder(w: World, account: ModelAccount, currency: number): ModelOrder | undefined {
  return w.s.live
    .filter((o) => o.account === account.number && o.product === 'spot')
    .filter((o) => payCurrency(w.s.markets[o.market], o.side) === currency)
    .sort((a, b) => b.key - a.key)[0];
}

export function makeGood(w: World, account: ModelAccount, currency: number, amount: bigint): void {
  w.s.insurance[currency] -= amount;
  emit(w, { type: 'money', account: account.number, amount, reason: 'insurance' });
}
