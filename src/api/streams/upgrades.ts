/** What takes the handshakes of WebSockets, with the bounds of what a client may send. */
import { WebSocketServer } from 'ws';

/** A client's frame, however many fragments it has. */
export const MAX_FRAME_BYTES = 65_536;
/** Fragments of one frame, also empty ones. */
const MAX_FRAGMENTS = 1024;
/** Parts in which an unfinished frame arrives. */
const MAX_CHUNKS = 4096;

/** Its connections answer no ping: who takes them counts pings, too. */
export function webSockets(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    // Compression would cost each client memory and time, and one encoding could not serve all of them.
    perMessageDeflate: false,
    autoPong: false,
  });
}
