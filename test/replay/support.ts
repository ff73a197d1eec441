/** A venue whose spot market plays a recording that the test writes, step by step. */
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import type { PlayedMarket } from '../../src/venue/contract/commands.ts';
import { FUNDING, GAP, LEVELS, REFERENCES, SNAPSHOT, TRADE } from '../../src/venue/contract/market-steps.ts';
import type { Side } from '../../src/venue/contract/units.ts';
import type { Reply } from '../../src/venue/venue.ts';
import { genesis, START_MS, VenueDriver } from '../venue/support.ts';

export type LevelRow = readonly [price: number, lots: number];

export interface PlayedOptions extends Partial<PlayedMarket> {
  readonly market?: 'BTC-USDT' | 'BTC-PERP';
  readonly clock?: 'manual' | 'real';
  /** What alice has of USDT instead of a million. */
  readonly aliceUsdt?: number;
}

/** Prices in ticks, sizes in lots. */
export class PlayedVenue extends VenueDriver {
  readonly market: number;
  #position = 0;

  constructor(options: PlayedOptions = {}, saved?: string) {
    const { market = 'BTC-USDT', clock = 'manual', queue = 'back', healAfterMs = 1000, aliceUsdt } = options;
    const files = [{ name: 'made-up.csv', sha256: '00' }];
    const [alice, bob] = genesis().config.accounts;
    const balances = aliceUsdt === undefined ? alice.balances : { ...alice.balances, USDT: String(aliceUsdt) };
    const start = genesis({ accounts: [{ ...alice, balances }, bob] });
    super(saved ?? { ...start, clock, recordings: { markets: { [market]: { queue, healAfterMs } }, files } });
    this.market = DEFAULT_MARKETS.findIndex(({ symbol }) => symbol === market);
  }

  /** The same venue, as a restart from a snapshot finds it. */
  reloadedPlayed(): PlayedVenue {
    const { symbol } = this.venue.markets[this.market];
    const driver = new PlayedVenue({ market: symbol as PlayedOptions['market'] }, this.venue.save());
    driver.log.push(...this.log);
    driver.#position = this.#position;
    return driver;
  }

  /** One message of the recording, `afterMs` after the last. */
  play(steps: readonly number[], afterMs = 0): Reply {
    this.#position += 1;
    const toMs = this.venue.timeMs + afterMs;
    const recordedMs = toMs - START_MS;
    return this.run({
      type: 'market',
      market: this.market,
      toMs,
      position: this.#position,
      recordedMs,
      steps: [...steps],
    });
  }

  /** What the book shows, best first. */
  levels(side: Side, limit = 20): LevelRow[] {
    return this.venue.markets[this.market].depth(side, limit).map((level) => [level.priceTicks, level.sizeLots]);
  }

  /** Trades since the last call: the side of the taker, price, size, and who was on each side (−2: the recording). */
  trades(): (readonly [side: Side, price: number, lots: number, maker: number, taker: number])[] {
    const found = this.events.flatMap((event) =>
      event.type === 'traded'
        ? [[event.takerSide, event.priceTicks, event.sizeLots, event.makerAccount, event.takerAccount] as const]
        : [],
    );
    this.events.length = 0;
    return found;
  }

  /** Lots before the user's order at its level. */
  ahead(key: number): number | undefined {
    return this.venue.queuePlaces([key])[0]?.aheadLots;
  }
}

export function snapshot(bids: readonly LevelRow[], asks: readonly LevelRow[]): number[] {
  return [SNAPSHOT, ...rows(bids, asks)];
}

export function levels(bids: readonly LevelRow[], asks: readonly LevelRow[] = []): number[] {
  return [LEVELS, ...rows(bids, asks)];
}

function rows(bids: readonly LevelRow[], asks: readonly LevelRow[]): number[] {
  return [bids.length + asks.length, ...bids.flat(), ...asks.flatMap(([price, lots]) => [-price, lots])];
}

export const bought = (price: number, lots: number): number[] => [TRADE, price, lots];
export const sold = (price: number, lots: number): number[] => [TRADE, -price, lots];
export const references = (index: number, mark = 0): number[] => [REFERENCES, index, mark];
/** In parts: 10,000 is a basis point. */
export const funding = (rate: number): number[] => [FUNDING, rate];
export const gap = (): number[] => [GAP];
