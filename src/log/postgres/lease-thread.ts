/** Renews the lease of a writer in a separate thread, which lease.ts starts. The work is in lease-renewal.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { readAddress } from './address.ts';
import { elapsedMs, type LeaseData, type LeaseReply, type LeaseRequest } from './lease.ts';
import { LeaseRenewal } from './lease-renewal.ts';

const port = parentPort;
if (port === null) throw new Error('this module runs as a worker thread only');
const { address, shared } = workerData as LeaseData;
const renewal = new LeaseRenewal({
  database: readAddress(address),
  renewed: new BigInt64Array(shared),
  elapsedMs,
  timer(ms, act) {
    const timer = setTimeout(act, ms);
    return { clear: () => clearTimeout(timer), unref: () => timer.unref() };
  },
  send: (reply: LeaseReply) => port.postMessage(reply),
  onReleased: () => process.exit(),
});
port.on('message', (request: LeaseRequest) => renewal.take(request));
port.postMessage('ready' satisfies LeaseReply);
