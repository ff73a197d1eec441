/** semantics.md section 12: the dead man's switch. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { future, limit, oco, peg, stop, trailing, triggered, twap } from '../support/bodies.ts';
import { type Client, type Json, ok, type Reply, refused } from '../support/client.ts';
import { BTC, PERP, scenarios, World } from '../support/venue.ts';

const MINUTE = 60_000;

/** What a switch of a surface is armed with: milliseconds, 0 disarms. */
type Arm = (client: Client, timeout: Json) => Promise<Reply>;

const spotSwitch: Arm = (client, timeout) =>
  client.call('POST', '/spot/api/v4/trade/orders/cancel_all_after', { body: { timeout } });
const legacySwitch: Arm = (client, timeout) =>
  client.call('POST', '/futures/api/v2.3/order/cancelAllAfter', { body: { timeout } });
const v3Switch: Arm = (client, timeoutMs) =>
  client.call('POST', '/futures/api/v3/trade/orders/cancel_all_after', { body: { timeoutMs } });

async function openSpot(client: Client): Promise<number> {
  return (await ok(client.spotOrders())).length;
}

async function openFutures(client: Client): Promise<number> {
  return (await ok(client.v3Orders())).length;
}

for (const [surface, arm, place, open] of [
  ['spot v4', spotSwitch, (c: Client) => c.spot(limit('BUY', 90)), openSpot],
  ['futures v2.3', legacySwitch, (c: Client) => c.future(future('BUY', 91)), openFutures],
  ['futures v3', v3Switch, (c: Client) => c.future(future('BUY', 91)), openFutures],
] as const) {
  describe(`the switch of ${surface}`, () => {
    const it = scenarios();

    it('cancels at its deadline, not a millisecond earlier', { rule: '12.1' }, async (w) => {
      assert.deepEqual(await ok(arm(w.alice, MINUTE)), {});
      await ok(place(w.alice));
      await w.advance(MINUTE - 1);
      assert.equal(await open(w.alice), 1);
      await w.advance(1);
      assert.equal(await open(w.alice), 0);
    });

    it('a renewal moves the deadline, in either direction', { rule: '12.2' }, async (w) => {
      await ok(place(w.alice));
      await ok(arm(w.alice, MINUTE));
      await w.advance(MINUTE - 1);
      await ok(arm(w.alice, MINUTE));
      await w.advance(MINUTE - 1);
      assert.equal(await open(w.alice), 1);
      await ok(arm(w.alice, 10));
      await w.advance(10);
      assert.equal(await open(w.alice), 0);
    });

    it('0 disarms, armed or not', { rule: '12.2' }, async (w) => {
      await ok(place(w.alice));
      assert.deepEqual(await ok(arm(w.alice, 0)), {});
      await ok(arm(w.alice, MINUTE));
      assert.deepEqual(await ok(arm(w.alice, '0')), {});
      await w.advance(2 * MINUTE);
      assert.equal(await open(w.alice), 1);
    });

    it('acts once: what is placed at the deadline or later lives on', async (w) => {
      await ok(arm(w.alice, MINUTE));
      await w.advance(MINUTE);
      await ok(place(w.alice));
      await w.advance(10 * MINUTE);
      assert.equal(await open(w.alice), 1);
    });

    it("leaves other accounts' orders alone", async (w) => {
      await ok(place(w.bob));
      await ok(arm(w.alice, MINUTE));
      await w.advance(MINUTE);
      assert.equal(await open(w.bob), 1);
    });

    it('takes a whole number of milliseconds from 0 to 30 days', { rule: '12.3' }, async (w) => {
      const code = surface === 'spot v4' ? 400 : -2;
      const before = w.hash();
      for (const bad of [-1, 1.5, 'soon', true, 2_592_000_001]) {
        await refused(arm(w.alice, bad), code, 'give a whole number from 0 to 2592000000');
      }
      await refused(arm(w.alice, undefined), code, 'is missing');
      assert.equal(w.hash(), before);
      assert.deepEqual(await ok(arm(w.alice, 2_592_000_000)), {});
    });

    it('needs the trading permission', async (w) => {
      const { status } = await arm(w.reader, MINUTE);
      assert.equal(status, 403);
    });
  });
}

