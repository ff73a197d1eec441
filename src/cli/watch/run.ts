/** Shows a market until it is stopped: as a screen on a terminal, elsewhere as plain lines. */
import { request, VenueError } from '../../client/request.ts';
import { StreamError } from '../../client/streams.ts';
import { printable, say, UsageError } from '../output.ts';
import { answered, givenCredentials, type WireFlags } from '../wire-options.ts';
import { Lines } from './lines.ts';
import { Picture, type WatchedMarket } from './picture.ts';
import { screen } from './screen.ts';
import { type Change, watch } from './watcher.ts';

export interface WatchFlags extends WireFlags {
  once?: boolean;
}

const NO_KEY =
  'own orders are not shown: give --key and --secret, or --data (or BOURSE_DATA) with the folder of a demo';
const REDRAW_MS = 100;
/** How long streams may take to close. */
const CLOSE_MS = 500;
/** Without a terminal that has a size. */
const SIZE = { columns: 80, rows: 24 };
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_TO_END_OF_LINE = '\u001b[K';

/** Until the market is found, a signal ends the process at once: there is no terminal to restore yet. */
export async function runWatch(name: string, flags: WatchFlags): Promise<void> {
  const market = await findMarket(flags.url, name);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await showMarket(market, flags, process.stdout, stop);
  // A venue that hangs does not answer the close of a stream, and its open socket would keep this process.
  setTimeout(() => process.exit(), CLOSE_MS).unref();
}

/** What the market is shown on: standard output. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'on' | 'off'> &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>>;

/** Shows a market on `output` until `stop` is aborted. @throws {UsageError} */
export async function showMarket(
  market: WatchedMarket,
  flags: WatchFlags,
  output: Output,
  stop: AbortController,
): Promise<void> {
  const { url, once = false } = flags;
  const credentials = givenCredentials(flags);
  const picture = new Picture(market);
  const hasOwn = credentials !== null;
  const show = once
    ? printOnce(picture, output, hasOwn, stop)
    : output.isTTY
      ? drawScreen(picture, output, hasOwn)
      : printLines(picture, output);
  if (!hasOwn) show.change({ kind: 'said', text: NO_KEY });
  try {
    await watch({ url, credentials, picture, onChange: show.change }, stop.signal);
  } catch (error) {
    throw error instanceof StreamError ? new UsageError(error.message, { cause: error }) : error;
  } finally {
    show.end();
  }
}

interface Shown {
  readonly change: (change: Change) => void;
  readonly end: () => void;
}

function printLines(picture: Picture, output: Output): Shown {
  const lines = new Lines(picture);
  return {
    change(change) {
      if (change.kind === 'said') say(`bourse: ${change.text}`);
      const line = lines.of(change);
      if (line !== undefined) output.write(`${printable(line)}\n`);
    },
    end() {},
  };
}

/** Prints the screen when the picture is whole, and stops. */
function printOnce(picture: Picture, output: Output, hasOwn: boolean, stop: AbortController): Shown {
  return {
    change(change) {
      if (change.kind === 'said') say(`bourse: ${change.text}`);
      if (change.kind !== 'ready') return;
      const { columns = SIZE.columns, rows = SIZE.rows, isTTY = false } = output;
      const lines = screen(picture, { columns, rows, hasOwn, said: '', colours: isTTY });
      output.write(`${lines.join('\n').trimEnd()}\n`);
      stop.abort();
    },
    end() {},
  };
}

/** Redraws the whole terminal at most every REDRAW_MS. */
function drawScreen(picture: Picture, output: Output, hasOwn: boolean): Shown {
  let said = '';
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    timer = undefined;
    const { columns = SIZE.columns, rows = SIZE.rows } = output;
    const lines = screen(picture, { columns, rows, hasOwn, said, colours: true });
    output.write(HOME + lines.map((line) => line + CLEAR_TO_END_OF_LINE).join('\r\n'));
  };
  const redraw = () => {
    timer ??= setTimeout(draw, REDRAW_MS);
  };
  output.write(ENTER);
  output.on('resize', redraw);
  redraw();
  return {
    change(change) {
      if (change.kind === 'said') said = change.text;
      redraw();
    },
    end() {
      clearTimeout(timer);
      output.off('resize', redraw);
      output.write(LEAVE);
    },
  };
}

interface MarketRecord {
  readonly symbol: string;
  readonly type: string;
  readonly tradeCurrency: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly pricePrecision: number;
  readonly sizePrecision: number;
  readonly contractSize?: string;
}

/** The market of that name, as `markets` lists it. @throws {UsageError} */
export async function findMarket(url: string, name: string): Promise<WatchedMarket> {
  const path = '/public-api/market/v1/markets';
  const reply = await answered(url, 'try again', () => request(url, 'GET', path)).catch(notVenue(url));
  const records = (reply as { data?: { symbols?: MarketRecord[] } } | null)?.data?.symbols;
  if (!Array.isArray(records)) throw new UsageError(`${url} does not answer as a venue does`);
  const markets = records.map(marketOf);
  const wanted = name.toUpperCase();
  const found = markets.find(({ symbol, id }) => symbol === wanted || id === wanted);
  if (found !== undefined) return found;
  throw new UsageError(`there is no market ${name}: there are ${markets.map(({ symbol }) => symbol).join(', ')}`);
}

function notVenue(url: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof VenueError ? new UsageError(`${url}: ${error.message}`) : error;
  };
}

function marketOf(record: MarketRecord): WatchedMarket {
  const isSpot = record.type === 'Spot';
  return {
    symbol: isSpot ? record.symbol : record.tradeCurrency,
    id: record.symbol,
    product: isSpot ? 'spot' : 'futures',
    priceDecimals: record.pricePrecision,
    sizeDecimals: record.sizePrecision,
    base: record.baseCurrency,
    quote: record.quoteCurrency,
    contractSize: Number(record.contractSize ?? 1),
  };
}
