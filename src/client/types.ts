/**
 * The types of the wire: requests, replies and frames. `npm run client:types` makes this file from the documents of the
 * venue. Do not edit it.
 */

/** A JSON number, or the same decimal as text. */
export type Decimal = number | string;

/** The errors of futures. */
export interface ErrorA {
  /** The HTTP status */
  status: number;
  errorCode: number;
  message: string;
  extraData: null;
}

/** The errors of spot, markets and wallet. */
export interface ErrorB {
  code: number;
  /** With the prefix BADREQUEST: or UNAUTHORIZED: on statuses 400 to 404 */
  msg: string;
  /** The venue's clock, epoch ms */
  time: number;
  /** With "Order not found": the state of your own order that has ended */
  data: {
    orderId?: string;
    clOrderId?: string | null;
    orderState?: string;
  } | null;
  success: false;
}

export type Side = 'BUY' | 'SELL';

export type SpotTimeInForce = 'GTC' | 'IOC' | 'FOK';

export interface SpotLimit {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of order */
  orderType: 'LIMIT';
  /** Base-currency quantity */
  orderSize: Decimal;
  /** Limit price */
  orderPrice: Decimal;
  /** GTC (default), IOC or FOK */
  timeInForce?: SpotTimeInForce;
  /** Rejected when it would match at once */
  postOnly?: boolean;
}

export interface SpotMarketBuy {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** Market orders: a BUY is sized by what it spends */
  orderSide: 'BUY';
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of order */
  orderType: 'MARKET';
  /** Quote-currency amount to spend */
  quoteOrderSize: Decimal;
}

export interface SpotMarketSell {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** Market orders: a SELL is sized in base currency */
  orderSide: 'SELL';
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of order */
  orderType: 'MARKET';
  /** Base-currency quantity */
  orderSize: Decimal;
}

export type OrderCurrency = 'base' | 'quote';

export type TimeInForce =
  | 'GTC'
  | 'IOC'
  | 'FOK'
  | 'HALFSEC'
  | 'HALFMIN'
  | 'FIVEMIN'
  | 'HOUR'
  | 'TWELVEHOUR'
  | 'DAY'
  | 'WEEK'
  | 'MONTH';

export interface SpotOrder {
  /** Order identifier */
  orderId: string;
  /** Empty: none */
  clOrderId: string;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** Market symbol */
  market: string;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  type: number;
  orderSide: Side;
  /** 0: a market order */
  orderPrice: number;
  postOnly: boolean;
  /** Last change, epoch ms */
  timestamp: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  /** Why it ended */
  message: string | null;
  userQuoteCurrency: string;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  /** Of the last fill */
  filledBaseSize: number;
  totalFilledBaseSize: number;
  /** 0: no fill */
  avgFilledPrice: number;
  time_in_force: TimeInForce | null;
}

export type LiveState = 'STATUS_ACTIVE' | 'TRIGGER_INSERTED' | 'ORDER_INSERTED' | 'ORDER_PARTIALLY_TRANSACTED';

export interface TwapDetail {
  /** How many there will be */
  children: number;
  childrenDone: number;
  /** Epoch ms */
  nextChildAt: number | null;
  /** Why the last child was skipped */
  pausedBy: string | null;
}

export type WaitingFor = 'index';

export interface PegDetail {
  displayedSize: number;
  waitingFor: WaitingFor | null;
}

export interface TrailingDetail {
  armed: boolean;
  /** The best price since it was armed */
  extreme: number | null;
}

export type TrailType = 'DISTANCE' | 'PERCENTAGE';

export type PriceType = 'LAST_PRICE' | 'MARK_PRICE' | 'INDEX_PRICE';

export interface SpotOpenOrder {
  requestId: number;
  /** Order identifier */
  orderId: string;
  clOrderId: string | null;
  /** Market symbol */
  symbol: string;
  quote: string;
  orderState: LiveState;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  orderSide: Side;
  orderPrice: number;
  /** In quote currency */
  orderValue: number;
  /** Creation, epoch ms */
  timestamp: number;
  timeInForce: TimeInForce | null;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  totalFilledBaseSize: number;
  /** 0: no fill */
  avgFilledPrice: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  orderDetail: TwapDetail | PegDetail | TrailingDetail | null;
  triggerOrder: boolean;
  triggered: boolean;
  triggerUseLastPrice: boolean;
  triggerPrice: number | null;
  triggerOriginalPrice: number | null;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** Limit price after the trigger */
  triggerStopPrice: number | null;
  /** A fraction */
  triggerTrailingStopDeviation: number | null;
  trailValue: number | null;
  trailValueType: TrailType | null;
  pegPriceMin: number | null;
  pegPriceMax: number | null;
  /** A fraction */
  pegPriceDeviation: number | null;
  currentPegPrice: number | null;
  /** A leg of an OCO */
  wrapperOrder: boolean;
  activationPrice: number | null;
  activationPriceType: PriceType | null;
}

export interface SpotAmend {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** Server-assigned identifier; wins over clOrderId */
  orderId?: string;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** New limit price */
  orderPrice?: Decimal;
  /** New size: unfilled, or the total with totalAmountMode */
  orderSize?: Decimal;
  /** New trigger price of a trigger that still waits */
  triggerPrice?: Decimal;
  /** orderSize is the total, filled part included; default false */
  totalAmountMode?: boolean;
}

export interface CancelAllAfter {
  /** Milliseconds until all orders are cancelled, unless renewed; 0 disarms */
  timeout: Decimal;
}

export type Nothing = Record<string, never>;

export type LimitTrigger = 'STOP_LOSS_LIMIT' | 'TAKE_PROFIT_LIMIT';

export interface SpotConditionalLimit {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'CONDITIONAL';
  /** Price that activates the order */
  triggerPrice: Decimal;
  /** Kind of trigger order */
  triggerOrderType: LimitTrigger;
  /** Price that the trigger watches */
  triggerPriceType: PriceType;
  /** Base-currency quantity */
  orderSize: Decimal;
  /** Limit price of the released order */
  orderPrice: Decimal;
  /** GTC (default), IOC or FOK */
  timeInForce?: SpotTimeInForce;
  /** The released order is rejected when it would match at once */
  postOnly?: boolean;
}

export type MarketTrigger = 'STOP_LOSS' | 'TAKE_PROFIT';

export interface SpotConditionalMarketBuy {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** Market orders: a BUY is sized by what it spends */
  orderSide: 'BUY';
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'CONDITIONAL';
  /** Price that activates the order */
  triggerPrice: Decimal;
  /** Kind of trigger order */
  triggerOrderType: MarketTrigger;
  /** Price that the trigger watches */
  triggerPriceType: PriceType;
  /** Quote-currency amount to spend */
  quoteOrderSize: Decimal;
}

export interface SpotConditionalMarketSell {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** Market orders: a SELL is sized in base currency */
  orderSide: 'SELL';
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'CONDITIONAL';
  /** Price that activates the order */
  triggerPrice: Decimal;
  /** Kind of trigger order */
  triggerOrderType: MarketTrigger;
  /** Price that the trigger watches */
  triggerPriceType: PriceType;
  /** Base-currency quantity */
  orderSize: Decimal;
}

export interface SpotOco {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'OCO';
  /** Base-currency quantity */
  orderSize: Decimal;
  /** Limit price of the take-profit leg */
  takeProfitOrderPrice: Decimal;
  /** Limit price used after the stop-loss trigger fires */
  stopLossOrderPrice: Decimal;
  /** Price that activates the stop-loss leg */
  stopLossTriggerPrice: Decimal;
  /** Price that the stop-loss trigger watches */
  stopLossTriggerPriceType: PriceType;
  /** GTC (default), IOC or FOK */
  timeInForce?: SpotTimeInForce;
  /** The take-profit leg is rejected when it would match at once */
  postOnly?: boolean;
}

export interface SpotPeg {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'PEG';
  /** Base-currency quantity */
  orderSize: Decimal;
  /** Worst price of the pegged order */
  orderPrice: Decimal;
  /** Percent of the order that is shown at a time */
  stealth: Decimal;
  /** Percent away from the index; default 0 */
  deviation?: Decimal;
}

export interface SpotTrailingBuy {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** Market orders: a BUY is sized by what it spends */
  orderSide: 'BUY';
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'TRAILING';
  /** Distance between the extreme price and the trigger */
  trailValue: Decimal;
  /** DISTANCE (absolute) or PERCENTAGE (below 100) */
  trailValueType: TrailType;
  /** Price that moves the trigger; default LAST_PRICE */
  triggerPriceType?: PriceType;
  /** Quote-currency amount to spend */
  quoteOrderSize: Decimal;
  /** The order waits until the market reaches this price */
  activationTriggerPrice?: Decimal;
  /** Price that the activation watches */
  activationTriggerPriceType?: PriceType;
}

export interface SpotTrailingSell {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** Market orders: a SELL is sized in base currency */
  orderSide: 'SELL';
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'TRAILING';
  /** Distance between the extreme price and the trigger */
  trailValue: Decimal;
  /** DISTANCE (absolute) or PERCENTAGE (below 100) */
  trailValueType: TrailType;
  /** Price that moves the trigger; default LAST_PRICE */
  triggerPriceType?: PriceType;
  /** Base-currency quantity */
  orderSize: Decimal;
  /** The order waits until the market reaches this price */
  activationTriggerPrice?: Decimal;
  /** Price that the activation watches */
  activationTriggerPriceType?: PriceType;
}

export interface SpotTwap {
  /** Trading pair, BASE-QUOTE */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Kind of algo order */
  orderType: 'TWAP';
  /** Total base-currency quantity */
  orderSize: Decimal;
  /** Execution window in seconds */
  timePeriod: Decimal;
  /** Children are first placed post-only, then fall back to taker */
  makerFirst?: boolean;
  /** Child sizes are randomised */
  randomizeSize?: boolean;
  /** Largest size of a child, base currency */
  subTwapMaxOrderSize?: Decimal;
  /** Pauses while spread / mid is above this fraction */
  maxSpread?: Decimal;
  /** Fraction of the best opposite price that a child may go beyond; negative: off (default) */
  maxDistanceThroughBook?: Decimal;
  /** Pauses while the last price is beyond it */
  pausePrice?: Decimal;
  /** The order waits until the market reaches this price */
  activationTriggerPrice?: Decimal;
  /** Price that the activation watches */
  activationTriggerPriceType?: PriceType;
}

export interface SpotFill {
  /** The same for both sides of a trade */
  tradeId: string;
  /** Order identifier */
  orderId: string;
  /** Market symbol */
  symbol: string;
  base: string;
  quote: string;
  /** Price of this trade */
  price: number;
  /** Size of the whole order, or its amount of money if it was placed so */
  size: number;
  /** The same as price */
  filledPrice: number;
  /** Size of this trade */
  filledSize: number;
  /** The same as price */
  avgFilledPrice: number;
  /** 0: no trigger */
  triggerPrice: number;
  /** true: this order was waiting in the book; false: it came in and matched */
  maker: boolean;
  feeCurrency: string;
  /** Negative: a rebate, which the account received */
  feeAmount: number;
  /** Number of the trade in its market */
  serialId: number;
  /** Epoch ms */
  timestamp: number;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** 0 on spot */
  realizedPnl: number;
  /** Realised result less fee; 0 on spot */
  total: number;
  orderSide: Side;
  clOrderId: string | null;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerType: number;
}

export interface Fee {
  /** Market symbol */
  symbol: string;
  /** A fraction */
  makerFee: number;
  /** A fraction */
  takerFee: number;
}

export type TxType = 'LIMIT' | 'STOP' | 'TRIGGER';

export type OrderType = 'LIMIT' | 'MARKET' | 'OCO';

export type SpotPriceType = 'INDEX_PRICE' | 'LAST_PRICE';

export interface SpotCreateV33 {
  /** Market symbol */
  symbol: string;
  /** BUY or SELL */
  side: Side;
  /** How long the order is valid; default GTC */
  time_in_force?: TimeInForce;
  /** LIMIT (default); STOP and TRIGGER require triggerPrice */
  txType?: TxType;
  /** Limit price of the stop leg; required when type is OCO */
  stopPrice?: Decimal;
  /** Required for txType STOP, txType TRIGGER, and type OCO */
  triggerPrice?: Decimal;
  /** Trailing distance, with type MARKET; a negative one is a SELL of that distance */
  trailValue?: Decimal;
  /** Post-only order */
  postOnly?: boolean;
  /** Client-chosen order identifier */
  clOrderID?: string;
  /** LIMIT, MARKET or OCO */
  type: OrderType;
  /** Base-currency quantity; a MARKET BUY has it, or price */
  size?: Decimal;
  /** Limit price; of a MARKET BUY, and of one with a trigger or a trail, the total to spend */
  price?: Decimal;
  /** Price that a trigger watches: INDEX_PRICE (default) or LAST_PRICE */
  triggerPriceType?: SpotPriceType;
}

export interface SpotPegV33 {
  /** Market symbol */
  symbol: string;
  /** The highest price of a BUY, the lowest of a SELL */
  price: Decimal;
  /** Order size */
  size: Decimal;
  /** BUY or SELL */
  side: Side;
  /** Client-chosen order identifier */
  clOrderID?: string;
  /** Percent away from the index; default 0 */
  deviation?: Decimal;
  /** Percent of the order that is shown at a time: 100 shows all */
  stealth: Decimal;
  /** Kind of order */
  type: 'PEG';
}

export interface SpotOrderV33 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  /** Limit price; of a futures MARKET the average of its fills */
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  time_in_force: TimeInForce;
  /** Last change, epoch ms */
  timestamp: number;
  trigger: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  /** 0: no fill */
  avgFilledPrice: number;
  /** Why it ended; else empty */
  message: string;
  /** PEG only: percent shown */
  stealth?: number;
  /** PEG only: percent away from the index */
  deviation?: number;
  postOnly: boolean;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  clOrderID: string | null;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  totalFilledBaseSize: number;
  /** Limit price after the trigger */
  stopPrice: number | null;
  /** Of the last fill */
  filledBaseSize: number;
}

export interface SpotPegByRouteV33 {
  /** Market symbol */
  symbol: string;
  /** The highest price of a BUY, the lowest of a SELL */
  price: Decimal;
  /** Order size */
  size: Decimal;
  /** BUY or SELL */
  side: Side;
  /** Client-chosen order identifier */
  clOrderID?: string;
  /** Percent away from the index; default 0 */
  deviation?: Decimal;
  /** Percent of the order that is shown at a time: 100 shows all */
  stealth: Decimal;
  /** Kind of order */
  type?: 'PEG';
}

export interface SpotLookupV33 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** PEG only: fraction shown */
  stealth?: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  clOrderID: string | null;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  totalFilledBaseSize: number;
  quote: string;
}

