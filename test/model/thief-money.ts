/**
 * What accounts own, worked out from the venue's views alone and by nothing of the venue's own arithmetic: wallets,
 * positions and marks. And the five statements of rules 5.49 to 5.53, which hold after every command.
 *
 * Amounts are exact: smallest units of the settlement currency × SCALE, so that neither a mark between two ticks nor a
 * coin's value is rounded. Cost: one look at the balances and the positions of each account.
 */
import type { PositionView, Venue } from '../../src/venue/venue.ts';
import { BUY, FINE } from './model-state.ts';

export const SCALE = 1_000_000_000n;
const PER_FINE = SCALE / BigInt(FINE);

/** One margin: what a cross account has in one currency, or one isolated position. */
export interface MarginMoney {
  readonly key: string;
  readonly account: number;
  readonly currency: string;
  readonly isolated: boolean;
  /** Wallet (isolated: own margin) and unrealised profit; scaled. */
  readonly equity: bigint;
  /** The same less what spot orders reserve; scaled. */
  readonly backing: bigint;
  /** Value of its positions at the mark; scaled. */
  readonly value: bigint;
  readonly positions: readonly PositionView[];
  /** Its liquidation has begun and is not over, or every market that it is in is halted. */
  readonly waits: boolean;
  /** Wallet alone, and what spot orders reserve; smallest units. Isolated: its margin, and 0. */
  readonly total: bigint;
  readonly reserved: bigint;
}

/** Fine marks in place of those of the venue, by market; absent: the venue's. */
export type Marks = ReadonlyMap<number, number>;

export function marginsOf(venue: Venue, account: number, marks: Marks = new Map()): MarginMoney[] {
  const positions = venue.positions(account);
  const found: MarginMoney[] = [];
  for (const { currency, total, reserved } of venue.balances(account)) {
    const { code } = currency;
    const cross = positions.filter((p) => p.mode !== 'ISOLATED' && currencyOf(venue, p) === code);
    const terms = { account, currency: code, isolated: false, total, reserved };
    found.push(marginFrom(`${account} ${code}`, terms, cross, marks));
  }
  for (const p of positions) {
    if (p.mode !== 'ISOLATED') continue;
    const terms = { account, currency: currencyOf(venue, p), isolated: true, total: p.margin, reserved: 0n };
    found.push(marginFrom(`${account} ${p.market.symbol}#${p.id}`, terms, [p], marks));
  }
  return found;
}

function marginFrom(
  key: string,
  terms: Pick<MarginMoney, 'account' | 'currency' | 'isolated' | 'total' | 'reserved'>,
  positions: readonly PositionView[],
  marks: Marks,
): MarginMoney {
  let [profit, value] = [0n, 0n];
  for (const p of positions) {
    profit += profitOf(p, marks);
    value += worthOf(p, marks);
  }
  const equity = terms.total * SCALE + profit;
  const halted = positions.length > 0 && positions.every((p) => p.market.halted);
  const waits = halted || positions.some((p) => p.liquidating);
  return { key, ...terms, equity, backing: equity - terms.reserved * SCALE, value, positions, waits };
}

/** Its equity at other marks; scaled. */
export function equityAt({ total, positions }: MarginMoney, marks: Marks): bigint {
  return positions.reduce((sum, p) => sum + profitOf(p, marks), total * SCALE);
}

function currencyOf(venue: Venue, { market }: PositionView): string {
  return venue.currencies[market.quote].code;
}

/** Size × mark, scaled. */
function worthOf({ market, size }: PositionView, marks: Marks): bigint {
  const mark = marks.get(market.index) ?? market.valuationMark;
  return BigInt(Math.abs(size)) * BigInt(mark) * market.unitsPerTickLot * PER_FINE;
}

function profitOf(p: PositionView, marks: Marks): bigint {
  const profit = worthOf(p, marks) - p.entryCost * SCALE;
  return p.size > 0 ? profit : -profit;
}

/** All that these margins are worth, coins at their index; scaled. */
export function worthOfAll(venue: Venue, margins: readonly MarginMoney[], settlement: string): bigint {
  let worth = 0n;
  for (const { currency, equity } of margins) {
    worth += currency === settlement ? equity : coinValue(venue, currency, settlement, equity);
  }
  return worth;
}

