/**
 * Faults that the control surface arms for tests of clients. The gateway takes one before it handles a request that
 * matches, and the streams before they send a frame or accept a client. The control surface itself ignores faults, so it
 * stays reachable.
 *
 * Invariants:
 * - Of the faults that match, the oldest is taken.
 * - What is left to chance follows from the seed: the same requests in the same order meet the same faults.
 *
 * Cost: nothing while no fault is armed.
 */
import { hash } from 'node:crypto';
import { realWorld, type World } from '../../engine/contract/world.ts';
import { VenueWaits } from './venue-waits.ts';

export interface FaultMatch {
  readonly method?: string;
  /** Exact, without the query. */
  readonly path?: string;
  readonly pathPrefix?: string;
}

/** Times are venue time: `from` and `until` in epoch ms, `every` and `for` in ms. */
export interface Fault {
  /** Absent: every request, or every stream. */
  readonly match?: FaultMatch;
  /** Delays the request. */
  readonly latencyMs?: number;
  /** Answers this HTTP status instead of handling the request: nothing is committed. */
  readonly status?: number;
  /** With `status`: the code and the text of the error, in the envelope of the surface. */
  readonly code?: number;
  readonly message?: string;
  /** With `status`: the whole body instead. Text is sent as HTML, all else as JSON. */
  readonly body?: unknown;
  /** With `status`: the header Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Handles the request, commits its command, and closes the connection without an answer. */
  readonly dropReply?: boolean;
  /** Answers every request as BTSE does while its system is down, and ends and refuses streams. */
  readonly maintenance?: boolean;
  /** Ends the connections of open streams without a closing frame: when it is armed, or at `from`; then after each `every`. */
  readonly closeStreams?: boolean;
  /** Refuses handshakes of streams with 503. */
  readonly refuseStreams?: boolean;
  /** Delays a frame of a topic. Later frames of the client wait behind it. */
  readonly streamLatencyMs?: number;
  /** Does not send a frame of a topic. */
  readonly dropFrames?: boolean;
  /** Skips a number in the sequence of a book, before its next delta. */
  readonly gapBook?: boolean;
  /** `latencyMs` and `streamLatencyMs` are venue time: on a manual clock they pass when it is moved. */
  readonly inVenueTime?: boolean;
  /** How likely it is that it affects what it matches, up to 1. Default: 1. */
  readonly probability?: number;
  /** What is left to chance follows from it. Default: the seed of the venue, and how many faults were armed before. */
  readonly seed?: number;
  /** When it begins. Default: at once. */
  readonly from?: number;
  /** It is spent from this time on. */
  readonly until?: number;
  /** After each `every` it begins again, and lasts for `for`. */
  readonly every?: number;
  readonly for?: number;
  /** How many matching requests or frames it leaves alone first. Default: 0. */
  readonly skip?: number;
  /** How many requests, frames, handshakes or closings it affects. Null: any number. Default: 1. */
  readonly times?: number | null;
}

/** What a fault affected. */
export interface Hit {
  /** The last command before it. */
  readonly seq: number;
  /** Venue time, epoch ms. */
  readonly time: number;
  /** `POST /spot/api/v4/trade/orders`, or the path of the stream. */
  readonly what: string;
}

/** An armed fault and its counts. */
export interface FaultState {
  readonly fault: Fault;
  /** How many requests, frames, handshakes or closings it has affected. */
  hits: number;
  /** How many it will still affect. 0: it is spent. Null: any number. */
  left: number | null;
  /** The last command before it last affected something. Null: it has not. */
  lastHitSeq: number | null;
  /** The latest ones, oldest first. */
  lastHits: readonly Hit[];
}

interface Armed extends FaultState {
  /** Counts the faults that were armed. */
  readonly number: number;
  readonly seed: string;
  /** How many it will still leave alone. */
  skip: number;
  drawn: number;
}

export interface FaultsOptions {
  /** Of the last applied command. */
  readonly seq: () => number;
  /** Venue time. */
  readonly nowMs: () => number;
  readonly seed: () => number;
  /** Venue time per elapsed time. Null: the clock is manual. */
  readonly speed: () => number | null;
  readonly world: Pick<World, 'timer'>;
  /** Ends the connections of the streams at the paths that match. */
  readonly cut: (matches: (path: string) => boolean) => void;
}

/** Of a gateway without a venue. */
const DEFAULTS: FaultsOptions = {
  seq: () => 0,
  nowMs: () => realWorld.wallMs(),
  seed: () => 0,
  speed: () => 1,
  world: realWorld,
  cut: () => {},
};

/** How many spent faults are still listed. */
const MOST_SPENT = 100;
const MOST_HITS = 10;

export class Faults {
  /** What they delay in venue time. */
  readonly waits: VenueWaits;
  readonly #options: FaultsOptions;
  #armed: Armed[] = [];
  #spent: Armed[] = [];
  #number = 0;

