/** semantics.md section 11: position modes, HEDGE and ISOLATED, and reduce-only and attached orders in them. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, stop } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { held, leave, MILLION, open, setLeverage, setMode } from '../support/positions.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';

const LONG = 'BTC-PERP-USDT|LONG';
const SHORT = 'BTC-PERP-USDT|SHORT';
const isolated = (number: number) => `BTC-PERP-USDT|${number}#1`;

async function order(w: World, id: string): Promise<Json> {
  return ok(w.alice.futureOrder(id));
}

const named = ({ positionMode, positionDirection, positionId }: Json) => [positionMode, positionDirection, positionId];

/** A book of bob's around 100 that takes whatever comes. */
async function deep(w: World): Promise<void> {
  await w.rest('BUY', 100, MILLION, PERP);
  await w.rest('SELL', 100.1, MILLION, PERP);
}

const buy = (size: number, extra: Json = {}) => future('BUY', null, size, extra);
const sell = (size: number, extra: Json = {}) => future('SELL', null, size, extra);
const reduce = { reduceOnly: true };

describe('HEDGE', () => {
  const it = scenarios();

  it('BUY opens or adds LONG, SELL opens or adds SHORT: they exist side by side', { rule: '11.2' }, async (w) => {
    await setMode(w, 'HEDGE');
    await deep(w);
    for (const body of [buy(300), sell(200), buy(50), sell(20)]) await ok(w.alice.future(body));
    assert.deepEqual(await held(w), [
      [LONG, 350],
      [SHORT, -220],
    ]);
  });

  it('with reduceOnly SELL reduces LONG and BUY reduces SHORT, clipped to that position', {
    rule: ['11.3', '11.17', '11.18'],
  }, async (w) => {
    await setMode(w, 'HEDGE');
    await deep(w);
    await ok(w.alice.future(buy(300)));
    await ok(w.alice.future(sell(200)));
    await ok(w.alice.future(buy(50, reduce)));
    const closing = await one(w.alice.future(sell(1000, reduce)));
    assert.deepEqual([closing.status, closing.totalFilledSize, closing.originalOrderSize], [4, 300, 1000]);
    assert.deepEqual(await held(w), [[SHORT, -150]]);
    await refused(w.alice.future(sell(10, reduce)), 33199120, 'position');
  });

  it('an order says the position that it works on: a reduce-only one that which it reduces', {
    rule: ['11.14', '11.16'],
  }, async (w) => {
    await setMode(w, 'HEDGE');
    await deep(w);
    const opening = await one(w.alice.future(buy(300)));
    const adding = await one(w.alice.future(future('SELL', 105)));
    const closing = await one(w.alice.future(future('SELL', 106, 10, reduce)));
    assert.deepEqual([opening, adding, closing].map(named), [
      ['HEDGE', 'LONG', LONG],
      ['HEDGE', 'SHORT', SHORT],
      ['HEDGE', 'LONG', LONG],
    ]);
    const rows = await ok(w.alice.v3Orders());
    assert.deepEqual(rows.map(named), [
      ['HEDGE', 'SHORT', SHORT],
      ['HEDGE', 'LONG', LONG],
    ]);
  });

  it('reduce-only at rest shrinks with its own position alone, and goes with it', {
    rule: ['11.20', '11.21'],
  }, async (w) => {
    await setMode(w, 'HEDGE');
    await deep(w);
    await ok(w.alice.future(buy(100)));
    await ok(w.alice.future(sell(100)));
    const long = await one(w.alice.future(future('SELL', 105, 100, reduce)));
    const short = await one(w.alice.future(future('BUY', 95, 100, reduce)));
    await ok(w.alice.future(sell(40, reduce)));
    const left = async (record: Json) => (await order(w, record.orderID)).remainingSize;
    assert.deepEqual([await left(long), await left(short)], [60, 100]);
    await ok(w.alice.future(sell(60, reduce)));
    assert.deepEqual([(await order(w, long.orderID)).status, (await order(w, short.orderID)).status], [6, 2]);
  });

  it('reduce-only is clipped at match time within one sweep', { rule: '11.19' }, async (w) => {
    await setMode(w, 'HEDGE');
    await deep(w);
    await ok(w.alice.future(buy(10)));
    await w.cancelAll();
    for (const price of [101, 101.5]) await ok(w.alice.future(future('SELL', price, 10, reduce)));
    const taker = await one(w.bob.future(future('BUY', 102, 20, { time_in_force: 'IOC' })));
    assert.equal(taker.totalFilledSize, 10);
    assert.deepEqual(await held(w), []);
  });

  it('attached orders protect the position that their parent opens', { rule: '11.24' }, async (w) => {
    await setMode(w, 'HEDGE');
    await deep(w);
    await ok(w.alice.future(buy(10, { stopLossPrice: 95 })));
    await ok(w.alice.future(sell(10, { stopLossPrice: 105 })));
    const rows = await ok(w.alice.v3Orders());
    assert.deepEqual(
      rows.map((row: Json) => [row.orderSide, row.triggerPrice, row.positionId]),
      [
        ['SELL', 95, LONG],
        ['BUY', 105, SHORT],
      ],
    );
    await w.price(PERP, { mark: 105 });
    assert.deepEqual(await held(w), [[LONG, 10]]);
  });

  it('a reduce-only trigger is checked when it fires: against the position that there is then', {
    rule: '11.23',
  }, async (w) => {
    await setMode(w, 'HEDGE');
    const { orderID } = await one(w.alice.future(stop('SELL', 95, 10, reduce)));
    await open(w, 4);
    await w.rest('BUY', 95, 10, PERP);
    await w.price(PERP, { mark: 95 });
    const { status, totalFilledSize } = await order(w, orderID);
    assert.deepEqual([status, totalFilledSize], [4, 4]);
  });

  it('takes margin for long and short, each for its own: 1.11 % of 1,000 USDT twice', async (w) => {
    await setMode(w, 'HEDGE');
    await open(w, MILLION);
    await open(w, -MILLION);
    assert.equal((await w.balance('USDT')).margin, '22.2');
  });
});

