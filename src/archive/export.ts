/**
 * Writes orders, what happened to them, fills or the ledger of a data folder as CSV or JSON. It only reads, and the venue may be running. It
 * uses the folder's archive if that is sound and reaches the end of the log. Otherwise it builds a temporary archive
 * from the log.
 *
 * Rows of a branch that a reset or a return to a snapshot has left are marked, not omitted.
 */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ARCHIVE_FILE } from '../engine/identity/manifest.ts';
import { newestSnapshot } from '../engine/replay/snapshots.ts';
import { LogDamaged, LogMoved } from '../log/contract/command-log.ts';
import type { LogPosition } from '../log/contract/log-source.ts';
import type { LogStorage } from '../log/contract/storage.ts';
import { existingStorage } from '../log/open.ts';
import { Follower } from './follow/follower.ts';
import { LEDGER_COLUMNS, ledgerEntries } from './read/ledger.ts';
import { ArchiveDamaged } from './store/errors.ts';
import type { ArchiveState } from './store/state.ts';
import { ArchiveStore } from './store/store.ts';
import { EVENTS, isForgotten, storedEvents, storedOrders } from './store/stored-orders.ts';
import { columnsOf, type Row, toObject, type Value, withFlags } from './store/tables.ts';
import { includes } from './store/timeline.ts';

export const EXPORTS = ['orders', 'events', 'fills', 'ledger'] as const;
const FORMATS = ['csv', 'json'] as const;
export type ExportName = (typeof EXPORTS)[number];
export type ExportFormat = (typeof FORMATS)[number];

const CHUNK_CHARS = 64 * 1024;
/**
 * How often it tries again, with rests, if the archive is behind. That of a running venue is behind by milliseconds.
 */
const TRIES = 10;
const REST_MS = 100;
const TURN_MS = 200;
/** Internal numbers, which mean nothing outside. */
const INTERNAL = ['orderKey', 'n', 'events', 'traded', 'before', 'eventRows', 'setBackMs'];
const EVENT_COLUMNS = ['orderId', 'seq', 'timeMs', 'type', 'data'];

export interface ExportOptions {
  what: ExportName;
  format: ExportFormat;
  write: (text: string) => Promise<void>;
  onNotice?: (text: string) => void;
  /** 0 to 1, of the named step. */
  onProgress?: (step: string, fraction: number) => void;
}

/** Resolves with the number of rows. Rejects as reading a log does. */
export async function exportRows(folder: string, options: ExportOptions): Promise<number> {
  const storage = existingStorage(folder);
  const { onNotice = () => {}, onProgress = () => {} } = options;
  const ready = await readyArchive(storage, join(folder, ARCHIVE_FILE));
  if (ready instanceof ArchiveStore) return writeAll(ready, options);
  onNotice(`${ready}: a temporary one is built from the log`);
  const scratch = fs.mkdtempSync(join(tmpdir(), 'bourse-export-'));
  try {
    return await writeAll(await makeAnew(storage, scratch, onProgress), options);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
}

/** The folder's own archive if it is sound and complete. Otherwise what is wrong with it. */
async function readyArchive(storage: LogStorage, path: string): Promise<ArchiveStore | string> {
  if (!fs.existsSync(path)) return 'there is no archive';
  let end: number | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    let store: ArchiveStore | undefined;
    try {
      store = new ArchiveStore(path, { readOnly: true });
      end ??= await endOfLog(storage, store.state.position);
      if (store.state.seq >= end) {
        for (const _ of store.check());
        return store;
      }
    } catch (error) {
      store?.close();
      if (error instanceof ArchiveDamaged) return `the archive is damaged (${error.message})`;
      if (error instanceof LogMoved) return 'the log after the end of the archive was moved to another folder';
      if (error instanceof LogDamaged) return 'the archive belongs to another log, or is ahead of this one';
      throw error;
    }
    store.close();
    await delay(REST_MS);
  }
  return 'the archive is behind the log';
}

/** The last command of the log, read from a record on. */
async function endOfLog({ source }: LogStorage, position: LogPosition | null): Promise<number> {
  const origin = position === null ? await source.moved() : { position, rulesVersion: '', name: ARCHIVE_FILE };
  const log = await source.follow(origin);
  for await (const _ of log.available());
  return log.position?.seq ?? 0;
}

