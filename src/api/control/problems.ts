/** The problems in the body of a control request, as one error. */
import type { Field } from '../../config/field.ts';
import { HIGHEST_USUAL_FEE, type HighFee } from '../../config/high-fees.ts';
import { ApiError, BODY } from '../shared/errors.ts';

const MOST_SHOWN = 5;

/** Throws the first problem, followed by the others. `whole`: what to call the value itself. @throws {ApiError} malformed */
export function refuseProblems(body: Field, whole = BODY): void {
  const [first, ...more] = body.problems;
  if (first === undefined) return;
  const others = more.slice(0, MOST_SHOWN - 1).map(({ path, message }) => `; ${path || whole} ${message}`);
  const left = more.length - others.length;
  const problem = `${first.message}${others.join('')}${left === 0 ? '' : `; and ${left} more`}`;
  throw new ApiError('malformed', { field: first.path || whole, problem });
}

/** For a request without `force`. @throws {ApiError} feeUnusual, of the first one */
export function refuseHighFees([first]: readonly HighFee[]): void {
  if (first === undefined) return;
  const { path: field, rate, percent, asPercent } = first;
  throw new ApiError('feeUnusual', { field, rate, percent, asPercent, maximum: HIGHEST_USUAL_FEE });
}
