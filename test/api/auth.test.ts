import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Authenticator } from '../../src/api/gateway/auth.ts';
import { BadSignatures } from '../../src/api/gateway/bad-signatures.ts';
import { ClientAddresses } from '../../src/api/gateway/client-address.ts';
import { Keyring, SealBroken } from '../../src/api/gateway/keyring.ts';
import { SeenRequests } from '../../src/api/gateway/seen-requests.ts';
import { SigningKey } from '../../src/api/gateway/signing-key.ts';
import { ApiError } from '../../src/api/shared/errors.ts';
import { AddressList, parseNetwork } from '../../src/config/addresses.ts';
import type { Key, Venue } from '../../src/venue/venue.ts';
import { type StandIn, standIn } from '../support/gateway.ts';
import { exchange, requestText } from '../support/raw-http.ts';
import { call, credentialHeaders, signature, type TestKey } from '../support/signing.ts';

const SECRET = '848db84ac252b6726e5f6e7a711d9c96d9fd77d020151b45839a5b59c37203bx';

/** The published examples of the interface. */
const VECTORS: readonly (readonly [path: string, nonce: string, body: string, sign: string])[] = [
  [
    '/api/v2.3/user/wallet',
    '1624984297330',
    '',
    '2c41ab59d24d4e807ab035ef2fd4619c928320cac319751e7be2ecd03e5bf6dd31a4c85db88535bbe3e012b22d312290',
  ],
  [
    '/api/v2.3/order',
    '1624985375123',
    '{"postOnly":false,"price":8500.0,"reduceOnly":false,"side":"BUY","size":1,"stopPrice":0.0,"symbol":"BTC-PERP","time_in_force":"GTC","trailValue":0.0,"triggerPrice":0.0,"txType":"LIMIT","type":"LIMIT"}',
    '1794da8c6090ed2d97a85f5b3bae89d7993b4f2db809da7abe24be5fb70b63fea7320b321929c4ee9e3eda083ecf837f',
  ],
  [
    '/ws/spot',
    '1624985375123',
    '',
    'c410d38c681579adb335885800cff24c66171b7cc8376cfe43da1408c581748156b89bcc5a115bb496413bda481139fb',
  ],
  [
    '/ws/futures',
    '1624985375123',
    '',
    'bd8afb8bee58ba0a2c67f84dcfe6e64d0274f55d064bb26ea84a0fe6dd8c621b541b511982fb0c0b8c244e9521a80ea1',
  ],
];

/** The authenticator with clocks that a test moves: `pass` all of them, the rest each alone. */
function clocked(startedAtMs: number, spec: Partial<Key> = {}, usedNonces?: ReadonlyMap<string, number>) {
  const clock = {
    wallMs: startedAtMs,
    venueMs: startedAtMs,
    elapsedMs: 0,
    jumpedAtMs: Number.NEGATIVE_INFINITY,
    pass(ms: number) {
      clock.wallMs += ms;
      clock.venueMs += ms;
      clock.elapsedMs += ms;
    },
    jump(ms: number) {
      clock.venueMs += ms;
      clock.jumpedAtMs = clock.elapsedMs;
    },
  };
  const keyring = new Keyring();
  const key: Key = {
    key: 'k',
    sealed: keyring.seal(SECRET),
    account: 7,
    permissions: ['trading'],
    ipAllow: [],
    expiresAtMs: null,
    ...spec,
  };
  const venue = { key: (name: string) => (name === 'k' ? key : undefined) } as unknown as Venue;
  const authenticator = new Authenticator({
    keyring,
    nonceWindowMs: 60_000,
    wallMs: () => clock.wallMs,
    venueClock: { nowMs: () => clock.venueMs, jumpedAtMs: () => clock.jumpedAtMs },
    elapsedMs: () => clock.elapsedMs,
    usedNonces,
  });
  const check = (
    nonce: string | number,
    overrides: Partial<Parameters<Authenticator['check']>[1]> & { secret?: string } = {},
  ) => {
    const path = '/api/v4/order';
    const body = overrides.body ?? Buffer.alloc(0);
    const secret = overrides.secret ?? SECRET;
    const headers = {
      'request-api': 'k',
      'request-nonce': String(nonce),
      'request-sign': signature(secret, path, nonce, body),
    };
    const request = { method: 'POST', target: '/spot/api/v4/order', signedPath: path, body, address: '127.0.0.1' };
    const parametersUnsigned = overrides.method === 'DELETE';
    try {
      return authenticator.check(venue, { headers, ...request, parametersUnsigned, ...overrides }, 'trading').account;
    } catch (error) {
      if (error instanceof ApiError) return error.reason;
      throw error;
    }
  };
  return { clock, check, authenticator, venue };
}

