/** Spot v3.2 and v3.1, futures v2.2 and v2.1: the routes of their newer versions, with the older names besides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OLDER_SURFACES } from '../../src/api/surfaces/older/versions.ts';
import { future } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { open, setMode } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

const OLDER: Json = { symbol: BTC, side: 'BUY', type: 'LIMIT', price: 99, size: 2, clOrderID: 'mine' };

/** The named fields of a record. */
function pick(record: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}

test('each has every route of its newer version', () => {
  for (const { name, newer, routes } of OLDER_SURFACES) {
    const paths = (list: readonly Json[]) => list.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(paths(routes), paths(newer!.routes), name);
  }
  assert.deepEqual(
    OLDER_SURFACES.map(({ basePath }) => basePath),
    ['/spot/api/v3.2', '/spot/api/v3.1', '/futures/api/v2.2', '/futures/api/v2.1'],
  );
});

describe('spot', () => {
  const it = scenarios();

  for (const base of ['/spot/api/v3.2', '/spot/api/v3.1']) {
    const call = (w: World, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, more: Json = {}) =>
      w.alice.call(method, base + path, more);

    it(`${base}: an order has the older names of its sizes, beside the newer ones`, async (w) => {
      const placed = await one(call(w, 'POST', '/order', { body: OLDER }));
      const sizes = ['size', 'originalSize', 'fillSize', 'remainingSize', 'averageFillPrice', 'stealth', 'deviation'];
      assert.deepEqual(Object.values(pick(placed, sizes)), [2, 2, 0, 2, 0, 1, 1]);
      assert.equal(placed.currentOrderBaseSize, 2);
      await w.rest('SELL', 99, 1);

      const listed = ['size', 'filledSize', 'fillSize', 'remainingSize', 'averageFillPrice'];
      const found = await ok(call(w, 'GET', '/order', { query: { clOrderID: 'mine' } }));
      assert.deepEqual(Object.values(pick(found, listed)), [2, 1, 1, 1, 99]);
      const [row] = await ok(call(w, 'GET', '/user/open_orders'));
      assert.deepEqual(pick(row, listed), pick(found, listed));

      const amend = { symbol: BTC, orderID: placed.orderID, type: 'SIZE', value: 3 };
      const amended = await one(call(w, 'PUT', '/order', { body: amend }));
      assert.deepEqual(Object.values(pick(amended, sizes)), [3, 2, 1, 2, 99, 1, 1]);
      const cancelled = await one(call(w, 'DELETE', '/order', { query: { symbol: BTC, orderID: placed.orderID } }));
      assert.deepEqual([cancelled.status, cancelled.size, cancelled.fillSize], [6, 3, 1]);
      const [trade] = await ok(call(w, 'GET', '/user/trade_history', { query: { symbol: BTC } }));
      assert.deepEqual([trade.averageFillPrice, trade.filledSize, trade.size], [99, 1, 3]);
    });

    it(`${base}: an order that is sized by what it spends has that as its size`, async (w) => {
      const stop = { symbol: BTC, side: 'BUY', type: 'MARKET', txType: 'STOP', triggerPrice: 105, price: 50 };
      const placed = await one(call(w, 'POST', '/order', { body: stop }));
      assert.deepEqual([placed.size, placed.remainingSize, placed.fillSize], [50, 50, 0]);
    });

    it(`${base}: a peg has its own stealth and deviation`, async (w) => {
      const peg = { symbol: BTC, side: 'BUY', type: 'PEG', price: 101, size: 1, deviation: -1, stealth: 20 };
      const placed = await one(call(w, 'POST', '/order/peg', { body: peg }));
      assert.deepEqual([placed.stealth, placed.deviation], [20, -1]);
    });

    it(`${base}: the wallet, the fees, the clock`, async (w) => {
      await one(call(w, 'POST', '/order', { body: OLDER }));
      const wallet: Json[] = await ok(call(w, 'GET', '/user/wallet', { query: { currency: 'ignored' } }));
      const row = wallet.find(({ currency }) => currency === 'USDT');
      assert.equal(row.total, 1_000_000);
      assert.ok(row.available < row.total);
      assert.equal((await ok(call(w, 'GET', '/user/fees', { query: { symbol: BTC } })))[0].symbol, BTC);
      assert.equal(typeof (await ok(call(w, 'GET', '/time'))).epoch, 'number');
      await ok(call(w, 'POST', '/order/cancelAllAfter', { body: { timeout: 1000 } }));
    });

    it(`${base}: errors have the envelope of spot`, async (w) => {
      await refused(call(w, 'GET', '/order', { query: { orderID: 'nonsense' } }), 16, 'Order not found');
      await refused(call(w, 'GET', '/nothing'), 404, `no route at ${base}/nothing`, 404);
    });
  }
});

