/** What an operator reads while the archive is behind its log: at first soon, then ever more rarely. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BehindReport } from '../../src/archive/thread/behind-report.ts';

function report() {
  let nowMs = 0;
  const notices: [atSeconds: number, text: string][] = [];
  const behind = new BehindReport({
    world: { monotonicMs: () => nowMs },
    notice: (text) => notices.push([nowMs / 1000, text]),
  });
  /** The archive is at half of the log for so many seconds. */
  const lag = (seconds: number) => {
    for (const untilMs = nowMs + seconds * 1000; nowMs < untilMs; nowMs += 100) behind.at(500, 1000, false);
  };
  return { behind, notices, lag };
}

test('an archive that is behind for an hour is reported 5, 15, 35, … seconds later, and every five minutes in the end', () => {
  const { behind, notices, lag } = report();
  lag(3600);
  assert.deepEqual(notices.map(([atSeconds]) => atSeconds).slice(0, 9), [5, 15, 35, 75, 155, 315, 615, 915, 1215]);
  assert.equal(notices.length, 16);
  assert.equal(notices[0][1], 'the archive is at seq 500 of 1000 (50%)');
  behind.at(1000, 1000, true);
  assert.equal(notices.at(-1)?.[1], 'the archive has reached seq 1000');
});

test('what lasts less than five seconds is not reported, and the next lag starts from five seconds again', () => {
  const { behind, notices, lag } = report();
  lag(4.9);
  behind.at(1000, 1000, true);
  lag(20);
  behind.at(1000, 1000, true);
  lag(4.9);
  assert.deepEqual(notices, [
    [9.9, 'the archive is at seq 500 of 1000 (50%)'],
    [19.9, 'the archive is at seq 500 of 1000 (50%)'],
    [24.9, 'the archive has reached seq 1000'],
  ]);
});
