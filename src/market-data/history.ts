/** What market data asks of the archive. All answers are of the branch that counts. */
import type { Candle } from './candles.ts';
import type { PublicTrade } from './trade-ring.ts';

export interface FundingRate {
  readonly timeMs: number;
  readonly rateParts: number;
}

/** Which trades. All bounds are included. */
export interface TradesQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fromId: number;
  readonly toId: number;
  /** As they were after this command, in whatever branch. Absent: all that count now. Memory does not know it. */
  readonly toSeq?: number;
  readonly limit: number;
  /** Which ones, if there are more than the limit. */
  readonly oldestFirst: boolean;
}

export interface RatesQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** The minutes of the candles that are kept. All resolutions are multiples of one of them. */
export const CANDLE_LEVELS = [1, 60, 1440] as const;
export type CandleLevel = (typeof CANDLE_LEVELS)[number];

/** `market`: its symbol. */
export type MarketQuestion =
  /** What the memory of a market begins with: its newest trades and rates, and its minutes from `fromMs` on. */
  | { readonly type: 'recent'; readonly market: string; readonly fromMs: number; readonly most: number }
  /** Newest first; the oldest first on request. */
  | { readonly type: 'trades'; readonly market: string; readonly query: TradesQuery }
  /** The candles that begin from `fromMs` to `toMs`. */
  | {
      readonly type: 'candles';
      readonly market: string;
      readonly level: CandleLevel;
      readonly fromMs: number;
      readonly toMs: number;
    }
  /** Newest first. */
  | { readonly type: 'rates'; readonly market: string; readonly query: RatesQuery }
  /** The terms that it had after the command `seq`, in whatever branch. Null: those of now. */
  | { readonly type: 'formerTerms'; readonly market: string; readonly seq: number };

/** Exact decimals. */
export interface FormerTerms {
  readonly kind: 'spot' | 'perpetual';
  readonly base: string;
  readonly quote: string;
  readonly tick: string;
  readonly step: string;
}

export interface PastCandles {
  /** Only those with trades, oldest first. */
  readonly candles: readonly Candle[];
  /** The last one before them. Null: there were no trades. */
  readonly before: Candle | null;
}

export interface Recent extends PastCandles {
  /** The command that it reaches. */
  readonly seq: number;
  /** Newest first. */
  readonly trades: readonly PublicTrade[];
  /** Newest first. */
  readonly rates: readonly FundingRate[];
}

export interface MarketAnswers {
  readonly recent: Recent;
  readonly trades: readonly PublicTrade[];
  readonly candles: PastCandles;
  readonly rates: readonly FundingRate[];
  readonly formerTerms: FormerTerms | null;
}

export type QuestionOf<Type extends MarketQuestion['type']> = MarketQuestion & { readonly type: Type };

/** Answers a question when it has everything up to the command `seq`. Rejects if that takes seconds. */
export type AskHistory = <Type extends MarketQuestion['type']>(
  question: QuestionOf<Type>,
  seq: number,
) => Promise<MarketAnswers[Type]>;
