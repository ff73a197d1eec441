/** What the files of a recorded market hold, from one pass over all of them: what its market is made from, and their checksums. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { compareDecimals, StepFinder } from '../recorded/decimal.ts';
import type { Decimal, MarketEvent, Subject } from '../recorded/events.ts';
import { openMarket } from '../recorded/market.ts';

export interface RecordedFile {
  readonly name: string;
  readonly sha256: string;
}

export interface Survey {
  /** As the files write it. Undefined: they do not say. */
  readonly symbol: string | undefined;
  readonly subjects: readonly Subject[];
  readonly events: number;
  /** The time of the first event, epoch ms. 0: there is none. */
  readonly firstMs: number;
  /** The largest steps that all prices, or all sizes, are multiples of. Undefined: there were none. */
  readonly tick: Decimal | undefined;
  readonly step: Decimal | undefined;
  readonly highest: Decimal;
  readonly largestTrade: Decimal;
}

/** Throws RecordingRefused if a file is wrong anywhere. */
export async function surveyOf(paths: readonly string[], symbol: string | undefined): Promise<Survey> {
  const market = await openMarket(paths, symbol === undefined ? {} : { symbol });
  const [prices, sizes] = [new StepFinder(), new StepFinder()];
  let [events, firstMs, highest, largestTrade] = [0, 0, '0', '0'];
  const price = (value: Decimal) => {
    prices.add(value);
    if (compareDecimals(value, highest) > 0) highest = value;
  };
  const see = (event: MarketEvent) => {
    events += 1;
    if (events === 1) firstMs = Math.floor(event.atUs / 1000);
    switch (event.kind) {
      case 'trade':
        price(event.price);
        sizes.add(event.size);
        if (compareDecimals(event.size, largestTrade) > 0) largestTrade = event.size;
        break;
      case 'snapshot':
      case 'levels':
        for (const [value, size] of [...event.bids, ...event.asks]) {
          price(value);
          sizes.add(size);
        }
        break;
      case 'quote':
        for (const level of [event.bid, event.ask]) {
          if (level === undefined) continue;
          price(level[0]);
          sizes.add(level[1]);
        }
        break;
      case 'candle':
        for (const value of [event.open, event.high, event.low, event.close]) price(value);
        sizes.add(event.volume);
        if (compareDecimals(event.volume, largestTrade) > 0) largestTrade = event.volume;
        break;
      case 'reference':
      case 'gap':
        break;
      default:
        event satisfies never;
    }
  };
  for await (const batch of market.batches()) for (const event of batch) see(event);
  const subjects = [...new Set(market.recordings.map(({ subject }) => subject))];
  return {
    symbol: market.symbol,
    subjects,
    events,
    firstMs,
    tick: prices.step,
    step: sizes.step,
    highest,
    largestTrade,
  };
}

/** The files by name, with the SHA-256 of their bytes. */
export async function checksumsOf(paths: readonly string[]): Promise<RecordedFile[]> {
  const files: RecordedFile[] = [];
  for (const path of paths) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    files.push({ name: basename(path), sha256: hash.digest('hex') });
  }
  return files;
}
