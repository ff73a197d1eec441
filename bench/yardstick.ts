/**
 * The yardstick: a bare price-time book, about the least work that a book can do in this runtime. It has no accounts,
 * no events beyond the reports, no checks, prices and sizes of 32 bits, and takes the client's dense ids as indexes.
 * It also reads the recorded flows, and turns reports into the canonical text whose SHA-256 identifies a correct book.
 * Formats: flows/README.md.
 *
 * usage: node bench/yardstick.ts [scenario ...]    one JSON line per scenario: median speed of five runs, hash
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';

export const SCENARIOS = ['static', 'normal', 'swing-25', 'swing-40', 'flash-crash'] as const;

export const NEW = 0;
export const CANCEL = 1;
export const MODIFY = 2;

/** A recorded flow, one message per row. */
export interface Workload {
  readonly n: number;
  /** NEW, CANCEL or MODIFY. */
  readonly type: Uint8Array;
  /** 0 buy, 1 sell. */
  readonly side: Uint8Array;
  /** 1: the remainder that does not trade at once is cancelled. */
  readonly ioc: Uint8Array;
  readonly size: Int32Array;
  readonly seq: Int32Array;
  /** Dense order ids from 0 to maxId. */
  readonly id: Int32Array;
  readonly price: Int32Array;
  readonly maxId: number;
}

export const ACKNOWLEDGED = 0;
export const TRADE = 1;
export const CANCELLED = 2;
export const MODIFIED = 3;
export const CANCEL_REJECTED = 4;
export const MODIFY_REJECTED = 5;

/** Reports, one per row. `id` is the taker's in a trade. */
export interface Reports {
  readonly type: Uint8Array;
  readonly seq: Int32Array;
  readonly side: Uint8Array;
  readonly id: Int32Array;
  readonly price: Int32Array;
  readonly size: Int32Array;
  readonly maker: Int32Array;
  n: number;
}

export interface Run {
  readonly seconds: number;
  readonly out: Reports;
}

/** Reads a recorded flow into columns. */
export function load(scenario: string): Workload {
  const bytes = zstdDecompressSync(fs.readFileSync(new URL(`flows/${scenario}.bin.zst`, import.meta.url)));
  const n = bytes.readUInt32LE(12);
  const type = new Uint8Array(n);
  const side = new Uint8Array(n);
  const ioc = new Uint8Array(n);
  const size = new Int32Array(n);
  const seq = new Int32Array(n);
  const id = new Int32Array(n);
  const price = new Int32Array(n);
  let maxId = 0;
  for (let i = 0; i < n; i++) {
    const at = 16 + i * 40;
    type[i] = bytes[at];
    side[i] = bytes[at + 1];
    ioc[i] = bytes[at + 2];
    size[i] = bytes.readUInt32LE(at + 4);
    seq[i] = Number(bytes.readBigUInt64LE(at + 8));
    id[i] = Number(bytes.readBigUInt64LE(at + 16));
    price[i] = Number(bytes.readBigInt64LE(at + 24));
    if (id[i] > maxId) maxId = id[i];
  }
  return { n, type, side, ioc, size, seq, id, price, maxId };
}

/** Empty columns with space for all reports that a flow of `messages` makes. */
export function emptyReports(messages: number): Reports {
  const room = messages * 2 + 100_000;
  return {
    type: new Uint8Array(room),
    seq: new Int32Array(room),
    side: new Uint8Array(room),
    id: new Int32Array(room),
    price: new Int32Array(room),
    size: new Int32Array(room),
    maker: new Int32Array(room),
    n: 0,
  };
}

/** Price keys of one side, ascending, the best last; asks use the negated price. */
class Ladder {
  key = new Int32Array(1 << 17);
  head = new Int32Array(1 << 17);
  tail = new Int32Array(1 << 17);
  n = 0;

  find(k: number): number {
    const key = this.key;
    let hi = this.n - 1;
    if (hi < 0 || key[hi] < k) return ~(hi + 1);
    let step = 1;
    let j = hi;
    while (j >= 0 && key[j] > k) {
      hi = j;
      j -= step;
      step <<= 1;
    }
    let lo = Math.max(j, 0);
    while (lo <= hi) {
      const m = (lo + hi) >>> 1;
      const v = key[m];
      if (v < k) lo = m + 1;
      else if (v > k) hi = m - 1;
      else return m;
    }
    return ~lo;
  }

  insert(i: number, k: number, id: number): void {
    if (i < this.n) {
      this.key.copyWithin(i + 1, i, this.n);
      this.head.copyWithin(i + 1, i, this.n);
      this.tail.copyWithin(i + 1, i, this.n);
    }
    this.n++;
    this.key[i] = k;
    this.head[i] = id;
    this.tail[i] = id;
  }

  drop(i: number): void {
    if (i < this.n - 1) {
      this.key.copyWithin(i, i + 1, this.n);
      this.head.copyWithin(i, i + 1, this.n);
      this.tail.copyWithin(i, i + 1, this.n);
    }
    this.n--;
  }
}

/** Kept alive so that V8 keeps the compiled code, as with the first venue in venue.ts. */
export const KEPT = new Ladder();

