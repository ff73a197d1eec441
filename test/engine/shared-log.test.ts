/** A log that several processes share: which of them may follow, and what they check before they lead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { OtherMasterKey } from '../../src/engine/identity/master-key.ts';
import { type EngineStartOptions, startEngine, startStandby } from '../../src/engine/start.ts';
import type { LogNews } from '../../src/log/contract/log-source.ts';
import type { LogStorage } from '../../src/log/contract/storage.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { storageOn } from '../support/storage.ts';
import { ALICE, configuration, SEGMENT_BYTES, START_MS, secrets, worldAt } from './support.ts';

const LEADER = { name: 'a test', addresses: undefined };
const [OLD, NEW] = ['ab'.repeat(32), 'cd'.repeat(32)];
const KEYLESS = configuration({ accounts: [{ ...ALICE, keys: [] }] });

/** What the processes of one log have in common. */
class Shared {
  readonly #disk = new SimDisk();
  #news: LogNews | undefined;

  get storage(): LogStorage {
    const watch = (news: LogNews) => {
      this.#news = news;
      queueMicrotask(() => news.onGrown(1));
      return { close() {} };
    };
    return Object.assign(storageOn(this.#disk, { segmentBytes: SEGMENT_BYTES }), { watch });
  }

  grow(seq: number): void {
    this.#news?.onGrown(seq);
  }

  lead(options: Partial<EngineStartOptions> = {}) {
    return startEngine({ ...common, storage: this.storage, ...options });
  }

  async follow(options: Partial<EngineStartOptions> = {}) {
    const fatal: Error[] = [];
    const notices: string[] = [];
    const following = await startStandby(this.storage, LEADER, {
      ...common,
      onFatal: (error) => fatal.push(error),
      onNotice: (text, level) => level === 'error' && notices.push(text),
      ...options,
    });
    return { ...following, fatal, notices };
  }
}

const common = { world: worldAt(() => START_MS), configuration: KEYLESS, secrets };

test('a standby with another master key is refused, though the venue has no API key yet', async () => {
  const log = new Shared();
  const leader = await log.lead({ secrets: new Keyring(OLD) });
  await assert.rejects(log.follow({ secrets: new Keyring(NEW) }), OtherMasterKey);
  await assert.rejects(log.follow({ secrets: new Keyring(NEW) }), /the master key is not the one that the log in/);
  const { standby, fatal } = await log.follow({ secrets: new Keyring(OLD) });
  await standby.stop();
  await leader.stop();
  await assert.rejects(log.lead({ secrets: new Keyring(NEW) }), OtherMasterKey);
  assert.deepEqual(fatal, []);
});

test('after a rotation, a standby that has the old master key alone ends when the leader changes, and cannot lead', async () => {
  const log = new Shared();
  const first = await log.lead({ secrets: new Keyring(OLD) });
  const node = await log.follow({ secrets: new Keyring(OLD) });
  const rotated = await log.follow({ secrets: new Keyring(NEW, OLD) });
  await first.stop();
  await node.leaderChanged();
  assert.deepEqual(node.fatal, []);
  const second = await log.lead({ secrets: new Keyring(NEW, OLD) });
  await node.leaderChanged();
  await rotated.leaderChanged();
  assert.match(String(node.fatal), /^OtherMasterKey: .* every machine needs the new file$/);
  assert.deepEqual(rotated.fatal, []);
  await second.stop();
  const storage = log.storage;
  const owner = await storage.own();
  await assert.rejects(
    node.lead(owner, () => {}),
    OtherMasterKey,
  );
  owner.release();
  await node.standby.stop();
  await rotated.standby.stop();
  const { epoch } = await log.lead({ secrets: new Keyring(NEW, OLD) });
  assert.equal(epoch, 3, 'the refused one wrote nothing');
});

test('a log of an earlier version gets the check from the next leader, unless its API keys need another master key', async () => {
  const log = new Shared();
  const { storage } = log;
  // The log of a folder has no such document.
  const first = await startEngine({
    ...common,
    configuration: configuration(),
    storage: Object.assign(log.storage, { watch: undefined }),
    secrets: new Keyring(OLD),
  });
  await first.stop();
  assert.equal(await storage.documents.has('master-key.sealed'), false);
  await assert.rejects(log.lead({ configuration: undefined, secrets: new Keyring(NEW) }), OtherMasterKey);
  assert.equal(await storage.documents.has('master-key.sealed'), false);
  const second = await log.lead({ configuration: undefined, secrets: new Keyring(OLD) });
  assert.equal(await storage.documents.has('master-key.sealed'), true);
  await second.stop();
});
