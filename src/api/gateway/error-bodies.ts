/**
 * Errors in replies: the JSON body of each envelope, and of the control surface. Codes, statuses and texts come from
 * the table in errors.ts.
 */
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import { ApiError, BODY, type Envelope, ERRORS, errorText, type Reason } from '../shared/errors.ts';
import { orderState } from '../shared/order-state.ts';
import type { Fault } from './faults.ts';

const PREFIX_B: Readonly<Record<number, string>> = {
  400: 'BADREQUEST: ',
  404: 'BADREQUEST: ',
  401: 'UNAUTHORIZED: ',
  403: 'UNAUTHORIZED: ',
};

/** An armed fault has the code that its status usually has here. */
const FAULT_CODES: Readonly<Record<number, Reason>> = {
  400: 'malformed',
  401: 'authenticationFailed',
  403: 'permissionMissing',
  404: 'pathNotFound',
  408: 'requestTimeout',
  429: 'tooManyBadSignatures',
  503: 'busy',
};

/** The JSON body of an error in a surface's envelope. `nowMs` is the venue's clock. */
export function errorBody(error: ApiError, envelope: Envelope, venue: Venue, nowMs: number): object {
  const entry = ERRORS[(error.reason === 'faultInjected' && FAULT_CODES[error.status]) || error.reason];
  const text = errorText(error, envelope);
  if (envelope === 'A') {
    const message = error.reason === 'orderNotFound' ? `BAD_REQUEST: ${text}` : text;
    return { status: error.status, errorCode: entry.A, message, extraData: null };
  }
  const data = error.reason === 'orderNotFound' && error.about !== null ? about(error.about, venue) : null;
  return { code: entry.B, msg: `${PREFIX_B[error.status] ?? ''}${text}`, time: nowMs, data, success: false };
}

/** The reply of a fault that answers instead of the venue. `error`: what it amounts to. */
export function faultBody(
  fault: Fault,
  envelope: Envelope,
  venue: Venue,
  nowMs: number,
): { status: number; body: string; contentType?: string; error: ApiError } {
  const { maintenance, code, message, retryAfterSeconds, body } = fault;
  const options = { ...(fault.status !== undefined && { status: fault.status }), retryAfterSeconds };
  const error = new ApiError(maintenance === true ? 'maintenance' : 'faultInjected', {}, options);
  const { status } = error;
  if (typeof body === 'string') return { status, body, contentType: 'text/html', error };
  if (body !== undefined) return { status, body: JSON.stringify(body), error };
  const usual = errorBody(error, envelope, venue, nowMs);
  const [codeName, textName] = envelope === 'A' ? ['errorCode', 'message'] : ['code', 'msg'];
  const own = {
    ...(code !== undefined && { [codeName]: code }),
    ...(message !== undefined && { [textName]: message }),
  };
  return { status, body: JSON.stringify({ ...usual, ...own }), error };
}

/** What the caller may still know of its own ended order. */
function about(order: OrderView, venue: Venue): object {
  return { orderId: venue.orderIds.encode(order.key), clOrderId: order.clientId, orderState: orderState(order) };
}

/** Status and JSON body of an error on the control surface. */
export function controlError(error: ApiError): { status: number; body: object } {
  const status = ERRORS[error.reason].control ?? error.status;
  const named = error.params.field;
  const field = typeof named === 'string' && named !== BODY ? { field: named } : {};
  return { status, body: { error: { reason: error.reason, ...field, message: errorText(error, 'B') } } };
}
