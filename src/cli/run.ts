/**
 * Runs a venue until it is stopped. One line of JSON on standard output says that it is ready, and a sentence on a
 * terminal. Logs and messages for people go to standard error. On SIGTERM and SIGINT, accepted requests are finished,
 * the log is sealed, and the exit code is 0. A log that fails ends the process with exit code 1, and a restart recovers.
 */
import type { Logger } from 'pino';
import { type Configuration, ConfigurationError, readConfiguration, readConfigurationFile } from '../config/config.ts';
import { highFeesOf } from '../config/high-fees.ts';
import { namedRateLimits } from '../config/rate-limits.ts';
import { MANIFEST_FILE } from '../engine/identity/manifest.ts';
import { storageAt } from '../log/open.ts';
import { checkLogAddress } from '../place.ts';
import type { AtEnd, FundingRule, GapRule, SizeUnit, TimeRule } from '../playback/options.ts';
import type { ReplayOptions } from '../replay.ts';
import { defaultMasterKeyFile, readMasterKeys } from '../secrets.ts';
import { type RunningVenue, start } from '../start.ts';
import type { QueueRule } from '../venue/contract/commands.ts';
import { say } from './output.ts';
import { linkText } from './page.ts';
import { ProgressLine } from './progress.ts';
import { type LogFormat, openLog, usualLogFormat } from './start-log.ts';
import { demoText, readyText } from './welcome.ts';

/** How long a stop may take before the process exits anyway. Requests in progress have their own, shorter limits. */
const STOP_MS = 30_000;

/** The parsed flags of `bourse start`. */
export interface StartFlags {
  config?: string;
  data: string;
  log?: string;
  acceptSingleNode?: boolean;
  standby?: boolean;
  advertiseHttp?: string;
  advertiseControl?: string;
  host: string;
  port: number;
  controlHost: string;
  controlPort: number;
  controlToken?: string;
  pageReadOnly?: boolean;
  logFormat?: LogFormat;
  masterKeyFile?: string;
  rateLimits?: 'off' | 'btse';
  trustedProxies?: string[];
  maxConnections?: number;
  maxConnectionsPerAddress?: number;
  maxQueueMs?: number | 'off';
  segmentSize?: number;
  snapshotEvery?: number;
  clock?: 'real' | 'manual';
  startTime?: number;
  speed?: number;
  acceptLossFrom?: number;
  demo?: boolean;
  demoHistory?: number;
  seed?: number;
  replay?: string[];
  symbol?: string;
  market?: string;
  sizes?: SizeUnit;
  queue?: QueueRule;
  depth?: number | 'all';
  healAfter?: number | 'never';
  gaps?: GapRule;
  funding?: FundingRule;
  fit?: boolean;
  atEnd?: AtEnd;
  time?: TimeRule;
}

export async function runStart(flags: StartFlags): Promise<void> {
  if (flags.log !== undefined) checkLogAddress(flags.log);
  const logFormat = flags.logFormat ?? usualLogFormat();
  const log = openLog(logFormat);
  let running: RunningVenue | undefined;
  const finish = stopper(log, () => running);
  process.on('SIGTERM', finish);
  process.on('SIGINT', finish);
  const terminal = process.stderr.isTTY ? process.stderr : undefined;
  const progress = new ProgressLine({ terminal, line: (text) => log.info(text) });
  const configuration = configurationOf(flags);
  if (configuration !== undefined) warnOfFees(configuration, log);
  running = await start({
    configuration,
    gateway: {
      ...gatewayOf(flags),
      ...(flags.rateLimits !== undefined && { rateLimits: namedRateLimits(flags.rateLimits) }),
    },
    data: flags.data,
    log: flags.log,
    acceptSingleNode: flags.acceptSingleNode,
    standby: flags.standby,
    advertised: { http: flags.advertiseHttp, control: flags.advertiseControl },
    host: flags.host,
    port: flags.port,
    controlHost: flags.controlHost,
    controlPort: flags.controlPort,
    controlToken: flags.controlToken,
    pageReadOnly: flags.pageReadOnly,
    ...(await masterKeysOf(flags, log)),
    segmentBytes: flags.segmentSize,
    snapshotEvery: flags.snapshotEvery,
    clock: flags.clock,
    startTimeMs: flags.startTime,
    speed: flags.speed,
    seed: flags.seed,
    acceptLossFrom: flags.acceptLossFrom,
    demo: flags.demo === true,
    ...(flags.replay !== undefined && { replay: replayOf(flags, flags.replay) }),
    demoHistoryHours: flags.demoHistory,
    notice: (text, level = 'info') => log[level](text),
    onProgress: ({ fraction }) => progress.report('recovering', fraction),
    onBug: (err, where) => log.error({ err, where }, 'a bug in the venue'),
    onFatal: (err) => {
      log.fatal({ err }, 'the venue failed and must exit: a restart recovers');
      process.exit(1);
    },
    onLead: () => {
      if (running !== undefined) sayLeading(running, log, logFormat);
    },
  }).catch((error: unknown) => {
    throw inFile(error, flags.config);
  });
  progress.done();
  if (flags.demo === true) say(demoText(running, flags.data));
  // Only where a person reads it: a log must not hold what opens the page.
  if (terminal !== undefined) say(`${linkText(running.pageLink())}\n`);
  const { http, control, engine } = running;
  const role = flags.standby === true ? { role: running.leader() === undefined ? 'leader' : 'standby' } : {};
  const ready = { event: 'ready', http, control, epoch: engine.epoch, seq: engine.venue.seq, ...role };
  if (logFormat === 'json') log.info(ready, 'ready');
  process.stdout.write(`${process.stdout.isTTY ? readyText(running) : JSON.stringify(ready)}\n`);
}

