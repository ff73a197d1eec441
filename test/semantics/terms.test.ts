/** semantics.md section 15: terms that change, accounts that are frozen, markets that end. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, stop } from '../support/bodies.ts';
import { type Json, one, refused } from '../support/client.ts';
import { fund, join, leave, MILLION, open, setMode } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

const FROZEN = /is frozen: it accepts/;
const DELISTED = /is delisted/;

/** Twice the maintenance rates of BTC-PERP, and as much below the initial ones as before. */
async function dearerTiers(w: World, factor: number): Promise<Json[]> {
  const { markets } = await w.control.markets();
  const { riskTiers } = markets.find(({ symbol }) => symbol === PERP) as Json;
  return riskTiers.map((tier: Json) => ({
    maxNotional: tier.maxNotional,
    initial: '1',
    maintenance: String(Number(tier.maintenance) * factor),
  }));
}

describe('terms of a market', () => {
  const it = scenarios();

  it('new fees count from the next fill, not for what was filled', { rule: ['15.1', '15.2'] }, async (w) => {
    await w.rest('SELL', 100, 2);
    await one(w.alice.spot(limit('BUY', 100, 1)));
    const before = Number((await w.balance('BTC')).total);
    await w.control.changeMarket(BTC, { fees: { maker: '0', taker: '0.5' } }, true);
    await one(w.alice.spot(limit('BUY', 100, 1)));
    assert.equal(Number((await w.balance('BTC')).total) - before, 0.5);
  });

  it('tick, step, contract size and maxPrice never change', { rule: '15.1' }, async (w) => {
    const change = { tick: '1', step: '1', contractSize: '1', maxPrice: '1' };
    for (const [name, value] of Object.entries(change)) {
      await assert.rejects(w.control.changeMarket(PERP, { [name]: value }), new RegExp(`${name}.*cannot change`));
    }
  });

  it('what rests stays, and the next order is judged by the new terms', { rule: '15.4' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 102)));
    await w.control.changeMarket(BTC, { band: '0.01', maxOpenOrders: 2 });
    assert.equal(await w.state(orderId), 'ORDER_INSERTED');
    await refused(w.alice.spot(limit('BUY', 102)), 33001003, /101/);
    await one(w.alice.spot(limit('BUY', 99.5)));
    await refused(w.alice.spot(limit('BUY', 99.5)), 304, /2 open/);
  });

  it('new funding terms wait for the end of the interval that runs', { rule: '15.5' }, async (w) => {
    await open(w, MILLION);
    await w.control.changeMarket(PERP, { funding: { intervalMs: 3_600_000 } });
    const { markets } = await w.control.markets();
    assert.equal((markets.find(({ symbol }) => symbol === PERP) as Json).funding.intervalMs, 3_600_000);
    // A bid far above the index makes longs pay at each funding time.
    const paid = async () =>
      (await w.control.ledger('alice')).entries.filter(({ reason }) => reason === 'funding').length;
    await w.rest('BUY', 100.2, MILLION, PERP);
    await w.advance(7 * 3_600_000);
    assert.equal(await paid(), 0);
    await w.advance(3_600_000);
    assert.equal(await paid(), 1);
    await w.advance(3_600_000);
    assert.equal(await paid(), 2);
  });

  it('tiers that would put an account below maintenance are refused, with their number and their names', {
    rule: '15.7',
  }, async (w) => {
    await open(w, MILLION);
    await leave(w, '60');
    const before = w.hash();
    const riskTiers = await dearerTiers(w, 15);
    await assert.rejects(
      w.control.changeMarket(PERP, { riskTiers }),
      /accounts of BTC-PERP below maintenance \(1: alice\)/,
    );
    assert.equal(w.hash(), before);
  });

  it('of more accounts than five, the first five are named', { rule: '15.7' }, async (w) => {
    for (let n = 1; n <= 7; n++) {
      const client = await join(w, `trader-${n}`, '1000');
      await w.rest('SELL', 100, MILLION, PERP);
      await one(client.future(future('BUY', null, MILLION)));
      await leave(w, '60', `trader-${n}`);
    }
    const riskTiers = await dearerTiers(w, 15);
    const names = 'trader-1, trader-2, trader-3, trader-4, trader-5 and 2 more';
    await assert.rejects(w.control.changeMarket(PERP, { riskTiers }), new RegExp(`\\(7: ${names}\\)`));
  });

  it('forced, they liquidate that account at once', { rule: ['15.6', '15.7'] }, async (w) => {
    await open(w, MILLION);
    await leave(w, '60');
    await w.rest('BUY', 100, MILLION, PERP);
    await w.control.changeMarket(PERP, { riskTiers: await dearerTiers(w, 15) }, true);
    assert.ok((await w.position()) < MILLION);
  });

  it('there are never fewer tiers than before', { rule: '15.8' }, async (w) => {
    const riskTiers = (await dearerTiers(w, 1)).slice(1);
    await assert.rejects(w.control.changeMarket(PERP, { riskTiers }), /must have at least the/);
  });

  it('a reset and a restored snapshot bring the terms back', { rule: '15.9' }, async (w) => {
    const bandNow = async () => (await w.control.markets()).markets.find(({ symbol }) => symbol === BTC)?.band;
    const band = await bandNow();
    await w.control.save('before');
    await w.control.changeMarket(BTC, { band: '0.01' });
    await w.control.restore('before');
    assert.equal(await bandNow(), band);
    await w.control.changeMarket(BTC, { band: '0.01' });
    await w.control.reset();
    assert.equal(await bandNow(), band);
  });
});

