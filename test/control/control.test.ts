import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { BourseClient, ControlClient, startVenue, type TestVenue, type VenueError } from '../../src/index.ts';
import { type ControlReply, control } from './support.ts';

const START = '2026-01-01T00:00:00.000Z';

let venue: TestVenue;
before(async () => {
  const balances = { USDT: '100000', BTC: '10' };
  venue = await startVenue({
    accounts: [
      { name: 'alice', balances },
      { name: 'bob', balances },
    ],
  });
});
after(() => venue.close());
beforeEach(async () => {
  await venue.reset();
  await call('DELETE', '/faults');
});

const call = (method: string, path: string, body?: unknown) => control(venue, method, path, body);

async function ok(reply: Promise<ControlReply>) {
  const { status, body, text } = await reply;
  assert.equal(status, 200, text);
  return body;
}

async function refused(reply: Promise<ControlReply>, status: number, reason: string, field?: string) {
  const { status: given, body, text } = await reply;
  assert.equal(given, status, text);
  assert.equal(body.error.reason, reason, text);
  assert.equal(body.error.field, field, text);
  assert.ok(body.error.message.length > 0, text);
  return body.error.message as string;
}

const trader = (at: number) => new BourseClient({ url: venue.url, ...venue.keys[at] });
const sell = (price: number, size: string, at = 0) =>
  trader(at).placeSpotOrder({
    symbol: 'BTC-USDT',
    orderSide: 'SELL',
    orderType: 'LIMIT',
    orderPrice: price,
    orderSize: size,
  });
const buy = (price: number, size: string, at = 1) =>
  trader(at).placeSpotOrder({
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderPrice: price,
    orderSize: size,
  });

// --- who may call ---

test('a call without the token, or with another one, is refused whatever it asks', async () => {
  for (const token of [null, '', 'wrong', `${venue.controlToken}x`]) {
    for (const path of ['/state', '/nowhere']) {
      const message = await refused(control(venue, 'GET', path, undefined, token), 401, 'unauthorized');
      const sent = token === null || token === '' ? /^send the control token: / : /is not a token of this venue/;
      assert.match(message, sent);
    }
  }
});

test('a path of the other port is refused, and the error says which port has it', async () => {
  for (const path of ['/spot/api/v4/trade/orders', '/ws/oss/spot']) {
    const reply = await fetch(`${venue.control}${path}`, {
      headers: { authorization: `Bearer ${venue.controlToken}` },
    });
    assert.equal(reply.status, 404);
    assert.match(await reply.text(), /it is on the port for clients \(--port\)/);
  }
  for (const path of ['/control/v1/state', '/livez', '/readyz']) {
    const reply = await fetch(`${venue.url}${path}`);
    assert.equal(reply.status, 404);
    assert.match(await reply.text(), /it is on the port of the control surface \(--control-port\)/);
  }
});

test('an unknown account is refused with the one that was probably meant', async () => {
  await ok(call('POST', '/accounts', { name: 'carpenter' }));
  const near = await refused(call('GET', '/accounts/carpentr'), 404, 'unknownAccount');
  assert.match(near, /no account carpentr: did you mean carpenter\?$/);
  const far = await refused(
    call('POST', '/accounts/xyzxyzxyzxyz/deposits', { currency: 'BTC', amount: 1 }),
    404,
    'unknownAccount',
  );
  assert.match(far, /no account xyzxyzxyzxyz; GET \/accounts lists them$/);
});

test('an unknown path or method says what there is', async () => {
  await refused(call('GET', '/nowhere'), 404, 'notFound');
  assert.match(await refused(call('PUT', '/prices', {}), 404, 'notFound'), /takes POST/);
});

test('an order that is not there, and a snapshot of a venue without a data folder, are refused by name', async () => {
  assert.match(await refused(call('GET', '/orders/1f461abb'), 404, 'notFound'), /no order 1f461abb/);
  assert.match(await refused(call('POST', '/snapshot'), 404, 'notAvailable'), /in memory/);
});

test('a body that is no JSON object is refused', async () => {
  await refused(call('POST', '/accounts', '{'), 400, 'malformed');
  await refused(call('POST', '/accounts', '[]'), 400, 'malformed');
  await refused(call('POST', '/accounts', '\ufeff{}'), 400, 'malformed');
  await refused(call('POST', '/accounts', { name: 'x', nmae: 'y' }), 400, 'malformed', 'nmae');
});

// --- accounts, keys, deposits ---

test('an account that is made, funded and given a key trades', async () => {
  assert.deepEqual(await ok(call('POST', '/accounts', { name: 'carol' })), { account: 'carol' });
  const { balances } = await ok(call('POST', '/accounts/carol/deposits', { currency: 'USDT', amount: '1000.50' }));
  assert.deepEqual(balances.USDT, {
    total: '1000.5',
    available: '1000.5',
    reserved: '0',
    margin: '0',
    unrealised: '0',
  });
  const key = await ok(call('POST', '/accounts/carol/keys', { permissions: ['trading', 'read'] }));
  assert.deepEqual(Object.keys(key), ['key', 'secret']);
  const carol = new BourseClient({ url: venue.url, ...key });
  await carol.placeSpotOrder({
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderPrice: 100,
    orderSize: 1,
  });
  const account = await ok(call('GET', '/accounts/carol'));
  assert.equal(account.openOrders, 1);
  assert.deepEqual(account.positions, []);
  assert.equal(account.balances.USDT.reserved, '100');
  assert.equal(account.balances.USDT.available, '900.5');
});

