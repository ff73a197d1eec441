import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('a SIGTERM to `npm start` ends the demo venue in good order', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-npm-start-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  const npm = spawn('npm', ['start', '--', '--data', data, '--port', '0', '--control-port', '0'], {
    cwd: root,
    env: { ...process.env, BOURSE_MAX_QUEUE_MS: 'off', HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => npm.kill('SIGKILL'));
  const ended = once(npm, 'close');
  let output = '';
  let log = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  npm.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!output.includes('"ready"') && (output + text).includes('"ready"')) npm.kill('SIGTERM');
    output += text;
  });
  assert.deepEqual(await ended, [0, null], `${output}${log}`);
  assert.match(output, /"event":"ready"/);
  assert.ok(existsSync(join(data, 'sealed')), log);
});
