/**
 * What the present command changes, for listeners. `emitAll` emits it at the end of the command, once for each book,
 * position and wallet. Each is noted before it changes. What ends as it began is not emitted. A position or a wallet
 * that is noted also makes its margin unjudged (margin-watches.ts).
 *
 * Invariant: every level, position and wallet that differs from the end of the previous command has been noted. A test
 * checks that by folding the events (test/venue/events.test.ts).
 * Cost: without listeners, a check of one field.
 */

import type { PositionMode } from '../contract/commands.ts';
import type { OrderChanged } from '../contract/events.ts';
import type { Emitter } from './emitter.ts';
import type { Account } from './ledger.ts';
import type { MarginWatches } from './margin-watches.ts';
import type { Market } from './market.ts';
import type { Order } from './order.ts';
import type { Position } from './position.ts';

interface WalletBefore {
  readonly account: Account;
  readonly currency: number;
  readonly total: bigint;
  readonly reserved: bigint;
}

interface PositionBefore {
  readonly account: number;
  readonly market: number;
  readonly mode: PositionMode;
  readonly before: Values;
}

/** The values of a position that its event reports. */
type Values = Pick<Position, 'size' | 'cost' | 'collateral' | 'leverage'> & {
  readonly leastTier: number;
  readonly liquidating: boolean;
};

/** Fills of an order that its events have not reported yet. */
interface Filled {
  lots: number;
  liquidity: OrderChanged['liquidity'];
}

const NOT_FILLED: Readonly<Filled> = { lots: 0, liquidity: null };
/** More than a venue has currencies. */
const CURRENCIES = 2 ** 20;

export class Changes {
  readonly #emit: Emitter;
  readonly #margins: MarginWatches;
  // Replaced by new ones, and never cleared or emptied: an old table would keep what was in it (D-671).
  #books = new Set<Market>();
  // Undefined: nobody listens.
  #positions: Map<Position, PositionBefore> | undefined;
  #wallets: Map<number, WalletBefore> | undefined;
  #fills: Map<number, Filled> | undefined;

  constructor(emit: Emitter, margins: MarginWatches) {
    this.#emit = emit;
    this.#margins = margins;
  }

  /** Begins to note the changes that present listeners want. */
  track(markets: readonly Market[]): void {
    const { bookChanged, positionChanged, walletChanged, orderChanged } = this.#emit;
    if (bookChanged !== undefined) for (const market of markets) this.watch(market);
    if (positionChanged !== undefined) this.#positions ??= new Map();
    if (walletChanged !== undefined) this.#wallets ??= new Map();
    if (orderChanged !== undefined) this.#fills ??= new Map();
  }

  /** Also watches a market that was listed later. */
  watch(market: Market): void {
    if (this.#emit.bookChanged !== undefined) market.book.watch(() => this.#books.add(market));
  }

  position(account: Account, market: Market, position: Position): void {
    this.#margins.positionChanges(account, market);
    if (this.#positions === undefined || this.#positions.has(position)) return;
    const { mode } = account.positionsIn(market.index);
    const before = valuesOf(position);
    this.#positions.set(position, { account: account.index, market: market.index, mode, before });
  }

  wallet(account: Account, currency: number): void {
    if (account.openMarkets.length > 0) this.#margins.walletChanges(account, currency);
    if (this.#wallets === undefined) return;
    const place = account.index * CURRENCIES + currency;
    if (this.#wallets.has(place)) return;
    const [total, reserved] = [account.total(currency), account.reserved(currency)];
    this.#wallets.set(place, { account, currency, total, reserved });
  }

  /** An order was filled for `lots`. Its next event reports them. */
  fill(order: Order, lots: number, liquidity: OrderChanged['liquidity']): void {
    if (this.#fills === undefined) return;
    const filled = this.#fills.get(order.key);
    if (filled === undefined) this.#fills.set(order.key, { lots, liquidity });
    else {
      filled.lots += lots;
      filled.liquidity ??= liquidity;
    }
  }

  /** The fills that the next event of the order has to report. They then count as reported. */
  takeFill(order: Order): Readonly<Filled> {
    const fills = this.#fills;
    const filled = fills?.get(order.key);
    if (fills === undefined || filled === undefined) return NOT_FILLED;
    if (fills.size === 1) this.#fills = new Map();
    else fills.delete(order.key);
    return filled;
  }

  /** Emits what the command has changed. */
  emitAll(): void {
    if (this.#books.size > 0) this.#emitBooks();
    if (this.#positions !== undefined && this.#positions.size > 0) {
      this.#emitPositions(this.#positions);
      this.#positions = new Map();
    }
    if (this.#wallets !== undefined && this.#wallets.size > 0) {
      this.#emitWallets(this.#wallets);
      this.#wallets = new Map();
    }
  }

  #emitBooks(): void {
    const changed = [...this.#books].sort((a, b) => a.index - b.index);
    this.#books = new Set();
    for (const { index, book } of changed) {
      const levels = book.takeChanges();
      if (levels.length > 0) this.#emit.bookChanged?.({ type: 'bookChanged', market: index, levels });
    }
  }

  #emitPositions(noted: ReadonlyMap<Position, PositionBefore>): void {
    for (const [position, { account, market, mode, before }] of noted) {
      const now = valuesOf(position);
      const isSame = (Object.keys(now) as (keyof Values)[]).every((name) => now[name] === before[name]);
      if (isSame || (now.size === 0 && before.size === 0)) continue;
      this.#emit.positionChanged?.({
        type: 'positionChanged',
        account,
        market,
        mode,
        positionId: position.id,
        sizeLots: now.size,
        entryCost: now.cost < 0n ? -now.cost : now.cost,
        collateral: now.collateral,
        leverage: now.leverage,
        leastTier: now.leastTier,
        liquidating: now.liquidating,
      });
    }
  }

  #emitWallets(noted: ReadonlyMap<number, WalletBefore>): void {
    for (const { account, currency, ...before } of noted.values()) {
      const [total, reserved] = [account.total(currency), account.reserved(currency)];
      if (total === before.total && reserved === before.reserved) continue;
      this.#emit.walletChanged?.({ type: 'walletChanged', account: account.index, currency, total, reserved });
    }
  }
}

function valuesOf({ size, cost, collateral, leverage, limit, liquidationStepLots }: Position): Values {
  return { size, cost, collateral, leverage, leastTier: limit.leastTier, liquidating: liquidationStepLots > 0 };
}
