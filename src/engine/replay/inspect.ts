/**
 * Explains and checks a data folder from its log and its snapshots. Both functions only read and take no lock. A venue
 * may be writing: its unfinished batch is not seen.
 */
import { existsSync, readdirSync } from 'node:fs';
import { areNewer, type BegunFrom, LogDamaged, LogMoved, RulesMismatch } from '../../log/contract/command-log.ts';
import type { LogEnd, LogEntry, MovedPart } from '../../log/contract/log-source.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { existingStorage } from '../../log/open.ts';
import { RULES_VERSION, Venue } from '../../venue/venue.ts';
import { MANIFEST_FILE, type Manifest, manifestDamaged, readManifest } from '../identity/manifest.ts';
import { logPart, type Part, refuseOthers } from '../identity/venue-id.ts';
import { KnownHashes } from './differs.ts';
import { LogReplayer, stateHash } from './log-replayer.ts';
import { type Progress, progressOf } from './recovery.ts';
import { checkState, loadSnapshot, originOf, readSnapshot, type Snapshot } from './snapshots.ts';

const RULES = String(RULES_VERSION);

export interface Replayed {
  seq: number;
  /** The venue's time at that seq, in epoch milliseconds. */
  time: number;
  /** The state hash. */
  hash: string;
}

export interface Verified {
  ok: true;
  /** The records of the log: starts, batches, poisoned commands, seals and ends of segments. */
  rows: number;
  seq: number;
  /** The state hash at that seq. Absent if other rules made the state and no snapshot holds it. */
  hash?: string;
  /** Parts of the log that other rules made. Their commands were not applied. One sentence each. */
  notRerun?: readonly string[];
  /** The part that was moved to another folder, and was not read. One sentence. */
  notRead?: string;
  /** Losses that an operator accepted, one sentence per start. */
  lost?: readonly string[];
}

export interface InspectOptions {
  /** The rules that are applied: those of this version, except in tests of a change of rules. */
  rules?: string;
  /** The folders that the beginning of the log was moved to. Without them, that part is not read. */
  cold?: readonly string[];
  /** Called from time to time. */
  onProgress?: (progress: Progress) => void;
}

export interface ReplayOptions extends InspectOptions {
  /** The last one by default. */
  seq?: number;
  /** What else is shown of the state. */
  show?: (venue: Venue) => object;
}

/**
 * The state at `seq` (default: the last one). The whole log is read and checked, whatever the seq, except what was moved
 * to another folder that is not given.
 * @throws {RangeError} the log does not reach that far, or other rules made the state there, or it needs the part of the
 * log that was moved away
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} @throws {CommandFailed}
 * @throws {EffectsDiffer} @throws {StateDiffers} the log was written under other rules than its number says
 */
export async function replay(folder: string, options: ReplayOptions = {}): Promise<Replayed> {
  const upTo = options.seq ?? Number.POSITIVE_INFINITY;
  const { checked, end } = await readThrough(existingStorage(folder, options.cold), upTo, options);
  const venue = await checked.finish(end);
  if (options.seq !== undefined && !(Number.isInteger(upTo) && upTo >= 1 && upTo <= end.lastSeq)) {
    throw new RangeError(`seq ${options.seq}: the log holds the seqs 1 to ${end.lastSeq}`);
  }
  const { rules = RULES } = options;
  if (venue === undefined) {
    const whole = checked.hasEnd(end) ? 'continued' : 'noSnapshot';
    const older = checked.rests ? whole : 'notSealed';
    throw new RulesMismatch(checked.rules, rules, areNewer(checked.rules, rules) ? 'newer' : older);
  }
  if (venue.seq > upTo) {
    const why = checked.moved && `${notRead(checked.moved)}: give that folder with --cold`;
    throw new RangeError(`seq ${options.seq}: ${why ?? `the state there was made under other rules than ${rules}`}`);
  }
  const seq = Math.min(upTo, end.lastSeq);
  return { seq, time: venue.timeMs, hash: stateHash(venue), ...options.show?.(venue) };
}

/**
 * Checks every byte of the log and of the snapshots, and applies every command. Compares the effects with the digest in
 * each batch, and the state with the hash in each snapshot, seal and start record. Checks `bourse.json`. Commands of
 * other rules are not applied: their frames and the hashes of their boundaries are checked, and the result says so. If
 * the beginning of the log is in another folder that is not given, the rest is applied from its oldest snapshot on.
 * `manifest`: what `bourse.json` will have, if it is not written yet.
 * @throws {LogDamaged} with its place and the reason @throws {LogUnsupported} @throws {CommandFailed}
 * @throws {EffectsDiffer} @throws {StateDiffers} the log was written under other rules than its number says
 * @throws {RulesMismatch} the snapshot that these rules began from is missing
 * @throws {LogMoved} no snapshot continues the part that is in another folder
 */
