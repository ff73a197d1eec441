/** Why an order ended or a command was refused, as a clause that can follow a colon or "because". */
import type { Figures, MarketFacts } from './facts.ts';
import { compared, grouped, listed, percent, priceIn, shortId, sizeIn } from './text.ts';
import { pauseWord } from './words.js';

type Clause = string | ((figures: Figures, market: MarketFacts | undefined) => string);

const CLAUSES: Readonly<Record<string, Clause>> = {
  postOnlyWouldMatch: 'it was post-only, and would have matched at once',
  fillOrKillUnfilled: 'it was fill-or-kill, and the book could not fill all of it',
  immediateRemainder: 'it was immediate-or-cancel, and nothing more could be matched at its price',
  noLiquidityInBand: 'the book had nothing more to match within the price limit of the market',
  selfTrade: ({ taker, maker }) => {
    if (taker !== undefined) return `order ${shortId(taker)} of the same account would have traded with it`;
    return `it met ${maker === undefined ? 'another order' : `order ${shortId(maker)}`} of the same account`;
  },
  margin: ({ price }, market) =>
    price === undefined || price === 'no price'
      ? 'the account could not afford a further fill'
      : `the account could not afford a further fill; it could at ${priceIn(market, price)}`,
  reserveLost: 'the money that it had reserved was lost on futures',
  expired: 'its time in force was over',
  cancelledByClient: 'the client asked for it',
  ocoSiblingFilled: 'the other leg was filled',
  ocoSiblingTriggered: 'the other leg fired',
  ocoLimitLegRejected: 'the other leg was rejected',
  ocoCancelled: 'the other leg was cancelled',
  bracketSiblingDone: 'the other attached order has closed what it protected',
  bracketReplaced: 'new attached orders replaced it',
  positionClosed: 'the position that it was to reduce was closed',
  positionCovered: 'other reduce-only orders already cover the whole position',
  reduceOnlyWithoutPosition: 'it was reduce-only, and there was no position to reduce',
  windowOver: 'its period was over',
  deadMansSwitch: "the account's dead man's switch ran out",
  venueFailed: 'a timer of the venue failed, which is a bug of the venue',
  liquidation: 'the account was liquidated',
  fees: 'new fees cost more than the account had free',
  delisted: 'the market was delisted',
  insufficientFunds: ({ currency, needed, available }) =>
    needed === undefined
      ? 'the account did not have enough money'
      : `it needed ${grouped(String(needed))} ${currency}, and ${grouped(String(available))} was available`,
  priceOutsideBand: ({ price, limit, side }, market) =>
    limit === undefined
      ? 'its price was outside the price limit of the market'
      : `its price ${priceIn(market, price)} was ${side === 'BUY' ? 'above' : 'below'} the limit of ${priceIn(market, limit)}`,
  beyondBankruptcy: ({ limit }, market) =>
    limit === undefined
      ? 'its price was beyond the bankruptcy price of the position'
      : `its price was beyond the bankruptcy price of ${priceIn(market, limit)}`,
  noMark: 'the market had no mark price',
  staleIndex: 'the index price of the market was stale',
  sizeBelowMinimum: ({ minimum, field }, market) =>
    minimum === undefined
      ? 'it was below the minimum size'
      : `it was below the minimum of ${limitText(minimum, field, market)}`,
  sizeAboveMaximum: ({ maximum, field }, market) =>
    maximum === undefined
      ? 'it was above the maximum size'
      : `it was above the maximum of ${limitText(maximum, field, market)}`,
  exposureAboveMaximum: ({ maximum, currency }) =>
    maximum === undefined
      ? 'the position would have been above the maximum'
      : `the position would have been above the maximum of ${grouped(String(maximum))} ${currency}`,
  tooManyOpenOrders: ({ maximum }) => `the account had the maximum of ${maximum ?? 'its'} open orders`,
  duplicateClientId: 'a live order had the same client id',
  identicalRequest: 'it repeated an identical request',
  orderNotFound: 'there was no such live order',
  marketHalted: 'the market was halted',
  marketDelisted: 'the market was delisted',
  termsUnsafe: 'it would put accounts below maintenance',
  accountFrozen: 'the account was frozen',
};

/** The limit of a size, or of an amount to spend. */
function limitText(limit: unknown, field: unknown, market: MarketFacts | undefined): string {
  return field === 'quote' ? `${grouped(String(limit))} ${market?.quote ?? ''}`.trim() : sizeIn(market, limit);
}

/** A reason without a clause is given by its name. */
export function because(reason: unknown, figures: Figures = {}, market?: MarketFacts): string {
  const clause = CLAUSES[String(reason)];
  if (clause === undefined) return `the reason is ${String(reason)}`;
  return typeof clause === 'string' ? clause : clause(figures, market);
}

/** What a trigger saw: "last 59,790.0 is below the trigger of 59,800.0". */
export function reachedText({ reference, seen, trigger }: Figures, market: MarketFacts | undefined): string {
  if (seen === undefined) return 'its price was reached';
  if (trigger === undefined) return `${reference} reached ${priceIn(market, seen)}`;
  const order = compared(String(seen), String(trigger));
  if (order === 0) return `${reference} reached its trigger of ${priceIn(market, trigger)}`;
  return `${reference} ${priceIn(market, seen)} is ${order < 0 ? 'below' : 'above'} its trigger of ${priceIn(market, trigger)}`;
}

/** Why a part of a TWAP was skipped, with what was compared. */
export function pausedText(figures: Figures, market: MarketFacts | undefined): string {
  const { pausedBy, value, limit, bid, ask } = figures;
  switch (pausedBy) {
    case 'spread': {
      if (value !== undefined) {
        return `the spread of ${percent(String(value))} was wider than its maxSpread of ${percent(String(limit))}`;
      }
      if (limit === undefined) break;
      const missing = [bid === undefined ? ['bid'] : [], ask === undefined ? ['ask'] : []].flat();
      return `there was no ${listed(missing).replace('and', 'and no')}, so no spread to compare with its maxSpread`;
    }
    case 'price': {
      if (value === undefined) break;
      const beyond = compared(String(value), String(limit)) > 0 ? 'above' : 'below';
      return `last ${priceIn(market, value)} was ${beyond} its pausePrice of ${priceIn(market, limit)}`;
    }
    case 'funds':
      return because('insufficientFunds', figures, market);
  }
  return pauseWord(pausedBy);
}

/** What a TWAP waits for, after "while": "last is at most 60,300.0". Empty: no limit of the order itself paused it. */
export function resumesText({ pausedBy, limit }: Figures, side: unknown, market: MarketFacts | undefined): string {
  if (pausedBy === 'halt') return 'the market is not halted';
  if (limit === undefined) return '';
  if (pausedBy === 'spread') return `the spread is at most ${percent(String(limit))}`;
  return pausedBy === 'price' ? `last is ${side === 'BUY' ? 'at most' : 'at least'} ${priceIn(market, limit)}` : '';
}

/** Why an account was liquidated, to follow "its". Empty: the event does not say. */
export function marginText({ equity, maintenance, currency }: Figures): string {
  if (equity === undefined) return '';
  if (compared(String(equity), String(maintenance)) >= 0)
    return 'liquidation had begun before, and the account was not safe yet';
  return `equity of ${grouped(String(equity))} ${currency} was below the maintenance margin of ${grouped(String(maintenance))} ${currency}`;
}
