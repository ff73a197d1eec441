/**
 * A snapshot as bytes, the same in a folder and in a database.
 *
 *     one line of JSON (the head) · the text · a line with the SHA-256 of everything before it
 *
 * Cost: V8 limits a string, and so the text of a snapshot, to half a gigabyte.
 */
import { hash } from 'node:crypto';
import { SnapshotDamaged } from '../contract/command-log.ts';
import type { StoredSnapshot } from '../contract/snapshot-store.ts';

const HASH_CHARS = 64;
const NEWLINE = 0x0a;

/** The content, and the line that ends it. They are apart because the content may be large. */
export function snapshotBytes(
  head: { readonly seq: number },
  text: string,
): { readonly content: Buffer; readonly checksum: Buffer } {
  const content = Buffer.from(`${JSON.stringify(head)}\n${text}\n`);
  return { content, checksum: Buffer.from(`${hash('sha256', content, 'hex')}\n`) };
}

/** @throws {SnapshotDamaged} the bytes are not as they were written, or hold the snapshot of another seq */
export function readSnapshotBytes(name: string, seq: number, bytes: Buffer): StoredSnapshot {
  const end = bytes.length - HASH_CHARS - 1;
  const checksum = bytes.subarray(Math.max(end, 0)).toString('latin1');
  if (end < 0 || checksum !== `${hash('sha256', bytes.subarray(0, end), 'hex')}\n`) {
    throw new SnapshotDamaged(name, `${bytes.length} bytes that do not match their checksum`);
  }
  const line = bytes.indexOf(NEWLINE);
  const head = JSON.parse(bytes.toString('utf8', 0, line)) as StoredSnapshot['head'];
  if (head.seq !== seq) throw new SnapshotDamaged(name, `it is the snapshot of seq ${head.seq}, renamed`);
  return { seq, name, head, text: bytes.subarray(line + 1, end - 1) };
}
