/**
 * The rows of a story: each event of an order as a sentence. Trades of one moment are one row, and so are repeats
 * (repeats.ts).
 */
import { endText } from './ends.ts';
import type { Figures, MarketFacts } from './facts.ts';
import type { OrderFacts, OrderHappening, RowKind, StoryRow } from './order-facts.ts';
import { because, marginText, pausedText, reachedText } from './reasons.ts';
import { type Draft, PART_RESTS, PEG_MOVED, SKIPPED, STOP_MOVED } from './repeats.ts';
import { conditionsText, groupText, pastVerbOf, termsOf, termsText, verbOf } from './terms.ts';
import {
  counted,
  difference,
  duration,
  grouped,
  listed,
  priceIn,
  pricesText,
  sentence,
  shortId,
  sizeIn,
  sumOf,
} from './text.ts';
import { visible } from './words.js';

/** Repeats are not summed up yet. */
export function draftsOf(
  order: OrderFacts,
  events: readonly OrderHappening[],
  market: MarketFacts | undefined,
): readonly Draft[] {
  const maker = new Rows(order, market);
  for (const event of events) maker.take(event);
  maker.finish();
  return maker.drafts;
}

/** How an order is at one of its events. */
interface Standing {
  filled: string;
  left: string | null;
  price: string | undefined;
  trigger: string | undefined;
}

class Rows {
  readonly drafts: Draft[] = [];
  readonly #order: OrderFacts;
  readonly #market: MarketFacts | undefined;
  /** Trades of one moment, until something else happens. */
  #trades: OrderHappening[] = [];
  #n = 0;
  #seq = -1;
  #now: Standing = { filled: '0', left: null, price: undefined, trigger: undefined };
  #last: string | null = null;
  /** How the order was at the beginning of a left branch, while its events come. */
  #beforeLeft: Standing | undefined;
  /** Of a TWAP: the row of the part that rests in the book, if it has not traded yet. */
  #resting: Draft | undefined;
  /** Of a TWAP: the part that rests in the book. */
  #part: number | undefined;
  #nOfTrades = 0;

  constructor(order: OrderFacts, market: MarketFacts | undefined) {
    this.#order = order;
    this.#market = market;
  }