test('a revoked key is refused', async () => {
  const key = await ok(call('POST', '/accounts/alice/keys', { permissions: ['trading'] }));
  assert.deepEqual(await ok(call('DELETE', `/keys/${key.key}`)), {});
  const client = new BourseClient({ url: venue.url, ...key });
  await assert.rejects(client.spotOrder({ orderId: 'x' }), (error: VenueError) => error.status === 401);
  await refused(call('DELETE', `/keys/${key.key}`), 404, 'unknownKey');
});

test('a key with an address list is bound by it', async () => {
  const elsewhere = await ok(
    call('POST', '/accounts/alice/keys', { permissions: ['trading'], ipAllow: ['10.0.0.0/8'] }),
  );
  const status = (key: { key: string; secret: string }) =>
    new BourseClient({ url: venue.url, ...key }).spotOrder({ orderId: 'x' }).then(
      () => 200,
      (error: VenueError) => error.status,
    );
  assert.equal(await status(elsewhere), 403);
});

test('a key that has expired when it is made is refused', async () => {
  const make = (expiresAt: unknown) => call('POST', '/accounts/alice/keys', { permissions: ['read'], expiresAt });
  const { keys: before } = await ok(call('GET', '/accounts/alice/keys'));
  for (const past of ['2020-01-01T00:00:00Z', Date.parse('2020-01-01T00:00:00Z')]) {
    assert.equal(
      await refused(make(past), 400, 'malformed', 'expiresAt'),
      'expiresAt is in the past (2020-01-01T00:00:00.000Z): the key would expire at once',
    );
  }
  await refused(make(Date.now()), 400, 'malformed', 'expiresAt');
  for (const day of ['2020-01-01', '2999-01-01', '2999-01-01T00:00:00']) {
    assert.match(await refused(make(day), 400, 'malformed', 'expiresAt'), /ISO 8601 text with a time zone/);
  }
  assert.deepEqual((await ok(call('GET', '/accounts/alice/keys'))).keys, before);
  await ok(make('2999-01-01T00:00:00Z'));
  await ok(make(null));
});

test('a withdrawal takes what is available and no more', { rule: '5.4' }, async () => {
  const { balances } = await ok(call('POST', '/accounts/alice/deposits', { currency: 'BTC', amount: '-4' }));
  assert.equal(balances.BTC.total, '6');
  await refused(
    call('POST', '/accounts/alice/deposits', { currency: 'BTC', amount: '-6.1' }),
    400,
    'insufficientFunds',
  );
});

const BAD_ACCOUNT_CALLS: [string, string, unknown, number, string, string?][] = [
  ['POST', '/accounts', {}, 400, 'malformed', 'name'],
  ['POST', '/accounts', { name: 'a b' }, 400, 'malformed', 'name'],
  ['POST', '/accounts', { name: 'alice' }, 409, 'accountExists'],
  ['GET', '/accounts/nobody', undefined, 404, 'unknownAccount'],
  ['POST', '/accounts/nobody/deposits', { currency: 'USDT', amount: 1 }, 404, 'unknownAccount'],
  ['POST', '/accounts/alice/deposits', { currency: 'EUR', amount: 1 }, 404, 'unknownCurrency', 'currency'],
  ['POST', '/accounts/alice/deposits', { currency: 'USDT', amount: 'much' }, 400, 'malformed', 'amount'],
  ['POST', '/accounts/alice/deposits', { currency: 'USDT', amount: 0 }, 400, 'malformed', 'amount'],
  ['POST', '/accounts/alice/deposits', { currency: 'USDT', amount: '0.000000001' }, 400, 'malformed', 'amount'],
  ['POST', '/accounts/alice/deposits', { currency: 'USDT' }, 400, 'malformed', 'amount'],
  ['POST', '/accounts/alice/keys', {}, 400, 'malformed', 'permissions'],
  ['POST', '/accounts/alice/keys', { permissions: [] }, 400, 'malformed', 'permissions'],
  ['POST', '/accounts/alice/keys', { permissions: ['root'] }, 400, 'malformed', 'permissions[0]'],
  ['POST', '/accounts/alice/keys', { permissions: ['read'], ipAllow: ['10.0.0.0/33'] }, 400, 'malformed', 'ipAllow[0]'],
  ['POST', '/accounts/alice/keys', { permissions: ['read'], expiresAt: 'soon' }, 400, 'malformed', 'expiresAt'],
  ['POST', '/accounts/nobody/keys', { permissions: ['read'] }, 404, 'unknownAccount'],
];

for (const [method, path, body, status, reason, field] of BAD_ACCOUNT_CALLS) {
  test(`${method} ${path} ${JSON.stringify(body)} is refused: ${reason}`, async () => {
    const hash = venue.stateHash();
    await refused(call(method, path, body), status, reason, field);
    assert.equal(venue.stateHash(), hash);
  });
}

// --- prices ---

test('prices are set together, finer than the tick where they are references', async () => {
  const { seq } = await ok(
    call('POST', '/prices', { symbol: 'BTC-USDT', index: '100.0001', mark: 99.95, last: 100.1 }),
  );
  assert.equal(seq, (await ok(call('GET', '/state'))).seq);
  const [market] = (await ok(call('GET', '/markets'))).markets;
  assert.deepEqual([market.index, market.mark, market.markByHand, market.last], ['100.0001', '99.95', true, '100.1']);
  await ok(call('POST', '/prices', { symbol: 'BTC-USDT', mark: null }));
  const [freed] = (await ok(call('GET', '/markets'))).markets;
  assert.deepEqual([freed.mark, freed.markByHand], ['100.0001', false]);
});

