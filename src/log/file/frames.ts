/** The frames of a folder one by one, for copies from and to another kind of storage. */
import { LogDamaged } from '../contract/command-log.ts';
import { decodeFrame, type PlacedFrame } from '../shared/frame.ts';
import { placeIn, SEAL_FILE, sealText, segmentName } from '../shared/segments.ts';
import { createFile, type Disk, type LogFiles, writeWhole } from './disk.ts';
import { readEntries } from './read-log.ts';
import { writeZeros } from './segment-files.ts';

/** Every frame of a log that nobody writes, the ends of segments included. Verifies the log first. @throws {LogDamaged} */
export function* readFrames(files: LogFiles): Generator<PlacedFrame, void> {
  const entries = readEntries(files);
  let step = entries.next();
  while (!step.done) step = entries.next();
  const end = step.value;
  for (let segment = 1; segment <= end.segment; segment += 1) {
    const bytes = files.read(segmentName(segment)) ?? Buffer.alloc(0);
    const upTo = segment === end.segment ? end.offset : bytes.length;
    for (let offset = 0; offset < upTo; ) {
      const decoded = decodeFrame(bytes, offset);
      if (decoded === undefined || !('frame' in decoded)) {
        throw new LogDamaged(placeIn(segmentName(segment), offset), 'it has changed while it was copied');
      }
      const { frame } = decoded;
      yield { segment, offset, frame, bytes: bytes.subarray(offset, offset + frame.length) };
      if (frame.kind === 'next') break;
      offset += frame.length;
    }
  }
}

/** Writes a segment that has these frames. */
export async function writeSegment(disk: Disk, frames: readonly PlacedFrame[]): Promise<void> {
  const [{ segment, frame }] = frames;
  const last = frames[frames.length - 1];
  const end = last.offset + last.bytes.length;
  await createFile(disk, segmentName(segment), (file) => {
    for (const { offset, bytes } of frames) writeWhole(file, bytes, offset);
    writeZeros(file, end, frame.segmentBytes - end);
  });
  if (last.frame.kind !== 'seal') return;
  const text = Buffer.from(sealText(last.frame.epoch, last.frame.lastSeq, last.frame.hash));
  await createFile(disk, SEAL_FILE, (file) => writeWhole(file, text, 0));
}