  take(event: OrderHappening): void {
    const [before] = this.#trades;
    const isNewMoment = before !== undefined && (before.seq !== event.seq || before.time !== event.time);
    if (isNewMoment) this.#closeTrades();
    this.#enterBranch(event.leftBranch === true);
    this.#n = event.seq === this.#seq ? this.#n + 1 : 1;
    this.#seq = event.seq;
    if (typeof event.last === 'string') this.#last = event.last;
    if (event.type === 'traded') {
      if (this.#trades.length === 0) this.#nOfTrades = this.#n;
      this.#trades.push(event);
      this.#now.filled = sumOf([this.#now.filled, String(event.size)]);
      if (this.#now.left !== null) this.#now.left = difference(this.#now.left, String(event.size));
      this.#last = String(event.price);
      return;
    }
    const part = (event.figures as Figures | undefined)?.part as number | undefined;
    if (this.#trades.length > 0) this.#closeTrades(part);
    if (typeof event.filled === 'string') this.#now.filled = event.filled;
    this.#event(event);
    if (typeof event.remaining === 'string') this.#now.left = event.remaining;
    if (typeof event.price === 'string') this.#now.price = event.price;
    if (typeof event.trigger === 'string') this.#now.trigger = event.trigger;
  }

  /** After a left branch, the order continues as it was where that began. */
  #enterBranch(isLeft: boolean): void {
    if (isLeft) this.#beforeLeft ??= { ...this.#now };
    else if (this.#beforeLeft !== undefined) {
      this.#now = this.#beforeLeft;
      this.#beforeLeft = undefined;
    }
  }

  finish(): void {
    if (this.#trades.length > 0) this.#closeTrades();
    if (this.#resting !== undefined) this.drafts.push(this.#resting);
  }

  #row(event: OrderHappening, kind: RowKind, text: string, detail?: string, more: Partial<Draft> = {}): void {
    const [filled, left] = [this.#now.filled, (event.remaining as string | undefined) ?? this.#now.left];
    const row: StoryRow = {
      seq: event.seq,
      n: this.#n,
      time: event.time,
      kind,
      sentence: sentence(text),
      ...(detail !== undefined && detail !== '' && { detail }),
      price: this.#last,
      filled,
      left: left ?? null,
      ...(event.leftBranch === true && { leftBranch: true }),
    };
    const draft = { prices: [], size: null, trades: 0, ...more, row };
    // A part that rested and then traded is one row.
    if (this.#resting !== undefined && !(kind === 'trade' && this.#resting.part === draft.part)) {
      this.drafts.push(this.#resting);
    }
    this.#resting = undefined;
    if (draft.alike === PART_RESTS) this.#resting = draft;
    else this.drafts.push(draft);
  }

  #closeTrades(given?: number): void {
    const trades = this.#trades;
    const [first] = trades;
    const market = this.#market;
    this.#trades = [];
    const part = given ?? this.#part;
    const size = sumOf(trades.map((trade) => String(trade.size)));
    const prices = trades.map((trade) => String(trade.price));
    const verb = pastVerbOf(this.#order.side);
    const subject = part === undefined ? '' : `part ${part} `;
    const what = `${subject}${verb} ${sizeIn(market, size)} at ${pricesText(prices, market)}`;
    const roles = [...new Set(trades.map(({ role }) => role))];
    const role = roles.length === 1 && (part === undefined || roles[0] === 'maker') ? `, as ${roles[0]}` : '';
    const many = trades.length === 1 ? '' : `${counted(trades.length, 'trade')}`;
    const realised = trades.flatMap((trade) => (typeof trade.realised === 'string' ? [trade.realised] : []));
    const result = realised.length === 0 ? '' : resultText(sumOf(realised), market);
    const n = this.#n;
    this.#n = this.#nOfTrades;
    const detail = [many, result].filter((text) => text !== '').join('; ');
    const of = { part, prices, size, trades: trades.length };
    const alike = part === undefined ? `trade as ${first.role}` : 'trade of a part';
    const last = this.#last;
    this.#last = prices[prices.length - 1];
    this.#row(first, 'trade', `${what}${role}`, detail, { ...of, alike });
    this.#last = last;
    this.#n = n;
  }

  #event(event: OrderHappening): void {
    const market = this.#market;
    const figures = (event.figures ?? {}) as Figures;
    const size = (value: unknown) => sizeIn(market, value);
    const left = event.remaining === undefined ? '' : size(event.remaining);
    const because_ = causeText(event, this.#order);
    switch (event.type) {
      case 'accepted':
        this.#accepted(event);
        return;
      case 'rested': {
        const part = figures.part as number | undefined;
        this.#part = part;
        const price = part === undefined ? event.price : figures.price;
        const at = price === undefined ? 'in the book' : `at ${priceIn(market, price)}`;
        if (part === undefined) this.#row(event, 'rests', `rests ${at}, with ${left} left`);
        else
          this.#row(event, 'rests', `part ${part} rests ${at}, ${size(figures.size)}`, undefined, {
            part,
            alike: PART_RESTS,
            prices: [String(figures.price)],
          });
        return;
      }
      case 'filled':
        // What it filled is in the row of its trades.
        return;
      case 'triggered':
        this.#row(event, 'fired', `fired: ${reachedText(figures, market)}`, because_);
        return;
      case 'started': {
        const reached = figures.seen === undefined ? '' : `: ${reachedText(figures, market)}`;
        if (reached !== '') this.#row(event, 'started', `started${reached}`, because_);
        return;
      }
      case 'armed': {
        const extreme = this.#order.side === 'SELL' ? 'high' : 'low';
        const from = figures.extreme === undefined ? '' : `, from a ${extreme} of ${priceIn(market, figures.extreme)}`;
        const at = event.trigger === undefined ? '' : `, with its stop at ${priceIn(market, event.trigger)}`;
        this.#row(event, 'moved', `armed${at}${from}`, because_);
        return;
      }
      case 'repriced':
        this.#repriced(event, figures, because_);
        return;
      case 'paused':
      case 'skipped': {
        const { part, bid, ask } = figures;
        const best =
          bid === undefined || ask === undefined
            ? ''
            : `best bid ${priceIn(market, bid)}, best ask ${priceIn(market, ask)}`;
        const alike = `${SKIPPED} by ${figures.pausedBy}`;
        const why = figures.pausedBy === undefined ? undefined : pausedText(figures, market);
        const which = part === undefined ? 'a part was' : `part ${part}`;
        const of = { part: part as number | undefined, alike, why };
        this.#row(event, 'paused', `${which} skipped${why === undefined ? '' : `: ${why}`}`, best, of);
        return;
      }
      case 'reduced': {
        const from = this.#now.left === null ? '' : ` from ${size(this.#now.left)}`;
        const verb = verbOf(this.#order.side);
        const why =
          figures.sibling === undefined
            ? 'that is what is left of its position'
            : `what order ${shortId(figures.sibling)} has filled, this one no longer has to ${verb}`;
        this.#row(event, 'changed', `shrank${from} to ${left}`, why);
        return;
      }
      case 'grown':
        this.#row(event, 'changed', `grew to ${left}`, 'a further fill of its parent opened more to protect');
        return;
      case 'waiting':
        this.#row(
          event,
          'rests',
          `waits again for its trigger, with ${left} left`,
          'the book had no more within the price limit',
        );
        return;
      case 'amended':
        this.#row(event, 'changed', `amended: ${this.#amendedText(event)}`, because_);
        return;
      case 'deleveraged':
        this.#row(
          event,
          'trade',
          `${size(event.size)} closed against another account by auto-deleveraging`,
          `for ${grouped(String(event.value))} ${market?.quote ?? ''}`.trim(),
        );
        return;
      case 'ended':
        this.#ended(event, figures, because_);
        return;
      case 'leftOut':
        this.#row(
          event,
          'changed',
          `${grouped(String(event.count))} events are left out here`,
          'the pages of events have them',
        );
        return;
      default:
        this.#row(event, 'changed', event.type, because_);
    }
  }

  #accepted(event: OrderHappening): void {
    const market = this.#market;
    const terms = termsOf(event);
    this.#now.left = terms.size ?? null;
    this.#now.price = terms.price;
    this.#now.trigger = terms.trigger?.price;
    const { liquidation } = this.#order;
    if (liquidation !== null && liquidation !== undefined) {
      const part = liquidation === 'partial' ? 'a quarter' : 'all';
      this.#row(
        event,
        'taken',
        `placed by the venue: ${termsText(terms, market)}, to close ${part} of the position`,
        marginText(event),
      );
      return;
    }
    const group = groupText(terms);
    const by = terms.attachedTo === undefined ? 'taken' : 'created by the venue';
    const details = [
      terms.twap === undefined ? [] : [partsText(terms.twap)],
      group === undefined ? [] : [group],
      conditionsText(terms) === '' ? [] : [conditionsText(terms)],
      typeof event.clientId === 'string' ? [`client id ${visible(event.clientId)}`] : [],
    ].flat();
    this.#row(event, 'taken', `${by}: ${termsText(terms, market)}`, details.join('; '));
  }

  #repriced(event: OrderHappening, figures: Figures, because_: string): void {
    const market = this.#market;
    if (event.trigger !== undefined) {
      const extreme = this.#order.side === 'SELL' ? 'high' : 'low';
      const after =
        figures.extreme === undefined ? '' : `, after a new ${extreme} of ${priceIn(market, figures.extreme)}`;
      const text = `moved its stop to ${priceIn(market, event.trigger)}${after}`;
      this.#row(event, 'moved', text, because_, { alike: STOP_MOVED, prices: [String(event.trigger)] });
      return;
    }
    if (figures.price === undefined) {
      this.#row(event, 'moved', 'moved with the index', because_, { alike: PEG_MOVED });
      return;
    }
    const [price, index] = [figures.price, figures.index].map((value) => priceIn(market, value));
    const verb = event.seq === this.#order.seq ? 'rests at' : 'moved to';
    this.#row(event, 'moved', `${verb} ${price}, with the index at ${index}`, because_, {
      alike: PEG_MOVED,
      prices: [String(figures.price)],
    });
  }

  #amendedText(event: OrderHappening): string {
    const market = this.#market;
    const changes = [
      changeText('price', this.#now.price, event.price, (value) => priceIn(market, value)),
      changeText('trigger', this.#now.trigger, event.trigger, (value) => priceIn(market, value)),
      changeText('unfilled size', this.#now.left ?? undefined, event.remaining, (value) => sizeIn(market, value)),
    ].flat();
    return changes.length === 0 ? 'nothing is different' : listed(changes);
  }

  #ended(event: OrderHappening, figures: Figures, because_: string): void {
    const market = this.#market;
    const { state, reason } = event;
    if (state === 'filled' || state === 'partlyFilled') {
      this.#row(event, 'done', endText(state, null));
      return;
    }
    const rest = state === 'cancelled' && event.remaining !== undefined && event.remaining !== '0';
    const left = rest ? `, ${sizeIn(market, event.remaining)} unfilled` : '';
    const why = reason === undefined ? '' : `: ${because(reason, figures, market)}`;
    this.#row(event, 'ended', `${String(state)}${left}${why}`, reason === 'liquidation' ? marginText(event) : because_);
  }
}

