/**
 * An order as data. The table of all orders is in order-table.ts.
 *
 * The object is a name for a record in typed columns (order-record.ts): its fields read and write that record. It is made
 * when it is needed, and a record may have several at once. So two orders are the same one if their keys are.
 * References between orders are keys, never slots. A slot is a place in memory, which the state hash must not see.
 * Invariants: filled ≤ quantity. An ended order has no book entry, no trigger entry, no timer and no reserve.
 * Cost: the record. V8 mostly allocates no object for a name that is used only where it is made.
 */

import type { AlgoName, AttachedTerms, PositionMode, TimeInForce } from '../contract/commands.ts';
import { type Money, moneyOf } from '../contract/money.ts';
import { indexOfKey, seqOfKey } from '../contract/order-id.ts';
import type { OrderKind, OrderState, OrderView, Trigger } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Product, Reference, Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import * as record from './order-record.ts';
import { type Extras, numberIn, numberOf, OrderChunk, stored } from './order-record.ts';

const { NONE } = units;
const {
  ACCOUNT,
  ALGO,
  ALGOS,
  CREATED,
  DUE,
  ENTRY,
  EXPOSED,
  FILLED,
  FILLED_COST,
  FILLED_NOW,
  FILLED_SEQ,
  FIRST_ENDED,
  FOLLOWED,
  FUTURES,
  IN_CHUNK,
  IS_FUTURES,
  IS_POST_ONLY,
  IS_REDUCE_ONLY,
  IS_SELL,
  KEY,
  KIND,
  KINDS,
  LAST_FILL,
  LIQUIDATIONS,
  LOWER,
  LOWER_BITS,
  MARKET,
  MODES,
  NO_EXTRAS,
  OPENED,
  ORIGINAL,
  POSITION,
  PRICE,
  PROTECTED,
  QUANTITY,
  RARE_DOUBLES,
  RECORD_DOUBLES,
  REFERENCES,
  RESERVED,
  STATE,
  STATE_CODES,
  STATES,
  TERMS,
  TIME,
  TIMER,
  TIMER_RANK,
  TIMES,
  UPDATED,
  WAITS,
  WATCH,
  WATCH_TICKS,
} = record;

export class Order implements Omit<OrderView, 'details' | 'nextDueMs'> {
  /** Place in the order table. −1: the order is not in the table. */
  declare readonly slot: number;
  /** The record: its chunk, and where it begins in the doubles. For code that reads or writes many fields at once. */
  declare readonly chunk: OrderChunk;
  declare readonly at: number;

  constructor(slot: number, chunk = new OrderChunk(1)) {
    this.slot = slot;
    this.chunk = chunk;
    this.at = slot === NONE ? 0 : (slot & IN_CHUNK) * RECORD_DOUBLES;
  }

  // --- whose it is ----------------------------------------------------------------------------------------------------

  /** Its key inside the venue (order-id.ts). */
  get key(): number {
    return this.chunk.doubles[this.at | KEY];
  }

  set key(value: number) {
    this.chunk.doubles[this.at | KEY] = value;
  }

  /** Sequence number of the command that placed it. */
  get seq(): number {
    return seqOfKey(this.key);
  }

  /** Its place among the orders of that command. */
  get index(): number {
    return indexOfKey(this.key);
  }

  get account(): number {
    return this.chunk.words[(this.at << 1) | ACCOUNT];
  }

  set account(value: number) {
    this.chunk.words[(this.at << 1) | ACCOUNT] = value;
  }

  get market(): number {
    return this.chunk.words[(this.at << 1) | MARKET];
  }

  set market(value: number) {
    this.chunk.words[(this.at << 1) | MARKET] = value;
  }

  get product(): Product {
    return (this.chunk.bytes[(this.at << 3) | TERMS] & IS_FUTURES) === 0 ? 'spot' : 'futures';
  }

  set product(value: Product) {
    this.#setTerm(IS_FUTURES, value === 'futures');
  }

  get side(): Side {
    return (this.chunk.bytes[(this.at << 3) | TERMS] & IS_SELL) as Side;
  }

