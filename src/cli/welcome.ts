/** The greeting of a demo venue: its addresses, a key, a first order, and a ccxt snippet. It contains no secrets. */
import { join, resolve } from 'node:path';
import type { RunningVenue } from '../start.ts';
import { usualData } from './wire-options.ts';

const STANDARD_URL = 'http://127.0.0.1:8080';
const STANDARD_CONTROL = 'http://127.0.0.1:8081';

export function demoText({ http, control, demoKeys }: RunningVenue, data: string): string {
  const keyFile = join(data, 'demo-keys.json');
  const url = http === STANDARD_URL ? '' : ` --url ${http}`;
  const isUsual = data === usualData();
  const folder = isUsual ? '' : ` --data ${inShell(data)}`;
  const moved = [
    ...(http === STANDARD_URL && control === STANDARD_CONTROL
      ? []
      : [`BOURSE_URL=${http}`, `BOURSE_CONTROL_URL=${control}`]),
    ...(isUsual ? [] : [`BOURSE_DATA=${inShell(resolve(data))}`]),
  ];
  const elsewhere = `
All commands and examples find this venue, in that terminal, after

  export ${moved.join(' ')}
`;
  return `
bourse demo: spot BTC-USDT, ETH-USDT and perpetuals BTC-PERP, ETH-PERP with synthetic traders

  trading   ${http}
  control   ${control}   (token in ${join(data, 'control-token')})
  data      ${data}   (the next start continues from it; delete it to begin again)
  accounts  ${demoKeys.map(({ account }) => account).join(', ')}   (keys and secrets in ${keyFile})
  key       ${demoKeys[0]?.key}   (of ${demoKeys[0]?.account}; all commands sign with it)

A first order, in another terminal:

  npx bourse order${url}${folder} --symbol BTC-USDT --side buy --type market --quote-size 100

The market with your orders until Ctrl-C, and all commands:

  npx bourse watch${url}${folder} BTC-USDT
  npx bourse --help

The same order from ccxt, in a file limit.mjs:

${ccxtLines(http, keyFile)
  .map((line) => `  ${line}`)
  .join('\n')}
${moved.length > 0 ? elsewhere : ''}`;
}

/** A path as a shell takes it. */
function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The last thing that a start says on a terminal. */
export function readyText({ http, control }: RunningVenue): string {
  return `Ready: orders at ${http}, control at ${control}. Ctrl-C stops the venue.`;
}

/** ccxt's own btse class, with the venue's address in place of both its addresses. */
function ccxtLines(url: string, keyFile: string): string[] {
  const from = "from 'ccxt';";
  return [
    `import fs from 'node:fs';`,
    `import ccxt ${from}`,
    `const [{ key, secret }] = JSON.parse(fs.readFileSync('${keyFile}', 'utf8'));`,
    'const btse = new ccxt.btse({ apiKey: key, secret, enableRateLimit: false });',
    `btse.urls.api = { public: '${url}', private: '${url}' };`,
    "console.log(await btse.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 59000));",
  ];
}
