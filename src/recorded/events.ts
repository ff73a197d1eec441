/**
 * What a recording says about a market, in the one form that all readers produce and the writer takes.
 *
 * - Times are exchange times, in microseconds since 1970 UTC. A file in nanoseconds is cut to microseconds.
 * - Prices, sizes and rates are exact decimals as text: plain digits, no exponent, no trailing zeros (`61837.6`). No reader
 *   turns one into a floating-point number.
 * - Sizes are in the unit of the file: base currency on spot, contracts or quote currency on some derivatives.
 */

export type Decimal = string;

/** A price level: `size` is what rests there after the event; `0` removes the level. */
export type Level = readonly [price: Decimal, size: Decimal];

/** The side of the order that took liquidity. Some exchanges do not say. */
export type TakerSide = 'buy' | 'sell' | 'unknown';

/** The whole book from now on: whatever was known before no longer holds. */
export interface SnapshotEvent {
  readonly kind: 'snapshot';
  readonly atUs: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** New absolute sizes of some levels. If a price occurs twice, the last size counts. */
export interface LevelsEvent {
  readonly kind: 'levels';
  readonly atUs: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export interface TradeEvent {
  readonly kind: 'trade';
  readonly atUs: number;
  /** The exchange's id, empty if the file has none. */
  readonly id: string;
  readonly side: TakerSide;
  readonly price: Decimal;
  readonly size: Decimal;
}

/** The best levels. A side without an order is absent. */
export interface QuoteEvent {
  readonly kind: 'quote';
  readonly atUs: number;
  readonly bid?: Level;
  readonly ask?: Level;
}

/** Prices and rates that no order made. What the file does not say is absent. */
export interface ReferenceEvent {
  readonly kind: 'reference';
  readonly atUs: number;
  readonly index?: Decimal;
  readonly mark?: Decimal;
  /** The rate of the coming funding, as a fraction: 0.0001 is 0.01 %. */
  readonly fundingRate?: Decimal;
  readonly fundingAtUs?: number;
}

/** The book is unknown from `atUs` until the snapshot at `untilUs`, which is the next event of the book. */
export interface GapEvent {
  readonly kind: 'gap';
  readonly atUs: number;
  readonly untilUs: number;
}

/** A candle. `atUs` is when it opens; it is known only when it closes, at `closeUs`. */
export interface CandleEvent {
  readonly kind: 'candle';
  readonly atUs: number;
  readonly closeUs: number;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  /** In base currency. */
  readonly volume: Decimal;
  /** The part of `volume` that buyers took, if the file says so. */
  readonly takerBuyVolume?: Decimal;
}

export type MarketEvent =
  | SnapshotEvent
  | LevelsEvent
  | TradeEvent
  | QuoteEvent
  | ReferenceEvent
  | GapEvent
  | CandleEvent;

/** What a file is about. Events of different subjects are merged by time; files of one subject follow each other. */
export type Subject = 'trades' | 'book' | 'quotes' | 'references' | 'candles';
