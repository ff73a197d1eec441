/**
 * A conformance table: one entry a row of the specification, with a sentence of what is shown and the test that shows
 * it. The document docs/internal/conformance.md is made from the same entries, so it lists nothing that is not tested.
 */
import assert from 'node:assert/strict';
import type { Client, Json, Reply } from '../support/client.ts';
import { refused } from '../support/client.ts';
import type { World } from '../support/venue.ts';

export interface Row {
  /** The row's name in the specification. */
  readonly row: string;
  /** What the test shows. */
  readonly shows: string;
  /** Starts from empty books, funded accounts, and every price at 100. */
  readonly test: (w: World) => Promise<unknown>;
  /** What of the row is still to come, and why. */
  readonly open?: string;
}

export interface Section {
  /** Number in the specification: '2.1'. */
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A request as a test sends it: which call, and the body that would be accepted. */
export interface Request {
  readonly send: (client: Client, body: Json) => Promise<Reply>;
  readonly body: Json;
  /** The code of a malformed request on the surface. */
  readonly malformed: number;
}

export function without(body: Json, field: string): Json {
  const { [field]: _, ...rest } = body;
  return rest;
}

/** Leaving the field out is refused as malformed, naming it. */
export async function isRequired(w: World, request: Request, field: string): Promise<void> {
  const body = without(request.body, field);
  await refused(request.send(w.alice, body), request.malformed, `${field} is missing`);
}

/** Each value is refused as malformed, naming the field. */
export async function takesNone(w: World, request: Request, field: string, values: readonly unknown[]): Promise<void> {
  for (const value of values) {
    const body = { ...request.body, [field]: value };
    await refused(request.send(w.alice, body), request.malformed, field);
  }
}

/** Each value is accepted; the ids of what it placed are left live for the test to look at. */
export async function takes(w: World, request: Request, field: string, values: readonly unknown[]): Promise<Json[]> {
  const replies: Json[] = [];
  for (const value of values) {
    const { status, body, text } = await request.send(w.alice, { ...request.body, [field]: value });
    assert.equal(status, 200, `${field} ${JSON.stringify(value)}: ${text}`);
    replies.push(body);
  }
  return replies;
}

/** What no number field takes, whatever its bounds. */
export const NO_NUMBERS: readonly unknown[] = ['x', '', true, [], {}, '1,0', ' 1', '0x10', 'NaN', '1e400'];
export const NO_FLAGS: readonly unknown[] = ['true', 1, 0, 'yes', [], {}];
export const NO_TEXT: readonly unknown[] = ['', 1, true, [], {}];

/** Fields that a record has beyond the specification, each with the reason. */
export type Additions = Readonly<Record<string, string>>;

/** A row that shows the set of fields: those that the section's other rows name, the additions, and no others. */
export function fieldsRow(
  of: () => Section,
  additions: Additions,
  records: (w: World) => Promise<readonly { record: Json; absent: readonly string[] }[]>,
): Row {
  const named = Object.entries(additions).map(([field, reason]) => `${field} (${reason})`);
  const beyond = named.length === 0 ? 'no others' : `beyond them ${named.join(', ')}`;
  return {
    row: 'The set of fields',
    shows: `in every kind of order exactly the fields listed; ${beyond}`,
    async test(w) {
      const fields = of()
        .rows.flatMap(({ row }) => row.split(' / '))
        .filter((row) => !row.includes(' '));
      const all = [...fields, ...Object.keys(additions)];
      for (const { record, absent } of await records(w)) {
        const expected = all.filter((field) => !absent.includes(field));
        assert.deepEqual(Object.keys(record).sort(), expected.sort());
      }
    },
  };
}
