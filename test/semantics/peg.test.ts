/** semantics.md section 9: PEG. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { buyMarket, future, limit, peg, sellMarket } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { leave, MILLION } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

async function place(w: World, body: Json): Promise<string> {
  return (await one(w.alice.spot(body))).orderId;
}

async function pegPrice(w: World, orderId: string): Promise<number | null> {
  return (await ok(w.alice.lookup(orderId))).currentPegPrice;
}

describe('the band of a PEG', () => {
  const it = scenarios({
    markets: [
      { symbol: BTC, band: '0.02' },
      { symbol: PERP, band: '0.02' },
    ],
  });

  it('holds its price on either side, whatever deviation and cap say, and moves with the index', {
    rule: '4.32',
  }, async (w) => {
    const buy = await place(w, peg('BUY', 150, { deviation: 5 }));
    assert.equal(await pegPrice(w, buy), 102);
    await w.price(BTC, { index: 101 });
    // 101 × 1.02 = 103.02
    assert.equal(await pegPrice(w, buy), 103);
    await ok(w.alice.cancelSpot(buy));
    const sell = await place(w, peg('SELL', 50, { deviation: -5 }));
    // 101 × 0.98 = 98.98
    assert.equal(await pegPrice(w, sell), 99);
    const capped = await place(w, peg('SELL', 100.5, { deviation: -5 }));
    assert.equal(await pegPrice(w, capped), 100.5);
  });

  it('is around the mark on futures', { rule: ['4.29', '4.32'] }, async (w) => {
    await w.price(PERP, { mark: 97 });
    const body = { symbol: PERP, side: 'BUY', size: 10, price: 150, deviation: 0 };
    await one(w.alice.call('POST', '/futures/api/v2.3/order/peg', { body }));
    // 97 × 1.02 = 98.94, below the index of 100
    const sold = await one(w.bob.future(future('SELL', 96, 10, { time_in_force: 'IOC' })));
    assert.equal(sold.avgFilledPrice, 98.9);
  });
});

describe('PEG', () => {
  const it = scenarios();

  it('is at index × (1 + deviation/100), on the tick: BUY down, SELL up', { rule: ['9.1', '9.3'] }, async (w) => {
    await w.price(BTC, { index: '100.07' });
    const buy = await place(w, peg('BUY', 150, { deviation: -1 }));
    const sell = await place(w, peg('SELL', 50, { deviation: 1 }));
    // 100.07 × 0.99 = 99.0693 and 100.07 × 1.01 = 101.0707
    assert.deepEqual([await pegPrice(w, buy), await pegPrice(w, sell)], [99, 101.1]);
  });

  it('on futures needs its margin at once where there is an index', { rule: ['5.45', '9.12', '11.34'] }, async (w) => {
    const body = { symbol: PERP, side: 'BUY', size: MILLION, price: 100, stealth: 100 };
    const place = () => w.alice.call('POST', '/futures/api/v2.3/order/peg', { body });
    // 10 BTC at 100 × (1 % + 2 × 0.055 %)
    await leave(w, '11.09');
    await refused(place(), 33199101, '11.1 needed');
    await w.venue.deposit('alice', 'USDT', '0.01');
    assert.equal((await one(place())).status, 2);
  });

  it('on futures is refused before the first mark, and the margin of one that waits for the index is checked when that comes', {
    rule: ['5.11', '9.7'],
  }, async (w) => {
    await w.begin(null);
    await leave(w, '15');
    const body = { symbol: PERP, side: 'BUY', size: MILLION, price: 100, stealth: 100 };
    const place = () => w.alice.call('POST', '/futures/api/v2.3/order/peg', { body });
    await refused(place(), 33001003, 'no mark yet');
    // A mark by hand is one, but no index: both wait for that, and neither holds margin.
    await w.price(PERP, { mark: 100 });
    const [first, second] = [await one(place()), await one(place())];
    assert.equal((await w.balance('USDT')).margin, '0');
    await w.price(PERP, { index: 100 });
    // Each needs 11.1 of margin.
    const look = async ({ orderID }: Json) => ok(w.alice.futureOrder(orderID));
    assert.equal((await look(first)).status, 2);
    assert.equal((await look(second)).status, 15);
    assert.equal((await w.balance('USDT')).margin, '11.1');
  });

  it('two of one account move as a group: neither meets the other one at its price of before', {
    rule: '3.13',
  }, async (w) => {
    const buy = await place(w, peg('BUY', 150, { deviation: -0.2 }));
    const sell = await place(w, peg('SELL', 50, { deviation: 0.2 }));
    await w.price(BTC, { index: 101 });
    assert.deepEqual([await pegPrice(w, buy), await pegPrice(w, sell)], [100.7, 101.3]);
    await w.price(BTC, { index: 99 });
    assert.deepEqual([await pegPrice(w, buy), await pegPrice(w, sell)], [98.8, 99.2]);
  });

  it('of two accounts move as a group: none is sold at a bid that the index has left', {
    rule: '3.13',
  }, async (w) => {
    const sell = await place(w, peg('SELL', 50, { deviation: 0.2 }));
    const { orderId: buy } = await one(w.bob.spot(peg('BUY', 150, { deviation: -0.2 })));
    await w.price(BTC, { index: 99 });
    assert.deepEqual([await pegPrice(w, sell), (await ok(w.bob.lookup(buy))).currentPegPrice], [99.2, 98.8]);
    assert.equal((await w.balance('BTC')).total, '1000');
  });

  it('that meets a peg of its own account stops one tick before it, what lies ahead of that is taken', {
    rule: '4.14',
  }, async (w) => {
    const sell = await place(w, peg('SELL', 50));
    await w.rest('SELL', 99.9, 0.3);
    const buy = await place(w, peg('BUY', 150, { deviation: 1 }));
    const { currentPegPrice, orderState, totalFilledBaseSize } = await ok(w.alice.lookup(buy));
    assert.deepEqual([orderState, currentPegPrice, totalFilledBaseSize], ['ORDER_PARTIALLY_TRANSACTED', 99.9, 0.3]);
    assert.equal(await pegPrice(w, sell), 100);
    // The other one gone, the next index takes it to its own price.
    await ok(w.alice.cancelSpot(sell));
    await w.price(BTC, { index: '100.01' });
    assert.equal(await pegPrice(w, buy), 101);
  });

  it('that meets another order of its own account ends as any order does', { rule: ['4.11', '4.13'] }, async (w) => {
    await ok(w.alice.spot(limit('SELL', 100)));
    const { status, message } = await one(w.alice.spot(peg('BUY', 150)));
    assert.equal(status, 6);
    assert.match(message, /self-trade/);
  });

  it('is capped by its price: BUY never above, SELL never below', { rule: '9.2' }, async (w) => {
    const buy = await place(w, peg('BUY', 99));
    const sell = await place(w, peg('SELL', 101));
    assert.deepEqual([await pegPrice(w, buy), await pegPrice(w, sell)], [99, 101]);
    await w.price(BTC, { index: 98 });
    assert.deepEqual([await pegPrice(w, buy), await pegPrice(w, sell)], [98, 101]);
    await w.price(BTC, { index: 103 });
    assert.deepEqual([await pegPrice(w, buy), await pegPrice(w, sell)], [99, 103]);
  });

  it('stealth is 1 to 100 and deviation −10 to 10, else malformed; deviation is 0 where not given', {
    rule: '9.16',
  }, async (w) => {
    for (const stealth of [0, 0.99, 100.01]) await refused(w.alice.spot(peg('BUY', 99, { stealth })), 400, 'stealth');
    for (const deviation of [-10.01, 10.01])
      await refused(w.alice.spot(peg('BUY', 99, { deviation })), 400, 'deviation');
    for (const terms of [{ stealth: 1, deviation: -10 }, { stealth: 100, deviation: 10 }, {}]) {
      await place(w, peg('BUY', 99, terms));
    }
    const plain = await ok(w.alice.lookup(await place(w, peg('BUY', 99))));
    assert.equal(plain.pegPriceDeviation, 0);
  });

  it('an index that does not change its price leaves it its place', { rule: '9.4' }, async (w) => {
    const id = await place(w, peg('BUY', 99));
    await w.rest('BUY', 99, 1);
    for (const index of [101, 103, 99.5]) await w.price(BTC, { index });
    await ok(w.bob.spot(limit('SELL', 99, 0.4)));
    assert.equal((await ok(w.alice.lookup(id))).totalFilledBaseSize, 0.4);
  });

  it('its record shows the cap of its side, the deviation as a fraction, and the price in force', {
    rule: ['9.13', '9.14', '9.15'],
  }, async (w) => {
    const shown = async (body: Json) => {
      const { pegPriceMin, pegPriceMax, pegPriceDeviation, currentPegPrice } = await ok(
        w.alice.lookup(await place(w, body)),
      );
      return [pegPriceMin, pegPriceMax, pegPriceDeviation, currentPegPrice];
    };
    assert.deepEqual(await shown(peg('BUY', 99, { deviation: -2.5 })), [null, 99, -0.025, 97.5]);
    assert.deepEqual(await shown(peg('SELL', 101, { deviation: 5 })), [101, null, 0.05, 105]);
  });

  it('stays inside the price band', { rule: '4.32' }, async (w) => {
    const narrow = await place(w, peg('BUY', 150, { deviation: 10 }));
    assert.equal(await pegPrice(w, narrow), 110);
  });

  it('moves to the back of its level when an index move changes its price, and keeps its place when not', {
    rule: ['3.16', '9.4'],
  }, async (w) => {
    const first = await place(w, peg('BUY', 99));
    await w.rest('BUY', 99, 1);
    await w.price(BTC, { index: 105 });
    await ok(w.bob.spot(limit('SELL', 99, 0.4)));
    assert.equal((await ok(w.alice.lookup(first))).totalFilledBaseSize, 0.4);
    await w.price(BTC, { index: 98 });
    await w.price(BTC, { index: 100 });
    const sweep = await one(w.bob.spot(limit('SELL', 99, 0.5, { timeInForce: 'IOC' })));
    // bob's own bid is now ahead of the peg, so his sweep meets it and stops
    assert.deepEqual([sweep.totalFilledBaseSize, sweep.status], [0, 6]);
  });

  it('re-prices in order of age: the older peg stays ahead', { rule: ['3.13', '9.5'] }, async (w) => {
    const older = await place(w, peg('BUY', 105, { deviation: -1 }));
    const younger = await place(w, peg('BUY', 105, { deviation: -1 }));
    await w.price(BTC, { index: 102 });
    await ok(w.bob.spot(sellMarket(1)));
    assert.deepEqual([await w.state(older), await w.state(younger)], ['ORDER_FULLY_TRANSACTED', 'ORDER_INSERTED']);
  });

  it('takes, as a new order would, when its new price crosses', { rule: '9.6' }, async (w) => {
    const id = await place(w, peg('BUY', 105));
    await w.rest('SELL', 102, 0.4);
    await w.price(BTC, { index: 103 });
    const { totalFilledBaseSize, currentPegPrice } = await ok(w.alice.lookup(id));
    assert.deepEqual([totalFilledBaseSize, currentPegPrice], [0.4, 103]);
  });

  it('an aggressive entry uses the full size, hidden or not', { rule: '9.11' }, async (w) => {
    await w.rest('SELL', 100, 0.6);
    const { status, totalFilledBaseSize, orderId } = await one(w.alice.spot(peg('BUY', 105, { stealth: 10 })));
    assert.deepEqual([status, totalFilledBaseSize], [5, 0.6]);
    assert.equal((await ok(w.alice.lookup(orderId))).orderDetail.displayedSize, 0.1);
  });

  it('shows ceil(stealth % of the size) at a time; the next slice joins at the back', {
    rule: ['9.8', '9.9'],
  }, async (w) => {
    const id = await place(w, peg('SELL', 100, { stealth: 30 }));
    const shown = async () => (await ok(w.alice.lookup(id))).orderDetail.displayedSize;
    assert.equal(await shown(), 0.3);
    await ok(w.bob.spot(buyMarket(20)));
    assert.equal(await shown(), 0.1);
    await ok(w.bob.spot(buyMarket(10)));
    assert.equal(await shown(), 0.3);
    await ok(w.bob.spot(limit('BUY', 100, 0.65)));
    assert.equal(await shown(), 0.05);
    await ok(w.bob.spot(limit('BUY', 100, 0.05)));
    assert.equal(await w.state(id), 'ORDER_FULLY_TRANSACTED');
  });

  it('a slice is rounded up to the lot grid, from the original size', { rule: '9.8' }, async (w) => {
    const id = await place(w, peg('SELL', 100, { orderSize: '0.00007', stealth: 33 }));
    assert.equal((await ok(w.alice.lookup(id))).orderDetail.displayedSize, 0.00003);
  });

  it('the next slice joins at the back within the same sweep, too', { rule: '9.9' }, async (w) => {
    const id = await place(w, peg('SELL', 100, { stealth: 50 }));
    await w.rest('SELL', 100, 0.2);
    const taker = await one(w.bob.spot(limit('BUY', 100, 0.6, { timeInForce: 'IOC' })));
    // 0.5 of the peg, then bob's own 0.2 stands before the second slice
    assert.deepEqual([taker.totalFilledBaseSize, taker.status], [0.5, 6]);
    assert.equal((await ok(w.alice.lookup(id))).orderDetail.displayedSize, 0.5);
  });

  it('hidden size is in no depth', { rule: '9.10' }, async (w) => {
    await place(w, peg('SELL', 100, { stealth: 10 }));
    const response = await fetch(`${w.venue.url}/public-api/market/v1/orderbook?symbol=${BTC}`);
    const { data } = (await response.json()) as Json;
    assert.deepEqual(data.asks, [['100', '0.1']]);
  });

  it('without an index it waits, hidden, and enters with the first one', { rule: ['9.7', '9.15'] }, async (w) => {
    await w.begin(null);
    const id = await place(w, peg('BUY', 99, { stealth: 10 }));
    const waiting = await ok(w.alice.lookup(id));
    assert.deepEqual(waiting.orderDetail, { displayedSize: 0, waitingFor: 'index' });
    assert.deepEqual([waiting.currentPegPrice, waiting.orderState], [null, 'ORDER_INSERTED']);
    await w.price(BTC, { index: 98 });
    const entered = await ok(w.alice.lookup(id));
    assert.deepEqual([entered.currentPegPrice, entered.orderDetail], [98, { displayedSize: 0.1, waitingFor: null }]);
  });

  it('its money stays reserved at the cap, and comes back with a cancel', { rule: ['5.42', '9.12'] }, async (w) => {
    const id = await place(w, peg('BUY', 99, { deviation: -5 }));
    assert.equal((await w.balance('USDT')).reserved, '99');
    await w.price(BTC, { index: 80 });
    assert.equal((await w.balance('USDT')).reserved, '99');
    const [record] = await ok(w.alice.cancelSpot(id));
    assert.deepEqual([record.status, record.type, record.orderPrice], [6, 80, 99]);
    assert.equal((await w.balance('USDT')).reserved, '0');
  });

  it('meeting the own order ends it as self-trade does', { rule: '9.6' }, async (w) => {
    await ok(w.alice.spot(limit('SELL', 101)));
    const id = await place(w, peg('BUY', 105));
    await w.price(BTC, { index: 102 });
    assert.equal(await w.state(id), 'ORDER_CANCELLED');
  });
});
