/** How an archive is compared with its log while both go on. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Follower } from '../../src/archive/follow/follower.ts';
import { KEEP_ALL } from '../../src/archive/store/forgetting.ts';
import { toObject } from '../../src/archive/store/tables.ts';
import { startEngine } from '../../src/engine/start.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { SimPlace } from './archive.ts';
import { compareArchive } from './checks.ts';
import { NEW } from './life.ts';

it('an archive that counts a funding rate while it is compared is compared as a copy', async () => {
  const { configuration, seed } = NEW.given;
  const startMs = Date.UTC(2026, 11, 31, 23, 59);
  const engine = await startEngine({
    configuration,
    seed,
    clock: 'manual',
    startTimeMs: startMs,
    secrets: NEW.secrets,
  });
  const storage = engine.memory;
  assert.ok(storage !== undefined);
  const identity = { rules: String(RULES_VERSION), venueId: engine.venueId };
  for (const market of engine.venue.markets.keys()) {
    await engine.submit({ v: 1, type: 'setPrices', market, index: 10_000_000, byHand: true });
  }
  const place = new SimPlace();
  const store = place.open();
  const follower = await Follower.open(storage, store, engine.venue.seq, identity);
  const archive = async (): Promise<number> => {
    while (!(await follower.advance(engine.venue.seq, Number.POSITIVE_INFINITY)));
    const rows = [...store.rows('markets')].map((row) => toObject('markets', row));
    return rows.find(({ kind }) => kind === 'perpetual')?.rates as number;
  };
  assert.equal(await archive(), 0);
  const [live, copy] = [place.look(), place.copy()];
  const copied = copy.look();
  assert.ok(live !== undefined && copied !== undefined);
  assert.equal(live.state.seq, engine.venue.seq);
  await engine.submit({ v: 1, type: 'advance', toMs: startMs + 60_000 });
  assert.equal(await archive(), 1, 'midnight sets a rate');
  assert.deepEqual(await compareArchive(storage, copied, identity, KEEP_ALL), []);
  const [difference] = await compareArchive(storage, live, identity, KEEP_ALL);
  assert.match(difference, /^the archive's markets are not what the log makes: .*,0,1,-1,0\].* for .*,0,0,-1,0\]/);
  copy.remove();
  place.remove();
  await engine.stop();
});
