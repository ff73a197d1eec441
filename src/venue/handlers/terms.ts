/**
 * Terms that change while a market runs, and what an account pays and may do (rules 15.1 to 15.12). Each command is
 * refused or done completely. A reset and a restored snapshot bring the terms of their state back.
 */

import type { ChangeAccount, ChangeMarket, Command, Freeze } from '../contract/commands.ts';
import { CHANGEABLE_TERMS, type FeeRates, type MarketSpec } from '../contract/market-spec.ts';
import { minus } from '../contract/money.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import { BUY } from '../contract/units.ts';
import { finishGroup } from '../execution/release-reserves.ts';
import { checkHolders } from '../liquidation/liquidation.ts';
import { nextMark } from '../prices/mark-and-funding.ts';
import { covered, reserveFor } from '../risk/funds.ts';
import { maintenanceAt } from '../risk/margin.ts';
import { collateralOf, crossMarginAccount, isolatedMarginAccount, type MarginAccount } from '../risk/margin-account.ts';
import type { Account } from '../state/ledger.ts';
import { checkedTerms, type Market } from '../state/market.ts';
import { feesOf, ListingProblem, type MarketTerms } from '../state/market-terms.ts';
import { notionalAt, unrealised } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';

/** Commands of a client that a frozen account may still give, by kind of freeze. */
const ALLOWED: Readonly<Record<Freeze, readonly Command['type'][]>> = {
  cancelOnly: ['cancel', 'cancelAll', 'cancelAllAfter'],
  everything: [],
};
/** What an operator does for an account. A freeze does not stop it. */
const OF_THE_OPERATOR: readonly Command['type'][] = ['deposit', 'addKey', 'changeAccount'];

/** Refuses what the client of a frozen account may not do. */
export function frozenRefusal(venue: VenueState, command: Command): Refusal | null {
  if (!('account' in command)) return null;
  const account = venue.accountAt(command.account);
  if (account?.frozen == null || OF_THE_OPERATOR.includes(command.type)) return null;
  const { name, frozen } = account;
  if (ALLOWED[frozen].includes(command.type)) return null;
  return refuse('accountFrozen', {
    account: name,
    frozen,
    allowed: frozen === 'cancelOnly' ? 'only cancels' : 'nothing',
  });
}

export function changeMarket(venue: VenueState, command: ChangeMarket): Refusal | null {
  const market = venue.markets[command.market];
  if (market === undefined) return refuse('unknownMarket', { symbol: command.market });
  if (market.delisted) return refuse('marketDelisted', { symbol: market.symbol });
  const refusal = unchangeable(market, command);
  if (refusal !== null) return refusal;
  const spec: MarketSpec = { ...market.spec, ...command.terms };
  const terms = checkedTerms(spec, venue.ledger.currencies, false);
  if ('reason' in terms) return terms;
  const candidate = market.under(spec, terms);
  // Nothing else can put an account below maintenance.
  const isRisky = command.terms.riskTiers !== undefined || command.terms.maxBasis !== undefined;
  const { indexPrice, last, markPinned } = market;
  const mark = isRisky ? nextMark(candidate, markPinned, { index: indexPrice, last }, venue.nowMs) : market.mark;
  if (isRisky && !command.force) {
    const unsafeBefore = belowMaintenance(venue, market, market.valuationMark);
    const unsafe = belowMaintenance(venue, candidate, market.halted ? market.valuationMark : mark);
    const accounts = [...unsafe].filter((index) => !unsafeBefore.has(index));
    if (accounts.length > 0) {
      const names = namesOf(venue, accounts);
      return refuse('termsUnsafe', { symbol: market.symbol, accounts: accounts.length, names });
    }
  }
  market.adopt(spec, terms);
  if (command.terms.funding !== undefined) changeFunding(market, terms);
  venue.emit.termsChanged?.({ type: 'termsChanged', market: market.index });
  if (command.terms.fees !== undefined) reserveForFees(venue, market, null);
  if (!isRisky) return null;
  venue.margins.termsChanged(market, venue.holdersOf(market), venue.accounts);
  const moves = mark !== market.mark;
  if (moves) venue.observe(market, 'mark', mark);
  // Nobody reacts to the mark of a halted market.
  if (!moves || market.halted) checkHolders(venue, market);
  return null;
}

