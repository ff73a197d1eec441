/** How long commands are applied at a time, and how long a command is said to take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from '../../src/engine/clock/pace.ts';

/** A pace on a clock of its own: a command takes `commandMs`, everything else `othersMs` in its turn. */
class Paced {
  commandMs = 1;
  othersMs = 0;
  #nowMs = 0;
  readonly pace = new Pace({
    monotonicMs: () => this.#nowMs,
    nextTurn: async () => {
      this.#nowMs += this.othersMs;
    },
  });

  /** Applies a batch; returns how many commands were applied at a time. */
  async apply(commands: number): Promise<number[]> {
    const slices: number[] = [];
    let slice = 0;
    this.pace.begin();
    for (let i = 0; i < commands; i += 1) {
      this.#nowMs += this.commandMs;
      slice += 1;
      if (!this.pace.applied()) continue;
      await this.pace.turn();
      slices.push(slice);
      slice = 0;
    }
    this.pace.end();
    return slice === 0 ? slices : [...slices, slice];
  }
}

test('commands are applied for at least 2 ms at a time', async () => {
  const paced = new Paced();
  paced.commandMs = 0.25;
  assert.deepEqual(await paced.apply(20), [8, 8, 4]);
});

test('where others take 6 ms in their turn, commands are applied for 6 ms, too', async () => {
  const paced = new Paced();
  paced.commandMs = 0.5;
  paced.othersMs = 6;
  assert.deepEqual(await paced.apply(36), [4, 12, 12, 8]);
});

test('and for 10 ms at most, however long others take', async () => {
  const paced = new Paced();
  paced.commandMs = 0.5;
  paced.othersMs = 1000;
  assert.deepEqual(await paced.apply(44), [4, 20, 20]);
});

test('before any command was applied, none is said to take time', () => {
  assert.equal(new Paced().pace.msFor(1000), 0);
});

test('the turns of others in between count', async () => {
  const paced = new Paced();
  paced.commandMs = 0.5;
  paced.othersMs = 2;
  // Four commands, then a turn: 4 ms.
  for (let i = 0; i < 50; i += 1) await paced.apply(128);
  assert.ok(Math.abs(paced.pace.msFor(100) - 100) < 1, `${paced.pace.msFor(100)}`);
});

test('a command that takes a second, once, makes those after it seem less than a millisecond longer', async () => {
  const paced = new Paced();
  await paced.apply(1000);
  const before = paced.pace.msFor(1);
  paced.commandMs = 1000;
  await paced.apply(1);
  assert.ok(paced.pace.msFor(1) - before < 1, `${paced.pace.msFor(1)}`);
});
