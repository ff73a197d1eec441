/** Runs the plan of a seed: nodes on one log in PostgreSQL, with clients and faults, and checks what must hold. */

import { KEEP_ALL } from '../../../src/archive/store/forgetting.ts';
import type { Apply } from '../../../src/engine/replay/log-replayer.ts';
import { DatabaseStorage } from '../../../src/log/postgres/database-storage.ts';
import type { Command } from '../../../src/venue/contract/commands.ts';
import { RULES_VERSION } from '../../../src/venue/venue.ts';
import { credentialHeaders } from '../../support/signing.ts';
import { compareArchive, compareState, compareWishes, History, isThere } from '../checks.ts';
import { Client, type Network } from '../client.ts';
import type { Answer, Asked } from '../door.ts';
import { NEW } from '../life.ts';
import { Machine } from '../machine.ts';
import { CLIENTS } from '../plan.ts';
import { seeded } from '../seeded.ts';
import { Judgement } from './checks.ts';
import { SimClient } from './client.ts';
import { ADDRESS, Cluster } from './cluster.ts';
import { Node, type PlantedNode } from './node.ts';
import { type Plan, planOf, type Step, type Throws, type Which } from './plan.ts';

const START_MS = Date.UTC(2027, 0, 1);
/** How long anything may take when nothing fails any more. */
const PATIENCE_MS = 30_000;
/** How long the nodes may differ when one leads the others. */
const EVEN_MS = 10_000;
/** After so long without an answer a client looks elsewhere. */
const IMPATIENT_MS = 300;
/** When a supervisor starts a process again. */
const RESTART_MS = 150;
/** The checker connects under this number, where each node has its own. No fault names it. */
const CHECKER = 99;
const plain: Apply = (venue, seq, timeMs, command) => venue.apply(seq, timeMs, command);

export interface Run {
  readonly plan: Plan;
  /** What does not hold. Empty: everything does. */
  readonly found: readonly string[];
  /** The events, for people. */
  readonly story: readonly string[];
  readonly commands: number;
}

export function runSeed(seed: number, planted?: PlantedNode): Promise<Run> {
  return runPlan(planOf(seed), planted);
}

export async function runPlan(plan: Plan, planted: PlantedNode = {}): Promise<Run> {
  const world = new Simulation(plan, planted);
  try {
    await world.run();
  } catch (error) {
    world.found.push(`the simulation ends: ${(error as Error).stack}`);
  } finally {
    world.end();
  }
  const { found, story, commands } = world;
  return { plan, found, story, commands };
}

class Simulation {
  readonly found: string[] = [];
  readonly story: string[] = [];
  commands = 0;
  readonly #plan: Plan;
  readonly #machine: Machine;
  readonly #cluster: Cluster;
  readonly #nodes: Node[];
  readonly #clients: Client[];
  readonly #judgement = new Judgement();
  readonly #thrown = new Set<string>();
  /** Where the clients believe the leader to be. */
  #believed = 0;
  #asked = 0;
  /** True: what is still under way to the venue does not arrive. */
  #isOver = false;
  /** What is not over yet: restarts, servers that are set up. */
  #pending = 0;
  #nonceMs = START_MS - 30_000;

  constructor(plan: Plan, planted: PlantedNode) {
    this.#plan = plan;
    const { seed, clocks, archives } = plan;
    this.#machine = new Machine(seed, START_MS);
    const tell = (text: string) => this.#tell(text);
    this.#cluster = new Cluster(this.#machine, seeded(seed * 13 + 5), tell);
    this.#nodes = clocks.map((own, index) => {
      const node: Node = new Node({
        machine: this.#machine,
        cluster: this.#cluster,
        index,
        seed: seed * 101 + index,
        clocks: own,
        archives,
        apply: (venue, seq, timeMs, command) => {
          this.#maybeThrow(node, command);
          return plain(venue, seq, timeMs, command);
        },
        planted,
        tell,
        onLead: (epoch) => this.found.push(...this.#judgement.led(epoch, index)),
        onEnd: (error) => this.#ended(node, error),
      });
      return node;
    });
    const network: Network = { take: (asked) => this.#take(asked) };
    this.#clients = NEW.names.slice(0, CLIENTS).map((name, i) => new Client(this.#machine, network, name, i, START_MS));
  }

