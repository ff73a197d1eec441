/**
 * Reads sockets into one buffer that all of them share, as the parser of node:http does. Without it, Node allocates 64 KB
 * for each read of a socket, and passes the bytes through the layers of a stream.
 *
 * Node offers this as `onread`, but only for sockets that a program makes itself, and not for those that a server
 * accepts. So it is switched on by what `onread` sets. A Node that has changed this reads as usual (a test shows that
 * the one in the lock file has it).
 */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** As much as libuv reads at once. */
const SHARED = Buffer.allocUnsafeSlow(65_536);

interface Switchable {
  _handle?: { useUserBuffer?: (buffer: Buffer) => void } | null;
  [symbol: symbol]: unknown;
}

/**
 * From now on, what arrives goes to `onBytes`, and is valid until it returns. `onBytes` returns false to stop reading.
 * False: this Node cannot do that, and nothing has changed.
 */
export function shareReads(socket: Socket, onBytes: (bytes: Buffer) => boolean): boolean {
  const switchable = socket as unknown as Switchable;
  const symbols = Object.getOwnPropertySymbols(socket);
  const buffer = symbols.find(({ description }) => description === 'kBuffer');
  const callback = symbols.find(({ description }) => description === 'kBufferCb');
  const handle = switchable._handle;
  if (buffer === undefined || callback === undefined || typeof handle?.useUserBuffer !== 'function') return false;
  switchable[buffer] = SHARED;
  switchable[callback] = (length: number) => onBytes(SHARED.subarray(0, length));
  handle.useUserBuffer(SHARED);
  // A socket with `onread` starts and stops the reading in these, whatever its stream holds. One that is paused and resumed for
  // each request would read on without end.
  const { pause, read, resume } = Duplex.prototype;
  Object.assign(socket, { pause, read, resume });
  return true;
}
