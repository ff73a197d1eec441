/** Topics that show a state: of the venue, of its markets, of the positions and wallets of an account. */
import type { EventHandlers } from '../../../venue/contract/events.ts';
import type { MarketView } from '../../../venue/views.ts';
import { tickerView } from '../market-summary.ts';
import { balancesView, marketStatus, marketView, positionsView } from '../views.ts';
import type { Data, Sources, Topic } from './topic.ts';

/**
 * The whole again whenever it has changed. It is read after a command with one of the `events`, and compared as text, so
 * that what only might have changed is not sent.
 */
export class WholeTopic implements Topic {
  readonly on: EventHandlers;
  readonly #read: () => Data;
  #isDirty = false;
  #sent = '';

  constructor(read: () => Data, events: (note: () => void) => EventHandlers) {
    this.#read = read;
    this.on = events(() => {
      this.#isDirty = true;
    });
  }

  whole(): Data {
    const data = this.#read();
    this.#sent = JSON.stringify(data);
    return data;
  }

  changes(): Data | undefined {
    if (!this.#isDirty) return undefined;
    this.#isDirty = false;
    const before = this.#sent;
    const data = this.whole();
    return this.#sent === before ? undefined : data;
  }

  begin(): void {
    this.#isDirty = false;
  }

  /** It may have changed without an event. */
  look(): void {
    this.#isDirty = true;
  }
}

/** One row a market. Of the rows only those that have changed. */
export class MarketsTopic implements Topic {
  readonly on: EventHandlers;
  readonly #sources: Sources;
  readonly #row: (market: MarketView) => object;
  readonly #dirty = new Set<number>();
  /** By number of the market, as text. */
  readonly #sent: string[] = [];

  constructor(
    sources: Sources,
    row: (market: MarketView) => object,
    events: (note: (event: { readonly market: number }) => void) => EventHandlers,
  ) {
    this.#sources = sources;
    this.#row = row;
    this.on = events(({ market }) => this.#dirty.add(market));
  }

  whole(): Data {
    this.#sent.length = 0;
    return { markets: this.#sources.engine.venue.markets.map((market) => this.#made(market)) };
  }

  changes(): Data | undefined {
    if (this.#dirty.size === 0) return undefined;
    const { markets } = this.#sources.engine.venue;
    const rows = [...this.#dirty].flatMap((index) => {
      const before = this.#sent[index];
      const row = this.#made(markets[index]);
      return this.#sent[index] === before ? [] : [row];
    });
    this.#dirty.clear();
    return rows.length === 0 ? undefined : { markets: rows };
  }

  begin(): void {
    this.#dirty.clear();
  }

  /** A mark that is set to the price that it has, or released and stays there, is no event. */
  look(): void {
    for (const { index } of this.#sources.engine.venue.markets) this.#dirty.add(index);
  }

  #made(market: MarketView): object {
    const row = this.#row(market);
    this.#sent[market.index] = JSON.stringify(row);
    return row;
  }
}

/** What changes the status of a market. */
function statusEvents(note: (event: { readonly market: number }) => void): EventHandlers {
  return {
    marketListed: note,
    marketHalted: note,
    marketResumed: note,
    marketDelisted: note,
    priceStale: note,
    priceFresh: note,
  };
}

/** The clock, halts, stale prices, health. Health changes without an event: `look` finds it. */
export class SystemTopic extends WholeTopic {
  constructor(sources: Sources) {
    super(() => systemView(sources), statusEvents);
  }
}

function systemView({ engine, notReadyBecause, replacedSeq }: Sources): object {
  const { venue, clock, epoch } = engine;
  const named = (status: string) =>
    venue.markets.filter((market) => marketStatus(market) === status).map(({ symbol }) => symbol);
  const reasons = notReadyBecause();
  return {
    epoch,
    clock: clock === null ? { manual: true } : { manual: false, state: clock.state, speed: clock.speed },
    halted: named('halted'),
    stale: named('stale'),
    health: { ready: reasons.length === 0, reasons },
    replacedSeq: replacedSeq(),
    recording: venue.recording?.market.symbol ?? null,
  };
}

export function marketsTopic(sources: Sources): Topic {
  return new MarketsTopic(sources, marketTerms, (note) => ({
    ...statusEvents(note),
    termsChanged: note,
    // A mark that is set, or released, is a term: markByHand.
    priceChanged: (event) => {
      if (event.reference === 'mark') note(event);
    },
  }));
}

/** Prices are in the tickers. */
function marketTerms(market: MarketView): object {
  const { index, mark, last, bestBid, bestAsk, ...terms } = marketView(market);
  return terms;
}

export function tickersTopic(sources: Sources): Topic {
  const row = (market: MarketView) => tickerView(market, sources.engine.nowMs());
  return new MarketsTopic(sources, row, (note) => ({
    ...statusEvents(note),
    priceChanged: note,
    traded: note,
    bookChanged: note,
    fundingSet: note,
    positionChanged: note,
  }));
}

/** Null: there is no such account now. */
function ofAccount(sources: Sources, name: string, read: (account: number) => object): () => Data {
  return () => {
    const account = sources.engine.venue.accountByName(name);
    return account === undefined ? null : read(account.index);
  };
}

/** What changes the figures of positions and wallets: they depend on each other, on orders, and on marks. */
function accountEvents({ engine }: Sources, name: string, note: () => void): EventHandlers {
  const own = ({ account }: { readonly account: number }) => {
    if (engine.venue.account(account)?.name === name) note();
  };
  return {
    accountCreated: own,
    accountChanged: own,
    orderChanged: own,
    orderAccepted: ({ order }) => own(order),
    positionChanged: own,
    walletChanged: own,
    priceChanged: ({ reference }) => {
      if (reference === 'mark') note();
    },
    marketHalted: note,
    marketResumed: note,
    termsChanged: note,
  };
}

export function positionsTopic(sources: Sources, name: string): Topic {
  const { engine } = sources;
  const read = ofAccount(sources, name, (account) => ({ positions: positionsView(engine.venue, account) }));
  return new WholeTopic(read, (note) => accountEvents(sources, name, note));
}

export function walletsTopic(sources: Sources, name: string): Topic {
  const { engine } = sources;
  const read = ofAccount(sources, name, (account) => ({ balances: balancesView(engine.venue, account) }));
  return new WholeTopic(read, (note) => accountEvents(sources, name, note));
}