  async run(): Promise<void> {
    const [first, ...others] = this.#nodes;
    first.start();
    await this.#until(() => first.leads, 'the first node does not lead');
    for (const market of [0, 1]) {
      await this.#settled(first.engine!.submit({ v: 1, type: 'setPrices', market, index: 10_000_000, byHand: true }));
    }
    for (const node of others) node.start();
    const begunMs = this.#machine.nowMs;
    for (const step of this.#plan.steps) this.#machine.in(step.atMs, () => this.#act(step));
    await this.#machine.run(() => this.found.length > 0, begunMs + this.#plan.endMs);
    if (this.found.length > 0) return;
    await this.#calm();
    if (this.found.length > 0) return;
    await this.#checkEnd();
  }

  /** Frees its memory. */
  end(): void {
    for (const node of this.#nodes) {
      node.kill(true);
      node.place.remove();
    }
  }

  #tell(text: string): void {
    this.story.push(`${this.#machine.nowMs.toFixed(1)}: ${text}`);
  }

  #maybeThrow(node: Node, command: Command): void {
    const id = (command as { clientId?: string | null }).clientId;
    const how: Throws | undefined = id == null ? undefined : this.#plan.throws[id];
    if (how === undefined || id == null) return;
    if (how === 'following' && node.leads) return;
    if (how === 'onceLeading' || how === 'onceFollowing') {
      if (this.#thrown.has(id) || node.leads !== (how === 'onceLeading')) return;
      this.#thrown.add(id);
    }
    this.#tell(`the command of ${id} throws in node ${node.index}`);
    throw new Error(`planned for ${id}`);
  }

