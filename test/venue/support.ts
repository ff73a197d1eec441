/** A venue without a wire: genesis of two funded accounts on the default markets, and commands with short names. */
import { DEFAULT_CURRENCIES, DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import type { Command, Genesis, Side } from '../../src/venue/contract/commands.ts';
import type { VenueEvent } from '../../src/venue/contract/events.ts';
import { type Reply, Venue } from '../../src/venue/venue.ts';

export const START_MS = Date.UTC(2026, 0, 1);
export const BTC_USDT = 0;
export const BTC_PERP = 2;

export function genesis(overrides: Partial<Genesis['config']> = {}): Genesis {
  const account = (name: string) => ({ name, balances: { USDT: '1000000', BTC: '100' }, fees: {}, keys: [] });
  return {
    v: 1,
    type: 'genesis',
    seed: 7,
    clock: 'manual',
    idKey: '00112233445566778899aabbccddeeff',
    config: {
      currencies: DEFAULT_CURRENCIES,
      markets: DEFAULT_MARKETS,
      accounts: [account('alice'), account('bob')],
      insuranceFund: {},
      selfTrade: 'cancelIncoming',
      feeFrom: 'received',
      ...overrides,
    },
  };
}

type Loose<T> = T extends unknown ? Partial<Omit<T, 'type' | 'v'>> & { type: string } : never;

/** Gives commands to a venue one by one, each through its JSON text, as the log does. */
export class VenueDriver {
  readonly events: VenueEvent[] = [];
  readonly venue: Venue;
  readonly log: string[] = [];

  constructor(start: Genesis | string = genesis()) {
    const emit = (event: VenueEvent) => {
      this.events.push(event);
    };
    this.venue = typeof start === 'string' ? Venue.load(start, emit) : new Venue(emit);
    if (typeof start !== 'string') this.run(start);
  }

  /** The same venue, as a restart from a snapshot finds it. */
  reloaded(): VenueDriver {
    const driver = new VenueDriver(this.venue.save());
    driver.log.push(...this.log);
    return driver;
  }

  run(command: Loose<Command>): Reply {
    const text = JSON.stringify({ v: 1, ...command });
    this.log.push(text);
    return this.venue.apply(this.log.length, START_MS, JSON.parse(text) as Command).whole();
  }

  place(account: number, market: number, side: Side, terms: object): Reply {
    return this.run({ type: 'place', account, market, side, ...PLAIN, ...terms } as Loose<Command>);
  }

  limit(account: number, market: number, side: Side, price: number, size: number, terms: object = {}): Reply {
    return this.place(account, market, side, { kind: 'limit', price, size, ...terms });
  }

  prices(market: number, prices: { index?: number; mark?: number | null; last?: number }): Reply {
    return this.run({ type: 'setPrices', market, byHand: true, ...prices });
  }

  advance(ms: number): Reply {
    return this.run({ type: 'advance', toMs: this.venue.timeMs + ms });
  }

  hash(): string {
    return this.venue.canonical();
  }
}

const PLAIN = {
  clientId: null,
  request: null,
  broker: null,
  timeInForce: 'GTC',
  postOnly: false,
  reduceOnly: false,
  quote: null,
  activation: null,
  activationReference: null,
};
