/**
 * Turns the specification of a market into the integers that the venue works with, or reports which field is wrong and
 * why.
 *
 * Invariant of the result: maxPriceTicks × maxLots and STOP_HEADROOM × maxPriceTicks × FINE are below 2^53, and one
 * tick of one lot is a whole number of the quote currency's smallest units.
 */

import { type Decimal, decimalText, parseDecimal, toUnits } from '../contract/decimal.ts';
import { type FeeRates, feeRates, type MarketSpec, type RiskTier } from '../contract/market-spec.ts';
import * as units from '../contract/units.ts';

const { FINE, PARTS, STOP_HEADROOM } = units;

/** The fields are those of Market, and are explained there. */
export interface MarketTerms extends Grids, Money, Rates, FundingTerms {}

interface Grids {
  readonly tick: Decimal;
  readonly lot: Decimal;
  readonly maxPriceTicks: number;
  readonly minLots: number;
  readonly maxLots: number;
}

interface Money {
  readonly base: number;
  readonly quote: number;
  readonly quoteDecimals: number;
  readonly unitsPerTickLot: bigint;
  readonly unitsPerLot: bigint;
}

export interface Rates {
  readonly fees: FeeRates;
  readonly band: number;
  readonly marketBand: number;
  readonly triggerLimitDistance: number | null;
  readonly riskTiers: readonly RiskTier[];
  readonly liquidationRate: bigint;
  readonly maxBasis: number;
  readonly liquidationBand: number;
  readonly indexJump: number;
}

export interface FundingTerms {
  readonly fundingCap: number;
  readonly fundingIntervalMs: number;
  readonly impactLots: number;
}

type Currencies = readonly { readonly code: string; readonly decimals: number }[];

export class ListingProblem extends Error {
  declare readonly field: string;
  constructor(field: string, problem: string) {
    super(problem);
    this.field = field;
  }
}

function positiveDecimal(field: string, text: string): Decimal {
  const value = parseDecimal(text);
  if (typeof value === 'string') throw new ListingProblem(field, `is ${value}: give a positive decimal`);
  if (value.coefficient <= 0n) throw new ListingProblem(field, 'must be positive');
  return value;
}

/** A fraction such as "0.0002" in parts of 1 / 100,000,000. */
function fractionParts(field: string, text: string): number {
  const value = parseDecimal(text);
  if (typeof value === 'string') throw new ListingProblem(field, `is ${value}: give a fraction such as 0.01`);
  const parts = toUnits(value, 8);
  if (parts === null) throw new ListingProblem(field, 'has more than 8 decimals');
  if (parts < -BigInt(PARTS) || parts > BigInt(PARTS)) throw new ListingProblem(field, 'must lie between -1 and 1');
  return Number(parts);
}

/** Configured fees, of a market or of an account in it. */
export function feesOf({ maker, taker }: MarketSpec['fees']): FeeRates {
  return feeRates(BigInt(fractionParts('fees.maker', maker)), BigInt(fractionParts('fees.taker', taker)));
}

/** a / b if that is a whole number, otherwise null. */
function wholeRatio(a: Decimal, b: Decimal): bigint | null {
  const numerator = a.coefficient * 10n ** BigInt(b.scale);
  const denominator = b.coefficient * 10n ** BigInt(a.scale);
  return numerator % denominator === 0n ? numerator / denominator : null;
}

function multiple(field: string, value: Decimal, unit: Decimal, unitName: string): number {
  const ratio = wholeRatio(value, unit);
  if (ratio === null) throw new ListingProblem(field, `must be a multiple of the ${unitName}`);
  if (ratio > BigInt(Number.MAX_SAFE_INTEGER)) throw new ListingProblem(field, 'is too large for its grid');
  return Number(ratio);
}

/** `asBefore`: see listMarket. @throws {ListingProblem} */
export function termsOf(spec: MarketSpec, currencies: Currencies, asBefore: boolean): MarketTerms {
  const base = currencyIndex(currencies, 'base', spec.base);
  const quote = currencyIndex(currencies, 'quote', spec.quote);
  const grids = gridsOf(spec);
  return {
    ...{ base, quote },
    ...grids,
    ...moneyOf(spec, grids, currencies[base].decimals, currencies[quote].decimals),
    ...ratesOf(spec, currencies[quote].decimals, asBefore),
    ...fundingOf(spec, asBefore),
  };
}

function currencyIndex(currencies: Currencies, field: string, code: string): number {
  const found = currencies.findIndex((currency) => currency.code === code);
  if (found >= 0) return found;
  const known = currencies.map((currency) => currency.code).join(', ');
  throw new ListingProblem(field, `names the unknown currency ${code}; known: ${known}`);
}

function gridsOf(spec: MarketSpec): Grids {
  const tick = positiveDecimal('tick', spec.tick);
  const lot = positiveDecimal('step', spec.step);
  const maxPriceTicks = multiple('maxPrice', positiveDecimal('maxPrice', spec.maxPrice), tick, 'tick');
  const minLots = multiple('minSize', positiveDecimal('minSize', spec.minSize), lot, 'step');
  const maxLots = multiple('maxSize', positiveDecimal('maxSize', spec.maxSize), lot, 'step');
  if (maxLots < minLots) throw new ListingProblem('maxSize', 'must not be below minSize');
  const room = Number.MAX_SAFE_INTEGER;
  if (maxPriceTicks > room / maxLots) {
    throw new ListingProblem('maxPrice', 'times maxSize must stay below 2^53 ticks × steps');
  }
  if (maxPriceTicks > room / (STOP_HEADROOM * FINE)) throw new ListingProblem('maxPrice', 'has too many ticks');
  return { tick, lot, maxPriceTicks, minLots, maxLots };
}

