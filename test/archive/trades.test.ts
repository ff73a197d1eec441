/** The trades of an account: what the fills say, from its side, whatever is asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTrades, type TradeQuery } from '../../src/archive/read/trades.ts';
import type { ArchiveStore } from '../../src/archive/store/store.ts';
import type { Value } from '../../src/archive/store/tables.ts';
import { includes } from '../../src/archive/store/timeline.ts';
import { decimalText } from '../../src/venue/contract/decimal.ts';
import { busyVenue, unrest } from '../venue/busy-venue.ts';
import { BTC_PERP, BTC_USDT, START_MS } from '../venue/support.ts';
import { ANY_TRADES, fine, projected, table } from './support.ts';

const ALL: TradeQuery = { ...ANY_TRADES, account: 'bob' };
const PRODUCTS = { spot: 'BTC-USDT', futures: 'BTC-PERP' } as const;

/** The numbers of an account's trades in a market, newest first, as somebody finds them who looks at every fill. */
function naive(store: ArchiveStore, account: string, symbol: string, keep: (fill: Fill) => boolean): Value[] {
  const timeline = store.state.lineage;
  return table(store, 'fills')
    .filter(({ seq, market }) => market === symbol && includes(timeline, seq as number))
    .filter((fill) => (fill.makerAccount === account || fill.takerAccount === account) && keep(fill))
    .map(({ tradeId }) => tradeId)
    .reverse();
}
type Fill = Record<string, Value>;

test('they are the fills of the account, newest first, by product, market, time, number and order', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store, venue } = projected(driver.log);
  const minute = (n: number) => START_MS + n * 60_000;
  for (const account of ['alice', 'bob']) {
    for (const [product, market] of Object.entries(PRODUCTS)) {
      const ids = (changes: Partial<TradeQuery>) =>
        findTrades(store, venue.orderIds, { ...ALL, account, product: product as 'spot', ...changes }).map(
          ({ tradeId }) => tradeId,
        );
      const check = (changes: Partial<TradeQuery>, keep: (fill: Fill) => boolean) => {
        const expected = naive(store, account, market, keep);
        assert.deepEqual(ids(changes), expected, JSON.stringify(changes));
        assert.deepEqual(ids({ ...changes, oldestFirst: true }), expected.toReversed());
        assert.deepEqual(ids({ ...changes, limit: 2 }), expected.slice(0, 2));
      };
      check({}, () => true);
      check({ market }, () => true);
      check({ market: 'ETH-USDT' }, () => false);
      check({ fromMs: minute(3), toMs: minute(6) }, ({ timeMs }) => {
        return (timeMs as number) >= minute(3) && (timeMs as number) <= minute(6);
      });
      check({ beforeId: 6 }, ({ tradeId }) => (tradeId as number) < 6);
      check({ afterId: 1 }, ({ tradeId }) => (tradeId as number) > 1);
      const [{ tradeId, order }] = findTrades(store, venue.orderIds, { ...ALL, account, product: product as 'spot' });
      const { orderId } = order;
      check({ orderId }, ({ makerOrder, takerOrder }) => makerOrder === orderId || takerOrder === orderId);
      check({ orderId, beforeId: tradeId }, ({ makerOrder, takerOrder, tradeId: id }) => {
        return (makerOrder === orderId || takerOrder === orderId) && (id as number) < tradeId;
      });
    }
  }
  assert.ok(naive(store, 'bob', 'BTC-USDT', () => true).length > 20);
  const named = findTrades(store, venue.orderIds, { ...ALL, clientId: 'slow-seller' });
  assert.ok(named.length > 0);
  for (const { order } of named) assert.deepEqual([order.clientId, order.kind], ['slow-seller', 'twap']);
  assert.deepEqual(findTrades(store, venue.orderIds, { ...ALL, clientId: 'unknown' }), []);
});

test('each side has its own role, fee and order, and what it closed of its position', () => {
  const driver = busyVenue();
  driver.limit(0, BTC_PERP, 0, 599_990, 2_000);
  driver.place(1, BTC_PERP, 1, { kind: 'market', size: 2_000, reduceOnly: true });
  const { store, venue } = projected(driver.log);
  const of = (account: string) => {
    const [trade] = findTrades(store, venue.orderIds, { ...ALL, account, product: 'futures', limit: 1 });
    return trade;
  };
  const { fee, realised, maker, order, ...fill } = of('bob');
  assert.deepEqual([fill.market, fill.price, fill.size, maker], ['BTC-PERP', '59999', '2000', false]);
  assert.deepEqual([order.side, order.kind, order.positionMode, order.positionId], ['SELL', 'market', 'ONE_WAY', 0]);
  assert.equal(fill.feeCurrency, 'USDT');
  assert.ok(fine(fee) > 0n && realised !== null && fine(realised) < 0n, `${fee} ${realised}`);
  const other = of('alice');
  assert.deepEqual([other.maker, other.order.side, other.order.kind], [true, 'BUY', 'limit']);
  assert.equal(other.tradeId, fill.tradeId);
  assert.notEqual(other.fee, fee);
});

test('what was realised adds up to what the movements say, and spot shows no such amount', () => {
  const driver = busyVenue();
  unrest(driver);
  const { store, venue } = projected(driver.log);
  const sum = (texts: Value[]) =>
    decimalText(
      texts.reduce((total, text) => total + fine(text), 0n),
      18,
    );
  for (const account of ['alice', 'bob']) {
    const trades = findTrades(store, venue.orderIds, { ...ALL, account, product: 'futures' });
    const moved = table(store, 'movements').filter((row) => row.account === account && row.reason === 'realised');
    assert.ok(moved.length > 0);
    assert.equal(sum(trades.map(({ realised }) => realised)), sum(moved.map(({ amount }) => amount)));
    for (const { realised } of findTrades(store, venue.orderIds, { ...ALL, account })) assert.equal(realised, null);
  }
});

test('trades of a branch that was left are none', () => {
  const driver = busyVenue();
  driver.run({ type: 'saveSnapshot', name: 'a' });
  driver.place(1, BTC_USDT, 0, { kind: 'market', size: 1_000 });
  const { store, venue, go } = projected(driver.log);
  const count = () => findTrades(store, venue.orderIds, ALL).length;
  const before = count();
  go([JSON.stringify({ v: 1, type: 'restoreSnapshot', name: 'a' })]);
  assert.equal(count(), before - 1);
  go([JSON.stringify({ v: 1, type: 'reset' })]);
  assert.equal(count(), 0);
});