describe('the switch', () => {
  const it = scenarios();

  it('takes every kind of spot order, with what it reserved', { rule: '12.1' }, async (w) => {
    for (const body of [
      limit('BUY', 90),
      oco('SELL'),
      triggered('SELL', 'STOP_LOSS', 80),
      trailing('SELL'),
      peg('BUY', 95, { stealth: 10 }),
      twap('SELL', { makerFirst: true }),
    ]) {
      await ok(w.alice.spot(body));
    }
    assert.equal(await openSpot(w.alice), 7);
    await ok(spotSwitch(w.alice, 1));
    await w.advance(1);
    assert.equal(await openSpot(w.alice), 0);
    const { balances } = await w.account();
    assert.deepEqual([balances.BTC.reserved, balances.USDT.reserved], ['0', '0']);
  });

  it('takes every kind of futures order, of all markets, attached ones too; the position stays', {
    rule: '12.1',
  }, async (w) => {
    await w.price('ETH-PERP', { index: 100 });
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', null, 10, { takeProfitPrice: 110, stopLossPrice: 90 })));
    await ok(w.alice.future(future('BUY', 95, 10, { symbol: 'ETH-PERP' })));
    await ok(w.alice.future(stop('SELL', 92)));
    await ok(w.alice.future({ ...future('SELL', 105), type: 'OCO', triggerPrice: 95, stopPrice: 94 }));
    assert.equal(await openFutures(w.alice), 6);
    await ok(legacySwitch(w.alice, 1));
    await w.advance(1);
    assert.equal(await openFutures(w.alice), 0);
    assert.equal(await w.position(), 10);
  });

  it('of a product is no concern of the other product', { rule: '12.1' }, async (w) => {
    await ok(w.alice.spot(limit('BUY', 90)));
    await ok(w.alice.future(future('BUY', 91)));
    await ok(spotSwitch(w.alice, MINUTE));
    await ok(legacySwitch(w.alice, 2 * MINUTE));
    await w.advance(MINUTE);
    assert.deepEqual([await openSpot(w.alice), await openFutures(w.alice)], [0, 1]);
    await w.advance(MINUTE);
    assert.equal(await openFutures(w.alice), 0);
  });

  it('of futures is one, by whichever surface it is armed and disarmed', async (w) => {
    await ok(w.alice.future(future('BUY', 91)));
    await ok(legacySwitch(w.alice, MINUTE));
    await ok(v3Switch(w.alice, 0));
    await w.advance(MINUTE);
    assert.equal(await openFutures(w.alice), 1);
  });

  it('comes before a TWAP child that is due at the same time', { rule: '3.2' }, async (w) => {
    await w.rest('BUY', 99, 5);
    await ok(w.alice.spot(twap('SELL')));
    await ok(spotSwitch(w.alice, 3000));
    await w.advance(3000);
    assert.equal((await w.balance('BTC')).total, '999.95');
  });

  it('ends orders as cancelled', async (w) => {
    const [{ orderId }] = await ok(w.alice.spot(limit('BUY', 90)));
    const [{ orderID }] = await ok(w.alice.future(future('BUY', 91)));
    await ok(spotSwitch(w.alice, 1));
    await ok(v3Switch(w.alice, 1));
    await w.advance(1);
    assert.equal(await w.state(orderId), 'ORDER_CANCELLED');
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 6);
  });

  it('runs in a halted market', { rule: '4.40' }, async (w) => {
    await ok(w.alice.spot(limit('BUY', 90)));
    await ok(spotSwitch(w.alice, MINUTE));
    await w.control.haltMarket(BTC);
    await w.advance(MINUTE);
    assert.equal(await openSpot(w.alice), 0);
  });

  it('is part of a saved state, and of the state hash', { rule: '12.4' }, async (w) => {
    await ok(w.alice.spot(limit('BUY', 90)));
    const unarmed = w.hash();
    await ok(spotSwitch(w.alice, MINUTE));
    assert.notEqual(w.hash(), unarmed);
    await w.control.save('armed');
    await ok(spotSwitch(w.alice, 0));
    assert.equal(w.hash(), unarmed);
    await w.control.restore('armed');
    await w.advance(MINUTE);
    assert.equal(await openSpot(w.alice), 0);
  });
});

describe('a restart', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'bourse-dead-man-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const open = () => World.open({ data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') });

  test('keeps the switch and its deadline', { rule: '12.4' }, async () => {
    const first = await open();
    await first.begin();
    await ok(first.alice.spot(limit('BUY', 90)));
    await ok(first.alice.future(future('BUY', 91)));
    await ok(spotSwitch(first.alice, MINUTE));
    await ok(v3Switch(first.alice, 2 * MINUTE));
    await first.advance(MINUTE / 2);
    const hash = first.hash();
    await first.close();

    const second = await open();
    assert.equal(second.hash(), hash);
    await second.advance(MINUTE / 2 - 1);
    assert.deepEqual([await openSpot(second.alice), await openFutures(second.alice)], [1, 1]);
    await second.advance(1);
    assert.deepEqual([await openSpot(second.alice), await openFutures(second.alice)], [0, 1]);
    await second.close();

    const third = await open();
    await third.advance(MINUTE);
    assert.equal(await openFutures(third.alice), 0);
    assert.equal((await third.control.audit()).ok, true);
    await third.close();
  });
});

describe('the switches of two accounts on two products', () => {
  const it = scenarios();

  it('have a deadline each', { rule: '12.1' }, async (w) => {
    const arms = [
      [w.alice, spotSwitch, 1],
      [w.alice, legacySwitch, 2],
      [w.bob, spotSwitch, 3],
      [w.bob, legacySwitch, 4],
    ] as const;
    for (const client of [w.alice, w.bob]) {
      await ok(client.spot(limit('BUY', 90)));
      await ok(client.future(future('BUY', 91)));
    }
    for (const [client, arm, minutes] of arms) await ok(arm(client, minutes * MINUTE));
    const left = [];
    for (let minute = 1; minute <= 4; minute++) {
      await w.advance(MINUTE);
      left.push([await openSpot(w.alice), await openFutures(w.alice), await openSpot(w.bob), await openFutures(w.bob)]);
    }
    assert.deepEqual(left, [
      [0, 1, 1, 1],
      [0, 0, 1, 1],
      [0, 0, 0, 1],
      [0, 0, 0, 0],
    ]);
  });
});
