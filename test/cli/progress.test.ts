import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressLine } from '../../src/cli/progress.ts';

function progress(onTerminal: boolean) {
  const told: string[] = [];
  const clock = { ms: 0 };
  const tell = (text: string) => told.push(text);
  const terminal = onTerminal ? { write: tell } : undefined;
  return { told, clock, line: new ProgressLine({ terminal, line: tell, nowMs: () => clock.ms }) };
}

test('on a terminal one line is written over, and taken away at the end', () => {
  const { told, clock, line } = progress(true);
  for (const [ms, fraction] of [
    [0, 0],
    [100, 0.1],
    [250, 0.25],
    [300, 0.3],
    [750, 0.75],
  ]) {
    clock.ms = ms;
    line.report('verifying', fraction);
  }
  line.done();
  assert.deepEqual(told, [
    '\r\u001b[Kverifying: 25 %, about 1 s left',
    '\r\u001b[Kverifying: 75 %, about 1 s left',
    '\r\u001b[K',
  ]);
});

test('elsewhere a line is printed every five seconds, and none for what is done sooner', () => {
  const { told, clock, line } = progress(false);
  for (let second = 0; second <= 12; second += 1) {
    clock.ms = 1000 * second;
    line.report('recovering', second / 20);
  }
  clock.ms = 13_000;
  line.report('another step', 0.5);
  line.done();
  assert.deepEqual(told, ['recovering: 25 %, about 15 s left', 'recovering: 50 %, about 10 s left']);
});
