/**
 * `npm run golden`: writes the golden logs of the rules that this version applies into test/golden/rules-N, in place of
 * those that are there. Run it once for each rules version, at the last commit that applies them (test/golden/README.md).
 *
 * It writes two data folders: `sealed` (ends with a clean stop) and `killed` (ends with SIGKILL). Only the files of the
 * log are kept. `expected.json` holds the state that each had just before its end.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BourseClient } from '../src/client/client.ts';
import { ControlClient } from '../src/client/control.ts';
import { RULES_VERSION } from '../src/venue/venue.ts';
import { MASTER_KEY, moneyOf } from '../test/golden/golden.ts';
import { type Actors, CONFIGURATION, fallingMarket, risingMarket } from '../test/golden/scenario.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const BOURSE = join(root, 'bin', 'bourse.js');
const TOKEN = 'token-of-the-golden-logs';
const FLAGS = '--clock manual --seed 1 --port 0 --control-port 0 --segment-size 65536'.split(' ');
/** The log, its seal, its snapshots, and what the folder remembers. */
const KEPT = /^(?:\d+\.log|\d+\.snapshot|sealed|bourse\.json)$/;

const target = join(root, 'test', 'golden', `rules-${RULES_VERSION}`);
rmSync(target, { recursive: true, force: true });
const expected = {
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
  sealed: await write('sealed', 'SIGTERM'),
  killed: await write('killed', 'SIGKILL'),
};
writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);

/** Resolves with the state at the end. */
async function write(name: string, end: NodeJS.Signals): Promise<object> {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-golden-'));
  const data = join(scratch, 'data');
  const config = join(scratch, 'config.json');
  writeFileSync(config, JSON.stringify(CONFIGURATION));
  try {
    const flags = ['--data', data, '--config', config, ...FLAGS];
    await inVenue(flags, 'SIGKILL', async (venue) => {
      await risingMarket(venue);
      await venue.control.request('POST', '/snapshot');
      await venue.control.advance(1000);
    });
    const state = await inVenue(flags, end, async (venue) => {
      await fallingMarket(venue);
      const { seq, time, hash, orders } = await venue.control.state();
      return { seq, time, hash, orders, money: moneyOf(await venue.control.audit()) };
    });
    mkdirSync(join(target, name), { recursive: true });
    for (const file of readdirSync(data)) if (KEPT.test(file)) cpSync(join(data, file), join(target, name, file));
    return state;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Starts a venue in a process of its own, acts on it, and ends it by the signal. */
async function inVenue<T>(flags: string[], end: NodeJS.Signals, act: (venue: Actors) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [BOURSE, 'start', ...flags], {
    env: { ...process.env, BOURSE_MASTER_KEY: MASTER_KEY, BOURSE_CONTROL_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { http: url, control } = JSON.parse(line) as { http: string; control: string };
    const client = (by: string) => new BourseClient({ url, key: `${by}-key`, secret: `${by}-secret` });
    return await act({ control: new ControlClient({ url: control, token: TOKEN }), client });
  } finally {
    child.kill(end);
    await exited;
  }
}
