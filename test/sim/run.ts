/** Runs the plan of a seed: life after life on one disk, with all checks in between. */

import { KEEP_ALL, type Kept } from '../../src/archive/store/forgetting.ts';
import type { Engine } from '../../src/engine/host.ts';
import type { Snapshot } from '../../src/engine/replay/snapshots.ts';
import { LogDamaged } from '../../src/log/contract/command-log.ts';
import { FileStorage } from '../../src/log/file/file-storage.ts';
import type { FramePosition } from '../../src/log/shared/chain.ts';
import { EMPTY_FRAME_BYTES } from '../../src/log/shared/frame.ts';
import { segmentName } from '../../src/log/shared/segments.ts';
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

/** The right time at the beginning. The nonces of the golden logs are earlier. */
const START_MS = Date.UTC(2027, 0, 1);
/** The longest time of a start, a stop or an answer. */
const PATIENCE_MS = 20_000;
/** How often the engine checks for space. */
const ROOM_CHECK_MS = 1000;
const READY_MS = 3 * ROOM_CHECK_MS;
/** The largest difference of a nonce that must be accepted. */
const FRESH_MS = 59_000;
/** After the lives of a plan, one in which nothing fails. */
function lastLife({ seed, lives, last }: Plan): LifePlan {
  const idle = seed % 4 !== 0 && { idleArchive: true as const };
  // The archive checks its rows little by little, and what is damaged must be found before the end. An earlier life may
  // have been too short for that, or may not have started at all.
  const damage = [...lives.flatMap((life) => life.damage), ...last];
  const endMs = damage.some(({ what }) => what === 'archive') ? 2_000 : 100;
  return { damage: last, ...idle, faults: {}, steps: [], syncMs: 1, end: 'stop', endMs, restMs: 0 };
}

export interface Run {
  readonly plan: Plan;
  /** What does not hold. Empty: everything does. */
  readonly found: readonly string[];
  /** The events, for people. */
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

/** The archive of every third seed keeps few of the orders that ended without a fill. */
const FORGETFUL = 3;
const KEEP_FEW: Kept = { forMs: 1000, most: 1 };

class Simulation {
  readonly found: string[] = [];
  readonly story: string[] = [];
  commands = 0;
  readonly #plan: Plan;
  readonly #origin: Origin;
  /** The beginning of the part of the log that can be applied. Undefined: its beginning. */
  #base: Snapshot | undefined;
  /** All lives, the last of which has no faults. */
  readonly #lives: readonly LifePlan[];
  readonly #planted: Planted;
  readonly #machine: Machine;
  readonly #clients: Client[];
  readonly #network: { take: Network['take'] } = { take: undefined };
  #disk: SimDisk;
  readonly #place = new SimPlace();
  /** The log when it was last read. */
  #history: History | undefined;
  #asked = 0;
  /** True: a drive has lied about a sync. */
  #lies = false;
  /** True: then the power was cut, so its content cannot be relied upon. */
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
    if (plan.seed % FORGETFUL === 0) this.#place.keep = KEEP_FEW;
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

  /** Keeps what the next life needs from the middle of this one. */
  #keepPast(index: number): void {
    for (const what of this.#lives[index + 1]?.damage ?? []) {
      if (what.what === 'half') this.#past.disk = this.#disk.copy();
      else if (what.what === 'archive' && what.how === 'aged') this.#past.archive = this.#place.content();
    }
  }

