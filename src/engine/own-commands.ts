/**
 * The commands that a start adds itself: the genesis of a new venue, or what is new in the configuration of an older one.
 *
 * Invariant: the venue takes them. They are judged when they are made, before anything of the start is written.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Configuration, ConfigurationError, GIVEN, readConfiguration, venueConfig } from '../config/config.ts';
import type { CommandLog } from '../log/contract/command-log.ts';
import { encodeCommands } from '../log/shared/payload/encode.ts';
import type { Command, Genesis, Recordings } from '../venue/contract/commands.ts';
import { Venue } from '../venue/venue.ts';
import { realWorld, type World } from './contract/world.ts';
import { newConfigCommands, type Secrets } from './identity/config-diff.ts';
import { type Manifest, manifestConfiguration, type StartSettings } from './identity/manifest.ts';
import { applyCommand, CommandFailed } from './replay/log-replayer.ts';

/** 2026-01-01T00:00:00.000Z: where a manual clock begins. */
export const DEFAULT_START_TIME_MS = 1_767_225_600_000;

export interface OwnCommandsOptions extends StartSettings {
  readonly secrets: Secrets;
  readonly world?: World;
  /** What the first start of a venue plays. */
  readonly recordings?: Recordings;
}

export interface OwnCommands {
  /** What `bourse.json` must have before they are logged, without the id of the venue. Undefined: it has that. */
  readonly manifest: Manifest | undefined;
  /** Venue time, epoch milliseconds. */
  readonly timeMs: number;
  /** One batch, so that it takes effect completely or not at all. May be empty. */
  readonly commands: readonly Command[];
}

/** Those of a venue that has none yet. @throws {ConfigurationError} the venue refuses the configuration */
export function firstCommands(options: OwnCommandsOptions): OwnCommands {
  const { recordings, secrets, world = realWorld } = options;
  const manifest = firstManifest(options);
  const { seed, clock, startTimeMs } = manifest;
  const config = venueConfig(configurationOf(options), (secret) => secrets.seal(secret));
  const genesis: Genesis = {
    v: 1,
    type: 'genesis',
    config,
    seed,
    clock,
    idKey: idKey(options),
    ...(recordings !== undefined && { recordings }),
  };
  const timeMs = startTimeMs ?? world.wallMs();
  refuseUnfit(genesis, timeMs);
  return { manifest, timeMs, commands: [genesis] };
}

/**
 * What is new in the configuration. `before`: the settings of the last start. `now`: those of this one.
 * @throws {ConfigurationError} it contradicts what was added to the venue meanwhile, or the venue refuses it
 */
export function newCommands(venue: Venue, before: Manifest, now: Manifest, options: OwnCommandsOptions): OwnCommands {
  const { configuration, secrets, world = realWorld } = options;
  const timeMs = before.clock === 'manual' ? venue.timeMs : Math.max(venue.timeMs, world.wallMs());
  if (configuration === undefined) return { manifest: undefined, timeMs, commands: [] };
  const commands = newConfigCommands(venue, before, configuration, secrets);
  if (commands.length === 0) {
    const isNew = !isDeepStrictEqual(manifestConfiguration(configuration), before.configuration);
    return { manifest: isNew ? now : undefined, timeMs, commands };
  }
  const config = venueConfig(configuration, (secret) => secrets.seal(secret));
  refuseUnfit({ ...(venue.genesis as Genesis), config }, venue.timeMs);
  return { manifest: now, timeMs, commands };
}

/** Logs them, and applies them to the venue. */
export async function logAndApply(log: CommandLog, venue: Venue, { timeMs, commands }: OwnCommands): Promise<void> {
  if (commands.length === 0) return;
  const firstSeq = log.lastSeq + 1;
  await log.append({ firstSeq, timeMs, commands: encodeCommands(commands), effects: venue.effects });
  commands.forEach((command, i) => {
    const { refusal } = applyCommand(venue, firstSeq + i, timeMs, command);
    assert.equal(refusal, null, `the configuration's own command ${command.type} was refused`);
  });
}

function configurationOf(given: StartSettings): Configuration {
  return given.configuration ?? readConfiguration({});
}

function firstManifest(given: OwnCommandsOptions): Manifest {
  const { world = realWorld } = given;
  const clock = given.clock ?? 'real';
  return {
    seed: given.seed ?? world.randomInt(2 ** 47),
    clock,
    startTimeMs: clock === 'manual' ? (given.startTimeMs ?? DEFAULT_START_TIME_MS) : null,
    configuration: manifestConfiguration(configurationOf(given)),
  };
}

/**
 * Tries a configuration on a venue that is thrown away, so that a configuration that the venue refuses is never logged.
 * @throws {ConfigurationError}
 */
function refuseUnfit(genesis: Genesis, timeMs: number): void {
  try {
    applyCommand(new Venue(), 1, timeMs, genesis);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const message = `is refused by the venue: ${(error.cause as Error).message}`;
    throw new ConfigurationError(GIVEN, [{ path: '', message }], { cause: error });
  }
}

/** Order ids cannot be guessed, but are equal in two venues with the same seed. */
function idKey({ seed, world = realWorld }: OwnCommandsOptions): string {
  if (seed === undefined) return world.randomBytes(16).toString('hex');
  return hash('sha256', `order ids of seed ${seed}`, 'hex').slice(0, 32);
}
