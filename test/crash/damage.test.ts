/** Flipped bits in the logs of real venues, one killed and one stopped: each is refused with file and offset. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { verify } from '../../src/engine/replay/inspect.ts';
import { LogDamaged } from '../../src/log/contract/command-log.ts';
import { seeded } from '../sim/seeded.ts';
import { parsePlace } from '../support/storage.ts';
import { bourse, scratch, startArguments, VenueProcess } from './process.ts';

const FLIPS = 100;
const SEED = 7;
const killed = join(scratch, 'was-killed');
const stopped = join(scratch, 'was-stopped');

before(async () => {
  const venue = await VenueProcess.start(killed, '--segment-size', '16384');
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  const place = (id: number) =>
    venue.alice.placeSpotOrder({
      symbol: 'BTC-USDT',
      orderSide: 'BUY',
      orderType: 'LIMIT',
      orderPrice: 95_000,
      orderSize: 0.001,
      clOrderId: `order-${id}`,
    });
  for (let round = 0; round < 30; round += 1) await Promise.all([1, 2, 3, 4].map((i) => place(4 * round + i)));
  await venue.kill();
  fs.cpSync(killed, stopped, { recursive: true });
  const again = await VenueProcess.start(stopped, '--segment-size', '16384');
  assert.equal(await again.stop(), 0);
});

function logFiles(folder: string): string[] {
  const files = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .sort();
  assert.ok(files.length > 1, 'the log should have several segments');
  return files;
}

/** Flips the bit, runs `act`, and flips the bit back. */
async function flipped(path: string, bit: number, act: () => void | Promise<void>): Promise<void> {
  const bytes = fs.readFileSync(path);
  const turn = (): void => {
    bytes[bit >> 3] ^= 1 << (bit & 7);
    fs.writeFileSync(path, bytes);
  };
  turn();
  try {
    await act();
  } finally {
    turn();
  }
}

for (const [what, folder] of [
  ['killed', killed],
  ['stopped', stopped],
]) {
  test(`${FLIPS} random flipped bits in the log of a ${what} venue are refused with file and offset (seed ${SEED})`, async () => {
    const sound = await verify(folder);
    const files = logFiles(folder);
    const random = seeded(SEED);
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const file = files[Math.floor(random() * files.length)];
      const bit = Math.floor(random() * fs.statSync(join(folder, file)).size * 8);
      await flipped(join(folder, file), bit, () => {
        return assert.rejects(verify(folder), (error: unknown) => {
          assert.ok(error instanceof LogDamaged, `bit ${bit} of ${file}: ${String(error)}`);
          const place = parsePlace(error.place);
          assert.deepEqual([place.file, place.offset <= bit >> 3], [file, true]);
          return true;
        });
      });
    }
    assert.deepEqual(await verify(folder), sound);
  });

  test(`a flipped bit in the log of a ${what} venue: verify and start exit with a failure that names file and offset`, async () => {
    const [file] = logFiles(folder);
    await flipped(join(folder, file), 700 * 8 + 3, () => {
      for (const args of [['verify', folder], startArguments(folder)]) {
        const { status, stdout, stderr } = bourse(...args);
        assert.deepEqual([status, stdout], [1, ''], stderr);
        assert.match(stderr, new RegExp(`${file} at offset 512\\b`));
      }
    });
  });
}

test('a log that was stopped cleanly and is shortened after is refused by a start', () => {
  const folder = join(scratch, 'shortened');
  fs.cpSync(stopped, folder, { recursive: true });
  const last = join(folder, logFiles(folder).at(-1) as string);
  const bytes = fs.readFileSync(last);
  const end = bytes.findLastIndex((byte) => byte !== 0);
  fs.writeFileSync(last, bytes.fill(0, end - 511));
  const { status, stderr } = bourse(...startArguments(folder));
  assert.equal(status, 1);
  assert.match(stderr, /the log ends here, in epoch \d+ at seq \d+, without the seal/);
});
