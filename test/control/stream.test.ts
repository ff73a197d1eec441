/** The control stream: its topics, who may read it, and what a reader who was away gets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach } from 'node:test';
import { WebSocket } from 'ws';
import { ControlStreamClient, type Message } from '../support/control-stream-client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';
import { control } from './support.ts';

const scenario = scenarios();
const open: ControlStreamClient[] = [];
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});

async function connect(w: World, token?: string): Promise<ControlStreamClient> {
  const reader = await ControlStreamClient.open(w.venue, token);
  open.push(reader);
  return reader;
}

async function refusal(w: World, options: { headers?: Record<string, string>; origin?: string }) {
  const socket = new WebSocket(`${w.venue.control.replace('http', 'ws')}/control/v1/stream`, options);
  const [, response] = await once(socket, 'unexpected-response');
  socket.on('error', () => {});
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, error: JSON.parse(text).error };
}

scenario('the book of a market: its levels, then those that have changed', async (w) => {
  await w.rest('BUY', 99, 1);
  await w.rest('SELL', 101, 2);
  const reader = await connect(w);
  const { data } = await reader.snapshot(`book:${BTC}`);
  assert.deepEqual(data, { bids: [['99', '1']], asks: [['101', '2']], complete: true });
  await w.rest('BUY', 99, 3);
  const grown = await reader.next();
  assert.deepEqual([grown.type, grown.data], ['change', { bids: [['99', '4']], asks: [] }]);
  await w.cancelAll();
  const gone = [await reader.next(), await reader.next(), await reader.next()].map(({ data }) => data);
  assert.deepEqual(gone.at(-1), { bids: [['99', '0']], asks: [] });
});

scenario('each message has the seq and the time of the command that it shows', async (w) => {
  const reader = await connect(w);
  await reader.snapshot(`book:${BTC}`);
  await w.rest('BUY', 99, 1);
  const { seq, time } = await reader.next();
  const state = await w.control.state();
  assert.deepEqual([seq, time], [state.seq, state.time]);
});

scenario('orders of any account: open ones, then each that changes, with what happened to it', async (w) => {
  const first = await w.rest('BUY', 99, 1);
  const reader = await connect(w);
  const { data } = await reader.snapshot('orders:bob');
  assert.deepEqual(
    data.orders.map(({ orderId, symbol, state, price, remaining }: Message) => [
      orderId === first.orderId,
      symbol,
      state,
      price,
      remaining,
    ]),
    [[true, BTC, 'working', '99', '1']],
  );
  await w.alice.spot({ symbol: BTC, orderSide: 'SELL', orderType: 'MARKET', orderSize: 0.4 });
  const [filled] = (await reader.next()).data.orders;
  assert.deepEqual([filled.changes, filled.filled, filled.averagePrice], [['filled'], '0.4', '99']);
  await w.bob.cancelSpot(first.orderId, BTC);
  const [ended] = (await reader.next()).data.orders;
  assert.deepEqual([ended.changes, ended.live, ended.reason], [['ended'], false, 'cancelledByClient']);
});

scenario('an algo shows its terms and what it is doing', async (w) => {
  const reader = await connect(w);
  await reader.snapshot('orders:alice');
  const body = { symbol: BTC, orderSide: 'BUY', orderType: 'TWAP', orderSize: 1, timePeriod: 600, pausePrice: 90 };
  await w.alice.spot(body);
  const [order] = (await reader.next()).data.orders;
  assert.equal(order.details.name, 'twap');
  assert.equal(order.details.terms.pausePrice, '90');
  assert.deepEqual([order.details.progress.childrenDone, order.details.progress.pausedBy], [1, 'price']);
  assert.ok(order.nextDueMs > 0);
});

scenario('fills of an account from its side, trades of the market, the candle and the ticker', async (w) => {
  await w.rest('SELL', 101, 2);
  const reader = await connect(w);
  await reader.subscribe(['fills:alice', `trades:${BTC}`, `candles:${BTC}:5`, 'tickers']);
  await w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 101, orderSize: 1 });
  const changes: Record<string, Message> = {};
  while (Object.keys(changes).length < 4) {
    const { topic, type, data } = await reader.next();
    if (type === 'change') changes[topic] = data;
  }
  const [fill] = changes['fills:alice'].fills;
  assert.deepEqual([fill.side, fill.price, fill.size, fill.maker, fill.tradeId], ['BUY', '101', '1', false, 1]);
  const [trade] = changes[`trades:${BTC}`].trades;
  assert.deepEqual([trade.side, trade.price, trade.liquidation, trade.seq], ['BUY', '101', false, fill.seq]);
  const candle = changes[`candles:${BTC}:5`].candles.at(-1);
  assert.deepEqual([candle.close, candle.volume], ['101', '1']);
  const [ticker] = changes.tickers.markets;
  assert.deepEqual([ticker.symbol, ticker.last, ticker.ask], [BTC, '101', { price: '101', size: '1' }]);
  // A new reader gets the same from the archive.
  const later = await connect(w);
  const { data } = await later.snapshot('fills:alice');
  assert.deepEqual(data.fills, [{ ...fill }]);
});

scenario('positions and wallets follow fills and the mark', async (w) => {
  await w.rest('SELL', 100, 10, PERP);
  const reader = await connect(w);
  assert.deepEqual((await reader.snapshot('positions:alice')).data, { positions: [] });
  const { balances } = (await reader.snapshot('wallets:alice')).data;
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'MARKET', size: 10 });
  const [position] = (await reader.nextOf('positions:alice')).data.positions;
  assert.deepEqual([position.symbol, position.size, position.liquidationInProgress], [PERP, 10, false]);
  assert.notDeepEqual((await reader.nextOf('wallets:alice')).data.balances, balances);
  await w.price(PERP, { mark: 110 });
  const [moved] = (await reader.nextOf('positions:alice')).data.positions;
  assert.equal(moved.mark, 110);
  await w.price(BTC, { index: 101 });
  await w.price(PERP, { mark: 120 });
  const [next] = (await reader.nextOf('positions:alice')).data.positions;
  assert.equal(next.mark, 120, 'a price of another market sends nothing');
});

scenario('halts, stale prices and terms are in the system and in the markets', async (w) => {
  const reader = await connect(w);
  const [system, markets] = await reader.subscribe(['system', 'markets']);
  assert.deepEqual([system.data.clock, system.data.halted, system.data.health.ready], [{ manual: true }, [], true]);
  assert.equal(markets.data.markets.length > 1, true);
  await w.control.haltMarket(BTC);
  assert.deepEqual((await reader.nextOf('system')).data.halted, [BTC]);
  const [market] = (await reader.nextOf('markets')).data.markets;
  assert.deepEqual([market.symbol, market.status], [BTC, 'halted']);
  await w.control.resumeMarket(BTC);
});

scenario('a mark that is set or released is in the markets, even where its price stays', async (w) => {
  const reader = await connect(w);
  await reader.subscribe(['markets']);
  const markByHand = async () => {
    const rows = (await reader.nextOf('markets')).data.markets;
    return rows.map((row: Message) => [row.symbol, row.markByHand]);
  };
  const before = (await control(w.venue, 'GET', '/markets/summary')).body.markets;
  const { mark } = before.find(({ symbol }: Message) => symbol === PERP);
  await w.price(PERP, { mark: Number(mark) + 1 });
  assert.deepEqual(await markByHand(), [[PERP, true]]);
  await w.price(PERP, { mark: null });
  assert.deepEqual(await markByHand(), [[PERP, false]]);
  await w.price(PERP, { mark: Number(mark) });
  assert.deepEqual(await markByHand(), [[PERP, true]]);
});

scenario('after a reset everybody gets everything again', async (w) => {
  await w.rest('BUY', 99, 1);
  const reader = await connect(w);
  await reader.subscribe(['system', `book:${BTC}`, 'orders:bob']);
  await w.venue.reset();
  const { seq } = await w.control.state();
  const [system, book, orders] = [await reader.next(), await reader.next(), await reader.next()];
  assert.deepEqual([system.type, system.data.replacedSeq], ['snapshot', seq]);
  assert.deepEqual([book.type, book.data.bids], ['snapshot', []]);
  assert.deepEqual([orders.type, orders.data.orders], ['snapshot', []]);
});

scenario('a reader that was away continues its fills after the last seq, unless the state was replaced', async (w) => {
  await w.rest('SELL', 101, 9);
  const buy = () => w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 101 });
  await buy();
  const reader = await connect(w);
  const before = await reader.snapshot('fills:alice');
  assert.equal(before.data.fills.length, 1);
  reader.close();
  await buy();
  await buy();
  const again = await connect(w);
  const { data } = await again.snapshot('fills:alice', before.seq);
  assert.deepEqual([data.continues, data.fills.length], [true, 2]);
  await w.begin();
  const replaced = await (await connect(w)).snapshot('fills:alice', before.seq);
  assert.deepEqual(replaced.data, { fills: [] });
});

scenario('all readers of a topic get the same bytes, and one that leaves leaves the others', async (w) => {
  const [one, other] = [await connect(w), await connect(w)];
  await one.snapshot(`book:${BTC}`);
  await other.snapshot(`book:${BTC}`);
  await w.rest('BUY', 99, 1);
  assert.deepEqual(await one.next(), await other.next());
  one.close();
  await one.closed;
  await w.rest('BUY', 99, 1);
  assert.deepEqual((await other.next()).data.bids, [['99', '2']]);
  other.send({ op: 'unsubscribe', topics: [`book:${BTC}`, 'tickers'] });
  assert.deepEqual((await other.next()).topics, [`book:${BTC}`]);
  await w.rest('BUY', 99, 1);
  await other.subscribe(['system']);
});

scenario('a candle that begins without a trade is sent: the changes come to what a new reader gets', async (w) => {
  const topic = `candles:${BTC}:1`;
  const trade = async (price: number) => {
    await w.rest('SELL', price, 1);
    await w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: price, orderSize: 1 });
  };
  const known = new Map<number, string>();
  const take = ({ data }: Message) => {
    for (const { startMs, close } of data.candles) known.set(startMs, close);
  };
  await trade(100);
  const reader = await connect(w);
  take(await reader.snapshot(topic));
  await w.advance(3 * 60_000);
  take(await reader.next());
  assert.deepEqual([...known.values()], ['100', '100', '100', '100']);
  await trade(101);
  take(await reader.next());
  await w.advance(60_000);
  take(await reader.next());
  const whole = await (await connect(w)).snapshot(topic);
  assert.deepEqual(
    [...known],
    whole.data.candles.map(({ startMs, close }: Message) => [startMs, close]),
  );
  assert.deepEqual([...known.values()], ['100', '100', '100', '101', '101']);
});

scenario('what is not a topic, a market or an account is refused by name, and the rest is taken', async (w) => {
  const reader = await connect(w);
  const topics = [
    'bock:X',
    'book:NOPE',
    'orders:nobody',
    `candles:${BTC}:7`,
    `candles:${BTC}:1:2`,
    'tickers:x',
    'book',
    'orders',
    '__proto__',
  ];
  reader.send({ op: 'subscribe', topics: [...topics, 'system'] });
  for (const topic of topics) {
    const { event, topic: refused, error } = await reader.next();
    assert.deepEqual([event, refused], ['error', topic], JSON.stringify(error));
    assert.ok(error.message.length > 10);
  }
  assert.equal((await reader.next()).topic, 'system');
  assert.deepEqual((await reader.next()).topics, ['system']);
  for (const text of ['x', '[]', '{}', '{"op":"buy"}', '{"op":"subscribe"}', '{"op":"subscribe","topics":[1]}']) {
    reader.send(text);
    const { reason, message } = (await reader.next()).error;
    assert.equal(reason, 'malformed', text);
    assert.doesNotMatch(message, /the body/);
  }
  reader.send({ op: 'subscribe', topics: ['system'], after: -1 });
  assert.match((await reader.next()).error.message, /must be a whole number/);
});

scenario('the handshake needs a token, and no page of another origin may make it', async (w) => {
  const authorization = `Bearer ${w.venue.controlToken}`;
  assert.equal((await refusal(w, {})).status, 401);
  assert.equal((await refusal(w, { headers: { authorization: 'Bearer no' } })).error.reason, 'unauthorized');
  const foreign = await refusal(w, { headers: { authorization }, origin: 'https://example.com' });
  assert.deepEqual([foreign.status, foreign.error.reason], [403, 'otherOrigin']);
  const { status, body } = await control(w.venue, 'GET', '/stream');
  assert.deepEqual([status, body.error.reason], [426, 'upgradeRequired']);
  assert.equal((await control(w.venue, 'GET', '/stream', undefined, null)).status, 401);
});

scenario('a token of scope read is enough, and revoking it ends its streams', async (w) => {
  const token = await w.control.createToken('looker', 'read');
  const reader = await connect(w, token);
  await reader.snapshot('system');
  await w.control.revokeToken('looker');
  const { code, reason } = await reader.closed;
  assert.deepEqual([code, reason], [1008, 'its token does not count any more']);
});

scenario('a heartbeat comes each second, with the seq', async (w) => {
  const reader = await connect(w);
  while (reader.heartbeats.length === 0) await once(reader.socket, 'message');
  const { seq } = await w.control.state();
  assert.equal(reader.heartbeats[0].seq, seq);
});
