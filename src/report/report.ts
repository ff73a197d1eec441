/**
 * What came of a log, account by account: money by reason, equity over time, fills against the middle of the book, refusals.
 * The log is applied again from its beginning. It is only read, and the venue may be running.
 *
 * Invariant: an account's deposits, trades, fees and results add up to what it has, to the smallest unit. `difference` says
 * by how much they do not.
 *
 * Cost: that of applying the log, and for each minute a look at the accounts that have traded.
 */

import { MINUTE_MS } from '../config/times.ts';
import { LogReplayer } from '../engine/replay/log-replayer.ts';
import { LogMoved, RulesMismatch } from '../log/contract/command-log.ts';
import type { LogSource } from '../log/contract/log-source.ts';
import { existingStorage } from '../log/open.ts';
import { decimalText, parseDecimal, toUnits } from '../venue/contract/decimal.ts';
import type { BalanceChanged, PositionChanged, Traded } from '../venue/contract/events.ts';
import { BUY, NONE, SELL } from '../venue/contract/units.ts';
import { type Reply, RULES_VERSION, Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';

/** How many points of equity a report has, of each account and currency. */
const MOST_POINTS = 1000;

/** Exact decimals as text, in the currency. */
export interface CurrencyReport {
  readonly currency: string;
  readonly deposits: string;
  readonly withdrawals: string;
  /** What spot trades brought, less what they cost. */
  readonly traded: string;
  readonly realised: string;
  readonly funding: string;
  readonly insurance: string;
  /** Positive: paid. */
  readonly fees: string;
  /** In isolated positions. */
  readonly inPositions: string;
  readonly total: string;
  readonly unrealised: string;
  /** Of the total, what the reasons above do not explain: 0. */
  readonly difference: string;
  /** The deepest fall of equity less deposits, from a height until a depth. Null: it never fell. */
  readonly worstDrawdown: { readonly amount: string; readonly fromMs: number; readonly toMs: number } | null;
  readonly equity: readonly (readonly [ms: number, equity: string])[];
}

export interface AccountReport {
  readonly account: string;
  readonly orders: number;
  /** Commands that the venue refused, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly fills: number;
  readonly fillsAsMaker: number;
  /** By quote currency: what fills cost more than the middle of the book just before. Negative: they cost less. */
  readonly againstMid: Readonly<Record<string, string>>;
  /** Fills at a moment when a side of the book was empty: they are not in `againstMid`. */
  readonly withoutMid: number;
  readonly currencies: readonly CurrencyReport[];
}

export interface Report {
  readonly seq: number;
  /** Venue time of the first and of the last command. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The reset or restore after which it begins. Null: it begins with the log. */
  readonly sinceSeq: number | null;
  readonly accounts: readonly AccountReport[];
}

/** Only one account. Empty if it never had money. */
export function ofAccount(report: Report, account: string | undefined): Report {
  if (account === undefined) return report;
  return { ...report, accounts: report.accounts.filter((each) => each.account === account) };
}

type Reason = 'deposits' | 'withdrawals' | 'traded' | 'realised' | 'funding' | 'insurance' | 'fees';

interface Money {
  readonly sums: Record<Reason, bigint>;
  readonly points: [ms: number, equity: bigint][];
  /** Of equity less deposits. */
  peak: { value: bigint; ms: number } | null;
  worst: { amount: bigint; fromMs: number; toMs: number } | null;
}

interface Account {
  orders: number;
  readonly refused: Record<string, number>;
  fills: number;
  maker: number;
  withoutMid: number;
  readonly againstMid: Map<number, bigint>;
  /** By the number of the currency. */
  readonly money: Map<number, Money>;
  /** Collateral of isolated positions, by market and position. */
  readonly collateral: Map<string, { currency: number; amount: bigint }>;
}

/** Of the log at an address, which may be a folder. @throws as `reportOfLog` */
export async function reportOf(address: string, cold?: readonly string[]): Promise<Report> {
  return reportOfLog(existingStorage(address, cold).source);
}

/**
 * `rest` is called after each entry, for a thread that has more to do.
 * @throws {LogMoved} the beginning of the log is elsewhere @throws {RulesMismatch} other rules made a part of it
 */
export async function reportOfLog(source: LogSource, rest?: () => Promise<void>): Promise<Report> {
  const moved = await source.moved();
  if (moved !== undefined) throw new LogMoved(moved, 'a report needs the whole log: give that folder with --cold');
  const collector = new Collector();
  const entries = source.read();
  const own = String(RULES_VERSION);
  let rules = own;
  for await (const entry of entries) {
    if (rest !== undefined) await rest();
    rules = entry.rulesVersion ?? rules;
    if (entry.kind === 'batch' && rules !== own) throw new RulesMismatch(rules, own, 'partly');
    collector.replayer.take(entry);
  }
  collector.replayer.finish();
  return collector.report();
}

class Collector {
  readonly replayer: LogReplayer;
  readonly #venue = new Venue();
  #accounts = new Map<number, Account>();
  /** By market, twice the middle of the book before the present command, in ticks. Absent: a side is empty. */
  readonly #mids = new Map<number, number>();
  readonly #changed = new Set<number>();
  #fromMs: number | null = null;
  #sinceSeq: number | null = null;
  #minute = -1;

  constructor() {
    this.replayer = new LogReplayer(this.#venue, {
      apply: (venue, seq, timeMs, command) => {
        const reply = venue.apply(seq, timeMs, command);
        this.#applied(reply, 'account' in command ? (command.account as number) : -1, command.type === 'place');
        return reply;
      },
    });
    this.#venue.listen({
      traded: (trade) => this.#traded(trade),
      balanceChanged: (change) => this.#moved(change),
      positionChanged: (position) => this.#held(position),
      bookChanged: ({ market }) => this.#changed.add(market),
      stateReplaced: () => this.#begin(),
    });
  }

  #of(account: number): Account {
    let known = this.#accounts.get(account);
    if (known === undefined) {
      const counts = { orders: 0, refused: {}, fills: 0, maker: 0, withoutMid: 0 };
      known = { ...counts, againstMid: new Map(), money: new Map(), collateral: new Map() };
      this.#accounts.set(account, known);
    }
    return known;
  }

  #moneyOf(account: number, currency: number): Money {
    const { money } = this.#of(account);
    let known = money.get(currency);
    if (known === undefined) {
      const sums = { deposits: 0n, withdrawals: 0n, traded: 0n, realised: 0n, funding: 0n, insurance: 0n, fees: 0n };
      known = { sums, points: [], peak: null, worst: null };
      money.set(currency, known);
    }
    return known;
  }

  #applied(reply: Reply, account: number, isPlacement: boolean): void {
    const { timeMs } = this.#venue;
    this.#fromMs ??= timeMs;
    if (account >= 0) {
      const of = this.#of(account);
      if (isPlacement && reply.refusal === null) of.orders += 1;
      if (reply.refusal !== null) of.refused[reply.refusal.reason] = (of.refused[reply.refusal.reason] ?? 0) + 1;
    }
    for (const index of this.#changed) this.#noteMid(this.#venue.markets[index]);
    this.#changed.clear();
    const minute = Math.floor(timeMs / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#sample();
  }

  #noteMid(market: MarketView): void {
    const [bid, ask] = [market.bestPrice(BUY), market.bestPrice(SELL)];
    if (bid === NONE || ask === NONE) this.#mids.delete(market.index);
    else this.#mids.set(market.index, bid + ask);
  }

  #traded(trade: Traded): void {
    const { market: index, priceTicks, sizeLots, takerSide, makerAccount, takerAccount } = trade;
    const market = this.#venue.markets[index];
    const takerBuys = takerSide === BUY;
    const sides = [
      { account: makerAccount, buys: !takerBuys, fee: trade.makerFee, currency: trade.makerFeeCurrency, isMaker: true },
      { account: takerAccount, buys: takerBuys, fee: trade.takerFee, currency: trade.takerFeeCurrency, isMaker: false },
    ];
    const mid = this.#mids.get(index);
    for (const { account, buys, fee, currency, isMaker } of sides) {
      if (account < 0) continue;
      const of = this.#of(account);
      of.fills += 1;
      if (isMaker) of.maker += 1;
      this.#moneyOf(account, currency).sums.fees += BigInt(fee);
      if (market.spec.kind === 'spot') {
        const { decimals } = this.#venue.currencies[market.base];
        const size = toUnits(decimalOf(market.sizeText(sizeLots)), decimals) as bigint;
        const value = market.notional(priceTicks, sizeLots);
        this.#moneyOf(account, market.base).sums.traded += buys ? size : -size;
        this.#moneyOf(account, market.quote).sums.traded += buys ? -value : value;
      }
      if (mid === undefined) of.withoutMid += 1;
      else {
        // Twice the price and twice the middle, so that no half tick is lost; then half of it.
        const cost = market.notional(Math.abs(2 * priceTicks - mid), sizeLots);
        const isDearer = 2 * priceTicks > mid === buys;
        of.againstMid.set(market.quote, (of.againstMid.get(market.quote) ?? 0n) + (isDearer ? cost : -cost));
      }
    }
  }

  #moved({ account, currency, amount, reason }: BalanceChanged): void {
    const { sums } = this.#moneyOf(account, currency);
    if (reason === 'deposit') sums.deposits += amount;
    else if (reason === 'withdrawal') sums.withdrawals -= amount;
    else sums[reason] += amount;
  }

  #held({ account, market, positionId, collateral }: PositionChanged): void {
    this.#setCollateral(account, this.#venue.markets[market], positionId, collateral);
  }

  #setCollateral(account: number, { index, quote }: MarketView, positionId: number, amount: bigint): void {
    this.#of(account).collateral.set(`${index} ${positionId}`, { currency: quote, amount });
  }

  /** The state was replaced: what was before does not explain what is there now. */
  #begin(): void {
    this.#accounts = new Map();
    this.#mids.clear();
    this.#fromMs = null;
    this.#minute = -1;
    this.#sinceSeq = this.#venue.seq;
    for (const market of this.#venue.markets) this.#noteMid(market);
    for (const account of this.#venue.accountNumbers()) {
      for (const [currency, { total }] of this.#venue.balances(account).entries()) {
        if (total !== 0n) this.#moneyOf(account, currency).sums.deposits = total;
      }
      for (const { market, id, mode, margin } of this.#venue.positions(account)) {
        if (mode !== 'ISOLATED') continue;
        this.#setCollateral(account, market, id, margin);
        this.#moneyOf(account, market.quote).sums.deposits += margin;
      }
    }
  }

  #sample(): void {
    const { timeMs } = this.#venue;
    for (const [account, { money }] of this.#accounts) {
      const balances = this.#venue.balances(account);
      for (const [currency, of] of money) {
        const { total } = balances[currency];
        const equity = total + this.#unrealisedOf(account, currency) + this.#collateralOf(account, currency);
        of.points.push([timeMs, equity]);
        const earned = equity - of.sums.deposits + of.sums.withdrawals;
        if (of.peak === null || earned > of.peak.value) of.peak = { value: earned, ms: timeMs };
        const amount = of.peak.value - earned;
        if (amount > (of.worst?.amount ?? 0n)) of.worst = { amount, fromMs: of.peak.ms, toMs: timeMs };
      }
    }
  }

  /** Of all positions, isolated ones included. */
  #unrealisedOf(account: number, currency: number): bigint {
    const settled = this.#venue.positions(account).filter(({ market }) => market.quote === currency);
    return settled.reduce((sum, { unrealised }) => sum + unrealised, 0n);
  }

  #collateralOf(account: number, currency: number): bigint {
    let sum = 0n;
    for (const held of this.#of(account).collateral.values()) if (held.currency === currency) sum += held.amount;
    return sum;
  }

  report(): Report {
    this.#sample();
    const venue = this.#venue;
    const accounts = [...this.#accounts].sort(([a], [b]) => a - b);
    return {
      seq: venue.seq,
      fromMs: this.#fromMs ?? venue.timeMs,
      toMs: venue.timeMs,
      sinceSeq: this.#sinceSeq,
      accounts: accounts.map(([index, of]) => this.#accountReport(index, of)),
    };
  }

  #accountReport(index: number, of: Account): AccountReport {
    const { currencies } = this.#venue;
    const againstMid = [...of.againstMid].map(([currency, twice]): [string, string] => {
      const { code, decimals } = currencies[currency];
      return [code, decimalText(twice * 5n, decimals + 1)];
    });
    return {
      account: this.#venue.account(index)?.name ?? String(index),
      orders: of.orders,
      refused: of.refused,
      fills: of.fills,
      fillsAsMaker: of.maker,
      againstMid: Object.fromEntries(againstMid),
      withoutMid: of.withoutMid,
      currencies: [...of.money]
        .sort(([a], [b]) => a - b)
        .map(([currency, money]) => this.#currencyReport(index, currency, money)),
    };
  }

  #currencyReport(account: number, currency: number, { sums, points, worst }: Money): CurrencyReport {
    const { code, decimals } = this.#venue.currencies[currency];
    const text = (units: bigint) => decimalText(units, decimals);
    const { total } = this.#venue.balances(account)[currency];
    const unrealised = this.#unrealisedOf(account, currency);
    const inPositions = this.#collateralOf(account, currency);
    const { deposits, withdrawals, traded, realised, funding, insurance, fees } = sums;
    const explained = deposits - withdrawals + traded + realised + funding + insurance - fees;
    const step = Math.ceil(points.length / MOST_POINTS);
    const shown = points.filter((_, i) => i % step === 0 || i === points.length - 1);
    return {
      currency: code,
      deposits: text(deposits),
      withdrawals: text(withdrawals),
      traded: text(traded),
      realised: text(realised),
      funding: text(funding),
      insurance: text(insurance),
      fees: text(fees),
      inPositions: text(inPositions),
      total: text(total),
      unrealised: text(unrealised),
      difference: text(total + inPositions - explained),
      worstDrawdown: worst && { amount: text(worst.amount), fromMs: worst.fromMs, toMs: worst.toMs },
      equity: shown.map(([ms, units]): [number, string] => [ms, text(units)]),
    };
  }
}

function decimalOf(text: string) {
  const decimal = parseDecimal(text);
  if (typeof decimal === 'string') throw new RangeError(`${text} is ${decimal}`);
  return decimal;
}
