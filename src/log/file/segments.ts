/** The names in a log's folder, and what the seal file says. */

/** Written at a clean stop and removed at the next start: a log that does not hold this seal is too short. */
export const SEAL_FILE = 'sealed';
/** A file that is not ready yet carries this after its name; such a file counts for nothing. */
export const UNREADY = '.new';
/** A snapshot that was set aside carries this after its name; such a file counts for nothing either. */
export const DAMAGED = '.damaged';

/** Segments are numbered from 1, in eight digits, and in as many as it takes beyond that. */
export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.log`;
}

export function segmentNumber(name: string): number | undefined {
  return numberIn(name, /^(\d{8}|[1-9]\d{8,})\.log$/);
}

/** A snapshot is named after the last seq that it covers, in twelve digits or more. */
export function snapshotName(seq: number): string {
  return `${String(seq).padStart(12, '0')}.snapshot`;
}

export function snapshotSeq(name: string): number | undefined {
  return numberIn(name, /^(\d{12}|[1-9]\d{12,})\.snapshot$/);
}

/** Undefined for another name, and for a number that is beyond what can be counted to. */
function numberIn(name: string, pattern: RegExp): number | undefined {
  const number = Number(pattern.exec(name)?.[1]);
  return Number.isSafeInteger(number) ? number : undefined;
}

export function sealText(epoch: number, seq: number, hash: Buffer): string {
  return `${JSON.stringify({ epoch, seq, hash: hash.toString('hex') })}\n`;
}

/** A place in a file, in words. */
export function placeIn(file: string, offset: number): string {
  return `${file} at offset ${offset}`;
}