describe('a BUY that holds its fee', () => {
  const it = scenarios({ feeFrom: 'quote' });

  it('holds the new one, or goes', { rule: '15.3' }, async (w) => {
    const first = await one(w.alice.spot(limit('BUY', 100, 1)));
    const held = Number((await w.balance('USDT')).reserved);
    await w.control.changeMarket(BTC, { fees: { maker: '0.1', taker: '0.1' } }, true);
    assert.ok(Number((await w.balance('USDT')).reserved) > held);
    await leave(w, '150');
    await w.control.changeMarket(BTC, { fees: { maker: '0.9', taker: '0.9' } }, true);
    const { ending } = (await w.control.order(first.orderId)).order as Json;
    assert.match(JSON.stringify(ending ?? (await w.state(first.orderId))), /fees|CANCELLED/i);
    assert.equal(Number((await w.balance('USDT')).reserved), 0);
  });

  for (const [words, change] of [
    ['lower ones', { maker: '0', taker: '0' }],
    ['the same', {}],
  ] as const) {
    it(`stays under ${words}, also if its account has less than nothing available`, { rule: '15.3' }, async (w) => {
      const { fees } = (await w.control.markets()).markets.find(({ symbol }) => symbol === BTC) as Json;
      await open(w, MILLION);
      await leave(w, '123');
      const { orderId } = await one(w.alice.spot(limit('BUY', 90, 1)));
      await w.price(PERP, { mark: 97.5 });
      const { available, reserved } = await w.balance('USDT');
      assert.ok(Number(available) < 0, available);
      await w.control.changeMarket(BTC, { fees: { ...fees, ...change } });
      assert.equal(await w.state(orderId), 'ORDER_INSERTED');
      assert.equal((await w.balance('USDT')).reserved, words === 'the same' ? reserved : '90');
      await w.control.changeAccount('alice', { fees: { [BTC]: { maker: 0, taker: 0 } } });
      assert.equal((await w.balance('USDT')).reserved, '90');
    });
  }
});

