/** semantics.md section 11: auto-deleveraging, what the insurance fund makes good, and the cap of a funding payer, with figures. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future } from '../support/bodies.ts';
import { type Client, type Json, ok } from '../support/client.ts';
import { fund, held, join, leave, MILLION, open, setMode } from '../support/positions.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';

const ETH = 'ETH-PERP';

const total = async (w: World, name = 'alice') => (await w.balance('USDT', name)).total;

/** What somebody has now, less what there was. */
const gained = async (w: World, before: string, name: string) =>
  (Number(await total(w, name)) - Number(before)).toFixed(3);

/** Alice is long 10 BTC from 100 with 20 USDT: bankrupt at 98. */
async function thinLong(w: World): Promise<void> {
  await open(w, MILLION);
  await leave(w, '20');
}

/** `seller` sells to `buyer` at that price. */
async function trade(seller: Client, buyer: Client, price: number, size: number): Promise<void> {
  await ok(seller.future(future('SELL', price, size)));
  await ok(buyer.future(future('BUY', price, size, { time_in_force: 'IOC' })));
}

describe('auto-deleveraging', () => {
  const it = scenarios();

  it('takes the opposite positions by value / equity, whatever their entry prices say', {
    rule: ['11.57', '11.58', '11.61'],
  }, async (w) => {
    const [carol, dave] = [await join(w, 'carol', '100'), await join(w, 'dave', '1000')];
    // Short: dave 4 BTC, half of them from 102, and carol 2 BTC from 100. Long: bob 2 BTC, alice 4 with 8 USDT.
    await trade(dave, w.bob, 102, 200_000);
    await trade(dave, w.alice, 100, 200_000);
    await trade(carol, w.alice, 100, 200_000);
    await leave(w, '8');
    const [carolHad, daveHad] = [await total(w, 'carol'), await total(w, 'dave')];
    await w.price(PERP, { mark: 97 });
    // Bankrupt at 98. Carol's 194 on some 106 go before dave's 388 on some 1,016, though he has won more a contract.
    const sizes = await Promise.all(['alice', 'carol', 'dave', 'bob'].map((name) => w.position(name)));
    assert.deepEqual(sizes, [0, 0, -200_000, 200_000]);
    // 2 BTC from 100 to 98; 2 BTC from 101, his average, to 98; no fees
    assert.deepEqual([await gained(w, carolHad, 'carol'), await gained(w, daveHad, 'dave')], ['4.000', '6.000']);
    assert.deepEqual([await total(w), await fund(w)], ['0', '0']);
  });

  it('leaves everybody with at least the equity of the mark before', { rule: ['11.63', '11.64'] }, async (w) => {
    const carol = await join(w, 'carol', '50');
    await trade(carol, w.bob, 100, 400_000);
    await thinLong(w);
    const equity = async (name: string) => {
      const { total, unrealised } = await w.balance('USDT', name);
      return Number(total) + Number(unrealised);
    };
    await w.price(PERP, { mark: 98.6 });
    const [carolHad, bobHad] = [await equity('carol'), await equity('bob')];
    // The mark before is 98.6, and 98 is better for who is short: of 1.6 that the change gives a BTC, 0.6 remain.
    await w.price(PERP, { mark: 97 });
    assert.deepEqual([await w.position(), await w.position('carol')], [0, 0]);
    assert.equal(((await equity('carol')) - carolHad).toFixed(3), '2.400');
    // bob is short six: ten to alice less the four from carol.
    assert.equal(((await equity('bob')) - bobHad).toFixed(3), '3.600');
    assert.equal(await fund(w), '0');
  });

  it('takes of the legs of a HEDGE account what one exceeds the other by: legs that cancel out have won nothing', {
    rule: '11.60',
  }, async (w) => {
    const dave = await join(w, 'dave', '100');
    await setMode(w, 'HEDGE', dave);
    // dave: SHORT 6 BTC to alice, LONG 4 BTC from bob, who is short as much
    await trade(w.bob, dave, 100, 400_000);
    await trade(dave, w.alice, 100, 600_000);
    await leave(w, '12');
    const [daveHad, bobHad] = [await total(w, 'dave'), await total(w, 'bob')];
    await w.price(PERP, { mark: 97 });
    const { positions } = await w.account('dave');
    assert.deepEqual(
      positions.map((position: Json) => [position.direction, position.size]),
      [
        ['LONG', 400_000],
        ['SHORT', 400_000],
      ],
    );
    // At 98, where alice's 12 USDT are used up: two of dave's, whose equity is the smaller one, and then all four of bob's
    assert.deepEqual([await w.position(), await w.position('bob')], [0, 0]);
    assert.deepEqual([await gained(w, daveHad, 'dave'), await gained(w, bobHad, 'bob')], ['4.000', '8.000']);
    assert.deepEqual([await total(w), await fund(w)], ['0', '0']);
  });

  it('first closes the legs of the bankrupt account against each other, at the mark: only its net is taken from others', {
    rule: '11.60',
  }, async (w) => {
    const carol = await join(w, 'carol', '100');
    await setMode(w, 'HEDGE');
    // alice: LONG 10 BTC from bob, SHORT 4 BTC to carol, who is long
    await open(w, MILLION);
    await ok(carol.future(future('BUY', 100, 400_000)));
    await ok(w.alice.future(future('SELL', null, 400_000)));
    await leave(w, '30');
    const before = await total(w, 'bob');
    // The net of 6 BTC loses 36 of 30: bankrupt at 95.
    await w.price(PERP, { mark: 94 });
    assert.deepEqual([await held(w), await total(w), await fund(w)], [[], '0', '0']);
    // bob, who is short ten, gives six of them at 95; carol keeps what she has.
    assert.deepEqual([await w.position('bob'), await w.position('carol')], [-400_000, 400_000]);
    assert.equal(await gained(w, before, 'bob'), '30.000');
  });

  it('takes the same account’s own opposite position in ISOLATED, too', { rule: '11.57' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    await open(w, -MILLION);
    // bob is flat: alice is her own counterpart. 102.111 of the long are used up at 89.7889.
    assert.equal(await w.position('bob'), 0);
    const before = await total(w);
    await w.price(PERP, { mark: 89 });
    assert.deepEqual([await held(w), await fund(w)], [[], '0']);
    // The short's 102.111 come back with the 102.111 that it has won.
    assert.equal(await gained(w, before, 'alice'), '204.222');
  });

  it('begins with the position of a cross account that the last change of its mark has cost most', {
    rule: ['5.31', '11.62'],
  }, async (w) => {
    await w.price(ETH, { index: 100 });
    await open(w, MILLION);
    await open(w, MILLION / 10, { symbol: ETH });
    await leave(w, '60');
    // ETH has lost 40 of 60 by the mark before, and waits for nothing: 20 for 9.8. Then BTC loses 30 at once.
    await w.price(ETH, { mark: 96 });
    await w.price(PERP, { mark: 97 });
    // 10 below zero: BTC goes at 98, the first of the two though its loss is the smaller one.
    assert.deepEqual([await w.position('alice', PERP), await w.position('bob', PERP)], [0, 0]);
    assert.deepEqual([await w.position('alice', ETH), await total(w), await fund(w)], [MILLION / 10, '40', '0']);
  });

  it('is announced: adlScoreBucket is the third of the queue that a position is in, 2 the first to be closed', {
    rule: '11.59',
  }, async (w) => {
    const traders = [w.alice, await join(w, 'carol', '1000'), await join(w, 'dave', '100')];
    for (const trader of traders) {
      await w.rest('SELL', 100, 100_000, PERP);
      await ok(trader.future(future('BUY', null, 100_000)));
    }
    await w.price(PERP, { mark: 101 });
    const buckets = async () => {
      const rows = await Promise.all([...traders, w.bob].map((trader) => ok(trader.positions())));
      return rows.map(([{ adlScoreBucket }]) => adlScoreBucket);
    };
    // The same value for all three, the least equity behind it in dave's hundred. Bob is the only one who is short.
    assert.deepEqual(await buckets(), [0, 1, 2, 2]);
    await w.venue.deposit('dave', 'USDT', 10_000);
    assert.deepEqual(await buckets(), [0, 2, 1, 2]);
  });

  it('comes after the book, as far as the fund covers that', { rule: '11.57' }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 98, MILLION / 4, PERP);
    // At 98 the book gives what is owed; the rest is closed against bob, who is short and the only one.
    const before = Number(await total(w, 'bob'));
    await w.price(PERP, { mark: 97 });
    assert.deepEqual([await w.position(), await w.position('bob'), await total(w)], [0, 0, '0']);
    // the short of 10 BTC from 100 to 98: 20, less the maker fee of 0.02 % of 245
    assert.equal((Number(await total(w, 'bob')) - before).toFixed(3), (20 - 0.049).toFixed(3));
  });

  it('takes the orders of the closed position with it, and fires nothing', { rule: '11.65' }, async (w) => {
    const carol = await join(w, 'carol', '100');
    await w.rest('BUY', 100, 400_000, PERP);
    await ok(carol.future(future('SELL', null, 400_000, { takeProfitPrice: 90 })));
    await open(w, 400_000);
    await leave(w, '8');
    await w.price(PERP, { mark: 97 });
    assert.equal(await w.position('carol'), 0);
    assert.deepEqual(await ok(carol.v3Orders()), []);
    const { markets } = (await w.control.request('GET', '/markets')) as Json;
    assert.equal(markets.find((market: Json) => market.symbol === PERP).last, '100');
  });
});

