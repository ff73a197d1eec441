/**
 * The venue: a pure function of its commands. Its state changes only through `apply` (or `applySilently`). Everything
 * else reads.
 *
 * It has no I/O, no clock and no randomness. The sequence number and the time come with each command. First everything
 * happens that is due by that time, each item at its own due time. Then the command is checked (rules 3.1 to 3.5).
 * So the same commands give the same state, byte for byte (`canonical`), on any machine.
 */

import type { AccountTerms, AccountView, Currency, Key } from './contract/account-view.ts';
import type { Command, Genesis, PlayMarket, Recordings, SetPrices, Signed } from './contract/commands.ts';
import type { Due } from './contract/due.ts';
import type { Listener } from './contract/events.ts';
import type { FeeRates } from './contract/market-spec.ts';
import { OrderIds } from './contract/order-id.ts';
import type { OrderView } from './contract/order-view.ts';
import { type Refusal, refuse } from './contract/reasons.ts';
import type { Product } from './contract/units.ts';
import {
  addKey,
  addMarket,
  createAccount,
  deposit,
  haltMarket,
  openVenue,
  revokeKey,
  setPrices,
  transfer,
} from './handlers/admin.ts';
import { cancelAllAfter } from './handlers/dead-man-switch.ts';
import { delistMarket } from './handlers/delist.ts';
import {
  amendOrder,
  attachOrders,
  byClientId,
  cancel,
  cancelAll,
  done,
  type Outcome,
  place,
  refused,
} from './handlers/orders.ts';
import { playMarket, playRefusal } from './handlers/play-market.ts';
import { setLeverage, setPositionMode, setRiskLimit } from './handlers/position-settings.ts';
import { changeAccount, changeMarket, frozenRefusal } from './handlers/terms.ts';
import { adlBucket } from './liquidation/deleveraging-queue.ts';
import { LiveReply } from './reply.ts';
import { forgetOldRequests } from './risk/checks.ts';
import { readVenue } from './snapshot/saved-text.ts';
import { canonicalState, fileText, loadVenue, parsedFile, saveVenue } from './snapshot/snapshot.ts';
import { Effects, NEW_DIGEST } from './state/effects-digest.ts';
import { addListener, newEmitter } from './state/emitter.ts';
import type { Account } from './state/ledger.ts';
import { LiveOrderView } from './state/live-order-view.ts';
import { BLANK } from './state/order.ts';
import { orderViewOf } from './state/order-view.ts';
import type { VenueState } from './state/venue-state.ts';
import { advance, endStep, isAtRest, passTime } from './steps/clock.ts';
import {
  type Audit,
  type Balance,
  type MarketView,
  orderValueOf,
  type PositionView,
  type PricePreview,
  type QueuePlace,
  type SettingsView,
  type Upcoming,
  Views,
} from './views.ts';

export type { AccountTerms, AccountView, Currency, Key } from './contract/account-view.ts';
export type { LiveReply, Reply } from './reply.ts';
export type {
  Audit,
  AuditLine,
  Balance,
  MarketView,
  PositionView,
  PricePreview,
  QueuePlace,
  SettingsView,
  Upcoming,
} from './views.ts';

/** Increased whenever the same log would lead to another state. */
export const RULES_VERSION = 6;

const MOST_SNAPSHOTS = 16;

const DONE = done();
const NOTHING: readonly Due[] = [];

export class Venue {
  #seq = 0;
  readonly #emit = newEmitter();
  #state: VenueState | null = null;
  #views: Views | null = null;
  #orderIds: OrderIds | null = null;
  /** Account numbers are never reused, not even after a reset. */
  #nextAccount = 0;
  readonly #snapshots = new Map<string, string>();
  readonly #nonces = new Map<string, { nonceMs: number }>();
  #leftOut = NOTHING;
  readonly #effects = new Effects();
  /** False after a load from a format that did not save the digest, until the log gives a digest to continue from. */
  #effectsKnown = true;

  constructor(listener: Listener = {}) {
    this.listen(listener);
  }

