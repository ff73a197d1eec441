/** README.md and the guides work as they are written: a test follows each from its first line to its last. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCode } from '../clients/support.ts';
import { blocksOf, Reader } from '../support/tutorial.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The script buys the position first and sells all of it then, each in as many trades as the live market gives. */
function buysAndSells200(output: string): void {
  const trades = [...output.matchAll(/'(buy|sell) (\d+) at \d{5}/g)].map(([, side, lots]) => ({
    side,
    lots: Number(lots),
  }));
  const sold = trades.findIndex(({ side }) => side === 'sell');
  const sum = (of: typeof trades) => of.reduce((all, { lots }) => all + lots, 0);
  const [buys, sells] = [trades.slice(0, sold), trades.slice(sold)];
  assert.ok(
    sells.every(({ side }) => side === 'sell'),
    JSON.stringify(trades),
  );
  assert.deepEqual([sum(buys), sum(sells)], [200, 200], JSON.stringify(trades));
}

/** What a reader sees on the way. */
const SEEN: Readonly<Record<string, readonly (RegExp | ((output: string) => void))[]>> = {
  'README.md': [/^0\.001\d* BTC at \d{5}/m, /^long 200 contracts at \d{5}/m, buysAndSells200, /pass 1/, /"ok":true/],
  'docs/guides/bot-developer.md': [/may or may not be placed/, /pass 1/],
  'docs/guides/bad-day.md': [/FAIL Gap below the stop: 2 deviations/, /PASS Gap below the stop/],
  'docs/guides/trading-team.md': [/"frozen":"cancelOnly"/, /"ok":true/],
  'docs/guides/exchange-builder.md': [/"maker":"0","taker":"0.0004"/, /^ready$/m],
};

/** Its commands need files of an exchange. test/replay plays files in the same form. */
const NOT_FOLLOWED = 'docs/guides/recorded-market.md';

test('every guide is followed, except the one that needs files of an exchange', () => {
  assert.deepEqual(
    [...Object.keys(SEEN), NOT_FOLLOWED].sort(),
    ['README.md', ...globSync('docs/guides/*.md', { cwd: root })].sort(),
  );
});

for (const [path, seen] of Object.entries(SEEN)) {
  test(`${path} works as it is written`, async () => {
    await using reader = new Reader();
    await reader.follow(path);
    for (const what of seen) {
      if (typeof what === 'function') what(reader.output);
      else assert.match(reader.output, what);
    }
  });
}

test('the test in README.md ends when an assertion of it fails', async () => {
  const code = blocksOf(read('README.md')).find(({ name, text }) => name === 'stop.test.mjs' && text.includes('test('));
  const { status, output } = await runCode((code?.text ?? '').replace('BTC.total, 0.9)', 'BTC.total, 7)'));
  assert.equal(status, 1, output);
  assert.match(output, /fail 1/);
});

test('blocks are found as a reader sees them', () => {
  const markdown = [
    'Save this as `a.mjs`:',
    '',
    '```js',
    '1;',
    '```',
    '',
    'Add this to the file:',
    '',
    '```js',
    '2;',
    '```',
    '',
    '    one',
    '',
    '    two',
    '',
    '<!-- fails -->',
    '',
    '    three',
    '',
    '<!-- printed -->',
    '',
    '```',
    'four',
    '```',
    'text',
    '    no block',
  ].join('\n');
  const found = blocksOf(markdown).map(({ kind, text, name, appends, mark }) => [kind, text, name, appends, mark]);
  assert.deepEqual(found, [
    ['file', '1;\n', 'a.mjs', false, null],
    ['file', '2;\n', 'a.mjs', true, null],
    ['shell', 'one\n\ntwo', 'a.mjs', false, null],
    ['shell', 'three', 'a.mjs', false, 'fails'],
    ['printed', 'four\n', 'a.mjs', false, 'printed'],
  ]);
});