/** Terms that are not to be changed, or not in this way. */
function unchangeable(market: Market, { terms: given }: ChangeMarket): Refusal | null {
  for (const name of Object.keys(given)) {
    if ((CHANGEABLE_TERMS as readonly string[]).includes(name)) continue;
    const problem = `cannot change while the market runs: only ${CHANGEABLE_TERMS.join(', ')} can`;
    return refuse('invalidMarket', { field: `${market.symbol}.${name}`, problem });
  }
  if (given.riskTiers === undefined || given.riskTiers.length >= market.riskTiers.length) return null;
  // An account may have chosen any of them.
  const problem = `must have at least the ${market.riskTiers.length} tiers that there are`;
  return refuse('invalidMarket', { field: `${market.symbol}.riskTiers`, problem });
}

/** Numbers of the accounts that the terms of `market` put below maintenance at a mark. 0: there is no mark. */
function belowMaintenance(venue: VenueState, market: Market, fine: number): Set<number> {
  const found = new Set<number>();
  for (const index of venue.holdersOf(market)) {
    const account = venue.accounts.get(index) as Account;
    const positions = account.positionsIn(market.index);
    const marginAccounts =
      positions.mode === 'ISOLATED'
        ? positions.isolated.map((position) => isolatedMarginAccount(account, market, position))
        : [crossMarginAccount(account, market.quote)];
    if (marginAccounts.some((marginAccount) => slackAt(marginAccount, market, fine) < 0n)) found.add(index);
  }
  return found;
}

const MOST_NAMED = 5;

/** For an error: the first names, and how many more there are. */
function namesOf(venue: VenueState, accounts: readonly number[]): string {
  const named = accounts.slice(0, MOST_NAMED).map((index) => (venue.accounts.get(index) as Account).name);
  const more = accounts.length - named.length;
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** Equity less maintenance, with one market at another mark and under other terms. */
function slackAt(marginAccount: MarginAccount, at: Market, fine: number): bigint {
  let slack = collateralOf(marginAccount);
  for (const { market: held, position } of marginAccount.positions) {
    const market = held.index === at.index ? at : held;
    const mark = market === at ? fine : market.valuationMark;
    const cost = position.cost < 0n ? -position.cost : position.cost;
    const value = mark === 0 ? cost : notionalAt(market, position.size, mark);
    slack += unrealised(position, market, mark) - maintenanceAt(market, value, position.limit);
  }
  return slack;
}

/** The funding that runs stays until its interval ends. */
function changeFunding(market: Market, terms: MarketTerms): void {
  const { fundingCap, fundingIntervalMs, impactLots } = terms;
  if (market.fundingIntervalMs === 0) market.adoptFunding(terms);
  else market.nextFunding = { fundingCap, fundingIntervalMs, impactLots };
}

/**
 * Spot BUYs that hold their fee hold the new one. An order that needs more, and whose account has not enough free for
 * the difference, is cancelled, with its group. `only`: of one account.
 */
function reserveForFees(venue: VenueState, market: Market, only: Account | null): void {
  if (market.product !== 'spot' || venue.genesis.config.feeFrom === 'received') return;
  for (const account of only === null ? venue.accounts.values() : [only]) {
    for (const order of [...venue.liveOrders(account)]) {
      if (!order.live || order.market !== market.index || order.side !== BUY) continue;
      if (order.reserved === 0) continue;
      const needed = reserveFor(venue, order, account, market);
      if (covered(venue, account, market.quote, minus(needed, order.reserved)) === null)
        venue.reserve(order, account, market, needed);
      else finishGroup(venue, order, 'fees');
    }
  }
}

export function changeAccount(venue: VenueState, command: ChangeAccount): Refusal | null {
  const account = venue.accounts.get(command.account);
  if (account === undefined) return refuse('unknownAccount', { account: command.account });
  const changes: { readonly market: Market; readonly rates: FeeRates | undefined }[] = [];
  for (const [symbol, fees] of Object.entries(command.fees ?? {})) {
    const market = venue.marketBySymbol(symbol);
    if (market === undefined) return refuse('unknownMarket', { symbol });
    if (market.delisted) return refuse('marketDelisted', { symbol });
    const rates = fees === null ? undefined : ratesOf(symbol, fees);
    if (rates !== undefined && 'reason' in rates) return rates;
    changes.push({ market, rates });
  }
  for (const { market, rates } of changes) {
    account.feeRates[market.index] = rates;
    venue.recountPairFees(market);
    reserveForFees(venue, market, account);
  }
  if (command.frozen !== undefined) account.frozen = command.frozen;
  venue.emit.accountChanged?.({ type: 'accountChanged', account: account.index });
  return null;
}

function ratesOf(symbol: string, fees: MarketSpec['fees']): FeeRates | Refusal {
  try {
    return feesOf(fees);
  } catch (error) {
    if (!(error instanceof ListingProblem)) throw error;
    return refuse('invalidMarket', { field: `${symbol}.${error.field}`, problem: error.message });
  }
}
