/**
 * Converts a spot v4 placement of a LIMIT or MARKET order to the venue's command: finds the variant, reads its fields
 * and converts them to the market's grids. Each algo has its own file (src/api/algos). There are no rules about funds,
 * bands or books here. Those are in the venue.
 */
import { ALGO_TYPES } from '../../algos/registry.ts';
import type { Placement } from '../../orders/order-requests.ts';
import { begin, NAMES, readSide, sized } from '../../orders/spot-v4-requests.ts';
import { v4LimitTerms } from '../../orders/v3-v4-requests.ts';
import { reader } from '../../shared/fields.ts';
import type { Call } from '../../shared/surface.ts';
import { sizeLots } from '../../shared/tick-conversion.ts';
import * as schemas from './schemas.ts';

const ALGO_ROUTE = 'it is placed at POST /spot/api/v4/trade/orders/algo';
const readPlainKind = reader(schemas.PLAIN_KIND, {
  elsewhere: Object.fromEntries(ALGO_TYPES.map((type) => [type, ALGO_ROUTE])),
});
const readLimit = reader(schemas.LIMIT, { only: 'orderType LIMIT' });
const readMarketBuy = reader(schemas.MARKET_BUY, { only: 'orderType MARKET, orderSide BUY' });
const readMarketSell = reader(schemas.MARKET_SELL, { only: 'orderType MARKET, orderSide SELL' });

const PLACE = 'spot v4 place';

/** POST /trade/orders: LIMIT and MARKET. */
export function plainPlacement(call: Call): Placement {
  const { body } = call;
  if (readPlainKind(body).orderType === 'LIMIT') {
    const request = readLimit(body);
    const { market, common } = begin(call, PLACE, request);
    const size = sizeLots(market, 'orderSize', request.orderSize);
    return { command: { ...common, ...v4LimitTerms(market, request), size, reduceOnly: false }, names: NAMES };
  }
  const request = readSide(body).orderSide === 'BUY' ? readMarketBuy(body) : readMarketSell(body);
  const { market, common } = begin(call, PLACE, request);
  return { command: { ...common, kind: 'market', ...sized(call, market, request), reduceOnly: false }, names: NAMES };
}
