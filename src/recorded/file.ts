/**
 * One recorded file as a stream of events. The beginning shows its format; then the file is read from the start again, once for
 * each call of `batches`. In memory are one piece of the file and one message, except for files with the newest row first.
 */
import type { MarketEvent, Subject } from './events.ts';
import { formatOf, refuseKnown } from './formats/detect.ts';
import { type Format, type Head, Reading } from './formats/format.ts';
import { RecordingRefused, RowProblem } from './refused.ts';
import { arrayBatches, lineBatches } from './rows.ts';
import { type Compression, openSource, type Source, textOf } from './source.ts';

/** How much of a file shows its format. */
const HEAD_LENGTH = 1 << 16;
/** A file with the newest row first must be turned round in memory. Ten years of minutes have 5.3 million. */
const MAX_TURNED = 6_000_000;

/** What the name of a format says of its text. */
const OF_TEXT = /, CSV with a header$/;

export interface RecordingOptions {
  /** Of a file with several symbols, the one to read. */
  readonly symbol?: string;
}

export interface ReadOptions {
  /** Gets the share of the file that has been read, from 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/** Looks at the beginning of a file. Throws RecordingRefused if it cannot be read. */
export async function openRecording(path: string, options: RecordingOptions = {}): Promise<Recording> {
  const source = await openSource(path);
  const isPlain = source.compression === 'none' && source.table === undefined;
  refuseKnown(source, isPlain ? source.magic.toString('latin1') : '');
  const text = await beginning(source);
  refuseKnown(source, text);
  return new Recording(source, formatOf(headOf(source, text)), options);
}

/** A file whose format is known. */
export class Recording {
  readonly path: string;
  /** For people, such as `Tardis trades`. */
  readonly format: string;
  readonly subject: Subject;
  readonly compression: Compression;
  readonly hasHeader: boolean;
  readonly newestFirst: boolean;
  readonly #source: Source;
  readonly #format: Format;
  readonly #symbol: string | undefined;
  #reading: Reading;

  constructor(source: Source, format: Format, { symbol }: RecordingOptions) {
    this.path = source.path;
    this.format = source.table === undefined ? format.name : `${format.name.replace(OF_TEXT, '')}, ${source.table}`;
    this.subject = format.subject;
    this.compression = source.compression;
    this.hasHeader = format.skip > 0;
    this.newestFirst = format.newestFirst;
    this.#source = source;
    this.#format = format;
    this.#symbol = symbol;
    this.#reading = this.#newReading();
  }

  /** What the latest pass has seen so far: unit of time, symbol, rows, what was skipped. */
  get reading(): Reading {
    return this.#reading;
  }

  #newReading(): Reading {
    const { newestFirst, symbol } = this.#format;
    if (this.#symbol !== undefined && symbol !== undefined && this.#symbol !== symbol) {
      throw new RecordingRefused(this.path, `this is ${symbol}, and ${this.#symbol} is wanted`);
    }
    return new Reading(newestFirst, this.#symbol, symbol);
  }

  /** All events in the order of the file, oldest first. Throws RecordingRefused where the file is wrong. */
  async *batches(options: ReadOptions = {}): AsyncGenerator<readonly MarketEvent[]> {
    this.#reading = this.#newReading();
    if (!this.#format.newestFirst) {
      yield* this.#inFileOrder(this.#reading, options);
      return;
    }
    const all: MarketEvent[] = [];
    for await (const events of this.#inFileOrder(this.#reading, options)) {
      for (const event of events) all.push(event);
      if (all.length > MAX_TURNED) {
        const reason = `the newest row is first, and more than ${MAX_TURNED} rows are too many to turn round: sort it`;
        throw new RecordingRefused(this.path, reason);
      }
    }
    yield all.reverse();
  }

  async *#inFileOrder(reading: Reading, { onProgress }: ReadOptions): AsyncGenerator<MarketEvent[]> {
    const { skip, rows } = this.#format;
    const reader = this.#format.reader(reading);
    const size = this.#source.member?.compressedSize ?? this.#source.size;
    const text = textOf(this.#source, (bytes) => onProgress?.(size === 0 ? 1 : bytes / size));
    let line = 0;
    try {
      for await (const batch of rows === 'lines' ? lineBatches(text) : arrayBatches(text)) {
        const out: MarketEvent[] = [];
        for (const row of batch) {
          line += 1;
          if (line <= skip || row === '') continue;
          reading.rows += 1;
          reader.row(row, out);
        }
        if (out.length > 0) yield out;
      }
      const out: MarketEvent[] = [];
      reader.end?.(out);
      if (out.length > 0) yield out;
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      const isTable = this.#source.table !== undefined;
      const what = rows === 'lines' && !isTable ? 'line' : 'row';
      throw new RecordingRefused(this.path, error.message, isTable ? line - skip : line, what);
    }
  }
}

/** Damage behind the beginning is reported, with its line, by the pass that reaches it. */
async function beginning(source: Source): Promise<string> {
  let text = '';
  try {
    for await (const chunk of textOf(source)) {
      text += chunk;
      if (text.length >= HEAD_LENGTH) break;
    }
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    if (text === '') throw new RecordingRefused(source.path, error.message, 1);
  }
  return text;
}

/** The last line may be cut, and then does not count, except where it is the only one. */
function headOf({ path, name }: Source, text: string): Head {
  const cut = text.length >= HEAD_LENGTH && text.includes('\n');
  const lines = text.slice(0, cut ? text.lastIndexOf('\n') : undefined).split(/\r?\n/);
  return { path, name, lines: lines.filter((line) => line !== '') };
}