const START = 1_800_000_000_000;

describe('signatures', () => {
  for (const [path, nonce, body, sign] of VECTORS) {
    test(`the published vector of ${path} is reproduced and accepted`, () => {
      assert.equal(signature(SECRET, path, nonce, body), sign);
      const { check } = clocked(Number(nonce));
      assert.equal(check(nonce, { signedPath: path, body: Buffer.from(body), headers: headersOf(nonce, sign) }), 7);
    });

    test(`the published vector of ${path} fails with one space more`, () => {
      const { check } = clocked(Number(nonce));
      const body2 = Buffer.from(`${body} `);
      const refused = check(nonce, { signedPath: path, body: body2, headers: headersOf(nonce, sign) });
      assert.equal(refused, 'authenticationFailed');
    });
  }
});

describe('the HMAC of a signing key is that of the standard', () => {
  const lengths = [0, 1, 47, 64, 127, 128, 129, 300];
  for (const keyBytes of lengths) {
    test(`a secret of ${keyBytes} bytes, with messages of every length`, () => {
      const secret = Buffer.from(Array.from({ length: keyBytes }, (_, i) => (7 * i + 3) % 256));
      const key = new SigningKey(secret);
      for (const text of ['', '/api/v4/order1800000000000', 'é€😀'.repeat(40), 'x'.repeat(5000)]) {
        for (const bytes of [...lengths, 3900, 4096, 70_000].map((length) => Buffer.alloc(length, 0xe9))) {
          const expected = createHmac('sha384', secret).update(text).update(bytes).digest('hex');
          assert.equal(key.hmac(text, bytes).toString('hex'), expected, `${text.length} and ${bytes.length}`);
        }
      }
    });
  }
});

describe('a GET', () => {
  const target = '/spot/api/v4/order?orderId=1&x=%20a';
  const signed = (signedPath: string) => headersOf(String(START), signature(SECRET, signedPath, START));

  test('is signed over its path, or over path and query as they are sent', () => {
    for (const path of ['/api/v4/order', '/api/v4/order?orderId=1&x=%20a']) {
      const { check } = clocked(START);
      assert.equal(check(START, { method: 'GET', target, headers: signed(path) }), 7, path);
    }
  });

  test('is not signed over another query, nor is any other method over a query', () => {
    const { check } = clocked(START);
    const query = '/api/v4/order?orderId=1&x=%20a';
    for (const path of ['/api/v4/order?orderId=1', '/api/v4/order?', '/api/v4/order?orderId=1&x= a', `/spot${query}`]) {
      assert.equal(check(START, { method: 'GET', target, headers: signed(path) }), 'authenticationFailed', path);
    }
    for (const method of ['DELETE', 'POST', 'PUT']) {
      assert.equal(check(START, { method, target, headers: signed(query) }), 'authenticationFailed', method);
    }
  });
});

function headersOf(nonce: string, sign: string): Record<string, string> {
  return { 'request-api': 'k', 'request-nonce': nonce, 'request-sign': sign };
}

