import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LogDamaged } from '../../src/log/contract/command-log.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { END_MARK, SECTOR_BYTES } from '../../src/log/shared/frame.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { parsePlace } from '../support/storage.ts';
import { append, commandsOn, openLog, order, SEGMENT_BYTES, sized } from './support.ts';

const FIRST = '00000001.log';
const SECOND = '00000002.log';

interface Built {
  files: Map<string, Buffer>;
  commands: unknown[];
  /** Those before the last batch. */
  earlier: unknown[];
}

/** A small log: frames of one, two and three sectors. The last batch has orders, field by field, and the others JSON. */
async function build(options: { sealed: boolean; batches?: unknown[][] }): Promise<Built> {
  const disk = new SimDisk();
  const log = await openLog(disk);
  const orders = Array.from({ length: 24 }, (_, i) => order(i));
  const batches = options.batches ?? [[{ id: 1 }, { id: 2 }], [sized(3, 700)], [{ id: 4 }], orders];
  for (const batch of batches) await append(log, ...batch);
  if (options.sealed) await log.seal();
  const files = new Map(disk.names().map((name) => [name, disk.read(name)!]));
  return { files, commands: batches.flat(), earlier: batches.slice(0, -1).flat() };
}

function diskOf(built: Built): SimDisk {
  const disk = new SimDisk();
  for (const [name, bytes] of built.files) disk.create(name).write(bytes, 0);
  return disk;
}

/** A disk, one file of which is the given buffer, which may change between two readings. */
class DiskOf extends SimDisk {
  readonly #disk: SimDisk;
  readonly #file: string;
  readonly #bytes: Buffer;

  constructor(disk: SimDisk, file: string, bytes: Buffer) {
    super();
    this.#disk = disk;
    this.#file = file;
    this.#bytes = bytes;
  }

  override names(): string[] {
    return this.#disk.names();
  }

  override read(name: string): Buffer | undefined {
    return name === this.#file ? this.#bytes : this.#disk.read(name);
  }
}

function readFailure(disk: SimDisk): unknown {
  try {
    for (const _entry of readEntries(disk));
    return undefined;
  } catch (error) {
    return error;
  }
}

let crashed: Built;
let sealed: Built;
before(async () => {
  crashed = await build({ sealed: false });
  sealed = await build({ sealed: true });
});

for (const kind of ['crashed', 'sealed'] as const) {
  test(`every flipped bit of a ${kind} log is refused with file and offset, in its padding too`, () => {
    const built = kind === 'crashed' ? crashed : sealed;
    const bytes = Buffer.from(built.files.get(FIRST)!);
    const disk = diskOf(built);
    const shown = new DiskOf(disk, FIRST, bytes);
    const lastFrameEnd = bytes.lastIndexOf(END_MARK) + END_MARK.length;
    for (let bit = 0; bit < bytes.length * 8; bit += bit < lastFrameEnd * 8 ? 1 : 7) {
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      const error = readFailure(shown);
      assert.ok(error instanceof LogDamaged, `bit ${bit} of byte ${bit >> 3}: ${String(error)}`);
      const { file, offset } = parsePlace(error.place);
      assert.equal(file, FIRST);
      assert.ok(offset <= bit >> 3, `bit ${bit}: offset ${offset}`);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
    }
    assert.equal(readFailure(shown), undefined);
  });
}

test('a flipped bit is refused by a start, which changes nothing', async () => {
  const disk = diskOf(crashed);
  disk.tamper(FIRST, (bytes) => {
    bytes[SECTOR_BYTES + 100]! ^= 4;
    return bytes;
  });
  const before = disk.read(FIRST)!;
  const found: unknown[] = [];
  await assert.rejects(openLog(disk, found), (error: unknown) => {
    assert.ok(error instanceof LogDamaged);
    assert.match(error.message, /^the command log is damaged: 00000001\.log at offset 512: /);
    return true;
  });
  assert.deepEqual(disk.read(FIRST), before);
});

test('an unfinished last batch of every length is cut, and the log goes on', async () => {
  const bytes = crashed.files.get(FIRST)!;
  const end = bytes.lastIndexOf(END_MARK) + END_MARK.length;
  const begin = end - 3 * SECTOR_BYTES;
  for (let length = 0; length < end - begin; length += 1) {
    const disk = diskOf(crashed);
    disk.tamper(FIRST, (whole) => whole.fill(0, begin + length));
    const found: unknown[] = [];
    const log = await openLog(disk, found);
    assert.deepEqual(found, crashed.earlier, `${length} bytes of it`);
    await append(log, { id: 6 });
    assert.deepEqual(commandsOn(disk), [...crashed.earlier, { id: 6 }]);
  }
});

test('any sectors missing of the last batch are an unfinished batch, any missing of an earlier one are damage', () => {
  const bytes = crashed.files.get(FIRST)!;
  const end = bytes.lastIndexOf(END_MARK) + END_MARK.length;
  const begin = end - 3 * SECTOR_BYTES;
  for (let missing = 1; missing < 8; missing += 1) {
    const disk = diskOf(crashed);
    disk.tamper(FIRST, (whole) => {
      for (let sector = 0; sector < 3; sector += 1) {
        const at = begin + sector * SECTOR_BYTES;
        if (missing & (1 << sector)) whole.fill(0, at, at + SECTOR_BYTES);
      }
      return whole;
    });
    assert.deepEqual(commandsOn(disk), crashed.earlier);
  }
  for (let sector = 0; sector * SECTOR_BYTES < begin; sector += 1) {
    const disk = diskOf(crashed);
    disk.tamper(FIRST, (whole) => whole.fill(0, sector * SECTOR_BYTES, (sector + 1) * SECTOR_BYTES));
    assert.ok(readFailure(disk) instanceof LogDamaged, `sector ${sector}`);
  }
});

