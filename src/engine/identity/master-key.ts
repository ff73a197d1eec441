/**
 * Checks that all processes that share a log have the same master key. A standby with another one would follow, take over
 * one day, and then open none of the API keys that the others have sealed.
 *
 * A small document beside the log holds fixed words, sealed by the newest master key of the leader. A process that cannot
 * open them is refused before it follows, when the leader changes, and before it leads. A venue without API keys has the
 * document too. The log of an earlier version gets it from the next process that leads.
 */
import type { DocumentStore, LogStorage } from '../../log/contract/storage.ts';
import type { Venue } from '../../venue/venue.ts';
import type { Secrets } from './config-diff.ts';

const MASTER_KEY_FILE = 'master-key.sealed';
const WORDS = 'sealed by the master key of this venue';

/** The master keys of this process do not open what the leader has sealed. */
export class OtherMasterKey extends Error {
  override readonly name = 'OtherMasterKey';

  constructor(where: string, options?: ErrorOptions) {
    super(
      `the master key is not the one that the log in ${where} was started with: name the right one with --master-key-file; ` +
        'after a rotation its file has the earlier ones too, and every machine needs the new file',
      options,
    );
  }
}

/** @throws {OtherMasterKey} it does not open what the leader has sealed beside the log */
export async function checkMasterKey({ where, documents }: LogStorage, secrets: Secrets): Promise<void> {
  const sealed = await documents.read(MASTER_KEY_FILE);
  if (sealed !== undefined) open(where, sealed, secrets);
}

/** @throws {OtherMasterKey} it does not open the API keys of the venue */
export function checkKeys(where: string, venue: Venue, secrets: Secrets): void {
  // The oldest key may need the oldest master key, and the newest the newest.
  const keys = venue.keys();
  for (const key of [keys.at(0), keys.at(-1)]) if (key !== undefined) open(where, key.sealed, secrets);
}

/**
 * Writes the document, unless the newest master key of this process has sealed it already. Only the leader calls this.
 * @throws {LogFull} @throws {LogFailed}
 */
export async function writeMasterKey(documents: DocumentStore, secrets: Secrets): Promise<void> {
  const sealed = secrets.seal(WORDS);
  if ((await documents.read(MASTER_KEY_FILE)) !== sealed) await documents.write(MASTER_KEY_FILE, sealed);
}

function open(where: string, sealed: string, secrets: Secrets): void {
  try {
    secrets.open(sealed);
  } catch (cause) {
    throw new OtherMasterKey(where, { cause });
  }
}
