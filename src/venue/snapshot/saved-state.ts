/**
 * The form of saved state. Each form also lists the fields of its class: those that it saves, and those that it does
 * not. Orders have such lists in order-columns.ts.
 *
 * Invariant: a data field that is in neither list of its class does not compile (`Covers`). So no new field is lost at
 * a restart because somebody forgot it. Private fields are not covered.
 *
 * Saved names and forms never change. They are in all snapshots and in the state hash.
 */

import type { Currency, Key } from '../contract/account-view.ts';
import type { Freeze, Genesis, PositionMode } from '../contract/commands.ts';
import type { Product } from '../contract/units.ts';
import type { House } from '../state/house.ts';
import type { Account, Ledger } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { MarketPositions } from '../state/market-positions.ts';
import type { FundingTerms, MarketTerms } from '../state/market-terms.ts';
import type { Playback } from '../state/playback.ts';
import type { Position, RiskLimit } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import type { SavedSide } from './books.ts';
import type { SavedEnded, SavedOrders } from './order-columns.ts';

/** Names that hold data, not methods. */
type DataOf<T> = { [name in keyof T]: T[name] extends (...args: never[]) => unknown ? never : name }[keyof T];

/**
 * Part of the saved form of a T. If T has a data field that is in neither list, the form needs a field of that name,
 * which nothing can give it: the function that saves a T does not compile.
 */
type Covers<T, Saved extends keyof T, Unsaved extends keyof T> = Record<Exclude<DataOf<T>, Saved | Unsaved>, never>;

/** What `Venue.save` wrote, parsed. */
export interface SavedFile {
  readonly format: number;
  readonly seq: number;
  /** The digest of effects. Absent if it was not known. */
  readonly effects?: string;
  readonly nextAccount: number;
  /** The named snapshots, each as text of a `SavedVenue`. */
  readonly snapshots: readonly (readonly [name: string, text: string])[];
  /** The highest used nonce of each key. Absent in older ones. */
  readonly nonces?: readonly (readonly [key: string, nonceMs: number])[];
  readonly desk: SavedVenue;
}

/** What `saveVenue` wrote, parsed. */
export interface SavedVenue {
  readonly time: { readonly nowMs: number; readonly genesisMs: number };
  readonly state: SavedState;
}

// --- the venue ------------------------------------------------------------------------------------------------------

export type SavedState = {
  genesis: Genesis;
  /** Currencies that were listed later. Absent if there are none. */
  currencies?: Currency[];
  markets: SavedMarket[];
  accounts: SavedAccount[];
  keys: Key[];
  ledger: SavedLedger;
  requests: [string, number, number][];
  deadMen: [number, Product, number][];
  /** Absent if it has never traded with a user. */
  house?: SavedHouse;
  live: SavedOrders;
  ended: SavedEnded;
} & Covers<VenueState, VenueSaved, VenueUnsaved>;

/** The times are saved beside the state. */
type VenueSaved =
  | ('genesis' | 'genesisMs' | 'nowMs' | 'markets' | 'accounts' | 'keys' | 'ledger')
  | ('orders' | 'requests' | 'deadMen' | 'house');

/** Rebuilt on loading, empty after each command, set by the next command, or given by `Venue`. */
type VenueUnsaved =
  | ('timers' | 'feeds' | 'minutes')
  | ('observations' | 'observed' | 'entered' | 'touched' | 'printed' | 'movedMarks' | 'deleveraged' | 'overReserved')
  | ('seq' | 'leftOut' | 'step')
  | ('effects' | 'emit' | 'changes' | 'margins' | 'shapes');

/** `positions`: with the market of each. */
export type SavedHouse = { totals: string[]; positions: [market: number, size: number, cost: string][] } & Covers<
  House,
  'totals' | 'positions',
  never
>;

/** Every sum of the ledger, by currency. `currencies` are saved with the venue. */
export type SavedLedger = { [name in Exclude<DataOf<Ledger>, 'currencies' | 'wallets'>]: string[] };

// --- markets --------------------------------------------------------------------------------------------------------

type SavedAsItIs =
  | ('spec' | 'last' | 'mark' | 'indexPrice' | 'markPinned' | 'halted' | 'nextTradeId' | 'fundingRate')
  | 'basis';

