/** Orders in the name of an account on the control surface: bodies of the trading surfaces, and lists of orders and fills. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { logRecords } from '../../src/engine/replay/log-records.ts';
import { startVenue } from '../../src/index.ts';
import { oco, triggered } from '../support/bodies.ts';
import type { Json } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';
import { control } from './support.ts';

const scenario = scenarios();

const LIMIT = { symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 99, orderSize: 1 };
const PERP_LIMIT = { symbol: PERP, side: 'BUY', type: 'LIMIT', price: 99, size: 5 };

const ORDERS = '/accounts/alice/orders';

async function place(w: World, body: object, account = 'alice') {
  const { status, body: reply } = await control(w.venue, 'POST', `/accounts/${account}/orders`, body);
  assert.equal(status, 200, JSON.stringify(reply));
  return reply;
}

async function orders(w: World, query = '') {
  return (await control(w.venue, 'GET', `${ORDERS}${query}`)).body;
}

scenario(
  'a body is taken as on the trading surfaces: up to 65,536 bytes, not encoded, and none of a DELETE',
  async (w) => {
    const url = `${w.venue.control}/control/v1${ORDERS}`;
    const ask = async (method: string, body: string, headers: Record<string, string> = {}, query = '') => {
      const authorization = `Bearer ${w.venue.controlToken}`;
      const response = await fetch(url + query, { method, body, headers: { authorization, ...headers } });
      return [response.status, ((await response.json()) as Json).error.reason];
    };
    const text = JSON.stringify(LIMIT);
    for (const method of ['POST', 'PUT']) {
      assert.deepEqual(await ask(method, text.padEnd(1_000_000)), [413, 'bodyTooLarge']);
      assert.deepEqual(await ask(method, text, { 'content-encoding': 'gzip' }), [415, 'bodyEncoded']);
    }
    assert.deepEqual(await ask('DELETE', text, {}, `?symbol=${BTC}`), [400, 'bodyNotTaken']);
    assert.equal((await orders(w)).orders.length, 0);
    await place(w, LIMIT);
    const padded = await control(w.venue, 'POST', ORDERS, text.padEnd(65_536));
    assert.equal(padded.status, 200);
  },
);

scenario('a pair takes the bodies of spot v4, plain and algo, and answers with its records', async (w) => {
  const [placed] = await place(w, LIMIT);
  const own = (await w.alice.spotOrders()).body;
  assert.deepEqual([own.length, own[0].orderId], [1, placed.orderId]);
  const algo = { symbol: BTC, orderSide: 'BUY', orderType: 'TWAP', orderSize: 1, timePeriod: 600 };
  assert.equal((await place(w, algo)).length, 1);
  assert.equal((await place(w, oco())).length, 2);
  assert.equal((await orders(w)).orders.length, 4);
});

scenario('a perpetual takes the bodies of futures v2.3, by each name of the market, and pegs', async (w) => {
  const [placed] = await place(w, PERP_LIMIT);
  assert.equal(placed.orderID.length > 10, true);
  await place(w, { ...PERP_LIMIT, symbol: 'BTCPFC', price: 98 });
  await place(w, { ...PERP_LIMIT, symbol: 'BTC-PERP-USDT', type: 'peg', price: 101, stealth: 50 });
  const kinds = (await orders(w, `?symbol=${PERP}`)).orders.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(kinds, ['limit', 'limit', 'peg']);
});

scenario('numbers keep every digit, as on the surfaces', async (w) => {
  await place(w, { ...LIMIT, orderPrice: '99.5', orderSize: 0.123 });
  assert.deepEqual((await orders(w)).orders[0].size, '0.123');
  const { status, body } = await control(
    w.venue,
    'POST',
    ORDERS,
    `{"symbol":"${BTC}","orderSide":"BUY","orderType":"LIMIT","orderPrice":99,"orderSize":1.0000000001}`,
  );
  assert.deepEqual([status, body.error.reason, body.error.field], [400, 'sizeOffStep', 'orderSize']);
});

scenario('a cancel with a parameter that would be ignored is refused, and cancels nothing', async (w) => {
  await place(w, { ...PERP_LIMIT, clOrderID: 'a' });
  for (const [query, field] of [
    ['side=SELL', 'side'],
    ['account=bob', 'account'],
    ['clOrderID=a&orderID=b', 'clOrderID'],
    ['orderId=b', 'orderId'],
  ] as const) {
    const { status, body } = await control(w.venue, 'DELETE', `${ORDERS}?symbol=${PERP}&${query}`);
    assert.deepEqual([status, body.error.field], [400, field], query);
  }
  assert.equal((await orders(w)).orders.length, 1);
});

scenario('amends and cancels too, by id and by client id', async (w) => {
  const [placed] = await place(w, { ...LIMIT, clOrderId: 'mine' });
  const amend = { symbol: BTC, orderId: placed.orderId, orderPrice: 98 };
  assert.equal((await control(w.venue, 'PUT', ORDERS, amend)).status, 200);
  assert.equal((await orders(w)).orders[0].price, '98');
  const cancelled = await control(w.venue, 'DELETE', `${ORDERS}?symbol=${BTC}&clOrderId=mine`);
  assert.deepEqual([cancelled.status, cancelled.body[0].orderId], [200, placed.orderId]);
  const [perp] = await place(w, PERP_LIMIT);
  const type = { symbol: PERP, orderID: perp.orderID, type: 'PRICE', value: 97 };
  assert.equal((await control(w.venue, 'PUT', ORDERS, type)).status, 200);
  assert.equal((await control(w.venue, 'DELETE', `${ORDERS}?symbol=${PERP}&orderID=${perp.orderID}`)).status, 200);
  assert.deepEqual((await orders(w)).orders, []);
});

scenario('refusals have the reasons, fields and words of the surfaces', async (w) => {
  const cases: [object | string, number, string, RegExp][] = [
    [{ ...LIMIT, orderPrice: 99.00001 }, 400, 'priceOffTick', /orderPrice/],
    [{ ...LIMIT, orderSize: 1e6 }, 400, 'sizeAboveMaximum', /orderSize/],
    [{ ...PERP_LIMIT, size: 1.5 }, 400, 'sizeOffStep', /size/],
    [{ ...LIMIT, orderType: 'NOPE' }, 400, 'malformed', /orderType/],
    [
      { ...LIMIT, orderType: 'limit' },
      400,
      'malformed',
      /orderType is "limit": give one of LIMIT, MARKET, TWAP, PEG, OCO, TRAILING, CONDITIONAL$/,
    ],
    [{ ...LIMIT, symbol: 'NOPE' }, 404, 'unknownMarket', /NOPE/],
    [{ ...LIMIT, symbol: undefined }, 400, 'malformed', /symbol is missing/],
    [{ ...LIMIT, symbol: 5 }, 400, 'malformed', /symbol is missing/],
    ['[1]', 400, 'badJson', /array/],
    ['{', 400, 'badJson', /./],
    ['', 400, 'badJson', /empty/],
  ];
  for (const [body, status, reason, words] of cases) {
    const reply = await control(w.venue, 'POST', ORDERS, body);
    assert.deepEqual([reply.status, reply.body.error.reason], [status, reason], reply.text);
    assert.match(reply.body.error.message, words);
  }
  assert.equal((await control(w.venue, 'POST', '/accounts/nobody/orders', LIMIT)).body.error.reason, 'unknownAccount');
  assert.equal((await control(w.venue, 'DELETE', ORDERS)).body.error.field, 'symbol');
  const gone = await control(w.venue, 'DELETE', `${ORDERS}?symbol=${BTC}&clOrderId=none`);
  assert.deepEqual([gone.status, gone.body.error.reason], [404, 'orderNotFound']);
});

scenario('a refusal counts by its reason, with the seq of the last one', async (w) => {
  const { seq } = await w.control.state();
  const reply = await control(w.venue, 'POST', ORDERS, { ...LIMIT, orderPrice: 500 });
  assert.equal(reply.body.error.reason, 'priceOutsideBand');
  const { refusals } = (await control(w.venue, 'GET', '/refusals')).body;
  assert.deepEqual(
    refusals.find(({ reason }: { reason: string }) => reason === 'priceOutsideBand'),
    { reason: 'priceOutsideBand', count: 1, lastSeq: seq + 1 },
  );
});

scenario(
  'the latest refused requests have their time, account and answer, also those that never were a command',
  async (w) => {
    const { seq } = await w.control.state();
    const replies = [
      await w.alice.spot({ ...LIMIT, orderPrice: 500 }),
      await w.alice.spot({ ...LIMIT, orderPrice: 99.0001 }),
      await fetch(`${w.venue.url}/spot/api/v4/trade/orders?secret=1`, { method: 'POST' }),
      await control(w.venue, 'POST', ORDERS, { ...LIMIT, orderSize: 0 }),
    ];
    const { requests } = (await control(w.venue, 'GET', '/refusals/latest')).body;
    const shown = requests
      .slice(0, 4)
      .map(({ account, method, path, status, reason, seq: at }: Json) => [account, method, path, status, reason, at]);
    const path = '/spot/api/v4/trade/orders';
    assert.deepEqual(shown, [
      ['alice', 'POST', '/control/v1/accounts/alice/orders', replies[3].status, 'sizeBelowMinimum', null],
      [null, 'POST', path, replies[2].status, 'credentialMissing', null],
      ['alice', 'POST', path, 400, 'priceOffTick', null],
      ['alice', 'POST', path, 400, 'priceOutsideBand', seq + 1],
    ]);
    assert.match(requests[2].message, /99\.0001/);
    for (let i = 0; i < 120; i++) await fetch(`${w.venue.url}${path}`, { method: 'POST' });
    assert.equal((await control(w.venue, 'GET', '/refusals/latest')).body.requests.length, 100);
  },
);

test('the log has the origin control, and a restart comes to the same state', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bourse-origin-'));
  const open = () => startVenue({ clock: 'manual', data, masterKeyFile: `${data}.key` });
  const venue = await open();
  await venue.setPrice(BTC, { index: 100 });
  assert.equal((await control(venue, 'POST', '/accounts/test/orders', LIMIT)).status, 200);
  const hash = venue.stateHash();
  await venue.close();
  const logged: Json[] = [];
  for await (const record of logRecords(data)) logged.push(...((record as Json).commands ?? []));
  const placed = logged.find(({ type }: Json) => type === 'place');
  assert.deepEqual([placed.origin, placed.signed, placed.kind], ['control', undefined, 'limit']);
  const again = await open();
  assert.equal(again.stateHash(), hash);
  await again.close();
  rmSync(data, { recursive: true });
});

scenario('only an admin token may place, and one of scope read may look', async (w) => {
  const [read, test] = [await w.control.createToken('r', 'read'), await w.control.createToken('t', 'test')];
  for (const [method, path, body] of [
    ['POST', ORDERS, LIMIT],
    ['PUT', ORDERS, {}],
    ['DELETE', `${ORDERS}?symbol=${BTC}`, undefined],
  ] as const) {
    for (const token of [read, test]) {
      assert.equal((await control(w.venue, method, path, body, token)).body.error.reason, 'scopeMissing');
    }
  }
  assert.equal((await control(w.venue, 'GET', ORDERS, undefined, read)).status, 200);
  assert.equal((await control(w.venue, 'GET', '/accounts/alice/fills', undefined, read)).status, 200);
  for (const name of ['r', 't']) await w.control.revokeToken(name);
});

scenario('each order has its place in the queue of its level', async (w) => {
  await w.rest('BUY', 99, 2);
  await place(w, LIMIT);
  await w.rest('BUY', 99, 4);
  await place(w, { ...LIMIT, orderSize: 3 });
  await place(w, { ...LIMIT, orderPrice: 98 });
  await place(w, triggered('SELL', 'STOP_LOSS', 90));
  const queues = (await orders(w)).orders.map(({ queue }: { queue: unknown }) => queue);
  assert.deepEqual(queues, [
    { ahead: '2', own: '1', behind: '7' },
    { ahead: '7', own: '3', behind: '0' },
    { ahead: '0', own: '1', behind: '0' },
    null,
  ]);
});

scenario('open orders come in pages, oldest first, of all markets or of one', async (w) => {
  for (const price of [95, 96, 97]) await place(w, { ...LIMIT, orderPrice: price });
  await place(w, PERP_LIMIT);
  const prices = async (query: string) => {
    const { orders: rows, next } = await orders(w, query);
    return [rows.map(({ price }: { price: string }) => price), next];
  };
  const [first, next] = await prices('?limit=3');
  assert.deepEqual(first, ['95', '96', '97']);
  assert.deepEqual(await prices(`?limit=3&after=${next}`), [['99'], undefined]);
  assert.deepEqual((await prices(`?symbol=${PERP}`))[0], ['99']);
  assert.equal((await control(w.venue, 'GET', `${ORDERS}?after=x`)).status, 400);
  assert.equal((await control(w.venue, 'GET', `${ORDERS}?symbol=NOPE`)).status, 404);
});

scenario('fills come in pages, of both products, from a time on', async (w) => {
  await w.rest('SELL', 100, 3);
  await w.rest('SELL', 100, 30, PERP);
  const buy = { symbol: BTC, orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 100 };
  await place(w, buy);
  await w.advance(60_000);
  await place(w, buy);
  await place(w, { symbol: PERP, side: 'BUY', type: 'MARKET', size: 10 });
  const fills = async (query = '') => (await control(w.venue, 'GET', `/accounts/alice/fills${query}`)).body;
  const all = (await fills()).fills;
  assert.deepEqual(
    all.map(({ symbol, side, size }: Record<string, string>) => [symbol, side, size]),
    [
      [BTC, 'BUY', '1'],
      [BTC, 'BUY', '1'],
      [PERP, 'BUY', '10'],
    ],
  );
  const page = await fills('?limit=2');
  assert.deepEqual([page.fills.length, (await fills(`?limit=2&after=${page.next}`)).fills], [2, all.slice(2)]);
  assert.equal((await fills(`?market=${PERP}`)).fills.length, 1);
  assert.equal((await fills(`?from=${all[1].time}`)).fills.length, 2);
  assert.deepEqual((await control(w.venue, 'GET', '/accounts/bob/fills')).body.fills[0].maker, true);
});

scenario('fills as of a seq, and the newest first, are whole in pages', async (w) => {
  await w.rest('SELL', 100, 30);
  const buy = { symbol: BTC, orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 100 };
  const seqs: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    await place(w, buy);
    seqs.push((await w.control.state()).seq);
  }
  const fills = async (query: string) => (await control(w.venue, 'GET', `/accounts/alice/fills?${query}`)).body;
  const seqsOf = ({ fills: rows }: { fills: { seq: number }[] }) => rows.map(({ seq }) => seq);
  const third = seqs[2];
  assert.deepEqual(seqsOf(await fills(`to=${third}`)), seqs.slice(0, 3));
  assert.deepEqual(seqsOf(await fills(`to=${third - 1}`)), seqs.slice(0, 2));
  const back: number[] = [];
  let after = '';
  for (let pages = 0; pages < 4; pages += 1) {
    const page = await fills(`to=${seqs[4]}&newest=true&limit=2${after}`);
    assert.equal(page.left, null);
    back.push(...seqsOf(page));
    if (page.next === undefined) break;
    after = `&after=${page.next}`;
  }
  assert.deepEqual(back, seqs.slice(0, 5).toReversed());
  assert.deepEqual(seqsOf(await fills('newest=true&limit=1')), [seqs[5]]);
  const refusals: [query: string, field: string][] = [
    [`to=${seqs[5] + 1}`, 'to'],
    ['to=0', 'to'],
    ['to=1e3', 'to'],
    ['newest=yes', 'newest'],
    [`market=${'x'.repeat(500)}`, 'market'],
  ];
  for (const [query, field] of refusals) {
    const { status, body } = await control(w.venue, 'GET', `/accounts/alice/fills?${query}`);
    assert.deepEqual([status, body.error.field], [400, field], query);
  }
});

scenario(
  'the header Bourse-Seq names the last command of a call, refused or not, and the end of an order is in words',
  async (w) => {
    const call = (method: string, body?: object, query = '') =>
      fetch(`${w.venue.control}/control/v1${ORDERS}${query}`, {
        method,
        headers: { authorization: `Bearer ${w.venue.controlToken}` },
        ...(body && { body: JSON.stringify(body) }),
      });
    const seqs = async (reply: Response) => [Number(reply.headers.get('bourse-seq')), (await w.control.state()).seq];
    const placed = await call('POST', LIMIT);
    const [{ orderId }] = (await placed.json()) as { orderId: string }[];
    const [named, last] = await seqs(placed);
    assert.equal(named, last);
    const refused = await call('POST', { ...LIMIT, orderPrice: 5000 });
    assert.equal(refused.status, 400);
    const [seq, lastSeq] = await seqs(refused);
    assert.deepEqual([seq, seq > named], [lastSeq, true]);
    const malformed = await call('POST', { ...LIMIT, orderPrice: 'x' });
    assert.deepEqual([malformed.status, malformed.headers.get('bourse-seq')], [400, null]);
    assert.equal((await orders(w)).orders[0].ended, null);
    const { status } = await call('DELETE', undefined, `?symbol=${BTC}&orderId=${orderId}`);
    assert.equal(status, 200);
  },
);
