/**
 * The ended orders, oldest ending first, as a queue of records in typed columns.
 *
 *   chunks    [ 512 records ][ 512 records ] … [ records up to the last ]      the first one is dropped when it is used up
 *   record    doubles: key, created, updated, cost of fills
 *             32 bits: account, market, price, sizes, position, flags
 *
 * A plain order (LIMIT or MARKET without a trigger, a group, a quote size or a broker) becomes a record, and its `Order`
 * is free for the next one. The record of any other order, and of one with a value that does not fit into 32 bits, only
 * refers to where that order is kept (a number that the caller gives).
 *
 * Invariants: a place stays the same until its record is dropped. A record is written once, and reads back as it was.
 * Cost: 72 bytes a record, one more word if a client id is among the 512 of its chunk. Nothing else is allocated.
 */

import { POSITION_MODES, TIMES_IN_FORCE } from '../contract/commands.ts';
import type { OrderState } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import { NONE, type Side } from '../contract/units.ts';
import { Order } from './order.ts';

const CHUNK_BITS = 9;
const CHUNK = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK - 1;
/** Places count up and begin again at zero. There are never so many records at once. */
const PLACE_BITS = 28;
const PLACES = 2 ** PLACE_BITS - 1;
const CHUNKS = 2 ** (PLACE_BITS - CHUNK_BITS) - 1;

/** The record: its doubles, and its 32-bit words, which begin behind them. */
const DOUBLES = 9;
const WORDS = DOUBLES * 2;
const KEY = 0;
const CREATED = 1;
const UPDATED = 2;
const COST = 3;
const ACCOUNT = 8;
const MARKET = 9;
const PRICE = 10;
const ORIGINAL = 11;
const QUANTITY = 12;
const FILLED = 13;
const LAST_FILL = 14;
const POSITION = 15;
const OPENED = 16;
const FLAGS = 17;
/** Where the order is kept that is not in the record. */
const KEPT_AT = 8;

/** Of the flags: single bits, then fields of several bits, by their lowest bit. */
const IS_RECORD = 1;
const IS_SELL = 2;
const IS_FUTURES = 4;
const IS_MARKET = 8;
const POST_ONLY = 16;
const REDUCE_ONLY = 32;
const HAS_CLIENT_ID = 64;
const MODE = 7;
const STATE = 9;
const TIME = 12;
const ENDING = 16;
const MOST_ENDINGS = 256;

const STATES: readonly OrderState[] = ['waiting', 'working', 'filled', 'partlyFilled', 'cancelled', 'rejected'];

/** The endings without figures that orders have had. Their numbers are only used within this process. */
const endings: (Ending | null)[] = [null];

/** The number of an ending, or NONE for one with figures. */
function numberOf(ending: Ending | null): number {
  const known = endings.indexOf(ending);
  if (known >= 0 || ending === null) return known;
  if (Object.keys(ending.params).length > 0 || endings.length === MOST_ENDINGS) return NONE;
  return endings.push(ending) - 1;
}

interface Chunk {
  readonly doubles: Float64Array;
  readonly words: Int32Array;
  clientIds: (string | null)[] | null;
}

function newChunk(): Chunk {
  const doubles = new Float64Array(CHUNK * DOUBLES);
  return { doubles, words: new Int32Array(doubles.buffer), clientIds: null };
}

export class EndedOrders {
  readonly #chunks: Chunk[] = [];
  /** Number of the first chunk. */
  #firstChunk = 0;
  #firstPlace = 0;
  length = 0;
  /** Reads of records fill it in turn. */
  readonly #scratch = new Order(NONE);

