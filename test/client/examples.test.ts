/** The examples run as they are, in every language whose toolchain is here. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startVenue } from '../../src/index.ts';

interface Example {
  readonly folder: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Says whether the toolchain is here. */
  readonly version: readonly [program: string, ...args: string[]];
}

const EXAMPLES: readonly Example[] = [
  { folder: 'javascript', command: [process.execPath, 'example.mjs'], version: [process.execPath, '--version'] },
  { folder: 'python', command: ['python3', '-B', 'example.py'], version: ['python3', '--version'] },
  { folder: 'go', command: ['go', 'run', '.'], version: ['go', 'version'] },
];

for (const { folder, command, version } of EXAMPLES) {
  const isHere = spawnSync(version[0], version.slice(1)).status === 0;
  const skip = isHere ? false : `examples/${folder} needs ${version[0]}, which is not installed`;
  test(`examples/${folder} places an order, reads it, and follows the book and its orders`, { skip }, async () => {
    await using venue = await startVenue({ clock: 'real', demo: true });
    const { status, output } = await run(folder, command, {
      BOURSE_URL: venue.url,
      BOURSE_KEY: venue.key.key,
      BOURSE_SECRET: venue.key.secret,
    });
    assert.equal(status, 0, output);
    const lines = output
      .trim()
      .split('\n')
      .map((line) => line.replace(/example-\d+/, 'ID').replace(/\d+\.\d+/g, 'N'));
    assert.deepEqual(lines.toSorted(), [
      'bid N N ask N N',
      'notified of ID status 2',
      'notified of ID status 6',
      'placed ID at N',
      'read ORDER_INSERTED',
    ]);
  });
}

function run(folder: string, [program, ...args]: readonly [string, ...string[]], variables: Record<string, string>) {
  const cwd = fileURLToPath(new URL(`../../examples/${folder}/`, import.meta.url));
  const child = spawn(program, args, { cwd, env: { ...process.env, ...variables } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise<{ status: number | null; output: string }>((resolve) =>
    child.once('close', (status) => resolve({ status, output })),
  );
}
