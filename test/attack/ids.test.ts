/** Attacks with client order ids: echoed exactly, never mixed up, never a way into anything else. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer, TestKey } from '../support/signing.ts';
import {
  aim,
  attack,
  FUTURES,
  FUTURES_V3,
  LOOKUP,
  ORDERS,
  RESTING,
  RESTING_FUTURE,
  RESTING_V3,
  refusedWith,
  type Target,
  unchanged,
} from './target.ts';

const at = aim();

/** The three ways to place, each with its own name for the client id. */
const SURFACES = [
  { path: ORDERS, good: RESTING, name: 'clOrderId', malformed: 400 },
  { path: FUTURES, good: RESTING_FUTURE, name: 'clOrderID', malformed: -2 },
  { path: FUTURES_V3, good: RESTING_V3, name: 'clOrderId', malformed: -2 },
] as const;
type Surface = (typeof SURFACES)[number];

function place(target: Target, surface: Surface, id: unknown, key: TestKey = target.alice): Promise<Answer> {
  return target.send(key, 'POST', surface.path, { ...surface.good, [surface.name]: id });
}

/** The record of a placement, which on v3 is no array. */
function record(answer: Answer) {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return Array.isArray(answer.body) ? answer.body[0] : answer.body;
}

/** The client id in a record, which some write with a capital D. */
function echo(placed: { clOrderId?: string; clOrderID?: string }): string | undefined {
  return placed.clOrderId ?? placed.clOrderID;
}

async function cancelAll(target: Target): Promise<void> {
  await target.control.reset();
  for (const symbol of ['BTC-USDT', 'BTC-PERP']) await target.venue.setPrice(symbol, 100);
}

const GOOD: Record<string, string> = {
  '64 ASCII characters': 'x'.repeat(64),
  '32 emoji, which are 64 units': '😀'.repeat(32),
  '64 combining marks': '\u0301'.repeat(64),
  'a flag and a family': '🇩🇪👨‍👩‍👧‍👦',
  'right to left': 'שלום‮abc',
  Arabic: 'مرحبا',
  'composed (NFC)': 'caf\u00e9',
  'decomposed (NFD)': 'cafe\u0301',
  'a zero-width joiner alone': '\u200d',
  'a byte-order mark inside': 'a\ufeffb',
  'the last character of the last plane': '\u{10ffff}',
  'quotes and backslashes': `"'\\/\`\${x}`,
  markup: '<script>alert(1)</script>',
  'a query': "'; drop table orders; --",
  'a path': '../../etc/passwd',
  'spaces around': ' a ',
  'upper and lower': 'aA',
  'percent signs': '%00%2e',
  'a plus and an ampersand': 'a+b&c=d',
  'a number': '0.010',
  'the same number written otherwise': '0.01',
  'an order id': '1f461abb-fda4-4eea-8fd1-7a9a6138ca07',
  'null as text': 'null',
  __proto__: '__proto__',
  constructor: 'constructor',
  hasOwnProperty: 'hasOwnProperty',
  toString: 'toString',
  'the name then': 'then',
};

describe('ids that are good', () => {
  for (const [name, id] of Object.entries(GOOD)) {
    test(`${name}: echoed, found by, cancelled by, and free again`, async () => {
      const target = at();
      for (const surface of SURFACES) {
        const placed = record(await place(target, surface, id));
        assert.equal(echo(placed), id);
        const query = `${surface.name}=${encodeURIComponent(id)}`;
        const lookup = surface.path === ORDERS ? `${LOOKUP}?${query}` : `${surface.path}?${query}&symbol=BTC-PERP`;
        const found = record(await target.send(target.alice, 'GET', lookup));
        assert.equal(echo(found), id);
        assert.equal(found.orderId ?? found.orderID, placed.orderId ?? placed.orderID);
        await unchanged(target, async () => refusedWith(await place(target, surface, id), 400, 15));
        const symbol = surface.path === ORDERS ? 'BTC-USDT' : 'BTC-PERP';
        const cancelled =
          surface.path === FUTURES_V3
            ? await target.send(target.alice, 'DELETE', surface.path, { symbol, [surface.name]: id })
            : await target.send(target.alice, 'DELETE', `${surface.path}?symbol=${symbol}&${query}`);
        assert.equal(echo(record(cancelled)), id);
      }
    });
  }
});

