/**
 * Unmodified ccxt on what surrounds placing an order: editing, cancelling everything, the dead man's switch, fees, positions,
 * leverage and modes. What is asserted is ccxt's own view of the replies.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { connect, reset, SPOT, SWAP } from './support.ts';

let venue: TestVenue;
before(async () => {
  venue = await startVenue({
    accounts: [
      {
        name: 'trader',
        balances: { USDT: '100000', BTC: '10' },
        fees: { 'BTC-PERP': { maker: '0', taker: '0.0004' } },
      },
      { name: 'maker', balances: { USDT: '1000000', BTC: '100' } },
    ],
  });
});
after(() => venue.close());
beforeEach(() => reset(venue));

const trader = () => connect(venue, venue.keys[0]);
const maker = () => connect(venue, venue.keys[1]);

/** The trader's position: bought (above 0) or sold from the maker's book at 60,000. */
async function open(size: number, params = {}): Promise<void> {
  await maker().createOrder(SWAP, 'limit', size > 0 ? 'sell' : 'buy', Math.abs(size), 60_000);
  await trader().createOrder(SWAP, 'market', size > 0 ? 'buy' : 'sell', Math.abs(size), undefined, params);
}

describe('editOrder', () => {
  for (const [symbol, size] of [
    [SPOT, 0.01],
    [SWAP, 100],
  ] as const) {
    test(`${symbol}: a new price, a new size, both`, async () => {
      const btse = trader();
      const { id } = await btse.createOrder(symbol, 'limit', 'buy', size, 59_000, { clientOrderId: 'mine' });
      const priced = await btse.editOrder(id!, symbol, 'limit', 'buy', undefined, 59_100);
      assert.deepEqual([priced.id, priced.status, priced.price, priced.amount], [id, 'open', 59_100, size]);
      const sized = await btse.editOrder(id!, symbol, 'limit', 'buy', size * 2);
      assert.deepEqual([sized.price, sized.amount, sized.remaining], [59_100, size * 2, size * 2]);
      const both = await btse.editOrder(id!, symbol, 'limit', 'buy', size * 3, 59_200, { clientOrderId: 'mine' });
      assert.deepEqual([both.id, both.price, both.amount], [id, 59_200, size * 3]);
      const found = await btse.fetchOpenOrder(id!, symbol);
      assert.deepEqual([found.price, found.amount, found.status], [59_200, size * 3, 'open']);
    });

    test(`${symbol}: a price that crosses fills the order`, async () => {
      await maker().createOrder(symbol, 'limit', 'sell', size, 60_010);
      const btse = trader();
      const { id } = await btse.createOrder(symbol, 'limit', 'buy', size, 59_000);
      const edited = await btse.editOrder(id!, symbol, 'limit', 'buy', undefined, 60_020);
      assert.deepEqual([edited.status, edited.filled, edited.average], ['closed', size, 60_010]);
    });

    test(`${symbol}: the trigger price of a waiting stop`, async () => {
      const btse = trader();
      const { id } = await btse.createOrder(symbol, 'market', 'sell', size, undefined, { stopLossPrice: 59_000 });
      await btse.editOrder(id!, symbol, 'market', 'sell', undefined, undefined, { triggerPrice: 59_500 });
      const { info } = await btse.fetchOpenOrder(id!, symbol);
      assert.deepEqual([info.triggerPrice, info.triggerOriginalPrice], [59_500, 59_000]);
    });

    test(`${symbol}: what is not there is OrderNotFound, what cannot be is InvalidOrder`, async () => {
      const btse = trader();
      await assert.rejects(btse.editOrder('nonsense', symbol, 'limit', 'buy', size, 59_000), ccxt.OrderNotFound);
      const { id } = await btse.createOrder(symbol, 'limit', 'buy', size, 59_000);
      await assert.rejects(btse.editOrder(id!, symbol, 'limit', 'buy', undefined, 90_000), ccxt.InvalidOrder);
      const big = symbol === SPOT ? 99 : 7_000_000;
      await assert.rejects(btse.editOrder(id!, symbol, 'limit', 'buy', big, 59_000), ccxt.InsufficientFunds);
      assert.equal((await btse.fetchOpenOrder(id!, symbol)).amount, size);
    });
  }

  test('spot: the size is what is to be unfilled, with totalAmountMode the total', async () => {
    const btse = trader();
    const { id } = await btse.createOrder(SPOT, 'limit', 'buy', 0.01, 60_000);
    await maker().createOrder(SPOT, 'limit', 'sell', 0.004, 60_000);
    const unfilled = await btse.editOrder(id!, SPOT, 'limit', 'buy', 0.01);
    assert.deepEqual([unfilled.amount, unfilled.filled, unfilled.remaining], [0.014, 0.004, 0.01]);
    const total = await btse.editOrder(id!, SPOT, 'limit', 'buy', 0.01, undefined, { totalAmountMode: true });
    assert.deepEqual([total.amount, total.remaining], [0.01, 0.006]);
  });
});

