/** Commands of the operator: terms that change, accounts that are frozen, markets that end. */
import type { ChangeAccount, ChangeMarket, DelistMarket, HaltMarket } from '../../src/venue/contract/commands.ts';
import type { MarketSpec, TermsChange } from '../../src/venue/contract/market-spec.ts';
import type { Aims } from './generator-aims.ts';
import { BUY, FINE, type ModelMarket, type World } from './model-state.ts';
import type { Random } from './random.ts';

const FEES = [
  { maker: '-0.0001', taker: '0.0005' },
  { maker: '0', taker: '0' },
  { maker: '0.0002', taker: '0.001' },
  { maker: '0.01', taker: '0.02' },
  { maker: '0.5', taker: '0.9' },
];

/** A fraction such as "0.005" times a factor, as text. */
function scaled(text: string, factor: number): string {
  return (Math.round(Number(text) * factor * 1e8) / 1e8).toFixed(8);
}

export class Terms {
  readonly #r: Random;
  readonly #aims: Aims;

  constructor(r: Random, aims: Aims) {
    this.#r = r;
    this.#aims = aims;
  }

  changeMarket(w: World): ChangeMarket {
    const r = this.#r;
    // Where a buy holds its fee, dear fees hurt.
    const held = w.s.live.filter((o) => o.product === 'spot' && o.side === BUY);
    if (w.s.genesis.config.feeFrom === 'quote' && held.length > 0 && r.once(3)) {
      return { v: 1, type: 'changeMarket', market: r.pick(held).market, terms: { fees: r.pick(FEES) }, force: false };
    }
    const perpetuals = w.s.markets.filter((each) => each.product === 'futures');
    const market = r.pick(perpetuals.length > 0 && r.once(2) ? perpetuals : w.s.markets);
    const terms = { ...this.#terms(market), ...(r.once(4) && this.#terms(market)) };
    return { v: 1, type: 'changeMarket', market: r.once(30) ? 99 : market.index, terms, force: r.once(2) };
  }

  /** Dearer or cheaper tiers of a perpetual. */
  changeTiers(w: World): ChangeMarket {
    const r = this.#r;
    const market = r.pick(w.s.markets);
    const riskTiers = this.#tiers(market.spec, r.pick([0.5, 1.5, 2, 4, 10]));
    return { v: 1, type: 'changeMarket', market: market.index, terms: { riskTiers }, force: r.once(2) };
  }

  #terms({ spec, product }: ModelMarket): TermsChange {
    const r = this.#r;
    const futures = product === 'futures';
    switch (r.int(0, futures ? 10 : 6)) {
      case 0:
      case 1:
        return { fees: r.pick(FEES) };
      case 2:
        return { band: r.pick(['0.01', '0.1', '1']), marketBand: r.pick(['0.005', '0.05', '1']) };
      case 3:
        return { maxOpenOrders: r.pick([0, 3, 500]) };
      case 4:
        return { minSize: spec.step, maxSize: r.pick([spec.maxSize, spec.minSize]) };
      case 5:
        return { triggerLimitDistance: r.pick([null, '0.01', '0.5']) };
      case 6:
        return r.once(2) ? { duplicateClientIds: r.pick(['refuse', 'allow']) } : ({ tick: '1' } as TermsChange);
      case 7:
        return { maxBasis: r.pick([null, '0.0005', '0.0025', '0.5']) };
      case 8:
        return { funding: this.#funding(spec), liquidationFee: r.pick(['0', '0.005', '0.02']) };
      case 9:
        return { riskTiers: spec.riskTiers.slice(r.once(8) ? 1 : 0) };
      default:
        return { riskTiers: this.#tiers(spec, r.pick([0.5, 0.8, 2, 10, 50])) };
    }
  }

  /** Maintenance never above the initial rate. */
  #tiers({ riskTiers }: MarketSpec, factor: number): MarketSpec['riskTiers'] {
    return riskTiers.map((tier) => {
      const maintenance = Number(tier.maintenance) * factor > 0.9 ? '0.9' : scaled(tier.maintenance, factor);
      return { ...tier, maintenance, initial: Number(maintenance) > Number(tier.initial) ? maintenance : tier.initial };
    });
  }

  #funding({ funding }: MarketSpec): MarketSpec['funding'] {
    const r = this.#r;
    if (r.once(6)) return null;
    const { impactSize = 10 } = funding ?? {};
    return { intervalMs: r.pick([60_000, 120_000, 3_600_000]), cap: r.pick(['0', '0.0001', '0.3']), impactSize };
  }

  changeAccount(w: World): ChangeAccount {
    const r = this.#r;
    const head = { v: 1, type: 'changeAccount', account: this.#aims.account(w) } as const;
    if (r.once(4)) return { ...head, frozen: r.pick([null, 'cancelOnly', 'everything'] as const) };
    const { symbol } = r.pick(w.s.markets).spec;
    return { ...head, fees: { [r.once(20) ? 'NO-QQ' : symbol]: r.once(3) ? null : r.pick(FEES) } };
  }

  /** Ends a freeze soon, else the rest of the seed is refusals. */
  thaw(w: World): ChangeAccount | null {
    const frozen = [...w.s.accounts.values()].find((account) => account.frozen !== null);
    if (frozen === undefined) return null;
    return { v: 1, type: 'changeAccount', account: frozen.number, frozen: null };
  }

  /** Halts a market, or ends one that is halted: one with positions, if there is any. */
  end(w: World): HaltMarket | DelistMarket {
    const r = this.#r;
    const isHeld = ({ index }: ModelMarket) =>
      [...w.s.accounts.values()].some(({ positionsByMarket }) => {
        const { cross = [], isolated = [] } = positionsByMarket.get(index) ?? {};
        return [...cross, ...isolated].some(({ size }) => size !== 0);
      });
    const listed = w.s.markets.filter(({ delisted }) => !delisted);
    const market = listed.find((each) => each.halted && isHeld(each)) ?? listed.find(isHeld) ?? r.pick(w.s.markets);
    if (!market.halted && r.once(2)) return { v: 1, type: 'haltMarket', market: market.index };
    const near = market.mark + r.pick([-5, -1, 0, 1, 5]) * r.pick([1, FINE, 20 * FINE]);
    const far = r.pick([1, market.maxTicks * FINE]);
    const settlementPrice = r.once(3) ? null : r.once(2) ? far : Math.max(0, near);
    return { v: 1, type: 'delistMarket', market: market.index, settlementPrice };
  }
}
