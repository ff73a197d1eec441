/** A log that several processes share: which of them may follow, and what they check before they lead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { LossRefused } from '../../src/engine/identity/loss.ts';
import { OtherMasterKey } from '../../src/engine/identity/master-key.ts';
import { OtherVenue } from '../../src/engine/identity/venue-id.ts';
import { type EngineStartOptions, startEngine, startStandby } from '../../src/engine/start.ts';
import type { LogNews } from '../../src/log/contract/log-source.ts';
import type { LogStorage } from '../../src/log/contract/storage.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { storageOn } from '../support/storage.ts';
import { ALICE, configuration, SEGMENT_BYTES, START_MS, secrets, worldAt } from './support.ts';

const LEADER = { name: 'a test', addresses: undefined };
const [OLD, NEW] = ['ab'.repeat(32), 'cd'.repeat(32)];
const KEYLESS = configuration({ accounts: [{ ...ALICE, keys: [] }] });

const LEADS = { beforeCommands: () => {}, hasGivenUp: () => false };

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
    return Object.assign(following, { fatal, notices });
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
  await assert.rejects(node.lead(owner, LEADS), OtherMasterKey);
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

const DAVE = { ...ALICE, name: 'dave', keys: [] };
const WITH_DAVE = configuration({ accounts: [{ ...ALICE, keys: [] }, DAVE] });

test('a standby with an older configuration says so when a leader with a newer one comes, and leads all the same', async () => {
  const log = new Shared();
  const first = await log.lead();
  const node = await log.follow();
  await first.stop();
  await node.leaderChanged();
  assert.equal(node.configurationProblem, undefined);
  const second = await log.lead({ configuration: WITH_DAVE });
  await node.leaderChanged();
  await node.leaderChanged();
  const words = /^the configuration of this standby is not that of the log; restart it .* accounts\[dave\] is missing/s;
  assert.match(String(node.configurationProblem), words);
  assert.equal(node.notices.length, 1);
  await second.stop();
  await assert.rejects(log.follow(), /accounts\[dave\] is missing/);
  await node.lead(await log.storage.own(), LEADS);
  assert.match(String(node.configurationProblem), /^this process leads without its configuration.*accounts\[dave\]/s);
  assert.deepEqual(node.notices.slice(1), [node.configurationProblem]);
  assert.ok(node.engine.venue.accountByName('dave') !== undefined);
  const reply = await node.engine.submit({ v: 1, type: 'createAccount', name: 'erin', fees: {} });
  assert.equal(reply.refusal, null);
  await node.engine.stop();
  const third = await log.lead({ configuration: WITH_DAVE });
  await third.stop();
  assert.deepEqual(node.fatal, []);
});

test('a standby whose new account was added manually meanwhile leads without adding it, and is refused at its next start', async () => {
  const log = new Shared();
  const leader = await log.lead();
  const node = await log.follow({ configuration: WITH_DAVE });
  await leader.submit({ v: 1, type: 'createAccount', name: 'dave', fees: {} });
  await leader.stop();
  await node.lead(await log.storage.own(), LEADS);
  assert.match(String(node.configurationProblem), /leads without its configuration.*accounts\[dave\] already exists/s);
  assert.equal(node.engine.venue.counts().accounts, 2);
  await node.engine.stop();
  await assert.rejects(log.follow({ configuration: WITH_DAVE }), /accounts\[dave\] already exists/);
});

test('a standby adds what is new in its configuration when it leads', async () => {
  const log = new Shared();
  const leader = await log.lead();
  const node = await log.follow({ configuration: WITH_DAVE });
  await leader.stop();
  await node.lead(await log.storage.own(), LEADS);
  assert.equal(node.configurationProblem, undefined);
  assert.ok(node.engine.venue.accountByName('dave') !== undefined);
  await node.engine.stop();
});

test('a standby on the data folder of another venue is refused by name, however far that archive reaches', async () => {
  const log = new Shared();
  const leader = await log.lead({ venueId: 'a'.repeat(32) });
  const archive = (seq: number, venueId: string) => ({ witness: () => ({ name: 'archive.db', seq, venueId }) });
  for (const seq of [0, 1000]) {
    const words =
      /^OtherVenue: archive.db belongs to another venue: its id is b+, but the command log, bourse.json has a+/;
    await assert.rejects(log.follow(archive(seq, 'b'.repeat(32))), (error) => {
      assert.ok(error instanceof OtherVenue);
      assert.match(String(error), words);
      return true;
    });
  }
  await assert.rejects(log.follow(archive(1000, 'a'.repeat(32))), LossRefused);
  await leader.stop();
});
