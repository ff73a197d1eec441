/**
 * What a venue shows to the outside: markets, accounts, balances, positions, order values, and the audit that money is
 * conserved. Everything is read-only. It gives no access to the venue's own objects.
 */

import type { AccountTerms, AccountView, Currency } from './contract/account-view.ts';
import type { Genesis, SetPrices } from './contract/commands.ts';
import { frozen } from './contract/frozen.ts';
import type { FeeRates, MarketSpec } from './contract/market-spec.ts';
import type { Refusal } from './contract/reasons.ts';
import { availableOf, marginTotals } from './risk/funds.ts';
import { largestExposure, tierOf } from './risk/margin.ts';
import type { Account } from './state/ledger.ts';
import { listMarket, Market } from './state/market.ts';
import { MarketPositions } from './state/market-positions.ts';
import { boundsOf } from './state/market-terms.ts';
import type { VenueState } from './state/venue-state.ts';
import { type Balance, figuresOf, type PositionView, type SettingsView } from './views/account-views.ts';
import { type Audit, auditOf } from './views/audit.ts';
import { MarketView } from './views/market-view.ts';
import { type PricePreview, pricePreviewOf } from './views/price-preview.ts';
import { type QueuePlace, queuePlacesOf } from './views/queue-places.ts';
import { type Upcoming, upcomingOf } from './views/upcoming.ts';

/** Limits that a surface checks before it submits a command. The venue checks them again. */
export { finePriceInLimits, priceInLimits, sizeInLimits } from './risk/limits.ts';
export type { Balance, PositionView, SettingsView } from './views/account-views.ts';
export { orderValueOf } from './views/account-views.ts';
export type { AccountsAudit, Audit, AuditLine, PositionsAudit } from './views/audit.ts';
export { MarketView, type PlaybackView } from './views/market-view.ts';
export type { PricePreview } from './views/price-preview.ts';
export type { QueuePlace } from './views/queue-places.ts';
export type { Upcoming } from './views/upcoming.ts';
export { boundsOf };

/** What is wrong with the specification of a market, by field. Null: it can be listed. */
export function listingRefusal(spec: MarketSpec, currencies: readonly Currency[]): Refusal | null {
  const listed = listMarket(0, spec, currencies);
  return listed instanceof Market ? null : listed;
}

/**
 * The views of one state. Each view is created once. A reset or a restored snapshot brings a new state and new views.
 */
export class Views {
  readonly #state: VenueState;
  readonly genesis: Genesis;
  #markets: readonly MarketView[] = [];
  readonly #bySymbol = new Map<string, MarketView>();
  #currencies: readonly Currency[] = [];
  /** The views created so far, by account number, with holes. */
  readonly #accounts: AccountView[] = [];

  constructor(state: VenueState) {
    this.#state = state;
    this.genesis = frozen(state.genesis);
  }

  /** A new list after a market was listed. */
  get markets(): readonly MarketView[] {
    const { markets } = this.#state;
    const known = this.#markets;
    if (known.length !== markets.length) {
      this.#markets = Object.freeze(markets.map((market, i) => known[i] ?? new MarketView(market)));
      for (const market of this.#markets) this.#bySymbol.set(market.symbol, market);
    }
    return this.#markets;
  }

  marketBySymbol(symbol: string): MarketView | undefined {
    return this.markets.length === 0 ? undefined : this.#bySymbol.get(symbol);
  }

  get currencies(): readonly Currency[] {
    const { currencies } = this.#state.ledger;
    if (this.#currencies.length !== currencies.length) this.#currencies = Object.freeze([...currencies]);
    return this.#currencies;
  }

  account(index: number): AccountView | undefined {
    return this.#accounts[index] ?? this.#newAccount(index);
  }

  #newAccount(index: number): AccountView | undefined {
    const account = this.#state.accounts.get(index);
    if (account === undefined) return undefined;
    const view = Object.freeze({ index, name: account.name });
    this.#accounts[index] = view;
    return view;
  }

  /** One entry for each currency that the venue knows, including zeros. */
  balances(index: number): Balance[] {
    const account = this.#state.accounts.get(index);
    if (account === undefined) return [];
    return this.#state.ledger.currencies.map((currency, i) => {
      const { marginAndLosses, unrealised: profit } = marginTotals(this.#state, account, i);
      return {
        currency,
        total: account.total(i),
        available: BigInt(availableOf(this.#state, account, i)),
        reserved: account.reserved(i),
        margin: marginAndLosses,
        unrealised: profit,
      };
    });
  }

  /** The open positions. */
  positions(index: number): PositionView[] {
    const account = this.#state.accounts.get(index);
    if (account === undefined) return [];
    return account.openMarkets.flatMap((market) => {
      const marketPositions = account.positionsIn(market.index);
      const open = marketPositions.positions().filter((position) => position.size !== 0);
      return open.map((position) => ({
        market: this.markets[market.index],
        ...figuresOf(account, market, marketPositions, position),
      }));
    });
  }

  settings(index: number, { index: at }: MarketView): SettingsView {
    const market = this.#state.markets[at];
    const marketPositions = this.#account(index).positionsByMarket[at] ?? new MarketPositions();
    const { mode, net, long, short, pending } = marketPositions;
    const used = mode === 'ONE_WAY' ? [net, net] : mode === 'HEDGE' ? [long, short] : [pending, pending];
    const tier = market.riskTiers.indexOf(
      tierOf(market, largestExposure(market, marketPositions), marketPositions.limit),
    );
    return { mode, longLeverage: used[0].leverage, shortLeverage: used[1].leverage, tier };
  }

  accountTerms(index: number): AccountTerms {
    const { frozen: freeze, feeRates } = this.#account(index);
    const own = feeRates.flatMap((rates, market) => (rates ? [[this.#state.markets[market].symbol, rates]] : []));
    return { frozen: freeze, fees: Object.fromEntries(own) };
  }

  /** What an account pays in a market: its own rates, or the market's. */
  feeRates(index: number, market: MarketView): FeeRates {
    return frozen(this.#account(index).rates(this.#state.markets[market.index]));
  }

  /** The insurance fund in each currency, in smallest units. Negative: a deficit. */
  insurance(): { readonly currency: Currency; readonly units: bigint }[] {
    const { currencies, insurance } = this.#state.ledger;
    return currencies.map((currency, i) => ({ currency, units: insurance[i] }));
  }

  audit(): Audit {
    return auditOf(this.#state, this.markets);
  }

  upcoming(limit: number): Upcoming[] {
    return upcomingOf(this.#state, this.markets, limit);
  }

  queuePlaces(keys: readonly number[]): (QueuePlace | null)[] {
    return queuePlacesOf(this.#state, keys);
  }

  previewPrices(command: Pick<SetPrices, 'market' | 'index' | 'mark' | 'last'>): PricePreview {
    return pricePreviewOf(this.#state, this.markets, command);
  }

  #account(index: number): Account {
    const account = this.#state.accounts.get(index);
    if (account === undefined) throw new Error(`there is no account ${index}`);
    return account;
  }
}
