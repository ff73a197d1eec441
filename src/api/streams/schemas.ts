/** The frames of the topics, for docs/asyncapi.json. The tests' client checks every frame against it. */
import Type, { type TProperties, type TSchema } from 'typebox';
import {
  choice,
  component,
  detailType,
  direction,
  flag,
  list,
  number,
  orderId,
  orNull,
  positionMode,
  side,
  sometimes,
  statusCode,
  symbol,
  text,
  timestampMs,
  typeCode,
  whole,
} from '../orders/reply-fields.ts';

function frame(title: string, data: TSchema, more: TProperties = {}): TSchema {
  return component(title, { topic: text('As in the table of topics'), ...more, data });
}

/** A frame of a topic that may begin after a seq. */
function numbered(title: string, data: TSchema, more: TProperties = {}): TSchema {
  const seq = sometimes(whole('The last command that it includes, if the topic was subscribed with @SEQ'));
  return frame(title, data, { ...more, seq });
}

const LEVEL = Type.Array(text('Price, then size'), { minItems: 2, maxItems: 2 });
const LEVELS = { bids: list(LEVEL), asks: list(LEVEL) };
const BOOK = { symbol, timestamp: timestampMs };

const chained = (title: string, types: readonly string[]) =>
  frame(
    title,
    Type.Object({
      ...LEVELS,
      seqNum: whole('Of this frame: prevSeqNum + 1'),
      prevSeqNum: whole('Of the frame before'),
      type: choice(types),
      ...BOOK,
    }),
  );

export const UPDATE = chained('BookUpdate', ['snapshot', 'delta']);
export const SNAPSHOT = chained('BookSnapshot', ['snapshot']);
export const SNAPSHOT_L1 = frame('BookL1', Type.Object({ ...LEVELS, type: choice(['snapshotL1']), ...BOOK }));

const TRADE = { price: number(), size: number(), side, symbol, tradeId: whole(), timestamp: timestampMs };
export const PUBLIC_TRADES = frame('PublicTrades', list(Type.Object(TRADE)));

const COMMON = {
  symbol,
  orderID: orderId,
  price: number(),
  triggerPrice: number(),
  pegPriceDeviation: number('A fraction; 1 for an order that is not pegged'),
  stealth: number('A fraction; 1 for an order that is not pegged'),
  status: statusCode,
  timestamp: timestampMs,
  clOrderID: text('Empty: none'),
  maker: flag(),
  time_in_force: text(),
};
const txTypeCode = whole('0 none, 1 a stop, 2 a take-profit, 3 one of a pair');
const txTypeName = choice(['LIMIT', 'STOP', 'TAKE_PROFIT', 'OCO']);
const positionId = text('BTC-PERP-USDT, or BTCPFC-USD in the older names');

const SECOND_VERSION = {
  ...COMMON,
  side,
  type: typeCode,
  size: number(),
  originalSize: number(),
  avgFillPrice: number(),
  fillSize: number('Filled in all'),
  remainingSize: number(),
};

export const FIRST_NOTIFICATIONS = numbered(
  'NotificationsV1',
  list(
    Type.Object({
      symbol,
      orderID: orderId,
      orderMode: choice(['MODE_BUY', 'MODE_SELL']),
      orderType: choice(['TYPE_LIMIT', 'TYPE_MARKET']),
      type: choice(['LIMIT', 'MARKET', 'STOP', 'TAKE_PROFIT', 'OCO']),
      pegPriceDeviation: text(),
      stealth: text(),
      price: text(),
      size: text(),
      triggerPrice: text(),
      status: text('ORDER_INSERTED, …'),
      timestamp: timestampMs,
    }),
  ),
);

export const SPOT_NOTIFICATION_V2 = numbered(
  'SpotNotificationV2',
  Type.Object({ ...SECOND_VERSION, txType: txTypeCode }),
);

export const SPOT_NOTIFICATION_V3 = numbered(
  'SpotNotificationV3',
  Type.Object({
    ...COMMON,
    side: choice(['MODE_BUY', 'MODE_SELL']),
    orderType: typeCode,
    txType: txTypeCode,
    avgFilledPrice: number(),
    postOnly: flag(),
    orderUserInitiated: flag(),
    originalOrderBaseSize: number(),
    originalOrderQuoteSize: number(),
    currentOrderBaseSize: number(),
    currentOrderQuoteSize: number(),
    filledBaseSize: number('Filled by this event'),
    totalFilledBaseSize: number(),
    remainingBaseSize: number(),
    remainingQuoteSize: number(),
    orderCurrency: text('The currency of its size'),
  }),
);

export const FUTURES_NOTIFICATIONS_OLDER = numbered(
  'FuturesNotificationsV2',
  list(Type.Object({ ...SECOND_VERSION, txType: txTypeName, positionId })),
);

export const FUTURES_NOTIFICATIONS = numbered(
  'FuturesNotificationsV4',
  list(
    Type.Object({
      ...COMMON,
      side,
      orderType: typeCode,
      type: whole('0'),
      avgFilledPrice: number(),
      postOnly: flag(),
      positionId,
      orderDetailType: detailType,
      orderUserInitiated: flag('false: an order of a liquidation'),
      originalOrderSize: number(),
      currentOrderSize: number(),
      filledSize: number('Filled by this event'),
      totalFilledSize: number(),
      remainingSize: number(),
    }),
  ),
);

