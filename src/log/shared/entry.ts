/** What a frame says in words of the contract: the record that readers of a log get. */
import { type AcceptedLoss, LogDamaged, LogUnsupported, type Poisoned } from '../contract/command-log.ts';
import type { LogEntry, LogPosition } from '../contract/log-source.ts';
import type { Frame } from './frame.ts';
import { decodeCommands, PayloadUnknown } from './payload/decode.ts';

/** The record that a frame holds. Undefined: the end of a segment. @throws {LogDamaged} @throws {LogUnsupported} */
export function toEntry(frame: Frame, position: LogPosition, place: string): LogEntry | undefined {
  const { kind, epoch, firstSeq, lastSeq, timeMs } = frame;
  if (kind === 'next') return undefined;
  const elements = elementsOf(frame, place);
  const effects = frame.effects === undefined ? undefined : { effects: frame.effects };
  const entry = { epoch, firstSeq, lastSeq, timeMs, ...effects, position, place, bytes: frame.length };
  if (kind === 'batch') {
    if (elements.length !== lastSeq - firstSeq + 1) {
      throw new LogDamaged(place, `${elements.length} commands for the seqs ${firstSeq} to ${lastSeq}`);
    }
    return { ...entry, kind, commands: elements };
  }
  if (kind === 'seal') return { ...entry, ...sealedState(elements[0], place), kind, commands: [] };
  if (kind === 'poisoned' || kind === 'leftOut') {
    return { ...entry, kind: 'poisoned', poisoned: toPoisoned(elements[0], kind, place), commands: [] };
  }
  return { ...entry, ...startState(elements[0], place), kind, commands: [] };
}

/** Seals of frame format 1 have no state. */
function sealedState(element: unknown, place: string): Pick<LogEntry, 'hash'> {
  if (element === undefined) return {};
  const { hash } = (element ?? {}) as { hash?: unknown };
  if (typeof hash !== 'string') throw new LogDamaged(place, 'a seal without the state hash');
  return { hash };
}

function startState(element: unknown, place: string): Pick<LogEntry, 'rulesVersion' | 'began'> {
  const { rules, venue, snapshot, lost, effects } = (element ?? {}) as { [name: string]: unknown };
  if (typeof rules !== 'string') throw new LogDamaged(place, 'a start record without its rules version');
  const began = {
    anew: effects === 'anew',
    ...(typeof venue === 'string' && { venueId: venue }),
    ...(lost !== undefined && { lost: lost as AcceptedLoss }),
  };
  if (snapshot === undefined) return { rulesVersion: rules, began };
  const { seq, hash, rules: madeBy } = (snapshot ?? {}) as { seq?: unknown; hash?: unknown; rules?: unknown };
  if (typeof seq !== 'number' || typeof hash !== 'string') {
    throw new LogDamaged(place, 'a start record that does not say which snapshot it began from');
  }
  const begun = { seq, hash, ...(typeof madeBy === 'string' && { rules: madeBy }) };
  return { rulesVersion: rules, began: { ...began, snapshot: begun } };
}

function toPoisoned(element: unknown, kind: 'poisoned' | 'leftOut', place: string): Poisoned {
  const { seq, type, error, due } = (element ?? {}) as Partial<Poisoned>;
  if (typeof seq !== 'number' || typeof type !== 'string' || typeof error !== 'string') {
    throw new LogDamaged(place, `a ${kind} record that does not say which command`);
  }
  if (kind === 'poisoned') return { seq, type, error };
  if (typeof due?.kind !== 'string' || typeof due.dueMs !== 'number' || typeof due.key !== 'number') {
    throw new LogDamaged(place, 'a leftOut record that does not say which timer');
  }
  return { seq, type, error, due };
}

/** The commands of a batch, or what another record says. */
function elementsOf({ payload, firstSeq, lastSeq }: Frame, place: string): unknown[] {
  try {
    if (payload.format === 2) return decodeCommands(payload.bytes, lastSeq - firstSeq + 1);
    const elements: unknown = JSON.parse(payload.bytes.toString('utf8'));
    if (Array.isArray(elements)) return elements;
  } catch (cause) {
    if (cause instanceof PayloadUnknown) throw new LogUnsupported(place, cause.message);
    const what =
      payload.format === 2
        ? `a payload that cannot be read: ${(cause as Error).message}`
        : 'a payload that is not JSON';
    throw new LogDamaged(place, what, { cause });
  }
  throw new LogDamaged(place, 'a payload that is not a JSON array');
}
