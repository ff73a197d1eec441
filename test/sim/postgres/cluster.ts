/**
 * Three servers with quorum commit (any 1 of 2 standby servers), the links to and between them, and what an operator does:
 * restart, promote the standby server that has received more, set up the others anew.
 *
 * A link that is cut delays what is sent: TCP sends it again once the link is mended.
 */
import type { Machine } from '../machine.ts';
import { Server } from './server.ts';

export const SERVERS = ['a', 'b', 'c'] as const;
export const ADDRESS = `postgres://venue@${SERVERS.join(',')}/bourse`;
/** How long TCP waits at most until it tries again after a link is mended. */
const RETRANSMIT_MS = 200;

export type Way = 'there' | 'back';

/** A link between two machines. */
export class Link {
  readonly #machine: Machine;
  readonly #chance: () => number;
  readonly #cutUntilMs = { there: 0, back: 0 };
  #slowUntilMs = 0;
  #slowMs = 0;

  constructor(machine: Machine, chance: () => number) {
    this.#machine = machine;
    this.#chance = chance;
  }

  cut(ways: readonly Way[], ms: number): void {
    for (const way of ways) this.#cutUntilMs[way] = Math.max(this.#cutUntilMs[way], this.#machine.nowMs + ms);
  }

  slow(byMs: number, ms: number): void {
    this.#slowMs = byMs;
    this.#slowUntilMs = this.#machine.nowMs + ms;
  }

  mend(): void {
    this.#cutUntilMs.there = 0;
    this.#cutUntilMs.back = 0;
    this.#slowUntilMs = 0;
  }

  isCut(way: Way): boolean {
    return this.#cutUntilMs[way] > this.#machine.nowMs;
  }

  /** When what is sent now arrives. */
  arrivalMs(way: Way): number {
    const { nowMs } = this.#machine;
    const slowMs = nowMs < this.#slowUntilMs ? this.#slowMs : 0;
    const arrivalMs = nowMs + 0.05 + this.#chance() * 0.4 + slowMs;
    const cutMs = this.#cutUntilMs[way];
    return cutMs > nowMs ? Math.max(cutMs + this.#chance() * RETRANSMIT_MS, arrivalMs) : arrivalMs;
  }
}

export class Cluster {
  readonly servers: readonly Server[];
  /** Where clients and standby servers should be. */
  primary: Server;
  /** Of the standby servers to their primary. */
  readonly replication = new Map<Server, Link>();
  readonly #machine: Machine;
  readonly #chance: () => number;
  readonly #tell: (text: string) => void;
  /** Standby servers that are sent something. */
  readonly #pumping = new Set<Server>();
  readonly #links = new Map<string, Link>();

  constructor(machine: Machine, chance: () => number, tell: (text: string) => void) {
    this.#machine = machine;
    this.#chance = chance;
    this.#tell = tell;
    this.servers = SERVERS.map((name, i) => new Server(name, machine, i === 0, chance));
    this.primary = this.servers[0];
    for (const server of this.servers) {
      this.replication.set(server, new Link(machine, chance));
      server.onFlushed = () => this.#replicate(server);
    }
  }

  /** The link of a machine of the venue to a server. */
  link(node: number, server: string): Link {
    const name = `${node} ${server}`;
    let link = this.#links.get(name);
    if (link === undefined) {
      link = new Link(this.#machine, this.#chance);
      this.#links.set(name, link);
    }
    return link;
  }

  linksOf(node: number): Link[] {
    return SERVERS.map((server) => this.link(node, server));
  }

  server(name: string): Server {
    return this.servers.find((server) => server.name === name) as Server;
  }

  /** The process of a server ends, and starts again after a while. */
  async crash(server: Server, silent: boolean, forMs: number): Promise<void> {
    if (!server.isUp) return;
    const was = server.isPrimary ? 'primary' : 'standby';
    this.#tell(`the ${was} ${server.name} crashes with ${server.wal.length - server.flushed} commits not flushed`);
    server.crash(silent);
    await this.#machine.wait(forMs);
    this.#restart(server);
  }

  #restart(server: Server): void {
    if (server.isUp) return;
    if (server !== this.primary) this.#follow(server);
    server.start();
    this.#tell(`${server.name} starts as ${server.isPrimary ? 'primary' : 'standby'} at ${server.wal.length}`);
    this.#replicate(this.primary);
  }