export type SavedMarket = Pick<Market, SavedAsItIs> & {
  /** `checkedMark`. Rules version 1 did not save it. */
  judgedMark?: number;
  premiumSum: string;
  distressed: number[];
  /** `pendingIndex`. */
  indexHeld?: number;
  indexStale?: boolean;
  indexStaleAtMs?: number;
  delisted?: true;
  /** The terms of the funding until the present interval ends, while `spec` already has the next ones. */
  fundingNow?: FundingTerms;
  /** Absent: it plays no recording. */
  playback?: SavedPlayback;
  /** The `book`. */
  bids: SavedSide;
  asks: SavedSide;
} & Covers<Market, MarketSaved, MarketUnsaved>;

type MarketSaved =
  | SavedAsItIs
  | ('delisted' | 'nextFunding' | 'playback')
  | ('checkedMark' | 'premiumSum' | 'distressed' | 'pendingIndex' | 'indexStale' | 'indexStaleAtMs' | 'book');

/** Set at its listing, computed, rebuilt on loading, or empty after each command. */
type MarketUnsaved =
  | keyof MarketTerms
  | ('index' | 'symbol' | 'product' | 'triggers' | 'leastPairFee' | 'printed' | 'openInterest')
  | ('unitsPerFineLot' | 'highestMaintenance')
  | ('valuationMark' | 'priceForeseen' | 'bandReference');

type PlaybackAsItIs = 'position' | 'recordedMs' | 'playedMs' | 'trades' | 'tradesFit';

/** Lists of keys are in the order of the keys, except `taken`, which is in that of the first taking. */
export type SavedPlayback = Pick<Playback, PlaybackAsItIs> & {
  recorded: [key: number, lots: number][];
  taken: [key: number, lots: number, atMs: number][];
  touched: number[];
  ahead: [key: number, lots: number][];
  fundingRate?: number;
} & Covers<Playback, PlaybackAsItIs | 'recorded' | 'taken' | 'touched' | 'ahead' | 'fundingRate', 'terms'>;

// --- accounts and positions -----------------------------------------------------------------------------------------

export type SavedAccount = {
  index: number;
  name: string;
  totals: string[];
  reserved: string[];
  feeRates: ([maker: string, taker: string] | null)[];
  /** `positionsByMarket`. */
  holdings: SavedPositions[];
  frozen?: Freeze;
} & Covers<Account, AccountSaved, AccountUnsaved>;

type AccountSaved = 'index' | 'name' | 'total' | 'reserved' | 'feeRates' | 'positionsByMarket' | 'frozen';

/** Rebuilt from the orders and the positions. */
type AccountUnsaved = 'openMarkets' | 'tradedMarkets' | 'openOrders' | 'oldestLive' | 'newestLive';

/** The positions of one account in one market. `positions`: net, long, short, then the isolated ones. */
export type SavedPositions = [
  market: number,
  mode: PositionMode,
  isolatedLeverage: number,
  nextIsolated: number,
  positions: SavedPosition[],
  leastTier?: number,
] &
  Covers<MarketPositions, MarketPositionsSaved, MarketPositionsUnsaved> &
  Covers<RiskLimit, 'leastTier', never>;

/** Of `pending`, only the leverage is saved. */
type MarketPositionsSaved = 'mode' | 'limit' | 'net' | 'long' | 'short' | 'isolated' | 'nextIsolated' | 'pending';

/** Rebuilt from the orders, or computed. */
type MarketPositionsUnsaved = 'unopened' | 'band' | 'flat';

export type SavedPosition = [
  id: number,
  size: number,
  cost: string,
  leverage: number,
  collateral: string,
  liquidationStepLots?: number,
] &
  Covers<Position, 'id' | LoadedFields, PositionUnsaved>;

type LoadedFields = 'size' | 'cost' | 'leverage' | 'collateral' | 'liquidationStepLots';

/** Saved once for the market, or rebuilt from the orders. */
type PositionUnsaved = 'limit' | 'lots' | 'notional' | 'reduceOnlyOrders';

/** What is loaded into a position. */
export type LoadedPosition = Pick<Position, LoadedFields>;
