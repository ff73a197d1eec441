/** semantics.md section 11: risk limits, the margin that they ask for, and the settlement currency. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future } from '../support/bodies.ts';
import { type Client, type Json, ok, one, type Reply, refused } from '../support/client.ts';
import { held, leave, MILLION, open, setLeverage, setMode } from '../support/positions.ts';
import { PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const ETH = 'ETH-PERP';
const get = (client: Client, path: string, query: Record<string, string> = {}) => client.call('GET', path, { query });
const post = (client: Client, path: string, body: Json) => client.call('POST', path, { body });

async function leavesNoTrace(w: World, reply: () => Promise<Reply>, code: number, mention: string | RegExp) {
  const before = w.hash();
  await refused(reply(), code, mention);
  assert.equal(w.hash(), before);
}

for (const [surface, path, settings, exact] of [
  ['v2.3', '/futures/api/v2.3', '/futures/api/v2.3/user/margin_setting', false],
  ['v3', '/futures/api/v3/trade', '/futures/api/v3/trade/margin_setting', true],
] as const) {
  const limit = (w: World) => ok(get(w.alice, `${path}/risk_limit`, { symbol: PERP }));
  const set = (w: World, body: Json) => post(w.alice, `${path}/risk_limit`, { symbol: PERP, ...body });
  const setting = (w: World, query = {}) => ok(get(w.alice, settings, query));
  const margin = async (w: World) => (await w.balance('USDT')).margin;

  describe(`risk limit and margin rates on ${surface}`, () => {
    const it = scenarios();

    it('are those of the first tier at first', async (w) => {
      assert.deepEqual(await limit(w), { symbol: PERP, riskLimit: 100_000, riskLimitLevel: 1 });
      assert.deepEqual(await setting(w), [
        { symbol: PERP, initialMarginPercentage: 0.01, maintenanceMarginPercentage: 0.005 },
        { symbol: ETH, initialMarginPercentage: 0.01, maintenanceMarginPercentage: 0.005 },
      ]);
      await refused(get(w.alice, `${path}/risk_limit`), -2, 'symbol is missing');
    });

    it('follow the exposure, orders at rest included', async (w) => {
      await w.price(PERP, { index: 60_000 });
      const { orderID } = await one(w.alice.future(future('BUY', 60_000, 200_000)));
      assert.deepEqual(await limit(w), { symbol: PERP, riskLimit: MILLION, riskLimitLevel: 2 });
      assert.deepEqual(await setting(w, { symbol: PERP }), [
        { symbol: PERP, initialMarginPercentage: 0.02, maintenanceMarginPercentage: 0.01 },
      ]);
      await ok(w.alice.cancelFuture({ orderID }));
      assert.equal((await limit(w)).riskLimitLevel, 1);
    });

    it('a level that is chosen is the least one: its rates are paid at once, and by what comes later', {
      rule: '11.37',
    }, async (w) => {
      await open(w, MILLION);
      assert.equal(await margin(w), '11.1');
      assert.deepEqual(await ok(set(w, { riskLimitLevel: 2 })), {
        symbol: PERP,
        timestamp: START_MS,
        status: 20,
        type: 94,
        message: '',
      });
      assert.deepEqual(await limit(w), { symbol: PERP, riskLimit: MILLION, riskLimitLevel: 2 });
      // 1,000 × (2 % + 2 × 0.055 %)
      assert.equal(await margin(w), '21.1');
      assert.equal((await ok(w.alice.positions()))[0].totalMaintenanceMargin, 10);
      await ok(w.alice.future(future('BUY', 99, MILLION)));
      assert.equal(await margin(w), '41.989');
      assert.deepEqual(await setting(w, { symbol: ETH }), [
        { symbol: ETH, initialMarginPercentage: 0.01, maintenanceMarginPercentage: 0.005 },
      ]);
      await ok(set(w, { riskLimitLevel: '1' }));
      assert.equal((await limit(w)).riskLimitLevel, 1);
    });

    it('an exposure above it sets a higher tier by itself', { rule: '11.37' }, async (w) => {
      await ok(set(w, { riskLimitLevel: 2 }));
      await w.price(PERP, { index: 60_000 });
      await ok(w.alice.future(future('BUY', 60_000, 2_000_000)));
      assert.equal((await limit(w)).riskLimitLevel, 3);
    });

    it('it lowers the leverage that may be chosen', async (w) => {
      await ok(set(w, { riskLimitLevel: 2 }));
      const leverage = { symbol: PERP, leverage: 51, marginMode: 'CROSS' };
      await leavesNoTrace(w, () => post(w.alice, `${path}/leverage`, leverage), 13, 'is out of range: 0 to 50');
    });

    it('an unknown level is refused with 41, and the levels that there are', async (w) => {
      for (const riskLimitLevel of [0, 99]) {
        await leavesNoTrace(w, () => set(w, { riskLimitLevel }), 41, 'the levels are 1, 2, 3');
      }
      await leavesNoTrace(w, () => set(w, { riskLimitLevel: 1.5 }), -2, 'riskLimitLevel is 1.5');
      await leavesNoTrace(w, () => set(w, {}), -2, 'riskLimitLevel is missing');
    });

    it('one whose limit is below the exposure is refused with 12, and the figures', async (w) => {
      await w.price(PERP, { index: 60_000 });
      await ok(set(w, { riskLimitLevel: 2 }));
      await ok(w.alice.future(future('BUY', 60_000, 200_000)));
      const refusal = 'allows 100000 USDT, but the position and orders there are worth 120000';
      await leavesNoTrace(w, () => set(w, { riskLimitLevel: 1 }), 12, refusal);
    });

    it('one that takes more than what is available is refused: a unit less will not do', {
      rule: '11.37',
    }, async (w) => {
      await open(w, MILLION);
      await leave(w, '21.09999999');
      await leavesNoTrace(w, () => set(w, { riskLimitLevel: 2 }), 33199101, 'not enough USDT');
      await w.venue.deposit('alice', 'USDT', '0.00000001');
      await ok(set(w, { riskLimitLevel: 2 }));
      assert.equal((await w.balance('USDT')).available, '0');
    });

    it('is refused, too, where maintenance alone gets dearer and the account is short already', async (w) => {
      await setLeverage(w, { leverage: 5, marginMode: 'CROSS' });
      await open(w, MILLION);
      await leave(w, '202');
      await w.price(PERP, { mark: 98 });
      // 182 of equity, where a leverage of 5 asks for 197
      await leavesNoTrace(w, () => set(w, { riskLimitLevel: 2 }), 33199101, 'not enough USDT');
    });

    it('names the position mode or none; it is one for the market, also for each side of HEDGE', async (w) => {
      await leavesNoTrace(w, () => set(w, { riskLimitLevel: 2, positionMode: 'HEDGE' }), 133, 'the mode is ONE_WAY');
      await setMode(w, 'HEDGE');
      await open(w, MILLION);
      await open(w, -MILLION);
      await ok(set(w, { riskLimitLevel: 2, positionMode: 'HEDGE' }));
      assert.equal(await margin(w), '42.2');
    });

    it('ISOLATED: positions get from the wallet what they lack, and keep it at a lower level', async (w) => {
      await setMode(w, 'ISOLATED');
      await setLeverage(w, { leverage: 100, marginMode: 'ISOLATED' });
      await open(w, MILLION);
      const own = async () => (await w.account()).positions[0].margin;
      assert.equal(await own(), '11.211');
      const before = Number((await w.balance('USDT')).total);
      await ok(set(w, { riskLimitLevel: 2 }));
      // 1,000 × (2 % + 2 × 0.055 %) × 1.01
      assert.equal(await own(), '21.311');
      assert.equal((before - Number((await w.balance('USDT')).total)).toFixed(6), '10.100000');
      await ok(set(w, { riskLimitLevel: 1 }));
      assert.equal(await own(), '21.311');
      await leave(w, '5');
      await leavesNoTrace(
        w,
        () => set(w, { riskLimitLevel: 3 }),
        33199101,
        'not enough USDT: 30.3 needed, 5 available',
      );
    });

    it('ISOLATED: a position is not liquidated for having a higher limit', async (w) => {
      await setMode(w, 'ISOLATED');
      await setLeverage(w, { leverage: 10, marginMode: 'ISOLATED' });
      await open(w, MILLION);
      await w.rest('BUY', 90, MILLION, PERP);
      await w.price(PERP, { mark: 90.4 });
      // 6.111 of equity, where the second tier's maintenance is 9.04
      await ok(set(w, { riskLimitLevel: 2 }));
      await w.price(PERP, { mark: 90.4001 });
      assert.deepEqual(await held(w), [['BTC-PERP-USDT|1#1', MILLION]]);
    });

    it('comes back with a saved state', async (w) => {
      await open(w, MILLION);
      await ok(set(w, { riskLimitLevel: 3 }));
      await w.control.save('chosen');
      await ok(set(w, { riskLimitLevel: 1 }));
      await w.control.restore('chosen');
      assert.equal((await limit(w)).riskLimitLevel, 3);
    });

    it(`names other than its own are ${exact ? 'refused' : 'ignored'}`, async (w) => {
      const reply = set(w, { riskLimitLevel: 2, riskLimit: 5 });
      if (exact) await refused(reply, -2, 'riskLimit is not a field of a risk limit');
      else assert.equal((await ok(reply)).status, 20);
    });

    it('a key that may only read changes none', async (w) => {
      await refused(post(w.reader, `${path}/risk_limit`, { symbol: PERP, riskLimitLevel: 2 }), -7, 'trading', 403);
    });
  });

  describe(`the settlement currency on ${surface}`, () => {
    const it = scenarios();

    const settle = (w: World, body: Json) => post(w.alice, `${path}/settle_in`, { symbol: PERP, ...body });

    it('is that of the market: setting it changes nothing', async (w) => {
      await open(w, 10);
      const before = w.hash();
      assert.deepEqual(await ok(settle(w, { currency: 'USDT' })), {});
      assert.deepEqual(await ok(settle(w, { currency: 'USDT', positionId: 'BTC-PERP-USDT' })), {});
      assert.equal(w.hash(), before);
    });

    it('another one is refused with 11, naming the one that it is', async (w) => {
      await leavesNoTrace(w, () => settle(w, { currency: 'BTC' }), 11, 'BTC-PERP settles in USDT, not in BTC');
      await leavesNoTrace(w, () => settle(w, { currency: 'XYZ' }), 11, 'use USDT');
      await leavesNoTrace(w, () => settle(w, {}), -2, 'currency is missing');
      await leavesNoTrace(w, () => settle(w, { currency: 'USDT', positionId: 'x' }), 135, 'no position x');
    });
  });
}

describe('a refusal for funds', () => {
  const it = scenarios();
  const level = (w: World) => post(w.alice, '/futures/api/v2.3/risk_limit', { symbol: PERP, riskLimitLevel: 2 });
  const told = async (reply: Promise<Reply>) => (await refused(reply, 33199101, 'not enough USDT')).message as string;

  it('says what more is needed, and what is free before: never that 0 is needed', async (w) => {
    await open(w, MILLION);
    await leave(w, '12');
    // Of 12, 11.1 are held: 1 % and twice the fee of 1,000. The second tier holds 10 more.
    assert.match(await told(level(w)), /10 needed, 0\.9 available/);
    const leverage = { symbol: PERP, leverage: 50, marginMode: 'CROSS' };
    assert.match(await told(post(w.alice, '/futures/api/v2.3/leverage', leverage)), /10 needed, 0\.9 available/);
  });

  it('says what maintenance asks for where that alone gets dearer', async (w) => {
    await setLeverage(w, { leverage: 5, marginMode: 'CROSS' });
    await open(w, MILLION);
    await leave(w, '202');
    await w.price(PERP, { mark: 98 });
    assert.match(await told(level(w)), /4\.9 needed, -/);
  });
});
