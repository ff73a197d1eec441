/**
 * Shows the progress of long work: on a terminal in one line that is overwritten, elsewhere in a log line every five
 * seconds. Work that ends sooner shows nothing.
 */
import { say } from './output.ts';

const TERMINAL_MS = 200;
const LINE_MS = 5000;
export const CLEAR_LINE = '\r\u001b[K';

export interface ProgressOptions {
  /** The terminal to write to. Undefined if there is none. */
  terminal?: { write(text: string): unknown } | undefined;
  /** Prints a line if there is no terminal. */
  line?: (text: string) => void;
  nowMs?: () => number;
}

export class ProgressLine {
  readonly #terminal: ProgressOptions['terminal'];
  readonly #line: (text: string) => void;
  readonly #nowMs: () => number;
  #step = '';
  #begunMs = 0;
  #toldMs = 0;
  #shown = false;

  constructor({ terminal, line = say, nowMs = () => performance.now() }: ProgressOptions = {}) {
    this.#terminal = terminal;
    this.#line = line;
    this.#nowMs = nowMs;
  }

  /** The present step, and the share of it that is done, 0 to 1. */
  report(step: string, fraction: number): void {
    const now = this.#nowMs();
    if (step !== this.#step) {
      this.#step = step;
      this.#begunMs = now;
      this.#toldMs = now;
    }
    if (now - this.#toldMs < (this.#terminal === undefined ? LINE_MS : TERMINAL_MS)) return;
    this.#toldMs = now;
    const seconds = (now - this.#begunMs) / 1000;
    const left = fraction > 0 ? `, about ${Math.ceil((seconds * (1 - fraction)) / fraction)} s left` : '';
    const text = `${step}: ${Math.floor(100 * fraction)} %${left}`;
    if (this.#terminal === undefined) this.#line(text);
    else this.#terminal.write(CLEAR_LINE + text);
    this.#shown = true;
  }

  /** Removes the line. */
  done(): void {
    if (this.#shown) this.#terminal?.write(CLEAR_LINE);
    this.#shown = false;
  }
}

/** On standard error, if that is a terminal. */
export function progressOnTerminal(): ProgressLine {
  return new ProgressLine({ terminal: process.stderr.isTTY ? process.stderr : undefined });
}
