/** Candles that are played give the same candles again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlClient, startVenue } from '../../src/index.ts';
import { CandleMaker } from '../../src/playback/candles.ts';
import { Grid } from '../../src/playback/grid.ts';
import { surveyOf } from '../../src/playback/survey.ts';
import type { CandleEvent } from '../../src/recorded/events.ts';
import { openMarket } from '../../src/recorded/market.ts';
import { TRADE } from '../../src/venue/contract/market-steps.ts';
import { Folder } from '../recorded/support.ts';

const MINUTE_US = 60e6;
const COUNT = 13_681;

/** Candles with prices in hundredths and volumes in hundred-millionths, as a walk. */
function madeUp(count: number): CandleEvent[] {
  let state = 12_345;
  const roll = (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
  let close = 100_000;
  return Array.from({ length: count }, (_, i) => {
    const open = close + roll(5) - 2;
    close = Math.max(1000, open + roll(200) - 100);
    const high = Math.max(open, close) + roll(3) * roll(50);
    const low = Math.max(1, Math.min(open, close) - roll(3) * roll(50));
    const text = (value: number, places: number) => (value / 10 ** places).toFixed(places).replace(/\.?0+$/, '');
    const atUs = Date.UTC(2026, 0, 1) * 1000 + i * MINUTE_US;
    const volume = text(4 + roll(1_000_000_000), 8);
    const prices = { open: text(open, 2), high: text(high, 2), low: text(low, 2), close: text(close, 2) };
    return { kind: 'candle', atUs, closeUs: atUs + MINUTE_US, ...prices, volume };
  });
}

function rebuilt(maker: CandleMaker, candle: CandleEvent): object {
  const trades: [price: number, lots: number][] = [];
  let lastUs = candle.atUs;
  for (const { atUs, steps } of maker.steps(candle)) {
    assert.ok(atUs >= lastUs && atUs < candle.closeUs);
    lastUs = atUs;
    if (steps[0] === TRADE) trades.push([Math.abs(steps[1]), steps[2]]);
  }
  const prices = trades.map(([price]) => price);
  const [open, close] = [prices[0], prices[prices.length - 1]];
  const volume = trades.reduce((sum, [, lots]) => sum + lots, 0);
  return { open, high: Math.max(...prices), low: Math.min(...prices), close, volume };
}

const OPTIONS = { tick: '0.01', step: '0.00000001', maxPriceTicks: 10_000_000, fit: false };
const units = (text: string, places: number) => Math.round(Number(text) * 10 ** places);

test(`${COUNT} candles have their open, high, low, close and volume again, and equal seeds give equal trades`, () => {
  const candles = madeUp(COUNT);
  const makers = [1, 1, 2].map((seed) => new CandleMaker({ ...OPTIONS, seed }));
  let differ = 0;
  for (const candle of candles) {
    const { open, high, low, close, volume } = candle;
    const want = {
      open: units(open, 2),
      high: units(high, 2),
      low: units(low, 2),
      close: units(close, 2),
      volume: units(volume, 8),
    };
    assert.deepEqual(rebuilt(makers[0], candle), want);
    const [one, other] = makers.slice(1).map((maker) => JSON.stringify([...maker.steps(candle)]));
    if (one !== other) differ += 1;
  }
  assert.ok(differ > COUNT / 2, 'another seed takes other ways');
});

test('a candle of few lots keeps what its lots can show, and one without volume only shows a book', () => {
  const maker = new CandleMaker({ ...OPTIONS, step: '1', seed: 1 });
  const candle: CandleEvent = { ...madeUp(1)[0], open: '10', high: '12', low: '9', close: '11', volume: '2' };
  assert.deepEqual(rebuilt(maker, candle), { open: 1000, high: 1100, low: 1000, close: 1100, volume: 2 });
  const steps = [...maker.steps({ ...candle, volume: '0' })];
  assert.ok(steps.every(({ steps: [kind] }) => kind !== TRADE));
});

/** A file of candles of a minute, such as freqtrade's UNITTEST_BTC-1m.json. */
const OWN_FILE = process.env.BOURSE_TEST_CANDLES;

test('a file of candles (BOURSE_TEST_CANDLES) is played so that its candles are there again', {
  skip: !OWN_FILE && 'BOURSE_TEST_CANDLES names no file',
}, async () => {
  const files = [String(OWN_FILE)];
  const { tick = '', step = '' } = await surveyOf(files, undefined);
  const [ticks, lots] = [new Grid(tick), new Grid(step)];
  const maker = new CandleMaker({ tick, step, maxPriceTicks: Number.MAX_SAFE_INTEGER, fit: false, seed: 1 });
  const market = await openMarket(files);
  const candles: CandleEvent[] = [];
  for await (const batch of market.batches()) candles.push(...(batch as CandleEvent[]));
  for (const candle of candles) {
    const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map((price) =>
      ticks.exact(price),
    );
    assert.deepEqual(rebuilt(maker, candle), { open, high, low, close, volume: lots.exact(candle.volume) });
  }
  await using venue = await startVenue({ replay: { files, time: 'keep' } });
  const [first, last] = [candles[0].atUs, candles[candles.length - 1].closeUs].map((us) => us / 1e6);
  await venue.advance((last - first) * 1000);
  const { markets } = await new ControlClient({ url: venue.control, token: venue.controlToken }).markets();
  const shown = new Map<number, string>();
  for (let from = first; from < last; from += 300 * 60) {
    const query = `symbol=${markets[markets.length - 1].symbol}&resolution=1&start=${from}&end=${from + 299 * 60}`;
    const reply = await fetch(`${venue.url}/spot/api/v3.2/ohlcv?${query}`);
    for (const [second, ...prices] of (await reply.json()) as number[][]) shown.set(second, prices.slice(0, 4).join());
  }
  const same = candles.filter(({ atUs, open, high, low, close }) => {
    return shown.get(atUs / 1e6) === [open, high, low, close].map(Number).join();
  });
  assert.equal(same.length, candles.length);
});

test('a venue that plays candles has them in its market data', async () => {
  using folder = new Folder();
  const candles = madeUp(30);
  const rows = candles.map(({ atUs, open, high, low, close, volume }) => [atUs / 1000, open, high, low, close, volume]);
  const numbers = rows.map((row) => row.map(Number));
  const file = folder.write('BTC_USDT-1m.json', JSON.stringify(numbers));
  await using venue = await startVenue({ replay: file });
  await venue.advance('31m');
  const from = Date.UTC(2026, 0, 1) / 1000;
  const path = `/spot/api/v3.2/ohlcv?symbol=BTC-USDT&resolution=1&start=${from}&end=${from + 31 * 60}`;
  const reply = await fetch(`${venue.url}${path}`);
  const shown = ((await reply.json()) as number[][]).sort(([a], [b]) => a - b).slice(0, 30);
  const prices = shown.map(([, open, high, low, close]) => [open, high, low, close]);
  assert.deepEqual(
    prices,
    numbers.map(([, open, high, low, close]) => [open, high, low, close]),
  );
});