test('fees of an account in a market that no market can be called are refused, not forgotten', async () => {
  for (const rates of ['null', '{"maker":0,"taker":0}']) {
    const change = call('PATCH', '/accounts/alice', `{"fees":{"__proto__":${rates}}}`);
    await refused(change, 404, 'unknownMarket', 'fees.__proto__');
  }
});

test('a perpetual answers to its symbol and to the id of the markets API', async () => {
  await ok(call('POST', '/prices', { symbol: 'BTC-PERP', index: 100 }));
  await ok(call('POST', '/prices', { symbol: 'BTC-PERP-USDT', index: 101 }));
});

test('a price off the fine grid is refused with its neighbours', async () => {
  const message = await refused(
    call('POST', '/prices', { symbol: 'BTC-USDT', index: '100.00005' }),
    400,
    'priceOffTick',
    'index',
  );
  assert.match(message, /100 and 100\.0001/);
  assert.match(
    await refused(call('POST', '/prices', { symbol: 'BTC-USDT', last: 100.05 }), 400, 'priceOffTick', 'last'),
    /100 and 100\.1/,
  );
});

const BAD_PRICES: [unknown, number, string, string?][] = [
  [{}, 400, 'malformed', 'symbol'],
  [{ symbol: 'BTC-USDT' }, 400, 'malformed'],
  [{ symbol: 'XYZ-USDT', index: 1 }, 404, 'unknownMarket', 'symbol'],
  [{ symbol: 'BTC-USDT', index: 0 }, 400, 'malformed', 'index'],
  [{ symbol: 'BTC-USDT', index: -1 }, 400, 'malformed', 'index'],
  [{ symbol: 'BTC-USDT', index: null }, 400, 'malformed', 'index'],
  [{ symbol: 'BTC-USDT', index: '1e999' }, 400, 'malformed', 'index'],
  [{ symbol: 'BTC-USDT', last: 20000000 }, 400, 'priceAboveMaximum', 'last'],
  [{ symbol: 'BTC-USDT', idx: 1 }, 400, 'malformed', 'idx'],
];

for (const [body, status, reason, field] of BAD_PRICES) {
  test(`prices ${JSON.stringify(body)} are refused: ${reason}`, async () => {
    const hash = venue.stateHash();
    await refused(call('POST', '/prices', body), status, reason, field);
    assert.equal(venue.stateHash(), hash);
  });
}

test('a mistyped name is reported first, and what is missing after it', async () => {
  const text = await refused(call('POST', '/prices', { symbol: 'BTC-USDT', lst: 1 }), 400, 'malformed', 'lst');
  assert.equal(text, 'lst is not known; did you mean last?; the body must set at least one of index, mark and last');
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`name-${i}`, 1]));
  assert.match(await refused(call('POST', '/prices', many), 400, 'malformed', 'name-0'), /; and 997 more$/);
  assert.match(
    await refused(call('POST', '/prices', { symbol: 'BTC-USD', index: 1 }), 404, 'unknownMarket', 'symbol'),
    /did you mean BTC-USDT\?/,
  );
});

test('when a price is answered, the stop that it sets off has traded', async () => {
  await ok(call('POST', '/prices', { symbol: 'BTC-USDT', index: 100, last: 100 }));
  await buy(95, '1', 1);
  await trader(0).placeAlgoOrder({
    symbol: 'BTC-USDT',
    orderSide: 'SELL',
    orderType: 'CONDITIONAL',
    orderSize: 1,
    triggerPrice: 96,
    triggerOrderType: 'STOP_LOSS',
    triggerPriceType: 'LAST_PRICE',
  });
  await ok(call('POST', '/prices', { symbol: 'BTC-USDT', last: 96 }));
  assert.equal((await ok(call('GET', '/accounts/alice'))).balances.BTC.total, '9');
});

// --- the clock ---

test('a manual clock starts in 2026 and moves by ms or to a time', async () => {
  const start = Date.parse(START);
  assert.equal((await ok(call('GET', '/state'))).time, start);
  assert.equal((await ok(call('POST', '/clock', { advance: 1500 }))).time, start + 1500);
  assert.equal((await ok(call('POST', '/clock', { to: start + 2000 }))).time, start + 2000);
  assert.equal((await ok(call('POST', '/clock', { advance: 0 }))).time, start + 2000);
  await refused(call('POST', '/clock', { to: start + 1999 }), 400, 'timeBackwards');
  assert.equal((await ok(call('GET', '/state'))).time, start + 2000);
});

test('moves of the clock that come together add up', async () => {
  const { time } = await ok(call('GET', '/state'));
  await Promise.all(Array.from({ length: 20 }, () => ok(call('POST', '/clock', { advance: 50 }))));
  assert.equal((await ok(call('GET', '/state'))).time, time + 1000);
});

test('a whole day passes in one call, with all that was due in it', async () => {
  await ok(call('POST', '/prices', { symbol: 'BTC-USDT', index: 100, last: 100 }));
  await sell(100, '5', 0);
  await trader(1).placeAlgoOrder({
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'TWAP',
    orderSize: 1,
    timePeriod: 86_400,
  });
  await ok(call('POST', '/clock', { advance: 86_400_000 }));
  const { balances, openOrders } = await ok(call('GET', '/accounts/alice'));
  assert.equal(balances.BTC.total, '9');
  assert.equal(openOrders, 1);
});

