/**
 * deploy/Containerfile without a container engine: its COPY and RUN lines make a folder, and its CMD runs there, with
 * its ENV and as its user if the test may change the user. Only paths below the root of the image are moved into that
 * folder.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { deployed, freePort, LONG_MS, ranBeside, root } from './support.ts';

interface Line {
  readonly word: string;
  readonly rest: string;
}

function instructions(): Line[] {
  const text = deployed('Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      assert.notEqual(word, undefined, line);
      return { word, rest };
    });
}

const all = (word: string) => instructions().flatMap((line) => (line.word === word ? [line.rest] : []));
const pairs = (word: string) =>
  Object.fromEntries(all(word).map((rest) => rest.split('=', 2))) as Record<string, string>;

test('the image has a Node that is new enough, and only files of the repository that a venue needs', () => {
  const [base] = all('FROM');
  assert.ok(Number(/\/node:(\d+)-/.exec(base)?.[1]) >= Number(/\d+/.exec(manifest.engines.node)?.[0]), base);
  const copied = all('COPY').flatMap((rest) => rest.split(' ').slice(0, -1));
  const documents = ['docs/asyncapi.json', 'docs/openapi.json'];
  assert.deepEqual(copied.toSorted(), ['LICENSE', 'bin', ...documents, 'package-lock.json', 'package.json', 'src']);
  assert.equal(all('ADD').length, 0);
});

test('the image holds no secret: no line sets one, and the key and the data come from outside', () => {
  const { BOURSE_DATA, BOURSE_MASTER_KEY_FILE, ...rest } = pairs('ENV');
  assert.deepEqual(all('VOLUME'), [BOURSE_DATA]);
  assert.ok(!BOURSE_MASTER_KEY_FILE.startsWith(BOURSE_DATA));
  assert.deepEqual(Object.keys(rest).toSorted(), ['BOURSE_HOST', 'NODE_ENV']);
  assert.deepEqual(Object.keys(pairs('ARG')), ['BOURSE_UID']);
  assert.doesNotMatch(deployed('Containerfile'), /MASTER_KEY=|TOKEN=|SECRET=/);
});

test('the image does not run as root', () => {
  assert.deepEqual(all('USER'), ['$BOURSE_UID:$BOURSE_UID']);
  assert.ok(Number(pairs('ARG').BOURSE_UID) >= 1000);
  const order = instructions().map(({ word }) => word);
  assert.ok(order.indexOf('USER') > order.lastIndexOf('RUN') && order.indexOf('USER') < order.indexOf('CMD'));
});

const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network/;
test('its lines make a venue that runs as its user, is healthy, and is stopped with a sealed log', {
  timeout: LONG_MS,
  skip: process.env.BOURSE_OPS === undefined && 'installs packages from a registry: `npm run test:ops` runs it',
}, async (t) => {
  const image = mkdtempSync(join(tmpdir(), 'bourse-image-'));
  t.after(() => rmSync(image, { recursive: true, force: true }));
  chmodSync(image, 0o755);
  const inside = (path: string) => join(image, path);
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot ? Number(pairs('ARG').BOURSE_UID) : process.getuid!();
  const { BOURSE_DATA, BOURSE_MASTER_KEY_FILE, ...rest } = pairs('ENV');
  const env: NodeJS.ProcessEnv = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    BOURSE_UID: String(uid),
    ...rest,
    BOURSE_DATA: inside(BOURSE_DATA),
    BOURSE_MASTER_KEY_FILE: inside(BOURSE_MASTER_KEY_FILE),
  };
  // The build reaches the registry as this machine does, but knows nothing of the `npm run` around this test.
  const ofBuild = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|config_.*prefix)/.test(name),
  );
  const buildEnv = { ...Object.fromEntries(ofBuild), ...env };
  let cwd = image;
  for (const { word, rest } of instructions()) {
    if (word === 'WORKDIR') {
      cwd = inside(rest);
      mkdirSync(cwd, { recursive: true });
    } else if (word === 'COPY') {
      const [to, ...from] = rest.split(' ').reverse();
      for (const name of from)
        cpSync(join(root, name), join(cwd, to.endsWith('/') ? join(to, basename(name)) : to), { recursive: true });
    } else if (word === 'RUN') {
      const { status, output } = await ranBeside(['/bin/sh', '-c', rest], { cwd, env: buildEnv });
      if (status !== 0 && rest.startsWith('npm ') && offline.test(output))
        return t.skip('the registry cannot be reached');
      assert.equal(status, 0, `${rest}\n${output}`);
    }
  }
  assert.equal(statSync(inside(BOURSE_DATA)).uid, uid);
  assert.equal(statSync(inside(BOURSE_DATA)).mode & 0o777, 0o700);
  assert.deepEqual(
    globSync('**/{control-token,demo-keys.json,master.key,*.pem,.env}', { cwd: join(image, 'opt') }).filter(
      (path) => !path.includes('node_modules'),
    ),
    [],
  );

  const port = String(await freePort());
  const outside = { ...env, BOURSE_HOST: '127.0.0.1', BOURSE_PORT: '0', BOURSE_CONTROL_PORT: port };
  const [command, ...args] = JSON.parse(all('CMD')[0]) as string[];
  const user = isRoot ? { uid, gid: uid } : {};
  if (isRoot) {
    const refused = spawn(command, args, { cwd, env: outside, ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    const [said] = await Promise.all([readAll(refused.stderr), once(refused, 'close')]);
    assert.equal(refused.exitCode, 1);
    assert.match(said, /there is no master key .*, and it cannot be created/);
  }
  const secret = inside(BOURSE_MASTER_KEY_FILE);
  mkdirSync(dirname(secret), { recursive: true });
  writeFileSync(secret, `${'ab'.repeat(32)}\n`, { mode: 0o400 });
  if (isRoot) chownSync(secret, uid, uid);
  const venue = spawn(command, args, { cwd, env: outside, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => venue.kill('SIGKILL'));
  const ended = once(venue, 'close');
  let log = '';
  venue.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const [line] = (await Promise.race([once(createInterface(venue.stdout), 'line'), ended])) as unknown[];
  assert.equal(typeof line, 'string', `the venue ended before it was ready:\n${log}`);

  const [, check] = /CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0]) ?? [];
  const health = JSON.parse(check) as string[];
  const healthy = await ranBeside(health, { cwd, env: outside });
  assert.equal(healthy.status, 0, healthy.output);
  venue.kill(all('STOPSIGNAL')[0] as NodeJS.Signals);
  assert.deepEqual(await ended, [0, null], log);
  assert.ok(existsSync(join(inside(BOURSE_DATA), 'sealed')));
  assert.equal((await ranBeside(health, { cwd, env: outside })).status, 1, 'a venue that has ended is not healthy');
});
