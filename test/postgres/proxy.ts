/**
 * A link between two processes that a test can cut or slow down: a TCP proxy on loopback. A cut link closes no connection
 * and delivers nothing, as a network that drops every packet. What was sent meanwhile arrives when it is whole again.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** `there`: from those who connect to the server. `back`: from the server to them. */
export type Way = 'there' | 'back';

export type LinkRequest = { readonly id: number } & (
  | { readonly type: 'open'; readonly to: number }
  | { readonly type: 'cut'; readonly ways: readonly Way[] }
  | { readonly type: 'slow'; readonly delayMs: number }
  | { readonly type: 'mend' }
);

let thread: Worker | undefined;
let lastId = 0;

/** Ends all of them. */
export async function endLinks(): Promise<void> {
  await thread?.terminate();
  thread = undefined;
}

export class Link {
  readonly port: number;
  readonly #id: number;

  private constructor(id: number, port: number) {
    this.#id = id;
    this.port = port;
  }

  /** A link to a port of this machine. */
  static async to(port: number): Promise<Link> {
    thread ??= new Worker(new URL('./proxy-thread.ts', import.meta.url));
    lastId += 1;
    const id = lastId;
    thread.postMessage({ id, type: 'open', to: port } satisfies LinkRequest);
    for (;;) {
      const [opened] = (await once(thread, 'message')) as [{ id: number; port: number }];
      if (opened.id === id) return new Link(id, opened.port);
    }
  }

  cut(...ways: readonly Way[]): void {
    thread?.postMessage({ id: this.#id, type: 'cut', ways } satisfies LinkRequest);
  }

  /** Delays everything by so much, each way. */
  slow(delayMs: number): void {
    thread?.postMessage({ id: this.#id, type: 'slow', delayMs } satisfies LinkRequest);
  }

  /** Neither cut nor slow any more. */
  mend(): void {
    thread?.postMessage({ id: this.#id, type: 'mend' } satisfies LinkRequest);
  }
}
