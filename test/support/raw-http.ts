/** HTTP byte by byte over a socket, for requests that no client library would send. */
import { connect, type Socket } from 'node:net';
import type { Answer } from './signing.ts';

export interface RawOptions {
  readonly localAddress?: string;
  /** Ends the sending half after the last byte. */
  readonly halfClose?: boolean;
}

export class RawConnection {
  readonly socket: Socket;
  private received = '';
  private ended = false;
  private wake: () => void = () => {};

  constructor(url: string, options: RawOptions = {}) {
    const { hostname, port } = new URL(url);
    this.socket = connect({
      host: hostname,
      port: Number(port),
      localAddress: options.localAddress,
      allowHalfOpen: true,
    });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.received += text;
      this.wake();
    });
    const end = () => {
      this.ended = true;
      this.wake();
    };
    this.socket.on('end', end);
    this.socket.on('close', end);
    this.socket.on('error', end);
  }

  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** The next complete answer. Null if the connection ended without one. `bodiless`: the answer to a HEAD. */
  async answer(bodiless = false): Promise<(Answer & { head: string }) | null> {
    for (;;) {
      const answer = this.next(bodiless);
      if (answer !== null) return answer;
      if (this.ended) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Resolves when the other side has closed. */
  async closed(): Promise<void> {
    while (!this.ended) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private next(bodiless: boolean): (Answer & { head: string }) | null {
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const head = this.received.slice(0, end);
    const status = Number(head.slice(9, 12));
    const length =
      bodiless || status === 204 || status === 100 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.received.length < end + 4 + length) return null;
    const text = Buffer.from(this.received.slice(end + 4, end + 4 + length), 'latin1').toString('utf8');
    this.received = this.received.slice(end + 4 + length);
    return { status, head, body: text === '' ? null : JSON.parse(text) };
  }
}

/** Sends bytes on a new connection and returns the first answer. Null if there is none. */
export async function exchange(
  url: string,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<(Answer & { head: string }) | null> {
  const connection = new RawConnection(url, options);
  connection.send(bytes);
  if (options.halfClose === true) connection.socket.end();
  try {
    return await connection.answer(bytes.toString('latin1').startsWith('HEAD'));
  } finally {
    connection.socket.destroy();
  }
}

/** A request as text. A header with several lines has an array of values. */
export function requestText(
  method: string,
  target: string,
  headers: Record<string, string | readonly string[]>,
  body: string | Buffer = '',
): Buffer {
  let head = `${method} ${target} HTTP/1.1\r\nHost: venue\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    for (const one of typeof value === 'string' ? [value] : value) head += `${name}: ${one}\r\n`;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  if (bytes.length > 0 && headers['transfer-encoding'] === undefined) head += `Content-Length: ${bytes.length}\r\n`;
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), bytes]);
}
