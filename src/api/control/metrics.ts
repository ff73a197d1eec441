/**
 * The metrics of a venue as Prometheus text, from the events of the venue, the batches of the engine and the replies of
 * the gateway. No other code reads them. Figures of the process itself (memory, event loop) are collected from the
 * first scrape on, so a venue without scrapes does not pay for them.
 *
 * Cost for the venue's thread: a counter for an event, and for a scrape a walk over currencies and connections. The
 * archive's thread measures the files (archive/thread/folder-sizes.ts).
 */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FolderSizes } from '../../archive/thread/folder-sizes.ts';
import { realWorld } from '../../engine/contract/world.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import type { EventHandlers } from '../../venue/contract/events.ts';
import type { Venue } from '../../venue/venue.ts';
import type { Surface } from '../shared/surface.ts';

const SYNC_SECONDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5];
const STREAM_SECONDS = [
  0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.075, 0.1, 0.15, 0.2,
  0.3, 0.5, 1, 5,
];
const HTTP_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30];

/** Values that are read at each scrape. */
export interface MeteredEngine {
  readonly venue: Venue;
  readonly waiting: number;
  readonly queueMs: number;
  readonly epoch: number;
  /** How often the machine's clock was refused. */
  readonly clockRefusals: number;
  /** The difference between a real clock and the machine's; null on a manual clock. */
  readonly clock: { readonly offsetMs: number; readonly problem: string | undefined } | null;
}

/** The streams at each scrape. */
export interface MeteredStreams {
  readonly connections: number;
  readonly topics: number;
}

/** The replay of a recorded market at each scrape. */
export interface MeteredReplay {
  readonly lagMs: number;
  readonly fits: number;
  readonly takenRatio: number;
}

/** The data folder at each scrape. */
export interface MeteredArchive {
  /** The last command in the archive. */
  readonly seq: number;
  /** Undefined: not known at present. */
  sizes(): Promise<FolderSizes | undefined>;
}