describe('funding', () => {
  const it = scenarios();
  const INTERVAL = 8 * 3_600_000;

  /** Alice, who is long, has 0.4 USDT of equity at a mark of 98.04, and no bid at or above her bankruptcy price of 98. */
  async function waits(w: World): Promise<void> {
    await thinLong(w);
    await w.price(PERP, { mark: '98.04' });
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, true);
  }

  /** The index at 96 and bids 1.25 % above it: a third of that is above the cap of 0.375 %. The mark stays where it is. */
  async function premium(w: World): Promise<void> {
    await w.price(PERP, { index: 96 });
    await w.rest('BUY', 97.2, MILLION, PERP);
  }

  it('takes of a payer no more than its equity: the fund pays nothing, and who receives gets what was paid', {
    rule: ['11.76', '11.78'],
  }, async (w) => {
    await waits(w);
    const before = await total(w, 'bob');
    await premium(w);
    await w.advance(INTERVAL);
    // 0.375 % of 980.4 would be 3.6765.
    assert.deepEqual([await total(w), await gained(w, before, 'bob'), await fund(w)], ['19.6', '0.400', '0']);
  });

  it('that falls short is shared by the value of the positions that receive', { rule: '11.78' }, async (w) => {
    const [carol, dave] = [await join(w, 'carol', '1000'), await join(w, 'dave', '1000')];
    // Short 30, 10 and (bob) 10 of the 50 BTC that alice and erin are long
    const erin = await join(w, 'erin', '10000');
    await trade(carol, erin, 100, 3 * MILLION);
    await trade(dave, erin, 100, MILLION);
    await waits(w);
    const names = ['carol', 'dave', 'bob', 'erin'];
    const before = await Promise.all(names.map((name) => total(w, name)));
    await premium(w);
    await w.advance(INTERVAL);
    // Erin pays 0.375 % of 3,921.6, alice 0.4 instead of 3.6765: 15.106, of which three fifths go to carol, and one to each other
    const now = await Promise.all(names.map((name, i) => gained(w, before[i], name)));
    assert.deepEqual(now, ['9.064', '3.021', '3.021', '-14.706']);
    assert.deepEqual([await total(w), await fund(w)], ['19.6', '0']);
  });
});
