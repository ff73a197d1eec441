/** Each scenario that comes with bourse fails for the careless bot, and passes for the careful one. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadScenario } from '../../src/scenario/load.ts';
import { type RunResult, runScenario } from '../../src/scenario/run.ts';

const folder = fileURLToPath(new URL('../../scenarios', import.meta.url));
const files = globSync('*.json', { cwd: folder }).sort();
const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);

async function run(file: string, command: string): Promise<RunResult> {
  return runScenario({ scenario: await loadScenario(join(folder, file)), file, bot: command });
}
const node = (bot: string) => `"${process.execPath}" "${join(folder, 'bots', bot)}"`;
const story = ({ timeline }: RunResult) => timeline.map(({ ms, kind, text }) => `${ms} ${kind}: ${text}`).join('\n');

test('there are ten', () => {
  assert.equal(files.length, 10);
});

describe('each is a known way in which bots die', { concurrency: 2 }, () => {
  for (const file of files) {
    const name = basename(file, '.json');
    test(`${name} fails for the careless bot`, async () => {
      const result = await run(file, node('careless.mjs'));
      assert.equal(result.ok, false, story(result));
    });
    test(`${name} passes for the careful bot`, async () => {
      const result = await run(file, node('careful.mjs'));
      assert.equal(result.ok, true, story(result));
    });
  }
  for (const file of ['gap-over-a-stop.json', 'reply-lost.json', 'clock-skew.json']) {
    test(`${basename(file, '.json')} passes for the careful bot in Python`, {
      skip: python === undefined,
    }, async () => {
      const result = await run(file, `${python} "${join(folder, 'bots', 'careful.py')}"`);
      assert.equal(result.ok, true, story(result));
    });
  }
});