  /** Makes a server a standby of the primary, with what it has if that is a beginning of the primary's log. */
  #follow(server: Server): void {
    const last = server.wal.at(-1);
    const isBeginning =
      server.wal.length <= this.primary.flushed &&
      this.primary.wal[server.wal.length - 1] === last &&
      !server.isPrimary;
    if (!isBeginning) server.copyOf(this.primary);
  }

  /**
   * Promotes the standby server that has more. The old primary is killed, or goes on without anybody knowing, and is set up
   * anew after a while. Only if both standby servers are there: one alone may lack what was acknowledged.
   */
  async promote(oldGoesOn: boolean, silent: boolean, forMs: number, force = false): Promise<void> {
    const old = this.primary;
    const standbys = this.servers.filter((server) => server !== old);
    if (standbys.some(({ isUp, isPrimary }) => !isUp || isPrimary)) return;
    const [best, other] = standbys.sort((a, b) => b.wal.length - a.wal.length);
    // What was shown because an operator ended the wait for the quorum must not be given up by the same operator.
    if (best.wal.length < old.endedWaitLsn && !force) return;
    const lost = old.wal.length - best.wal.length;
    this.#tell(`${best.name} is promoted without ${lost} commits of ${old.name}${oldGoesOn ? ', which goes on' : ''}`);
    if (!oldGoesOn) old.crash(silent);
    best.promote();
    this.primary = best;
    old.acknowledged.clear();
    this.#pumping.clear();
    this.#follow(other);
    this.#replicate(best);
    await this.#machine.wait(forMs);
    if (old.isUp) old.crash(false);
    this.#restart(old);
  }

  mend(): void {
    for (const link of [...this.replication.values(), ...this.#links.values()]) link.mend();
    for (const server of this.servers) {
      server.slowMs = 0;
      server.slowAppendMs = 0;
      server.isFull = false;
    }
    this.#replicate(this.primary);
  }

  #replicate(primary: Server): void {
    if (primary !== this.primary) return;
    for (const standby of this.servers) if (standby !== primary) this.#pump(primary, standby);
  }

  /** Sends a standby server what it lacks, piece after piece. */
  async #pump(primary: Server, standby: Server): Promise<void> {
    if (this.#pumping.has(standby)) return;
    const link = this.replication.get(standby) as Link;
    const starts = [primary.starts, standby.starts];
    const goesOn = () =>
      primary === this.primary &&
      starts[0] === primary.starts &&
      starts[1] === standby.starts &&
      primary.isUp &&
      standby.isUp;
    this.#pumping.add(standby);
    while (
      goesOn() &&
      (standby.wal.length < primary.flushed || (primary.acknowledged.get(standby) ?? 0) < standby.wal.length)
    ) {
      const upTo = primary.flushed;
      await this.#machine.wait(link.arrivalMs('there') - this.#machine.nowMs);
      if (!goesOn()) break;
      await this.#machine.wait(0.1 + this.#chance() * (this.#chance() < 0.05 ? 20 : 1));
      if (!goesOn()) break;
      standby.wal.push(...primary.wal.slice(standby.wal.length, upTo));
      standby.flushed = standby.wal.length;
      await this.#machine.wait(link.arrivalMs('back') - this.#machine.nowMs);
      if (!goesOn()) break;
      primary.noteAcknowledged(standby, standby.wal.length);
    }
    if (primary === this.primary) this.#pumping.delete(standby);
    if (!goesOn() && primary === this.primary && primary.isUp && standby.isUp) this.#pump(primary, standby);
  }
}