describe('ISOLATED', () => {
  const it = scenarios();

  it('each order that does not reduce opens a position of its own, of either side', { rule: '11.4' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await deep(w);
    for (const body of [buy(100), buy(101), sell(50)]) await ok(w.alice.future(body));
    assert.deepEqual(await held(w), [
      [isolated(1), 100],
      [isolated(2), 101],
      [isolated(3), -50],
    ]);
  });

  it('opens it at its first fill, with its own margin: notional × (1/10 + 2 × 0.055 %) × 1.01', {
    rule: ['11.4', '11.15'],
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    const { orderID, positionId, positionDirection } = await one(w.alice.future(future('BUY', 100, MILLION)));
    assert.deepEqual([positionId, positionDirection, await held(w)], ['', 'LONG', []]);
    const row = async () => (await ok(w.alice.v3Orders()))[0];
    assert.equal((await row()).positionId, '');
    // and 0.055 % of 1,000 for the entry fee
    assert.equal((await w.balance('USDT')).margin, '102.661');
    await ok(w.bob.future(future('SELL', 100, MILLION / 4)));
    assert.deepEqual([await held(w), (await row()).positionId], [[[isolated(1), MILLION / 4]], isolated(1)]);
    await ok(w.bob.future(future('SELL', 100, MILLION / 4)));
    assert.deepEqual(await held(w), [[isolated(1), MILLION / 2]]);
    const { positions } = await w.account();
    // 500 USDT × 0.1011 × 1.01, out of the wallet, which paid 0.02 % of fees beside it
    assert.equal(positions[0].margin, '51.0555');
    assert.equal((await w.balance('USDT')).total, '999948.8445');
    assert.equal((await order(w, orderID)).status, 5);
  });

  it('needs the entry fee and the margin of the dearest price: a SELL the best bid, where that is above its limit', {
    rule: ['5.6', '5.47'],
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await w.rest('BUY', 101, MILLION, PERP);
    // 1,010 × 0.1011 × 1.01 + 0.055 % of 1,010; and 1 × 10 that its limit lies below the mark
    await leave(w, '113.68760999');
    const order = future('SELL', 99, MILLION);
    await refused(w.alice.future(order), 33199101, 'not enough USDT: 113.68761 needed, 113.68760999 available');
    await w.venue.deposit('alice', 'USDT', '0.00000001');
    assert.equal((await one(w.alice.future(order))).status, 4);
    // It was filled above the mark: no open loss to be held in the position.
    assert.deepEqual([(await w.account()).positions[0].margin, (await w.balance('USDT')).total], ['103.13211', '10']);
  });

  it('has one margin rate for all that its order comes to, however the fills are cut', { rule: '11.4' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await setLeverage(w, { leverage: 100, marginMode: 'ISOLATED' });
    await w.price(PERP, { index: 60_000 });
    // 120,000 USDT: the second tier, 2 % and 2 × 0.055 %, × 1.01; and 0.055 % for the entry fee.
    await ok(w.alice.future(future('BUY', 60_000, 200_000)));
    assert.equal((await w.balance('USDT')).margin, '2623.32');
    await ok(w.bob.future(future('SELL', 60_000, 100_000)));
    assert.equal((await w.account()).positions[0].margin, '1278.66');
    assert.equal((await w.balance('USDT')).margin, '1311.66');
    await ok(w.bob.future(future('SELL', 60_000, 100_000)));
    assert.equal((await w.account()).positions[0].margin, '2557.32');
  });

  it('holds for what rests of its order what its fills will take, whatever leverage is chosen for positions to come', {
    rule: '11.4',
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await ok(w.alice.future(future('BUY', 100, MILLION)));
    await ok(w.bob.future(future('SELL', 100, MILLION / 2)));
    await setLeverage(w, { leverage: 100, marginMode: 'ISOLATED' });
    const { margin } = await w.balance('USDT');
    // 500 × 0.1011 × 1.01, and 0.055 % for the entry fee
    assert.equal(margin, '51.3305');
    // All that is free goes. The maker fee of the fill to come is 0.02 %: 0.035 % of 500 is left.
    await leave(w, '51.3305');
    await ok(w.bob.future(future('SELL', 100, MILLION / 2)));
    assert.deepEqual([(await w.account()).positions[0].margin, (await w.balance('USDT')).total], ['102.111', '0.175']);
  });

  it('gives the margin back with the part that closes, and its profit to the wallet', { rule: '11.5' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    const total = async () => (await w.balance('USDT')).total;
    assert.equal(await total(), '999897.339');
    await w.rest('BUY', 110, MILLION, PERP);
    await ok(w.alice.future(sell(MILLION / 2, reduce)));
    // 102.111 / 2 back, 50 earned, 0.055 % of 550 paid
    assert.equal(await total(), '999998.092');
    assert.equal((await w.account()).positions[0].margin, '51.0555');
    await ok(w.alice.future(sell(MILLION / 2, reduce)));
    assert.equal(await total(), '1000098.845');
  });

  it('a close gives back its share of the margin less what it lost and its fee: no loss is the wallet’s', {
    rule: '11.5',
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    const total = async () => (await w.balance('USDT')).total;
    assert.equal(await total(), '999897.339');
    await w.rest('BUY', 95, MILLION, PERP);
    await ok(w.alice.future(sell(MILLION / 2, reduce)));
    // 51.0555 less 25 lost and 0.055 % of 475
    assert.equal(await total(), '999923.13325');
    assert.equal((await w.account()).positions[0].margin, '51.0555');
  });

  it('a loss above the share is taken from the rest of the margin, never from the wallet', {
    rule: '11.6',
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    const { total } = await w.balance('USDT');
    await w.rest('BUY', 90, MILLION, PERP);
    await w.price(PERP, { mark: 92 });
    await ok(w.alice.future(sell(MILLION / 10, reduce)));
    // A tenth is 10.2111; it lost 10 and pays 0.0495: 0.1616 come back.
    assert.equal((await w.balance('USDT')).total, '999897.5006');
    await w.cancelAll();
    await w.rest('BUY', 89, MILLION, PERP);
    await ok(w.alice.future(sell(MILLION / 10, reduce)));
    // Another tenth lost 11 and pays 0.04895: 91.8999 − 11.04895 stay, and nothing comes back.
    assert.deepEqual(
      [(await w.account()).positions[0].margin, (await w.balance('USDT')).total],
      ['80.85095', '999897.5006'],
    );
    assert.equal(total, '999897.339');
  });

  it('holds open loss beside margin and entry fee; at the fill it goes into the position', {
    rule: ['5.7', '5.48'],
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await ok(w.alice.future(future('BUY', 100, MILLION)));
    await w.price(PERP, { mark: 99.5 });
    // 102.111 and 0.55 as at the mark, and 0.5 × 10
    assert.equal((await w.balance('USDT')).margin, '107.661');
    await ok(w.bob.future(future('SELL', 100, MILLION)));
    const [position] = (await w.account()).positions;
    assert.deepEqual([position.margin, position.unrealised], ['107.111', '-5']);
    assert.equal((await w.balance('USDT')).total, '999892.689');
  });

  it('its loss is no concern of the wallet, nor of other positions', { rule: '11.43' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    const { available } = await w.balance('USDT');
    await w.price(PERP, { mark: 95 });
    const balance = await w.balance('USDT');
    assert.deepEqual([balance.available, balance.unrealised, balance.margin], [available, '0', '0']);
    assert.equal((await w.account()).positions[0].unrealised, '-50');
  });

  it('there are at most five in a market, live opening orders counted: the sixth is refused with 304', {
    rule: '11.7',
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await deep(w);
    for (let i = 0; i < 3; i++) await ok(w.alice.future(buy(10)));
    const resting = await one(w.alice.future(future('BUY', 90)));
    await ok(w.alice.future(stop('BUY', 110)));
    const before = w.hash();
    for (const body of [buy(10), future('SELL', 105), stop('SELL', 90)]) {
      await refused(w.alice.future(body), 304, 'at most 5 isolated positions');
    }
    assert.equal(w.hash(), before);
    await ok(w.alice.future(sell(10, reduce)));
    await ok(w.alice.future(buy(10)));
    await refused(w.alice.future(buy(10)), 304);
    await ok(w.alice.cancelFuture({ orderID: resting.orderID }));
    await ok(w.alice.future(buy(10)));
    await w.price('ETH-PERP', { index: 100 });
    await ok(w.alice.future(future('BUY', 99, 10, { symbol: 'ETH-PERP' })));
  });

  it('reduceOnly takes the oldest opposite one, and no more than that', { rule: '11.8' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await deep(w);
    for (const body of [sell(70), buy(100), buy(40), sell(30)]) await ok(w.alice.future(body));
    const record = await one(w.alice.future(sell(500, reduce)));
    assert.deepEqual([record.totalFilledSize, record.positionId, record.positionDirection], [100, isolated(2), 'LONG']);
    await ok(w.alice.future(sell(15, reduce)));
    await ok(w.alice.future(buy(20, reduce)));
    assert.deepEqual(await held(w), [
      [isolated(1), -50],
      [isolated(3), 25],
      [isolated(4), -30],
    ]);
  });

  it('reduce-only at rest belongs to its position: it shrinks and goes with it', {
    rule: ['11.20', '11.21'],
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await deep(w);
    await ok(w.alice.future(buy(100)));
    const resting = await one(w.alice.future(future('SELL', 105, 100, reduce)));
    await ok(w.alice.future(buy(100)));
    await ok(w.alice.future(sell(30, reduce)));
    assert.equal((await order(w, resting.orderID)).remainingSize, 70);
    await ok(w.alice.future(sell(70, reduce)));
    assert.equal((await order(w, resting.orderID)).status, 6);
    assert.deepEqual(await held(w), [[isolated(2), 100]]);
  });

  it('attached orders belong to the position of their parent, and go with it', {
    rule: ['11.26', '11.27'],
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await deep(w);
    const parent = await one(w.alice.future(buy(100, { takeProfitPrice: 110, stopLossPrice: 95 })));
    await ok(w.alice.future(buy(40)));
    const { stopLossOrder, takeProfitOrder } = await order(w, parent.orderID);
    const rows = await ok(w.alice.v3Orders());
    assert.deepEqual(
      rows.map((row: Json) => [row.positionId, row.currentOrderSize]),
      [
        [isolated(1), 100],
        [isolated(1), 100],
      ],
    );
    await w.price(PERP, { mark: 95 });
    assert.deepEqual([(await order(w, stopLossOrder.orderId)).status, await held(w)], [4, [[isolated(2), 40]]]);
    assert.equal((await order(w, takeProfitOrder.orderId)).status, 6);
  });

  it('numbers are not used again: the next position has the next one', async (w) => {
    await setMode(w, 'ISOLATED');
    await deep(w);
    await ok(w.alice.future(buy(10)));
    await ok(w.alice.future(sell(10, reduce)));
    await ok(w.alice.future(buy(10)));
    assert.deepEqual(await held(w), [[isolated(2), 10]]);
  });
});

describe('the position mode', () => {
  const it = scenarios();

  it('is ONE_WAY at first; an order without positionMode has the one of the account', {
    rule: ['11.9', '11.10'],
  }, async (w) => {
    const shown = async () => named(await one(w.alice.future(future('BUY', 90))));
    assert.deepEqual(await shown(), ['ONE_WAY', undefined, 'BTC-PERP-USDT']);
    await w.cancelAll();
    await setMode(w, 'HEDGE');
    assert.deepEqual(await shown(), ['HEDGE', 'LONG', LONG]);
    await ok(w.alice.future(future('SELL', 105, 10, { positionMode: 'HEDGE' })));
    await refused(w.alice.future(future('SELL', 105, 10, { positionMode: 'ONE_WAY' })), 133, 'HEDGE');
  });

  it('of an order that is refused is not taken on', { rule: '11.12' }, async (w) => {
    await refused(w.alice.future(future('BUY', 90, 7_500_001, { positionMode: 'HEDGE' })), 4051);
    assert.equal((await one(w.alice.future(future('BUY', 90)))).positionMode, 'ONE_WAY');
  });
});
