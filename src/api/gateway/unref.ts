/** Lets a process end although its server is open, so that a test that forgets to close its venue still ends. */
import type { Server } from 'node:http';

export function unrefServer(server: Server): void {
  server.unref();
  server.on('connection', (socket) => socket.unref());
}
