/**
 * State to canonical text and back: JSON with the fields in a fixed order, so equal states give equal text.
 *
 * Derived data is not saved. Client-id index, timer heap, trigger books, exposure and the lists of followers are
 * rebuilt from the orders. Slots never appear, because orders refer to each other by key. The state hash covers
 * `state`. `time` is saved beside it, because venue time is not part of the hash (markets.md).
 */

import type { Currency } from '../contract/account-view.ts';
import { feeRates } from '../contract/market-spec.ts';
import { type Money, moneyOf } from '../contract/money.ts';
import { BUY, SELL } from '../contract/units.ts';
import { armDeadMan } from '../handlers/dead-man-switch.ts';
import { feedTimer, watchFeed } from '../prices/index-feed.ts';
import { startMinutes } from '../prices/mark-and-funding.ts';
import type { Effects } from '../state/effects-digest.ts';
import type { Emitter } from '../state/emitter.ts';
import type { House } from '../state/house.ts';
import { Account } from '../state/ledger.ts';
import { listMarket, Market } from '../state/market.ts';
import { MarketPositions } from '../state/market-positions.ts';
import type { Order } from '../state/order.ts';
import { Playback } from '../state/playback.ts';
import { Position } from '../state/position.ts';
import { VenueState } from '../state/venue-state.ts';
import { loadBooks, saveSide } from './books.ts';
import { adoptEnded, loadOrders, saveEnded, saveOrders } from './order-columns.ts';
import type {
  LoadedPosition,
  SavedAccount,
  SavedFile,
  SavedHouse,
  SavedLedger,
  SavedMarket,
  SavedPlayback,
  SavedPosition,
  SavedPositions,
  SavedState,
  SavedVenue,
} from './saved-state.ts';
import { readFile } from './saved-text.ts';

/** Increased whenever the saved form changes. Rules may change without it, because saved state outlives them. */
const SAVED_FORMAT = 4;
/** What rules version 1 saved can be read, too: a log that it has sealed continues from its snapshot. */
const OLDEST_SAVED_FORMAT = 2;

/**
 * All that a venue saves, as text. `beside`: what is not part of the state. `canonical`: its canonical text.
 * `parsedFile` reads it.
 */
export function fileText(beside: Omit<SavedFile, 'format' | 'desk'>, venue: VenueState, canonical: string): string {
  const head = JSON.stringify({ format: SAVED_FORMAT, ...beside });
  return `${head.slice(0, -1)},"desk":${saveVenue(venue, canonical)}}`;
}

/** @throws {Error} another version of this program saved it, in a form that this one does not know */
export function parsedFile(text: Uint8Array): SavedFile {
  const saved = readFile(text);
  if (saved.format < OLDEST_SAVED_FORMAT || saved.format > SAVED_FORMAT) {
    throw new Error(`a saved venue of format ${saved.format}, not ${OLDEST_SAVED_FORMAT} to ${SAVED_FORMAT}`);
  }
  return saved;
}

/** The state and the times of the venue as text: `{time, state}`. `state`: its canonical text, if it is at hand. */
export function saveVenue(venue: VenueState, state = canonicalState(venue)): string {
  const time = { nowMs: venue.nowMs, genesisMs: venue.genesisMs };
  return `{"time":${JSON.stringify(time)},"state":${state}}`;
}

/** The text whose UTF-8 bytes the state hash covers. */
export function canonicalState(venue: VenueState): string {
  return JSON.stringify(saveState(venue));
}

function saveState(venue: VenueState): SavedState {
  const live: Order[] = [];
  for (const account of venue.accounts.values()) live.push(...venue.liveOrders(account));
  live.sort((a, b) => a.key - b.key);
  const added = venue.ledger.currencies.slice(Object.keys(venue.genesis.config.currencies).length);
  return {
    genesis: venue.genesis,
    ...(added.length > 0 && { currencies: added }),
    markets: venue.markets.map((market) => saveMarket(venue, market)),
    accounts: [...venue.accounts.values()].map((account) => saveAccount(account, venue.ledger.currencies)),
    keys: [...venue.keys.values()],
    ledger: {
      fees: texts(venue.ledger.fees),
      insurance: texts(venue.ledger.insurance),
      deposits: texts(venue.ledger.deposits),
      withdrawals: texts(venue.ledger.withdrawals),
    },
    requests: [...venue.requests].map(([id, seen]) => [id, seen.key, seen.atMs]),
    deadMen: [...venue.deadMen.values()].map(({ account, product, dueMs }) => [account, product, dueMs]),
    ...saveHouse(venue.house),
    live: saveOrders(venue, live, live.length),
    ended: saveEnded(venue, venue.orders.ended(), venue.orders.endedCount),
  };
}

function saveHouse({ totals, positions }: House): { house?: SavedHouse } {
  if (totals.length === 0) return {};
  const held = positions.map(({ size, cost }, market) => [market, size, String(cost)] as const);
  return {
    house: {
      totals: Array.from(totals, (amount = 0n) => String(amount)),
      positions: held.flatMap((one) => [[...one]]),
    },
  };
}

