/**
 * The records of a log in memory, and how they are read. A record is durable as soon as it is added.
 *
 * Cost: the size of the encoded commands, until they are dropped.
 */
import { type EncodedCommands, LogDamaged } from '../contract/command-log.ts';
import type {
  LogEnd,
  LogEntry,
  LogFollower,
  LogOrigin,
  LogPosition,
  LogSource,
  MovedPart,
} from '../contract/log-source.ts';
import { decodeCommands } from '../shared/payload/decode.ts';

export interface MemoryRecord extends Omit<LogEntry, 'commands' | 'position' | 'place' | 'bytes'> {
  /** Batches only. */
  readonly commands?: EncodedCommands;
}

interface MemoryPosition extends LogPosition {
  /** The number of the record, from 1. */
  readonly record: number;
}

const NO_COMMANDS: EncodedCommands = { count: 0, bytes: Buffer.alloc(0) };

let logs = 0;

export class MemoryRecords implements LogSource {
  readonly #name = `memory-${++logs}`;
  /** The records that are kept. */
  #records: MemoryRecord[] = [];
  /** The number of dropped records. */
  #forgotten = 0;
  /** The last record, kept or dropped. */
  #last: MemoryRecord | undefined;

  get last(): MemoryRecord | undefined {
    return this.#last;
  }

  /** The number of all records so far. */
  get count(): number {
    return this.#forgotten + this.#records.length;
  }

  get position(): LogPosition | undefined {
    return this.#last === undefined ? undefined : this.#position(this.count, this.#last.lastSeq);
  }

  add(record: MemoryRecord): void {
    this.#records.push(record);
    this.#last = record;
  }

  /** Drops everything up to a position that a snapshot covers. */
  forget(position: LogPosition): void {
    const upTo = this.#recordAt({ position, rulesVersion: '', name: 'a snapshot' });
    this.#records = this.#records.slice(upTo - this.#forgotten);
    this.#forgotten = upTo;
  }

  async *read(origin?: LogOrigin): AsyncGenerator<LogEntry, LogEnd, void> {
    const follower = this.#follower(origin);
    yield* follower.available();
    const { position } = follower;
    const { kind, epoch, lastSeq, timeMs } = this.#last ?? { epoch: 0, lastSeq: 0, timeMs: 0 };
    return { position, epoch, lastSeq, timeMs, sealed: kind === 'seal', records: this.count, place: this.#name };
  }

  async follow(origin?: LogOrigin): Promise<LogFollower> {
    return this.#follower(origin);
  }

  /** What is dropped is gone, and not in another place. */
  async moved(): Promise<MovedPart | undefined> {
    return undefined;
  }

  async size(position?: LogPosition): Promise<number> {
    const upTo = position === undefined ? this.count : (position as MemoryPosition).record;
    let bytes = 0;
    for (const record of this.#records.slice(0, Math.max(0, upTo - this.#forgotten))) bytes += sizeOf(record);
    return bytes;
  }

  /** The record after `behind` others. Undefined if there is none yet. @throws {LogDamaged} it was dropped */
  entry(behind: number): LogEntry | undefined {
    if (behind < this.#forgotten) {
      throw new LogDamaged(this.#name, `the records up to ${this.#forgotten} are not kept: a snapshot holds them`);
    }
    const record = this.#records[behind - this.#forgotten];
    if (record === undefined) return undefined;
    const { count, bytes } = record.commands ?? NO_COMMANDS;
    const commands = decodeCommands(bytes, count);
    const position = this.#position(behind + 1, record.lastSeq);
    return { ...record, commands, position, place: `${this.#name}, record ${behind + 1}`, bytes: sizeOf(record) };
  }

  #follower(origin: LogOrigin | undefined): MemoryFollower {
    if (origin === undefined) return new MemoryFollower(this, 0);
    return new MemoryFollower(this, this.#recordAt(origin), origin.position);
  }

  /** The number of the record that the origin names. */
  #recordAt({ position, name }: LogOrigin): number {
    const { record, seq, hash } = position as MemoryPosition;
    if (hash === this.#hash(record) && record <= this.count) return record;
    const missing = `the record up to seq ${seq}, after which ${name} was taken, is missing`;
    throw new LogDamaged(this.#name, `${missing}: the log is behind its own snapshot, or is another log`);
  }

  #position(record: number, seq: number): MemoryPosition {
    return { seq, hash: this.#hash(record), record };
  }

  #hash(record: number): string {
    return `${this.#name}:${record}`;
  }
}

class MemoryFollower implements LogFollower {
  readonly #records: MemoryRecords;
  #taken: number;
  #seq: number;
  /** The first seq of the last batch. Later records may say that one of its commands is poisoned. */
  #batchSeq = Number.POSITIVE_INFINITY;
  #position: LogPosition | undefined;

  constructor(records: MemoryRecords, taken: number, position?: LogPosition) {
    this.#records = records;
    this.#taken = taken;
    this.#position = position;
    this.#seq = position?.seq ?? 0;
  }

  get position(): LogPosition | undefined {
    return this.#position;
  }

  async *take(seq: number): AsyncGenerator<LogEntry, void, void> {
    yield* this.available(seq);
    if (this.#seq >= seq) return;
    throw new LogDamaged('memory', `the log ends at seq ${this.#seq}, but it is durable up to seq ${seq}`);
  }

  async *available(seq = Number.POSITIVE_INFINITY): AsyncGenerator<LogEntry, void, void> {
    for (;;) {
      const entry = this.#records.entry(this.#taken);
      if (entry === undefined || entry.lastSeq > seq) return;
      if (entry.kind === 'batch') this.#batchSeq = entry.firstSeq;
      const poisonedSeq = entry.poisoned?.seq ?? this.#batchSeq;
      if (poisonedSeq < this.#batchSeq) {
        throw new LogDamaged(
          entry.place,
          `a poisoned record of seq ${poisonedSeq}, which is not in the batch before it`,
        );
      }
      this.#taken += 1;
      this.#position = entry.position;
      this.#seq = entry.lastSeq;
      yield entry;
    }
  }
}

function sizeOf({ commands = NO_COMMANDS }: MemoryRecord): number {
  return 1 + commands.bytes.length;
}
