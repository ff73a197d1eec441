/**
 * Reads the commands of a payload of format 2 (encode.ts).
 *
 * Each shape has a separate function, whose text is made from the table when this file is loaded. A loop over the fields
 * that sets them by their names takes several times as long, and a replay would wait for it.
 *
 * Cost: bench/log.ts.
 */
import { FILLER } from '../frame.ts';
import { JSON_SHAPE, SHAPES } from './command-table.ts';
import { type Constant, type Field, type Fields, isOptional, type Shape } from './fields.ts';

/** A number in the payload has no meaning for this version. */
export class PayloadUnknown extends Error {
  override readonly name = 'PayloadUnknown';
}

/** The payload is not what its writer could have written. */
export class PayloadBroken extends Error {
  override readonly name = 'PayloadBroken';
}

/** The `count` commands of a payload, which may be filled up. @throws {PayloadUnknown} @throws {PayloadBroken} */
export function decodeCommands(bytes: Buffer, count: number): unknown[] {
  const from = new Reader(bytes);
  const commands: unknown[] = [];
  for (let i = 0; i < count; i += 1) {
    const number = from.count();
    const read = READERS[number];
    if (read !== undefined) commands.push(read(from));
    else if (number === JSON_SHAPE) commands.push(from.json());
    else from.unknown(`a command of shape ${number}`);
  }
  from.finish();
  return commands;
}

/**
 * Texts of hex digits that were read before, by their first 12 bits. One API key is in many batches, and a text that is
 * the same object need not be made and hashed again.
 */
