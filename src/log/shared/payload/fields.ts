/**
 * What a table of commands is made of (command-table.ts). From the same table, commands are written (encode.ts) and read
 * (decode.ts).
 *
 * A shape is one kind of command: its number, what all such commands have in common, and its fields. In the bytes, the
 * number is followed by the head and then by the values of the fields, in the order of the table.
 *
 * Invariants:
 * - A field has a few constants and at most one kind of other value. The head holds, in as many bits as the field needs,
 *   the number of its constant, or the number after the last constant if a value follows.
 * - Logs keep these numbers for ever. So in a shape that was released nothing is changed, and its number is never used for
 *   another one. A command with more fields or constants gets a new shape.
 */

/** The constant of a field that the command does not have. */
export const ABSENT = Symbol('absent');

export type Constant = null | boolean | number | string | typeof ABSENT;

/**
 * How a value is written:
 * - `count`: a whole number from 0 to 2^53 − 1
 * - `whole`: a whole number of at most 52 bits, with its sign
 * - `near`: a whole number, as its difference to the last such number in the batch
 * - `text`: a text of whole characters, without U+0000
 * - `numbers`: a list of such numbers as `whole`
 * - `shared`: a text that many commands of a batch have: the first time as text, then as its number
 */
export type ValueKind = 'count' | 'whole' | 'near' | 'text' | 'numbers' | 'shared';

export interface Field {
  readonly constants: readonly Constant[];
  /** How all other values are written. Fields: the value is an object that has them. Absent: there are no others. */
  readonly value?: ValueKind | Fields;
  /** The bits of the head that say which of these the field has. */
  readonly bits: number;
  /** The bits after them, which belong to the fields of the value. */
  readonly valueBits: number;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Shape {
  readonly number: number;
  /** What every such command has: the version and the type, and the kind of a placement. */
  readonly common: Readonly<Record<string, string | number>> & { readonly type: string };
  readonly fields: Fields;
  /** The size of the head. */
  readonly bits: number;
}

/** The head is read with operations on 32 bits. */
const MAX_BITS = 31;

/** The names of a type's fields that a table may name. */
type NamesOf<T> = T extends unknown ? keyof T : never;

/** A shape for commands of type `T`. Fields that may be absent come last. */
export function shape<T>(
  number: number,
  common: Readonly<Record<string, string | number>> & { readonly type: string },
  fields: Readonly<Partial<Record<NamesOf<T>, Field>>>,
): Shape {
  const all = fields as Fields;
  const bits = bitsOf(all);
  if (bits > MAX_BITS) throw new Error(`the head of shape ${number} has ${bits} bits, more than ${MAX_BITS}`);
  const list = Object.values(all);
  const firstOptional = list.findIndex(isOptional);
  if (firstOptional >= 0 && !list.slice(firstOptional).every(isOptional)) {
    throw new Error(`shape ${number} has a field after one that may be absent`);
  }
  return { number, common: { v: 1, ...common }, fields: all, bits };
}

function field(constants: readonly Constant[], value?: ValueKind | Fields): Field {
  const states = constants.length + (value === undefined ? 0 : 1);
  const valueBits = typeof value === 'object' ? bitsOf(value) : 0;
  return { constants, ...(value !== undefined && { value }), bits: 32 - Math.clz32(states - 1), valueBits };
}

/** A field that has one of these values, and no other. */
export function oneOf(...constants: readonly (boolean | number | string)[]): Field {
  return field(constants);
}

/** A field without constants: its values are written after the head. */
export function written(value: ValueKind | Fields): Field {
  return field([], value);
}

export function orNull({ constants, value }: Field): Field {
  return field([null, ...constants], value);
}

export function optional({ constants, value }: Field): Field {
  return field([ABSENT, ...constants], value);
}

export function isOptional({ constants }: Field): boolean {
  return constants[0] === ABSENT;
}

function bitsOf(fields: Fields): number {
  return Object.values(fields).reduce((sum, { bits, valueBits }) => sum + bits + valueBits, 0);
}