  /** Adds a listener, which hears what commands do from now on. A kind that nobody listens to costs nothing. */
  listen(listener: Listener): void {
    addListener(this.#emit, listener);
    this.#state?.track();
  }

  /** Sequence number of the last command. */
  get seq(): number {
    return this.#seq;
  }

  // --- commands ---------------------------------------------------------------------------------------------------

  /** What failed when the next command was applied before. The command leaves it out (due.ts). */
  leaveOut(due: readonly Due[]): void {
    this.#leftOut = due;
  }

  /**
   * Applies one command at `timeMs`. On a manual clock that is the venue's own time, and an `advance` carries its
   * target.
   * Throws only if the venue has a bug, or if the first command is not a genesis. The error is a `DueFailed` if a due
   * item threw, not the command. The venue must not be used after that.
   * The reply can be read until the next command (reply.ts).
   */
  apply(seq: number, timeMs: number, command: Command): LiveReply {
    this.#seq = seq;
    if (command.type === 'genesis') {
      this.#genesis(seq, timeMs, command);
      return new LiveReply(this.#open(), DONE);
    }
    const outcome = this.#begin(seq, timeMs, command);
    const state = this.#open();
    const reply = new LiveReply(state, outcome);
    if (!isAtRest(state)) reply.take();
    this.#settle();
    return reply;
  }

  /** Like `apply`, but builds no reply. For a replay. */
  applySilently(seq: number, timeMs: number, command: Command): void {
    this.#seq = seq;
    if (command.type === 'genesis') {
      this.#genesis(seq, timeMs, command);
      return;
    }
    this.#begin(seq, timeMs, command);
    this.#settle();
  }

  /** The command of this sequence number is left out: it threw when it was applied before. */
  skip(seq: number): void {
    this.#seq = seq;
  }

  #begin(seq: number, timeMs: number, command: Exclude<Command, Genesis>): Outcome {
    const state = this.#open();
    state.beginCommand(seq, this.#leftOut);
    // A manual clock moves only by `advance`. The time of a batch may be older or newer than what its commands have
    // set.
    passTime(state, state.genesis.clock === 'manual' ? state.nowMs : timeMs);
    this.#emit.causeChanged?.({ type: 'causeChanged', cause: { by: 'command' } });
    return this.#dispatch(state, command);
  }

  /** What the command sets off. */
  #settle(): void {
    // A reset or a restored snapshot has replaced the state.
    const state = this.#open();
    endStep(state);
    passTime(state, state.nowMs);
    state.orders.purge(state.nowMs);
    forgetOldRequests(state);
    state.changes.emitAll();
    this.#leftOut = NOTHING;
  }

  /**
   * Records that the nonce of a key's request was used. Nonces are not state: nothing in the venue depends on them, and
   * they are not in the state hash. They only rise, and neither a reset nor a return to a snapshot lowers them. Returns
   * true if this nonce is the key's highest.
   */
  useNonce({ key, nonceMs }: Signed): boolean {
    const used = this.#nonces.get(key);
    if (nonceMs <= (used?.nonceMs ?? 0)) return false;
    // Setting it in the map again would look the key up a second time.
    if (used === undefined) this.#nonces.set(key, { nonceMs });
    else used.nonceMs = nonceMs;
    return true;
  }

  /**
   * The digest of all effects so far (effects-digest.ts). Undefined if it is not known, because the saved venue is
   * older than the digest.
   */
  get effects(): string | undefined {
    return this.#effectsKnown ? this.#effects.digest : undefined;
  }

  /** Begins a new digest, for a venue that does not know its own. */
  beginEffects(): void {
    this.resumeEffects(NEW_DIGEST);
  }

  /** Sets the digest to the one in the log. Later effects continue it. */
  resumeEffects(digest: string): void {
    this.#effects.resume(digest);
    this.#effectsKnown = true;
  }

  /** Epoch ms of the next due item. Infinity if nothing is due. */
  nextDueMs(): number {
    return this.#state === null ? Number.POSITIVE_INFINITY : this.#state.timers.nextDueMs();
  }

  #genesis(seq: number, timeMs: number, genesis: Genesis): void {
    if (this.#state !== null) throw new Error('a log holds one genesis, at its beginning');
    const state = openVenue(genesis, timeMs, this.#emit, this.#effects);
    state.beginCommand(seq, NOTHING);
    this.#setState(state);
    this.#orderIds = new OrderIds(genesis.idKey);
    this.#nextAccount = genesis.config.accounts.length;
    state.changes.emitAll();
  }

  #dispatch(state: VenueState, command: Exclude<Command, Genesis>): Outcome {
    const frozen = frozenRefusal(state, command);
    if (frozen !== null) return refused(frozen);
    switch (command.type) {
      case 'place':
        return place(state, command);
      case 'cancel':
        return cancel(state, command);
      case 'cancelAll':
        return cancelAll(state, command);
      case 'deposit':
        return only(deposit(state, command));
      case 'transfer':
        return only(transfer(state, command));
      case 'setPrices':
        return only(setPrices(state, command));
      case 'tick':
        return DONE;
      case 'amend':
        return amendOrder(state, command);
      case 'cancelAllAfter':
        return only(cancelAllAfter(state, command));
      case 'setLeverage':
        return only(setLeverage(state, command));
      case 'setRiskLimit':
        return only(setRiskLimit(state, command));
      case 'setPositionMode':
        return only(setPositionMode(state, command));
      case 'attachBrackets':
        return attachOrders(state, command);
      case 'haltMarket':
      case 'resumeMarket':
        return only(haltMarket(state, command));
      case 'changeMarket':
        return only(changeMarket(state, command));
      case 'delistMarket':
        return only(delistMarket(state, command));
      case 'changeAccount':
        return only(changeAccount(state, command));
      case 'advance':
        return only(advance(state, command.toMs));
      case 'market':
        return only(this.#play(state, command));
      case 'createAccount':
        return this.#createAccount(state, command);
      case 'addKey':
        return only(addKey(state, command));
      case 'revokeKey':
        return only(revokeKey(state, command));
      case 'listMarket':
        return only(addMarket(state, command));
      case 'reset':
        return this.#reset(state);
      case 'saveSnapshot':
        return this.#saveSnapshot(state, command.name);
      case 'restoreSnapshot':
        return this.#restoreSnapshot(command.name);
      default:
        throw new Error(`unknown command ${JSON.stringify(command satisfies never)}`);
    }
  }

  /** On a manual clock, a recorded message moves the time to its own. */
  #play(state: VenueState, command: PlayMarket): Refusal | null {
    const isManual = state.genesis.clock === 'manual';
    const refusal = playRefusal(state, command) ?? (isManual ? advance(state, command.toMs) : null);
    if (refusal === null) playMarket(state, command);
    return refusal;
  }

  #createAccount(state: VenueState, command: Extract<Command, { type: 'createAccount' }>): Outcome {
    const refusal = createAccount(state, command, this.#nextAccount);
    return refusal === null ? done(undefined, this.#nextAccount++) : refused(refusal);
  }

  #reset(state: VenueState): Outcome {
    const { genesis, genesisMs } = state;
    const opened = openVenue(genesis, genesisMs, newEmitter(), new Effects());
    this.#replace(saveVenue(opened), genesis.clock === 'manual' ? genesisMs : state.nowMs);
    if (this.#snapshots.size === 0) this.#forgetNonces(this.#open().keys);
    return DONE;
  }

  #saveSnapshot(state: VenueState, name: string): Outcome {
    if (!this.#snapshots.has(name) && this.#snapshots.size >= MOST_SNAPSHOTS) {
      return refused(refuse('tooManySnapshots', { maximum: MOST_SNAPSHOTS }));
    }
    this.#snapshots.set(name, saveVenue(state));
    return DONE;
  }

  #restoreSnapshot(name: string): Outcome {
    const saved = this.#snapshots.get(name);
    if (saved === undefined) return refused(refuse('unknownSnapshot', { name }));
    this.#replace(saved, null);
    return DONE;
  }

