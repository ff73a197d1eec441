/**
 * The configuration of one market: the given fields, then those of the default market with its symbol, then the
 * defaults of its kind. A new symbol needs kind, base, quote, tick, maxPrice, step, minSize and maxSize (perpetuals:
 * contractSize too). The venue decides whether the numbers fit together (listingRefusal), and is called here at once.
 */
import type { CurrencySpec } from '../venue/contract/commands.ts';
import { decimalText } from '../venue/contract/decimal.ts';
import {
  CHANGEABLE_TERMS,
  type MarketSpec,
  type RiskTierSpec,
  type TermsChange,
} from '../venue/contract/market-spec.ts';
import { boundsOf, listingRefusal } from '../venue/views.ts';
import { DEFAULT_MARKETS, KIND_DEFAULTS } from './defaults.ts';
import { compareTexts, type Field } from './field.ts';
import { DAY_MS } from './times.ts';

/** What never changes while the market is listed. */
const FIXED = ['symbol', 'kind', 'base', 'quote', 'tick', 'maxPrice', 'step', 'contractSize'] as const;
const KEYS: readonly string[] = [...FIXED, ...CHANGEABLE_TERMS];

const SYMBOL = /^[A-Z0-9]{1,16}-[A-Z0-9]{1,16}$/;
/** What futures v2.1 calls positions in BTC-PERP: no other perpetual may have that name. */
const OLDER_ID = /PFC-USD$/;
const MAX_OPEN_ORDERS = 100_000;
const MAX_RISK_TIERS = 50;
const FRACTION = { above: '0', below: '1' };
const FEE = { atLeast: '0', below: '1' };

/**
 * Reads one market. Problems are recorded in the field, and then the returned value has no meaning. `others` are fields
 * that the caller reads.
 */
export function readMarket(
  field: Field,
  currencies: Readonly<Record<string, CurrencySpec>>,
  others: readonly string[] = [],
): MarketSpec {
  const before = field.problems.length;
  field.object([...KEYS, ...others]);
  const symbol = field.at('symbol').matching(SYMBOL, 'BASE-QUOTE in capital letters and digits, such as BTC-USDT');
  // Without a symbol, nobody can say what is missing.
  if (symbol === '') return DEFAULT_MARKETS[0];
  const known = DEFAULT_MARKETS.find((market) => market.symbol === symbol);
  const kind = field.at('kind').oneOf(['spot', 'perpetual'], known?.kind);
  if (kind === 'perpetual' && OLDER_ID.test(symbol)) {
    field
      .at('symbol')
      .problem(`is ${symbol}, as futures v2.1 names positions in another market: choose another symbol`);
  }
  // A default market whose kind is changed inherits nothing of the other kind.
  const inherited: Partial<MarketSpec> = known?.kind === kind ? known : KIND_DEFAULTS[kind];
  const spec = readMembers(field, symbol, kind, inherited, currencies);
  if (field.problems.length > before) return spec;
  const bounded = withCapInBounds(field, spec);
  checkListing(field, bounded, currencies);
  return bounded;
}

/**
 * Reads new terms of a market that runs. What a field leaves out of fees and funding stays as it is. Problems are
 * recorded in the field.
 */
export function readTerms(field: Field, now: MarketSpec, others: readonly string[] = []): TermsChange {
  field.object([...KEYS, ...others]);
  const changeable = `only ${CHANGEABLE_TERMS.join(', ')} can`;
  FIXED.filter((key) => field.at(key).given).forEach((key, i) => {
    field.at(key).problem(`cannot change while the market runs${i === 0 ? `: ${changeable}` : ''}`);
  });
  const given = CHANGEABLE_TERMS.filter((key) => field.at(key).given);
  // Any other problem says more than a list of all terms.
  if (given.length === 0 && field.problems.length === 0)
    field.problem(`must change at least one of ${CHANGEABLE_TERMS.join(', ')}`);
  const all = readMembers(field, now.symbol, now.kind, now, {});
  return Object.fromEntries(given.map((key) => [key, all[key]]));
}