  /** A request of a client arrives at the node that it believes to lead. */
  #take(asked: Asked): Promise<Answer> {
    const node = this.#nodes[this.#believed];
    return new Promise((resolve) => {
      const { process, index } = node;
      let isAnswered = false;
      if (this.#isOver) return;
      if (process === undefined) {
        this.#believeAnother(index);
        return;
      }
      this.#machine.in(
        0,
        async () => {
          if (node.door === undefined) return this.#believeAnother(index);
          const answer = await node.door.take(asked);
          if (node.process !== process) return;
          isAnswered = true;
          if (answer.status === 503) this.#believeAnother(index);
          this.found.push(...this.#judgement.answered(node, asked, answer));
          resolve(answer);
        },
        process,
      );
      this.#machine.in(IMPATIENT_MS, () => {
        if (!isAnswered) this.#believeAnother(index);
      });
    });
  }

  #believeAnother(than: number): void {
    if (this.#believed !== than) return;
    const leading = this.#nodes.findIndex(({ leads }) => leads);
    this.#believed = leading >= 0 && leading !== than ? leading : (than + 1) % this.#nodes.length;
  }

  #which(which: Which): Node {
    if (typeof which === 'number') return this.#nodes[which];
    const isIt = ({ leads, isRunning }: Node) => (which === 'leader' ? leads : isRunning && !leads);
    return this.#nodes.find(isIt) ?? this.#nodes[0];
  }

  #act(step: Step): void {
    const cluster = this.#cluster;
    if (step.what !== 'ask' && step.what !== 'read') this.#tell(JSON.stringify(step));
    switch (step.what) {
      case 'ask':
        this.#clients[step.client]?.ask(step.ask, step.retry, this.#plan.seed * 1009 + this.#asked++);
        return;
      case 'read':
        this.#read(this.#which(step.node), step.atLeast);
        return;
      case 'kill': {
        const node = this.#which(step.node);
        if (!node.isRunning) return;
        node.kill(step.silent);
        this.#startLater(node, step.forMs);
        return;
      }
      case 'pause':
        this.#which(step.node).stop(step.forMs, step.venueOnly);
        return;
      case 'handOver':
        this.#which(step.node).handOver();
        return;
      case 'reset':
        this.#which(step.node).reset();
        return;
      case 'wall':
        this.#which(step.node).process?.setWall(step.byMs);
        return;
      case 'cut': {
        const { links } = this.#which(step.node);
        for (const link of step.server < 0 ? links : [links[step.server]]) link.cut(step.ways, step.forMs);
        return;
      }
      case 'slow':
        for (const link of this.#which(step.node).links) link.slow(step.byMs, step.forMs);
        return;
      case 'crash': {
        const server = step.server < 0 ? cluster.primary : cluster.servers[step.server];
        this.#wait(cluster.crash(server, step.silent, step.forMs));
        return;
      }
      case 'promote':
        this.#wait(cluster.promote(step.oldGoesOn, step.silent, step.forMs, step.force));
        return;
      case 'cutReplication':
        for (const server of step.servers) cluster.replication.get(cluster.servers[server])?.cut(step.ways, step.forMs);
        return;
      case 'endWaits':
        cluster.primary.endWaits(step.withSessions);
        return;
      case 'emptyNames': {
        const { primary } = cluster;
        const names = primary.standbyNames;
        primary.setStandbyNames('');
        this.#wait(this.#machine.wait(step.forMs).then(() => primary.setStandbyNames(names)));
        return;
      }
      case 'full': {
        const { primary } = cluster;
        primary.isFull = true;
        this.#wait(
          this.#machine.wait(step.forMs).then(() => {
            primary.isFull = false;
          }),
        );
        return;
      }
      case 'slowReads':
      case 'slowAppends': {
        const { primary } = cluster;
        const what = step.what === 'slowReads' ? 'slowMs' : 'slowAppendMs';
        primary[what] = step.byMs;
        this.#machine.in(step.forMs, () => {
          primary[what] = 0;
        });
      }
    }
  }

  #wait(work: Promise<void>): void {
    this.#pending += 1;
    work.then(() => {
      this.#pending -= 1;
    });
  }

  #startLater(node: Node, inMs: number): void {
    this.#wait(
      this.#machine.wait(inMs).then(() => {
        if (!node.isRunning) node.start();
      }),
    );
  }

  /** A process has ended. A supervisor starts it again. */
  #ended(node: Node, error: Error | undefined): void {
    this.#tell(`node ${node.index} ends${error === undefined ? '' : `: ${error.name}: ${error.message}`}`);
    this.found.push(...this.#judgement.ended(node, error, this.#cluster, this.#plan));
    this.#startLater(node, RESTART_MS);
  }

  /** Looks up what was acknowledged last. */
  #read(node: Node, atLeast: boolean): void {
    const { process, door, engine, atLeast: waits } = node;
    const wanted = this.#judgement.last;
    if (process === undefined || door === undefined || engine === undefined || waits === undefined) return;
    if (wanted === undefined) return;
    const target = `/spot/api/v3.3/order?clOrderID=${wanted.id}`;
    const name = NEW.names[wanted.account];
    const key = { key: `${name}-key`, secret: `${name}-secret` };
    this.#nonceMs += 1;
    const headers = credentialHeaders(key, target, '', { nonce: this.#nonceMs });
    this.#machine.in(
      0,
      async () => {
        const led = node.leads;
        try {
          if (atLeast) await waits.wait(String(wanted.seq));
        } catch {
          return; // It is behind, and says so.
        }
        const answer = await door.take({ method: 'GET', target, headers, body: '' });
        if (node.process !== process) return;
        this.found.push(...this.#judgement.read(node, wanted, answer, atLeast || (led && node.leads)));
      },
      process,
    );
  }

  /** Nothing fails any more. Resolves when one node leads, and the others follow it and have everything. */
  async #calm(): Promise<void> {
    this.#tell('nothing fails any more');
    this.#cluster.mend();
    await this.#until(() => this.#pending === 0, 'what failed does not come back');
    this.#cluster.mend();
    await this.#until(() => this.#isCalm, 'no node leads the others');
    for (const client of this.#clients)
      for (const wish of client.wishes) if (wish.answer === undefined) wish.over = true;
    const [client] = this.#clients;
    const ask = { kind: 'spot' as const, id: 'last', side: 'BUY' as const, price: 990, size: 0.01 };
    client.ask(ask, 'newNonce', this.#plan.seed);
    const wish = client.wishes[client.wishes.length - 1];
    await this.#until(() => wish.over, 'the last order has no answer');
    if (!isThere(wish.answer)) this.found.push(`an order is not taken: ${JSON.stringify(wish)}`);
    this.#isOver = true;
    const isEven = () => this.#pending === 0 && this.#isCalm && this.#isArchived;
    await this.#until(isEven, 'the nodes do not get even', EVEN_MS);
  }

  get #isCalm(): boolean {
    const leaders = this.#nodes.filter(({ leads }) => leads);
    if (leaders.length !== 1) return false;
    const { engine } = leaders[0];
    return (
      engine?.health().ready === true &&
      engine.waiting === 0 &&
      this.#nodes.every(
        (node) =>
          node === leaders[0] ||
          (node.engine?.following !== undefined &&
            node.engine.unreadable === undefined &&
            node.engine.venue.seq === engine.venue.seq),
      )
    );
  }

  get #isArchived(): boolean {
    return this.#nodes.every(({ archive, engine }) => archive === undefined || archive.seq === engine?.venue.seq);
  }

  async #checkEnd(): Promise<void> {
    const machine = this.#machine;
    const process = machine.process(this.#plan.seed);
    const storage = new DatabaseStorage(ADDRESS, {
      newClient: (config) => new SimClient({ machine, cluster: this.#cluster, node: CHECKER, process }, config),
    });
    let whole: History | undefined;
    do {
      await this.#settled(
        History.of(storage, undefined, whole).then((read) => {
          whole = read;
        }),
      );
      await this.#until(() => this.#isCalm, 'the nodes do not get even');
      if (this.found.length > 0) return;
    } while (this.#nodes[0].engine?.venue.seq !== whole?.venue.seq);
    const history = whole as History;
    this.commands = history.venue.seq;
    this.found.push(
      ...compareWishes(
        this.#clients.flatMap(({ wishes }) => wishes),
        history,
      ),
    );
    this.found.push(...this.#judgement.whole(history));
    for (const { engine, index } of this.#nodes) {
      const venue = engine?.venue;
      if (venue === undefined) continue;
      this.found.push(...compareState(venue, history.venue).map((text) => `node ${index}: ${text}`));
    }
    for (const { archive, index, place, engine } of this.#nodes) {
      if (archive === undefined) continue;
      const problem = archive.failed?.stack ?? archive.problem;
      if (problem !== undefined) this.found.push(`the archive of node ${index}: ${problem}`);
      if (this.found.length > 0) continue;
      // The leader goes on while the log is read, and so does the archive.
      const copy = place.copy();
      const store = copy.look();
      if (store === undefined) continue;
      const identity = { rules: String(RULES_VERSION), venueId: engine?.venueId };
      let differences: string[] = [];
      await this.#settled(
        compareArchive(storage, store, identity, KEEP_ALL).then((read) => {
          differences = read;
        }),
      );
      copy.remove();
      this.found.push(...differences.map((text) => `node ${index}: ${text}`));
    }
  }

  async #until(isSo: () => boolean, otherwise: string, patienceMs = PATIENCE_MS): Promise<void> {
    const untilMs = this.#machine.nowMs + patienceMs;
    // Nothing may be left to happen while time passes.
    while (!isSo() && this.found.length === 0 && this.#machine.nowMs < untilMs) {
      await this.#machine.run(isSo, Math.min(untilMs, this.#machine.nowMs + 100));
    }
    if (isSo() || this.found.length > 0) return;
    const states = this.#nodes.map((node) => {
      const { engine, index } = node;
      if (engine === undefined) return `node ${index} ${node.isRunning ? 'starts' : 'is down'}`;
      const role = node.leads ? 'leads' : 'follows';
      return `node ${index} ${role} at ${engine.venue.seq} (${engine.health().reasons}; ${engine.unreadable?.message})`;
    });
    this.found.push(`${otherwise}: ${states.join(', ')}`);
  }

  /** Lets time pass until the promise is fulfilled. Throws the reason of its rejection. */
  async #settled(promise: Promise<unknown>): Promise<void> {
    let over = false;
    const end = promise.finally(() => {
      over = true;
    });
    end.catch(() => {});
    await this.#until(() => over, 'it takes too long');
    if (over) await end;
  }
}