export type AmendType = 'PRICE' | 'SIZE' | 'TRIGGERPRICE' | 'ALL';

export interface OlderAmend {
  /** Market symbol */
  symbol: string;
  /** Order identifier; wins over clOrderID */
  orderID?: string;
  /** Client-chosen order identifier */
  clOrderID?: string;
  /** What is amended */
  type: AmendType;
  /** The new price, size or trigger price; required unless type is ALL */
  value?: Decimal;
  /** With type ALL: the new price */
  orderPrice?: Decimal;
  /** With type ALL: the new total size, filled part included */
  orderSize?: Decimal;
  /** With type ALL: the new trigger price of a trigger that still waits */
  triggerPrice?: Decimal;
}

export type ActiveState = 'STATUS_ACTIVE';

export interface SpotOpenOrderV33 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** PEG only: fraction shown */
  stealth?: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  clOrderID: string | null;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  totalFilledBaseSize: number;
  quote: string;
  vendorName: string | null;
  botID: string | null;
  orderState: ActiveState;
  /** Validity in ms; 0: GTC, -1: IOC and FOK */
  cancelDuration: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  requestId: number;
  orderDetail: TwapDetail | PegDetail | TrailingDetail | null;
}

export interface SpotFillV33 {
  /** The same for both sides of a trade */
  tradeId: string;
  /** Order identifier */
  orderId: string;
  /** Market symbol */
  symbol: string;
  base: string;
  quote: string;
  /** Price of this trade */
  price: number;
  /** Size of the whole order, or its amount of money if it was placed so */
  size: number;
  /** The same as price */
  filledPrice: number;
  /** Size of this trade */
  filledSize: number;
  /** The same as price */
  avgFilledPrice: number;
  /** 0: no trigger */
  triggerPrice: number;
  /** true: this order was waiting in the book; false: it came in and matched */
  maker: boolean;
  feeCurrency: string;
  /** Negative: a rebate, which the account received */
  feeAmount: number;
  /** Number of the trade in its market */
  serialId: number;
  /** Epoch ms */
  timestamp: number;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** 0 on spot */
  realizedPnl: number;
  /** Realised result less fee; 0 on spot */
  total: number;
  /** Name of the account */
  username: string;
  side: Side;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  clOrderID: string | null;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerType: number;
}

export interface SpotWallet {
  currency: string;
  total: number;
  /** Less what orders and positions hold */
  available: number;
}

export type WalletRecordStatus = 'COMPLETED';

export interface SpotWalletRecord {
  currency: string;
  /** Reason and market */
  description: string;
  /** Negative: a rebate */
  fees: number;
  /** Unique in the venue */
  orderId: string;
  /** Epoch ms */
  timestamp: number;
  /** Name of the account */
  username: string;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** Always empty */
  txid: string;
  /** Always empty */
  currencyNetwork: string;
  /** Without a sign */
  amount: number;
  status: WalletRecordStatus;
  /** Deposit, Withdraw, Transfer_In or Transfer_Out */
  type: string;
}

export interface Time {
  /** ISO 8601 */
  iso: string;
  /** Seconds */
  epoch: number;
}

export interface SpotSummary {
  /** Market symbol */
  symbol: string;
  /** 0: there is none yet */
  last: number;
  /** 0: there is none */
  lowestAsk: number;
  /** 0: there is none */
  highestBid: number;
  /** Of the last 24 hours, in percent */
  percentageChange: number;
  /** Of the last 24 hours, in the quote currency */
  volume: number;
  high24Hr: number;
  low24Hr: number;
  base: string;
  quote: string;
  /** false: halted */
  active: boolean;
  /** Of the last 24 hours, in the base currency or in contracts */
  size: number;
  minValidPrice: number;
  minPriceIncrement: number;
  minOrderSize: number;
  maxOrderSize: number;
  minSizeIncrement: number;
  /** Contracts */
  openInterest: number;
  /** At the mark, in the quote currency */
  openInterestUSD: number;
  contractStart: number;
  contractEnd: number;
  timeBasedContract: boolean;
  openTime: number;
  closeTime: number;
  startMatching: number;
  inactiveTime: number;
  /** That was last settled, a fraction */
  fundingRate: number;
  /** 0 on spot */
  contractSize: number;
  /** Largest position, in the quote currency; 0 on spot */
  maxPosition: number;
  /** The first risk tier; 0 on spot */
  minRiskLimit: number;
  /** The last risk tier; 0 on spot */
  maxRiskLimit: number;
  availableSettlement: string[] | null;
  futures: boolean;
  isMarketOpenToOtc: boolean;
  isMarketOpenToSpot: boolean;
}

export interface Prices {
  /** Market symbol */
  symbol: string;
  /** 0: there is none yet */
  indexPrice: number;
  /** 0: there is none yet */
  lastPrice: number;
  /** 0 on spot */
  markPrice: number;
}

export interface Quote {
  /** With as many decimals as the tick */
  price: string;
  size: string;
}

export interface GroupedBook {
  buyQuote: Quote[];
  sellQuote: Quote[];
  /** Epoch ms */
  timestamp: number;
  /** Market symbol */
  symbol: string;
}

export interface PublicTrade {
  price: number;
  size: number;
  /** Of the taker */
  side: Side;
  /** Market symbol */
  symbol: string;
  /** The trade's number in its market */
  serialId: number;
  /** Epoch ms */
  timestamp: number;
}

export type Resolution = '1' | '5' | '15' | '30' | '60' | '240' | '360' | '1440' | '10080' | '43200';

export type TriggerReference = 'markPrice' | 'lastPrice';

export type PositionMode = 'ONE_WAY' | 'HEDGE' | 'ISOLATED';

export interface FuturesCreateV23 {
  /** Market symbol */
  symbol: string;
  /** BUY or SELL */
  side: Side;
  /** How long the order is valid; default GTC */
  time_in_force?: TimeInForce;
  /** LIMIT (default); STOP and TRIGGER require triggerPrice */
  txType?: TxType;
  /** Limit price of the stop leg; required when type is OCO */
  stopPrice?: Decimal;
  /** Required for txType STOP, txType TRIGGER, and type OCO */
  triggerPrice?: Decimal;
  /** Trailing distance, with type MARKET; a negative one is a SELL of that distance */
  trailValue?: Decimal;
  /** Post-only order */
  postOnly?: boolean;
  /** Client-chosen order identifier */
  clOrderID?: string;
  /** Order size in contracts */
  size: Decimal;
  /** LIMIT, MARKET or OCO */
  type: OrderType;
  /** Order price; required when type is LIMIT or OCO */
  price?: Decimal;
  /** Reduce-only order */
  reduceOnly?: boolean;
  /** Reference of the trigger: markPrice (default) or lastPrice */
  trigger?: TriggerReference;
  /** Take-profit trigger price */
  takeProfitPrice?: Decimal;
  /** Reference of the take-profit trigger: markPrice (default) or lastPrice */
  takeProfitTrigger?: TriggerReference;
  /** Stop-loss trigger price */
  stopLossPrice?: Decimal;
  /** Reference of the stop-loss trigger: markPrice (default) or lastPrice */
  stopLossTrigger?: TriggerReference;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
}

export type PositionDirection = 'LONG' | 'SHORT';

export interface FuturesOrderV23 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  /** Limit price; of a futures MARKET the average of its fills */
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  time_in_force: TimeInForce;
  /** Last change, epoch ms */
  timestamp: number;
  trigger: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  /** 0: no fill */
  avgFilledPrice: number;
  /** Why it ended; else empty */
  message: string;
  /** PEG only: percent shown */
  stealth?: number;
  /** PEG only: percent away from the index */
  deviation?: number;
  postOnly: boolean;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  /** Empty: none */
  clOrderID: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  /** By this request */
  filledSize: number;
  positionMode: PositionMode;
  /** Empty if the order will open a new position */
  positionId: string;
  /** The side of the position */
  positionDirection?: PositionDirection;
}

export interface AttachedOrder {
  /** Empty until the parent's first fill */
  orderId: string;
  side: Side;
  triggerPrice: number;
  /** false: the mark */
  triggerUseLastPrice: boolean;
}

export interface FuturesLookupV23 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** PEG only: fraction shown */
  stealth?: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  /** Empty: none */
  clOrderID: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  reduceOnly: boolean;
  contractSize: number;
  takeProfitOrder: AttachedOrder | null;
  stopLossOrder: AttachedOrder | null;
  /** It is attached to a position */
  closeOrder: boolean;
}

export interface FuturesPegV23 {
  /** Market symbol */
  symbol: string;
  /** The highest price of a BUY, the lowest of a SELL */
  price: Decimal;
  /** Order size */
  size: Decimal;
  /** BUY or SELL */
  side: Side;
  /** Client-chosen order identifier */
  clOrderID?: string;
  /** Percent away from the index; default 0 */
  deviation?: Decimal;
  /** Percent of the order that is shown at a time: 100 shows all */
  stealth?: Decimal;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
}

export interface FuturesOpenOrderV23 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** PEG only: fraction shown */
  stealth?: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  /** Empty: none */
  clOrderID: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  reduceOnly: boolean;
  contractSize: number;
  takeProfitOrder: AttachedOrder | null;
  stopLossOrder: AttachedOrder | null;
  /** It is attached to a position */
  closeOrder: boolean;
  vendorName: string | null;
  botID: string | null;
  orderState: ActiveState;
  /** Validity in ms; 0: GTC, -1: IOC and FOK */
  cancelDuration: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  positionMode: PositionMode;
  /** Empty if the order will open a new position */
  positionId: string;
  /** The side of the position */
  positionDirection?: PositionDirection;
}

export interface FuturesFillV23 {
  /** The same for both sides of a trade */
  tradeId: string;
  /** Order identifier */
  orderId: string;
  /** Market symbol */
  symbol: string;
  base: string;
  quote: string;
  /** Price of this trade */
  price: number;
  /** Size of the whole order, or its amount of money if it was placed so */
  size: number;
  /** The same as price */
  filledPrice: number;
  /** Size of this trade */
  filledSize: number;
  /** The same as price */
  avgFilledPrice: number;
  /** 0: no trigger */
  triggerPrice: number;
  /** true: this order was waiting in the book; false: it came in and matched */
  maker: boolean;
  feeCurrency: string;
  /** Negative: a rebate, which the account received */
  feeAmount: number;
  /** Number of the trade in its market */
  serialId: number;
  /** Epoch ms */
  timestamp: number;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** 0 on spot */
  realizedPnl: number;
  /** Realised result less fee; 0 on spot */
  total: number;
  /** Name of the account */
  username: string;
  side: Side;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  contractSize: number;
  positionId: string;
  /** 1001 stop, 1002 profit, null no trigger */
  triggerType: number | null;
  /** Empty: none */
  clOrderID: string;
}

export interface PositionV23 {
  /** 91 cross, 92 isolated */
  marginType: number;
  entryPrice: number;
  markPrice: number;
  /** Market symbol */
  symbol: string;
  side: Side;
  /** Notional at mark */
  orderValue: number;
  settleWithAsset: string;
  unrealizedProfitLoss: number;
  totalMaintenanceMargin: number;
  /** Contracts, never negative; see side */
  size: number;
  /** 0 if there is none */
  liquidationPrice: number;
  /** 0 for a cross position */
  isolatedLeverage: number;
  /** Place in the auto-deleveraging queue, in thirds: 2 is closed first, 0 last */
  adlScoreBucket: number;
  liquidationInProgress: boolean;
  /** Time of the query, epoch ms */
  timestamp: number;
  takeProfitOrder: AttachedOrder | null;
  stopLossOrder: AttachedOrder | null;
  positionMode: PositionMode;
  positionId: string;
  /** Notional of the position over total and unrealised result of its wallet, or of the isolated position */
  currentLeverage: number;
  contractSize: number;
  /** CROSS@, or ISOLATED@ and the market id: ISOLATED@BTC-PERP-USDT */
  walletName: string;
  /** The side of the position */
  positionDirection?: PositionDirection;
}

export type CloseType = 'LIMIT' | 'MARKET';

export interface FuturesCloseV23 {
  /** Market symbol */
  symbol: string;
  /** LIMIT or MARKET */
  type: CloseType;
  /** Required when type is LIMIT */
  price?: Decimal;
  /** Post-only order */
  postOnly?: boolean;
  /** Which position; required in HEDGE and ISOLATED */
  positionId?: string;
}

export interface BindTpslV23 {
  /** Market symbol */
  symbol: string;
  /** The side that closes the position; required in HEDGE */
  side?: Side;
  /** Take-profit trigger price */
  takeProfitPrice?: Decimal;
  /** Reference of the take-profit trigger: markPrice (default) or lastPrice */
  takeProfitTrigger?: TriggerReference;
  /** Stop-loss trigger price */
  stopLossPrice?: Decimal;
  /** Reference of the stop-loss trigger: markPrice (default) or lastPrice */
  stopLossTrigger?: TriggerReference;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
  /** Which position; required in ISOLATED */
  positionId?: string;
}

export interface RiskLimit {
  /** Market symbol */
  symbol: string;
  /** Largest notional of the tier in use */
  riskLimit: number;
  /** Number of the tier; the first is 1 */
  riskLimitLevel: number;
}

export interface SetRiskLimitV23 {
  /** Market symbol */
  symbol: string;
  /** Number of the risk tier, from 1 */
  riskLimitLevel: Decimal;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
}

export interface SettingChanged {
  /** Market symbol */
  symbol: string;
  /** Epoch ms */
  timestamp: number;
  /** 20: done */
  status: number;
  /** 93 leverage, 94 risk limit, 129 position mode */
  type: number;
  message: string;
}

export interface SettleInV23 {
  /** Market symbol */
  symbol: string;
  /** The settlement currency */
  currency: string;
  /** One position, in HEDGE and ISOLATED */
  positionId?: string;
}

export type MarginMode = 'CROSS' | 'ISOLATED';

export interface Leverage {
  /** Market symbol */
  symbol: string;
  /** 0 means the highest leverage of the tier */
  leverage: number;
  marginMode: MarginMode;
  /** The side of the position */
  positionDirection: PositionDirection | null;
}

export interface SetLeverageV23 {
  /** Market symbol */
  symbol: string;
  /** Leverage; 0: the maximum, of cross margin */
  leverage: Decimal;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
  /** One position, in HEDGE and ISOLATED */
  positionId?: string;
  /** Which leverage; default ISOLATED */
  marginMode?: MarginMode;
}

export interface MarketPositionMode {
  /** Market symbol */
  symbol: string;
  positionMode: PositionMode;
}

export interface SetPositionModeV23 {
  /** Market symbol */
  symbol: string;
  /** ONE_WAY, HEDGE or ISOLATED */
  positionMode: PositionMode;
}