  /** Frees its memory. */
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
      // After a lie of the drive, the log may really be damaged.
      if (only === 'failRead' && another === undefined && !this.#lied && !refusal.message.includes('EIO')) {
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
  /** As in the middle of a life. */
  readonly #past: { disk?: SimDisk; archive?: Uint8Array | undefined } = {};
  #openedAtMs = 0;
  #time: TimeCheck | undefined;
  /** True: a stop did not finish. */
  #stopFailed = false;
  readonly #firstRules = String(RULES_VERSION);
  /** When the disk last became full, or stopped being full. */
  #roomAtMs = 0;
  #faultAtMs = 0;
  /** When the operator accepted the machine's clock. Many timers may be due. */
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

  /** Damages a copy of the folder, which is then thrown away. An archive is rebuilt from the log. */
  async #damage(what: Damage, index: number): Promise<void> {
    if (what.what === 'archive') {
      const { how, at } = what;
      if (how === 'lost') this.#place.replace(undefined);
      else if (how === 'aged') this.#place.replace(this.#past.archive);
      else this.#place.damage(at);
      return;
    }
    if (this.#lied) return; // It may already be damaged.
    const disk = this.#disk.copy();
    let whole = (await this.#readHistory(disk)).venue;
    const place = this.#place.copy();
    const knownSeq = knownBeside(disk, place.witness()?.seq ?? 0);
    if (whole.genesis === null || !damage(disk, what, this.#past.disk)) return;
    // A backup may have a batch in progress that a power cut then lost, or it may not be a whole log.
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

  /** Accepts the loss. From then on everything must hold, without accepting it again. */
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
        this.found.push(
          ...(await compareArchive(storage, kept, { rules: this.#rules, venueId: engine.venueId }, place.keep)),
        );
      }
    }
  }

  /** Lets time pass until the promise is fulfilled. Throws the reason of its rejection. */
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

  /** Every failure must be reported by somebody. */
  #checkNamed(life: Life, refusal: Error | undefined): void {
    const { disk, fatal, notices, archive } = life;
    const bug = notices.find(({ text }) => text.includes('and the snapshot would say'));
    if (bug !== undefined) this.found.push(`a snapshot was about to name another record than its state: ${bug.text}`);
    if (disk.crashed || refusal !== undefined || fatal !== undefined || this.#stopFailed) return;
    // A lack of space or files that stops nothing yet is waited out silently. #checkRefusal covers the rest.
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
    const { keep } = this.#place;
    if (kept.firstSeq === 1 && ((keep === KEEP_ALL && kept.orders !== accepted) || kept.fills !== fills)) {
      this.found.push(
        `the archive has ${kept.orders} orders and ${kept.fills} fills, the log ${accepted} and ${fills}`,
      );
    }
    if (kept.firstSeq === 1 && this.#rules === this.#firstRules) {
      this.found.push(
        ...(await compareArchive(storage, store, { rules: this.#firstRules, venueId: engine?.venueId }, keep)),
      );
    }
  }

  /** Starts a version. If the log refuses it, the other version is started. */
  async #startSome(
    world: Process,
    index: number,
    { upgrade, idleArchive, slowArchive }: LifePlan,
  ): Promise<{ life: Life; refusal: Error | undefined }> {
    const now = Number(this.#rules);
    const isBack = upgrade !== true && now > Number(this.#firstRules) && this.#plan.seed % 2 === 0;
    const versions = upgrade === true ? [now + 1, now] : [now, now - 1, now + 1];
    if (isBack) versions.unshift(now - 1);
    let life: Life;
    let refusal: Error | undefined;
    do {
      const rules = String(versions.shift());
      life = new Life(this.#disk, this.#place, world, index, rules, this.#planted, this.#origin, {
        idleArchive,
        slowArchive,
      });
      refusal = await this.#start(life);
      if (refusal === undefined) {
        if (Number(rules) < now) await this.#checkBack(now);
        this.#rules = rules;
      }
    } while (refusal?.name === 'RulesMismatch' && versions.length > 0);
    return { life, refusal };
  }

  /** An older version serves. The newer one must have made no command. */
  async #checkBack(newer: number): Promise<void> {
    let rules: string | undefined;
    for (const entry of (await this.#readHistory(this.#disk)).entries) {
      rules = entry.rulesVersion ?? rules;
      if (entry.kind !== 'batch' || Number(rules) < newer) continue;
      this.found.push(`an older version starts, and rules ${newer} made the command of seq ${entry.firstSeq}`);
      return;
    }
  }

  /** Returns the refusal of the start. Undefined if it serves. */
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

  /** Lets the clients in. */
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

  /** A command was refused for lack of space or of a descriptor: the operator must see the same reason. */
  #checkRefusal({ engine, notices, disk }: Life, { body }: Answer): void {
    const { ready, reasons } = engine!.health();
    const isSaid = notices.some(({ text, level }) => level === 'error' && text.startsWith('read-only'));
    const lacks = disk.happened.some((fault) => ['noRoom', 'full', 'noFile'].includes(fault));
    if (!isSaid || !lacks) this.found.push(`it is read-only, and the reason was not reported: ${body}`);
    // There may be space again by now.
    if (!ready && !reasons.some((reason) => reason.startsWith('read-only'))) {
      this.found.push(`it is read-only, and its health says: ${reasons}`);
    }
  }

  /** A client with an answer has seen the venue, so everything in it must be on the disk. */
  #checkVisible({ engine, disk, files }: Life): void {
    const position = files?.position as FramePosition | undefined;
    if (position === undefined || position.seq !== engine?.venue.seq || this.#lies || disk.happened.includes('lieSync'))
      return;
    const { segment, offset, seq } = position;
    if (!disk.isDurable(segmentName(segment), offset + EMPTY_FRAME_BYTES)) {
      this.found.push(`seq ${seq} was seen before it was durable`);
    }
  }

  /** What was temporary is over: orders must be accepted again. */
  #checkReady({ engine, fatal, disk }: Life): void {
    if (engine === undefined || fatal !== undefined || disk.crashed) return;
    if (disk.outOfFiles || disk.capacityBytes < Number.POSITIVE_INFINITY) return;
    const goodMs = this.#machine.nowMs - Math.max(this.#roomAtMs, this.#faultAtMs, this.#sleptAtMs, this.#openedAtMs);
    const { ready, reasons } = engine.health();
    if (!ready && goodMs > READY_MS)
      this.found.push(`nothing has failed for ${goodMs} ms, and yet: ${reasons.join(', ')}`);
  }

  /** Venue time must be right, and due timers must have fired. */
  #checkTime({ engine, fatal, disk }: Life): void {
    if (engine === undefined || fatal !== undefined || disk.crashed) return;
    const { nowMs, wallMs } = this.#machine;
    this.found.push(...(this.#time?.check(nowMs, wallMs) ?? []));
    if (!engine.health().ready || engine.waiting > 0) return;
    // Timers that fell due without space fire when the engine has noticed that there is space.
    const roomAtMs = Math.max(this.#roomAtMs, this.#faultAtMs) + ROOM_CHECK_MS;
    const awakeMs = nowMs - Math.max(this.#openedAtMs, this.#sleptAtMs, this.#acceptedAtMs, roomAtMs);
    const lateMs = Math.min(engine.nowMs() - engine.venue.nextDueMs(), awakeMs);
    // A timer of the process does not count sleep, so the clock is checked each second.
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

  /** Nothing fails any more, so an order must be accepted. */
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

/** The content of the log. Undefined: it is damaged. */
async function readable(storage: FileStorage, base: Snapshot | undefined): Promise<History | undefined> {
  try {
    return await History.of(storage, base);
  } catch (error) {
    if (error instanceof LogDamaged) return undefined;
    throw error;
  }
}
