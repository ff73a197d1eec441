/**
 * Runs one scenario: a venue in memory with a manual clock, what the scenario does to it, and a bot as a process.
 *
 * The clock remains at a moment until everything of the scenario that belongs to it is done, and until the bot is idle
 * (bot-waits.ts). With a `speed` it does not wait for the bot: venue time is elapsed time × speed.
 *
 * Then the clock moves to the next moment: by a step, or less if something is due before.
 */
import { ControlClient } from '../client/control.ts';
import { VenueError } from '../client/request.ts';
import { startVenue, type TestVenue } from '../index.ts';
import { partsOf } from '../running-venues.ts';
import { StartRefused } from '../secrets.ts';
import type { RunningVenue } from '../start.ts';
import type { MarketView } from '../venue/views.ts';
import { Bot } from './bot.ts';
import { PATIENCE_MS, sleep, untilFirstRequest, untilIdle, type WaitLimits } from './bot-waits.ts';
import { balanceOf, judge, type Seen } from './conditions.ts';
import { bookOf } from './house.ts';
import type { Scenario, ScenarioWorld } from './load.ts';
import { readPaths } from './paths.ts';
import type { PricePath } from './prices.ts';
import { problemsOfScenario } from './problems.ts';
import { RunRecord } from './record.ts';
import { msOf, ScenarioRefused } from './schema.ts';
import { type Entry, Timeline } from './timeline.ts';
import { venueOptions } from './venue-options.ts';

export interface RunOptions extends WaitLimits {
  readonly scenario: Scenario;
  /** Names it in errors. */
  readonly file: string;
  /** Absent: the one of the scenario. Null: none. */
  readonly bot?: string | null;
  /** Venue time per elapsed time. Absent: the clock waits for the bot. */
  readonly speed?: number;
}

/** How long a bot may take until its first request. */
const FIRST_REQUEST_MS = 30_000;
const USUAL_STEP_MS = 1000;
/** Commands that a result lists. */
const MOST_LOGGED = 10_000;

export interface RunResult {
  readonly name: string;
  readonly file: string;
  readonly ok: boolean;
  readonly about: string;
  readonly account: string;
  readonly startMs: number;
  readonly lengthMs: number;
  /** Elapsed time. */
  readonly tookMs: number;
  readonly deviations: readonly Entry[];
  readonly timeline: readonly Entry[];
  /** By symbol, the price of the scenario: [ms, price]. */
  readonly prices: Readonly<Record<string, readonly (readonly [ms: number, price: number])[]>>;
  /** Of the bot, in the currency of its first market: [ms, equity as exact text]. */
  readonly equity: readonly (readonly [ms: number, equity: string])[];
  readonly currency: string;
  readonly log: readonly { readonly seq: number; readonly time: number; readonly sentence: string }[];
  readonly bot: string | null;
}

/** @throws {ScenarioRefused} the scenario is wrong */
export async function runScenario(options: RunOptions): Promise<RunResult> {
  const beganMs = performance.now();
  const { scenario, file } = options;
  const venue = await startVenue(venueOptions(scenario, file)).catch((error) => {
    throw error instanceof StartRefused ? new ScenarioRefused(file, [error.message]) : error;
  });
  try {
    const run = new Run(options, venue);
    await run.go();
    return { ...(await run.result()), tookMs: performance.now() - beganMs };
  } finally {
    await venue.close().catch(() => {});
  }
}

/** Something that the scenario does at a moment. */
interface Happening {
  readonly ms: number;
  /** After the prices of the moment, not before. */
  readonly isLate: boolean;
  act(): Promise<void>;
}

class Run {
  readonly #options: RunOptions;
  readonly #scenario: Scenario;
  readonly #venue: TestVenue;
  readonly #running: RunningVenue;
  readonly #control: ControlClient;
  readonly #account: string;
  readonly #startMs: number;
  readonly #lengthMs: number;
  readonly #stepMs: number;
  readonly #seen: Seen;
  #paths: readonly PricePath[] = [];
  readonly #happenings: Happening[] = [];
  readonly #timeline: Timeline;
  /** By symbol, what the scenario set last. */
  readonly #priced = new Map<string, { index: number; last: number }>();
  /** The invariants that did not hold: each is said once. */
  readonly #broken = new Set<number>();
  #bot: Bot | null = null;
  #command: string | null = null;

