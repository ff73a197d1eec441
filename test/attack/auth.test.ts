/** Attacks on authentication: nothing but a fresh, valid, permitted signature acts or reads, and nothing else leaves a trace. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { Authenticator } from '../../src/api/gateway/auth.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { standIn } from '../support/gateway.ts';
import { exchange, requestText } from '../support/raw-http.ts';
import { credentialHeaders, signature, type TestKey } from '../support/signing.ts';
import {
  aim,
  attack,
  FUTURES,
  JSON_TYPE,
  LOOKUP,
  nextNonce,
  ORDERS,
  RESTING,
  RESTING_FUTURE,
  refusedWith,
  Target,
  unchanged,
} from './target.ts';

let reader: TestKey;
let elsewhere: TestKey;
let here: TestKey;
let revoked: TestKey;
let expired: TestKey;
let resting: string;

const at = aim(async (target) => {
  reader = await target.newKey('alice', { permissions: ['read'] });
  elsewhere = await target.newKey('alice', { ipAllow: ['10.0.0.0/8'] });
  here = await target.newKey('alice', { ipAllow: ['127.0.0.0/8'] });
  revoked = await target.newKey('alice', {});
  expired = await expiredKey(target);
  await target.control.revokeKey(revoked.key);
  resting = await target.place(target.alice);
});

/** It was made a minute ago by the clock of the machine: one that has expired when it is made is refused. */
async function expiredKey(target: Target): Promise<TestKey> {
  const nowMs = Date.now();
  const clock = mock.method(Date, 'now', () => nowMs - 60_000);
  try {
    return await target.newKey('alice', { expiresAt: nowMs - 1 });
  } finally {
    clock.mock.restore();
  }
}

const body = JSON.stringify(RESTING);

describe('credentials', () => {
  attack('no header', at, async (target) => {
    const answer = await exchange(target.url, requestText('POST', ORDERS, JSON_TYPE, body));
    refusedWith(answer!, 401, 10002, /Authentication Failed/);
  });

  for (const header of ['request-api', 'request-nonce', 'request-sign']) {
    attack(`${header} missing`, at, async (target) => {
      const answer = await target.send(target.alice, 'POST', ORDERS, body, { without: header });
      refusedWith(answer, 401, 10002, new RegExp(`${header} is missing`));
    });

    attack(`${header} empty`, at, async (target) => {
      const answer = await target.send(target.alice, 'POST', ORDERS, body, { headers: { [header]: '' } });
      refusedWith(answer, 401, 10002, new RegExp(header));
    });

    attack(`${header} twice, the same`, at, async (target) => {
      const nonce = nextNonce();
      const value = credentialHeaders(target.alice, ORDERS, body, { nonce })[header];
      const answer = await target.send(target.alice, 'POST', ORDERS, body, {
        nonce,
        headers: { [header]: [value, value] },
      });
      refusedWith(answer, 401, 10002);
    });

    attack(`${header} twice, another first and another last`, at, async (target) => {
      const nonce = nextNonce();
      const value = credentialHeaders(target.alice, ORDERS, body, { nonce })[header];
      for (const values of [
        ['x', value],
        [value, 'x'],
        ['', value],
        [value, ''],
      ]) {
        const answer = await target.send(target.alice, 'POST', ORDERS, body, { nonce, headers: { [header]: values } });
        refusedWith(answer, 401, 10002);
      }
    });
  }

  attack('both header families at once', at, async (target) => {
    const nonce = nextNonce();
    const headers = credentialHeaders(target.alice, ORDERS, body, { nonce, family: 'btse' });
    refusedWith(await target.send(target.alice, 'POST', ORDERS, body, { nonce, headers }), 401, 10002, /not both/);
    refusedWith(
      await target.send(target.alice, 'POST', ORDERS, body, { headers: { 'btse-api': 'x' } }),
      401,
      10002,
      /not both/,
    );
  });

  attack('a key that does not exist', at, async (target) => {
    for (const key of ['nobody', '__proto__', 'constructor', 'toString']) {
      refusedWith(
        await target.send({ ...target.alice, key }, 'POST', ORDERS, body),
        401,
        10002,
        /Authentication Failed$/,
      );
    }
  });

  attack('the wrong secret, said like the wrong key', at, async (target) => {
    const wrong = await target.send({ ...target.alice, secret: 'alice-secret' }, 'POST', ORDERS, body);
    const nobody = await target.send({ key: 'nobody', secret: 'x' }, 'POST', ORDERS, body);
    const { time: _, ...first } = wrong.body;
    const { time: __, ...second } = nobody.body;
    assert.deepEqual(first, second);
    refusedWith(wrong, 401, 10002);
  });

  attack("another account's secret", at, async (target) => {
    refusedWith(await target.send({ ...target.alice, secret: target.bob.secret }, 'POST', ORDERS, body), 401, 10002);
  });

  attack('a revoked key', at, async (target) => {
    refusedWith(await target.send(revoked, 'POST', ORDERS, body), 401, 10002, /Authentication Failed$/);
  });

  attack('an expired key', at, async (target) => {
    refusedWith(await target.send(expired, 'POST', ORDERS, body), 401, 10002, /expired/);
    refusedWith(await target.send(expired, 'GET', `${LOOKUP}?orderId=${resting}`), 401, 10002, /expired/);
  });
});

