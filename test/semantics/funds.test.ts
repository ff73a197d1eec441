/** semantics.md section 5: what orders hold back. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  buyMarket,
  future,
  limit,
  oco,
  peg,
  sellMarket,
  stop,
  trailing,
  triggered,
  triggeredLimit,
  twap,
} from '../support/bodies.ts';
import { ok, one, refused } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

async function reserved(w: World): Promise<{ BTC: string; USDT: string }> {
  const { balances } = await w.account();
  return { BTC: balances.BTC.reserved, USDT: balances.USDT.reserved };
}

describe('spot holds', () => {
  const it = scenarios();

  for (const [kind, body, held] of [
    ['a SELL its base', limit('SELL', 101, 2), { BTC: '2', USDT: '0' }],
    ['a BUY its limit price × size', limit('BUY', 99, 2), { BTC: '0', USDT: '198' }],
    ['a waiting SELL its base', triggered('SELL', 'STOP_LOSS', 95), { BTC: '1', USDT: '0' }],
    ['a waiting market BUY its quote', triggered('BUY', 'STOP_LOSS', 105), { BTC: '0', USDT: '50' }],
    [
      'a waiting BUY stop-limit its limit price × size',
      triggeredLimit('BUY', 'STOP_LOSS', 105, 106),
      { BTC: '0', USDT: '106' },
    ],
    ['a trailing SELL its base', trailing('SELL'), { BTC: '1', USDT: '0' }],
    ['a trailing BUY its quote', trailing('BUY'), { BTC: '0', USDT: '50' }],
    ['an OCO SELL its base once', oco('SELL'), { BTC: '1', USDT: '0' }],
    ['an OCO BUY the dearer of its two prices', oco('BUY'), { BTC: '0', USDT: '106' }],
    ['a PEG BUY its cap × size', peg('BUY', 90, { deviation: -5 }), { BTC: '0', USDT: '90' }],
    ['a PEG SELL its base, hidden size included', peg('SELL', 110, { stealth: 10 }), { BTC: '1', USDT: '0' }],
    ['a TWAP nothing between its children', twap('SELL'), { BTC: '0', USDT: '0' }],
  ] as const) {
    it(`${kind}; cancelling gives it back`, {
      rule: ['5.37', '5.38', '5.39', '5.40', '5.41', '5.42', '5.43', '9.12'],
    }, async (w) => {
      const [{ orderId }] = await ok(w.alice.spot(body));
      assert.deepEqual(await reserved(w), held);
      await ok(w.alice.cancelSpot(orderId));
      assert.deepEqual(await reserved(w), { BTC: '0', USDT: '0' });
    });
  }

  it('nothing more than what is left after a fill, price improvement given back at once', {
    rule: ['3.5', '3.6'],
  }, async (w) => {
    await w.rest('SELL', 95, 0.5);
    await one(w.alice.spot(limit('BUY', 99, 1)));
    const { total, available } = await w.balance('USDT');
    assert.deepEqual([total, available, (await reserved(w)).USDT], ['999952.5', '999903', '49.5']);
  });

  it('an OCO of both legs once: with the money for one it is accepted', { rule: '5.41' }, async (w) => {
    for (let i = 0; i < 9; i++) await ok(w.alice.spot(limit('SELL', 500, 100)));
    await ok(w.alice.spot(oco('SELL', { orderSize: 100 })));
    await refused(w.alice.spot(sellMarket(1)), 51523, 'BTC');
  });

  it('an OCO BUY is checked at the dearer of its two prices', { rule: '5.41' }, async (w) => {
    await w.venue.deposit('alice', 'USDT', '-999894.01');
    await refused(w.alice.spot(oco('BUY')), 51523, '106 needed, 105.99 available');
    await w.venue.deposit('alice', 'USDT', '0.01');
    await ok(w.alice.spot(oco('BUY')));
  });

  it('money that the release of a stop needs is there already: it never fails for funds', {
    rule: '5.40',
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { orderSize: 100 })));
    for (let i = 0; i < 9; i++) await ok(w.alice.spot(limit('SELL', 500, 100)));
    await w.rest('BUY', 95, 100);
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('a TWAP is checked at placement, by size on SELL and by size × best ask on BUY', { rule: '5.43' }, async (w) => {
    for (let i = 0; i < 10; i++) await ok(w.alice.spot(limit('SELL', 500, 100)));
    await refused(w.alice.spot(twap('SELL')), 51523, 'BTC');
    await w.cancelAll();
    await w.price(BTC, { index: 20_000, last: 20_000 });
    await w.rest('SELL', 20_000, 1);
    await ok(w.alice.spot(twap('BUY', { orderSize: 50 })));
    await w.cancelAll();
    await w.rest('SELL', 20_001, 1);
    await refused(w.alice.spot(twap('BUY', { orderSize: 50 })), 51523, '1000050');
  });

  it('a TWAP BUY without an ask is checked at last', { rule: '5.43' }, async (w) => {
    await w.price(BTC, { index: 20_000, last: 20_000 });
    await refused(w.alice.spot(twap('BUY', { orderSize: 50.1 })), 51523, '1002000');
    await ok(w.alice.spot(twap('BUY', { orderSize: 50 })));
  });

  it('a TWAP child needs what the walk of the book costs, and no more', { rule: '5.44' }, async (w) => {
    await w.rest('SELL', 100, 0.02);
    await w.rest('SELL', 104, 1);
    // 0.05 costs 0.02 × 100 + 0.03 × 104 = 5.12: with a cent less the child is skipped
    const starts = async (left: string) => {
      await w.control.save('book');
      const { orderId } = await one(w.alice.spot(twap('BUY', { activationTriggerPrice: 105 })));
      await w.venue.deposit('alice', 'USDT', `-${(1_000_000 - Number(left)).toFixed(2)}`);
      await w.price(BTC, { last: 105 });
      const { totalFilledBaseSize, orderDetail } = await ok(w.alice.lookup(orderId));
      await w.control.restore('book');
      return [totalFilledBaseSize, orderDetail.pausedBy];
    };
    assert.deepEqual(await starts('5.12'), [0.05, null]);
    assert.deepEqual(await starts('5.11'), [0, 'funds']);
  });

  it('a TWAP child that finds no money is skipped, and never ends the parent', {
    rule: ['2.35', '10.18'],
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(twap('SELL', { orderSize: 20 })));
    for (let i = 0; i < 10; i++) await ok(w.alice.spot(limit('SELL', 500, 100)));
    await w.rest('BUY', 100, 50);
    await w.advance(3000);
    const { orderDetail, totalFilledBaseSize } = await ok(w.alice.lookup(orderId));
    assert.deepEqual([orderDetail.pausedBy, totalFilledBaseSize], ['funds', 0]);
    for (const { orderId: id } of (await ok(w.alice.spotOrders())).slice(-1)) await ok(w.alice.cancelSpot(id));
    await w.advance(3000);
    assert.ok((await ok(w.alice.lookup(orderId))).totalFilledBaseSize > 0);
  });
});

describe('futures margin', () => {
  const it = scenarios();

  it('is needed for resting orders and positions, at (1 % + 2 × 0.055 %) of the notional, and not for waiting triggers', {
    rule: ['5.45', '5.46'],
  }, async (w) => {
    await ok(w.alice.future(stop('BUY', 105, 1_000_000)));
    assert.equal((await w.balance('USDT')).margin, '0');
    const { orderID } = await one(w.alice.future(future('BUY', 99, 1_000_000)));
    // 1,000,000 × 0.00001 BTC × 99 = 990 USDT
    assert.equal((await w.balance('USDT')).margin, '10.989');
    await ok(w.alice.cancelFuture({ orderID }));
    await w.rest('SELL', 100, 1_000_000, PERP);
    await ok(w.alice.future(future('BUY', null, 1_000_000)));
    assert.equal((await w.balance('USDT')).margin, '11.1');
  });

  it('of a PEG is needed for all of it at its cap, what it does not show included', {
    rule: ['5.42', '9.12'],
  }, async (w) => {
    const body = { symbol: PERP, side: 'BUY', price: 99, size: 1_000_000, stealth: 1, deviation: -5 };
    const pegged = await one(w.alice.call('POST', '/futures/api/v2.3/order/peg', { body }));
    assert.equal((await w.balance('USDT')).margin, '10.989');
    await ok(w.bob.future(future('SELL', 95, 15_000)));
    // 985,000 are left of it, and 15,000 contracts, at a mark of 100
    assert.equal((await ok(w.alice.futureOrder(pegged.orderID))).totalFilledSize, 15_000);
    assert.equal((await w.balance('USDT')).margin, '10.990665');
    await ok(w.alice.cancelFuture({ orderID: pegged.orderID }));
    assert.equal((await w.balance('USDT')).margin, '0.1665');
  });

  it('takes the worse of both sides, and none for what reduces', async (w) => {
    await w.rest('SELL', 100, 1_000_000, PERP);
    await ok(w.alice.future(future('BUY', null, 1_000_000)));
    await ok(w.alice.future(future('SELL', 101, 1_000_000)));
    assert.equal((await w.balance('USDT')).margin, '11.1');
    await ok(w.alice.future(future('SELL', 101, 1_000_000)));
    assert.equal((await w.balance('USDT')).margin, '11.211');
  });

  it('of a trigger is checked when it fires: 15 when it fails', { rule: '5.46' }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const body = stop('BUY', 105, 7_000_000, { type: 'LIMIT', price: 105 });
    const { orderID } = await one(w.alice.future(body));
    await w.control.deposit('alice', 'USDT', '-999950');
    await w.price(PERP, { mark: 105 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 15);
  });

  it('shows in the wallet: total − in use is free', { rule: ['5.1', '5.4'] }, async (w) => {
    await ok(w.alice.future(future('BUY', 99, 1_000_000)));
    await ok(w.alice.spot(limit('BUY', 99, 1)));
    const [wallet] = await ok(w.alice.wallet());
    const row = (rows: { currency: string; balance: number }[]) =>
      rows.find(({ currency }) => currency === 'USDT')?.balance;
    assert.deepEqual([wallet.wallet, row(wallet.assets), row(wallet.assetsInUse)], ['CROSS@', 1_000_000, 109.989]);
    assert.equal(wallet.availableBalance, 999_890.011);
    assert.equal(wallet.totalValue, 1_000_000 + 100_000 + 0);
  });
});

describe('available', () => {
  const it = scenarios();

  it('leaves unrealised profit out and takes unrealised loss off; total has neither', {
    rule: ['5.2', '5.4'],
  }, async (w) => {
    await w.rest('SELL', 100, 1_000_000, PERP);
    await ok(w.alice.future(future('BUY', null, 1_000_000)));
    await w.price(PERP, { mark: 110 });
    const up = await w.balance('USDT');
    assert.deepEqual([up.total, up.unrealised, up.margin, up.available], ['999999.45', '100', '12.21', '999987.24']);
    await w.price(PERP, { mark: 90 });
    const down = await w.balance('USDT');
    assert.deepEqual(
      [down.total, down.unrealised, down.margin, down.available],
      ['999999.45', '-100', '9.99', '999889.46'],
    );
  });

  it('spot and futures share one wallet', { rule: '5.1' }, async (w) => {
    await ok(w.alice.future(future('BUY', 99, 7_000_000)));
    await w.price(BTC, { index: 20_000 });
    await ok(w.alice.spot(limit('BUY', 19_990, 50)));
    await refused(w.alice.spot(buyMarket(500)), 51523, 'USDT');
  });

  it('loses no digit of a large balance, where a double would', async (w) => {
    await w.control.deposit('alice', 'USDT', '12345678901');
    await w.control.deposit('alice', 'USDT', '0.12345678');
    const { text } = await w.alice.wallet();
    assert.ok(text.includes('"balance":12346678901.12345678'), text);
  });
});
