/**
 * Judges a venue in which accounts named thief… collude. It looks on at every event and after every command, and says what
 * no rule may let happen. Test 1: index and marks are pinned. Test 2: they move.
 *
 * Test 1: the thieves together never own more at the mark than they brought (deposits less withdrawals; funding that honest
 * accounts paid them aside); an honest account, which quotes at the mark or outside it, never owns less than it brought but
 * for its fees and its funding; the fund never falls.
 * Test 2: the fund never falls by more than accounts were below zero at the step that made them so, and what the
 * liquidation band beyond the mark can cost of their positions; a deficit never arises where there was none;
 * auto-deleveraging leaves nobody below the equity that it had at the mark before.
 * Both: the five statements of rules 5.49 to 5.53; nothing of what was brought is lost or made.
 */

import type { Command } from '../../src/venue/contract/commands.ts';
import type { VenueEvent } from '../../src/venue/contract/events.ts';
import { PARTS } from '../../src/venue/contract/units.ts';
import type { Reply, Venue } from '../../src/venue/venue.ts';
import type { MarketView } from '../../src/venue/views.ts';
import { BUY, SELL } from './model-state.ts';
import {
  brokenStatement,
  coinValue,
  contentsOf,
  type Everything,
  equityAt,
  everythingIn,
  fundOf,
  type MarginMoney,
  marginsOf,
  SCALE,
  text,
  wealthOf,
  worthOfAll,
} from './thief-money.ts';

export type Test = 1 | 2;
export const SETTLEMENT = 'USDT';

/** What may take money out of a margin at a price that everybody knows. */
const TAKES = new Set<Command['type']>(['place', 'amend', 'deposit', 'setLeverage']);

export const isThief = (name: string): boolean => name.startsWith('thief');

/** Sums over an account's life, scaled. */
interface Flow {
  brought: bigint;
  fees: bigint;
  /** Received less paid. */
  funding: bigint;
}

export class Judge {
  readonly #test: Test;
  #venue!: Venue;
  readonly #flows = new Map<number, Flow>();
  /** By currency, what has been brought. */
  readonly #contents: Map<string, bigint>;
  /** By currency that perpetuals settle in. */
  readonly #funds = new Map<string, bigint>();
  readonly #fundsAtStart: ReadonlyMap<string, bigint>;
  /** Test 2: fine marks as last seen. */
  readonly #marks = new Map<number, number>();
  /** Test 2: those before the last change of any. */
  readonly #marksBefore = new Map<number, number>();
  /** Test 2: by margin that is below zero, what it may cost the fund; scaled. */
  readonly #shortfalls = new Map<string, { readonly currency: string; left: bigint }>();
  /**
   * Test 2: by account and currency, its wealth in perpetuals at the mark before the last one, or at the last one where its own positions
   * have lost by that. Gone when it has traded since.
   */
  readonly #before = new Map<string, bigint>();
  /** Test 2: what everybody had after the command before, and the marks that were known then. */
  #everything: Everything = new Map();
  #known: ReadonlyMap<number, number> = new Map();
  #complaint: string | null = null;

  constructor(test: Test, venue: Venue) {
    this.#test = test;
    this.follow(venue);
    for (const number of venue.accountNumbers()) this.#open(number);
    this.#contents = contentsOf(venue, everythingIn(venue));
    for (const { product, quote } of venue.markets) {
      const { code } = venue.currencies[quote];
      if (product === 'futures') this.#funds.set(code, fundOf(venue, code));
    }
    this.#fundsAtStart = new Map(this.#funds);
  }

  /** The venue to look at: another one after a restart. */
  follow(venue: Venue): void {
    this.#venue = venue;
  }

