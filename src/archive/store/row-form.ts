/**
 * Rows as they are in the file, and back. A row has an integer for each column that has a form, then the bytes `rest`
 * and a checksum over both. `rest` is null if there is nothing in it. It has pairs of a column's place and a value
 * (packing.ts), in the order of the columns:
 *
 * - A column without a form is in it if it is not the usual one (tables.ts).
 * - A value that fits no integer is in it as well, and its integer is null: a decimal with too many digits.
 *
 * Invariant: what was encoded is decoded exactly.
 */
import { crc32 } from 'node:zlib';
import { indexOfKey, KEYS_PER_SEQ, type OrderIds, seqOfKey } from '../../venue/contract/order-id.ts';
import { decimalOfInteger, integerOfDecimal } from './decimals.ts';
import { ArchiveDamaged } from './errors.ts';
import type { Names } from './names.ts';
import { type Packed, type PackedObject, PackReader, PackWriter } from './packing.ts';
import {
  type Column,
  columnsOf,
  type IntegerForm,
  type Row,
  TABLES,
  type Table,
  type TableName,
  type Value,
} from './tables.ts';

/** A row of the file: integers, `rest`, checksum. */
export type StoredRow = (number | null | Uint8Array)[];

/** What the rows refer to. */
export interface Directory {
  readonly names: Names;
  /** Of the venue. Undefined until the first command. */
  readonly ids: OrderIds | undefined;
  /** Undefined: there is none. */
  accountNumber(name: string): number | undefined;
  /** @throws {ArchiveDamaged} */
  accountName(number: number): string;
}

/** Keys of a command's first orders take one integer without gaps; the others are negative. */
const DENSE = 32;
const EVENTS = 'events';
/** The integers whose checksum is made, null as a NaN. */
const MOST_COLUMNS = 64;
const SUMMED = new Float64Array(MOST_COLUMNS);
const SUMMED_BYTES = new Uint8Array(SUMMED.buffer);

export function integerOfKey(key: number): number {
  const index = indexOfKey(key);
  return index < DENSE ? seqOfKey(key) * DENSE + index : -key;
}

function keyOfInteger(value: number): number {
  return value < 0 ? -value : Math.floor(value / DENSE) * KEYS_PER_SEQ + (value % DENSE);
}

interface Placed {
  readonly name: string;
  readonly place: number;
  readonly column: Column;
}

/** The names of the integer columns of a table, in the order of the file. */
export function integerColumns(table: TableName): readonly string[] {
  const { columns }: Table = TABLES[table];
  return Object.keys(columns).filter((column) => 'form' in columns[column]);
}

/** How the rows of one table are stored. */
export class RowForm {
  readonly #table: TableName;
  readonly #directory: Directory;
  readonly #writer: PackWriter;
  readonly #reader: PackReader;
  readonly #columns: readonly Placed[];
  /** The place of each column that has a form, in the order of the file. */
  readonly #places: readonly number[];
  readonly #key: readonly number[];
  readonly #eventsAt: number;
  readonly #placeOf: ReadonlyMap<string, number>;
  /** The row that is being encoded or decoded. */
  #row: readonly Value[] = [];
  readonly #of = (column: string): Value => this.#row[this.#placeOf.get(column) as number];

  constructor(table: TableName, directory: Directory) {
    const { columns, key }: Table = TABLES[table];
    this.#table = table;
    this.#directory = directory;
    this.#writer = new PackWriter(directory.names, () => directory.ids);
    this.#reader = new PackReader(directory.names, () => directory.ids);
    this.#columns = Object.entries(columns).map(([name, column], place) => ({ name, place, column }));
    this.#placeOf = new Map(this.#columns.map(({ name, place }) => [name, place]));
    this.#places = this.#columns.filter(({ column }) => 'form' in column).map(({ place }) => place);
    this.#key = key.map((name) => columnsOf(table).indexOf(name));
    this.#eventsAt = columnsOf(table).indexOf(EVENTS);
  }

