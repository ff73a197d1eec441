/**
 * Unmodified ccxt against a venue: its `btse` class as a user has it, with the two addresses replaced. Each call goes over
 * HTTP; what is asserted is ccxt's own view of the replies.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import ccxt, { type Order } from 'ccxt';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { connect, reset, SPOT, SWAP } from './support.ts';

/** TRIGGER_INSERTED. Where its type code is 77, ccxt itself calls such an order closed: it takes it for a market order. */
const WAITING = 9;

let venue: TestVenue;
before(async () => {
  venue = await startVenue({
    accounts: [
      { name: 'trader', balances: { USDT: '100000', BTC: '10' } },
      { name: 'maker', balances: { USDT: '1000000', BTC: '100' } },
    ],
  });
});
after(() => venue.close());
beforeEach(() => reset(venue));

const trader = () => connect(venue, venue.keys[0]);
const maker = () => connect(venue, venue.keys[1]);

/** The maker's book: one bid and one ask around 60,000. */
async function makeBook(symbol: string, size: number): Promise<void> {
  const btse = maker();
  await btse.createOrder(symbol, 'limit', 'buy', size, 59_990);
  await btse.createOrder(symbol, 'limit', 'sell', size, 60_010);
}

const shown = ({ status, side, type, price, amount, filled, remaining }: Order) => ({
  status,
  side,
  type,
  price,
  amount,
  filled,
  remaining,
});

describe('what ccxt reads without a key', () => {
  test('markets: two spot pairs and two perpetuals, with their grids and contract sizes', async () => {
    const markets = await trader().loadMarkets();
    assert.deepEqual(Object.keys(markets).sort(), [SPOT, SWAP, 'ETH/USDT', 'ETH/USDT:USDT'].sort());
    assert.equal(markets[SPOT]!.spot, true);
    assert.equal(markets[SWAP]!.swap, true);
    assert.equal(markets[SWAP]!.contractSize, 0.00001);
    assert.equal(markets[SPOT]!.precision.price, 0.1);
    assert.equal(markets[SPOT]!.precision.amount, 0.00001);
    assert.equal(markets[SPOT]!.limits.amount!.min, 0.00001);
  });

  for (const [symbol, size] of [
    [SPOT, 0.5],
    [SWAP, 5000],
  ] as const) {
    test(`the order book of ${symbol}`, async () => {
      await makeBook(symbol, size);
      const { bids, asks } = await trader().fetchOrderBook(symbol);
      assert.deepEqual([bids, asks], [[[59_990, size]], [[60_010, size]]]);
    });
  }

  test('the time is that of the venue', async () => {
    assert.equal(await trader().fetchTime(), Date.UTC(2026, 0, 1));
  });
});

