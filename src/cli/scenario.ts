/** `bourse scenario`: runs scenarios against a bot, says what deviated, and exits 0 or 1. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunResult } from '../scenario/run.ts';
import { addExamples } from './examples.ts';
import { inColumns, jsonText, UsageError, write } from './output.ts';
import { addJsonOption, isForProgram } from './show.ts';

interface ScenarioFlags {
  readonly bot?: string;
  readonly report?: string;
  readonly junit?: string;
  readonly speed?: number;
  readonly idle?: number;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Where those of the package are: beside src, or beside dist. */
const SHIPPED = fileURLToPath(new URL('../../scenarios/', import.meta.url));

export function addScenarioCommand(program: Command): void {
  const scenario = program.command('scenario').description('run scenarios: bad days of a market, with an exit code');
  addExamples(scenario, [
    ['scenario list'],
    ['scenario run gap-over-a-stop --bot "node bot.mjs"', 'one that comes with bourse'],
  ]);
  const run = scenario
    .command('run <file...>')
    .description('run scenarios against a bot, and exit with 1 if anything deviates')
    .addOption(new Option('--bot <command>', 'starts the bot: a command for the shell'))
    .option('--report <file>', 'write one HTML file: chart, orders, equity, timeline and log')
    .option('--junit <file>', 'write JUnit XML')
    .addOption(
      new Option('--speed <n>', 'venue time per elapsed time, instead of waiting until the bot is idle').argParser(
        numberFrom(0.1, 100_000),
      ),
    )
    .addOption(
      new Option(
        '--idle <ms>',
        'how long a bot must send nothing to count as idle, elapsed time; default 50',
      ).argParser(numberFrom(1, 60_000)),
    )
    .option('--quiet', 'print only what deviates');
  addJsonOption(run).action(runAll);
  addExamples(run, [
    ['scenario run gap-over-a-stop --bot "node bot.mjs"', 'one that comes with bourse'],
    ['scenario run scenarios/*.json --bot "python bot.py" --junit results.xml', 'your own, in CI'],
    ['scenario run mine.json --bot "node bot.mjs" --report day.html'],
    ['scenario run mine.json --bot "./polling-bot" --speed 20', 'for a bot that never stops asking'],
  ]);
  const list = scenario.command('list').description('the scenarios that come with bourse');
  addExamples(list, [['scenario list']]);
  addJsonOption(list).action(listShipped);
}

function numberFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`give a number from ${least} to ${most}.`);
  };
}

async function listShipped(flags: ScenarioFlags): Promise<void> {
  const { loadScenario } = await import('../scenario/load.ts');
  const rows: { name: string; about: string; file: string }[] = [];
  for (const entry of shippedNames()) {
    const file = join(SHIPPED, `${entry}.json`);
    const { about = '' } = await loadScenario(file);
    rows.push({ name: entry, about, file });
  }
  if (isForProgram(flags)) {
    for (const row of rows) await write(`${jsonText(row)}\n`);
    return;
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, about } of rows) await write(`${name.padEnd(width)}  ${about}\n`);
}

function shippedNames(): string[] {
  const files = readdirSync(SHIPPED).filter((file) => file.endsWith('.json'));
  return files.map((file) => basename(file, '.json')).sort();
}

/** A file, or the name of one that comes with bourse. */
function fileOf(given: string): string {
  if (existsSync(given)) return given;
  const shipped = join(SHIPPED, `${given}.json`);
  if (!given.includes('/') && existsSync(shipped)) return shipped;
  throw new UsageError(`there is no scenario ${given}: give a file, or one of ${shippedNames().join(', ')}`);
}

async function runAll(given: readonly string[], flags: ScenarioFlags): Promise<void> {
  const { loadScenario } = await import('../scenario/load.ts');
  const { runScenario } = await import('../scenario/run.ts');
  const { ScenarioRefused } = await import('../scenario/schema.ts');
  const { reportHtml } = await import('../scenario/report.ts');
  const { junitXml } = await import('../scenario/junit.ts');
  const results: RunResult[] = [];
  try {
    // All are read first: a mistake in the last one is said before the first one runs.
    const scenarios = [];
    for (const name of given) scenarios.push({ file: fileOf(name), scenario: await loadScenario(fileOf(name)) });
    for (const { file, scenario } of scenarios) {
      const options = { scenario, file, bot: flags.bot, speed: flags.speed, idleMs: flags.idle };
      const result = await runScenario(options);
      results.push(result);
      await write(flags.json === true ? `${jsonText(result)}\n` : resultText(result, flags.quiet === true));
    }
  } catch (error) {
    if (error instanceof ScenarioRefused) throw new UsageError(error.message);
    throw error;
  }
  if (flags.report !== undefined) writeFileSync(flags.report, reportHtml(results));
  if (flags.junit !== undefined) writeFileSync(flags.junit, junitXml(results));
  if (results.some(({ ok }) => !ok)) process.exitCode = 1;
}

const MARKS = { deviation: '✗', expected: '✓' } as const;

/** As a terminal shows it. */
function resultText({ name, ok, timeline, deviations, tookMs }: RunResult, isQuiet: boolean): string {
  const shown = isQuiet ? deviations : timeline;
  const lines = shown.map(({ ms, seq, kind, text }) => {
    const mark = kind === 'deviation' || kind === 'expected' ? MARKS[kind] : ' ';
    return `  ${mark} ${clockText(ms)} ${String(seq).padStart(6)}  ${kind === 'bot' ? '| ' : ''}${inColumns(text)}`;
  });
  const end = ok ? 'passed' : `${deviations.length} ${deviations.length === 1 ? 'deviation' : 'deviations'}`;
  return `${[`${ok ? 'PASS' : 'FAIL'} ${inColumns(name)}: ${end} (${(tookMs / 1000).toFixed(1)} s)`, ...lines].join('\n')}\n`;
}

/** Time since the beginning: 00:01:05.500. */
function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
