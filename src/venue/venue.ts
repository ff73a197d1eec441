/**
 * The venue: a pure fold over commands. `apply` is the only door that changes state; everything else reads.
 *
 * It has no I/O, no clock and no randomness: the sequence number and the time come with each command, and what is due by
 * that time happens first, each item at its own due time, before the command is judged (semantics.md section 3). So the
 * same commands give the same state, byte for byte (`canonical`), on any machine.
 */

import { addKey, addMarket, createAccount, deposit, haltMarket, openDesk, revokeKey, setPrices } from './admin.ts';
import { attachTo } from './algos/bracket.ts';
import { afterSweep, algoFor, algoOf } from './algos/index.ts';
import { amend } from './amend.ts';
import { bracketsOnSide, forgetOldRequests, newIdentity, rememberRequest, roomForOrders } from './checks.ts';
import type { Amend, AttachBrackets, Cancel, CancelAll, Command, Genesis, Place } from './commands.ts';
import { cancelAllAfter, disarm } from './dead-man.ts';
import type { DeadMan, Desk, Emit, Key } from './desk.ts';
import { type MinuteTimer, minute } from './funding.ts';
import type { Account, Currency } from './ledger.ts';
import { checkAccount, checkDistressed, type LiquidationTimer } from './liquidation.ts';
import type { Market } from './market.ts';
import { OrderIds } from './order-id.ts';
import { Order, TIMER_EXPIRY } from './orders.ts';
import { bracketTarget, enterMode, roomForPosition, setLeverage, setPositionMode } from './position-settings.ts';
import { settleDown } from './reactions.ts';
import { type EndReason, ending, type Params, type Refusal, refuse } from './reasons.ts';
import { canonicalState, liveOrders, loadDesk, saveDesk } from './snapshot.ts';
import type { Timed } from './timers.ts';
import { opposite, type Product } from './units.ts';
import {
  type Audit,
  auditOf,
  type Balance,
  balancesOf,
  orderValueOf,
  type PositionView,
  positionsOf,
  type SettingsView,
  settingsOf,
} from './views.ts';

export type { Key } from './desk.ts';
export type { Account, Currency } from './ledger.ts';
export type { Audit, AuditLine, Balance, PositionView, SettingsView } from './views.ts';

/** Bumped whenever the same log would fold to another state. */
export const RULES_VERSION = 1;

/** Bumped whenever what `save` writes changes. Rules may change without it: saved state outlives them. */
const SAVED_FORMAT = 1;
const MOST_SNAPSHOTS = 16;
/** One advance goes at most this far: a year. */
const FARTHEST_ADVANCE_MS = 366 * 24 * 3_600_000;

export interface Reply {
  readonly seq: number;
  /** Venue time after the command. */
  readonly timeMs: number;
  readonly refusal: Refusal | null;
  /** With orderNotFound and duplicate refusals: the caller's own order that it is about, where the venue holds it. */
  readonly about: Order | null;
  /** Copies, in the order in which the wire shows them (OCO: limit leg first; surfaces may reorder). */
  readonly orders: readonly Order[];
  /** createAccount: the new account's number. */
  readonly account: number | null;
}

/** What a command did, before it is made a reply. */
interface Outcome {
  readonly refusal?: Refusal;
  readonly about?: Order | undefined;
  readonly orders?: readonly Order[];
  readonly account?: number;
}

const DONE: Outcome = {};

export class Venue {
  seq = 0;
  readonly #emit: Emit;
  #desk: Desk | null = null;
  #orderIds: OrderIds | null = null;
  /** Account numbers are never used twice, also across a reset. */
  #nextAccount = 0;
  readonly #snapshots = new Map<string, string>();

  /** `emit` is called for every event, in order, while a command is applied; it must not throw nor call back. */
  constructor(emit: Emit = () => {}) {
    this.#emit = emit;
  }

  // --- the door ---------------------------------------------------------------------------------------------------

