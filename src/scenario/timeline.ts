/**
 * What came of a run, as people read it: lines in the order of time, the prices of the scenario, and the bot's equity.
 *
 * Cost: one line for each order and fill of the bot, one point for each price that changes and for each moment's equity.
 */
import type { RunningVenue } from '../start.ts';
import type { RunRecord } from './record.ts';

export type EntryKind = 'order' | 'fill' | 'market' | 'fault' | 'bot' | 'expected' | 'deviation' | 'note';

/** A line of the timeline. */
export interface Entry {
  /** Venue time since the beginning. */
  readonly ms: number;
  /** The last command then. */
  readonly seq: number;
  readonly kind: EntryKind;
  readonly text: string;
}

export interface TimelineOptions {
  readonly engine: RunningVenue['engine'];
  readonly record: RunRecord;
  /** The bot's account. */
  readonly account: string;
  /** Venue time at the beginning, epoch ms. */
  readonly startMs: number;
}

export class Timeline {
  /** By symbol: [ms, price], each time that it changes. */
  readonly prices: Record<string, [ms: number, price: number][]> = {};
  /** [ms, equity as exact text]. */
  readonly equity: [ms: number, equity: string][] = [];
  readonly #options: TimelineOptions;
  readonly #entries: Entry[] = [];
  /** How many rows of the record have their lines. */
  #read = { fills: 0, orders: 0 };
  #hits: readonly number[] = [];

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  /** Venue time since the beginning. */
  get ms(): number {
    return this.#options.engine.nowMs() - this.#options.startMs;
  }

  /** How often each fault has hit, in the order of their arming, as `noteHits` has seen it last. */
  get hits(): readonly number[] {
    return this.#hits;
  }

  /** In the order of time, and of the commands. */
  get entries(): Entry[] {
    return this.#entries.toSorted((a, b) => a.ms - b.ms || a.seq - b.seq);
  }

  /** Something that happens now. */
  note(kind: EntryKind, text: string): void {
    this.#entries.push({ ms: this.ms, seq: this.#options.engine.venue.seq, kind, text });
  }

  notePrice(symbol: string, ms: number, price: number): void {
    this.prices[symbol] ??= [];
    if (this.prices[symbol].at(-1)?.[1] !== price) this.prices[symbol].push([ms, price]);
  }

  noteEquity(equity: string): void {
    this.equity.push([this.ms, equity]);
  }

  /** The bot's orders and fills since the last call. */
  noteOrders(): void {
    const { engine, record, account: name } = this.#options;
    const { venue } = engine;
    const { orders, fills } = record;
    const own = venue.accountByName(name)?.index;
    for (const order of orders.slice(this.#read.orders)) {
      const { seq, timeMs, account, side, kind, priceTicks, clientId } = order;
      if (account !== own) continue;
      const market = venue.markets[order.market];
      const at = priceTicks > 0 ? ` at ${market.priceText(priceTicks)}` : '';
      const id = clientId === null ? '' : `, ${clientId}`;
      this.#push(timeMs, seq, 'order', `places ${kind} ${side} ${market.symbol}${at}${id}`);
    }
    for (const fill of fills.slice(this.#read.fills)) {
      const { seq, timeMs, account, side, priceTicks, sizeLots, liquidation } = fill;
      if (account !== own) continue;
      const market = venue.markets[fill.market];
      const size = `${market.sizeText(sizeLots)} ${market.symbol}`;
      const words = `${side === 'BUY' ? 'buys' : 'sells'} ${size} at ${market.priceText(priceTicks)}`;
      this.#push(timeMs, seq, 'fill', liquidation ? `is liquidated: ${words}` : words);
    }
    this.#read = { orders: orders.length, fills: fills.length };
  }

  /** What the faults of the scenario have hit since the last call. */
  noteHits(states: RunningVenue['context']['faults']['states']): void {
    for (const [i, { hits, lastHits }] of states.entries()) {
      const more = hits - (this.#hits.at(i) ?? 0);
      if (more <= 0) continue;
      const { seq, time, what } = lastHits[lastHits.length - 1];
      this.#push(time, seq, 'fault', `faults[${i}] hits ${what}${more > 1 ? `, ${more} times` : ''}`);
    }
    this.#hits = states.map(({ hits }) => hits);
  }

  #push(timeMs: number, seq: number, kind: EntryKind, text: string): void {
    this.#entries.push({ ms: timeMs - this.#options.startMs, seq, kind, text });
  }
}