describe('the form of the signature', () => {
  const forms: Record<string, (sign: string) => string> = {
    'upper-case hex': (sign) => sign.toUpperCase(),
    '95 digits': (sign) => sign.slice(1),
    '97 digits': (sign) => `${sign}0`,
    '98 digits': (sign) => `${sign}00`,
    'a good signature and non-hex digits': (sign) => `${sign.slice(0, 94)}zz`,
    'a good signature followed by more': (sign) => `${sign} ${sign}`,
    'non-hex digits': () => 'z'.repeat(96),
    zeros: () => '0'.repeat(96),
    base64: (sign) => Buffer.from(sign, 'hex').toString('base64'),
    'the hash without the key': (sign) => signature('', '/api/v4/trade/orders', sign.length, body),
  };
  for (const [name, change] of Object.entries(forms)) {
    attack(name, at, async (target) => {
      const nonce = nextNonce();
      const sign = change(credentialHeaders(target.alice, ORDERS, body, { nonce })['request-sign']);
      const answer = await target.send(target.alice, 'POST', ORDERS, body, {
        nonce,
        headers: { 'request-sign': sign },
      });
      refusedWith(answer, 401, 10002);
    });
  }
});

describe('nonces', () => {
  const odd = [
    '1000000000000',
    '-1',
    '0',
    '0x18bcfe56800',
    '1e12',
    '1800000000000000',
    '01800000000000',
    '180000000000',
    '18000000000000',
    'NaN',
    '１８００００００００００００',
    ' 1',
    '+1800000000000',
    '1800000000000.0',
  ];
  for (const nonce of odd) {
    attack(`nonce ${nonce}`, at, async (target) => {
      const latin = Buffer.from(nonce, 'utf8').toString('latin1');
      const answer = await target.send(target.alice, 'POST', ORDERS, body, { nonce: latin });
      assert.equal(answer.status, 401);
    });
  }

  attack('too old and too new are told how far off they are', at, async (target) => {
    const old = await target.send(target.alice, 'POST', ORDERS, body, { nonce: Date.now() - 61_000 });
    refusedWith(old, 401, 401, /Invalid nonce: .*-61\d\d\d ms away/);
    const early = await target.send(target.alice, 'POST', FUTURES, body, { nonce: Date.now() + 62_000 });
    refusedWith(early, 401, 401, /Invalid nonce: .*6\d\d\d\d ms away/);
  });

  test("at the window's edges and one millisecond beyond", async () => {
    const nowMs = Date.now();
    const gateway = await standIn({ world: { ...realWorld, wallMs: () => nowMs } });
    const key = gateway.addKey();
    for (const [offMs, status] of [
      [-60_001, 401],
      [-60_000, 200],
      [60_000, 200],
      [60_001, 401],
    ] as const) {
      const headers = credentialHeaders(key, '/spot/api/v4/order', '', { nonce: nowMs + offMs });
      const answer = await exchange(gateway.url, requestText('GET', '/spot/api/v4/order', headers));
      assert.equal(answer?.status, status, `${offMs} ms`);
    }
    await gateway.close();
  });
});