  set side(value: Side) {
    this.#setTerm(IS_SELL, value !== 0);
  }

  get clientId(): string | null {
    const { clientIds } = this.chunk;
    return clientIds === null ? null : clientIds[this.slot & IN_CHUNK];
  }

  set clientId(value: string | null) {
    this.chunk.clientIds = stored(this.chunk.clientIds, this.slot & IN_CHUNK, value);
  }

  get broker(): string | null {
    return this.extras.broker;
  }

  set broker(value: string | null) {
    if (value !== this.extras.broker) this.#ownExtras().broker = value;
  }

  // --- its kind and terms ---------------------------------------------------------------------------------------------

  get kind(): OrderKind {
    return KINDS[this.chunk.bytes[(this.at << 3) | KIND]];
  }

  set kind(value: OrderKind) {
    this.chunk.bytes[(this.at << 3) | KIND] = numberIn(KINDS, value);
  }

  /** The name of its kind: the algo that determines its behaviour. */
  get algo(): AlgoName {
    return ALGOS[this.chunk.bytes[(this.at << 3) | ALGO]];
  }

  set algo(value: AlgoName) {
    this.chunk.bytes[(this.at << 3) | ALGO] = numberIn(ALGOS, value);
  }

  /** The number of that name in ALGOS. */
  get algoNumber(): number {
    return this.chunk.bytes[(this.at << 3) | ALGO];
  }

  /** The state of its algo: a flat object of plain data. Its type is in the algo's file. */
  get algoState(): object | null {
    const { algoStates } = this.chunk;
    return algoStates === null ? null : algoStates[this.slot & IN_CHUNK];
  }

  set algoState(value: object | null) {
    this.chunk.algoStates = stored(this.chunk.algoStates, this.slot & IN_CHUNK, value);
  }

  get trigger(): Trigger | null {
    const { triggers } = this.chunk;
    return triggers === null ? null : triggers[this.slot & IN_CHUNK];
  }

  set trigger(value: Trigger | null) {
    this.chunk.triggers = stored(this.chunk.triggers, this.slot & IN_CHUNK, value);
  }

  /** Limit price in ticks (for a peg, its cap). 0: no limit. */
  get price(): number {
    return this.chunk.doubles[this.at | PRICE];
  }

  set price(value: number) {
    this.chunk.doubles[this.at | PRICE] = value;
  }

  /** As submitted. It never changes, and is 0 for a quote-sized order. */
  get original(): number {
    return this.chunk.doubles[this.at | ORIGINAL];
  }

  set original(value: number) {
    this.chunk.doubles[this.at | ORIGINAL] = value;
  }

  /** For quote-sized orders: smallest units. Null: sized in lots. */
  get quoteOriginal(): bigint | null {
    return this.extras.quoteOriginal;
  }

  set quoteOriginal(value: bigint | null) {
    if (value !== this.extras.quoteOriginal) this.#ownExtras().quoteOriginal = value;
  }

  get timeInForce(): TimeInForce | null {
    return TIMES[this.chunk.bytes[(this.at << 3) | TIME]];
  }

  set timeInForce(value: TimeInForce | null) {
    this.chunk.bytes[(this.at << 3) | TIME] = numberOf(TIMES, value);
  }

  get postOnly(): boolean {
    return (this.chunk.bytes[(this.at << 3) | TERMS] & IS_POST_ONLY) !== 0;
  }

  set postOnly(value: boolean) {
    this.#setTerm(IS_POST_ONLY, value);
  }

  get reduceOnly(): boolean {
    return (this.chunk.bytes[(this.at << 3) | TERMS] & IS_REDUCE_ONLY) !== 0;
  }

  set reduceOnly(value: boolean) {
    this.#setTerm(IS_REDUCE_ONLY, value);
  }

  /** Futures: the position that it works on (market-positions.ts). UNOPENED (−1): it will open one. */
  get positionId(): number {
    return this.chunk.words[(this.at << 1) | POSITION];
  }

  set positionId(value: number) {
    this.chunk.words[(this.at << 1) | POSITION] = value;
  }

