/** deploy/bourse.service: systemd accepts it, and what it starts becomes ready and is stopped as it says. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Place, stop } from '../cli/support.ts';
import { deployed, program, ran, root } from './support.ts';

/** Each `Key=value`, in order. A key may have several values. */
function settings(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of deployed('bourse.service').split('\n')) {
    const [, key, value] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) found.set(key, [...(found.get(key) ?? []), value]);
    else assert.match(line, /^(#.*|\[\w+\]|)$/);
  }
  return found;
}

const analyze = program('systemd-analyze');
test('systemd accepts the unit', { skip: analyze ? false : 'systemd-analyze is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-unit-'));
  try {
    const unit = join(folder, 'bourse.service');
    // systemd checks that the program exists, which it does at another place on this machine.
    writeFileSync(unit, deployed('bourse.service').replace('/usr/bin/node', process.execPath));
    const { status, output } = ran([analyze as string, 'verify', '--man=no', '--recursive-errors=no', unit]);
    assert.equal(status, 0, output);
    assert.doesNotMatch(output, /bourse\.service/, 'a warning about the unit');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the unit runs as its own user, with its own folder, and restarts a venue that failed', () => {
  const unit = settings();
  const expected = {
    User: 'bourse',
    StateDirectory: 'bourse',
    StateDirectoryMode: '0700',
    KillSignal: 'SIGTERM',
    Restart: 'on-failure',
    ProtectSystem: 'strict',
    NoNewPrivileges: 'yes',
  };
  for (const [key, value] of Object.entries(expected)) assert.deepEqual(unit.get(key), [value], key);
  assert.equal(unit.has('MemoryDenyWriteExecute'), false, 'Node compiles code');
  assert.ok(Number(unit.get('LimitNOFILE')?.[0]) >= 65_536);
  // The master key is not in the folder that is backed up.
  const environment = Object.fromEntries((unit.get('Environment') ?? []).map((text) => text.split('=', 2)));
  assert.equal(environment.BOURSE_DATA, '/var/lib/bourse');
  assert.doesNotMatch(environment.BOURSE_MASTER_KEY_FILE, /^\/var\/lib\/bourse/);
});

test('what the unit starts becomes ready, and is stopped by its signal with a sealed log', async () => {
  const unit = settings();
  const [node, script, ...args] = unit.get('ExecStart')?.[0].split(' ') ?? [];
  assert.equal(node, '/usr/bin/node');
  assert.ok(existsSync(join(root, script.replace('/opt/bourse/', ''))), script);
  await using place = new Place();
  const here = (text: string) => text.replace('/var/lib/bourse', place.data).replace('/etc/bourse', place.path('etc'));
  const env = Object.fromEntries((unit.get('Environment') ?? []).map((text) => here(text).split('=', 2)));
  mkdirSync(place.path('etc'));
  writeFileSync(env.BOURSE_MASTER_KEY_FILE, `${'ab'.repeat(32)}\n`, { mode: 0o600 });
  assert.deepEqual(args, ['start']);
  const venue = await place.start([], env);
  const probe = () => fetch(`${venue.ready.control}/readyz`);
  let reply = await probe();
  while (reply.status === 503) reply = await probe(); // Until the archive is open.
  assert.deepEqual([reply.status, await reply.text()], [200, 'ready\n']);
  const { code, stderr } = await stop(venue, unit.get('KillSignal')?.[0] as NodeJS.Signals);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /stopped; the log is sealed/);
  assert.ok(existsSync(join(place.data, 'sealed')));
});
