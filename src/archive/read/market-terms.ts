/**
 * The terms of a market as they were when a fill was made, or when a command was applied. A symbol may have had others: a reset or a restored state removes
 * a market that was listed later, and the symbol may be listed again.
 *
 * Cost: all rows of markets, and the former terms of a market when one of its fills is first looked at. Few have any.
 */
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { type Row, toObject, type Value } from '../store/tables.ts';

/** A row of `markets` or of `former_terms`. */
export type Terms = Readonly<Record<string, Value>>;

export class MarketTerms {
  readonly #store: ArchiveStore;
  readonly #markets: ReadonlyMap<Value, Terms>;
  readonly #former = new Map<Value, readonly Terms[]>();

  constructor(store: ArchiveStore) {
    this.#store = store;
    this.#markets = new Map([...store.rows('markets')].map((row: Row) => [row[0], toObject('markets', row)]));
  }

  /** The terms under which a fill was made. `n`: its number. @throws {ArchiveDamaged} */
  atFill(symbol: Value, n: Value): Terms {
    return this.#first(symbol, (former) => (n as number) <= (former.n as number));
  }

  /** The terms after the command `seq`. @throws {ArchiveDamaged} */
  atCommand(symbol: Value, seq: number): Terms {
    return this.#first(symbol, (former) => seq < (former.seq as number));
  }

  /** The oldest former terms that match, or else the present ones. */
  #first(symbol: Value, matches: (former: Terms) => boolean): Terms {
    const market = this.#markets.get(symbol);
    if (market === undefined) throw new ArchiveDamaged(`the market ${symbol} is missing`);
    return this.#formerOf(market).find(matches) ?? market;
  }

  #formerOf({ symbol, formerTerms }: Terms): readonly Terms[] {
    if (formerTerms === 0) return NONE;
    let former = this.#former.get(symbol);
    if (former === undefined) {
      const rows = this.#store.numbered('former_terms', [symbol], 1, formerTerms as number);
      former = [...rows].map((row) => toObject('former_terms', row));
      this.#former.set(symbol, former);
    }
    return former;
  }
}

const NONE: readonly Terms[] = [];