  /** Futures: the mode in which it was accepted. */
  get positionMode(): PositionMode {
    return MODES[this.chunk.bytes[(this.at << 3) | FUTURES] & LOWER];
  }

  set positionMode(value: PositionMode) {
    this.#setLower(FUTURES, numberOf(MODES, value));
  }

  /** An order of the venue itself that closes a position: one step (partial), or all of it (forced). */
  get liquidation(): 'partial' | 'forced' | null {
    return LIQUIDATIONS[this.chunk.bytes[(this.at << 3) | FUTURES] >> LOWER_BITS];
  }

  set liquidation(value: 'partial' | 'forced' | null) {
    this.#setUpper(FUTURES, numberOf(LIQUIDATIONS, value));
  }

  get takeProfit(): AttachedTerms | null {
    return this.extras.takeProfit;
  }

  set takeProfit(value: AttachedTerms | null) {
    if (value !== this.extras.takeProfit) this.#ownExtras().takeProfit = value;
  }

  get stopLoss(): AttachedTerms | null {
    return this.extras.stopLoss;
  }

  set stopLoss(value: AttachedTerms | null) {
    if (value !== this.extras.stopLoss) this.#ownExtras().stopLoss = value;
  }

  /** Key of the take-profit that the fills of this order created. 0: not created yet. */
  get takeProfitKey(): number {
    return this.extras.takeProfitKey;
  }

  set takeProfitKey(value: number) {
    if (value !== this.extras.takeProfitKey) this.#ownExtras().takeProfitKey = value;
  }

  get stopLossKey(): number {
    return this.extras.stopLossKey;
  }

  set stopLossKey(value: number) {
    if (value !== this.extras.stopLossKey) this.#ownExtras().stopLossKey = value;
  }

  get createdMs(): number {
    return this.chunk.doubles[this.at | CREATED];
  }

  set createdMs(value: number) {
    this.chunk.doubles[this.at | CREATED] = value;
  }

  // --- what has become of it ------------------------------------------------------------------------------------------

  get state(): OrderState {
    return STATES[this.chunk.bytes[(this.at << 3) | STATE]];
  }

  set state(value: OrderState) {
    this.chunk.bytes[(this.at << 3) | STATE] = numberOf(STATES, value);
  }

  /** The number of the state in the digest of effects. */
  get stateCode(): number {
    return STATE_CODES[this.chunk.bytes[(this.at << 3) | STATE]];
  }

  get live(): boolean {
    return this.chunk.bytes[(this.at << 3) | STATE] < FIRST_ENDED;
  }

  /** Why it ended. Null: there is nothing to report. */
  get ending(): Ending | null {
    const { endings } = this.chunk;
    return endings === null ? null : endings[this.slot & IN_CHUNK];
  }

  set ending(value: Ending | null) {
    this.chunk.endings = stored(this.chunk.endings, this.slot & IN_CHUNK, value);
  }

  get updatedMs(): number {
    return this.chunk.doubles[this.at | UPDATED];
  }

  set updatedMs(value: number) {
    this.chunk.doubles[this.at | UPDATED] = value;
  }

  /** Filled + unfilled, as last amended. */
  get quantity(): number {
    return this.chunk.doubles[this.at | QUANTITY];
  }

  set quantity(value: number) {
    this.chunk.doubles[this.at | QUANTITY] = value;
  }

  get filled(): number {
    return this.chunk.doubles[this.at | FILLED];
  }

  set filled(value: number) {
    this.chunk.doubles[this.at | FILLED] = value;
  }

  /** Unfilled lots, also of an ended order. */
  get remaining(): number {
    const { doubles } = this.chunk;
    return doubles[this.at | QUANTITY] - doubles[this.at | FILLED];
  }

  /** Lots of the most recent fill. */
  get lastFill(): number {
    return this.chunk.doubles[this.at | LAST_FILL];
  }

  set lastFill(value: number) {
    this.chunk.doubles[this.at | LAST_FILL] = value;
  }

  /** Lots filled by the command `filledSeq`. */
  get filledNow(): number {
    return this.chunk.doubles[this.at | FILLED_NOW];
  }

