/**
 * Plays a recording through a running venue: each group of its events when it is due in venue time.
 *
 * - On a manual clock, a move of the clock plays everything that is due on the way, in order.
 * - On a real clock a slice is played every 10 ms. If the venue falls behind, slices become larger; nothing is left out.
 * - The venue's state says how far it has come. So after a restart, a reset or a return to a snapshot the recording goes on
 *   from there, and the log alone gives the same state again.
 */
import { StateReplaced } from '../engine/contract/errors.ts';
import type { OnNotice } from '../engine/contract/notice.ts';
import type { Engine } from '../engine/host.ts';
import type { PlayMarket } from '../venue/contract/commands.ts';
import type { Traded } from '../venue/contract/events.ts';
import { GAP } from '../venue/contract/market-steps.ts';
import { HOUSE } from '../venue/contract/units.ts';
import type { Reply } from '../venue/venue.ts';
import type { PlaybackView } from '../venue/views.ts';
import type { Group } from './pieces.ts';
import { type GroupSource, RecordingBroken } from './source.ts';

const SLICE_MS = 10;
/** Commands that are submitted before the first of them is answered. */
const IN_FLIGHT = 512;
/** Numbers of one slice, apart from those of its last group: a millisecond or two of work, so that users do not wait for it. */
const SLICE_STEPS = 1 << 11;
/** A recording with a larger lag is behind. It is noticed this often. */
const BEHIND_MS = 1000;
const NOTICE_EVERY_MS = 60_000;
const MINUTE_MS = 60_000;
/** Above this share of the recorded volume, users get fills that the market would not have given. */
const MOST_TAKEN = 0.05;

export interface PlayerOptions {
  readonly engine: Engine;
  readonly symbol: string;
  /** Opens the groups behind the first `position` events. */
  readonly open: (position: number) => GroupSource;
  /** Recorded time is venue time. */
  readonly keepsTime: boolean;
  /** At the end the synthetic traders go on; otherwise the market is halted. */
  readonly handsOver: boolean;
  readonly monotonicMs: () => number;
  readonly onNotice: OnNotice;
  /** The recording cannot be read any further. */
  readonly onBroken: (error: Error) => void;
}