describe('replays', () => {
  test('the same request again', async () => {
    const target = at();
    const nonce = nextNonce();
    const send = () => target.send(target.alice, 'POST', ORDERS, body, { nonce });
    assert.equal((await send()).status, 200);
    await unchanged(target, async () => {
      for (let i = 0; i < 3; i++) refusedWith(await send(), 401, 401, /Invalid nonce: .*already received/);
    });
  });

  test('the same request under the older header names', async () => {
    const target = at();
    const nonce = nextNonce();
    assert.equal((await target.send(target.alice, 'POST', ORDERS, body, { nonce })).status, 200);
    await unchanged(target, async () => {
      const again = await target.send(target.alice, 'POST', ORDERS, body, { nonce, family: 'btse' });
      refusedWith(again, 401, 401, /already received/);
    });
  });

  test('a used nonce and signature with another body', async () => {
    const target = at();
    const nonce = nextNonce();
    assert.equal((await target.send(target.alice, 'POST', ORDERS, body, { nonce })).status, 200);
    await unchanged(target, async () => {
      const headers = { 'request-sign': credentialHeaders(target.alice, ORDERS, body, { nonce })['request-sign'] };
      const other = { ...RESTING, orderSize: '0.02' };
      refusedWith(await target.send(target.alice, 'POST', ORDERS, other, { nonce, headers }), 401, 10002);
    });
  });

  attack('a GET again reads what it read', at, async (target) => {
    const nonce = nextNonce();
    for (let i = 0; i < 3; i++) {
      assert.equal((await target.send(target.alice, 'GET', `${LOOKUP}?orderId=${resting}`, '', { nonce })).status, 200);
    }
  });

  test('a cancel again, and the same signature for another order', async () => {
    const target = at();
    const [first, second] = [await target.place(target.alice), await target.place(target.alice)];
    const nonce = nextNonce();
    const cancel = (id: string) =>
      target.send(target.alice, 'DELETE', `${ORDERS}?symbol=BTC-USDT&orderId=${id}`, '', { nonce });
    assert.equal((await cancel(first)).status, 200);
    await unchanged(target, async () => refusedWith(await cancel(first), 401, 401, /already received/));
    // The query is not signed, and two cancels of one millisecond sign alike: the target tells them apart.
    assert.equal((await cancel(second)).status, 200);
  });

  test('after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bourse-attack-'));
    try {
      const options = { data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') };
      const first = await Target.open(options);
      const nonce = nextNonce();
      const placed = await first.send(first.alice, 'POST', ORDERS, body, { nonce });
      assert.equal(placed.status, 200);
      const hash = await first.hash();
      await first.venue.close();
      while (Date.now() <= nonce) await new Promise((resolve) => setImmediate(resolve));

      const second = await Target.open(options);
      refusedWith(await second.send(second.alice, 'POST', ORDERS, body, { nonce }), 401, 401, /older than the start/);
      assert.equal((await second.control.state()).orders, 1);
      assert.equal((await second.send(second.alice, 'GET', `${LOOKUP}?orderId=${placed.body[0].orderId}`)).status, 200);
      assert.equal(await second.hash(), hash);
      await second.venue.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('replays over a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-attack-'));
  after(() => rmSync(folder, { recursive: true }));
  const open = (name: string) => Target.open({ data: join(folder, name), masterKeyFile: join(folder, 'master.key') });

  test('an order with a nonce 45 s ahead is not taken again, nor is anything of its key that is not after it', async () => {
    const first = await open('ahead');
    const nonce = Date.now() + 45_000;
    assert.equal((await first.send(first.alice, 'POST', ORDERS, body, { nonce })).status, 200);
    await first.venue.close();
    const second = await open('ahead');
    await unchanged(second, async () => {
      for (const method of ['POST', 'GET', 'DELETE', 'PUT']) {
        const sent = method === 'POST' ? body : '';
        const answer = await second.send(second.alice, method, ORDERS, sent, { nonce });
        refusedWith(answer, 401, 401, /Invalid nonce: .*used nonces up to/);
      }
      refusedWith(
        await second.send(second.alice, 'POST', ORDERS, body, { nonce: nonce - 1 }),
        401,
        401,
        /used nonces up to/,
      );
    });
    assert.equal((await second.send(second.alice, 'POST', ORDERS, body, { nonce: nonce + 1 })).status, 200);
    assert.equal((await second.send(second.bob, 'POST', ORDERS, body, { nonce: Date.now() })).status, 200);
    await second.venue.close();
  });

  test('a lookup with a nonce ahead is not good for a cancel after a clean stop', async () => {
    const first = await open('lookup');
    const id = await first.place(first.alice);
    const nonce = Date.now() + 45_000;
    assert.equal((await first.send(first.alice, 'GET', `${ORDERS}?symbol=BTC-USDT`, '', { nonce })).status, 200);
    await first.venue.close();
    const second = await open('lookup');
    await unchanged(second, async () => {
      const cancel = `${ORDERS}?symbol=BTC-USDT&orderId=${id}`;
      refusedWith(await second.send(second.alice, 'DELETE', cancel, '', { nonce }), 401, 401, /used nonces up to/);
    });
    await second.venue.close();
  });
});

