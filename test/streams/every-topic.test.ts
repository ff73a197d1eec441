/** Every topic of the table sends frames as docs/asyncapi.json says (the client checks that), and the document is up to date. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { asyncApiDocument, topicsTable } from '../../src/api/streams/asyncapi.ts';
import { STREAM_PATHS, topicsOf } from '../../src/api/streams/topics.ts';
import { seenTopics } from '../support/documented-frames.ts';
import { BTC, PERP, scenarios } from '../support/venue.ts';
import { ALICE, clients } from './support.ts';

const scenario = scenarios();
const connect = clients();
const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('docs/asyncapi.json and the table of docs/streams.md are up to date: npm run docs:asyncapi', () => {
  assert.equal(read('asyncapi.json'), `${JSON.stringify(asyncApiDocument(manifest.version), null, 2)}\n`);
  assert.ok(read('streams.md').includes(topicsTable()));
});

scenario('every topic of every socket sends a documented frame', async (w) => {
  const open = [];
  for (const path of STREAM_PATHS) {
    const topics = topicsOf(path);
    const client = await connect(w, path);
    if (topics.some(({ isPrivate }) => isPrivate)) {
      assert.equal((await client.login(ALICE, Date.now() - open.length)).success, true);
    }
    const symbol = path.includes('futures') ? PERP : BTC;
    const names = topics.map(({ name, subject }) => (subject === '' ? name : `${name}:${symbol}`));
    assert.deepEqual(await client.subscribe(...names), names);
    open.push({ path, client, topics });
  }
  await w.rest('SELL', 100, 1);
  await w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 100, orderSize: 2 });
  await w.alice.spot({
    symbol: BTC,
    orderSide: 'SELL',
    orderType: 'OCO',
    orderPrice: 120,
    triggerPrice: 90,
    stopPrice: 89,
    orderSize: 1,
  });
  await w.rest('SELL', 100, 9, PERP);
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 100, size: 5 });
  await w.alice.future({ symbol: PERP, side: 'SELL', type: 'MARKET', txType: 'STOP', triggerPrice: 90, size: 5 });
  await w.rest('BUY', 88, 100, PERP);
  await w.price(PERP, { mark: 89, last: 89 });
  for (const { path, client, topics } of open) {
    await client.settled();
    for (const { name } of topics) assert.ok(seenTopics.has(`${path} ${name}`), `${path} ${name}`);
  }
});
