/**
 * Rounds of a venue that is killed while calls below it fail. A round has three lives:
 *
 * 1. The last life of the round before: faults are armed under load, then SIGKILL at a random moment, unless the venue
 * has already ended by itself, as it must after a failed write or sync of its log.
 * 2. A start with faults from its first call on, with load when it is ready, then SIGKILL at a random moment.
 * 3. A start without faults. The clients' knowledge is compared with the venue (`RetryingClients.check`).
 *
 * Each armed fault must hit before the kill. A fault that does not hit fails the round.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../sim/seeded.ts';
import { balanceOf, emptyTally, RetryingClients, type Tally } from './retrying-client.ts';
import { FAULT_KINDS, type Fault, type FaultKind, type Place, Shim } from './shim.ts';
import { bourse, printed, type Starting, VenueProcess } from './venue-process.ts';

const FLAGS = ['--segment-size', '16384', '--snapshot-every', '40'];
/** The limit in which every fault of a life must hit: long, for a busy machine. */
const HIT_WITHIN_MS = 120_000;
/** The limit after the last hit, or in the second life after the start. */
const KILL_WITHIN_MS = 250;
/** How often another process replays the log, and compares its hash. */
const REPLAYED_EVERY = 20;
const POLL_MS = 5;
const SNAPSHOT_EVERY_MS = 100;

/** A step that the venue's clock follows, at least nearly, and one that it refuses. */
const SMALL_STEP_MS = 15_000;
const LARGE_STEP_MS = 3_600_000;

type Random = () => number;

interface Planned extends Fault {
  /** True: the venue may have to end by itself, because a write, a sync or a file of its log fails. */
  readonly mayEnd: boolean;
}

/** The faults, with their places, how many calls they hit, and how long they take. The seed decides. */
const FAULTS: readonly ((random: Random) => Planned)[] = [
  (random) => ({ kind: 'shortWrite', ...somewhere(random), ...some(random, 30, 5), mayEnd: false }),
  (random) => ({ kind: 'writeFails', where: ['log'], ...some(random, 60, 1), mayEnd: true }),
  (random) => ({ kind: 'writeFails', where: ['archive', 'snapshot'], ...some(random, 8, 2), mayEnd: false }),
  (random) => ({ kind: 'noSpace', ...somewhere(random), ...some(random, 30, 2), mayEnd: false }),
  (random) => ({ kind: 'syncFails', where: ['log', 'folder'], ...some(random, 60, 1), mayEnd: true }),
  (random) => ({ kind: 'syncFails', where: ['snapshot', 'archive'], ...some(random, 2, 2), mayEnd: false }),
  (random) => ({
    kind: 'slowSync',
    where: ['log', 'folder'],
    ...some(random, 30, 3),
    milliseconds: 20 + Math.floor(random() * 300),
    mayEnd: false,
  }),
  (random) => ({ kind: 'noDescriptor', where: ['log'], ...some(random, 2, 2), mayEnd: false }),
  (random) => ({ kind: 'noDescriptor', where: ['snapshot'], ...some(random, 2, 2), mayEnd: false }),
  (random) => ({ kind: 'renameFails', where: ['log'], ...some(random, 1, 1), mayEnd: true }),
  (random) => ({ kind: 'renameFails', where: ['snapshot'], ...some(random, 1, 1), mayEnd: false }),
  (random) => clockStep(random, SMALL_STEP_MS),
  (random) => clockStep(random, LARGE_STEP_MS),
];

/** Forwards or backwards. */
function clockStep(random: Random, mostMs: number): Planned {
  return { kind: 'clockStep', where: [], milliseconds: Math.round((random() - 0.5) * 2 * mostMs), mayEnd: false };
}

function somewhere(random: Random): { where: readonly Place[] } {
  const places: readonly (readonly Place[])[] = [['log'], ['archive'], ['snapshot'], ['log', 'archive', 'snapshot']];
  return { where: places[Math.floor(random() * places.length)] };
}