for (const body of [
  {},
  { advance: 1, to: 2 },
  { advance: -1 },
  { advance: 0.5 },
  { advance: '1000' },
  { advance: '1 h' },
  { advance: '2026-01-02T00:00:00Z' },
  { advance: '999999999999999w' },
  { to: '1h' },
  { to: '2026-02-30T00:00:00Z' },
  { to: '2026-01-02T00:00:00' },
  { advance: 1e300 },
  { by: 1 },
]) {
  test(`a clock call ${JSON.stringify(body)} is refused`, async () => {
    assert.equal((await call('POST', '/clock', body)).status, 400);
  });
}

test('a real clock is not moved, and no snapshot taken on it', async () => {
  const real = await startVenue({ clock: 'real' });
  try {
    await refused(control(real, 'POST', '/clock', { advance: 1 }), 409, 'manualClockOnly');
    await refused(control(real, 'POST', '/snapshots/a'), 409, 'manualClockOnly');
    await refused(control(real, 'POST', '/snapshots/a/restore'), 409, 'manualClockOnly');
    await control(real, 'POST', '/reset');
  } finally {
    await real.close();
  }
});

// --- state, audit, markets ---

test('the state names sequence, time, epoch, hash and counts', async () => {
  const state = await ok(call('GET', '/state'));
  assert.deepEqual(Object.keys(state), ['seq', 'time', 'epoch', 'hash', 'orders', 'accounts', 'markets']);
  assert.match(state.hash, /^[0-9a-f]{64}$/);
  assert.deepEqual([state.epoch, state.orders, state.accounts, state.markets], [1, 0, 2, 4]);
});

test('the audit comes out even after trades and withdrawals', { rule: '5.54' }, async () => {
  await ok(call('POST', '/prices', { symbol: 'BTC-USDT', index: 100, last: 100 }));
  await sell(100, '1.00003', 0);
  await buy(100, '1', 1);
  await ok(call('POST', '/accounts/bob/deposits', { currency: 'USDT', amount: '-123.45' }));
  const audit = await ok(call('GET', '/audit'));
  assert.equal(audit.ok, true);
  assert.equal(audit.orders.bad, 0);
  assert.deepEqual(Object.keys(audit.currencies.USDT), [
    'accounts',
    'reserved',
    'fees',
    'insurance',
    'deficit',
    'deposits',
    'withdrawals',
    'difference',
  ]);
  assert.deepEqual(audit.accounts, {
    checked: audit.accounts.checked,
    belowReserved: 0,
    belowZero: 0,
    waitingLiquidation: 0,
    watchedUnsafe: 0,
  });
  assert.deepEqual(audit.positions['BTC-PERP'], { long: 0, short: 0, difference: 0 });
  for (const [code, { difference }] of Object.entries<{ difference: string }>(audit.currencies)) {
    assert.equal(difference, '0', code);
  }
  assert.equal(audit.currencies.USDT.withdrawals, '123.45');
  assert.equal(audit.currencies.USDT.deposits, '200000');
});

test('a market is listed while the venue runs', async () => {
  const market = {
    symbol: 'ETH-BTC',
    kind: 'spot',
    base: 'ETH',
    quote: 'BTC',
    tick: '0.0001',
    maxPrice: 100,
    step: 0.001,
    minSize: 0.001,
    maxSize: 1000,
  };
  assert.equal((await ok(call('POST', '/markets', market))).symbol, 'ETH-BTC');
  assert.equal((await ok(call('GET', '/markets'))).markets.length, 5);
  await refused(call('POST', '/markets', market), 409, 'marketExists');
  await refused(call('POST', '/markets', { ...market, symbol: 'BTC-ETH', tick: 0 }), 400, 'malformed', 'tick');
  await refused(call('POST', '/markets', { ...market, symbol: 'BTC-ETH', base: 'XYZ' }), 400, 'malformed', 'base');
});

test('null gives an option its default again', async () => {
  const change = (symbol: string, terms: object) => ok(call('PATCH', `/markets/${symbol}`, terms));
  const options = ['maxBasis', 'liquidationBand', 'indexJump'];
  const before = (await ok(call('GET', '/markets'))).markets as Record<string, string>[];
  const usual = before.find(({ symbol }) => symbol === 'BTC-PERP')!;
  for (const option of options) {
    assert.equal((await change('BTC-PERP', { [option]: '0.0001' }))[option], '0.0001');
    assert.equal((await change('BTC-PERP', { [option]: null }))[option], usual[option]);
  }
  await change('BTC-PERP', { maxBasis: '0.0001', liquidationBand: '0.0001', indexJump: '0.0001' });
  const all = await change('BTC-PERP', { maxBasis: null, liquidationBand: null, indexJump: null });
  assert.deepEqual(
    options.map((option) => all[option]),
    options.map((option) => usual[option]),
  );
  await change('BTC-USDT', { indexJump: '0.001' });
  assert.equal((await change('BTC-USDT', { indexJump: null })).indexJump, '0.01');
  await refused(call('PATCH', '/markets/BTC-PERP', { band: null }), 400, 'malformed', 'band');
});

const TIER = { maxNotional: 1_000_000, initial: '0.02', maintenance: '0.01' };

