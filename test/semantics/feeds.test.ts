/** semantics.md section 13: an index that comes from a feed jumps only when confirmed, and goes stale when the feed stops. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { limit, oco, trailing, triggered, triggeredLimit, twap } from '../support/bodies.ts';
import { type Json, ok, one } from '../support/client.ts';
import { BTC, PERP, scenarios, World } from '../support/venue.ts';

/** `staleAfter` of the default markets. */
const STALE_AFTER_MS = 60_000;

async function feed(w: World, ...values: (number | string)[]): Promise<void> {
  for (const index of values) await w.price(BTC, { index, feed: true });
}

async function market(w: World, symbol = BTC): Promise<Json> {
  const { markets } = (await w.control.request('GET', '/markets')) as Json;
  return markets.find((found: Json) => found.symbol === symbol);
}

const indexOf = async (w: World) => (await market(w)).index;
const statusOf = async (w: World, symbol = BTC) => (await market(w, symbol)).status;

/** The feed has given 100, and stopped. */
async function stopped(w: World): Promise<void> {
  await feed(w, 100);
  await w.advance(STALE_AFTER_MS + 1);
  assert.equal(await statusOf(w), 'stale');
}

const byIndex = { triggerPriceType: 'INDEX_PRICE' };

describe('a feed that jumps', () => {
  const it = scenarios();

  for (const [values, index] of [
    [[103], '103'],
    [[97], '97'],
    [['103.0001'], '100'],
    [['96.9999'], '100'],
    [[110, 110], '110'],
    [[110, 112], '112'],
    [[110, 114], '100'],
    [[110, 114, 113], '113'],
    [[110, 101], '101'],
    [[110, 101, 110], '101'],
  ] as const) {
    it(`from 100 over ${values.join(', ')} stands at ${index}`, { rule: '13.1' }, async (w) => {
      await feed(w, ...values);
      assert.equal(await indexOf(w), index);
    });
  }

  it('fires nothing with a value that is held, and everything with the one that confirms it', {
    rule: '13.1',
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'TAKE_PROFIT', 105, byIndex)));
    await feed(w, 110);
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
    await feed(w, 109);
    assert.notEqual(await w.state(orderId), 'TRIGGER_INSERTED');
  });

  it('is taken where it is the first value of all', async (w) => {
    await w.begin(null);
    await feed(w, 500);
    assert.equal(await indexOf(w), '500');
  });

  it('is no concern of prices by hand: they are always taken, and what was held is forgotten', {
    rule: '13.1',
  }, async (w) => {
    await feed(w, 110);
    await w.price(BTC, { index: 150 });
    assert.equal(await indexOf(w), '150');
    await feed(w, 110);
    assert.equal(await indexOf(w), '150');
  });

  it('gives the index alone: mark and last of a feed are refused', async (w) => {
    for (const prices of [
      { index: 100, mark: 100 },
      { index: 100, last: 100 },
    ]) {
      await assert.rejects(w.price(BTC, { ...prices, feed: true }), { status: 400, message: /feed gives the index/ });
    }
  });
});

