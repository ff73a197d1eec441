/** How a world of the model begins: markets, accounts and money as configured, decimals as exact integers. */
import type { Genesis } from '../../src/venue/contract/commands.ts';
import type { MarketSpec } from '../../src/venue/contract/market-spec.ts';
import { least, type ModelAccount, type ModelMarket, type ModelState, PARTS } from './model-state.ts';

/** Text such as "0.05" as a fraction of integers. */
export function ratio(text: string): { top: bigint; bottom: bigint } {
  const [whole, fraction = ''] = text.split('.');
  return { top: BigInt(whole + fraction), bottom: 10n ** BigInt(fraction.length) };
}

/** a / b × c, which must be whole. */
export function whole(...factors: { top: bigint; bottom: bigint }[]): bigint {
  const top = factors.reduce((product, f) => product * f.top, 1n);
  const bottom = factors.reduce((product, f) => product * f.bottom, 1n);
  if (top % bottom !== 0n) throw new Error(`${top} / ${bottom} is not whole`);
  return top / bottom;
}

const inverse = (f: { top: bigint; bottom: bigint }) => ({ top: f.bottom, bottom: f.top });
const tenTo = (decimals: number) => ({ top: 10n ** BigInt(decimals), bottom: 1n });
const PART_RATIO = { top: PARTS, bottom: 1n };
export const parts = (text: string): bigint => whole(ratio(text), PART_RATIO);

const MAX_BASIS = '0.0025';
const LIQUIDATION_BAND = '0.0005';
const INDEX_JUMP = '0.01';

/** What is given, or the default as far as it is allowed. */
function option(given: string | null | undefined, standard: string, bound: bigint): bigint {
  return given == null ? least(parts(standard), bound) : parts(given);
}

export function openMarket(index: number, spec: MarketSpec, currencies: ModelState['currencies']): ModelMarket {
  const currency = (code: string) => currencies.findIndex((c) => c.code === code);
  const [base, quote] = [currency(spec.base), currency(spec.quote)];
  const [tick, lot] = [ratio(spec.tick), ratio(spec.step)];
  const spot = spec.kind === 'spot';
  const lowest = (of: 'initial' | 'maintenance') => spec.riskTiers.map((tier) => parts(tier[of])).reduce(least, PARTS);
  const pair = 2n * parts(spec.fees.maker) + parts(spec.fees.taker);
  const contract = spot ? { top: 1n, bottom: 1n } : ratio(spec.contractSize ?? '');
  return {
    index,
    spec,
    product: spot ? 'spot' : 'futures',
    base,
    quote,
    maxTicks: Number(whole(ratio(spec.maxPrice), inverse(tick))),
    minLots: Number(whole(ratio(spec.minSize), inverse(lot))),
    maxLots: Number(whole(ratio(spec.maxSize), inverse(lot))),
    tickLot: whole(tick, lot, contract, tenTo(currencies[quote].decimals)),
    lotUnits: spot ? whole(lot, tenTo(currencies[base].decimals)) : 0n,
    maker: parts(spec.fees.maker),
    taker: parts(spec.fees.taker),
    band: parts(spec.band),
    marketBand: parts(spec.marketBand),
    distance: spec.triggerLimitDistance === null ? null : parts(spec.triggerLimitDistance),
    tiers: spec.riskTiers.map((tier) => ({
      max: whole(ratio(tier.maxNotional), tenTo(currencies[quote].decimals)),
      initial: parts(tier.initial),
      maintenance: parts(tier.maintenance),
    })),
    last: 0,
    mark: 0,
    indexPrice: 0,
    markPinned: false,
    pendingIndex: 0,
    stale: false,
    staleAtMs: 0,
    halted: false,
    delisted: false,
    funding: spec.funding,
    nextFunding: null,
    nextTradeId: 1,
    liquidationFee: parts(spec.liquidationFee),
    fundingCap: spec.funding === null ? 0n : parts(spec.funding.cap),
    nextMinuteMs: 0,
    basis: [],
    premiums: [],
    settledRate: 0,
    maxBasis: option(spec.maxBasis, MAX_BASIS, lowest('maintenance') / 2n),
    liquidationBand: option(spec.liquidationBand, LIQUIDATION_BAND, pair > 0n ? pair : 0n),
    indexJump: option(spec.indexJump, INDEX_JUMP, lowest('initial')),
    checkedMark: 0,
    printed: false,
    distressed: [],
    playback: null,
  };
}

export function openAccount(
  number: number,
  name: string,
  fees: Readonly<Record<string, { maker: string; taker: string }>>,
  currencies: number,
): ModelAccount {
  return {
    number,
    name,
    totals: Array.from({ length: currencies }, () => 0n),
    fees: Object.fromEntries(
      Object.entries(fees).map(([symbol, rate]) => [symbol, { maker: parts(rate.maker), taker: parts(rate.taker) }]),
    ),
    positionsByMarket: new Map(),
    frozen: null,
  };
}

/** The venue as configured, before anyone acts. */
export function openState(genesis: Genesis, now: number): ModelState {
  const { config } = genesis;
  const currencies = Object.entries(config.currencies).map(([code, { decimals }]) => ({ code, decimals }));
  const zeros = () => currencies.map(() => 0n);
  const state: ModelState = {
    genesis,
    now,
    currencies,
    markets: [],
    accounts: new Map(),
    live: [],
    house: [],
    houseTotals: zeros(),
    housePositions: new Map(),
    ended: [],
    keys: [],
    requests: [],
    switches: [],
    liquidations: [],
    arrivals: 0,
    fees: zeros(),
    insurance: zeros(),
    deposits: zeros(),
    withdrawals: zeros(),
  };
  state.markets = config.markets.map((spec, i) => openMarket(i, spec, currencies));
  for (const [symbol, { queue, healAfterMs }] of Object.entries(genesis.recordings?.markets ?? {})) {
    const known = { recorded: new Map(), taken: new Map(), touched: new Set<number>(), ahead: new Map() };
    const playback = { queue, healAfterMs, position: 0, fundingRate: null, trades: 0, tradesFit: 0, ...known };
    Object.assign(state.markets.find((m) => m.spec.symbol === symbol)!, { playback });
  }
  const units = (code: string, text: string): [number, bigint] => {
    const i = currencies.findIndex((c) => c.code === code);
    return [i, whole(ratio(text), tenTo(currencies[i].decimals))];
  };
  config.accounts.forEach((spec, number) => {
    const account = openAccount(number, spec.name, spec.fees, currencies.length);
    for (const [code, text] of Object.entries(spec.balances)) {
      const [i, amount] = units(code, text);
      account.totals[i] += amount;
      state.deposits[i] += amount;
    }
    state.accounts.set(number, account);
    for (const { key } of spec.keys) state.keys.push({ key, account: number });
  });
  for (const [code, text] of Object.entries(config.insuranceFund)) {
    const [i, amount] = units(code, text);
    state.insurance[i] += amount;
    state.deposits[i] += amount;
  }
  return state;
}
