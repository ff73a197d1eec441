/**
 * Runs the archive's work (thread.ts) in a thread. It shares memory with the venue's thread, and exchanges messages
 * with it.
 */
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { realWorld } from '../engine/contract/world.ts';
import { folderStorage } from '../log/open.ts';
import { APPLIED, ARCHIVED, KNOWN_FROM, type Reply, type Request, type ThreadData } from './messages.ts';
import { ArchiveFile } from './place.ts';
import { ArchiveThread, type Marks } from './thread.ts';

/** On Linux threads have their own priorities. This one's is a little below that of the process. */
const NICE = 5;

function marksIn(shared: BigInt64Array): Marks {
  return {
    get applied() {
      return Number(Atomics.load(shared, APPLIED));
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
const { folder, shared, snapshotEvery, keeper } = workerData as ThreadData;
const thread = new ArchiveThread({
  storage: folderStorage(folder),
  place: new ArchiveFile(folder),
  marks: marksIn(new BigInt64Array(shared)),
  world: realWorld,
  snapshotEvery,
  keeper,
  say: (reply: Reply) => port.postMessage(reply),
});
port.on('message', (request: Request) => thread.take(request));
await thread.run();
port.close();
