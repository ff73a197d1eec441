/**
 * Frames that are not written to their sockets yet. All frames of a socket are written with one system call, because a call
 * costs more than everything else about a frame.
 *
 * Invariant: they are written at the end of the present turn of the event loop at the latest, in their order.
 */
import type { Duplex } from 'node:stream';

export class Outbox {
  #sockets = new Set<Duplex>();

  put(socket: Duplex, frame: Buffer): void {
    if (!this.#sockets.has(socket)) {
      socket.cork();
      if (this.#sockets.size === 0) process.nextTick(() => this.flush());
      this.#sockets.add(socket);
    }
    socket.write(frame);
  }

  /** Writes everything. */
  flush(): void {
    if (this.#sockets.size === 0) return;
    const sockets = this.#sockets;
    this.#sockets = new Set();
    for (const socket of sockets) socket.uncork();
  }
}
