/** Books and trades of the house, for tests: liquidity that belongs to no account, and touches no limit, fee or history. */
import type { Field } from '../../../config/field.ts';
import { onGrid } from '../../../venue/contract/decimal.ts';
import { SNAPSHOT, TRADE } from '../../../venue/contract/market-steps.ts';
import type { MarketView } from '../../../venue/views.ts';
import { ApiError, malformed } from '../../shared/errors.ts';
import { decimalOf, priceTicks } from '../../shared/tick-conversion.ts';
import { type ControlContext, findMarket, submit } from '../context.ts';
import { refuseProblems } from '../problems.ts';

/** Of a side. */
const MOST_LEVELS = 1000;

/** Replaces what the house has in the book. Orders of accounts stay, and meet what crosses them. */
export async function setBook(context: ControlContext, body: Field, symbol: string): Promise<object> {
  refuseProblems(body.object(['bids', 'asks']));
  const market = houseMarket(context, symbol);
  const steps = [...readLevels(body.at('bids'), market, 1), ...readLevels(body.at('asks'), market, -1)];
  refuseProblems(body);
  return play(context, market, [SNAPSHOT, steps.length / 2, ...steps]);
}

/** Prints a trade of the house. Orders of accounts with better prices fill first, then those at its price, in their turn. */
export async function printTrade(context: ControlContext, body: Field, symbol: string): Promise<object> {
  refuseProblems(body.object(['side', 'size', 'price']));
  const market = houseMarket(context, symbol);
  const side = body.at('side').oneOf(['BUY', 'SELL']);
  const [size, price] = ['size', 'price'].map((name) => body.at(name).decimal({ above: '0' }));
  refuseProblems(body);
  const ticks = priceTicks(market, 'price', decimalOf(price));
  const lots = lotsOf(market, 'size', size);
  return play(context, market, [TRADE, side === 'BUY' ? ticks : -ticks, lots]);
}

/** Price, size, price, size, …: what steps consist of. `sign`: of the side's prices. */
function readLevels(field: Field, market: MarketView, sign: 1 | -1): number[] {
  const levels = field.list('levels');
  if (levels.length > MOST_LEVELS) field.problem(`must have at most ${MOST_LEVELS} levels`);
  return levels.slice(0, MOST_LEVELS).flatMap((level) => {
    if (!Array.isArray(level.value) || level.value.length !== 2) {
      level.problem('must be a level, [price, size]');
      return [];
    }
    const before = field.problems.length;
    const [price, size] = level.list('values').map((value) => value.decimal({ above: '0' }));
    if (field.problems.length > before) return [];
    return [sign * priceTicks(market, level.path, decimalOf(price)), lotsOf(market, level.path, size)];
  });
}

/** On the step. The limits of orders do not apply. */
function lotsOf(market: MarketView, field: string, size: string): number {
  const place = onGrid(decimalOf(size), market.lot);
  if (place === 'out of range') throw malformed(field, `is ${size}`, 'give less');
  if ('units' in place) return place.units;
  throw new ApiError('sizeOffStep', { field, size, ...place });
}

function houseMarket({ venue }: ControlContext, symbol: string): MarketView {
  const market = findMarket(venue, symbol);
  if (market.playback === null) {
    throw new ApiError('notAvailable', {
      what: `${market.symbol} has no house: start the venue with house: true (startVenue, bourse sandbox)`,
    });
  }
  if (venue.recording !== null) {
    throw new ApiError('notAvailable', { what: `the book of ${market.symbol} is that of a recording` });
  }
  return market;
}

async function play(context: ControlContext, market: MarketView, steps: readonly number[]): Promise<object> {
  const { timeMs } = context.venue;
  const { position = 0 } = market.playback ?? {};
  const times = { toMs: timeMs, recordedMs: timeMs };
  const reply = await submit(context, { v: 1, type: 'market', market: market.index, ...times, position, steps });
  return { time: reply.timeMs, seq: reply.seq };
}
