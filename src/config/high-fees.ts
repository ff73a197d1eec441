/**
 * Fees that look like a mistake. A fee is a fraction, so 0.4 for 0.0004 takes 40 % of every fill from then on. The control
 * surface takes a rate above 0.05 only with `force`, and a start warns of one in its configuration. The venue itself
 * takes any rate below 1.
 */
import { decimalText, parseDecimal } from '../venue/contract/decimal.ts';
import type { Configuration } from './config.ts';
import { compareTexts, Field } from './field.ts';

export const HIGHEST_USUAL_FEE = '0.05';

export interface HighFee {
  /** Of the field, such as `fees.taker`. */
  readonly path: string;
  readonly rate: string;
  /** The rate in percent. */
  readonly percent: string;
  /** The rate, if it was meant in percent. */
  readonly asPercent: string;
}

/** Of a market, or of new terms. */
export function highFeesOfMarket(market: Field): HighFee[] {
  return highFees([...ratesOf(market.at('fees')), market.at('liquidationFee')]);
}

/** Of the fees of an account, by symbol. */
export function highFeesOfAccount(fees: Field): HighFee[] {
  return highFees(fees.entries('fees by symbol').flatMap(([, field]) => ratesOf(field)));
}

/** Their paths name markets and accounts, not places in the file. */
export function highFeesOf({ markets, accounts }: Configuration): HighFee[] {
  return [
    ...markets.flatMap((market) => highFeesOfMarket(new Field(market, `markets[${market.symbol}]`))),
    ...accounts.flatMap(({ name, fees }) => highFeesOfAccount(new Field(fees, `accounts[${name}].fees`))),
  ];
}

const ratesOf = (fees: Field) => [fees.at('maker'), fees.at('taker')];

/** `fields` have been read without a problem. */
function highFees(fields: readonly Field[]): HighFee[] {
  return fields
    .filter((field) => field.given)
    .map((field) => ({ path: field.path, rate: field.decimal() }))
    .filter(({ rate }) => compareTexts(rate, HIGHEST_USUAL_FEE) > 0)
    .map((high) => ({ ...high, percent: shifted(high.rate, 2), asPercent: shifted(high.rate, -2) }));
}

/** A decimal with its point moved to the right. */
function shifted(text: string, places: number): string {
  const decimal = parseDecimal(text);
  if (typeof decimal === 'string') throw new RangeError(`not a decimal: ${text}`);
  const scale = decimal.scale - places;
  return scale >= 0
    ? decimalText(decimal.coefficient, scale)
    : decimalText(decimal.coefficient * 10n ** BigInt(-scale), 0);
}