describe('futures', () => {
  const it = scenarios();

  for (const [base, symbol, id] of [
    ['/futures/api/v2.2', PERP, 'BTC-PERP-USDT'],
    ['/futures/api/v2.1', 'BTCPFC', 'BTCPFC-USD'],
  ] as const) {
    const call = (w: World, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, more: Json = {}) =>
      w.alice.call(method, base + path, more);

    it(`${base}: an order has the older names of its sizes, and the version's of its market`, async (w) => {
      const placed = await one(call(w, 'POST', '/order', { body: { ...future('BUY', 99, 20), symbol } }));
      const sizes = ['size', 'originalSize', 'fillSize', 'remainingSize', 'avgFillPrice', 'stealth', 'deviation'];
      assert.deepEqual(Object.values(pick(placed, sizes)), [20, 20, 0, 20, 0, 100, 100]);
      assert.deepEqual([placed.symbol, placed.positionId, placed.currentOrderSize], [symbol, id, 20]);
      await w.rest('SELL', 99, 10, PERP);

      const listed = ['symbol', 'size', 'filledSize', 'remainingSize', 'avgFilledPrice', 'averageFillPrice', 'stealth'];
      const found = await ok(call(w, 'GET', '/order', { query: { orderID: placed.orderID } }));
      assert.deepEqual(Object.values(pick(found, listed)), [symbol, 20, 10, 10, 99, 99, 1]);
      const [row] = await ok(call(w, 'GET', '/user/open_orders', { query: { symbol } }));
      assert.deepEqual(pick(row, listed), pick(found, listed));
      assert.equal(row.positionId, id);

      const amend = { symbol, orderID: placed.orderID, type: 'PRICE', value: 98 };
      assert.equal((await one(call(w, 'PUT', '/order', { body: amend }))).fillSize, 10);
      const query = { symbol, orderID: placed.orderID };
      assert.deepEqual((await one(call(w, 'DELETE', '/order', { query }))).symbol, symbol);
      const [trade] = await ok(call(w, 'GET', '/user/trade_history'));
      assert.deepEqual([trade.symbol, trade.averageFillPrice, trade.positionId], [symbol, 99, id]);
      const [position] = await ok(call(w, 'GET', '/user/positions'));
      assert.deepEqual([position.symbol, position.positionId, position.size], [symbol, id, 10]);
    });

    it(`${base}: position and wallet names of replies are taken in requests`, async (w) => {
      await setMode(w, 'ISOLATED');
      await open(w, 100);
      const [{ positionId, walletName }] = await ok(call(w, 'GET', '/user/positions'));
      assert.equal(positionId.split('|')[0], id);
      assert.equal(walletName, `ISOLATED@${id}`);
      const [wallet] = await ok(call(w, 'GET', '/user/wallet', { query: { wallet: walletName } }));
      assert.equal(wallet.wallet, walletName);
      const [bound] = await ok(
        call(w, 'POST', '/order/bind/tpsl', { body: { symbol, positionId, takeProfitPrice: 110 } }),
      );
      assert.deepEqual([bound.symbol, bound.positionId], [symbol, positionId]);
      await w.rest('BUY', 100, 200, PERP);
      const closed = await one(
        call(w, 'POST', '/order/close_position', { body: { symbol, positionId, type: 'MARKET' } }),
      );
      assert.deepEqual([closed.positionId, closed.status], [positionId, 4]);
    });

    it(`${base}: settings, pegs, errors`, async (w) => {
      for (const path of ['/leverage', '/risk_limit', '/position_mode', '/user/fees', '/user/margin_setting']) {
        const reply = await ok(call(w, 'GET', path, { query: { symbol } }));
        assert.equal((Array.isArray(reply) ? reply[0] : reply).symbol, symbol, path);
      }
      await ok(call(w, 'POST', '/position_mode', { body: { symbol, positionMode: 'HEDGE' } }));
      await ok(call(w, 'POST', '/leverage', { body: { symbol, leverage: 10, positionId: `${id}|LONG` } }));
      await ok(call(w, 'POST', '/risk_limit', { body: { symbol, riskLimitLevel: 2 } }));
      await ok(call(w, 'POST', '/settle_in', { body: { symbol, currency: 'USDT' } }));
      await ok(call(w, 'POST', '/order/cancelAllAfter', { body: { timeout: 1000 } }));
      const peg = { symbol, side: 'BUY', price: 101, size: 10, stealth: 50 };
      const placed = await one(call(w, 'POST', '/order/peg', { body: peg }));
      assert.deepEqual([placed.stealth, placed.deviation, placed.positionId], [50, 0, `${id}|LONG`]);
      await refused(call(w, 'GET', '/order', { query: { orderID: 'nonsense' } }), 400, 'Order not found');
    });
  }

  it('v2.1 names the market in its market data, and finds it by either name', async (w) => {
    await w.rest('BUY', 99, 10, PERP);
    await open(w, 10);
    const get = (path: string, query = {}) => ok(w.alice.call('GET', `/futures/api/v2.1${path}`, { query }));
    for (const path of ['/market_summary', '/price', '/trades']) {
      const [row] = await get(path, { symbol: 'BTCPFC' });
      assert.equal(row.symbol, 'BTCPFC', path);
      const [newer] = await get(path, { symbol: PERP });
      assert.equal(newer.symbol, PERP, path);
    }
    for (const path of ['/orderbook', '/orderbook/L2']) {
      const { symbol, buyQuote } = await get(path, { symbol: 'BTCPFC' });
      assert.deepEqual([symbol, buyQuote[0].size], ['BTCPFC', '10'], path);
    }
    const summaries: Json[] = await get('/market_summary');
    assert.deepEqual(
      summaries.map(({ symbol }) => symbol),
      ['BTCPFC', 'ETHPFC'],
    );
    assert.ok((await get('/ohlcv', { symbol: 'BTCPFC', resolution: '1' })).length > 0);
    await w.advance(8 * 3_600_000);
    const [[name, rates]] = Object.entries<Json>(await get('/funding_history', { symbol: 'BTCPFC' }));
    assert.deepEqual([name, rates[0].symbol], ['BTCPFC', 'BTCPFC']);
  });

  it('v2.1 answers in the newer names to who uses them', async (w) => {
    await open(w, 10);
    const symbols = async (query: Record<string, string>) => {
      const [{ symbol, positionId }] = await ok(w.alice.call('GET', '/futures/api/v2.1/user/positions', { query }));
      return [symbol, positionId];
    };
    const newer = [PERP, 'BTC-PERP-USDT'];
    assert.deepEqual(await symbols({}), ['BTCPFC', 'BTCPFC-USD']);
    assert.deepEqual(await symbols({ symbol: PERP }), newer);
    assert.deepEqual(await symbols({ symbol: 'BTC-PERP-USDT' }), newer);
    assert.deepEqual(await symbols({ useNewSymbolNaming: 'True' }), newer);
    assert.deepEqual(await symbols({ symbol: 'BTCPFC', useNewSymbolNaming: 'false' }), ['BTCPFC', 'BTCPFC-USD']);
  });

  it('v2.1 changes no field that only looks like the name of a market', async (w) => {
    const body = { ...future('BUY', 99, 10), symbol: 'BTCPFC', clOrderID: PERP };
    assert.equal((await one(w.alice.call('POST', '/futures/api/v2.1/order', { body }))).clOrderID, PERP);
    const query = { clOrderID: PERP };
    assert.equal((await ok(w.alice.call('GET', '/futures/api/v2.1/order', { query }))).clOrderID, PERP);
  });
});

