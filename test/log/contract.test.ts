/** The contract of storages over a real folder, a simulated disk and memory. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RealDisk } from '../../src/log/file/disk.ts';
import { FileStorage } from '../../src/log/file/file-storage.ts';
import { memoryStorage } from '../../src/log/open.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { all, commandsOf, open, originAt, type Rig, storageContract } from './contract.ts';
import { append, SEGMENT_BYTES } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-contract-'));
after(() => fs.rmSync(root, { recursive: true }));

const OPTIONS = { segmentBytes: SEGMENT_BYTES };
const STORAGES: Record<string, () => Rig> = {
  'a folder': () => {
    const folder = fs.mkdtempSync(join(root, 'folder-'));
    return {
      storage: new FileStorage(new RealDisk(folder), OPTIONS),
      reader: () => new FileStorage(new RealDisk(folder), OPTIONS),
      takeLockAway: () => fs.rmSync(join(folder, 'lock')),
      spoil: (snapshot) => {
        const bytes = fs.readFileSync(join(folder, snapshot));
        bytes[10] ^= 1;
        fs.writeFileSync(join(folder, snapshot), bytes);
      },
    };
  },
  'a simulated disk': () => {
    const disk = new SimDisk();
    return {
      storage: new FileStorage(disk, OPTIONS),
      reader: () => new FileStorage(disk, OPTIONS),
      takeLockAway: () => disk.takeLockAway(),
      spoil: (snapshot) =>
        disk.tamper(snapshot, (bytes) => {
          bytes[10] ^= 1;
          return bytes;
        }),
    };
  },
  memory: () => {
    const storage = memoryStorage();
    return { storage, reader: () => storage };
  },
};

for (const [name, rigOf] of Object.entries(STORAGES)) storageContract(name, rigOf);

test('a log in memory lets go of what a snapshot holds, and says so to anyone who begins before it', async () => {
  const storage = memoryStorage();
  const log = await open(storage);
  for (let id = 0; id < 4; id += 1) await append(log, { id });
  const { position } = log;
  await append(log, { id: 4 });
  storage.forget(position);
  assert.deepEqual(commandsOf(await all(storage.source.read(originAt(position)))), [{ id: 4 }]);
  await assert.rejects(all(storage.source.read()), /records up to 5 are not kept: a snapshot holds them/);
});
