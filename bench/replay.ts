/**
 * A recorded market through a whole venue, from compressed files to state, with the log written: rows and trades a second, the ratio to real
 * time, the log's bytes a row, memory. In the same process, before that: the same files read and not played. And whether the venue printed every
 * recorded trade and showed the recorded book after each message.
 *
 * usage: node bench/replay.ts [--json] [--seconds N] [FILE…]
 *   --seconds  how long the made-up recording is; by default 1,200
 *   FILE…      files of yours instead, trades and a book
 *
 * Exit code 1 if a trade did not print as it was recorded, or a book differs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ControlClient } from '../src/client/control.ts';
import { startVenue } from '../src/index.ts';
import { encodeCommands } from '../src/log/shared/payload/encode.ts';
import { GroupSource } from '../src/playback/source.ts';
import type { Level, MarketEvent } from '../src/recorded/events.ts';
import { openMarket } from '../src/recorded/market.ts';
import { BUY, SELL } from '../src/venue/contract/units.ts';
import { Venue } from '../src/venue/venue.ts';
import { writeMadeUp } from '../test/replay/made-up.ts';
import { round } from './yardstick.ts';

const DEPTH = 20;
const LONGEST = '365d';

interface Contents {
  readonly rows: number;
  readonly trades: number;
  readonly seconds: number;
  readonly recordedMs: number;
}

/** The least: every event is made, and nothing done with it. */
async function readOnly(files: readonly string[]): Promise<Contents> {
  const begun = performance.now();
  const market = await openMarket(files);
  let [rows, trades, firstUs, lastUs] = [0, 0, 0, 0];
  for await (const batch of market.batches()) {
    for (const event of batch) {
      if (event.kind === 'trade') trades += 1;
      else if (event.kind === 'levels' || event.kind === 'snapshot') rows += event.bids.length + event.asks.length;
      firstUs ||= event.atUs;
      lastUs = Math.max(lastUs, event.atUs);
    }
  }
  return { rows, trades, seconds: (performance.now() - begun) / 1000, recordedMs: (lastUs - firstUs) / 1000 };
}

/** Starts a venue on the files and moves its clock past their end. The start reads them once more. */
async function play(files: readonly string[], folder: string) {
  const data = join(folder, 'data');
  const venue = await startVenue({ replay: { files, depth: null }, data, masterKeyFile: join(folder, 'master.key') });
  try {
    const begun = performance.now();
    await venue.advance(LONGEST);
    const seconds = (performance.now() - begun) / 1000;
    const control = new ControlClient({ url: venue.control, token: venue.controlToken });
    const { ok } = await control.audit();
    return { seconds, ok, rssMb: process.memoryUsage().rss / 2 ** 20 };
  } finally {
    await venue.close();
  }
}

