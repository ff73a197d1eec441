/**
 * Runs BTSE's samples of BTSE_SAMPLES (btsecom/api-sample) one after the other, as they are: scripts for Python and for Node, with
 * their addresses and keys in the environment. Each is told as a call: `ok` if all its requests were answered with 200 and its
 * stream brought what it asked for, `refused` if the venue refused one of them by name, `own` if it sends nothing, or to a path
 * that BTSE does not have either.
 *
 * Arguments: a Python with their packages, a folder of node_modules with theirs.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BourseClient } from '../../../src/client/index.ts';
import { Conversation } from './conversation.ts';
import { Recorder } from './recorder.ts';
import { SAMPLES_WRONG_PATHS } from './wrong-paths.ts';

/** A script with a stream runs so long, and on until all that it asked for has come. */
const STREAM_MS = 2000;
const SCRIPT_MS = 20_000;

const [python, modules] = process.argv.slice(2);
const {
  BTSE_SAMPLES: folder = '',
  BOURSE_URL: url = '',
  BOURSE_KEY: key = '',
  BOURSE_SECRET: secret = '',
} = process.env;
const account = new BourseClient({ url, key, secret });
/** What a script writes when a frame is not what it expects. */
const TROUBLE = /Traceback|TypeError|KeyError|ReferenceError|sequence number is wrong|out of sequence/i;
const recorder = await Recorder.before(url);
const env = {
  ...process.env,
  API_HOST: recorder.url,
  WS_HOST: `${recorder.url.replace('http', 'ws')}/ws`,
  API_KEY: key,
  API_SECRET_KEY: secret,
  NODE_PATH: modules,
  NODE_OPTIONS: `--import ${new URL('reads-preload.ts', import.meta.url)}`,
  PYTHONPATH: ['python', 'python/samples'].map((part) => fileURLToPath(new URL(part, import.meta.url))).join(delimiter),
};

for (const script of scriptsOf(join(folder, 'python', 'api'), '.py')) await judge(script, python);
for (const script of scriptsOf(join(folder, 'nodejs', 'app'), '.js')) await judge(script, process.execPath);
recorder.close();

function scriptsOf(root: string, suffix: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(suffix));
  const isHelper = (file: string) => /(^|\/)(utils\b|__init__|common|constants)/.test(file);
  return files
    .filter((file) => !isHelper(file))
    .sort()
    .map((file) => join(root, file));
}

async function judge(script: string, program: string): Promise<void> {
  const from = { request: recorder.noted.length, frame: recorder.frames.length };
  const isStream = /ws|stream/.test(script.slice(folder.length));
  const child = spawn(program, [script], { cwd: dirname(script), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const out of [child.stdout, child.stderr]) {
    out.on('data', (chunk) => {
      said = (said + chunk).slice(-2000);
    });
  }
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.kill('SIGKILL');
  };
  const talk = () => new Conversation(recorder.frames.slice(from.frame));
  const startMs = performance.now();
  let traded = false;
  const timer = setInterval(() => {
    const ranMs = performance.now() - startMs;
    if (ranMs > SCRIPT_MS) stop();
    if (!isStream) return;
    if (ranMs > STREAM_MS && recorder.frames.length > from.frame && talk().missing.length === 0) stop();
    if (!traded && talk().waitsForTrades) {
      traded = true;
      trade().catch((error) => console.error(error));
    }
  }, 200);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(timer);
  const noted = recorder.noted.slice(from.request);
  const refused = noted.find(({ status }) => status >= 400);
  const shown = noted.map(({ method, path, query, status }) => `${method} ${path}${query && `?${query}`} ${status}`);
  const last = said.trim().split('\n').at(-1) ?? '';
  const { missing, refusals } = talk();
  let verdict = 'ok';
  let detail = `${shown[0] ?? ''} ${refused?.text ?? last}`;
  if (noted.length === 0 || noted.some(({ method, path }) => SAMPLES_WRONG_PATHS.includes(`${method} ${path}`)))
    verdict = 'own';
  else if (refused?.status === 404 || (refused?.status ?? 0) >= 500) verdict = 'failed';
  else if (refused !== undefined) verdict = 'refused';
  else if (code !== 0 && !stopped) verdict = 'failed';
  else if (stopped && !isStream) verdict = 'failed';
  else if (isStream && TROUBLE.test(said)) verdict = 'failed';
  else if (missing.length > 0) [verdict, detail] = ['failed', `without ${missing.join(', ')}`];
  else if (refusals.length > 0) [verdict, detail] = ['refused', refusals.join('; ')];
  if (verdict === 'ok') detail = '';
  console.log(JSON.stringify({ name: script.slice(folder.length + 1), verdict, detail: detail.slice(0, 300) }));
}

/** Trades on spot and futures, so that the account's topics have frames. */
async function trade(): Promise<void> {
  await account.placeSpotOrder({ symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 100 });
  await account.placeFuturesOrder({ symbol: 'BTC-PERP', side: 'BUY', type: 'MARKET', size: 10 });
}
