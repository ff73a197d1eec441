/** The log of `bourse start`, on standard error: lines of JSON for programs, and lines for people on a terminal. */
import { type Logger, pino } from 'pino';
import { say } from './output.ts';
import { CLEAR_LINE } from './progress.ts';

export type LogFormat = 'json' | 'text';

/** Without a choice: text on a terminal. */
export function usualLogFormat(): LogFormat {
  return process.stderr.isTTY ? 'text' : 'json';
}

export function openLog(format: LogFormat): Logger {
  if (format === 'json') return pino({ name: 'bourse' }, pino.destination({ dest: 2, sync: true }));
  // A line of progress may be in the place of this one.
  const begin = process.stderr.isTTY ? CLEAR_LINE : '';
  return pino(
    { name: 'bourse' },
    {
      write(line) {
        process.stderr.write(begin);
        say(entryText(JSON.parse(line)));
      },
    },
  );
}

interface Entry {
  readonly level: number;
  /** Epoch ms, on the machine's clock. */
  readonly time: number;
  readonly msg: string;
  readonly where?: string;
  readonly err?: { readonly message: string; readonly stack?: string };
}

/** Words for the levels of pino that are more than information. */
const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

/** "14:32:07  warning: …". A bug has its stack. */
export function entryText({ level, time, msg, where, err }: Entry): string {
  const place = where === undefined ? '' : ` (${where})`;
  const stack = err === undefined ? '' : `\n${err.stack ?? err.message}`;
  return `${new Date(time).toTimeString().slice(0, 8)}  ${LEVELS[level] ?? ''}${msg}${place}${stack}`;
}