const BAD_TERMS: [string, object, string | undefined, RegExp][] = [
  ['/markets/BTC-PERP', { riskTiers: [TIER] }, 'riskTiers', /^riskTiers must have at least the \d+ tiers/],
  ['/markets/BTC-PERP', { maxBasis: '0.9' }, 'maxBasis', /^maxBasis must be at most/],
  ['/markets/BTC-PERP', { funding: { cap: '0.9' } }, 'funding.cap', /^funding.cap must be at most/],
  [
    '/markets/BTC-PERP',
    { riskTiers: [{ ...TIER, initial: '1%' }] },
    'riskTiers[0].initial',
    /^riskTiers\[0\]\.initial is not a number: give [^;]+$/,
  ],
  ['/markets/BTC-PERP', { tick: '0.5' }, 'tick', /^tick cannot change while the market runs: only [^;]+ can$/],
  ['/markets/BTC-PERP', { fee: {} }, 'fee', /^fee is not known; did you mean fees\?$/],
  ['/markets/BTC-PERP', { force: 'yes' }, 'force', /^force must be true or false, not "yes"$/],
  ['/markets/BTC-PERP', { force: true }, undefined, /^the body must change at least one of minSize, /],
  ['/accounts/alice', { freeze: 'x' }, 'freeze', /^freeze is not known; [^;]+$/],
  ['/accounts/alice', {}, undefined, /^the body must change at least one of fees, frozen$/],
  [
    '/accounts/alice',
    { frozen: 'all' },
    'frozen',
    /^frozen must be one of cancelOnly, everything, or null \(no freeze\), not "all"$/,
  ],
  [
    '/accounts/alice',
    { fees: { 'BTC-PERP': { maker: '0.000000001', taker: 0 } } },
    'fees.BTC-PERP.maker',
    /^fees\.BTC-PERP\.maker has more than 8 decimals$/,
  ],
];

for (const [path, body, field, words] of BAD_TERMS) {
  test(`PATCH ${path} ${JSON.stringify(body)} names the field of the body, and what is wrong alone`, async () => {
    const { status, body: reply, text } = await call('PATCH', path, body);
    assert.equal(status, 400, text);
    assert.deepEqual([reply.error.field, words.test(reply.error.message)], [field, true], text);
  });
}

test('fees of an account in an unknown market name the field and the market that was meant', async () => {
  const change = call('PATCH', '/accounts/alice', { fees: { 'BTC-PERB': { maker: 0, taker: 0 } } });
  assert.match(await refused(change, 404, 'unknownMarket', 'fees.BTC-PERB'), /did you mean BTC-PERP\?$/);
});

test('a call that takes no fields refuses every field, so none is ignored', async () => {
  for (const path of ['/markets/BTC-PERP/halt', '/markets/BTC-PERP/resume', '/reset', '/snapshots/a']) {
    assert.match(
      await refused(call('POST', path, { x: 1 }), 400, 'malformed', 'x'),
      /x is not known: POST .* takes no/,
    );
    await refused(call('POST', path, '[]'), 400, 'malformed');
  }
  await refused(call('DELETE', '/faults?path=/x'), 400, 'malformed', 'path');
  await refused(call('GET', '/accounts/alice?seq=5'), 400, 'malformed', 'seq');
  await ok(call('GET', '/health?from=monitor'));
  await ok(call('POST', '/markets/BTC-PERP/halt', {}));
});

test('a price for the end of a spot pair is refused for that alone', async () => {
  await ok(call('POST', '/markets/BTC-USDT/halt'));
  const end = call('POST', '/markets/BTC-USDT/delist', { settlementPrice: 60000 });
  assert.equal(
    await refused(end, 400, 'priceOutOfRange', 'settlementPrice'),
    'settlementPrice is only for perpetuals, and BTC-USDT is a spot pair: leave it out',
  );
});

test('a delisted market is a conflict, whatever is asked of it', async () => {
  await ok(call('POST', '/markets/BTC-USDT/halt'));
  await ok(call('POST', '/markets/BTC-USDT/delist'));
  for (const what of ['halt', 'resume', 'delist']) {
    await refused(call('POST', `/markets/BTC-USDT/${what}`), 409, 'marketDelisted');
  }
  await refused(call('PATCH', '/markets/BTC-USDT', { band: '0.5' }), 409, 'marketDelisted');
  assert.match(
    await refused(call('POST', '/markets', { symbol: 'BTC-USDT' }), 409, 'marketExists'),
    /never used again$/,
  );
  await refused(call('POST', '/prices', { symbol: 'BTC-USDT', index: 60_000 }), 409, 'marketDelisted');
});

test('terms that are changed at the same time are all changed, and in the market that was named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-control-'));
  // On a disk a command waits, and meanwhile the next request is read.
  const onDisk = await startVenue({ data: join(folder, 'data'), masterKeyFile: join(folder, 'key') });
  try {
    const send = (method: string, path: string, body?: unknown) => control(onDisk, method, path, body);
    const markets = async () =>
      (await ok(send('GET', '/markets'))).markets as { symbol: string; fees: object; band: string }[];
    const change = (fees: object) => ok(send('PATCH', '/markets/BTC-PERP', { fees }));
    await Promise.all([change({ maker: '0.001' }), change({ taker: '0.01' })]);
    const { fees } = (await markets()).find(({ symbol }) => symbol === 'BTC-PERP')!;
    assert.deepEqual(fees, { maker: '0.001', taker: '0.01' });
    const grids = { tick: '0.1', maxPrice: '100000', step: '0.001', minSize: '0.001', maxSize: '10' };
    const market = (base: string) => ({ symbol: `${base}-USD`, kind: 'spot', base, quote: 'USD', ...grids });
    await ok(send('POST', '/markets', market('BTC')));
    // A reset takes BTC-USD away, and ETH-USD gets its number.
    await Promise.all([
      send('POST', '/reset'),
      send('POST', '/markets', market('ETH')),
      send('PATCH', '/markets/BTC-USD', { band: '0.5' }),
    ]);
    assert.ok((await markets()).every(({ symbol, band }) => symbol === 'BTC-USD' || band !== '0.5'));
  } finally {
    await onDisk.close();
    rmSync(folder, { recursive: true });
  }
});