export class Player {
  readonly #options: PlayerOptions;
  /** The number of the market, which is one of the genesis. */
  readonly #index: number;
  #source: GroupSource | undefined;
  /** Venue time less recorded time. */
  #shiftMs = 0;
  /** The state was replaced, or a command was refused: open the recording again, at the venue's position. */
  #mustReopen = true;
  #hasPlayed = false;
  #hasEnded = false;
  #handedOver = false;
  #timer: NodeJS.Timeout | undefined;
  #playing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #keepsAlive = true;
  #noticedLagAtMs = Number.NEGATIVE_INFINITY;
  #broken: Error | undefined;
  readonly #shares = new TakenShare();
  readonly #unlisten: () => void;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#index = options.engine.venue.marketBySymbol(options.symbol)?.index ?? 0;
    this.#unlisten = options.engine.listen({
      stateReplaced: () => {
        this.#mustReopen = true;
      },
      traded: (trade) => {
        if (trade.market === this.#index) this.#traded(trade);
      },
    });
  }

  get symbol(): string {
    return this.#options.symbol;
  }

  /** How far venue time is ahead of the next event, ms. 0: nothing is due. */
  get lagMs(): number {
    const due = this.#dueMs(this.#source?.ready);
    return due === undefined || this.#mustReopen ? 0 : Math.max(0, this.#options.engine.nowMs() - due);
  }

  get isBehind(): boolean {
    return this.lagMs > BEHIND_MS;
  }

  /** The share of recorded trades that the recorded book could fill as it was. 1 before the first. */
  get fits(): number {
    const { trades = 0, tradesFit = 0 } = this.#view ?? {};
    return trades === 0 ? 1 : tradesFit / trades;
  }

  /** What users took from the recorded book in the present minute, or the one before, as a share of what was recorded. */
  get takenRatio(): number {
    return this.#shares.ratio(this.#options.engine.venue.timeMs);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The recording has ended, and others trade in its market. */
  get hasHandedOver(): boolean {
    return this.#handedOver;
  }

  /** The number of the market. */
  get market(): number {
    return this.#index;
  }

  /** The next event: its time in the recording, and when it is due, epoch ms. Undefined: none, or it is not known yet. */
  get next(): { readonly recordedMs: number; readonly dueMs: number } | undefined {
    const group = this.#mustReopen ? undefined : this.#source?.ready;
    return group && { recordedMs: group.recordedMs, dueMs: this.#dueMs(group) as number };
  }

  /** Why the recording cannot be read any further. */
  get problem(): string | undefined {
    return this.#broken?.message;
  }

  /** Plays what is due at once, so that there is a book from the start. Then a real clock plays by itself. */
  async begin(): Promise<void> {
    if (this.#options.engine.clock === null) {
      await this.#playUntil(this.#options.engine.venue.timeMs);
      return;
    }
    await this.#slice();
    this.#run();
  }

  #run(): void {
    const next = () => {
      if (this.#isStopped) return;
      this.#timer = setTimeout(() => {
        this.#playing = this.#slice()
          .catch((error) => this.#failed(error))
          .finally(next);
      }, SLICE_MS);
      if (!this.#keepsAlive) this.#timer.unref();
    };
    next();
  }

  unref(): void {
    this.#keepsAlive = false;
    this.#timer?.unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#unlisten();
    await this.#playing;
  }

  /**
   * Moves a manual clock, and plays what is due on the way. `advance` moves it by itself. Resolves with the last reply.
   * @throws {RecordingBroken}
   */
  async advance(toMs: number, advance: (toMs: number) => Promise<Reply>): Promise<Reply> {
    try {
      await this.#playUntil(toMs);
    } catch (error) {
      if (error instanceof RecordingBroken) this.#broken = error;
      throw error;
    }
    return advance(toMs);
  }

  async #playUntil(toMs: number): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const flying: Promise<void>[] = [];
    for (;;) {
      const source = this.#open ?? (await this.#openSource());
      const group = source.ready ?? (await source.peek());
      const dueMs = this.#dueMs(group);
      if (group === undefined || dueMs === undefined || dueMs > toMs) {
        await Promise.all(flying.splice(0));
        if (this.#mustReopen) continue;
        if (group === undefined) await this.#end();
        break;
      }
      source.take();
      flying.push(this.#submit(dueMs, group.recordedMs, group.position, group.steps));
      if (flying.length >= IN_FLIGHT) await Promise.all(flying.splice(0, IN_FLIGHT / 2));
    }
  }

  /** Plays what is due now. */
  async #slice(): Promise<void> {
    const { engine } = this.#options;
    const source = await this.#openSource();
    let group = await source.peek();
    while (!this.#isStopped && !this.#mustReopen) {
      const nowMs = engine.nowMs();
      const steps: number[] = [];
      let last: Group | undefined;
      while (group !== undefined && (this.#dueMs(group) as number) <= nowMs && steps.length < SLICE_STEPS) {
        for (const step of group.steps) steps.push(step);
        last = group;
        source.take();
        group = source.ready;
      }
      if (last === undefined) break;
      await this.#submit(this.#dueMs(last) as number, last.recordedMs, last.position, steps);
      group ??= await source.peek();
    }
    if (group === undefined && !this.#mustReopen && !this.#isStopped) await this.#end();
    this.#noticeLag();
  }

  get #view(): PlaybackView | null | undefined {
    return this.#options.engine.venue.markets[this.#index]?.playback;
  }

  #dueMs(group: Group | undefined): number | undefined {
    return group === undefined ? undefined : group.recordedMs + this.#shiftMs;
  }

  /** The source of the next groups, unless it must be opened again. */
  get #open(): GroupSource | undefined {
    return this.#mustReopen ? undefined : this.#source;
  }

  /** The source of the next groups. It is opened again at the venue's position if that has changed. */
  async #openSource(): Promise<GroupSource> {
    while (this.#mustReopen || this.#source === undefined) {
      this.#source?.close();
      this.#mustReopen = false;
      this.#hasEnded = false;
      this.#handedOver = false;
      this.#hasPlayed = false;
      const { engine, keepsTime, open } = this.#options;
      const { position = 0, recordedMs = 0, playedMs = 0 } = this.#view ?? {};
      this.#source = open(position);
      const first = await this.#source.peek();
      if (keepsTime) this.#shiftMs = 0;
      else if (position === 0) this.#shiftMs = engine.nowMs() - (first?.recordedMs ?? 0);
      else this.#shiftMs = (engine.clock === null ? playedMs : engine.nowMs()) - recordedMs;
    }
    return this.#source;
  }

  async #submit(toMs: number, recordedMs: number, position: number, steps: readonly number[]): Promise<void> {
    const { timeMs } = this.#options.engine.venue;
    const at = { toMs: Math.max(toMs, timeMs), position, recordedMs };
    const command: PlayMarket = { v: 1, type: 'market', market: this.#index, ...at, steps };
    try {
      const { refusal } = await this.#options.engine.submit(command);
      if (refusal === null) {
        this.#hasPlayed = true;
        return;
      }
      if (!this.#mustReopen) throw new Error(`a message of the recording was refused: ${JSON.stringify(refusal)}`);
    } catch (error) {
      this.#mustReopen = true;
      if (!(error instanceof StateReplaced)) throw error;
    }
  }

  /** The recording has ended, or had ended before this process began. */
  async #end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { engine, symbol, onNotice, handsOver } = this.#options;
    if (handsOver) {
      await this.#handOver();
      return;
    }
    if (!this.#hasPlayed) return;
    await engine.submit({ v: 1, type: 'haltMarket', market: this.#index });
    onNotice(`the recording of ${symbol} has ended: its market is halted`);
  }

  /** Nothing of the recorded book rests any more, and no recorded mark holds. It may have been so before a restart. */
  async #handOver(): Promise<void> {
    const { engine, symbol, onNotice } = this.#options;
    const { position = 0, recordedMs = 0 } = this.#view ?? {};
    await this.#submit(engine.venue.timeMs, recordedMs, position, [GAP]);
    const { index: market, product } = engine.venue.markets[this.#index];
    if (product === 'futures') await engine.submit({ v: 1, type: 'setPrices', market, mark: null, byHand: false });
    this.#handedOver = true;
    onNotice(`the recording of ${symbol} has ended: the synthetic traders go on`);
  }

  #failed(error: Error): void {
    if (this.#isStopped) return;
    this.#mustReopen = true;
    if (error instanceof RecordingBroken) {
      this.#broken = error;
      this.#isStopped = true;
    }
    this.#options.onBroken(error);
  }

  #traded({ makerAccount, takerAccount, sizeLots }: Traded): void {
    const { engine, symbol, onNotice } = this.#options;
    const { timeMs } = engine.venue;
    if (takerAccount === HOUSE) this.#shares.recorded(timeMs, sizeLots);
    else if (makerAccount === HOUSE && this.#shares.taken(timeMs, sizeLots)) {
      const share = `${(MOST_TAKEN * 100).toFixed(0)} % of what was recorded in ${symbol} this minute`;
      onNotice(`users took more than ${share}: their fills are better than the market was`, 'warn');
    }
  }

  #noticeLag(): void {
    const { lagMs } = this;
    const nowMs = this.#options.monotonicMs();
    if (!this.isBehind || nowMs - this.#noticedLagAtMs < NOTICE_EVERY_MS) return;
    this.#noticedLagAtMs = nowMs;
    const late = `${(lagMs / 1000).toFixed(1)} s behind`;
    this.#options.onNotice(`the recording of ${this.#options.symbol} is ${late}: nothing is left out`, 'warn');
  }
}

/** How much of the recorded volume users took, by minutes of venue time. */
class TakenShare {
  #minute = Number.NEGATIVE_INFINITY;
  #recorded = 0;
  #taken = 0;
  #last = 0;
  #isNoticed = false;

  recorded(timeMs: number, lots: number): void {
    this.#turn(timeMs);
    this.#recorded += lots;
  }

  /** True once a minute, when it becomes too much. */
  taken(timeMs: number, lots: number): boolean {
    this.#turn(timeMs);
    this.#taken += lots;
    if (this.#isNoticed || this.#share <= MOST_TAKEN) return false;
    this.#isNoticed = true;
    return true;
  }

  ratio(timeMs: number): number {
    this.#turn(timeMs);
    return Math.max(this.#share, this.#last);
  }

  get #share(): number {
    return this.#taken === 0 ? 0 : this.#taken / Math.max(this.#recorded, this.#taken);
  }

  #turn(timeMs: number): void {
    const minute = Math.floor(timeMs / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#last = minute === this.#minute + 1 ? this.#share : 0;
    this.#minute = minute;
    this.#recorded = 0;
    this.#taken = 0;
    this.#isNoticed = false;
  }
}