  /** Replaces the state by saved state. `nowMs` null: at its saved time. */
  #replace(saved: string, nowMs: number | null): void {
    const state = loadVenue(readVenue(saved), this.#emit, this.#effects, nowMs);
    state.beginCommand(this.seq, this.#leftOut);
    this.#setState(state);
    this.#effects.replaced(this.seq);
    state.track();
    this.#emit.stateReplaced?.({ type: 'stateReplaced' });
  }

  #setState(state: VenueState): void {
    state.shapes = [new LiveReply(state, DONE), new LiveOrderView(state, BLANK)];
    this.#state = state;
    this.#views = new Views(state);
  }

  /** A reset removes the keys that were added manually, and their names are never used again. */
  #forgetNonces(keys: VenueState['keys']): void {
    for (const key of this.#nonces.keys()) if (!keys.has(key)) this.#nonces.delete(key);
  }

  #nonceOfKeys(): [key: string, nonceMs: number][] {
    return [...this.#nonces].map(([key, { nonceMs }]) => [key, nonceMs]);
  }

  // --- reads ------------------------------------------------------------------------------------------------------

  #open(): VenueState {
    if (this.#state === null) throw new Error('the venue has no genesis yet');
    return this.#state;
  }

  #read(): Views {
    if (this.#views === null) throw new Error('the venue has no genesis yet');
    return this.#views;
  }

