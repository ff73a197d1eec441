/**
 * The settings of a data folder's first start in `bourse.json`: configuration, seed and kind of clock. Later starts may
 * omit them, repeat them, or add currencies, markets and accounts. Anything else would be another venue, and is refused
 * by name. The file holds no secrets. A checksum detects damage and edits.
 */
import { type Configuration, ConfigurationError } from '../../config/config.ts';
import type { Problem } from '../../config/field.ts';
import { LogDamaged } from '../../log/contract/command-log.ts';
import type { DocumentStore } from '../../log/contract/storage.ts';
import { fromCheckedJson, toCheckedJson } from '../../log/shared/checked-json.ts';
import { CHANGEABLE_TERMS } from '../../venue/contract/market-spec.ts';

export const MANIFEST_FILE = 'bourse.json';
/** The archive in the same folder. src/archive decides what it holds. */
export const ARCHIVE_FILE = 'archive.db';
const FORMAT = 1;
const ADVICE =
  'Start without a configuration, or with the whole one that the folder was started with. It may add currencies, markets and accounts.';

/** A JSON value. */
export type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };
type PlainObject = { [name: string]: Plain };

/** The part of the configuration that defines the venue. Settings of the gateway may change from start to start. */
export interface Manifest {
  readonly seed: number;
  readonly clock: 'real' | 'manual';
  /** Where a manual clock begins. Null on a real one. */
  readonly startTimeMs: number | null;
  readonly configuration: PlainObject;
  /** The id of the venue. Absent until the first start of a version that has ids. */
  readonly venueId?: string;
}

/** The settings given to a start. Absent values stay unchanged. */
export interface StartSettings {
  readonly seed?: number;
  readonly clock?: 'real' | 'manual';
  readonly startTimeMs?: number;
  readonly configuration?: Configuration;
}

export function manifestConfiguration(configuration: Configuration): PlainObject {
  const { currencies, markets, insuranceFund, selfTrade, feeFrom } = configuration;
  const accounts = configuration.accounts.map((account) => ({
    ...account,
    keys: account.keys.map(({ key, permissions }) => ({ key, permissions })),
  }));
  return JSON.parse(JSON.stringify({ currencies, markets, accounts, insuranceFund, selfTrade, feeFrom }));
}

/** @throws {LogDamaged} the document is not as it was written */
export async function readManifest(documents: DocumentStore): Promise<Manifest | undefined> {
  const text = await documents.read(MANIFEST_FILE);
  if (text === undefined) return undefined;
  try {
    const content = fromCheckedJson(text);
    if (content?.format === FORMAT) {
      const { format: _, ...manifest } = content;
      return manifest as unknown as Manifest;
    }
  } catch (cause) {
    throw manifestDamaged('it is not the JSON that the first start wrote', { cause });
  }
  throw manifestDamaged('it does not match its checksum: it was changed after the start that wrote it');
}

export function manifestDamaged(reason: string, options?: ErrorOptions): LogDamaged {
  return new LogDamaged(MANIFEST_FILE, reason, { ...options, what: 'the data folder' });
}

/** After a crash the document is either the old or the new one. @throws {LogFull} */
export function writeManifest(documents: DocumentStore, manifest: Manifest): Promise<void> {
  return documents.write(MANIFEST_FILE, toCheckedJson({ format: FORMAT, ...manifest }));
}

/**
 * The settings from now on: the old ones, plus new currencies, markets and accounts.
 * @throws {ConfigurationError} with every value that was changed or removed
 */
export function reconcile(folder: string, was: Manifest, given: StartSettings): Manifest {
  const problems: Problem[] = [];
  const check = (path: string, before: Plain, now: Plain | undefined): void => {
    if (now !== undefined) compare(path, before, now, problems);
  };
  check('seed', was.seed, given.seed);
  check('clock', was.clock, given.clock);
  if (was.clock === 'manual') check('startTime', was.startTimeMs, given.startTimeMs);
  let { configuration } = was;
  if (given.configuration !== undefined) {
    const now = manifestConfiguration(given.configuration);
    const { currencies, markets, accounts, ...rest } = now;
    const {
      currencies: currenciesBefore,
      markets: marketsBefore,
      accounts: accountsBefore,
      ...restBefore
    } = configuration;
    compare('', restBefore, rest, problems);
    for (const [code, spec] of Object.entries(currenciesBefore as PlainObject)) {
      compare(`currencies.${code}`, spec, (currencies as PlainObject)[code], problems);
    }
    // What a command may have changed meanwhile is compared with the venue, after its recovery (config-diff.ts).
    compareNamed(
      'markets',
      'symbol',
      without(CHANGEABLE_TERMS, marketsBefore),
      without(CHANGEABLE_TERMS, markets),
      problems,
    );
    compareNamed('accounts', 'name', without(['fees'], accountsBefore), without(['fees'], accounts), problems);
    configuration = now;
  }
  if (problems.length > 0) throw new ConfigurationError(`for the data folder ${folder}`, problems, { advice: ADVICE });
  return { ...was, configuration };
}

/** The default funding under rules version 1. */
const FUNDING_OF_RULES_1 = { intervalMs: 28_800_000, cap: '0.0075', impactSize: 10_000 };

function without(names: readonly string[], members: Plain): Plain {
  return (members as PlainObject[]).map((member) =>
    Object.fromEntries(Object.entries(member).filter(([name]) => !names.includes(name))),
  );
}

/** A changed default is not a change of the configuration. The venue keeps what its markets were listed with. */
export function withPresentDefaults(before: Plain, now: Plain): Plain {
  const later = new Map((now as PlainObject[]).map((market) => [market.symbol, market]));
  return (before as PlainObject[]).map((market) => {
    const unconfigured = JSON.stringify(market.funding) === JSON.stringify(FUNDING_OF_RULES_1);
    return unconfigured ? { ...market, funding: later.get(market.symbol)?.funding ?? market.funding } : market;
  });
}

/** Matches the members of a list by name. Members may be added, but not removed. */
function compareNamed(path: string, name: string, before: Plain, now: Plain, problems: Problem[]): void {
  const later = new Map((now as PlainObject[]).map((member) => [member[name], member]));
  for (const member of before as PlainObject[]) {
    compare(`${path}[${member[name]}]`, member, later.get(member[name]), problems);
  }
}

function compare(path: string, before: Plain | undefined, now: Plain | undefined, problems: Problem[]): void {
  if (before === now) return;
  if (isTable(before) && isTable(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      compare(path === '' ? key : `${path}.${key}`, before[key], now[key], problems);
    }
    return;
  }
  if (JSON.stringify(before) === JSON.stringify(now)) return;
  problems.push({ path, message: difference(before, now) });
}

/** One line. Long values are not shown. */
function difference(before: Plain | undefined, now: Plain | undefined): string {
  if (now === undefined) return 'is missing, but the folder was started with it';
  const given = isShort(now) ? `is ${JSON.stringify(now)}` : 'is different';
  if (before === undefined) return `${given}, but the folder was started without it`;
  return `${given}, but the folder was started with ${isShort(before) ? JSON.stringify(before) : 'other values'}`;
}

function isShort(value: Plain): boolean {
  return typeof value !== 'object' || value === null;
}

function isTable(value: Plain | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