  /** Appends an order that is kept elsewhere, at the non-negative number `keptAt`. */
  push(keptAt: number): void {
    const place = this.placeAt(this.length++);
    if (this.#chunkIndex(place) === this.#chunks.length) this.#chunks.push(newChunk());
    const { words } = this.#chunkOf(place);
    const at = (place & IN_CHUNK) * WORDS;
    words[at + FLAGS] = 0;
    words[at + KEPT_AT] = keptAt;
  }

  /** The place of the nth record, from 0 for the oldest. */
  placeAt(n: number): number {
    return (this.#firstPlace + n) & PLACES;
  }

  /** Where the order of that place is kept. NONE: its record has everything. */
  keptAt(place: number): number {
    const { words } = this.#chunkOf(place);
    const at = (place & IN_CHUNK) * WORDS;
    return (words[at + FLAGS] & IS_RECORD) === 0 ? words[at + KEPT_AT] : NONE;
  }

  /** Of a record that has everything. */
  key(place: number): number {
    return this.#chunkOf(place).doubles[(place & IN_CHUNK) * DOUBLES + KEY];
  }

  /** Of a record that has everything: when it ended, epoch ms. */
  endedMs(place: number): number {
    return this.#chunkOf(place).doubles[(place & IN_CHUNK) * DOUBLES + UPDATED];
  }

  /** Drops the oldest record. */
  drop(): void {
    this.#firstPlace = (this.#firstPlace + 1) & PLACES;
    this.length--;
    if ((this.#firstPlace & IN_CHUNK) !== 0) return;
    this.#chunks.shift();
    this.#firstChunk = (this.#firstChunk + 1) & CHUNKS;
  }

  /** Writes the order into its record, which so far refers to it. False: the order has to be kept where it is. */
  write(place: number, order: Order): boolean {
    const ending = isPlain(order) ? numberOf(order.ending) : NONE;
    if (ending === NONE) return false;
    const chunk = this.#chunkOf(place);
    const { doubles, words } = chunk;
    const d = (place & IN_CHUNK) * DOUBLES;
    const w = (place & IN_CHUNK) * WORDS;
    doubles[d + KEY] = order.key;
    doubles[d + CREATED] = order.createdMs;
    doubles[d + UPDATED] = order.updatedMs;
    doubles[d + COST] = order.filledCost;
    words[w + ACCOUNT] = order.account;
    words[w + MARKET] = order.market;
    words[w + PRICE] = order.price;
    words[w + ORIGINAL] = order.original;
    words[w + QUANTITY] = order.quantity;
    words[w + FILLED] = order.filled;
    words[w + LAST_FILL] = order.lastFill;
    words[w + POSITION] = order.positionId;
    words[w + OPENED] = order.openedLots;
    words[w + FLAGS] = flagsOf(order) | (ending << ENDING);
    if (order.clientId !== null) {
      chunk.clientIds ??= new Array<string | null>(CHUNK).fill(null);
      chunk.clientIds[place & IN_CHUNK] = order.clientId;
    }
    return true;
  }

  /**
   * The order of a record that has everything. It is a copy, and the same object is filled again by the next read: use
   * it at once.
   */
  read(place: number): Order {
    const chunk = this.#chunkOf(place);
    const { doubles, words } = chunk;
    const d = (place & IN_CHUNK) * DOUBLES;
    const w = (place & IN_CHUNK) * WORDS;
    const flags = words[w + FLAGS];
    const order = this.#scratch;
    order.setKey(doubles[d + KEY]);
    order.createdMs = doubles[d + CREATED];
    order.updatedMs = doubles[d + UPDATED];
    order.filledCost = doubles[d + COST];
    order.account = words[w + ACCOUNT];
    order.market = words[w + MARKET];
    order.price = words[w + PRICE] >>> 0;
    order.original = words[w + ORIGINAL] >>> 0;
    order.quantity = words[w + QUANTITY] >>> 0;
    order.filled = words[w + FILLED] >>> 0;
    order.lastFill = words[w + LAST_FILL] >>> 0;
    order.positionId = words[w + POSITION];
    order.openedLots = words[w + OPENED] >>> 0;
    order.protectedLots = order.openedLots;
    order.side = ((flags & IS_SELL) >> 1) as Side;
    order.product = (flags & IS_FUTURES) !== 0 ? 'futures' : 'spot';
    order.kind = (flags & IS_MARKET) !== 0 ? 'market' : 'limit';
    order.algo = order.kind;
    order.postOnly = (flags & POST_ONLY) !== 0;
    order.reduceOnly = (flags & REDUCE_ONLY) !== 0;
    order.positionMode = POSITION_MODES[(flags >>> MODE) & 3];
    order.state = STATES[(flags >>> STATE) & 7];
    const time = (flags >>> TIME) & 15;
    order.timeInForce = time === 0 ? null : TIMES_IN_FORCE[time - 1];
    order.ending = endings[flags >>> ENDING];
    order.clientId = (flags & HAS_CLIENT_ID) === 0 ? null : (chunk.clientIds?.[place & IN_CHUNK] ?? null);
    return order;
  }

  /** Of a record that has everything. */
  clientId(place: number): string | null {
    const { words, clientIds } = this.#chunkOf(place);
    const { [place & IN_CHUNK]: id = null } = clientIds ?? [];
    return (words[(place & IN_CHUNK) * WORDS + FLAGS] & HAS_CLIENT_ID) === 0 ? null : id;
  }

  #chunkIndex(place: number): number {
    return ((place >> CHUNK_BITS) - this.#firstChunk) & CHUNKS;
  }

  #chunkOf(place: number): Chunk {
    return this.#chunks[this.#chunkIndex(place)];
  }
}

/** Whether everything of an ended order fits into a record. */
function isPlain(order: Order): boolean {
  return (
    (order.algo === 'limit' || order.algo === 'market') &&
    order.kind === order.algo &&
    order.trigger === null &&
    order.algoState === null &&
    order.quoteOriginal === null &&
    order.broker === null &&
    order.liquidation === null &&
    order.takeProfit === null &&
    order.stopLoss === null &&
    order.protectedLots === order.openedLots &&
    fits(order.price) &&
    fits(order.original) &&
    fits(order.quantity) &&
    fits(order.filled) &&
    fits(order.lastFill) &&
    fits(order.openedLots)
  );
}

/** Whether the number is a whole one from 0 to 2^32 − 1. */
function fits(value: number): boolean {
  return value === value >>> 0;
}

function flagsOf(order: Order): number {
  let flags = IS_RECORD | (order.side << 1);
  if (order.product === 'futures') flags |= IS_FUTURES;
  if (order.kind === 'market') flags |= IS_MARKET;
  if (order.postOnly) flags |= POST_ONLY;
  if (order.reduceOnly) flags |= REDUCE_ONLY;
  if (order.clientId !== null) flags |= HAS_CLIENT_ID;
  const time = order.timeInForce === null ? 0 : TIMES_IN_FORCE.indexOf(order.timeInForce) + 1;
  return (
    flags | (POSITION_MODES.indexOf(order.positionMode) << MODE) | (STATES.indexOf(order.state) << STATE) | (time << TIME)
  );
}