describe('what is signed', () => {
  const changes: Record<string, (text: string) => string> = {
    'one byte changed': (text) => text.replace('0.01', '0.02'),
    'one byte more': (text) => `${text} `,
    'one byte less': (text) => text.slice(0, -1),
    're-spaced': (text) => text.replaceAll(':', ': '),
    're-ordered': (text) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())),
    'a number instead of text': (text) => text.replace('"0.01"', '0.01'),
    'a key doubled': (text) => text.replace('{', '{"orderSize":"1",'),
    empty: () => '',
  };
  for (const [name, change] of Object.entries(changes)) {
    attack(`body ${name}`, at, async (target) => {
      const nonce = nextNonce();
      const sign = credentialHeaders(target.alice, ORDERS, body, { nonce })['request-sign'];
      const answer = await target.send(target.alice, 'POST', ORDERS, change(body), {
        nonce,
        headers: { 'request-sign': sign },
      });
      refusedWith(answer, 401, 10002, /Authentication Failed$/);
    });
  }

  attack('the boundaries between path, nonce and body shifted', at, async (target) => {
    const nonce = String(nextNonce());
    const path = '/api/v4/trade/orders';
    const shifts: [string, string, string][] = [
      [path.slice(0, -1), `s${nonce}`, body],
      [path + nonce[0], nonce.slice(1), body],
      [path, nonce.slice(0, -1), nonce.slice(-1) + body],
      [path, nonce + body[0], body.slice(1)],
    ];
    for (const [shiftedPath, shiftedNonce, shiftedBody] of shifts) {
      const sign = signature(target.alice.secret, path, nonce, body);
      assert.equal(signature(target.alice.secret, shiftedPath, shiftedNonce, shiftedBody), sign);
      const headers = {
        ...JSON_TYPE,
        'request-api': target.alice.key,
        'request-nonce': shiftedNonce,
        'request-sign': sign,
      };
      const answer = await exchange(target.url, requestText('POST', `/spot${shiftedPath}`, headers, shiftedBody));
      assert.ok([401, 404, 405].includes(answer?.status ?? 0), JSON.stringify(answer));
    }
  });

  const paths: Record<string, string> = {
    'another path': '/api/v4/trade/orders/algo',
    'another version': '/api/v3/trade/orders',
    'the whole path': '/spot/api/v4/trade/orders',
    'the path with a query': '/api/v4/trade/orders?a=1',
    'the path with a slash': '/api/v4/trade/orders/',
    'no path': '',
  };
  for (const [name, path] of Object.entries(paths)) {
    attack(`a signature over ${name}`, at, async (target) => {
      refusedWith(await target.send(target.alice, 'POST', ORDERS, body, { path }), 401, 10002);
    });
  }

  attack('a signature over another query than that of the lookup', at, async (target) => {
    const query = `?orderId=${resting}`;
    for (const signed of [`${query}0`, `${query}&`, '?', '?orderId=', query.toUpperCase()]) {
      const path = `/api/v4/trade/order${signed}`;
      refusedWith(await target.send(target.alice, 'GET', LOOKUP + query, '', { path }), 401, 10002);
      refusedWith(await target.send(target.alice, 'GET', LOOKUP, '', { path }), 401, 10002);
    }
  });

  attack('a signature over the query of a cancel', at, async (target) => {
    const query = `?orderId=${resting}&symbol=BTC-USDT`;
    const path = `/api/v4/trade/orders${query}`;
    refusedWith(await target.send(target.alice, 'DELETE', ORDERS + query, '', { path }), 401, 10002);
  });

  attack('a signature of the futures order on the spot path and the other way round', at, async (target) => {
    refusedWith(
      await target.send(target.alice, 'POST', FUTURES, body, { path: '/api/v4/trade/orders' }),
      401,
      -7,
      /Authenticate failed/,
    );
    refusedWith(await target.send(target.alice, 'POST', ORDERS, body, { path: '/api/v2.3/order' }), 401, 10002);
  });

  /** Reads and placements whose path is that of a cancel that takes its parameters in the query, and a query for it. */
  const captured = [
    ['GET', ORDERS, '', `symbol=BTC-USDT&orderId=`],
    ['GET', '/spot/api/v3.3/order', '', 'symbol=BTC-USDT&orderID='],
    [
      'POST',
      '/spot/api/v3.3/order',
      { symbol: 'BTC-USDT', side: 'BUY', type: 'LIMIT', size: 0.01, price: 95 },
      'symbol=BTC-USDT',
    ],
    ['GET', FUTURES, '', 'symbol=BTC-PERP'],
    ['POST', FUTURES, RESTING_FUTURE, 'symbol=BTC-PERP'],
    ['PUT', FUTURES, { symbol: 'BTC-PERP', orderID: 'none', type: 'PRICE', value: 96 }, 'symbol=BTC-PERP'],
  ] as const;
  for (const [method, path, sent, query] of captured) {
    test(`a captured ${method} ${path} is sent as DELETE, and cancels nothing`, async () => {
      const target = at();
      const nonce = nextNonce();
      const id = await target.place(target.alice);
      const placed = await target.send(target.alice, method, path, sent, { nonce });
      assert.notEqual(placed.status, 401, JSON.stringify(placed.body));
      await unchanged(target, async () => {
        const text = sent === '' ? '' : JSON.stringify(sent);
        const headers = credentialHeaders(target.alice, path, text, { nonce });
        for (const tail of [query.endsWith('=') ? query + id : query, 'symbol=BTC-USDT', '', 'x=1']) {
          const answer = await target.send(target.alice, 'DELETE', `${path}?${tail}`, text, { nonce, headers });
          if (sent === '') refusedWith(answer, 401, 401, /Invalid nonce/);
          else refusedWith(answer, 400, path === FUTURES ? -2 : 400, /send no body/);
          // Without the body its signature does not fit.
          const bare = await target.send(target.alice, 'DELETE', `${path}?${tail}`, '', { nonce, headers });
          assert.equal(bare.status, 401);
        }
      });
      await target.cancel(target.alice, id);
      for (const symbol of ['BTC-USDT', 'BTC-PERP']) {
        const surface = symbol === 'BTC-USDT' ? '/spot/api/v3.3/order' : FUTURES;
        const swept = await target.send(target.alice, 'DELETE', `${surface}?symbol=${symbol}`);
        assert.equal(swept.status, 200);
      }
      resting = await target.place(target.alice);
    });
  }

  attack('a used signature with every other method', at, async (target) => {
    const nonce = nextNonce();
    assert.equal((await target.send(target.alice, 'GET', `${ORDERS}?symbol=BTC-USDT`, '', { nonce })).status, 200);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      refusedWith(await target.send(target.alice, method, ORDERS, '', { nonce }), 401, 401, /Invalid nonce: .*method/);
    }
    assert.equal((await target.send(target.alice, 'GET', `${ORDERS}?symbol=BTC-USDT`, '', { nonce })).status, 200);
  });

  attack('a body on a DELETE that takes its parameters in the query', at, async (target) => {
    const cancels = [
      `${ORDERS}?symbol=BTC-USDT&orderId=${resting}`,
      `${ORDERS}/all?symbol=BTC-USDT`,
      '/spot/api/v3.3/order?symbol=BTC-USDT',
      `${FUTURES}?symbol=BTC-PERP`,
    ];
    for (const cancel of cancels) {
      for (const sent of [body, '{}', ' ']) {
        const answer = await target.send(target.alice, 'DELETE', cancel, sent);
        refusedWith(answer, 400, cancel.startsWith('/futures') ? -2 : 400, /DELETE takes its parameters in the query/);
      }
    }
  });

  test('a DELETE with a content type and no body is fine, and a GET may carry a body', async () => {
    const target = at();
    await target.cancel(target.alice, resting);
    resting = await target.place(target.alice);
    const asked = await target.send(target.alice, 'GET', `${LOOKUP}?orderId=${resting}`, { orderId: 'another' });
    assert.equal(asked.body.orderId, resting);
  });

  test('a position that a signed DELETE closed is not closed again by the same one with another query', async () => {
    const target = at();
    const path = '/futures/api/v3/trade/positions';
    const sent = { positionId: 'BTC-PERP-USDT', orderType: 'MARKET' };
    const nonce = nextNonce();
    const first = await target.send(target.alice, 'DELETE', path, sent, { nonce });
    assert.notEqual(first.status, 401, JSON.stringify(first.body));
    const again = await target.send(target.alice, 'DELETE', `${path}?again=1`, sent, { nonce });
    refusedWith(again, 401, 401, /already received/);
  });

  const targets = [
    '/spot/api/v4/trade/orders/',
    '/spot/api/v4/trade%2forders',
    '/spot/api/v4/trade/%6frders',
    '/spot/api/v4//trade/orders',
    '/spot//api/v4/trade/orders',
    '/spot/./api/v4/trade/orders',
    '/spot/api/v4/trade/../trade/orders',
    '/spot/api/v4/trade/orders%00',
    '/futures/../spot/api/v4/trade/orders',
    '/api/v4/trade/orders',
  ];
  for (const path of targets) {
    attack(`target ${path} with a good signature`, at, async (target) => {
      refusedWith(await target.send(target.alice, 'POST', path, body, { path: '/api/v4/trade/orders' }), 404, 404);
      refusedWith(await target.send(target.alice, 'POST', path, body), 404, 404);
    });
  }

  attack('an absolute-form target', at, async (target) => {
    for (const origin of [target.url, 'http://example.com', 'HTTP://X']) {
      const answer = await target.send(target.alice, 'POST', origin + ORDERS, body, { path: '/api/v4/trade/orders' });
      refusedWith(answer, 404, 404);
    }
  });
});