/** Plays the groups into a venue without a log, and compares each print and each book with the recording. */
async function compare(files: readonly string[], folder: string) {
  const started = await startVenue({
    replay: { files, depth: null },
    data: join(folder, 'start'),
    masterKeyFile: join(folder, 'master.key'),
  });
  await started.close();
  const { existingStorage } = await import('../src/log/open.ts');
  let genesis: unknown;
  for await (const entry of existingStorage(join(folder, 'start')).source.read()) {
    if (entry.kind === 'batch') genesis ??= entry.commands[0];
  }
  const first = genesis as Parameters<Venue['apply']>[2] & { type: 'genesis' };
  const [symbol] = Object.keys(first.recordings!.markets);
  const prints: string[] = [];
  const venue = new Venue({
    traded: ({ takerSide, priceTicks, sizeLots }) => {
      const market = venue.marketBySymbol(symbol)!;
      prints.push(`${takerSide} ${Number(market.priceText(priceTicks))} ${Number(market.sizeText(sizeLots))}`);
    },
  });
  venue.apply(1, 1_767_225_600_000, first);
  const market = venue.marketBySymbol(symbol)!;
  const { tick, step, maxPrice } = market.spec;
  const source = new GroupSource({
    ...{ paths: files, symbol: undefined, skip: 0, loop: false, skipGaps: false, seed: 1 },
    ...{ tick, step, maxPriceTicks: Number(maxPrice) / Number(tick), fit: false, depth: null },
  });
  const reference = new Reference();
  const events = eventsOf(files);
  const wanted: string[] = [];
  let [position, messages, wrong, logBytes] = [0, 0, 0, 0];
  for (let group = await source.peek(); group !== undefined; group = await source.peek()) {
    source.take();
    const toMs = Math.max(venue.timeMs, venue.timeMs);
    const command = { v: 1, type: 'market', market: market.index, toMs, ...group } as const;
    logBytes += encodeCommands([command]).bytes.length;
    const { refusal } = venue.apply(venue.seq + 1, 0, command);
    if (refusal !== null) throw new Error(JSON.stringify(refusal));
    let isMessage = false;
    for (; position < group.position; position += 1) {
      const event = (await events.next()).value as MarketEvent;
      if (event.kind === 'trade')
        wanted.push(`${event.side === 'buy' ? BUY : SELL} ${Number(event.price)} ${Number(event.size)}`);
      isMessage = reference.add(event) || isMessage;
    }
    if (!isMessage) continue;
    messages += 1;
    for (const side of [BUY, SELL] as const) {
      const shown = market
        .depth(side, DEPTH)
        .map((level) => `${Number(market.priceText(level.priceTicks))} ${Number(market.sizeText(level.sizeLots))}`);
      if (shown.join() !== reference.top(side).join()) wrong += 1;
    }
  }
  const same = prints.filter((print, i) => print === wanted[i]).length;
  const { trades, tradesFit } = market.playback!;
  return { prints: prints.length, same, wanted: wanted.length, messages, wrong, fits: tradesFit / trades, logBytes };
}

async function* eventsOf(files: readonly string[]): AsyncGenerator<MarketEvent> {
  const market = await openMarket(files);
  for await (const batch of market.batches()) yield* batch;
}

/** The recorded book. */
class Reference {
  readonly #levels = [new Map<number, number>(), new Map<number, number>()] as const;

  add(event: MarketEvent): boolean {
    if (event.kind !== 'snapshot' && event.kind !== 'levels') return false;
    const set = (side: 0 | 1, rows: readonly Level[]) => {
      const levels = this.#levels[side];
      if (event.kind === 'snapshot') levels.clear();
      for (const [price, size] of rows) {
        if (size === '0') levels.delete(Number(price));
        else levels.set(Number(price), Number(size));
      }
    };
    set(BUY, event.bids);
    set(SELL, event.asks);
    return true;
  }

  top(side: 0 | 1): string[] {
    const sign = side === BUY ? -1 : 1;
    const rows = [...this.#levels[side]].sort(([a], [b]) => sign * (a - b)).slice(0, DEPTH);
    return rows.map(([price, size]) => `${price} ${size}`);
  }
}

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, seconds: { type: 'string', default: '1200' } },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), 'bourse-bench-replay-'));
try {
  const files =
    positionals.length > 0 ? positionals : await writeMadeUp(folder, { seconds: Number(values.seconds), seed: 1 });
  const read = await readOnly(files);
  const played = await play(files, folder);
  const found = await compare(files, folder);
  const result = {
    machine: `${cpus()[0].model}, ${availableParallelism()} cores`,
    rows: read.rows,
    trades: read.trades,
    recordedSeconds: round(read.recordedMs / 1000, 1),
    readSeconds: round(read.seconds, 2),
    playedSeconds: round(played.seconds, 2),
    rowsPerSecond: Math.round(read.rows / played.seconds),
    tradesPerSecond: Math.round(read.trades / played.seconds),
    timesRealTime: round(read.recordedMs / 1000 / played.seconds, 1),
    ratioToRead: round(read.seconds / played.seconds, 2),
    logBytesPerRow: round(found.logBytes / Math.max(1, read.rows + read.trades), 1),
    rssMb: Math.round(played.rssMb),
    printed: `${found.same} of ${found.wanted}`,
    books: `${found.messages * 2 - found.wrong} of ${found.messages * 2} sides of ${DEPTH} levels`,
    fits: round(found.fits, 4),
  };
  if (values.json) console.log(JSON.stringify(result));
  else for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(18)}${value}`);
  const isRight = found.same === found.wanted && found.prints === found.wanted && found.wrong === 0 && played.ok;
  if (!isRight) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
