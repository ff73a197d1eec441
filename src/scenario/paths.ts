/** The prices over time of a scenario, with the files of their recordings read. */
import { gridOf } from '../playback/market.ts';
import { RecordingRefused } from '../recorded/refused.ts';
import type { MarketView } from '../venue/views.ts';
import { type PricePath, pricePath, timesOf } from './prices.ts';
import { type RecordedPrice, recordedPrices } from './recorded-prices.ts';
import { msOf, type PriceMove, type ScenarioFile, ScenarioRefused } from './schema.ts';
import { besideScenario } from './venue-options.ts';

export interface PathsOptions {
  /** Of the scenario, in ms since its beginning. */
  readonly moments: readonly number[];
  readonly stepMs: number;
  readonly lengthMs: number;
  readonly seed: number;
  readonly marketOf: (symbol: string) => MarketView;
}

/** `file`: of the scenario. @throws {ScenarioRefused} */
export async function readPaths(
  { prices = [] }: ScenarioFile,
  file: string,
  options: PathsOptions,
): Promise<PricePath[]> {
  const paths: PricePath[] = [];
  for (const [i, price] of prices.entries()) {
    const recorded = new Map<number, RecordedPrice[]>();
    for (const [j, move] of (price.moves ?? []).entries()) {
      if (move.recorded === undefined) continue;
      try {
        recorded.set(j, await readRecording(move, file, options.marketOf(price.symbol), options));
      } catch (error) {
        const isOfFile = error instanceof RecordingRefused || (error as NodeJS.ErrnoException).code !== undefined;
        if (!isOfFile) throw error;
        throw new ScenarioRefused(file, [`prices[${i}].moves[${j}].recorded: ${(error as Error).message}`]);
      }
    }
    paths.push(pricePath(price, { ...options, recorded }));
  }
  return paths;
}

/** @throws {RecordingRefused} */
async function readRecording(
  move: PriceMove,
  file: string,
  { spec }: MarketView,
  { moments, lengthMs, seed }: PathsOptions,
): Promise<RecordedPrice[]> {
  const { recorded = [], recordedSymbol: symbol, skip = 0 } = move;
  const files = [recorded].flat().map((path) => besideScenario(file, path));
  const { tick, maxPriceTicks } = gridOf(spec, 'base');
  const [beginMs, overMs] = timesOf(move, lengthMs);
  const during = moments.filter((ms) => ms >= beginMs && ms <= overMs).map((ms) => ms - beginMs);
  const found = await recordedPrices({ files, symbol, skipMs: msOf(skip), tick, maxPriceTicks, seed }, during);
  if (found.length === 0) throw new RecordingRefused(files[0], 'it holds no price in that time');
  return found;
}