function readMembers(
  field: Field,
  symbol: string,
  kind: MarketSpec['kind'],
  inherited: Partial<MarketSpec>,
  currencies: Readonly<Record<string, CurrencySpec>>,
): MarketSpec {
  const decimal = (key: keyof MarketSpec & string, bounds = { above: '0' } as Parameters<Field['decimal']>[0]) =>
    field.at(key).given || inherited[key] === undefined || inherited[key] === null
      ? field.at(key).decimal(bounds)
      : (inherited[key] as string);
  const currency = (key: 'base' | 'quote') =>
    field.at(key).given || inherited[key] === undefined ? readCurrency(field.at(key), currencies) : inherited[key];
  const perpetual = kind === 'perpetual';
  /** Options whose default depends on the risk tiers. The venue fills in those that are null or absent (market-terms.ts). */
  const bounded = (...keys: ('maxBasis' | 'liquidationBand' | 'indexJump')[]) =>
    Object.fromEntries(
      keys
        .filter((key) => field.at(key).given)
        .map((key) => [key, field.at(key).value === null ? null : field.at(key).decimal(FRACTION)]),
    );
  const onlyPerpetual = (...keys: string[]) => {
    for (const key of keys) absentOnSpot(field.at(key), null);
    return {};
  };
  return {
    symbol,
    kind,
    base: currency('base'),
    quote: currency('quote'),
    tick: decimal('tick'),
    maxPrice: decimal('maxPrice'),
    step: decimal('step'),
    minSize: decimal('minSize'),
    maxSize: decimal('maxSize'),
    contractSize: perpetual ? decimal('contractSize') : absentOnSpot(field.at('contractSize'), null),
    fees: readFees(field.at('fees'), inherited.fees!),
    band: decimal('band', FRACTION),
    marketBand: decimal('marketBand', FRACTION),
    triggerLimitDistance: optional(field.at('triggerLimitDistance'), inherited.triggerLimitDistance!, (f) =>
      f.decimal(FRACTION),
    ),
    maxOpenOrders: field.at('maxOpenOrders').integer(1, MAX_OPEN_ORDERS, inherited.maxOpenOrders),
    riskTiers: perpetual
      ? readRiskTiers(field.at('riskTiers'), inherited.riskTiers!)
      : absentOnSpot(field.at('riskTiers'), []),
    funding: perpetual
      ? optional(field.at('funding'), inherited.funding!, (f) => readFunding(f, inherited.funding))
      : absentOnSpot(field.at('funding'), null),
    liquidationFee: perpetual
      ? decimal('liquidationFee', FEE)
      : absentOnSpot(field.at('liquidationFee'), inherited.liquidationFee!),
    ...(perpetual ? bounded('maxBasis', 'liquidationBand') : onlyPerpetual('maxBasis', 'liquidationBand')),
    ...bounded('indexJump'),
    staleAfterMs: field.at('staleAfterMs').integer(1, DAY_MS, inherited.staleAfterMs),
    twapIntervalMs: optional(field.at('twapIntervalMs'), inherited.twapIntervalMs!, (f) => f.integer(1000, DAY_MS)),
    duplicateClientIds: field.at('duplicateClientIds').oneOf(['refuse', 'allow'], inherited.duplicateClientIds),
  };
}

/** The default funding cap is lowered to what the risk tiers allow. */
function withCapInBounds(field: Field, spec: MarketSpec): MarketSpec {
  const { funding } = spec;
  if (funding === null || field.at('funding').at('cap').given) return spec;
  const most = decimalText(BigInt(boundsOf(spec).fundingCap.most), 8);
  return compareTexts(funding.cap, most) <= 0 ? spec : { ...spec, funding: { ...funding, cap: most } };
}

function readCurrency(field: Field, currencies: Readonly<Record<string, CurrencySpec>>): string {
  const code = field.text(16);
  if (code !== '' && !Object.hasOwn(currencies, code)) {
    const known = Object.keys(currencies).join(', ');
    field.problem(
      `names the unknown currency ${code}: add "currencies": {"${code}": {"decimals": 8}}, or use ${known}`,
    );
  }
  return code;
}

