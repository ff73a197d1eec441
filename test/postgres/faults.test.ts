/**
 * Rounds of faults on a whole installation: three servers with quorum commit, a leader, and a standby that follows it. Clients place
 * orders all the time, and know what was acknowledged. A reader looks up at the standby what the leader acknowledged. Each
 * process reaches each server by a link of the test. `npm run test:postgres -- --rounds N --seed S`.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { VenueError } from '../../src/client/request.ts';
import { bourseBeside, printed, type Starting, scratch, type VenueProcess } from '../crash/process.ts';
import { seeded } from '../sim/seeded.ts';
import { endLinks, Link, type Way } from './proxy.ts';
import { endServers, PostgresServer, ROUNDS, skip } from './server.ts';
import { Orders, starting, untilReady } from './venue.ts';

const SEED = Number(process.env.BOURSE_POSTGRES_SEED ?? 1);
const CLIENTS = 4;
/** Between two orders of a client. */
const PACE_MS = 10;
const NAMES = { synchronous_standby_names: 'ANY 1 (a, b, c)' };

/** What the reader waits for a process that does not answer. */
const READ_MS = 2000;
const BOTH: readonly Way[] = ['there', 'back'];

/** A venue, and its links to the servers. */
interface Node {
  readonly starting: Starting;
  readonly links: readonly Link[];
}

/** What the rounds came to. */
class Report {
  readonly #begunMs = performance.now();
  /** By kind of fault, in seconds. */
  readonly #rounds = new Map<string, number[]>();
  /** Until orders were accepted again, by what had happened, in milliseconds. */
  readonly #takeOvers = new Map<string, number[]>();
  acknowledged = 0;
  unknown = 0;
  /** Look-ups at the standby that found what was acknowledged before. */
  reads = 0;

