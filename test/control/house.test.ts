/** The house of a test: books and prints that belong to nobody, and what a test expects of its accounts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BourseClient, type StartVenueOptions, startVenue } from '../../src/index.ts';

const USDT = { USDT: '10000' };

async function withHouse(options: StartVenueOptions = {}) {
  const venue = await startVenue({ house: true, accounts: [{ name: 'bot', balances: USDT }], ...options });
  await venue.setPrice('BTC-USDT', { index: 60_000, last: 60_000 });
  return { venue, bot: new BourseClient({ url: venue.url, ...venue.key }) };
}
const buy = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT' } as const;

test('the house has what a test gives it, and no limit or band applies to it', async () => {
  const { venue } = await withHouse();
  await using _ = venue;
  const { bids, asks } = await venue.book('BTC-USDT', {
    bids: [[100, 1000]],
    asks: [
      [1_000_000, '0.5'],
      [60_001, 2],
    ],
  });
  assert.deepEqual(bids, [['100', '1000']]);
  assert.deepEqual(asks, [
    ['60001', '2'],
    ['1000000', '0.5'],
  ]);
  assert.deepEqual((await venue.book('BTC-USDT', {})).asks, []);
  assert.equal((await venue.audit()).ok, true);
});

test('a client takes from the house and pays for it, and the house has no account and no history', async () => {
  const { venue, bot } = await withHouse();
  await using _ = venue;
  await venue.book('BTC-USDT', { asks: [[60_000, 0.1]] });
  await bot.placeSpotOrder({ ...buy, orderPrice: 60_000, orderSize: 0.04, clOrderId: 'mine' });
  await venue.expectBalance('bot', 'USDT', 7600);
  await venue.expectBalance('bot', 'BTC', { above: 0.0399, below: 0.04 });
  await venue.expectFilled('mine', 0.04, { account: 'bot' });
  assert.deepEqual((await venue.book('BTC-USDT')).asks, [['60000', '0.06']]);
  assert.match((await venue.story('mine', { account: 'bot' })).sentence ?? '', /filled/i);
  assert.equal((await venue.audit()).ok, true);
});

test('a print fills who is in the way, best price first, and the rest of it is the house’s', async () => {
  const { venue, bot } = await withHouse();
  await using _ = venue;
  await bot.placeSpotOrder({ ...buy, orderPrice: 59_000, orderSize: 0.01 });
  await bot.placeSpotOrder({ ...buy, orderPrice: 58_000, orderSize: 0.02 });
  await venue.expectOpenOrders('bot', 2);
  await venue.trade('BTC-USDT', 'SELL', 0.02, 58_000);
  await venue.expectOpenOrders('bot', 1, 'BTC-USDT');
  const [trade] = (await bot.spotTrades('BTC-USDT')).slice(-1);
  assert.equal(trade!.price, 59_000);
  assert.equal((await bot.openSpotOrders('BTC-USDT'))[0]!.totalFilledBaseSize, 0.01);
});

test('an expectation that does not hold says what is there', async () => {
  const { venue } = await withHouse();
  await using _ = venue;
  await assert.rejects(venue.expectBalance('bot', 'USDT', { atLeast: 20_000 }), {
    name: 'AssertionError',
    message: 'the total balance of bot in USDT is 10000, not at least 20000',
  });
  await assert.rejects(venue.expectPosition('bot', 'BTC-PERP', -5), /the position of bot in BTC-PERP is 0, not -5/);
  await assert.rejects(venue.expectOpenOrders('bot', 1), /the number of open orders of bot is 0, not 1/);
  await assert.rejects(venue.expectBalance('bot', 'DOGE', 0), /in DOGE is unknown, not 0/);
});

test('save and restore, halt and resume, fault: the calls of a test are methods of its venue', async () => {
  const { venue, bot } = await withHouse();
  await using _ = venue;
  await venue.save('before');
  await venue.deposit('bot', 'USDT', 5);
  await venue.restore('before');
  await venue.expectBalance('bot', 'USDT', 10_000, 'available');
  await venue.halt('BTC-USDT');
  await assert.rejects(bot.placeSpotOrder({ ...buy, orderPrice: 59_000, orderSize: 0.01 }), { code: -7016 });
  await venue.resume('BTC-USDT');
  await venue.fault({ match: { method: 'POST' }, status: 503 });
  await assert.rejects(bot.placeSpotOrder({ ...buy, orderPrice: 59_000, orderSize: 0.01 }), { status: 503 });
  assert.equal((await venue.faults())[0]!.hits, 1);
});

test('without a house, and with wrong levels, it says what to do', async () => {
  const { venue } = await withHouse();
  await using _ = venue;
  await using plain = await startVenue();
  await assert.rejects(plain.book('BTC-USDT', { bids: [] }), /BTC-USDT has no house: start the venue with house: true/);
  await assert.rejects(venue.book('BTC-USDT', { bids: [[1]] } as never), /bids\[0\] must be a level, \[price, size\]/);
  await assert.rejects(venue.book('BTC-USDT', { bids: [[59_000.05, 1]] }), /bids\[0\] 59000.05 is off the tick/);
  await assert.rejects(venue.trade('BTC-USDT', 'HOLD' as never, 1, 59_000), /side must be one of BUY, SELL/);
  await assert.rejects(venue.trade('BTC-DOGE', 'BUY', 1, 1), { status: 404 });
});
