/** semantics.md section 11: who is judged when somebody else's liquidation, funding or new terms cost him something. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future } from '../support/bodies.ts';
import { type Client, type Json, ok } from '../support/client.ts';
import { fund, join, leave, MILLION, setLeverage, setMode } from '../support/positions.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';

const ETH = 'ETH-PERP';
/** 10 ETH. */
const TEN_ETH = 100_000;

const total = async (w: World, name = 'alice'): Promise<string> => (await w.balance('USDT', name)).total;

/** The client sells (or buys) `size` contracts at 100 from or to bob. */
async function take(w: World, client: Client, side: 'BUY' | 'SELL', size: number, symbol = PERP): Promise<void> {
  await w.rest(side === 'BUY' ? 'SELL' : 'BUY', 100, size, symbol);
  await ok(client.future(future(side, null, size, { symbol })));
}

/** No account is below zero without waiting for a book, and none counts as safe that is not. */
async function sound(w: World): Promise<void> {
  const { ok: holds, accounts } = (await w.control.audit()) as Json;
  assert.ok(holds, JSON.stringify(accounts));
}

describe('an account that auto-deleveraging takes a position from', () => {
  const it = scenarios();

  /**
   * Alice is short 10 BTC from 100 with 50 USDT: bankrupt at 105. Carol is long the same 10 BTC, short 10 ETH from 100, and
   * sells 5 BTC at 100.1, which nobody takes. At marks of 104 and 105 she has `has` − 10 for a maintenance of 10.45.
   */
  async function opposite(w: World, has: string): Promise<Client> {
    const carol = await join(w, 'carol', '1000');
    await w.price(ETH, { index: 100 });
    await take(w, carol, 'SELL', TEN_ETH, ETH);
    await ok(w.alice.future(future('SELL', 100, MILLION)));
    await ok(carol.future(future('BUY', 100, MILLION, { time_in_force: 'IOC' })));
    await ok(carol.future(future('SELL', 100.1, MILLION / 2)));
    await leave(w, '50');
    await leave(w, has, 'carol');
    await w.price(PERP, { mark: 104 });
    await w.price(ETH, { mark: 105 });
    assert.deepEqual([await w.position('carol'), await w.position('carol', ETH)], [MILLION, -TEN_ETH]);
    return carol;
  }

  it('and that is below zero without it is closed out in its other market in the same step', {
    rule: ['11.80', '11.68'],
  }, async (w) => {
    await opposite(w, '23');
    const before = Number(await total(w, 'bob'));
    // The fund gets 4.9 a BTC of the five that alice closes at 100.1, and carol gives the other five at 105. That leaves
    // her 23 + 0.5 + 25 − 0.1001 for a loss of 50 in ETH.
    await w.price(PERP, { mark: 110 });
    assert.deepEqual([await w.position(), await w.position('carol'), await w.position('carol', ETH)], [0, 0, 0]);
    // Bob, who is long her ETH, is closed at the mark: the fund pays what she lacks.
    assert.equal((Number(await total(w, 'bob')) - before).toFixed(3), '50.000');
    assert.deepEqual([await total(w), await total(w, 'carol'), await fund(w)], ['0', '0', '22.8999']);
    await sound(w);
  });

  it('and that is below its maintenance without it is liquidated in its other market in the same step', {
    rule: '11.80',
  }, async (w) => {
    await opposite(w, '26');
    // 1.3999 are left for a maintenance of 5.25, and less than a liquidation fee of 2.1: all of it goes, and the fund
    // gets what the book leaves.
    await w.rest('SELL', 105, TEN_ETH, ETH);
    await w.price(PERP, { mark: 110 });
    assert.deepEqual([await w.position('carol', ETH), await total(w, 'carol'), await fund(w)], [0, '0', '25.8999']);
    await sound(w);
  });

  it('and that stays above its maintenance keeps its other positions', async (w) => {
    await opposite(w, '31');
    await w.price(PERP, { mark: 110 });
    assert.deepEqual([await w.position('carol'), await w.position('carol', ETH)], [0, -TEN_ETH]);
    await sound(w);
  });

  it('has the collateral of a closed isolated position made good by the fund, not by its wallet', {
    rule: ['11.6', '11.81'],
  }, async (w) => {
    const carol = await join(w, 'carol', '1000');
    await setMode(w, 'ISOLATED', carol);
    await ok(w.alice.future(future('SELL', 100, MILLION)));
    await ok(carol.future(future('BUY', 100, MILLION, { time_in_force: 'IOC' })));
    // At leverage 10 she may sell at 96; at 100 her collateral is 11.211.
    await ok(carol.future(future('SELL', 96, MILLION / 2, { reduceOnly: true })));
    const [{ positionId }] = await ok(carol.positions());
    await setLeverage(w, { leverage: 100, positionId }, carol);
    await leave(w, '12');
    const wallet = await total(w, 'carol');
    // The fund gets 5.2 a BTC for five. Carol has lost 20.096 with them, and wins 6 with those that she gives at 101.2.
    await w.price(PERP, { mark: 110 });
    assert.deepEqual([await w.position(), await w.position('carol')], [0, 0]);
    assert.deepEqual([await total(w, 'carol'), await fund(w)], [wallet, '23.115']);
    await sound(w);
  });
});

