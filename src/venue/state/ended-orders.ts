/**
 * The ended orders, oldest ending first, as a queue of records in typed columns.
 *
 *   chunks    [ 2048 records ][ 2048 records ] … [ records up to the last ]    the first one is dropped when it is used up
 *   key       double: the order's key; negated if the order has a client id; 0 if the order is kept elsewhere
 *   record    32 bits: flags, account, market, price, sizes, position | doubles: created, updated, cost of fills
 *
 * A plain order (LIMIT or MARKET without a trigger, a group, a quote size or a broker) becomes a record, and its `Order`
 * is free for the next one. The record of any other order, and of one with a value that does not fit into 32 bits, only
 * refers to where that order is kept (a number that the caller gives).
 *
 * Invariants: a place stays the same until its record is dropped. A record is written once, and reads back as it was.
 * Cost: 8 bytes for the key and 64 for the record, one more word if a client id is among the 2048 of its chunk. Nothing
 * else is allocated. To forget an order, its key is all that is read: eight keys are one line of the processor's cache.
 */

import type { Ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { Order } from './order.ts';
import * as record from './order-record.ts';

const { NONE } = units;
/** Of the record of a live order. */
const {
  ACCOUNT: OF_ACCOUNT,
  ALGO: OF_ALGO,
  CREATED: OF_CREATED,
  FILLED: OF_FILLED,
  FILLED_COST: OF_FILLED_COST,
  FUTURES: OF_FUTURES,
  KEY: OF_KEY,
  KIND: OF_KIND,
  LAST_FILL: OF_LAST_FILL,
  MARKET: OF_MARKET,
  MODES: OF_MODES,
  NO_EXTRAS: OF_NO_EXTRAS,
  ORIGINAL: OF_ORIGINAL,
  POSITION: OF_POSITION,
  PRICE: OF_PRICE,
  QUANTITY: OF_QUANTITY,
  STATE: OF_STATE,
  TERMS: OF_TERMS,
  TIME: OF_TIME,
  UPDATED: OF_UPDATED,
} = record;

const CHUNK_BITS = 11;
const CHUNK = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK - 1;
/** Places count up and begin again at zero. There are never so many records at once. */
const PLACE_BITS = 28;
const PLACES = 2 ** PLACE_BITS - 1;
const CHUNKS = 2 ** (PLACE_BITS - CHUNK_BITS) - 1;

/** The record: doubles, and 32-bit words. What the reply to a late cancel reads comes first. */
const DOUBLES = 8;
const WORDS = DOUBLES * 2;
/** Doubles. */
const CREATED = 5;
const UPDATED = 6;
const COST = 7;
/** Words. */
const FLAGS = 0;
const ACCOUNT = 1;
const MARKET = 2;
const PRICE = 3;
const ORIGINAL = 4;
const QUANTITY = 5;
const FILLED = 6;
const LAST_FILL = 7;
const POSITION = 8;
const OPENED = 9;
/** Where the order is kept that is not in the record. */
const KEPT_AT = 1;

/** Of the flags: a single bit each, then fields of several bits, by their lowest bit. */
const IS_RECORD = 1;
const HAS_CLIENT_ID = 2;
/** LIMIT or MARKET: the first two kinds, whose algos follow one later. */
const KIND = 2;
const TERMS = 3;
const MODE = 7;
const STATE = 9;
const TIME = 12;
const ENDING = 16;
const LIMIT = 1;
const MARKET_ORDER = 2;
const MOST_ENDINGS = 256;

/** The endings without figures that orders have had. Their numbers are only used within this process. */
const endings: (Ending | null)[] = [null];

/** The number of an ending, or NONE for one with figures. */
function numberOf(ending: Ending | null): number {
  if (ending === null) return 0;
  for (let known = 1; known < endings.length; known++) if (endings[known] === ending) return known;
  if (Object.keys(ending.params).length > 0 || endings.length === MOST_ENDINGS) return NONE;
  return endings.push(ending) - 1;
}

interface Chunk {
  readonly keys: Float64Array;
  readonly doubles: Float64Array;
  readonly words: Int32Array;
  clientIds: (string | null)[] | null;
}

function newChunk(): Chunk {
  const doubles = new Float64Array(CHUNK * DOUBLES);
  return { keys: new Float64Array(CHUNK), doubles, words: new Int32Array(doubles.buffer), clientIds: null };
}

export class EndedOrders {
  readonly #chunks: Chunk[] = [];
  /** Number of the first chunk. */
  #firstChunk = 0;
  #firstPlace = 0;
  length = 0;
  /** A chunk that is used up, for the next ones. */
  #spare: Chunk | undefined;
  /** Reads of records fill it in turn. */
  readonly #scratch = new Order(NONE);
  /** The one that a reply shows. */
  readonly #shown = new Order(NONE);

  /** Appends an order that is kept elsewhere, at the non-negative number `keptAt`. */
  push(keptAt: number): void {
    const place = this.placeAt(this.length++);
    if (this.#chunkIndex(place) === this.#chunks.length) this.#chunks.push(this.#takeChunk());
    const { keys, words } = this.#chunkOf(place);
    const at = (place & IN_CHUNK) * WORDS;
    keys[place & IN_CHUNK] = 0;
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

  /** The key of a record that has everything, if the order has no client id. Otherwise 0 or less. */
  bareKey(place: number): number {
    return this.#chunkOf(place).keys[place & IN_CHUNK];
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
    this.#spare = this.#chunks.shift();
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
    const from = order.chunk;
    const fromWords = order.at << 1;
    doubles[d + CREATED] = from.doubles[order.at | OF_CREATED];
    doubles[d + UPDATED] = from.doubles[order.at | OF_UPDATED];
    doubles[d + COST] = from.doubles[order.at | OF_FILLED_COST];
    words[w + ACCOUNT] = from.words[fromWords | OF_ACCOUNT];
    words[w + MARKET] = from.words[fromWords | OF_MARKET];
    words[w + PRICE] = from.doubles[order.at | OF_PRICE];
    words[w + ORIGINAL] = from.doubles[order.at | OF_ORIGINAL];
    words[w + QUANTITY] = from.doubles[order.at | OF_QUANTITY];
    words[w + FILLED] = from.doubles[order.at | OF_FILLED];
    words[w + LAST_FILL] = from.doubles[order.at | OF_LAST_FILL];
    words[w + POSITION] = from.words[fromWords | OF_POSITION];
    words[w + OPENED] = order.openedLots;
    words[w + FLAGS] = flagsOf(order) | (ending << ENDING);
    const key = from.doubles[order.at | OF_KEY];
    const { clientId } = order;
    chunk.keys[place & IN_CHUNK] = clientId === null ? key : -key;
    if (clientId === null) return true;
    chunk.clientIds ??= new Array<string | null>(CHUNK).fill(null);
    chunk.clientIds[place & IN_CHUNK] = clientId;
    return true;
  }

  /**
   * The order of a record that has everything. It is a copy, and the same object is filled again by the next read: use
   * it at once.
   */
  read(place: number): Order {
    return this.#readInto(this.#scratch, place);
  }

  /** The same for a reply: the object is filled again by the next reply. */
  readShown(place: number): Order {
    return this.#readInto(this.#shown, place);
  }

  #readInto(order: Order, place: number): Order {
    const chunk = this.#chunkOf(place);
    const { doubles, words } = chunk;
    const d = (place & IN_CHUNK) * DOUBLES;
    const w = (place & IN_CHUNK) * WORDS;
    const flags = words[w + FLAGS];
    const to = order.chunk;
    to.doubles[OF_KEY] = Math.abs(chunk.keys[place & IN_CHUNK]);
    to.doubles[OF_CREATED] = doubles[d + CREATED];
    to.doubles[OF_UPDATED] = doubles[d + UPDATED];
    to.doubles[OF_FILLED_COST] = doubles[d + COST];
    to.words[OF_ACCOUNT] = words[w + ACCOUNT];
    to.words[OF_MARKET] = words[w + MARKET];
    to.doubles[OF_PRICE] = words[w + PRICE] >>> 0;
    to.doubles[OF_ORIGINAL] = words[w + ORIGINAL] >>> 0;
    to.doubles[OF_QUANTITY] = words[w + QUANTITY] >>> 0;
    to.doubles[OF_FILLED] = words[w + FILLED] >>> 0;
    to.doubles[OF_LAST_FILL] = words[w + LAST_FILL] >>> 0;
    to.words[OF_POSITION] = words[w + POSITION];
    order.openedLots = words[w + OPENED] >>> 0;
    order.protectedLots = words[w + OPENED] >>> 0;
    setFlags(to, flags);
    const ending = endings[flags >>> ENDING];
    const clientId = (flags & HAS_CLIENT_ID) === 0 ? null : (chunk.clientIds?.[place & IN_CHUNK] ?? null);
    if (order.ending !== ending) order.ending = ending;
    if (order.clientId !== clientId) order.clientId = clientId;
    return order;
  }

  /** A new chunk is memory that the processor's cache has never seen. */
  #takeChunk(): Chunk {
    const chunk = this.#spare ?? newChunk();
    chunk.clientIds = null;
    this.#spare = undefined;
    return chunk;
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
  const { bytes, doubles } = order.chunk;
  const { at, trigger, algoState, extras } = order;
  const algo = bytes[(at << 3) | OF_ALGO];
  const opened = order.openedLots;
  return (
    (algo === LIMIT || algo === MARKET_ORDER) &&
    bytes[(at << 3) | OF_KIND] === algo - 1 &&
    bytes[(at << 3) | OF_FUTURES] < OF_MODES.length &&
    trigger === null &&
    algoState === null &&
    extras === OF_NO_EXTRAS &&
    order.protectedLots === opened &&
    fits(doubles[at | OF_PRICE]) &&
    fits(doubles[at | OF_ORIGINAL]) &&
    fits(doubles[at | OF_QUANTITY]) &&
    fits(doubles[at | OF_FILLED]) &&
    fits(doubles[at | OF_LAST_FILL]) &&
    fits(opened)
  );
}

/** Whether the number is a whole one from 0 to 2^32 − 1. */
function fits(value: number): boolean {
  return value === value >>> 0;
}

function flagsOf(order: Order): number {
  const { bytes } = order.chunk;
  const b = order.at << 3;
  return (
    IS_RECORD |
    (order.clientId === null ? 0 : HAS_CLIENT_ID) |
    (bytes[b | OF_KIND] << KIND) |
    (bytes[b | OF_TERMS] << TERMS) |
    (bytes[b | OF_FUTURES] << MODE) |
    (bytes[b | OF_STATE] << STATE) |
    (bytes[b | OF_TIME] << TIME)
  );
}

/** Of an order outside the table, whose record is the only one of its chunk. */
function setFlags({ bytes }: record.OrderChunk, flags: number): void {
  bytes[OF_KIND] = (flags >>> KIND) & 1;
  bytes[OF_ALGO] = bytes[OF_KIND] + 1;
  bytes[OF_TERMS] = (flags >>> TERMS) & 15;
  bytes[OF_FUTURES] = (flags >>> MODE) & 3;
  bytes[OF_STATE] = (flags >>> STATE) & 7;
  bytes[OF_TIME] = (flags >>> TIME) & 15;
}
