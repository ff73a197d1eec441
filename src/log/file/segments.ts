/** The names in a log's folder, and what the seal file says. */

/** Written at a clean stop and removed at the next start: a log that does not hold this seal is too short. */
export const SEAL_FILE = 'sealed';
/** A file that is not ready yet carries this after its name; such a file counts for nothing. */
export const UNREADY = '.new';

/** Segments are numbered from 1. */
export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.log`;
}

export function segmentNumber(name: string): number | undefined {
  return /^\d{8}\.log$/.test(name) ? Number(name.slice(0, 8)) : undefined;
}

/** A snapshot is named after the last seq that it covers. */
export function snapshotName(seq: number): string {
  return `${String(seq).padStart(12, '0')}.snapshot`;
}

export function snapshotSeq(name: string): number | undefined {
  return /^\d{12}\.snapshot$/.test(name) ? Number(name.slice(0, 12)) : undefined;
}

export function sealText(epoch: number, seq: number, hash: Buffer): string {
  return `${JSON.stringify({ epoch, seq, hash: hash.toString('hex') })}\n`;
}

/** A place in a file, in words. */
export function placeIn(file: string, offset: number): string {
  return `${file} at offset ${offset}`;
}