function texts(amounts: Iterable<Money>): string[] {
  return Array.from(amounts, String);
}

function saveMarket(venue: VenueState, market: Market): SavedMarket {
  const { spec, last, mark, checkedMark, indexPrice, markPinned, halted, nextTradeId, basis, fundingRate } = market;
  const prices = { last, mark, judgedMark: checkedMark, indexPrice, markPinned, halted, nextTradeId, fundingRate };
  const samples = { basis, premiumSum: String(market.premiumSum), distressed: [...market.distressed] };
  const { pendingIndex: indexHeld, indexStale, indexStaleAtMs } = market;
  const feed = indexHeld > 0 || indexStale || indexStaleAtMs > 0 ? { indexHeld, indexStale, indexStaleAtMs } : {};
  return {
    spec,
    ...prices,
    ...feed,
    ...endOf(market),
    ...samples,
    ...(market.playback !== null && { playback: savePlayback(market.playback) }),
    bids: saveSide(venue, market, BUY),
    asks: saveSide(venue, market, SELL),
  };
}

/** What differs from a market that is not delisted and whose funding is that of its specification. */
function endOf({ delisted, nextFunding, fundingCap, fundingIntervalMs, impactLots }: Market) {
  const fundingNow = { fundingCap, fundingIntervalMs, impactLots };
  return { ...(delisted && { delisted }), ...(nextFunding !== null && { fundingNow }) };
}

function savePlayback(playback: Playback): SavedPlayback {
  const { position, recordedMs, playedMs, trades, tradesFit, fundingRate, ...levels } = playback;
  const byKey = (lots: ReadonlyMap<number, number>) => [...lots].sort(([a], [b]) => a - b);
  return {
    position,
    recordedMs,
    playedMs,
    trades,
    tradesFit,
    ...(fundingRate !== null && { fundingRate }),
    recorded: byKey(levels.recorded),
    taken: [...levels.taken].map(([key, { lots, atMs }]) => [key, lots, atMs]),
    touched: [...levels.touched].sort((a, b) => a - b),
    ahead: byKey(levels.ahead),
  };
}

function saveAccount(account: Account, currencies: readonly Currency[]): SavedAccount {
  return {
    index: account.index,
    name: account.name,
    totals: currencies.map((_, i) => String(account.total(i))),
    reserved: currencies.map((_, i) => String(account.reserved(i))),
    feeRates: account.feeRates.map((rates) => (rates ? [String(rates.maker), String(rates.taker)] : null)),
    holdings: account.positionsByMarket.flatMap((marketPositions, market) =>
      marketPositions ? savePositions(marketPositions, market) : [],
    ),
    ...(account.frozen !== null && { frozen: account.frozen }),
  };
}

/** Empty if nothing differs from a new account. The lowest tier is only written if it is not 0. */
function savePositions(marketPositions: MarketPositions, market: number): SavedPositions[] {
  const { mode, limit, net, long, short, isolated, nextIsolated, pending } = marketPositions;
  const positions = [net, long, short, ...isolated].map(savePosition);
  const head = [market, mode, pending.leverage, nextIsolated, positions] as const;
  const saved: SavedPositions = limit.leastTier === 0 ? [...head] : [...head, limit.leastTier];
  return JSON.stringify(saved) === JSON.stringify([market, ...AS_NEW]) ? [] : [saved];
}

/** The lots of a liquidation's step are only written while there is one. */
function savePosition(position: Position): SavedPosition {
  const { id, size, cost, leverage, collateral, liquidationStepLots } = position;
  const usual = [id, size, String(cost), leverage, String(collateral)] as const;
  return liquidationStepLots === 0 ? [...usual] : [...usual, liquidationStepLots];
}

/**
 * What `savePositions` writes for a new account, without the market. The literals are the defaults of Position: size,
 * cost, leverage and collateral.
 */
const AS_NEW = ((): unknown[] => {
  const fresh = new MarketPositions();
  const positions = [fresh.net, fresh.long, fresh.short].map(({ id }) => [id, 0, '0', 0, '0']);
  return [fresh.mode, fresh.pending.leverage, fresh.nextIsolated, positions];
})();

// --- loading ---------------------------------------------------------------------------------------------------------

/** A venue equal to the saved one: same state hash, same behaviour from now on. `nowMs` null: at its saved time. */
export function loadVenue(saved: SavedVenue, emit: Emitter, effects: Effects, nowMs: number | null): VenueState {
  const { state } = saved;
  const venue = new VenueState(state.genesis, saved.time.genesisMs, emit, effects);
  venue.nowMs = nowMs ?? saved.time.nowMs;
  venue.addCurrencies(state.currencies ?? []);
  for (const market of state.markets) loadMarket(venue, market);
  for (const account of state.accounts) loadAccount(venue, account);
  if (state.house !== undefined) loadHouse(venue, state.house);
  for (const key of state.keys) venue.addKey(key);
  for (const [name, amounts] of Object.entries(state.ledger) as [keyof SavedLedger, string[]][]) {
    amounts.forEach((amount, i) => {
      venue.ledger[name][i] = BigInt(amount);
    });
  }
  for (const [id, key, atMs] of state.requests) venue.requests.add(id, { key, atMs });
  for (const [account, product, dueMs] of state.deadMen) armDeadMan(venue, account, product, dueMs);
  venue.orders.expect(state.live.keys.length + state.ended.keys.length);
  loadOrders(venue, state.live);
  loadBooks(venue, state.markets);
  adoptEnded(venue, state.ended);
  return venue;
}