test('a market of a new coin brings the coin with it, and a refusal says how', async () => {
  const market = {
    symbol: 'SOL-USDT',
    kind: 'spot',
    base: 'SOL',
    quote: 'USDT',
    tick: '0.01',
    maxPrice: 100_000,
    step: 0.001,
    minSize: 0.001,
    maxSize: 1000,
  };
  const add = (currencies?: object) => call('POST', '/markets', { ...market, currencies });
  const hash = venue.stateHash();
  assert.match(await refused(add(), 400, 'malformed', 'base'), /add "currencies": \{"SOL": \{"decimals": 8\}\}/);
  const field = 'currencies.SOL.decimals';
  await refused(add({ SOL: { decimals: 19 } }), 400, 'malformed', field);
  await refused(add({ SOL: { decimals: 8 }, BTC: { decimals: 2 } }), 400, 'invalidMarket', 'currencies.BTC.decimals');
  assert.equal(venue.stateHash(), hash);
  assert.equal((await ok(add({ SOL: { decimals: 8 } }))).base, 'SOL');
  const { balances } = await ok(call('POST', '/accounts/alice/deposits', { currency: 'SOL', amount: '1.5' }));
  assert.equal(balances.SOL.total, '1.5');
  assert.equal((await ok(call('GET', '/audit'))).currencies.SOL.accounts, '1.5');
});

// --- whole states ---

test('a reset is the first start again: hash, time, balances, names', async () => {
  const { hash } = await ok(call('GET', '/state'));
  await ok(call('POST', '/accounts', { name: 'dave' }));
  await ok(call('POST', '/prices', { symbol: 'BTC-USDT', index: 100 }));
  const [order] = await sell(100, '1');
  await ok(call('POST', '/clock', { advance: 5000 }));
  assert.notEqual(venue.stateHash(), hash);
  const before = (await ok(call('GET', '/state'))).seq;
  await ok(call('POST', '/reset'));
  const state = await ok(call('GET', '/state'));
  assert.equal(state.hash, hash);
  assert.equal(state.time, Date.parse(START));
  assert.ok(state.seq > before);
  await assert.rejects(trader(0).spotOrder({ orderId: order.orderId }), (error: VenueError) => error.status === 404);
  await ok(call('POST', '/accounts', { name: 'dave' }));
});

test('a named snapshot brings the whole state back, time and keys included', async () => {
  await ok(call('POST', '/prices', { symbol: 'BTC-USDT', index: 100 }));
  await ok(call('POST', '/clock', { advance: 1000 }));
  const key = await ok(call('POST', '/accounts/alice/keys', { permissions: ['trading'] }));
  const [order] = await sell(100, '1');
  await ok(call('POST', '/snapshots/before'));
  const saved = await ok(call('GET', '/state'));
  await ok(call('DELETE', `/keys/${key.key}`));
  await buy(100, '1');
  await ok(call('POST', '/clock', { advance: 60_000 }));
  await ok(call('POST', '/snapshots/before/restore'));
  const restored = await ok(call('GET', '/state'));
  assert.deepEqual([restored.hash, restored.time], [saved.hash, saved.time]);
  const again = new BourseClient({ url: venue.url, ...key });
  assert.equal((await again.spotOrder({ orderId: order.orderId })).orderState, 'ORDER_INSERTED');
});

test('an unknown snapshot and a seventeenth are refused', async () => {
  await refused(call('POST', '/snapshots/never/restore'), 404, 'unknownSnapshot');
  await refused(call('POST', '/snapshots/a%20b'), 400, 'malformed', 'name');
  const other = await startVenue();
  try {
    for (let i = 1; i <= 16; i++) await control(other, 'POST', `/snapshots/s${i}`);
    await refused(control(other, 'POST', '/snapshots/s17'), 409, 'tooManySnapshots');
    await ok(control(other, 'POST', '/snapshots/s16'));
  } finally {
    await other.close();
  }
});

test('both listeners keep an idle connection for a minute: a client that reuses it does not lose its request', async () => {
  for (const url of [`${venue.url}/spot/api/v3.3/time`, `${venue.control}/control/v1/state`]) {
    const reply = await fetch(url);
    await reply.text();
    assert.equal(reply.headers.get('keep-alive'), 'timeout=65', url);
  }
});

// --- faults ---

test('a status fault refuses so often and commits nothing', async () => {
  await ok(
    call('POST', '/faults', { match: { method: 'POST', path: '/spot/api/v4/trade/orders' }, status: 503, times: 2 }),
  );
  const { hash } = await ok(call('GET', '/state'));
  for (let i = 0; i < 2; i++) await assert.rejects(sell(100, '1'), { status: 503, code: -11 });
  assert.equal(venue.stateHash(), hash);
  assert.equal((await sell(100, '1')).length, 1);
});

test('a dropped reply commits its order all the same', async () => {
  await ok(call('POST', '/faults', { dropReply: true }));
  await assert.rejects(sell(100, '1'), TypeError);
  assert.equal((await ok(call('GET', '/accounts/alice'))).openOrders, 1);
});

test('a delayed reply comes late', async () => {
  await ok(call('POST', '/faults', { latencyMs: 30 }));
  const startedAt = performance.now();
  await sell(100, '1');
  assert.ok(performance.now() - startedAt >= 29);
});

