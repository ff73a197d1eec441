/**
 * A proxy in front of a venue that notes every request and its answer, and every stream and its frames. What a client was
 * refused is seen here, whatever the client makes of it. Bytes pass unchanged, because they are signed; only offers to compress
 * frames are left out, so that they can be read.
 */
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import * as ws from 'ws';

// The types of ws leave its parser of frames out.
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

export interface Noted {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** 101: a stream. */
  readonly status: number;
  /** The text of the answer, for one of 400 and above. */
  readonly text: string;
}

/** A text frame of a stream. */
export interface Frame {
  readonly by: 'client' | 'venue';
  readonly text: string;
}

export class Recorder {
  readonly noted: Noted[] = [];
  /** In the order in which they passed. */
  readonly frames: Frame[] = [];
  readonly #target: URL;
  readonly #server: Server;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((asked, answer) => {
      const chunks: Buffer[] = [];
      asked.on('data', (chunk: Buffer) => chunks.push(chunk));
      asked.on('end', () => {
        const { method, url: path, rawHeaders: headers } = asked;
        const passed = request(target, { method, path, headers: headers as unknown as string[] }, (reply) => {
          const parts: Buffer[] = [];
          reply.on('data', (part: Buffer) => parts.push(part));
          reply.on('end', () => {
            const body = Buffer.concat(parts);
            this.#note(asked, reply.statusCode ?? 0, body.toString());
            answer.writeHead(reply.statusCode ?? 502, reply.rawHeaders).end(body);
          });
        });
        passed.on('error', () => answer.destroy());
        passed.end(Buffer.concat(chunks));
      });
    });
    this.#server.on('upgrade', (asked, socket, head) => {
      const { hostname, port } = this.#target;
      const through = connect(Number(port), hostname, () => {
        through.write(headText(asked));
        through.write(head);
        through.once('data', (first: Buffer) => {
          const status = Number(first.toString('latin1', 9, 12));
          this.#note(asked, status, first.toString('latin1'));
          if (status !== 101) return;
          const frames = first.subarray(first.indexOf('\r\n\r\n') + 4);
          this.#readFrames('venue', through, frames);
          this.#readFrames('client', socket, head);
        });
        through.pipe(socket).pipe(through);
      });
      for (const end of [socket, through]) end.on('error', () => [socket, through].map((each) => each.destroy()));
    });
  }

  /** Listens on a free port in front of a venue's address. */
  static async before(venue: string): Promise<Recorder> {
    const recorder = new Recorder(new URL(venue));
    await new Promise<void>((resolve) => recorder.#server.listen(0, '127.0.0.1', resolve));
    return recorder;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What was asked for and is not served: `GET /path`, each once. */
  get notServed(): string[] {
    const missing = this.noted.filter(({ status, text }) => status === 404 && text.includes('no route at'));
    return [...new Set(missing.map(({ method, path }) => `${method} ${path}`))].sort();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #readFrames(by: Frame['by'], source: Duplex, before: Buffer): void {
    const receiver = new Receiver({ isServer: by === 'client' });
    receiver.on('message', (data: Buffer) => this.frames.push({ by, text: data.toString() }));
    receiver.on('error', () => {}); // a client that breaks the protocol is the venue's to judge
    receiver.write(before);
    source.on('data', (chunk: Buffer) => receiver.write(chunk));
  }

  #note({ method = '', url = '' }: IncomingMessage, status: number, text: string): void {
    const [path, query = ''] = url.split('?', 2);
    this.noted.push({ method, path, query, status, text: status >= 400 ? text : '' });
  }
}

function headText({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!/^sec-websocket-extensions$/i.test(rawHeaders[i])) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
