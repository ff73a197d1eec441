/** What a recorded file holds, from one pass over it: what `bourse recorded` prints, and what a market can be made from. */
import type { MarketEvent } from './events.ts';
import type { ReadOptions, Recording } from './file.ts';
import { GridFinder } from './grid-finder.ts';
import { timeText } from './times.ts';

export interface RecordingSummary {
  readonly file: string;
  readonly format: string;
  readonly subject: string;
  readonly compression: string;
  readonly header: boolean;
  readonly newestFirst: boolean;
  readonly symbol: string | null;
  /** Of the times in the file, as their magnitude shows. Null for a file without rows. */
  readonly timeUnit: string | null;
  readonly first: string | null;
  readonly last: string | null;
  readonly rows: number;
  /** How many events of each kind. */
  readonly events: Readonly<Record<string, number>>;
  /** The largest step that all prices are multiples of, and all sizes. */
  readonly priceStep: string | null;
  readonly sizeStep: string | null;
  /** What a user should know before relying on the file. */
  readonly notes: readonly string[];
}

/** Reads the whole file. Throws RecordingRefused where it is wrong. */
export async function summaryOf(recording: Recording, options: ReadOptions = {}): Promise<RecordingSummary> {
  const seen = new Seen();
  for await (const events of recording.batches(options)) for (const event of events) seen.add(event);
  const { path, format, subject, compression, hasHeader, newestFirst, reading } = recording;
  return {
    file: path,
    format,
    subject,
    compression,
    header: hasHeader,
    newestFirst,
    symbol: reading.symbol ?? null,
    timeUnit: reading.times.unit ?? null,
    first: seen.firstUs > seen.lastUs ? null : timeText(seen.firstUs),
    last: seen.firstUs > seen.lastUs ? null : timeText(seen.lastUs),
    rows: reading.rows,
    events: seen.counts,
    priceStep: seen.grid.priceStep ?? null,
    sizeStep: seen.grid.sizeStep ?? null,
    notes: [...notesOf(recording), ...seen.notes()],
  };
}

class Seen {
  readonly counts: Record<string, number> = {};
  readonly grid = new GridFinder();
  firstUs = Number.POSITIVE_INFINITY;
  lastUs = Number.NEGATIVE_INFINITY;
  #unknownSides = 0;

  add(event: MarketEvent): void {
    this.counts[event.kind] = (this.counts[event.kind] ?? 0) + 1;
    this.firstUs = Math.min(this.firstUs, event.atUs);
    this.lastUs = Math.max(this.lastUs, event.kind === 'candle' ? event.closeUs : event.atUs);
    if (event.kind === 'trade' && event.side === 'unknown') this.#unknownSides += 1;
    this.grid.add(event);
  }

  notes(): string[] {
    const gaps = this.counts.gap ?? 0;
    return [
      ...(gaps > 0 ? [`${counted(gaps, 'gap')} in which the book is unknown`] : []),
      ...(this.#unknownSides > 0 ? [`without a side: ${counted(this.#unknownSides, 'trade')}`] : []),
    ];
  }
}

function notesOf({ reading, newestFirst }: Recording): string[] {
  const { order, beforeSnapshot, otherSymbols, localAheadUs } = reading;
  return [
    ...(newestFirst ? ['newest row first: turned round in memory'] : []),
    ...(beforeSnapshot > 0 ? [`skipped before the first snapshot: ${counted(beforeSnapshot, 'row')}`] : []),
    ...(otherSymbols > 0 ? [`skipped, of other symbols: ${counted(otherSymbols, 'row')}`] : []),
    ...(order.late > 0 ? [`late: ${counted(order.late, 'row')}, by ${duration(order.latestByUs)} at most`] : []),
    ...(localAheadUs !== undefined && localAheadUs.least < 0
      ? [`the recorder's clock was behind the exchange's, by ${duration(-localAheadUs.least)} at most`]
      : []),
  ];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function duration(us: number): string {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(1)} s`;
}
