/**
 * Accounts in the order in which they were added, and the keys of each by name, so that the control surface lists them
 * in pages. It is not state: a start builds it from the venue, and the venue's events keep it current.
 *
 * Invariant: a page continues after a key that was revoked since, because keys are ordered by name.
 * Cost: a page costs its rows and one binary search, however many accounts there are. A new key moves the later names
 * of its account. The first key of an older account moves the numbers of later accounts, about 1 ms with a million.
 */
import type { Engine } from '../../engine/host.ts';

/** Where a list of keys continues: behind this key of this account. */
export interface KeyPlace {
  readonly account: number;
  readonly key: string;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** There are others behind them. */
  readonly more: boolean;
}

export class AccountList {
  readonly #engine: Pick<Engine, 'venue'>;
  /** Ascending numbers. An account that is added later has a higher number. */
  #accounts: number[] = [];
  /** Those that have keys, ascending. */
  #holders: number[] = [];
  /** By account, the names of its keys in order. */
  #keys = new Map<number, string[]>();

  constructor(engine: Pick<Engine, 'venue' | 'listen'>) {
    this.#engine = engine;
    this.#build();
    engine.listen({
      accountCreated: ({ account }) => insert(this.#accounts, account),
      keyAdded: ({ account, key }) => this.#add(account, key),
      keyRevoked: ({ account, key }) => this.#remove(account, key),
      stateReplaced: () => this.#build(),
    });
  }

  /** The numbers of the accounts behind one of them. Null: from the first on. */
  accountsAfter(account: number | null, limit: number): Page<number> {
    const first = account === null ? 0 : placeAfter(this.#accounts, account);
    return cut(this.#accounts.slice(first, first + limit + 1), limit);
  }

  keyCount(account: number): number {
    return this.#keys.get(account)?.length ?? 0;
  }

  /** The names of the keys behind a place, by account and then by name. Null: from the first on. */
  keysAfter(place: KeyPlace | null, limit: number): Page<string> {
    const rows: string[] = [];
    const first = place === null ? 0 : placeOf(this.#holders, place.account);
    for (let i = first; i < this.#holders.length && rows.length <= limit; i++) {
      rows.push(...this.#keysOf(this.#holders[i], place, limit + 1 - rows.length));
    }
    return cut(rows, limit);
  }

  /** The same for the keys of one account. */
  keysOfAccount(account: number, place: KeyPlace | null, limit: number): Page<string> {
    return cut(this.#keysOf(account, place, limit + 1), limit);
  }

  #keysOf(account: number, place: KeyPlace | null, most: number): string[] {
    const names = this.#keys.get(account) ?? [];
    const first = place?.account === account ? placeAfter(names, place.key) : 0;
    return names.slice(first, first + most);
  }

  #build(): void {
    const { venue } = this.#engine;
    const ascending = (a: number, b: number) => a - b;
    this.#accounts = venue.accountNumbers().sort(ascending);
    this.#keys = new Map();
    for (const { account, key } of venue.keys()) {
      const names = this.#keys.get(account);
      if (names === undefined) this.#keys.set(account, [key]);
      else names.push(key);
    }
    for (const names of this.#keys.values()) if (names.length > 1) names.sort();
    this.#holders = [...this.#keys.keys()].sort(ascending);
  }

  #add(account: number, key: string): void {
    const names = this.#keys.get(account);
    if (names !== undefined) insert(names, key);
    else {
      this.#keys.set(account, [key]);
      insert(this.#holders, account);
    }
  }

  #remove(account: number, key: string): void {
    const names = this.#keys.get(account);
    if (names === undefined) return;
    if (names.length > 1) names.splice(placeOf(names, key), 1);
    else {
      this.#keys.delete(account);
      this.#holders.splice(placeOf(this.#holders, account), 1);
    }
  }
}

function cut<Row>(rows: Row[], limit: number): Page<Row> {
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** The index of the first entry that is not below `entry`. */
function placeOf<Entry extends number | string>(sorted: readonly Entry[], entry: Entry): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first entry above `entry`. */
function placeAfter<Entry extends number | string>(sorted: readonly Entry[], entry: Entry): number {
  const place = placeOf(sorted, entry);
  return sorted[place] === entry ? place + 1 : place;
}

function insert<Entry extends number | string>(sorted: Entry[], entry: Entry): void {
  sorted.splice(placeOf(sorted, entry), 0, entry);
}
