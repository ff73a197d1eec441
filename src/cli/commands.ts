/** `bourse commands`: the commands of a venue around a time or a seq, each in a sentence, from its time machine. */
import { type Command, Option } from 'commander';
import type { CommandLine, ControlClient } from '../client/control.ts';
import { DAY_MS, parseTime } from '../config/times.ts';
import { leftBy } from '../story/ends.ts';
import { ASK_AGAIN, addControlOptions, controlClient, countUpTo } from './control-options.ts';
import { addExamples } from './examples.ts';
import { inColumns, UsageError } from './output.ts';
import { addJsonOption, type ShowFlags, show } from './show.ts';
import { left, right, tableText } from './tables.ts';
import { timeText } from './venue-text.ts';

const LIMIT = { usual: 20, most: 100 };
const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/;
const SEQ = /^[1-9]\d{0,14}$/;
/** Each summary narrows the range to a thousandth. */
const BUCKETS = 1000;

interface CommandsFlags extends ShowFlags {
  readonly at?: string;
  readonly limit: number;
}

export function addCommandsCommand(program: Command): void {
  const command = program
    .command('commands')
    .description('list the commands of the venue from a time or a seq on, each in a sentence');
  addExamples(command, [
    ['commands', 'the last ones'],
    ['commands --at 14:32:07', 'from that time on, of the last 24 hours in UTC'],
    ['commands --at 2026-01-02T14:32:07Z --limit 5'],
    ['commands --at 43118', 'from that seq on'],
  ]);
  addJsonOption(addControlOptions(command))
    .option('--at <time|seq>', 'where to begin: a time of day in UTC, an ISO time, or a seq')
    .addOption(
      new Option('--limit <n>', `how many, at most ${LIMIT.most}`)
        .default(LIMIT.usual)
        .argParser(countUpTo(LIMIT.most)),
    )
    .action((flags: CommandsFlags) =>
      show(
        flags,
        { remedy: ASK_AGAIN, flagOfField: { from: '--at' } },
        () => read(controlClient(flags), flags),
        ({ commands }) => commandsText(commands, flags.data),
      ),
    );
}

async function read(client: ControlClient, { at, limit }: CommandsFlags) {
  const { seq, time } = (await client.request('GET', '/clock')) as { readonly seq: number; readonly time: number };
  const from = at === undefined ? Math.max(1, seq - limit + 1) : await seqOf(client, at, { seq, time });
  return client.commands(from, limit);
}

/** `now`: the venue's last command and its time. */
async function seqOf(
  client: ControlClient,
  at: string,
  now: { readonly seq: number; readonly time: number },
): Promise<number> {
  const { seq, time: nowMs } = now;
  if (SEQ.test(at)) {
    if (Number(at) <= seq) return Number(at);
    throw new UsageError(`seq ${at} is beyond the last command, which is ${seq}`);
  }
  const timeMs = momentOf(at, nowMs);
  if (timeMs === null) throw new UsageError(`${at} is no time such as 14:32:07 or 2026-01-02T14:32:07Z, and no seq`);
  if (timeMs > nowMs) throw new UsageError(`${timeText(timeMs)} is later than the venue's clock, ${timeText(nowMs)}`);
  return firstFrom(client, timeMs);
}

/** A time of day is the last one before the venue's time. Null: it is no time. */
export function momentOf(text: string, nowMs: number): number | null {
  const found = CLOCK.exec(text);
  if (found === null) return parseTime(text);
  const [hours, minutes, seconds] = found.slice(1, 4).map((part) => Number(part ?? 0));
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  const ofDayMs = ((hours * 60 + minutes) * 60 + seconds) * 1000 + Number((found[4] ?? '').padEnd(3, '0'));
  const today = nowMs - (nowMs % DAY_MS) + ofDayMs;
  return today <= nowMs ? today : today - DAY_MS;
}

interface Summary {
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly time: number }[];
  readonly endSeq: number;
  readonly knownTo: number;
}

/** The first command at or after a time, or the last command of all. */
async function firstFrom(client: ControlClient, timeMs: number): Promise<number> {
  let range = '';
  for (;;) {
    const { buckets, endSeq, knownTo } = (await client.request(
      'GET',
      `/log/summary?buckets=${BUCKETS}${range}`,
    )) as Summary;
    // The time of a bucket is that after its last command.
    const bucket = buckets.find(({ time }) => time >= timeMs);
    if (bucket === undefined && knownTo < endSeq) {
      throw new UsageError(`the log is being read, so far up to seq ${knownTo} of ${endSeq}: ask again`);
    }
    if (bucket === undefined) return endSeq;
    if (bucket.from === bucket.to) return bucket.from;
    range = `&from=${bucket.from}&to=${bucket.to}`;
  }
}

/** As a terminal shows it. */
export function commandsText(commands: readonly CommandLine[], data: string): string {
  const rows = commands.map(({ time, seq, sentence, count, left: leftBranch }) => [
    timeText(time),
    String(seq),
    inColumns(leftBranch ? `${sentence} (${leftBy(leftBranch)} has left it)` : sentence),
    String(count),
  ]);
  const columns = [left('Time'), right('Seq'), left('Command'), right('Effects')];
  return `${tableText(columns, rows)}\n\n\`bourse why ${data} SEQ\` shows the effects of one.`;
}