const RECENT: ({ readonly bytes: Buffer; readonly text: string } | undefined)[] = new Array(4096).fill(undefined);

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #shared: string[] = [];
  #near = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  count(): number {
    const first = this.#bytes[this.#at++];
    if (first < 127) return first - 1;
    let value = first - 127;
    for (let scale = 126; ; scale *= 126) {
      const byte = this.#bytes[this.#at++];
      if (byte < 127) return value + scale * (byte - 1);
      if (byte === undefined) throw new PayloadBroken('it ends in a number');
      value += scale * (byte - 127);
    }
  }

  whole(): number {
    const value = this.count();
    if (value < 2 ** 31) return (value >> 1) ^ -(value & 1);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  numbers(): number[] {
    const count = this.count();
    if (count > this.#bytes.length - this.#at) this.#broken('it names more numbers than it holds');
    const values: number[] = [];
    for (let i = 0; i < count; i += 1) values.push(this.whole());
    return values;
  }

  near(): number {
    this.#near += this.whole();
    return this.#near;
  }

  text(): string {
    const head = this.count();
    const size = Math.floor(head / 2);
    if (head % 2 === 1) return this.#hex(size);
    return this.#slice(size);
  }

  shared(): string {
    const number = this.count();
    if (number > 0) return this.#shared[number - 1] ?? this.#broken('it names a text that it does not hold');
    const text = this.text();
    this.#shared.push(text);
    return text;
  }

  json(): unknown {
    const text = this.text();
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new PayloadBroken('a command in it is not JSON', { cause });
    }
  }

  /** The constant of that number. */
  constant(constants: readonly Constant[], number: number): Constant {
    const constant = constants[number];
    return constant === undefined ? this.unknown(`value ${number} of a field`) : constant;
  }

  unknown(what: string): never {
    this.#inside();
    throw new PayloadUnknown(what);
  }

  /** All commands were read: the rest fills the frame. */
  finish(): void {
    this.#inside();
    for (let at = this.#at; at < this.#bytes.length; at += 1) {
      if (this.#bytes[at] !== FILLER) this.#broken('it goes on after its last command');
    }
  }

  #slice(size: number): string {
    const begin = this.#at;
    this.#at += size;
    this.#inside();
    return this.#bytes.toString('utf8', begin, this.#at);
  }

  #hex(size: number): string {
    const mask = this.#bytes[this.#at++];
    const begin = this.#at;
    this.#at += size;
    this.#inside();
    const slot = ((this.#bytes[begin] ^ mask) << 4) | ((this.#bytes[begin + 1] ^ mask) & 15);
    const known = RECENT[slot];
    if (known !== undefined && this.#isMasked(known.bytes, begin, mask, size)) return known.text;
    const bytes = Buffer.allocUnsafe(size);
    for (let i = 0; i < size; i += 1) bytes[i] = this.#bytes[begin + i] ^ mask;
    const text = bytes.toString('hex');
    RECENT[slot] = { bytes, text };
    return text;
  }

  #isMasked(bytes: Buffer, begin: number, mask: number, size: number): boolean {
    if (bytes.length !== size) return false;
    const own = this.#bytes;
    for (let i = 0; i < size; i += 1) if (bytes[i] !== (own[begin + i] ^ mask)) return false;
    return true;
  }

  #inside(): void {
    if (!(this.#at <= this.#bytes.length)) this.#broken('it ends in a command');
  }

  #broken(what: string): never {
    throw new PayloadBroken(what);
  }
}

type Read = (from: Reader) => object;

function readerOf({ common, fields, bits }: Shape): Read {
  const { text, lists } = new ReaderText(common, fields, bits);
  return new Function('lists', `return (from) => { ${text} };`)(lists) as Read;
}

/**
 * The text of a function that reads the commands of a shape:
 *
 *     const head = from.count();
 *     if ((head >>> 5 & 1) !== 0) { const command = { "v": 1, "type": "cancel", "account": from.count(), …,
 *       "signed": { "key": from.shared(), "nonceMs": from.near() } }; return command; }
 *     const command = { "v": 1, "type": "cancel", "account": from.count(), … };
 *     return command;
 *
 * The first field that may be absent is `signed`, which nearly all commands have. A member that is added to a finished
 * object costs as much as the object.
 */
class ReaderText {
  readonly text: string;
  /** The constants of the fields that choose among several. */
  readonly lists: (readonly Constant[])[] = [];
  /** The next bit of the head. */
  #bit = 0;

  constructor(common: Shape['common'], fields: Fields, bits: number) {
    const all = Object.entries(fields);
    const fixed = Object.entries(common).map(([name, value]) => [name, JSON.stringify(value)]);
    const present = all.filter(([, field]) => !isOptional(field)).map(([name, field]) => [name, this.#valueOf(field)]);
    const [first, ...others] = all
      .filter(([, field]) => isOptional(field))
      .map(([name, field]) => ({ isPresent: `${this.#state(field)} !== 0`, member: [name, this.#valueOf(field)] }));
    const ifPresent = others.map(
      ({ isPresent, member: [name, value] }) => `if (${isPresent}) command[${JSON.stringify(name)}] = ${value};`,
    );
    const madeOf = (members: readonly string[][]) =>
      [`const command = ${literal(members)};`, ...ifPresent, 'return command;'].join(' ');
    const members = [...fixed, ...present];
    this.text = [
      bits === 0 ? '' : `const head = from.count(); if (!(head < ${2 ** bits})) from.unknown('the head of a command');`,
      first === undefined ? '' : `if (${first.isPresent}) { ${madeOf([...members, first.member])} }`,
      madeOf(members),
    ].join(' ');
  }

  /** An expression that gives the value of the field. */
  #valueOf(field: Field): string {
    const { constants, value, bits } = field;
    const state = this.#state(field);
    this.#bit += bits;
    const constant = this.#constantOf(field, state);
    if (value === undefined) return constant;
    const other = typeof value === 'string' ? `from.${value}()` : this.#objectOf(value);
    return constants.length === 0 ? other : `(${state} === ${constants.length} ? ${other} : ${constant})`;
  }

  #objectOf(fields: Fields): string {
    return literal(Object.entries(fields).map(([name, field]) => [name, this.#valueOf(field)]));
  }

  #constantOf({ constants, value, bits }: Field, state: string): string {
    const isOnly = constants.length === 1 && value !== undefined;
    if (isOnly) return JSON.stringify(constants[0]);
    const list = `lists[${this.lists.push(constants) - 1}]`;
    const numbers = constants.length + (value === undefined ? 0 : 1);
    return numbers === 2 ** bits ? `${list}[${state}]` : `from.constant(${list}, ${state})`;
  }

  #state({ bits }: Field): string {
    return `(head >>> ${this.#bit} & ${2 ** bits - 1})`;
  }
}

function literal(members: readonly string[][]): string {
  return `{ ${members.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ')} }`;
}

/** By the number of the shape. */
const READERS: (Read | undefined)[] = [];
for (const shape of SHAPES) READERS[shape.number] = readerOf(shape);
