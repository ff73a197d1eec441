/** Scenarios: what a file may say, when the clock moves, what is judged, and what is written. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CONDITION_KINDS } from '../../src/scenario/conditions.ts';
import { junitXml } from '../../src/scenario/junit.ts';
import { loadScenario, type Scenario } from '../../src/scenario/load.ts';
import { pricePath } from '../../src/scenario/prices.ts';
import { reportHtml } from '../../src/scenario/report.ts';
import { type RunOptions, runScenario } from '../../src/scenario/run.ts';
import { readScenario, schemaText, withConditions } from '../../src/scenario/schema.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bourse-scenario-'));
after(() => rmSync(folder, { recursive: true }));

/** Writes a file for a test, and returns its path. */
function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
const node = (name: string, text: string) => `"${process.execPath}" "${written(name, text)}"`;

const QUIET: Scenario = {
  name: 'A quiet minute',
  length: '10s',
  prices: [{ symbol: 'BTC-PERP', start: 60000 }],
  liquidity: [{ symbol: 'BTC-PERP', size: 1000 }],
};
const run = (scenario: Partial<Scenario>, options: Partial<RunOptions> = {}) =>
  runScenario({ scenario: { ...QUIET, ...scenario }, file: 'test', bot: null, ...options });
const texts = (entries: readonly { readonly text: string }[]) => entries.map(({ text }) => text);

test('the published schema and the table of conditions are those by which files are checked: npm run docs:scenario writes them', () => {
  assert.equal(readFileSync(join(root, 'docs/scenario.schema.json'), 'utf8'), schemaText());
  const document = readFileSync(join(root, 'docs/scenarios.md'), 'utf8');
  assert.equal(document, withConditions(document));
  for (const kind of CONDITION_KINDS) assert.ok(document.includes(`| \`${kind}\` |`), kind);
});

for (const [wrong, problem] of [
  [{ length: undefined }, 'length is required'],
  [{ lenght: '1m' }, 'lenght is not known; did you mean length?'],
  [{ length: 'soon' }, "length must be text such as '90s' or '0.5': How long it lasts"],
  [{ prices: [{ symbol: 'BTC-PERP', start: 0 }] }, 'prices[0].start must be > 0'],
  [{ liquidity: [{ symbol: 'BTC-PERP' }] }, 'liquidity[0].size is required'],
  [
    { liquidity: [{ symbol: 'BTC-PERP', size: 1, sides: 'left' }] },
    'liquidity[0].sides must be one of both, bids, asks',
  ],
  [{ expect: [{ at: '5s' }] }, 'expect[0] must have exactly one of balance, position'],
  [
    { never: [{ position: { symbol: 'X', is: 1 }, price: { symbol: 'X', is: 1 } }] },
    'never[0] must have exactly one of',
  ],
  [{ never: [{ position: { symbol: 'X', equals: 1 } }] }, 'never[0].position.equals is not known'],
] as const) {
  test(`a scenario with ${JSON.stringify(wrong)} is refused, and the error names the field`, () => {
    const value = JSON.parse(JSON.stringify({ ...QUIET, ...wrong }));
    assert.throws(
      () => readScenario(value, 'mine.json'),
      (error: Error) => error.message.includes(problem) || assert.fail(error.message),
    );
  });
}

for (const [wrong, problem] of [
  [{ prices: [{ symbol: 'BTC', start: 1 }] }, 'prices[0].symbol BTC is no market'],
  [
    { liquidity: [{ symbol: 'ETH-PERP', size: 1 }] },
    'liquidity[0].price is required: the scenario gives ETH-PERP no price',
  ],
  [
    { expect: [{ position: { symbol: 'BTC-PERP', account: 'bob', is: 0 } }] },
    'account bob is no account of the scenario',
  ],
  [{ expect: [{ position: { symbol: 'BTC-PERP' } }] }, 'expect[0].position must have one of is, above'],
  [{ expect: [{ hits: { fault: 0, is: 0 } }] }, 'expect[0].hits.fault 0: there are 0'],
  [{ orders: [{ at: 0, account: 'bob', order: { symbol: 'BTC-PERP' } }] }, 'orders[0].account bob is no account'],
  [
    { faults: [{ statsu: 503 }] },
    'faults[0]: POST /control/v1/faults answered 400: statsu is not known; did you mean status?',
  ],
  [{ venue: { clock: 'real' } }, 'venue.clock is not for a scenario'],
  [{ step: 0 }, 'step must not be 0'],
  [
    {
      prices: [
        {
          symbol: 'BTC-PERP',
          start: 1,
          moves: [
            { at: '5s', to: 2 },
            { from: '2s', until: '6s', to: 3 },
          ],
        },
      ],
    },
    'prices[0].moves[1] begins before the end of the move before it',
  ],
  [
    { prices: [{ symbol: 'BTC-PERP', start: 1, moves: [{ at: '5s', walk: 0.1 }] }] },
    'prices[0].moves[0] must be a jump',
  ],
] as const) {
  test(`a scenario with ${JSON.stringify(wrong)} is refused before it runs`, async () => {
    await assert.rejects(run(wrong as Partial<Scenario>), (error: Error) => {
      return error.message.includes(problem) || assert.fail(error.message);
    });
  });
}