async function makeAnew(
  storage: LogStorage,
  scratch: string,
  onProgress: (step: string, fraction: number) => void,
): Promise<ArchiveStore> {
  const newest = await newestSnapshot(storage.snapshots);
  const end = await endOfLog(storage, newest?.head.position ?? null);
  const store = new ArchiveStore(join(scratch, ARCHIVE_FILE));
  const follower = await Follower.open(storage, store, end);
  while (!(await follower.advance(end, TURN_MS))) onProgress('making an archive', follower.seq / end);
  return store;
}

async function writeAll(store: ArchiveStore, options: ExportOptions): Promise<number> {
  const { what, format, write, onProgress } = options;
  const { lineage: timeline, ...state } = store.state;
  if (state.firstSeq > 1)
    options.onNotice?.(`known from seq ${state.firstSeq} on: this archive does not hold anything earlier`);
  const [columns, records, source] = recordsOf(store, what);
  const [head, lineOf, between, tail] =
    format === 'csv' ? ([`${[...columns, 'leftBranch'].join()}\r\n`, csvLine, '\r\n', '\r\n'] as const) : JSON_FORM;
  let text: string = head;
  let rows = 0;
  for (const record of records) {
    const leftBranch = !includes(timeline, record.seq as number);
    text += (rows > 0 ? between : '') + lineOf({ ...record, leftBranch });
    rows += 1;
    if (text.length < CHUNK_CHARS) continue;
    await write(text);
    text = '';
    onProgress?.(`exporting ${what}`, Math.min(1, rows / source(state)));
  }
  await write(text + (rows > 0 ? tail : format === 'json' ? ']\n' : ''));
  store.close();
  return rows;
}

type Values = Record<string, Value | boolean>;
/** Columns, records in order, and their approximate number. */
type Records = [
  readonly string[],
  Iterable<Values>,
  (state: Pick<ArchiveState, 'orders' | 'order_events' | 'fills' | 'movements'>) => number,
];

function recordsOf(store: ArchiveStore, what: ExportName): Records {
  if (what === 'ledger') {
    const entries = ledgerEntries(store) as Iterable<unknown> as Iterable<Values>;
    return [LEDGER_COLUMNS, inOrder(entries, LEDGER_COLUMNS), ({ fills, movements }) => 6 * fills + movements];
  }
  if (what === 'events') return [EVENT_COLUMNS, eventsOf(store), (state) => 2 * state.orders + state.order_events];
  const columns = columnsOf(what).filter((name) => !INTERNAL.includes(name));
  return [columns, inOrder(records(store, what), columns), ({ [what]: rows }) => rows];
}

function* records(store: ArchiveStore, what: 'orders' | 'fills'): Generator<Values> {
  const { state } = store;
  for (const row of store.rows(what, `true ORDER BY ${columnsOf(what)[0]}`)) {
    if (what === 'fills' || !isForgotten(row, state)) yield withFlags(toObject(what, row));
  }
}

/** One record for each event of each order, by order. `data` is the event as JSON. */
function* eventsOf(store: ArchiveStore): Generator<Values> {
  const { state } = store;
  for (const row of storedOrders(store)) {
    if (isForgotten(row, state)) continue;
    const [orderId, accepted] = [row[ORDER_ID], row[SEQ]] as [string, number];
    const first: Row[] = row[EVENTS] === null ? [] : [[row[0], accepted, row[EVENTS]]];
    for (const [, seq, events] of [...first, ...storedEvents(store, row)]) {
      for (const event of events as unknown as { time: number; type: string }[]) {
        yield { orderId, seq, timeMs: event.time, type: event.type, data: JSON.stringify(event) };
      }
    }
  }
}

function* inOrder(all: Iterable<Values>, columns: readonly string[]): Generator<Values> {
  for (const record of all) yield Object.fromEntries(columns.map((name) => [name, record[name]]));
}

const [ORDER_ID, SEQ] = ['orderId', 'seq'].map((name) => columnsOf('orders').indexOf(name));
const JSON_FORM = ['[\n', (record: object) => JSON.stringify(record), ',\n', '\n]\n'] as const;

function csvLine(record: Values): string {
  return Object.values(record).map(csvField).join();
}

/** RFC 4180: a field with a comma, a quote or a line break is quoted. */
function csvField(value: Value | boolean): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
