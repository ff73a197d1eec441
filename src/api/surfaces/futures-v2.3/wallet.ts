/**
 * The wallet row of futures v2.3. One wallet serves spot and cross futures, so every currency is listed. Values are
 * exact, in the settlement currency, and only that currency is margin. assetsInUse is what orders and positions use:
 * total minus in use is free.
 */

import { FINE } from '../../../venue/contract/units.ts';
import type { Balance, PositionView, Venue } from '../../../venue/venue.ts';
import type { MarketView } from '../../../venue/views.ts';
import { moneyNumber } from '../../orders/order-records.ts';
import { CROSS_WALLET, isolatedWalletName, leverageOf, notionalOf } from '../../positions/position-records.ts';

const SETTLEMENT = 'USDT';

/**
 * The market that prices a currency in the settlement currency. Undefined for that currency itself, and if there is
 * none.
 */
function pricing(venue: Venue, code: string): MarketView | undefined {
  return venue.markets.find(
    (market) => market.spec.base === code && market.spec.quote === SETTLEMENT && market.indexPrice > 0,
  );
}

/** The price of one unit of a currency: 1 for the settlement currency, 0 if there is no index yet. */
function assetPrice(venue: Venue, code: string): number {
  if (code === SETTLEMENT) return 1;
  const market = pricing(venue, code);
  return market === undefined ? 0 : market.fineNumber(market.indexPrice);
}

/** An amount in smallest units of the settlement currency, rounded down. */
function settlementValue(venue: Venue, balance: Balance, decimals: number): bigint {
  const { code } = balance.currency;
  if (code === SETTLEMENT) return balance.total;
  const market = pricing(venue, code);
  if (market === undefined) return 0n;
  const price = BigInt(market.indexPrice) * market.tick.coefficient * 10n ** BigInt(decimals);
  const scale = market.tick.scale + Math.log10(FINE) + balance.currency.decimals;
  return (balance.total * price) / 10n ** BigInt(scale);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

export function crossWallet(venue: Venue, balances: readonly Balance[], all: readonly PositionView[]) {
  const positions = all.filter(({ mode }) => mode !== 'ISOLATED');
  const settlement = balances.find(({ currency }) => currency.code === SETTLEMENT);
  const decimals = settlement?.currency.decimals ?? 8;
  const marginBalance = (settlement?.total ?? 0n) + (settlement?.unrealised ?? 0n);
  const exposure = sum(positions.map(notionalOf));
  const money = (units: bigint) => moneyNumber(units, decimals);
  const row = ({ currency }: Balance, units: bigint) => ({
    balance: moneyNumber(units, currency.decimals),
    assetPrice: assetPrice(venue, currency.code),
    currency: currency.code,
  });
  const used = (balance: Balance) => balance.reserved + balance.margin;
  return {
    wallet: CROSS_WALLET,
    activeWalletName: CROSS_WALLET,
    totalValue: money(sum(balances.map((balance) => settlementValue(venue, balance, decimals)))),
    marginBalance: money(marginBalance),
    availableBalance: money(settlement?.available ?? 0n),
    unrealisedProfitLoss: money(settlement?.unrealised ?? 0n),
    maintenanceMargin: money(sum(positions.map(({ maintenance }) => maintenance))),
    leverage: leverageOf(exposure, marginBalance),
    openMargin: money(settlement?.margin ?? 0n),
    assets: balances.map((balance) => row(balance, balance.total)),
    assetsInUse: balances.filter((balance) => used(balance) !== 0n).map((balance) => row(balance, used(balance))),
  };
}

export type WalletRow = ReturnType<typeof crossWallet>;

/** The money of the isolated positions of one market. All of it is in use. */
export function isolatedWallet(venue: Venue, market: MarketView, positions: readonly PositionView[]): WalletRow {
  const currency = venue.currencies[market.quote];
  const money = (units: bigint) => moneyNumber(units, currency.decimals);
  const margin = sum(positions.map((position) => position.margin));
  const unrealised = sum(positions.map((position) => position.unrealised));
  const assets = [{ balance: money(margin), assetPrice: assetPrice(venue, currency.code), currency: currency.code }];
  return {
    wallet: isolatedWalletName(market),
    activeWalletName: isolatedWalletName(market),
    totalValue: money(margin),
    marginBalance: money(margin + unrealised),
    availableBalance: 0,
    unrealisedProfitLoss: money(unrealised),
    maintenanceMargin: money(sum(positions.map(({ maintenance }) => maintenance))),
    leverage: leverageOf(sum(positions.map(notionalOf)), margin + unrealised),
    openMargin: money(margin),
    assets,
    assetsInUse: margin === 0n ? [] : assets,
  };
}

/** Sums over the cross wallet and all isolated ones. */
export function walletSums(venue: Venue, balances: readonly Balance[], all: readonly PositionView[]): object {
  const isolated = all.filter(({ mode }) => mode === 'ISOLATED');
  const settlement = balances.find(({ currency }) => currency.code === SETTLEMENT);
  const decimals = settlement?.currency.decimals ?? 8;
  const money = (units: bigint) => moneyNumber(units, decimals);
  const values = balances.map((balance) => settlementValue(venue, balance, decimals));
  return {
    walletTotalValue: money(sum([...values, ...isolated.map(({ margin }) => margin)])),
    walletTotalUnrealizedProfitLoss: money(
      sum([settlement?.unrealised ?? 0n, ...isolated.map(({ unrealised }) => unrealised)]),
    ),
    futuresTotalAvailableBalance: money(settlement?.available ?? 0n),
  };
}
