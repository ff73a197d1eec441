/**
 * `GET /state` and `GET /audit` read everything that the venue holds. On all but small venues the archive's thread does
 * it, and the venue's own thread goes on.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FolderArchive } from '../../src/archive/archive.ts';
import { ControlClient } from '../../src/client/control.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import { stateHash } from '../../src/engine/replay/log-replayer.ts';
import { type RunningVenue, type StartOptions, start } from '../../src/start.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { WholeState } from '../../src/whole-state.ts';
import { answered } from '../support/answered.ts';
import { STARTED_BY_TEST } from '../support/started.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-whole-'));
after(() => fs.rmSync(root, { recursive: true }));

/** So many commands make a venue that is not small. */
const MANY = 2100;
const ACCOUNTS = ['alice', 'bob'].map((name) => ({ name, balances: { USDT: 1_000_000, BTC: 100 } }));

async function withVenue(
  data: string | null,
  act: (running: RunningVenue, control: ControlClient) => Promise<void>,
  more: Partial<StartOptions> = {},
): Promise<void> {
  const running = await start({
    ...STARTED_BY_TEST,
    configuration: readConfiguration({ accounts: ACCOUNTS }),
    data,
    masterKeys: ['1'.repeat(64)],
    segmentBytes: 1 << 20,
    clock: 'manual',
    seed: 1,
    ...more,
  });
  try {
    await act(running, new ControlClient({ url: running.control, token: running.controlToken }));
  } finally {
    await running.stop();
  }
}

/** Commands that leave the venue as large as it is: prices, and an order of alice that rests. */
async function grow({ engine }: RunningVenue, commands = MANY): Promise<void> {
  const all = Array.from({ length: commands }, (_, i) =>
    engine.submit({ v: 1, type: 'setPrices', market: 0, index: 1_000_000_000 + (i % 7), byHand: true }),
  );
  const head = {
    v: 1,
    type: 'place',
    account: 0,
    market: 0,
    side: 0,
    clientId: null,
    request: null,
    broker: null,
  } as const;
  const terms = { kind: 'limit', price: 1_000_000, size: 1000, timeInForce: 'GTC', postOnly: false, reduceOnly: false };
  all.push(engine.submit({ ...head, ...terms } as never));
  for (const { refusal } of await Promise.all(all)) assert.equal(refusal, null);
}

/** The venue of the venue's own thread cannot be read as a whole any more. Returns its hash. */
function closed(venue: Venue): string {
  const hash = stateHash(venue);
  const refuse = (): never => assert.fail('the whole state is read in the venue’s own thread');
  Object.assign(venue, { canonical: refuse, audit: refuse });
  return hash;
}

/** The venue's thread can read it again: a stop needs the hash. */
function reopened(venue: Venue): void {
  for (const name of ['canonical', 'audit']) Reflect.deleteProperty(venue, name);
}

test('a larger venue is read beside it, at the seq that the answer names', async () => {
  await withVenue(join(root, 'beside'), async (running, control) => {
    const { venue } = running.engine;
    await grow(running);
    const { seq, timeMs } = venue;
    const hash = closed(venue);
    assert.deepEqual(await answered(() => control.state()), { seq, time: timeMs, epoch: 1, hash, ...venue.counts() });
    const audit = await answered(() => control.audit());
    reopened(venue);
    assert.deepEqual([audit.seq, audit.ok, audit.orders], [seq, true, { checked: 1, bad: 0 }]);
    const { currencies } = audit as unknown as { currencies: Record<string, { reserved: string; difference: string }> };
    assert.deepEqual([currencies.USDT.reserved, currencies.USDT.difference], ['1000', '0']);
  });
});

test('a small venue, and one in memory, are read at once', async () => {
  for (const [folder, commands] of [
    [join(root, 'small'), 10],
    [null, MANY],
  ] as const) {
    await withVenue(folder, async (running, control) => {
      await grow(running, commands);
      const { venue } = running.engine;
      const { seq, hash } = await control.state();
      assert.deepEqual([seq, hash], [venue.seq, stateHash(venue)]);
      assert.equal((await control.audit()).seq, seq);
    });
  }
});

