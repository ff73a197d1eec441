/**
 * What liquidation and auto-deleveraging keep about the accounts with a position, by market: who must be judged
 * (margin-watch.ts), and in which order positions are closed (deleveraging-ranks.ts). All of it is derived, not saved.
 */

import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import { DeleveragingRanks } from './deleveraging-ranks.ts';
import type { Account } from './ledger.ts';
import { MarginWatch } from './margin-watch.ts';
import type { Market } from './market.ts';
import type { MarketPositions } from './market-positions.ts';

const { NONE } = units;

interface OfMarket {
  readonly watch: MarginWatch;
  /** By the side of a close: the positions that it can be made against. */
  readonly ranks: readonly [DeleveragingRanks, DeleveragingRanks];
}

export class MarginWatches {
  readonly #markets: OfMarket[] = [];
  /** Markets whose `valuationMark` may have left the bands of watched accounts. */
  readonly #revalued = new Set<Market>();
  /** Counts the changes of the `valuationMark` of any market. */
  #valuations = 0;

  addMarket(): void {
    this.#markets.push({ watch: new MarginWatch(), ranks: [new DeleveragingRanks(), new DeleveragingRanks()] });
  }

  watch({ index }: Market): MarginWatch {
    return this.#markets[index].watch;
  }

  ranks({ index }: Market, side: Side): DeleveragingRanks {
    return this.#markets[index].ranks[side];
  }

  get valuations(): number {
    return this.#valuations;
  }

  /** The `valuationMark` of the market may have changed. */
  revalued(market: Market): void {
    this.#revalued.add(market);
    this.#valuations++;
  }

  /** Terms of the market have changed that margins depend on: everybody with a position there is unjudged. */
  termsChanged(market: Market, holders: readonly number[], accounts: ReadonlyMap<number, Account>): void {
    this.#valuations++;
    for (const index of holders) this.positionChanges(accounts.get(index) as Account, market);
  }

  /** Makes the accounts unjudged that are watched and whose band no longer holds the mark. */
  wakeOutside(accounts: ReadonlyMap<number, Account>): void {
    if (this.#revalued.size === 0) return;
    for (const market of this.#revalued) {
      const { valuationMark } = market;
      const watch = this.watch(market);
      for (let index = watch.outside(valuationMark); index !== NONE; index = watch.outside(valuationMark)) {
        this.positionChanges(accounts.get(index) as Account, market);
      }
    }
    this.#revalued.clear();
  }

  /** The account opens its first position in the market, or closes the last one. */
  trackHolder(market: Market, account: Account, flat: boolean): void {
    account.setOpen(market, !flat);
    this.#note(account, market);
    const watch = this.watch(market);
    if (flat) watch.close(account.index, account.positionsIn(market.index));
    else watch.open(account.index);
  }

  /** A position of the account in the market changes: its size, its entry cost, its collateral or its settings. */
  positionChanges(account: Account, market: Market): void {
    const positions = account.positionsByMarket[market.index];
    if (positions?.mode === 'ISOLATED') this.#wake(account, market, positions);
    else this.walletChanges(account, market.quote);
  }

  /** The money changes that backs the cross positions of the account in one settlement currency. */
  walletChanges(account: Account, currency: number): void {
    for (const market of account.openMarkets) {
      if (market.quote !== currency) continue;
      const positions = account.positionsIn(market.index);
      if (positions.mode !== 'ISOLATED') this.#wake(account, market, positions);
    }
  }

  #wake(account: Account, market: Market, positions: MarketPositions): void {
    this.watch(market).wake(account.index, positions);
    this.#note(account, market);
  }

  #note({ index }: Account, market: Market): void {
    for (const each of this.#markets[market.index].ranks) each.note(index);
  }
}
