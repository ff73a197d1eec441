/** What the engine throws at whoever hands in a command, as errors of the one table: the gateway and the control surface. */
import { CommandRejected, EngineBusy, EngineReadOnly, EngineStopped } from '../../engine/errors.ts';
import { ApiError } from './errors.ts';

/** An engine's failure as an error that a client may see; null: it is none of the engine's. */
export function engineError(thrown: unknown): ApiError | null {
  if (thrown instanceof EngineBusy) return new ApiError('busy', { problem: thrown.message });
  if (thrown instanceof EngineReadOnly) return new ApiError('readOnly', { problem: thrown.told });
  if (thrown instanceof EngineStopped) return new ApiError('stopped', { problem: thrown.message });
  if (thrown instanceof CommandRejected) return new ApiError('commandFailed');
  return null;
}

/** True while the engine takes no commands. Everything else that it throws is a mistake, and belongs into the log. */
export function isUnavailable(thrown: unknown): boolean {
  return thrown instanceof EngineBusy || thrown instanceof EngineReadOnly || thrown instanceof EngineStopped;
}
