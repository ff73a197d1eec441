/**
 * Decides what the gateway reads from its connections, and in which order. Without it, one connection could have
 * megabytes of requests handled before any other connection gets a turn.
 *
 * Invariants:
 * - A connection has at most IN_HAND requests in progress, from the last byte of their head until their reply goes to
 *   the socket. Further requests are not parsed, and the socket is paused.
 * - All connections together have MOST_IN_HAND requests in progress. Beyond that, a connection without any may still
 *   have one, so nobody is shut out.
 * - Connections that have sent more than one request take turns, one request each. In one turn of the event loop they
 *   are served for TURN_MS, so that clients with one request at a time come in between.
 * - A request that the gateway refuses on its head does not use up the turn. Under overload most requests are refused,
 *   and one refusal per turn would keep the others waiting.
 * - A connection that PlainConnection reads has no read buffer: all of them share one (shared-reads.ts). What is kept
 *   longer than the read is a copy.
 * - The waiting time of a request is never understated by more than one turn of the event loop: bytes that arrived
 *   while the socket was paused count from the pause on.
 *
 * A connection is read by PlainConnection first, and from its first unusual request on by node:http. The two never have
 * requests in progress together: node:http gets the connection when all replies are out.
 *
 * The parser of node:http is then the only judge of where a request ends. It gets its bytes in parts that end with a
 * head or a body, or as they arrived if they have the end of one head only, so no part completes more than one request.
 * The rest goes back into the socket's buffer: at most 64 KB, plus what the socket reads ahead.
 *
 * Cost: one search for the end of a head, or two.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { World } from '../../engine/contract/world.ts';
import { PlainConnection, type PlainConnections } from './plain-connection.ts';
import { HEAD_END } from './plain-request.ts';
import { shareReads } from './shared-reads.ts';
import { Turns } from './turns.ts';

export const IN_HAND = 16;
export const MOST_IN_HAND = 4096;
const TURN_MS = 5;
/** The most parts in one turn of a connection that complete no request, or refused ones: blank lines, chunks. */
const PARTS = 2 * IN_HAND;
const NOTHING = Buffer.alloc(0);

type IntakeWorld = Pick<World, 'monotonicMs' | 'nextTurn'>;

const INTAKE = Symbol('intake');
type Taken = Socket & { [INTAKE]?: Intake };

/** The intakes of one listener. */
export class Intakes {
  readonly world: IntakeWorld;
  readonly turns: Turns;
  readonly mostInHand: number;
  /** The sum over all connections. */
  inHand = 0;

  constructor(world: IntakeWorld, mostInHand = MOST_IN_HAND) {
    this.world = world;
    this.mostInHand = mostInHand;
    this.turns = new Turns(TURN_MS, world);
  }

  /** Call it before the server listens. `plain`: null if node:http reads all connections. */
  watch(server: Server, plain: PlainConnections | null): void {
    const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
    if (listeners.length !== 1)
      throw new Error(`a new server has ${listeners.length} listeners for connections, not 1`);
    const [accept] = listeners;
    server.removeListener('connection', accept);
    const toNode = (socket: Socket) => accept.call(server, socket);
    server.on('connection', (socket) => {
      (socket as Taken)[INTAKE] = new Intake(socket, this, toNode, plain);
    });
  }
}

/** The intake of a connection of a watched server. */
export function intakeOf(socket: object): Intake {
  return (socket as Taken)[INTAKE] as Intake;
}