  #open(number: number): void {
    this.#flows.set(number, { brought: wealthOf(this.#venue, number, SETTLEMENT), fees: 0n, funding: 0n });
  }

  /** Coins that an account was given are worth something once there is an index: what it brought counts from here. */
  begin(): void {
    for (const number of this.#venue.accountNumbers()) this.#open(number);
    for (const market of this.#venue.markets) this.#marks.set(market.index, market.mark);
  }

  // --- while a command is applied ----------------------------------------------------------------------------------

  see(event: VenueEvent): void {
    if (event.type === 'traded') this.#traded(event);
    if (event.type === 'balanceChanged' && event.reason === 'funding') {
      const { code } = this.#venue.currencies[event.currency];
      this.#flow(event.account).funding += this.#worth(code, event.amount);
      this.#before.delete(`${event.account} ${code}`);
      if (this.#test === 2) this.#lookBelow(event.account);
    }
    if (this.#test === 1) return;
    if (event.type === 'priceChanged' && event.reference === 'mark') this.#marked(event.market, event.fine);
    if (event.type === 'deleveraged') this.#deleveraged(event);
  }

  #flow(account: number): Flow {
    return this.#flows.get(account) as Flow;
  }

  #traded(event: Extract<VenueEvent, { type: 'traded' }>): void {
    const { product, quote, base } = this.#venue.markets[event.market];
    for (const [account, fee, side] of [
      [event.makerAccount, event.makerFee, 1 - event.takerSide],
      [event.takerAccount, event.takerFee, event.takerSide],
    ] as const) {
      const inQuote = product === 'futures' || side === SELL || this.#venue.genesis?.config.feeFrom === 'quote';
      this.#flow(account).fees += this.#worth(this.#venue.currencies[inQuote ? quote : base].code, BigInt(fee));
      this.#before.delete(`${account} ${this.#venue.currencies[quote].code}`);
    }
  }

  /** Smallest units of a currency, coins at their index; scaled. */
  #worth(currency: string, units: bigint): bigint {
    if (currency === SETTLEMENT) return units * SCALE;
    return coinValue(this.#venue, currency, SETTLEMENT, units * SCALE);
  }

  /** A market that is halted counts at the mark that it had before: when it resumes, that mark is the one before. */
  #marked(market: number, fine: number): void {
    if (this.#venue.markets[market].halted) {
      for (const number of this.#venue.accountNumbers()) this.#lookBelow(number);
      return;
    }
    const accounts = this.#venue.accountNumbers();
    const before = accounts.map((number) => this.#perpetualWealth(number, this.#marks));
    for (const [each, mark] of this.#marks) this.#marksBefore.set(each, mark);
    this.#marks.set(market, fine);
    for (const [i, number] of accounts.entries()) {
      for (const [currency, has] of this.#perpetualWealth(number, this.#marks)) {
        const had = before[i].get(currency) ?? 0n;
        this.#before.set(`${number} ${currency}`, has < had ? has : had);
      }
      this.#lookBelow(number);
    }
  }

  /** By currency. */
  #perpetualWealth(account: number, marks: ReadonlyMap<number, number>): Map<string, bigint> {
    const wealth = new Map<string, bigint>();
    for (const { currency, equity } of marginsOf(this.#venue, account, marks)) {
      if (this.#funds.has(currency)) wealth.set(currency, (wealth.get(currency) ?? 0n) + equity);
    }
    return wealth;
  }

  /** Who falls below zero now may cost the fund that much, once. */
  #lookBelow(account: number): void {
    for (const margin of marginsOf(this.#venue, account)) {
      if (margin.equity >= 0n || this.#shortfalls.has(margin.key)) continue;
      this.#shortfalls.set(margin.key, { currency: margin.currency, left: -margin.equity + bandCost(margin) });
    }
  }

  /** At a price no worse than the mark before; and the account as a whole, where its positions share their margin. */
  #deleveraged(event: Extract<VenueEvent, { type: 'deleveraged' }>): void {
    if (event.account === event.bankruptAccount) return;
    const market = this.#venue.markets[event.market];
    const { code } = this.#venue.currencies[market.quote];
    const before = this.#before.get(`${event.account} ${code}`);
    const isolated = this.#venue.settings(event.account, market).mode === 'ISOLATED';
    if (isolated) this.#deleveragedAt(event, market);
    if (before === undefined || isolated) return;
    const now = this.#perpetualWealth(event.account, this.#marks).get(code) ?? 0n;
    if (now >= before) return;
    const [name, had] = [this.#name(event.account), text(before)];
    this.#complain(
      `auto-deleveraging leaves ${name} with ${text(now)}; without it at least ${had}: ${text(before - now)} less`,
    );
  }

  #deleveragedAt(event: Extract<VenueEvent, { type: 'deleveraged' }>, market: MarketView): void {
    const order = this.#venue.order(event.bankruptAccount, 'futures', event.bankruptKey);
    const mark = this.#marksBefore.get(event.market) ?? market.mark;
    if (order === undefined) return;
    const value = BigInt(event.sizeLots) * BigInt(mark) * market.unitsPerTickLot * (SCALE / 1000n);
    const paid = event.notional * SCALE;
    const worse = order.side === BUY ? value - paid : paid - value;
    if (worse <= SCALE) return;
    const name = this.#name(event.account);
    this.#complain(
      `auto-deleveraging closes an isolated position of ${name} ${text(worse)} worse than the mark before`,
    );
  }

  #name(account: number): string {
    return this.#venue.account(account)?.name ?? `account ${account}`;
  }

  #complain(complaint: string): void {
    this.#complaint ??= complaint;
  }

  // --- after a command ---------------------------------------------------------------------------------------------

  /** What is wrong after the command, or null. */
  after(command: Command, reply: Reply): string | null {
    if (command.type === 'deposit' && reply.refusal === null)
      this.#deposited(command.account, command.currency, BigInt(command.amount));
    const everything = everythingIn(this.#venue);
    if (this.#test === 2) this.#marksStayNear();
    if (this.#test === 2) this.#knownPriceCounts(command, everything);
    return (
      this.#complaint ??
      brokenStatement(this.#venue, everything) ??
      this.#conserved(everything) ??
      this.#fundHolds(everything) ??
      this.#nobodyGains(everything)
    );
  }

  #deposited(account: number, currency: string, amount: bigint): void {
    this.#contents.set(currency, (this.#contents.get(currency) ?? 0n) + amount);
    this.#flow(account).brought += this.#worth(currency, amount);
  }

  /** A mark that follows its index stays within the largest basis. */
  #marksStayNear(): void {
    for (const { symbol, product, spec, mark, indexPrice, markPinned } of this.#venue.markets) {
      const { maxBasis } = spec;
      if (product === 'spot' || markPinned || indexPrice === 0 || maxBasis === undefined || maxBasis === null) continue;
      if (Math.abs(mark - indexPrice) > indexPrice * Number(maxBasis) + 1) {
        this.#complain(`the mark of ${symbol} is ${mark}, its index ${indexPrice}: more than ${maxBasis} apart`);
      }
    }
  }

  /**
   * While a jump is held, or a market halted, everybody sees where the mark goes. Nobody may then take out, or trade away,
   * what leaves a margin below zero at that price.
   */
  #knownPriceCounts(command: Command, everything: Everything): void {
    const known = this.#knownMarks();
    const before = this.#known;
    const had = this.#everything;
    this.#known = known;
    this.#everything = everything;
    if (known.size === 0 || !TAKES.has(command.type)) return;
    if ([...known].some(([market, fine]) => before.get(market) !== fine)) return;
    for (const [account, margins] of everything) {
      for (const margin of margins) {
        const at = equityAt(margin, known);
        if (at >= 0n || margin.positions.length === 0) continue;
        const earlier = had.get(account)?.find(({ key }) => key === margin.key);
        if (earlier !== undefined && equityAt(earlier, known) < 0n) continue;
        this.#complain(`${this.#name(account)} has ${text(at)} at a value that is held, and had more before`);
      }
    }
  }

  /** Fine marks to come, by market: values that are held, and the marks that halted markets resume with. */
  #knownMarks(): Map<number, number> {
    const known = new Map<number, number>();
    for (const { index, product, pendingIndex, halted, mark, valuationMark } of this.#venue.markets) {
      if (product !== 'futures') continue;
      if (pendingIndex !== 0) known.set(index, pendingIndex);
      else if (halted && mark !== valuationMark) known.set(index, mark);
    }
    return known;
  }

  #conserved(everything: Everything): string | null {
    for (const [currency, found] of contentsOf(this.#venue, everything)) {
      const brought = this.#contents.get(currency) ?? 0n;
      if (found !== brought) return `${found - brought} units of ${currency} came from nowhere`;
    }
    return null;
  }

  #fundHolds(everything: Everything): string | null {
    for (const [currency, had] of this.#funds) {
      const fund = fundOf(this.#venue, currency);
      const fell = (had - fund) * SCALE;
      this.#funds.set(currency, fund);
      if (this.#test === 1) {
        if (fell > 0n) return `the fund fell by ${text(fell)} to ${text(fund * SCALE)} ${currency}`;
        continue;
      }
      if (fund < 0n && (this.#fundsAtStart.get(currency) ?? 0n) >= 0n) {
        return `a deficit of ${text(-fund * SCALE)} ${currency} arose`;
      }
      const mine = [...this.#shortfalls.values()].filter((shortfall) => shortfall.currency === currency);
      const allowed = mine.reduce((sum, { left }) => sum + left, 0n);
      if (fell > allowed) {
        return `the fund fell by ${text(fell)} ${currency}; accounts that a step took below zero lacked ${text(allowed)} at that step`;
      }
      this.#pay(mine, fell);
    }
    this.#forgetSettled(everything);
    return null;
  }

  /** Takes what the fund paid off the shortfalls. */
  #pay(shortfalls: readonly { left: bigint }[], paid: bigint): void {
    let rest = paid > 0n ? paid : 0n;
    for (const shortfall of shortfalls) {
      const part = shortfall.left < rest ? shortfall.left : rest;
      shortfall.left -= part;
      rest -= part;
    }
  }

  #forgetSettled(everything: Everything): void {
    if (this.#shortfalls.size === 0) return;
    const below = new Set<string>();
    for (const margins of everything.values()) {
      for (const { key, equity } of margins) if (equity < 0n) below.add(key);
    }
    for (const key of this.#shortfalls.keys()) if (!below.has(key)) this.#shortfalls.delete(key);
  }

  #nobodyGains(everything: Everything): string | null {
    if (this.#test === 2) return null;
    let [gain, received] = [0n, 0n];
    for (const [number, margins] of everything) {
      const name = this.#name(number);
      const { brought, fees, funding } = this.#flow(number);
      const change = worthOfAll(this.#venue, margins, SETTLEMENT) - brought;
      if (isThief(name)) {
        gain += change;
        received += funding;
      } else if (change < funding - fees) {
        return `${name} owns ${text(funding - fees - change)} less than it brought, fees and funding aside`;
      }
    }
    return gain > received ? `the thieves own ${text(gain - received)} more than they brought` : null;
  }
}

/** What closing its positions at the edge of the liquidation band costs more than closing them at the mark. */
function bandCost({ positions }: MarginMoney): bigint {
  let cost = 0n;
  for (const { market, size } of positions) {
    const band = BigInt(market.liquidationBand);
    const value = BigInt(Math.abs(size)) * BigInt(market.mark) * market.unitsPerTickLot * (SCALE / 1000n);
    cost += (value * band) / BigInt(PARTS) + SCALE;
  }
  return cost;
}
