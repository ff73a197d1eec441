/**
 * Applies what a log holds to a venue: the one way in which live batches, recovery, replay and verification do it, so that
 * all of them come to the same state.
 */
import { hash } from 'node:crypto';
import { type LogEntry, LogUnsupported } from '../log/command-log.ts';
import type { Command, CommandType } from '../venue/commands.ts';
import type { Reply, Venue } from '../venue/venue.ts';

/** The version of each command that this code writes and reads. */
const VERSIONS: Readonly<Record<CommandType, 1>> = {
  genesis: 1,
  place: 1,
  cancel: 1,
  cancelAll: 1,
  amend: 1,
  cancelAllAfter: 1,
  haltMarket: 1,
  resumeMarket: 1,
  setLeverage: 1,
  setPositionMode: 1,
  attachBrackets: 1,
  createAccount: 1,
  addKey: 1,
  revokeKey: 1,
  deposit: 1,
  setPrices: 1,
  advance: 1,
  tick: 1,
  listMarket: 1,
  reset: 1,
  saveSnapshot: 1,
  restoreSnapshot: 1,
};

function isKnown(command: unknown): command is Command {
  if (typeof command !== 'object' || command === null) return false;
  const { type, v } = command as Command;
  return Object.hasOwn(VERSIONS, type) && VERSIONS[type] === v;
}

/** A command that made the venue throw: a bug of the venue, named by its place in the log. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly seq: number;

  constructor(seq: number, type: string, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`the command ${type} at seq ${seq} made the venue throw: ${what}`, { cause });
    this.seq = seq;
  }
}

/**
 * The time at which a command of a batch is applied. On a real clock a batch has one time; on a manual clock the time is
 * the venue's own, which commands of the same batch may have moved. Before the first command it is the batch's.
 */
export function commandTimeMs(venue: Venue, batchTimeMs: number): number {
  return venue.genesis?.clock === 'manual' ? venue.timeMs : batchTimeMs;
}

/** @throws {CommandFailed} */
export function applyCommand(venue: Venue, seq: number, batchTimeMs: number, command: Command): Reply {
  try {
    return venue.apply(seq, commandTimeMs(venue, batchTimeMs), command);
  } catch (cause) {
    throw new CommandFailed(seq, command.type, cause);
  }
}

/**
 * Applies the commands of a log entry up to `lastSeq`.
 * @throws {LogUnsupported} a command of an unknown type or version @throws {CommandFailed}
 */
export function applyEntry(venue: Venue, entry: LogEntry, lastSeq = entry.lastSeq): void {
  for (let seq = entry.firstSeq; seq <= Math.min(lastSeq, entry.lastSeq); seq += 1) {
    const command = entry.commands[seq - entry.firstSeq];
    if (!isKnown(command)) {
      const { type, v } = (command ?? {}) as Partial<Command>;
      const what = type === undefined ? String(command) : `${type} of version ${v}`;
      throw new LogUnsupported(entry.file, entry.offset, `command ${what} at seq ${seq}`);
    }
    applyCommand(venue, seq, entry.timeMs, command);
  }
}

/** SHA-256 over the venue's canonical bytes, in lower-case hex. */
export function stateHash(venue: Venue): string {
  return hash('sha256', venue.canonical(), 'hex');
}