const BAD: Record<string, unknown> = {
  '65 ASCII characters': 'x'.repeat(65),
  '33 emoji, which are 66 units': '😀'.repeat(33),
  'sixty thousand characters': 'x'.repeat(60_000),
  'a line feed': 'a\nb',
  'a carriage return': 'a\rb',
  'a tab': '\t',
  'an escape': '\u001b[31m',
  'a delete': '\u007f',
  'a next line': '\u0085',
  'a number': 7,
  true: true,
  'an array': ['a'],
  'an object': { a: 1 },
};

describe('ids that are not', () => {
  for (const [name, id] of Object.entries(BAD)) {
    attack(name, at, async (target) => {
      for (const surface of SURFACES) {
        const answer = await place(target, surface, id);
        refusedWith(answer, 400, surface.malformed, new RegExp(surface.name));
      }
    });
  }

  attack('a lone surrogate', at, async (target) => {
    for (const surface of SURFACES) {
      for (const lone of ['\\ud83d', '\\ude00', 'a\\ud83db', '\\ude00\\ud83d']) {
        const text = JSON.stringify({ ...surface.good, [surface.name]: '\u0001' }).replace('\\u0001', lone);
        refusedWith(
          await target.send(target.alice, 'POST', surface.path, text),
          400,
          surface.malformed,
          /lone surrogate/,
        );
      }
    }
  });
});

test('an empty id and null count as no id: two such orders rest beside each other', async () => {
  const target = at();
  for (const surface of SURFACES) {
    for (const none of ['', null]) {
      const first = record(await place(target, surface, none));
      const second = record(await place(target, surface, none));
      assert.notEqual(first.orderId ?? first.orderID, second.orderId ?? second.orderID);
      assert.equal(echo(first), '');
    }
  }
  await cancelAll(target);
});

test('composed and decomposed forms of a name are two ids', async () => {
  const target = at();
  const [composed, decomposed] = ['caf\u00e9-2', 'cafe\u0301-2'];
  const first = record(await place(target, SURFACES[0], composed));
  const second = record(await place(target, SURFACES[0], decomposed));
  assert.notEqual(first.orderId, second.orderId);
  for (const [id, placed] of [
    [composed, first],
    [decomposed, second],
  ]) {
    const found = await target.send(target.alice, 'GET', `${LOOKUP}?clOrderId=${encodeURIComponent(id)}`);
    assert.equal(found.body.orderId, placed.orderId);
  }
  await cancelAll(target);
});

test('the same id on two surfaces and two accounts names four orders', async () => {
  const target = at();
  const ids = new Set<string>();
  for (const key of [target.alice, target.bob]) {
    const spot = record(await place(target, SURFACES[0], 'shared', key));
    const futures = record(await place(target, SURFACES[1], 'shared', key));
    ids.add(spot.orderId).add(futures.orderID);
    // Both futures surfaces are one product.
    refusedWith(await place(target, SURFACES[2], 'shared', key), 400, 15);
    const found = await target.send(key, 'GET', `${LOOKUP}?clOrderId=shared`);
    assert.equal(found.body.orderId, spot.orderId);
  }
  assert.equal(ids.size, 4);
  await cancelAll(target);
});

test('an id is free again after a cancel, and then names the newer order', async () => {
  const target = at();
  const first = record(await place(target, SURFACES[0], 'again'));
  refusedWith(await place(target, SURFACES[0], 'again'), 400, 15, new RegExp(first.orderId));
  await target.cancel(target.alice, first.orderId);
  const other = { ...RESTING, orderSize: '0.02', clOrderId: 'again' };
  const second = record(await target.send(target.alice, 'POST', ORDERS, other));
  assert.notEqual(second.orderId, first.orderId);
  const found = await target.send(target.alice, 'GET', `${LOOKUP}?clOrderId=again`);
  assert.equal(found.body.orderId, second.orderId);
  await cancelAll(target);
});

test('a hundred simultaneous placements with one id make one order', async () => {
  const target = at();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => {
      const body = { ...RESTING, orderSize: `0.0${1000 + i}`, clOrderId: 'race' };
      return target.send(target.alice, 'POST', ORDERS, body);
    }),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) refusedWith(answer, 400, 15);
  const open = await target.send(target.alice, 'GET', `${ORDERS}?symbol=BTC-USDT`);
  assert.equal(open.body.filter((order: { clOrderId: string }) => order.clOrderId === 'race').length, 1);
  await cancelAll(target);
});
