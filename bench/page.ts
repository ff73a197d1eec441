/**
 * What the page costs, in a browser as its tests have it (`test/page/browser.ts`):
 *
 * - `paint`: how long a browser that has nothing of it yet takes from the link to the first paint, and until the stream is live.
 * - `tab`: the share of a core that a tab uses while a demo runs at 60 times elapsed time: the processor time of its renderer. The sum of all processes
 *   of the browser is shown beside it. Without a graphics card it is higher than on a desktop.
 * - `lost`: durable signed placements over 128 connections with the market open in a tab, against those with no page in the same round.
 * - `past`: the p99 of these placements while the time machine is used from the page, one seq after the other, against those with no page.
 *
 * usage: node bench/page.ts [--json] [--rounds 5] [--seconds 10] [--dir FOLDER]
 *   --rounds   how often each is measured; the figures are medians
 *   --seconds  how long a tab is watched in each round
 *   --dir      the folder of the log; by default the system's folder for temporary files
 *
 * Exit code 1 if a figure is beyond its limit, and 2 without a browser. On a machine with few cores venue, load and browser share them.
 */
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { startVenue } from '../src/index.ts';
import { launch, linkTo, NO_BROWSER, open, type Shown } from '../test/page/browser.ts';
import { Bench } from './http-processes.ts';
import { median, round } from './yardstick.ts';

const SPEED = 60;
const LOAD = { connections: 128, requests: 60_000, seconds: 3 };
const LIMITS = { paintSeconds: 1, cores: 1, lost: 0.1, p99Ratio: 1.5 };
/** After it a page that was opened only follows. */
const SETTLED_MS = 2000;
/** How long an answer of the time machine is waited for. A click on the seq that is shown needs none. */
const ANSWER_MS = 10_000;

interface Report {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the venue for each placement, and cores that all processes of the browser use meanwhile. */
  readonly cpuMicros: number;
  readonly browserCores: number;
}

interface Result {
  readonly case: string;
  /** What is compared with the limit. */
  readonly figure: number;
  readonly limit: number;
  readonly unit: string;
  /** Beside it. */
  readonly more: Readonly<Record<string, number>>;
}

/** Of a browser that has no file of the page, in seconds. */
async function paint(browser: Browser, venue: Shown): Promise<{ paint: number; live: number }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(await linkTo(venue));
    await page.waitForSelector('.link.live');
    const live = (await page.evaluate('performance.now()')) as number;
    const first = (await page.evaluate(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity",
    )) as number;
    return { paint: first / 1000, live: live / 1000 };
  } finally {
    await context.close();
  }
}

/** Processor time so far, in seconds: of what runs and draws pages, and of all processes of the browser. */
async function processorTime(browser: Browser): Promise<{ renderers: number; all: number }> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sum = (of: typeof processInfo) => of.reduce((total, { cpuTime }) => total + cpuTime, 0);
  return { renderers: sum(processInfo.filter(({ type }) => type === 'renderer')), all: sum(processInfo) };
}

async function measureTab(rounds: number, seconds: number): Promise<Result[]> {
  const venue = await startVenue({ demo: true, clock: 'real', speed: SPEED });
  const browser = await launch();
  try {
    const paints: Awaited<ReturnType<typeof paint>>[] = [];
    for (let i = 0; i < rounds; i++) paints.push(await paint(browser, venue));
    const shares: { renderer: number; all: number }[] = [];
    const { page } = await open(browser, venue, { path: '/?symbol=BTC-PERP' });
    await page.waitForSelector('.trade.up, .trade.down');
    for (let i = 0; i < rounds; i++) {
      const [from, fromMs] = [await processorTime(browser), performance.now()];
      await page.waitForTimeout(seconds * 1000);
      const [to, elapsed] = [await processorTime(browser), (performance.now() - fromMs) / 1000];
      shares.push({ renderer: (to.renderers - from.renderers) / elapsed, all: (to.all - from.all) / elapsed });
    }
    return [
      {
        case: 'paint',
        figure: round(median(paints.map((each) => each.paint)), 3),
        limit: LIMITS.paintSeconds,
        unit: 's',
        more: { liveSeconds: round(median(paints.map(({ live }) => live)), 3) },
      },
      {
        case: 'tab',
        figure: round(median(shares.map(({ renderer }) => renderer)), 3),
        limit: LIMITS.cores,
        unit: 'cores',
        more: { wholeBrowserCores: round(median(shares.map(({ all }) => all)), 3) },
      },
    ];
  } finally {
    await browser.close();
    await venue.close();
  }
}

/**
 * Clicks at one place of the slider after the other, and waits for the state there. Resolves with the first state; what it returns then stops
 * it, and resolves with how many followed.
 */
