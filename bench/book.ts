/**
 * The venue's order book on the five recorded flows, through its public interface, against the yardstick in the same
 * process. The adapter below does what an exchange does around a book: it resolves client ids to handles, matches price
 * by price, and reports everything that happens. Both sides read the same columns and write reports of the same form.
 * The hash of the reports must be the published one.
 *
 * usage: node bench/book.ts [--json] [scenario ...]    exit code 1 if a hash differs
 */

import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { BUY, NONE, SELL, type Side } from '../src/venue/contract/units.ts';
import { Book } from '../src/venue/structures/order-book.ts';
import {
  ACKNOWLEDGED,
  CANCEL,
  CANCEL_REJECTED,
  CANCELLED,
  canonicalHash,
  emptyReports,
  load,
  MODIFIED,
  MODIFY_REJECTED,
  median,
  NEW,
  type Run,
  runYardstick,
  SCENARIOS,
  TRADE,
  type Workload,
} from './yardstick.ts';

/** SHA-256 of the reports of a correct book: flows/README.md. */
export const HASHES: Record<string, string> = {
  static: 'fbcbfa39b85a7fb8e8cad47e66d81150a06dd7384cec453a3bd26e25c5c19891',
  normal: '63723251aa09ac094a92c865bdcb9bc4b9b6dfcb95ef9eb3ee30cdea3da6da4a',
  'swing-25': '8a1360140a86227096904ce58bfead4afa2881ee2ef16e8ade5cf9ab28042736',
  'swing-40': '7334277782b6db1c3fedba939650b53573229bf132644e88e422be09a54e2b56',
  'flash-crash': '92d2fcfeb952c9b59ebb72d285712cf5160b640c373ef861fc9c3f6d56e8ee8b',
};

const PAIRS = 9;

/** Runs a flow through the venue's book and times it, reports included. */
export function runBook(w: Workload): Run {
  const book = new Book();
  const handles = new Int32Array(w.maxId + 1).fill(NONE);
  const out = emptyReports(w.n);
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
  /** Trades against the other side up to the limit price. Returns the remaining size. */
  const take = (id: number, side: Side, price: number, size: number, seq: number): number => {
    const against = side === BUY ? SELL : BUY;
    let rest = size;
    while (rest > 0) {
      const makerPrice = book.bestPrice(against);
      if (makerPrice === NONE || (side === BUY ? makerPrice > price : makerPrice < price)) break;
      const maker = book.front(against);
      const makerId = book.owner(maker);
      const lots = Math.min(book.size(maker), rest);
      if (book.fill(maker, lots) === 0) handles[makerId] = NONE;
      rest -= lots;
      report(TRADE, seq, side, id, makerPrice, lots, makerId);
    }
    return rest;
  };
  const start = process.hrtime.bigint();
  for (let i = 0; i < w.n; i++) {
    const id = w.id[i];
    const seq = w.seq[i];
    const price = w.price[i];
    const size = w.size[i];
    const handle = handles[id];
    if (w.type[i] === NEW) {
      const side = w.side[i] as Side;
      report(ACKNOWLEDGED, seq, side, id, price, size, 0);
      const rest = take(id, side, price, size, seq);
      if (rest > 0) {
        if (w.ioc[i]) report(CANCELLED, seq, side, id, price, 0, 0);
        else handles[id] = book.add(side, price, rest, id);
      }
    } else if (handle === NONE) {
      report(w.type[i] === CANCEL ? CANCEL_REJECTED : MODIFY_REJECTED, seq, 0, id, 0, 0, 0);
    } else if (w.type[i] === CANCEL) {
      report(CANCELLED, seq, book.side(handle), id, book.price(handle), 0, 0);
      book.remove(handle);
      handles[id] = NONE;
    } else {
      const side = book.side(handle);
      book.remove(handle);
      const rest = take(id, side, price, size, seq);
      handles[id] = rest > 0 ? book.add(side, price, rest, id) : NONE;
      report(MODIFIED, seq, side, id, price, size, 0);
    }
  }
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, out };
}

interface Case {
  readonly scenario: string;
  readonly sha256: string;
  readonly mps: number;
  readonly yardstickMps: number;
  readonly ratio: number;
  readonly cores: number;
  readonly node: string;
}

/** One warm-up pair, then nine pairs, with either side first in turn. The ratio is the median of the pairs. */
function measure(scenario: string): Case {
  const workload = load(scenario);
  const sha256 = canonicalHash(runBook(workload).out);
  if (canonicalHash(runYardstick(workload).out) !== HASHES[scenario])
    throw new Error(`the yardstick fails ${scenario}`);
  const book: number[] = [];
  const yardstick: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) yardstick.push(runYardstick(workload).seconds);
    book.push(runBook(workload).seconds);
    if (pair % 2 === 1) yardstick.push(runYardstick(workload).seconds);
  }
  const millions = workload.n / 1e6;
  return {
    scenario,
    sha256,
    mps: rounded(millions / median(book)),
    yardstickMps: rounded(millions / median(yardstick)),
    ratio: rounded(median(book.map((seconds, pair) => yardstick[pair] / seconds))),
    cores: availableParallelism(),
    node: process.version,
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function main(): void {
  const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
  const unknown = positionals.find((name) => !Object.hasOwn(HASHES, name));
  if (unknown !== undefined) throw new Error(`no scenario ${unknown}; there are ${SCENARIOS.join(', ')}`);
  const cases = (positionals.length > 0 ? positionals : SCENARIOS).map(measure);
  if (values.json) for (const result of cases) console.log(JSON.stringify(result));
  else printTable(cases);
  for (const { scenario, sha256 } of cases) {
    if (sha256 === HASHES[scenario]) continue;
    console.error(`${scenario}: the reports' hash is ${sha256}, not ${HASHES[scenario]}`);
    process.exitCode = 1;
  }
}

function printTable(cases: readonly Case[]): void {
  console.log(`book on recorded flows: Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
  console.log('scenario      M msg/s  yardstick  ratio  reports');
  for (const { scenario, mps, yardstickMps, ratio, sha256 } of cases) {
    const columns = [mps.toFixed(2).padStart(7), yardstickMps.toFixed(2).padStart(9), ratio.toFixed(2).padStart(5)];
    const verdict = sha256 === HASHES[scenario] ? 'as published' : 'WRONG';
    console.log(`${scenario.padEnd(13)} ${columns.join('  ')}  ${verdict}`);
  }
  const worst = cases.toSorted((a, b) => a.ratio - b.ratio)[0];
  console.log(`worst scenario: ${worst.scenario}, ${worst.ratio.toFixed(2)} of the yardstick`);
}

if (import.meta.main) main();
