/**
 * Applies the entries of a log to a venue. Live batches, recovery, replay and verification all use it, so that all of
 * them get the same state.
 */
import './v8-flags.ts';
import { hash } from 'node:crypto';
import { LogUnsupported, type Poisoned } from '../../log/contract/command-log.ts';
import type { LogEntry } from '../../log/contract/log-source.ts';
import type { Command, CommandType } from '../../venue/contract/commands.ts';
import { DUE_KINDS, type Due, DueFailed } from '../../venue/contract/due.ts';
import type { LiveReply, Venue } from '../../venue/venue.ts';
import { EffectsDiffer, type KnownHashes } from './differs.ts';

const MAX_ERROR_CHARS = 500;

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
  changeMarket: 1,
  delistMarket: 1,
  changeAccount: 1,
  setLeverage: 1,
  setRiskLimit: 1,
  setPositionMode: 1,
  attachBrackets: 1,
  createAccount: 1,
  addKey: 1,
  revokeKey: 1,
  deposit: 1,
  transfer: 1,
  setPrices: 1,
  market: 1,
  advance: 1,
  tick: 1,
  listMarket: 1,
  reset: 1,
  saveSnapshot: 1,
  restoreSnapshot: 1,
};

const VERSION_OF: ReadonlyMap<string, number> = new Map(Object.entries(VERSIONS));

function isKnown(command: unknown): command is Command {
  if (typeof command !== 'object' || command === null) return false;
  const { type, v } = command as Command;
  return v !== undefined && VERSION_OF.get(type) === v;
}

/** A command or a timer made the venue throw. This is a bug, named by its place in the log. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly seq: number;
  /** The command's type. */
  readonly type: string;
  /** The timer that threw. Undefined: the command did. */
  readonly due: Due | undefined;

  constructor(seq: number, type: string, cause: unknown) {
    const due = cause instanceof DueFailed ? cause.due : undefined;
    const what = due === undefined ? `the command ${type}` : `a timer that was due at the command ${type}`;
    super(`${what} at seq ${seq} made the venue throw: ${wordsOf(cause)}`, { cause });
    this.seq = seq;
    this.type = type;
    this.due = due;
  }

  /** What is left out from now on, for messages. */
  get leftOutText(): string {
    return this.due === undefined
      ? `the command at seq ${this.seq}`
      : `the timer that was due at the command at seq ${this.seq}`;
  }

  /** What happens now, for messages. */
  get outcomeText(): string {
    const what = this.due === undefined ? 'it is recorded as poisoned' : 'it is recorded and left out';
    return `${what}, and the venue is rebuilt without it`;
  }

  /** Its record for the log. */
  get record(): Poisoned {
    const { seq, type, due } = this;
    const error = wordsOf(this.cause).slice(0, MAX_ERROR_CHARS);
    return due === undefined ? { seq, type, error } : { seq, type, error, due };
  }
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** How a command is applied: `Venue.apply`, except in tests that plant a throw. */
export type Apply<R = LiveReply> = (venue: Venue, seq: number, timeMs: number, command: Command) => R;

const withReply: Apply = (venue, seq, timeMs, command) => venue.apply(seq, timeMs, command);
const withoutReply: Apply<unknown> = (venue, seq, timeMs, command) => venue.applySilently(seq, timeMs, command);

/**
 * The time at which a command of a batch is applied. On a real clock a batch has one time. On a manual clock the time
 * is the venue's own, which earlier commands of the batch may have moved. Before the first command it is the batch's.
 */
function commandTimeMs(venue: Venue, batchTimeMs: number): number {
  return venue.genesis?.clock === 'manual' ? venue.timeMs : batchTimeMs;
}

export interface ApplyOptions {
  apply?: Apply;
  /** Timers to leave out at this command, one entry for each failure. */
  leftOut?: readonly Due[];
}

/** @throws {CommandFailed} the venue must not be used any more */
export function applyCommand(
  venue: Venue,
  seq: number,
  batchTimeMs: number,
  command: Command,
  { apply = withReply, leftOut }: ApplyOptions = {},
): LiveReply {
  return applied(venue, seq, batchTimeMs, command, apply, leftOut);
}

function applied<R>(
  venue: Venue,
  seq: number,
  batchTimeMs: number,
  command: Command,
  apply: Apply<R>,
  leftOut: readonly Due[] | undefined,
): R {
  if (leftOut !== undefined) venue.leaveOut(leftOut);
  if (command.signed !== undefined) venue.useNonce(command.signed);
  try {
    return apply(venue, seq, commandTimeMs(venue, batchTimeMs), command);
  } catch (cause) {
    throw new CommandFailed(seq, command.type, cause);
  }
}

export interface LogReplayerOptions {
  /** No command after this seq is applied. */
  lastSeq?: number;
  apply?: Apply<unknown>;
  /** State hashes that are already known. With them, those in the log are checked. Without, they are skipped. */
  hashes?: KnownHashes;
}

/**
 * Applies the entries of a log, one after another. The last batch is held back until `finish` or the next batch,
 * because later records may say that one of its commands or timers is left out. A start or a seal with a digest also
 * releases it: its writer had applied the batch.
 *
 * Each digest of effects in the log is compared with the venue's. A venue without a digest takes the first one in the
 * log, and compares from there.
 *
 * The venue may be within a batch, where an earlier replay ended at `lastSeq`. Then the rest of that batch is applied.
 */
