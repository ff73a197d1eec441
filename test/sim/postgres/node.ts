/**
 * A machine of the venue, and the process on it: a standby that leads when nobody else does, as `bourse start --standby`
 * starts it. It has clocks and an archive that no other machine has.
 */
import { AtLeastSeq } from '../../../src/api/shared/at-least-seq.ts';
import { Candidacy } from '../../../src/candidacy.ts';
import type { NoticeLevel } from '../../../src/engine/contract/notice.ts';
import type { Engine } from '../../../src/engine/host.ts';
import type { Apply } from '../../../src/engine/replay/log-replayer.ts';
import type { Standby } from '../../../src/engine/standby.ts';
import { type EngineStartOptions, type StandbyEngine, startEngine } from '../../../src/engine/start.ts';
import { follow, takeOver } from '../../../src/follow-leader.ts';
import type { LogOwner, LogStorage } from '../../../src/log/contract/storage.ts';
import { readAddress } from '../../../src/log/postgres/address.ts';
import type { DatabaseClient } from '../../../src/log/postgres/connection.ts';
import { type DatabaseOptions, DatabaseStorage } from '../../../src/log/postgres/database-storage.ts';
import type { LeaseMachine, LeaseReply, LeaseThread } from '../../../src/log/postgres/lease.ts';
import { LeaseRenewal } from '../../../src/log/postgres/lease-renewal.ts';
import { RULES_VERSION } from '../../../src/venue/venue.ts';
import { SimArchive, SimPlace } from '../archive.ts';
import { Door } from '../door.ts';
import { NEW, type Notice, SEGMENT_BYTES, SNAPSHOT_EVERY } from '../life.ts';
import { type Machine, Process } from '../machine.ts';
import { SimClient } from './client.ts';
import { ADDRESS, type Cluster, type Link } from './cluster.ts';

const RULES = String(RULES_VERSION);
/** How long a message between threads takes. */
const THREAD_MS = 0.02;
const ANNOUNCE_AGAIN_MS = 1000;

/** What may be wrong with a node, on purpose. */
export interface PlantedNode {
  readonly client?: (client: DatabaseClient) => DatabaseClient;
  /** The time of leases. */
  readonly leaseMs?: (process: NodeProcess) => number;
}

/** A process, or a thread of one, by the clocks of its machine. */
export class NodeProcess extends Process {
  readonly #aheadMs: number;
  readonly #rate: number;
  #wallAheadMs: number;

  constructor(machine: Machine, seed: number, clocks: Clocks) {
    super(machine, seed);
    this.#aheadMs = clocks.aheadMs;
    this.#rate = 1 + clocks.ppm / 1e6;
    this.#wallAheadMs = clocks.wallAheadMs;
  }

  override monotonicMs(): number {
    return this.#aheadMs + super.monotonicMs() * this.#rate;
  }

  /** It does not sleep, so both clocks of the machine go alike. */
  override uptimeMs(): number {
    return Math.floor(this.monotonicMs() / 10) * 10;
  }

  override wallMs(): number {
    return super.wallMs() + this.#wallAheadMs;
  }

  setWall(byMs: number): void {
    this.#wallAheadMs += byMs;
  }
}

export interface Clocks {
  readonly aheadMs: number;
  readonly ppm: number;
  readonly wallAheadMs: number;
}

export interface NodeOptions {
  readonly machine: Machine;
  readonly cluster: Cluster;
  readonly index: number;
  readonly seed: number;
  readonly clocks: Clocks;
  /** True: it keeps an archive. */
  readonly archives: boolean;
  readonly apply: Apply;
  readonly planted: PlantedNode;
  readonly tell: (text: string) => void;
  readonly onLead: (epoch: number) => void;
  /** The process has ended, by itself if there is an error. */
  readonly onEnd: (error: Error | undefined) => void;
}