describe('nonces', () => {
  const edges: readonly (readonly [number, number | string])[] = [
    [-60_001, 'nonceOutsideWindow'],
    [-60_000, 7],
    [60_000, 7],
    [60_001, 'nonceOutsideWindow'],
  ];
  for (const [offMs, expected] of edges) {
    test(`${offMs} ms off the clock: ${expected}`, () => {
      const { clock, check } = clocked(START);
      clock.pass(100_000);
      assert.equal(check(clock.wallMs + offMs), expected);
    });
  }

  for (const [clockName, byMs] of [
    ['wallMs', 3_600_000],
    ['wallMs', -3_600_000],
    ['venueMs', 3_600_000],
  ] as const) {
    test(`with ${clockName} ${byMs} ms off, a nonce of either clock is taken, and none between them`, () => {
      const { clock, check } = clocked(START);
      clock.pass(100_000);
      clock[clockName] += byMs;
      const { wallMs, venueMs } = clock;
      for (const atMs of [wallMs, venueMs]) {
        for (const [offMs, expected] of edges) assert.equal(check(atMs + offMs, { method: 'GET' }), expected);
      }
      assert.equal(check((wallMs + venueMs) / 2), 'nonceOutsideWindow');
      assert.equal(check(venueMs), 7);
      assert.equal(check(wallMs), 7);
    });
  }

  test('a clock that was an hour ahead at the start, and is set right, moves the start with it', () => {
    const { clock, check } = clocked(START);
    clock.pass(10_000);
    clock.wallMs -= 3_600_000;
    assert.equal(check(clock.wallMs - 10_001), 'nonceBeforeStart');
    assert.equal(check(clock.wallMs - 10_000), 7);
    assert.equal(check(clock.venueMs - 10_001), 'nonceBeforeStart');
    assert.equal(check(clock.venueMs - 10_000), 7);
  });

  test('where both clocks take a nonce, it is as young as either says', () => {
    const { clock, check } = clocked(START);
    clock.venueMs += 8000;
    assert.equal(check(START + 5000), 7);
    clock.wallMs += 20_000;
    assert.equal(check(START + 10_000), 7);
    assert.equal(check(START + 7999), 'nonceBeforeStart');
  });

  for (const wallAheadMs of [-20_000, -5000, 0, 5000, 20_000]) {
    test(`after a take-over nothing is taken that was signed before it, on a machine that is ${wallAheadMs} ms ahead`, () => {
      const { clock, check, authenticator } = clocked(START);
      clock.wallMs += wallAheadMs;
      clock.pass(100_000);
      authenticator.startOver(new Map());
      const tookOverMs = clock.venueMs;
      assert.equal(check(tookOverMs - 1), 'nonceBeforeStart', 'a request that the other process has refused');
      assert.equal(check(tookOverMs - 1, { method: 'GET' }), 7);
      assert.equal(check(tookOverMs), 7, 'one of a client that did not have to wait');
      clock.pass(1000);
      assert.equal(check(tookOverMs - 2), 'nonceBeforeStart');
      assert.equal(check(tookOverMs + 1000), 7);
    });
  }

  test('a changing request counts once, a GET as often as it comes', () => {
    const { check } = clocked(START);
    assert.equal(check(START), 7);
    assert.equal(check(START), 'nonceReplayed');
    assert.equal(check(START + 1, { method: 'GET' }), 7);
    assert.equal(check(START + 1, { method: 'GET' }), 7);
  });

  for (const first of ['GET', 'POST', 'PUT', 'DELETE']) {
    test(`a signature that was used with ${first} is refused with any other method, and does not change that`, () => {
      const { check } = clocked(START);
      assert.equal(check(START, { method: first }), 7);
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        if (method === first) continue;
        assert.equal(check(START, { method }), 'signatureReused', method);
        assert.equal(check(START, { method, target: '/spot/api/v4/order?symbol=BTC-USDT' }), 'signatureReused', method);
      }
      assert.equal(check(START, { method: first }), first === 'GET' ? 7 : 'nonceReplayed');
    });
  }

  test('spot or futures is not signed: a signature that was used for one is refused for the other', () => {
    const { check } = clocked(START);
    assert.equal(check(START, { target: '/spot/api/v4/order' }), 7);
    assert.equal(check(START, { target: '/futures/api/v4/order' }), 'signatureReused');
  });

  test('a key without the permission uses its signature up, too', () => {
    const { check } = clocked(START, { permissions: ['read'] });
    assert.equal(check(START, { method: 'GET' }), 'permissionMissing');
    assert.equal(check(START, { method: 'DELETE' }), 'signatureReused');
  });

  test('an address outside the list of the key uses nothing up', () => {
    const { check } = clocked(START, { ipAllow: ['10.0.0.0/8'] });
    assert.equal(check(START), 'addressNotAllowed');
    assert.equal(check(START, { address: '10.0.0.1' }), 7);
  });

  test('two DELETEs of one millisecond that differ in the query are two requests', () => {
    const { check } = clocked(START);
    assert.equal(check(START, { method: 'DELETE', target: '/spot/api/v4/order?orderId=1' }), 7);
    assert.equal(check(START, { method: 'DELETE', target: '/spot/api/v4/order?orderId=2' }), 7);
    assert.equal(check(START, { method: 'DELETE', target: '/spot/api/v4/order?orderId=1' }), 'nonceReplayed');
  });

  test('a DELETE that signs its parameters in its body is the same one with any query', () => {
    const { check } = clocked(START);
    const closing = {
      method: 'DELETE',
      parametersUnsigned: false,
      body: Buffer.from('{"positionId":"BTC-PERP-USDT"}'),
    };
    assert.equal(check(START, closing), 7);
    assert.equal(check(START, { ...closing, target: '/spot/api/v4/order?again' }), 'nonceReplayed');
  });

  test('a replay is refused until its nonce has left the window', () => {
    const { clock, check } = clocked(START);
    assert.equal(check(START + 60_000), 7);
    for (let i = 0; i < 13; i++) {
      clock.pass(i === 0 ? 0 : 9_999);
      check(clock.wallMs);
      assert.equal(check(START + 60_000), 'nonceReplayed');
    }
    clock.pass(120_001 - 12 * 9_999);
    assert.equal(check(START + 60_000), 'nonceOutsideWindow');
  });

  for (const method of ['GET', 'POST', 'DELETE']) {
    test(`a clock that is set back makes no signature of a ${method} good again, nor any of its key before it`, () => {
      const { clock, check } = clocked(START);
      assert.equal(check(START + 30_000, { method }), 7);
      clock.elapsedMs += 135_000;
      for (const again of ['GET', 'POST', 'DELETE']) {
        assert.equal(check(START + 30_000, { method: again }), 'nonceSpent');
        assert.equal(check(START + 29_999, { method: again }), 'nonceSpent');
        assert.equal(check(START + 30_001, { method: again }), again === 'GET' ? 7 : 'signatureReused');
      }
    });
  }

  test('a mark lives for 120 s of elapsed time, and leaves room for every nonce of the window behind it', () => {
    const { clock, check } = clocked(START);
    assert.equal(check(START + 60_000), 7);
    clock.pass(119_999);
    assert.equal(check(START + 60_000), 'nonceReplayed');
    clock.pass(15_001);
    assert.equal(check(clock.wallMs - 60_000), 7);
  });

  test('a start takes nothing up to the highest nonce that a key has used before it', () => {
    const { check } = clocked(START, {}, new Map([['k', START + 45_000]]));
    assert.equal(check(START + 45_000), 'nonceSpent');
    assert.equal(check(START + 1, { method: 'GET' }), 'nonceSpent');
    assert.equal(check(START + 45_001), 7);
    assert.equal(clocked(START, {}, new Map([['another', START + 45_000]])).check(START), 7);
  });

  test('what a stop keeps are the highest nonces of each key, GETs and those before the start included', () => {
    const { check, authenticator } = clocked(START, {}, new Map([['another', START - 1]]));
    check(START + 5, { method: 'GET' });
    check(START + 3);
    assert.deepEqual(Object.fromEntries(authenticator.takenNonces()), { another: START - 1, k: START + 5 });
  });

  test('a changing request signed before the start is refused, a GET is not', () => {
    const { clock, check } = clocked(START);
    clock.pass(10);
    assert.equal(check(START - 1), 'nonceBeforeStart');
    assert.equal(check(START - 1, { method: 'GET' }), 7);
    assert.equal(check(START), 7);
  });

  test('a changing request signed before a jump of the venue’s clock is refused, a GET is not', () => {
    const { clock, check } = clocked(START);
    clock.pass(10_000);
    const late = clock.wallMs;
    clock.pass(300);
    clock.jump(3_600_000);
    assert.equal(check(late), 'nonceBeforeStart');
    assert.equal(check(late, { method: 'GET' }), 7);
    assert.equal(check(clock.wallMs), 7);
    clock.pass(1000);
    assert.equal(check(clock.venueMs - 1001), 'nonceBeforeStart');
    assert.equal(check(clock.wallMs - 999), 7);
  });

  test('the moment of a jump counts, and not that of the first request after it', () => {
    const { clock, check } = clocked(START);
    clock.pass(10_000);
    clock.jump(3_600_000);
    const signedAtMs = clock.wallMs;
    clock.pass(5000);
    assert.equal(check(signedAtMs - 1), 'nonceBeforeStart');
    assert.equal(check(signedAtMs), 7);
    assert.equal(check(clock.venueMs - 5000), 7);
  });

  test('a jump that is smaller than the window counts, too', () => {
    const { clock, check } = clocked(START);
    clock.pass(100_000);
    const before = [clock.venueMs - 1, clock.venueMs, clock.wallMs + 58_999];
    clock.wallMs += 59_000;
    clock.jump(59_000);
    for (const nonce of before) assert.equal(check(nonce), 'nonceBeforeStart');
    assert.equal(check(clock.wallMs), 7);
  });

  for (const byMs of [59_000, 3_600_000]) {
    test(`over jumps of ${byMs} ms the same bytes are taken once`, () => {
      const { clock, check } = clocked(START);
      clock.pass(1000);
      const nonces = [clock.wallMs + 30_000, clock.wallMs + byMs, clock.wallMs + byMs + 30_000];
      const taken = nonces.map(() => 0);
      for (let step = 0; step < 20; step += 1) {
        nonces.forEach((nonce, i) => {
          if (check(nonce) === 7) taken[i] += 1;
        });
        if (step % 4 === 1) clock.jump(byMs);
        if (step % 4 === 3) clock.wallMs += step === 3 ? byMs : -byMs;
        clock.pass(25_000);
      }
      assert.ok(taken.every((times) => times <= 1) && taken.includes(1), String(taken));
    });
  }

  test('a clock that slews is no jump', () => {
    const { clock, check } = clocked(START);
    for (let i = 0; i < 200; i += 1) {
      clock.pass(10_000);
      clock.venueMs += 1000;
      assert.equal(check(clock.wallMs - 9000), 7);
    }
  });

  test('a nonce of the millisecond before is taken while less than one has passed since the start: it may be younger', () => {
    const { clock, check } = clocked(START);
    clock.elapsedMs += 0.5;
    assert.equal(check(START - 2), 'nonceBeforeStart');
    assert.equal(check(START - 1), 7);
  });
});

