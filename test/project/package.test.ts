/** Packs the project, installs the tarball into a folder of its own and uses it from there, as its users will. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as clientSource from '../../src/client/index.ts';
import * as source from '../../src/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bourse-package-'));
const installed = join(folder, 'node_modules', 'bourse');
const bin = join(installed, 'bin', 'bourse.js');
/** A home of its own: the venue keeps a master key in the user's configuration folder. */
const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') };
let packedFiles: string[] = [];

before(() => {
  const report = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: root, encoding: 'utf8' }),
  ) as { filename: string; files: { path: string }[] }[];
  packedFiles = report[0].files.map((file) => file.path);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, report[0].filename), '-C', installed, '--strip-components=1']);
  // Only what the package declares is within its reach; links keep the test off the network.
  const declared = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(declared.dependencies), '@types/node']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('the package holds the command, the built code, its types, the documents and the licence, and no sources', () => {
  for (const path of [
    'package.json',
    'LICENSE',
    'README.md',
    'bin/bourse.js',
    'bin/index.js',
    'bin/client.js',
    'dist/index.js',
    'dist/client/index.d.ts',
    'dist/index.d.ts',
    'deploy/bourse.service',
    'deploy/nginx.conf',
    'docs/openapi.json',
    'docs/http.md',
    'docs/testing.md',
    'CHANGELOG.md',
  ]) {
    assert.ok(packedFiles.includes(path), `${path} is missing`);
  }
  const unexpected = packedFiles.filter(
    (path) =>
      !/^(bin|deploy|dist|docs|scenarios)\/|^bench\/README\.md$|^(package\.json|LICENSE|README\.md|CHANGELOG\.md)$/.test(
        path,
      ),
  );
  assert.deepEqual(unexpected, []);
  assert.deepEqual(
    packedFiles.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts')),
    [],
  );
});

test('links of the documents in the package lead to files in the package', () => {
  for (const path of packedFiles.filter((name) => name.endsWith('.md'))) {
    for (const [, target] of readFileSync(join(installed, path), 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      assert.ok(packedFiles.includes(join(dirname(path), target)), `${path}: ${target}`);
    }
  }
  const found = "console.log(require('bourse/openapi.json').openapi)";
  assert.match(execFileSync(process.execPath, ['-e', found], { cwd: folder, env, encoding: 'utf8' }), /^3\.1/);
});

test('the installed command prints its help', () => {
  const help = execFileSync(process.execPath, [bin, '--help'], { cwd: folder, env, encoding: 'utf8' });
  assert.match(help, /Usage: bourse/);
  assert.match(help, /\bstart\b/);
});

/** Where its files are after it was started in an empty folder. */
const STARTS: Readonly<Record<string, string>> = { start: 'data', demo: 'bourse-data' };

for (const [command, data] of Object.entries(STARTS)) {
  test(`the installed \`bourse ${command}\` works in an empty folder, with its files in ${data}, and SIGTERM ends it with status 0`, async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    const args = [command, '--port', '0', '--control-port', '0'];
    const venue = spawn(process.execPath, [bin, ...args], { cwd: empty, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(venue, 'exit');
    let log = '';
    venue.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    try {
      const [line] = (await Promise.race([once(createInterface(venue.stdout), 'line'), exited])) as unknown[];
      assert.equal(typeof line, 'string', `the venue ended before it was ready:\n${log}`);
      const ready = JSON.parse(line as string) as { event: string; http: string };
      assert.equal(ready.event, 'ready');
      const reply = await fetch(`${ready.http}/spot/api/v3.3/time`);
      assert.equal(reply.status, 200);
      await reply.body?.cancel();
      venue.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null], log);
      assert.deepEqual(readdirSync(empty), [data]);
    } finally {
      venue.kill('SIGKILL');
    }
  });
}

for (const [name, module] of Object.entries({ bourse: source, 'bourse/client': clientSource })) {
  test(`${name} exports what its source does, from the clone, too`, () => {
    const names = `import * as all from '${name}'; console.log(Object.keys(all).sort().join())`;
    const exported = Object.keys(module).sort().join();
    for (const cwd of [folder, root]) {
      const out = execFileSync(process.execPath, ['--input-type=module', '-e', names], { cwd, env, encoding: 'utf8' });
      assert.equal(out.trim(), exported, cwd);
    }
    const required = `console.log(Object.keys(require('${name}')).filter((key) => key !== '__esModule').sort().join())`;
    assert.equal(
      execFileSync(process.execPath, ['-e', required], { cwd: folder, env, encoding: 'utf8' }).trim(),
      exported,
    );
  });
}

test('an older Node, and a package that was not built, are reported in words', () => {
  const old = "data:text/javascript,Object.defineProperty(process, 'version', { value: 'v20.20.2' })";
  const use = ['--input-type=module', '-e', "import 'bourse'"];
  const tooOld = spawnSync(process.execPath, ['--import', old, ...use], { cwd: folder, env, encoding: 'utf8' });
  assert.match(tooOld.stderr, /bourse needs Node 24 or newer, but this is v20\.20\.2.*npm i -D node@24/);
  const bare = join(folder, 'bare', 'bin');
  cpSync(join(installed, 'bin'), bare, { recursive: true });
  const unbuilt = spawnSync(process.execPath, [join(bare, 'index.js')], { cwd: folder, env, encoding: 'utf8' });
  assert.match(unbuilt.stderr, /bourse is not built: run `npm pack`/);
});

const USE = `
import { startVenue } from 'bourse';
import { BourseClient, type wire } from 'bourse/client';

if (typeof startVenue !== 'function') process.exit(1);
export const client = new BourseClient({ url: 'http://127.0.0.1:8080' });
export async function sizes(): Promise<wire.Decimal[]> {
  const orders: wire.SpotOpenOrder[] = await client.openSpotOrders();
  await client.subscribe('spot', 'fills', (fills) => fills[0].price.length);
  return orders.map(({ orderPrice }) => orderPrice);
}
`;

test('startVenue and the client are exported, with their types', () => {
  const use = join(folder, 'use.ts');
  writeFileSync(use, USE);
  execFileSync(process.execPath, [use], { cwd: folder, env });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--skipLibCheck',
  ];
  execFileSync(process.execPath, [compiler, ...options, use], { cwd: folder, env });
});