test('faults are cleared, and never touch the control surface', async () => {
  await ok(call('POST', '/faults', { status: 500, times: 100 }));
  await ok(call('GET', '/state'));
  assert.deepEqual(await ok(call('DELETE', '/faults')), { armed: 0 });
  assert.equal((await sell(100, '1')).length, 1);
});

for (const [body, field] of [
  [{}, undefined],
  [{ status: 200 }, 'status'],
  [{ status: 503, times: 0 }, 'times'],
  [{ latencyMs: -1 }, 'latencyMs'],
  [{ dropReply: 'yes' }, 'dropReply'],
  [{ status: 500, match: { path: '/a?b=c' } }, 'match.path'],
  [{ status: 500, match: { verb: 'GET' } }, 'match.verb'],
  [{ status: 500, match: { path: '/spot/api/v4/trade/ordres' } }, 'match.path'],
  [{ status: 500, match: { path: `/${'a'.repeat(200)}` } }, 'match.path'],
  [{ status: 500, match: { method: 'PUT', path: '/spot/api/v4/trade/orders/algo' } }, 'match.method'],
] as const) {
  test(`a fault ${JSON.stringify(body)} is refused`, async () => {
    await refused(call('POST', '/faults', body), 400, 'malformed', field);
  });
}

test('a fault that would hit more often than can be counted is refused with the most that it may', async () => {
  const { body } = await call('POST', '/faults', { status: 503, times: Number.MAX_SAFE_INTEGER });
  assert.match(body.error.message, /^times must be a whole number from 1 to 1000000000, not "9007199254740991"/);
});

for (const [path, nearest] of [
  ['/spot/api/v4/trade/ordres', '/spot/api/v4/trade/orders'],
  ['/spot/api/v4/trade/orders/', '/spot/api/v4/trade/orders'],
  ['/api/v2.3/order', '/futures/api/v2.3/order'],
  ['/trade/orders/algo', '/spot/api/v4/trade/orders/algo or /futures/api/v3/trade/orders/algo'],
  ['/x', null],
] as const) {
  test(`a fault at ${path}, where there is no route, is refused with the nearest: ${nearest}`, async () => {
    const message = await refused(
      call('POST', '/faults', { status: 503, match: { path } }),
      400,
      'malformed',
      'match.path',
    );
    assert.ok(message.endsWith(nearest === null ? 'has no route' : `has no route: did you mean ${nearest}?`), message);
    assert.deepEqual(await ok(call('GET', '/faults')), { faults: [] });
  });
}

for (const [fault, path, problem] of [
  [
    { latencyMs: 5 },
    '/ws/oss/spot',
    'is of streams: use streamLatencyMs instead of latencyMs, or closeStreams or dropFrames',
  ],
  [{ gapBook: true }, '/ws/spot', 'has no books; gapBook is for /ws/oss/spot, /ws/oss/futures'],
  [{ gapBook: true, dropFrames: true }, '/ws/futures', 'has no books; gapBook is for /ws/oss/spot, /ws/oss/futures'],
] as const) {
  test(`a fault ${JSON.stringify(fault)} at ${path} is refused, and the error says what fits`, async () => {
    const body = { ...fault, match: { path } };
    const message = await refused(call('POST', '/faults', body), 400, 'malformed', 'match.path');
    assert.ok(message.endsWith(problem), message);
  });
}

test('a fault for a method that its path does not take is refused with those that it takes', async () => {
  const match = { method: 'GET', path: '/spot/api/v4/trade/orders/algo' };
  const message = await refused(call('POST', '/faults', { status: 503, match }), 400, 'malformed', 'match.method');
  assert.match(message, /GET has no route at \/spot\/api\/v4\/trade\/orders\/algo, which takes POST$/);
});

test('the list of faults says what is armed, how often each hit, and which are spent', async () => {
  const match = { method: 'POST', path: '/spot/api/v4/trade/orders' };
  const once = { match, dropReply: true, closeStreams: false, times: 1 };
  const twice = { match: {}, status: 503, dropReply: false, closeStreams: false, times: 2 };
  await ok(call('POST', '/faults', { match, dropReply: true }));
  await ok(call('POST', '/faults', { status: 503, times: 2 }));
  assert.deepEqual(await ok(call('GET', '/faults')), {
    faults: [
      { ...once, hits: 0, left: 1, lastHitSeq: null, lastHits: [] },
      { ...twice, hits: 0, left: 2, lastHitSeq: null, lastHits: [] },
    ],
  });
  const { seq: before, time } = await ok(call('GET', '/state'));
  const hit = (seq: number) => [{ seq, time, what: 'POST /spot/api/v4/trade/orders' }];
  await assert.rejects(sell(100, '1'), TypeError);
  await assert.rejects(sell(100, '1'), { status: 503 });
  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  assert.deepEqual(await client.faults(), [
    { ...once, hits: 1, left: 0, lastHitSeq: before, lastHits: hit(before) },
    // The order whose reply was dropped was committed.
    { ...twice, hits: 1, left: 1, lastHitSeq: before + 1, lastHits: hit(before + 1) },
  ]);
  await client.clearFaults();
  assert.deepEqual(await client.faults(), []);
});

// --- health and metrics ---

// --- the ledger of an account ---

