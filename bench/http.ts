/**
 * Durable signed placements over HTTP: `bourse start` with a file log on this machine's disk, against a bare node:http
 * server that checks the same signatures and answers JSON of the same size (http-bare.ts). Venue, yardstick and load
 * each have a process. The load signs its requests before it sends them (http-traffic.ts, http-load.ts).
 *
 * usage: node bench/http.ts [--json] [--dir FOLDER] [--profile FOLDER]
 *   --dir      the folder of the log; by default the system's folder for temporary files
 *   --profile  the folder for a CPU profile of the venue; then the ratios do not count
 *
 * Any reply other than a placed order ends the benchmark with exit code 1.
 */
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { LoadReport } from './http-load.ts';
import { Bench } from './http-processes.ts';
import { median } from './yardstick.ts';

const PAIRS = 5;
const SECONDS = 2;
/**
 * A venue serves for days. The compiler is done with its code after some 200,000 placements. Before that a placement costs
 * up to a half more, and the compiler's threads take the other core. Both sides get as many requests.
 */
const WARM_UP = { connections: 32, requests: 60_000, seconds: 60 };
const WARM_UPS = 4;
/** Requests signed for a run: more than either side is expected to answer in its time. */
const CASES = [
  { connections: 1, requests: 30_000, seconds: SECONDS },
  { connections: 32, requests: 60_000, seconds: SECONDS },
  { connections: 128, requests: 60_000, seconds: SECONDS },
];

const perSecond = ({ replies, seconds }: LoadReport) => replies / seconds;
const round = (value: number, digits: number) => Number(value.toFixed(digits));

async function measure(bench: Bench, load: (typeof CASES)[number]) {
  const venue: LoadReport[] = [];
  const bare: LoadReport[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) bare.push(await bench.bare(load));
    venue.push(await bench.venue(load));
    if (pair % 2 === 1) bare.push(await bench.bare(load));
  }
  return {
    connections: load.connections,
    rps: round(median(venue.map(perSecond)), 0),
    bareRps: round(median(bare.map(perSecond)), 0),
    ratio: round(median(venue.map((report, pair) => perSecond(report) / perSecond(bare[pair]))), 3),
    p50Ms: round(median(venue.map(({ p50Ms }) => p50Ms)), 3),
    p99Ms: round(median(venue.map(({ p99Ms }) => p99Ms)), 3),
    cores: availableParallelism(),
    node: process.version,
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, dir: { type: 'string' }, profile: { type: 'string' } },
  });
  const say = (text: string) => (values.json ? undefined : console.log(text));
  const bench = await Bench.start(values.dir ?? tmpdir(), values.profile);
  try {
    say(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
    say(`a write of 4 KB with fdatasync takes ${round(bench.syncMs(), 3)} ms in ${bench.folder}`);
    for (let i = 0; i < WARM_UPS; i++) {
      await bench.bare(WARM_UP);
      await bench.venue(WARM_UP);
    }
    say('connections  venue/s   bare/s  ratio   p50 ms   p99 ms');
    for (const load of CASES) {
      const result = await measure(bench, load);
      const { connections, rps, bareRps, ratio, p50Ms, p99Ms } = result;
      const cell = (value: number, width: number, digits: number) => value.toFixed(digits).padStart(width);
      if (values.json) console.log(JSON.stringify(result));
      else
        say(
          cell(connections, 11, 0) +
            cell(rps, 9, 0) +
            cell(bareRps, 9, 0) +
            cell(ratio, 7, 3) +
            cell(p50Ms, 9, 3) +
            cell(p99Ms, 9, 3),
        );
    }
  } finally {
    await bench.stop();
  }
}

await main();