  round(name: string, sinceMs: number): void {
    add(this.#rounds, name, (performance.now() - sinceMs) / 1000);
  }

  takeOver(after: string, sinceMs: number): void {
    add(this.#takeOvers, after, performance.now() - sinceMs);
  }

  get text(): string {
    const rounds = [...this.#rounds].map(
      ([name, seconds]) => `${seconds.length} × ${name}: ${share(seconds, 0.5).toFixed(1)} s a round`,
    );
    const takeOvers = [...this.#takeOvers].map(([after, ms]) => {
      const [median, slow, longest] = [0.5, 0.95, 1].map((part) => Math.round(share(ms, part)));
      return `${after}: ${ms.length} take-overs, median ${median} ms, 95 of 100 within ${slow} ms, longest ${longest} ms`;
    });
    const count = [...this.#rounds.values()].flat().length;
    const minutes = ((performance.now() - this.#begunMs) / 60_000).toFixed(1);
    const known = `${this.acknowledged} acknowledged, 0 lost, 0 doubled, ${this.unknown} unknown at first`;
    const last = `${count} rounds passed in ${minutes} min: ${known}, ${this.reads} look-ups at the standby, none too old`;
    return [...rounds, ...takeOvers, last].join('\n');
  }
}

function add(to: Map<string, number[]>, name: string, value: number): void {
  to.set(name, [...(to.get(name) ?? []), value]);
}

/** The value that such a share of them does not exceed. */
function share(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1];
}

class Installation {
  #servers: PostgresServer[] = [];
  #leader: VenueProcess | undefined;
  /** Resolves when another process leads. */
  #changed = Promise.withResolvers<void>();
  #leaderLinks: readonly Link[] = [];
  #standby: Node | undefined;
  /** The standby, while it answers. */
  #reading: VenueProcess | undefined;
  /** The links of the standby servers to the primary. */
  #replication: Link[] = [];
  #nodes = 0;
  #orders = new Orders();
  readonly #random: () => number;
  readonly #report: Report;
  readonly #stale: string[] = [];

  constructor(random: () => number, report: Report) {
    this.#random = random;
    this.#report = report;
  }

  async start(): Promise<void> {
    const primary = await PostgresServer.start();
    this.#servers = [primary];
    for (const name of ['b', 'c']) this.#servers.push(await this.#follower(primary, name));
    primary.database('bourse');
    primary.set(NAMES);
    primary.reload();
    const node = await this.#node();
    this.#lead(node, await ready(node.starting));
    await this.#led().control.setPrices('BTC-USDT', { index: 100_000 });
    await this.#needStandby();
  }

  /** A standby server that reaches the primary by a link. `port`: its own. */
  async #follower(primary: PostgresServer, name: string, port?: number): Promise<PostgresServer> {
    return primary.standby(name, port, await this.#replicationLink(primary));
  }

  /** From now on a standby server has another primary. */
  async #refollow(server: PostgresServer, primary: PostgresServer, name: string): Promise<void> {
    server.follow(primary, name, await this.#replicationLink(primary));
    server.reload();
  }

  async #replicationLink(primary: PostgresServer): Promise<number> {
    const link = await Link.to(primary.port);
    this.#replication.push(link);
    return link.port;
  }

  get #primary(): PostgresServer {
    return this.#servers[0];
  }

  /** The first ten are those of CI. */
  readonly faults: Readonly<Record<string, () => Promise<void>>> = {
    'the leader is killed': async () => {
      const sinceMs = performance.now();
      const old = this.#led();
      await old.kill();
      await this.#takeOver(old);
      await this.#accepted();
      this.#report.takeOver('the leader is killed', sinceMs);
    },
    'the primary is killed, and a standby is promoted': async () => {
      const old = this.#primary;
      await old.kill();
      const [best, other] = this.#servers.slice(1).toSorted((a, b) => b.received() - a.received());
      best.set(NAMES);
      best.reload();
      this.#replication = [];
      best.promote();
      const sinceMs = performance.now();
      // Until a standby follows it, no order is durable.
      await this.#refollow(other, best, 'b');
      await this.#accepted();
      this.#report.takeOver('the primary is killed', sinceMs);
      await old.remove();
      this.#servers = [best, other];
      this.#servers.push(await this.#follower(best, 'c', old.port));
    },
    'the leader is stopped beyond its lease, and goes on': async () => {
      const [old, sinceMs] = [this.#led(), performance.now()];
      old.child.kill('SIGSTOP');
      await this.#takeOver(old);
      await this.#accepted();
      this.#report.takeOver('the leader is stopped', sinceMs);
      old.child.kill('SIGCONT');
      assert.equal(await old.ended, 1);
    },
    'the primary hangs': async () => {
      this.#primary.signal('SIGSTOP');
      await delay(this.#random() * 7000);
      this.#primary.signal('SIGCONT');
    },
    'the leader is cut off from the servers': () => this.#cutLeader(...BOTH),
    'the standby node is killed': async () => {
      const standby = this.#standby;
      this.#standby = undefined;
      this.#reading = undefined;
      standby?.starting.child.kill('SIGKILL');
      await standby?.starting.ended;
      await this.#needStandby();
    },
    'the standby servers are cut off from the primary': async () => {
      const way = BOTH[Math.floor(this.#random() * BOTH.length)];
      for (const link of this.#replication) link.cut(way);
      await delay(this.#random() * 4000);
      for (const link of this.#replication) link.mend();
    },
    'a standby server is killed, and starts again': async () => {
      await this.#servers[1].kill();
      await delay(this.#random() * 1000);
      await this.#servers[1].resume();
    },
    'the primary is killed, and starts again': async () => {
      await this.#primary.kill();
      await delay(this.#random() * 3000);
      await this.#primary.resume();
    },
    'the standby node is cut off from the servers': async () => {
      const links = this.#standby?.links ?? [];
      const way = BOTH[Math.floor(this.#random() * BOTH.length)];
      for (const link of links) link.cut(way);
      await delay(500 + this.#random() * 3000);
      for (const link of links) link.mend();
    },
    'the leader does not reach the servers': () => this.#cutLeader('there'),
    'the servers do not reach the leader': () => this.#cutLeader('back'),
    'the links of the leader are slow': async () => {
      for (const link of this.#leaderLinks) link.slow(20);
      await delay(2000);
      for (const link of this.#leaderLinks) link.mend();
    },
    'the standby node is stopped, and goes on': async () => {
      const standby = this.#reading;
      // A reader would wait for it.
      this.#reading = undefined;
      standby?.child.kill('SIGSTOP');
      await delay(this.#random() * 2000);
      standby?.child.kill('SIGCONT');
      this.#reading = standby;
    },
    'one standby server is cut off from the primary': async () => {
      this.#replication[0]?.cut(...BOTH);
      await delay(this.#random() * 2000);
      this.#replication[0]?.mend();
    },
    'a standby server hangs': async () => {
      const standby = this.#servers[1 + Math.floor(this.#random() * 2)];
      standby.signal('SIGSTOP');
      await delay(this.#random() * 2000);
      standby.signal('SIGCONT');
    },
    'the links of the standby servers are slow': async () => {
      for (const link of this.#replication) link.slow(20);
      await delay(1000);
      for (const link of this.#replication) link.mend();
    },
    'both standby servers hang': async () => {
      for (const server of this.#servers.slice(1)) server.signal('SIGSTOP');
      await delay(this.#random() * 4000);
      for (const server of this.#servers.slice(1)) server.signal('SIGCONT');
    },
  };

  /** Runs a fault under load. Throws if anything is lost, doubled or wrong, or if a look-up at the standby was too old. */
  async round(name: string, round: number): Promise<void> {
    this.#orders = new Orders(`round-${round}`);
    await this.#needStandby();
    let stopped = false;
    /** What is in flight at old leaders may be answered late, or never. */
    const placing: Promise<void>[] = [];
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!stopped) {
        const leader = this.#led();
        // One that is cut off refuses for as long as that takes.
        const placed = this.#orders.place(leader, () => !stopped && leader === this.#led(), PACE_MS);
        placing.push(placed);
        await Promise.race([placed, this.#changed.promise]);
        await delay(PACE_MS);
      }
    });
    const reader = this.#read(() => !stopped);
    await this.#accepted();
    await delay(this.#random() * 300);
    await this.faults[name]();
    await this.#accepted();
    stopped = true;
    await Promise.all([...clients, reader]);
    await Promise.all(placing);
    assert.deepEqual(this.#stale, [], name);
    await this.#check(name);
    this.#report.acknowledged += this.#orders.acknowledged.length;
    this.#report.unknown += this.#orders.unknown;
  }

  /** Compares what clients, leader and standby know, and then cancels the orders. Begins again if the leader changes meanwhile. */
  async #check(name: string): Promise<void> {
    for (;;) {
      await this.#needStandby();
      const leader = this.#led();
      try {
        await untilReady(leader);
        assert.deepEqual(await this.#orders.wrong(leader), [], name);
        assert.equal((await leader.control.audit()).ok, true);
        await this.#compare(leader);
        break;
      } catch (error) {
        const refused = error instanceof VenueError && error.status === 503;
        if (!refused && leader === this.#led()) throw error;
        await delay(50);
      }
    }
    await this.#cancelAll();
  }

  async #cancelAll(): Promise<void> {
    for (;;) {
      const leader = this.#led();
      try {
        await leader.alice.cancelAllSpotOrders('BTC-USDT');
        return;
      } catch (error) {
        const refused = error instanceof VenueError && error.status === 503;
        if (!refused && leader === this.#led()) throw error;
        await delay(50);
      }
    }
  }

  /** Every node has the same state. */
  async #compare(leader: VenueProcess): Promise<void> {
    assert.ok(this.#reading !== undefined);
    for (;;) {
      const { seq, hash } = (await leader.control.state()) as { seq: number; hash: string };
      const there = (await atLeast(this.#reading, seq)) as { seq: number; hash: string };
      // A timer may have fallen due between the two.
      if (there.seq !== seq) continue;
      assert.equal(there.hash, hash);
      return;
    }
  }

  /** Looks up at the standby what the leader has acknowledged. */
  async #read(goesOn: () => boolean): Promise<void> {
    for (; goesOn(); await delay(PACE_MS)) {
      const [known, standby] = [this.#orders.acknowledged.at(-1), this.#reading];
      if (known === undefined || standby === undefined) continue;
      const [clientId, orderId] = known;
      try {
        const seq = await seqOf(this.#led());
        const query = { orderId, atLeastSeq: String(seq) } as { orderId: string };
        const found = await standby.alice.request('GET', '/spot/api/v4/trade/order', { query });
        if (found.clOrderId === clientId) this.#report.reads += 1;
        else this.#stale.push(`${orderId} is ${found.clOrderId}`);
      } catch (error) {
        // It is gone, or says that it is behind. Anything else is wrong.
        if (error instanceof VenueError && error.status !== 503) this.#stale.push(`${clientId}: ${error.message}`);
      }
    }
  }

  /** Cuts the links of the leader until the standby has taken over. */
  async #cutLeader(...ways: readonly Way[]): Promise<void> {
    const [old, links, sinceMs] = [this.#led(), this.#leaderLinks, performance.now()];
    for (const link of links) link.cut(...ways);
    await this.#takeOver(old);
    await this.#accepted();
    this.#report.takeOver('the leader is cut off', sinceMs);
    for (const link of links) link.mend();
    assert.equal(await old.ended, 1, 'the old leader learns that it was replaced');
  }

  /** Stops the venue, and compares its last state with what another process gets from the log. */
  async end(): Promise<void> {
    this.#standby?.starting.child.kill('SIGKILL');
    await this.#standby?.starting.ended;
    const leader = this.#led();
    const { seq, hash } = await leader.control.state();
    assert.equal(await leader.stop(), 0);
    const address = this.#primary.address('bourse');
    const verified = printed(await bourseBeside('verify', address));
    assert.deepEqual([verified.seq, verified.hash], [seq, hash]);
  }

  #led(): VenueProcess {
    assert.ok(this.#leader !== undefined);
    return this.#leader;
  }

  async #node(...more: string[]): Promise<Node> {
    this.#nodes += 1;
    const links: Link[] = [];
    for (const { port } of this.#servers) links.push(await Link.to(port));
    const hosts = links.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const address = this.#primary.address('bourse').replace(`127.0.0.1:${this.#primary.port}`, hosts);
    return { starting: starting(address, join(scratch, `node-${this.#nodes}`), ...more), links };
  }

  #lead({ links }: Node, venue: VenueProcess): void {
    this.#leader = venue;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.#leaderLinks = links;
    this.#standby = undefined;
    this.#reading = undefined;
  }

  /**
   * Resolves when a standby follows the leader. On a busy machine it may take over at any time, because the lease was not
   * renewed: then it leads, and another one follows.
   */
  async #needStandby(): Promise<void> {
    while (this.#standby === undefined) {
      const node = await this.#node('--standby');
      this.#standby = node;
      const { ready: standby, errors } = await node.starting.outcome;
      assert.ok(standby !== undefined, errors);
      node.starting.leading.then((led) => {
        if (led !== undefined && this.#standby === node) this.#lead(node, led);
      });
      if (standby.ready.role === 'standby') this.#reading = standby;
      await delay(0);
    }
  }

  /** Resolves when another process leads than `old`. */
  async #takeOver(old = this.#led()): Promise<void> {
    while (this.#led() === old) {
      await this.#needStandby();
      const changed = this.#changed.promise.then(() => true);
      const { starting } = this.#standby as Node;
      const led = await Promise.race([starting.ended.then(() => this.#led() !== old), changed]);
      if (!led) throw new Error(`the standby ended instead of leading:\n${starting.errors}`);
    }
  }

  /** Resolves when one more order is acknowledged. */
  async #accepted(): Promise<void> {
    const before = this.#orders.acknowledged.length;
    while (this.#orders.acknowledged.length === before) await delay(5);
  }
}

/** The seq that a reply of the venue includes. */
async function seqOf(venue: VenueProcess): Promise<number> {
  const url = `${venue.ready.http}/spot/api/v3.3/price?symbol=BTC-USDT`;
  const { status, headers } = await fetch(url, { signal: AbortSignal.timeout(READ_MS) });
  if (status !== 200) throw new Error(`answered ${status}`);
  return Number(headers.get('bourse-seq'));
}

/** The state of a standby, once it is at the seq. */
async function atLeast(standby: VenueProcess, seq: number): Promise<unknown> {
  for (;;) {
    try {
      return await standby.control.request('GET', `/state?atLeastSeq=${seq}`);
    } catch (error) {
      if (!(error instanceof VenueError) || error.status !== 503) throw error;
      await delay(50);
    }
  }
}

async function ready(node: Starting): Promise<VenueProcess> {
  const venue = await node.leading;
  if (venue === undefined) throw new Error(`the venue ended instead of leading:\n${node.errors}`);
  return venue;
}

describe('rounds of faults', {
  skip: skip || (ROUNDS === 0 && '`npm run test:postgres -- --rounds N` runs them'),
}, () => {
  after(async () => {
    await endLinks();
    await endServers();
  });

  test(`${ROUNDS} rounds lose nothing acknowledged and double nothing (seed ${SEED})`, async () => {
    const report = new Report();
    const installation = new Installation(seeded(SEED), report);
    await installation.start();
    const names = Object.keys(installation.faults);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = names[round % names.length];
        const sinceMs = performance.now();
        console.log(`round ${round + 1}: ${name}`);
        await installation.round(name, round);
        report.round(name, sinceMs);
      }
      await installation.end();
    } finally {
      console.log(report.text);
    }
  });
});
