/** The live screen of `bourse watch`, on a terminal of the test's that knows the escape sequences it uses. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { findMarket, type Output, showMarket } from '../../src/cli/watch/run.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';

const scenario = scenarios();

const ESCAPE = '\u001b';
const SEQUENCE = new RegExp(`${ESCAPE}\\[([?\\d;]*)([A-Za-z])|\\r\\n|[^${ESCAPE}\\r\\n]+`, 'g');

/** Shows what is written to it, as a terminal does. It emits 'written' after each write. */
class Terminal extends EventEmitter {
  readonly isTTY = true;
  columns = 80;
  rows = 24;
  /** The alternate screen is shown. */
  isEntered = false;
  hasCursor = true;
  #lines: string[] = [];
  #row = 0;
  #column = 0;

  /** Without the blanks at the ends of lines. */
  get lines(): readonly string[] {
    return Array.from({ length: this.rows }, (_, row) => (this.#lines[row] ?? '').trimEnd());
  }

  write(written: string): boolean {
    const taken = [...written.matchAll(SEQUENCE)];
    assert.equal(taken.map(([whole]) => whole).join(''), written, 'all of it is known');
    for (const [whole, parameters, letter] of taken) {
      if (whole === '\r\n') this.#newLine();
      else if (letter === undefined) this.#print(whole);
      else this.#obey(`${parameters}${letter}`);
    }
    this.emit('written');
    return true;
  }

  /** Resolves when the screen is as asked. */
  async until(isAsAsked: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    while (!isAsAsked(this.lines)) await once(this, 'written');
    return this.lines;
  }

  resize(columns: number): void {
    this.columns = columns;
    this.emit('resize');
  }

  #obey(sequence: string): void {
    if (/^\d*m$/.test(sequence)) return;
    switch (sequence) {
      case '?1049h':
      case '?1049l':
        this.isEntered = sequence.endsWith('h');
        this.#lines = [];
        return;
      case '?25h':
      case '?25l':
        this.hasCursor = sequence.endsWith('h');
        return;
      case 'H':
        [this.#row, this.#column] = [0, 0];
        return;
      case 'K':
        this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
        return;
      default:
        assert.fail(`an unknown sequence ${sequence}`);
    }
  }

  #newLine(): void {
    [this.#row, this.#column] = [this.#row + 1, 0];
    assert.ok(this.#row < this.rows, 'the screen does not scroll');
  }

  #print(text: string): void {
    const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
    this.#lines[this.#row] = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
    assert.ok(this.#column <= this.columns, `a line of at most ${this.columns} columns: ${line}`);
  }
}

/** Begins to watch the perpetual as alice, until `stop`. */
async function watch({ venue }: World, abort = new AbortController()) {
  const terminal = new Terminal();
  const flags = { url: venue.url, key: 'alice-key', secret: 'alice-secret', data: '' };
  const shown = showMarket(
    await findMarket(venue.url, PERP),
    flags,
    terminal as EventEmitter as unknown as Output,
    abort,
  );
  const stop = () => {
    abort.abort();
    return shown;
  };
  return { terminal, stop };
}

const some = (part: string) => (lines: readonly string[]) => lines.some((line) => line.includes(part));
const none = (part: string) => (lines: readonly string[]) => !some(part)(lines);

scenario('the screen follows the market, and leaves the terminal as it was', async (w) => {
  await w.rest('SELL', 101, 7, PERP);
  await w.rest('BUY', 99, 5, PERP);
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 98, size: 2, clOrderID: 'mine' });
  const { terminal, stop } = await watch(w);
  await terminal.until(some('mine'));
  assert.deepEqual([terminal.isEntered, terminal.hasCursor], [true, false]);
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 101, size: 3, clOrderID: 'taker' });
  await w.advance(61_000);
  await w.rest('SELL', 102, 10, PERP);
  assert.deepEqual(await terminal.until(some('102.0')), [
    'BTC-PERP  101.0                                                     00:01:01 UTC',
    '',
    '        price     contracts              trades               price         size',
    '                                         00:00:00  BUY        101.0            3',
    '',
    '',
    '        102.0            10 ██████████',
    '        101.0             4 ████',
    '          2.0 spread',
    '         99.0             5 █████',
    '*        98.0             2 ██',
    '',
    '',
    '',
    '',
    'position                contracts          entry    liquidation         result',
    'LONG                            3          101.0           none      0.00 USDT',
    '',
    'order           size      filled  price                 status         id',
    'BUY                2           0  98.0                  open           mine',
    '',
    '',
    '',
    '',
  ]);
  await w.alice.cancelFuture();
  await w.advance(1);
  await terminal.until(none('mine'));
  await stop();
  assert.deepEqual([terminal.isEntered, terminal.hasCursor, terminal.listenerCount('resize')], [false, true, 0]);
});

scenario('a narrower terminal gets narrower lines', async (w) => {
  await w.rest('BUY', 99, 5, PERP);
  const { terminal, stop } = await watch(w);
  await terminal.until(some('99.0'));
  terminal.resize(40);
  await terminal.until((lines) => lines.every((line) => line.length <= 40));
  assert.ok(some('99.0             5 ██')(terminal.lines));
  await stop();
});

scenario('a lost connection is said in the last line, and the market is shown as it is then', async (w) => {
  await w.rest('BUY', 99, 5, PERP);
  const { terminal, stop } = await watch(w);
  await terminal.until(some('99.0'));
  await w.control.armFault({ closeStreams: true });
  await w.rest('SELL', 103, 1, PERP);
  const lines = await terminal.until(some('connected again'));
  assert.equal(lines.at(-1), 'connected again');
  await terminal.until(some('103.0'));
  await stop();
});

scenario('a client order id with wide or invisible characters keeps the lines as wide as they are', async (w) => {
  const clOrderID = `${'宽'.repeat(30)}\u202e\u200b👍`;
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 98, size: 2, clOrderID });
  const { terminal, stop } = await watch(w);
  const lines = await terminal.until(some('open           ?????'));
  assert.match(lines.join(''), /^[ -~█]*$/);
  await stop();
});

scenario('a screen that is stopped before it begins ends at once, and leaves the terminal as it was', async (w) => {
  const stopped = new AbortController();
  stopped.abort();
  const { terminal, stop } = await watch(w, stopped);
  await stop();
  assert.deepEqual([terminal.isEntered, terminal.hasCursor, terminal.listenerCount('resize')], [false, true, 0]);
});