describe('an account', () => {
  const it = scenarios();

  it('has other fees from the next fill on, and its old ones again', { rule: '15.10' }, async (w) => {
    await w.rest('SELL', 100, 3);
    const gains = async () => {
      const before = Number((await w.balance('BTC')).total);
      await one(w.alice.spot(limit('BUY', 100, 1)));
      return (Number((await w.balance('BTC')).total) - before).toFixed(6);
    };
    const standard = await gains();
    await w.control.changeAccount('alice', { fees: { [BTC]: { maker: 0, taker: 0 } } });
    assert.equal(await gains(), '1.000000');
    assert.deepEqual((await w.control.account('alice')).fees, { [BTC]: { maker: '0', taker: '0' } });
    await w.control.changeAccount('alice', { fees: { [BTC]: null } });
    assert.deepEqual((await w.control.account('alice')).fees, {});
    assert.equal(await gains(), standard);
  });

  it('frozen, only cancels, or does nothing', { rule: '15.11' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 90)));
    await w.control.changeAccount('alice', { frozen: 'everything' });
    await refused(w.alice.spot(limit('BUY', 90)), -7016, FROZEN);
    await refused(w.alice.cancelSpot(orderId), -7016, FROZEN);
    await w.control.deposit('alice', 'USDT', 1);
    await w.control.changeAccount('alice', { frozen: 'cancelOnly' });
    assert.equal((await w.control.account('alice')).frozen, 'cancelOnly');
    await refused(w.alice.spot(limit('BUY', 90)), -7016, FROZEN);
    assert.equal((await one(w.alice.cancelSpot(orderId))).status, 6);
    await w.control.changeAccount('alice', { frozen: null });
    await one(w.alice.spot(limit('BUY', 90)));
  });

  it('frozen, keeps what protects it: its stop fires', { rule: '15.12' }, async (w) => {
    await open(w, MILLION);
    await one(w.alice.future(stop('SELL', 95, MILLION, { reduceOnly: true })));
    await w.control.changeAccount('alice', { frozen: 'everything' });
    await w.rest('BUY', 94, MILLION, PERP);
    await w.price(PERP, { index: 94.9, mark: 94.9, last: 94.9 });
    assert.equal(await w.position(), 0);
  });
});