test('a sealed log that is shortened anywhere, by truncation or by zeros, is refused', () => {
  const bytes = sealed.files.get(FIRST)!;
  const end = bytes.lastIndexOf(END_MARK) + END_MARK.length;
  for (let length = 0; length < end; length += 64) {
    for (const shorten of [(whole: Buffer) => whole.subarray(0, length), (whole: Buffer) => whole.fill(0, length)]) {
      const disk = diskOf(sealed);
      disk.tamper(FIRST, shorten);
      assert.ok(readFailure(disk) instanceof LogDamaged, `${length} bytes`);
    }
  }
  const gone = diskOf(sealed);
  gone.tamper(FIRST, () => undefined);
  assert.match(String(readFailure(gone)), /00000001\.log at offset 0: the log ends here, .* without the seal/);
});

test('a log after a crash that is truncated, even between two batches, is refused', () => {
  const bytes = crashed.files.get(FIRST)!;
  for (let length = 0; length < bytes.length; length += 256) {
    const disk = diskOf(crashed);
    disk.tamper(FIRST, (whole) => whole.subarray(0, length));
    assert.ok(readFailure(disk) instanceof LogDamaged, `${length} bytes`);
  }
});

test('a seal file that says anything else than the log is refused', () => {
  for (const at of [3, 12, 20, 60]) {
    const disk = diskOf(sealed);
    disk.tamper('sealed', (text) => {
      text[at]! ^= 1;
      return text;
    });
    assert.ok(readFailure(disk) instanceof LogDamaged);
  }
});

test('frames that were swapped, repeated or taken from elsewhere are refused', () => {
  const one = SECTOR_BYTES;
  for (const [from, to] of [
    [0, one],
    [one, 0],
    [4 * one, one],
  ] as const) {
    const disk = diskOf(crashed);
    disk.tamper(FIRST, (whole) => {
      whole.copy(whole, to, from, from + one);
      return whole;
    });
    assert.ok(readFailure(disk) instanceof LogDamaged, `${from} to ${to}`);
  }
});

test('every flipped bit of a segment that is ready but not yet in use is refused with its file and offset', async () => {
  const unused = Buffer.alloc(SEGMENT_BYTES);
  const disk = diskOf(crashed);
  disk.create(SECOND).write(unused, 0);
  const shown = new DiskOf(disk, SECOND, unused);
  assert.equal(readFailure(shown), undefined);
  for (let bit = 0; bit < unused.length * 8; bit += bit < SECTOR_BYTES * 8 ? 1 : 61) {
    unused[bit >> 3]! ^= 1 << (bit & 7);
    const error = readFailure(shown);
    assert.ok(error instanceof LogDamaged, `bit ${bit}: ${String(error)}`);
    assert.deepEqual(parsePlace(error.place), { file: SECOND, offset: bit >> 3 });
    unused[bit >> 3]! ^= 1 << (bit & 7);
  }
});

test('segments: a missing one is refused wherever it was, an unused last one is fine', async () => {
  const batches = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => [sized(id, 5000)]);
  const built = await build({ sealed: false, batches });
  const segments = [...built.files.keys()].sort();
  assert.ok(segments.length >= 4, segments.join());
  for (const name of segments) {
    const disk = diskOf(built);
    disk.tamper(name, () => undefined);
    const error = readFailure(disk);
    assert.ok(error instanceof LogDamaged);
    assert.match(error.message, new RegExp(`${name} at offset 0: this segment is missing`));
  }
  const disk = diskOf(built);
  const unused = `0000000${segments.length + 1}.log`;
  disk.create(unused).write(Buffer.alloc(SEGMENT_BYTES), 0);
  assert.deepEqual(commandsOn(disk), built.commands);
  const log = await openLog(disk);
  assert.ok(!disk.names().includes(unused));
  for (let id = 10; id < 14; id += 1) await append(log, sized(id, 5000));
  assert.equal(commandsOn(disk).length, 13);
});

test('a full segment that lost its end, with another one behind it, is refused', async () => {
  const batches = [1, 2, 3, 4].map((id) => [sized(id, 5000)]);
  const built = await build({ sealed: false, batches });
  const disk = diskOf(built);
  const end = built.files.get(FIRST)!.lastIndexOf(END_MARK) + END_MARK.length;
  disk.tamper(FIRST, (whole) => whole.fill(0, end - SECTOR_BYTES));
  assert.ok(built.files.has(SECOND));
  assert.match(
    String(readFailure(disk)),
    /00000001\.log at offset \d+: no complete frame here, but 00000002\.log holds more/,
  );
});

test('a log that grows while it is read is read on, never called damaged', async () => {
  const disk = new SimDisk();
  const log = await openLog(disk);
  const expected: unknown[] = [];
  const write = async (): Promise<void> => {
    for (let id = 0; id < 5; id += 1) {
      await append(log, sized(id, 4000));
      expected.push(sized(id, 4000));
    }
  };
  await write();
  const found: unknown[] = [];
  let grown = false;
  for (const entry of readEntries(disk)) {
    found.push(...entry.commands);
    if (found.length === 2 && !grown) {
      grown = true;
      await write();
    }
  }
  assert.deepEqual(found, expected.slice(0, found.length));
  assert.ok(found.length >= 5);
});