test('a price jumps, ramps and walks, and the same seed walks the same way', () => {
  const prices = {
    symbol: 'BTC-PERP',
    start: 100,
    moves: [
      { at: '2s', to: 110 },
      { from: '4s', until: '8s', to: 150 },
      { from: '10s', until: '14s', walk: 0.01 },
    ],
  };
  const seen = (seed: number) => {
    const path = pricePath(prices, { stepMs: 1000, lengthMs: 15_000, seed });
    return Array.from({ length: 15 }, (_, second) => path.at(second * 1000).last);
  };
  const first = seen(1);
  assert.deepEqual(first.slice(0, 11), [100, 100, 110, 110, 110, 120, 130, 140, 150, 150, 150]);
  assert.deepEqual(seen(1), first);
  assert.notDeepEqual(seen(2), first);
  for (const [i, price] of first.entries()) {
    if (i > 10) assert.ok(price !== first[i - 1]! && Math.abs(price / first[i - 1]! - 1) <= 0.01, `${first}`);
  }
});

test('the book follows the price, also beyond bands, and others trade with it', async () => {
  const result = await run({
    accounts: [
      { name: 'bot', balances: { USDT: 1000 } },
      { name: 'other', balances: { USDT: 100_000 } },
    ],
    prices: [{ symbol: 'BTC-PERP', start: 60000, moves: [{ at: '5s', to: 30000 }] }],
    orders: [{ at: '6s', account: 'other', order: { symbol: 'BTC-PERP', side: 'BUY', type: 'MARKET', size: 10 } }],
    expect: [
      { price: { symbol: 'BTC-PERP', of: 'index', is: 30000 } },
      { position: { symbol: 'BTC-PERP', account: 'other', is: 10 } },
      { fills: { symbol: 'BTC-PERP', account: 'other', of: 'averagePrice', is: '30003' } },
      { balance: { account: 'other', currency: 'USDT', below: 100_000 } },
      { fills: { is: 0 } },
    ],
  });
  assert.deepEqual(texts(result.deviations), []);
});

test('what does not hold is said with its time, and never is judged after each command', async () => {
  const result = await run({
    accounts: [{ name: 'bot', balances: { USDT: 10_000 } }],
    orders: [
      { at: '3s', account: 'bot', order: { symbol: 'BTC-PERP', side: 'BUY', type: 'MARKET', size: 20 } },
      { at: '3s', account: 'bot', order: { symbol: 'BTC-PERP', side: 'SELL', type: 'MARKET', size: 20 } },
    ],
    never: [{ position: { symbol: 'BTC-PERP', above: 10 }, why: 'too much' }],
    expect: [{ at: '4s', position: { symbol: 'BTC-PERP', is: 1 }, why: 'it should hold one' }],
  });
  assert.equal(result.ok, false);
  assert.deepEqual(
    result.deviations.map(({ ms, text }) => [ms, text]),
    [
      [3000, 'the position of bot in BTC-PERP is 20, which is above 10, and never should be: too much'],
      [4000, 'the position of bot in BTC-PERP is 0, not 1: it should hold one'],
    ],
  );
});

test('a bot has its address and key in its environment, what it prints is in the timeline, and its end is noted', async () => {
  const bot = node(
    'says.mjs',
    `const { BOURSE_URL, BOURSE_KEY, BOURSE_SECRET, BOURSE_SYMBOLS, BOURSE_ACCOUNT, MINE } = process.env;
     await fetch(BOURSE_URL + '/spot/api/v3.3/time');
     console.log([BOURSE_KEY.length > 10, BOURSE_SECRET.length > 10, BOURSE_SYMBOLS, BOURSE_ACCOUNT, MINE].join(' '));`,
  );
  const result = await run({ bot: { command: bot, env: { MINE: 'yes' } } }, { bot: undefined });
  assert.equal(result.ok, true);
  assert.ok(texts(result.timeline).includes('true true BTC-PERP bot yes'), JSON.stringify(result.timeline));
});

test('a bot that fails is a deviation, ends the run, and what was not judged is named', async () => {
  const bot = node('dies.mjs', `await fetch(process.env.BOURSE_URL + '/spot/api/v3.3/time'); process.exit(3);`);
  const result = await run({ expect: [{ at: 0, fills: { is: 0 } }, { fills: { is: 0 } }] }, { bot });
  assert.deepEqual(texts(result.deviations), ['the bot ended before the scenario: code 3; not judged: expect[1]']);
  assert.match(texts((await run({}, { bot })).deviations).join(), /^the bot ended before the scenario: code 3$/);
});

