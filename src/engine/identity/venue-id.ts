/**
 * The id of a venue: one text that its log, its snapshots, its archive and `bourse.json` carry, so that a part of another
 * venue in this folder is refused by name. It is in no state, and in no state hash. Parts that a version wrote which had no ids
 * carry none, and fit every venue.
 */
import type { LogSource } from '../../log/contract/log-source.ts';

/** Something that carries the id of its venue. */
export interface Part {
  /** For messages: "archive.db". */
  readonly name: string;
  readonly venueId: string | undefined;
}

/** A part of another venue lies among those of this one. */
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

/** What most say is right; where that is undecided, what the first one says. @throws {OtherVenue} */
export function refuseOthers(parts: readonly Part[]): void {
  const known = parts.filter(({ venueId }) => venueId !== undefined);
  const alike = ({ venueId }: Part) => known.filter((part) => part.venueId === venueId);
  const [right] = known.toSorted((a, b) => alike(b).length - alike(a).length);
  const odd = known.find(({ venueId }) => venueId !== right.venueId);
  if (odd !== undefined) throw new OtherVenue(odd, alike(right));
}

/** The log by its first record; without an id where that cannot be read. */
export async function beginningOf(source: LogSource): Promise<Part> {
  try {
    for await (const { began, place } of source.read()) return logPart(began?.venueId, place);
  } catch {
    // The one who reads the log says what is wrong with it.
  }
  return logPart(undefined);
}

/** `place`: of the record that says the id. */
export function logPart(venueId: string | undefined, place?: string): Part {
  return { name: place === undefined ? 'the command log' : `the command log (${place})`, venueId };
}
