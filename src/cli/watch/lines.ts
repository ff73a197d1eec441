/**
 * What happens in a market, as plain lines: for pipes and files. A line begins with the venue's time. A line of the
 * book appears when a best price or its size has changed.
 */
import type { Level } from '../../client/book.ts';
import type { OwnPosition, Picture, WatchedMarket } from './picture.ts';
import type { Change } from './watcher.ts';
import { priceText, sizeText, termsOf } from './words.ts';

export class Lines {
  readonly #picture: Picture;
  #book = '';

  constructor(picture: Picture) {
    this.#picture = picture;
  }

  /** The line of a change. Undefined: there is nothing new to say. */
  of(change: Change): string | undefined {
    const { market, timeMs } = this.#picture;
    switch (change.kind) {
      case 'book': {
        const [bids, asks] = [this.#picture.bids(1), this.#picture.asks(1)];
        const book = `bid ${level(market, bids)} ask ${level(market, asks)}`;
        if (book === this.#book) return undefined;
        this.#book = book;
        return line(timeMs, `book ${book}`);
      }
      case 'trade': {
        const { side, size, price, timeMs: at } = change.trade;
        return line(at, `trade ${side} ${sizeText(market, size)} at ${priceText(market, price)}`);
      }
      case 'order': {
        const { order } = change;
        const what = `${order.side} ${order.size} at ${termsOf(order, (price) => priceText(market, price))}`;
        const name = order.clientId === '' ? order.id : `${order.clientId} ${order.id}`;
        return line(order.timeMs, `order ${what} ${order.status}, ${order.filled} filled, ${name}`);
      }
      case 'opened':
        return line(timeMs, `position ${positionText(this.#picture, change.position)}`);
      case 'closed':
        return line(timeMs, `position ${change.id} closed`);
      case 'ready':
      case 'said':
        return undefined;
    }
  }
}

function positionText({ market }: Picture, { direction, size, entryPrice, id }: OwnPosition): string {
  return `${direction} ${sizeText(market, size)} from ${priceText(market, entryPrice)}, ${id}`;
}

function level(market: WatchedMarket, [best]: readonly Level[]): string {
  return best === undefined ? 'none' : `${best[0]} x ${sizeText(market, best[1])}`;
}

function line(timeMs: number, text: string): string {
  return `${new Date(timeMs).toISOString()} ${text}`;
}
