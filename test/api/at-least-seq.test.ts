/** Requests that wait until the venue has reached a seq. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AtLeastSeq, WAIT_MS } from '../../src/api/shared/at-least-seq.ts';
import type { EngineListener } from '../../src/engine/listeners.ts';

/** A venue at seq 10, and a clock that the test moves. */
function waitingRoom() {
  const venue = { seq: 10 };
  let listener: EngineListener = {};
  const timers: (() => void)[] = [];
  const engine = {
    venue,
    listen: (given: EngineListener) => {
      listener = given;
      return () => {};
    },
  };
  const timer = (ms: number, act: () => void) => {
    assert.equal(ms, WAIT_MS);
    timers.push(act);
    return { clear: () => {}, unref: () => {} };
  };
  const seqs = new AtLeastSeq(engine, { timer });
  const reach = (seq: number) => {
    venue.seq = seq;
    listener.batchApplied?.(seq);
  };
  return { seqs, reach, timers };
}

test('each request goes on at the batch that reaches its seq, in whichever order they came', async () => {
  const { seqs, reach } = waitingRoom();
  assert.equal(seqs.wait('10'), undefined);
  const gone: string[] = [];
  for (const seq of ['30', '12', '20', '20']) seqs.wait(seq)?.then(() => gone.push(seq));
  for (const [seq, expected] of [
    [11, []],
    [15, ['12']],
    [20, ['12', '20', '20']],
    [29, ['12', '20', '20']],
    [40, ['12', '20', '20', '30']],
  ] as const) {
    reach(seq);
    await Promise.resolve();
    assert.deepEqual(gone, expected, `at ${seq}`);
  }
  const later = seqs.wait('41');
  reach(41);
  await later;
});

test('a request whose seq does not come is refused after the wait, and others still go on', async () => {
  const { seqs, reach, timers } = waitingRoom();
  const [never, soon] = [seqs.wait('99'), seqs.wait('100')];
  timers[0]();
  await assert.rejects(never as Promise<void>, { reason: 'behind' });
  reach(100);
  await soon;
});
