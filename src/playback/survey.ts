/** What the files of a recorded market hold, from one pass over all of them: what its market is made from, and their checksums. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Decimal, Subject } from '../recorded/events.ts';
import { GridFinder } from '../recorded/grid-finder.ts';
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
  const grid = new GridFinder();
  let [events, firstMs] = [0, 0];
  for await (const batch of market.batches()) {
    if (events === 0 && batch.length > 0) firstMs = Math.floor(batch[0].atUs / 1000);
    events += batch.length;
    for (const event of batch) grid.add(event);
  }
  const subjects = [...new Set(market.recordings.map(({ subject }) => subject))];
  return {
    symbol: market.symbol,
    subjects,
    events,
    firstMs,
    tick: grid.priceStep,
    step: grid.sizeStep,
    highest: grid.highest,
    largestTrade: grid.largestTrade,
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
