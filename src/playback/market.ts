/** The market of the venue that a recording is played in: made from what the files hold, or the configured one. */
import { ConfigurationError, type ConfigurationInput, type MarketInput } from '../config/config.ts';
import { decimalText, parseDecimal } from '../venue/contract/decimal.ts';
import type { MarketSpec } from '../venue/contract/market-spec.ts';
import type { SizeUnit } from './options.ts';
import type { Survey } from './survey.ts';

/** The market's highest price is so many times the highest recorded one, so that users can place orders above it. */
const HEADROOM = 4n;
/** The largest order is so many times the largest recorded trade. */
const SIZE_FACTOR = 100n;
/** Price × size of an order stays below this, in ticks × steps. */
const MOST_TICK_LOTS = 2n ** 52n;
const PERPETUAL = /(?:[-_]?(?:PERP(?:ETUAL)?|SWAP))$/;
/** The ends of symbols that are written without a separator, the longest first. */
const QUOTES = ['FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'USD', 'EUR', 'GBP', 'TRY', 'BRL', 'BTC', 'ETH', 'BNB'];
const USUAL_DECIMALS = 8;

/** The configuration of the market that fits the files, and of its currencies. @throws {ConfigurationError} */
export function marketOf(
  survey: Survey,
  sizes: SizeUnit,
): { market: MarketInput; currencies: NonNullable<ConfigurationInput['currencies']> } {
  const { symbol, subjects, tick, step } = survey;
  if (symbol === undefined)
    throw problem('the files', 'do not say their symbol: name it with --symbol, such as BTCUSDT');
  if (tick === undefined || step === undefined) throw problem('the files', 'hold no prices');
  const plain = symbol.toUpperCase();
  const isPerpetual = subjects.includes('references') || PERPETUAL.test(plain);
  const { base, quote } = currenciesOf(plain.replace(PERPETUAL, ''));
  const highest = scaled(survey.highest, tick);
  const maxTicks = highest * HEADROOM;
  const largest = scaled(survey.largestTrade, step);
  const most = MOST_TICK_LOTS / maxTicks;
  const maxLots = largest === 0n || largest * SIZE_FACTOR > most ? most : largest * SIZE_FACTOR;
  const inSteps = (lots: bigint) => times(step, lots);
  const kind = isPerpetual ? 'perpetual' : 'spot';
  const grid = isPerpetual
    ? { step: '1', minSize: '1', maxSize: String(maxLots), contractSize: sizes === 'base' ? step : '1' }
    : { step, minSize: step, maxSize: inSteps(maxLots) };
  const market = {
    symbol: isPerpetual ? `${base}-PERP` : `${base}-${quote}`,
    kind,
    base,
    quote,
    tick,
    maxPrice: times(tick, maxTicks),
    ...grid,
  } as const;
  const decimals = (least: number) => ({ decimals: Math.max(USUAL_DECIMALS, least) });
  return {
    market,
    currencies: { [base]: decimals(placesOf(step)), [quote]: decimals(placesOf(step) + placesOf(tick)) },
  };
}

/** How recorded prices and sizes become ticks and lots of that market. */
export function gridOf(market: MarketSpec, sizes: SizeUnit): { tick: string; step: string; maxPriceTicks: number } {
  const { kind, tick, contractSize } = market;
  const inBase = kind === 'perpetual' && sizes === 'base';
  const lots = inBase ? product(market.step, contractSize as string) : market.step;
  return { tick, step: lots, maxPriceTicks: Number(scaled(market.maxPrice, tick)) };
}

/** What of the files is off the market's grid, in words. Undefined: all of them can be played as they are. */
export function offGrid(survey: Survey, market: MarketSpec, sizes: SizeUnit): string | undefined {
  const grid = gridOf(market, sizes);
  const found = [
    [`prices are multiples of ${survey.tick}`, survey.tick, grid.tick],
    [`sizes are multiples of ${survey.step}`, survey.step, grid.step],
  ] as const;
  const off = found.find(([, step, of]) => step !== undefined && !isMultiple(step, of));
  return off && `their ${off[0]}, and those of ${market.symbol} are multiples of ${off[2]}`;
}

function currenciesOf(symbol: string): { base: string; quote: string } {
  const parts = symbol.split(/[^A-Z0-9]+/).filter((part) => part !== '');
  if (parts.length === 2) return { base: parts[0], quote: parts[1] };
  const [whole] = parts;
  const quote = QUOTES.find((each) => whole?.endsWith(each) && whole.length > each.length);
  if (parts.length === 1 && whole !== undefined && quote !== undefined) {
    return { base: whole.slice(0, -quote.length), quote };
  }
  throw problem(
    symbol,
    'does not say its currencies, as BTCUSDT does: rename the file, or name a configured market with --market',
  );
}

function problem(path: string, message: string): ConfigurationError {
  return new ConfigurationError('of the recording', [{ path, message }]);
}

/** How many steps a value is. It is on the grid. */
function scaled(value: string, step: string): bigint {
  const [a, b] = inUnits(value, step);
  return a / b;
}

function isMultiple(value: string, step: string): boolean {
  const [a, b] = inUnits(value, step);
  return a % b === 0n;
}

/** Both as counts of one unit that is small enough for either. */
function inUnits(...values: [string, string]): [bigint, bigint] {
  const [a, b] = values.map(exact);
  const scale = Math.max(a.scale, b.scale);
  const units = (of: { coefficient: bigint; scale: number }) => of.coefficient * 10n ** BigInt(scale - of.scale);
  return [units(a), units(b)];
}

function times(step: string, count: bigint): string {
  const { coefficient, scale } = exact(step);
  return decimalText(coefficient * count, scale);
}

function product(a: string, b: string): string {
  const [x, y] = [exact(a), exact(b)];
  return decimalText(x.coefficient * y.coefficient, x.scale + y.scale);
}

function placesOf(step: string): number {
  return exact(step).scale;
}

function exact(text: string): { coefficient: bigint; scale: number } {
  const parsed = parseDecimal(text);
  if (typeof parsed === 'string') throw problem(text, `is ${parsed}`);
  return parsed;
}
