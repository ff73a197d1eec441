/** Whether a venue prints every recorded trade and shows the recorded book after each message, for replay.ts. */
import { join } from 'node:path';
import { startVenue } from '../src/index.ts';
import { GroupSource } from '../src/playback/source.ts';
import type { Level, MarketEvent } from '../src/recorded/events.ts';
import { openMarket } from '../src/recorded/market.ts';
import { BUY, SELL } from '../src/venue/contract/units.ts';
import { Venue } from '../src/venue/venue.ts';

export const DEPTH = 20;

/** Plays the groups into a venue without a log, and compares each print and each book with the recording. */
export async function compare(files: readonly string[], folder: string) {
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
    ...{ tick, step, maxPriceTicks: Number(maxPrice) / Number(tick), fit: false, depth: null, recordedFunding: false },
  });
  const reference = new Reference();
  const events = eventsOf(files);
  const wanted: string[] = [];
  let [position, messages, wrong] = [0, 0, 0];
  for (let group = await source.peek(); group !== undefined; group = await source.peek()) {
    source.take();
    const toMs = venue.timeMs;
    const command = { v: 1, type: 'market', market: market.index, toMs, ...group } as const;
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
  return {
    prints: prints.length,
    same,
    wanted: wanted.length,
    messages,
    wrong,
    fits: tradesFit / trades,
  };
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
