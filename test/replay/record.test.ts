/** What happened in a venue as a recording: recorded, played and recorded again, it is the same. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BourseClient, ControlClient, type StartVenueOptions, startVenue } from '../../src/index.ts';
import { recordMarket } from '../../src/playback/record.ts';
import { openMarket } from '../../src/recorded/market.ts';
import { Folder } from '../recorded/support.ts';
import { writeMadeUp } from './made-up.ts';

const SYMBOL = 'BTC-USDT';

/** Runs a venue in a folder, and returns the recording of its market. */
async function recordingOf(folder: Folder, name: string, options: StartVenueOptions, act: Act): Promise<string[]> {
  const data = join(folder.path, name);
  const masterKeyFile = join(folder.path, 'master.key');
  const venue = await startVenue({ ...options, data, masterKeyFile });
  try {
    await act(venue);
  } finally {
    await venue.close();
  }
  const out = join(folder.path, `${name}-recording`);
  mkdirSync(out);
  const { trades, book } = await recordMarket(data, SYMBOL, { out });
  return [trades, book];
}

type Act = (venue: Awaited<ReturnType<typeof startVenue>>) => Promise<void>;

/** Trades on both sides of what is there, and leaves orders. */
const trade: Act = async (venue) => {
  const [one, other] = venue.keys.map((key) => new BourseClient({ url: venue.url, ...key }));
  await venue.setPrice(SYMBOL, 100);
  const order = (client: BourseClient, orderSide: string, orderPrice: number, orderSize: number) =>
    client.send('POST', '/spot/api/v4/trade/orders', {
      body: { symbol: SYMBOL, orderType: 'LIMIT', orderSide, orderPrice, orderSize },
    });
  for (let i = 0; i < 20; i += 1) {
    await order(one, 'SELL', 100 + (i % 5), (30 + i) / 100);
    await order(one, 'BUY', 99 - (i % 4), 0.2);
    if (i % 3 === 0) await order(other, i % 2 === 0 ? 'BUY' : 'SELL', i % 2 === 0 ? 102 : 97, 0.7);
    await venue.advance(i % 4 === 0 ? 1 : 250);
  }
};

const TWO: StartVenueOptions = {
  accounts: [
    { name: 'one', balances: { USDT: '100000', BTC: '1000' } },
    { name: 'other', balances: { USDT: '100000', BTC: '1000' } },
  ],
};

function bytesOf(files: readonly string[]): string[] {
  return files.map((file) => readFileSync(file, 'base64'));
}

for (const [what, options] of [
  ['users among themselves', async () => TWO],
  [
    'users in a recorded market',
    async (folder: Folder) => ({ ...TWO, replay: await writeMadeUp(folder.path, { seconds: 10, seed: 21 }) }),
  ],
] as const) {
  test(`recorded, played and recorded again: the same bytes (${what})`, async () => {
    using folder = new Folder();
    const first = await recordingOf(folder, 'first', await options(folder), trade);
    const market = await openMarket(first);
    let trades = 0;
    for await (const batch of market.batches()) trades += batch.filter(({ kind }) => kind === 'trade').length;
    assert.ok(trades > 10, `${trades} trades`);
    const replay = { files: first, depth: null, time: 'keep' } as const;
    const second = await recordingOf(folder, 'second', { replay }, async (venue) => {
      await venue.advance('1m');
    });
    assert.deepEqual(bytesOf(second), bytesOf(first));
  });
}

test('an unknown market is refused, and so are output files that exist already', async () => {
  using folder = new Folder();
  await recordingOf(folder, 'data', TWO, trade);
  const data = join(folder.path, 'data');
  await assert.rejects(recordMarket(data, 'XYZ-USDT', { out: folder.path }), /there was never a market XYZ-USDT/);
  await assert.rejects(recordMarket(data, SYMBOL, { out: join(folder.path, 'data-recording') }), /exists/);
});

test('a reset is a gap in the recording', async () => {
  using folder = new Folder();
  const files = await recordingOf(folder, 'data', TWO, async (venue) => {
    await trade(venue);
    await new ControlClient({ url: venue.control, token: venue.controlToken }).reset();
    await trade(venue);
  });
  const kinds: string[] = [];
  const market = await openMarket([files[1]]);
  for await (const batch of market.batches()) for (const { kind } of batch) if (kind !== 'levels') kinds.push(kind);
  assert.deepEqual(kinds, ['snapshot', 'gap', 'snapshot']);
});
