/** What the tests of the archive share: an archive of a list of commands, and all that is in it. */

import { Projector } from '../../src/archive/follow/projector.ts';
import type { TradeQuery } from '../../src/archive/read/trades.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { type Row, TABLE_NAMES, type TableName, toObject, type Value } from '../../src/archive/store/tables.ts';
import { LogReplayer } from '../../src/engine/replay/log-replayer.ts';
import { parseDecimal } from '../../src/venue/contract/decimal.ts';
import { Venue } from '../../src/venue/venue.ts';
import { START_MS } from '../venue/support.ts';

/** All spot trades of nobody, newest first: what a test asks for is laid over it. */
export const ANY_TRADES: TradeQuery = {
  account: '',
  product: 'spot',
  market: null,
  fromMs: 0,
  toMs: Number.MAX_SAFE_INTEGER,
  orderId: null,
  clientId: null,
  beforeId: null,
  afterId: null,
  limit: 1000,
  oldestFirst: false,
};

export interface Projected {
  readonly store: ArchiveStore;
  readonly venue: Venue;
  /** Goes on with further commands. */
  go(texts: readonly string[]): void;
}

/** An archive, in memory unless a file is given, written every so many commands. What it holds already is not written again. */
export function projected(texts: readonly string[], every = 7, path = ':memory:'): Projected {
  const store = new ArchiveStore(path);
  const held = store.state.seq;
  const projector = new Projector(store);
  const venue = new Venue();
  projector.follow(venue);
  const fold = new LogReplayer(venue, { apply: projector.apply });
  let seq = 0;
  const go = (more: readonly string[]): void => {
    more.forEach((text, i) => {
      seq += 1;
      projector.on = seq > held;
      const place = { kind: 'batch', epoch: 1, firstSeq: seq, lastSeq: seq, place: 'test', bytes: 1 } as const;
      const position = { seq, hash: String(seq) };
      fold.take({ ...place, position, timeMs: START_MS, commands: [JSON.parse(text)] });
      if (i % every !== every - 1 && i < more.length - 1) return;
      fold.finish();
      if (seq > held) projector.write({ seq, position: null });
    });
  };
  go(texts);
  return { store, venue: fold.venue, go };
}

export function table(store: ArchiveStore, name: TableName, condition = 'true'): Record<string, Value>[] {
  return [...store.rows(name, condition)].map((row) => toObject(name, row));
}

/** Every row of every table, in an order that does not depend on the numbers of names. */
export function dump(store: ArchiveStore): Record<string, Row[]> {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, sorted([...store.rows(name)])]));
}

function sorted(rows: Row[]): Row[] {
  const texts = new Map(rows.map((row) => [row, JSON.stringify(row)]));
  return rows.sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1));
}

/** Decimal text as a whole number of 10^-18. */
export function fine(text: Value): bigint {
  const value = parseDecimal(String(text));
  if (typeof value === 'string') throw new RangeError(`${text}: ${value}`);
  return value.coefficient * 10n ** BigInt(18 - value.scale);
}
