/**
 * `bourse start`: runs a venue until it is told to stop. One line of JSON on standard output says that it is ready; logs
 * and everything for people go to standard error. SIGTERM and SIGINT: what was taken is finished, the log is sealed, exit
 * code 0. A log that fails ends the process with exit code 1, and a restart recovers.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Logger, pino } from 'pino';
import { type Configuration, readConfiguration, readConfigurationFile } from '../config/config.ts';
import { defaultMasterKeyFile, readMasterKey } from '../secrets.ts';
import { type RunningVenue, start } from '../start.ts';
import { say } from './output.ts';
import { demoText } from './welcome.ts';

interface StartFlags {
  config?: string;
  data: string;
  host: string;
  port: number;
  controlHost: string;
  controlPort: number;
  controlToken?: string;
  masterKeyFile?: string;
  rateLimits?: 'off' | 'btse';
  segmentSize?: number;
  clock?: 'real' | 'manual';
  startTime?: number;
  demo?: boolean;
  seed?: number;
}

const MAX_PORT = 65_535;
/** How long a stop may take before the process ends anyway: requests in hand have their own, shorter limits. */
const STOP_MS = 30_000;

export function addStartCommand(program: Command): void {
  const option = (flags: string, description: string, variable: string) =>
    new Option(flags, description).env(`BOURSE_${variable}`);
  program
    .command('start')
    .description('run a venue')
    .addOption(option('--config <file>', 'configuration: markets, accounts, …', 'CONFIG'))
    .addOption(option('--data <dir>', 'data folder', 'DATA').default('data'))
    .addOption(option('--host <host>', 'address to listen on', 'HOST').default('127.0.0.1'))
    .addOption(option('--port <port>', 'port, 0 for a free one', 'PORT').default(8080).argParser(port))
    .addOption(option('--control-host <host>', 'address of the control surface', 'CONTROL_HOST').default('127.0.0.1'))
    .addOption(
      option('--control-port <port>', 'its port, 0 for a free one', 'CONTROL_PORT').default(8081).argParser(port),
    )
    .addOption(
      option('--control-token <token>', 'its token; by default one is kept in the data folder', 'CONTROL_TOKEN'),
    )
    .addOption(option('--master-key-file <file>', 'seals the secrets of keys', 'MASTER_KEY_FILE'))
    .addOption(option('--rate-limits <which>', "none, or BTSE's", 'RATE_LIMITS').choices(['off', 'btse']))
    .addOption(option('--segment-size <bytes>', 'size of a log segment', 'SEGMENT_SIZE').argParser(whole('bytes')))
    .addOption(
      option('--clock <kind>', 'the machine’s, or moved by the control surface', 'CLOCK').choices(['real', 'manual']),
    )
    .addOption(
      option('--start-time <time>', 'where a manual clock begins: ISO 8601 or epoch ms', 'START_TIME').argParser(time),
    )
    .addOption(option('--demo', 'two funded accounts, and synthetic traders that move the books', 'DEMO'))
    .addOption(option('--seed <n>', 'everything random in the venue follows from it', 'SEED').argParser(whole('seed')))
    .action(runStart);
}

function whole(what: string): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw new InvalidArgumentError(`${what} must be a whole number of 0 or more.`);
    return value;
  };
}

function port(text: string): number {
  const value = whole('a port')(text);
  if (value > MAX_PORT) throw new InvalidArgumentError(`a port is at most ${MAX_PORT}.`);
  return value;
}

function time(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('give ISO 8601 text such as 2026-01-01T00:00:00Z, or epoch milliseconds.');
  }
  return value;
}

async function runStart(flags: StartFlags, command: Command): Promise<void> {
  // A switch is on for commander whenever its variable is set, to "false" too.
  const off =
    command.getOptionValueSource('demo') === 'env' && /^(0|false|no|off|)$/i.test(process.env.BOURSE_DEMO ?? '');
  const demo = flags.demo === true && !off;
  const log = pino({ name: 'bourse' }, pino.destination({ dest: 2, sync: true }));
  let running: RunningVenue | undefined;
  const finish = stopper(log, () => running);
  process.on('SIGTERM', finish);
  process.on('SIGINT', finish);
  running = await start({
    configuration: configurationOf(flags),
    data: flags.data,
    host: flags.host,
    port: flags.port,
    controlHost: flags.controlHost,
    controlPort: flags.controlPort,
    controlToken: flags.controlToken,
    masterKey: masterKeyOf(flags, log),
    segmentBytes: flags.segmentSize,
    clock: flags.clock,
    startTimeMs: flags.startTime,
    seed: flags.seed,
    demo,
    notice: (text) => log.info(text),
    onBug: (err, where) => log.error({ err, where }, 'a bug of the venue'),
    onFatal: (err) => {
      log.fatal({ err }, 'the venue failed and has to end: a restart recovers');
      process.exit(1);
    },
  });
  if (demo) say(demoText(running, flags.data));
  const { http, control, engine } = running;
  const ready = { event: 'ready', http, control, epoch: engine.epoch, seq: engine.venue.seq };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  log.info(ready, 'ready');
}

/** Without --config the folder's own configuration is kept; a flag is laid over what there is. */
function configurationOf({ config, rateLimits }: StartFlags): Configuration | undefined {
  const read = config === undefined ? undefined : readConfigurationFile(config);
  if (rateLimits === undefined) return read;
  return rateLimits === 'off' && read === undefined ? undefined : { ...(read ?? readConfiguration({})), rateLimits };
}

function masterKeyOf({ data, masterKeyFile }: StartFlags, log: Logger): string {
  return readMasterKey({
    file: masterKeyFile ?? defaultMasterKeyFile(),
    // A file that is named wins over a key in the environment.
    value: masterKeyFile === undefined ? process.env.BOURSE_MASTER_KEY : undefined,
    data,
    mustExist: existsSync(join(data, 'bourse.json')),
    notice: (text) => log.info(text),
  });
}

function stopper(log: Logger, running: () => RunningVenue | undefined): (signal: NodeJS.Signals) => void {
  let stopping = false;
  return (signal) => {
    if (stopping) return;
    stopping = true;
    log.info(`${signal}: stopping`);
    const venue = running();
    if (venue === undefined) process.exit(0);
    setTimeout(() => {
      log.error(`not stopped within ${STOP_MS / 1000} s: ending without a seal`);
      process.exit(1);
    }, STOP_MS).unref();
    venue.stop().then(
      () => {
        log.info('stopped; the log is sealed');
        process.exit(0);
      },
      (err) => {
        log.fatal({ err }, 'the stop failed: a restart recovers');
        process.exit(1);
      },
    );
  };
}
