/** Runs what a seed means: life after life on one disk, with all checks in between. */

import type { Engine } from '../../src/engine/host.ts';
import type { Snapshot } from '../../src/engine/replay/snapshots.ts';
import { LogDamaged } from '../../src/log/contract/command-log.ts';
import type { FilePosition } from '../../src/log/file/chain.ts';
import { FileStorage } from '../../src/log/file/file-storage.ts';
import { EMPTY_FRAME_BYTES } from '../../src/log/file/frame.ts';
import { segmentName } from '../../src/log/file/segments.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { SimPlace } from './archive.ts';
import {
  compareArchive,
  compareBoundaries,
  compareModel,
  compareState,
  compareWishes,
  History,
  isThere,
  TimeCheck,
} from './checks.ts';
import { Client, type Network } from './client.ts';
import { damage, isNamed, judge, knownBeside } from './damage.ts';
import type { Answer } from './door.ts';
import { GOLDEN, putGolden } from './golden.ts';
import { Life, NEW, type Origin } from './life.ts';
import { Machine, type Process } from './machine.ts';
import { CLIENTS, type Damage, type Life as LifePlan, type Plan, planOf, type Step } from './plan.ts';
import type { Planted } from './planted.ts';
import { SimCrash, SimDisk } from './sim-disk.ts';

export type { Planted };

/** What a right clock says at the beginning; the golden logs have nonces of before that. */
const START_MS = Date.UTC(2027, 0, 1);
/** A start, a stop, an answer take no longer. */
const PATIENCE_MS = 20_000;
/** The engine looks so often whether there is room again. */
const ROOM_CHECK_MS = 1000;
const READY_MS = 3 * ROOM_CHECK_MS;
/** So far off a nonce has to be taken. */
const FRESH_MS = 59_000;
/** After the lives of a plan nothing fails any more. */
function lastLife({ seed, last }: Plan): LifePlan {
  const idle = seed % 4 !== 0 && { idleArchive: true as const };
  return { damage: last, ...idle, faults: {}, steps: [], syncMs: 1, end: 'stop', endMs: 100, restMs: 0 };
}

export interface Run {
  readonly plan: Plan;
  /** What does not hold; empty: all does. */
  readonly found: readonly string[];
  /** What happened, for people. */
  readonly story: readonly string[];
  readonly commands: number;
}

export function runSeed(seed: number, planted?: Planted): Promise<Run> {
  return runPlan(planOf(seed), planted);
}

export async function runPlan(plan: Plan, planted: Planted = {}): Promise<Run> {
  const world = new Simulation(plan, planted);
  try {
    await world.run();
  } catch (error) {
    world.found.push(`the simulation ends: ${(error as Error).stack}`);
  } finally {
    world.end();
  }
  return { plan, found: world.found, story: world.story, commands: world.commands };
}

class Simulation {
  readonly found: string[] = [];
  readonly story: string[] = [];
  commands = 0;
  readonly #plan: Plan;
  readonly #origin: Origin;
  /** Where the log that can be folded begins; undefined: at its beginning. */
  #base: Snapshot | undefined;
  /** All of them, the last one in which nothing fails. */
  readonly #lives: readonly LifePlan[];
  readonly #planted: Planted;
  readonly #machine: Machine;
  readonly #clients: Client[];
  readonly #network: { take: Network['take'] } = { take: undefined };
  #disk: SimDisk;
  readonly #place = new SimPlace();
  /** What the log held when it was last read. */
  #history: History | undefined;
  #asked = 0;
  /** A drive has lied about a sync. */
  #lies = false;
  /** And then the power was cut: what it said is not to be relied upon. */
  #lied = false;