export const FILLS = numbered(
  'Fills',
  list(
    Type.Object({
      orderId,
      serialId: whole('The number of the trade in its market'),
      clOrderId: text('Empty: none'),
      type: text('76 LIMIT, 77 MARKET, 80 PEG, 82 TWAP, 84 TRAILING'),
      symbol,
      side,
      price: text(),
      size: text(),
      feeAmount: text(),
      feeCurrency: text(),
      base: text(),
      quote: text(),
      maker: flag(),
      timestamp: timestampMs,
      contractSize: sometimes(number('Futures')),
      tradeId: text('Both sides of the trade show it'),
    }),
  ),
  { id: text('Empty') },
);

const nothing = Type.Null();
const ATTACHED = orNull(
  Type.Object({ orderId, side, triggerPrice: number(), triggerUseLastPrice: flag('false: the mark') }),
);

export const POSITIONS = frame(
  'Positions',
  list(
    Type.Object({
      requestId: whole(),
      username: text('The account'),
      userCurrency: nothing,
      marketName: text('BTC-PERP-USDT, or BTCPFC-USD in the older names'),
      orderType: whole('90: a position. 0: a closed one'),
      orderTypeName: orNull(text()),
      orderMode: whole('66 long, 83 short. 0: closed'),
      orderModeName: orNull(choice(['MODE_BUY', 'MODE_SELL'])),
      status: whole('65: active'),
      originalAmount: number('The size of a contract'),
      maxPriceHeld: number(),
      pegPriceMin: number(),
      stealth: number(),
      baseCurrency: nothing,
      quoteCurrency: nothing,
      quoteCurrencyFiat: flag(),
      parents: nothing,
      makerFeesRatio: nothing,
      takerFeesRatio: orNull(list(number('A fraction'))),
      orderID: orNull(text('An attached order')),
      vendorName: nothing,
      botID: nothing,
      maxStealthDisplayAmount: number(),
      sellExchangeRate: number(),
      tag: nothing,
      triggerPrice: number('Of an attached order'),
      closeOrder: flag('It has an attached order'),
      dbBaseBalHeld: number(),
      dbQuoteBalHeld: number('The unrealised result less the maintenance margin'),
      isFuture: flag('false: closed'),
      future: flag(),
      liquidationInProgress: flag(),
      marginType: whole('91 cross, 92 isolated. 0: closed'),
      marginTypeName: orNull(choice(['FUTURES_MARGIN_CROSS', 'FUTURES_MARGIN_ISOLATED'])),
      entryPrice: number(),
      liquidationPrice: number('0: none'),
      markedPrice: number(),
      marginHeld: number(),
      unrealizedProfitLoss: number(),
      totalMaintenanceMargin: number(),
      totalContracts: number('0: closed'),
      marginChargedLongOpen: number(),
      marginChargedShortOpen: number(),
      unchargedMarginLongOpen: number(),
      unchargedMarginShortOpen: number(),
      isolatedCurrency: nothing,
      isolatedLeverage: number(),
      totalFees: number(),
      totalValue: number('At the mark'),
      adlScoreBucket: whole(),
      adlScorePercentile: number(),
      currentLeverage: number(),
      contractSize: number(),
      minimumRequiredMargin: number(),
      filledSize: number(),
      takeProfitOrder: ATTACHED,
      stopLossOrder: ATTACHED,
      positionId,
      activeWalletName: orNull(text()),
      positionMode: orNull(positionMode),
      positionDirection: orNull(direction),
      serviceType: whole(),
      avgFilledPrice: sometimes(number()),
      avgFillPrice: sometimes(number('In the older names')),
      settleWithNonUSDAsset: text(),
    }),
  ),
);

// --- what is not a topic's -------------------------------------------------------------------------------------------

export const SUBSCRIBE = component('Subscribe', {
  op: choice(['subscribe', 'unsubscribe']),
  args: list(text('A topic')),
});
export const LOGIN = component('Login', {
  op: choice(['authKeyExpires', 'login']),
  args: Type.Array(text('Key, nonce and signature'), { minItems: 3, maxItems: 3 }),
});
export const PING = component('Ping', { op: choice(['ping']) });
export const ACKNOWLEDGED = component('Acknowledged', {
  event: choice(['subscribe', 'unsubscribe']),
  channel: list(text('A topic that was taken')),
});
export const LOGGED_IN = component('LoggedIn', {
  event: choice(['login']),
  success: flag(),
  message: sometimes(text('Why not')),
});
export const ERRORS = component('Errors', {
  severity: choice(['ERROR']),
  errors: list(
    Type.Object({
      arg: text('What was refused'),
      error: Type.Object({
        code: whole('1000, 1001, 1002, 1005, 1007 or 1008'),
        message: text(),
        hint: sometimes(text('What was probably meant: the socket that has the topic, or the groupings')),
      }),
    }),
  ),
});
export const PONG = Type.Unsafe<string>({ title: 'Pong', type: 'string', const: 'pong' });