export interface MarginSetting {
  /** Market symbol */
  symbol: string;
  /** As a fraction: 0.01 is 1 % */
  initialMarginPercentage: number;
  /** As a fraction: 0.01 is 1 % */
  maintenanceMarginPercentage: number;
}

export interface WalletAsset {
  balance: number;
  /** In USDT; 0: no index yet */
  assetPrice: number;
  currency: string;
}

export interface Wallet {
  /** CROSS@, or ISOLATED@ and a market */
  wallet: string;
  activeWalletName: string;
  /** Name of the account */
  username: string;
  /** The same as totalValue */
  walletTotalValue: number;
  /** All currencies, in USDT */
  totalValue: number;
  /** Always 0 */
  queryType: number;
  /** Always 0 */
  trackingID: number;
  /** Always 0 */
  requestId: number;
  /** Settlement currency only */
  marginBalance: number;
  availableBalance: number;
  unrealisedProfitLoss: number;
  maintenanceMargin: number;
  /** Exposure over equity */
  leverage: number;
  openMargin: number;
  assets: WalletAsset[];
  assetsInUse: WalletAsset[];
}

export interface FuturesWalletRecord {
  currency: string;
  /** Reason and market */
  description: string;
  /** Negative: a rebate */
  fees: number;
  /** Unique in the venue */
  orderId: string;
  /** Epoch ms */
  timestamp: number;
  /** Name of the account */
  username: string;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** Always empty */
  txid: string;
  /** Always empty */
  currencyNetwork: string;
  /** Before the fee; negative: taken from the wallet */
  amount: number;
  /** 10: completed */
  status: number;
  /** 105 transfer, 106 liquidation, 108 realised result, 110 funding, 1004 auto-deleveraging */
  type: number;
}

export type WalletType = 'SPOT' | 'CROSS' | 'ISOLATED';

export interface TransferAmount {
  /** Currency */
  currency: string;
  /** true: all that is available */
  allBalance?: boolean;
  /** The amount; required unless allBalance is true */
  balance?: Decimal;
}

export interface WalletTransfer {
  /** Not used: SPOT and CROSS have no names */
  walletSrc?: string;
  /** From: SPOT or CROSS */
  walletSrcType: WalletType;
  /** Not used: SPOT and CROSS have no names */
  walletDest?: string;
  /** To: SPOT or CROSS */
  walletDestType: WalletType;
  /** The amounts */
  apiWallets: TransferAmount[];
}

export interface WalletMargin {
  /** CROSS@, or ISOLATED@ and a market */
  activeWalletName: string;
  unrealisedProfitLoss: number;
  /** All currencies, in USDT */
  walletTotalValue: number;
  /** Settlement currency only */
  marginBalance: number;
  availableBalance: number;
  maintenanceMargin: number;
}

export interface UnifiedMargin {
  /** Empty: of all markets */
  symbol: string;
  /** Of all wallets, in USDT */
  walletTotalValue: number;
  /** Of all wallets */
  walletTotalUnrealizedProfitLoss: number;
  /** Of all wallets */
  futuresTotalAvailableBalance: number;
  wallets: WalletMargin[];
}

export interface FuturesSummary {
  /** Market symbol */
  symbol: string;
  /** 0: there is none yet */
  last: number;
  /** 0: there is none */
  lowestAsk: number;
  /** 0: there is none */
  highestBid: number;
  /** Of the last 24 hours, in percent */
  percentageChange: number;
  /** Of the last 24 hours, in the quote currency */
  volume: number;
  high24Hr: number;
  low24Hr: number;
  base: string;
  quote: string;
  /** false: halted */
  active: boolean;
  /** Of the last 24 hours, in the base currency or in contracts */
  size: number;
  minValidPrice: number;
  minPriceIncrement: number;
  minOrderSize: number;
  maxOrderSize: number;
  minSizeIncrement: number;
  /** Contracts */
  openInterest: number;
  /** At the mark, in the quote currency */
  openInterestUSD: number;
  contractStart: number;
  contractEnd: number;
  timeBasedContract: boolean;
  openTime: number;
  closeTime: number;
  startMatching: number;
  inactiveTime: number;
  /** That was last settled, a fraction */
  fundingRate: number;
  /** 0 on spot */
  contractSize: number;
  /** Largest position, in the quote currency; 0 on spot */
  maxPosition: number;
  /** The first risk tier; 0 on spot */
  minRiskLimit: number;
  /** The last risk tier; 0 on spot */
  maxRiskLimit: number;
  availableSettlement: string[] | null;
  futures: boolean;
  /** With listFullAttributes */
  fundingIntervalMinutes?: number;
  /** The next one, epoch ms; with listFullAttributes */
  fundingTime?: number;
}

export interface FundingRate {
  /** Epoch seconds */
  time: number;
  /** A fraction; positive: longs pay */
  rate: number;
  /** Market symbol */
  symbol: string;
}

export interface MarketRiskLimit {
  /** Market symbol */
  symbol: string;
  riskLevel: number;
  /** Largest notional, in the quote currency */
  riskLimitValue: number;
  /** A fraction */
  initialMarginRate: number;
  /** A fraction */
  maintenanceMarginRate: number;
  maxLeverage: number;
}

export interface FuturesLimit {
  /** Market symbol such as BTC-PERP */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Order size in contracts */
  orderSize: Decimal;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Reduce-only order */
  reduceOnly?: boolean;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
  /** Kind of order */
  orderType: 'LIMIT';
  /** Limit price */
  orderPrice: Decimal;
  /** How long the order is valid; default GTC */
  timeInForce?: TimeInForce;
  /** Rejected when it would match at once */
  postOnly?: boolean;
  /** Trigger price of the attached take-profit */
  takeProfitTriggerPrice?: Decimal;
  /** Price that the take-profit watches; default MARK_PRICE */
  takeProfitTriggerType?: PriceType;
  /** Trigger price of the attached stop-loss */
  stopLossTriggerPrice?: Decimal;
  /** Price that the stop-loss watches; default MARK_PRICE */
  stopLossTriggerType?: PriceType;
}

export interface FuturesMarket {
  /** Market symbol such as BTC-PERP */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Order size in contracts */
  orderSize: Decimal;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Reduce-only order */
  reduceOnly?: boolean;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
  /** Kind of order */
  orderType: 'MARKET';
  /** 0 or absent */
  orderPrice?: Decimal;
  /** Trigger price of the attached take-profit */
  takeProfitTriggerPrice?: Decimal;
  /** Price that the take-profit watches; default MARK_PRICE */
  takeProfitTriggerType?: PriceType;
  /** Trigger price of the attached stop-loss */
  stopLossTriggerPrice?: Decimal;
  /** Price that the stop-loss watches; default MARK_PRICE */
  stopLossTriggerType?: PriceType;
}

export interface FuturesPlacement {
  /** 0 */
  type: number;
  /** Empty: none */
  clOrderID: string;
  /** Limit price; of a MARKET the average of its fills */
  price: number;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** Market symbol */
  symbol: string;
  postOnly: boolean;
  reduceOnly: boolean;
  orderSide: Side;
  /** Order identifier */
  orderId: string;
  /** Last change, epoch ms */
  timestamp: number;
  /** 0: no fill */
  avgFilledPrice: number;
  /** Why it ended; else empty */
  message: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  /** By this request */
  filledSize: number;
  timeInForce: TimeInForce;
  positionMode: PositionMode;
  /** Empty if the order will open a new position */
  positionId: string;
  /** The side of the position */
  positionDirection: PositionDirection | null;
}

export type OrderState =
  | 'STATUS_ACTIVE'
  | 'TRIGGER_INSERTED'
  | 'ORDER_INSERTED'
  | 'ORDER_PARTIALLY_TRANSACTED'
  | 'ORDER_FULLY_TRANSACTED'
  | 'ORDER_CANCELLED'
  | 'ORDER_REJECTED';

export interface FuturesOpenOrder {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderId: string;
  /** Empty: none */
  clOrderId: string;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  orderSide: Side;
  orderPrice: number;
  /** In settlement currency */
  orderValue: number;
  /** STATUS_ACTIVE while it lives, else how it ended */
  orderState: OrderState;
  /** Creation, epoch ms */
  timestamp: number;
  timeInForce: TimeInForce;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  /** 0: no fill */
  avgFilledPrice: number;
  postOnly: boolean;
  reduceOnly: boolean;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  triggerType: PriceType | null;
  triggerUseLastPrice: boolean;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** 0: no trailing stop */
  trailValue: number;
  trailValueType: TrailType | null;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  takeProfitOrder: AttachedOrder | null;
  stopLossOrder: AttachedOrder | null;
  /** It is attached to a position */
  closeOrder: boolean;
  contractSize: number;
  positionMode: PositionMode;
  /** Empty if the order will open a new position */
  positionId: string;
  /** The side of the position */
  positionDirection: PositionDirection | null;
}

export interface FuturesCancel {
  /** Market symbol */
  symbol: string;
  /** Order identifier; wins over clOrderId */
  orderId?: string;
  /** Client-chosen order identifier */
  clOrderId?: string;
}

export interface FuturesOrder {
  /** Of an amend or a cancel: 76 LIMIT, 77 MARKET, 80 PEG; of a placement 0 */
  type: number;
  /** Empty: none */
  clOrderId: string;
  /** Limit price; of a MARKET the average of its fills */
  orderPrice: number;
  /** Contracts */
  orderSize: number;
  triggerOrder: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** Market symbol */
  symbol: string;
  postOnly: boolean;
  reduceOnly: boolean;
  orderSide: Side;
  /** Order identifier */
  orderId: string;
  /** Last change, epoch ms */
  timestamp: number;
  /** 0: no fill */
  avgFilledPrice: number;
  /** Why it ended; else empty */
  message: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  /** By this request */
  filledSize: number;
  timeInForce: TimeInForce;
  positionMode: PositionMode;
  /** Empty if the order will open a new position */
  positionId: string;
  /** The side of the position */
  positionDirection: PositionDirection | null;
}

export interface FuturesConditional {
  /** Market symbol such as BTC-PERP */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Order size in contracts */
  orderSize: Decimal;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Reduce-only order */
  reduceOnly?: boolean;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
  /** Kind of order */
  orderType: 'CONDITIONAL';
  /** Price that activates the order */
  triggerPrice: Decimal;
  /** Price that the trigger watches; default MARK_PRICE */
  triggerType?: PriceType;
  /** Limit price of the released order; absent: a market order */
  orderPrice?: Decimal;
  /** How long the order is valid; default GTC */
  timeInForce?: TimeInForce;
  /** Rejected when it would match at once */
  postOnly?: boolean;
  /** Trigger price of the attached take-profit */
  takeProfitTriggerPrice?: Decimal;
  /** Price that the take-profit watches; default MARK_PRICE */
  takeProfitTriggerType?: PriceType;
  /** Trigger price of the attached stop-loss */
  stopLossTriggerPrice?: Decimal;
  /** Price that the stop-loss watches; default MARK_PRICE */
  stopLossTriggerType?: PriceType;
}

export interface FuturesOco {
  /** Market symbol such as BTC-PERP */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Order size in contracts */
  orderSize: Decimal;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Reduce-only order */
  reduceOnly?: boolean;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
  /** Kind of order */
  orderType: 'OCO';
  /** Limit price of the take-profit leg */
  takeProfitOrderPrice: Decimal;
  /** Limit price used after the stop-loss trigger fires */
  stopLossOrderPrice: Decimal;
  /** Price that activates the stop-loss leg */
  stopLossTriggerPrice: Decimal;
  /** Price that the stop-loss trigger watches; default MARK_PRICE */
  stopLossTriggerType?: PriceType;
  /** How long the order is valid; default GTC */
  timeInForce?: TimeInForce;
  /** Rejected when it would match at once */
  postOnly?: boolean;
}

export interface FuturesTrailing {
  /** Market symbol such as BTC-PERP */
  symbol: string;
  /** BUY or SELL */
  orderSide: Side;
  /** Order size in contracts */
  orderSize: Decimal;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** Reduce-only order */
  reduceOnly?: boolean;
  /** ONE_WAY, HEDGE or ISOLATED; default: the account's mode */
  positionMode?: PositionMode;
  /** Kind of order */
  orderType: 'TRAILING';
  /** Distance between the extreme price and the trigger */
  trailValue: Decimal;
  /** DISTANCE (absolute) or PERCENTAGE (below 100) */
  trailValueType: TrailType;
  /** Price that moves the trigger; default MARK_PRICE */
  trailTriggerPriceType?: PriceType;
}

export interface FuturesAmendPrice {
  /** Market symbol */
  symbol: string;
  /** Order identifier; wins over clOrderId */
  orderId?: string;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** What is amended */
  amendType: 'PRICE';
  /** New price */
  orderPrice: Decimal;
}

export interface FuturesAmendSize {
  /** Market symbol */
  symbol: string;
  /** Order identifier; wins over clOrderId */
  orderId?: string;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** What is amended */
  amendType: 'SIZE';
  /** New total size, filled part included */
  orderSize: Decimal;
}

export interface FuturesAmendTrigger {
  /** Market symbol */
  symbol: string;
  /** Order identifier; wins over clOrderId */
  orderId?: string;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** What is amended */
  amendType: 'TRIGGER_PRICE';
  /** New trigger price of a trigger that still waits */
  triggerPrice: Decimal;
}

export interface FuturesAmendAll {
  /** Market symbol */
  symbol: string;
  /** Order identifier; wins over clOrderId */
  orderId?: string;
  /** Client-chosen order identifier */
  clOrderId?: string;
  /** What is amended */
  amendType: 'ALL';
  /** New price */
  orderPrice?: Decimal;
  /** New total size, filled part included */
  orderSize?: Decimal;
  /** New trigger price of a trigger that still waits */
  triggerPrice?: Decimal;
}

export interface FuturesCancelAllAfter {
  /** Milliseconds until all orders are cancelled, unless renewed; 0 disarms */
  timeoutMs: Decimal;
}

export interface Position {
  /** 91 cross, 92 isolated */
  marginType: number;
  entryPrice: number;
  markPrice: number;
  /** Market symbol */
  symbol: string;
  side: Side;
  /** Notional at mark */
  orderValue: number;
  settleWithAsset: string;
  unrealizedProfitLoss: number;
  totalMaintenanceMargin: number;
  /** Contracts, never negative; see side */
  size: number;
  /** 0 if there is none */
  liquidationPrice: number;
  /** 0 for a cross position */
  isolatedLeverage: number;
  /** Place in the auto-deleveraging queue, in thirds: 2 is closed first, 0 last */
  adlScoreBucket: number;
  liquidationInProgress: boolean;
  /** Time of the query, epoch ms */
  timestamp: number;
  takeProfitOrder: AttachedOrder | null;
  stopLossOrder: AttachedOrder | null;
  positionMode: PositionMode;
  positionId: string;
  /** Notional of the position over total and unrealised result of its wallet, or of the isolated position */
  currentLeverage: number;
  contractSize: number;
  /** CROSS@, or ISOLATED@ and the market id: ISOLATED@BTC-PERP-USDT */
  walletName: string;
  /** The side of the position */
  positionDirection: PositionDirection | null;
}

