/**
 * The venue: a pure fold over commands. `apply` is the only door that changes state; everything else reads.
 * (Contract first: the members that throw 'not built yet' are being written.)
 */
import type { Command, Genesis, KeySpec, Permission, Product } from './commands.ts';
import type { VenueEvent } from './events.ts';
import type { Market } from './market.ts';
import { OrderIds } from './order-id.ts';
import type { Order } from './orders.ts';
import type { Refusal } from './reasons.ts';

/** Bumped whenever the same log would fold to another state. */
export const RULES_VERSION = 1;

export interface Reply {
  readonly seq: number;
  /** Venue time after the command. */
  readonly timeMs: number;
  readonly refusal: Refusal | null;
  /** With orderNotFound and duplicate refusals: the caller's own order that it is about, where the venue holds it. */
  readonly about: Order | null;
  /** Copies, in the order in which the wire shows them (spot OCO: limit leg first; surfaces may reorder). */
  readonly orders: readonly Order[];
  /** createAccount: the new account's number. */
  readonly account: number | null;
}

export interface Currency {
  readonly code: string;
  readonly decimals: number;
}

export interface Account {
  readonly index: number;
  readonly name: string;
}

export interface Key extends KeySpec {
  readonly account: number;
}

/** Smallest units of the currency. available = total − reserved − margin + min(0, unrealised). */
export interface Balance {
  readonly currency: Currency;
  readonly total: bigint;
  readonly available: bigint;
  readonly reserved: bigint;
  readonly margin: bigint;
  readonly unrealised: bigint;
}

export interface PositionView {
  readonly market: Market;
  /** Signed contracts: positive long. */
  readonly size: number;
  /** Exact entry price = entryCost / |size|: smallest units of the settlement currency. */
  readonly entryCost: bigint;
  readonly unrealised: bigint;
  readonly margin: bigint;
  readonly leverage: number;
}

export interface AuditLine {
  readonly accounts: bigint;
  readonly reserved: bigint;
  readonly fees: bigint;
  readonly insurance: bigint;
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  readonly difference: bigint;
}

export interface Audit {
  readonly ok: boolean;
  readonly currencies: readonly { currency: Currency; line: AuditLine }[];
  readonly orders: { readonly checked: number; readonly bad: readonly string[] };
}

const unbuilt = (): never => {
  throw new Error('not built yet');
};

export class Venue {
  seq = 0;
  timeMs = 0;
  genesis: Genesis | null = null;
  readonly currencies: readonly Currency[] = [];
  readonly markets: readonly Market[] = [];
  readonly accounts: ReadonlyMap<number, Account> = new Map();
  readonly keys: ReadonlyMap<string, Key> = new Map();
  orderIds = new OrderIds('00000000000000000000000000000000');

  /** `emit` is called for every event, in order, while a command is applied; it must not throw nor call back. */
  constructor(emit: (event: VenueEvent) => void = () => {}) {
    void emit;
  }

  /** Applies one command at `timeMs` (never below the venue's time). Throws only on a bug of the venue. */
  apply(_seq: number, _timeMs: number, _command: Command): Reply {
    return unbuilt();
  }

  /** Epoch ms of the next thing that happens by itself; Infinity when nothing is due. */
  nextDueMs(): number {
    return unbuilt();
  }

  marketBySymbol(_symbol: string): Market | undefined {
    return unbuilt();
  }

  accountByName(_name: string): Account | undefined {
    return unbuilt();
  }

  /** The caller's own order by key, live or ended (while held); undefined otherwise. */
  order(_account: number, _product: Product, _key: number): Order | undefined {
    return unbuilt();
  }

  /** By client id: the live order (of an OCO the limit leg while it lives), else the newest ended one. */
  orderByClientId(_account: number, _product: Product, _clientId: string): Order | undefined {
    return unbuilt();
  }

  /** Live orders, oldest first; market null: every market of the product. */
  openOrders(_account: number, _product: Product, _market: number | null): Order[] {
    return unbuilt();
  }

  /** One entry a currency that the venue knows, zeros included. */
  balances(_account: number): Balance[] {
    return unbuilt();
  }

  positions(_account: number): PositionView[] {
    return unbuilt();
  }

  /** price × current size (market orders: the band reference), smallest units of the quote currency. */
  orderValue(_order: Order): bigint {
    return unbuilt();
  }

  audit(): Audit {
    return unbuilt();
  }

  counts(): { orders: number; accounts: number; markets: number } {
    return unbuilt();
  }

  /** The state's canonical bytes: what the state hash is taken over (markets.md says what is in and what is out). */
  canonical(): Uint8Array {
    return unbuilt();
  }

  permissionsOf(key: string): readonly Permission[] {
    return this.keys.get(key)?.permissions ?? [];
  }
}
