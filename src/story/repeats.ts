/** Repeats in a story: rows that follow each other and say the same become one row, which has them in `each`. */
import type { MarketFacts } from './facts.ts';
import type { OrderFacts, StoryRow } from './order-facts.ts';
import { pastVerbOf } from './terms.ts';
import { counted, grouped, priceIn, pricesText, sentence, sizeIn, sumOf } from './text.ts';

/** A row with what repeats are recognised by. */
export interface Draft {
  row: StoryRow;
  /** Rows that follow each other with the same one may be summed up. Undefined: never. */
  readonly alike?: string;
  /** Of a TWAP: the part that it is about. */
  readonly part?: number;
  readonly prices: readonly string[];
  readonly size: string | null;
  readonly trades: number;
  /** Of a part that was skipped: what was compared. */
  readonly why?: string;
}

/** What rows have in `alike`. The others are trades. */
export const PART_RESTS = 'part rests';
export const STOP_MOVED = 'stop moved';
export const PEG_MOVED = 'peg moved';
/** Followed by why. */
export const SKIPPED = 'skipped';
/** Fewer repeats than this are left as they are. */
const LEAST_REPEATS = 3;

export function summedUp(drafts: readonly Draft[], order: OrderFacts, market: MarketFacts | undefined): StoryRow[] {
  const rows: StoryRow[] = [];
  for (let i = 0; i < drafts.length; ) {
    const run = runFrom(drafts, i, order);
    const isSkipped = drafts[i].alike?.startsWith(SKIPPED) === true;
    // The first skipped part has the figures, and stays.
    const same = isSkipped ? run.slice(1) : run;
    if (isSkipped) rows.push(drafts[i].row);
    if (same.length >= (isSkipped ? 2 : LEAST_REPEATS)) rows.push(summed(same, order, market));
    else rows.push(...same.map(({ row }) => row));
    i += run.length;
  }
  return rows;
}

function runFrom(drafts: readonly Draft[], first: number, order: OrderFacts): Draft[] {
  const { alike, row } = drafts[first];
  if (alike === undefined || row.seq === order.seq) return [drafts[first]];
  let end = first + 1;
  while (end < drafts.length && drafts[end].alike === alike && drafts[end].row.leftBranch === row.leftBranch) end += 1;
  return drafts.slice(first, end);
}

function summed(run: readonly Draft[], order: OrderFacts, market: MarketFacts | undefined): StoryRow {
  const [first, last] = [run[0], run[run.length - 1]];
  const each = run.map(({ row }) => row);
  return {
    ...last.row,
    seq: first.row.seq,
    n: first.row.n,
    time: first.row.time,
    ...summary(run, order, market),
    each,
  };
}

function summary(
  run: readonly Draft[],
  order: OrderFacts,
  market: MarketFacts | undefined,
): { sentence: string; detail?: string } {
  const [first, last] = [run[0], run[run.length - 1]];
  const prices = run.flatMap((draft) => draft.prices);
  const { alike } = first;
  const to = run.length === 2 ? 'and' : 'to';
  const parts = first.part === undefined ? counted(run.length, 'part') : `parts ${first.part} ${to} ${last.part}`;
  const until = `until ${new Date(last.row.time).toISOString().slice(11, 19)}`;
  if (alike?.startsWith(SKIPPED)) return { sentence: sentence(`${parts} skipped for the same reason`), detail: until };
  if (alike === PART_RESTS)
    return { sentence: sentence(`${parts} rested, at ${pricesText(prices, market)}`), detail: until };
  if (alike === STOP_MOVED || alike === PEG_MOVED) {
    const what = alike === STOP_MOVED ? 'moved its stop' : 'moved';
    const from =
      prices.length === 0
        ? ''
        : `, from ${priceIn(market, prices[0])} to ${priceIn(market, prices[prices.length - 1])}`;
    return { sentence: sentence(`${what} ${grouped(String(run.length))} times${from}`), detail: until };
  }
  const verb = pastVerbOf(order.side);
  const size = sizeIn(market, sumOf(run.map((draft) => draft.size ?? '0')));
  const subject = first.part === undefined ? '' : `${parts} `;
  const trades = run.reduce((sum, draft) => sum + draft.trades, 0);
  const many = first.part === undefined ? ` in ${counted(trades, 'trade')}` : '';
  return { sentence: sentence(`${subject}${verb} ${size} at ${pricesText(prices, market)}${many}`), detail: until };
}
