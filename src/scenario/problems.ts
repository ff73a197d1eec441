/** What is wrong with a scenario that only its venue shows: names that nothing has, prices that are missing, times. */
import type { Venue } from '../venue/venue.ts';
import { type Condition, problemsOf } from './conditions.ts';
import { problemsOfMoves } from './prices.ts';
import type { ScenarioFile } from './schema.ts';

const MOST_STEPS = 100_000;

export interface ProblemsOptions {
  readonly venue: Venue;
  /** The bot's account. */
  readonly account: string;
  readonly lengthMs: number;
  readonly stepMs: number;
}

/** In words, each with its place in the file. Empty: nothing is wrong. */
export function problemsOfScenario(scenario: ScenarioFile, options: ProblemsOptions): string[] {
  const { prices = [], liquidity = [], orders = [], expect = [], never = [], faults = [] } = scenario;
  const { venue, account: own, lengthMs, stepMs } = options;
  const problems = prices.flatMap((price, i) => problemsOfMoves(price, lengthMs, `prices[${i}]`));
  problems.push(...problemsOfSymbols(scenario, venue));
  for (const [i, { symbol, price }] of liquidity.entries()) {
    const hasPrice = price !== undefined || prices.some((each) => each.symbol === symbol);
    if (!hasPrice) problems.push(`liquidity[${i}].price is required: the scenario gives ${symbol} no price`);
  }
  for (const [i, { account }] of orders.entries()) {
    if (venue.accountByName(account) === undefined)
      problems.push(`orders[${i}].account ${account} is no account of the scenario`);
  }
  const conditions: [place: string, condition: Condition][] = [
    ...expect.map((each, i): [string, Condition] => [`expect[${i}]`, each]),
    ...never.map((each, i): [string, Condition] => [`never[${i}]`, each]),
  ];
  for (const [place, condition] of conditions) {
    problems.push(...problemsOf(condition, venue, own, faults.length, place));
  }
  if (stepMs === 0) problems.push('step must not be 0');
  else if (lengthMs / stepMs > MOST_STEPS)
    problems.push(`length has more than ${MOST_STEPS} steps: give a longer step`);
  return problems;
}

/** Symbols that no market has. */
function problemsOfSymbols(scenario: ScenarioFile, venue: Venue): string[] {
  const { prices = [], liquidity = [], orders = [], halts = [] } = scenario;
  const named: [place: string, symbol: unknown][] = [
    ...prices.map(({ symbol }, i): [string, unknown] => [`prices[${i}]`, symbol]),
    ...liquidity.map(({ symbol }, i): [string, unknown] => [`liquidity[${i}]`, symbol]),
    ...orders.map(({ order }, i): [string, unknown] => [`orders[${i}].order`, order.symbol]),
    ...halts.map(({ symbol }, i): [string, unknown] => [`halts[${i}]`, symbol]),
  ];
  return named
    .filter(([, symbol]) => symbol !== undefined && venue.marketBySymbol(symbol as string) === undefined)
    .map(([place, symbol]) => `${place}.symbol ${symbol} is no market`);
}
