/**
 * Runs the archive's loop (loop.ts) in a thread. It shares memory with the venue's thread, and exchanges messages with
 * it.
 */
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { realWorld } from '../../engine/contract/world.ts';
import { type MoveOptions, type SegmentMover, segmentMover, storageAt } from '../../log/open.ts';
import { ArchiveFile } from '../store/place.ts';
import { syncArchive } from '../store/witness.ts';
import { FolderMeter } from './folder-sizes.ts';
import { ArchiveLoop } from './loop.ts';
import {
  APPLIED,
  ARCHIVED,
  elapsedMs,
  KNOWN_FROM,
  type LeadRequest,
  type Reply,
  type Request,
  type SharedProgress,
  type SizesRequest,
  type ThreadData,
} from './messages.ts';

/** On Linux threads have their own priorities. This one's is a little below that of the process. */
const NICE = 5;

function progressIn(shared: BigInt64Array): SharedProgress {
  return {
    get applied() {
      return Number(Atomics.load(shared, APPLIED));
    },
    get leads() {
      return leads;
    },
    changed(applied) {
      const { async, value } = Atomics.waitAsync(shared, APPLIED, BigInt(applied));
      return async ? value : undefined;
    },
    get archived() {
      return Number(Atomics.load(shared, ARCHIVED));
    },
    set archived(seq: number) {
      Atomics.store(shared, ARCHIVED, BigInt(seq));
    },
    set knownFrom(seq: number) {
      Atomics.store(shared, KNOWN_FROM, BigInt(seq));
    },
  };
}

if (process.platform === 'linux') setPriority(Math.min(getPriority() + NICE, constants.priority.PRIORITY_LOW));
const port = parentPort;
if (port === null) throw new Error('this module runs as a worker thread only');
const { folder, log, shared, snapshotEvery, identity, idKey, keep, lead: leadRequest } = workerData as ThreadData;
const storage = storageAt(log ?? folder, { world: realWorld });
let leads = false;
if (leadRequest !== undefined) lead(leadRequest);
const loop = new ArchiveLoop({
  storage,
  place: new ArchiveFile(folder),
  progress: progressIn(new BigInt64Array(shared)),
  world: realWorld,
  snapshotEvery,
  identity,
  idKey,
  keep,
  openMover,
  send: (reply: Reply) => port.postMessage(reply),
});

/** If the process was suspended, another one may lead by now. Then this thread must move and remove nothing. */
function lead({ ownerId }: LeadRequest): void {
  if (ownerId !== undefined) storage.actFor?.(ownerId);
  leads = true;
}

function openMover(to: string, options: MoveOptions): Promise<SegmentMover> {
  syncArchive(folder);
  return segmentMover(storage, to, options);
}

const meter = new FolderMeter(folder, elapsedMs);
port.on('message', (request: Request | SizesRequest | LeadRequest) => {
  if (request.type === 'lead') lead(request);
  else if (request.type !== 'sizes') loop.take(request);
  else port.postMessage({ type: 'sizes', sizes: meter.read() } satisfies Reply);
});
await loop.run();
port.close();