export async function verify(
  folder: string,
  options: InspectOptions & { readonly manifest?: Manifest } = {},
): Promise<Verified> {
  const storage = existingStorage(folder, options.cold);
  const { checked, end } = await readThrough(storage, Number.POSITIVE_INFINITY, options);
  const venue = await checked.finish(end);
  const manifest = options.manifest ?? (await readManifest(storage.documents));
  if (manifest === undefined) throw manifestDamaged('it is missing beside a log with commands');
  refuseOthers([...checked.parts, { name: MANIFEST_FILE, venueId: manifest.venueId }]);
  const { notRerun, lost, moved } = checked;
  return {
    ok: true,
    rows: end.records,
    seq: end.lastSeq,
    hash: venue === undefined ? checked.hashAt(end.lastSeq) : stateHash(venue),
    ...(moved !== undefined && { notRead: `${notRead(moved)}: bourse verify reads it with --cold` }),
    ...(notRerun.length > 0 && { notRerun }),
    ...(lost.length > 0 && { lost }),
  };
}

async function readThrough(
  storage: LogStorage,
  upTo: number,
  { onProgress, rules = RULES }: InspectOptions,
): Promise<{ checked: CheckedReplay; end: LogEnd }> {
  const moved = await storage.source.moved();
  const checked = await CheckedReplay.over(storage, upTo, rules, moved);
  const report = await progressOf(storage, undefined, onProgress);
  const entries = storage.source.read(moved);
  let step = await entries.next();
  for (; !step.done; step = await entries.next()) {
    await checked.take(step.value);
    report(step.value);
  }
  const end = step.value;
  if (end.lastSeq === 0) {
    throw new LogDamaged(end.place, `the log is missing or holds no command${await elseHere(storage)}`);
  }
  return { checked, end };
}

/** What a folder without a log is, if it is no data folder. */
async function elseHere({ documents, where }: LogStorage): Promise<string> {
  if (await documents.has(MANIFEST_FILE)) return '';
  const names = existsSync(where) ? readdirSync(where) : [];
  return names.some((name) => name.endsWith('.log.zst'))
    ? `: this is a cold folder. Name the data folder, and this one with --cold ${where}`
    : `: this is no data folder, because it has no ${MANIFEST_FILE}`;
}

function notRead({ seq, what, where }: MovedPart): string {
  return `not read: the log up to seq ${seq} (${what}), which was moved to ${where}`;
}

/** Replays the log from its beginning, or what is left of it, and checks each snapshot on the way. */
class CheckedReplay {
  readonly #storage: LogStorage;
  readonly #upTo: number;
  /** By seq, without their texts. */
  readonly #snapshots = new Map<number, Omit<Snapshot, 'text'>>();
  /** The hashes in snapshots, seals and start records. */
  readonly #hashes: KnownHashes;
  /** The rules that are applied. */
  readonly #own: string;
  /** Undefined while commands of other rules cannot be applied. */
  #replayer: LogReplayer | undefined;
  /** The rules of the present entries. */
  rules: string;
  /** The last run was stopped cleanly, and no start since has made a command. */
  rests = false;
  /** The part that is not read. */
  readonly moved: MovedPart | undefined;
  readonly lost: string[] = [];
  #ofLog = logPart(undefined);
  /** Where these rules took over from others. */
  #boundary: BegunFrom | undefined;
  /** The parts of the log that other rules made. */
  readonly #others: { rules: string; firstSeq: number; lastSeq: number }[] = [];

  private constructor(storage: LogStorage, upTo: number, own: string, moved: MovedPart | undefined) {
    this.#storage = storage;
    this.#upTo = upTo;
    this.#own = own;
    this.rules = moved?.rulesVersion ?? own;
    this.moved = moved;
    this.#hashes = new KnownHashes(own);
    if (moved === undefined) this.#replayer = new LogReplayer(new Venue(), { lastSeq: upTo, hashes: this.#hashes });
    else this.#ofLog = logPart(moved.venueId, moved.name);
  }

  static async over(
    storage: LogStorage,
    upTo: number,
    own: string,
    moved: MovedPart | undefined,
  ): Promise<CheckedReplay> {
    const checked = new CheckedReplay(storage, upTo, own, moved);
    for (const { seq } of await storage.snapshots.list()) {
      const snapshot = await readSnapshot(storage.snapshots, seq);
      if (snapshot === undefined) continue; // A running venue has removed it since.
      const { name, head } = snapshot;
      checked.#snapshots.set(seq, { seq, name, head });
      checked.#hashes.add(seq, head.hash, name, head.rules);
    }
    return checked;
  }