  constructor(options: Partial<FaultsOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.waits = new VenueWaits(this.#options);
  }

  arm(fault: Fault): void {
    const { times = 1, skip = 0 } = fault;
    this.#number += 1;
    const seed = String(fault.seed ?? `${this.#options.seed()} ${this.#number}`);
    const armed: Armed = {
      number: this.#number,
      fault,
      hits: 0,
      left: times,
      lastHitSeq: null,
      lastHits: [],
      seed,
      skip,
      drawn: 0,
    };
    this.#armed.push(armed);
    if (fault.closeStreams === true || fault.maintenance === true) {
      this.#closeAt(armed, fault.from ?? this.#options.nowMs());
    }
  }

  clear(): void {
    this.#armed = [];
    this.#spent = [];
  }

  get count(): number {
    return this.#armed.length;
  }

  /** The armed faults and the latest spent ones, in the order in which they were armed. */
  get states(): readonly FaultState[] {
    this.#expire();
    const all = [...this.#spent, ...this.#armed].sort((a, b) => a.number - b.number);
    return all.map(({ fault, hits, left, lastHitSeq, lastHits }) => ({ fault, hits, left, lastHitSeq, lastHits }));
  }

  /** The oldest armed fault that matches a request, counted down. Null if none does. */
  take(method: string, path: string): Fault | null {
    return this.#take(`${method} ${path}`, path, isOfRequests, method);
  }

  /** The same for a frame of a topic that is about to be sent on a socket. */
  takeFrame(path: string): Fault | null {
    return this.#take(path, path, isOfFrames);
  }

  /** The same for the number of a delta of a book. */
  takeNumber(path: string): Fault | null {
    return this.#take(path, path, ({ gapBook }) => gapBook === true);
  }

  /** The same for the handshake of a stream. */
  takeHandshake(path: string): Fault | null {
    return this.#take(path, path, ({ refuseStreams, maintenance }) => refuseStreams === true || maintenance === true);
  }

  #take(what: string, path: string, isOfKind: (fault: Fault) => boolean, method?: string): Fault | null {
    if (this.#armed.length === 0) return null;
    this.#expire();
    const nowMs = this.#options.nowMs();
    const met = this.#armed.find((armed) => {
      const { fault } = armed;
      return isOfKind(fault) && meets(fault, path, method) && isOn(fault, nowMs) && this.#draws(armed);
    });
    if (met === undefined) return null;
    this.#hit(met, what);
    return met.fault;
  }

  /** Whether chance and `skip` let it affect what it matches. */
  #draws(armed: Armed): boolean {
    const { probability = 1 } = armed.fault;
    if (probability < 1) {
      armed.drawn += 1;
      const drawn = Number.parseInt(hash('sha256', `${armed.seed} ${armed.drawn}`, 'hex').slice(0, 12), 16);
      if (drawn >= probability * 2 ** 48) return false;
    }
    if (armed.skip === 0) return true;
    armed.skip -= 1;
    return false;
  }

  #hit(armed: Armed, what: string): void {
    const { seq, nowMs } = this.#options;
    armed.hits += 1;
    armed.lastHitSeq = seq();
    armed.lastHits = [...armed.lastHits, { seq: armed.lastHitSeq, time: nowMs(), what }].slice(-MOST_HITS);
    if (armed.left !== null) armed.left -= 1;
    if (armed.left === 0) this.#spend([armed]);
  }

  /** Spends the faults whose end has come. */
  #expire(): void {
    const nowMs = this.#options.nowMs();
    const over = this.#armed.filter(({ fault: { until } }) => until !== undefined && until <= nowMs);
    for (const armed of over) armed.left = 0;
    if (over.length > 0) this.#spend(over);
  }

  #spend(over: readonly Armed[]): void {
    this.#armed = this.#armed.filter((armed) => !over.includes(armed));
    this.#spent = [...this.#spent, ...over].slice(-MOST_SPENT);
  }

  /** Ends the streams at that time, and again until the fault is spent. */
  #closeAt(armed: Armed, atMs: number): void {
    this.waits.at(atMs, () => {
      this.#expire();
      if (!this.#armed.includes(armed)) return;
      const { fault } = armed;
      // Maintenance is left to chance by the request, and ends all streams in any case.
      if (fault.maintenance === true || this.#draws(armed)) {
        this.#options.cut((path) => meets(fault, path));
        if (fault.closeStreams === true)
          this.#hit(armed, fault.match?.path ?? fault.match?.pathPrefix ?? 'all streams');
      }
      if (fault.every !== undefined && armed.left !== 0) this.#closeAt(armed, atMs + fault.every);
    });
  }
}

/** It affects requests. */
function isOfRequests({ latencyMs, status, dropReply, maintenance }: Fault): boolean {
  return latencyMs !== undefined || status !== undefined || dropReply === true || maintenance === true;
}

/** It affects frames of streams. */
function isOfFrames({ streamLatencyMs, dropFrames }: Fault): boolean {
  return streamLatencyMs !== undefined || dropFrames === true;
}

function meets({ match = {} }: Fault, path: string, method?: string): boolean {
  if (match.method !== undefined && match.method !== method) return false;
  if (match.path !== undefined && match.path !== path) return false;
  return match.pathPrefix === undefined || path.startsWith(match.pathPrefix);
}

/** Whether it has begun and, with `every`, is in one of its turns. #expire judges its end. */
function isOn({ from, every, for: lasts }: Fault, nowMs: number): boolean {
  if (from === undefined) return true;
  if (nowMs < from) return false;
  return every === undefined || (nowMs - from) % every < (lasts ?? every);
}