  set filledNow(value: number) {
    this.chunk.doubles[this.at | FILLED_NOW] = value;
  }

  get filledSeq(): number {
    return this.chunk.doubles[this.at | FILLED_SEQ];
  }

  set filledSeq(value: number) {
    this.chunk.doubles[this.at | FILLED_SEQ] = value;
  }

  /** Sum of price × size of all fills, ticks × lots. Times `unitsPerTickLot` it is money. */
  get filledCost(): number {
    return this.chunk.doubles[this.at | FILLED_COST];
  }

  set filledCost(value: number) {
    this.chunk.doubles[this.at | FILLED_COST] = value;
  }

  get quoteFilled(): bigint {
    return this.extras.quoteFilled;
  }

  set quoteFilled(value: bigint) {
    if (value !== this.extras.quoteFilled) this.#ownExtras().quoteFilled = value;
  }

  get quoteRemaining(): bigint {
    return this.quoteOriginal === null ? 0n : this.quoteOriginal - this.quoteFilled;
  }

  /** Futures: lots of its fills that opened or enlarged a position. */
  get openedLots(): number {
    return this.chunk.getRare(this.at, OPENED);
  }

  set openedLots(value: number) {
    this.chunk.setRare(this.at, OPENED, value);
  }

  /** How many of those lots its attached take-profit and stop-loss cover. */
  get protectedLots(): number {
    return this.chunk.getRare(this.at, PROTECTED);
  }

  set protectedLots(value: number) {
    this.chunk.setRare(this.at, PROTECTED, value);
  }

  /**
   * Lots of a resting futures order that count towards the account's exposure. During a match the lots of a fill are
   * taken off before the fill is booked.
   */
  get exposed(): number {
    return this.chunk.getRare(this.at, EXPOSED);
  }

  set exposed(value: number) {
    this.chunk.setRare(this.at, EXPOSED, value);
  }

  /** The reserve of a spot order, in smallest units of the currency that it pays with. */
  get reserved(): Money {
    const amount = this.chunk.doubles[this.at | RESERVED];
    return Number.isNaN(amount) ? this.extras.reserved : amount;
  }

  set reserved(value: Money) {
    const amount = typeof value === 'number' ? value : moneyOf(value);
    this.chunk.doubles[this.at | RESERVED] = typeof amount === 'number' ? amount : Number.NaN;
    if (typeof amount === 'bigint') this.#ownExtras().reserved = amount;
  }

  // --- where it is ----------------------------------------------------------------------------------------------------

  /**
   * Handle of its entry in the book. NONE: it shows nothing there. A resting child is represented by its parent's
   * entry.
   */
  get entry(): number {
    return this.chunk.words[(this.at << 1) | ENTRY] - 1;
  }

  set entry(value: number) {
    this.chunk.words[(this.at << 1) | ENTRY] = value + 1;
  }

  /** Handle in the trigger book (`watchReference` says in which of its three books). NONE: it is not there. */
  get watch(): number {
    return this.chunk.words[(this.at << 1) | WATCH] - 1;
  }

  set watch(value: number) {
    this.chunk.words[(this.at << 1) | WATCH] = value + 1;
  }

  /** The price that it waits for, in ticks, and the reference. 0: it waits for no price. */
  get watchTicks(): number {
    return this.chunk.getRare(this.at, WATCH_TICKS);
  }

  set watchTicks(value: number) {
    this.chunk.setRare(this.at, WATCH_TICKS, value);
  }

  get watchReference(): Reference {
    return REFERENCES[this.chunk.bytes[(this.at << 3) | WAITS] & LOWER];
  }

  set watchReference(value: Reference) {
    this.#setLower(WAITS, numberOf(REFERENCES, value));
  }

  /** The reference price that it follows. */
  get follows(): Reference | null {
    return FOLLOWED[this.chunk.bytes[(this.at << 3) | WAITS] >> LOWER_BITS];
  }

  set follows(value: Reference | null) {
    this.#setUpper(WAITS, numberOf(FOLLOWED, value));
  }

