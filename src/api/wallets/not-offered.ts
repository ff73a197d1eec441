/**
 * What BTSE offers and this venue does not. Requests to these paths, and below those that end with a slash, are refused
 * by name.
 */
import type { NotOffered } from '../shared/surface.ts';

const DEPOSITS = 'the operator of the venue deposits and withdraws money, on its control surface';
const OWN_ACCOUNTS = 'every account has its own keys, and the operator of the venue moves money between accounts';

const address: NotOffered = { path: '/user/wallet/address', what: 'deposit addresses', instead: DEPOSITS };
const withdraw: NotOffered = { path: '/user/wallet/withdraw', what: 'withdrawals', instead: DEPOSITS };
const convert: NotOffered = { path: '/user/wallet/convert', what: 'conversions', instead: 'trade on a spot market' };
const toUser: NotOffered = {
  path: '/user/wallet/transfer',
  what: 'transfers to other users',
  instead: OWN_ACCOUNTS,
};
const subAccounts: NotOffered = { path: '/subaccount/', what: 'sub-accounts', instead: OWN_ACCOUNTS };
const invest: NotOffered = { path: '/invest/', what: 'investments', instead: 'nothing replaces them' };
const currencies: NotOffered = {
  path: '/availableCurrencies',
  what: 'currencies to withdraw or convert',
  instead: DEPOSITS,
};
const networks: NotOffered = { path: '/availableCurrencyNetworks', what: 'networks to deposit by', instead: DEPOSITS };
const rates: NotOffered = { path: '/exchangeRate', what: 'conversion rates', instead: 'trade on a spot market' };

export const NOT_ON_SPOT: readonly NotOffered[] = [
  address,
  withdraw,
  convert,
  toUser,
  subAccounts,
  invest,
  currencies,
  networks,
  rates,
];
export const NOT_ON_FUTURES: readonly NotOffered[] = [subAccounts];
export const NOT_IN_WALLET: readonly NotOffered[] = [
  subAccounts,
  { path: '/crypto/', what: 'networks to deposit by', instead: DEPOSITS },
  { path: '/assets/exchangeRate', what: 'conversion rates', instead: 'trade on a spot market' },
];
export const NOT_OTC: readonly NotOffered[] = [
  { path: '/', what: 'over-the-counter trades', instead: 'trade on a spot market' },
];
