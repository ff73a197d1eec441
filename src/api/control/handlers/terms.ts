/** The routes that change terms: of a market, of an account, and the end of a market (rules 15.1 to 15.18). */
import type { Field } from '../../../config/field.ts';
import { highFeesOfAccount, highFeesOfMarket } from '../../../config/high-fees.ts';
import { readFees, readTerms } from '../../../config/market.ts';
import { FREEZES } from '../../../venue/contract/commands.ts';
import { decimalOf, finePrice } from '../../shared/tick-conversion.ts';
import { type ControlContext, find, findMarket, submit, unknownMarketIn, withoutSymbol } from '../context.ts';
import { refuseHighFees, refuseProblems } from '../problems.ts';
import { accountView, marketView } from '../views.ts';

/** Replies with the market and its terms as they are now. */
export async function changeMarket(context: ControlContext, body: Field, symbol: string): Promise<object> {
  const market = findMarket(context.venue, symbol);
  const force = body.at('force').flag();
  const terms = readTerms(body, market.spec, ['force']);
  refuseProblems(body);
  if (!force) refuseHighFees(highFeesOfMarket(body));
  await submit(
    context,
    { v: 1, type: 'changeMarket', market: market.index, terms, force },
    withoutSymbol(market.symbol),
  );
  return marketView(market);
}

export async function delistMarket(context: ControlContext, body: Field, symbol: string): Promise<object> {
  body.object(['settlementPrice']);
  const price = body.at('settlementPrice');
  const text = price.given && price.value !== null ? price.decimal({ above: '0' }) : null;
  refuseProblems(body);
  const market = findMarket(context.venue, symbol);
  const settlementPrice = text === null ? null : finePrice(market, 'settlementPrice', decimalOf(text));
  await submit(context, { v: 1, type: 'delistMarket', market: market.index, settlementPrice });
  return marketView(market);
}

/** Fees by symbol (null: those of the market again), and a freeze (null: none). `force`: fees of any height. */
export async function changeAccount(context: ControlContext, body: Field, name: string): Promise<object> {
  body.object(['fees', 'frozen', 'force']);
  const [feesField, frozen] = [body.at('fees'), body.at('frozen')];
  if (!feesField.given && !frozen.given && body.problems.length === 0)
    body.problem('must change at least one of fees, frozen');
  const given = feesField.given ? feesField.entries('fees {maker, taker} by symbol') : [];
  // No assignment: one to `__proto__` would be lost.
  const fees = Object.fromEntries(
    given.map(([symbol, field]) => [symbol, field.value === null ? null : readFees(field)]),
  );
  const force = body.at('force').flag();
  const freeze = frozen.given ? frozen.oneOfOrNull(FREEZES, 'no freeze') : null;
  refuseProblems(body);
  const account = find(context, name).index;
  const { venue } = context;
  for (const symbol of Object.keys(fees)) {
    if (venue.marketBySymbol(symbol) === undefined) throw unknownMarketIn(venue, symbol, `fees.${symbol}`);
  }
  if (!force) refuseHighFees(highFeesOfAccount(feesField));
  const command = { v: 1, type: 'changeAccount', account, fees } as const;
  const pathOf = (field: string) => field.replace(/^(.+)\.fees\.(maker|taker)$/, 'fees.$1.$2');
  await submit(context, frozen.given ? { ...command, frozen: freeze } : command, pathOf);
  return accountView(venue, account);
}
