/**
 * Recorded markets of a venue: the market that plays the files, what the log remembers of them, and the player.
 *
 * A first start reads the files once to make the market, and writes their SHA-256 into the log. A later start with the same
 * files goes on; other files are refused.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Configuration, readConfiguration } from './config/config.ts';
import { DEFAULT_MARKETS } from './config/defaults.ts';
import type { OnNotice } from './engine/contract/notice.ts';
import { realWorld, type World } from './engine/contract/world.ts';
import type { Engine } from './engine/host.ts';
import { readManifest } from './engine/identity/manifest.ts';
import type { LogStorage } from './log/contract/storage.ts';
import { gridOf, marketOf, offGrid } from './playback/market.ts';
import type { AtEnd, FundingRule, GapRule, SizeUnit, TimeRule } from './playback/options.ts';
import { Player } from './playback/player.ts';
import { GroupSource, RecordingBroken } from './playback/source.ts';
import { checksumsOf, type RecordedFile, surveyOf } from './playback/survey.ts';
import { RecordingRefused } from './recorded/refused.ts';
import { StartRefused } from './secrets.ts';
import type { QueueRule, Recordings } from './venue/contract/commands.ts';
import type { MarketSpec } from './venue/contract/market-spec.ts';

export interface ReplayOptions {
  /** Paths of the files of one market, in any order. */
  readonly files: readonly string[];
  /** Of files with several symbols, the one to play. */
  readonly symbol?: string;
  /** The configured market that plays them. Absent: one is made from the files. */
  readonly market?: string;
  /** Of a perpetual's recording. Default: base. */
  readonly sizes?: SizeUnit;
  /** Which part of a level goes when it shrinks without a trade. Default: back. */
  readonly queue?: QueueRule;
  /** How far from the middle of the book levels are played, as a fraction. Null: all of them. Default: 0.01. */
  readonly depth?: number | null;
  /** When a level has again what users took, ms. Null: when the recording next changes it. Default: 1000. */
  readonly healAfterMs?: number | null;
  /** Default: stale. */
  readonly gaps?: GapRule;
  /** Whether a perpetual pays the recorded funding rates, at the venue's own times. Default: own. */
  readonly funding?: FundingRule;
  /** Round prices and sizes that are off the market's grid. Default: they are refused. */
  readonly fit?: boolean;
  /** Default: halt. */
  readonly atEnd?: AtEnd;
  /** `shift`, the default: the recording begins when the venue does. `keep`: on a manual clock, at its own time. */
  readonly time?: TimeRule;
}

const DEFAULT_DEPTH = 0.01;
const DEFAULT_HEAL_MS = 1000;

/** What a start needs to know before its engine. */
export interface PreparedReplay {
  readonly options: ReplayOptions;
  readonly configuration: Configuration | undefined;
  /** Undefined: the venue was started before, so its log has them. */
  readonly recordings: Recordings | undefined;
  /** Undefined: the venue's own. */
  readonly startTimeMs: number | undefined;
  readonly files: readonly RecordedFile[];
}

export interface ReplayStart {
  readonly replay?: ReplayOptions;
  readonly configuration?: Configuration;
  readonly clock?: 'real' | 'manual';
  readonly startTimeMs?: number;
  readonly notice: OnNotice;
}