export class Node {
  readonly index: number;
  readonly place = new SimPlace();
  readonly notices: Notice[] = [];
  process: NodeProcess | undefined;
  engine: Engine | undefined;
  standby: Standby | undefined;
  archive: SimArchive | undefined;
  door: Door | undefined;
  atLeast: AtLeastSeq | undefined;
  /** True: it has led since its start. */
  hasLed = false;
  readonly #options: NodeOptions;
  /** Its name as the writer. */
  owner: string | null = null;
  #threads: NodeProcess[] = [];
  #clients: SimClient[] = [];
  #candidacy: Candidacy | undefined;
  #takingOver: Promise<boolean> | undefined;
  #starts = 0;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.index = options.index;
  }

  get links(): Link[] {
    return this.#options.cluster.linksOf(this.index);
  }

  get isRunning(): boolean {
    return this.process !== undefined;
  }

  get leads(): boolean {
    return this.engine !== undefined && this.engine.following === undefined;
  }

  start(): void {
    this.#starts += 1;
    const process = this.#thread();
    this.process = process;
    this.#begin(process).catch((error) => {
      if (this.process === process) this.#ended(error);
    });
  }

  /** All of its threads stop for a while, or the venue's only. */
  stop(forMs: number, venueOnly: boolean): void {
    for (const thread of this.#threads) if (!venueOnly || thread === this.process) thread.stop(forMs);
  }

  /** The process is gone. `silent`: with its machine, so nobody hears of it. */
  kill(silent: boolean): void {
    if (this.process === undefined) return;
    for (const thread of this.#threads) thread.dead = true;
    for (const client of this.#clients) client.abandon(silent);
    this.#threads = [];
    this.#clients = [];
    this.process = undefined;
    this.engine = undefined;
    this.standby = undefined;
    this.archive = undefined;
    this.door = undefined;
    this.atLeast = undefined;
    this.hasLed = false;
    this.#candidacy = undefined;
    this.#takingOver = undefined;
  }

  /** Its connections are reset. */
  reset(): void {
    for (const client of this.#clients) client.reset();
  }

  /** Stops in order, as at a SIGTERM. If that fails, the process ends all the same. */
  async handOver(): Promise<void> {
    const { process } = this;
    try {
      this.#candidacy?.giveUp();
      await this.#takingOver;
      await this.engine?.stop();
      await this.archive?.close();
    } catch (error) {
      this.#options.tell(`node ${this.index} does not stop in order: ${(error as Error).message}`);
    }
    if (this.process === process) this.#ended(undefined);
  }

  #ended(error: Error | undefined): void {
    this.kill(false);
    this.#options.onEnd(error);
  }

  #thread(): NodeProcess {
    const { machine, seed, clocks } = this.#options;
    const thread = new NodeProcess(machine, seed * 31 + this.#starts * 7 + this.#threads.length, clocks);
    this.#threads.push(thread);
    return thread;
  }

  async #begin(process: NodeProcess): Promise<void> {
    const { apply, archives } = this.#options;
    const options: DatabaseOptions = {
      segmentBytes: SEGMENT_BYTES,
      world: process,
      newClient: (config) => this.#client(process, config),
      leases: this.#leases(process),
    };
    const storage: LogStorage = new DatabaseStorage(ADDRESS, options);
    const candidacy = new Candidacy(storage);
    this.#candidacy = candidacy;
    const onNotice = (text: string, level: NoticeLevel = 'info') => {
      this.notices.push({ text, level });
      this.#options.tell(`node ${this.index}: ${text}`);
    };
    const onFatal = (error: Error) => {
      if (this.process === process) this.#ended(error);
    };
    const engineOptions: EngineStartOptions = {
      storage,
      ...NEW.given,
      secrets: NEW.secrets,
      world: process,
      apply,
      witness: () => this.place.witness(),
      takenNonces: () => this.door?.takenNonces() ?? new Map(),
      beforeSeal: async () => this.archive?.close(),
      onFatal,
      onNotice,
    };
    const following = await follow(storage, candidacy, engineOptions);
    const engine = following?.engine ?? (await startEngine({ ...engineOptions, owner: await candidacy.owner }));
    if (this.process !== process) return;
    this.engine = engine;
    this.standby = following?.standby;
    if (archives) this.#openArchive(engine, storage, process, onNotice);
    this.door = new Door(engine, NEW.keyring, process);
    this.atLeast = new AtLeastSeq(engine, process);
    if (following === undefined) this.#leads(engine);
    else this.#takingOver = takeOver(candidacy, (owner) => this.#lead(following, candidacy, owner), { onFatal });
  }

  #lead(following: StandbyEngine, candidacy: Candidacy, owner: LogOwner): Promise<void> {
    return following.lead(owner, {
      beforeCommands: () => {
        this.door?.startOver();
        this.#leads(following.engine);
      },
      hasGivenUp: () => candidacy.hasGivenUp,
    });
  }

  #leads(engine: Engine): void {
    this.hasLed = true;
    this.owner = this.#options.cluster.primary.tables.writer.owner;
    this.#options.onLead(engine.epoch);
    this.#options.tell(`node ${this.index} leads epoch ${engine.epoch} from seq ${engine.venue.seq}`);
    this.#announce(engine);
  }

  async #announce(engine: Engine): Promise<void> {
    const { process } = this;
    while (this.process === process && process !== undefined) {
      try {
        return await engine.announce({ http: `http://${this.index}`, control: `http://${this.index}/control` });
      } catch {
        await process.wait(ANNOUNCE_AGAIN_MS);
      }
    }
  }

  #openArchive(engine: Engine, storage: LogStorage, process: NodeProcess, onNotice: NodeOptions['tell']): void {
    const archive = new SimArchive({
      storage,
      place: this.place,
      world: process,
      seq: engine.venue.seq,
      snapshotEvery: SNAPSHOT_EVERY,
      identity: { rules: RULES, venueId: engine.venueId },
      onNotice,
      leads: () => engine.following === undefined,
    });
    this.archive = archive;
    engine.listen({ batchApplied: (seq) => archive.applied(seq) });
  }

  #client(process: Process, config: ConstructorParameters<typeof SimClient>[1]): DatabaseClient {
    const { machine, cluster, index, planted } = this.#options;
    const client = new SimClient({ machine, cluster, node: index, process }, config);
    this.#clients.push(client);
    return planted.client?.(client) ?? client;
  }

  #leases(process: NodeProcess): LeaseMachine {
    const { machine, planted } = this.#options;
    const elapsedMs = () => Math.floor(planted.leaseMs?.(process) ?? process.monotonicMs());
    return {
      elapsedMs,
      startThread: ({ shared }): LeaseThread => {
        const thread = this.#thread();
        const acts: { message: ((reply: LeaseReply) => void)[]; exit: (() => void)[] } = { message: [], exit: [] };
        const send = (reply: LeaseReply) =>
          machine.in(THREAD_MS, () => acts.message.forEach((act) => void act(reply)), process);
        const renewal = new LeaseRenewal({
          database: { ...readAddress(ADDRESS), newClient: (config) => this.#client(thread, config) },
          renewed: new BigInt64Array(shared),
          elapsedMs,
          timer: (ms, act) => thread.timer(ms, act),
          send,
          onReleased: () => {
            thread.dead = true;
            machine.in(THREAD_MS, () => acts.exit.forEach((act) => void act()), process);
          },
        });
        send('ready');
        return {
          postMessage: (request) => machine.in(THREAD_MS, () => renewal.take(request), thread),
          on(event: 'message' | 'error' | 'exit', act: (about: never) => void) {
            if (event !== 'error') acts[event].push(act as () => void);
          },
          ref() {},
          unref() {},
        };
      },
    };
  }
}
