/**
 * The account's own trades on all trading surfaces: the parameters of a request, and the rows, in the older names (spot
 * v3.3, futures v2.3) and the newer ones (spot v4, futures v3). They come from the archive, which has every fill that a
 * reply has shown.
 *
 * Rows are newest first. Without times the window is the last seven days. A longer window is cut to its last seven
 * days, as on BTSE; includeOld lifts that. The number of a trade (serialId) counts in its market. tradeId is the same
 * for both sides, and unique in the venue.
 */
import type { Trade } from '../../archive/read/trades.ts';
import { DAY_MS } from '../../config/times.ts';
import type { Product } from '../../venue/contract/commands.ts';
import type { Decimal } from '../../venue/contract/decimal.ts';
import { NONE } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import {
  detailType,
  difference,
  exactNumber,
  futuresTypeCode,
  positionText,
  spotTypeCode,
  triggerCode,
} from '../orders/order-records.ts';
import { CROSS_WALLET, isolatedWalletName, SPOT_WALLET } from '../positions/position-records.ts';
import { malformed } from '../shared/errors.ts';
import { clientId, decimal, flag, optional, text } from '../shared/fields.ts';
import { tradeIdText } from '../shared/markets.ts';
import { NamedTerms } from '../shared/named-terms.ts';
import type { Call } from '../shared/surface.ts';
import { instant, noteKnownFrom, type WindowRequest, windowOf } from '../shared/time-window.ts';

const WINDOW_MS = 7 * DAY_MS;
const MOST = 500;
const DEFAULT_COUNT = 50;

const serial = (description: string) => optional(decimal(description, { min: 0, max: 1e15 - 1, whole: true }));
const orderId = optional(text('Trades of one order; wins over the client id'));
const client = optional(clientId('Trades of the orders with this client id'));

/** All parameters of a request except the market. The older and the newer names of ids are read alike. */
export const TRADE_FIELDS = {
  startTime: instant('Epoch milliseconds; default, and earliest: seven days before the end'),
  endTime: instant('Epoch milliseconds; default: now'),
  count: optional(decimal(`How many at most; default ${DEFAULT_COUNT}`, { min: 1, max: MOST, whole: true })),
  beforeSerialId: serial('Trades with a smaller serialId'),
  afterSerialId: serial('Trades with a larger serialId: the next ones after it'),
  includeOld: optional(flag('true: no limit of seven days')),
  orderId,
  orderID: orderId,
  clOrderId: client,
  clOrderID: client,
};

export interface TradeRequest extends WindowRequest {
  readonly count?: Decimal;
  readonly beforeSerialId?: Decimal;
  readonly afterSerialId?: Decimal;
  readonly includeOld?: boolean;
  readonly orderId?: string;
  readonly orderID?: string;
  readonly clOrderId?: string | null;
  readonly clOrderID?: string | null;
}

/** A trade and its market. */
export interface MarketTrade {
  readonly terms: NamedTerms;
  /** The name of the account. */
  readonly account: string;
  readonly market: MarketView;
  readonly trade: Trade;
}

/**
 * The caller's trades in a market, or in all of the product (null), newest first. Throws malformed for contradictory
 * times and numbers, and busy if the archive does not catch up with the venue.
 */
export async function tradesOf(
  call: Call,
  product: Product,
  market: MarketView | null,
  request: TradeRequest,
): Promise<MarketTrade[]> {
  const { venue } = call;
  const account = venue.account(call.account)?.name ?? '';
  const number = (value: Decimal | undefined) => (value === undefined ? null : Number(value.coefficient));
  const [beforeId, afterId] = [number(request.beforeSerialId), number(request.afterSerialId)];
  if (market === null && (beforeId ?? afterId) !== null) {
    throw malformed(
      'symbol',
      'is missing',
      'give the market that the serial ids belong to: each market counts its own',
    );
  }
  if (beforeId !== null && afterId !== null && beforeId <= afterId + 1) {
    throw malformed('beforeSerialId', `${beforeId} leaves no id after afterSerialId ${afterId}`, 'give a larger one');
  }
  const named = request.orderId ?? request.orderID;
  const order = named === undefined ? null : venue.orderIds.decode(named);
  if (order === NONE) return [];
  const oldestFirst = afterId !== null && beforeId === null;
  const terms = new NamedTerms(call);
  const trades = await call.archive.trades({
    account,
    product,
    market: market?.symbol ?? null,
    ...windowOf(request, call.engine.nowMs(), request.includeOld === true ? Number.POSITIVE_INFINITY : WINDOW_MS),
    orderId: order === null ? null : venue.orderIds.encode(order),
    clientId: request.clOrderId ?? request.clOrderID ?? null,
    beforeId,
    afterId,
    limit: number(request.count) ?? DEFAULT_COUNT,
    oldestFirst,
  });
  noteKnownFrom(call);
  const found = trades.map((trade) => ({ terms, account, market: terms.market(trade.market), trade }));
  return oldestFirst ? found.reverse() : found;
}