for (const [symbol, size] of [
  [SPOT, 0.01],
  [SWAP, 100],
] as const) {
  describe(`plain orders on ${symbol}`, () => {
    test('a limit order rests, is looked up by both ids, listed and cancelled', async () => {
      const btse = trader();
      const placed = await btse.createOrder(symbol, 'limit', 'buy', size, 59_000, { clientOrderId: 'my-order' });
      assert.equal(placed.status, 'open');
      const type = placed.type;
      const found = await btse.fetchOpenOrder(placed.id!, symbol);
      assert.deepEqual(shown(found), {
        status: 'open',
        side: 'buy',
        type: 'limit',
        price: 59_000,
        amount: size,
        filled: 0,
        remaining: size,
      });
      assert.equal(found.clientOrderId, 'my-order');
      assert.equal((await btse.fetchOpenOrder('', symbol, { clientOrderId: 'my-order' })).id, placed.id);
      assert.deepEqual(
        (await btse.fetchOpenOrders(symbol)).map(({ id, status }) => [id, status]),
        [[placed.id, 'open']],
      );
      const cancelled = await btse.cancelOrder(placed.id!, symbol);
      assert.deepEqual([cancelled.id, cancelled.status], [placed.id, 'canceled']);
      assert.deepEqual(await btse.fetchOpenOrders(symbol), []);
      assert.ok(type === 'limit' || symbol === SWAP, 'v3 says 0, as BTSE does');
    });

    test('a market order fills against the book', async () => {
      await makeBook(symbol, size * 2);
      const bought = await trader().createOrder(symbol, 'market', 'buy', size, 60_010);
      assert.equal(bought.average, 60_010);
      assert.equal(bought.filled, size);
      const sold = await trader().createOrder(symbol, 'market', 'sell', size);
      assert.deepEqual([sold.average, sold.filled, sold.status], [59_990, size, 'closed']);
    });

    test('a post-only order that would match is InvalidOrder, an immediate one ends cancelled', async () => {
      await makeBook(symbol, size);
      const btse = trader();
      await assert.rejects(
        btse.createOrder(symbol, 'limit', 'buy', size, 60_010, { postOnly: true }),
        ccxt.InvalidOrder,
      );
      const ioc = await btse.createOrder(symbol, 'limit', 'buy', size, 60_000, { timeInForce: 'IOC' });
      assert.equal(ioc.status, 'canceled');
    });

    test('a stop is looked up, and fires', async () => {
      await makeBook(symbol, size);
      const btse = trader();
      const stop = await btse.createOrder(symbol, 'market', 'sell', size, undefined, { stopLossPrice: 59_500 });
      assert.equal(stop.info.status, WAITING);
      assert.equal((await btse.fetchOpenOrder(stop.id!, symbol)).triggerPrice, 59_500);
      const id = symbol === SPOT ? 'BTC-USDT' : 'BTC-PERP';
      await venue.setPrice(id, symbol === SPOT ? { last: 59_500 } : { mark: 59_500 });
      await assert.rejects(btse.cancelOrder(stop.id!, symbol), ccxt.OrderNotFound);
      assert.deepEqual((await btse.fetchOrderBook(symbol)).bids, []);
    });

    test('a take-profit with a limit price waits and is cancelled', async () => {
      const btse = trader();
      const profit = await btse.createOrder(symbol, 'limit', 'sell', size, 61_500, { takeProfitPrice: 61_000 });
      assert.equal(profit.info.status, WAITING);
      assert.equal((await btse.cancelOrder(profit.id!, symbol)).status, 'canceled');
    });

    test('an OCO is placed, found and cancelled as a whole', async () => {
      const btse = trader();
      const oco = await btse.createOrder(symbol, 'OCO', 'sell', size, 61_000, {
        triggerPrice: 59_000,
        stopPrice: 58_990,
      });
      assert.equal(oco.status, 'open');
      assert.equal((await btse.fetchOpenOrders(symbol)).length, 2);
      assert.equal((await btse.cancelOrder(oco.id!, symbol)).status, 'canceled');
      assert.deepEqual(await btse.fetchOpenOrders(symbol), []);
    });

    test('a trailing stop by distance and by percent is placed, found and cancelled', async () => {
      const btse = trader();
      for (const trail of [{ trailingAmount: 500 }, { trailingPercent: 2 }]) {
        const order = await btse.createOrder(symbol, 'TRAILING', 'sell', size, undefined, trail);
        assert.equal(order.info.status, WAITING);
        assert.equal((await btse.fetchOpenOrder(order.id!, symbol)).id, order.id);
        assert.equal((await btse.cancelOrder(order.id!, symbol)).status, 'canceled');
      }
    });
  });
}

describe('algo orders on spot', () => {
  test('a PEG rests at its offset from the index', async () => {
    const btse = trader();
    const peg = await btse.createOrder(SPOT, 'PEG', 'buy', 0.01, 60_000, { stealth: 50, deviation: -1 });
    assert.equal(peg.status, 'open');
    assert.equal((await btse.fetchOrderBook(SPOT)).bids[0][0], 59_400);
    const { info } = await btse.fetchOpenOrder(peg.id!, SPOT);
    assert.equal(info.currentPegPrice, 59_400);
    await btse.cancelOrder(peg.id!, SPOT);
  });

  test('a TWAP buys its size over its time', async () => {
    await maker().createOrder(SPOT, 'limit', 'sell', 1, 60_010);
    const btse = trader();
    const twap = await btse.createOrder(SPOT, 'TWAP', 'buy', 0.02, undefined, { timePeriod: 60 });
    assert.equal(twap.status, 'open');
    assert.equal((await btse.fetchOpenOrder(twap.id!, SPOT)).amount, 0.02);
    await venue.advance(60_000);
    await assert.rejects(btse.fetchOpenOrder(twap.id!, SPOT), ccxt.OrderNotFound);
    const { BTC } = await btse.fetchBalance();
    assert.ok(BTC.total! > 10.0199 && BTC.total! <= 10.02, `${BTC.total}`);
  });

  test('a trailing BUY is sized in quote', async () => {
    const btse = trader();
    const order = await btse.createOrder(SPOT, 'TRAILING', 'buy', 0, undefined, { cost: 600, trailingAmount: 100 });
    assert.equal(order.status, 'open');
    await btse.cancelOrder(order.id!, SPOT);
  });
});