describe('cancelAllOrders', () => {
  test('of a symbol, on spot and swap', async () => {
    const btse = trader();
    for (const [symbol, size] of [
      [SPOT, 0.01],
      [SWAP, 100],
    ] as const) {
      await btse.createOrder(symbol, 'limit', 'buy', size, 59_000);
      await btse.createOrder(symbol, 'limit', 'buy', size, 58_000);
      const cancelled = await btse.cancelAllOrders(symbol);
      assert.deepEqual(
        cancelled.map(({ status }) => status),
        ['canceled', 'canceled'],
      );
      assert.deepEqual(await btse.fetchOpenOrders(symbol), []);
      assert.deepEqual(await btse.cancelAllOrders(symbol), []);
    }
  });

  test('of every spot pair at once', async () => {
    const btse = trader();
    await venue.setPrice('ETH-USDT', 3000);
    await btse.createOrder(SPOT, 'limit', 'buy', 0.01, 59_000);
    await btse.createOrder('ETH/USDT', 'limit', 'buy', 0.1, 2900);
    assert.equal((await btse.cancelAllOrders()).length, 2);
    assert.deepEqual(await btse.fetchOpenOrders(), []);
  });
});

describe('cancelAllOrdersAfter', () => {
  for (const [type, symbol, size] of [
    ['spot', SPOT, 0.01],
    ['swap', SWAP, 100],
  ] as const) {
    test(`${type}: cancels at its deadline unless 0 disarms it`, async () => {
      const btse = trader();
      await btse.createOrder(symbol, 'limit', 'buy', size, 59_000);
      await btse.cancelAllOrdersAfter(60_000, { type });
      await btse.cancelAllOrdersAfter(0, { type });
      await venue.advance(60_000);
      assert.equal((await btse.fetchOpenOrders(symbol)).length, 1);
      await btse.cancelAllOrdersAfter(60_000, { type });
      await venue.advance(60_000);
      assert.deepEqual(await btse.fetchOpenOrders(symbol), []);
    });
  }
});

describe('fees', () => {
  const rates = ({ symbol, maker: asMaker, taker }: { symbol?: unknown; maker?: unknown; taker?: unknown }) => [
    symbol,
    asMaker,
    taker,
  ];

  test('of one symbol: own rates where there are some', async () => {
    const btse = trader();
    assert.deepEqual(rates(await btse.fetchTradingFee(SPOT)), [SPOT, 0.0002, 0.0002]);
    assert.deepEqual(rates(await btse.fetchTradingFee(SWAP)), [SWAP, 0, 0.0004]);
  });

  test('of all: spot pairs by their unified names; perpetuals by the names that futures v2.3 gives them', async () => {
    const btse = trader();
    const spot = await btse.fetchTradingFees();
    assert.deepEqual(Object.keys(spot), [SPOT, 'ETH/USDT']);
    const swap = await btse.fetchTradingFees({ type: 'swap' });
    assert.deepEqual(
      Object.values(swap).map((fee) => [fee.maker, fee.taker]),
      [
        [0, 0.0004],
        [0.0002, 0.00055],
      ],
    );
  });
});

