/**
 * What a story of an order needs with each of its events: what caused it, and the prices of its market at that moment.
 *
 * - `by`: the type of the command, or `feed` for prices of a feed. Absent: the command that placed the order.
 * - `due`: the kind of the timer, if one set it off on the way of that command.
 * - `from`: the account of the command, if it is not the order's.
 * - `equity`, `maintenance`, `currency`: of the account, if it was liquidated.
 * - `last`, `index`, `mark`: absent if there was none. On spot the mark is the index.
 */
import type { Command } from '../../venue/contract/commands.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import type { Cause } from '../../venue/contract/events.ts';
import { seqOfKey } from '../../venue/contract/order-id.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { accountName, fineText } from './records.ts';

/** The members of one event. Members that are undefined count as absent. */
export type EventContext = Readonly<Record<string, string | undefined>>;

const REFERENCES = ['last', 'indexPrice', 'mark'] as const;

export class Contexts {
  readonly #venue: Venue;
  #command: Command | undefined;
  #cause: Cause = { by: 'command' };
  /** The texts of the prices of each market, as they were last needed. */
  readonly #prices = new WeakMap<MarketView, { readonly fines: readonly number[]; readonly texts: EventContext }>();

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  begin(command: Command): void {
    this.#command = command;
    this.#cause = { by: 'command' };
  }

  caused(cause: Cause): void {
    this.#cause = cause;
  }

  /** Of an event of the order `key` that happens now. */
  of(key: number, account: number, market: MarketView): EventContext {
    const prices = this.#pricesOf(market);
    const [command, cause] = [this.#command, this.#cause];
    if (command === undefined) return prices;
    const isOwn = cause.by === 'command' && command.type === 'place' && seqOfKey(key) === this.#venue.seq;
    if (isOwn) return prices;
    const from = 'account' in command && command.account !== account ? command.account : undefined;
    return {
      by: command.type === 'setPrices' && !command.byHand ? 'feed' : command.type,
      due: cause.by === 'timer' ? cause.due.kind : undefined,
      from: from === undefined ? undefined : accountName(this.#venue, from),
      ...(cause.by === 'liquidation' && cause.account === account && this.#marginOf(cause)),
      ...prices,
    };
  }

  #marginOf({ currency, equity, maintenance }: Extract<Cause, { by: 'liquidation' }>): EventContext {
    const { code, decimals } = this.#venue.currencies[currency];
    const [has, needs] = [equity, maintenance].map((amount) => decimalText(amount, decimals));
    return { equity: has, maintenance: needs, currency: code };
  }

  #pricesOf(market: MarketView): EventContext {
    const fines = REFERENCES.map((reference) => market[reference]);
    const known = this.#prices.get(market);
    if (known !== undefined && fines.every((fine, i) => fine === known.fines[i])) return known.texts;
    const [last, index, mark] = fines.map((fine) => (fine === 0 ? undefined : fineText(market, fine)));
    const texts = market.product === 'spot' ? { last, index } : { last, index, mark };
    this.#prices.set(market, { fines, texts });
    return texts;
  }
}