  /** One sentence for each part of the log that was not applied again. */
  get notRerun(): string[] {
    return this.#others.map(({ rules, firstSeq, lastSeq }) => {
      const boundary = this.#snapshots.get(lastSeq);
      const end = boundary === undefined ? 'no snapshot holds its end' : `${boundary.name} holds its end`;
      return `not re-run: rules ${rules}, seq ${firstSeq} to ${lastSeq}; every frame is intact and in its place, ${end}`;
    });
  }

  /** The state hash at `seq` according to a snapshot or a seal. */
  hashAt(seq: number): string | undefined {
    return this.#hashes.at(seq, this.rules);
  }

  /** True: a snapshot holds the end of the log. */
  hasEnd({ lastSeq }: LogEnd): boolean {
    return this.#snapshots.has(lastSeq);
  }

  /** The log and the snapshots, with their ids. */
  get parts(): Part[] {
    const snapshots = [...this.#snapshots.values()].map(({ name, head }) => ({ name, venueId: head.venueId }));
    return [this.#ofLog, ...snapshots];
  }

  async take(entry: LogEntry): Promise<void> {
    this.#note(entry);
    this.rests = entry.kind === 'seal' || (entry.kind === 'start' && this.rests);
    if (entry.kind === 'start') {
      if (entry.rulesVersion !== this.rules) this.#boundary = entry.began?.snapshot;
      this.rules = entry.rulesVersion as string;
    }
    // If these rules continue from a snapshot, the first entry to apply is their start record.
    if (entry.kind === 'batch' || this.#replayer === undefined) await this.#passTo(entry.firstSeq - 1);
    const isOther = this.rules !== this.#own;
    // A start of other rules changes no state until it has made a command.
    if (isOther && (entry.kind === 'batch' || entry.kind === 'poisoned')) this.#replayer = undefined;
    if (isOther || this.#replayer === undefined) this.#passOver(entry);
    else this.#replayer.take(entry);
  }

  #note({ began, place }: LogEntry): void {
    if (began?.venueId !== undefined) this.#ofLog = logPart(began.venueId, place);
    if (began?.lost === undefined) return;
    const { fromSeq, upToSeq, knownBy } = began.lost;
    this.lost.push(`lost: seq ${fromSeq} to ${upToSeq}, as ${knownBy} knew; accepted by the start in ${place}`);
  }

  /** For a part of other rules: compares its hashes with the existing snapshots. */
  #passOver({ kind, firstSeq, lastSeq, hash, began, place }: LogEntry): void {
    const at = `in ${place}`;
    if (hash !== undefined) this.#hashes.add(lastSeq, hash, `the seal ${at}`, this.rules);
    const from = began?.snapshot;
    if (from !== undefined) {
      this.#hashes.add(from.seq, from.hash, `the start record ${at}`, from.rules ?? this.rules);
    }
    if (kind !== 'batch') return;
    const part = this.#others.at(-1);
    if (part?.rules === this.rules && part.lastSeq === firstSeq - 1) part.lastSeq = lastSeq;
    else this.#others.push({ rules: this.rules, firstSeq, lastSeq });
  }

  /**
   * The venue at the end. Undefined if other rules made it.
   * @throws {RulesMismatch} these rules made it, from a state that is missing
   * @throws {LogMoved} the same, and what made that state was moved away
   */
  async finish(end: LogEnd): Promise<Venue | undefined> {
    await this.#passTo(end.lastSeq);
    for (const snapshot of this.#snapshots.values()) {
      await this.#findRecordOf(snapshot);
    }
    if (this.#replayer === undefined && this.rules === this.#own) {
      if (this.moved !== undefined && this.#boundary === undefined) {
        throw new LogMoved(this.moved, 'no snapshot continues it: give that folder with --cold');
      }
      const before = this.#others.findLast(({ rules }) => rules !== this.#own);
      throw new RulesMismatch(before?.rules ?? this.#own, this.#own, this.#boundary ?? 'noSnapshot');
    }
    return this.#replayer?.venue;
  }

  /** Throws unless the log holds the record that the snapshot was taken after, or it was moved away. */
  async #findRecordOf(snapshot: Pick<Snapshot, 'name' | 'head'>): Promise<void> {
    try {
      await this.#storage.source.follow(originOf(snapshot));
    } catch (error) {
      if (!(error instanceof LogMoved)) throw error;
    }
  }

  /** Everything up to `seq` was taken. Compares with the snapshot there, or continues from it. */
  async #passTo(seq: number): Promise<void> {
    this.#replayer?.finish();
    const known = this.#snapshots.get(seq);
    if (known === undefined) return;
    if (this.#replayer !== undefined) {
      if (seq <= this.#upTo && known.head.rules === this.#own) checkState(known, this.#replayer.venue);
      return;
    }
    const snapshot = await readSnapshot(this.#storage.snapshots, seq);
    if (this.rules !== this.#own || snapshot === undefined) return;
    const venue = loadSnapshot(snapshot, this.#own);
    this.#replayer = new LogReplayer(venue, { lastSeq: Math.max(this.#upTo, seq), hashes: this.#hashes });
  }
}