export interface FuturesCloseLimit {
  /** Market symbol */
  symbol: string;
  /** Kind of order */
  orderType: 'LIMIT';
  /** Limit price */
  orderPrice: Decimal;
  /** Rejected when it would match at once */
  postOnly?: boolean;
  /** Which position; required in HEDGE and ISOLATED */
  positionId?: string;
}

export interface FuturesCloseMarket {
  /** Market symbol */
  symbol: string;
  /** Kind of order */
  orderType: 'MARKET';
  /** 0 or absent */
  orderPrice?: Decimal;
  /** Which position; required in HEDGE and ISOLATED */
  positionId?: string;
}

export interface PositionTpsl {
  /** Market symbol */
  symbol: string;
  /** The side that closes the position; required in HEDGE */
  orderSide?: Side;
  /** Trigger price of the attached take-profit */
  takeProfitTriggerPrice?: Decimal;
  /** Price that the take-profit watches; default MARK_PRICE */
  takeProfitTriggerType?: PriceType;
  /** Trigger price of the attached stop-loss */
  stopLossTriggerPrice?: Decimal;
  /** Price that the stop-loss watches; default MARK_PRICE */
  stopLossTriggerType?: PriceType;
  /** The account's position mode */
  positionMode?: PositionMode;
  /** Which position; required in ISOLATED */
  positionId?: string;
}

export interface SetRiskLimit {
  /** Market symbol */
  symbol: string;
  /** Number of the risk tier, from 1 */
  riskLimitLevel: Decimal;
  /** The account's position mode */
  positionMode?: PositionMode;
}

export interface SettleIn {
  /** Market symbol */
  symbol: string;
  /** The settlement currency */
  currency: string;
  /** One position, in HEDGE and ISOLATED */
  positionId?: string;
}

export interface FuturesFill {
  /** The same for both sides of a trade */
  tradeId: string;
  /** Order identifier */
  orderId: string;
  /** Market symbol */
  symbol: string;
  base: string;
  quote: string;
  /** Price of this trade */
  price: number;
  /** Size of the whole order, or its amount of money if it was placed so */
  size: number;
  /** The same as price */
  filledPrice: number;
  /** Size of this trade */
  filledSize: number;
  /** The same as price */
  avgFilledPrice: number;
  /** 0: no trigger */
  triggerPrice: number;
  /** true: this order was waiting in the book; false: it came in and matched */
  maker: boolean;
  feeCurrency: string;
  /** Negative: a rebate, which the account received */
  feeAmount: number;
  /** Number of the trade in its market */
  serialId: number;
  /** Epoch ms */
  timestamp: number;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** 0 on spot */
  realizedPnl: number;
  /** Realised result less fee; 0 on spot */
  total: number;
  orderSide: Side;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  contractSize: number;
  positionId: string;
  /** 1001 stop, 1002 profit, null no trigger */
  triggerType: number | null;
  /** Empty: none */
  clOrderId: string;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  type: number;
}

export interface SetLeverage {
  /** Market symbol */
  symbol: string;
  /** Leverage; 0: the maximum, of cross margin */
  leverage: Decimal;
  /** Which leverage; default ISOLATED */
  marginMode?: MarginMode;
  /** The account's position mode */
  positionMode?: PositionMode;
  /** One position, in HEDGE and ISOLATED */
  positionId?: string;
  /** One position, in HEDGE */
  positionDirection?: PositionDirection;
}

export interface SetPositionMode {
  /** Market symbol */
  symbol: string;
  /** ONE_WAY, HEDGE or ISOLATED */
  positionMode: PositionMode;
}

export type MarketType = 'Spot' | 'FuturesPerpetual' | 'FuturesTimeBased';

export interface Market {
  /** Market id: BTC-PERP-USDT */
  symbol: string;
  type: MarketType;
  category: string;
  /** The base of a spot pair, the symbol of a perpetual */
  tradeCurrency: string;
  baseCurrency: string;
  quoteCurrency: string;
  displayName: string;
  /** false: halted */
  active: boolean;
  /** Decimal */
  minOrderPrice: string;
  /** Decimal */
  minPriceIncrement: string;
  /** Decimals */
  pricePrecision: number;
  /** Decimal */
  minOrderSize: string;
  /** Decimal */
  maxOrderSize: string;
  /** Decimal */
  minSizeIncrement: string;
  /** Decimals */
  sizePrecision: number;
  /** Perpetuals */
  contractSize?: string;
  availableSettlement?: string[];
}

export interface Book {
  /** Epoch ms */
  timestamp: number;
  /** Best first */
  bids: [string, string][];
  /** Best first */
  asks: [string, string][];
}

export interface Ticker {
  /** Market id: BTC-PERP-USDT */
  symbol: string;
  /** Decimal; 0: there is none */
  lastPrice: string;
  /** Decimal; 0: there is none */
  openPrice: string;
  /** Decimal; 0: there is none */
  highPrice: string;
  /** Decimal; 0: there is none */
  lowPrice: string;
  /** Volume in the base currency, or in contracts */
  amount: string;
  /** Volume in the quote currency */
  volume: string;
  /** Where the 24 hours begin, epoch seconds */
  openTime: number;
  /** Now, epoch seconds */
  closeTime: number;
  /** lastPrice - openPrice */
  priceChange: string;
  /** A fraction, with three decimals */
  priceChangePercent: string;
  /** As openPrice */
  prevClosePrice: string;
  /** Decimal; 0: there is none */
  bidPrice: string;
  /** Decimal */
  bidQty: string;
  /** Decimal; 0: there is none */
  askPrice: string;
  /** Decimal */
  askQty: string;
  /** Contracts. This and what follows: perpetuals */
  openInterest?: string;
  /** At the mark, in the quote currency */
  openInterestUSD?: string;
  /** That was last settled, a fraction */
  fundingRate?: string;
  /** Epoch ms */
  nextFundingTime?: number;
  fundingIntervalMinutes?: number;
}

export type Tickers = Ticker[];

export interface Indices {
  /** Market id */
  symbol: string;
  /** Decimal; 0: there is none */
  indexPrice: string;
  /** Decimal; 0: there is none */
  markPrice: string;
}

export interface TickerTrade {
  /** The trade's number in its market */
  id: number;
  /** Epoch ms */
  timestamp: number;
  /** Decimal */
  price: string;
  /** Decimal */
  size: string;
  /** Decimal */
  quoteSize: string;
  /** Of the taker */
  side: Side;
}

export type FundingPeriod = '7D' | '2W' | '1M';

export interface PaidFunding {
  /** Epoch ms */
  timestamp: number;
  /** A fraction */
  rate: string;
}

export interface RiskLimitLevel {
  level: number;
  /** Largest notional, in the quote currency */
  value: number;
}

export interface RiskLimits {
  /** Market id */
  symbol: string;
  riskLimits: RiskLimitLevel[];
}

export type AllRiskLimits = RiskLimits[];

export interface Asset {
  /** Currency */
  asset: string;
  /** Decimal */
  totalAmount: string;
  /** Decimal; less what orders and positions hold */
  availableAmount: string;
}

export interface WalletRecord {
  /** Epoch ms */
  transactionTime: number;
  /** DEPOSIT, WITHDRAW, TRANSFER_IN, TRANSFER_OUT, REALIZED_PNL, LIQUIDATION, AUTO_DELEVERAGING, FUNDING, INSURANCE_FUND */
  type: string;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  walletName: string;
  /** Currency */
  asset: string;
  /** Decimal: less the fee */
  netAmount: string;
  /** Decimal; of deposits, withdrawals and transfers without a sign */
  amount: string;
  /** Unique in the venue */
  transactionRef: string;
  status: WalletRecordStatus;
  /** Reason and market */
  description: string;
  /** Decimal; negative: a rebate */
  fees: string;
  /** Always empty */
  cryptoNetwork: string;
  /** Always empty */
  toAddress: string;
  /** Always empty */
  confirmTimes: string;
  /** Always empty */
  txId: string;
}

export interface SpotOrderV32 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  /** Limit price; of a futures MARKET the average of its fills */
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  time_in_force: TimeInForce;
  /** Last change, epoch ms */
  timestamp: number;
  trigger: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  /** 0: no fill */
  avgFilledPrice: number;
  /** Why it ended; else empty */
  message: string;
  /** As stealth, or 1 */
  stealth: number;
  /** As deviation, or 1 */
  deviation: number;
  postOnly: boolean;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  clOrderID: string | null;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  totalFilledBaseSize: number;
  /** Limit price after the trigger */
  stopPrice: number | null;
  /** Of the last fill */
  filledBaseSize: number;
  /** As currentOrderBaseSize, or currentOrderQuoteSize */
  size: number;
  /** As remainingOrderBaseSize, or remainingOrderQuoteSize */
  remainingSize: number;
  /** As totalFilledBaseSize */
  fillSize: number;
  /** As avgFilledPrice */
  averageFillPrice: number;
  /** As originalOrderBaseSize, or originalOrderQuoteSize */
  originalSize: number;
}

export interface SpotLookupV32 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** PEG only: fraction shown */
  stealth?: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  clOrderID: string | null;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  totalFilledBaseSize: number;
  quote: string;
  /** As currentOrderBaseSize, or currentOrderQuoteSize */
  size: number;
  /** As remainingOrderBaseSize, or remainingOrderQuoteSize */
  remainingSize: number;
  /** As totalFilledBaseSize */
  fillSize: number;
  /** As avgFilledPrice */
  averageFillPrice: number;
  /** As totalFilledBaseSize */
  filledSize: number;
}

export interface SpotOpenOrderV32 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** PEG only: fraction shown */
  stealth?: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  clOrderID: string | null;
  /** Which of the sizes are populated */
  orderCurrency: OrderCurrency;
  /** null: sized in quote currency */
  originalOrderBaseSize: number | null;
  /** null: sized in base currency */
  originalOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  currentOrderBaseSize: number | null;
  /** null: sized in base currency */
  currentOrderQuoteSize: number | null;
  /** null: sized in quote currency */
  remainingOrderBaseSize: number | null;
  /** null: sized in base currency */
  remainingOrderQuoteSize: number | null;
  totalFilledBaseSize: number;
  quote: string;
  vendorName: string | null;
  botID: string | null;
  orderState: ActiveState;
  /** Validity in ms; 0: GTC, -1: IOC and FOK */
  cancelDuration: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  requestId: number;
  orderDetail: TwapDetail | PegDetail | TrailingDetail | null;
  /** As currentOrderBaseSize, or currentOrderQuoteSize */
  size: number;
  /** As remainingOrderBaseSize, or remainingOrderQuoteSize */
  remainingSize: number;
  /** As totalFilledBaseSize */
  fillSize: number;
  /** As avgFilledPrice */
  averageFillPrice: number;
  /** As totalFilledBaseSize */
  filledSize: number;
}

export interface SpotFillV32 {
  /** The same for both sides of a trade */
  tradeId: string;
  /** Order identifier */
  orderId: string;
  /** Market symbol */
  symbol: string;
  base: string;
  quote: string;
  /** Price of this trade */
  price: number;
  /** Size of the whole order, or its amount of money if it was placed so */
  size: number;
  /** The same as price */
  filledPrice: number;
  /** Size of this trade */
  filledSize: number;
  /** The same as price */
  avgFilledPrice: number;
  /** 0: no trigger */
  triggerPrice: number;
  /** true: this order was waiting in the book; false: it came in and matched */
  maker: boolean;
  feeCurrency: string;
  /** Negative: a rebate, which the account received */
  feeAmount: number;
  /** Number of the trade in its market */
  serialId: number;
  /** Epoch ms */
  timestamp: number;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** 0 on spot */
  realizedPnl: number;
  /** Realised result less fee; 0 on spot */
  total: number;
  /** Name of the account */
  username: string;
  side: Side;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  clOrderID: string | null;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerType: number;
  /** As avgFilledPrice */
  averageFillPrice: number;
}

export interface FuturesOrderV22 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  /** Limit price; of a futures MARKET the average of its fills */
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  time_in_force: TimeInForce;
  /** Last change, epoch ms */
  timestamp: number;
  trigger: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  /** 0: no fill */
  avgFilledPrice: number;
  /** Why it ended; else empty */
  message: string;
  /** As stealth, or 100 */
  stealth: number;
  /** As deviation, or 100 */
  deviation: number;
  postOnly: boolean;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  /** Empty: none */
  clOrderID: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  /** By this request */
  filledSize: number;
  positionMode: PositionMode;
  /** Empty if the order will open a new position */
  positionId: string;
  /** The side of the position */
  positionDirection?: PositionDirection;
  /** As currentOrderSize */
  size: number;
  /** As originalOrderSize */
  originalSize: number;
  /** As totalFilledSize */
  fillSize: number;
  /** As avgFilledPrice */
  avgFillPrice: number;
}

export interface FuturesLookupV22 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** As stealth, or 1 */
  stealth: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  /** Empty: none */
  clOrderID: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  reduceOnly: boolean;
  contractSize: number;
  takeProfitOrder: AttachedOrder | null;
  stopLossOrder: AttachedOrder | null;
  /** It is attached to a position */
  closeOrder: boolean;
  /** As currentOrderSize */
  size: number;
  /** As totalFilledSize */
  filledSize: number;
  /** As avgFilledPrice */
  averageFillPrice: number;
}

export interface FuturesOpenOrderV22 {
  /** Market symbol */
  symbol: string;
  /** Order identifier */
  orderID: string;
  side: Side;
  price: number;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** In quote currency */
  orderValue: number;
  /** 0: none */
  pegPriceMin: number;
  /** 0: none */
  pegPriceMax: number;
  /** A fraction */
  pegPriceDeviation: number;
  /** As stealth, or 1 */
  stealth: number;
  /** Creation, epoch ms */
  timestamp: number;
  triggerOrder: boolean;
  triggered: boolean;
  /** 0: no trigger */
  triggerPrice: number;
  triggerOriginalPrice: number;
  /** 1001 stop, 1002 profit, 0 no trigger */
  triggerOrderType: number;
  /** A fraction */
  triggerTrailingStopDeviation: number;
  /** Limit price after the trigger */
  triggerStopPrice: number;
  triggerUseLastPrice: boolean;
  /** 0: no trailing stop */
  trailValue: number;
  postOnly: boolean;
  /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
  status: number;
  /** 0: no fill */
  avgFilledPrice: number;
  timeInForce: TimeInForce;
  /** Empty: none */
  clOrderID: string;
  /** Contracts, as placed */
  originalOrderSize: number;
  /** Contracts, after amends */
  currentOrderSize: number;
  /** Contracts filled so far */
  totalFilledSize: number;
  /** Contracts not filled yet */
  remainingSize: number;
  reduceOnly: boolean;
  contractSize: number;
  takeProfitOrder: AttachedOrder | null;
  stopLossOrder: AttachedOrder | null;
  /** It is attached to a position */
  closeOrder: boolean;
  vendorName: string | null;
  botID: string | null;
  orderState: ActiveState;
  /** Validity in ms; 0: GTC, -1: IOC and FOK */
  cancelDuration: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  positionMode: PositionMode;
  /** Empty if the order will open a new position */
  positionId: string;
  /** The side of the position */
  positionDirection?: PositionDirection;
  /** As currentOrderSize */
  size: number;
  /** As totalFilledSize */
  filledSize: number;
  /** As avgFilledPrice */
  averageFillPrice: number;
}

