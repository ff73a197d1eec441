/** bin/respawn.js stands between the caller and the venue on an older Node: nobody may notice. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const respawn = new URL('../../bin/respawn.js', import.meta.url).href;

/** Starts a process that runs the code on a second Node in its place. */
function runBehindRespawn(code: string): ChildProcess {
  const outer = `import { respawn } from '${respawn}'; respawn(process.execPath, ['-e', process.argv[1]]);`;
  return spawn(process.execPath, ['--input-type=module', '-e', outer, code], { stdio: ['pipe', 'pipe', 'inherit'] });
}

test('the exit code is passed on', async () => {
  assert.deepEqual(await once(runBehindRespawn('process.exit(7)'), 'exit'), [7, null]);
});

test('a deadly signal is passed on', async () => {
  const child = runBehindRespawn("process.kill(process.pid, 'SIGKILL')");
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} reaches the program, which ends as it likes`, async () => {
    const child = runBehindRespawn(
      `const alive = setInterval(() => {}, 1000);
       process.once('${signal}', () => { clearInterval(alive); process.exitCode = 3; });
       process.stdout.write('ready');`,
    );
    await once(child.stdout!, 'data');
    child.kill(signal);
    assert.deepEqual(await once(child, 'exit'), [3, null]);
  });
}

test('if the process is killed, the program ends as by SIGTERM', async () => {
  const child = runBehindRespawn(
    `import('${respawn}').then(({ endWithParent }) => {
       endWithParent();
       const alive = setInterval(() => {}, 1000);
       process.once('SIGTERM', () => { clearInterval(alive); process.stdout.write('ended'); });
       process.stdout.write('ready');
     });`,
  );
  await once(child.stdout!, 'data');
  child.kill('SIGKILL');
  assert.deepEqual(await once(child.stdout!.setEncoding('utf8'), 'data'), ['ended']);
});

test('the channel to its parent does not keep the program alive', async () => {
  const child = runBehindRespawn(`import('${respawn}').then(({ endWithParent }) => endWithParent())`);
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('standard input and output are those of the program', async () => {
  const child = runBehindRespawn('process.stdin.pipe(process.stdout)');
  child.stdin!.end('as written');
  const chunks = await child.stdout!.setEncoding('utf8').toArray();
  assert.equal(chunks.join(''), 'as written');
});