describe('what a key may do', () => {
  attack('a read key places, cancels, amends', at, async (target) => {
    refusedWith(await target.send(reader, 'POST', ORDERS, body), 403, 10002, /permission trading/);
    refusedWith(await target.send(reader, 'POST', FUTURES, body), 403, -7, /permission trading/);
    refusedWith(await target.send(reader, 'DELETE', `${ORDERS}?symbol=BTC-USDT&orderId=${resting}`), 403, 10002);
    refusedWith(await target.send(reader, 'GET', `${LOOKUP}?orderId=${resting}`), 403, 10002);
  });

  attack('an address outside the list of the key', at, async (target) => {
    refusedWith(await target.send(elsewhere, 'POST', ORDERS, body), 403, 10002, /address 127\.0\.0\.1/);
  });

  attack("a forwarded address is nobody's address", at, async (target) => {
    const headers = {
      'x-forwarded-for': '10.0.0.1',
      'x-real-ip': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'true-client-ip': '10.0.0.1',
      'cf-connecting-ip': '10.0.0.1',
    };
    refusedWith(await target.send(elsewhere, 'POST', ORDERS, body, { headers }), 403, 10002, /address 127\.0\.0\.1/);
    const moved = { 'x-forwarded-for': '192.0.2.1' };
    assert.equal((await target.send(here, 'GET', `${LOOKUP}?orderId=${resting}`, '', { headers: moved })).status, 200);
  });

  attack("another account's order is no order", at, async (target) => {
    const url = `${LOOKUP}?orderId=${resting}`;
    const theirs = await target.send(target.bob, 'GET', url);
    const nothing = await target.send(target.bob, 'GET', `${LOOKUP}?orderId=00000000-0000-4000-8000-000000000000`);
    refusedWith(theirs, 404, 16, /Order not found/);
    assert.deepEqual({ ...theirs.body, time: 0 }, { ...nothing.body, time: 0 });
    refusedWith(await target.send(target.bob, 'DELETE', `${ORDERS}?symbol=BTC-USDT&orderId=${resting}`), 400, 16);
  });
});