export interface FuturesFillV22 {
  /** The same for both sides of a trade */
  tradeId: string;
  /** Order identifier */
  orderId: string;
  /** Market symbol */
  symbol: string;
  base: string;
  quote: string;
  /** Price of this trade */
  price: number;
  /** Size of the whole order, or its amount of money if it was placed so */
  size: number;
  /** The same as price */
  filledPrice: number;
  /** Size of this trade */
  filledSize: number;
  /** The same as price */
  avgFilledPrice: number;
  /** 0: no trigger */
  triggerPrice: number;
  /** true: this order was waiting in the book; false: it came in and matched */
  maker: boolean;
  feeCurrency: string;
  /** Negative: a rebate, which the account received */
  feeAmount: number;
  /** Number of the trade in its market */
  serialId: number;
  /** Epoch ms */
  timestamp: number;
  /** SPOT@, CROSS@, or ISOLATED@ and a market */
  wallet: string;
  /** 0 on spot */
  realizedPnl: number;
  /** Realised result less fee; 0 on spot */
  total: number;
  /** Name of the account */
  username: string;
  side: Side;
  /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
  orderType: number;
  /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
  orderDetailType: string | null;
  contractSize: number;
  positionId: string;
  /** 1001 stop, 1002 profit, null no trigger */
  triggerType: number | null;
  /** Empty: none */
  clOrderID: string;
  /** As avgFilledPrice */
  averageFillPrice: number;
}

export interface BookUpdate {
  /** As in the table of topics */
  topic: string;
  data: {
    bids: [string, string][];
    asks: [string, string][];
    /** Of this frame: prevSeqNum + 1 */
    seqNum: number;
    /** Of the frame before */
    prevSeqNum: number;
    type: 'snapshot' | 'delta';
    /** Market symbol */
    symbol: string;
    /** Epoch ms */
    timestamp: number;
  };
}

export interface BookL1 {
  /** As in the table of topics */
  topic: string;
  data: {
    bids: [string, string][];
    asks: [string, string][];
    type: 'snapshotL1';
    /** Market symbol */
    symbol: string;
    /** Epoch ms */
    timestamp: number;
  };
}

export interface BookSnapshot {
  /** As in the table of topics */
  topic: string;
  data: {
    bids: [string, string][];
    asks: [string, string][];
    /** Of this frame: prevSeqNum + 1 */
    seqNum: number;
    /** Of the frame before */
    prevSeqNum: number;
    type: 'snapshot';
    /** Market symbol */
    symbol: string;
    /** Epoch ms */
    timestamp: number;
  };
}

export interface PublicTrades {
  /** As in the table of topics */
  topic: string;
  data: Array<{
    price: number;
    size: number;
    side: 'BUY' | 'SELL';
    /** Market symbol */
    symbol: string;
    tradeId: number;
    /** Epoch ms */
    timestamp: number;
  }>;
}

export interface SpotNotificationV3 {
  /** As in the table of topics */
  topic: string;
  /** The last command that it includes, if the topic was subscribed with @SEQ */
  seq?: number;
  data: {
    /** Market symbol */
    symbol: string;
    /** Order identifier */
    orderID: string;
    price: number;
    triggerPrice: number;
    /** A fraction; 1 for an order that is not pegged */
    pegPriceDeviation: number;
    /** A fraction; 1 for an order that is not pegged */
    stealth: number;
    /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
    status: number;
    /** Epoch ms */
    timestamp: number;
    /** Empty: none */
    clOrderID: string;
    maker: boolean;
    time_in_force: string;
    side: 'MODE_BUY' | 'MODE_SELL';
    /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
    orderType: number;
    /** 0 none, 1 a stop, 2 a take-profit, 3 one of a pair */
    txType: number;
    avgFilledPrice: number;
    postOnly: boolean;
    orderUserInitiated: boolean;
    originalOrderBaseSize: number;
    originalOrderQuoteSize: number;
    currentOrderBaseSize: number;
    currentOrderQuoteSize: number;
    /** Filled by this event */
    filledBaseSize: number;
    totalFilledBaseSize: number;
    remainingBaseSize: number;
    remainingQuoteSize: number;
    /** The currency of its size */
    orderCurrency: string;
  };
}

export interface SpotNotificationV2 {
  /** As in the table of topics */
  topic: string;
  /** The last command that it includes, if the topic was subscribed with @SEQ */
  seq?: number;
  data: {
    /** Market symbol */
    symbol: string;
    /** Order identifier */
    orderID: string;
    price: number;
    triggerPrice: number;
    /** A fraction; 1 for an order that is not pegged */
    pegPriceDeviation: number;
    /** A fraction; 1 for an order that is not pegged */
    stealth: number;
    /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
    status: number;
    /** Epoch ms */
    timestamp: number;
    /** Empty: none */
    clOrderID: string;
    maker: boolean;
    time_in_force: string;
    side: 'BUY' | 'SELL';
    /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
    type: number;
    size: number;
    originalSize: number;
    avgFillPrice: number;
    /** Filled in all */
    fillSize: number;
    remainingSize: number;
    /** 0 none, 1 a stop, 2 a take-profit, 3 one of a pair */
    txType: number;
  };
}

export interface NotificationsV1 {
  /** As in the table of topics */
  topic: string;
  /** The last command that it includes, if the topic was subscribed with @SEQ */
  seq?: number;
  data: Array<{
    /** Market symbol */
    symbol: string;
    /** Order identifier */
    orderID: string;
    orderMode: 'MODE_BUY' | 'MODE_SELL';
    orderType: 'TYPE_LIMIT' | 'TYPE_MARKET';
    type: 'LIMIT' | 'MARKET' | 'STOP' | 'TAKE_PROFIT' | 'OCO';
    pegPriceDeviation: string;
    stealth: string;
    price: string;
    size: string;
    triggerPrice: string;
    /** ORDER_INSERTED, … */
    status: string;
    /** Epoch ms */
    timestamp: number;
  }>;
}

export interface Fills {
  /** As in the table of topics */
  topic: string;
  /** Empty */
  id: string;
  /** The last command that it includes, if the topic was subscribed with @SEQ */
  seq?: number;
  data: Array<{
    /** Order identifier */
    orderId: string;
    /** The number of the trade in its market */
    serialId: number;
    /** Empty: none */
    clOrderId: string;
    /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
    type: string;
    /** Market symbol */
    symbol: string;
    side: 'BUY' | 'SELL';
    price: string;
    size: string;
    feeAmount: string;
    feeCurrency: string;
    base: string;
    quote: string;
    maker: boolean;
    /** Epoch ms */
    timestamp: number;
    /** Futures */
    contractSize?: number;
    /** Both sides of the trade show it */
    tradeId: string;
  }>;
}

export interface FuturesNotificationsV4 {
  /** As in the table of topics */
  topic: string;
  /** The last command that it includes, if the topic was subscribed with @SEQ */
  seq?: number;
  data: Array<{
    /** Market symbol */
    symbol: string;
    /** Order identifier */
    orderID: string;
    price: number;
    triggerPrice: number;
    /** A fraction; 1 for an order that is not pegged */
    pegPriceDeviation: number;
    /** A fraction; 1 for an order that is not pegged */
    stealth: number;
    /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
    status: number;
    /** Epoch ms */
    timestamp: number;
    /** Empty: none */
    clOrderID: string;
    maker: boolean;
    time_in_force: string;
    side: 'BUY' | 'SELL';
    /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
    orderType: number;
    /** 0 */
    type: number;
    avgFilledPrice: number;
    postOnly: boolean;
    /** BTC-PERP-USDT, or BTCPFC-USD in the older names */
    positionId: string;
    /** TWAP, PARTIAL_LIQUIDATION, FORCED_MARKET_BUY or FORCED_MARKET_SELL */
    orderDetailType: string | null;
    /** false: an order of a liquidation */
    orderUserInitiated: boolean;
    originalOrderSize: number;
    currentOrderSize: number;
    /** Filled by this event */
    filledSize: number;
    totalFilledSize: number;
    remainingSize: number;
  }>;
}

export interface FuturesNotificationsV2 {
  /** As in the table of topics */
  topic: string;
  /** The last command that it includes, if the topic was subscribed with @SEQ */
  seq?: number;
  data: Array<{
    /** Market symbol */
    symbol: string;
    /** Order identifier */
    orderID: string;
    price: number;
    triggerPrice: number;
    /** A fraction; 1 for an order that is not pegged */
    pegPriceDeviation: number;
    /** A fraction; 1 for an order that is not pegged */
    stealth: number;
    /** 2 inserted, 4 fully filled, 5 partly filled, 6 cancelled, 9 trigger waiting, 15 rejected, 123 amended */
    status: number;
    /** Epoch ms */
    timestamp: number;
    /** Empty: none */
    clOrderID: string;
    maker: boolean;
    time_in_force: string;
    side: 'BUY' | 'SELL';
    /** 76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING */
    type: number;
    size: number;
    originalSize: number;
    avgFillPrice: number;
    /** Filled in all */
    fillSize: number;
    remainingSize: number;
    txType: 'LIMIT' | 'STOP' | 'TAKE_PROFIT' | 'OCO';
    /** BTC-PERP-USDT, or BTCPFC-USD in the older names */
    positionId: string;
  }>;
}

export interface Positions {
  /** As in the table of topics */
  topic: string;
  data: Array<{
    requestId: number;
    /** The account */
    username: string;
    userCurrency: null;
    /** BTC-PERP-USDT, or BTCPFC-USD in the older names */
    marketName: string;
    /** 90: a position. 0: a closed one */
    orderType: number;
    orderTypeName: string | null;
    /** 66 long, 83 short. 0: closed */
    orderMode: number;
    orderModeName: 'MODE_BUY' | 'MODE_SELL' | null;
    /** 65: active */
    status: number;
    /** The size of a contract */
    originalAmount: number;
    maxPriceHeld: number;
    pegPriceMin: number;
    stealth: number;
    baseCurrency: null;
    quoteCurrency: null;
    quoteCurrencyFiat: boolean;
    parents: null;
    makerFeesRatio: null;
    takerFeesRatio: number[] | null;
    /** An attached order */
    orderID: string | null;
    vendorName: null;
    botID: null;
    maxStealthDisplayAmount: number;
    sellExchangeRate: number;
    tag: null;
    /** Of an attached order */
    triggerPrice: number;
    /** It has an attached order */
    closeOrder: boolean;
    dbBaseBalHeld: number;
    /** The unrealised result less the maintenance margin */
    dbQuoteBalHeld: number;
    /** false: closed */
    isFuture: boolean;
    future: boolean;
    liquidationInProgress: boolean;
    /** 91 cross, 92 isolated. 0: closed */
    marginType: number;
    marginTypeName: 'FUTURES_MARGIN_CROSS' | 'FUTURES_MARGIN_ISOLATED' | null;
    entryPrice: number;
    /** 0: none */
    liquidationPrice: number;
    markedPrice: number;
    marginHeld: number;
    unrealizedProfitLoss: number;
    totalMaintenanceMargin: number;
    /** 0: closed */
    totalContracts: number;
    marginChargedLongOpen: number;
    marginChargedShortOpen: number;
    unchargedMarginLongOpen: number;
    unchargedMarginShortOpen: number;
    isolatedCurrency: null;
    isolatedLeverage: number;
    totalFees: number;
    /** At the mark */
    totalValue: number;
    adlScoreBucket: number;
    adlScorePercentile: number;
    currentLeverage: number;
    contractSize: number;
    minimumRequiredMargin: number;
    filledSize: number;
    takeProfitOrder: {
      /** Order identifier */
      orderId: string;
      side: 'BUY' | 'SELL';
      triggerPrice: number;
      /** false: the mark */
      triggerUseLastPrice: boolean;
    } | null;
    stopLossOrder: {
      /** Order identifier */
      orderId: string;
      side: 'BUY' | 'SELL';
      triggerPrice: number;
      /** false: the mark */
      triggerUseLastPrice: boolean;
    } | null;
    /** BTC-PERP-USDT, or BTCPFC-USD in the older names */
    positionId: string;
    activeWalletName: string | null;
    positionMode: 'ONE_WAY' | 'HEDGE' | 'ISOLATED' | null;
    /** The side of the position */
    positionDirection: 'LONG' | 'SHORT' | null;
    serviceType: number;
    avgFilledPrice?: number;
    /** In the older names */
    avgFillPrice?: number;
    settleWithNonUSDAsset: string;
  }>;
}

