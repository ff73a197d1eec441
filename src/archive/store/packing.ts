/**
 * Values as bytes: what a row of the archive has beside its integer columns, and the events of an order.
 *
 * Invariant: whatever was written is read back exactly, value by value. A text that is no exact decimal, no name and no
 * order id is written as it is.
 *
 * The first byte of a value says what follows:
 *
 *   00-7f  a name: its number, up to 127           f0  a name: its number
 *   80-bf  an earlier value: its place             f1  a decimal: its scale, its digits as a number
 *   c0-df  a decimal ≥ 0: its scale; its digits    f2  a negative decimal, in the same way
 *   e0-ef  a whole number as text, up to "15"      f3  a number, f4 a negative number
 *   f5     a text: its length in bytes, the text   f6  an order id: its key
 *   f7     null       f8  false       f9  true     fa  a list: how many; its values
 *   fb     an object: its shape; its values        fc  JSON: its length in bytes, its text
 *
 * All numbers behind it have seven bits a byte, the lowest first. A **shape** is the list of an object's members, as a
 * name: the objects of one kind share it. An event is a list of objects whose first member is their `type`, which is in
 * the shape.
 */
import type { OrderIds } from '../../venue/contract/order-id.ts';
import { decimalOf, decimalParts } from './decimals.ts';
import { ArchiveDamaged } from './errors.ts';
import type { Names } from './names.ts';

/** A member that is undefined counts as absent. */
export type Packed = string | number | boolean | null | readonly Packed[] | PackedObject;
export interface PackedObject {
  readonly [member: string]: Packed | undefined;
}

const [NAME, DECIMAL, NEGATIVE_DECIMAL, NUMBER, NEGATIVE_NUMBER, TEXT, ORDER_ID] = [
  0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6,
];
const [NULL, FALSE, TRUE, LIST, OBJECT, JSON_TEXT] = [0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc];
const [EARLIER, SHORT_DECIMAL, DIGITS] = [0x80, 0xc0, 0xe0];
const SHORT_NAMES = 128;
const MOST_EARLIER = 64;
const MOST_SCALE = 32;
const MOST_DIGITS = 16;
const ORDER_ID_LENGTH = 36;
/** Members whose texts recur. Others, such as a client id, may be anything. */
const NAMED = new Set([
  'side',
  'kind',
  'state',
  'timeInForce',
  'role',
  'feeCurrency',
  'rule',
  'reference',
  'activationReference',
  'reason',
  'positionMode',
  'by',
  'due',
  'pausedBy',
]);
/** Between the members in a shape, and before the text that a member has in all of its objects. */
const COMMA = ',';
const EQUALS = '=';
const NO_BYTES: Uint8Array = new Uint8Array(0);

interface ShapeMember {
  readonly name: string;
  /** Undefined: its value is in the object. */
  readonly text: string | undefined;
}

/** Writes values one after the other. It is used again and again. */
export class PackWriter {
  readonly #names: Names;
  readonly #ids: () => OrderIds | undefined;
  #bytes = Buffer.alloc(4096);
  #length = 0;
  /** Values that were written, or that the reader knows otherwise. */
  #earlier: Packed[] = [];

  /** `ids`: of the venue, if they are known. */
  constructor(names: Names, ids: () => OrderIds | undefined) {
    this.#names = names;
    this.#ids = ids;
  }

  /** Begins anew. */
  begin(): void {
    this.#length = 0;
    this.#earlier = [];
  }

  /** From here on, the earlier values are these, which the reader has too. */
  know(values: readonly Packed[]): void {
    this.#earlier = values.slice(0, MOST_EARLIER);
  }

  get length(): number {
    return this.#length;
  }