export class LogReplayer {
  readonly venue: Venue;
  readonly #lastSeq: number;
  readonly #apply: Apply<unknown>;
  /** The seqs of poisoned commands in the batch that is held back. */
  readonly #poisoned = new Set<number>();
  /** By the seq of a command: the timers to leave out at it. */
  readonly #leftOut = new Map<number, Due[]>();
  readonly #hashes: KnownHashes | undefined;
  #held: LogEntry | undefined;
  /** The last batch that was applied. Effects are compared up to there. */
  #applied: LogEntry | undefined;
  #comparedSeq: number;

  constructor(venue: Venue, { lastSeq, apply, hashes }: LogReplayerOptions = {}) {
    this.venue = venue;
    this.#lastSeq = lastSeq ?? Number.POSITIVE_INFINITY;
    this.#apply = apply ?? withoutReply;
    this.#hashes = hashes;
    this.#comparedSeq = venue.seq;
  }

  /**
   * @throws {LogUnsupported} a command of an unknown type or version @throws {CommandFailed}
   * @throws {EffectsDiffer} @throws {StateDiffers} the log was written under other rules than its number says
   */
  take(entry: LogEntry): void {
    if (entry.poisoned !== undefined) this.#note(entry.poisoned, entry);
    if (endsBatch(entry)) {
      this.finish();
      this.#compare(entry);
    }
    if (entry.kind !== 'batch') return;
    refuseUnknown(entry);
    this.#held = entry;
  }

  /** Applies the batch that is held back. @throws as `take` */
  finish(): void {
    const entry = this.#held;
    if (entry === undefined) return;
    this.#held = undefined;
    const firstSeq = Math.max(entry.firstSeq, this.venue.seq + 1);
    const isWhole = this.#poisoned.size === 0 && this.#leftOut.size === 0;
    for (let seq = firstSeq; seq <= Math.min(this.#lastSeq, entry.lastSeq); seq += 1) {
      const command = entry.commands[seq - entry.firstSeq] as Command;
      if (isWhole) {
        applied(this.venue, seq, entry.timeMs, command, this.#apply, undefined);
      } else if (this.#poisoned.has(seq)) {
        // It changes nothing, but it uses its seq and its nonce.
        this.venue.skip(seq);
        if (command.signed !== undefined) this.venue.useNonce(command.signed);
      } else {
        applied(this.venue, seq, entry.timeMs, command, this.#apply, this.#leftOut.get(seq));
      }
    }
    this.#poisoned.clear();
    this.#leftOut.clear();
    this.#applied = entry;
  }

  /** Everything before the entry is applied. Compares the digest and the hashes in the entry. */
  #compare(entry: LogEntry): void {
    const { venue } = this;
    const seq = entry.firstSeq - 1;
    if (venue.seq !== seq) return; // The replay ends before it.
    this.#compareEffects(entry);
    this.#comparedSeq = seq;
    if (this.#hashes === undefined) return;
    const { hash, began, place } = entry;
    if (hash !== undefined) this.#compareHash(seq, hash, `the seal in ${place}`);
    const snapshot = began?.snapshot;
    if (snapshot !== undefined) {
      this.#compareHash(snapshot.seq, snapshot.hash, `the start record in ${place}`, snapshot.rules);
    }
  }

  #compareEffects({ effects, began, firstSeq, place }: LogEntry): void {
    const { venue } = this;
    if (effects === undefined) return;
    const found = began?.anew === true ? undefined : venue.effects;
    if (found === undefined) venue.resumeEffects(effects);
    else if (found !== effects) {
      const where = this.#applied?.place ?? place;
      const commands = { firstSeq: this.#comparedSeq + 1, lastSeq: firstSeq - 1, place: where };
      throw new EffectsDiffer(commands, { logged: effects, found });
    }
  }

  /** `otherRules`: the rules of the hash, if they are not these. */
  #compareHash(seq: number, hash: string, by: string, otherRules?: string): void {
    const hashes = this.#hashes as KnownHashes;
    if (otherRules === undefined && !hashes.has(seq) && this.venue.seq === seq) {
      hashes.add(seq, stateHash(this.venue), 'this version');
    }
    if (hashes.has(seq, otherRules)) hashes.add(seq, hash, by, otherRules);
  }

  #note({ seq, due }: Poisoned, { place }: LogEntry): void {
    if (due === undefined) {
      this.#poisoned.add(seq);
      return;
    }
    if (!isKnownDue(due)) throw new LogUnsupported(place, `a timer of the kind ${due.kind} at seq ${seq}`);
    this.#leftOut.set(seq, [...(this.#leftOut.get(seq) ?? []), due]);
  }
}

/** True if the batch before the entry can be applied: no later record says that part of it is left out. */
export function endsBatch({ kind, effects }: LogEntry): boolean {
  return kind === 'batch' || effects !== undefined;
}

function isKnownDue(due: NonNullable<Poisoned['due']>): due is Due {
  return (DUE_KINDS as readonly string[]).includes(due.kind);
}

function refuseUnknown({ commands, firstSeq, place }: LogEntry): void {
  for (let i = 0; i < commands.length; i += 1) {
    const command = commands[i];
    if (isKnown(command)) continue;
    const { type, v } = (command ?? {}) as Partial<Command>;
    const what = type === undefined ? String(command) : `${type} of version ${v}`;
    throw new LogUnsupported(place, `command ${what} at seq ${firstSeq + i}`);
  }
}

/** SHA-256 over the venue's canonical text in UTF-8, in lower-case hex. */
export function stateHash(venue: Venue): string {
  return hashOf(venue.canonical());
}

/** The state hash of a venue with that canonical text. */
export function hashOf(canonical: string): string {
  return hash('sha256', canonical, 'hex');
}