/** What has ended may wait for somebody who takes note of it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    assert.ok(['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''), String(error));
    return false;
  }
}

test('what a bot starts ends with it, even if it does not listen to SIGTERM', async () => {
  const bot = node(
    'stubborn.mjs',
    `import { spawn } from 'node:child_process';
     process.on('SIGTERM', () => {});
     const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
     await fetch(process.env.BOURSE_URL + '/spot/api/v3.3/time');
     console.log('child ' + child.pid);
     setInterval(() => {}, 1000);`,
  );
  const result = await run({ length: '2s' }, { bot });
  const pid = Number(/child (\d+)/.exec(texts(result.timeline).join('\n'))?.[1]);
  assert.ok(pid > 0);
  while (isRunning(pid)) await new Promise((resolve) => setImmediate(resolve));
});

test('a bot that never stops asking is not waited for, and the timeline says so', async () => {
  const bot = node(
    'busy.mjs',
    `for (;;) await fetch(process.env.BOURSE_URL + '/spot/api/v3.3/time').then((reply) => reply.text());`,
  );
  const result = await run({ length: '2s' }, { bot, patienceMs: 200 });
  assert.equal(result.ok, true);
  assert.ok(texts(result.timeline).some((text) => /not idle within 200 ms: the clock moves on/.test(text)));
});

test('with a speed nobody waits for the bot', async () => {
  const bot = node('asks.mjs', `setInterval(() => fetch(process.env.BOURSE_URL + '/spot/api/v3.3/time'), 20);`);
  const result = await run({ length: '4s' }, { bot, speed: 20 });
  assert.equal(result.ok, true);
  assert.ok(!texts(result.timeline).some((text) => text.includes('not idle')));
});

test('a module has actions and checks', async () => {
  const file = written(
    'mine.mjs',
    `export default async () => ({
       ...${JSON.stringify(QUIET)},
       actions: [{ at: '2s', act: ({ control }) => control.deposit('bot', 'USDT', 500) }],
       checks: [
         { name: 'it got 500', check: ({ venue }) => venue.expectBalance('bot', 'USDT', 100500) },
         { name: 'it is rich', at: '3s', check: () => false },
       ],
     });`,
  );
  const result = await runScenario({ scenario: await loadScenario(file), file, bot: null });
  assert.deepEqual(texts(result.deviations), ['it is rich']);
  assert.ok(texts(result.timeline).includes('it got 500'));
  await assert.rejects(loadScenario(written('none.mjs', 'export const a = 1;')), /it has no default export/);
  await assert.rejects(
    loadScenario(written('odd.mjs', `export default { name: 'x', length: 1, checks: [{ at: 'x' }] };`)),
    /checks\[0\]\.check must be a function\n.*checks\[0\]\.name must be text\n.*checks\[0\]\.at must be/,
  );
});

test('the report is one file, and JUnit has a case for each scenario, whatever a bot prints', async () => {
  const bot = node(
    'odd.mjs',
    `await fetch(process.env.BOURSE_URL + '/spot/api/v3.3/time'); console.log('<script>&"\\u0007\\ud800</script>');`,
  );
  const result = await run({ name: 'A & B <c>', expect: [{ fills: { is: 1 } }] }, { bot });
  const html = reportHtml([result]);
  assert.ok(!html.includes('<script>') && !/(?:src|href)="http/.test(html));
  assert.match(html, /Failed: A &amp; B &lt;c&gt;/);
  assert.match(html, /The venue begins/);
  const xml = junitXml([result]);
  assert.match(xml, /<testsuites tests="1" failures="1"/);
  assert.match(xml, /<failure message="the number of fills|<failure message="2026-01-01T00:00:10\.000Z/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  assert.ok(!/[\u0000-\u0008\ud800]/.test(xml));
});

const cli = (...given: string[]) =>
  spawnSync(process.execPath, [join(root, 'bin/bourse.js'), 'scenario', ...given], { encoding: 'utf8', cwd: folder });

test('bourse scenario exits with 0 or 1, and says what it runs', () => {
  const good = written('good.json', JSON.stringify(QUIET));
  const bad = written('bad.json', JSON.stringify({ ...QUIET, name: 'Bad', expect: [{ fills: { is: 1 } }] }));
  const both = cli('run', good, bad, '--junit', 'out.xml', '--report', 'out.html');
  assert.equal(both.status, 1, both.stderr);
  assert.match(
    both.stdout,
    /^PASS A quiet minute: passed .*\nFAIL Bad: 1 deviation .*\n {2}✗ 00:00:10\.000 +\d+ {2}the number of fills/s,
  );
  assert.match(readFileSync(join(folder, 'out.xml'), 'utf8'), /failures="1"/);
  assert.match(readFileSync(join(folder, 'out.html'), 'utf8'), /2 scenarios, 1 failed/);
  assert.match(reportHtml([]), /^.*<title>0 scenarios, 0 failed/);
  assert.equal(cli('run', good, '--quiet').status, 0);
  const none = cli('run', 'reply-lots');
  assert.equal(none.status, 1);
  assert.match(none.stderr, /there is no scenario reply-lots: give a file, or one of clock-skew, /);
  assert.match(cli('list').stdout, /^\{"name":"gap-over-a-stop","about":"The market opens 10 % lower/m);
});
