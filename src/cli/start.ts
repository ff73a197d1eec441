/**
 * `bourse start` and its flags, most with an environment variable, and `bourse demo`, which is `start --demo` in a folder
 * that no project has. run.ts does the work, and is loaded only when it runs.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseNetwork } from '../config/addresses.ts';
import { MOST_DEMO_HISTORY_HOURS } from '../config/defaults.ts';
import { parseTime, TIME_WORDS } from '../config/times.ts';
import { SPEEDS } from '../engine/clock/venue-clock.ts';
import { AT_END, FUNDING_RULES, GAP_RULES, SIZE_UNITS, TIME_RULES } from '../playback/options.ts';
import { QUEUE_RULES } from '../venue/contract/commands.ts';
import { addExamples } from './examples.ts';
import type { StartFlags } from './run.ts';
import { DEFAULT_DATA, DEMO_DATA } from './wire-options.ts';

const MAX_PORT = 65_535;

export function addStartCommand(program: Command): void {
  const command = program.command('start').description('run a venue');
  addExamples(command, [
    ['start --demo', 'what `npm start` does'],
    ['start --clock manual --data test-data', 'a venue whose clock a test moves'],
    ['start --replay trades.csv.gz book.csv.gz --speed 10', 'a recorded market, ten times as fast'],
    ['start --config venue.json --data /var/lib/bourse --host 0.0.0.0'],
  ]);
  addStartOptions(command, DEFAULT_DATA)
    .addOption(option('--demo', 'two funded accounts, and synthetic traders that keep the books moving', 'DEMO'))
    .action(start);
}

export function addDemoCommand(program: Command): void {
  const command = program
    .command('demo')
    .description(`run a demo venue: two funded accounts and synthetic traders, with its data in ./${DEMO_DATA}`);
  addExamples(command, [
    ['demo', `a later start continues where this one ended; delete ./${DEMO_DATA} to begin again`],
    ['demo --port 9080 --control-port 9081'],
  ]);
  addStartOptions(command, DEMO_DATA).action((flags: StartFlags, demo: Command) =>
    start({ ...flags, demo: true }, demo),
  );
}

function option(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(`BOURSE_${variable}`);
}

/** Those that every start has. */
function addStartOptions(command: Command, data: string): Command {
  command
    .addOption(option('--config <file>', 'configuration: markets, accounts, …', 'CONFIG'))
    .addOption(option('--data <dir>', 'data folder', 'DATA').default(data))
    // Checked later, by messages that do not repeat it: it may have a password.
    .addOption(option('--log <url>', 'keep the log in PostgreSQL: postgres://user@host:port/database', 'LOG'))
    .addOption(
      option(
        '--accept-single-node',
        'a PostgreSQL server without standbys will do: its loss loses orders',
        'ACCEPT_SINGLE_NODE',
      ),
    )
    .addOption(
      option('--standby', 'with --log: follow the leader of that log, and take over when it is gone', 'STANDBY'),
    )
    .addOption(
      option(
        '--advertise-http <url>',
        'with --log: where others reach the port for clients',
        'ADVERTISE_HTTP',
      ).argParser(url),
    )
    .addOption(
      option(
        '--advertise-control <url>',
        'with --log: where others reach the control surface',
        'ADVERTISE_CONTROL',
      ).argParser(url),
    )
    .addOption(option('--host <host>', 'address to listen on', 'HOST').default('127.0.0.1'))
    .addOption(option('--port <port>', 'port, 0 for a free one', 'PORT').default(8080).argParser(port))
    .addOption(option('--control-host <host>', 'address of the control surface', 'CONTROL_HOST').default('127.0.0.1'))
    .addOption(
      option('--control-port <port>', 'its port, 0 for a free one', 'CONTROL_PORT').default(8081).argParser(port),
    )
    .addOption(
      option('--control-token <token>', 'its token; by default one is kept in the data folder', 'CONTROL_TOKEN'),
    )
    .addOption(option('--page-read-only', 'the page only shows, whatever the token may do', 'PAGE_READ_ONLY'))
    .addOption(
      option(
        '--log-format <format>',
        'form of the log on standard error: by default text on a terminal, JSON elsewhere',
        'LOG_FORMAT',
      ).choices(['text', 'json']),
    )
    .addOption(
      option('--master-key-file <file>', 'file with the key that seals the secrets of API keys', 'MASTER_KEY_FILE'),
    )
    .addOption(option('--rate-limits <which>', 'off, or those of BTSE', 'RATE_LIMITS').choices(['off', 'btse']))
    .addOption(
      option('--trusted-proxies <cidrs>', 'proxies whose X-Forwarded-For is believed', 'TRUSTED_PROXIES').argParser(
        networks,
      ),
    )
    .addOption(
      option(
        '--max-connections <n>',
        'simultaneous connections, if the process may open that many',
        'MAX_CONNECTIONS',
      ).argParser(positive('a number of connections')),
    )
    .addOption(
      option(
        '--max-connections-per-address <n>',
        'simultaneous connections from one address',
        'MAX_CONNECTIONS_PER_ADDRESS',
      ).argParser(positive('a number of connections')),
    )
    .addOption(
      option(
        '--max-queue-ms <ms>',
        'how long commands may wait before requests are refused, in ms, or off',
        'MAX_QUEUE_MS',
      ).argParser(queueMs),
    )
    .addOption(option('--segment-size <bytes>', 'size of a log segment', 'SEGMENT_SIZE').argParser(whole('bytes')))
    .addOption(
      option('--snapshot-every <commands>', 'commands between two snapshots', 'SNAPSHOT_EVERY').argParser(
        positive('a number of commands'),
      ),
    )
    .addOption(
      option('--clock <kind>', 'the machine’s, or moved by the control surface', 'CLOCK').choices(['real', 'manual']),
    )
    .addOption(
      option('--start-time <time>', 'where a manual clock begins: ISO 8601 or epoch ms', 'START_TIME').argParser(time),
    )
    .addOption(
      option(
        '--speed <n>',
        'how fast a real clock runs: 0.1 to 1000 times elapsed time; without it, it follows the machine’s',
        'SPEED',
      ).argParser(speed),
    );
  for (const each of replayOptions()) command.addOption(each);
  return (
    command
      // No variable, because it is meant for one start.
      .addOption(
        new Option(
          '--accept-loss-from <seq>',
          'start without the commands that the log has lost, from this one on',
        ).argParser(positive('a sequence number')),
      )
      .addOption(
        option(
          '--demo-history <hours>',
          'how far the candles of a demo go back before its first start (48 on a real clock, 0 on a manual one)',
          'DEMO_HISTORY',
        ).argParser(historyHours),
      )
      .addOption(option('--seed <n>', 'seed of everything random except secrets', 'SEED').argParser(whole('seed')))
  );
}

