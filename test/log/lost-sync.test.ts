/** A sync that failed leaves in the cache what is not on the disk: the next process reads it there, and must not trust it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogFailed } from '../../src/log/contract/command-log.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { append, commandsOn, openLog, sized } from './support.ts';

const FIRST = sized(1, 3000);
const SECOND = sized(2, 6000);
const THIRD = sized(3, 100);

test('the last frame is made durable again before the start record follows it', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const probe = new SimDisk();
    const probed = await openLog(probe);
    await append(probed, FIRST);
    const before = probe.steps;
    await append(probed, SECOND);
    const disk = new SimDisk({ seed, faults: { [before + 2]: 'loseSync' } });
    const log = await openLog(disk);
    await append(log, FIRST);
    await assert.rejects(append(log, SECOND), LogFailed);
    const next = disk.nextProcess({ seed });
    const found: unknown[] = [];
    const again = await openLog(next, found);
    assert.deepEqual(found, [FIRST, SECOND], 'the cache holds what the failed sync did not write');
    await append(again, THIRD);
    assert.deepEqual(commandsOn(next.restart()), [FIRST, SECOND, THIRD], `seed ${seed}`);
  }
});

test('the same holds for the frame that ends a segment, wherever a sync fails', async () => {
  const run = async (disk: SimDisk) => {
    const log = await openLog(disk);
    for (let id = 0; id < 14; id += 1) await append(log, sized(id, 3000));
  };
  const probe = new SimDisk();
  await run(probe);
  let failed = 0;
  for (let step = 1; step <= probe.steps; step += 1) {
    const disk = new SimDisk({ seed: step, faults: { [step]: 'loseSync' } });
    try {
      await run(disk);
      continue;
    } catch (error) {
      assert.ok(error instanceof LogFailed);
    }
    failed += 1;
    const next = disk.nextProcess({ seed: step });
    const found: unknown[] = [];
    await append(await openLog(next, found), THIRD);
    assert.deepEqual(commandsOn(next.restart()), [...found, THIRD], `step ${step}`);
  }
  assert.ok(failed > 20, `${failed} failed syncs`);
});

test('the zeros behind the last frame are made durable again, too: what was torn there does not come back', async () => {
  const probe = new SimDisk();
  await append(await openLog(probe), FIRST);
  const torn = probe.steps;
  let failed = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    for (let step = 1; step <= 5; step += 1) {
      const disk = new SimDisk({ seed, faults: { [torn + 2]: 'crash' } });
      const log = await openLog(disk);
      await append(log, FIRST);
      await assert.rejects(append(log, SECOND));
      const cutting = disk.restart({ seed, faults: { [step]: 'loseSync' } });
      try {
        await openLog(cutting);
        continue;
      } catch (error) {
        assert.ok(error instanceof LogFailed);
      }
      failed += 1;
      const next = cutting.nextProcess({ seed });
      const found: unknown[] = [];
      await append(await openLog(next, found), THIRD);
      assert.deepEqual(commandsOn(next.restart()), [...found, THIRD], `seed ${seed}, step ${step}`);
    }
  }
  assert.ok(failed >= 40, `${failed} failed syncs`);
});