function typeCode({ market, trade }: MarketTrade): number {
  return market.product === 'spot' ? spotTypeCode(trade.order) : futuresTypeCode(trade.order);
}

/** The fields that both kinds of rows name alike. */
function commonFields({ market, trade }: MarketTrade) {
  const { order } = trade;
  return {
    tradeId: tradeIdText(market, trade.tradeId),
    orderId: order.orderId,
    symbol: market.symbol,
    base: market.spec.base,
    quote: market.spec.quote,
    price: exactNumber(trade.price),
    size: exactNumber(order.quoteSize ?? order.currentSize ?? '0'),
    filledPrice: exactNumber(trade.price),
    filledSize: exactNumber(trade.size),
    avgFilledPrice: exactNumber(trade.price),
    triggerPrice: exactNumber(order.triggerPrice ?? '0'),
    maker: trade.maker,
    feeCurrency: trade.feeCurrency,
    feeAmount: exactNumber(trade.fee),
    serialId: trade.tradeId,
    timestamp: trade.timeMs,
  };
}

/** The wallet, and what the trade did to it beyond the exchange: nothing on spot. */
function walletFields({ terms, market, trade }: MarketTrade) {
  if (market.product === 'spot') return { wallet: SPOT_WALLET, realizedPnl: 0, total: 0 };
  const decimals = terms.decimals(market.spec.quote);
  const realised = trade.realised ?? '0';
  return {
    wallet: trade.order.positionMode === 'ISOLATED' ? isolatedWalletName(market) : CROSS_WALLET,
    realizedPnl: exactNumber(realised),
    total: exactNumber(difference(realised, trade.fee, decimals)),
  };
}

/** Empty on spot. */
function futuresFields({ market, trade }: MarketTrade): object {
  const { order } = trade;
  if (market.product === 'spot') return {};
  return {
    orderDetailType: detailType(order, order.side),
    contractSize: Number(market.spec.contractSize),
    positionId: positionText(market, order.positionMode ?? 'ONE_WAY', order.positionId ?? 0),
  };
}

/** 1001 or 1002 for a trigger. Otherwise 0 on spot, null on futures. */
function triggerType({ market, trade }: MarketTrade): number | null {
  return triggerCode(trade.order.triggerRule) || (market.product === 'spot' ? 0 : null);
}

function clientIdOf({ market, trade }: MarketTrade): string | null {
  return trade.order.clientId ?? (market.product === 'spot' ? null : '');
}

/** A row of spot v3.3 and futures v2.3. */
export function legacyTradeRow(found: MarketTrade): object {
  return {
    ...commonFields(found),
    clOrderID: clientIdOf(found),
    username: found.account,
    side: found.trade.order.side,
    orderType: typeCode(found),
    triggerType: triggerType(found),
    ...walletFields(found),
    ...futuresFields(found),
  };
}

/** A row of spot v4 and futures v3, whose type field is named `type`. */
export function newerTradeRow(found: MarketTrade): object {
  const type = typeCode(found);
  return {
    ...commonFields(found),
    clOrderId: clientIdOf(found),
    orderSide: found.trade.order.side,
    ...(found.market.product === 'spot' ? { orderType: type } : { type }),
    triggerType: triggerType(found),
    ...walletFields(found),
    ...futuresFields(found),
  };
}
