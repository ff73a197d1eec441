/** Terms that change, accounts that are frozen, markets that end (semantics.md section 15). */
import type { ChangeAccount, ChangeMarket, Command, DelistMarket } from '../../src/venue/contract/commands.ts';
import { CHANGEABLE_TERMS } from '../../src/venue/contract/market-spec.ts';
import { type Problem, problem } from './model-checks.ts';
import { equityOf, maintenanceNeeded } from './model-equity.ts';
import { balanceOf, reserveOf } from './model-funds.ts';
import { afterSweep } from './model-links.ts';
import { checkHolders, closeBankruptAtEnd, holdersOf, marginsIn } from './model-liquidation.ts';
import { fairMark, see } from './model-mark.ts';
import { end } from './model-matching.ts';
import { openMarket, parts } from './model-open.ts';
import { changePosition, positionsIn, positionsOf } from './model-positions.ts';
import {
  BUY,
  FINE,
  floorDiv,
  isLive,
  least,
  type ModelAccount,
  type ModelMarket,
  type ModelOrder,
  magnitude,
  PARTS,
  SELL,
  say,
  type World,
} from './model-state.ts';
import { makeGood } from './model-wallets.ts';

const CANCELS: readonly Command['type'][] = ['cancel', 'cancelAll', 'cancelAllAfter'];

/** A frozen account only cancels, or does nothing; its operator may do everything. */
export function frozenProblem(w: World, c: Command): Problem | null {
  if (!('account' in c) || c.type === 'deposit' || c.type === 'addKey' || c.type === 'changeAccount') return null;
  const account = w.s.accounts.get(c.account);
  const frozen = account?.frozen ?? null;
  if (account === undefined || frozen === null) return null;
  if (frozen === 'cancelOnly' && CANCELS.includes(c.type)) return null;
  return problem('accountFrozen', { account: account.name, frozen });
}

type Terms = Pick<
  ModelMarket,
  | ('spec' | 'minLots' | 'maxLots' | 'maker' | 'taker' | 'band' | 'marketBand' | 'distance' | 'tiers')
  | ('liquidationFee' | 'maxBasis' | 'liquidationBand' | 'indexJump')
>;

function termsOf(market: ModelMarket): Terms {
  const { spec, minLots, maxLots, maker, taker, band, marketBand, distance, tiers } = market;
  const { liquidationFee, maxBasis, liquidationBand, indexJump } = market;
  const bounds = { liquidationFee, maxBasis, liquidationBand, indexJump };
  return { spec, minLots, maxLots, maker, taker, band, marketBand, distance, tiers, ...bounds };
}

export function changeMarket(w: World, c: ChangeMarket): Problem | null {
  const market = w.s.markets[c.market];
  if (market === undefined) return problem('unknownMarket', { symbol: c.market });
  if (market.delisted) return problem('marketDelisted', { symbol: market.spec.symbol });
  const spec = { ...market.spec, ...c.terms };
  const invalid = (field: string) => problem('invalidMarket', { field: `${spec.symbol}.${field}` });
  const fixed = Object.keys(c.terms).find((name) => !(CHANGEABLE_TERMS as readonly string[]).includes(name));
  if (fixed !== undefined) return invalid(fixed);
  if (spec.riskTiers.length < market.tiers.length) return invalid('riskTiers');
  const asked = openMarket(market.index, spec, w.s.currencies);
  const beyond = beyondBounds(asked);
  if (beyond !== null) return invalid(beyond);
  const old = termsOf(market);
  const risky = c.terms.riskTiers !== undefined || c.terms.maxBasis !== undefined;
  const before = new Map(w.s.live.map((o) => [o.key, reserveOf(w, o)]));
  const unsafeBefore = risky ? unsafe(w, market) : [];
  Object.assign(market, termsOf(asked));
  const { mark } = market;
  const follows = market.product === 'futures' && !market.markPinned && market.indexPrice !== 0;
  const newMark = risky && follows ? fairMark(w, market, market.indexPrice, market.last) : mark;
  if (risky && !c.force) {
    market.mark = newMark;
    const accounts = unsafe(w, market).filter((number) => !unsafeBefore.includes(number));
    market.mark = mark;
    if (accounts.length > 0) {
      Object.assign(market, old);
      const first = accounts.slice(0, 5).map((number) => w.s.accounts.get(number)!.name);
      const names = first.join(', ') + (accounts.length > 5 ? ` and ${accounts.length - 5} more` : '');
      return problem('termsUnsafe', { symbol: spec.symbol, accounts: accounts.length, names });
    }
  }
  if (c.terms.funding !== undefined) {
    if (market.funding !== null) market.nextFunding = { terms: spec.funding };
    else Object.assign(market, { funding: spec.funding, fundingCap: asked.fundingCap });
  }
  say(w, `termsChanged ${market.index}`);
  if (c.terms.fees !== undefined) holdFees(w, market, before, null);
  if (!risky) return null;
  if (newMark !== mark) see(w, market, 'mark', newMark);
  if (newMark === mark || market.halted) checkHolders(w, market);
  return null;
}

/** The option that is beyond what the others allow; the defaults of options are never. */
function beyondBounds({ spec, maxBasis, liquidationBand, indexJump, tiers, maker, taker }: ModelMarket): string | null {
  const lowest = (of: 'initial' | 'maintenance') => tiers.map((tier) => tier[of]).reduce(least, PARTS);
  const band = 2n * maker + taker;
  if (spec.maxBasis != null && maxBasis > lowest('maintenance') / 2n) return 'maxBasis';
  if (spec.liquidationBand != null && liquidationBand > (band > 0n ? band : 0n)) return 'liquidationBand';
  if (spec.indexJump != null && indexJump > lowest('initial')) return 'indexJump';
  if (spec.funding !== null && parts(spec.funding.cap) > (3n * lowest('maintenance')) / 4n) return 'funding.cap';
  return null;
}

