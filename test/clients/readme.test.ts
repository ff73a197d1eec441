/** The README's code runs as it stands; only addresses and keys are those of this place. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startVenue } from '../../src/index.ts';
import { runCode } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const [spotExample, perpetualExample, testExample] = [...readme.matchAll(/```js\n(.*?)```/gs)].map((match) => match[1]);

test('the ccxt example buys on a demo venue, and goes in and out of a perpetual', async () => {
  const venue = await startVenue({ clock: 'real', demo: true });
  try {
    const keys = JSON.stringify(JSON.stringify(venue.keys));
    const code = `${spotExample}${perpetualExample}`
      .replaceAll('http://127.0.0.1:8080', venue.url)
      .replace("fs.readFileSync('data/demo-keys.json', 'utf8')", keys);
    const { status, output } = await runCode(code);
    assert.equal(status, 0, output);
    assert.match(output, /^0\.001\d* BTC at \d{5}/);
    assert.match(output, /^long 200 contracts at \d{5}/m);
    assert.match(output, /'buy 200 at \d{5}.*'sell 200 at \d{5}/s);
  } finally {
    await venue.close();
  }
});

test('the example test passes', async () => {
  const { status, output } = await runCode(testExample);
  assert.equal(status, 0, output);
  assert.match(output, /pass 1/);
});

test('the example test ends when an assertion of it fails', async () => {
  const { status, output } = await runCode(testExample.replace('BTC.total, 0.9)', 'BTC.total, 7)'));
  assert.equal(status, 1, output);
  assert.match(output, /fail 1/);
});
