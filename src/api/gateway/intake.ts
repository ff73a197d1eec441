/**
 * What the gateway reads from its connections, and in which order. Without it, one connection could have megabytes of requests
 * handled before any other connection gets a turn.
 *
 * Invariants:
 * - A connection has at most IN_HAND requests in hand: from the last byte of their head until their reply is handed to the
 *   socket. What it sends beyond them is not parsed, and its socket is paused.
 * - Over all connections MOST_IN_HAND are in hand. Beyond, a connection with none in hand may still have one: nobody is shut out.
 * - Connections that have sent more than one request take turns: one request each, then the next connection. In one turn of
 *   the event loop they are served for TURN_MS, so that whoever sends one request at a time comes in between.
 * - A request that the gateway refuses by its head does not use up the turn: under overload most are refused, and one refusal
 *   a turn would keep the others waiting.
 * - The time that a request has waited is never understated by more than one turn of the event loop: bytes that came while the
 *   socket was paused count from the pause on.
 *
 * The parser of node:http stays the only judge of where a request ends. It is given its bytes in parts, each of which ends
 * with a head or a body, so that no part completes more than one request. What is not given to it yet goes back into the
 * socket's buffer, at most 64 KB and what the socket reads ahead.
 *
 * Cost: a search for the end of the head, and one more call of the parser for a request with a body.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { World } from '../../engine/contract/world.ts';
import { Turns } from './turns.ts';

export const IN_HAND = 16;
export const MOST_IN_HAND = 4096;
const TURN_MS = 5;
/** Parts that the parser gets in one turn of a connection, where they make no request or refused ones: blank lines, chunks. */
const PARTS = 2 * IN_HAND;
const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

type IntakeWorld = Pick<World, 'monotonicMs' | 'nextTurn'>;

const INTAKE = Symbol('intake');
type Taken = Socket & { [INTAKE]?: Intake };

/** The intakes of one listener. */
export class Intakes {
  readonly world: IntakeWorld;
  readonly turns: Turns;
  readonly mostInHand: number;
  /** Over all connections. */
  inHand = 0;

  constructor(world: IntakeWorld, mostInHand = MOST_IN_HAND) {
    this.world = world;
    this.mostInHand = mostInHand;
    this.turns = new Turns(TURN_MS, world);
  }

  /** To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket) => {
      (socket as Taken)[INTAKE] = new Intake(socket, this);
    });
  }
}

/** Of a connection of a watched server. */
export function intakeOf(socket: object): Intake {
  return (socket as Taken)[INTAKE] as Intake;
}

export class Intake {
  readonly #socket: Socket;
  readonly #all: Intakes;
  /** Gives bytes to the parser. */
  readonly #parse: (bytes: Buffer) => void;
  #inHand = 0;
  #requests = 0;
  /** Without those that were refused by their head. */
  #taken = 0;
  /** The request whose body is still to come. */
  #unfinished: IncomingMessage | null = null;
  /** Of that body, where its head says how long it is. */
  #bodyLeft = 0;
  /** The last bytes of a head whose rest is still to come: the blank line may begin in them. */
  #headTail = '';
  /** Waits for its turn. */
  #waits = false;
  /** Waits until an earlier reply of this connection is sent. */
  #full = false;
  #closed = false;
  /** Since when its requests wait for the venue, and not for earlier replies of the connection; undefined: nothing waits. */
  #sinceMs: number | undefined;
  /** When the socket was read last, or was free to be. */
  #readAtMs = 0;
  /** In its turn it reads what it has put back into the socket's buffer. */
  #rereads = false;
  /** The socket was paused, and what has come since then was not read yet. */
  #wasPaused = false;

