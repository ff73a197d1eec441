/**
 * Runs a document as a reader would: its commands and files in their order, in a folder that is empty at first.
 *
 * - Lines that are indented by four are for the shell. Environment variables remain for the next ones.
 * - A ```js, ```json, ```python, ```go or ```java block is a file. Its name is the last one in backticks before it. "Add this to the file" appends.
 * - `npm start` and `npx bourse start` begin a venue, on free ports, and end the one before.
 * - KEY and SECRET are what was last printed as such.
 * - `<!-- fails -->` before a block: it ends with an exit code. `<!-- not run: WHY -->`: it is left out.
 * - `<!-- printed -->` before a ``` block without a language: the command before it prints these lines in this order, but for numbers of
 *   the log, times of the day and lengths in seconds.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin', 'bourse.js');

export interface Block {
  readonly kind: 'shell' | 'file' | 'printed';
  readonly text: string;
  /** Of a file. */
  readonly name: string;
  readonly appends: boolean;
  readonly mark: 'fails' | 'not run' | 'printed' | null;
  /** From 1. */
  readonly line: number;
}

const LANGUAGES_OF_FILES = ['js', 'json', 'python', 'go', 'java'];

/** The blocks of a document, in order. */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let name = '';
  let appends = false;
  let mark: Block['mark'] = null;
  for (let i = 0; i < lines.length; i++) {
    const language = /^```(\w*)$/.exec(lines[i])?.[1];
    const begin = i;
    if (language !== undefined) {
      const end = lines.indexOf('```', i + 1);
      const text = `${lines.slice(i + 1, end).join('\n')}\n`;
      if (LANGUAGES_OF_FILES.includes(language)) {
        blocks.push({ kind: 'file', text, name, appends, mark, line: begin + 1 });
      } else if (mark === 'printed') blocks.push({ kind: 'printed', text, name, appends, mark, line: begin + 1 });
      i = end;
    } else if (lines[i].startsWith('    ') && (lines[i - 1] ?? '') === '') {
      while (i + 1 < lines.length && (lines[i + 1].startsWith('    ') || isInside(lines, i + 1))) i++;
      const text = lines
        .slice(begin, i + 1)
        .map((line) => line.slice(4))
        .join('\n');
      blocks.push({ kind: 'shell', text, name, appends, mark, line: begin + 1 });
    } else {
      const marked = /^<!-- (fails|not run|printed)\b/.exec(lines[i])?.[1] as Block['mark'] | undefined;
      mark = marked ?? (lines[i] === '' ? mark : null);
      name = [...lines[i].matchAll(/`([\w.-]+\.(?:mjs|json|py|go|java))`/g)].at(-1)?.[1] ?? name;
      if (lines[i] !== '') appends = lines[i].includes('Add this to the file');
      continue;
    }
    mark = null;
    appends = false;
  }
  return blocks;
}

/** An empty line between two lines of one block. */
function isInside(lines: readonly string[], at: number): boolean {
  return lines[at] === '' && (lines[at + 1] ?? '').startsWith('    ');
}

/** What a reader types instead of these words: the last value that was printed. */
const PLACEHOLDERS: readonly [word: string, printed: RegExp][] = [
  ['KEY', /"key": ?"([^"]+)"/g],
  ['SECRET', /"secret": ?"([^"]+)"/g],
];

const SHELL = `set -e
npx() {
  case "$1" in
    bourse) shift; "$NODE" "$BOURSE_BIN" "$@" ;;
    node) shift; "$NODE" "$@" ;;
    *) echo "npx $1 is not known here" >&2; return 1 ;;
  esac
}
node() { "$NODE" "$@"; }
`;

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

export class Reader {
  readonly folder = mkdtempSync(join(tmpdir(), 'bourse-reader-'));
  #env: Record<string, string>;
  /** All that was printed. */
  output = '';
  /** What the last command printed. */
  #last = '';
  #venue: { readonly stop: () => Promise<unknown> } | undefined;