function whole(what: string): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw new InvalidArgumentError(`${what} must be a whole number of 0 or more.`);
    return value;
  };
}

function positive(what: string): (text: string) => number {
  return (text) => {
    const value = whole(what)(text);
    if (value === 0) throw new InvalidArgumentError(`${what} must be 1 or more.`);
    return value;
  };
}

function historyHours(text: string): number {
  const value = whole('a number of hours')(text);
  if (value > MOST_DEMO_HISTORY_HOURS) throw new InvalidArgumentError(`at most ${MOST_DEMO_HISTORY_HOURS} hours.`);
  return value;
}

function speed(text: string): number {
  const value = /^\d{1,4}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= SPEEDS.least && value <= SPEEDS.most) return value;
  throw new InvalidArgumentError(`give a number from ${SPEEDS.least} to ${SPEEDS.most}.`);
}

function queueMs(text: string): number | 'off' {
  return text === 'off' ? 'off' : positive('a time in milliseconds')(text);
}

/** What a start chooses about the recorded market that it plays. */
function replayOptions(): Option[] {
  return [
    option('--replay <file...>', 'play recorded files of one market; bourse recorded shows files', 'REPLAY'),
    option('--symbol <symbol>', 'with --replay: the symbol to play, of files with several', 'SYMBOL'),
    option(
      '--market <symbol>',
      'with --replay: the configured market that plays; default: one made from the files',
      'MARKET',
    ),
    option('--sizes <unit>', 'with --replay: the unit of the sizes of a perpetual', 'SIZES').choices([...SIZE_UNITS]),
    option(
      '--queue <rule>',
      'with --replay: which orders of a level go when it shrinks without a trade',
      'QUEUE',
    ).choices([...QUEUE_RULES]),
    option(
      '--depth <fraction>',
      'with --replay: how far from the middle the book is played, or all',
      'DEPTH',
    ).argParser(depth),
    option(
      '--heal-after <ms>',
      'with --replay: when a level has again what users took from it, in ms, or never',
      'HEAL_AFTER',
    ).argParser(healAfter),
    option('--gaps <rule>', 'with --replay: wait through gaps with stale prices, or skip them', 'GAPS').choices([
      ...GAP_RULES,
    ]),
    option(
      '--funding <rule>',
      'with --replay: funding by the venue’s own rules, or the recorded rates',
      'FUNDING',
    ).choices([...FUNDING_RULES]),
    option('--fit', 'with --replay: round prices and sizes that are not on the market’s grid', 'FIT'),
    option(
      '--at-end <what>',
      'with --replay: halt the market at the end of the files, loop, or let synthetic traders go on',
      'AT_END',
    ).choices([...AT_END]),
    option(
      '--time <rule>',
      'with --replay: begin at the start of the venue, or keep the recorded time',
      'TIME',
    ).choices([...TIME_RULES]),
  ];
}