/** @throws {StartRefused} @throws {ConfigurationError} */
export async function prepareReplay(
  options: ReplayOptions,
  { configuration: given, clock = 'real', startTimeMs, notice }: ReplayStart,
  storage: LogStorage | undefined,
): Promise<PreparedReplay> {
  if (options.files.length === 0) throw new StartRefused('a replay needs a file');
  if (options.time === 'keep' && clock === 'real') {
    throw new StartRefused('a recording keeps its own time (--time keep) on a manual clock only');
  }
  const remembered = storage && (await readManifest(storage.documents));
  try {
    const files = await checksumsOf(options.files);
    if (remembered !== undefined) {
      const { markets, currencies } = remembered.configuration as unknown as Configuration;
      const made = options.market === undefined ? markets.filter((market) => isMade(market, given)) : [];
      const used = made.flatMap(({ base, quote }) => [base, quote]).map((code) => [code, currencies[code]]);
      const configuration = given && withMarkets(given, made, Object.fromEntries(used));
      return { options, configuration, recordings: undefined, startTimeMs, files };
    }
    const survey = await surveyOf(options.files, options.symbol);
    let configuration = given ?? readConfiguration({});
    let symbol = options.market;
    if (symbol === undefined) {
      const made = marketOf(survey, options.sizes ?? 'base');
      symbol = made.market.symbol;
      const currencies = finerOf(configuration.currencies, made.currencies);
      const { markets } = readConfiguration({ currencies, markets: [made.market] }, 'of the recording');
      configuration = withMarkets(
        configuration,
        markets.filter((each) => each.symbol === symbol),
        currencies,
      );
      notice(`${symbol} plays ${survey.events} recorded events: tick ${made.market.tick}, step ${survey.step}`);
    } else {
      const market = configuration.markets.find((each) => each.symbol === symbol);
      if (market === undefined) throw new StartRefused(`${symbol} (--market) is no market of the configuration`);
      const off = options.fit ? undefined : offGrid(survey, market, options.sizes ?? 'base');
      if (off !== undefined) {
        throw new StartRefused(`the recording does not fit: ${off}. --fit rounds; without --market one is made for it`);
      }
    }
    const { queue = 'back', healAfterMs = DEFAULT_HEAL_MS, time } = options;
    return {
      options,
      configuration,
      recordings: { markets: { [symbol]: { queue, healAfterMs } }, files },
      startTimeMs: time === 'keep' ? (startTimeMs ?? survey.firstMs) : startTimeMs,
      files,
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isFile = error instanceof RecordingRefused || code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR';
    throw isFile ? new StartRefused(`the recording cannot be played: ${message}`, { cause: error }) : error;
  }
}

/** Whether a market of the first start can be the one that was made: the configuration does not say otherwise. */
function isMade({ symbol }: MarketSpec, given: Configuration | undefined): boolean {
  const now = given?.markets.find((market) => market.symbol === symbol);
  return now === undefined || DEFAULT_MARKETS.some((market) => isDeepStrictEqual(market, now));
}

/** Each currency with the larger number of decimals: small steps of price and size need many. */
function finerOf(known: Configuration['currencies'], needed: Configuration['currencies']): Configuration['currencies'] {
  const decimals = (code: string) => Math.max(known[code]?.decimals ?? 0, needed[code].decimals);
  return { ...known, ...Object.fromEntries(Object.keys(needed).map((code) => [code, { decimals: decimals(code) }])) };
}

/** The configuration with those markets in the places of those with the same symbols, and with those currencies. */
function withMarkets(
  configuration: Configuration,
  markets: readonly MarketSpec[],
  currencies: Configuration['currencies'],
): Configuration {
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]));
  const replaced = configuration.markets.map((market) => bySymbol.get(market.symbol) ?? market);
  const known = new Set(replaced.map(({ symbol }) => symbol));
  const added = markets.filter(({ symbol }) => !known.has(symbol));
  return {
    ...configuration,
    currencies: { ...configuration.currencies, ...currencies },
    markets: [...replaced, ...added],
  };
}

/** The player of a venue that has begun. @throws {StartRefused} the venue plays other files, or none */
export function openPlayer(
  engine: Engine,
  { options, files }: PreparedReplay,
  {
    notice,
    world = realWorld,
    onBug,
  }: { notice: OnNotice; world?: World; onBug: (error: unknown, where: string) => void },
): Player {
  const { recordings, seed, clock } = engine.venue.genesis!;
  if (recordings === undefined) {
    throw new StartRefused('this venue was started without a recording: start another data folder with --data');
  }
  const same = JSON.stringify(recordings.files.map(({ sha256 }) => sha256).sort());
  if (JSON.stringify(files.map(({ sha256 }) => sha256).sort()) !== same) {
    const names = recordings.files.map(({ name }) => name).join(', ');
    throw new StartRefused(
      `this venue plays other files (${names}): give those, or start another data folder with --data`,
    );
  }
  const [[symbol, terms]] = Object.entries(recordings.markets);
  for (const [name, was, now] of [
    ['queue', terms.queue, options.queue],
    ['heal-after', terms.healAfterMs, options.healAfterMs],
  ] as const) {
    if (now === undefined || now === was) continue;
    throw new StartRefused(
      `--${name} is ${now ?? 'never'}, and this venue was started with ${was ?? 'never'}: leave it out`,
    );
  }
  const {
    sizes = 'base',
    depth = DEFAULT_DEPTH,
    fit = false,
    gaps = 'stale',
    funding = 'own',
    atEnd = 'halt',
    time = 'shift',
  } = options;
  if (time === 'keep' && clock === 'real') throw new StartRefused('--time keep is for a manual clock');
  const { spec } = engine.venue.marketBySymbol(symbol)!;
  if (funding === 'recorded' && spec.funding === null) {
    throw new StartRefused(`${symbol} has no funding: --funding recorded is for perpetuals that have`);
  }
  const grid = gridOf(spec, sizes);
  return new Player({
    engine,
    symbol,
    keepsTime: time === 'keep',
    handsOver: atEnd === 'traders',
    monotonicMs: () => world.monotonicMs(),
    onNotice: notice,
    onBroken: (error) => {
      if (error instanceof RecordingBroken) notice(`the recording of ${symbol} stops here: ${error.message}`, 'error');
      else onBug(error, 'the replay');
    },
    open: (skip) =>
      new GroupSource({
        ...grid,
        paths: options.files,
        symbol: options.symbol,
        fit,
        depth,
        skip,
        loop: atEnd === 'loop',
        skipGaps: gaps === 'skip',
        recordedFunding: funding === 'recorded',
        seed,
      }),
  });
}

/** A venue that was started with a recording and goes on without it says so. */
export function noticeUnplayed(engine: Engine, notice: OnNotice): void {
  const { recording } = engine.venue;
  if (recording === null) return;
  const names = recording.files.map(({ name }) => name).join(', ');
  notice(
    `this venue plays a recording (${names}), which stops here: start with --replay and those files to go on`,
    'warn',
  );
}
