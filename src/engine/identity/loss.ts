/**
 * Acknowledged commands that are missing from the log. A start refuses to continue without them, unless the operator
 * accepts the loss.
 */
import type { AcceptedLoss } from '../../log/contract/command-log.ts';
import type { Part } from './venue-id.ts';

/** Something beside the log that shows how far the log once reached. */
export interface Witness extends Part {
  /** The last command that it knows. */
  readonly seq: number;
}

export class LossRefused extends Error {
  override readonly name = 'LossRefused';
}

/**
 * The loss that the witness proves and the operator accepts, from the seq `acceptFrom` on. Undefined: nothing is lost.
 * @throws {LossRefused} the loss is not accepted, or another one is
 */
export function checkLoss(
  lastSeq: number,
  witness: Witness | undefined,
  acceptFrom: number | undefined,
): AcceptedLoss | undefined {
  const fromSeq = lastSeq + 1;
  if (witness === undefined || witness.seq <= lastSeq) {
    if (acceptFrom === undefined) return undefined;
    throw new LossRefused(`nothing is lost: the command log ends at seq ${lastSeq}. Start without --accept-loss-from`);
  }
  const { name: knownBy, seq: upToSeq } = witness;
  if (acceptFrom === fromSeq) return { fromSeq, upToSeq, knownBy };
  const lost =
    `the command log ends at seq ${lastSeq}, and ${knownBy} reaches seq ${upToSeq}: ` +
    `${upToSeq - lastSeq} commands that were acknowledged are missing`;
  throw new LossRefused(
    acceptFrom === undefined
      ? `${lost}. Put back the matching log. To go on without those commands, start once with --accept-loss-from ${fromSeq}`
      : `${lost}, from seq ${fromSeq} on: --accept-loss-from ${acceptFrom} must be ${fromSeq}`,
  );
}