/**
 * The values of one tick of one lot (in quote) and of one lot (in base), in smallest units. Both must be whole numbers.
 */
function moneyOf(spec: MarketSpec, { tick, lot }: Grids, baseDecimals: number, quoteDecimals: number) {
  const contract = spec.kind === 'perpetual' ? positiveDecimal('contractSize', spec.contractSize ?? '') : null;
  const value = tick.coefficient * lot.coefficient * (contract?.coefficient ?? 1n) * 10n ** BigInt(quoteDecimals);
  const divisor = 10n ** BigInt(tick.scale + lot.scale + (contract?.scale ?? 0));
  if (value % divisor !== 0n) {
    throw new ListingProblem('tick', `times step must be a whole number of ${spec.quote}'s smallest units`);
  }
  const baseValue = spec.kind === 'spot' ? lot.coefficient * 10n ** BigInt(baseDecimals) : 0n;
  const lotDivisor = 10n ** BigInt(lot.scale);
  if (baseValue % lotDivisor !== 0n) {
    throw new ListingProblem('step', `must be a whole number of ${spec.base}'s smallest units`);
  }
  return { quoteDecimals, unitsPerTickLot: value / divisor, unitsPerLot: baseValue / lotDivisor };
}

/** Defaults of the options. They are lowered to their bounds if necessary. */
const STANDARD = { maxBasis: '0.0025', liquidationBand: '0.0005', indexJump: '0.01' } as const;

/**
 * The highest allowed value of each option. Above it, somebody could be liquidated at will, or profit from it
 * (rules 11.53, 11.75, 13.3 and 13.8).
 */
export function boundsOf(spec: MarketSpec) {
  const lowest = (rate: 'initial' | 'maintenance') =>
    spec.riskTiers.length === 0
      ? PARTS
      : Math.min(...spec.riskTiers.map((tier, i) => fractionParts(`riskTiers[${i}].${rate}`, tier[rate])));
  const { maker, taker } = feesOf(spec.fees);
  const threeQuarters = Math.floor((3 * lowest('maintenance')) / 4);
  return {
    maxBasis: { most: Math.floor(lowest('maintenance') / 2), is: 'half of the lowest maintenance rate' },
    liquidationBand: { most: Math.max(0, Number(2n * maker + taker)), is: 'twice the maker fee plus the taker fee' },
    indexJump: { most: lowest('initial'), is: 'the lowest initial rate' },
    fundingCap: { most: threeQuarters, is: 'three quarters of the lowest maintenance rate' },
  };
}

/** A fraction in parts, at most its bound. If it is not given: the default, lowered to the bound. */
function bounded(
  field: string,
  given: string | null | undefined,
  standard: string,
  { most, is }: { most: number; is: string },
  asBefore: boolean,
): number {
  const parts = fractionParts(field, given ?? standard);
  if (parts < 0) throw new ListingProblem(field, 'must not be below 0');
  if (parts <= most) return parts;
  if (given == null || asBefore) return most;
  throw new ListingProblem(field, `must be at most ${decimalText(BigInt(most), 8)}, ${is}`);
}

function ratesOf(spec: MarketSpec, quoteDecimals: number, asBefore: boolean): Rates {
  const bounds = boundsOf(spec);
  const option = (name: keyof typeof STANDARD) => bounded(name, spec[name], STANDARD[name], bounds[name], asBefore);
  const distance = spec.triggerLimitDistance;
  if (spec.kind === 'perpetual' && spec.riskTiers.length === 0) {
    throw new ListingProblem('riskTiers', 'must hold at least one tier on a perpetual');
  }
  return {
    fees: feesOf(spec.fees),
    band: fractionParts('band', spec.band),
    marketBand: fractionParts('marketBand', spec.marketBand),
    triggerLimitDistance: distance === null ? null : fractionParts('triggerLimitDistance', distance),
    riskTiers: spec.riskTiers.map((_, i) => tierOf(spec, i, quoteDecimals)),
    liquidationRate: BigInt(fractionParts('liquidationFee', spec.liquidationFee)),
    maxBasis: option('maxBasis'),
    liquidationBand: option('liquidationBand'),
    indexJump: option('indexJump'),
  };
}

function tierOf(spec: MarketSpec, i: number, quoteDecimals: number): RiskTier {
  const tier = spec.riskTiers[i];
  const field = (name: string) => `riskTiers[${i}].${name}`;
  const maxNotional = toUnits(positiveDecimal(field('maxNotional'), tier.maxNotional), 0);
  if (maxNotional === null) throw new ListingProblem(field('maxNotional'), 'must be whole');
  const initial = BigInt(fractionParts(field('initial'), tier.initial));
  const maintenance = BigInt(fractionParts(field('maintenance'), tier.maintenance));
  // Otherwise a fill that is paid for could leave its account below maintenance.
  if (maintenance > initial)
    throw new ListingProblem(field('maintenance'), `must not be above initial (${tier.initial})`);
  return { maxNotional: maxNotional * 10n ** BigInt(quoteDecimals), initial, maintenance };
}

function fundingOf(spec: MarketSpec, asBefore: boolean): FundingTerms {
  const { funding } = spec;
  if (funding === null) return { fundingCap: 0, fundingIntervalMs: 0, impactLots: 0 };
  if (funding.intervalMs % 60_000 !== 0) {
    throw new ListingProblem('funding.intervalMs', 'must be a whole number of minutes');
  }
  const fundingCap = bounded('funding.cap', funding.cap, funding.cap, boundsOf(spec).fundingCap, asBefore);
  return { fundingCap, fundingIntervalMs: funding.intervalMs, impactLots: funding.impactSize };
}
