/** The messages between the venue's thread and the time machine's thread. */

import { ApiError, type Reason } from '../api/shared/errors.ts';
import type { StateIdentity } from '../archive/follow/follower.ts';
import type { Params } from '../venue/contract/reasons.ts';
import { NoSuchMoment } from './history.ts';
import { NotWanted, type Question } from './time-machine.ts';

export interface ThreadData {
  readonly folder: string;
  /** The address of the log, if it is not in the folder. */
  readonly log?: string;
  readonly identity: StateIdentity;
}

export type Request =
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  /** Nobody waits for the answer any more. */
  | { readonly type: 'drop'; readonly id: number };

export type Reply =
  | { readonly id: number; readonly answer: object }
  | { readonly id: number; readonly error: SentError };

interface SentError {
  readonly name: string;
  readonly message: string;
  /** Of an ApiError. */
  readonly reason?: Reason;
  readonly params?: Params;
}

export function sentError(error: unknown): SentError {
  const { name, message } = error as Error;
  if (!(error instanceof ApiError)) return { name, message };
  return { name, message, reason: error.reason, params: error.params };
}

/** The same error in the other thread. */
export function receivedError({ name, message, reason, params }: SentError): Error {
  if (reason !== undefined) return new ApiError(reason, params);
  if (name === NoSuchMoment.name) return new NoSuchMoment(message);
  if (name === NotWanted.name) return new NotWanted(message);
  return Object.assign(new Error(message), { name });
}
