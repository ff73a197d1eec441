/**
 * Writes commands as payload format 2 of a frame: one after another, each as the number of its shape and what the shape
 * says (fields.ts), or as JSON.
 *
 * Numbers have base 126, the last digit first. A digit d is the byte 127 + d, or 1 + d in the end. So a payload has no
 * byte 0 and none above 252, and cannot imitate what recovery looks for (frame.ts): zeros, the magic and the end mark.
 *
 * Invariants:
 * - `decodeCommands` gives back what JSON would give back, whatever the command.
 * - A payload is read without any other one. What many commands have, such as an API key, it holds once.
 *
 * Cost: about that of JSON.stringify.
 */
import type { EncodedCommands } from '../../contract/command-log.ts';
import { JSON_SHAPE, SHAPES } from './command-table.ts';
import { ABSENT, type Field, type Fields, type Shape, type ValueKind } from './fields.ts';

/** A shared text that is written as bytes, half as long: an API key that the venue made is 32 of them. */
const HEX_BYTES = /^(?:[0-9a-f]{2}){4,60}$/;
/** The largest byte of a number. */
const MAX_BYTE = 252;
/** No number takes more bytes: 126^8 is above 2^53. */
const NUMBER_BYTES = 8;
const MAX_WHOLE = 2 ** 52 - 1;
const FIRST_BYTES = 4096;
/** How many shared texts are kept from batch to batch. All are dropped when there are more. */
const MAX_SHARED = 4096;

type Values = Readonly<Record<string, unknown>>;

interface SharedText {
  /** Null: it is written as text. */
  readonly packed: Buffer | null;
  /** The last batch that had it. */
  batch: number;
  /** Its number in that batch, from 1. */
  number: number;
}

const SHAPES_OF = Map.groupBy(SHAPES, ({ common }) => common.type);

/** The commands as one payload. @throws {TypeError} JSON cannot hold one of them */
export function encodeCommands(commands: readonly unknown[]): EncodedCommands {
  const encoder = new CommandEncoder();
  for (const command of commands) encoder.add(command);
  return encoder.take();
}

/** Encodes one batch after another. */
export class CommandEncoder {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;
  #count = 0;
  /** Shared texts of this batch and those before. */
  #shared = new Map<string, SharedText>();
  /** The number of this batch. */
  #batch = 0;
  /** How many shared texts this batch has. */
  #sharedInBatch = 0;
  /** The last number that was written as a difference. */
  #near = 0;
  /** The head of the command that is being checked, as far as it is known. */
  #head = 0;
  /** How many of its bits are known, or were used. */
  #bits = 0;

  /** The size of the commands so far. */
  get bytes(): number {
    return this.#at;
  }

  /** @throws {TypeError} JSON cannot hold it; then it is not added */
  add(command: unknown): void {
    const shape = this.#shapeOf(command as Values);
    if (shape === undefined) this.#writeJson(command);
    else {
      this.#writeCount(shape.number);
      if (shape.bits > 0) this.#writeCount(this.#head);
      this.#bits = 0;
      this.#writeFields(shape.fields, command as Values);
    }
    this.#count += 1;
  }

  /** The commands that were added. The encoder is then empty again. */
  take(): EncodedCommands {
    const commands = { count: this.#count, bytes: Buffer.from(this.#buffer.subarray(0, this.#at)) };
    this.#at = 0;
    this.#count = 0;
    this.#batch += 1;
    this.#sharedInBatch = 0;
    if (this.#shared.size > MAX_SHARED) this.#shared = new Map();
    this.#near = 0;
    return commands;
  }

  /** The shape that holds exactly this command. Sets the head. */
  #shapeOf(command: Values | null | undefined): Shape | undefined {
    if (typeof command !== 'object' || command === null) return undefined;
    return SHAPES_OF.get(command.type as string)?.find(({ common, fields }) => {
      let names = 0;
      for (const name in common) {
        if (command[name] !== common[name]) return false;
        names += 1;
      }
      this.#head = 0;
      this.#bits = 0;
      return this.#fit(fields, command, names);
    });
  }

  /** Whether the fields hold all of the values, apart from `names` other ones. */
  #fit(fields: Fields, values: Values, names: number): boolean {
    let known = names;
    for (const name in fields) {
      const value = values[name];
      if (!this.#fits(fields[name], value)) return false;
      if (value !== undefined || name in values) known += 1;
    }
    return known === namesIn(values);
  }

  #fits(field: Field, value: unknown): boolean {
    const { value: kind, bits, valueBits } = field;
    const state = stateOf(field, value);
    if (state < 0) return false;
    this.#head |= state << this.#bits;
    this.#bits += bits;
    const isConstant = state < field.constants.length;
    if (isConstant || kind === undefined || typeof kind === 'string') {
      this.#bits += valueBits;
      return isConstant || this.#fitsValue(kind as ValueKind, value);
    }
    return typeof value === 'object' && value !== null && this.#fit(kind, value as Values, 0);
  }