describe('what a key may do', () => {
  test('expired at its time, not before', () => {
    const { clock, check } = clocked(START, { expiresAtMs: START + 5 });
    clock.pass(4);
    assert.equal(check(START), 7);
    clock.pass(1);
    assert.equal(check(START + 1), 'keyExpired');
  });

  for (const clockName of ['wallMs', 'venueMs'] as const) {
    test(`expired by ${clockName} alone, and no more when it is set back`, () => {
      const { clock, check } = clocked(START, { expiresAtMs: START + 5 });
      clock[clockName] += 5;
      assert.equal(check(START), 'keyExpired');
      clock[clockName] -= 1;
      assert.equal(check(START), 7);
    });
  }

  test('only from its addresses', () => {
    const { check } = clocked(START, { ipAllow: ['10.0.0.0/8', '2001:db8::/32'] });
    assert.equal(check(START), 'addressNotAllowed');
    assert.equal(check(START + 1, { address: '10.1.2.3' }), 7);
    assert.equal(check(START + 2, { address: '::ffff:10.1.2.3' }), 7);
    assert.equal(check(START + 3, { address: '2001:db8::1' }), 7);
    assert.equal(check(START + 4, { address: '' }), 'addressNotAllowed');
  });

  test('only with its permissions', () => {
    const { check } = clocked(START, { permissions: ['read'] });
    assert.equal(check(START), 'permissionMissing');
  });

  test('what the owner may not do is shown only to the owner', () => {
    const { check } = clocked(START, { permissions: ['read'], expiresAtMs: 1 });
    assert.equal(check(START, { secret: 'another' }), 'authenticationFailed');
  });
});

