/**
 * Positions in the rows of the streams. BTSE builds these rows from its order record, so many fields do not apply, and
 * are constant here.
 */
import { decimalNumber } from '../../venue/contract/decimal.ts';
import { PARTS_DECIMALS } from '../../venue/contract/units.ts';
import type { PositionView, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { entryPrice, moneyNumber, positionText } from '../orders/order-records.ts';
import {
  attachedRow,
  CROSS_WALLET,
  directionOf,
  isolatedWalletName,
  leverageOf,
  notionalOf,
} from '../positions/position-records.ts';
import { marketId, type Names, olderId } from '../shared/markets.ts';

const TYPE_POSITION = 90;
const STATUS_ACTIVE = 65;
const MODES = { LONG: [66, 'MODE_BUY'], SHORT: [83, 'MODE_SELL'] } as const;

/** Fields that are the same for every position, open or closed. */
const CONSTANT = {
  requestId: 0,
  userCurrency: null,
  status: STATUS_ACTIVE,
  maxPriceHeld: 0,
  pegPriceMin: 0,
  baseCurrency: null,
  quoteCurrency: null,
  quoteCurrencyFiat: false,
  parents: null,
  makerFeesRatio: null,
  vendorName: null,
  botID: null,
  maxStealthDisplayAmount: 0,
  sellExchangeRate: 0,
  tag: null,
  dbBaseBalHeld: 0,
  marginHeld: 0,
  marginChargedLongOpen: 0,
  marginChargedShortOpen: 0,
  unchargedMarginLongOpen: 0,
  unchargedMarginShortOpen: 0,
  isolatedCurrency: null,
  totalFees: 0,
  adlScorePercentile: 0,
  minimumRequiredMargin: 0,
  filledSize: 0,
  serviceType: 0,
} as const;

/** BTC-PERP-USDT, or BTCPFC-USD. */
function named(market: MarketView, mode: PositionView['mode'], id: number, names: Names) {
  const positionId = positionText(market, mode, id);
  if (names === 'present') return { marketName: marketId(market), positionId, avgFilledPrice: 0 };
  const older = olderId(market);
  return { marketName: older, positionId: positionId.replace(marketId(market), older), avgFillPrice: 0 };
}

/** The row of an open position. */
export function openRow(venue: Venue, account: number, view: PositionView, names: Names): object {
  const { market, mode, id } = view;
  const isolated = mode === 'ISOLATED';
  const money = (units: bigint) => moneyNumber(units, venue.currencies[market.quote].decimals);
  const { total, unrealised } = venue.balances(account)[market.quote];
  const equity = isolated ? view.margin + view.unrealised : total + unrealised;
  const orders = venue.openOrders(account, 'futures', market.index).filter(({ positionId }) => positionId === id);
  const takeProfitOrder = attachedRow(venue, market, orders, 'takeProfit');
  const stopLossOrder = attachedRow(venue, market, orders, 'stopLoss');
  const direction = directionOf(view);
  const [orderMode, orderModeName] = MODES[direction];
  const { taker } = venue.feeRates(account, market);
  return {
    ...CONSTANT,
    ...named(market, mode, id, names),
    username: venue.account(account)?.name ?? '',
    orderType: TYPE_POSITION,
    orderTypeName: 'TYPE_FUTURES_POSITION',
    orderMode,
    orderModeName,
    originalAmount: Number(market.spec.contractSize),
    stealth: 1,
    takerFeesRatio: [decimalNumber(Number(taker), PARTS_DECIMALS)],
    orderID: takeProfitOrder?.orderId ?? stopLossOrder?.orderId ?? null,
    triggerPrice: takeProfitOrder?.triggerPrice ?? stopLossOrder?.triggerPrice ?? 0,
    closeOrder: takeProfitOrder !== null || stopLossOrder !== null,
    dbQuoteBalHeld: money(view.unrealised - view.maintenance),
    isFuture: true,
    future: true,
    liquidationInProgress: view.liquidating,
    marginType: isolated ? 92 : 91,
    marginTypeName: isolated ? 'FUTURES_MARGIN_ISOLATED' : 'FUTURES_MARGIN_CROSS',
    entryPrice: entryPrice(view),
    liquidationPrice: view.liquidationPrice === null ? 0 : market.fineNumber(view.liquidationPrice),
    markedPrice: market.fineNumber(market.mark),
    unrealizedProfitLoss: money(view.unrealised),
    totalMaintenanceMargin: money(view.maintenance),
    totalContracts: market.sizeNumber(Math.abs(view.size)),
    isolatedLeverage: isolated ? view.leverage : 0,
    totalValue: money(notionalOf(view)),
    adlScoreBucket: venue.adlBucket(account, view),
    currentLeverage: leverageOf(notionalOf(view), equity),
    contractSize: Number(market.spec.contractSize),
    takeProfitOrder,
    stopLossOrder,
    activeWalletName: isolated ? isolatedWalletName(market) : CROSS_WALLET,
    positionMode: mode,
    positionDirection: direction,
    settleWithNonUSDAsset: venue.currencies[market.quote].code,
  };
}

/** What identifies a position, also after a reset has removed its market. */
export type NamedPosition = Pick<PositionView, 'market' | 'mode' | 'id'>;

/** The row of a position that has been closed: nothing but its name. */
export function closedRow(venue: Venue, account: number, { market, mode, id }: NamedPosition, names: Names): object {
  return {
    ...CONSTANT,
    ...named(market, mode, id, names),
    username: venue.account(account)?.name ?? '',
    orderType: 0,
    orderTypeName: null,
    orderMode: 0,
    orderModeName: null,
    originalAmount: 0,
    stealth: 0,
    takerFeesRatio: null,
    orderID: null,
    triggerPrice: 0,
    closeOrder: false,
    dbQuoteBalHeld: 0,
    isFuture: false,
    future: false,
    liquidationInProgress: false,
    marginType: 0,
    marginTypeName: null,
    entryPrice: 0,
    liquidationPrice: 0,
    markedPrice: 0,
    unrealizedProfitLoss: 0,
    totalMaintenanceMargin: 0,
    totalContracts: 0,
    isolatedLeverage: 0,
    totalValue: 0,
    adlScoreBucket: 0,
    currentLeverage: 0,
    contractSize: 0,
    takeProfitOrder: null,
    stopLossOrder: null,
    activeWalletName: null,
    positionMode: null,
    positionDirection: null,
    settleWithNonUSDAsset: market.spec.quote,
  };
}
