/**
 * Writes the golden logs of the rules that this version applies. Twice the same: the clock is manual, the seed is given, and
 * the nonces of the clients, which follow a real clock, are replaced by numbers.
 *
 * The scenario is played once, over HTTP, on a venue of its own. Its commands are then written into one folder for each kind
 * of end: by an engine that batches some of them, is killed in the middle, and leaves out one command that throws.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BourseClient } from '../../src/client/client.ts';
import { ControlClient } from '../../src/client/control.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { CommandRejected } from '../../src/engine/contract/errors.ts';
import { realWorld, type World } from '../../src/engine/contract/world.ts';
import { Engine } from '../../src/engine/host.ts';
import { MANIFEST_FILE } from '../../src/engine/identity/manifest.ts';
import { DEFAULT_START_TIME_MS } from '../../src/engine/own-commands.ts';
import { type Apply, LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import type { CommandLog } from '../../src/log/contract/command-log.ts';
import { type Disk, type DiskFile, RealDisk } from '../../src/log/file/disk.ts';
import type { FolderLock } from '../../src/log/file/lock.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { start } from '../../src/start.ts';
import type { Command, PlayMarket } from '../../src/venue/contract/commands.ts';
import { RULES_VERSION, Venue } from '../../src/venue/venue.ts';
import { rebuildOn, recoverOn, snapshotsOn } from '../support/storage.ts';
import { type Expected, HASH_DIGITS, HASH_EVERY, type Kind, STARTED_ON_GOLDEN, type State, stateOf } from './golden.ts';
import { type RecordedActors, recordedFall, recordedRise } from './recorded.ts';
import { CONFIGURATION, fallingMarket, risingMarket } from './scenario.ts';

const RULES = String(RULES_VERSION);
/** The smallest there is: a golden log is mostly its commands, and rolls often. */
const SEGMENT_BYTES = 16 * 1024;
/** In the past of everyone who opens the logs, so that the clients' own nonces are above. */
const FIRST_NONCE_MS = 1_700_000_000_000;
/** Time stands still, however long a start takes. Only the first command takes its time from it: what follows has the manual clock's. */
const WORLD: World = {
  ...realWorld,
  wallMs: () => DEFAULT_START_TIME_MS,
  monotonicMs: () => 0,
  uptimeMs: () => null,
};
/** The same in each writing. */
const VENUE_ID = '601d'.repeat(8);
/** Every so many commands come in one batch, in turn. */
const BATCHES = [1, 2, 1, 4];
/** The log, its seal, its snapshots, one that was not finished, and what the folder remembers. */
const KEPT = /^(?:\d+\.log|\d+\.snapshot|\d+\.snapshot\.new|sealed|bourse\.json)$/;

/** No client may deposit so much at once here: this one throws, and is left out. */
const THROWS: Command = { v: 1, type: 'deposit', account: 0, currency: 'USDT', amount: '123456789' };
const apply: Apply = (venue, seq, timeMs, command) => {
  const reply = venue.apply(seq, timeMs, command);
  if (command.type === 'deposit' && command.amount === THROWS.amount) throw new Error('planted in a golden log');
  return reply;
};

/** The scenario as commands: all of it, and how many of them are the rising market's; the one behind those is to throw. */
interface Played {
  readonly commands: readonly Command[];
  readonly rising: number;
  /** The folder's `bourse.json`. */
  readonly remembered: string;
  readonly end: Pick<State, 'time' | 'orders'> | undefined;
}

/** What happens in a golden log: every kind of order, or recorded markets. */
interface Scenario {
  /** Whether the markets play a recording. */
  readonly isRecorded: boolean;
  readonly rising: (venue: RecordedActors) => Promise<void>;
  readonly falling: (venue: RecordedActors) => Promise<void>;
}

export const SCENARIOS = {
  plain: { isRecorded: false, rising: risingMarket, falling: fallingMarket },
  recorded: { isRecorded: true, rising: recordedRise, falling: recordedFall },
} as const satisfies Record<string, Scenario>;