  encode(row: readonly Value[]): StoredRow {
    this.#row = row;
    const writer = this.#writer;
    writer.begin();
    const stored: StoredRow = [];
    for (const { place, column } of this.#columns) {
      const value = row[place];
      if ('form' in column) {
        const integer = value === null ? null : this.#integerOf(column.form, value);
        stored.push(integer ?? null);
        if (integer !== undefined) continue;
        if (this.#key.includes(place)) throw new RangeError(`a key of ${this.#table} cannot be stored: ${value}`);
      } else if (place !== this.#eventsAt && value === column.usual(this.#of, this.#directory.ids)) continue;
      else if (place === this.#eventsAt && value === null) continue;
      writer.byte(place);
      if (place === this.#eventsAt) this.#writeEvents(value as readonly Packed[], row);
      else if ('usual' in column && column.after !== undefined && typeof value === 'number') {
        writer.value(value - (this.#of(column.after) as number));
      } else writer.value(value, 'usual' in column && column.named === true && typeof value === 'string');
    }
    stored.push(writer.length === 0 ? null : writer.take());
    stored.push(sumOf(stored));
    return stored;
  }

  #writeEvents(events: readonly Packed[], row: readonly Value[]): void {
    const writer = this.#writer;
    writer.know(row.slice(0, this.#eventsAt) as Packed[]);
    writer.number(events.length);
    for (const event of events) writer.object(event as PackedObject);
    writer.know([]);
  }

  /** @throws {ArchiveDamaged} */
  decode(stored: StoredRow): Row {
    const sum = stored.pop();
    if (sum !== sumOf(stored)) throw new ArchiveDamaged(`a row of ${this.#table} does not match its checksum`);
    const rest = stored[stored.length - 1] as Uint8Array | null;
    const { ids } = this.#directory;
    const reader = this.#reader;
    if (rest !== null) reader.begin(rest);
    const row: Row = [];
    this.#row = row;
    let at = 0;
    let next = rest === null ? -1 : reader.byte();
    for (const { place, column } of this.#columns) {
      const integer = 'form' in column ? (stored[at++] as number | null) : null;
      if (place === next) {
        row.push(this.#read(reader, place, column));
        next = reader.done ? -1 : reader.byte();
      } else if ('form' in column) row.push(integer === null ? null : this.#valueOf(column.form, integer));
      else row.push(place === this.#eventsAt ? null : column.usual(this.#of, ids));
    }
    if (next >= 0) throw new ArchiveDamaged(`a row of ${this.#table} has a column ${next} too many`);
    return row;
  }

  #read(reader: PackReader, place: number, column: Column): Value {
    if (place === this.#eventsAt) {
      reader.know(this.#row as Packed[]);
      const events = Array.from({ length: reader.number() }, () => reader.object());
      reader.know([]);
      return events;
    }
    const value = reader.value() as Value;
    if (!('usual' in column) || column.after === undefined || typeof value !== 'number') return value;
    return value + (this.#of(column.after) as number);
  }

  /** The first values of a key as in the file. Unknown names and accounts become numbers that no row has. */
  keyOf(values: readonly Value[]): number[] {
    return values.map((value, i) => {
      const { column } = this.#columns[this.#key[i]];
      const { form } = column as { form: IntegerForm };
      if (form === 'name') return this.#directory.names.knownId(value as string) ?? -1;
      if (form === 'account') return this.#directory.accountNumber(value as string) ?? -1;
      return this.#integerOf(form, value) as number;
    });
  }

  /** The key in a row of the file. */
  storedKey(stored: StoredRow): number[] {
    return this.#key.map((place) => stored[this.#places.indexOf(place)] as number);
  }

  /** Undefined: it fits no integer. */
  #integerOf(form: IntegerForm, value: Value): number | undefined {
    if (form === 'name') return this.#directory.names.idOf(value as string);
    if (form === 'decimal') return integerOfDecimal(value as string);
    if (form === 'account') {
      const number = this.#directory.accountNumber(value as string);
      if (number === undefined) throw new Error(`a row of ${this.#table} names the unknown account ${value}`);
      return number;
    }
    if (form === 'orderId') {
      const key = this.#directory.ids?.decode(value as string) ?? -1;
      return key < 0 ? undefined : integerOfKey(key);
    }
    if (form === 'orderKey') return integerOfKey(value as number);
    if (form === 'integer') return value as number;
    return (this.#of(form.below) as number) - (value as number);
  }

  #valueOf(form: IntegerForm, integer: number): Value {
    if (form === 'integer') return integer;
    if (form === 'name') return this.#directory.names.textOf(integer);
    if (form === 'decimal') return decimalOfInteger(integer);
    if (form === 'account') return this.#directory.accountName(integer);
    if (form === 'orderKey') return keyOfInteger(integer);
    if (form === 'orderId') {
      const { ids } = this.#directory;
      if (ids === undefined) throw new ArchiveDamaged('it has order ids, and no key for them');
      return ids.encode(keyOfInteger(integer));
    }
    return (this.#of(form.below) as number) - integer;
  }
}

/** Signed, which is shorter in the file. */
function sumOf(stored: StoredRow): number {
  const last = stored.length - 1;
  const rest = stored[last] as Uint8Array | null;
  for (let i = 0; i < last; i += 1) SUMMED[i] = (stored[i] as number | null) ?? Number.NaN;
  const integers = crc32(SUMMED_BYTES.subarray(0, last * SUMMED.BYTES_PER_ELEMENT));
  return (rest === null ? integers : crc32(rest, integers)) | 0;
}