function depth(text: string): number | 'all' {
  if (text === 'all') return text;
  const value = /^(?:0?\.\d{1,8}|1)$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0) return value;
  throw new InvalidArgumentError('give a fraction above 0 and up to 1, such as 0.01, or all.');
}

function healAfter(text: string): number | 'never' {
  return text === 'never' ? text : whole('a time in milliseconds')(text);
}

function port(text: string): number {
  const value = whole('a port')(text);
  if (value > MAX_PORT) throw new InvalidArgumentError(`a port is at most ${MAX_PORT}.`);
  return value;
}

function networks(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  for (const entry of entries) {
    if (parseNetwork(entry) === null) {
      throw new InvalidArgumentError(`${entry === '' ? 'an empty entry' : entry} is not an address or a CIDR range.`);
    }
  }
  return entries;
}

function time(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : parseTime(text);
  if (value !== null && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError(`give ${TIME_WORDS}.`);
}

function url(text: string): string {
  const given = URL.parse(text);
  if (given === null || !/^https?:$/.test(given.protocol) || given.username !== '' || given.password !== '') {
    throw new InvalidArgumentError('must be an address such as http://db-1:8080');
  }
  return text.replace(/\/$/, '');
}

async function start(flags: StartFlags, command: Command): Promise<void> {
  // commander turns a switch on whenever its variable is set, even to "false".
  const isOn = (name: 'demo' | 'fit' | 'pageReadOnly' | 'acceptSingleNode' | 'standby', variable: string) => {
    const off =
      command.getOptionValueSource(name) === 'env' && /^(0|false|no|off|)$/i.test(process.env[variable] ?? '');
    return flags[name] === true && !off;
  };
  const { runStart } = await import('./run.ts');
  await runStart({
    ...flags,
    demo: isOn('demo', 'BOURSE_DEMO'),
    fit: isOn('fit', 'BOURSE_FIT'),
    pageReadOnly: isOn('pageReadOnly', 'BOURSE_PAGE_READ_ONLY'),
    standby: isOn('standby', 'BOURSE_STANDBY'),
    acceptSingleNode: isOn('acceptSingleNode', 'BOURSE_ACCEPT_SINGLE_NODE'),
  });
}