describe('bad signatures', () => {
  test('the hundred-and-first within a minute is refused, until the minute is over, and only from there', () => {
    const { clock, check } = clocked(START);
    const guess = { secret: 'another' };
    for (let i = 0; i < 100; i++) assert.equal(check(START, guess), 'authenticationFailed');
    assert.equal(check(START, guess), 'tooManyBadSignatures');
    assert.equal(check(START, { ...guess, address: '127.0.0.2' }), 'authenticationFailed');
    clock.pass(59_999);
    assert.equal(check(START, guess), 'tooManyBadSignatures');
    clock.pass(1);
    assert.equal(check(START, guess), 'authenticationFailed');
  });

  test('a step of the clock lifts no block, and extends none', () => {
    const { clock, check } = clocked(START);
    for (let i = 0; i < 100; i++) check(START, { secret: 'another' });
    clock.wallMs += 3_600_000;
    assert.equal(check(START, { secret: 'another' }), 'tooManyBadSignatures');
    clock.wallMs -= 7_200_000;
    clock.pass(60_000);
    assert.equal(check(clock.venueMs, { secret: 'another' }), 'authenticationFailed');
  });

  test('what verifies from there is served, and refused once for what is wrong with it', () => {
    const { check } = clocked(START);
    for (let i = 0; i < 150; i++) check(START, { secret: 'another' });
    assert.equal(check(START), 7);
    assert.equal(check(START), 'nonceReplayed');
    assert.equal(check(START, { secret: 'another' }), 'tooManyBadSignatures');
    assert.equal(check(START + 1), 7);
  });

  test('a nonce outside the window and a missing permission are no bad signatures', () => {
    const { check } = clocked(START, { permissions: ['read'] });
    for (let i = 0; i < 150; i++) {
      assert.equal(check(START + 70_000), 'nonceOutsideWindow');
      assert.equal(check(START + i), 'permissionMissing');
    }
    assert.equal(check(START, { secret: 'another' }), 'authenticationFailed');
  });

  test('one IPv6 network counts as one address', () => {
    const counts = new BadSignatures();
    for (let i = 0; i < 100; i++) counts.count(`2001:db8:0:1::${i.toString(16)}`, 0);
    assert.equal(counts.blockedSeconds('2001:db8:0:1:ffff::1', 1), 60);
    assert.equal(counts.blockedSeconds('2001:db8:0:2::1', 1), 0);
    assert.equal(counts.blockedSeconds('2001:db8::1:0:0:0:1', 1), 60);
  });

  test('an IPv4 client counts as one address on sockets of either family', () => {
    const counts = new BadSignatures();
    for (let i = 0; i < 100; i++) counts.count(i % 2 === 0 ? '192.0.2.1' : '::ffff:192.0.2.1', 0);
    assert.equal(counts.blockedSeconds('192.0.2.1', 1), 60);
    assert.equal(counts.blockedSeconds('::ffff:192.0.2.1', 1), 60);
    assert.equal(counts.blockedSeconds('192.0.2.2', 1), 0);
  });

  test('at most ten thousand addresses are remembered', () => {
    const counts = new BadSignatures();
    for (let i = 0; i < 100; i++) counts.count('first', 0);
    for (let i = 0; i < 10_000; i++) counts.count(`address ${i}`, 0);
    assert.equal(counts.blockedSeconds('first', 1), 0);
  });
});