describe('a market that is delisted', () => {
  const it = scenarios();

  it('must be halted first, and is closed for ever', { rule: '15.13' }, async (w) => {
    await assert.rejects(w.control.delistMarket(PERP), /is not halted/);
    await w.control.haltMarket(PERP);
    await w.control.delistMarket(PERP);
    await refused(w.alice.future(future('BUY', 90)), -7016, DELISTED);
    await assert.rejects(w.control.resumeMarket(PERP), DELISTED);
    await assert.rejects(w.venue.setPrice({ symbol: PERP, index: 100 }), DELISTED);
    const { markets } = await w.control.markets();
    const spec = markets.find(({ symbol }) => symbol === PERP) as Json;
    assert.equal(spec.status, 'delisted');
    await assert.rejects(w.control.request('POST', '/markets', { symbol: PERP }), /already exists/);
  });

  it('loses its orders, and the balances stay', { rule: '15.14' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 90)));
    const { total } = await w.balance('USDT');
    await w.control.haltMarket(BTC);
    await w.control.delistMarket(BTC);
    assert.equal(await w.state(orderId), 'ORDER_CANCELLED');
    const after = await w.balance('USDT');
    assert.deepEqual([after.total, Number(after.reserved)], [total, 0]);
  });

  it('closes its positions at the mark or at a given price, without a fee', { rule: '15.15' }, async (w) => {
    await open(w, MILLION);
    const before = Number((await w.balance('USDT')).total);
    await w.control.haltMarket(PERP);
    await w.control.delistMarket(PERP, 101);
    assert.equal(await w.position(), 0);
    // A million contracts are 10 BTC.
    assert.equal(Number((await w.balance('USDT')).total) - before, 10);
    assert.equal(((await w.control.audit()) as Json).ok, true);
  });

  const owned = async (w: World, names = ['alice', 'bob']): Promise<number> => {
    const wallets = await Promise.all(names.map((name) => w.balance('USDT', name)));
    return wallets.reduce((sum, { total }) => sum + Number(total), 0);
  };

  const sound = async (w: World): Promise<void> => assert.equal(((await w.control.audit()) as Json).ok, true);

  it('leaves roundings to the fund', { rule: '15.16' }, async (w) => {
    await open(w, 1);
    const before = Number(await fund(w));
    await w.control.haltMarket(PERP);
    // A contract is worth 0.001000001 USDT: the long gets 0.001, and the short pays 0.00100001.
    await w.control.delistMarket(PERP, 100.0001);
    assert.equal((Number(await fund(w)) - before).toFixed(8), '0.00000001');
    await sound(w);
  });

  for (const settlementPrice of [undefined, 89, 50, 0.1]) {
    const price = settlementPrice === undefined ? 'the mark' : `a settlement price of ${settlementPrice}`;
    it(`at ${price}, pays nobody what a bankrupt position lacks`, { rule: '15.18' }, async (w) => {
      const before = await owned(w);
      await setMode(w, 'ISOLATED');
      await open(w, MILLION);
      await w.control.haltMarket(PERP);
      await w.price(PERP, { index: 86 });
      await w.control.delistMarket(PERP, settlementPrice);
      assert.deepEqual([await w.position(), await w.position('bob')], [0, 0]);
      // The fees of the opening trade are gone.
      assert.equal((before - (await owned(w))).toFixed(6), '0.750000');
      assert.equal(Number(await fund(w)), 0);
      await sound(w);
    });
  }

  it('settles a cross account in full that gains elsewhere what it loses here', {
    rule: ['15.15', '15.18'],
  }, async (w) => {
    const ETH = 'ETH-PERP';
    await w.price(ETH, { index: 100 });
    await open(w, MILLION);
    await open(w, -MILLION, { symbol: ETH });
    await leave(w, '150');
    await w.control.haltMarket(PERP);
    await w.price(PERP, { index: 80 });
    await w.price(ETH, { index: 80 });
    const before = Number((await w.balance('USDT', 'bob')).total);
    await w.control.delistMarket(PERP);
    // Bob's gain of 20 on 10 BTC
    assert.equal((Number((await w.balance('USDT', 'bob')).total) - before).toFixed(3), '200.000');
    await sound(w);
  });

  it('closes a cross account out that loses more than it has, and leaves nothing owed', {
    rule: '15.18',
  }, async (w) => {
    const ETH = 'ETH-PERP';
    await w.price(ETH, { index: 100 });
    await join(w, 'carol', '100000');
    await open(w, MILLION);
    await open(w, 1000, { symbol: ETH });
    await leave(w, '50');
    const before = await owned(w);
    await w.control.haltMarket(PERP);
    await w.price(PERP, { index: 90 });
    await w.control.delistMarket(PERP);
    const { total, unrealised } = await w.balance('USDT');
    assert.ok(Number(total) + Number(unrealised) >= 0);
    assert.equal((await owned(w)).toFixed(3), before.toFixed(3));
    assert.equal(Number(await fund(w)), 0);
    await sound(w);
  });

  it('lets two who collude take no more out than they brought', { rule: '15.18' }, async (w) => {
    const ETH = 'ETH-PERP';
    const [long, short] = [await join(w, 'long', '100000'), await join(w, 'short', '500000')];
    await w.price(ETH, { index: 3000 });
    const order = (side: 'BUY' | 'SELL') => future(side, 3000, 3_000_000, { symbol: ETH });
    await one(short.future(order('SELL')));
    assert.equal((await one(long.future({ ...order('BUY'), positionMode: 'ISOLATED' }))).status, 4);
    await w.control.haltMarket(ETH);
    await w.price(ETH, { index: 2580 });
    await w.control.delistMarket(ETH);
    const sum = await owned(w, ['long', 'short']);
    // The opening fees are all that is gone.
    assert.ok(sum <= 600_000 && sum > 599_000, String(sum));
    for (const name of ['long', 'short']) {
      const { total } = await w.balance('USDT', name);
      await w.control.deposit(name, 'USDT', `-${total}`);
    }
    assert.equal(Number(await fund(w)), 0);
    await sound(w);
  });

  it('whoever it puts below maintenance elsewhere is liquidated there', { rule: '15.17' }, async (w) => {
    const ETH = 'ETH-PERP';
    await w.price(ETH, { index: 100 });
    await join(w, 'carol', '100000');
    await open(w, MILLION);
    await open(w, MILLION, { symbol: ETH });
    await leave(w, '200');
    await w.rest('BUY', 100, MILLION, ETH);
    const before = await w.position('alice', ETH);
    await w.control.haltMarket(PERP);
    await w.control.delistMarket(PERP, 81);
    assert.ok((await w.position('alice', ETH)) < before);
    assert.equal(((await w.control.audit()) as Json).ok, true);
  });
});
