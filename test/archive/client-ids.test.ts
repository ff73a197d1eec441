/**
 * The archive's index of orders by client id: it finds the newest one that counts, in any script, after resets and
 * restored states, and a lost row is never taken for an unknown id.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { type ClientQuery, newestOfClient } from '../../src/archive/store/client-ids.ts';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { seeded } from '../sim/seeded.ts';
import { BTC_PERP, BTC_USDT, VenueDriver } from '../venue/support.ts';
import { projected, table } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-clients-'));
after(() => fs.rmSync(root, { recursive: true }));

/** Some of them sort differently by UTF-16 units than by bytes of UTF-8. */
const IDS = ['a', 'a ', 'aa', 'b', 'B', '0', 'é', '\u{ff5e}', '\u{1f600}', '\u{1f600}a', '注文'];
const UNKNOWN = ['', 'ab', 'zz', '\u{1f601}'];
const ACCOUNTS = ['alice', 'bob'];
const PRODUCTS = ['spot', 'futures'] as const;
const SEEDS = 6;
const STEPS = 300;

/** Orders by account, product and client id: the newest one that counts. */
type Newest = Map<string, number>;
const nameOf = ({ account, product, clientId }: ClientQuery) => JSON.stringify([account, product, clientId]);

function questions(): ClientQuery[] {
  const clientIds = [...IDS, ...UNKNOWN];
  return ['aaa', ...ACCOUNTS, 'zzz'].flatMap((account) =>
    PRODUCTS.flatMap((product) => clientIds.map((clientId) => ({ account, product, clientId }))),
  );
}

/** A venue whose clients use a few ids again and again. */
function life(seed: number): { log: string[]; newest: Newest } {
  const random = seeded(seed);
  const below = (most: number) => Math.floor(random() * most);
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { index: 600_000_000 });
  driver.prices(BTC_PERP, { index: 600_000_000 });
  let newest: Newest = new Map();
  const saved = new Map<string, Newest>();
  for (let step = 0; step < STEPS; step += 1) {
    const dice = below(60);
    if (dice === 0) {
      driver.run({ type: 'saveSnapshot', name: 'here' });
      saved.set('here', new Map(newest));
    } else if (dice === 1 && saved.has('here')) {
      driver.run({ type: 'restoreSnapshot', name: 'here' });
      newest = new Map(saved.get('here'));
    } else if (dice === 2 && below(3) === 0) {
      driver.run({ type: 'reset' });
      newest = new Map();
    } else if (dice === 3) driver.advance(31 * 60_000);
    else {
      const [account, place, clientId] = [below(2), below(2), IDS[below(IDS.length)]];
      const { refusal, orders } = driver.limit(account, [BTC_USDT, BTC_PERP][place], 0, 100_000 - step, 1000, {
        clientId,
      });
      if (refusal !== null) continue;
      newest.set(nameOf({ account: ACCOUNTS[account], product: PRODUCTS[place], clientId }), orders[0].key);
      if (below(2) === 0) driver.run({ type: 'cancelAll', account, product: PRODUCTS[place], market: null });
    }
  }
  return { log: driver.log, newest };
}

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`the newest order of each client id is found, and no lost row goes unnoticed, seed ${seed}`, () => {
    const path = join(root, `${seed}.db`);
    const { log, newest } = life(seed);
    const { store } = projected(log, 1 + seed * 5, path);
    for (const query of questions())
      assert.equal(newestOfClient(store, query), newest.get(nameOf(query)), nameOf(query));
    for (const _ of store.check());
    const rows = table(store, 'client_ids');
    assert.ok(rows.length > 50, `only ${rows.length} rows`);
    const lost = table(store, 'orders').filter(({ clientId }) => clientId !== null);
    store.checkpoint();
    store.close();
    for (const { orderKey, account, positionMode, clientId } of lost.filter((_, i) => i % 11 === seed || i === 0)) {
      const copy = join(root, 'copy.db');
      fs.copyFileSync(path, copy);
      const database = new DatabaseSync(copy);
      database.prepare('DELETE FROM client_ids WHERE orderKey = ?').run(orderKey as number);
      database.close();
      const damaged = new ArchiveStore(copy);
      for (const query of questions()) {
        let found: number | undefined | 'damaged';
        try {
          found = newestOfClient(damaged, query);
        } catch (error) {
          assert.ok(error instanceof ArchiveDamaged, String(error));
          found = 'damaged';
        }
        const expected = newest.get(nameOf(query));
        assert.ok(found === 'damaged' || found === expected, `${nameOf(query)} is ${found}, not ${expected}`);
        const product = positionMode === null ? 'spot' : 'futures';
        const isLost = nameOf(query) === nameOf({ account, product, clientId } as unknown as ClientQuery);
        if (isLost && expected === orderKey) assert.equal(found, 'damaged');
      }
      assert.throws(() => [...damaged.check()], ArchiveDamaged);
      damaged.close();
    }
  });
}
