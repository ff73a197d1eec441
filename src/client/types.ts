/** The types of the interface: the requests that a client sends, and the records in the replies. */

import type { TimeInForce } from '../venue/contract/commands.ts';

export type { TimeInForce } from '../venue/contract/commands.ts';
export type Side = 'BUY' | 'SELL';
export type PriceType = 'LAST_PRICE' | 'MARK_PRICE' | 'INDEX_PRICE';
/** A JSON number, or the same decimal as text. */
export type Decimal = number | string;

/** POST /futures/api/v2.3/order. Sizes are contracts. */
export interface FuturesOrderRequest {
  symbol: string;
  size: Decimal;
  side: Side;
  type: 'LIMIT' | 'MARKET' | 'OCO';
  price?: Decimal;
  time_in_force?: TimeInForce;
  txType?: 'LIMIT' | 'STOP' | 'TRIGGER';
  stopPrice?: Decimal;
  triggerPrice?: Decimal;
  trailValue?: Decimal;
  postOnly?: boolean;
  reduceOnly?: boolean;
  clOrderID?: string;
  trigger?: 'markPrice' | 'lastPrice';
  takeProfitPrice?: Decimal;
  takeProfitTrigger?: 'markPrice' | 'lastPrice';
  stopLossPrice?: Decimal;
  stopLossTrigger?: 'markPrice' | 'lastPrice';
  positionMode?: 'ONE_WAY' | 'HEDGE' | 'ISOLATED';
}

export interface FuturesOrderRecord {
  symbol: string;
  orderID: string;
  clOrderID: string;
  /** 76 limit, 77 market, 80 algo. */
  orderType: number;
  side: Side;
  price: number;
  /** 2 inserted, 4 filled, 5 partly filled, 6 cancelled, 9 waiting trigger, 10 trigger fired, 15 rejected. */
  status: number;
  time_in_force: string;
  timestamp: number;
  trigger: boolean;
  triggerPrice: number;
  avgFilledPrice: number;
  message: string;
  stealth?: number;
  deviation?: number;
  remainingSize: number;
  originalOrderSize: number;
  currentOrderSize: number;
  filledSize: number;
  totalFilledSize: number;
  postOnly: boolean;
  positionMode: string;
  positionDirection?: string | null;
  positionId: string;
}

/** POST /spot/api/v4/trade/orders: LIMIT by orderSize and orderPrice; MARKET BUY by quoteOrderSize, SELL by orderSize. */
export interface SpotOrderRequest {
  symbol: string;
  orderSide: Side;
  orderType: 'LIMIT' | 'MARKET';
  orderSize?: Decimal;
  quoteOrderSize?: Decimal;
  orderPrice?: Decimal;
  clOrderId?: string;
  postOnly?: boolean;
  timeInForce?: TimeInForce;
}

interface AlgoBase {
  symbol: string;
  orderSide: Side;
  clOrderId?: string;
}

export interface ConditionalRequest extends AlgoBase {
  orderType: 'CONDITIONAL';
  triggerPrice: Decimal;
  triggerOrderType: 'STOP_LOSS' | 'TAKE_PROFIT' | 'STOP_LOSS_LIMIT' | 'TAKE_PROFIT_LIMIT';
  triggerPriceType: PriceType;
  orderSize?: Decimal;
  quoteOrderSize?: Decimal;
  orderPrice?: Decimal;
  timeInForce?: 'GTC' | 'IOC' | 'FOK';
  postOnly?: boolean;
}

export interface OcoRequest extends AlgoBase {
  orderType: 'OCO';
  orderSize: Decimal;
  takeProfitOrderPrice: Decimal;
  stopLossOrderPrice: Decimal;
  stopLossTriggerPrice: Decimal;
  stopLossTriggerPriceType: PriceType;
  timeInForce?: 'GTC' | 'IOC' | 'FOK';
  postOnly?: boolean;
}

export interface PegRequest extends AlgoBase {
  orderType: 'PEG';
  orderPrice: Decimal;
  orderSize: Decimal;
  /** Percent shown at a time, 1 to 100. */
  stealth: number;
  /** Percent away from the index, −10 to 10. */
  deviation?: number;
}

export interface TrailingRequest extends AlgoBase {
  orderType: 'TRAILING';
  trailValue: Decimal;
  trailValueType: 'DISTANCE' | 'PERCENTAGE';
  triggerPriceType?: PriceType;
  orderSize?: Decimal;
  quoteOrderSize?: Decimal;
  activationTriggerPrice?: Decimal;
  activationTriggerPriceType?: PriceType;
}

export interface TwapRequest extends AlgoBase {
  orderType: 'TWAP';
  orderSize: Decimal;
  /** Seconds, 60 to 86,400. */
  timePeriod: number;
  makerFirst?: boolean;
  randomizeSize?: boolean;
  subTwapMaxOrderSize?: Decimal;
  maxSpread?: number;
  maxDistanceThroughBook?: number;
  pausePrice?: Decimal;
  activationTriggerPrice?: Decimal;
  activationTriggerPriceType?: PriceType;
}

/** POST /spot/api/v4/trade/orders/algo. */
export type AlgoOrderRequest = ConditionalRequest | OcoRequest | PegRequest | TrailingRequest | TwapRequest;

/** The reply to a spot placement or cancel, one record per order. */
export interface SpotOrderRecord {
  orderId: string;
  clOrderId: string;
  status: number;
  market: string;
  type: number;
  orderSide: Side;
  orderPrice: number;
  postOnly: boolean;
  timestamp: number;
  orderDetailType: string | null;
  message: string | null;
  userQuoteCurrency: string;
  orderCurrency: 'base' | 'quote';
  originalOrderBaseSize: number | null;
  originalOrderQuoteSize: number | null;
  currentOrderBaseSize: number | null;
  currentOrderQuoteSize: number | null;
  remainingOrderBaseSize: number | null;
  remainingOrderQuoteSize: number | null;
  filledBaseSize: number;
  totalFilledBaseSize: number;
  avgFilledPrice: number;
  time_in_force: string | null;
}

/** GET /spot/api/v4/trade/order. The interface documents list further fields. */
export interface SpotOrderDetails {
  requestId: number | string;
  orderId: string;
  clOrderId: string | null;
  symbol: string;
  orderState: string;
  orderType: number;
  orderSide: Side;
  orderPrice: number;
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  [field: string]: unknown;
}

/** Names one order. orderId takes precedence over clOrderId. */
export interface OrderReference {
  orderId?: string;
  clOrderId?: string;
}