test('a reading has every command that was answered before it, however many are asked at once', async () => {
  await withVenue(join(root, 'current'), async (running, control) => {
    await grow(running);
    const hashes = new Map<number, string>();
    const readings: Promise<void>[] = [];
    for (let round = 1; round <= 8; round += 1) {
      await control.setPrices('BTC-USDT', { index: 100_000 + round });
      const { venue } = running.engine;
      const leastSeq = venue.seq;
      hashes.set(leastSeq, stateHash(venue));
      readings.push(
        answered(() => control.state()).then(({ seq, hash }) => {
          assert.ok(seq >= leastSeq, `${seq} is before ${leastSeq}`);
          assert.equal(hash, hashes.get(seq), `at ${seq}`);
        }),
        answered(() => control.audit()).then(({ seq, ok }) => assert.deepEqual([seq >= leastSeq, ok], [true, true])),
      );
    }
    await Promise.all(readings);
  });
});

test('after a reset and after a return to a snapshot, the reading is of the state that is there', async () => {
  await withVenue(join(root, 'replaced'), async (running, control) => {
    await grow(running);
    await control.save('here');
    const saved = await answered(() => control.state());
    await control.reset();
    const fresh = await answered(() => control.state());
    assert.equal(fresh.orders, 0);
    assert.equal(fresh.hash, stateHash(running.engine.venue));
    await control.restore('here');
    const { hash, seq } = await answered(() => control.state());
    assert.deepEqual([hash, seq], [saved.hash, running.engine.venue.seq]);
  });
});

test('while the archive is out of service, the state is read from a replica of the log', async () => {
  const folder = join(root, 'unopenable');
  await withVenue(folder, async (running) => grow(running));
  const path = join(folder, ARCHIVE_FILE);
  fs.rmSync(path);
  fs.mkdirSync(path);
  await withVenue(folder, async (running, control) => {
    await control.setPrices('BTC-USDT', { index: 99_000 });
    const { venue } = running.engine;
    const hash = closed(venue);
    const read = await answered(() => control.state());
    assert.deepEqual([read.seq, read.hash, read.epoch], [venue.seq, hash, 2]);
    assert.equal((await answered(() => control.audit())).ok, true);
    reopened(venue);
    const health = (await control.request('GET', '/health').catch(({ body }) => body)) as { reasons: string[] };
    assert.match(health.reasons[0], /^the archive failed and will be retried: EISDIR/);
    fs.rmdirSync(path);
  });
});

test('without the archive’s thread a larger venue says why it cannot be read, and a small one is read', async () => {
  const failing = join(root, 'failing.mjs');
  fs.writeFileSync(failing, "throw new Error('planted');");
  const archive = new FolderArchive({ folder: root, seq: 0, thread: pathToFileURL(failing), onNotice: () => {} });
  await withVenue(null, async (running) => {
    const whole = new WholeState(running.engine, archive);
    assert.equal((await whole.state()).hash, stateHash(running.engine.venue));
    assert.equal((await whole.audit()).audit.ok, true);
    await grow(running);
    const why = { name: 'ArchiveBusy', message: /the archive's thread failed and is restarted: planted/ };
    await assert.rejects(whole.state(), why);
    await assert.rejects(whole.audit(), why);
    // Those who ask while one is in progress share the next.
    const asked = await Promise.allSettled([whole.state(), whole.state(), whole.state()]);
    assert.deepEqual(
      asked.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
  });
  await archive.close();
});

test('a state that cannot be read is refused alone: the archive stays in service', async () => {
  const folder = join(root, 'unreadable');
  const thread = new URL('../../src/archive/thread/worker.ts', import.meta.url);
  const venue = new URL('../../src/venue/venue.ts', import.meta.url);
  const failing = join(root, 'unreadable.mjs');
  fs.writeFileSync(
    failing,
    `import { Venue } from ${JSON.stringify(venue.href)};
    Venue.prototype.canonical = () => { throw new RangeError('Invalid string length'); };
    await import(${JSON.stringify(thread.href)});`,
  );
  let seq = 0;
  await withVenue(folder, async (running) => {
    await grow(running, 5);
    seq = running.engine.venue.seq;
  });
  const archive = new FolderArchive({ folder, seq, thread: pathToFileURL(failing), onNotice: () => {} });
  await assert.rejects(archive.state(seq), { message: 'the state could not be read: Invalid string length' });
  assert.equal((await archive.audit(seq)).audit.ok, true);
  assert.equal(archive.problem, undefined);
  await archive.close();
});