/** Every route, by method and path. */
export interface Routes {
  POST: {
    /** Place a LIMIT or MARKET order */
    '/spot/api/v4/trade/orders': {
      body: SpotLimit | SpotMarketBuy | SpotMarketSell;
      reply: SpotOrder[];
    };
    /** Dead man's switch: cancel all spot orders after a time, unless renewed */
    '/spot/api/v4/trade/orders/cancel_all_after': {
      body: CancelAllAfter;
      reply: Nothing;
    };
    /** Place a TWAP, PEG, OCO, TRAILING or CONDITIONAL order */
    '/spot/api/v4/trade/orders/algo': {
      body:
        | SpotConditionalLimit
        | SpotConditionalMarketBuy
        | SpotConditionalMarketSell
        | SpotOco
        | SpotPeg
        | SpotTrailingBuy
        | SpotTrailingSell
        | SpotTwap;
      reply: SpotOrder[];
    };
    /** Place a LIMIT, MARKET, OCO or PEG order, a STOP, TRIGGER or trailing order */
    '/spot/api/v3.3/order': {
      body: SpotCreateV33 | SpotPegV33;
      reply: SpotOrderV33[];
    };
    /** The same as /order, but the default type is PEG */
    '/spot/api/v3.3/order/peg': {
      body: SpotCreateV33 | SpotPegByRouteV33;
      reply: SpotOrderV33[];
    };
    /** Dead man's switch: cancel all spot orders after a time, unless renewed */
    '/spot/api/v3.3/order/cancelAllAfter': {
      body: CancelAllAfter;
      reply: Nothing;
    };
    /** Place a MARKET, LIMIT or OCO order, a STOP, TRIGGER or trailing order, with attached TP and SL */
    '/futures/api/v2.3/order': {
      body: FuturesCreateV23;
      reply: FuturesOrderV23[];
    };
    /** Place a PEG order, which follows the index */
    '/futures/api/v2.3/order/peg': {
      body: FuturesPegV23;
      reply: FuturesOrderV23[];
    };
    /** Dead man's switch: cancel all futures orders after a time, unless renewed */
    '/futures/api/v2.3/order/cancelAllAfter': {
      body: CancelAllAfter;
      reply: Nothing;
    };
    /** Close a position with a MARKET or LIMIT order */
    '/futures/api/v2.3/order/close_position': {
      body: FuturesCloseV23;
      reply: FuturesOrderV23[];
    };
    /** Attach take-profit and stop-loss to an open position */
    '/futures/api/v2.3/order/bind/tpsl': {
      body: BindTpslV23;
      reply: FuturesOrderV23[];
    };
    /** Set the lowest risk tier that margin in a market is calculated with */
    '/futures/api/v2.3/risk_limit': {
      body: SetRiskLimitV23;
      reply: SettingChanged;
    };
    /** Set the settlement currency of a market. Each market has one, and no other is accepted */
    '/futures/api/v2.3/settle_in': {
      body: SettleInV23;
      reply: Nothing;
    };
    /** Change the cross or isolated leverage of a market, or the leverage of one position */
    '/futures/api/v2.3/leverage': {
      body: SetLeverageV23;
      reply: SettingChanged;
    };
    /** Change the position mode of a market */
    '/futures/api/v2.3/position_mode': {
      body: SetPositionModeV23;
      reply: SettingChanged;
    };
    /** Transfer between the spot and the cross wallet: recorded, but moves nothing, because they are one */
    '/futures/api/v2.3/user/wallet/transfer': {
      body: WalletTransfer;
      reply: Wallet[];
    };
    /** Place a LIMIT or MARKET order, with attached TP and SL */
    '/futures/api/v3/trade/orders': {
      body: FuturesLimit | FuturesMarket;
      reply: FuturesPlacement;
    };
    /** Place a CONDITIONAL, OCO or TRAILING order */
    '/futures/api/v3/trade/orders/algo': {
      body: FuturesConditional | FuturesOco | FuturesTrailing;
      reply: FuturesOrder[];
    };
    /** Dead man's switch: cancel all futures orders after a time, unless renewed */
    '/futures/api/v3/trade/orders/cancel_all_after': {
      body: FuturesCancelAllAfter;
      reply: Nothing;
    };
    /** Attach take-profit and stop-loss to an open position */
    '/futures/api/v3/trade/positions/tpsl': {
      body: PositionTpsl;
      reply: FuturesOrder[];
    };
    /** Set the lowest risk tier that margin in a market is calculated with */
    '/futures/api/v3/trade/risk_limit': {
      body: SetRiskLimit;
      reply: SettingChanged;
    };
    /** Set the settlement currency of a market. Each market has one, and no other is accepted */
    '/futures/api/v3/trade/settle_in': {
      body: SettleIn;
      reply: Nothing;
    };
    /** Change the cross or isolated leverage of a market, or the leverage of one position */
    '/futures/api/v3/trade/leverage': {
      body: SetLeverage;
      reply: SettingChanged;
    };
    /** Change the position mode of a market */
    '/futures/api/v3/trade/position_mode': {
      body: SetPositionMode;
      reply: SettingChanged;
    };
    /** Place a LIMIT, MARKET, OCO or PEG order, a STOP, TRIGGER or trailing order */
    '/spot/api/v3.2/order': {
      body: SpotCreateV33 | SpotPegV33;
      reply: SpotOrderV32[];
    };
    /** The same as /order, but the default type is PEG */
    '/spot/api/v3.2/order/peg': {
      body: SpotCreateV33 | SpotPegByRouteV33;
      reply: SpotOrderV32[];
    };
    /** Dead man's switch: cancel all spot orders after a time, unless renewed */
    '/spot/api/v3.2/order/cancelAllAfter': {
      body: CancelAllAfter;
      reply: Nothing;
    };
    /** Place a LIMIT, MARKET, OCO or PEG order, a STOP, TRIGGER or trailing order */
    '/spot/api/v3.1/order': {
      body: SpotCreateV33 | SpotPegV33;
      reply: SpotOrderV32[];
    };
    /** The same as /order, but the default type is PEG */
    '/spot/api/v3.1/order/peg': {
      body: SpotCreateV33 | SpotPegByRouteV33;
      reply: SpotOrderV32[];
    };
    /** Dead man's switch: cancel all spot orders after a time, unless renewed */
    '/spot/api/v3.1/order/cancelAllAfter': {
      body: CancelAllAfter;
      reply: Nothing;
    };
    /** Place a MARKET, LIMIT or OCO order, a STOP, TRIGGER or trailing order, with attached TP and SL */
    '/futures/api/v2.2/order': {
      body: FuturesCreateV23;
      reply: FuturesOrderV22[];
    };
    /** Place a PEG order, which follows the index */
    '/futures/api/v2.2/order/peg': {
      body: FuturesPegV23;
      reply: FuturesOrderV22[];
    };
    /** Dead man's switch: cancel all futures orders after a time, unless renewed */
    '/futures/api/v2.2/order/cancelAllAfter': {
      body: CancelAllAfter;
      reply: Nothing;
    };
    /** Close a position with a MARKET or LIMIT order */
    '/futures/api/v2.2/order/close_position': {
      body: FuturesCloseV23;
      reply: FuturesOrderV22[];
    };
    /** Attach take-profit and stop-loss to an open position */
    '/futures/api/v2.2/order/bind/tpsl': {
      body: BindTpslV23;
      reply: FuturesOrderV22[];
    };
    /** Set the lowest risk tier that margin in a market is calculated with */
    '/futures/api/v2.2/risk_limit': {
      body: SetRiskLimitV23;
      reply: SettingChanged;
    };
    /** Set the settlement currency of a market. Each market has one, and no other is accepted */
    '/futures/api/v2.2/settle_in': {
      body: SettleInV23;
      reply: Nothing;
    };
    /** Change the cross or isolated leverage of a market, or the leverage of one position */
    '/futures/api/v2.2/leverage': {
      body: SetLeverageV23;
      reply: SettingChanged;
    };
    /** Change the position mode of a market */
    '/futures/api/v2.2/position_mode': {
      body: SetPositionModeV23;
      reply: SettingChanged;
    };
    /** Transfer between the spot and the cross wallet: recorded, but moves nothing, because they are one */
    '/futures/api/v2.2/user/wallet/transfer': {
      body: WalletTransfer;
      reply: Wallet[];
    };
    /** Place a MARKET, LIMIT or OCO order, a STOP, TRIGGER or trailing order, with attached TP and SL */
    '/futures/api/v2.1/order': {
      body: FuturesCreateV23;
      reply: FuturesOrderV22[];
    };
    /** Place a PEG order, which follows the index */
    '/futures/api/v2.1/order/peg': {
      body: FuturesPegV23;
      reply: FuturesOrderV22[];
    };
    /** Dead man's switch: cancel all futures orders after a time, unless renewed */
    '/futures/api/v2.1/order/cancelAllAfter': {
      body: CancelAllAfter;
      reply: Nothing;
    };
    /** Close a position with a MARKET or LIMIT order */
    '/futures/api/v2.1/order/close_position': {
      body: FuturesCloseV23;
      reply: FuturesOrderV22[];
    };
    /** Attach take-profit and stop-loss to an open position */
    '/futures/api/v2.1/order/bind/tpsl': {
      body: BindTpslV23;
      reply: FuturesOrderV22[];
    };
    /** Set the lowest risk tier that margin in a market is calculated with */
    '/futures/api/v2.1/risk_limit': {
      body: SetRiskLimitV23;
      reply: SettingChanged;
    };
    /** Set the settlement currency of a market. Each market has one, and no other is accepted */
    '/futures/api/v2.1/settle_in': {
      body: SettleInV23;
      reply: Nothing;
    };
    /** Change the cross or isolated leverage of a market, or the leverage of one position */
    '/futures/api/v2.1/leverage': {
      body: SetLeverageV23;
      reply: SettingChanged;
    };
    /** Change the position mode of a market */
    '/futures/api/v2.1/position_mode': {
      body: SetPositionModeV23;
      reply: SettingChanged;
    };
    /** Transfer between the spot and the cross wallet: recorded, but moves nothing, because they are one */
    '/futures/api/v2.1/user/wallet/transfer': {
      body: WalletTransfer;
      reply: Wallet[];
    };
  };
  GET: {
    /** List open orders: of all pairs, of one pair, or with a given orderId or clOrderId */
    '/spot/api/v4/trade/orders': {
      query?: {
        /** Trading pair, BASE-QUOTE */
        symbol?: string;
        /** Server-assigned identifier; wins over clOrderId */
        orderId?: string;
        /** Client-chosen order identifier */
        clOrderId?: string;
      };
      reply: SpotOpenOrder[];
    };
    /** Look up one live order by orderId or clOrderId */
    '/spot/api/v4/trade/order': {
      query?: {
        /** Server-assigned identifier; wins over clOrderId */
        orderId?: string;
        /** Client-chosen order identifier */
        clOrderId?: string;
      };
      reply: SpotOpenOrder;
    };
    /** The account's own trades in a pair, newest first */
    '/spot/api/v4/trade/trade_history': {
      query: {
        /** Trading pair, BASE-QUOTE */
        symbol: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: SpotFill[];
      };
    };
    /** The account's maker and taker fees, of one pair or all */
    '/spot/api/v4/trade/fees': {
      query?: {
        /** Trading pair, BASE-QUOTE */
        symbol?: string;
      };
      reply: Fee[];
    };
    /** Look up one order, live or ended, by orderID or clOrderID; with includeOld one that ended long ago */
    '/spot/api/v3.3/order': {
      query?: {
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
        /** true: also an order that ended long ago */
        includeOld?: boolean;
      };
      reply: SpotLookupV33;
    };
    /** List open orders: of all pairs, of one pair, or with a given orderID or clOrderID */
    '/spot/api/v3.3/user/open_orders': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: SpotOpenOrderV33[];
    };
    /** The account's own trades in a pair, newest first */
    '/spot/api/v3.3/user/trade_history': {
      query: {
        /** Trading pair, BASE-QUOTE */
        symbol: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: SpotFillV33[];
    };
    /** The account's maker and taker fees, of one pair or all */
    '/spot/api/v3.3/user/fees': {
      query?: {
        /** Trading pair, BASE-QUOTE */
        symbol?: string;
      };
      reply: Fee[];
    };
    /** Balances of the account */
    '/spot/api/v3.3/user/wallet': {
      reply: SpotWallet[];
    };
    /** Deposits, withdrawals and transfers, newest first */
    '/spot/api/v3.3/user/wallet_history': {
      query?: {
        /** Default: all */
        currency?: string;
        /** Epoch milliseconds; default: seven days before the end; earliest: thirty */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
      };
      reply: SpotWalletRecord[];
    };
    /** The venue's clock, epoch in seconds */
    '/spot/api/v3.3/time': {
      reply: Time;
    };
    /** Prices, limits and the last 24 hours of one market or all */
    '/spot/api/v3.3/market_summary': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** true: with the times of funding */
        listFullAttributes?: boolean;
      };
      reply: SpotSummary[];
    };
    /** Index, last and mark of one market or all */
    '/spot/api/v3.3/price': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Prices[];
    };
    /** The book by groups of prices, best first */
    '/spot/api/v3.3/orderbook': {
      query: {
        /** Market symbol */
        symbol: string;
        /** 0 to 8: prices of 1, 5, 10, 50, 100, 500, 1,000, 5,000 or 10,000 ticks */
        group?: Decimal;
        /** Bids; at most 50 are sent */
        limit_bids?: Decimal;
        /** Asks; at most 50 are sent */
        limit_asks?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The book, best prices first */
    '/spot/api/v3.3/orderbook/L2': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Levels a side; at most 50 are sent */
        depth?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The trades of a market, newest first */
    '/spot/api/v3.3/trades': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Epoch milliseconds */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** The same as startTime */
        start?: Decimal;
        /** The same as endTime */
        end?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of 30 days between both ends, and of 3 with one end */
        includeOld?: boolean;
      };
      reply: PublicTrade[];
    };
    /** The candles of a market, newest first */
    '/spot/api/v3.3/ohlcv': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Minutes of a candle; 10080: from Monday on, 43200: a month */
        resolution: Resolution;
        /** The first candle begins then or later; epoch seconds or milliseconds */
        start?: Decimal;
        /** The last candle begins then or earlier; epoch seconds or milliseconds */
        end?: Decimal;
      };
      reply: [number, number, number, number, number, number][];
    };
    /** Look up one order, live or ended, by orderID or clOrderID; with includeOld one that ended long ago */
    '/futures/api/v2.3/order': {
      query?: {
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
        /** true: also an order that ended long ago */
        includeOld?: boolean;
      };
      reply: FuturesLookupV23;
    };
    /** List open orders: of all markets, of one market, or with a given orderID or clOrderID */
    '/futures/api/v2.3/user/open_orders': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: FuturesOpenOrderV23[];
    };
    /** The account's own trades, newest first */
    '/futures/api/v2.3/user/trade_history': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: FuturesFillV23[];
    };
    /** List the open positions */
    '/futures/api/v2.3/user/positions': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: PositionV23[];
    };
    /** The current risk tier */
    '/futures/api/v2.3/risk_limit': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: RiskLimit;
    };
    /** The current leverage */
    '/futures/api/v2.3/leverage': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: Leverage[];
    };
    /** The position mode of one market or all */
    '/futures/api/v2.3/position_mode': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarketPositionMode[];
    };
    /** The account's maker and taker fees */
    '/futures/api/v2.3/user/fees': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Fee[];
    };
    /** Initial and maintenance margin of the current risk tier */
    '/futures/api/v2.3/user/margin_setting': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarginSetting[];
    };
    /** The cross wallet, or the wallet of the isolated positions in one market */
    '/futures/api/v2.3/user/wallet': {
      query?: {
        /** CROSS@ (default), or ISOLATED@ and a market: ISOLATED@BTC-PERP-USDT */
        wallet?: string;
      };
      reply: Wallet[];
    };
    /** What moved money on futures: trades, funding, liquidations, transfers; newest first */
    '/futures/api/v2.3/user/wallet_history': {
      query?: {
        /** CROSS@, or ISOLATED@ and a market; default: all */
        wallet?: string;
        /** Epoch milliseconds; default: seven days before the end; earliest: thirty */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
      };
      reply: FuturesWalletRecord[];
    };
    /** The wallet that positions in a market use */
    '/futures/api/v2.3/user/margin': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: Wallet[];
    };
    /** The margin of the wallets of one market or all, and the sums of all wallets */
    '/futures/api/v2.3/user/unifiedWallet/margin': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** The market of this position */
        positionId?: string;
      };
      reply: UnifiedMargin;
    };
    /** Prices, limits and the last 24 hours of one market or all */
    '/futures/api/v2.3/market_summary': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** true: with the times of funding */
        listFullAttributes?: boolean;
      };
      reply: FuturesSummary[];
    };
    /** Index, last and mark of one market or all */
    '/futures/api/v2.3/price': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Prices[];
    };
    /** The book by groups of prices, best first */
    '/futures/api/v2.3/orderbook': {
      query: {
        /** Market symbol */
        symbol: string;
        /** 0 to 8: prices of 1, 5, 10, 50, 100, 500, 1,000, 5,000 or 10,000 ticks */
        group?: Decimal;
        /** Bids; at most 50 are sent */
        limit_bids?: Decimal;
        /** Asks; at most 50 are sent */
        limit_asks?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The book, best prices first */
    '/futures/api/v2.3/orderbook/L2': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Levels a side; at most 50 are sent */
        depth?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The trades of a market, newest first */
    '/futures/api/v2.3/trades': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Epoch milliseconds */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** The same as startTime */
        start?: Decimal;
        /** The same as endTime */
        end?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of 30 days between both ends, and of 3 with one end */
        includeOld?: boolean;
      };
      reply: PublicTrade[];
    };
    /** The candles of a market, newest first */
    '/futures/api/v2.3/ohlcv': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Minutes of a candle; 10080: from Monday on, 43200: a month */
        resolution: Resolution;
        /** The first candle begins then or later; epoch seconds or milliseconds */
        start?: Decimal;
        /** The last candle begins then or earlier; epoch seconds or milliseconds */
        end?: Decimal;
      };
      reply: [number, number, number, number, number, number][];
    };
    /** The funding rates of one market or all, newest first */
    '/futures/api/v2.3/funding_history': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** How many of a market at most; default 100 */
        count?: Decimal;
        /** Epoch milliseconds */
        from?: Decimal;
        /** Epoch milliseconds; default: now */
        to?: Decimal;
      };
      reply: Record<string, FundingRate[]>;
    };
    /** The risk tiers of one market or all */
    '/futures/api/v2.3/market/risk_limit': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: MarketRiskLimit[];
      };
    };
    /** List the open orders, or look up one by orderId or clOrderId */
    '/futures/api/v3/trade/orders': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Order identifier; wins over clOrderId */
        orderId?: string;
        /** Client-chosen order identifier */
        clOrderId?: string;
        /** With an id: also an order that has ended */
        includeCancelled?: boolean;
      };
      reply: FuturesOpenOrder[];
    };
    /** List the open positions */
    '/futures/api/v3/trade/positions': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Position[];
    };
    /** The current risk tier */
    '/futures/api/v3/trade/risk_limit': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: RiskLimit;
    };
    /** Initial and maintenance margin of the current risk tier */
    '/futures/api/v3/trade/margin_setting': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarginSetting[];
    };
    /** The account's own trades, newest first */
    '/futures/api/v3/trade/trade_history': {
      query?: {
        /** Market symbol; default: all */
        symbol?: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: FuturesFill[];
    };
    /** The current leverage */
    '/futures/api/v3/trade/leverage': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: Leverage[];
    };
    /** The position mode of one market or all */
    '/futures/api/v3/trade/position_mode': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarketPositionMode[];
    };
    /** List the markets: all, those of some types, or one */
    '/public-api/market/v1/markets': {
      query?: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol?: string;
        /** Only markets of these types: a JSON array of Spot, FuturesPerpetual, FuturesTimeBased, such as ["FuturesPerpetual"] */
        types?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: {
          symbols: Market[];
        };
      };
    };
    /** The book of a market, best prices first */
    '/public-api/market/v1/orderbook': {
      query: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol: string;
        /** Levels a side; default 50 */
        depth?: Decimal;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: Book;
      };
    };
    /** Prices and the last 24 hours of one market or all */
    '/public-api/market/v1/ticker/24hr': {
      query?: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol?: string;
        /** Only markets of these types: a JSON array of Spot, FuturesPerpetual, FuturesTimeBased, such as ["FuturesPerpetual"] */
        types?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: Ticker | Tickers;
      };
    };
    /** Index and mark of one market or all */
    '/public-api/market/v1/ticker/indices': {
      query?: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol?: string;
        /** Only markets of these types: a JSON array of Spot, FuturesPerpetual, FuturesTimeBased, such as ["FuturesPerpetual"] */
        types?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: Indices[];
      };
    };
    /** The last trades of a market, newest first */
    '/public-api/market/v1/trades': {
      query: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol: string;
        /** How many at most; default 50 */
        limit?: Decimal;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: TickerTrade[];
      };
    };
    /** The candles of a market, newest first */
    '/public-api/market/v1/klines': {
      query: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol: string;
        /** Minutes of a candle; 10080: from Monday on, 43200: a month */
        resolution: Resolution;
        /** How many at most */
        limit?: Decimal;
        /** The first candle begins then or later; epoch seconds or milliseconds */
        start?: Decimal;
        /** The last candle begins then or earlier; epoch seconds or milliseconds */
        end?: Decimal;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: [string, string, string, string, string, string][];
      };
    };
    /** The funding rates of a perpetual, newest first */
    '/public-api/market/v1/recentFundingHistory': {
      query: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol: string;
        /** The last 7, 14 or 30 days */
        period: FundingPeriod;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: PaidFunding[];
      };
    };
    /** The risk tiers of one perpetual or all */
    '/public-api/market/v1/riskLimits': {
      query?: {
        /** Market: BTC-USDT; BTC-PERP-USDT or BTC-PERP */
        symbol?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: RiskLimits | AllRiskLimits;
      };
    };
    /** Balances of the account */
    '/public-api/wallet/v1/user/assets': {
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: Asset[];
      };
    };
    /** What moved the money of a wallet, newest first */
    '/public-api/wallet/v1/user/walletHistory': {
      query?: {
        /** SPOT (default), CROSS or ISOLATED */
        walletType?: WalletType;
        /** An isolated wallet: ISOLATED@ and a market; default: all */
        walletName?: string;
        /** Currency; required for SPOT */
        asset?: string;
        /** A JSON array of types, such as ["DEPOSIT","WITHDRAW"]; an unknown one lists them; default: all */
        historyTypes?: string;
        /** How many at most; default 50 */
        pageSize?: Decimal;
        /** Epoch milliseconds; default: seven days before the end; earliest: thirty */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: WalletRecord[];
      };
    };
    /** Look up one order, live or ended, by orderID or clOrderID; with includeOld one that ended long ago */
    '/spot/api/v3.2/order': {
      query?: {
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
        /** true: also an order that ended long ago */
        includeOld?: boolean;
      };
      reply: SpotLookupV32;
    };
    /** List open orders: of all pairs, of one pair, or with a given orderID or clOrderID */
    '/spot/api/v3.2/user/open_orders': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: SpotOpenOrderV32[];
    };
    /** The account's own trades in a pair, newest first */
    '/spot/api/v3.2/user/trade_history': {
      query: {
        /** Trading pair, BASE-QUOTE */
        symbol: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: SpotFillV32[];
    };
    /** The account's maker and taker fees, of one pair or all */
    '/spot/api/v3.2/user/fees': {
      query?: {
        /** Trading pair, BASE-QUOTE */
        symbol?: string;
      };
      reply: Fee[];
    };
    /** Balances of the account */
    '/spot/api/v3.2/user/wallet': {
      reply: SpotWallet[];
    };
    /** Deposits, withdrawals and transfers, newest first */
    '/spot/api/v3.2/user/wallet_history': {
      query?: {
        /** Default: all */
        currency?: string;
        /** Epoch milliseconds; default: seven days before the end; earliest: thirty */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
      };
      reply: SpotWalletRecord[];
    };
    /** The venue's clock, epoch in seconds */
    '/spot/api/v3.2/time': {
      reply: Time;
    };
    /** Prices, limits and the last 24 hours of one market or all */
    '/spot/api/v3.2/market_summary': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** true: with the times of funding */
        listFullAttributes?: boolean;
      };
      reply: SpotSummary[];
    };
    /** Index, last and mark of one market or all */
    '/spot/api/v3.2/price': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Prices[];
    };
    /** The book by groups of prices, best first */
    '/spot/api/v3.2/orderbook': {
      query: {
        /** Market symbol */
        symbol: string;
        /** 0 to 8: prices of 1, 5, 10, 50, 100, 500, 1,000, 5,000 or 10,000 ticks */
        group?: Decimal;
        /** Bids; at most 50 are sent */
        limit_bids?: Decimal;
        /** Asks; at most 50 are sent */
        limit_asks?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The book, best prices first */
    '/spot/api/v3.2/orderbook/L2': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Levels a side; at most 50 are sent */
        depth?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The trades of a market, newest first */
    '/spot/api/v3.2/trades': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Epoch milliseconds */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** The same as startTime */
        start?: Decimal;
        /** The same as endTime */
        end?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of 30 days between both ends, and of 3 with one end */
        includeOld?: boolean;
      };
      reply: PublicTrade[];
    };
    /** The candles of a market, newest first */
    '/spot/api/v3.2/ohlcv': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Minutes of a candle; 10080: from Monday on, 43200: a month */
        resolution: Resolution;
        /** The first candle begins then or later; epoch seconds or milliseconds */
        start?: Decimal;
        /** The last candle begins then or earlier; epoch seconds or milliseconds */
        end?: Decimal;
      };
      reply: [number, number, number, number, number, number][];
    };
    /** Look up one order, live or ended, by orderID or clOrderID; with includeOld one that ended long ago */
    '/spot/api/v3.1/order': {
      query?: {
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
        /** true: also an order that ended long ago */
        includeOld?: boolean;
      };
      reply: SpotLookupV32;
    };
    /** List open orders: of all pairs, of one pair, or with a given orderID or clOrderID */
    '/spot/api/v3.1/user/open_orders': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: SpotOpenOrderV32[];
    };
    /** The account's own trades in a pair, newest first */
    '/spot/api/v3.1/user/trade_history': {
      query: {
        /** Trading pair, BASE-QUOTE */
        symbol: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: SpotFillV32[];
    };
    /** The account's maker and taker fees, of one pair or all */
    '/spot/api/v3.1/user/fees': {
      query?: {
        /** Trading pair, BASE-QUOTE */
        symbol?: string;
      };
      reply: Fee[];
    };
    /** Balances of the account */
    '/spot/api/v3.1/user/wallet': {
      reply: SpotWallet[];
    };
    /** Deposits, withdrawals and transfers, newest first */
    '/spot/api/v3.1/user/wallet_history': {
      query?: {
        /** Default: all */
        currency?: string;
        /** Epoch milliseconds; default: seven days before the end; earliest: thirty */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
      };
      reply: SpotWalletRecord[];
    };
    /** The venue's clock, epoch in seconds */
    '/spot/api/v3.1/time': {
      reply: Time;
    };
    /** Prices, limits and the last 24 hours of one market or all */
    '/spot/api/v3.1/market_summary': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** true: with the times of funding */
        listFullAttributes?: boolean;
      };
      reply: SpotSummary[];
    };
    /** Index, last and mark of one market or all */
    '/spot/api/v3.1/price': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Prices[];
    };
    /** The book by groups of prices, best first */
    '/spot/api/v3.1/orderbook': {
      query: {
        /** Market symbol */
        symbol: string;
        /** 0 to 8: prices of 1, 5, 10, 50, 100, 500, 1,000, 5,000 or 10,000 ticks */
        group?: Decimal;
        /** Bids; at most 50 are sent */
        limit_bids?: Decimal;
        /** Asks; at most 50 are sent */
        limit_asks?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The book, best prices first */
    '/spot/api/v3.1/orderbook/L2': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Levels a side; at most 50 are sent */
        depth?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The trades of a market, newest first */
    '/spot/api/v3.1/trades': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Epoch milliseconds */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** The same as startTime */
        start?: Decimal;
        /** The same as endTime */
        end?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of 30 days between both ends, and of 3 with one end */
        includeOld?: boolean;
      };
      reply: PublicTrade[];
    };
    /** The candles of a market, newest first */
    '/spot/api/v3.1/ohlcv': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Minutes of a candle; 10080: from Monday on, 43200: a month */
        resolution: Resolution;
        /** The first candle begins then or later; epoch seconds or milliseconds */
        start?: Decimal;
        /** The last candle begins then or earlier; epoch seconds or milliseconds */
        end?: Decimal;
      };
      reply: [number, number, number, number, number, number][];
    };
    /** Look up one order, live or ended, by orderID or clOrderID; with includeOld one that ended long ago */
    '/futures/api/v2.2/order': {
      query?: {
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
        /** true: also an order that ended long ago */
        includeOld?: boolean;
      };
      reply: FuturesLookupV22;
    };
    /** List open orders: of all markets, of one market, or with a given orderID or clOrderID */
    '/futures/api/v2.2/user/open_orders': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: FuturesOpenOrderV22[];
    };
    /** The account's own trades, newest first */
    '/futures/api/v2.2/user/trade_history': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: FuturesFillV22[];
    };
    /** List the open positions */
    '/futures/api/v2.2/user/positions': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: PositionV23[];
    };
    /** The current risk tier */
    '/futures/api/v2.2/risk_limit': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: RiskLimit;
    };
    /** The current leverage */
    '/futures/api/v2.2/leverage': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: Leverage[];
    };
    /** The position mode of one market or all */
    '/futures/api/v2.2/position_mode': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarketPositionMode[];
    };
    /** The account's maker and taker fees */
    '/futures/api/v2.2/user/fees': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Fee[];
    };
    /** Initial and maintenance margin of the current risk tier */
    '/futures/api/v2.2/user/margin_setting': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarginSetting[];
    };
    /** The cross wallet, or the wallet of the isolated positions in one market */
    '/futures/api/v2.2/user/wallet': {
      query?: {
        /** CROSS@ (default), or ISOLATED@ and a market: ISOLATED@BTC-PERP-USDT */
        wallet?: string;
      };
      reply: Wallet[];
    };
    /** What moved money on futures: trades, funding, liquidations, transfers; newest first */
    '/futures/api/v2.2/user/wallet_history': {
      query?: {
        /** CROSS@, or ISOLATED@ and a market; default: all */
        wallet?: string;
        /** Epoch milliseconds; default: seven days before the end; earliest: thirty */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
      };
      reply: FuturesWalletRecord[];
    };
    /** The wallet that positions in a market use */
    '/futures/api/v2.2/user/margin': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: Wallet[];
    };
    /** The margin of the wallets of one market or all, and the sums of all wallets */
    '/futures/api/v2.2/user/unifiedWallet/margin': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** The market of this position */
        positionId?: string;
      };
      reply: UnifiedMargin;
    };
    /** Prices, limits and the last 24 hours of one market or all */
    '/futures/api/v2.2/market_summary': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** true: with the times of funding */
        listFullAttributes?: boolean;
      };
      reply: FuturesSummary[];
    };
    /** Index, last and mark of one market or all */
    '/futures/api/v2.2/price': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Prices[];
    };
    /** The book by groups of prices, best first */
    '/futures/api/v2.2/orderbook': {
      query: {
        /** Market symbol */
        symbol: string;
        /** 0 to 8: prices of 1, 5, 10, 50, 100, 500, 1,000, 5,000 or 10,000 ticks */
        group?: Decimal;
        /** Bids; at most 50 are sent */
        limit_bids?: Decimal;
        /** Asks; at most 50 are sent */
        limit_asks?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The book, best prices first */
    '/futures/api/v2.2/orderbook/L2': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Levels a side; at most 50 are sent */
        depth?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The trades of a market, newest first */
    '/futures/api/v2.2/trades': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Epoch milliseconds */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** The same as startTime */
        start?: Decimal;
        /** The same as endTime */
        end?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of 30 days between both ends, and of 3 with one end */
        includeOld?: boolean;
      };
      reply: PublicTrade[];
    };
    /** The candles of a market, newest first */
    '/futures/api/v2.2/ohlcv': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Minutes of a candle; 10080: from Monday on, 43200: a month */
        resolution: Resolution;
        /** The first candle begins then or later; epoch seconds or milliseconds */
        start?: Decimal;
        /** The last candle begins then or earlier; epoch seconds or milliseconds */
        end?: Decimal;
      };
      reply: [number, number, number, number, number, number][];
    };
    /** The funding rates of one market or all, newest first */
    '/futures/api/v2.2/funding_history': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** How many of a market at most; default 100 */
        count?: Decimal;
        /** Epoch milliseconds */
        from?: Decimal;
        /** Epoch milliseconds; default: now */
        to?: Decimal;
      };
      reply: Record<string, FundingRate[]>;
    };
    /** The risk tiers of one market or all */
    '/futures/api/v2.2/market/risk_limit': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: MarketRiskLimit[];
      };
    };
    /** Look up one order, live or ended, by orderID or clOrderID; with includeOld one that ended long ago */
    '/futures/api/v2.1/order': {
      query?: {
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
        /** true: also an order that ended long ago */
        includeOld?: boolean;
      };
      reply: FuturesLookupV22;
    };
    /** List open orders: of all markets, of one market, or with a given orderID or clOrderID */
    '/futures/api/v2.1/user/open_orders': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: FuturesOpenOrderV22[];
    };
    /** The account's own trades, newest first */
    '/futures/api/v2.1/user/trade_history': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** Epoch milliseconds; default, and earliest: seven days before the end */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of seven days */
        includeOld?: boolean;
        /** Trades of one order; wins over the client id */
        orderId?: string;
        /** Trades of one order; wins over the client id */
        orderID?: string;
        /** Trades of the orders with this client id */
        clOrderId?: string;
        /** Trades of the orders with this client id */
        clOrderID?: string;
      };
      reply: FuturesFillV22[];
    };
    /** List the open positions */
    '/futures/api/v2.1/user/positions': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: PositionV23[];
    };
    /** The current risk tier */
    '/futures/api/v2.1/risk_limit': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: RiskLimit;
    };
    /** The current leverage */
    '/futures/api/v2.1/leverage': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: Leverage[];
    };
    /** The position mode of one market or all */
    '/futures/api/v2.1/position_mode': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarketPositionMode[];
    };
    /** The account's maker and taker fees */
    '/futures/api/v2.1/user/fees': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Fee[];
    };
    /** Initial and maintenance margin of the current risk tier */
    '/futures/api/v2.1/user/margin_setting': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: MarginSetting[];
    };
    /** The cross wallet, or the wallet of the isolated positions in one market */
    '/futures/api/v2.1/user/wallet': {
      query?: {
        /** CROSS@ (default), or ISOLATED@ and a market: ISOLATED@BTC-PERP-USDT */
        wallet?: string;
      };
      reply: Wallet[];
    };
    /** What moved money on futures: trades, funding, liquidations, transfers; newest first */
    '/futures/api/v2.1/user/wallet_history': {
      query?: {
        /** CROSS@, or ISOLATED@ and a market; default: all */
        wallet?: string;
        /** Epoch milliseconds; default: seven days before the end; earliest: thirty */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
      };
      reply: FuturesWalletRecord[];
    };
    /** The wallet that positions in a market use */
    '/futures/api/v2.1/user/margin': {
      query: {
        /** Market symbol */
        symbol: string;
      };
      reply: Wallet[];
    };
    /** The margin of the wallets of one market or all, and the sums of all wallets */
    '/futures/api/v2.1/user/unifiedWallet/margin': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** The market of this position */
        positionId?: string;
      };
      reply: UnifiedMargin;
    };
    /** Prices, limits and the last 24 hours of one market or all */
    '/futures/api/v2.1/market_summary': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** true: with the times of funding */
        listFullAttributes?: boolean;
      };
      reply: FuturesSummary[];
    };
    /** Index, last and mark of one market or all */
    '/futures/api/v2.1/price': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: Prices[];
    };
    /** The book by groups of prices, best first */
    '/futures/api/v2.1/orderbook': {
      query: {
        /** Market symbol */
        symbol: string;
        /** 0 to 8: prices of 1, 5, 10, 50, 100, 500, 1,000, 5,000 or 10,000 ticks */
        group?: Decimal;
        /** Bids; at most 50 are sent */
        limit_bids?: Decimal;
        /** Asks; at most 50 are sent */
        limit_asks?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The book, best prices first */
    '/futures/api/v2.1/orderbook/L2': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Levels a side; at most 50 are sent */
        depth?: Decimal;
      };
      reply: GroupedBook;
    };
    /** The trades of a market, newest first */
    '/futures/api/v2.1/trades': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Epoch milliseconds */
        startTime?: Decimal;
        /** Epoch milliseconds; default: now */
        endTime?: Decimal;
        /** The same as startTime */
        start?: Decimal;
        /** The same as endTime */
        end?: Decimal;
        /** How many at most; default 50 */
        count?: Decimal;
        /** Trades with a smaller serialId */
        beforeSerialId?: Decimal;
        /** Trades with a larger serialId: the next ones after it */
        afterSerialId?: Decimal;
        /** true: no limit of 30 days between both ends, and of 3 with one end */
        includeOld?: boolean;
      };
      reply: PublicTrade[];
    };
    /** The candles of a market, newest first */
    '/futures/api/v2.1/ohlcv': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Minutes of a candle; 10080: from Monday on, 43200: a month */
        resolution: Resolution;
        /** The first candle begins then or later; epoch seconds or milliseconds */
        start?: Decimal;
        /** The last candle begins then or earlier; epoch seconds or milliseconds */
        end?: Decimal;
      };
      reply: [number, number, number, number, number, number][];
    };
    /** The funding rates of one market or all, newest first */
    '/futures/api/v2.1/funding_history': {
      query?: {
        /** Market symbol */
        symbol?: string;
        /** How many of a market at most; default 100 */
        count?: Decimal;
        /** Epoch milliseconds */
        from?: Decimal;
        /** Epoch milliseconds; default: now */
        to?: Decimal;
      };
      reply: Record<string, FundingRate[]>;
    };
    /** The risk tiers of one market or all */
    '/futures/api/v2.1/market/risk_limit': {
      query?: {
        /** Market symbol */
        symbol?: string;
      };
      reply: {
        code: 1;
        msg: 'Success';
        success: true;
        /** The venue's clock, epoch ms */
        time: number;
        data: MarketRiskLimit[];
      };
    };
  };
  DELETE: {
    /** Cancel by orderId or clOrderId */
    '/spot/api/v4/trade/orders': {
      query: {
        /** Trading pair, BASE-QUOTE */
        symbol: string;
        /** Server-assigned identifier; wins over clOrderId */
        orderId?: string;
        /** Client-chosen order identifier */
        clOrderId?: string;
      };
      reply: SpotOrder[];
    };
    /** Cancel all orders of one pair, or of every pair */
    '/spot/api/v4/trade/orders/all': {
      query: {
        /** Trading pair, or ALL for every pair */
        symbol: string;
      };
      reply: SpotOrder[];
    };
    /** Cancel by orderID or clOrderID, or all orders of a pair */
    '/spot/api/v3.3/order': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: SpotOrderV33[];
    };
    /** Cancel by orderID or clOrderID, or all orders of a market */
    '/futures/api/v2.3/order': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: FuturesOrderV23[];
    };
    /** Cancel by orderId or clOrderId */
    '/futures/api/v3/trade/orders': {
      body: FuturesCancel;
      reply: FuturesOrder[];
    };
    /** Close a position with a MARKET or LIMIT order */
    '/futures/api/v3/trade/positions': {
      body: FuturesCloseLimit | FuturesCloseMarket;
      reply: FuturesOrder[];
    };
    /** Cancel by orderID or clOrderID, or all orders of a pair */
    '/spot/api/v3.2/order': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: SpotOrderV32[];
    };
    /** Cancel by orderID or clOrderID, or all orders of a pair */
    '/spot/api/v3.1/order': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: SpotOrderV32[];
    };
    /** Cancel by orderID or clOrderID, or all orders of a market */
    '/futures/api/v2.2/order': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: FuturesOrderV22[];
    };
    /** Cancel by orderID or clOrderID, or all orders of a market */
    '/futures/api/v2.1/order': {
      query: {
        /** Market symbol */
        symbol: string;
        /** Order identifier; wins over clOrderID */
        orderID?: string;
        /** Client-chosen order identifier */
        clOrderID?: string;
      };
      reply: FuturesOrderV22[];
    };
  };
  PUT: {
    /** Amend price, size or trigger price of a live order */
    '/spot/api/v4/trade/orders': {
      body: SpotAmend;
      reply: SpotOrder[];
    };
    /** Amend price, size or trigger price of a live order */
    '/spot/api/v3.3/order': {
      body: OlderAmend;
      reply: SpotOrderV33[];
    };
    /** Amend price, size or trigger price of a live order */
    '/futures/api/v2.3/order': {
      body: OlderAmend;
      reply: FuturesOrderV23[];
    };
    /** Amend price, size or trigger price of a live order */
    '/futures/api/v3/trade/orders': {
      body: FuturesAmendPrice | FuturesAmendSize | FuturesAmendTrigger | FuturesAmendAll;
      reply: FuturesOrder[];
    };
    /** Amend price, size or trigger price of a live order */
    '/spot/api/v3.2/order': {
      body: OlderAmend;
      reply: SpotOrderV32[];
    };
    /** Amend price, size or trigger price of a live order */
    '/spot/api/v3.1/order': {
      body: OlderAmend;
      reply: SpotOrderV32[];
    };
    /** Amend price, size or trigger price of a live order */
    '/futures/api/v2.2/order': {
      body: OlderAmend;
      reply: FuturesOrderV22[];
    };
    /** Amend price, size or trigger price of a live order */
    '/futures/api/v2.1/order': {
      body: OlderAmend;
      reply: FuturesOrderV22[];
    };
  };
}

