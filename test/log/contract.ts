/** What every storage of a log promises, whatever it keeps it in, as tests. A storage of another kind calls `storageContract`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type CommandLog,
  LogDamaged,
  LogFailed,
  LogLocked,
  type Poisoned,
  RulesMismatch,
  SnapshotDamaged,
} from '../../src/log/contract/command-log.ts';
import type { LogEntry, LogOrigin, LogPosition } from '../../src/log/contract/log-source.ts';
import type { SnapshotEntry } from '../../src/log/contract/snapshot-store.ts';
import type { LogStorage, OpenOptions } from '../../src/log/contract/storage.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import { append, sized } from './support.ts';

export interface Rig {
  readonly storage: LogStorage;
  /** The same log as another process sees it. */
  reader(): LogStorage;
  /** Does to the lock what a hand can do; undefined where nobody can. */
  readonly takeLockAway?: () => void;
  /** Changes a bit of a snapshot; undefined where none can change. */
  readonly spoil?: (snapshot: string) => void;
}

export async function open(storage: LogStorage, options: Partial<OpenOptions> = {}): Promise<CommandLog> {
  const owner = await storage.own();
  try {
    return await owner.open({ rulesVersion: '1', ...options });
  } catch (error) {
    owner.release();
    throw error;
  }
}

/** A log over several segments and two epochs, where it has such things: 24 commands, one of them poisoned. */
async function filled(storage: LogStorage): Promise<CommandLog> {
  const first = await open(storage);
  for (let id = 0; id < 6; id += 1) await append(first, sized(id, 10), sized(id, 3000));
  await first.poison(POISONED);
  await first.seal();
  await first.close();
  const log = await open(storage);
  for (let id = 6; id < 12; id += 1) await append(log, sized(id, 10), sized(id, 3000));
  return log;
}

const POISONED: Poisoned = { seq: 12, type: 'place', error: 'planted' };

export async function all(entries: AsyncIterable<LogEntry>): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

export const commandsOf = (entries: readonly LogEntry[]): unknown[] => entries.flatMap(({ commands }) => commands);
/** As from a file: a position is saved as JSON. */
const saved = (position: LogPosition): LogPosition => JSON.parse(JSON.stringify(position));
export const originAt = (position: LogPosition): LogOrigin => ({
  position: saved(position),
  rulesVersion: '1',
  name: 'a test',
});

