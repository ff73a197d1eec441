/**
 * The id of a venue: one text in its log, snapshots, archive and `bourse.json`, so that a part of another venue in the
 * folder is refused by name. The id is in no state and in no state hash. Parts written by versions without ids have
 * none, and fit every venue.
 */
import type { LogSource } from '../../log/contract/log-source.ts';

/** Something that has the id of its venue. */
export interface Part {
  /** For messages: "archive.db". */
  readonly name: string;
  readonly venueId: string | undefined;
}

/** A part of the folder belongs to another venue. */
export class OtherVenue extends Error {
  override readonly name = 'OtherVenue';

  constructor(odd: Part, others: readonly Part[]) {
    const [{ venueId }] = others;
    const named = others.map(({ name }) => name).join(', ');
    super(
      `${odd.name} belongs to another venue: its id is ${odd.venueId}, but ${named} has ${venueId}. ` +
        `Restore the right one from a backup of this venue`,
    );
  }
}

/** The majority is right. In a tie, the first part is. @throws {OtherVenue} */
export function refuseOthers(parts: readonly Part[]): void {
  const known = parts.filter(({ venueId }) => venueId !== undefined);
  const alike = ({ venueId }: Part) => known.filter((part) => part.venueId === venueId);
  const [right] = known.toSorted((a, b) => alike(b).length - alike(a).length);
  const odd = known.find(({ venueId }) => venueId !== right.venueId);
  if (odd !== undefined) throw new OtherVenue(odd, alike(right));
}

/** The id at the beginning of the log. Without an id if that cannot be read. */
export async function beginningOf(source: LogSource): Promise<Part> {
  try {
    for await (const { began, place } of source.read(await source.moved())) return logPart(began?.venueId, place);
  } catch {
    // The reader of the log will report what is wrong with it.
  }
  return logPart(undefined);
}

/** `place`: of the record with the id. */
export function logPart(venueId: string | undefined, place?: string): Part {
  return { name: place === undefined ? 'the command log' : `the command log (${place})`, venueId };
}
