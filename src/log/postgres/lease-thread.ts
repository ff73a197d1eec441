/** Renews the lease of a writer, on a connection that waits for no standby. lease.ts starts it. */
import { parentPort, workerData } from 'node:worker_threads';
import { readAddress } from './address.ts';
import { Connection } from './connection.ts';
import { elapsedMs, LEASE_MS, type LeaseData, type LeaseReply, type LeaseRequest } from './lease.ts';

const RENEW_MS = 150;
/** How long a stop waits until the lease is given back. */
const RELEASE_MS = 1000;
const RENEW = 'UPDATE bourse.lease SET beat = beat + 1 WHERE owner = $1';
const RELEASE = 'UPDATE bourse.lease SET owner = NULL, beat = beat + 1 WHERE owner = $1';

const port = parentPort;
if (port === null) throw new Error('this module runs as a worker thread only');
const { address, shared } = workerData as LeaseData;
const renewed = new BigInt64Array(shared);
let connection: Connection | undefined;
let owner: string | undefined;
let timer: NodeJS.Timeout | undefined;
let renewing: Promise<void> = Promise.resolve();

port.on('message', (request: LeaseRequest) => {
  if (request.type === 'release') {
    release();
    return;
  }
  owner = request.owner;
  renewing = renew();
});
port.postMessage('ready' satisfies LeaseReply);

async function renew(): Promise<void> {
  const begunMs = elapsedMs();
  try {
    const opened = await connected();
    const { rowCount } = await opened.query(RENEW, [owner], LEASE_MS);
    if (rowCount !== 1) {
      port?.postMessage('replaced' satisfies LeaseReply);
      return;
    }
    Atomics.store(renewed, 0, BigInt(begunMs));
  } catch {
    connection?.close();
  }
  timer = setTimeout(
    () => {
      renewing = renew();
    },
    Math.max(0, RENEW_MS - (elapsedMs() - begunMs)),
  );
}

/** If the database cannot be reached, the next writer waits until the lease has expired. */
async function release(): Promise<void> {
  setTimeout(() => process.exit(), RELEASE_MS);
  await renewing;
  clearTimeout(timer);
  try {
    if (owner !== undefined) await (await connected()).query(RELEASE, [owner]);
    connection?.end();
  } finally {
    process.exit();
  }
}

async function connected(): Promise<Connection> {
  if (connection !== undefined && connection.ended === undefined) return connection;
  connection = await Connection.open(readAddress(address));
  await connection.query('SET synchronous_commit = off');
  return connection;
}