function changeText(name: string, before: unknown, after: unknown, text: (value: unknown) => string): string[] {
  if (before === undefined || after === undefined || before === after) return [];
  return [`${name} ${text(before)} → ${text(after)}`];
}

/** "one part every 30 s". */
function partsText({
  children,
  periodMs,
  makerFirst,
}: {
  children: number;
  periodMs: number;
  makerFirst?: boolean;
}): string {
  return `one part every ${duration(Math.floor(periodMs / children))}${makerFirst === true ? ', which rests first' : ''}`;
}

/** What set an event off, if it was not the order's client. */
export function causeText(event: OrderHappening, order: OrderFacts): string {
  const { by, due, from } = event as { readonly by?: string; readonly due?: string; readonly from?: string };
  if (by === undefined) return '';
  if (due === 'minute') return 'at a full minute of venue time';
  if (due !== undefined) return '';
  if (by === 'setPrices') return 'when prices were set on the control surface';
  if (by === 'feed') return 'when a feed sent a price';
  if (by === 'advance' || by === 'tick') return 'as time passed';
  if (by === 'resumeMarket') return 'when the market was resumed';
  if (by === 'place')
    return from === undefined ? `when another order of ${order.account} came` : `when an order of ${from} came`;
  if (by === 'cancelAll') return from === undefined ? 'with a cancel of all orders' : '';
  return CAUSES[by] ?? '';
}

const CAUSES: Readonly<Record<string, string>> = {
  cancelAllAfter: 'by the dead man’s switch',
  restoreSnapshot: 'by a return to a snapshot',
};

export function resultText(realised: string, market: MarketFacts | undefined): string {
  const verb = realised.startsWith('-') ? 'lost' : 'earned';
  return `${verb} ${grouped(realised.replace('-', ''))} ${market?.quote ?? ''}`.trim();
}
