/**
 * The master key of a log that several processes share. All of them need it: one with another master key would follow, lead
 * one day, and then open no API key that the others have sealed.
 *
 * A small document beside the log has fixed words that are sealed by the newest master key of the process that leads. A
 * process that cannot open them is refused before it follows, when the leader changes, and before it leads. A venue without
 * API keys has the document too. The log of an earlier version gets it when the next process leads.
 */
import type { DocumentStore, LogStorage } from '../../log/contract/storage.ts';
import type { Venue } from '../../venue/venue.ts';
import type { Secrets } from './config-diff.ts';

const MASTER_KEY_FILE = 'master-key.sealed';
const WORDS = 'sealed by the master key of this venue';

/** This process cannot open what the log has sealed. */
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

/** The process that leads leaves the document to the others. @throws {LogFull} */
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
