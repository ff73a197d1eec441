/**
 * The markets and currencies that rows of the archive name. A reset may remove them while the archive answers, so they
 * are taken before the wait. A row may also be newer than that, so the present venue is searched too.
 */
import type { Currency, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { ApiError } from './errors.ts';
import type { Call } from './surface.ts';

export class NamedTerms {
  readonly #call: Call;
  readonly #markets: readonly MarketView[];
  readonly #currencies: readonly Currency[];

  /** To be created before the wait. Costs nothing: both lists are never changed, but replaced. */
  constructor(call: Call) {
    this.#call = call;
    this.#markets = call.venue.markets;
    this.#currencies = call.venue.currencies;
  }

  get #now(): Venue {
    return this.#call.engine.venue;
  }

  /** @throws {ApiError} busy: two resets have come between, and the request has to be repeated */
  market(symbol: string): MarketView {
    const isIt = (market: MarketView) => market.symbol === symbol;
    return this.#markets.find(isIt) ?? this.#now.marketBySymbol(symbol) ?? gone(`the market ${symbol}`);
  }

  /** The decimals of a currency. @throws {ApiError} busy, as above */
  decimals(code: string): number {
    const isIt = (currency: Currency) => currency.code === code;
    const found = this.#currencies.find(isIt) ?? this.#now.currencies.find(isIt);
    return (found ?? gone(`the currency ${code}`)).decimals;
  }
}

function gone(what: string): never {
  throw new ApiError('busy', { problem: `a reset removed ${what} during the request, try again later` });
}
