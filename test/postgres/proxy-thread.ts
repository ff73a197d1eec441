/** Runs the links of proxy.ts in a thread, so that they go on while a test waits for a program. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import type { LinkRequest, Way } from './proxy.ts';

const links = new Map<number, Tunnel>();

/** A link, by its id in proxy.ts. */
class Tunnel {
  readonly port: number;
  readonly #cut = new Set<Way>();
  /** How long each piece takes, in milliseconds. */
  #delayMs = 0;
  /** Resolves when the link is whole again. */
  #mended = Promise.withResolvers<void>();

  private constructor(port: number) {
    this.port = port;
  }

  static async to(port: number): Promise<Tunnel> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const link = new Tunnel((server.address() as { port: number }).port);
    server.on('connection', (socket) => link.#join(socket, port));
    return link;
  }

  cut(...ways: readonly Way[]): void {
    for (const way of ways) this.#cut.add(way);
  }

  /** Delays everything by so much, each way. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Neither cut nor slow any more. */
  mend(): void {
    this.#cut.clear();
    this.#delayMs = 0;
    this.#mended.resolve();
    this.#mended = Promise.withResolvers<void>();
  }

  #join(client: Socket, port: number): void {
    const server = connect(port, '127.0.0.1');
    this.#pass(client, server, 'there');
    this.#pass(server, client, 'back');
  }

  /** Passes everything on in order. */
  #pass(from: Socket, to: Socket, way: Way): void {
    let last = Promise.resolve();
    const deliver = (act: () => void) => {
      const dueMs = performance.now() + this.#delayMs;
      last = last.then(async () => {
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await delay(waitMs);
        while (this.#cut.has(way)) await this.#mended.promise;
        act();
      });
    };
    from.setNoDelay(true);
    from.on('data', (piece) => deliver(() => to.write(piece)));
    from.on('error', () => {});
    from.on('close', () => deliver(() => to.destroy()));
  }
}

parentPort?.on('message', async (request: LinkRequest) => {
  const { id } = request;
  const link = links.get(id);
  if (request.type === 'open') {
    const opened = await Tunnel.to(request.to);
    links.set(id, opened);
    parentPort?.postMessage({ id, port: opened.port });
  } else if (request.type === 'cut') link?.cut(...request.ways);
  else if (request.type === 'slow') link?.slow(request.delayMs);
  else link?.mend();
});
