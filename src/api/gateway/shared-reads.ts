/**
 * Reads sockets into one buffer that all of them share, as the parser of node:http does. Without it, Node allocates 64 KB
 * for each read of a socket, and passes the bytes through the layers of a stream.
 *
 * Node offers this as `onread`, but only for sockets that a program opens, and not for those that a server accepts. So
 * this sets the fields that `onread` sets. A Node without them reads as usual. A test shows that the Node of the lock
 * file has them.
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
 * From now on, what arrives goes to `onBytes`, and is valid until that returns. It returns false to stop reading. The
 * function itself returns false, and changes nothing, if this Node cannot do that.
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
  // With `onread`, these methods of a socket start and stop reading, whatever its stream holds. A socket that is paused and
  // resumed for each request would never stop reading.
  const { pause, read, resume } = Duplex.prototype;
  Object.assign(socket, { pause, read, resume });
  return true;
}
