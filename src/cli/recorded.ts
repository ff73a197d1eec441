/** `bourse recorded`: what files of a recorded market hold, or why they cannot be read. It reads each file whole. */
import type { Command } from 'commander';
import type { RecordingSummary } from '../recorded/summary.ts';
import { addExamples } from './examples.ts';
import { jsonText, printable, write } from './output.ts';
import { progressOnTerminal } from './progress.ts';
import { addJsonOption, isForProgram } from './show.ts';

interface RecordedFlags {
  symbol?: string;
  json?: boolean;
}

/** Of a file that cannot be read. `line` is null if the reason is the file itself. */
interface Refusal {
  readonly file: string;
  readonly line: number | null;
  readonly refused: string;
}

const NAME_WIDTH = 10;

export function addRecordedCommand(program: Command): void {
  const command = program
    .command('recorded <file...>')
    .description('show what files of a recorded market hold: format, symbol, times, steps, and what is wrong');
  addExamples(command, [
    ['recorded BTCUSDT-trades-2024-08-08.zip'],
    ['recorded deribit_trades_2024-08-01_PERPETUALS.csv.gz --symbol BTC-PERPETUAL', 'one symbol of several'],
    ['recorded *.csv.gz | jq -c .events'],
  ]);
  command.option('--symbol <symbol>', 'the symbol to read, in files that have several');
  addJsonOption(command).action(runRecorded);
}

async function runRecorded(files: readonly string[], flags: RecordedFlags): Promise<void> {
  const found: (RecordingSummary | Refusal)[] = [];
  for (const file of files) found.push(await lookAt(file, flags));
  if (isForProgram(flags)) for (const one of found) await write(`${jsonText(one)}\n`);
  else await write(`${recordedText(found)}\n`);
  if (found.some((one) => 'refused' in one)) process.exitCode = 1;
}

async function lookAt(file: string, { symbol }: RecordedFlags): Promise<RecordingSummary | Refusal> {
  const { openRecording } = await import('../recorded/file.ts');
  const { RecordingRefused } = await import('../recorded/refused.ts');
  const { summaryOf } = await import('../recorded/summary.ts');
  const progress = progressOnTerminal();
  try {
    const recording = await openRecording(file, symbol === undefined ? {} : { symbol });
    return await summaryOf(recording, { onProgress: (fraction) => progress.report(`reading ${file}`, fraction) });
  } catch (error) {
    if (error instanceof RecordingRefused) return { file, line: error.line ?? null, refused: error.reason };
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { file, line: null, refused: message };
  } finally {
    progress.done();
  }
}

/** A block of lines for each file. */
export function recordedText(found: readonly (RecordingSummary | Refusal)[]): string {
  return found
    .map((one) => {
      const lines = 'refused' in one ? refusalLines(one) : summaryLines(one);
      return [one.file, ...lines.map(([name, text]) => `  ${name.padEnd(NAME_WIDTH)}${text}`)]
        .map((line) => printable(line.replace(/[\n\t]/g, '?')))
        .join('\n');
    })
    .join('\n\n');
}

type Line = readonly [name: string, text: string];

function refusalLines({ line, refused }: Refusal): Line[] {
  return [['refused', line === null ? refused : `line ${line}: ${refused}`]];
}

function summaryLines(summary: RecordingSummary): Line[] {
  const { format, compression, header, symbol, timeUnit, first, last, rows, events, priceStep, sizeStep } = summary;
  const counts = Object.entries(events).map(([kind, count]) => `${count} ${kind}`);
  return [
    ['format', [format, compression === 'none' ? '' : compression, header ? 'header' : ''].filter(Boolean).join(', ')],
    ['symbol', symbol ?? 'the file does not say'],
    ['from', first ?? 'no event'],
    ['to', last ?? 'no event'],
    ['times in', timeUnit ?? 'no row'],
    ['rows', String(rows)],
    ['events', counts.length === 0 ? 'none' : counts.join(', ')],
    ['steps', `price ${priceStep ?? '-'}, size ${sizeStep ?? '-'}`],
    ...summary.notes.map((note): Line => ['note', note]),
  ];
}
