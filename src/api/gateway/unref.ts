/** A server that does not keep its process alive: a test that forgets to close its venue ends all the same. */
import type { Server } from 'node:http';

export function unrefServer(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
}
