/** What the documents print is what the venue takes: configurations, bodies, code, lists of routes, links. */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { ROUTES } from '../../src/api/control/routes.ts';
import { routesTable } from '../../src/api/shared/openapi.ts';
import { addStartCommand } from '../../src/cli/start.ts';
import { CONFIGURATION_KEYS, type ConfigurationInput } from '../../src/config/config.ts';
import { BourseClient, ControlClient, startVenue } from '../../src/index.ts';
import { SURFACES } from '../../src/start.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { connect, runCode, SWAP } from '../clients/support.ts';
import { control } from '../control/support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const blocks = (path: string, language: string) =>
  [...read(path).matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map((match) => match[1]);

test('the configuration in docs/operating.md starts a venue as it is printed', async () => {
  const [example, ...more] = blocks('docs/operating.md', 'json').map((text) => JSON.parse(text));
  assert.deepEqual(more, []);
  const venue = await startVenue(example);
  try {
    const [key] = venue.keys;
    assert.deepEqual(await new BourseClient({ url: venue.url, ...key }).openSpotOrders('SOL-USDT'), []);
  } finally {
    await venue.close();
  }
});

test('every order in docs/algos.md is taken as it is printed', async () => {
  const venue = await startVenue();
  try {
    await venue.setPrice('BTC-USDT', { index: 60_000, last: 60_000 });
    const bodies = blocks('docs/algos.md', 'json').map((text) => JSON.parse(text));
    const types = bodies.map(({ orderType }) => orderType);
    assert.deepEqual(types, ['LIMIT', 'MARKET', 'CONDITIONAL', 'OCO', 'TRAILING', 'PEG', 'TWAP']);
    const client = new BourseClient({ url: venue.url, ...venue.key });
    const other = {
      symbol: 'BTC-USDT',
      orderSide: 'SELL',
      orderType: 'LIMIT',
      orderSize: 1,
      orderPrice: 60_100,
    } as const;
    await client.placeSpotOrder(other);
    for (const body of bodies) {
      const path = `/spot/api/v4/trade/orders${['LIMIT', 'MARKET'].includes(body.orderType) ? '' : '/algo'}`;
      const records = (await client.send('POST', path, { body })) as { status: number }[];
      for (const { status } of records) assert.ok([2, 5, 6, 9].includes(status), JSON.stringify(records));
    }
  } finally {
    await venue.close();
  }
});

test('each line of ccxt in docs/algos.md sends the body above it, and the algos of futures are the same with contracts', async () => {
  await using venue = await startVenue();
  for (const symbol of ['BTC-USDT', 'BTC-PERP']) await venue.setPrice(symbol, { index: 60_000, last: 60_000 });
  const btse = connect(venue, venue.key);
  const run = (line: string) =>
    new Function('btse', `return ${line.replace('await ', '')}`)(btse) as Promise<{ id: string }>;
  const pairs = [...read('docs/algos.md').matchAll(/```json\n(.*?)```\n\n```js\n(.*?)\n```/gs)];
  assert.equal(pairs.length, 7);
  for (const [, printed, line] of pairs) {
    const body = JSON.parse(printed);
    assert.match((await run(line)).id, /^[0-9a-f-]{36}$/);
    const sent = JSON.parse(btse.last_request_body as string);
    const isNumber = (name: string) => typeof body[name] === 'number';
    const plain = Object.entries(sent).map(([name, value]) => [name, isNumber(name) ? Number(value) : value]);
    assert.deepEqual(Object.fromEntries(plain), body, line);
    if (!['CONDITIONAL', 'OCO', 'TRAILING'].includes(body.orderType)) continue;
    const onFutures = line.replace('BTC/USDT', SWAP).replace(/0\.0\d+/, '100');
    assert.match((await run(onFutures)).id, /^[0-9a-f-]{36}$/, onFutures);
  }
  const http = read('docs/http.md');
  const [peg] = /privatePostFuturesApiV23OrderPeg\([^`]*/.exec(http) as RegExpExecArray;
  const [{ status }] = (await run(`await btse.${peg}`)) as unknown as { status: string }[];
  assert.equal(Number(status), 2);
});

test('what docs/operating.md sends to the control surface is taken as it is printed', async () => {
  const venue = await startVenue({ accounts: [{ name: 'desk', balances: { USDT: 100_000 } }] });
  await venue.setPrice('BTC-USDT', 60_000);
  const real = await startVenue({ clock: 'real' });
  const folder = mkdtempSync(join(tmpdir(), 'bourse-documents-'));
  const kept = await startVenue({ data: join(folder, 'data') });
  try {
    const operating = read('docs/operating.md');
    const calls = operating.matchAll(/curl -sS -X (\w+) \S*:8081\}?\/control\/v1(\/[a-z]\S*)[^']*-d '(\{.*?\})'/gs);
    let sent = 0;
    for (const [, method, path, body] of calls) {
      sent += 1;
      const at = path === '/log/archive' ? kept : body.includes('acceptWall') ? real : venue;
      const { status, text } = await control(at, method, path, body.replace('/mnt/cold', folder));
      assert.equal(status, 200, text);
    }
    assert.ok(sent >= 2);
  } finally {
    await kept.close();
    rmSync(folder, { recursive: true });
    await venue.close();
    await real.close();
  }
});

test('docs/operating.md has every flag of a start with its variable, and every route of the control surface', () => {
  const operating = read('docs/operating.md');
  const program = new Command();
  addStartCommand(program);
  const rows = operating.split('\n').filter((line) => line.startsWith('| `--'));
  for (const { long, envVar } of program.commands[0].options) {
    const row = rows.find((line) => new RegExp(`\`${long}[\` ]`).test(line)) ?? '';
    assert.ok(
      row.includes(envVar === undefined ? '| none: the word of one start |' : `\`${envVar}\``),
      `${long} ${row}`,
    );
  }
  for (const { method, path } of ROUTES) {
    const shown = path.replace('/markets/{symbol}/resume', '…/resume');
    const at = new RegExp(
      `^\\|[^|]*${shown.startsWith('…') ? '' : `${method} `}${shown.replace(/[{}]/g, '\\$&')}[ ,]`,
      'm',
    );
    assert.match(operating, at, `${method} ${path}`);
  }
});

test('docs/testing.md and docs/client.md have every option of startVenue, and every member of a venue and of its clients', async () => {
  const testing = read('docs/testing.md') + read('docs/client.md');
  const known = await startVenue({ nothing: true } as object).catch((error: Error) => error.message);
  const [, options] = /nothing is not known; known: (.*)/.exec(known as string) ?? [];
  const own = options.split(', ').filter((name) => !CONFIGURATION_KEYS.includes(name as keyof ConfigurationInput));
  assert.ok(own.length >= 9);
  await using venue = await startVenue();
  const methods = [BourseClient, ControlClient].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
  for (const name of [...own, ...Object.keys(venue), ...methods.filter((name) => name !== 'constructor')]) {
    assert.match(testing, new RegExp(`^\\|.*\`${name}[\`(]`, 'm'), name);
  }
});

test('the code in docs/testing.md runs', async () => {
  const codes = blocks('docs/testing.md', 'js');
  assert.equal(codes.length, 2);
  for (const code of codes) {
    const { status, output } = await runCode(code);
    assert.equal(status, 0, output);
    assert.match(output, /pass 1/);
  }
});

test('the code in docs/client.md runs', async () => {
  await using venue = await startVenue({ clock: 'real', demo: true });
  const [code, ...more] = blocks('docs/client.md', 'js');
  assert.deepEqual(more, []);
  const here = code
    .replace('http://127.0.0.1:8080', venue.url)
    .replace("readFileSync('data/demo-keys.json', 'utf8')", JSON.stringify(JSON.stringify(venue.keys)));
  const { status, output } = await runCode(here);
  assert.equal(status, 0, output);
  assert.match(output, /^bid .* ask .*\norder \S+ BUY .* at .*\nlast trade at /);
});

test('commands in the documents follow the ports that were chosen', () => {
  for (const path of ['README.md', ...globSync('docs/**/*.md', { cwd: root })]) {
    const lines = read(path).split('\n');
    for (const line of lines.filter((text) => /curl|fetch\(|ccxt|const url/.test(text) && /:808[01]/.test(text))) {
      assert.match(line, /BOURSE_(CONTROL_)?URL( \?\? '|:-)http:/, `${path}: ${line}`);
    }
  }
});

test('the code in docs/http.md signs and places an order', async () => {
  const venue = await startVenue({ clock: 'real' });
  try {
    await venue.setPrice('BTC-USDT', 60_000);
    const [code] = blocks('docs/http.md', 'js');
    const here = code
      .replace('http://127.0.0.1:8080', venue.url)
      .replace("readFileSync('data/demo-keys.json', 'utf8')", JSON.stringify(JSON.stringify(venue.keys)));
    assert.notEqual(here, code);
    const { output } = await runCode(here);
    assert.match(output, /^200 \[/);
  } finally {
    await venue.close();
  }
});

test('docs/http.md lists the routes that there are: npm run docs:openapi writes them', () => {
  const [, written] = /<!-- routes:[^\n]*-->\n(.*?)<!-- end of routes -->/s.exec(read('docs/http.md')) ?? [];
  assert.equal(written, routesTable(SURFACES));
});

test('what docs/http.md says is refused by name is what the surfaces refuse so', () => {
  const [, refused] = /## What is not served(.*?)What ccxt can do/s.exec(read('docs/http.md')) ?? [];
  const written = [...refused.matchAll(/`(\/[^`]+)`/g)].map(([, path]) => path);
  const served = SURFACES.flatMap(({ name, basePath, notOffered = [] }) =>
    notOffered.map(({ path }) => (name === 'otc-v1' ? `${basePath}/` : path)),
  );
  const named = new Set(served.map((path) => (path.endsWith('/') ? `${path}…` : path)));
  assert.deepEqual(written.sort(), [...named].sort());
});

test('what docs/http.md says that ccxt can do is something that ccxt has for btse', async () => {
  const venue = await startVenue();
  try {
    const { has } = connect(venue, venue.key);
    const [, said] = /What ccxt can do today: (.*?)\. /s.exec(read('docs/http.md')) ?? [];
    const methods = [...said.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assert.ok(methods.length > 20);
    for (const name of methods) assert.equal(has[name], true, name);
  } finally {
    await venue.close();
  }
});

test('files of one’s own in the clone, as README and the guides have them, are nobody’s business to lint', () => {
  const { files } = JSON.parse(read('biome.json')) as { files: { includes: string[] } };
  for (const pattern of files.includes) {
    for (const name of ['first.mjs', 'team.json']) {
      assert.equal(!pattern.startsWith('!') && matchesGlob(name, pattern), false, pattern);
    }
  }
  assert.ok(files.includes.some((pattern) => matchesGlob('src/index.ts', pattern)));
});

test('CHANGELOG.md says what each version of the rules changed', () => {
  for (let version = 2; version <= RULES_VERSION; version += 1) {
    assert.ok(read('CHANGELOG.md').includes(`**Rules version ${version}**`), `rules version ${version}`);
  }
});

test('links of the documents lead somewhere', () => {
  for (const path of globSync(['*.md', '{docs,bench,src,test}/**/*.md'], { cwd: root })) {
    for (const [, target] of read(path).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file, anchor] = target.split('#');
      const found = file === '' ? path : relative(root, join(root, dirname(path), file));
      assert.ok(existsSync(join(root, found)), `${path}: ${target}`);
      if (anchor === undefined) continue;
      const anchors = [...read(found).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title
          .toLowerCase()
          .replace(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      assert.ok(anchors.includes(anchor), `${path}: ${target}; there are ${anchors}`);
    }
  }
});

test('llms.txt has the form of llmstxt.org, and its links lead to files', () => {
  const [title, empty, summary, ...lines] = read('llms.txt').split('\n');
  assert.match(title, /^# \S/);
  assert.equal(empty, '');
  assert.match(summary, /^> \S/);
  const sections = lines.filter((line) => line.startsWith('#'));
  for (const section of sections) assert.match(section, /^## \S/);
  const below = lines.slice(lines.indexOf(sections[0])).filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of below) {
    const [, file] = /^- \[[^\]]+\]\(([^)]+)\): \S.*\.$/.exec(line) ?? [];
    assert.ok(file !== undefined && existsSync(join(root, file)), line);
  }
  assert.ok(below.length > 15);
});

test('docs/README.md lists every document', () => {
  const index = read('docs/README.md');
  for (const path of globSync('docs/**/*.{md,json}', { cwd: root })) {
    const name = path.replaceAll('\\', '/').replace('docs/', '');
    if (name !== 'README.md') assert.ok(index.includes(`](${name})`), name);
  }
});

test('each decision has an id, used once, a date, and a place in the index; whatever cites one cites one that exists', () => {
  const text = read('docs/internal/decisions.md');
  const ids = [...text.matchAll(/^\*\*D-(\d{3})\*\* \(20\d\d-\d\d-\d\d\) \S/gm)].map(([, id]) => Number(id));
  assert.equal(new Set(ids).size, ids.length, 'an id is used twice');
  const body = text
    .slice(text.indexOf('## Index'))
    .split(/^## (?!Index)/m)
    .slice(1)
    .join('');
  const paragraphs = body.split('\n\n').filter((part) => part.startsWith('**'));
  assert.equal(paragraphs.length, ids.length, 'a decision without an id or a date');
  const index = text.slice(text.indexOf('## Index'), text.indexOf('## Configuration'));
  const ranges = [...index.matchAll(/D-(\d{3})(?: to D-(\d{3}))?/g)].map(([, from, to = from]) => [+from, +to]);
  const unlisted = ids.filter((id) => !ranges.some(([from, to]) => from <= id && id <= to));
  assert.deepEqual(unlisted, [], 'a decision that the index leaves out');
  for (const path of globSync(['*.md', '{docs,bench,test}/**/*.md', 'src/**/*.{ts,md}'], { cwd: root })) {
    for (const [cited, id] of read(path).matchAll(/\bD-(\d{3})\b/g)) {
      assert.ok(ids.includes(Number(id)), `${path}: ${cited}`);
    }
  }
});
