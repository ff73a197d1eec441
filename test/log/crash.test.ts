/** A crash at every step that the log takes on its disk: what was acknowledged is found, once, and in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimDisk, type SimDiskOptions } from '../sim/sim-disk.ts';
import { append, openLog, sized } from './support.ts';

interface Run {
  acknowledged: unknown[];
  inFlight: unknown[];
  sealed: boolean;
}

/** A life of a log: batches of one to nine sectors over three segments, then a clean stop. */
async function live(disk: SimDisk, run: Run, firstId: number): Promise<void> {
  const found: unknown[] = [];
  const log = await openLog(disk, found);
  assert.deepEqual(found.slice(0, run.acknowledged.length), run.acknowledged);
  const more = found.slice(run.acknowledged.length);
  assert.ok(more.length === 0 || same(more, run.inFlight), 'more than the batch in flight was found');
  run.acknowledged = found;
  for (let id = firstId; id < firstId + 8; id += 1) {
    const batch = [sized(id, (id * 1237) % 4300), { id }];
    run.inFlight = batch;
    await append(log, ...batch);
    run.acknowledged.push(...batch);
    run.inFlight = [];
  }
  await log.seal();
  run.sealed = true;
  await log.close();
}

function same(a: unknown[], b: unknown[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Lives with the given faults until done or dead; true when it died. */
async function diesIn(disk: SimDisk, run: Run, firstId: number): Promise<boolean> {
  try {
    await live(disk, run, firstId);
    return false;
  } catch (error) {
    if (!disk.crashed) throw error;
    return true;
  }
}

async function stepsOfTwoLives(): Promise<[number, number]> {
  const disk = new SimDisk();
  const run: Run = { acknowledged: [], inFlight: [], sealed: false };
  await live(disk, run, 0);
  const second = disk.restart();
  await live(second, run, 100);
  return [disk.steps, second.steps];
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`a crash at every step of the first and of the second life loses nothing acknowledged, doubles nothing (seed ${seed})`, async () => {
    const [firstSteps, secondSteps] = await stepsOfTwoLives();
    for (let step = 1; step <= firstSteps + secondSteps; step += 1) {
      const inFirst = step <= firstSteps;
      const crash = (at: number): SimDiskOptions => ({ seed: seed * 100_003 + step, faults: { [at]: 'crash' } });
      const run: Run = { acknowledged: [], inFlight: [], sealed: false };
      let disk = new SimDisk(inFirst ? crash(step) : { seed });
      const died = await diesIn(disk, run, 0);
      assert.equal(died, inFirst);
      // The next life crashes as well: in its recovery, or a little later.
      disk = disk.restart(crash(inFirst ? 1 + ((step * 7 + seed) % 9) : step - firstSteps));
      await diesIn(disk, run, 100);
      disk = disk.restart({ seed });
      assert.equal(await diesIn(disk, run, 200), false);
    }
  });
}