  /**
   * Applies one command at `timeMs` (on a manual clock: the venue's own time; an `advance` carries where to).
   * Throws only on a bug of the venue, or on a first command that is no genesis.
   */
  apply(seq: number, timeMs: number, command: Command): Reply {
    this.seq = seq;
    if (command.type === 'genesis') {
      this.#genesis(seq, timeMs, command);
      return this.#reply(DONE);
    }
    const desk = this.#open;
    desk.beginCommand(seq);
    // A manual clock moves by `advance` alone: the time of a batch may be older or newer than what its commands have set.
    passTime(desk, desk.genesis.clock === 'manual' ? desk.nowMs : timeMs);
    const outcome = this.#dispatch(desk, command);
    const reply = this.#reply(outcome);
    // A reset or a restored snapshot has put another desk in place.
    const after = this.#open;
    settleStep(after);
    passTime(after, after.nowMs);
    after.orders.purge(after.nowMs);
    forgetOldRequests(after);
    return reply;
  }

  /** Epoch ms of the next thing that happens by itself; Infinity when nothing is due. */
  nextDueMs(): number {
    return this.#desk === null ? Number.POSITIVE_INFINITY : this.#desk.timers.nextDueMs();
  }

  #genesis(seq: number, timeMs: number, genesis: Genesis): void {
    if (this.#desk !== null) throw new Error('a log holds one genesis, at its beginning');
    this.#desk = openDesk(genesis, timeMs, this.#emit, endHook);
    this.#desk.beginCommand(seq);
    this.#orderIds = new OrderIds(genesis.idKey);
    this.#nextAccount = genesis.config.accounts.length;
  }