describe('a second perpetual of one base', () => {
  const SWAP = 'XBT-PERP';
  const grid = { tick: '0.1', maxPrice: '1000000', step: '1', minSize: '1', maxSize: '1000000', contractSize: '0.001' };
  const it = scenarios({ markets: [{ ...grid, symbol: SWAP, kind: 'perpetual', base: 'BTC', quote: 'USDT' }] });
  const VERSIONS = ['v2.1', 'v2.2', 'v2.3'].map((version) => `/futures/api/${version}`);

  it('is never meant by BTCPFC, in any version, and keeps its own name', async (w) => {
    await w.price(SWAP, { index: 100 });
    for (const version of VERSIONS) {
      for (const [asked, meant] of [
        ['BTCPFC', PERP],
        [PERP, PERP],
        [SWAP, SWAP],
      ]) {
        const body = { ...future('BUY', 99, 10), symbol: asked };
        const { orderID } = await one(w.alice.call('POST', `${version}/order`, { body }));
        const listed: Json[] = await ok(w.alice.call('GET', '/futures/api/v2.3/user/open_orders'));
        assert.deepEqual(
          listed.map((order) => [order.orderID, order.symbol]),
          [[orderID, meant]],
        );
        const query = { symbol: asked };
        const cancelled: Json[] = await ok(w.alice.call('DELETE', `${version}/order`, { query }));
        assert.deepEqual(
          cancelled.map((order) => order.orderID),
          [orderID],
          `${version} ${asked}`,
        );
      }
    }
    const get = (path: string) => ok(w.alice.call('GET', `/futures/api/v2.1${path}`));
    const names = (rows: Json[]) => rows.map(({ symbol }) => symbol);
    assert.deepEqual(names(await get('/market_summary')), ['BTCPFC', 'ETHPFC', SWAP]);
    assert.deepEqual(Object.keys(await get('/funding_history')), ['BTCPFC', 'ETHPFC', SWAP]);
  });

  it('has positions of its own name on v2.1', async (w) => {
    await w.price(SWAP, { index: 100 });
    await open(w, 10);
    await open(w, 20, { symbol: SWAP });
    const positions = async (version: string, query = {}) => {
      const rows: Json[] = await ok(w.alice.call('GET', `${version}/user/positions`, { query }));
      return rows.map(({ symbol, positionId, size }) => [symbol, positionId, size]);
    };
    const [perp, swap] = [
      ['BTCPFC', 'BTCPFC-USD', 10],
      [SWAP, 'XBT-PERP-USD', 20],
    ];
    assert.deepEqual(await positions('/futures/api/v2.1'), [perp, swap]);
    assert.deepEqual(await positions('/futures/api/v2.1', { symbol: SWAP }), [swap]);
    assert.deepEqual(await positions('/futures/api/v2.1', { symbol: 'BTCPFC' }), [perp]);
    assert.deepEqual(await positions('/futures/api/v2.3', { symbol: SWAP }), [[SWAP, 'XBT-PERP-USDT', 20]]);
  });
});