describe('the table of requests that were taken', () => {
  const signatureOf = (text: string | number) => createHash('sha384').update(String(text)).digest();
  const request = { key: 'k', nonceMs: START, method: 'POST', path: '/x', query: null };

  test('a hundred thousand requests are distinguished, and each is found again', () => {
    const table = new SeenRequests(120_000);
    const all = Array.from({ length: 100_000 }, (_, i) => ({ ...request, signature: signatureOf(i) }));
    all.forEach((one, i) => {
      assert.equal(table.take(one, i), 'taken');
    });
    for (const one of all) assert.equal(table.take(one, 100_000), 'replayed');
  });

  test('it forgets what is over before it calls itself full', () => {
    const table = new SeenRequests(120_000, new Map(), 3);
    const take = (nonceMs: number, atMs: number) =>
      table.take({ ...request, nonceMs, signature: signatureOf(nonceMs) }, atMs);
    for (let i = 0; i < 3; i++) assert.equal(take(START + i, i), 'taken');
    assert.equal(take(START + 3, 119_999), 'full');
    assert.equal(take(START + 1, 119_999), 'replayed');
    assert.equal(take(START + 3, 135_000), 'taken');
    assert.equal(take(START + 1, 135_000), 'spent');
  });

  test('each is known for its life, wherever its nonce is, and is spent after it', () => {
    const table = new SeenRequests(120_000);
    const take = (nonceMs: number, atMs: number) =>
      table.take({ ...request, key: `k${nonceMs}`, nonceMs, signature: signatureOf(nonceMs % 1_000_000) }, atMs);
    const nonces = Array.from({ length: 24 }, (_, i) => START + (i - 12) * 5_000);
    for (const nonceMs of nonces) assert.equal(take(nonceMs, 0), 'taken');
    for (const nonceMs of nonces) assert.equal(take(nonceMs, 120_000), 'replayed');
    for (const nonceMs of nonces) assert.equal(take(nonceMs, 120_001), 'spent');
    assert.equal(table.highestOf(`k${START}`), START);
  });

  test('it is known for longer while requests with a nonce near its own arrive', () => {
    const table = new SeenRequests(120_000);
    const take = (i: number, atMs: number) =>
      table.take({ ...request, nonceMs: START + i, signature: signatureOf(i) }, atMs);
    assert.equal(take(0, 0), 'taken');
    assert.equal(take(1, 60_000), 'taken');
    assert.equal(take(0, 150_000), 'replayed');
    assert.equal(take(0, 180_001), 'spent');
  });
});