export class Intake {
  readonly #socket: Socket;
  readonly #all: Intakes;
  /** Gives the connection to node:http. */
  readonly #toNode: (socket: Socket) => void;
  /** Reads the connection while all its requests are plain. Null: node:http does. */
  #plain: PlainConnection | null = null;
  /** Passes bytes to the parser of node:http. */
  #parse: (bytes: Buffer) => void = () => {};
  /** True: node:http gets the connection once all replies are out. */
  #leavesPlain = false;
  #inHand = 0;
  #requests = 0;
  /** Without requests that were refused on their head. */
  #taken = 0;
  /** The request whose body is still arriving. */
  #unfinished: IncomingMessage | null = null;
  /** The bytes missing from that body, if its head states the length. */
  #bodyLeft = 0;
  /** The last bytes of an incomplete head. The blank line may begin in them. */
  #headTail = '';
  /** True: it waits for its turn. */
  #waits = false;
  /** True: it waits until an earlier reply of this connection is sent. */
  #full = false;
  #closed = false;
  #isHandedOver = false;
  /**
   * Since when its requests wait for the venue, and not for earlier replies of the connection. Undefined: nothing
   * waits.
   */
  #sinceMs: number | undefined;
  /** When the socket was last read, or was last free to be read. */
  #readAtMs = 0;
  /** True: in its turn it reads what it put back into the socket's buffer. */
  #rereads = false;
  /** True: the socket was paused, and what has arrived since was not read yet. */
  #wasPaused = false;

