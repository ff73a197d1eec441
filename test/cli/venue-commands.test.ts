/** `bourse account`, `book`, `orders`, `price`, `advance` and `keys list`: as JSON in a pipe, and as text on a terminal. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandsText, momentOf } from '../../src/cli/commands.ts';
import { countUpTo } from '../../src/cli/control-options.ts';
import { endedText } from '../../src/cli/ended-orders.ts';
import {
  accountsText,
  accountText,
  bookText,
  clockText,
  foundOrdersText,
  keysText,
  previewText,
} from '../../src/cli/venue-text.ts';
import { ControlClient } from '../../src/client/control.ts';
import { Place, type StartedProcess } from './support.ts';

const BTC = 'BTC-USDT';
const keys = [{ key: 'desk-key', secret: 'desk-secret', permissions: ['read', 'trading'] }];
const account = (name: string) => ({
  name,
  balances: { USDT: '100000', BTC: '100' },
  keys: name === 'desk' ? keys : [],
});

const place = new Place();
let venue: StartedProcess;
let control: ControlClient;
before(async () => {
  writeFileSync(place.path('config.json'), JSON.stringify({ accounts: [account('desk'), account('bob')] }));
  venue = await place.start(['--config', place.path('config.json'), '--clock', 'manual']);
  const token = readFileSync(join(place.data, 'control-token'), 'utf8').trim();
  control = new ControlClient({ url: venue.ready.control, token });
  await control.setPrices(BTC, { index: 100 });
});
after(() => place[Symbol.asyncDispose]());

async function bourse(...args: string[]) {
  const { code, stdout, stderr } = await place.run(args, { BOURSE_CONTROL_URL: venue.ready.control });
  return { code, stdout, stderr, reply: stdout.startsWith('{') ? JSON.parse(stdout) : undefined };
}

const spot = (orderSide: string, orderPrice: number, more = {}) => ({
  symbol: BTC,
  orderType: 'LIMIT',
  orderSide,
  orderPrice,
  orderSize: 2,
  ...more,
});

test('account, book and orders show what is there', async () => {
  await control.placeAs('bob', spot('BUY', 99));
  await control.placeAs('desk', spot('BUY', 99, { orderSize: 1 }));
  await control.placeAs('bob', spot('SELL', 101));
  await control.placeAs('desk', { symbol: BTC, orderType: 'TWAP', orderSide: 'BUY', orderSize: 1, timePeriod: 600 });
  const book = (await bourse('book', BTC, '--levels', '1')).reply;
  assert.deepEqual([book.bids, book.asks], [[['99', '3']], [['101', '1.95']]]);
  const own = (await bourse('account', 'desk')).reply;
  assert.deepEqual([own.openOrders, own.orders.length], [2, 2]);
  const all = (await bourse('orders')).reply;
  assert.deepEqual(
    all.orders.map(({ account: owner }: { account: string }) => owner),
    ['desk', 'desk', 'bob', 'bob'],
  );
  assert.deepEqual([all.more, all.notShown, all.accounts], [false, 0, undefined]);
  assert.equal((await bourse('orders', '--account', 'bob', '--symbol', BTC)).reply.orders.length, 2);
  assert.equal((await bourse('orders', '--symbol', 'BTC-PERP')).reply.orders.length, 0);

  const lines = foundOrdersText(all).split('\n');
  assert.equal(lines[0], 'Open orders of all accounts');
  assert.match(lines[2], /^Order {5}Client id {2}Account {2}Market {4}Side {2}Kind {3}State/);
  assert.match(lines[3], / desk +BTC-USDT +BUY +limit +working +99 .* 2$/);
  assert.match(lines[4], / TWAP +working +market .* 1 of 20 parts done, next at 00:00:30 UTC$/);
  assert.match(
    accountText('desk', own),
    /\n\nTime .*\n[-\d :.]+UTC +\d+ {2}fee +-?[\d.]+ {2}BTC +BTC-USDT {2}[0-9a-f]{8}\n/,
  );
  assert.match(accountText('desk', own), /^desk\n\nCurrency .*\nBTC .*\nUSDT .*\n\nno positions\n\nOrder /);
  assert.match(
    bookText(book),
    /^BTC-USDT at seq \d+\n\nSide {2}Price {2}Size\nask {5}101 {2}1\.95\nbid {6}99 {2}3\.00$/,
  );
  assert.match(bookText({ ...book, status: 'halted', bids: [], asks: [] }), /\(halted\)[\s\S]*the book is empty/);
});

test('account without a name lists the accounts, and orders says how many it leaves out', async () => {
  const { accounts } = (await bourse('account')).reply;
  assert.deepEqual(accounts, [
    { account: 'desk', keys: 1, frozen: null },
    { account: 'bob', keys: 0, frozen: null },
  ]);
  const text = accountsText({ accounts: [accounts[0], { ...accounts[1], frozen: 'cancelOnly' }] });
  assert.match(
    text,
    /^Account {2}API keys {2}Frozen\ndesk +1 {2}no\nbob +0 {2}cancelOnly\n\n`bourse account NAME` shows/,
  );
  const found = (await bourse('orders', '--limit', '3')).reply;
  assert.deepEqual([found.orders.length, found.notShown, found.more], [3, 1, false]);
  assert.match(foundOrdersText(found), /\nand 1 more: give --account, --symbol or --limit\n/);
  assert.match(foundOrdersText({ ...found, more: true }), /\nand at least 1 more: /);
  const { code, stderr } = await bourse('orders', '--all', '--account', 'bob');
  assert.deepEqual([code, stderr.trim()], [1, "bourse: option '--all' cannot be used with option '--account <name>'"]);
});

test('in the folder of a demo, the orders are those of its accounts, and a client id is of the first of them', async () => {
  const folder = place.path('demo');
  mkdirSync(folder);
  writeFileSync(join(folder, 'control-token'), readFileSync(join(place.data, 'control-token')));
  writeFileSync(join(folder, 'demo-keys.json'), JSON.stringify([{ account: 'desk', key: 'desk-key', secret: 's' }]));
  await control.placeAs('desk', spot('BUY', 98, { clOrderId: 'mine' }));
  const found = (await bourse('orders', '--data', folder)).reply;
  assert.deepEqual(found.accounts, ['desk']);
  assert.ok(found.orders.every(({ account: owner }: { account: string }) => owner === 'desk'));
  assert.equal((await bourse('orders', '--data', folder, '--all')).reply.accounts, undefined);
  const short = found.orders.find(({ clientId }: { clientId: string }) => clientId === 'mine').orderId.slice(0, 8);
  for (const args of [['mine'], ['--client-id', 'mine'], [short], ['--order-id', short]]) {
    assert.equal((await bourse('story', '--data', folder, ...args)).reply.order.clientId, 'mine', args.join(' '));
  }
  const elsewhere = await bourse('story', '--client-id', 'mine');
  assert.equal(
    elsewhere.stderr,
    'bourse: give --account: a client id is of one account (`bourse accounts` lists them), ' +
      'or --data (or BOURSE_DATA) with the folder of a demo: there is no data/demo-keys.json here\n',
  );
  assert.equal((await bourse('story', 'mine', '--account', 'desk')).reply.order.clientId, 'mine');
});

test('orders --ended lists ended orders, the newest first, with how each ended', async () => {
  const before = (await bourse('orders', '--ended', '--account', 'bob')).reply;
  assert.deepEqual(before, { orders: [], more: false, accounts: ['bob'] });
  assert.equal(endedText(before), 'Ended orders of bob, the newest first\n\nno ended orders');
  await control.placeAs('bob', spot('BUY', 90, { clOrderId: 'cancelled' }));
  await control.request('DELETE', `/accounts/bob/orders?symbol=${BTC}&clOrderId=cancelled`);
  await control.placeAs('desk', spot('BUY', 101, { clOrderId: 'rejected', postOnly: true }));
  await control.placeAs('bob', { ...spot('BUY', 90, { clOrderId: 'open' }), symbol: 'ETH-USDT' });
  const bobs = (await bourse('orders', '--ended', '--account', 'bob')).reply;
  const shown = ({ orders }: { orders: { clientId: string; ended: string }[] }) =>
    orders.map(({ clientId, ended }) => `${clientId}: ${ended}`);
  assert.deepEqual(shown(bobs), ['cancelled: cancelled: the client asked for it']);
  const all = (await bourse('orders', '--ended', '--symbol', BTC, '--limit', '2')).reply;
  assert.deepEqual(shown(all), [
    'rejected: rejected: it was post-only, and would have matched at once',
    'cancelled: cancelled: the client asked for it',
  ]);
  assert.deepEqual([all.more, all.accounts], [false, undefined]);
  const newest = (await bourse('orders', '--ended', '--limit', '1')).reply;
  assert.deepEqual([shown(newest).length, newest.more], [1, true]);
  assert.equal((await bourse('orders', '--ended', '--symbol', 'ETH-USDT')).reply.orders.length, 0);
  const lines = endedText(all).split('\n');
  assert.equal(lines[0], 'Ended orders of all accounts, the newest first');
  assert.match(lines[2], /^Order {5}Client id {2}Account {2}Market {4}Side {2}Kind {3}Price {2}Trigger {2}Size/);
  assert.match(
    lines[3],
    / rejected +desk +BTC-USDT +BUY +limit +101 +2 +0 +[-\d]+ [:.\d]+ UTC +rejected: it was post-/,
  );
  assert.match(endedText(newest), /\nand older ones: give --account, --symbol or --limit\n/);
  assert.match(endedText({ ...all, knownFromSeq: 7 }), /orders that were placed before seq 7 are not known/);
  const unknown = await bourse('orders', '--ended', '--symbol', 'BTC-EUR');
  assert.deepEqual([unknown.code, unknown.reply.error.reason], [1, 'unknownMarket']);
});

test('price sets the index, and a preview sets nothing', async () => {
  const stop = { symbol: BTC, orderType: 'CONDITIONAL', orderSide: 'SELL', orderSize: 1 };
  const trigger = { triggerOrderType: 'STOP_LOSS', triggerPrice: 95, triggerPriceType: 'LAST_PRICE' };
  await control.placeAs('desk', { ...stop, ...trigger });
  const { seq } = await control.state();
  const preview = (await bourse('price', BTC, '94', '--as', 'last', '--preview')).reply;
  assert.deepEqual([preview.orders.length, (await control.state()).seq], [1, seq]);
  assert.match(
    previewText(preview),
    /^nothing is set; the prices would be index 100, mark 100, last 94\n[\s\S]*\b95\b/,
  );
  assert.deepEqual((await bourse('price', BTC, '102')).reply, { seq: seq + 1 });
  const { markets } = await control.markets();
  assert.equal(markets.find(({ symbol }) => symbol === BTC)?.index, '102');
  const wrong = await bourse('price', BTC, 'x');
  assert.deepEqual([wrong.code, wrong.reply.error.field], [1, 'index']);
  assert.match(wrong.stderr, /index is the value/);
  const release = await bourse('price', BTC, 'release');
  assert.deepEqual([release.code, release.stderr], [1, 'bourse: only a mark can be released: give --as mark\n']);
});

test('advance moves the clock by a duration, or to what is due next', async () => {
  const { time } = await control.state();
  const next = (await bourse('advance', '--to-next')).reply;
  assert.deepEqual([next.time, next.due[0].kind], [time + 30_000, 'algo']);
  assert.match(clockText(next), /^2026-01-01 00:00:30\.000 UTC \(seq \d+\)\n {2}part 2 of 20 of the TWAP BUY order /);
  assert.equal((await bourse('advance', '1h30m')).reply.time, time + 30_000 + 90 * 60_000);
  for (const args of [[], ['1h', '--to-next'], ['soon']]) {
    const { code, stderr } = await bourse('advance', ...args);
    assert.deepEqual([code, /give .*1h30m/.test(stderr)], [1, true], stderr);
  }
});

test('commands are listed from a time or a seq on, each in a sentence', async () => {
  const { time, seq } = (await bourse('advance', '1h')).reply;
  await control.placeAs('bob', spot('BUY', 90, { clOrderId: 'after-the-hour' }));
  const at = new Date(time).toISOString();
  const found = (await bourse('commands', '--at', at.slice(11, 23))).reply;
  assert.deepEqual(found, (await bourse('commands', '--at', at)).reply);
  assert.deepEqual(found, (await bourse('commands', '--at', String(seq))).reply);
  assert.deepEqual(
    found.commands.map((command: { seq: number; sentence: string }) => [command.seq - seq, command.sentence]),
    [
      [0, `The clock is moved to ${at.slice(11, 19)}`],
      [1, 'bob places BUY 2 BTC-USDT, limit 90.0'],
    ],
  );
  const last = (await bourse('commands', '--limit', '1')).reply;
  assert.deepEqual(last.commands, found.commands.slice(1));
  assert.match(
    commandsText(last.commands, 'data'),
    /^Time .*Effects\n.* bob places BUY .* +2\n\n`bourse why data SEQ` shows/,
  );
  for (const [wrong, words] of [
    ['25:00', /25:00 is no time such as 14:32:07 .*, and no seq/],
    ['2030-01-01T00:00:00Z', /2030-01-01 00:00:00\.000 UTC is later than the venue's clock/],
    ['99999999', /^bourse: seq 99999999 is beyond the last command, which is \d+$/m],
  ] as const) {
    const { code, stdout, stderr } = await bourse('commands', '--at', wrong);
    assert.equal(code, 1);
    assert.match(stdout + stderr, words);
  }
});

test('a time of day is the last one before the time of the venue', () => {
  const now = Date.parse('2026-01-02T10:00:00Z');
  const at = (text: string) => {
    const ms = momentOf(text, now);
    return ms === null ? null : new Date(ms).toISOString();
  };
  assert.equal(at('9:05'), '2026-01-02T09:05:00.000Z');
  assert.equal(at('10:00:00'), '2026-01-02T10:00:00.000Z');
  assert.equal(at('10:00:00.001'), '2026-01-01T10:00:00.001Z');
  assert.equal(at('14:32:07.5'), '2026-01-01T14:32:07.500Z');
  for (const wrong of ['24:00', '10:60', '10:00:60', '10', '', 'noon', '10:00:00.0001']) assert.equal(at(wrong), null);
});

test('a number of rows is written in digits', () => {
  const read = countUpTo(1000);
  assert.deepEqual(['1', '20', '1000'].map(read), [1, 20, 1000]);
  for (const wrong of ['0', '1001', '1e3', '010', '+5', '5.0', '0x10', ' 5', '']) {
    assert.throws(() => read(wrong), /give a number from 1 to 1000/, wrong);
  }
});

test('keys list has a text for people too', async () => {
  const { reply } = await bourse('keys', 'list', '--account', 'desk', '--json');
  assert.match(
    keysText(reply),
    /^Key .*\ndesk-key {2}desk {5}read trading {2}anywhere {2}never .* present master key$/,
  );
  assert.equal(keysText({ keys: [] }), 'no keys');
  const more = keysText({ ...reply, next: 'desk/a' }, { account: 'desk', limit: '1' });
  assert.match(more, /\nthere are more: `bourse keys list --account desk --limit 1 --after desk\/a`$/);
});

test('refusals name what is wrong', async () => {
  for (const args of [
    ['account', 'nobody'],
    ['book', 'NOPE'],
    ['orders', '--account', 'nobody'],
  ]) {
    const { code, reply } = await bourse(...args);
    assert.deepEqual([code, typeof reply.error.reason], [1, 'string'], args.join(' '));
  }
  const away = await place.run(['orders'], { BOURSE_CONTROL_URL: 'http://127.0.0.1:1' });
  assert.deepEqual([away.code, /is it running|cannot be called/.test(away.stderr)], [1, true], away.stderr);
});
