/**
 * What is read of a venue's whole state: the state hash and the audit. The readings hold no object of the venue, so they
 * can be sent to another thread.
 *
 * Cost: both go through everything that the venue holds, some microseconds for each order and account.
 */
import { stateHash } from '../../engine/replay/log-replayer.ts';
import type { Audit, Venue } from '../../venue/venue.ts';
import type { PositionsAudit } from '../../venue/views.ts';

export interface StateReading {
  /** The last command that is applied. */
  readonly seq: number;
  readonly timeMs: number;
  readonly hash: string;
  readonly counts: ReturnType<Venue['counts']>;
}

export interface AuditReading {
  /** The last command that is applied. */
  readonly seq: number;
  readonly audit: Omit<Audit, 'positions'> & { readonly positions: readonly PositionsReading[] };
}

export interface PositionsReading extends Omit<PositionsAudit, 'market'> {
  readonly symbol: string;
}

export function readState(venue: Venue): StateReading {
  const { seq, timeMs } = venue;
  return { seq, timeMs, hash: stateHash(venue), counts: venue.counts() };
}

export function readAudit(venue: Venue): AuditReading {
  const { positions, ...audit } = venue.audit();
  const named = positions.map(({ market, long, short }) => ({ symbol: market.symbol, long, short }));
  return { seq: venue.seq, audit: { ...audit, positions: named } };
}