describe('a feed that stops', () => {
  const it = scenarios();

  it('for longer than staleAfter is stale, which the status of its market says; a value makes it fresh', {
    rule: '13.9',
  }, async (w) => {
    await feed(w, 100);
    await w.advance(STALE_AFTER_MS);
    assert.equal(await statusOf(w), 'active');
    await w.advance(1);
    assert.deepEqual([await statusOf(w), await statusOf(w, PERP)], ['stale', 'active']);
    await feed(w, 100);
    assert.equal(await statusOf(w), 'active');
  });

  it('counts from its last value that was taken: one that is held renews nothing', async (w) => {
    await feed(w, 100);
    await w.advance(40_000);
    await feed(w, 101);
    await w.advance(40_000);
    await feed(w, 120);
    await w.advance(20_000);
    assert.equal(await statusOf(w), 'active');
    await w.advance(1);
    assert.equal(await statusOf(w), 'stale');
    await feed(w, 119);
    assert.deepEqual([await statusOf(w), await indexOf(w)], ['active', '119']);
  });

  it('never makes prices by hand stale', { rule: '13.9' }, async (w) => {
    await w.advance(24 * 3_600_000);
    assert.equal(await statusOf(w), 'active');
    await stopped(w);
    await w.price(BTC, { index: 100 });
    assert.equal(await statusOf(w), 'active');
    await w.advance(24 * 3_600_000);
    assert.equal(await statusOf(w), 'active');
  });

  it('suspends triggers on the index, and on a spot mark that follows it; those on last go on', {
    rule: '13.9',
  }, async (w) => {
    await stopped(w);
    const place = async (triggerPriceType: string) => {
      return (await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 100, 99, { triggerPriceType })))).orderId;
    };
    const ids = [await place('INDEX_PRICE'), await place('MARK_PRICE'), await place('LAST_PRICE')];
    const fired = async () => Promise.all(ids.map(async (id) => (await ok(w.alice.lookup(id))).triggered));
    assert.deepEqual(await fired(), [false, false, true]);
    await feed(w, 100);
    assert.deepEqual(await fired(), [true, true, true]);
  });

  it('suspends none on a mark that is set by hand', async (w) => {
    await stopped(w);
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { triggerPriceType: 'MARK_PRICE' })));
    await w.price(BTC, { mark: 95 });
    assert.notEqual(await w.state(orderId), 'TRIGGER_INSERTED');
  });

  it('suspends the stop of an OCO, the arming of a trailing stop and an activation, until a value is taken', {
    rule: '13.9',
  }, async (w) => {
    await stopped(w);
    const [, leg] = await ok(w.alice.spot(oco('SELL', { stopLossTriggerPriceType: 'INDEX_PRICE' })));
    const trail = await one(w.alice.spot(trailing('SELL', byIndex)));
    const delayed = { activationTriggerPrice: 100, activationTriggerPriceType: 'INDEX_PRICE' };
    const late = await one(w.alice.spot(twap('SELL', delayed)));
    await ok(w.alice.amendSpot(leg.orderId, { triggerPrice: 98 }));
    const detail = async (id: string) => (await ok(w.alice.lookup(id))).orderDetail;
    assert.deepEqual(await detail(trail.orderId), { armed: false, extreme: null });
    assert.equal((await detail(late.orderId)).pausedBy, 'activation');
    await feed(w, 98);
    assert.equal((await ok(w.alice.lookup(leg.orderId))).triggered, true);
    assert.deepEqual(await detail(trail.orderId), { armed: true, extreme: 98 });
    await feed(w, 100);
    assert.equal((await detail(late.orderId)).pausedBy, 'book');
  });

  it('stops no trading', async (w) => {
    await stopped(w);
    await w.rest('SELL', 100, 1);
    assert.equal((await one(w.alice.spot(limit('BUY', 100)))).status, 4);
  });
});

describe('a restart', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'bourse-feed-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const open = () => World.open({ data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') });

  test('keeps what a feed holds, and when it will have stopped', { rule: '13.1' }, async () => {
    const first = await open();
    await first.begin();
    await feed(first, 100, 110);
    await first.advance(STALE_AFTER_MS);
    await first.control.save('held');
    const hash = first.hash();
    await first.close();

    const second = await open();
    assert.equal(second.hash(), hash);
    for (const way of ['by the log', 'by a saved state']) {
      if (way !== 'by the log') await second.control.restore('held');
      assert.deepEqual([await statusOf(second), await indexOf(second)], ['active', '100'], way);
      await second.advance(1);
      assert.equal(await statusOf(second), 'stale', way);
      await feed(second, 110);
      assert.deepEqual([await statusOf(second), await indexOf(second)], ['active', '110'], way);
    }
    await second.close();
  });
});
