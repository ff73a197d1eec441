import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { demoText } from '../../src/cli/welcome.ts';
import { usualData } from '../../src/cli/wire-options.ts';
import { BourseClient, ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import type { RunningVenue } from '../../src/start.ts';
import { control } from '../control/support.ts';
import { Place, stop } from './support.ts';

const SYMBOLS = ['BTC-USDT', 'ETH-USDT', 'BTC-PERP', 'ETH-PERP'];

const keysOf = (place: Place) =>
  JSON.parse(readFileSync(join(place.data, 'demo-keys.json'), 'utf8')) as {
    account: string;
    key: string;
    secret: string;
  }[];

test('the demo trades from its first second, greets without secrets, and keeps its keys', async () => {
  await using place = new Place();
  // However slow the machine, no order is refused because the traders' wait.
  const first = await place.start(['--demo', '--max-queue-ms', 'off']);
  const keys = keysOf(place);
  assert.deepEqual(
    keys.map(({ account }) => account),
    ['demo-1', 'demo-2'],
  );
  assert.equal(statSync(join(place.data, 'demo-keys.json')).mode & 0o777, 0o600);
  const client = new BourseClient({ url: first.ready.http, ...keys[0] });
  for (const side of [
    { orderSide: 'BUY', quoteOrderSize: 100 },
    { orderSide: 'SELL', orderSize: 0.001 },
  ] as const) {
    const [spot] = await client.placeSpotOrder({ symbol: 'BTC-USDT', orderType: 'MARKET', ...side });
    assert.ok(spot.totalFilledBaseSize > 0, JSON.stringify(spot));
  }
  const [future] = await client.placeFuturesOrder({ symbol: 'ETH-PERP', side: 'SELL', type: 'MARKET', size: 10 });
  assert.equal(future.status, 4);
  const { stderr } = await stop(first);
  assert.ok(stderr.includes(`npx bourse order --url ${first.ready.http}`), stderr);
  const { http, control } = first.ready;
  assert.ok(stderr.includes(`export BOURSE_URL=${http} BOURSE_CONTROL_URL=${control}\n`), stderr);
  assert.ok(stderr.includes('enableRateLimit: false'), 'ccxt waits for no limits that are not there');
  assert.ok(stderr.includes(`${keys[0].key}   (of ${keys[0].account};`));
  assert.equal(stderr.includes(keys[0].secret), false);

  const second = await place.start(['--demo']);
  assert.deepEqual(keysOf(place), keys);
  await stop(second);

  rmSync(join(place.data, 'demo-keys.json'));
  const third = await place.start(['--demo']);
  assert.deepEqual(keysOf(place), keys);
  await stop(third);
});

const SOL = {
  currencies: { SOL: { decimals: 8 } },
  markets: [
    {
      symbol: 'SOL-USDT',
      kind: 'spot',
      base: 'SOL',
      quote: 'USDT',
      tick: '0.01',
      maxPrice: 100_000,
      step: '0.001',
      minSize: '0.001',
      maxSize: 10_000,
    },
  ],
};

test('a demo takes new markets and coins on a later start', async () => {
  await using place = new Place();
  await stop(await place.start(['--demo']));
  const keys = keysOf(place);
  const config = place.path('config.json');
  writeFileSync(config, JSON.stringify(SOL));
  for (const args of [['--demo', '--config', config], ['--demo'], ['--demo', '--config', config]]) {
    const venue = await place.start(args);
    const { status } = await fetch(`${venue.ready.http}/public-api/market/v1/markets?symbol=SOL-USDT`);
    assert.equal(status, 200);
    assert.deepEqual(keysOf(place), keys);
    await stop(venue);
  }
});

test('a folder with a configuration becomes a demo with that configuration alone', async () => {
  await using place = new Place();
  const config = place.path('config.json');
  writeFileSync(config, JSON.stringify(SOL));
  await stop(await place.start(['--config', config]));
  const refused = await place.run(['start', '--demo', '--port', '0', '--control-port', '0']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /without --demo: give that configuration with --config to have --demo add its accounts/);
  await stop(await place.start(['--demo', '--config', config]));
  assert.equal(keysOf(place).length, 2);

  await using plain = new Place();
  await stop(await plain.start());
  await stop(await plain.start(['--demo']));
  assert.equal(keysOf(plain).length, 2);
});

test('the greeting says how commands find a demo that is not where they look', () => {
  const at = (port: number, data: string) => {
    const [http, control] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`];
    const text = demoText({ http, control, demoKeys: [] } as unknown as RunningVenue, data);
    return /^ {2}export (.*)$/m.exec(text)?.[1] ?? null;
  };
  const addresses = 'BOURSE_URL=http://127.0.0.1:9080 BOURSE_CONTROL_URL=http://127.0.0.1:9081';
  assert.equal(at(8080, usualData()), null);
  assert.equal(at(9080, usualData()), addresses);
  assert.equal(at(8080, '/srv/demo'), 'BOURSE_DATA=/srv/demo');
  assert.equal(at(9080, '/srv/demo'), `${addresses} BOURSE_DATA=/srv/demo`);
  assert.equal(at(8080, "/srv/Ann's demo"), "BOURSE_DATA='/srv/Ann'\\''s demo'");
  assert.equal(at(8080, 'elsewhere'), `BOURSE_DATA=${resolve('elsewhere')}`);
});

/** Best bid and ask, from what the traders' accounts have at rest. */
async function spreads(venue: TestVenue): Promise<Map<string, { bid: number; ask: number; index: number }>> {
  const found = new Map<string, { bid: number; ask: number; index: number }>();
  const { markets } = (await control(venue, 'GET', '/markets')).body;
  for (const { symbol, index, bestBid, bestAsk } of markets) {
    found.set(symbol, { bid: Number(bestBid), ask: Number(bestAsk), index: Number(index) });
  }
  return found;
}

async function assertSane(venue: TestVenue): Promise<void> {
  const found = await spreads(venue);
  for (const symbol of SYMBOLS) {
    const { bid, ask, index } = found.get(symbol)!;
    assert.ok(bid > 0 && ask > bid, `${symbol}: ${bid} / ${ask}`);
    assert.ok((ask - bid) / index < 0.002, `${symbol} spread ${bid} / ${ask}`);
    assert.ok(Math.abs((bid + ask) / 2 / index - 1) < 0.003, `${symbol} mid ${bid} / ${ask} at index ${index}`);
  }
}

test('books are full and spreads sane at the start, over a day and after a reset', async () => {
  const venue = await startVenue({ demo: true, seed: 11 });
  try {
    await assertSane(venue);
    for (let i = 0; i < 5; i++) {
      await venue.advance(120_000);
      await assertSane(venue);
    }
    await venue.advance(86_400_000);
    await assertSane(venue);
    const audit = (await control(venue, 'GET', '/audit')).body;
    assert.equal(audit.ok, true);
    await venue.reset();
    await venue.advance(60_000);
    await assertSane(venue);
  } finally {
    await venue.close();
  }
});

test('traders move prices and trade, the same again from the same seed', async () => {
  const run = async (seed: number) => {
    const venue = await startVenue({ demo: true, seed });
    const controlClient = new ControlClient({ url: venue.control, token: venue.controlToken });
    await venue.advance(300_000);
    const index = (await spreads(venue)).get('BTC-USDT')!.index;
    const metrics = (await control(venue, 'GET', '/metrics')).text;
    const fills = Number(/bourse_fills_total\{market="BTC-USDT"\} (\d+)/.exec(metrics)?.[1] ?? 0);
    const { seq } = await controlClient.state();
    await venue.close();
    return { index, fills, seq };
  };
  const one = await run(3);
  assert.ok(one.fills > 20, `${one.fills} fills`);
  assert.notEqual(one.index, 60_000);
  assert.deepEqual(await run(3), one);
  assert.notDeepEqual(await run(4), one);
});

test('after a thousand trades every trader still has most of what it began with', async () => {
  const venue = await startVenue({ demo: true, seed: 5 });
  try {
    for (let i = 0; i < 8; i++) await venue.advance(300_000);
    for (const name of ['trader-1', 'trader-2', 'trader-3', 'trader-4']) {
      const { balances } = (await control(venue, 'GET', `/accounts/${name}`)).body;
      assert.ok(Number(balances.USDT.available) > 5_000_000, `${name} ${JSON.stringify(balances.USDT)}`);
      assert.ok(Number(balances.BTC.total) > 100, `${name} ${JSON.stringify(balances.BTC)}`);
    }
  } finally {
    await venue.close();
  }
});
