/** The account's own fills: the trades of its history, as they happen. Quantities are text, as BTSE sends them. */
import { decimalText } from '../../venue/contract/decimal.ts';
import type { Traded } from '../../venue/contract/events.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import { opposite, sideText } from '../../venue/contract/units.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { levelPrice } from '../market-data/grouping.ts';
import { futuresTypeCode, spotTypeCode } from '../orders/order-records.ts';
import { type Names, nameIn, tradeIdText } from '../shared/markets.ts';

/** One side of a trade. */
export interface Fill {
  readonly trade: Traded;
  readonly market: MarketView;
  readonly order: OrderView | undefined;
  readonly orderId: string;
  readonly isMaker: boolean;
  readonly fee: string;
  readonly feeCurrency: string;
  readonly timeMs: number;
}

/** Of the two sides of a trade: the one that gave liquidity, or the one that took it. */
export type Liquidity = 'maker' | 'taker';

export function fillOf(venue: Venue, trade: Traded, liquidity: Liquidity): Fill {
  const market = venue.markets[trade.market];
  const isMaker = liquidity === 'maker';
  const [account, key] = isMaker ? [trade.makerAccount, trade.makerKey] : [trade.takerAccount, trade.takerKey];
  const { code, decimals } = venue.currencies[isMaker ? trade.makerFeeCurrency : trade.takerFeeCurrency];
  return {
    trade,
    market,
    order: venue.order(account, market.product, key),
    orderId: venue.orderIds.encode(key),
    isMaker,
    fee: decimalText(BigInt(isMaker ? trade.makerFee : trade.takerFee), decimals),
    feeCurrency: code,
    timeMs: venue.timeMs,
  };
}

export function fillRow(fill: Fill, names: Names): object {
  const { trade, market, order, orderId, isMaker, fee, feeCurrency, timeMs } = fill;
  const symbol = nameIn(market, names);
  const isSpot = market.product === 'spot';
  const side = isMaker ? opposite(trade.takerSide) : trade.takerSide;
  const type = order === undefined ? '' : String(isSpot ? spotTypeCode(order) : futuresTypeCode(order));
  return {
    orderId,
    serialId: trade.tradeId,
    clOrderId: (isMaker ? trade.makerClientId : trade.takerClientId) ?? '',
    type,
    symbol,
    side: sideText(side),
    price: levelPrice(market, trade.priceTicks),
    size: market.sizeText(trade.sizeLots),
    feeAmount: fee,
    feeCurrency,
    base: isSpot ? market.spec.base : symbol,
    quote: market.spec.quote,
    maker: isMaker,
    timestamp: timeMs,
    ...(!isSpot && { contractSize: Number(market.spec.contractSize) }),
    tradeId: tradeIdText(market, trade.tradeId),
  };
}
