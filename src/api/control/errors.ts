/**
 * Errors of the control surface: `{"error": {"reason", "field"?, "message"}}` with 400, 401, 404 or 409 (503 while the
 * venue cannot take commands). What the venue refuses comes from the one table of errors; what only this surface knows
 * is a ControlError.
 */
import type { Field } from '../../config/field.ts';

export type ControlReason =
  | 'malformed'
  | 'unauthorized'
  | 'notFound'
  | 'notAvailable' // a part of the surface that this venue does not have
  | 'manualClockOnly'
  | 'busy';

const STATUS: Readonly<Record<ControlReason, number>> = {
  malformed: 400,
  unauthorized: 401,
  notFound: 404,
  notAvailable: 404,
  manualClockOnly: 409,
  busy: 503,
};

export class ControlError extends Error {
  readonly reason: ControlReason;
  readonly field: string | null;

  constructor(reason: ControlReason, message: string, field: string | null = null) {
    super(message);
    this.reason = reason;
    this.field = field;
  }

  get status(): number {
    return STATUS[this.reason];
  }

  get body(): object {
    const field = this.field === null ? {} : { field: this.field };
    return { error: { reason: this.reason, ...field, message: this.message } };
  }
}

/** Throws the first problem that was found in a body, saying how many more there are. */
export function refuseProblems(body: Field): void {
  const [first, ...more] = body.problems;
  if (first === undefined) return;
  const rest = more.map(({ path, message }) => `; ${path} ${message}`).join('');
  throw new ControlError('malformed', `${first.path || 'the body'} ${first.message}${rest}`, first.path || null);
}