  #dispatch(desk: Desk, command: Exclude<Command, Genesis>): Outcome {
    switch (command.type) {
      case 'place':
        return place(desk, command);
      case 'cancel':
        return cancel(desk, command);
      case 'cancelAll':
        return cancelAll(desk, command);
      case 'deposit':
        return only(deposit(desk, command));
      case 'setPrices':
        return only(setPrices(desk, command));
      case 'tick':
        return DONE;
      case 'amend':
        return amendOrder(desk, command);
      case 'cancelAllAfter':
        return only(cancelAllAfter(desk, command));
      case 'setLeverage':
        return only(setLeverage(desk, command));
      case 'setPositionMode':
        return only(setPositionMode(desk, command));
      case 'attachBrackets':
        return attachBrackets(desk, command);
      case 'haltMarket':
      case 'resumeMarket':
        return only(haltMarket(desk, command));
      case 'advance':
        return only(advance(desk, command.toMs));
      case 'createAccount':
        return this.#createAccount(desk, command);
      case 'addKey':
        return only(addKey(desk, command));
      case 'revokeKey':
        return only(revokeKey(desk, command));
      case 'listMarket':
        return only(addMarket(desk, command));
      case 'reset':
        return this.#reset(desk);
      case 'saveSnapshot':
        return this.#saveSnapshot(desk, command.name);
      case 'restoreSnapshot':
        return this.#restoreSnapshot(command.name);
      default:
        throw new Error(`unknown command ${JSON.stringify(command satisfies never)}`);
    }
  }

  #createAccount(desk: Desk, command: Extract<Command, { type: 'createAccount' }>): Outcome {
    const refusal = createAccount(desk, command, this.#nextAccount);
    if (refusal !== null) return { refusal };
    return { account: this.#nextAccount++ };
  }

  #reset(desk: Desk): Outcome {
    const { genesis, genesisMs } = desk;
    this.#desk = openDesk(genesis, genesisMs, () => {}, endHook);
    this.#replace(saveDesk(this.#desk), genesis.clock === 'manual' ? genesisMs : desk.nowMs);
    return DONE;
  }

  #saveSnapshot(desk: Desk, name: string): Outcome {
    if (!this.#snapshots.has(name) && this.#snapshots.size >= MOST_SNAPSHOTS) {
      return { refusal: refuse('tooManySnapshots', { maximum: MOST_SNAPSHOTS }) };
    }
    this.#snapshots.set(name, saveDesk(desk));
    return DONE;
  }

  #restoreSnapshot(name: string): Outcome {
    const saved = this.#snapshots.get(name);
    if (saved === undefined) return { refusal: refuse('unknownSnapshot', { name }) };
    this.#replace(saved, null);
    return DONE;
  }

  /** Puts saved state in place of what is; nowMs null: the time that was saved with it. */
  #replace(saved: string, nowMs: number | null): void {
    const desk = loadDesk(saved, this.#emit, endHook, nowMs);
    desk.beginCommand(this.seq);
    this.#desk = desk;
    this.#emit({ type: 'stateReplaced' });
  }

  #reply(outcome: Outcome): Reply {
    return {
      seq: this.seq,
      timeMs: this.#open.nowMs,
      refusal: outcome.refusal ?? null,
      about: outcome.about === undefined ? null : this.#copy(outcome.about),
      orders: outcome.orders === undefined ? [] : outcome.orders.map((order) => this.#copy(order)),
      account: outcome.account ?? null,
    };
  }

  #copy(order: Order): Order {
    const copy = order.copy();
    if (copy.filledSeq !== this.seq) copy.filledNow = 0;
    return copy;
  }

  // --- reads ------------------------------------------------------------------------------------------------------

  get #open(): Desk {
    if (this.#desk === null) throw new Error('the venue has no genesis yet');
    return this.#desk;
  }

  get genesis(): Genesis | null {
    return this.#desk?.genesis ?? null;
  }

  /** Venue time, epoch ms; while events are emitted, the time of the step that they belong to. */
  get timeMs(): number {
    return this.#desk?.nowMs ?? 0;
  }

  get currencies(): readonly Currency[] {
    return this.#open.ledger.currencies;
  }

  get markets(): readonly Market[] {
    return this.#open.markets;
  }

  get accounts(): ReadonlyMap<number, Account> {
    return this.#open.accounts;
  }

  /** The number that the next account is going to have. */
  get nextAccount(): number {
    return this.#nextAccount;
  }

  get keys(): ReadonlyMap<string, Key> {
    return this.#open.keys;
  }

  get orderIds(): OrderIds {
    if (this.#orderIds === null) throw new Error('the venue has no genesis yet');
    return this.#orderIds;
  }

  get snapshotNames(): string[] {
    return [...this.#snapshots.keys()];
  }

  marketBySymbol(symbol: string): Market | undefined {
    return this.#open.markets.find((market) => market.symbol === symbol);
  }

  accountByName(name: string): Account | undefined {
    for (const account of this.#open.accounts.values()) if (account.name === name) return account;
    return undefined;
  }

  /** The caller's own order by key, live or ended (while held); undefined otherwise. Not a copy: read it at once. */
  order(account: number, product: Product, key: number): Order | undefined {
    const order = this.#open.orders.byKey(key);
    return order?.account === account && order.product === product ? order : undefined;
  }

  /** By client id: the live order (of an OCO the limit leg while it lives), else the newest. */
  orderByClientId(account: number, product: Product, clientId: string): Order | undefined {
    return byClientId(this.#open, account, product, clientId);
  }

  /** Live orders, oldest first; market null: every market of the product. */
  openOrders(account: number, product: Product, market: number | null): Order[] {
    return openOrders(this.#open, account, product, market);
  }

  /** One entry a currency that the venue knows, zeros included. */
  balances(account: number): Balance[] {
    const found = this.#open.accounts.get(account);
    return found === undefined ? [] : balancesOf(this.#open, found);
  }

  positions(account: number): PositionView[] {
    const found = this.#open.accounts.get(account);
    return found === undefined ? [] : positionsOf(this.#open, found);
  }

  settings(account: number, market: Market): SettingsView {
    const found = this.#open.accounts.get(account);
    if (found === undefined) throw new Error(`there is no account ${account}`);
    return settingsOf(found, market);
  }

  /** price × current size (market orders: the band reference), smallest units of the quote currency. */
  orderValue(order: Order): bigint {
    return orderValueOf(this.#open.markets[order.market], order);
  }

  audit(): Audit {
    return auditOf(this.#open);
  }

  counts(): { orders: number; accounts: number; markets: number } {
    const { orders, accounts, markets } = this.#open;
    return { orders: orders.live, accounts: accounts.size, markets: markets.length };
  }

  /** Everything that the venue is, named snapshots included, as text: what `Venue.load` takes. */
  save(): string {
    const snapshots = [...this.#snapshots];
    const head = { format: SAVED_FORMAT, seq: this.seq, nextAccount: this.#nextAccount, snapshots };
    return JSON.stringify({ ...head, desk: saveDesk(this.#open) });
  }

  /** A venue equal to the one that was saved: the same state hash, and the same from here on. */
  static load(text: string, emit: Emit = () => {}): Venue {
    const saved = JSON.parse(text) as {
      format: number;
      seq: number;
      nextAccount: number;
      snapshots: [string, string][];
      desk: string;
    };
    if (saved.format !== SAVED_FORMAT) throw new Error(`a saved venue of format ${saved.format}, not ${SAVED_FORMAT}`);
    const venue = new Venue(emit);
    venue.seq = saved.seq;
    venue.#nextAccount = saved.nextAccount;
    for (const [name, snapshot] of saved.snapshots) venue.#snapshots.set(name, snapshot);
    venue.#desk = loadDesk(saved.desk, emit, endHook, null);
    venue.#orderIds = new OrderIds(venue.#desk.genesis.idKey);
    return venue;
  }

  /** The state's canonical bytes: what the state hash is taken over (markets.md says what is in and what is out). */
  canonical(): Uint8Array {
    return canonicalState(this.#open);
  }
}

function endHook(desk: Desk, order: Order): void {
  algoOf(order).onEnd?.(desk, order);
}

function only(refusal: Refusal | null): Outcome {
  return refusal === null ? DONE : { refusal };
}

/** Everything due at or before `toMs` happens, each at its own time, with its queue emptied before the next. */
function passTime(desk: Desk, toMs: number): void {
  while (desk.timers.nextDueMs() <= toMs) {
    const item = desk.timers.first();
    desk.nowMs = Math.max(desk.nowMs, item.dueMs);
    desk.timers.clear(item);
    desk.step++;
    happen(desk, item);
    afterSweep(desk);
    settleStep(desk);
  }
  desk.step++;
  desk.nowMs = Math.max(desk.nowMs, toMs);
}

/** Empties the queue; then those whose liquidation found no book are tried again. */
function settleStep(desk: Desk): void {
  settleDown(desk);
  checkDistressed(desk);
  settleDown(desk);
}

function happen(desk: Desk, item: Timed): void {
  if (item instanceof Order) {
    if (item.timerRank === TIMER_EXPIRY) desk.finish(item, 'cancelled', ending('expired'));
    else algoOf(item).onTime?.(desk, item);
    return;
  }
  const timer = item as DeadMan | MinuteTimer | LiquidationTimer;
  if (timer.type === 'minute') minute(desk, timer);
  else if (timer.type === 'liquidation') checkAccount(desk, timer.market, timer.account);
  else {
    disarm(desk, timer.account, timer.product);
    finishAll(desk, openOrders(desk, timer.account, timer.product, null), 'deadMansSwitch');
  }
}

function advance(desk: Desk, toMs: number): Refusal | null {
  if (toMs < desk.nowMs) return refuse('timeBackwards', { to: toMs, now: desk.nowMs });
  if (toMs - desk.nowMs > FARTHEST_ADVANCE_MS) {
    return refuse('timeTooFar', { to: toMs, now: desk.nowMs, maximum: FARTHEST_ADVANCE_MS });
  }
  passTime(desk, toMs);
  return null;
}

function place(desk: Desk, command: Place): Outcome {
  const market = desk.markets[command.market];
  if (market === undefined) return { refusal: refuse('unknownMarket', { symbol: command.market }) };
  const account = desk.accounts.get(command.account);
  if (account === undefined) return { refusal: refuse('unknownAccount', { account: command.account }) };
  if (market.halted) return { refusal: refuse('marketHalted', { symbol: market.symbol }) };
  const refusal = newIdentity(desk, command, market);
  if (refusal !== null) {
    const about = desk.orders.byKey(refusal.params.order as number);
    return { refusal, about };
  }
  const mode = enterMode(account, market, command);
  if ('reason' in mode) return { refusal: mode };
  const made =
    roomForOrders(account, market, command.kind === 'oco' ? 2 : 1) ??
    roomForPosition(account, market, command) ??
    algoFor(command).accept(desk, command, account, market);
  if (!Array.isArray(made)) {
    mode.undo();
    return { refusal: made };
  }
  rememberRequest(desk, command, made[0].key);
  afterSweep(desk);
  return { orders: made };
}

/** The reply holds the attached orders, take-profit first. */
function attachBrackets(desk: Desk, command: AttachBrackets): Outcome {
  const target = bracketTarget(desk, command);
  if ('reason' in target) return { refusal: target };
  const { market, side } = target;
  const refusal = bracketsOnSide(market, opposite(side), command, null);
  if (refusal !== null) return { refusal };
  return { orders: attachTo(desk, command, target) };
}

function byClientId(desk: Desk, account: number, product: Product, clientId: string): Order | undefined {
  const held = desk.orders.byClientId(account, product, clientId);
  return held.find((order) => order.live) ?? held.at(-1);
}

/** Cancelling one leg of an OCO cancels both, and both records come back. */
function cancel(desk: Desk, command: Cancel): Outcome {
  const named = command.order === null ? namedByClient(desk, command) : namedByKey(desk, command, command.order);
  const live = named.filter((order) => order.live);
  if (live.length > 0) return { orders: finishAll(desk, live) };
  const params: Params = command.order === null ? { clientId: command.clientId ?? '' } : { order: command.order };
  return { refusal: refuse('orderNotFound', params), about: named.at(-1) };
}

function inScope(order: Order, command: Cancel | Amend): boolean {
  return (
    order.account === command.account &&
    order.product === command.product &&
    (command.market === null || order.market === command.market)
  );
}

function namedByKey(desk: Desk, command: Cancel, key: number): Order[] {
  const order = desk.orders.byKey(key);
  return order !== undefined && inScope(order, command) ? [order] : [];
}

function namedByClient(desk: Desk, command: Cancel): Order[] {
  const held = desk.orders.byClientId(command.account, command.product, command.clientId ?? '');
  return held.filter((order) => inScope(order, command));
}

/** By key, else by client id the order that a look-up finds. The reply's order is as it stands after its own matching. */
function amendOrder(desk: Desk, command: Amend): Outcome {
  const { account, product, clientId } = command;
  const found =
    command.order === null ? byClientId(desk, account, product, clientId ?? '') : desk.orders.byKey(command.order);
  const order = found !== undefined && inScope(found, command) ? found : undefined;
  if (order === undefined || !order.live) {
    const params: Params = command.order === null ? { clientId: clientId ?? '' } : { order: command.order };
    return { refusal: refuse('orderNotFound', params), about: order };
  }
  const refusal = amend(desk, command, order);
  return refusal === null ? { orders: [order] } : { refusal, about: order };
}

function cancelAll(desk: Desk, command: CancelAll): Outcome {
  return { orders: finishAll(desk, openOrders(desk, command.account, command.product, command.market)) };
}

function finishAll(desk: Desk, orders: readonly Order[], reason: EndReason = 'cancelledByClient'): Order[] {
  const all = orders.flatMap((order) => {
    const sibling = order.oco === null ? undefined : desk.orders.byKey(order.oco.siblingKey);
    return sibling?.live ? [order, sibling] : [order];
  });
  const inOrder = all.length === 1 ? all : [...new Set(all)].sort((a, b) => a.key - b.key);
  for (const order of inOrder) if (order.live) desk.finish(order, 'cancelled', ending(reason));
  afterSweep(desk);
  return inOrder;
}

function openOrders(desk: Desk, account: number, product: Product, market: number | null): Order[] {
  const found = desk.accounts.get(account);
  if (found === undefined) return [];
  const matches = (order: Order) => order.product === product && (market === null || order.market === market);
  return [...liveOrders(desk, found)].filter(matches);
}