function absentOnSpot<T>(field: Field, value: T): T {
  if (field.given && field.value !== null) field.problem('belongs to perpetual markets only: leave it out');
  return value;
}

/** Null switches the rule off. Absent keeps the default. */
function optional<T>(field: Field, fallback: T | null, read: (field: Field) => T): T | null {
  if (!field.given) return fallback;
  return field.value === null ? null : read(field);
}

/** `fallback` fills in a missing rate. Without it both are required. */
export function readFees(field: Field, fallback?: MarketSpec['fees']): MarketSpec['fees'] {
  if (!field.given && fallback !== undefined) return fallback;
  field.object(['maker', 'taker']);
  const rate = (key: 'maker' | 'taker') =>
    field.at(key).given || fallback === undefined ? field.at(key).decimal(FEE) : fallback[key];
  return { maker: rate('maker'), taker: rate('taker') };
}

/** `inherited` fills in missing members. */
function readFunding(field: Field, inherited: MarketSpec['funding'] | undefined): NonNullable<MarketSpec['funding']> {
  field.object(['intervalMs', 'cap', 'impactSize']);
  const standard = inherited ?? KIND_DEFAULTS.perpetual.funding;
  return {
    intervalMs: field.at('intervalMs').integer(60_000, 7 * DAY_MS, standard.intervalMs),
    cap: field.at('cap').given ? field.at('cap').decimal(FRACTION) : standard.cap,
    impactSize: field.at('impactSize').integer(1, Number.MAX_SAFE_INTEGER, standard.impactSize),
  };
}

function readRiskTiers(field: Field, fallback: readonly RiskTierSpec[]): readonly RiskTierSpec[] {
  if (!field.given) return fallback;
  const entries = field.list('risk tiers {maxNotional, initial, maintenance}');
  if (entries.length === 0) field.problem('must hold at least one tier {maxNotional, initial, maintenance}');
  if (entries.length > MAX_RISK_TIERS) field.problem(`must hold at most ${MAX_RISK_TIERS} tiers`);
  const before = field.problems.length;
  const tiers = entries.map((entry) => {
    entry.object(['maxNotional', 'initial', 'maintenance']);
    return {
      maxNotional: entry.at('maxNotional').decimal({ above: '0' }),
      initial: entry.at('initial').decimal({ above: '0', atMost: '1' }),
      maintenance: entry.at('maintenance').decimal({ above: '0', atMost: '1' }),
    };
  });
  // A rate that cannot be read has no place among the others.
  if (field.problems.length > before) return tiers;
  tiers.forEach((tier, i) => {
    if (compareTexts(tier.maintenance, tier.initial) > 0) {
      entries[i].at('maintenance').problem(`must not be above initial (${tier.initial})`);
    }
    for (const rate of ['initial', 'maintenance'] as const) {
      if (i > 0 && compareTexts(tier[rate], tiers[i - 1][rate]) < 0) {
        entries[i].at(rate).problem(`must not be below that of the tier before (${tiers[i - 1][rate]})`);
      }
    }
    if (i > 0 && compareTexts(tier.maxNotional, tiers[i - 1].maxNotional) <= 0) {
      entries[i].at('maxNotional').problem(`must be above that of the tier before (${tiers[i - 1].maxNotional})`);
    }
  });
  return tiers;
}

function checkListing(field: Field, spec: MarketSpec, currencies: Readonly<Record<string, CurrencySpec>>): void {
  const known = Object.entries(currencies).map(([code, { decimals }]) => ({ code, decimals }));
  const refusal = listingRefusal(spec, known);
  if (refusal === null) return;
  // The venue names the field after the symbol. A configuration is read by position.
  const member = String(refusal.params.field).slice(spec.symbol.length + 1);
  field.at(member).problem(String(refusal.params.problem));
}
