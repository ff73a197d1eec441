/**
 * The older versions that are served: spot v3.2 and v3.1, futures v2.2 and v2.1. They have every route of the newest
 * version of their surface. Their records have the older names of sizes and averages besides the newer ones.
 *
 * Sizes are in the currency in which the order was sized: the base, or the quote for a MARKET BUY by value.
 */
import type { Surface } from '../../shared/surface.ts';
import { FUTURES_FILL_V23, SPOT_FILL_V33 } from '../../trades/trade-replies.ts';
import * as futures from '../futures-v2.3/replies.ts';
import { futuresV23 } from '../futures-v2.3/routes.ts';
import * as spot from '../spot-v3.3/replies.ts';
import { spotV33 } from '../spot-v3.3/routes.ts';
import { type OlderRecord, olderRecord, olderSurface } from './older-surface.ts';
import { OLDER_PERPETUALS } from './perpetual-names.ts';

const SPOT_SIZE = {
  size: ['currentOrderBaseSize', 'currentOrderQuoteSize'],
  remainingSize: ['remainingOrderBaseSize', 'remainingOrderQuoteSize'],
  fillSize: ['totalFilledBaseSize'],
  averageFillPrice: ['avgFilledPrice'],
};
const SPOT_LISTED = { ...SPOT_SIZE, filledSize: ['totalFilledBaseSize'] };
const FUTURES_LISTED = {
  size: ['currentOrderSize'],
  filledSize: ['totalFilledSize'],
  averageFillPrice: ['avgFilledPrice'],
  stealth: ['stealth', 1],
};

/** Clients of these versions read stealth and deviation without a check. Only pegs have them, so others get the default. */
const SPOT_RECORDS: readonly OlderRecord[] = [
  olderRecord(spot.ORDER, 'SpotOrderV32', {
    ...SPOT_SIZE,
    originalSize: ['originalOrderBaseSize', 'originalOrderQuoteSize'],
    stealth: ['stealth', 1],
    deviation: ['deviation', 1],
  }),
  olderRecord(spot.LOOKED_UP, 'SpotLookupV32', SPOT_LISTED),
  olderRecord(spot.OPEN_ORDER, 'SpotOpenOrderV32', SPOT_LISTED),
  olderRecord(SPOT_FILL_V33, 'SpotFillV32', { averageFillPrice: ['avgFilledPrice'] }),
];
const FUTURES_RECORDS: readonly OlderRecord[] = [
  olderRecord(futures.ORDER, 'FuturesOrderV22', {
    size: ['currentOrderSize'],
    originalSize: ['originalOrderSize'],
    fillSize: ['totalFilledSize'],
    avgFillPrice: ['avgFilledPrice'],
    stealth: ['stealth', 100],
    deviation: ['deviation', 100],
  }),
  olderRecord(futures.LOOKED_UP, 'FuturesLookupV22', FUTURES_LISTED),
  olderRecord(futures.OPEN_ORDER, 'FuturesOpenOrderV22', FUTURES_LISTED),
  olderRecord(FUTURES_FILL_V23, 'FuturesFillV22', { averageFillPrice: ['avgFilledPrice'] }),
];

export const OLDER_SURFACES: readonly Surface[] = [
  { name: 'spot-v3.2', basePath: '/spot/api/v3.2', newer: spotV33, records: SPOT_RECORDS },
  { name: 'spot-v3.1', basePath: '/spot/api/v3.1', newer: spotV33, records: SPOT_RECORDS },
  { name: 'futures-v2.2', basePath: '/futures/api/v2.2', newer: futuresV23, records: FUTURES_RECORDS },
  {
    name: 'futures-v2.1',
    basePath: '/futures/api/v2.1',
    newer: futuresV23,
    records: FUTURES_RECORDS,
    spelling: OLDER_PERPETUALS,
  },
].map(olderSurface);