/**
 * Like Object.assign, but a name that the type of `values` has and the target has not does not compile. The type of
 * the saved state is checked, and not the JSON that was read.
 */
function assign<T extends object, V extends Partial<T>>(
  target: T,
  values: V & { [K in Exclude<keyof V, keyof T>]: never },
): void {
  Object.assign(target, values);
}

function loadMarket(venue: VenueState, saved: SavedMarket): void {
  const { spec, bids: _bids, asks: _asks, basis, premiumSum, distressed, playback, ...others } = saved;
  const { indexHeld = 0, judgedMark = saved.mark, fundingNow, ...prices } = others;
  // Rules version 1 saved a count that is no longer needed.
  delete (prices as { premiumCount?: number }).premiumCount;
  const market = listMarket(venue.markets.length, spec, venue.ledger.currencies, true);
  if (!(market instanceof Market)) throw new Error(`saved market ${spec.symbol}: ${JSON.stringify(market)}`);
  assign(market, { ...prices, pendingIndex: indexHeld, checkedMark: judgedMark });
  if (playback !== undefined) market.playback = loadPlayback(venue, spec.symbol, playback);
  market.basis.push(...basis);
  market.premiumSum = BigInt(premiumSum);
  if (fundingNow !== undefined) market.deferFunding(fundingNow);
  for (const account of distressed) venue.distress(market, account);
  venue.addMarket(market, feedTimer(market));
  venue.noteUnsettled(market);
  if (market.indexPrice !== 0 && !market.delisted) startMinutes(venue, market);
  if (market.indexStaleAtMs > 0) watchFeed(venue, market, market.indexStaleAtMs);
}

function loadPlayback({ genesis }: VenueState, symbol: string, saved: SavedPlayback): Playback {
  const terms = genesis.recordings?.markets[symbol];
  if (terms === undefined) throw new Error(`saved market ${symbol} plays a recording that the venue does not have`);
  const playback = new Playback(terms);
  const { recorded, taken, touched, ahead, ...counts } = saved;
  assign(playback, counts);
  for (const [key, lots] of recorded) playback.recorded.set(key, lots);
  for (const [key, lots, atMs] of taken) playback.taken.set(key, { lots, atMs });
  for (const key of touched) playback.touched.add(key);
  for (const [key, lots] of ahead) playback.ahead.set(key, lots);
  return playback;
}

function loadHouse(venue: VenueState, { totals, positions }: SavedHouse): void {
  totals.forEach((amount, currency) => {
    venue.house.totals[currency] = BigInt(amount);
  });
  for (const [index, size, cost] of positions) {
    assign(venue.house.openOrGetPosition(index), { size, cost: BigInt(cost) });
    venue.markets[index].openInterest += Math.max(size, 0);
  }
}

function loadAccount(venue: VenueState, saved: SavedAccount): void {
  const account = new Account(saved.index, saved.name, venue.ledger.wallets);
  saved.totals.forEach((amount, i) => {
    account.addToTotal(i, moneyOf(BigInt(amount)));
  });
  saved.reserved.forEach((amount, i) => {
    account.addToReserved(i, moneyOf(BigInt(amount)));
  });
  account.frozen = saved.frozen ?? null;
  saved.feeRates.forEach((rates, i) => {
    account.feeRates[i] = rates ? feeRates(BigInt(rates[0]), BigInt(rates[1])) : undefined;
  });
  for (const marketPositions of saved.holdings) {
    loadPositions(account, marketPositions);
    const market = venue.markets[marketPositions[0]];
    const held = account.positionsIn(market.index);
    venue.trackHolder(market, account, held.flat);
    for (const { size } of held.positions()) market.openInterest += Math.max(size, 0);
  }
  venue.addAccount(account);
}

function loadPositions(account: Account, saved: SavedPositions): void {
  const [market, mode, isolatedLeverage, nextIsolated, positions, leastTier = 0] = saved;
  const marketPositions = account.positionsIn(market);
  assign(marketPositions, { mode, nextIsolated });
  marketPositions.limit.leastTier = leastTier;
  marketPositions.pending.leverage = isolatedLeverage;
  positions.forEach(([id, size, cost, leverage, collateral, liquidationStepLots = 0], i) => {
    const position =
      [marketPositions.net, marketPositions.long, marketPositions.short][i] ?? new Position(id, marketPositions.limit);
    const fields = { size, cost: BigInt(cost), leverage, collateral: BigInt(collateral), liquidationStepLots };
    assign(position, fields satisfies LoadedPosition);
    if (i >= 3) marketPositions.isolated.push(position);
  });
}
