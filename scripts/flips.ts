/**
 * `npm run flips -- --count N [--real N] [--seed S]`: N random flipped bits in log, snapshots, archive and
 * `bourse.json` of small data folders, started in this process, and as many as `--real` says by `bourse start`
 * (test/crash/flips/flips.ts). Each must be refused by name, reported, repaired or removed, or affect no answer.
 * Otherwise the exit code is 1, with the file and the bit.
 */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Flips, type Start } from '../test/crash/flips/flips.ts';
import { makeFolders } from '../test/crash/flips/folders.ts';
import { startsInProcess } from '../test/crash/flips/outcome.ts';
import { startsForReal } from '../test/crash/flips/real-start.ts';
import { endAll, scratch } from '../test/crash/venue-process.ts';

const PROGRESS_EVERY_MS = 10_000;
/** A folder in memory, if the system has one: nothing here needs to survive the machine. */
const IN_MEMORY = '/dev/shm';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    real: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
});

function whole(name: 'count' | 'real' | 'seed'): number {
  const value = Number(values[name]);
  if (values[name] !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} takes a whole number, not ${values[name]}`);
  process.exit(2);
}

const [count, real, seed] = [whole('count'), whole('real'), whole('seed')];
const copies = fs.mkdtempSync(join(fs.existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'bourse-flips-'));
try {
  const folders = await makeFolders(scratch);
  await run('in this process', count, startsInProcess(folders));
  await run('by bourse start', real, startsForReal(scratch, folders));

  async function run(how: string, flips: number, start: Start): Promise<void> {
    if (flips === 0) return;
    const begunMs = performance.now();
    let shownMs = begunMs;
    const damaged = new Flips(folders, join(copies, 'damaged'), start);
    try {
      await damaged.run(flips, seed, (done) => {
        if (performance.now() - shownMs < PROGRESS_EVERY_MS) return;
        shownMs = performance.now();
        console.error(`${how}: ${done} of ${flips} flips`);
      });
    } finally {
      console.table(damaged.table);
    }
    const seconds = ((performance.now() - begunMs) / 1000).toFixed(1);
    console.log(`${how}: ${flips} flips from seed ${seed}, none visible in an answer, ${seconds} s`);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  fs.rmSync(copies, { recursive: true, force: true });
  await endAll();
}