/** Accounts with a position in the market of which one margin is below maintenance. */
function unsafe(w: World, market: ModelMarket): number[] {
  if (market.product === 'spot') return [];
  return holdersOf(w, market).filter((number) =>
    marginsIn(w, market, number).some((margin) => equityOf(w, margin) < maintenanceNeeded(margin)),
  );
}

/** Buys that hold their fee hold the new one, oldest first; one that needs more than its account has goes. */
function holdFees(w: World, market: ModelMarket, before: Map<number, bigint>, only: ModelAccount | null): void {
  if (market.product !== 'spot' || w.s.genesis.config.feeFrom === 'received') return;
  const held = (o: ModelOrder) => before.get(o.key) ?? 0n;
  const accounts = only === null ? [...w.s.accounts.values()].sort((a, b) => a.number - b.number) : [only];
  for (const account of accounts) {
    const waiting = w.s.live.filter(
      (o) => o.account === account.number && o.market === market.index && o.side === BUY && held(o) > 0n,
    );
    while (waiting.length > 0) {
      const o = waiting[0];
      if (!isLive(o)) {
        waiting.shift();
        continue;
      }
      // Those that are still to come hold what they held.
      const ahead = waiting.filter(isLive).reduce((sum, other) => sum + reserveOf(w, other) - held(other), 0n);
      const available = balanceOf(w, account, market.quote).available + ahead;
      waiting.shift();
      const more = reserveOf(w, o) - held(o);
      if (more > 0n && more > available) end(w, o, 'cancelled', 'fees');
    }
  }
}

export function changeAccount(w: World, c: ChangeAccount): Problem | null {
  const account = w.s.accounts.get(c.account);
  if (account === undefined) return problem('unknownAccount', { account: c.account });
  for (const symbol of Object.keys(c.fees ?? {})) {
    const market = w.s.markets.find((m) => m.spec.symbol === symbol);
    if (market === undefined) return problem('unknownMarket', { symbol });
    if (market.delisted) return problem('marketDelisted', { symbol });
  }
  for (const [symbol, fees] of Object.entries(c.fees ?? {})) {
    const before = new Map(w.s.live.map((o) => [o.key, reserveOf(w, o)]));
    if (fees === null) delete account.fees[symbol];
    else account.fees[symbol] = { maker: parts(fees.maker), taker: parts(fees.taker) };
    holdFees(w, w.s.markets.find((m) => m.spec.symbol === symbol)!, before, account);
  }
  if (c.frozen !== undefined) account.frozen = c.frozen;
  say(w, `accountChanged ${account.number}`);
  return null;
}

/**
 * All orders go. Accounts below zero at the settlement price are closed out as at a resume. Other positions close at that
 * price without a fee, those who lose first; what is missing is the fund's.
 */
export function delistMarket(w: World, c: DelistMarket): Problem | null {
  const market = w.s.markets[c.market];
  if (market === undefined) return problem('unknownMarket', { symbol: c.market });
  const { symbol } = market.spec;
  if (market.delisted) return problem('marketDelisted', { symbol });
  if (!market.halted) return problem('marketNotHalted', { symbol });
  if (market.playback !== null) return problem('marketPlayed', { symbol });
  const given = c.settlementPrice;
  if (given !== null && (market.product === 'spot' || given < 1 || given > market.maxTicks * FINE))
    return problem('priceOutOfRange', { field: 'settlementPrice' });
  const price = given ?? market.mark;
  const holders = market.product === 'spot' ? [] : holdersOf(w, market);
  if (price === 0 && holders.length > 0) return problem('noMark', { symbol });
  for (const account of [...w.s.accounts.keys()].sort((a, b) => a - b)) {
    for (const o of w.s.live.filter((each) => each.account === account && each.market === market.index)) {
      if (isLive(o)) end(w, o, 'cancelled', 'delisted');
    }
  }
  if (market.product === 'futures') closeBankruptAtEnd(w, market, price);
  const open = holders.flatMap((number) => {
    const account = w.s.accounts.get(number)!;
    return positionsOf(positionsIn(account, market))
      .filter((position) => position.size !== 0)
      .map((position) => {
        const value = floorDiv(BigInt(position.size) * BigInt(price) * market.tickLot, BigInt(FINE));
        return { account, position, value, loses: value < position.cost };
      });
  });
  for (const one of [...open.filter(({ loses }) => loses), ...open.filter(({ loses }) => !loses)]) {
    const { account, position, value } = one;
    const side = position.size > 0 ? SELL : BUY;
    const lots = Math.abs(position.size);
    changePosition(w, account, market, position, { side, lots, value: magnitude(value), fee: 0n, liquidated: false });
    if (position.collateral < 0n) {
      makeGood(w, account, market.quote, -position.collateral);
      position.collateral = 0n;
    }
    w.s.insurance[market.quote] -= value;
    const marketPositions = positionsIn(account, market);
    marketPositions.isolated = marketPositions.isolated.filter((other) => other !== position);
  }
  market.delisted = true;
  market.pendingIndex = 0;
  market.distressed = [];
  market.staleAtMs = 0;
  market.nextMinuteMs = 0;
  say(w, `marketDelisted ${market.index}`);
  afterSweep(w);
  for (const other of w.s.markets) {
    if (other.product === 'futures' && other.quote === market.quote) checkHolders(w, other);
  }
  return null;
}
