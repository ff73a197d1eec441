/** Unmodified ccxt on a venue, for the tests of what it makes of it; and code as the documents print it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import ccxt from 'ccxt';
import type { TestVenue } from '../../src/index.ts';

export const SPOT = 'BTC/USDT';
export const SWAP = 'BTC/USDT:USDT';

/** As the README says it. */
export function connect({ url }: TestVenue, { key, secret }: { key: string; secret: string }) {
  const btse = new ccxt.btse({ apiKey: key, secret });
  btse.urls.api = { public: url, private: url };
  // ccxt's own limiter spaces requests out; this venue has no rate limits to fear.
  btse.enableRateLimit = false;
  return btse;
}

/** As it was started, both markets priced at 60,000. */
export async function reset(venue: TestVenue): Promise<void> {
  await venue.reset();
  await venue.setPrice('BTC-USDT', 60_000);
  await venue.setPrice('BTC-PERP', 60_000);
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs code from standard input, as a file in the root of the clone would run; resolves with its output. */
export function runCode(code: string): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-'], { cwd: root, env: { PATH: process.env.PATH } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  child.stdin.end(code);
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
}