/** A refused configuration names its file. Seed, clock and time of the start are flags. */
function inFile(error: unknown, config: string | undefined): unknown {
  if (config === undefined || !(error instanceof ConfigurationError)) return error;
  return error.problems.every(({ path }) => OF_FLAGS.includes(path)) ? error : error.ofFile(config);
}

const OF_FLAGS = ['seed', 'clock', 'startTime'];

/** The recording that the flags name. */
function replayOf(flags: StartFlags, files: readonly string[]): ReplayOptions {
  const { symbol, market, sizes, queue, depth, healAfter, gaps, funding, fit, atEnd, time } = flags;
  return {
    files,
    symbol,
    market,
    sizes,
    queue,
    depth: depth === 'all' ? null : depth,
    healAfterMs: healAfter === 'never' ? null : healAfter,
    gaps,
    funding,
    fit,
    atEnd,
    time,
  };
}

/** A standby has taken over. */
function sayLeading({ engine }: RunningVenue, log: Logger, logFormat: LogFormat): void {
  const leading = { event: 'leading', epoch: engine.epoch, seq: engine.venue.seq };
  const text = `this process leads from now on, from seq ${leading.seq}`;
  if (logFormat === 'json') log.info(leading, text);
  process.stdout.write(`${process.stdout.isTTY ? text : JSON.stringify(leading)}\n`);
}

/** The settings given by flags. */
function gatewayOf(flags: StartFlags) {
  const { trustedProxies, maxConnections, maxConnectionsPerAddress, maxQueueMs } = flags;
  return {
    ...(trustedProxies !== undefined && { trustedProxies }),
    ...(maxConnections !== undefined && { maxConnections }),
    ...(maxConnectionsPerAddress !== undefined && { maxConnectionsPerAddress }),
    ...(maxQueueMs !== undefined && { maxQueueMs }),
  };
}

/**
 * Without --config the folder's own configuration is kept. Flags are checked together with the file, so all problems
 * are shown.
 */
function configurationOf({ config, rateLimits, ...rest }: StartFlags): Configuration | undefined {
  const flags = { ...gatewayOf(rest), ...(rateLimits !== undefined && { rateLimits }) };
  if (config !== undefined) return readConfigurationFile(config, flags);
  readConfiguration(flags, 'of the flags');
  return undefined;
}

function warnOfFees(configuration: Configuration, log: Logger): void {
  for (const { path, rate, percent, asPercent } of highFeesOf(configuration)) {
    log.warn(`${path} ${rate} is ${percent} % of what is traded: a fee is a fraction (${rate} % is ${asPercent})`);
  }
}

async function masterKeysOf(
  { data, log: address, masterKeyFile }: StartFlags,
  log: Logger,
): Promise<{ masterKeys: readonly string[]; masterKeyFile?: string }> {
  const storage = storageAt(address ?? data);
  const file = masterKeyFile ?? defaultMasterKeyFile();
  // A named file takes precedence over a key in the environment.
  const value = masterKeyFile === undefined ? process.env.BOURSE_MASTER_KEY : undefined;
  const masterKeys = readMasterKeys({
    file,
    value,
    data,
    log: storage.where,
    mustExist: await storage.documents.has(MANIFEST_FILE),
    notice: (text) => log.info(text),
  });
  return { masterKeys, ...(value === undefined && { masterKeyFile: file }) };
}

function stopper(log: Logger, running: () => RunningVenue | undefined): (signal: NodeJS.Signals) => void {
  let stopping = false;
  return (signal) => {
    if (stopping) return;
    stopping = true;
    log.info(`${signal}: stopping`);
    const venue = running();
    if (venue === undefined) process.exit(0);
    const isStandby = venue.leader() !== undefined;
    setTimeout(() => {
      log.error(`not stopped within ${STOP_MS / 1000} s: exiting without a seal`);
      process.exit(1);
    }, STOP_MS).unref();
    venue.stop().then(
      (cutOff) => {
        if (cutOff.length > 0) log.warn(`cut off without an answer: ${cutOff.join(', ')}`);
        log.info(isStandby ? 'stopped; the log stays with its leader' : 'stopped; the log is sealed');
        process.exit(0);
      },
      (err) => {
        log.fatal({ err }, 'stopping failed: a restart recovers');
        process.exit(1);
      },
    );
  };
}