  /** A copy of what was written. */
  take(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** A whole number from 0. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** `named`: the text is one of few. */
  value(value: Packed, named = false): void {
    if (value === null) this.byte(NULL);
    else if (typeof value === 'boolean') this.byte(value ? TRUE : FALSE);
    else if (typeof value === 'string') this.#text(value, named);
    else if (typeof value === 'number') this.#number(value);
    else if (Array.isArray(value)) {
      this.byte(LIST);
      this.number(value.length);
      for (const one of value) this.value(one);
    } else {
      this.byte(OBJECT);
      this.object(value as PackedObject);
    }
  }

  object(value: PackedObject): void {
    const { type } = value;
    const members = Object.keys(value).filter((member) => value[member] !== undefined);
    // Most objects are events, whose type decides nearly alone which members they have.
    const typed = members[0] === 'type' && typeof type === 'string' && isPlain(type);
    const shape = typed ? [`type${EQUALS}${type}`, ...members.slice(1)] : members;
    if (!members.every(isPlain)) throw new TypeError(`members of ${members} cannot be packed`);
    this.number(this.#names.idOf(shape.join(COMMA)));
    for (const member of typed ? members.slice(1) : members) {
      this.value(value[member] as Packed, NAMED.has(member));
    }
  }

  #text(value: string, named: boolean): void {
    if (named) {
      const id = this.#names.idOf(value);
      if (id >= SHORT_NAMES) this.byte(NAME);
      this.number(id);
      return;
    }
    const parts = decimalParts(value);
    if (parts !== undefined && parts.scale === 0 && parts.digits < MOST_DIGITS && !parts.negative) {
      this.byte(DIGITS + parts.digits);
      return;
    }
    if (this.#wasEarlier(value)) return;
    if (parts !== undefined) {
      const { negative, scale, digits } = parts;
      if (!negative && scale < MOST_SCALE) this.byte(SHORT_DECIMAL + scale);
      else {
        this.byte(negative ? NEGATIVE_DECIMAL : DECIMAL);
        this.number(scale);
      }
      this.number(digits);
      return;
    }
    const key = value.length === ORDER_ID_LENGTH ? (this.#ids()?.decode(value) ?? -1) : -1;
    if (key >= 0) {
      this.byte(ORDER_ID);
      this.number(key);
    } else this.#raw(TEXT, value);
  }

  #number(value: number): void {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      this.#raw(JSON_TEXT, JSON.stringify(value));
      return;
    }
    if (Math.abs(value) >= MOST_DIGITS && this.#wasEarlier(value)) return;
    this.byte(value < 0 ? NEGATIVE_NUMBER : NUMBER);
    this.number(Math.abs(value));
  }

  /** True: it is written as a place. */
  #wasEarlier(value: Packed): boolean {
    const place = this.#earlier.indexOf(value);
    if (place < 0) {
      if (this.#earlier.length < MOST_EARLIER) this.#earlier.push(value);
      return false;
    }
    this.byte(EARLIER + place);
    return true;
  }

  #raw(kind: number, text: string): void {
    const length = Buffer.byteLength(text);
    this.byte(kind);
    this.number(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function isPlain(text: string): boolean {
  return text !== '' && !text.includes(COMMA) && !text.includes(EQUALS);
}

/** Reads what a writer wrote, in the same order. It is used again and again. @throws {ArchiveDamaged} it cannot be that */
export class PackReader {
  readonly #names: Names;
  readonly #ids: () => OrderIds | undefined;
  /** By the number of its name. */
  readonly #shapes = new Map<number, readonly ShapeMember[]>();
  #bytes = NO_BYTES;
  #earlier: Packed[] = [];
  #at = 0;

  constructor(names: Names, ids: () => OrderIds | undefined) {
    this.#names = names;
    this.#ids = ids;
  }

  /** Begins with other bytes. */
  begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 0;
    this.#earlier = [];
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** As the writer's. */
  know(values: readonly Packed[]): void {
    this.#earlier = values.slice(0, MOST_EARLIER);
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new ArchiveDamaged('a packed value ends too early');
    return value;
  }

  number(): number {
    let [value, unit] = [0, 1];
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  }

  value(): Packed {
    const first = this.byte();
    if (first < EARLIER) return this.#names.textOf(first);
    if (first < SHORT_DECIMAL) return this.#earlier[first - EARLIER];
    if (first < DIGITS) return this.#kept(decimalOf(false, first - SHORT_DECIMAL, this.number()));
    if (first < NAME) return `${first - DIGITS}`;
    switch (first) {
      case NAME:
        return this.#names.textOf(this.number());
      case DECIMAL:
      case NEGATIVE_DECIMAL: {
        const scale = this.number();
        return this.#kept(decimalOf(first === NEGATIVE_DECIMAL, scale, this.number()));
      }
      case NUMBER:
        return this.#keptNumber(this.number());
      case NEGATIVE_NUMBER:
        return this.#keptNumber(-this.number());
      case TEXT:
        return this.#kept(this.#raw());
      case ORDER_ID: {
        const ids = this.#ids();
        if (ids === undefined) throw new ArchiveDamaged('it has order ids, and no key for them');
        return this.#kept(ids.encode(this.number()));
      }
      case NULL:
        return null;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case LIST:
        return Array.from({ length: this.number() }, () => this.value());
      case OBJECT:
        return this.object();
      case JSON_TEXT:
        return JSON.parse(this.#raw()) as Packed;
    }
    throw new ArchiveDamaged(`a packed value begins with ${first}`);
  }

  object(): PackedObject {
    const object: Record<string, Packed> = {};
    for (const { name, text } of this.#shape(this.number())) object[name] = text ?? this.value();
    return object;
  }

  #shape(id: number): readonly ShapeMember[] {
    let shape = this.#shapes.get(id);
    if (shape === undefined) {
      const text = this.#names.textOf(id);
      const members = text === '' ? [] : text.split(COMMA).map((member) => member.split(EQUALS));
      shape = members.map(([name, value]) => ({ name, text: value }));
      this.#shapes.set(id, shape);
    }
    return shape;
  }

  #kept(value: Packed): Packed {
    if (this.#earlier.length < MOST_EARLIER) this.#earlier.push(value);
    return value;
  }

  #keptNumber(value: number): number {
    return Math.abs(value) >= MOST_DIGITS ? (this.#kept(value) as number) : value;
  }

  #raw(): string {
    const length = this.number();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ArchiveDamaged('a packed text ends too early');
    const { buffer, byteOffset } = this.#bytes;
    const text = Buffer.from(buffer, byteOffset + this.#at, length).toString('utf8');
    this.#at = end;
    return text;
  }
}