/** How many calls pass, fewer than `skip`, and how many are hit after that, at most `times`. */
function some(random: Random, skip: number, times: number): { skip: number; times: number } {
  return { skip: Math.floor(random() * skip), times: 1 + Math.floor(random() * times) };
}

export interface Told {
  readonly rounds: number;
  readonly kills: number;
  /** Lives that ended by themselves after a fault. */
  readonly ended: number;
  readonly hits: Readonly<Record<FaultKind, number>>;
  readonly tally: Tally;
}

export class FaultyRounds {
  readonly #folder: string;
  readonly #shim: Shim;
  readonly #random: Random;
  readonly #tally = emptyTally();
  readonly #hits = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  #kills = 0;
  #ended = 0;

  /** `scratch`: the folder of the data folder and of the shim's control file. */
  constructor(library: string, scratch: string, seed: number) {
    this.#folder = join(scratch, `faulty-${seed}`);
    this.#shim = new Shim(library, join(scratch, `control-${seed}`), this.#folder);
    this.#random = seeded(seed);
  }

  /** `onRound` gets the number of each finished round. Throws at the first loss or duplicate. */
  async run(rounds: number, onRound: (round: number) => void = () => {}): Promise<Told> {
    let venue = await this.#startSound();
    await venue.control.setPrices('BTC-USDT', { index: 100_000 });
    await venue.control.setPrices('ETH-USDT', { index: 5000 });
    for (let round = 1; round <= rounds; round += 1) {
      const plans: string[] = [];
      try {
        venue = await this.#round(venue, round, plans);
      } catch (error) {
        throw new Error(`round ${round} with ${plans.join(', then ')}: ${(error as Error).message}`, { cause: error });
      }
      onRound(round);
    }
    assert.equal(await venue.stop(), 0);
    assert.equal(printed(bourse('verify', this.#folder)).ok, true);
    this.#shim.close();
    return { rounds, kills: this.#kills, ended: this.#ended, hits: this.#hits, tally: this.#tally };
  }

  /** Returns the first life of the next round. */
  async #round(venue: VenueProcess, round: number, plans: string[]): Promise<VenueProcess> {
    const clients = new RetryingClients(round, this.#tally);
    const ethBefore = (await balanceOf(venue, 'bob', 'ETH')).total;
    const endedByItself = await this.#loadedLife(venue, clients, plans);
    await this.#startingLife(clients, endedByItself, plans);
    const sound = await this.#startSound();
    if (round % REPLAYED_EVERY === 0) await this.#sameAsReplayed(sound);
    await clients.check(sound, ethBefore);
    return sound;
  }

  /** The first life. True if it ended by itself. */
  async #loadedLife(venue: VenueProcess, clients: RetryingClients, plans: string[]): Promise<boolean> {
    const begun = Promise.withResolvers<void>();
    const load = clients.run(venue, begun.resolve);
    await Promise.race([begun.promise, load]);
    const faults = this.#draw(3, true);
    plans.push(JSON.stringify(faults));
    for (const fault of faults) this.#shim.arm(fault);
    const endedByItself = await this.#untilHit(faults, venue, load, Promise.resolve(venue));
    await this.#end(venue, faults, endedByItself);
    await load;
    return endedByItself;
  }

  /** The second life. If the first one was not killed, this one must be. */
  async #startingLife(clients: RetryingClients, mustBeKilled: boolean, plans: string[]): Promise<void> {
    const faults = this.#draw(2, !mustBeKilled).map((fault) => ({ ...fault, skip: Math.min(fault.skip ?? 0, 3) }));
    plans.push(JSON.stringify(faults));
    for (const fault of faults) this.#shim.arm(fault);
    const starting = VenueProcess.startIn(this.#shim.environment, this.#folder, ...FLAGS);
    const ready = starting.outcome.then((outcome) => outcome.ready);
    const load = ready.then((venue) => (venue === undefined ? undefined : clients.run(venue)));
    const endedByItself = await this.#untilHit(faults, starting, load, ready);
    await this.#end(starting, faults, endedByItself);
    await load;
  }

  /** Some faults, each kind once. */
  #draw(most: number, mayEnd: boolean): Planned[] {
    const drawn = new Map<FaultKind, Planned>();
    for (let count = 1 + Math.floor(this.#random() * most); count > 0; ) {
      const fault = FAULTS[Math.floor(this.#random() * FAULTS.length)](this.#random);
      if (fault.mayEnd && !mayEnd) continue;
      drawn.set(fault.kind, fault);
      count -= 1;
    }
    return [...drawn.values()];
  }

  /** Waits until every fault has hit, and a random moment longer. True if the venue ended by itself. */
  async #untilHit(
    faults: readonly Planned[],
    life: Starting | VenueProcess,
    load: Promise<unknown>,
    ready: Promise<VenueProcess | undefined>,
  ): Promise<boolean> {
    let failure: Error | undefined;
    load.catch((error) => {
      failure = error;
    });
    let isOver = false;
    life.ended.then(() => {
      isOver = true;
    });
    const missing = () => faults.filter(({ kind }) => this.#shim.hits(kind) === 0);
    const until = performance.now() + HIT_WITHIN_MS;
    ready.then(async (venue) => {
      // A fault that hits a snapshot need not wait for the next scheduled one.
      while (venue !== undefined && !isOver && missing().some(({ where }) => where.includes('snapshot'))) {
        await venue.control.request('POST', '/snapshot').catch(() => {});
        await delay(SNAPSHOT_EVERY_MS);
      }
    });
    while (!isOver && missing().length > 0) {
      if (failure !== undefined) throw failure;
      if (performance.now() > until) assert.fail(`never hit: ${JSON.stringify(missing())}: ${errorsOf(life)}`);
      await delay(POLL_MS);
    }
    await Promise.race([life.ended, delay(this.#random() * KILL_WITHIN_MS)]);
    return isOver;
  }

  async #end(life: Starting | VenueProcess, faults: readonly Planned[], endedByItself: boolean): Promise<void> {
    life.child.kill('SIGKILL');
    const code = await life.ended;
    const isKilled = code === null;
    if (isKilled) this.#kills += 1;
    else this.#ended += 1;
    const hit = faults.filter(({ kind }) => this.#shim.hits(kind) > 0);
    for (const { kind } of hit) this.#hits[kind] += this.#shim.hits(kind);
    this.#shim.disarmAll();
    if (isKilled) return;
    assert.ok(endedByItself || code === 1);
    const isStart = !('ready' in life);
    // A start without space for its record is refused, and so is one whose files do not open.
    const reason = hit.find(
      ({ kind, mayEnd }) => mayEnd || (isStart && (kind === 'noSpace' || kind === 'noDescriptor')),
    );
    assert.ok(code === 1 && reason !== undefined, `the venue ended with code ${code}: ${errorsOf(life)}`);
    assert.match(errorsOf(life), /EIO|EMFILE|ENOSPC|i\/o error|too many open files|no space|room/i);
  }

  async #startSound(): Promise<VenueProcess> {
    const { ready, errors } = await VenueProcess.startIn(this.#shim.environment, this.#folder, ...FLAGS).outcome;
    assert.ok(ready !== undefined, `a start without faults was refused: ${errors}`);
    return ready;
  }

  async #sameAsReplayed(venue: VenueProcess): Promise<void> {
    const { seq, hash } = await venue.control.state();
    const replayed = printed(bourse('replay', this.#folder));
    assert.deepEqual([replayed.seq, replayed.hash], [seq, hash]);
  }
}

function errorsOf(life: Starting | VenueProcess): string {
  return life.errors.split('\n').slice(-20).join('\n');
}