  constructor(socket: Socket, all: Intakes) {
    this.#socket = socket;
    this.#all = all;
    // The listener of node:http, which gives all of a chunk to the parser at once.
    const listeners = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (listeners.length !== 1)
      throw new Error(`a new connection has ${listeners.length} listeners for its data, not 1`);
    this.#parse = listeners[0];
    socket.removeListener('data', this.#parse);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('close', () => this.#close());
  }

  /** Requests that have come whole and whose replies are not out yet. */
  get repliesDue(): number {
    return this.#inHand - (this.#unfinished === null ? 0 : 1);
  }

  /** How long the request that is being parsed has waited for its turn. */
  get waitedMs(): number {
    return this.#sinceMs === undefined ? 0 : this.#all.world.monotonicMs() - this.#sinceMs;
  }

  /** Its head was parsed. */
  received(request: IncomingMessage): void {
    this.#requests += 1;
    this.#taken += 1;
    this.#inHand += 1;
    this.#all.inHand += 1;
    this.#unfinished = request;
  }

  /** The request whose head was parsed is refused by it. */
  refused(): void {
    this.#taken -= 1;
  }

  /** The reply was ended. It is out once those to earlier requests of the connection are. */
  answered(response: ServerResponse): void {
    if (response.socket === null) response.once('close', () => this.#out());
    else this.#out();
  }

  /** Its turn: what is in the socket's buffer comes to `#take`, before this returns. */
  turn(): void {
    this.#waits = false;
    this.#rereads = true;
    this.#socket.resume();
    this.#socket.read();
    this.#rereads = false;
  }

  /** From now on nothing of it is parsed: the connection belongs to another protocol, or to nobody. */
  leave(): void {
    this.#close();
    this.#socket.removeAllListeners('data');
  }

  #out(): void {
    if (this.#closed) return;
    this.#inHand -= 1;
    this.#all.inHand -= 1;
    if (!this.#full) return;
    this.#full = false;
    this.#readAtMs = this.#all.world.monotonicMs();
    this.#sinceMs = this.#readAtMs;
    this.#join();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#all.inHand -= this.#inHand;
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    if (!this.#waits) {
      if (!this.#rereads) this.#cameNow();
      rest = this.#feed(chunk);
      if (rest.length === 0) {
        this.#sinceMs = undefined;
        if (this.#rereads) this.#wasPausedUntilNow();
        return;
      }
    }
    const socket = this.#socket;
    if (this.#closed || socket.destroyed) return;
    // node:http pauses a socket whose client does not read its replies, and resumes it by itself.
    const unread = socket.isPaused();
    socket.pause();
    socket.unshift(rest);
    if (this.#waits) return;
    if (unread) this.#sinceMs = undefined;
    else if (this.#mayTake()) this.#join();
    else this.#full = true;
  }

  #cameNow(): void {
    const nowMs = this.#all.world.monotonicMs();
    this.#sinceMs = this.#wasPaused ? this.#readAtMs : nowMs;
    this.#readAtMs = nowMs;
  }

  /** What has come meanwhile is read in the next turn of the event loop; what is read later came later. */
  #wasPausedUntilNow(): void {
    this.#wasPaused = true;
    this.#all.world.nextTurn().then(() => {
      this.#wasPaused = false;
    });
  }

  #join(): void {
    this.#waits = true;
    this.#all.turns.join(this);
  }

  /** Gives the parser at most one whole request, besides refused ones; returns what is left. */
  #feed(chunk: Buffer): Buffer {
    const taken = this.#taken;
    let rest = chunk;
    for (let part = 0; part < PARTS && rest.length > 0 && this.#mayTake(); part += 1) {
      if (this.#taken > taken && this.#unfinished === null) break;
      rest = this.#feedPart(rest);
      if (this.#socket.isPaused() || this.#socket.destroyed || this.#closed) break;
    }
    return rest;
  }

  /** To the end of the head or of the body, or all of it. */
  #feedPart(chunk: Buffer): Buffer {
    const { length } = chunk;
    const inBody = this.#bodyLeft > 0;
    const end = inBody ? Math.min(this.#bodyLeft, length) : this.#headEnd(chunk);
    const part = end === length ? chunk : chunk.subarray(0, end);
    const requests = this.#requests;
    this.#parse(part);
    if (inBody) this.#bodyLeft -= end;
    else if (this.#requests > requests) this.#bodyLeft = Number(this.#unfinished?.headers['content-length'] ?? 0);
    if (this.#unfinished?.complete === true) this.#unfinished = null;
    return end === length ? NOTHING : chunk.subarray(end);
  }

  /** Where the head ends in the chunk: behind its blank line. Without one, at the end of the chunk. */
  #headEnd(chunk: Buffer): number {
    const tail = this.#headTail;
    this.#headTail = '';
    if (tail !== '') {
      const split = (tail + chunk.toString('latin1', 0, 3)).indexOf(HEAD_END);
      if (split >= 0) return split + HEAD_END.length - tail.length;
    }
    const found = chunk.indexOf(HEAD_END, 0, 'latin1');
    if (found >= 0) return found + HEAD_END.length;
    this.#headTail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 3))).slice(-3);
    return chunk.length;
  }

  /** A body that has begun is read on: its request is in hand already. */
  #mayTake(): boolean {
    if (this.#unfinished !== null) return true;
    return this.#inHand < (this.#all.inHand < this.#all.mostInHand ? IN_HAND : 1);
  }
}
