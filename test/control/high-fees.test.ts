/** Fees that look like a slip of the decimal point are refused, unless the operator says that they are meant. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { type ControlReply, control } from './support.ts';

let venue: TestVenue;
before(async () => {
  venue = await startVenue({ accounts: [{ name: 'alice' }] });
});
after(() => venue.close());
beforeEach(() => venue.reset());

const call = (method: string, path: string, body: unknown) => control(venue, method, path, body);

async function ok(reply: Promise<ControlReply>) {
  const { status, body, text } = await reply;
  assert.equal(status, 200, text);
  return body;
}

async function refused(reply: Promise<ControlReply>, field: string): Promise<string> {
  const { status, body, text } = await reply;
  assert.deepEqual([status, body.error.reason, body.error.field], [400, 'feeUnusual', field], text);
  return body.error.message;
}

const GRIDS = { tick: '0.1', maxPrice: '100000', step: '0.001', minSize: '0.001', maxSize: '10' };
const MARKET = { symbol: 'BTC-USD', kind: 'spot', base: 'BTC', quote: 'USD', ...GRIDS };

const MISTAKEN_FEES: [string, string, object, string, string][] = [
  ['PATCH', '/markets/BTC-PERP', { fees: { taker: '0.4' } }, 'fees.taker', '0.4 is 40 % .*0.4 % is 0.004'],
  ['PATCH', '/markets/BTC-USDT', { fees: { maker: 0.05000001 } }, 'fees.maker', '0.05000001 is 5.000001 %'],
  ['PATCH', '/markets/BTC-PERP', { liquidationFee: '0.5' }, 'liquidationFee', '0.5 is 50 %'],
  [
    'PATCH',
    '/accounts/alice',
    { fees: { 'BTC-USDT': null, 'BTC-PERP': { maker: 0, taker: 0.9 } } },
    'fees.BTC-PERP.taker',
    '0.9 is 90 %',
  ],
  ['POST', '/markets', { ...MARKET, fees: { maker: 0, taker: '0.25' } }, 'fees.taker', '0.25 is 25 %'],
];

for (const [method, path, body, field, words] of MISTAKEN_FEES) {
  test(`${method} ${path} ${JSON.stringify(body)} is taken for a mistake, unless force says otherwise`, async () => {
    const message = await refused(call(method, path, body), field);
    assert.match(message, new RegExp(`^${field} ${words}.*above 0\\.05 needs force$`));
    await refused(call(method, path, { ...body, force: false }), field);
    await ok(call(method, path, { ...body, force: true }));
  });
}

test('fees of 0.05 need no force, and neither does a change beside a higher fee that was forced', async () => {
  const change = (path: string, body: object) => ok(call('PATCH', path, body));
  await change('/markets/BTC-PERP', { fees: { maker: '0.05', taker: 0.05 } });
  await change('/accounts/alice', { fees: { 'BTC-PERP': { maker: '0.05', taker: '0.05' } } });
  await change('/markets/BTC-PERP', { fees: { taker: '0.4' }, force: true });
  const { fees } = await change('/markets/BTC-PERP', { fees: { maker: '0.0001' } });
  assert.deepEqual(fees, { maker: '0.0001', taker: '0.4' });
  assert.equal((await call('PATCH', '/accounts/alice', { force: true })).body.error.reason, 'malformed');
});