export function wealthOf(venue: Venue, account: number, settlement: string): bigint {
  return worthOfAll(venue, marginsOf(venue, account), settlement);
}

/** What a scaled amount of a coin is worth at its index; scaled. */
export function coinValue(venue: Venue, coin: string, settlement: string, amount: bigint): bigint {
  if (amount === 0n) return 0n;
  const spot = venue.markets.find(
    (m) =>
      m.product === 'spot' && venue.currencies[m.base].code === coin && venue.currencies[m.quote].code === settlement,
  );
  if (spot === undefined) return 0n;
  return (amount * BigInt(spot.indexPrice) * spot.unitsPerTickLot) / (BigInt(FINE) * spot.unitsPerLot);
}

/** What every account has, by account. */
export type Everything = ReadonlyMap<number, readonly MarginMoney[]>;

export function everythingIn(venue: Venue): Everything {
  return new Map(venue.accountNumbers().map((number) => [number, marginsOf(venue, number)]));
}

/** The five statements; what does not hold, or null. */
export function brokenStatement(venue: Venue, everything: Everything): string | null {
  const sums = new Map<string, number>();
  for (const [number, margins] of everything) {
    for (const margin of margins) {
      const broken = brokenOf(venue, margin);
      if (broken !== null) return `${venue.account(number)?.name}: ${broken}`;
      for (const { market, size } of margin.positions) {
        sums.set(market.symbol, (sums.get(market.symbol) ?? 0) + size);
      }
    }
  }
  for (const [symbol, sum] of sums)
    if (sum !== 0) return `the sizes of all positions in ${symbol} sum to ${sum}, not 0`;
  return null;
}

function brokenOf(venue: Venue, margin: MarginMoney): string | null {
  const { currency, total, reserved, equity, backing, waits, isolated } = margin;
  const figures = `total ${total}, reserved ${reserved}, equity ${text(equity)} of ${margin.key}`;
  if (!isolated && total < reserved && payingOrders(venue, margin) > 0)
    return `total is below what its spot orders reserve in ${currency}: ${figures}`;
  if (margin.positions.length === 0 && total < 0n) return `a wallet without a position is below zero: ${figures}`;
  if (waits) return null;
  if (equity < 0n || backing < 0n) return `equity is below zero, and no liquidation waits: ${figures}`;
  return null;
}

function payingOrders(venue: Venue, { account, currency }: MarginMoney): number {
  const pays = (o: { market: number; side: 0 | 1 }) => {
    const market = venue.markets[o.market];
    return venue.currencies[o.side === BUY ? market.quote : market.base].code === currency;
  };
  return venue.openOrders(account, 'spot', null).filter(pays).length;
}

/** What the fund holds of a currency; below zero: a deficit. */
export function fundOf(venue: Venue, currency: string): bigint {
  return venue.audit().currencies.find((each) => each.currency.code === currency)?.line.insurance ?? 0n;
}

/** By currency, all money in the venue: wallets, margins, positions at cost, fees and fund. Deposits alone change it. */
export function contentsOf(venue: Venue, everything: Everything): Map<string, bigint> {
  const sums = new Map(
    venue.audit().currencies.map(({ currency, line }) => [currency.code, line.fees + line.insurance]),
  );
  for (const margins of everything.values()) {
    for (const { currency, total, positions } of margins) {
      let sum = (sums.get(currency) ?? 0n) + total;
      for (const { size, entryCost } of positions) sum += size > 0 ? -entryCost : entryCost;
      sums.set(currency, sum);
    }
  }
  return sums;
}

/** A scaled amount in whole units of a currency with eight decimals, what is below the smallest unit left out. */
export function text(scaled: bigint): string {
  const units = (scaled < 0n ? -scaled : scaled) / SCALE;
  const fraction = String(units % 100_000_000n)
    .padStart(8, '0')
    .replace(/0+$/, '');
  return `${scaled < 0n ? '-' : ''}${units / 100_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}