describe('positions', () => {
  test('none, a long, a short', async () => {
    const btse = trader();
    assert.deepEqual(await btse.fetchPositions(), []);
    await open(1000);
    await venue.setPrice('BTC-PERP', { mark: 60_600 });
    const [long] = await btse.fetchPositions([SWAP]);
    const { symbol, side, contracts, entryPrice, markPrice, notional, unrealizedPnl, marginMode, hedged } = long!;
    assert.deepEqual(
      { symbol, side, contracts, entryPrice, markPrice, notional, unrealizedPnl, marginMode, hedged },
      {
        symbol: SWAP,
        side: 'long',
        contracts: 1000,
        entryPrice: 60_000,
        markPrice: 60_600,
        notional: 606,
        unrealizedPnl: 6,
        marginMode: 'cross',
        hedged: false,
      },
    );
    assert.deepEqual([long!.contractSize, long!.maintenanceMargin, long!.id], [0.00001, 3.03, 'BTC-PERP-USDT']);
    await venue.setPrice('BTC-PERP', { mark: 60_000 });
    await open(-3000);
    const [short] = await btse.fetchPositionsForSymbol(SWAP);
    assert.deepEqual([short!.side, short!.contracts], ['short', 2000]);
  });

  test('take-profit and stop-loss prices are in it', async () => {
    await open(1000, {
      takeProfit: { triggerPrice: 61_000, priceType: 'mark' },
      stopLoss: { triggerPrice: 59_000, priceType: 'mark' },
    });
    const [position] = await trader().fetchPositions();
    assert.deepEqual([position!.takeProfitPrice, position!.stopLossPrice], [61_000, 59_000]);
  });

  test('hedged: two sides, each closed by its id', async () => {
    const btse = trader();
    await btse.setPositionMode(true, SWAP);
    await open(1000);
    await open(-500);
    const positions = await btse.fetchPositions();
    assert.deepEqual(
      positions.map(({ side, contracts, hedged }) => [side, contracts, hedged]),
      [
        ['long', 1000, true],
        ['short', 500, true],
      ],
    );
    await maker().createOrder(SWAP, 'limit', 'sell', 500, 60_000);
    const closed = await btse.closePosition(SWAP, undefined, { positionId: positions[1]!.id });
    assert.deepEqual([closed.status, closed.side, closed.filled], ['closed', 'buy', 500]);
    assert.equal((await btse.fetchPositions()).length, 1);
  });

  test('isolated: its own margin mode', async () => {
    const btse = trader();
    await btse.setMarginMode('isolated', SWAP);
    await open(1000);
    const [position] = await btse.fetchPositions();
    assert.deepEqual([position!.marginMode, position!.side], ['isolated', 'long']);
  });

  test('closePosition by market and by limit; without one InvalidOrder, by a wrong id BadRequest', async () => {
    const btse = trader();
    const positionId = 'BTC-PERP-USDT';
    await assert.rejects(btse.closePosition(SWAP, undefined, { positionId }), ccxt.InvalidOrder);
    await open(1000);
    await assert.rejects(btse.closePosition(SWAP, undefined, { positionId: 'x' }), ccxt.BadRequest);
    const limit = await btse.closePosition(SWAP, undefined, { positionId, type: 'limit', price: 61_000 });
    assert.deepEqual([limit.status, limit.price, limit.reduceOnly], ['open', 61_000, true]);
    await maker().createOrder(SWAP, 'limit', 'buy', 1000, 59_990);
    const market = await btse.closePosition(SWAP, undefined, { positionId });
    assert.deepEqual([market.status, market.average], ['closed', 59_990]);
    assert.deepEqual([await btse.fetchPositions(), await btse.fetchOpenOrders(SWAP)], [[], []]);
  });
});

describe('leverage and modes', () => {
  test('cross leverage is set and read; without marginMode the isolated one changes', async () => {
    const btse = trader();
    await btse.setLeverage(20, SWAP, { marginMode: 'cross' });
    await btse.setLeverage(5, SWAP);
    const cross = await btse.fetchLeverage(SWAP);
    assert.deepEqual([cross.marginMode, cross.longLeverage, cross.shortLeverage], ['cross', 20, 20]);
    await btse.setMarginMode('isolated', SWAP);
    const isolated = await btse.fetchLeverage(SWAP);
    assert.deepEqual([isolated.marginMode, isolated.longLeverage, isolated.shortLeverage], ['isolated', 5, 5]);
  });

  test('position mode and margin mode are set and read', async () => {
    const btse = trader();
    assert.equal((await btse.fetchPositionMode(SWAP)).hedged, false);
    await btse.setPositionMode(true, SWAP);
    assert.equal((await btse.fetchPositionMode(SWAP)).hedged, true);
    assert.equal((await btse.fetchMarginMode(SWAP)).marginMode, 'cross');
    await btse.setMarginMode('isolated', SWAP);
    assert.equal((await btse.fetchMarginMode(SWAP)).marginMode, 'isolated');
    await btse.setMarginMode('cross', SWAP, { hedged: false });
    assert.equal((await btse.fetchPositionMode(SWAP)).hedged, false);
  });

  test('out of range, or with an order in the way: BadRequest; an order of another mode: InvalidOrder', async () => {
    const btse = trader();
    await assert.rejects(btse.setLeverage(101, SWAP, { marginMode: 'cross' }), ccxt.BadRequest);
    await btse.createOrder(SWAP, 'limit', 'buy', 100, 59_000);
    await assert.rejects(btse.setPositionMode(true, SWAP), ccxt.BadRequest);
    await assert.rejects(
      btse.createOrder(SWAP, 'limit', 'buy', 100, 59_000, { positionMode: 'HEDGE' }),
      ccxt.InvalidOrder,
    );
  });
});