/** Runs a flow through the yardstick and times it, reports included. */
export function runYardstick(w: Workload): Run {
  const cap = w.maxId + 1;
  const next = new Int32Array(cap);
  const prev = new Int32Array(cap);
  const left = new Int32Array(cap);
  const at = new Int32Array(cap);
  const of = new Uint8Array(cap);
  const live = new Uint8Array(cap);
  const out = emptyReports(w.n);
  const book = [new Ladder(), new Ladder()];
  const report = (
    type: number,
    seq: number,
    side: number,
    id: number,
    price: number,
    size: number,
    maker: number,
  ): void => {
    const r = out.n++;
    out.type[r] = type;
    out.seq[r] = seq;
    out.side[r] = side;
    out.id[r] = id;
    out.price[r] = price;
    out.size[r] = size;
    out.maker[r] = maker;
  };
  const take = (id: number, side: number, price: number, size: number, seq: number): number => {
    const against = book[side ^ 1];
    while (size > 0 && against.n > 0) {
      const top = against.n - 1;
      const p = side === 0 ? -against.key[top] : against.key[top];
      if (side === 0 ? p > price : p < price) break;
      let m = against.head[top];
      while (size > 0 && m >= 0) {
        const fill = Math.min(left[m], size);
        size -= fill;
        report(TRADE, seq, side, id, p, fill, m);
        if (fill === left[m]) {
          live[m] = 0;
          m = next[m];
          if (m >= 0) prev[m] = -1;
        } else left[m] -= fill;
      }
      against.head[top] = m;
      if (m < 0) against.n--;
    }
    return size;
  };
  const rest = (id: number, side: number, price: number, size: number): void => {
    const own = book[side];
    const k = side === 0 ? price : -price;
    next[id] = -1;
    left[id] = size;
    at[id] = price;
    of[id] = side;
    live[id] = 1;
    const i = own.find(k);
    if (i < 0) {
      own.insert(~i, k, id);
      prev[id] = -1;
    } else {
      const t = own.tail[i];
      next[t] = id;
      prev[id] = t;
      own.tail[i] = id;
    }
  };
  const remove = (id: number): void => {
    const p = prev[id];
    const q = next[id];
    live[id] = 0;
    if (p >= 0 && q >= 0) {
      next[p] = q;
      prev[q] = p;
      return;
    }
    const own = book[of[id]];
    const i = own.find(of[id] === 0 ? at[id] : -at[id]);
    if (p >= 0) next[p] = q;
    else own.head[i] = q;
    if (q >= 0) prev[q] = p;
    else own.tail[i] = p;
    if (own.head[i] < 0) own.drop(i);
  };
  const start = process.hrtime.bigint();
  for (let i = 0; i < w.n; i++) {
    const id = w.id[i];
    const seq = w.seq[i];
    const price = w.price[i];
    const size = w.size[i];
    if (w.type[i] === NEW) {
      report(ACKNOWLEDGED, seq, w.side[i], id, price, size, 0);
      const rem = take(id, w.side[i], price, size, seq);
      if (rem > 0) {
        if (w.ioc[i]) report(CANCELLED, seq, w.side[i], id, price, 0, 0);
        else rest(id, w.side[i], price, rem);
      }
    } else if (w.type[i] === CANCEL) {
      if (live[id]) {
        report(CANCELLED, seq, of[id], id, at[id], 0, 0);
        remove(id);
      } else report(CANCEL_REJECTED, seq, 0, id, 0, 0, 0);
    } else if (live[id]) {
      const side = of[id];
      remove(id);
      const rem = take(id, side, price, size, seq);
      if (rem > 0) rest(id, side, price, rem);
      report(MODIFIED, seq, side, id, price, size, 0);
    } else report(MODIFY_REJECTED, seq, 0, id, 0, 0, 0);
  }
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, out };
}

/** SHA-256 over the canonical text of the reports. */
export function canonicalHash(out: Reports): string {
  const hash = createHash('sha256');
  let lines: string[] = [];
  for (let r = 0; r < out.n; r++) {
    lines.push(r === 0 ? reportLine(out, r) : `\n${reportLine(out, r)}`);
    if (lines.length === 20_000) {
      hash.update(lines.join(''));
      lines = [];
    }
  }
  return hash.update(lines.join('')).digest('hex');
}

function reportLine({ type, seq, side, id, price, size, maker }: Reports, r: number): string {
  switch (type[r]) {
    case ACKNOWLEDGED:
    case MODIFIED:
      return `${type[r]},${seq[r]},${side[r]},${id[r]},${price[r]},${size[r]}`;
    case TRADE:
      return `${TRADE},${seq[r]},${price[r]},${size[r]},${maker[r]},${id[r]}`;
    case CANCELLED:
      return `${CANCELLED},${seq[r]},${side[r]},${id[r]},${price[r]}`;
    default:
      return `${type[r]},${seq[r]},${id[r]}`;
  }
}

/** For output: the number with at most so many decimals. */
export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function main(scenarios: readonly string[]): void {
  for (const scenario of scenarios) {
    const workload = load(scenario);
    const runs = Array.from({ length: 5 }, () => runYardstick(workload));
    const mps = median(runs.map((run) => workload.n / run.seconds / 1e6));
    const { out } = runs[0];
    console.log(
      JSON.stringify({
        scenario,
        messages: workload.n,
        reports: out.n,
        mps: +mps.toFixed(2),
        sha256: canonicalHash(out),
      }),
    );
  }
}

if (import.meta.main) main(process.argv.length > 2 ? process.argv.slice(2) : SCENARIOS);