  constructor(options: RunOptions, venue: TestVenue) {
    const { scenario, file } = options;
    this.#options = options;
    this.#scenario = scenario;
    this.#venue = venue;
    this.#running = partsOf(venue);
    this.#control = new ControlClient({ url: venue.control, token: venue.controlToken });
    this.#account = venue.keys[0].account;
    this.#startMs = this.#running.engine.nowMs();
    this.#lengthMs = msOf(scenario.length);
    this.#stepMs = msOf(scenario.step ?? USUAL_STEP_MS);
    const { engine } = this.#running;
    const problems = problemsOfScenario(scenario, {
      venue: engine.venue,
      account: this.#account,
      lengthMs: this.#lengthMs,
      stepMs: this.#stepMs,
    });
    if (problems.length > 0) throw new ScenarioRefused(file, problems);
    const record = new RunRecord(engine, () => this.#judgeNever());
    this.#timeline = new Timeline({ engine, record, account: this.#account, startMs: this.#startMs });
    this.#seen = {
      venue: engine.venue,
      record,
      account: this.#account,
      hits: () => this.#timeline.hits,
      refusals: () => this.#running.context.refusals(),
    };
  }

  #marketOf(symbol: string): MarketView | undefined {
    return this.#running.engine.venue.marketBySymbol(symbol);
  }

  async go(): Promise<void> {
    const moments = this.#plan();
    const seed = this.#running.engine.venue.genesis?.seed ?? 0;
    this.#paths = await readPaths(this.#scenario, this.#options.file, {
      moments,
      seed,
      stepMs: this.#stepMs,
      lengthMs: this.#lengthMs,
      marketOf: (symbol) => this.#marketOf(symbol) as MarketView,
    });
    try {
      for (const ms of moments) {
        await this.#moveTo(ms);
        const now = this.#happenings.filter((each) => each.ms === ms);
        for (const { isLate, act } of now) if (!isLate) await act();
        await this.#setPrices(ms);
        for (const { isLate, act } of now) if (isLate) await act();
        if (this.#bot === null && ms === 0) await this.#startBot();
        else if (this.#options.speed === undefined) await this.#untilIdle();
        this.#lookBack();
        await this.#judgeExpected(ms);
        if (this.#bot?.ended?.failed === true) break;
      }
    } finally {
      await this.#bot?.stop();
    }
    const { ended } = this.#bot ?? { ended: null };
    if (ended?.failed !== true || this.#timeline.ms >= this.#lengthMs) return;
    const left = this.#notJudged();
    const unjudged = left.length === 0 ? '' : `; not judged: ${left.join(', ')}`;
    this.#deviates(`the bot ended before the scenario: ${ended.text}${unjudged}`);
  }

  /** The expectations whose time has not come, by their places in the scenario. */
  #notJudged(): string[] {
    const { expect = [], checks = [] } = this.#scenario;
    const isLeft = (at: number | string | undefined) => msOf(at ?? this.#lengthMs) > this.#timeline.ms;
    return [
      ...expect.flatMap(({ at }, i) => (isLeft(at) ? [`expect[${i}]`] : [])),
      ...checks.flatMap(({ at, name }) => (isLeft(at) ? [name] : [])),
    ];
  }

  /** The moments at which something is done, in order: the steps, and the times that the scenario names. */
  #plan(): number[] {
    const {
      orders = [],
      halts = [],
      expect = [],
      faults = [],
      actions = [],
      checks = [],
      liquidity = [],
    } = this.#scenario;
    const world: ScenarioWorld = { venue: this.#venue, control: this.#control, account: this.#account };
    const plan = (at: number | string, act: () => Promise<void>, isLate = false) =>
      this.#happenings.push({ ms: msOf(at), isLate, act });
    for (const [i, fault] of faults.entries()) plan(0, () => this.#arm(fault, i));
    for (const { symbol, from, until } of halts) {
      plan(from, () => this.#halt(symbol, true));
      if (until !== undefined) plan(until, () => this.#halt(symbol, false));
    }
    for (const [i, { at, account, order }] of orders.entries()) plan(at, () => this.#place(i, account, order), true);
    for (const { at, act } of actions) plan(at, async () => void (await act(world)));
    const named = [
      ...this.#happenings.map(({ ms }) => ms),
      ...expect.flatMap(({ at }) => (at === undefined ? [] : [msOf(at)])),
      ...checks.flatMap(({ at }) => (at === undefined ? [] : [msOf(at)])),
      ...liquidity.flatMap(({ from, until }) => [from, until].flatMap((at) => (at === undefined ? [] : [msOf(at)]))),
      ...(this.#scenario.prices ?? []).flatMap(({ moves = [] }) =>
        moves.flatMap(({ at, from, until }) =>
          [at, from, until].flatMap((time) => (time === undefined ? [] : [msOf(time)])),
        ),
      ),
    ];
    const moments = new Set<number>([0, this.#lengthMs]);
    for (let ms = this.#stepMs; ms < this.#lengthMs; ms += this.#stepMs) moments.add(ms);
    for (const ms of named) if (ms <= this.#lengthMs) moments.add(ms);
    return [...moments].sort((a, b) => a - b);
  }

  async #moveTo(ms: number): Promise<void> {
    const leftMs = ms - this.#timeline.ms;
    if (leftMs <= 0) return;
    const { speed } = this.#options;
    if (speed !== undefined) await sleep(leftMs / speed);
    await this.#control.advance(leftMs);
  }

  async #arm(fault: NonNullable<Scenario['faults']>[number], i: number): Promise<void> {
    const { from, until, ...rest } = fault;
    const times = {
      ...(from !== undefined && { from: this.#startMs + msOf(from) }),
      ...(until !== undefined && { until: this.#startMs + msOf(until) }),
    };
    await this.#accepted(`faults[${i}]`, this.#control.armFault({ ...rest, ...times }));
  }

  async #halt(symbol: string | undefined, halts: boolean): Promise<void> {
    for (const market of this.#running.engine.venue.markets) {
      if (symbol !== undefined && market.symbol !== symbol) continue;
      if (halts) await this.#control.haltMarket(market.symbol);
      else await this.#control.resumeMarket(market.symbol);
    }
    this.#timeline.note('market', `${symbol ?? 'every market'} ${halts ? 'is halted' : 'trades again'}`);
  }

  async #place(i: number, account: string, order: Record<string, unknown>): Promise<void> {
    await this.#accepted(`orders[${i}]`, this.#control.placeAs(account, order));
    const [side, size] = [order.side ?? order.orderSide, order.size ?? order.orderSize ?? ''];
    this.#timeline.note('market', `${account} places ${String(side)} ${String(size)} ${order.symbol}`);
  }

  /** Sets the prices of a moment: the index first, then what rests around it, then the last price. */
  async #setPrices(ms: number): Promise<void> {
    for (const path of this.#paths) {
      const { symbol, sets } = path;
      const market = this.#marketOf(symbol) as MarketView;
      const given = path.at(ms);
      const [index, last] = [given.index, given.last].map((price) => onTick(price, Number(market.spec.tick)));
      const before = this.#priced.get(symbol);
      if (index !== before?.index && sets.includes('index')) await this.#control.setPrices(symbol, { index });
      await this.#quote(market, ms, index);
      if (last !== before?.last && sets.includes('last') && !market.halted)
        await this.#control.setPrices(symbol, { last });
      this.#priced.set(symbol, { index, last });
      this.#timeline.notePrice(symbol, ms, sets.includes('last') ? last : index);
    }
    for (const symbol of new Set((this.#scenario.liquidity ?? []).map((each) => each.symbol))) {
      if (!this.#paths.some((path) => path.symbol === symbol))
        await this.#quote(this.#marketOf(symbol) as MarketView, ms, 0);
    }
  }

  /** Each moment, also if the price is the same: what was traded away is there again. */
  async #quote(market: MarketView, ms: number, price: number): Promise<void> {
    const { liquidity = [] } = this.#scenario;
    if (market.halted || !liquidity.some(({ symbol }) => symbol === market.symbol)) return;
    const book = bookOf(liquidity, market, ms, this.#lengthMs, price);
    await this.#accepted(
      `liquidity of ${market.symbol} at ${timeText(ms)}`,
      this.#control.setBook(market.symbol, book),
    );
  }

  /** What the venue refuses is a mistake of the scenario. @throws {ScenarioRefused} */
  async #accepted(place: string, call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      throw new ScenarioRefused(this.#options.file, [`${place}: ${error.message}`]);
    }
  }

  async #startBot(): Promise<void> {
    const { bot, file, scenario } = this.#options;
    const command = bot === undefined ? scenario.bot?.command : bot;
    if (command === undefined || command === null) return;
    const { url, keys } = this.#venue;
    const symbols = this.#symbols();
    this.#command = command;
    this.#bot = new Bot({
      command,
      env: {
        BOURSE_URL: url,
        BOURSE_STREAMS_URL: url.replace(/^http/, 'ws'),
        BOURSE_ACCOUNT: this.#account,
        BOURSE_KEY: keys[0].key,
        BOURSE_SECRET: keys[0].secret,
        BOURSE_SYMBOLS: symbols.join(','),
        BOURSE_SCENARIO: scenario.name,
        ...scenario.bot?.env,
      },
      onLine: (line) => this.#timeline.note('bot', line),
    });
    if (!(await untilFirstRequest(this.#bot, this.#running.activity, FIRST_REQUEST_MS))) {
      await this.#bot.stop();
      throw new ScenarioRefused(file, [`the bot (${command}) sent no request within ${FIRST_REQUEST_MS / 1000} s`]);
    }
    if (this.#options.speed === undefined) await this.#untilIdle();
  }

  async #untilIdle(): Promise<void> {
    if (this.#bot === null || (await untilIdle(this.#bot, this.#running.activity, this.#options))) return;
    const { patienceMs = PATIENCE_MS } = this.#options;
    this.#timeline.note('note', `the bot was not idle within ${patienceMs} ms: the clock moves on all the same`);
  }

  #lookBack(): void {
    const { faults = [] } = this.#scenario;
    this.#timeline.noteOrders();
    if (faults.length > 0) this.#timeline.noteHits(this.#running.context.faults.states);
    const replayed = this.#replayed;
    if (replayed !== undefined && replayed.last > 0) {
      this.#timeline.notePrice(replayed.symbol, this.#timeline.ms, Number(replayed.fineText(replayed.last)));
    }
    const value = balanceOf(this.#seen.venue, this.#account, this.#currency, 'equity');
    if (value !== null) this.#timeline.noteEquity(value);
  }

  /** The market that plays a recording. */
  get #replayed(): MarketView | undefined {
    return this.#running.engine.venue.recording?.market;
  }

  /** The markets that the scenario is about, the most important first. */
  #symbols(): string[] {
    const { prices = [], liquidity = [] } = this.#scenario;
    const replayed = this.#replayed?.symbol;
    const named = [...prices, ...liquidity].map(({ symbol }) => symbol);
    return [...new Set(replayed === undefined ? named : [replayed, ...named])];
  }

  get #currency(): string {
    const symbol = this.#symbols().at(0);
    return (symbol === undefined ? undefined : this.#marketOf(symbol)?.spec.quote) ?? 'USDT';
  }

  /** After each command. */
  #judgeNever(): void {
    for (const [i, { why, ...condition }] of (this.#scenario.never ?? []).entries()) {
      const { holds, text } = judge(condition, this.#seen);
      if (!holds || this.#broken.has(i)) continue;
      this.#broken.add(i);
      this.#deviates(`${text}, and never should be${why === undefined ? '' : `: ${why}`}`);
    }
  }

  async #judgeExpected(ms: number): Promise<void> {
    const isDue = (at: number | string | undefined) => (at === undefined ? ms === this.#lengthMs : msOf(at) === ms);
    for (const { at, why, ...condition } of this.#scenario.expect ?? []) {
      if (!isDue(at)) continue;
      const { holds, text } = judge(condition, this.#seen);
      if (holds) this.#timeline.note('expected', text);
      else this.#deviates(`${text}${why === undefined ? '' : `: ${why}`}`);
    }
    const world: ScenarioWorld = { venue: this.#venue, control: this.#control, account: this.#account };
    for (const { at, name, check } of this.#scenario.checks ?? []) {
      if (!isDue(at)) continue;
      try {
        if ((await check(world)) === false) this.#deviates(name);
        else this.#timeline.note('expected', name);
      } catch (error) {
        this.#deviates(`${name}: ${(error as Error).message}`);
      }
    }
  }

  #deviates(text: string): void {
    this.#timeline.note('deviation', text);
  }

  /** The commands of the run, each in a sentence. */
  async #log(): Promise<RunResult['log']> {
    const lines: { seq: number; time: number; sentence: string }[] = [];
    const { seq: last } = this.#running.engine.venue;
    while (lines.length < Math.min(last, MOST_LOGGED)) {
      const { commands } = await this.#control.commands(lines.length + 1, 100);
      if (commands.length === 0) break;
      for (const { seq, time, sentence } of commands) lines.push({ seq, time, sentence });
    }
    return lines;
  }

  async result(): Promise<Omit<RunResult, 'tookMs'>> {
    const { scenario, file } = this.#options;
    const { entries, prices, equity } = this.#timeline;
    const deviations = entries.filter(({ kind }) => kind === 'deviation');
    return {
      name: scenario.name,
      file,
      ok: deviations.length === 0,
      about: scenario.about ?? '',
      account: this.#account,
      startMs: this.#startMs,
      lengthMs: this.#lengthMs,
      deviations,
      timeline: entries,
      prices,
      equity,
      currency: this.#currency,
      log: await this.#log(),
      bot: this.#command,
    };
  }
}

function onTick(price: number, tick: number): number {
  const decimals = Math.max(0, -Math.floor(Math.log10(tick)));
  return Number((Math.max(1, Math.round(price / tick)) * tick).toFixed(decimals));
}

/** Time since the beginning: 1m05s, 0.5s. */
function timeText(ms: number): string {
  const seconds = (ms % 60_000) / 1000;
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${seconds}s`;
  const hours = Math.floor(minutes / 60);
  const rest = `${hours > 0 ? String(minutes % 60).padStart(2, '0') : minutes}m${String(seconds).padStart(2, '0')}s`;
  return hours > 0 ? `${hours}h${rest}` : rest;
}
