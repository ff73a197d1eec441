/** The file names in the folder of a log, and the content of the seal file. */

/** Written at a clean stop and removed at the next start. A log that does not hold this seal is too short. */
export const SEAL_FILE = 'sealed';
/** Names the last record of the part of the log that was moved to another folder (moved.ts). */
export const MOVED_FILE = 'moved.json';
/** The suffix of a file that is not finished. Such a file is ignored. */
export const UNREADY = '.new';
/** The suffix of a snapshot that was set aside. Such a file is ignored too. */
export const DAMAGED = '.damaged';

/** Segments are numbered from 1, with at least eight digits. */
export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.log`;
}

export function segmentNumber(name: string): number | undefined {
  return numberIn(name, /^(\d{8}|[1-9]\d{8,})\.log$/);
}

/** A snapshot is named after its last seq, with at least twelve digits. */
export function snapshotName(seq: number): string {
  return `${String(seq).padStart(12, '0')}.snapshot`;
}

export function snapshotSeq(name: string): number | undefined {
  return numberIn(name, /^(\d{12}|[1-9]\d{12,})\.snapshot$/);
}

/** Undefined for another name, and for a number above the safe integers. */
function numberIn(name: string, pattern: RegExp): number | undefined {
  const number = Number(pattern.exec(name)?.[1]);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** `hash`: of the last frame, in hex. */
export function sealText(epoch: number, seq: number, hash: string): string {
  return `${JSON.stringify({ epoch, seq, hash })}\n`;
}

/** A place in a file, in words. */
export function placeIn(file: string, offset: number): string {
  return `${file} at offset ${offset}`;
}
