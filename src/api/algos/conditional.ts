/** CONDITIONAL on spot v4: STOP_LOSS and TAKE_PROFIT, released as a market or a limit order. */
import type { Place } from '../../venue/contract/commands.ts';
import type { MarketView } from '../../venue/views.ts';
import { referenceOf } from '../orders/order-records.ts';
import type { Placement } from '../orders/order-requests.ts';
import {
  BASE_SIZE,
  BUY,
  COMMON,
  NAMES,
  price,
  priceKind,
  QUOTE_SIZE,
  readSide,
  SELL,
  sized,
  TIME_IN_FORCE,
} from '../orders/spot-v4-requests.ts';
import { restingTerms } from '../orders/v3-v4-requests.ts';
import { choice, fields, flag, optional, reader } from '../shared/fields.ts';
import type { Call } from '../shared/surface.ts';
import { priceTicks, sizeLots } from '../shared/tick-conversion.ts';
import { type AlgoRequest, algoType, beginAlgo } from './algo-request.ts';

const TRIGGER_ORDER_TYPES = ['STOP_LOSS', 'TAKE_PROFIT', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT'] as const;

const conditionalFields = <const T extends (typeof TRIGGER_ORDER_TYPES)[number]>(kinds: readonly T[]) => ({
  ...algoType('CONDITIONAL'),
  triggerPrice: price('Price that activates the order'),
  triggerOrderType: choice(kinds, 'Kind of trigger order'),
  triggerPriceType: priceKind('Price that the trigger watches'),
});
const byMarket = conditionalFields(['STOP_LOSS', 'TAKE_PROFIT']);

const LIMIT = fields(
  {
    ...COMMON,
    ...conditionalFields(['STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT']),
    ...BASE_SIZE,
    orderPrice: price('Limit price of the released order'),
    timeInForce: TIME_IN_FORCE,
    postOnly: optional(flag('The released order is rejected when it would match at once')),
  },
  { title: 'SpotConditionalLimit' },
);
const MARKET_BUY = fields({ ...COMMON, ...BUY, ...byMarket, ...QUOTE_SIZE }, { title: 'SpotConditionalMarketBuy' });
const MARKET_SELL = fields({ ...COMMON, ...SELL, ...byMarket, ...BASE_SIZE }, { title: 'SpotConditionalMarketSell' });

const readTriggerKind = reader(fields({ triggerOrderType: choice(TRIGGER_ORDER_TYPES, 'Kind of trigger order') }));
const readLimit = reader(LIMIT, { only: 'a CONDITIONAL limit order' });
type Triggered = Pick<ReturnType<typeof readLimit>, 'triggerPrice' | 'triggerPriceType'>;
const readBuy = reader(MARKET_BUY, { only: 'a CONDITIONAL market order, orderSide BUY' });
const readSell = reader(MARKET_SELL, { only: 'a CONDITIONAL market order, orderSide SELL' });

export const conditional: AlgoRequest = {
  algo: 'conditional',
  orderType: 'CONDITIONAL',
  bodies: [LIMIT, MARKET_BUY, MARKET_SELL],

  read(call: Call): Placement {
    const { body } = call;
    const kind = readTriggerKind(body).triggerOrderType;
    const triggered = (market: MarketView, { triggerPrice, triggerPriceType }: Triggered) => ({
      kind: 'conditional' as const,
      rule: kind.startsWith('STOP_LOSS') ? ('stop' as const) : ('profit' as const),
      trigger: priceTicks(market, 'triggerPrice', triggerPrice),
      reference: referenceOf(triggerPriceType),
      reduceOnly: false,
    });
    if (kind.endsWith('_LIMIT')) {
      const request = readLimit(body);
      const { market, common } = beginAlgo(call, request);
      const command: Place = {
        ...common,
        ...triggered(market, request),
        price: priceTicks(market, 'orderPrice', request.orderPrice),
        size: sizeLots(market, 'orderSize', request.orderSize),
        quote: null,
        ...restingTerms(request),
      };
      return { command, names: NAMES };
    }
    const request = readSide(body).orderSide === 'BUY' ? readBuy(body) : readSell(body);
    const { market, common } = beginAlgo(call, request);
    const command: Place = {
      ...common,
      ...triggered(market, request),
      price: null,
      ...sized(call, market, request),
      timeInForce: 'GTC',
      postOnly: false,
    };
    return { command, names: NAMES };
  },
};