describe('behind a proxy that is trusted', () => {
  let target: Target;
  let elsewhere: TestKey;
  before(async () => {
    target = await Target.open({ trustedProxies: ['127.0.0.1', '127.0.1.0/24'] });
    elsewhere = await target.newKey('alice', { ipAllow: ['203.0.113.0/24'] });
  });
  after(() => target.venue.close());
  const from = (...addresses: string[]) => ({ headers: { 'x-forwarded-for': addresses } });

  test("the key's list of addresses sees the client", async () => {
    for (const headers of [from('203.0.113.9'), from('192.0.2.1', '203.0.113.9'), from('203.0.113.9, 127.0.1.7')]) {
      assert.equal((await target.send(elsewhere, 'POST', ORDERS, body, headers)).status, 200);
    }
    await unchanged(target, async () => {
      const spoofed = await target.send(elsewhere, 'POST', ORDERS, body, from('203.0.113.9, 192.0.2.1'));
      refusedWith(spoofed, 403, 10002, /address 192\.0\.2\.1 /);
      const direct = await target.send(elsewhere, 'POST', ORDERS, body, {
        ...from('203.0.113.9'),
        localAddress: '127.0.0.2',
      });
      refusedWith(direct, 403, 10002, /address 127\.0\.0\.2 /);
      const unknown = await target.send(elsewhere, 'POST', ORDERS, body, from('unknown'));
      refusedWith(unknown, 400, 400, /X-Forwarded-For of a trusted proxy contains unknown/);
    });
  });

  test('bad signatures limit the client that sends them, not its proxy', async () => {
    const guess = (client: string) =>
      target.send({ ...target.alice, secret: 'guess' }, 'POST', ORDERS, body, from(client));
    for (let i = 0; i < 100; i++) assert.equal((await guess('198.51.100.1')).status, 401);
    assert.equal((await guess('198.51.100.1')).status, 429);
    assert.equal((await guess('198.51.100.2')).status, 401);
  });
});