  constructor(plan: Plan, planted: Planted) {
    this.#plan = plan;
    this.#origin = plan.golden === undefined ? NEW : GOLDEN;
    this.#lives = [...plan.lives, lastLife(plan)];
    this.#planted = planted;
    this.#machine = new Machine(plan.seed, START_MS);
    this.#clients = this.#origin.names
      .slice(0, CLIENTS)
      .map((name, i) => new Client(this.#machine, this.#network, name, i, START_MS));
    this.#disk = new SimDisk({ seed: plan.seed });
  }

  async run(): Promise<void> {
    const { golden } = this.#plan;
    if (golden !== undefined) this.#base = await putGolden(this.#disk, golden);
    for (const [index, life] of this.#lives.entries()) {
      if (this.#isLast(index)) this.#machine.setWallRight();
      await this.#live(life, index);
      if (this.found.length > 0) return;
    }
  }

  #isLast(index: number): boolean {
    return index === this.#lives.length - 1;
  }

  /** What of the middle of a life the next one needs. */
  #keepPast(index: number): void {
    for (const what of this.#lives[index + 1]?.damage ?? []) {
      if (what.what === 'half') this.#past.disk = this.#disk.copy();
      else if (what.what === 'archive' && what.how === 'aged') this.#past.archive = this.#place.content();
    }
  }

  /** Gives back what it holds of memory. */
  end(): void {
    this.#place.remove();
  }

  async #live(plan: LifePlan, index: number): Promise<void> {
    const machine = this.#machine;
    const begunMs = machine.nowMs;
    const isLast = this.#isLast(index);
    const world = machine.process(this.#plan.seed * 31 + index);
    this.#syncMs = plan.syncMs;
    this.#stopFailed = false;
    this.#place.fails = null;
    this.#disk = this.#nextDisk(plan, index, world);
    for (const what of plan.damage) await this.#damage(what, index);
    const { life, refusal } = await this.#startSome(world, index, plan);
    if (refusal !== undefined) {
      this.#tell(`life ${index} does not start: ${refusal.name}: ${refusal.message}`);
      const isQuiet =
        this.#disk.happened.length === 0 && plan.steps.every(({ what }) => what !== 'room' && what !== 'files');
      if (isQuiet && !this.#lied) this.found.push(`without a fault it does not start: ${refusal.stack}`);
      if (!isNamed(refusal)) this.found.push(`it is refused, and not by name: ${refusal.stack}`);
      const [only, another] = this.#disk.happened;
      if (only === 'failRead' && another === undefined && !refusal.message.includes('EIO')) {
        this.found.push(`a read fails, and it is called something else: ${refusal.stack}`);
      }
    } else {
      await this.#checkStart(life, index);
      this.#open(life);
      this.#openedAtMs = machine.nowMs;
      const isManual = life.engine?.venue.genesis?.clock === 'manual';
      this.#time = isManual ? undefined : new TimeCheck(life.engine!, machine.nowMs);
      for (const step of plan.steps) machine.in(step.atMs, () => this.#act(step, life), world);
      const isOver = () => life.fatal !== undefined || this.#disk.crashed;
      await machine.run(isOver, begunMs + plan.endMs / 2);
      if (!isOver()) this.#keepPast(index);
      await machine.run(isOver, begunMs + plan.endMs);
      if (isLast) await this.#lastOrder(life);
      this.#checkTime(life);
      this.#checkReady(life);
      await this.#end(life, plan);
    }
    this.#network.take = undefined;
    this.#checkNamed(life, refusal);
    world.dead = true;
    if (isLast && refusal === undefined) await this.#checkArchive(life);
    this.#lies ||= this.#disk.happened.includes('lieSync');
    if (plan.end === 'powerCut') this.#lied ||= this.#lies;
    this.#lastEnd = plan.end;
    await machine.run(() => false, machine.nowMs + plan.restMs);
  }

  #lastEnd: LifePlan['end'] = 'stop';
  #rules = String(RULES_VERSION);
  /** As they were in the middle of a life. */
  readonly #past: { disk?: SimDisk; archive?: Uint8Array | undefined } = {};
  #openedAtMs = 0;
  #time: TimeCheck | undefined;
  /** A stop did not come to its end. */
  #stopFailed = false;
  readonly #firstRules = String(RULES_VERSION);
  /** Since when there is room, or none. */
  #roomAtMs = 0;
  #faultAtMs = 0;
  /** The operator took the machine's clock: much may have come due. */
  #acceptedAtMs = 0;
  #sleptAtMs = Number.NEGATIVE_INFINITY;
  #syncMs = 1;

  #nextDisk(
    plan: LifePlan,
    index: number,
    world: { wait(ms: number): Promise<void>; randomInt(below: number): number },
  ): SimDisk {
    const pause = () => world.wait((plan.syncMs * (1 + world.randomInt(100))) / 100);
    const options = {
      seed: this.#plan.seed * 7 + index,
      faults: plan.faults,
      failReads: plan.failReads,
      onFault: () => {
        this.#faultAtMs = this.#machine.nowMs;
      },
      pause,
      copyOnWrite: this.#plan.seed % 3 === 0,
    };
    return this.#lastEnd === 'powerCut' ? this.#disk.restart(options) : this.#disk.nextProcess(options);
  }

  /** A damaged folder is tried on a copy, which is thrown away then; an archive is made again from the log. */
  async #damage(what: Damage, index: number): Promise<void> {
    if (what.what === 'archive') {
      const { how, at } = what;
      if (how === 'lost') this.#place.replace(undefined);
      else if (how === 'aged') this.#place.replace(this.#past.archive);
      else this.#place.damage(at);
      return;
    }
    if (this.#lied) return; // It may be damaged already.
    const disk = this.#disk.copy();
    let whole = (await this.#readHistory(disk)).venue;
    const place = this.#place.copy();
    const knownSeq = knownBeside(disk, place.witness()?.seq ?? 0);
    if (whole.genesis === null || !damage(disk, what, this.#past.disk)) return;
    // A backup may have a batch that was on its way, and that a power cut took; or it is no whole log.
    if (what.what === 'half') whole = (await readable(new FileStorage(disk), this.#base))?.venue ?? whole;
    const world = this.#machine.process(index);
    const life = new Life(disk, place, world, index, this.#rules, this.#planted, this.#origin, {
      idleArchive: true,
    });
    const refusal = await this.#start(life);
    this.#tell(
      `with ${JSON.stringify(what)} it ${refusal === undefined ? 'starts' : `is refused: ${refusal.message}`}`,
    );
    world.dead = true;
    this.found.push(...judge(refusal, life, whole, what.what === 'half' ? knownSeq : 0));
    if (refusal?.name === 'LossRefused') await this.#acceptLoss(disk, place, index);
    place.remove();
  }

  /** What is lost is given up: from then on all holds, and nobody has to say so again. */
  async #acceptLoss(disk: SimDisk, place: SimPlace, index: number): Promise<void> {
    const left = (await History.of(new FileStorage(disk), this.#base)).venue;
    let acceptLossFrom: number | undefined = left.seq + 1;
    for (const what of ['the start that accepts the loss', 'the start behind it']) {
      const world = this.#machine.process(index);
      const found = disk.nextProcess();
      const life = new Life(found, place, world, index, this.#rules, this.#planted, this.#origin);
      const refusal = await this.#start(life, acceptLossFrom);
      acceptLossFrom = undefined;
      if (refusal !== undefined) {
        this.found.push(`${what} is refused: ${refusal.stack}`);
        return;
      }
      const storage = new FileStorage(found);
      const engine = life.engine as Engine;
      this.found.push(...compareState(engine.venue, (await History.of(storage, this.#base)).venue));
      const more = { v: 1, type: 'setPrices', market: 0, index: 10_000_000, byHand: true } as const;
      await this.#settled(engine.submit(more).then(() => engine.stop()));
      world.dead = true;
      const kept = place.look();
      if (kept === undefined || kept.state.seq !== engine.venue.seq) {
        this.found.push(`after ${what} the archive ends at seq ${kept?.state.seq}, the venue at ${engine.venue.seq}`);
      } else if (this.#rules === this.#firstRules) {
        this.found.push(...(await compareArchive(storage, kept, { rules: this.#rules, venueId: engine.venueId })));
      }
    }
  }

  /** Lets time pass until the promise is fulfilled; throws what it is rejected with. */
  async #settled(promise: Promise<unknown>): Promise<void> {
    let over = false;
    const end = promise.finally(() => {
      over = true;
    });
    end.catch(() => {});
    await this.#machine.run(() => over, this.#machine.nowMs + PATIENCE_MS);
    if (!over) throw new Error('it takes too long');
    await end;
  }

  /** Whatever failed, somebody has said so. */
  #checkNamed(life: Life, refusal: Error | undefined): void {
    const { disk, fatal, notices, archive } = life;
    const bug = notices.find(({ text }) => text.includes('and the snapshot would say'));
    if (bug !== undefined) this.found.push(`a snapshot was about to name another record than its state: ${bug.text}`);
    if (disk.crashed || refusal !== undefined || fatal !== undefined || this.#stopFailed) return;
    // A lack of room or files that stops nothing yet is waited out in silence: #checkRefusal sees to the rest.
    const failures = disk.happened.filter((fault) => ['failSync', 'loseSync', 'failWrite', 'failRead'].includes(fault));
    if (failures.length === 0 || notices.some(({ level }) => level !== 'info')) return;
    if ((archive?.problem ?? archive?.snapshotProblem) !== undefined || archive?.history.state === 'damaged') return;
    this.found.push(`nobody has said that there was ${failures.join(', ')}`);
  }

  async #checkArchive({ archive, engine, disk }: Life): Promise<void> {
    if (this.#lied) return;
    const whole = await this.#readHistory(disk);
    this.found.push(...(await compareBoundaries(new FileStorage(disk.medium()), whole)));
    if (archive?.failed !== undefined) this.found.push(`the archive's thread ended: ${archive.failed.stack}`);
    if (archive?.problem !== undefined) this.found.push(`nothing fails any more, and ${archive.problem}`);
    if (archive?.snapshotProblem !== undefined)
      this.found.push(`nothing fails any more, and ${archive.snapshotProblem}`);
    if (archive?.history.state === 'damaged')
      this.found.push(`nothing is damaged, and yet: ${archive.history.problem}`);
    if (archive === undefined || this.found.length > 0) return;
    const store = this.#place.look();
    if (store === undefined) return;
    if (store.state.seq !== engine?.venue.seq)
      this.found.push(`the archive ends at seq ${store.state.seq}, the venue at ${engine?.venue.seq}`);
    const storage = new FileStorage(this.#disk);
    const { accepted, fills } = whole;
    const kept = store.state;
    if (kept.firstSeq === 1 && (kept.orders !== accepted || kept.fills !== fills)) {
      this.found.push(
        `the archive has ${kept.orders} orders and ${kept.fills} fills, the log ${accepted} and ${fills}`,
      );
    }
    if (kept.firstSeq === 1 && this.#rules === this.#firstRules) {
      this.found.push(...(await compareArchive(storage, store, { rules: this.#firstRules, venueId: engine?.venueId })));
    }
  }

  /** A version that the log refuses is taken back, or put in its place again. */
  async #startSome(
    world: Process,
    index: number,
    { upgrade, idleArchive, slowArchive }: LifePlan,
  ): Promise<{ life: Life; refusal: Error | undefined }> {
    const now = Number(this.#rules);
    const versions = upgrade === true ? [now + 1, now] : [now, now - 1, now + 1];
    let life: Life;
    let refusal: Error | undefined;
    do {
      const rules = String(versions.shift());
      life = new Life(this.#disk, this.#place, world, index, rules, this.#planted, this.#origin, {
        idleArchive,
        slowArchive,
      });
      refusal = await this.#start(life);
      if (refusal === undefined) this.#rules = rules;
    } while (refusal?.name === 'RulesMismatch' && versions.length > 0);
    return { life, refusal };
  }

  /** What refuses the start; undefined where it serves. */
  async #start(life: Life, acceptLossFrom?: number): Promise<Error | undefined> {
    let refusal: Error | undefined;
    let over = false;
    life.start(acceptLossFrom).then(
      () => {
        over = true;
      },
      (error: Error) => {
        refusal = error;
        over = true;
      },
    );
    const { disk } = life;
    await this.#machine.run(() => over || disk.crashed, this.#machine.nowMs + PATIENCE_MS);
    if (disk.crashed) return new SimCrash('it was killed at its start');
    if (!over) this.found.push('a start takes too long');
    return refusal;
  }

  async #checkStart({ engine, disk, notices }: Life, index: number): Promise<void> {
    const venue = engine?.venue;
    if (venue === undefined) return;
    const damaged = notices.find(({ text }) => text.startsWith('a snapshot is damaged'));
    if (damaged !== undefined && !this.#lied) this.found.push(`nothing is damaged, and yet: ${damaged.text}`);
    const whole = await this.#readHistory(disk);
    this.commands = whole.venue.seq;
    this.#tell(`life ${index} begins at seq ${venue.seq}`);
    this.found.push(...compareState(venue, whole.venue));
    if (!this.#lied) {
      this.found.push(...compareWishes(this.#wishes(), whole));
      this.found.push(...(await compareBoundaries(new FileStorage(disk.medium()), whole)));
    }
    if (this.#isLast(index) && this.#plan.seed % 10 === 0 && this.#plan.golden === undefined)
      this.found.push(...compareModel(whole));
  }

  async #readHistory(disk: SimDisk): Promise<History> {
    this.#history = await History.of(new FileStorage(disk.medium()), this.#base, this.#history);
    return this.#history;
  }

  #wishes() {
    return this.#clients.flatMap(({ wishes }) => wishes);
  }

  /** Opens the door to the clients. */
  #open(life: Life): void {
    this.#network.take = async (asked, nonceMs) => {
      const { wallMs } = this.#machine;
      const venueMs = life.engine!.nowMs();
      const answer = await life.door!.take(asked);
      const offMs = Math.min(Math.abs(nonceMs - wallMs), Math.abs(nonceMs - venueMs));
      if (answer.reason === 'nonceOutsideWindow' && offMs < FRESH_MS) {
        this.found.push(
          `a nonce ${offMs} ms off is refused: the wall is at ${wallMs - nonceMs}, the venue at ${venueMs - nonceMs}`,
        );
      }
      if (answer.reason === 'readOnly') this.#checkRefusal(life, answer);
      this.#checkVisible(life);
      return answer;
    };
  }

  /** A command is refused for want of room, or of a descriptor: the operator reads the same. */
  #checkRefusal({ engine, notices, disk }: Life, { body }: Answer): void {
    const { ready, reasons } = engine!.health();
    const isSaid = notices.some(({ text, level }) => level === 'error' && text.startsWith('read-only'));
    const lacks = disk.happened.some((fault) => ['noRoom', 'full', 'noFile'].includes(fault));
    if (!isSaid || !lacks) this.found.push(`it is read-only, and nobody was told why: ${body}`);
    // By now there may be room again.
    if (!ready && !reasons.some((reason) => reason.startsWith('read-only'))) {
      this.found.push(`it is read-only, and its health says: ${reasons}`);
    }
  }

  /** Whoever got an answer has seen the venue: everything of it has to be on the disk. */
  #checkVisible({ engine, disk, files }: Life): void {
    const position = files?.position as FilePosition | undefined;
    if (position === undefined || position.seq !== engine?.venue.seq || this.#lies || disk.happened.includes('lieSync'))
      return;
    const { segment, offset, seq } = position;
    if (!disk.isDurable(segmentName(segment), offset + EMPTY_FRAME_BYTES)) {
      this.found.push(`seq ${seq} was seen before it was durable`);
    }
  }

  /** What has passed is over: orders are taken again. */
  #checkReady({ engine, fatal, disk }: Life): void {
    if (engine === undefined || fatal !== undefined || disk.crashed) return;
    if (disk.outOfFiles || disk.capacityBytes < Number.POSITIVE_INFINITY) return;
    const goodMs = this.#machine.nowMs - Math.max(this.#roomAtMs, this.#faultAtMs, this.#sleptAtMs, this.#openedAtMs);
    const { ready, reasons } = engine.health();
    if (!ready && goodMs > READY_MS)
      this.found.push(`nothing has failed for ${goodMs} ms, and yet: ${reasons.join(', ')}`);
  }

  /** Venue time is right, and what was due has happened. */
  #checkTime({ engine, fatal, disk }: Life): void {
    if (engine === undefined || fatal !== undefined || disk.crashed) return;
    const { nowMs, wallMs } = this.#machine;
    this.found.push(...(this.#time?.check(nowMs, wallMs) ?? []));
    if (!engine.health().ready || engine.waiting > 0) return;
    // What came due while there was no room happens when the engine has seen that there is.
    const roomAtMs = this.#roomAtMs + ROOM_CHECK_MS;
    const awakeMs = nowMs - Math.max(this.#openedAtMs, this.#sleptAtMs, this.#acceptedAtMs, roomAtMs);
    const lateMs = Math.min(engine.nowMs() - engine.venue.nextDueMs(), awakeMs);
    // A timer of the process does not count the sleep: it looks each second.
    const looksMs = nowMs - this.#sleptAtMs < 1500 ? 1000 : 0;
    if (lateMs > looksMs + 10 + 20 * this.#syncMs) this.found.push(`what was due ${lateMs} ms ago has not happened`);
  }

  #act(step: Step, life: Life): void {
    this.#checkTime(life);
    const machine = this.#machine;
    switch (step.what) {
      case 'ask':
        this.#clients[step.client]?.ask(step.ask, step.retry, this.#plan.seed * 1009 + this.#asked++);
        return;
      case 'price': {
        const { market, price, byHand } = step;
        life.engine?.submit({ v: 1, type: 'setPrices', market, index: price * 10_000, byHand }).catch(() => {});
        return;
      }
      case 'wall':
        machine.setWall(step.byMs);
        return;
      case 'drift':
        machine.drift(step.ppm);
        return;
      case 'acceptWall':
        for (const client of this.#clients) client.giveUp();
        life.engine?.acceptWall().catch(() => {});
        this.#time?.restart(machine.nowMs);
        this.#acceptedAtMs = machine.nowMs;
        return;
      case 'sleep':
        machine.sleep(step.ms);
        this.#sleptAtMs = machine.nowMs;
        return;
      case 'room':
        this.#disk.leave(step.bytes);
        this.#roomAtMs = machine.nowMs;
        return;
      case 'archive':
        this.#place.fails = step.fails;
        return;
      case 'snapshots':
        life.noSnapshots = step.full;
        return;
      case 'files':
        this.#disk.outOfFiles = step.out;
        this.#roomAtMs = machine.nowMs;
    }
  }

  /** Nothing fails any more: an order is taken. */
  async #lastOrder(life: Life): Promise<void> {
    const [client] = this.#clients;
    if (this.#plan.golden !== undefined) {
      await this.#settled(life.engine!.submit({ v: 1, type: 'setPrices', market: 0, index: 10_000_000, byHand: true }));
    }
    const ask = { kind: 'spot' as const, id: 'last', side: 'BUY' as const, price: 990, size: 0.01 };
    client?.ask(ask, 'newNonce', this.#plan.seed);
    const wish = client?.wishes.at(-1);
    await this.#machine.run(() => wish?.over === true, this.#machine.nowMs + PATIENCE_MS);
    if (!isThere(wish?.answer)) {
      const said = JSON.stringify(wish?.answer ?? wish?.refusals);
      this.found.push(`nothing fails any more, and an order is not taken: ${said}, ${life.engine?.health().reasons}`);
    }
  }

  async #end(life: Life, plan: LifePlan): Promise<void> {
    const machine = this.#machine;
    if (life.fatal !== undefined) {
      this.#tell(`it ends by itself: ${life.fatal.message}`);
      if (this.#disk.happened.length === 0) this.found.push(`it ends without a fault: ${life.fatal.stack}`);
      if (!isNamed(life.fatal)) this.found.push(`it ends, and not by name: ${life.fatal.stack}`);
      return;
    }
    if (this.#disk.crashed) {
      this.#tell('it is killed at a step of the disk');
      return;
    }
    this.#tell(`${plan.end} at seq ${life.engine?.venue.seq}`);
    if (plan.end !== 'stop') return;
    let stopped: string | undefined;
    this.#network.take = undefined;
    life.engine?.stop().then(
      () => {
        stopped = 'in time';
      },
      (error) => {
        stopped = `with ${(error as Error).message}`;
      },
    );
    await machine.run(() => stopped !== undefined || this.#disk.crashed, machine.nowMs + PATIENCE_MS);
    this.#stopFailed = stopped !== 'in time';
    if (stopped !== 'in time' && this.#disk.happened.length === 0) this.found.push(`it stops ${stopped ?? 'never'}`);
  }

  #tell(text: string): void {
    this.story.push(`${this.#machine.nowMs.toFixed(1)}: ${text}`);
  }
}

/** What the log holds; undefined: it is damaged. */
async function readable(storage: FileStorage, base: Snapshot | undefined): Promise<History | undefined> {
  try {
    return await History.of(storage, base);
  } catch (error) {
    if (error instanceof LogDamaged) return undefined;
    throw error;
  }
}
