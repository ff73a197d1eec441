/** One acceptable request of every spot algo kind, all of size 1 or of 50 quote; what the tables vary. */
import { oco, peg, trailing, triggered, triggeredLimit, twap } from '../support/bodies.ts';

export const PEG_BODY = peg('BUY', 99, { stealth: 10 });
export const STOP_LIMIT = triggeredLimit('SELL', 'STOP_LOSS', 95, 94);
export const STOP_MARKET = triggered('SELL', 'STOP_LOSS', 95);
export const STOP_MARKET_BUY = triggered('BUY', 'STOP_LOSS', 105);
export const OCO_BODY = oco('SELL');
export const TRAILING_SELL = trailing('SELL', { trailValue: 5 });
export const TRAILING_BUY = trailing('BUY', { trailValue: 5 });
export const TWAP_BODY = twap('SELL');