  constructor(socket: Socket, all: Intakes, toNode: (socket: Socket) => void, plain: PlainConnections | null) {
    this.#socket = socket;
    this.#all = all;
    this.#toNode = toNode;
    socket.once('close', () => this.#close());
    if (plain === null || socket.destroyed) this.#giveToNode();
    else {
      this.#plain = new PlainConnection(socket, this, plain);
      shareReads(socket, this.#onShared);
      socket.on('data', this.#onData);
      socket.on('drain', this.#onDrain);
    }
  }

  /** The listener of node:http passes a whole chunk to the parser at once. */
  #giveToNode(): void {
    const socket = this.#socket;
    this.#plain?.leave();
    this.#plain = null;
    socket.removeListener('data', this.#onData);
    socket.removeListener('drain', this.#onDrain);
    this.#toNode(socket);
    const listeners = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (listeners.length !== 1) throw new Error(`a connection has ${listeners.length} listeners for its data, not 1`);
    this.#parse = listeners[0];
    socket.removeListener('data', this.#parse);
    socket.on('data', this.#onData);
  }

  /** Complete requests whose replies are not sent yet. */
  get repliesDue(): number {
    return this.#inHand - (this.#unfinished?.complete === false ? 1 : 0);
  }

  /** How long the request that is being parsed has waited for its turn. */
  get waitedMs(): number {
    return this.#sinceMs === undefined ? 0 : this.#all.world.monotonicMs() - this.#sinceMs;
  }

  /** Called when the head of a request was parsed, or when a plain one has arrived. */
  received(request?: IncomingMessage): void {
    this.#requests += 1;
    this.#taken += 1;
    this.#inHand += 1;
    this.#all.inHand += 1;
    this.#unfinished = request ?? null;
  }

  /** Called when the request is refused on its head. */
  refused(): void {
    this.#taken -= 1;
  }

  /** Called when the reply was ended. It is sent once the replies to earlier requests of the connection are. */
  answered(response?: ServerResponse): void {
    if (response?.socket === null) response.once('close', () => this.#out());
    else this.#out();
  }

  /** One turn: `#take` gets the content of the socket's buffer before this returns. */
  turn(): void {
    this.#waits = false;
    this.#rereads = true;
    this.#socket.resume();
    this.#socket.read();
    this.#rereads = false;
  }

  /** From now on nothing is parsed: the connection belongs to another protocol, or to nobody. */
  leave(): void {
    this.#close();
    this.#socket.removeAllListeners('data');
  }

  /** Node:http gets the connection, beginning with these bytes. */
  leavePlain(bytes: Buffer): void {
    this.#leavesPlain = true;
    this.#take(bytes);
  }

  /** Like `leave`. What arrived behind the head goes back into the socket's buffer, for the other protocol. */
  handOver(): void {
    this.leave();
    this.#isHandedOver = true;
  }

  #out(): void {
    if (this.#closed) return;
    this.#inHand -= 1;
    this.#all.inHand -= 1;
    if (this.#full) this.#goOn();
  }

  #goOn(): void {
    this.#full = false;
    this.#readAtMs = this.#all.world.monotonicMs();
    this.#sinceMs = this.#readAtMs;
    this.#join();
  }

  readonly #onData = (chunk: Buffer): void => this.#take(this.#plain === null ? chunk : this.#plain.joined(chunk));

  /**
   * Takes bytes of the shared buffer, which are valid until it returns. They do not go through the stream, unless that is
   * paused, has earlier bytes, or has another reader. False: its buffer is full, so reading must stop.
   */
  readonly #onShared = (bytes: Buffer): boolean => {
    const socket = this.#socket;
    if (this.#plain === null || this.#closed || socket.isPaused() || socket.readableLength > 0)
      return socket.push(Buffer.from(bytes));
    this.#take(this.#plain.joined(bytes), true);
    return true;
  };

  /** The client has read its replies. */
  readonly #onDrain = (): void => {
    if (this.#full) this.#goOn();
  };

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#plain?.closed();
    this.#all.inHand -= this.#inHand;
  }

  /** `isShared`: the bytes are in the shared buffer, so the rest is copied. */
  #take(chunk: Buffer, isShared = false): void {
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
    if (isShared) rest = Buffer.from(rest);
    if (this.#isHandedOver && !socket.destroyed) socket.unshift(rest);
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

  /** Bytes that arrived meanwhile are read in the next turn of the event loop. Bytes read after that arrived later. */
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

  /** Passes at most one whole request to the parser, besides refused ones. Returns the rest. */
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

  /** Passes the bytes up to the end of the head or of the body, or all of them. */
  #feedPart(given: Buffer): Buffer {
    let chunk = given;
    if (this.#plain !== null) {
      const used = this.#leavesPlain ? -1 : this.#plain.read(chunk);
      if (used >= 0) return used === chunk.length ? NOTHING : chunk.subarray(used);
      this.#leavesPlain = true;
      if (this.#inHand > 0) return chunk;
      this.#giveToNode();
      chunk = Buffer.from(given); // Nothing says for how long node:http needs it.
    }
    const { length } = chunk;
    const inBody = this.#bodyLeft > 0;
    const begins = this.#unfinished === null && this.#headTail === '';
    const headEnd = inBody ? 0 : this.#headEnd(chunk);
    const end = inBody ? Math.min(this.#bodyLeft, length) : begins && isOnePost(chunk, headEnd) ? length : headEnd;
    const part = end === length ? chunk : chunk.subarray(0, end);
    const requests = this.#requests;
    this.#parse(part);
    if (inBody) this.#bodyLeft -= end;
    else if (this.#requests > requests) {
      const behindHead = end - headEnd;
      const bodyBytes = Number(this.#unfinished?.headers['content-length'] ?? 0);
      this.#bodyLeft = Math.max(bodyBytes - behindHead, 0);
      // The beginning of the next head.
      if (behindHead > bodyBytes) this.#headTail = chunk.toString('latin1', Math.max(headEnd + bodyBytes, length - 3));
    }
    if (this.#unfinished?.complete === true) this.#unfinished = null;
    return end === length ? NOTHING : chunk.subarray(end);
  }

  /** The offset after the blank line of the head. Without one, the end of the chunk. */
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

  /** A body that has begun is read to its end, because its request is already in progress. */
  #mayTake(): boolean {
    if (this.#unfinished !== null) return true;
    if (this.#plain !== null && (this.#leavesPlain ? this.#inHand > 0 : this.#socket.writableNeedDrain)) return false;
    return this.#inHand < (this.#all.inHand < this.#all.mostInHand ? IN_HAND : 1);
  }
}

const LETTER_P = 80;

/**
 * Whether the bytes, which begin a request, are one POST or PUT with its whole head: no other head ends in them. Any
 * other request may be for an upgrade, and what follows its head must not be parsed.
 */
function isOnePost(bytes: Buffer, headEnd: number): boolean {
  return bytes[0] === LETTER_P && headEnd < bytes.length && bytes.indexOf(HEAD_END, headEnd, 'latin1') < 0;
}
