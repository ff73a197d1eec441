/**
 * Replies to plain requests, with the bytes that node:http would send.
 *
 * Cost: one string for each reply, and the text of the date once a second.
 */
import { Buffer } from 'node:buffer';
import { STATUS_CODES, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { realWorld } from '../../engine/contract/world.ts';
import { KEEP_ALIVE_MS } from './connections.ts';

export class PlainReply {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type: string;
  readonly bytes: number;
  readonly headers: readonly string[];

  /**
   * `headers`: names and values, alternating. Throws if a value would break the head, or if there is no body: a mistake
   * in the program.
   */
  constructor(status: number, body: string | Buffer, headers: readonly string[], type = 'application/json') {
    for (let i = 0; i < headers.length; i += 2) validateHeaderValue(headers[i], headers[i + 1]);
    this.status = status;
    this.body = body;
    this.type = type;
    this.bytes = Buffer.byteLength(body);
    this.headers = headers;
  }
}

/** Writes the reply. `closes`: its head says that the connection ends with it. */
export function writeReply(socket: Socket, reply: PlainReply, closes: boolean): void {
  const { body, bytes } = reply;
  const head = headOf(reply, closes);
  // As many bytes as characters: it is ASCII. In one string, it is one write.
  if (typeof body === 'string' && bytes === body.length) socket.write(head + body, 'latin1');
  else {
    socket.write(head, 'latin1');
    socket.write(body);
  }
}

const KEPT_ALIVE = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n\r\n`;

function headOf({ status, type, bytes, headers }: PlainReply, closes: boolean): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return closes ? `${head}Connection: close\r\nDate: ${date()}\r\n\r\n` : `${head}Date: ${date()}${KEPT_ALIVE}`;
}

let dateText = '';
let dateSecond = 0;

function date(): string {
  const second = Math.floor(realWorld.wallMs() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
