/** The money of an account: in which currencies there is any, and all of it in one currency. */
import { markets } from './store.js';

/** What all money is counted in. */
export const WORTH = 'USDT';

const PARTS = ['total', 'available', 'reserved', 'margin', 'unrealised'];

/** A venue with many currencies has a balance of 0 for most of them. @param {any} balance undefined: none */
export const isMoney = (balance) => PARTS.some((part) => Number(balance?.[part] ?? 0) !== 0);

/** The spot market in which a currency has its price. @param {string} code */
export const priceMarketOf = (code) =>
  [...markets.value.values()].find(({ kind, base, quote }) => kind === 'spot' && base === code && quote === WORTH)
    ?.symbol;

/**
 * Each currency at the index of its spot market, or at last without one. Profit that is not realised counts.
 * @param {any} balances @param {Map<string, any>} tickers prices by market @returns {number | null} null: a currency has no price
 */
export function worthOf(balances, tickers) {
  let worth = 0;
  for (const [code, { total, unrealised }] of Object.entries(balances)) {
    const amount = Number(total) + Number(unrealised);
    if (amount === 0) continue;
    const { index, last } = tickers.get(priceMarketOf(code) ?? '') ?? {};
    const price = code === WORTH ? 1 : Number(index ?? last ?? 0);
    if (price === 0) return null;
    worth += amount * price;
  }
  return worth;
}
