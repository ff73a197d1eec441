/** Turns errors of the engine and the archive into errors of the table in errors.ts, for the gateway and the control surface. */
import { ArchiveBusy, ArchiveNoRoom, LogNotMoved } from '../../archive/archive.ts';
import {
  CommandRejected,
  EngineBusy,
  EngineFollows,
  EngineReadOnly,
  EngineRebuilding,
  EngineStopped,
  OutcomeUnknown,
  StateReplaced,
} from '../../engine/contract/errors.ts';
import { ApiError } from './errors.ts';

const UNAVAILABLE = [
  EngineFollows,
  EngineBusy,
  EngineReadOnly,
  EngineRebuilding,
  StateReplaced,
  EngineStopped,
  OutcomeUnknown,
  ArchiveBusy,
  LogNotMoved,
] as const;

/**
 * A failure of the engine or the archive as an error that a client may see. `listener`: which of the leader's addresses a
 * standby names. Null: it is another error.
 */
export function engineError(thrown: unknown, listener: 'http' | 'control' = 'http'): ApiError | null {
  if (thrown instanceof EngineFollows) {
    const { name, addresses } = thrown.leader;
    return new ApiError('notLeading', { leader: addresses?.[listener] ?? name });
  }
  if (thrown instanceof EngineBusy) return new ApiError('busy', { problem: thrown.message });
  if (thrown instanceof EngineReadOnly || thrown instanceof EngineRebuilding)
    return new ApiError('readOnly', { problem: thrown.clientMessage });
  if (thrown instanceof StateReplaced) return new ApiError('stateReplaced', { problem: thrown.message });
  if (thrown instanceof EngineStopped || thrown instanceof OutcomeUnknown)
    return new ApiError('stopped', { problem: thrown.message });
  if (thrown instanceof ArchiveNoRoom) return new ApiError('noRoom', { problem: thrown.message });
  if (thrown instanceof ArchiveBusy) return new ApiError('busy', { problem: thrown.message });
  if (thrown instanceof LogNotMoved) return new ApiError('logNotMoved', { problem: thrown.message });
  if (thrown instanceof CommandRejected) return new ApiError('commandFailed');
  return null;
}

/**
 * True if the engine accepts no commands at the moment, the archive answers no questions, or the log stays where it is. Any other error of theirs
 * is a bug, and belongs in the log.
 */
export function isUnavailable(thrown: unknown): boolean {
  return UNAVAILABLE.some((kind) => thrown instanceof kind);
}