  constructor() {
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    // The folder is the clone: its scripts import `bourse` by its own name.
    for (const name of ['package.json', 'bin', 'src', 'docs']) symlinkSync(join(root, name), join(this.folder, name));
    this.#env = {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      NODE: process.execPath,
      BOURSE_BIN: bin,
      // A machine that is busy with other tests answers late, and is not refused for it.
      BOURSE_MAX_QUEUE_MS: 'off',
    };
  }

  /** Follows a document of the repository to its end. Fails at the first block that does not do what it should. */
  async follow(path: string): Promise<void> {
    for (const block of blocksOf(readFileSync(join(root, path), 'utf8'))) {
      if (block.mark === 'not run') continue;
      if (block.kind === 'file') this.#write(block);
      else if (block.kind === 'printed') this.#compare(block, `${path}:${block.line}`);
      else await this.#type(block, `${path}:${block.line}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#venue?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #compare({ text }: Block, where: string): void {
    const printed = steady(this.#last).split('\n');
    let from = 0;
    for (const line of steady(text.trimEnd()).split('\n')) {
      from = printed.indexOf(line, from) + 1;
      assert.ok(
        from > 0,
        `${where}: this line is not printed, or not in its place:\n${line}\nPrinted was:\n${this.#last}`,
      );
    }
  }

  #write({ name, text, appends }: Block): void {
    writeFileSync(join(this.folder, name), text, { flag: appends ? 'a' : 'w' });
  }

  async #type({ text, mark }: Block, where: string): Promise<void> {
    const start = /^(?:npm start(?: --)?|npx bourse start)((?: [^\n|]*)?)$/.exec(text);
    if (start !== null) {
      const demo = text.startsWith('npm') ? '--demo --data data' : '';
      await this.#start(`${demo} ${start[1]}`.trim().split(/ +/), where);
      return;
    }
    const { status, output } = await this.#run(this.#filled(text));
    this.output += output;
    this.#last = output;
    const said = `${where}: exit code ${status}\n${text}\n${output}`;
    if (mark === 'fails') assert.ok(status !== 0 && status !== null, said);
    else assert.equal(status, 0, said);
  }

  #filled(text: string): string {
    return PLACEHOLDERS.reduce((filled, [word, printed]) => {
      const value = [...this.output.matchAll(printed)].at(-1)?.[1];
      return value === undefined ? filled : filled.replaceAll(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'g'), value);
    }, text);
  }

  async #run(text: string): Promise<Ran> {
    const kept = join(this.folder, '.environment');
    const script = `${SHELL}${text}\nenv -0 > '${kept}'\n`;
    const ran = await outcomeOf(
      spawn('bash', ['-c', script], { cwd: this.folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    if (ran.status === 0) this.#env = environmentIn(readFileSync(kept, 'utf8'));
    return ran;
  }

  async #start(args: readonly string[], where: string): Promise<void> {
    await this.#venue?.stop();
    const child = spawn(process.execPath, [bin, 'start', ...args, '--port', '0', '--control-port', '0'], {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    this.#venue = {
      stop: () => {
        child.kill('SIGTERM');
        return ended;
      },
    };
    const ready = await new Promise<{ http: string; control: string }>((resolve, reject) => {
      const output: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', (chunk) => {
          output[name] += chunk;
          const [line, rest] = output.stdout.split('\n', 2);
          if (rest !== undefined) resolve(JSON.parse(line));
        });
      }
      child.once('close', (status) => reject(new Error(`${where}: exit code ${status}\n${output.stderr}`)));
    });
    Object.assign(this.#env, { BOURSE_URL: ready.http, BOURSE_CONTROL_URL: ready.control });
  }
}

/** Without what differs from run to run. */
function steady(text: string): string {
  return text.replaceAll(/\d\d:\d\d:\d\d\.\d{3} +\d+ /g, 'TIME SEQ ').replaceAll(/\(\d+\.\d s\)/g, '(TIME)');
}

function environmentIn(text: string): Record<string, string> {
  const pairs = text.split('\0').filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

function outcomeOf(child: ReturnType<typeof spawn>): Promise<Ran> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
}
