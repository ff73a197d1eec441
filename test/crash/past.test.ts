/** The past, read while a venue is killed: what was said of a command before is said again after each restart. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratch, VenueProcess } from './process.ts';

const ETH = 'ETH-USDT';

/** What can be asked about the moment after a command, and does not change any more. */
const questions = (seq: number): string[] => [
  `/markets/${ETH}/past?seq=${seq}`,
  `/markets/${ETH}/past?seq=${seq}&minutes=60&limit=1`,
  `/accounts/bob/fills?to=${seq}&newest=true&limit=4`,
  `/accounts/alice/ledger?to=${seq}`,
];

async function answered(venue: VenueProcess, paths: readonly string[]): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const path of paths) found.set(path, await venue.control.request('GET', path));
  return found;
}

async function trade(venue: VenueProcess, price: number): Promise<number> {
  const order = { symbol: ETH, orderType: 'LIMIT', orderSize: 0.5, orderPrice: price } as const;
  await venue.alice.placeSpotOrder({ ...order, orderSide: 'SELL' });
  await venue.bob.placeSpotOrder({ ...order, orderSide: 'BUY' });
  await venue.control.advance(20_000);
  return (await venue.control.state()).seq;
}

test('trades, candles, fills and the ledger of a past command survive kills in the middle of reads and writes', async () => {
  const folder = join(scratch, 'past');
  const start = () => VenueProcess.start(folder, '--clock', 'manual');
  let venue = await start();
  await venue.control.setPrices(ETH, { index: 5000 });
  const seqs: number[] = [];
  let known = new Map<string, unknown>();
  for (let round = 0; round < 2; round += 1) {
    for (let i = 0; i < 5; i += 1) seqs.push(await trade(venue, 4990 + ((round * 7 + i) % 20)));
    known = await answered(venue, seqs.filter((_, i) => i % 4 === 0 || i === seqs.length - 1).flatMap(questions));
    const [market, , fills] = questions(seqs[seqs.length - 1]).map((path) => known.get(path) as { trades: object[] });
    assert.ok(market.trades.length >= seqs.length, `${market.trades.length}`);
    assert.equal((fills as unknown as { fills: object[] }).fills.length, 4);
    // Whatever is under way when the process dies, an answer is whole or there is none.
    const reads = [...known].map(async ([path, before]) => {
      const reply = await venue.control.request('GET', path).catch(() => before);
      assert.deepEqual(reply, before, path);
    });
    const writes = Array.from({ length: 8 }, (_, i) => trade(venue, 4980 + i).catch(() => 0));
    await Promise.race(reads);
    await venue.kill();
    await Promise.all([...reads, ...writes]);
    venue = await start();
    assert.deepEqual(await answered(venue, [...known.keys()]), known);
  }
  // A reset leaves all of it, and a kill does not change that.
  await venue.control.reset();
  const at = (await venue.control.state()).seq;
  await venue.kill();
  venue = await start();
  for (const [path, before] of known) {
    const { left, ...after } = (await venue.control.request('GET', path)) as { left: unknown };
    assert.deepEqual(left, { at, by: 'reset' }, path);
    const { left: _, ...same } = before as { left: unknown };
    assert.deepEqual(after, same, path);
  }
  await venue.stop();
});
