/**
 * The latest refused requests, for anyone who looks for the mistake of a bot. They include those that never became a
 * command, such as one with a wrong signature or with a price that is off the tick.
 *
 * Cost: one small object for a refused request, and MOST of them in memory. Their texts are made when they are read.
 */
import { type ApiError, type Envelope, ERRORS, errorText, shortened } from './errors.ts';

const MOST = 100;

export interface RefusedRequest {
  /** The venue's time. */
  readonly timeMs: number;
  /** Null: the request has no valid signature. */
  readonly account: string | null;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly error: ApiError;
  readonly envelope: Envelope;
}

export class RefusedRequests {
  /** The oldest first. */
  readonly #requests: RefusedRequest[] = [];

  add(request: RefusedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > MOST) this.#requests.shift();
  }

  /** The newest first. */
  get latest(): readonly object[] {
    return this.#requests.toReversed().map(({ timeMs, account, method, path, error, envelope }) => ({
      time: timeMs,
      seq: error.seq,
      account,
      method: shortened(method),
      path: shortened(path),
      status: error.status,
      code: ERRORS[error.reason][envelope],
      reason: error.reason,
      message: errorText(error, envelope),
    }));
  }
}
