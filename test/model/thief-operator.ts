/**
 * An operator who means well, in worlds of thieves: changes terms of markets and accounts, freezes accounts, ends markets. It gives
 * nobody a rebate. In test 1 it names no settlement price: the mark stays there and nobody may gain, so such a price is a gift.
 */
import type { TermsChange } from '../../src/venue/contract/market-spec.ts';
import type { MarketView } from '../../src/venue/views.ts';
import type { Hand } from './thief-hand.ts';
import type { Act } from './thief-run.ts';

const FEES = [
  { maker: '0', taker: '0' },
  { maker: '0.0002', taker: '0.0005' },
  { maker: '0.001', taker: '0.002' },
  { maker: '0.01', taker: '0.02' },
];

/** One command. */
export function operate(w: Hand): Act {
  const { r } = w;
  const m = r.once(4) ? w.spot() : w.perpetual();
  const frozen = w.thieves.find((thief) => w.venue.accountTerms(thief).frozen !== null);
  if (frozen !== undefined && r.once(2)) return { v: 1, type: 'changeAccount', account: frozen, frozen: null };
  switch (r.weighted({ tiers: 6, fees: 4, accountFees: 4, bands: 3, basis: 3, liquidation: 2, freeze: 3, end: 2 })) {
    case 'fees':
      return change(m, { fees: r.pick(FEES) });
    case 'accountFees': {
      const fees = { [m.symbol]: r.once(3) ? null : r.pick(FEES) };
      return { v: 1, type: 'changeAccount', account: w.thief(), fees };
    }
    case 'bands':
      return change(m, { band: r.pick(['0.01', '0.1', '1']), marketBand: r.pick(['0.005', '0.05', '1']) });
    case 'basis':
      return change(w.perpetual(), { maxBasis: r.pick(['0.0005', '0.0025', '0.005']) }, r.once(2));
    case 'liquidation':
      return change(w.perpetual(), { liquidationFee: r.pick(['0', '0.002', '0.005']) });
    case 'freeze':
      return { v: 1, type: 'changeAccount', account: w.thief(), frozen: r.pick(['cancelOnly', 'everything'] as const) };
    case 'end':
      return end(w);
    default:
      return tiers(w);
  }
}

function change(m: MarketView, terms: TermsChange, force = false): Act {
  return { v: 1, type: 'changeMarket', market: m.index, terms, force };
}

function tiers(w: Hand): Act {
  const m = w.perpetual();
  const factor = w.r.pick([0.5, 0.8, 1.25, 2, 4]);
  const riskTiers = m.spec.riskTiers.map((tier) => ({ ...tier, maintenance: scaled(tier, factor) }));
  return change(m, { riskTiers }, w.r.once(2));
}

/** A maintenance rate times a factor, below the initial one. */
function scaled({ initial, maintenance }: MarketView['spec']['riskTiers'][number], factor: number): string {
  return Math.min(Number(maintenance) * factor, Number(initial) * 0.9).toFixed(8);
}

/** Halts a perpetual, and ends one that is halted. The last one that trades stays. */
function end(w: Hand): Act {
  const perpetuals = w.venue.markets.filter(({ product, delisted }) => product === 'futures' && !delisted);
  const halted = perpetuals.find((each) => each.halted);
  if (perpetuals.length < 2) return change(w.perpetual(), { fees: w.r.pick(FEES) });
  if (halted === undefined) return { v: 1, type: 'haltMarket', market: w.perpetual().index };
  const beside = Math.round(halted.mark * w.r.pick([0.5, 0.9, 0.98, 1.02, 1.1, 2]));
  const settlementPrice = w.test === 2 && w.r.once(2) ? beside : null;
  return { v: 1, type: 'delistMarket', market: halted.index, settlementPrice };
}