test('the ledger of an account is read in pages, oldest first, and an id continues later', async () => {
  await sell(50_000, '2');
  await buy(50_000, '1');
  const reasons = (page: { entries: { reason: string }[] }) => page.entries.map(({ reason }) => reason);
  const all = await ok(call('GET', '/accounts/alice/ledger'));
  assert.deepEqual(reasons(all), ['deposit', 'deposit', 'trade', 'trade', 'fee']);
  assert.equal('next' in all, false);
  const { id: _, seq: __, timeMs: ___, orderId, ...sold } = all.entries[3];
  assert.deepEqual(sold, { account: 'alice', currency: 'BTC', amount: '-1', reason: 'trade', market: 'BTC-USDT' });
  assert.equal(typeof orderId, 'string');

  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  const first = await client.ledger('alice', { limit: 3 });
  const second = await client.ledger('alice', { limit: 3, after: first.next });
  assert.deepEqual([...first.entries, ...second.entries], all.entries);
  assert.equal(second.next, undefined);
  const after = all.entries[4].id;
  assert.deepEqual((await client.ledger('alice', { after })).entries, []);
  await buy(50_000, '1');
  assert.deepEqual(reasons(await ok(call('GET', `/accounts/alice/ledger?after=${after}`))), ['trade', 'trade', 'fee']);
  const newest = await ok(call('GET', '/accounts/alice/ledger?newest=true&limit=2'));
  assert.deepEqual([reasons(newest), newest.next], [['fee', 'trade'], undefined]);
  for (const [query, field] of [
    ['newest=1', 'newest'],
    [`newest=true&after=${after}`, 'after'],
  ]) {
    await refused(call('GET', `/accounts/alice/ledger?${query}`), 400, 'malformed', field);
  }
});

test('markets and what happened to an order are read in pages, too', async () => {
  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  const { markets: all, next } = await client.markets();
  assert.deepEqual([all.length > 2, next], [true, undefined]);
  const first = await client.markets({ limit: 2 });
  assert.equal(first.next, all[1].symbol);
  const rest = await client.markets({ limit: all.length - 2, after: first.next });
  assert.deepEqual([[...first.markets, ...rest.markets], rest.next], [all, undefined]);
  const [{ orderId }] = await sell(100, '1');
  await trader(0).cancelSpotOrder('BTC-USDT', { orderId });
  const whole = await client.order(orderId);
  assert.deepEqual([whole.events.map(({ type }) => type), whole.next], [['accepted', 'rested', 'ended'], undefined]);
  const begun = await client.order(orderId, { limit: 2 });
  assert.deepEqual([begun.order, begun.next], [whole.order, '2']);
  const ended = await client.order(orderId, { limit: 1, after: begun.next });
  assert.deepEqual([[...begun.events, ...ended.events], ended.next], [whole.events, undefined]);
  assert.deepEqual((await client.order(orderId, { after: '3' })).events, []);
  await refused(call('GET', `/orders/${orderId}?limit=0`), 400, 'malformed', 'limit');
  for (const path of ['/markets', `/orders/${orderId}`]) {
    await refused(call('GET', `${path}?after=nothing`), 400, 'malformed', 'after');
  }
});

test('a thousand faults may be armed, and no more', async () => {
  for (let i = 0; i < 1000; i += 1) await ok(call('POST', '/faults', { status: 503 }));
  await refused(call('POST', '/faults', { status: 503 }), 400, 'malformed');
  await ok(call('DELETE', '/faults'));
});

test('a page of the ledger that cannot be is refused', async () => {
  const path = '/accounts/alice/ledger';
  for (const limit of ['0', '1001', 'x', '', '1.5']) {
    await refused(call('GET', `${path}?limit=${limit}`), 400, 'malformed', 'limit');
  }
  for (const after of ['x', '1', '1.2.3', '-1.0']) {
    await refused(call('GET', `${path}?after=${after}`), 400, 'malformed', 'after');
  }
  await refused(call('GET', `${path}?offset=1`), 400, 'malformed', 'offset');
  await refused(call('GET', '/accounts/nobody/ledger'), 404, 'unknownAccount');
});

test('health says that the venue is ready', async () => {
  assert.deepEqual(await ok(call('GET', '/health')), { live: true, ready: true, reasons: [] });
});

test('metrics say how long frames of the streams took', async () => {
  const client = trader(0);
  const counts = async () => {
    const { text } = await call('GET', '/metrics');
    const lines = text.matchAll(/^bourse_stream_seconds_count\{kind="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...lines].map(([, kind, count]) => [kind, Number(count)]));
  };
  await client.subscribe('spot', 'update:BTC-USDT_0', () => {});
  await client.subscribe('spot', 'tradeHistoryApi:BTC-USDT', () => {});
  await client.subscribe('spot', 'fills', () => {});
  assert.deepEqual(await counts(), {});
  await sell(100, '1', 0);
  await buy(100, '1', 1);
  client.close();
  assert.deepEqual(await counts(), { book: 2, trades: 1, account: 1 });
});

test('metrics count orders, fills, batches and requests', async () => {
  await sell(100, '1', 0);
  await buy(100, '1', 1);
  const { status, text } = await call('GET', '/metrics');
  assert.equal(status, 200);
  for (const line of [
    /^bourse_orders_total\{market="BTC-USDT",kind="limit"\} [1-9]/m,
    /^bourse_fills_total\{market="BTC-USDT"\} [1-9]/m,
    /^bourse_batches_total [1-9]/m,
    /^bourse_log_sync_seconds_count [1-9]/m,
    /^bourse_queue_length 0$/m,
    /^bourse_queue_seconds 0$/m,
    /^bourse_http_requests_total\{surface="spot-v4",status="200"\} [1-9]/m,
    /^process_resident_memory_bytes /m,
  ]) {
    assert.match(text, line);
  }
});
