/** Lists as they were after a command: `?to=`, in whatever branch of the history that command is. */
import type { Field } from '../../config/field.ts';
import type { Left } from '../../story/facts.ts';
import { ApiError } from '../shared/errors.ts';
import { type ControlContext, find } from './context.ts';

const SEQ = /^[1-9][0-9]{0,14}$/;
export const A_SEQ = 'a sequence number, a whole number from 1 on';

/** Notes a problem of a value that is no seq of the log. */
export function readSeq({ venue }: ControlContext, field: Field): number {
  const seq = Number(field.matching(SEQ, A_SEQ));
  if (seq > venue.seq) field.problem(`is ${seq}, and the last command is ${venue.seq}`);
  return seq;
}

/** Undefined: as it is now. */
export function readTo(context: ControlContext, query: Field): number | undefined {
  const to = query.at('to');
  return to.given ? readSeq(context, to) : undefined;
}

/**
 * What left the branch of a command. Null: it leads to the present state.
 * @throws {ApiError} the history does not reach back to it
 */
export async function leftAt(context: ControlContext, seq: number): Promise<Left | null> {
  const left = await context.leftAt(seq);
  const { knownFromSeq } = context;
  if (seq >= knownFromSeq) return left;
  const problem = `the history is known from seq ${knownFromSeq} on`;
  throw new ApiError('pastUnavailable', { what: `the history at seq ${seq}`, problem });
}

/** With `to`, a list says whether the branch of that command was left. */
export type LeftMember = { readonly left?: Left | null };

/** @throws {ApiError} there is no such account, neither now nor, as far as is known, in the branch of that command */
export async function leftMember(
  context: ControlContext,
  to: number | undefined,
  account: string,
): Promise<LeftMember> {
  const left = to === undefined ? null : await leftAt(context, to);
  // A reset may have removed the account.
  if (left === null) find(context, account);
  return to === undefined ? {} : { left };
}