  /** Place in the timer queue. NONE: nothing is due. */
  get timer(): number {
    return this.chunk.words[(this.at << 1) | TIMER] - 1;
  }

  set timer(value: number) {
    this.chunk.words[(this.at << 1) | TIMER] = value + 1;
  }

  /** When its timer is due (epoch ms), and the kind of the timer. */
  get dueMs(): number {
    return this.chunk.getRare(this.at, DUE);
  }

  set dueMs(value: number) {
    this.chunk.setRare(this.at, DUE, value);
  }

  get timerRank(): number {
    return this.chunk.bytes[(this.at << 3) | TIMER_RANK];
  }

  set timerRank(value: number) {
    this.chunk.bytes[(this.at << 3) | TIMER_RANK] = value;
  }

  // --------------------------------------------------------------------------------------------------------------------

  /** Sets what every new order has. The order is blank. */
  begin(account: number, market: number, product: Product, side: Side, nowMs: number): void {
    const { doubles, words, bytes } = this.chunk;
    const { at } = this;
    words[(at << 1) | ACCOUNT] = account;
    words[(at << 1) | MARKET] = market;
    bytes[(at << 3) | TERMS] = product === 'futures' ? side | IS_FUTURES : side;
    doubles[at | CREATED] = nowMs;
    doubles[at | UPDATED] = nowMs;
  }

  /** Records a fill by the command `seq`. The caller has checked that there is as much left. */
  addFill(ticks: number, lots: number, seq: number, nowMs: number): void {
    const { doubles } = this.chunk;
    const { at } = this;
    doubles[at | FILLED] += lots;
    doubles[at | FILLED_COST] += ticks * lots;
    doubles[at | LAST_FILL] = lots;
    doubles[at | FILLED_NOW] = doubles[at | FILLED_SEQ] === seq ? doubles[at | FILLED_NOW] + lots : lots;
    doubles[at | FILLED_SEQ] = seq;
    doubles[at | UPDATED] = nowMs;
  }

  /** Makes everything but the slot blank. */
  clear(): void {
    const { chunk, at, slot } = this;
    for (let i = at; i < at + RECORD_DOUBLES; i++) chunk.doubles[i] = 0;
    if (chunk.rare !== null) for (let field = 0; field < RARE_DOUBLES; field++) chunk.setRare(at, field, 0);
    const place = slot & IN_CHUNK;
    if (chunk.clientIds !== null) chunk.clientIds[place] = null;
    if (chunk.endings !== null) chunk.endings[place] = null;
    if (chunk.triggers !== null) chunk.triggers[place] = null;
    if (chunk.algoStates !== null) chunk.algoStates[place] = null;
    if (chunk.extras !== null) chunk.extras[place] = null;
  }

  /** What few orders have. To be read only. */
  get extras(): Readonly<Extras> {
    const { extras } = this.chunk;
    return extras === null ? NO_EXTRAS : (extras[this.slot & IN_CHUNK] ?? NO_EXTRAS);
  }

  #setTerm(bit: number, on: boolean): void {
    const { bytes } = this.chunk;
    const place = (this.at << 3) | TERMS;
    bytes[place] = on ? bytes[place] | bit : bytes[place] & ~bit;
  }

  #setLower(byte: number, choice: number): void {
    const { bytes } = this.chunk;
    const place = (this.at << 3) | byte;
    bytes[place] = (bytes[place] & ~LOWER) | choice;
  }

  #setUpper(byte: number, choice: number): void {
    const { bytes } = this.chunk;
    const place = (this.at << 3) | byte;
    bytes[place] = (bytes[place] & LOWER) | (choice << LOWER_BITS);
  }

  #ownExtras(): Extras {
    const place = this.slot & IN_CHUNK;
    const known = this.chunk.extras?.[place] ?? null;
    if (known !== null) return known;
    const made = { ...NO_EXTRAS };
    this.chunk.extras = stored<Extras>(this.chunk.extras, place, made);
    return made;
  }
}

/** Every field as it is in a fresh order. */
export const BLANK: Order = new Order(NONE);
