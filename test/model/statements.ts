/**
 * The five statements that hold after every command (rules 5.49 to 5.53), over plain figures: the same check for the
 * model and for the venue.
 */
import type { Venue } from '../../src/venue/venue.ts';
import { crossMarginAccount, equityOf, marginAccountOf } from './model-equity.ts';
import { payCurrency, reservedOf } from './model-funds.ts';
import { positionsIn, positionsOf, unrealisedIn } from './model-positions.ts';
import { BUY, type ModelAccount, type World } from './model-state.ts';

/** What an account has in a currency, or what an isolated position has: `equity` of nothing that is held is what is left. */
interface Wallet {
  name: string;
  total: bigint;
  reserved: bigint;
  /** Live spot orders that pay in the currency. */
  spotOrders: number;
  /** Of open cross positions. */
  unrealised: bigint;
  positions: number;
}

interface IsolatedEquity {
  name: string;
  equity: bigint;
}

interface Figures {
  wallets: Wallet[];
  isolated: IsolatedEquity[];
  /** Sum of the sizes of all positions, by market. */
  sizes: Map<string, number>;
  waits: (name: string) => boolean;
}

/** The first statement that does not hold, as a sentence; null: all of them do. */
function broken({ wallets, isolated, sizes, waits }: Figures): string | null {
  for (const { name, total, reserved, spotOrders, unrealised, positions } of wallets) {
    if (total < reserved && spotOrders > 0) return `${name}: total ${total} is below reserved ${reserved}`;
    if (total - reserved + unrealised < 0n && !waits(name))
      return `${name}: equity ${total - reserved + unrealised} is below zero, and nobody liquidates it`;
    if (total >= 0n) continue;
    if (positions === 0) return `${name}: a wallet without positions is at ${total}`;
    if (total + unrealised < 0n && !waits(name)) return `${name}: total ${total} is not covered by ${unrealised}`;
  }
  for (const { name, equity } of isolated) {
    if (equity < 0n && !waits(name)) return `${name}: an isolated position's equity ${equity} is below zero`;
  }
  for (const [symbol, sum] of sizes) if (sum !== 0) return `the positions of ${symbol} sum up to ${sum}`;
  return null;
}

export function brokenInModel(w: World): string | null {
  const figures: Figures = { wallets: [], isolated: [], sizes: new Map(), waits: (name) => waiting.has(name) };
  const waiting = new Set<string>();
  for (const account of w.s.accounts.values()) {
    if (waitsInModel(w, account)) waiting.add(account.name);
    for (const currency of w.s.currencies.keys()) figures.wallets.push(walletOf(w, account, currency));
    for (const market of w.s.markets) {
      if (market.product === 'spot') continue;
      const marketPositions = positionsIn(account, market);
      for (const position of positionsOf(marketPositions)) {
        const { symbol } = market.spec;
        figures.sizes.set(symbol, (figures.sizes.get(symbol) ?? 0) + position.size);
        if (marketPositions.mode !== 'ISOLATED') continue;
        const equity = equityOf(w, marginAccountOf(w, account, market, position));
        figures.isolated.push({ name: account.name, equity });
      }
    }
  }
  addHouse(w, figures);
  return broken(figures);
}

/** What recorded markets hold is the other side of what users do. */
function addHouse(w: World, { sizes }: Figures): void {
  for (const [index, { size }] of w.s.housePositions) {
    const { symbol } = w.s.markets[index].spec;
    sizes.set(symbol, (sizes.get(symbol) ?? 0) + size);
  }
}

function waitsInModel(w: World, account: ModelAccount): boolean {
  const holds = (market: World['s']['markets'][number]) =>
    positionsOf(positionsIn(account, market)).some((p) => p.size !== 0);
  return w.s.markets.some(
    (m) => m.product === 'futures' && (m.distressed.includes(account.number) || (m.halted && holds(m))),
  );
}

function walletOf(w: World, account: ModelAccount, currency: number): Wallet {
  const pays = w.s.live.filter(
    (o) =>
      o.account === account.number &&
      o.product === 'spot' &&
      payCurrency(w.s.markets[o.market], o.side) === currency &&
      (o.twap === null || o.resting !== null),
  );
  const markets = w.s.markets.filter((m) => m.product === 'futures' && m.quote === currency);
  return {
    name: account.name,
    total: account.totals[currency],
    reserved: reservedOf(w, account, currency),
    spotOrders: pays.length,
    unrealised: markets.reduce((sum, m) => sum + unrealisedIn(account, m), 0n),
    positions: crossMarginAccount(w, account, currency).positions.length,
  };
}

/** The venue's own figures, as it shows them. Who waits for a liquidation is told by `waits`. */
export function brokenInVenue(venue: Venue, w: World): string | null {
  const figures: Figures = { wallets: [], isolated: [], sizes: new Map(), waits: (name) => waiting.has(name) };
  const waiting = new Set<string>();
  for (const account of w.s.accounts.values()) {
    if (waitsInModel(w, account)) waiting.add(account.name);
    const positions = venue.positions(account.number);
    const orders = venue.openOrders(account.number, 'spot', null);
    for (const { currency, total, reserved } of venue.balances(account.number)) {
      const crossed = positions.filter((p) => p.mode !== 'ISOLATED' && p.market.spec.quote === currency.code);
      const pays = orders.filter((o) => {
        const { spec } = venue.markets[o.market];
        return (o.side === BUY ? spec.quote : spec.base) === currency.code && o.kind !== 'twap';
      });
      figures.wallets.push({
        name: account.name,
        total,
        reserved,
        spotOrders: pays.length,
        unrealised: crossed.reduce((sum, p) => sum + p.unrealised, 0n),
        positions: crossed.length,
      });
    }
    for (const p of positions) {
      const { symbol } = p.market.spec;
      figures.sizes.set(symbol, (figures.sizes.get(symbol) ?? 0) + p.size);
      if (p.mode === 'ISOLATED') figures.isolated.push({ name: account.name, equity: p.margin + p.unrealised });
    }
  }
  addHouse(w, figures);
  return broken(figures);
}
