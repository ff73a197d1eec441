/** Opens a time machine on a data folder or on a log in memory. */
import { join } from 'node:path';
import { RULES, type StateIdentity } from '../archive/follow/follower.ts';
import type { OnNotice } from '../engine/contract/notice.ts';
import { realWorld, type World } from '../engine/contract/world.ts';
import type { Engine } from '../engine/host.ts';
import { readManifest } from '../engine/identity/manifest.ts';
import { LogDamaged } from '../log/contract/command-log.ts';
import type { LogStorage } from '../log/contract/storage.ts';
import { existingStorage, isDatabase, storageAt } from '../log/open.ts';
import { Checkpoints, folderShelf, memoryShelf } from './checkpoints.ts';
import { NoSuchMoment } from './history.ts';
import { PastOfVenue } from './past.ts';
import { RemoteTimeMachine } from './remote.ts';
import { TimeMachine, type TimeMachineOptions } from './time-machine.ts';
import { Traveller } from './traveller.ts';
import { commandView } from './views.ts';

/** The folder of the checkpoints in a data folder. It may be deleted at any time. */
export const CHECKPOINTS_FOLDER = 'checkpoints';
const MOST_BYTES = 512 * 1024 * 1024;
const MOST_MEMORY_BYTES = 64 * 1024 * 1024;
/** How many effects of a command the command line shows. */
const MOST_SHOWN = 100_000;

type Running = Pick<TimeMachineOptions, 'world' | 'sliceMs' | 'restMs'>;

/** For a venue that may be running. `log`: its address, which may be the folder. */
export function openTimeMachine(folder: string, log: string, identity: StateIdentity, running: Running): TimeMachine {
  const checkpoints = folderCheckpoints(folder, identity, true);
  return new TimeMachine({ storage: storageAt(log), identity, checkpoints, ...running });
}

/** In the venue's own thread, a little at a time. */
export function memoryTimeMachine(storage: LogStorage, identity: StateIdentity, world: World): TimeMachine {
  const shelf = memoryShelf();
  const { rules, venueId } = identity;
  const checkpoints = new Checkpoints({ shelf, mostBytes: MOST_MEMORY_BYTES, rules, venueId, mayWrite: true });
  return new TimeMachine({ storage, identity, checkpoints, world, sliceMs: 10, restMs: 20 });
}

export interface PastOptions {
  /** Null: the log is in memory. */
  readonly data: string | null;
  /** The address of the log, if it is not in the data folder. */
  readonly log?: string;
  /** The rules of this version by default. */
  readonly rules?: string;
  readonly world?: World;
  readonly notice: OnNotice;
}

/** The past of a running venue. Nothing is read before the first question. */
export function openPast(
  engine: Engine,
  { data, log, rules = RULES, world = realWorld, notice }: PastOptions,
): PastOfVenue {
  const identity = { rules, ...(engine.venueId !== undefined && { venueId: engine.venueId }) };
  if (data !== null)
    return new PastOfVenue(engine, new RemoteTimeMachine({ folder: data, log, identity, onNotice: notice }));
  if (engine.memory === undefined) throw new Error('a venue has a data folder, or its log in memory');
  const machine = memoryTimeMachine(engine.memory, identity, world);
  return new PastOfVenue(engine, {
    ask: (question, gone) => machine.ask(question, () => !gone.aborted),
    close: async () => machine.close(),
  });
}

/**
 * A command of the log at an address, and what it set off, as `GET /control/v1/log/{seq}` shows it. `cold`: the folders
 * that old segments were moved to.
 * @throws {NoSuchMoment} @throws {RangeError} there is no such folder @throws {LogDamaged} @throws {LogUnsupported}
 */
export async function commandAt(address: string, seq: number, cold: readonly string[]): Promise<object> {
  const storage = existingStorage(address, cold);
  const { venueId } = (await readManifest(storage.documents)) ?? {};
  const identity = { rules: RULES, venueId };
  const checkpoints = isDatabase(address) ? noCheckpoints(identity) : folderCheckpoints(address, identity, false);
  const traveller = new Traveller({ storage, identity, checkpoints });
  const moment = await traveller
    .to(seq, Number.POSITIVE_INFINITY, async () => {})
    .catch(async (error) => {
      if (error instanceof NoSuchMoment || error instanceof LogDamaged) await refuseDamage(storage);
      throw error;
    });
  return commandView(moment, { first: 0, limit: MOST_SHOWN });
}

/** Whether the log ends, or is damaged there, only shows when all of it is read. @throws {LogDamaged} with the place */
async function refuseDamage({ source }: LogStorage): Promise<void> {
  if ((await source.moved()) !== undefined) return;
  const entries = source.read();
  let step = await entries.next();
  while (step.done !== true) step = await entries.next();
  if (step.value.position === undefined) throw new LogDamaged(step.value.place, 'the log is missing or empty');
}

function noCheckpoints({ rules, venueId }: StateIdentity): Checkpoints {
  return new Checkpoints({ shelf: memoryShelf(), mostBytes: 0, rules, venueId, mayWrite: false });
}

function folderCheckpoints(folder: string, { rules, venueId }: StateIdentity, mayWrite: boolean): Checkpoints {
  const shelf = folderShelf(join(folder, CHECKPOINTS_FOLDER));
  return new Checkpoints({ shelf, mostBytes: MOST_BYTES, rules, venueId, mayWrite });
}