describe('an account that waits for a book', () => {
  const it = scenarios();

  it('does not get away by switching the mode of a market where it has no position any more', {
    rule: ['11.51', '11.83'],
  }, async (w) => {
    const carol = await join(w, 'carol', '1000');
    await w.price(ETH, { index: 100 });
    await take(w, carol, 'BUY', MILLION);
    await take(w, carol, 'BUY', TEN_ETH, ETH);
    await leave(w, '28.5', 'carol');
    await w.rest('BUY', 97.9, MILLION, PERP);
    // All four quarters of BTC go. 5.542 are left for 1.2 × 5, and nobody bids for ETH.
    await w.price(PERP, { mark: 97.9 });
    assert.deepEqual([await w.position('carol'), await w.position('carol', ETH)], [0, TEN_ETH]);
    await setMode(w, 'ISOLATED', carol);
    await w.rest('BUY', 99.9, TEN_ETH, ETH);
    assert.equal(await w.position('carol', ETH), (TEN_ETH * 3) / 4);
    await sound(w);
  });
});

describe('a halted market', () => {
  // Without funding there, nothing else judges who has a position in ETH-PERP.
  const it = scenarios({ markets: [{ symbol: ETH, funding: null }] });
  const INTERVAL_MS = 8 * 3_600_000;

  /** Carol is long 10 BTC and 10 ETH from 100 with 12 USDT of equity, for a maintenance of 9.94. BTC-PERP is halted. */
  async function halted(w: World): Promise<void> {
    const carol = await join(w, 'carol', '1000');
    await w.price(ETH, { index: 100 });
    await take(w, carol, 'BUY', MILLION);
    await take(w, carol, 'BUY', TEN_ETH, ETH);
    await leave(w, '24', 'carol');
    await w.price(PERP, { mark: 100 });
    await w.price(ETH, { mark: 98.8 });
    await w.price(PERP, { index: 96 });
    await w.rest('BUY', 97.2, MILLION, PERP);
    await w.control.haltMarket(PERP);
    await w.rest('BUY', 98.8, TEN_ETH, ETH);
    assert.deepEqual([await w.position('carol'), await w.position('carol', ETH)], [MILLION, TEN_ETH]);
  }

  it('takes funding, and who is below maintenance for it is liquidated in other markets at once', {
    rule: ['11.70', '11.82'],
  }, async (w) => {
    await halted(w);
    // 3.75 of funding leave 8.25. Each quarter of ETH pays 0.494; all four leave 6.274 for 1.2 × 5.
    await w.advance(INTERVAL_MS);
    assert.deepEqual([await w.position('carol'), await w.position('carol', ETH)], [MILLION, 0]);
    await sound(w);
  });

  it('takes new tiers, and who is below maintenance for them is liquidated in other markets at once', {
    rule: ['11.82', '15.6'],
  }, async (w) => {
    await halted(w);
    const { markets } = await w.control.markets();
    const { riskTiers } = markets.find(({ symbol }) => symbol === PERP) as Json;
    const dearer = riskTiers.map((tier: Json) => ({ ...tier, initial: '1', maintenance: tier.maintenance * 2 }));
    await w.control.changeMarket(PERP, { riskTiers: dearer }, true);
    assert.equal(await w.position('carol'), MILLION);
    assert.ok((await w.position('carol', ETH)) < TEN_ETH);
    await sound(w);
  });
});

describe('a mark', () => {
  const it = scenarios();

  it('that is released while there is no index stays: positions of other markets are not left without what backs them', {
    rule: '13.22',
  }, async (w) => {
    await w.begin(null);
    await w.price(PERP, { mark: 100 });
    await w.price(ETH, { mark: 100 });
    const carol = await join(w, 'carol', '1000');
    await take(w, carol, 'BUY', MILLION);
    await take(w, carol, 'BUY', TEN_ETH, ETH);
    await leave(w, '24', 'carol');
    await w.price(PERP, { mark: 104 });
    await w.price(ETH, { mark: 97 });
    // 24 + 40 − 30. At her entry prices BTC would be worth 40 less.
    await w.price(PERP, { mark: null });
    assert.equal((await w.balance('USDT', 'carol')).unrealised, '10');
    await sound(w);
    await w.price(PERP, { index: 105 });
    assert.equal((await w.balance('USDT', 'carol')).unrealised, '20');
  });
});