/** Commands of clients that were refused for one reason, since the process began. */
export interface Refusals {
  readonly reason: string;
  readonly count: number;
  /** Of the last one that is in the log. Null: none is. */
  readonly lastSeq: number | null;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #orders = this.#tally('bourse_orders_total', 'Orders accepted', ['market', 'kind']);
  readonly #fills = this.#tally('bourse_fills_total', 'Trades', ['market']);
  readonly #liquidations = this.#counter(
    'bourse_liquidations_total',
    'Orders of the venue that close positions: partial, or forced at the end',
    ['market', 'kind'],
  );
  readonly #deleveraged = this.#counter(
    'bourse_deleveraged_total',
    'Positions of others that auto-deleveraging closed or reduced',
    ['market'],
  );
  readonly #fundReceived = this.#counter(
    'bourse_insurance_received_total',
    'What the insurance fund received since the start: fees of liquidations, and what accounts had left',
    ['currency'],
  );
  readonly #fundPaid = this.#counter(
    'bourse_insurance_paid_total',
    'What the insurance fund paid since the start, for bankrupt accounts',
    ['currency'],
  );
  readonly #batches = this.#counter('bourse_batches_total', 'Batches made durable', []);
  readonly #commands = this.#counter('bourse_commands_total', 'Commands made durable', []);
  readonly #requests = this.#tally('bourse_http_requests_total', 'HTTP requests answered', ['surface', 'status']);
  readonly #refusals = this.#counter('bourse_commands_refused_total', 'Commands of clients refused', ['reason']);
  readonly #connectionsRefused = this.#counter(
    'bourse_connections_refused_total',
    'Connections refused because too many were open',
    ['listener'],
  );
  readonly #tooSlow = this.#counter(
    'bourse_control_stream_dropped_total',
    'Readers of the control stream that were closed because they read too slowly',
    [],
  );
  readonly #limited = this.#counter('bourse_rate_limited_total', 'Requests refused by a rate limit', [
    'kind',
    'of',
    'block_seconds',
  ]);
  readonly #sync = new Histogram({
    name: 'bourse_log_sync_seconds',
    help: 'Time to make a batch durable',
    buckets: SYNC_SECONDS,
    registers: [this.#registry],
  });
  readonly #http = new Histogram({
    name: 'bourse_http_seconds',
    help: 'Time to answer an HTTP request',
    buckets: HTTP_SECONDS,
    registers: [this.#registry],
  });
  readonly #streams = new Histogram({
    name: 'bourse_stream_seconds',
    help: 'Time from when a batch is durable until its frames are written to the sockets of all subscribers',
    labelNames: ['kind'],
    buckets: STREAM_SECONDS,
    registers: [this.#registry],
  });
  /** By reason. */
  readonly #refused = new Map<string, Omit<Refusals, 'reason'>>();
  #engine: MeteredEngine | null = null;
  #archive: MeteredArchive | null = null;
  /** What sets the gauges of the data folder. */
  readonly #showSizes: ((sizes: FolderSizes | undefined) => void)[] = [];

  /** How the paths of each surface begin. */
  readonly #prefixes: readonly { readonly prefix: string; readonly name: string }[];

  constructor(surfaces: readonly Surface[]) {
    this.#prefixes = surfaces.map(({ basePath, name }) => ({ prefix: `${basePath}/`, name }));
    this.#gauge('bourse_queue_length', 'Commands that wait for the next batch', ({ waiting }) => waiting);
    this.#gauge(
      'bourse_queue_seconds',
      'Estimated wait of a command that arrives now',
      ({ queueMs }) => queueMs / 1000,
    );
    this.#gauge('bourse_sequence', 'Sequence number of the last applied command', ({ venue }) => venue.seq);
    this.#gauge('bourse_epoch', 'Starts of this log', ({ epoch }) => epoch);
    this.#gauge('bourse_open_orders', 'Open orders', ({ venue }) => venue.counts().orders);
    this.#gauge('bourse_clock_offset_seconds', "The machine's clock less the venue's", ({ clock }) =>
      clock === null ? 0 : clock.offsetMs / 1000,
    );
    this.#gauge('bourse_clock_refused', "1 while the machine's clock is not followed", ({ clock }) =>
      clock?.problem === undefined ? 0 : 1,
    );
    this.#gauge(
      'bourse_clock_refusals',
      "How often the machine's clock was refused since the start",
      ({ clockRefusals }) => clockRefusals,
    );
    this.#fundGauge('bourse_insurance_fund', 'Balance of the insurance fund, 0 if it is negative', 1n);
    this.#fundGauge('bourse_insurance_deficit', 'Amount by which the insurance fund is below zero', -1n);
  }

  /** The engine whose figures are shown from now on. */
  watch(engine: MeteredEngine): void {
    this.#engine = engine;
  }

  /** The streams whose figures are shown from now on. */
  watchStreams(streams: MeteredStreams): void {
    this.#plainGauge('bourse_stream_connections', 'Open connections of the streams', () => streams.connections);
    this.#plainGauge('bourse_stream_topics', 'Topics that they have subscribed', () => streams.topics);
  }

  /** The replay of a recorded market whose figures are shown from now on. */
  watchReplay(replay: MeteredReplay): void {
    this.#plainGauge(
      'bourse_replay_lag_ms',
      'How far venue time is ahead of the next recorded event',
      () => replay.lagMs,
    );
    this.#plainGauge(
      'bourse_replay_fits',
      'Share of recorded trades that the recorded book could fill as it was',
      () => replay.fits,
    );
    this.#plainGauge(
      'bourse_replay_user_taken_ratio',
      'What users took from the recorded book, as a share of what was recorded in that minute',
      () => replay.takenRatio,
    );
  }

  /** What /readyz says is shown from now on. */
  watchReadiness(isReady: () => boolean): void {
    this.#plainGauge('bourse_ready', '1 if /readyz says ready, otherwise 0', () => (isReady() ? 1 : 0));
  }

  /** Whether this process leads is shown from now on. `lag`: undefined while it does. */
  watchRole(isLeader: () => boolean, lag: () => { readonly commands: number; readonly ms: number } | undefined): void {
    this.#plainGauge('bourse_leader', '1 while this process leads, 0 while it is a standby', () =>
      isLeader() ? 1 : 0,
    );
    this.#plainGauge(
      'bourse_standby_lag_commands',
      'Commands that a standby has heard of and not applied',
      () => lag()?.commands ?? 0,
    );
    this.#plainGauge(
      'bourse_standby_lag_seconds',
      'How old what a standby shows may be',
      () => (lag()?.ms ?? 0) / 1000,
    );
  }

  /** The archive and the data folder whose figures are shown from now on. A venue in memory has neither. */
  watchArchive(archive: MeteredArchive): void {
    this.#archive = archive;
    this.#plainGauge('bourse_archive_lag_commands', 'Applied commands that are not in the archive yet', () =>
      Math.max((this.#engine?.venue.seq ?? 0) - archive.seq, 0),
    );
    this.#sizeGauge('bourse_log_bytes', 'Size of the command log', ({ logBytes }) => logBytes);
    this.#sizeGauge('bourse_archive_bytes', 'Size of the archive', ({ archiveBytes }) => archiveBytes);
    this.#sizeGauge('bourse_snapshot_bytes', 'Size of all snapshots', ({ snapshotBytes }) => snapshotBytes);
    this.#sizeGauge('bourse_disk_free_bytes', 'Free space for the data folder', ({ freeBytes }) => freeBytes);
    this.#sizeGauge('bourse_snapshot_age_seconds', 'Time since the newest snapshot was written', ({ snapshot }) =>
      snapshot === null ? undefined : Math.max(realWorld.wallMs() - snapshot.writtenAtMs, 0) / 1000,
    );
    this.#sizeGauge('bourse_snapshot_lag_commands', 'Commands since the newest snapshot', ({ snapshot }) =>
      Math.max((this.#engine?.venue.seq ?? 0) - (snapshot?.seq ?? 0), 0),
    );
  }

  /** For the engine: what is counted of the venue's events. */
  readonly listener: EventHandlers = {
    orderPlaced: ({ market, kind, liquidation }) => {
      this.#orders.count(this.#symbol(market), kind);
      if (liquidation !== null) this.#liquidations.inc({ market: this.#symbol(market), kind: liquidation });
    },
    traded: ({ market, liquidation, takerFee, takerFeeCurrency }) => {
      this.#fills.count(this.#symbol(market));
      if (liquidation) this.#moveFund(takerFeeCurrency, BigInt(takerFee));
    },
    balanceChanged: ({ reason, currency, amount }) => {
      if (reason === 'insurance') this.#moveFund(currency, -amount);
    },
    deleveraged: ({ market }) => this.#deleveraged.inc({ market: this.#symbol(market) }),
  };

  /** For the gateway: a request was answered. */
  onReply(target: string, status: number, seconds: number): void {
    const surface = this.#prefixes.find(({ prefix }) => target.startsWith(prefix))?.name ?? 'none';
    this.#requests.count(surface, status);
    this.#http.observe(seconds);
  }

  /**
   * For the gateway: the venue refused a command, or the gateway did after too many refusals (tooManyRefused). `seq`: of the
   * command. Null: it is not in the log.
   */
  onCommandRefused(reason: string, seq: number | null): void {
    this.#refusals.inc({ reason });
    const known = this.#refused.get(reason);
    this.#refused.set(reason, { count: (known?.count ?? 0) + 1, lastSeq: seq ?? known?.lastSeq ?? null });
  }

  /** The refused commands of this process by reason, the most frequent first. */
  get refusals(): readonly Refusals[] {
    const rows = [...this.#refused].map(([reason, figures]) => ({ reason, ...figures }));
    return rows.sort((a, b) => b.count - a.count);
  }

  /** For the gateway: a rate limit refused a request. */
  onRateLimited({ kind, of, blockSeconds }: { kind: string; of: string; blockSeconds: number }): void {
    this.#limited.inc({ kind, of, block_seconds: String(blockSeconds) });
  }

  /** For the listeners: a connection was refused because too many were open. */
  onConnectionRefused(listener: 'gateway' | 'control'): void {
    this.#connectionsRefused.inc({ listener });
  }

  /** For the control stream: a reader was closed because it read too slowly. */
  onReaderTooSlow(): void {
    this.#tooSlow.inc();
  }

  /** For the streams: frames of this kind were written to all subscribers, so long after they were durable. */
  onSent(kind: string, seconds: number): void {
    this.#streams.observe({ kind }, seconds);
  }

  /** For the engine: a batch became durable. */
  onBatch(commands: number, syncSeconds: number): void {
    this.#batches.inc();
    this.#commands.inc(commands);
    this.#sync.observe(syncSeconds);
  }

  async text(): Promise<string> {
    const sizes = await this.#archive?.sizes();
    for (const show of this.#showSizes) show(sizes);
    return `${await this.#registry.metrics()}\n${await processRegistry().metrics()}`;
  }

  /** `units`: what the fund receives. Below zero: it pays. */
  #moveFund(currency: number, units: bigint): void {
    const known = this.#engine?.venue.currencies[currency];
    if (known === undefined || units === 0n) return;
    const [counter, amount] = units > 0n ? [this.#fundReceived, units] : [this.#fundPaid, -units];
    counter.inc({ currency: known.code }, Number(decimalText(amount, known.decimals)));
  }

  #symbol(market: number): string {
    return this.#engine?.venue.markets[market]?.symbol ?? String(market);
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  /** A counter of what happens at nearly every request, with one label or two. */
  #tally(name: string, help: string, labelNames: readonly [string, string?]): Tally {
    const tally = new Tally();
    const [first, second] = labelNames;
    const collect = () =>
      tally.drain((one, other, times) =>
        counter.inc({ [first]: one, ...(second !== undefined && { [second]: other }) }, times),
      );
    const names = labelNames.filter((each) => each !== undefined);
    const counter: Counter = new Counter({ name, help, labelNames: names, registers: [this.#registry], collect });
    return tally;
  }

  /** The balance or the deficit of the fund by currency, as numbers for a graph. The audit has the exact amounts. */
  #fundGauge(name: string, help: string, sign: 1n | -1n): void {
    const collect = () => {
      for (const { currency, units } of this.#engine?.venue.insurance() ?? []) {
        const amount = units * sign > 0n ? units * sign : 0n;
        gauge.set({ currency: currency.code }, Number(decimalText(amount, currency.decimals)));
      }
    };
    const gauge: Gauge = new Gauge({ name, help, labelNames: ['currency'], registers: [this.#registry], collect });
  }

  #gauge(name: string, help: string, read: (engine: MeteredEngine) => number): void {
    this.#plainGauge(name, help, () => (this.#engine === null ? 0 : read(this.#engine)));
  }

  #plainGauge(name: string, help: string, read: () => number): void {
    const collect = () => gauge.set(read());
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect });
  }

  /** A gauge that is left out while its value is not known: 0 would be a wrong figure. */
  #sizeGauge(name: string, help: string, read: (sizes: FolderSizes) => number | undefined): void {
    const gauge = new Gauge({ name, help, registers: [this.#registry] });
    this.#showSizes.push((sizes) => {
      const value = sizes === undefined ? undefined : read(sizes);
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    });
  }
}

/** Counts between two readings of the metrics. A counter of the registry makes a text of its labels at each count. */
class Tally {
  readonly #times = new Map<string, Map<string | number, number>>();

  count(first: string, second: string | number = ''): void {
    let times = this.#times.get(first);
    if (times === undefined) {
      times = new Map();
      this.#times.set(first, times);
    }
    times.set(second, (times.get(second) ?? 0) + 1);
  }

  /** Gives each count once. */
  drain(give: (first: string, second: string, times: number) => void): void {
    for (const [first, times] of this.#times) {
      for (const [second, count] of times) give(first, String(second), count);
    }
    this.#times.clear();
  }
}

let ofProcess: Registry | null = null;

/** One for the process, however many venues it runs. */
function processRegistry(): Registry {
  if (ofProcess === null) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}
