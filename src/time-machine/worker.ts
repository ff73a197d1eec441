/** Runs the time machine of a data folder in a thread. */
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { realWorld } from '../engine/contract/world.ts';
import { type Reply, type Request, sentError, type ThreadData } from './messages.ts';
import { openTimeMachine } from './open.ts';

/** How long it works before it looks for messages. */
const SLICE_MS = 20;
/** On Linux threads have their own priorities. The venue and its archive come first. */
const NICE = 5;

if (process.platform === 'linux') setPriority(Math.min(getPriority() + NICE, constants.priority.PRIORITY_LOW));
const port = parentPort;
if (port === null) throw new Error('this module runs as a worker thread only');
const { folder, log, identity } = workerData as ThreadData;
const machine = openTimeMachine(folder, log ?? folder, identity, { world: realWorld, sliceMs: SLICE_MS, restMs: 0 });
const wanted = new Set<number>();
port.on('message', (request: Request) => {
  const { id } = request;
  if (request.type === 'drop') {
    wanted.delete(id);
    return;
  }
  wanted.add(id);
  const send = (reply: Reply) => {
    wanted.delete(id);
    port.postMessage(reply);
  };
  machine
    .ask(request.question, () => wanted.has(id))
    .then(
      (answer) => send({ id, answer }),
      (error) => send({ id, error: sentError(error) }),
    );
});