async function lookingBack(page: Page): Promise<() => Promise<number>> {
  const slider = page.getByRole('slider');
  await slider.waitFor();
  let clicks = 0;
  const look = async (): Promise<number> => {
    clicks += 1;
    const box = await slider.boundingBox();
    if (box === null) throw new Error('the slider is not there');
    const answer = page.waitForResponse((response) => response.url().includes('/control/v1/at/') && response.ok(), {
      timeout: ANSWER_MS,
    });
    await slider.click({ position: { x: 1 + ((clicks * 7919) % Math.floor(box.width - 2)), y: box.height / 2 } });
    return answer.then(
      () => 1,
      () => 0,
    );
  };
  while ((await look()) === 0);
  let stopped = false;
  const looks = (async () => {
    let seen = 0;
    while (!stopped) seen += await look();
    return seen;
  })();
  return () => {
    stopped = true;
    return looks;
  };
}

async function measurePlacements(rounds: number, parent: string): Promise<Result[]> {
  const bench = await Bench.start(parent, undefined);
  const browser = await launch();
  try {
    await bench.venue(LOAD);
    // One session: each page is a tab of it.
    const first = await open(browser, bench);
    await first.page.close();
    const show = (path: string) => open(browser, bench, { path, context: first.context });
    const placements = async (): Promise<Report> => {
      const [venueBefore, before] = [await bench.usage(), await processorTime(browser)];
      const { replies, seconds, p99Ms } = await bench.load(LOAD);
      const [venueAfter, after] = [await bench.usage(), await processorTime(browser)];
      return {
        perSecond: replies / seconds,
        p99Ms,
        cpuMicros: ((venueAfter.cpuSeconds - venueBefore.cpuSeconds) * 1e6) / replies,
        browserCores: (after.all - before.all) / seconds,
      };
    };
    const kinds = {
      none: placements,
      market: async () => {
        const { page } = await show('/?symbol=BTC-USDT');
        await page.waitForSelector('.ladder .mid-last:not(:empty)');
        // What opening it costs is over.
        await page.waitForTimeout(SETTLED_MS);
        const report = await placements();
        await page.close();
        return report;
      },
      past: async () => {
        const { page } = await show('/time');
        const stop = await lookingBack(page);
        const report = await placements();
        seen += await stop();
        await page.close();
        return report;
      },
    };
    let seen = 0;
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    const reports: Record<keyof typeof kinds, Report[]> = { none: [], market: [], past: [] };
    for (let i = 0; i < rounds; i++) {
      for (const name of i % 2 === 0 ? names : names.toReversed()) {
        reports[name].push(await kinds[name]());
        await bench.archived();
      }
    }
    const { none, market, past } = reports;
    const ofMedian = (of: readonly Report[], name: keyof Report, digits: number) =>
      round(median(of.map((each) => each[name])), digits);
    return [
      {
        case: 'lost',
        figure: round(1 - median(market.map(({ perSecond }, i) => perSecond / none[i].perSecond)), 3),
        limit: LIMITS.lost,
        unit: 'of the placements',
        more: {
          perSecondWithout: ofMedian(none, 'perSecond', 0),
          perSecondWith: ofMedian(market, 'perSecond', 0),
          cpuMicrosWithout: ofMedian(none, 'cpuMicros', 0),
          cpuMicrosWith: ofMedian(market, 'cpuMicros', 0),
          browserCores: ofMedian(market, 'browserCores', 2),
        },
      },
      {
        case: 'past',
        figure: round(median(past.map(({ p99Ms }, i) => p99Ms / none[i].p99Ms)), 2),
        limit: LIMITS.p99Ratio,
        unit: 'times the p99',
        more: {
          p99MsWithout: ofMedian(none, 'p99Ms', 1),
          p99MsWith: ofMedian(past, 'p99Ms', 1),
          browserCores: ofMedian(past, 'browserCores', 2),
          statesSeen: seen,
        },
      },
    ];
  } finally {
    await browser.close();
    await bench.stop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '10' },
      dir: { type: 'string' },
    },
  });
  if (NO_BROWSER !== false) {
    console.error(NO_BROWSER);
    process.exitCode = 2;
    return;
  }
  const rounds = Number(values.rounds);
  if (!values.json) {
    const load = loadavg()[0].toFixed(1);
    console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}, load ${load}`);
    console.log('case        figure   limit');
  }
  const say = ({ figure, limit, unit, more, ...rest }: Result) => {
    const meetsLimit = figure <= limit;
    if (!meetsLimit) process.exitCode = 1;
    if (values.json) {
      console.log(JSON.stringify({ ...rest, figure, limit, unit, ...more, meetsLimit }));
      return;
    }
    const beside = Object.entries(more).map(([name, value]) => `${name} ${value}`);
    console.log(
      `${rest.case.padEnd(8)}${String(figure).padStart(10)}${String(limit).padStart(8)} ${unit}; ${beside.join(', ')}${meetsLimit ? '' : '  BEYOND THE LIMIT'}`,
    );
  };
  for (const result of await measureTab(rounds, Number(values.seconds))) say(result);
  for (const result of await measurePlacements(rounds, values.dir ?? tmpdir())) say(result);
}

await main();
