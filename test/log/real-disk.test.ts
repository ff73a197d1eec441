import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LogDamaged, LogFailed, LogLocked } from '../../src/log/contract/command-log.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { FileLog } from '../../src/log/file/file-log.ts';
import { lockFolder } from '../../src/log/file/lock.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import { DEFAULT_SEGMENT_BYTES } from '../../src/log/shared/segment-size.ts';
import { append, sized } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-log-'));
after(() => fs.rmSync(root, { recursive: true }));

test('a log in a real folder: written, sealed, read back, its segments of the default size and private', async () => {
  const folder = join(root, 'round-trip');
  fs.mkdirSync(folder);
  const commands = [sized(1, 10), sized(2, 70_000)];
  for (const command of commands) {
    const log = await FileLog.open(new RealDisk(folder), { rulesVersion: '1' });
    await append(log, command);
    await log.seal();
    await log.close();
  }
  const stat = fs.statSync(join(folder, '00000001.log'));
  assert.equal(stat.size, DEFAULT_SEGMENT_BYTES);
  assert.equal(stat.mode & 0o077, 0);
  assert.deepEqual(
    [...readEntries(new RealDisk(folder))].flatMap((entry) => entry.commands),
    commands,
  );
  const bytes = fs.readFileSync(join(folder, '00000001.log'));
  bytes[5_000_000]! ^= 16;
  fs.writeFileSync(join(folder, '00000001.log'), bytes);
  await assert.rejects(FileLog.open(new RealDisk(folder), { rulesVersion: '1' }), (error: unknown) => {
    return error instanceof LogDamaged && error.place === '00000001.log at offset 5000000';
  });
});

test('a batch for whose sync the thread itself waits is in the log like any other, and its failed sync ends the log', async (t) => {
  const folder = join(root, 'blocking');
  const disk = new RealDisk(folder);
  const lock = disk.lock();
  const log = await FileLog.open(disk, { rulesVersion: '1' });
  const batch = (id: number) => ({ firstSeq: id, timeMs: 1000, commands: encodeCommands([sized(id, 10)]) });
  await log.append({ ...batch(1), mayBlock: true });
  await log.append(batch(2));
  const held = [...readEntries(disk)].flatMap(({ commands }) => commands);
  assert.deepEqual(held, [sized(1, 10), sized(2, 10)]);
  const planted = t.mock.method(process.getBuiltinModule('node:fs'), 'fdatasyncSync', () => {
    throw new Error('EIO: planted');
  });
  syncBuiltinESMExports();
  try {
    await assert.rejects(log.append({ ...batch(3), mayBlock: true }), { name: 'LogFailed' });
  } finally {
    planted.mock.restore();
    syncBuiltinESMExports();
  }
  await assert.rejects(log.append(batch(3)), /a log that is failed/);
  await log.close();
  lock.release();
});

test('a read that fails says of which file, one of a file that is not there gives nothing', () => {
  const disk = new RealDisk(root);
  const unreadable = join(root, '00000007.log');
  fs.mkdirSync(unreadable); // The system opens a folder, and reads nothing of it.
  for (const read of [() => disk.read('00000007.log'), () => disk.readAt('00000007.log', 0, 512)]) {
    assert.throws(read, (error: NodeJS.ErrnoException) => {
      return error.code === 'EISDIR' && error.message.endsWith(`: ${unreadable}`);
    });
  }
  assert.equal(disk.read('00000008.log'), undefined);
});

test('a folder is made private, and its second lock is refused, saying who has it', () => {
  const folder = join(root, 'deep', 'locked');
  const lock = lockFolder(folder);
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  assert.throws(
    () => lockFolder(folder),
    (error: unknown) => {
      assert.ok(error instanceof LogLocked);
      assert.match(
        error.message,
        new RegExp(`locked is in use by process ${process.pid} on .*, started 2.*: stop it first`),
      );
      return true;
    },
  );
  lock.release();
  lockFolder(folder).release();
});

test('a lock whose file was removed, or replaced by another one, is known to be lost', () => {
  const folder = join(root, 'removed');
  const file = join(folder, 'lock');
  const lock = lockFolder(folder);
  lock.check();
  fs.rmSync(file);
  assert.throws(() => lock.check(), /the lock of the data folder is lost: .*lock was removed or replaced/);
  const second = lockFolder(folder);
  assert.throws(() => lock.check(), LogFailed);
  second.check();
  second.release();
  lock.release();
});

test('the lock of a killed process is free at once', async () => {
  const folder = join(root, 'killed');
  const script = `const { lockFolder } = await import(${JSON.stringify(import.meta.resolve('../../src/log/file/lock.ts'))});
    lockFolder(${JSON.stringify(folder)}); gc(); process.stdout.write('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    assert.throws(() => lockFolder(folder), new RegExp(`in use by process ${child.pid} on`));
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  lockFolder(folder).release();
});

test('a folder with files of others is refused, and stays readable for them', () => {
  const folder = join(root, 'of-others');
  fs.mkdirSync(folder, { mode: 0o755 });
  fs.writeFileSync(join(folder, 'passwd'), '');
  assert.throws(() => lockFolder(folder), /of-others has "passwd" in it, and no venue: give an empty folder/);
  assert.equal(fs.statSync(folder).mode & 0o777, 0o755);
  assert.deepEqual(fs.readdirSync(folder), ['passwd']);
  fs.mkdirSync(join(folder, 'lock'));
  assert.throws(() => lockFolder(folder), /of-others has "passwd" in it/);
  fs.rmdirSync(join(folder, 'lock'));
  fs.rmSync(join(folder, 'passwd'));
  fs.mkdirSync(join(folder, 'lost+found'));
  lockFolder(folder).release();
});
