/** What the tests of the log share: a log on a simulated disk, and what is found in it. */
import { hash } from 'node:crypto';
import { type CommandLog, LogFull } from '../../src/log/contract/command-log.ts';
import { FileLog, type FileLogOptions } from '../../src/log/file/file-log.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import type { SimDisk } from '../sim/sim-disk.ts';

export const SEGMENT_BYTES = 16 * 1024;

/** Opens the log on the disk; `found` gets the commands that it holds. */
export function openLog(disk: SimDisk, found: unknown[] = [], options: Partial<FileLogOptions> = {}): Promise<FileLog> {
  return FileLog.open(disk, {
    rulesVersion: '1',
    segmentBytes: SEGMENT_BYTES,
    replay: (entry) => void found.push(...entry.commands),
    ...options,
  });
}

/** Appends one batch of the given commands. */
export function append(log: CommandLog, ...commands: unknown[]): Promise<void> {
  return log.append({ firstSeq: log.lastSeq + 1, timeMs: 1000 + log.lastSeq, commands: encodeCommands(commands) });
}

/** All commands on the disk, verified. */
export function commandsOn(disk: SimDisk): unknown[] {
  return [...readEntries(disk)].flatMap((entry) => entry.commands);
}

/** A command whose text is about so many bytes long. */
export function sized(id: number, bytes: number): { id: number; fill: string } {
  return { id, fill: 'x'.repeat(bytes) };
}

/** An order as clients send it, signed with another key for each `id`. */
export function order(id: number): object {
  const key = hash('sha256', `key ${id}`, 'hex');
  const base = { v: 1, type: 'place', account: id, market: 0, side: 0, clientId: null, request: null, broker: null };
  const terms = { kind: 'limit', price: 59_000, size: 100, timeInForce: 'GTC', postOnly: false, reduceOnly: false };
  return { ...base, ...terms, signed: { key, nonceMs: 1_767_225_600_000 + id } };
}

export async function untilFull(log: CommandLog, bytes: number): Promise<LogFull> {
  for (let id = 0; id < 1000; id += 1) {
    try {
      await append(log, sized(id, bytes));
    } catch (error) {
      if (error instanceof LogFull) return error;
      throw error;
    }
  }
  throw new Error('the disk never got full');
}