/** Writes a folder for each kind into `target`, and `expected.json` with the states that they come to. */
export async function writeGolden(target: string, scenario: Scenario = SCENARIOS.plain): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-golden-'));
  try {
    const played = await play(join(scratch, 'played'), scenario);
    const expected: Partial<Record<Kind, Expected>> = {};
    for (const kind of ['sealed', 'killed', 'mid-snapshot'] as const) {
      const folder = join(scratch, kind);
      mkdirSync(folder);
      copyFileSync(played.remembered, join(folder, MANIFEST_FILE));
      const state = await write(folder, kind, played);
      expected[kind] = { ...state, hashes: hashesOf(folder) };
      mkdirSync(join(target, kind), { recursive: true });
      for (const file of readdirSync(folder)) {
        if (KEPT.test(file)) copyFileSync(join(folder, file), join(target, kind, file));
      }
    }
    writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function play(data: string, { isRecorded, rising: rise, falling: fall }: Scenario): Promise<Played> {
  const venue = await start({
    configuration: readConfiguration(CONFIGURATION),
    data,
    ...STARTED_ON_GOLDEN,
    clock: 'manual',
    seed: 1,
    venueId: VENUE_ID,
    house: isRecorded,
  });
  let rising = 0;
  let end: Played['end'] | undefined;
  try {
    const control = new ControlClient({ url: venue.control, token: venue.controlToken });
    const client = (by: string) => new BourseClient({ url: venue.http, key: `${by}-key`, secret: `${by}-secret` });
    const actors = { control, client, play: playerOf(venue.engine) };
    await rise(actors);
    rising = venue.engine.venue.seq;
    await control.deposit('alice', 'USDT', 1);
    await fall(actors);
    const { time, orders } = stateOf(venue.engine.venue);
    end = { time, orders };
  } finally {
    await venue.stop();
  }
  const commands = [...readEntries(new RealDisk(data))].flatMap((entry) => entry.commands as Command[]);
  const signed = (command: Command, i: number): Command =>
    command.signed === undefined ? command : { ...command, signed: { ...command.signed, nonceMs: FIRST_NONCE_MS + i } };
  const written = commands.map(signed);
  written[rising] = THROWS;
  return { commands: written, rising, remembered: join(data, MANIFEST_FILE), end };
}

/** Submits the messages of recordings, which no client can. */
function playerOf(engine: Engine): RecordedActors['play'] {
  let position = 0;
  return async (symbol, steps, afterMs = 0) => {
    position += 1;
    const toMs = engine.venue.timeMs + afterMs;
    const market = engine.venue.marketBySymbol(symbol)!.index;
    const recordedMs = toMs - DEFAULT_START_TIME_MS;
    const command: PlayMarket = { v: 1, type: 'market', market, toMs, position, recordedMs, steps };
    assert.equal((await engine.submit(command)).refusal, null);
  };
}

async function write(folder: string, kind: Kind, { commands, rising, end }: Played): Promise<State> {
  const disk = new RealDisk(folder);
  const middle = Math.floor(rising / 2);
  const first = await open(disk);
  await submitAll(first.engine, commands.slice(0, middle));
  if (kind === 'mid-snapshot') await writeSnapshot(snapshotsOn(disk), RULES, first.engine.venue, first.log.position);
  await submitAll(first.engine, commands.slice(middle, rising));
  await assert.rejects(first.engine.submit(commands[rising]), CommandRejected);
  if (kind === 'mid-snapshot') {
    const dying = new DyingDisk(disk);
    await assert.rejects(
      writeSnapshot(snapshotsOn(dying), RULES, first.engine.venue, first.log.position),
      DyingDisk.died,
    );
    await first.log.close();
    return stateOf(first.engine.venue);
  }
  await writeSnapshot(snapshotsOn(disk), RULES, first.engine.venue, first.log.position);
  await submitAll(first.engine, commands.slice(rising + 1, rising + 4));
  await first.log.close(); // Killed, and started again.
  const { engine, log } = await open(disk);
  await submitAll(engine, commands.slice(rising + 4));
  const state = stateOf(engine.venue);
  assert.deepEqual({ time: state.time, orders: state.orders }, end, 'not what was played');
  if (kind === 'killed') await log.close();
  else {
    await writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
    await engine.stop();
  }
  return state;
}

async function open(disk: Disk): Promise<{ engine: Engine; log: CommandLog }> {
  const newVenueId = () => VENUE_ID;
  const options = { newVenueId, rulesVersion: RULES, apply, segmentBytes: SEGMENT_BYTES, world: WORLD };
  const { log, venue } = await recoverOn(disk, options);
  return {
    log,
    engine: new Engine({ log, venue, apply, world: WORLD, rebuild: (seq) => rebuildOn(disk, seq, options) }),
  };
}

async function submitAll(engine: Engine, commands: readonly Command[]): Promise<void> {
  for (let done = 0, batch = 0; done < commands.length; batch += 1) {
    const next = commands.slice(done, done + BATCHES[batch % BATCHES.length]);
    // What waits while the state is replaced would be refused.
    const replacing = next.findIndex(({ type }) => type === 'reset' || type === 'restoreSnapshot');
    const together = replacing < 0 ? next : next.slice(0, replacing + 1);
    await Promise.all(together.map((command) => engine.submit(command)));
    done += together.length;
  }
}

/** The state hashes on the way, shortened. */
function hashesOf(folder: string): Record<string, string> {
  const hashes: Record<string, string> = {};
  const note: Apply = (venue, seq, timeMs, command) => {
    const reply = venue.apply(seq, timeMs, command);
    if (seq % HASH_EVERY === 0) hashes[seq] = stateHash(venue).slice(0, HASH_DIGITS);
    return reply;
  };
  const fold = new LogReplayer(new Venue(), { apply: note });
  for (const entry of readEntries(new RealDisk(folder))) fold.take(entry);
  fold.finish();
  return hashes;
}

/** A disk that dies after half of the first file that is written to it. */
class DyingDisk implements Disk {
  static readonly died = /the process was killed here/;
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get folder(): string {
    return this.#disk.folder;
  }

  names(): string[] {
    return this.#disk.names();
  }

  read(name: string): Buffer | undefined {
    return this.#disk.read(name);
  }

  readAt(name: string, position: number, bytes: number): Buffer | undefined {
    return this.#disk.readAt(name, position, bytes);
  }

  size(name: string): number | undefined {
    return this.#disk.size(name);
  }

  create(name: string): DiskFile {
    const file = this.#disk.create(name);
    return {
      write(bytes, position) {
        file.write(bytes.subarray(0, bytes.length / 2), position);
        throw new Error('the process was killed here');
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  }

  open(name: string): DiskFile {
    return this.#disk.open(name);
  }

  rename(from: string, to: string): void {
    this.#disk.rename(from, to);
  }

  /** A killed process removes nothing. */
  remove(): void {
    throw new Error('the process was killed here');
  }

  syncNames(): Promise<void> {
    return this.#disk.syncNames();
  }

  lock(): FolderLock {
    return this.#disk.lock();
  }
}