describe('attached take-profit and stop-loss on the perpetual', () => {
  test('they come with the first fill and go with the position', async () => {
    await makeBook(SWAP, 1000);
    const btse = trader();
    await btse.createOrder(SWAP, 'market', 'buy', 100, undefined, {
      takeProfit: { triggerPrice: 61_000, priceType: 'mark' },
      stopLoss: { triggerPrice: 59_000, priceType: 'mark' },
    });
    assert.equal((await btse.fetchOpenOrders(SWAP)).length, 2);
    await btse.createOrder(SWAP, 'market', 'sell', 100, undefined, { reduceOnly: true });
    assert.deepEqual(await btse.fetchOpenOrders(SWAP), []);
  });
});

describe('balances', () => {
  test('spot: total, free and used, with an order at rest', async () => {
    const btse = trader();
    await btse.createOrder(SPOT, 'limit', 'sell', 1, 61_000);
    const { BTC, USDT } = await btse.fetchBalance();
    assert.deepEqual([BTC.total, BTC.free, BTC.used], [10, 9, 1]);
    assert.deepEqual([USDT.total, USDT.free, USDT.used], [100_000, 100_000, 0]);
  });

  test('swap: the same wallet, with the margin of a position in use', async () => {
    await makeBook(SWAP, 1000);
    const btse = trader();
    await btse.createOrder(SWAP, 'market', 'buy', 1000);
    const { USDT } = await btse.fetchBalance({ type: 'swap' });
    assert.ok(USDT.total! < 100_000 && USDT.total! > 99_990, `${USDT.total}`);
    assert.ok(USDT.used! > 5 && USDT.used! < 20, `${USDT.used}`);
    assert.equal(Number((USDT.free! + USDT.used!).toFixed(8)), USDT.total);
  });
});

describe('refusals, as ccxt names them', () => {
  for (const symbol of [SPOT, SWAP]) {
    const size = symbol === SPOT ? 0.01 : 100;

    test(`${symbol}: an unknown key and a wrong secret are AuthenticationError`, async () => {
      const { key } = venue.keys[0];
      for (const wrong of [connect(venue, { key: 'unknown', secret: 'x' }), connect(venue, { key, secret: 'x' })]) {
        await assert.rejects(wrong.createOrder(symbol, 'limit', 'buy', size, 50_000), ccxt.AuthenticationError);
        await assert.rejects(wrong.fetchOpenOrders(symbol), ccxt.AuthenticationError);
        await assert.rejects(wrong.fetchBalance({ type: symbol === SPOT ? 'spot' : 'swap' }), ccxt.AuthenticationError);
      }
    });

    test(`${symbol}: too little money is InsufficientFunds`, async () => {
      const btse = trader();
      const big = symbol === SPOT ? 99 : 7_000_000;
      await assert.rejects(btse.createOrder(symbol, 'limit', 'buy', big, 59_000), ccxt.InsufficientFunds);
      if (symbol === SPOT) {
        await assert.rejects(btse.createOrder(symbol, 'limit', 'sell', 11, 61_000), ccxt.InsufficientFunds);
      }
    });

    test(`${symbol}: an unknown order is OrderNotFound, looked up and cancelled`, async () => {
      const btse = trader();
      for (const id of ['3c7a1f0e-0000-4000-8000-000000000000', 'nonsense']) {
        await assert.rejects(btse.fetchOpenOrder(id, symbol), ccxt.OrderNotFound);
        await assert.rejects(btse.cancelOrder(id, symbol), ccxt.OrderNotFound);
      }
    });

    test(`${symbol}: another account's order is OrderNotFound`, async () => {
      const order = await maker().createOrder(symbol, 'limit', 'buy', size, 59_000);
      await assert.rejects(trader().fetchOpenOrder(order.id!, symbol), ccxt.OrderNotFound);
      await assert.rejects(trader().cancelOrder(order.id!, symbol), ccxt.OrderNotFound);
    });
  }
});