describe('guessing', () => {
  attack('a thousand bad signatures limit their source and no one else', at, async (target) => {
    const localAddress = '127.0.0.9';
    const guess = () => target.send({ ...target.alice, secret: 'guess' }, 'POST', ORDERS, body, { localAddress });
    let limited = 0;
    for (let i = 0; i < 1000; i++) if ((await guess()).status === 429) limited++;
    assert.equal(limited, 900);
    const answer = await target.send({ ...target.alice, key: 'nobody' }, 'POST', ORDERS, body, { localAddress });
    refusedWith(answer, 429, 303, /Rate limit exceeded/);
    const seconds = Number(/^retry-after: (\d+)$/im.exec(answer.head)?.[1]);
    assert.ok(seconds >= 1 && seconds <= 60);
    // Whoever has a key goes on behind the same address, and so do its owner elsewhere and public routes.
    const lookup = `${LOOKUP}?orderId=${resting}`;
    assert.equal((await target.send(target.alice, 'GET', lookup, '', { localAddress })).status, 200);
    assert.equal((await guess()).status, 429);
    assert.equal((await target.send(target.alice, 'GET', `${LOOKUP}?orderId=${resting}`)).status, 200);
    const open = await exchange(target.url, requestText('GET', '/spot/api/v3.3/time', {}), { localAddress });
    assert.equal(open?.status, 200);
  });

  test('a client behind the same address places and cancels while another one guesses', async () => {
    const target = at();
    const localAddress = '127.0.0.9';
    const placed = await target.send(target.bob, 'POST', ORDERS, body, { localAddress });
    assert.equal(placed.status, 200, JSON.stringify(placed.body));
    await target.cancel(target.bob, placed.body[0].orderId);
  });

  test('unknown and known keys take the same work', () => {
    const keyring = new Keyring();
    const key = {
      key: 'known',
      sealed: keyring.seal('s'),
      account: 0,
      permissions: [],
      ipAllow: [],
      expiresAtMs: null,
    };
    const venue = { key: (name: string) => (name === 'known' ? key : undefined) } as unknown as Venue;
    const nowMs = Date.now();
    const authenticator = new Authenticator({
      keyring,
      nonceWindowMs: 60_000,
      wallMs: () => nowMs,
      elapsedMs: () => 0,
    });
    let address = 0;
    const timed = (api: string) => {
      const headers = { 'request-api': api, 'request-nonce': String(nowMs), 'request-sign': '0'.repeat(96) };
      const request = {
        headers,
        method: 'POST',
        target: ORDERS,
        signedPath: ORDERS,
        body: Buffer.from(body),
        parametersUnsigned: false,
        address: `${address++}`,
      };
      const startedMs = performance.now();
      try {
        authenticator.check(venue, request, 'trading');
        assert.fail('was let in');
      } catch {
        return performance.now() - startedMs;
      }
    };
    const times: Record<string, number[]> = { known: [], unknown: [] };
    for (let i = 0; i < 4000; i++) for (const api of ['known', 'unknown']) times[api].push(timed(api));
    const [known, unknown] = ['known', 'unknown'].map((api) => times[api].slice(1000).sort((a, b) => a - b)[1500]);
    assert.ok(known / unknown > 0.6 && known / unknown < 1.6, `${known} ms and ${unknown} ms`);
  });
});
