/** `bourse backup` beside a venue that accepts orders: the content of the copy, and refusals. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bourse, bourseBeside, printed, scratch, VenueProcess } from './process.ts';

const CLIENTS = 3;

/** Clients that place resting orders until they are stopped. */
class Load {
  readonly acknowledged: string[] = [];
  #going = true;
  readonly #clients: Promise<void>[];

  constructor({ alice }: VenueProcess) {
    const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.001 } as const;
    this.#clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; this.#going; n += 1) {
        const clOrderId = `${client}-${n}`;
        await alice.placeSpotOrder({ ...order, orderPrice: 90_000, clOrderId });
        this.acknowledged.push(clOrderId);
      }
    });
  }

  async reach(count: number): Promise<void> {
    const enough = async () => {
      while (this.acknowledged.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    // A client ends earlier only if one of its orders fails.
    await Promise.race([enough(), Promise.all(this.#clients)]);
  }

  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#clients);
  }
}

test('a backup beside a venue under load holds all that was acknowledged before it began, once', async () => {
  const [folder, copy] = [join(scratch, 'busy'), join(scratch, 'copies', 'busy')];
  const venue = await VenueProcess.start(folder, '--segment-size', '65536', '--snapshot-every', '50');
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  const load = new Load(venue);
  await load.reach(60);
  await venue.control.request('POST', '/snapshot');
  const before = [...load.acknowledged];
  const output = await bourseBeside('backup', folder, copy);
  const during = load.acknowledged.length - before.length;
  await load.stop();
  assert.equal(output.status, 0, output.stderr);
  assert.ok(during > 0, 'the venue took orders meanwhile');
  const told = printed(output);
  assert.equal(told.ok, true);
  assert.ok((told.snapshots as number) >= 1 && (told.archive as number) >= 1, output.stdout);
  assert.ok((told.archive as number) <= (told.seq as number), output.stdout);
  assert.deepEqual(
    fs.readdirSync(copy).filter((name) => /^(lock|control-token|demo-keys)|\.new$|-wal$/.test(name)),
    [],
    'neither locks nor secrets are copied',
  );
  for (const name of fs.readdirSync(copy)) assert.equal(fs.statSync(join(copy, name)).mode & 0o077, 0, name);
  assert.equal(printed(bourse('verify', copy)).hash, told.hash);
  await venue.kill();

  const again = await VenueProcess.start(copy);
  const open = (await again.alice.openSpotOrders('BTC-USDT')).map(({ clOrderId }) => String(clOrderId));
  assert.equal(new Set(open).size, open.length, 'none is there twice');
  const held = new Set(open);
  assert.deepEqual(
    before.filter((id) => !held.has(id)),
    [],
  );
  assert.equal(((await again.control.request('GET', '/audit')) as { ok: boolean }).ok, true);
  assert.equal(await again.stop(), 0);
});

test('of a stopped venue the copy is sealed, and the archive continues with it', async () => {
  const [folder, copy] = [join(scratch, 'stopped'), join(scratch, 'stopped-copy')];
  const venue = await VenueProcess.start(folder);
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  const { hash } = await venue.control.state();
  // Makes sure that the archive's thread runs, because a stop waits for it only for a while.
  await venue.control.request('POST', '/snapshot');
  assert.equal(await venue.stop(), 0);
  const told = printed(bourse('backup', folder, copy));
  assert.deepEqual([told.hash, told.archive], [hash, told.seq]);
  assert.ok(fs.existsSync(join(copy, 'sealed')));
  assert.equal(fs.statSync(copy).mode & 0o777, 0o700);
  const again = await VenueProcess.start(copy);
  assert.equal((await again.control.state()).hash, hash);
  assert.equal(await again.stop(), 0);

  const full = bourse('backup', folder, copy);
  assert.equal(full.status, 1);
  assert.match(full.stderr, /the backup folder .*stopped-copy is not empty: choose a new folder, or an empty one/);
  const inside = bourse('backup', folder, join(folder, 'copy'));
  assert.match(inside.stderr, /the backup folder .* is inside the data folder .*: choose a folder outside it/);
  const none = bourse('backup', scratch, join(scratch, 'of-none'));
  assert.match(none.stderr, /is not a data folder: it has no bourse\.json/);
  assert.ok(!fs.existsSync(join(scratch, 'of-none')));
});

test('a backup keeps the venue id: the copy is the same venue, and its parts fit the folder that it came from', async () => {
  const [folder, copy] = [join(scratch, 'identified'), join(scratch, 'identified-copy')];
  const idIn = (data: string) => JSON.parse(fs.readFileSync(join(data, 'bourse.json'), 'utf8')).venueId as string;
  const venue = await VenueProcess.start(folder);
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  assert.equal(await venue.stop(), 0);
  printed(bourse('backup', folder, copy));
  const id = idIn(folder);
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(idIn(copy), id);
  const restored = await VenueProcess.start(copy);
  assert.equal(await restored.stop(), 0);
  assert.equal(idIn(copy), id);
  fs.copyFileSync(join(copy, 'bourse.json'), join(folder, 'bourse.json'));
  const again = await VenueProcess.start(folder);
  assert.equal(await again.stop(), 0);
});

test('damage is no backup: exit code 1 with its place, and no start takes what was copied', async () => {
  const [folder, copy] = [join(scratch, 'damaged'), join(scratch, 'damaged-copy')];
  const venue = await VenueProcess.start(folder);
  for (let n = 0; n < 20; n += 1) await venue.control.setPrices('BTC-USDT', { index: 100_000 + n });
  assert.equal(await venue.stop(), 0);
  const segment = join(folder, '00000001.log');
  const bytes = fs.readFileSync(segment);
  bytes[2000] ^= 1;
  fs.writeFileSync(segment, bytes);
  const { status, stdout, stderr } = bourse('backup', folder, copy);
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(
    stderr,
    /the backup failed, and the copy in .*damaged-copy is incomplete: no venue starts on it\. Delete that folder/,
  );
  assert.match(stderr, /the command log is damaged: 00000001\.log at offset/);
  await assert.rejects(VenueProcess.start(copy), /bourse\.json|damaged/);
});

test('an archive that is damaged is left out, and the start on the copy makes it', async () => {
  const [folder, copy] = [join(scratch, 'archive'), join(scratch, 'archive-copy')];
  const venue = await VenueProcess.start(folder);
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  assert.equal(await venue.stop(), 0);
  fs.writeFileSync(join(folder, 'archive.db'), 'no database');
  const output = bourse('backup', folder, copy);
  assert.equal(printed(output).archive, null);
  assert.match(output.stderr, /the backup has no archive, and a start on it makes one from the log: /);
  assert.ok(!fs.existsSync(join(copy, 'archive.db')));
});