/** Every topic of the streams, by product. */
export interface Topics {
  spot: {
    /** A snapshot of the best 50 levels of each side, then deltas. A level of size "0" is removed */
    [topic: `update:${string}`]: BookUpdate;
    /** The best level of each side, whenever one changes */
    [topic: `snapshotL1:${string}`]: BookL1;
    /** The best 50 levels of each side, whenever one changes */
    [topic: `snapshot:${string}`]: BookSnapshot;
    /** The trades of a market, the recent ones first */
    [topic: `tradeHistoryApi:${string}`]: PublicTrades;
    /** The trades of a market, the recent ones first */
    [topic: `tradeHistory:${string}`]: PublicTrades;
    /** One for each change of an order */
    notificationApiV3: SpotNotificationV3;
    /** One for each change of an order */
    notificationApiV2: SpotNotificationV2;
    /** What happened to the orders: a list */
    notificationApiV1: NotificationsV1;
    /** What happened to the orders: a list */
    notificationApi: NotificationsV1;
    /** The account's own trades: a list */
    fills: Fills;
  };
  futures: {
    /** A snapshot of the best 50 levels of each side, then deltas. A level of size "0" is removed */
    [topic: `update:${string}`]: BookUpdate;
    /** The best level of each side, whenever one changes */
    [topic: `snapshotL1:${string}`]: BookL1;
    /** The best 50 levels of each side, whenever one changes */
    [topic: `snapshot:${string}`]: BookSnapshot;
    /** The trades of a market, the recent ones first */
    [topic: `tradeHistoryApiV3:${string}`]: PublicTrades;
    /** The trades of a market, the recent ones first. The topic of its frames is `tradeHistoryApiV2` */
    [topic: `tradeHistoryApiV2:${string}`]: PublicTrades;
    /** The trades of a market, the recent ones first. Rows name the market as it was subscribed. The topic of its frames is `tradeHistoryApi` */
    [topic: `tradeHistoryApi:${string}`]: PublicTrades;
    /** What happened to the orders: a list */
    notificationApiV4: FuturesNotificationsV4;
    /** What happened to the orders: a list */
    notificationApiV3: FuturesNotificationsV2;
    /** What happened to the orders: a list. With the older names */
    notificationApiV2: FuturesNotificationsV2;
    /** What happened to the orders: a list. With the older names */
    notificationApiV1: NotificationsV1;
    /** What happened to the orders: a list. With the older names */
    notificationApi: NotificationsV1;
    /** The account's own trades: a list */
    fillsV2: Fills;
    /** The account's own trades: a list. With the older names */
    fills: Fills;
    /** The positions that have changed. One that was closed comes once, with `totalContracts` 0 */
    positionsV3: Positions;
    /** The positions that have changed. One that was closed comes once, with `totalContracts` 0 */
    positionsV2: Positions;
    /** The positions that have changed. One that was closed comes once, with `totalContracts` 0. With the older names */
    positions: Positions;
    /** All open positions, whenever one changes */
    allPositionV4: Positions;
    /** All open positions, whenever one changes */
    allPositionV3: Positions;
    /** All open positions, whenever one changes */
    allPositionV2: Positions;
    /** All open positions, whenever one changes. With the older names */
    allPosition: Positions;
  };
}
