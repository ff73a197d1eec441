/** The thread of the time machine: dropped questions, a thread that fails, a venue that stops. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { RULES } from '../../src/archive/follow/follower.ts';
import { startEngine } from '../../src/engine/start.ts';
import { RemoteTimeMachine } from '../../src/time-machine/remote.ts';
import type { Question } from '../../src/time-machine/time-machine.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-thread-'));
const folder = join(root, 'data');
after(() => fs.rmSync(root, { recursive: true }));

let hash = '';
before(async () => {
  const engine = await startEngine({
    folder,
    clock: 'manual',
    secrets: { seal: (text) => text, open: (text) => text },
  });
  hash = engine.stateHash();
  await engine.stop();
});

const AT: Question = { type: 'at', seq: 1, endSeq: 1, show: null, account: null, symbol: null, limit: 1 };
const KEPT = new AbortController().signal;

function machine(thread?: URL, notices: string[] = []): RemoteTimeMachine {
  return new RemoteTimeMachine({ folder, identity: { rules: RULES }, thread, onNotice: (text) => notices.push(text) });
}

test('a question that nobody waits for ends at once, and the thread answers the next one', async () => {
  const remote = machine();
  await assert.rejects(remote.ask(AT, AbortSignal.abort()), { name: 'NotWanted' });
  const gone = new AbortController();
  const dropped = remote.ask(AT, gone.signal);
  const kept = remote.ask(AT, KEPT);
  gone.abort();
  await assert.rejects(dropped, { name: 'NotWanted' });
  assert.equal(((await kept) as { hash: string }).hash, hash);
  await assert.rejects(remote.ask({ ...AT, seq: 2 }, KEPT), {
    name: 'NoSuchMoment',
    message: 'the log has the seqs 1 to 1',
  });
  await assert.rejects(remote.ask({ ...AT, show: 'orders', account: 'eve' }, KEPT), { reason: 'unknownAccount' });
  await remote.close();
  await assert.rejects(remote.ask(AT, KEPT), { name: 'ArchiveBusy', message: 'the venue is stopping' });
});

test('a thread that fails refuses its questions with the reason, and the next question starts another one', async () => {
  const marker = join(root, 'marker');
  const failing = join(root, 'failing.mjs');
  const real = new URL('../../src/time-machine/worker.ts', import.meta.url);
  fs.writeFileSync(
    failing,
    `import { existsSync, writeFileSync } from 'node:fs';
    if (existsSync(${JSON.stringify(marker)})) await import(${JSON.stringify(real.href)});
    else { writeFileSync(${JSON.stringify(marker)}, ''); throw new Error('planted'); }`,
  );
  const notices: string[] = [];
  const remote = machine(pathToFileURL(failing), notices);
  const message = "the time machine's thread failed: planted";
  await assert.rejects(remote.ask(AT, KEPT), { name: 'ArchiveBusy', message });
  assert.deepEqual(notices, [message]);
  assert.equal(((await remote.ask(AT, KEPT)) as { hash: string }).hash, hash);
  await remote.close();
});

test('a stop of the venue refuses what waits', async () => {
  const remote = machine();
  const waiting = assert.rejects(remote.ask(AT, KEPT), { name: 'ArchiveBusy' });
  await remote.close();
  await waiting;
});
