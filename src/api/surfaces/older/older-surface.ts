/**
 * An older version of a surface: the routes of the newer one, with the older names added to its records. Clients of
 * older versions read those names, and ignore the others. A difference between two versions is a row in versions.ts.
 *
 * Cost: one copy of each record.
 */
import type { TObject, TSchema } from 'typebox';
import * as reply from '../../orders/reply-fields.ts';
import type { Call, Route, Surface } from '../../shared/surface.ts';

/**
 * The value of an older field: that of the first of these fields of the newer record that is there and not null. A
 * number is the value itself.
 */
export type Sources = readonly (string | number)[];
export type OlderNames = Readonly<Record<string, Sources>>;

/** A record of the newer version, as its schema, and what the older versions call its fields. */
export interface OlderRecord {
  readonly newer: TObject;
  readonly older: TObject;
  readonly names: OlderNames;
}

/** How a version spells names of markets, where it differs from the newer version. */
export interface Spelling {
  /** The same call in the newer spelling. */
  request(call: Call): Call;
  /** The reply to a call (as it was sent), in the older spelling. */
  reply(call: Call, body: unknown): unknown;
}

export interface Version {
  readonly name: string;
  readonly basePath: string;
  readonly newer: Surface;
  readonly records: readonly OlderRecord[];
  readonly spelling?: Spelling;
}

export function olderRecord(newer: TSchema, title: string, names: OlderNames): OlderRecord {
  const { properties } = newer as TObject;
  const added = Object.entries(names).map(([name, sources]) => [name, reply.number(`As ${sources.join(', or ')}`)]);
  const older = reply.component(title, { ...properties, ...Object.fromEntries(added) });
  return { newer: newer as TObject, older, names };
}

export function olderSurface({ name, basePath, newer, records, spelling }: Version): Surface {
  const routes = newer.routes.map((route) => spelled(renamed(route, records), spelling));
  return { ...newer, name, basePath, newer, routes };
}

function renamed(route: Route, records: readonly OlderRecord[]): Route {
  const { items } = route.reply as { items?: TSchema };
  const record = records.find(({ newer }) => newer === (items ?? route.reply));
  if (record === undefined) return route;
  const rename = (body: unknown) =>
    items === undefined
      ? withOlderNames(body as object, record.names)
      : (body as object[]).map((row) => withOlderNames(row, record.names));
  const schema = items === undefined ? record.older : reply.list(record.older);
  return { ...route, reply: schema, handle: (call) => after(route.handle(call), rename) };
}

function withOlderNames(row: object, names: OlderNames): object {
  const record: Record<string, unknown> = { ...row };
  for (const [name, sources] of Object.entries(names)) {
    const source = sources.find((each) => typeof each === 'number' || (record[each] ?? null) !== null);
    record[name] = typeof source === 'string' ? record[source] : source;
  }
  return record;
}

function spelled(route: Route, spelling: Spelling | undefined): Route {
  if (spelling === undefined) return route;
  return {
    ...route,
    handle: (call) => after(route.handle(spelling.request(call)), (body) => spelling.reply(call, body)),
  };
}

function after(result: unknown, then: (body: unknown) => unknown): unknown {
  return result instanceof Promise ? result.then(then) : then(result);
}