/** `rigOf` makes a new storage. */
export function storageContract(name: string, rigOf: () => Rig): void {
  describe(name, () => {
    test('what was appended is read back in order, with starts, seals and what is poisoned', async () => {
      const { storage, reader } = rigOf();
      const log = await filled(storage);
      const entries = await all(reader().source.read());
      const expected = Array.from({ length: 12 }, (_, id) => [sized(id, 10), sized(id, 3000)]).flat();
      assert.deepEqual(commandsOf(entries), expected);
      assert.deepEqual(
        entries.filter(({ kind }) => kind !== 'batch').map(({ kind, epoch, firstSeq }) => [kind, epoch, firstSeq]),
        [
          ['start', 1, 1],
          ['poisoned', 1, 13],
          ['seal', 1, 13],
          ['start', 2, 13],
        ],
      );
      assert.deepEqual(entries.find(({ kind }) => kind === 'poisoned')?.poisoned, POISONED);
      assert.equal(entries[0].rulesVersion, '1');
      assert.deepEqual([log.epoch, log.lastSeq, log.lastTimeMs], [2, 24, 1022]);
      await log.close();
    });

    test('the end says where the log ends, and whether it was stopped cleanly', async () => {
      const { storage, reader } = rigOf();
      const endOf = async () => {
        const entries = reader().source.read();
        let step = await entries.next();
        while (!step.done) step = await entries.next();
        return step.value;
      };
      const log = await filled(storage);
      const running = await endOf();
      assert.deepEqual([running.lastSeq, running.epoch, running.timeMs, running.sealed], [24, 2, 1022, false]);
      assert.deepEqual(running.position, log.position);
      assert.ok(running.records >= 16);
      await log.seal({ effects: undefined, hash: 'f00' });
      await log.close();
      assert.equal((await endOf()).sealed, true);
      assert.equal((await all(reader().source.read())).at(-1)?.hash, 'f00');
    });

    test('an empty log has no entry, and an end', async () => {
      const { storage } = rigOf();
      const step = await storage.source.read().next();
      assert.ok(step.done);
      assert.deepEqual([step.value.position, step.value.lastSeq, step.value.records], [undefined, 0, 0]);
      await assert.rejects(open(storage, { mustExist: true }), LogDamaged);
    });

    test('from any position, saved as JSON, the log is read on, and followed on', async () => {
      const { storage, reader } = rigOf();
      const log = await filled(storage);
      const entries = await all(storage.source.read());
      for (const [i, { position, lastSeq }] of entries.entries()) {
        assert.equal(position.seq, lastSeq);
        if (entries[i + 1]?.kind === 'poisoned') {
          const refused = { name: 'LogDamaged', reason: /a poisoned record of seq 12, which is not in the batch/ };
          await assert.rejects(all(reader().source.read(originAt(position))), refused);
          continue;
        }
        const rest = await all(reader().source.read(originAt(position)));
        assert.deepEqual(rest, entries.slice(i + 1));
        const follower = await reader().source.follow(originAt(position));
        assert.deepEqual(follower.position, position);
        assert.deepEqual(await all(follower.available()), entries.slice(i + 1));
      }
      assert.equal(new Set(entries.map(({ position }) => position.hash)).size, entries.length);
      await log.close();
    });

    test('a follower continues as the log does, no further than it may, and does not check what is not there', async () => {
      const { storage, reader } = rigOf();
      const log = await open(storage);
      const follower = await reader().source.follow();
      assert.deepEqual([follower.position], [undefined]);
      await append(log, { id: 1 });
      await append(log, { id: 2 }, { id: 3 });
      assert.deepEqual(commandsOf(await all(follower.take(1))), [{ id: 1 }]);
      assert.deepEqual(follower.position?.seq, 1);
      assert.deepEqual(commandsOf(await all(follower.take(3))), [{ id: 2 }, { id: 3 }]);
      assert.deepEqual(await all(follower.available()), []);
      await assert.rejects(all(follower.take(4)), LogDamaged);
      await append(log, { id: 4 });
      assert.deepEqual(commandsOf(await all(follower.take(4))), [{ id: 4 }]);
      assert.deepEqual(follower.position, log.position);
      await log.close();
    });

    test('a position of another log, or beyond the end, is refused by the name of what was taken there', async () => {
      const [{ storage }, other] = [rigOf(), rigOf()];
      const [log, longer] = [await open(storage), await filled(other.storage)];
      await append(log, { id: 1 });
      for (const { position } of await all(other.storage.source.read())) {
        const refused = (error: unknown): boolean => {
          assert.ok(error instanceof LogDamaged, String(error));
          assert.match(error.reason, /a test/);
          assert.ok(error.place.length > 0 && error.message.includes(error.place));
          return true;
        };
        // Two logs may begin alike.
        if (position.seq === 0) continue;
        await assert.rejects(all(storage.source.read(originAt(position))), refused);
        await assert.rejects(storage.source.follow(originAt(position)), refused);
      }
      await log.close();
      await longer.close();
    });

    test('the log up to a record is smaller than the whole', async () => {
      const { storage } = rigOf();
      const log = await filled(storage);
      const { source } = storage;
      let before = 0;
      for (const { position, kind } of await all(source.read())) {
        const size = await source.size(position);
        assert.ok(size >= before && (size > before || kind !== 'batch' || before === 0));
        before = size;
      }
      assert.ok((await source.size()) >= before);
      await log.close();
    });

    test('one owner at a time: the second learns who has it, and the lock goes with the log', async () => {
      const { storage, reader } = rigOf();
      const log = await open(storage);
      await assert.rejects(reader().own(), (error: unknown) => {
        assert.ok(error instanceof LogLocked);
        assert.match(error.message, /is in use by (?:this process|process \d+ on )/);
        return true;
      });
      await log.close();
      await log.close();
      const owner = await reader().own();
      owner.release();
      owner.release();
      await (await open(storage)).close();
    });

    test('each opening is an epoch, and replays what is behind its origin before anything is written', async () => {
      const { storage } = rigOf();
      await (await filled(storage)).close();
      const entries = await all(storage.source.read());
      const { position } = entries[4];
      const replayed: LogEntry[] = [];
      const log = await open(storage, { origin: originAt(position), replay: (entry) => replayed.push(entry) });
      assert.deepEqual(replayed, entries.slice(5));
      assert.equal(log.epoch, 3);
      await log.close();
      const refusal = new Error('not this one');
      const refuse = (): never => {
        throw refusal;
      };
      await assert.rejects(open(storage, { replay: refuse }), (error) => error === refusal);
      await assert.rejects(open(storage, { state: refuse }), (error) => error === refusal);
      assert.equal((await all(storage.source.read())).length, entries.length + 1, 'a refused start leaves no record');
    });

    test('other rules are refused, but from where a sealed log ends', async () => {
      const { storage } = rigOf();
      await (await filled(storage)).close();
      await assert.rejects(open(storage, { rulesVersion: '2' }), RulesMismatch);
      const log = await open(storage);
      const end = log.position;
      await log.seal();
      await log.close();
      await (await open(storage, { rulesVersion: '2', origin: originAt(end) })).close();
      // These rules have made no command, so the log is as the seal left it, for others and for older ones.
      await (await open(storage, { rulesVersion: '3', origin: originAt(end) })).close();
      const again = await open(storage, { origin: originAt(end) });
      await append(again, { id: 1 });
      await again.close();
      await assert.rejects(open(storage, { rulesVersion: '3', origin: originAt(end) }), RulesMismatch);
    });

    test('a log refuses a gap, an empty batch, and anything behind its seal', async () => {
      const { storage } = rigOf();
      const log = await open(storage);
      await assert.rejects(
        log.append({ firstSeq: 2, timeMs: 0, commands: encodeCommands([{}]) }),
        /must follow the last one/,
      );
      await assert.rejects(
        log.append({ firstSeq: 1, timeMs: 0, commands: encodeCommands([]) }),
        /at least one command/,
      );
      await append(log, { id: 1 });
      await log.seal();
      await assert.rejects(append(log, { id: 2 }), /log that is sealed/);
      await log.close();
      await assert.rejects(append(log, { id: 2 }), /log that is closed/);
    });

    test('where the lock can be taken away, the log looks before each write, and fails', async (t) => {
      const { storage, takeLockAway } = rigOf();
      if (takeLockAway === undefined) return t.skip('nobody can');
      const log = await open(storage);
      await append(log, { id: 1 });
      takeLockAway();
      await assert.rejects(append(log, { id: 2 }), LogFailed);
      assert.deepEqual(commandsOf(await all(storage.source.read())), [{ id: 1 }]);
      await log.close();
    });

    test('snapshots are listed newest first, read as they were written, and go only by name', async () => {
      const { storage, reader } = rigOf();
      const log = await open(storage);
      const { snapshots } = reader();
      assert.deepEqual(await snapshots.list(), []);
      assert.equal(await snapshots.read(7), undefined);
      const written: SnapshotEntry[] = [];
      for (const seq of [7, 123, 20]) {
        const head = { seq, note: 'héad' };
        written.push(await snapshots.write(head, `text ${seq}\nof ünicode \u2028`));
      }
      const [seven, newest, twenty] = written;
      assert.deepEqual(await storage.snapshots.list(), [newest, twenty, seven]);
      const found = await storage.snapshots.read(20);
      assert.deepEqual(found, {
        ...twenty,
        head: { seq: 20, note: 'héad' },
        text: Buffer.from('text 20\nof ünicode \u2028'),
      });
      await snapshots.write({ seq: 20 }, 'another');
      assert.equal(String((await storage.snapshots.read(20))?.text), 'another');
      await snapshots.remove([7, 20]);
      assert.deepEqual(await storage.snapshots.list(), [newest]);
      assert.equal(await storage.snapshots.read(7), undefined);
      await log.close();
    });

    test('where a snapshot can be damaged, it is refused by its name', async (t) => {
      const { storage, spoil } = rigOf();
      if (spoil === undefined) return t.skip('none can');
      const log = await open(storage);
      const written = await storage.snapshots.write({ seq: 3 }, 'a state');
      spoil(written.name);
      assert.deepEqual(await storage.snapshots.list(), [written], 'it is not passed over');
      await assert.rejects(storage.snapshots.read(3), (error: unknown) => {
        assert.ok(error instanceof SnapshotDamaged && error instanceof LogDamaged);
        assert.equal(error.place, written.name);
        assert.match(error.message, /^a snapshot is damaged: /);
        return true;
      });
      const kept = await storage.snapshots.setAside(3);
      assert.notEqual(kept, written.name);
      assert.deepEqual(await storage.snapshots.list(), []);
      assert.equal(await storage.snapshots.read(3), undefined);
      await log.close();
    });

    test('a document is the text that was written last', async () => {
      const { storage, reader } = rigOf();
      const log = await open(storage);
      const { documents } = storage;
      assert.deepEqual([await documents.has('notes.json'), await documents.read('notes.json')], [false, undefined]);
      for (const text of ['first', 'a longer text: ünicode', '']) {
        await documents.write('notes.json', text);
        assert.equal(await reader().documents.read('notes.json'), text);
      }
      assert.equal(await documents.has('notes.json'), true);
      await log.close();
    });
  });
}