  #fitsValue(kind: ValueKind, value: unknown): boolean {
    switch (kind) {
      case 'count':
        return Number.isSafeInteger(value) && (value as number) >= 0;
      case 'whole':
        return Number.isSafeInteger(value) && Math.abs(value as number) <= MAX_WHOLE;
      case 'near':
        return Number.isSafeInteger(value) && Math.abs((value as number) - this.#near) <= MAX_WHOLE;
      case 'numbers':
        return Array.isArray(value) && this.#areWhole(value);
      case 'text':
      case 'shared':
        return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
    }
  }

  #areWhole(values: readonly unknown[]): boolean {
    for (let i = 0; i < values.length; i += 1) if (!this.#fitsValue('whole', values[i])) return false;
    return true;
  }

  #writeFields(fields: Fields, values: Values): void {
    for (const name in fields) {
      const { constants, value: kind, bits, valueBits } = fields[name];
      const state = (this.#head >>> this.#bits) & ((1 << bits) - 1);
      this.#bits += bits;
      if (state < constants.length) this.#bits += valueBits;
      else if (typeof kind === 'object') this.#writeFields(kind, values[name] as Values);
      else this.#writeValue(kind as ValueKind, values[name]);
    }
  }

  #writeValue(kind: ValueKind, value: unknown): void {
    if (kind === 'count') this.#writeCount(value as number);
    else if (kind === 'whole') this.#writeWhole(value as number);
    else if (kind === 'near') this.#writeNear(value as number);
    else if (kind === 'text') this.#writeText(value as string);
    else if (kind === 'numbers') this.#writeNumbers(value as readonly number[]);
    else this.#writeShared(value as string);
  }

  #writeJson(command: unknown): void {
    const text: string | undefined = JSON.stringify(command);
    if (text === undefined) throw new TypeError(`a command cannot be ${String(command)}`);
    this.#writeCount(JSON_SHAPE);
    this.#writeText(text);
  }

  #writeCount(value: number): void {
    this.#room(NUMBER_BYTES);
    const buffer = this.#buffer;
    let rest = value;
    while (rest >= 126) {
      const higher = Math.floor(rest / 126);
      buffer[this.#at++] = 127 + (rest - higher * 126);
      rest = higher;
    }
    buffer[this.#at++] = 1 + rest;
  }

  /** The sign is the lowest bit. */
  #writeWhole(value: number): void {
    this.#writeCount(value < 0 ? -2 * value - 1 : 2 * value);
  }

  #writeNumbers(values: readonly number[]): void {
    this.#writeCount(values.length);
    for (const value of values) this.#writeWhole(value);
  }

  #writeNear(value: number): void {
    this.#writeWhole(value - this.#near);
    this.#near = value;
  }

  /** The first number is twice the size. With one more, it says that bytes follow whose hex digits are the text. */
  #writeText(text: string): void {
    const size = Buffer.byteLength(text);
    this.#writeCount(2 * size);
    this.#room(size);
    this.#at += this.#buffer.write(text, this.#at);
  }

  #writeShared(text: string): void {
    const shared = this.#sharedOf(text);
    const isKnown = shared.batch === this.#batch;
    this.#writeCount(isKnown ? shared.number : 0);
    if (isKnown) return;
    this.#sharedInBatch += 1;
    shared.batch = this.#batch;
    shared.number = this.#sharedInBatch;
    const { packed } = shared;
    if (packed === null) this.#writeText(text);
    else {
      this.#writeCount(2 * (packed.length - 1) + 1);
      this.#room(packed.length);
      this.#at += packed.copy(this.#buffer, this.#at);
    }
  }

  /**
   * What is known of the text. Hex digits are packed: as bytes, each XOR a mask that keeps them among those of numbers. The
   * mask comes first.
   */
  #sharedOf(text: string): SharedText {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const packed = HEX_BYTES.test(text) ? masked(Buffer.from(text, 'hex')) : null;
    const shared = { packed, batch: -1, number: 0 };
    this.#shared.set(text, shared);
    return shared;
  }

  /** Lets the buffer have room for so many bytes more. */
  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

/** The number of the value's constant, or the one after the last for another value. −1: there is no other value. */
function stateOf({ constants, value: kind }: Field, value: unknown): number {
  for (let i = 0; i < constants.length; i += 1) {
    if (value === constants[i] || (value === undefined && constants[i] === ABSENT)) return i;
  }
  return kind === undefined ? -1 : constants.length;
}

function namesIn(values: Values): number {
  let names = 0;
  for (const _ in values) names += 1;
  return names;
}

/**
 * The bytes behind a mask, each XOR the mask. The mask is such that all are from 1 to 252. Each byte rules out four masks,
 * so one is left for 60 bytes.
 */
function masked(bytes: Buffer): Buffer {
  let mask = 1;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ^ mask;
    if (byte >= 1 && byte <= MAX_BYTE) continue;
    mask += 1;
    i = -1;
  }
  return Buffer.from([mask, ...bytes.map((byte) => byte ^ mask)]);
}