describe('the address of a client', () => {
  const clients = new ClientAddresses(['127.0.0.1', '10.0.0.0/8', '2001:db8:f::/48']);

  const rows: readonly (readonly [what: string, socket: string, forwarded: string | undefined, client: string])[] = [
    ['no proxy', '192.0.2.1', undefined, '192.0.2.1'],
    ['what no proxy sends is not believed', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['a proxy that says nothing speaks for itself', '127.0.0.1', undefined, '127.0.0.1'],
    ['a proxy names its client', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'what the client sent stands before that, and is not believed',
      '127.0.0.1',
      '192.0.2.7, 203.0.113.9',
      '203.0.113.9',
    ],
    ['nor looked at', '127.0.0.1', 'nonsense,,203.0.113.9', '203.0.113.9'],
    ['two proxies behind each other', '127.0.0.1', '192.0.2.7, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['a client in the network of the proxies', '127.0.0.1', '10.1.2.4, 10.1.2.3', '10.1.2.4'],
    ['an IPv4 proxy on an IPv6 socket', '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['an IPv6 proxy and client', '2001:db8:f::1', '2001:db8:1::9', '2001:db8:1::9'],
    ['with a port', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['IPv6 with a port', '127.0.0.1', '[2001:db8:1::9]:4711', '2001:db8:1::9'],
    ['a proxy that is reached from another one only', '127.0.0.1', '10.1.2.3', '10.1.2.3'],
    ['IPv6 in brackets', '127.0.0.1', '[2001:db8:1::9]', '2001:db8:1::9'],
  ];
  for (const [what, socket, forwarded, client] of rows) {
    test(`${what}: ${client}`, () => assert.equal(clients.of(socket, forwarded), client));
  }

  for (const odd of ['', 'unknown', '_hidden', '203.0.113.9.', '192.0.2.7, ', '203.0.113.9:', 'a.example']) {
    test(`a trusted proxy that says '${odd}' is refused`, () => {
      assert.throws(() => clients.of('127.0.0.1', odd), { reason: 'forwardedForUnknown' });
    });
  }
});

describe('address lists', () => {
  test('addresses and networks of both families', () => {
    const list = new AddressList(['192.0.2.7', '198.51.100.0/24', '2001:db8:1::/48', '::ffff:203.0.113.0/120']);
    for (const inside of ['192.0.2.7', '198.51.100.255', '2001:db8:1:2::3', '::ffff:192.0.2.7', '203.0.113.9']) {
      assert.equal(list.includes(inside), true, inside);
    }
    for (const outside of ['192.0.2.8', '198.51.101.0', '2001:db8:2::', 'x', '']) {
      assert.equal(list.includes(outside), false, outside);
    }
  });

  test('what is no address is refused', () => {
    for (const bad of [
      '',
      'localhost',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      '10.0.0.0/08',
      '1.2.3',
      '::/129',
      'fe80::1%lo',
    ]) {
      assert.equal(parseNetwork(bad), null, bad);
    }
  });
});

describe('sealed secrets', () => {
  test('open to what was sealed, under the same master key only', () => {
    const master = 'ab'.repeat(32);
    const sealed = new Keyring(master).seal('grün');
    assert.equal(new Keyring(master).open(sealed), 'grün');
    assert.ok(!sealed.includes('gr'));
    // One form a secret: equal venues have equal state hashes.
    assert.equal(new Keyring(master).seal('grün'), sealed);
    assert.notEqual(new Keyring().seal('grün'), sealed);
    assert.throws(() => new Keyring('cd'.repeat(32)).open(sealed), SealBroken);
    assert.throws(() => new Keyring().open(sealed), SealBroken);
  });

  test('a changed byte is found', () => {
    const ring = new Keyring();
    const sealed = ring.seal('secret');
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i] ^= 1;
      assert.throws(() => ring.open(`v1.${changed.toString('base64url')}`), SealBroken);
    }
    assert.throws(() => ring.open(sealed.replace('v1.', 'v2.')), SealBroken);
    assert.throws(() => ring.open('v1.'), SealBroken);
  });

  test('a master key is 64 hex digits', () => {
    for (const bad of ['', 'ab', 'zz'.repeat(32), 'ab'.repeat(33)]) assert.throws(() => new Keyring(bad), RangeError);
  });
});

describe('over HTTP', () => {
  let venue: StandIn;
  let key: TestKey;
  before(async () => {
    venue = await standIn();
    key = venue.addKey();
  });
  after(() => venue.close());

  test('both header families are taken', async () => {
    assert.equal((await call(venue.url, key, 'POST', '/spot/api/v4/order', {})).status, 200);
    const older = await call(venue.url, key, 'POST', '/futures/api/v2.3/order', {}, { family: 'btse' });
    assert.equal(older.status, 200);
  });

  test('public-api signs its whole path', async () => {
    assert.equal((await call(venue.url, key, 'GET', '/public-api/wallet/v1/wallet')).status, 200);
    const tail = await call(venue.url, key, 'GET', '/public-api/wallet/v1/wallet', undefined, {
      path: '/wallet/v1/wallet',
    });
    assert.equal(tail.status, 401);
  });

  test('the two envelopes say authentication failed in their own words', async () => {
    const wrong = { ...key, secret: 'another' };
    const a = await call(venue.url, wrong, 'GET', '/futures/api/v2.3/wallet');
    assert.deepEqual(a, {
      status: 401,
      body: { status: 401, errorCode: -7, message: 'Authenticate failed', extraData: null },
    });
    const b = await call(venue.url, wrong, 'GET', '/spot/api/v4/wallet');
    const { time, ...rest } = b.body;
    assert.equal(typeof time, 'number');
    assert.deepEqual(rest, { code: 10002, msg: 'UNAUTHORIZED: Authentication Failed', data: null, success: false });
  });

  /** The status, the body without its time, and the hint of a request that signs `path` and `signedBody`. */
  const refusal = async (method: string, target: string, path: string, body = '', signedBody = body, signer = key) => {
    const headers = { ...credentialHeaders(signer, target, signedBody, { path }), 'content-type': 'application/json' };
    const response = await fetch(venue.url + target, { method, headers, ...(body !== '' && { body }) });
    const { time: _, ...rest } = (await response.json()) as Record<string, unknown>;
    return { status: response.status, rest, hint: response.headers.get('bourse-hint') };
  };

  for (const [what, method, target, path, hint] of [
    [
      'the path with /spot',
      'POST',
      '/spot/api/v4/order',
      '/spot/api/v4/order',
      'is over /spot/api/v4/order: sign /api/v4/order',
    ],
    [
      'the path with /futures',
      'GET',
      '/futures/api/v2.3/wallet',
      '/futures/api/v2.3/wallet',
      'is over /futures/api/v2.3/wallet: sign /api/v2.3/wallet',
    ],
    [
      'the query of a DELETE',
      'DELETE',
      '/spot/api/v4/order?x=1',
      '/api/v4/order?x=1',
      'is over /api/v4/order and the query: sign /api/v4/order',
    ],
    [
      'path and query with /spot',
      'GET',
      '/spot/api/v4/order?x=%20',
      '/spot/api/v4/order?x=%20',
      'is over /spot/api/v4/order and the query: sign /api/v4/order, or that with its query',
    ],
    [
      'a path without /public-api',
      'GET',
      '/public-api/wallet/v1/wallet',
      '/wallet/v1/wallet',
      'is over /wallet/v1/wallet: sign /public-api/wallet/v1/wallet',
    ],
  ] as const) {
    test(`a signature over ${what} is refused in the usual words, and a header says what to sign`, async () => {
      const body = method === 'POST' ? '{"a": 1}' : '';
      const hinted = await refusal(method, target, path, body);
      const other = await refusal(method, target, '/another', body);
      assert.deepEqual([hinted.status, hinted.rest], [401, other.rest]);
      assert.deepEqual([hinted.hint, other.hint], [`the signature ${hint}`, null]);
    });
  }

  test('a signature that leaves out the body is recognised', async () => {
    const { status, hint } = await refusal('POST', '/spot/api/v4/order', '/api/v4/order', '{"a": 1}', '');
    assert.equal(status, 401);
    assert.equal(hint, 'the signature leaves out the body: sign path, nonce and body, byte for byte as they are sent');
  });

  test('without the secret, or without the key, there is no hint, and a hint uses no nonce up', async () => {
    const [target, path] = ['/spot/api/v4/order', '/spot/api/v4/order'];
    for (const signer of [
      { ...key, secret: 'another' },
      { ...key, key: 'nobody' },
    ]) {
      assert.equal((await refusal('GET', target, path, '', '', signer)).hint, null);
    }
    const nonce = Date.now() + 5000;
    const wrong = await call(venue.url, key, 'POST', target, {}, { nonce, path });
    assert.equal(wrong.status, 401);
    assert.equal((await call(venue.url, key, 'POST', target, {}, { nonce })).status, 200);
  });

  test('a GET with a JSON body signs that body', async () => {
    const body = '{"orderID": "1"}';
    const headers = { ...credentialHeaders(key, '/spot/api/v4/order', body), 'content-type': 'application/json' };
    const answer = await exchange(venue.url, requestText('GET', '/spot/api/v4/order', headers, body));
    assert.equal(answer?.status, 200);
  });
});