  get genesis(): Genesis | null {
    return this.#views?.genesis ?? null;
  }

  /** The market that plays recorded files, and the files. Null: there is none. The house of a test plays no files. */
  get recording(): { readonly market: MarketView; readonly files: Recordings['files'] } | null {
    const { markets = {}, files = [] } = this.genesis?.recordings ?? {};
    if (files.length === 0) return null;
    const [symbol] = Object.keys(markets);
    return { market: this.marketBySymbol(symbol) as MarketView, files };
  }

  /** Venue time, epoch ms. While events are emitted, the time of the step that they belong to. */
  get timeMs(): number {
    return this.#state?.nowMs ?? 0;
  }

  get currencies(): readonly Currency[] {
    return this.#read().currencies;
  }

  get markets(): readonly MarketView[] {
    return this.#read().markets;
  }

  /** The number of the next account. */
  get nextAccount(): number {
    return this.#nextAccount;
  }

  /** The highest used nonce of each key. A copy. */
  get nonces(): ReadonlyMap<string, number> {
    return new Map(this.#nonceOfKeys());
  }

  get orderIds(): OrderIds {
    if (this.#orderIds === null) throw new Error('the venue has no genesis yet');
    return this.#orderIds;
  }

  marketBySymbol(symbol: string): MarketView | undefined {
    return this.#read().marketBySymbol(symbol);
  }

  account(index: number): AccountView | undefined {
    return this.#read().account(index);
  }

  accountByName(name: string): AccountView | undefined {
    const account = this.#open().accountByName(name);
    return account === undefined ? undefined : this.account(account.index);
  }

  accountNumbers(): number[] {
    return [...this.#open().accounts.keys()];
  }

  key(name: string): Key | undefined {
    return this.#open().keys.get(name);
  }

  keys(): Key[] {
    return [...this.#open().keys.values()];
  }

  /** The caller's own order by key, live or ended (during the retention). Otherwise undefined. */
  order(account: number, product: Product, key: number): OrderView | undefined {
    const state = this.#open();
    const order = state.orders.byKey(key);
    return order?.account === account && order.product === product ? orderViewOf(state, order) : undefined;
  }

  /** By client id: the live order (for an OCO, the limit leg while it lives), otherwise the newest. */
  orderByClientId(account: number, product: Product, clientId: string): OrderView | undefined {
    const state = this.#open();
    const order = byClientId(state, account, product, clientId);
    return order === undefined ? undefined : orderViewOf(state, order);
  }

  /** Live orders, oldest first. `market` null: in all markets of the product. */
  openOrders(account: number, product: Product, market: number | null): OrderView[] {
    const state = this.#open();
    return state.openOrders(account, product, market).map((order) => orderViewOf(state, order));
  }

  /** One entry for each currency that the venue knows, including zeros. */
  balances(account: number): Balance[] {
    return this.#read().balances(account);
  }

  /** The open positions. */
  positions(account: number): PositionView[] {
    return this.#read().positions(account);
  }

  /** The third of the auto-deleveraging queue that an open position is in: 2 is closed first, 0 last. */
  adlBucket(account: number, { market, id }: PositionView): number {
    return adlBucket(
      this.#open(),
      this.#open().accounts.get(account) as Account,
      this.#open().markets[market.index],
      id,
    );
  }

  settings(account: number, market: MarketView): SettingsView {
    return this.#read().settings(account, market);
  }

  accountTerms(account: number): AccountTerms {
    return this.#read().accountTerms(account);
  }

  /** What an account pays in a market: its own rates, or the market's. */
  feeRates(account: number, market: MarketView): FeeRates {
    return this.#read().feeRates(account, market);
  }

  /** price × present size (for market orders: at the band reference), in smallest units of the quote currency. */
  orderValue(order: OrderView): bigint {
    return orderValueOf(this.#open().markets[order.market], order);
  }

  /** What is due next, in the order in which it is. */
  upcoming(limit: number): Upcoming[] {
    return this.#read().upcoming(limit);
  }

  /** The names of the saved snapshots, the oldest first. */
  snapshotNames(): string[] {
    return [...this.#snapshots.keys()];
  }

  /** The places of resting orders in the queue of their level, by key. Null: an order does not rest, or it takes too long. */
  queuePlaces(keys: readonly number[]): (QueuePlace | null)[] {
    return this.#read().queuePlaces(keys);
  }

  /** What prices would set off at once if they were set manually. Nothing is changed. */
  previewPrices(command: Pick<SetPrices, 'market' | 'index' | 'mark' | 'last'>): PricePreview {
    return this.#read().previewPrices(command);
  }

  /** The insurance fund in each currency, in smallest units. Negative: a deficit. */
  insurance(): { readonly currency: Currency; readonly units: bigint }[] {
    return this.#read().insurance();
  }

  audit(): Audit {
    return this.#read().audit();
  }

  counts(): { orders: number; accounts: number; markets: number } {
    const { orders, accounts, markets } = this.#open();
    return { orders: orders.live, accounts: accounts.size, markets: markets.length };
  }

  /**
   * The whole venue as text, including named snapshots, nonces and digest. `Venue.load` reads it. `canonical`: its
   * canonical text, if it is at hand, because making it is most of the work.
   */
  save(canonical = this.canonical()): string {
    const { seq, effects } = this;
    const snapshots = [...this.#snapshots];
    const nonces = this.#nonceOfKeys();
    return fileText({ seq, effects, nextAccount: this.#nextAccount, snapshots, nonces }, this.#open(), canonical);
  }

  /**
   * A venue equal to the saved one: the same state hash, and the same behaviour from now on. `text`: perhaps in UTF-8,
   * which is faster for a large venue.
   */
  static load(text: string | Uint8Array, listener: Listener = {}): Venue {
    const saved = parsedFile(typeof text === 'string' ? new TextEncoder().encode(text) : text);
    const venue = new Venue(listener);
    venue.#seq = saved.seq;
    if (saved.effects === undefined) venue.#effectsKnown = false;
    else venue.#effects.resume(saved.effects);
    venue.#nextAccount = saved.nextAccount;
    for (const [name, snapshot] of saved.snapshots) venue.#snapshots.set(name, snapshot);
    for (const [key, nonceMs] of saved.nonces ?? []) venue.#nonces.set(key, { nonceMs });
    const state = loadVenue(saved.desk, venue.#emit, venue.#effects, null);
    state.track();
    venue.#setState(state);
    venue.#orderIds = new OrderIds(state.genesis.idKey);
    return venue;
  }

  /** The canonical text of the state, whose bytes the state hash covers (markets.md lists what it contains). */
  canonical(): string {
    return canonicalState(this.#open());
  }
}

function only(refusal: Refusal | null): Outcome {
  return refusal === null ? DONE : refused(refusal);
}
