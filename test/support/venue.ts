/**
 * A venue for tests: two funded accounts with clients (alice has a second key, `reader`, with the read permission
 * only), a manual clock, and prices that tests set. One venue serves a whole file. `begin` resets it, so that no test
 * sees another.
 */
import assert from 'node:assert/strict';
import { after, before, it, type test as tests } from 'node:test';
import { ControlClient } from '../../src/client/control.ts';
import { type AccountInput, type Prices, type StartVenueOptions, startVenue, type TestVenue } from '../../src/index.ts';
import type { Permission } from '../../src/venue/contract/commands.ts';
import { Client, type Json, ok, one } from './client.ts';

export const BTC = 'BTC-USDT';
export const PERP = 'BTC-PERP';

/** Where a manual clock starts. */
export const START_MS = Date.UTC(2026, 0, 1);

const PERMISSIONS: Permission[] = ['read', 'trading', 'transfer', 'wallet'];

function key(name: string, permissions = PERMISSIONS) {
  return { key: `${name}-key`, secret: `${name}-secret`, permissions };
}

export interface Options extends Omit<StartVenueOptions, 'clock' | 'port' | 'accounts'> {
  /** Alice's own rates, by symbol. */
  readonly fees?: NonNullable<AccountInput['fees']>;
}

/** The trader under test, and the one whose orders fill the book. */
export class World {
  readonly venue: TestVenue;
  readonly alice: Client;
  readonly bob: Client;
  /** Alice's client with the read-only key. */
  readonly reader: Client;
  readonly control: ControlClient;

  constructor(venue: TestVenue) {
    this.venue = venue;
    this.control = new ControlClient({ url: venue.control, token: venue.controlToken });
    this.alice = new Client(venue.url, { key: 'alice-key', secret: 'alice-secret' });
    this.bob = new Client(venue.url, { key: 'bob-key', secret: 'bob-secret' });
    this.reader = new Client(venue.url, { key: 'reader-key', secret: 'reader-secret' });
  }

  static async open({ fees, ...options }: Options = {}): Promise<World> {
    const accounts = [
      {
        name: 'alice',
        balances: { USDT: '1000000', BTC: '1000', ETH: '1000' },
        keys: [key('alice'), key('reader', ['read'])],
        ...(fees && { fees }),
      },
      { name: 'bob', balances: { USDT: '100000000', BTC: '100000', ETH: '100000' }, keys: [key('bob')] },
    ];
    return new World(await startVenue({ clock: 'manual', port: 0, seed: 1, ...options, accounts }));
  }

  close(): Promise<void> {
    return this.venue.close();
  }

  /** Back to the beginning: empty books, balances as configured, the index (and with it mark and last) at 100. */
  async begin(index: number | null = 100): Promise<this> {
    await this.venue.reset();
    if (index === null) return this;
    await this.price(BTC, { index });
    await this.price(PERP, { index });
    return this;
  }

  async price(symbol: string, prices: Prices): Promise<void> {
    await this.venue.setPrice({ symbol, ...prices });
  }

  async advance(ms: number): Promise<void> {
    await this.venue.advance(ms);
  }

  /** Rests a LIMIT order of bob, and returns its record. */
  rest(side: 'BUY' | 'SELL', price: number, size: number | string, symbol = BTC): Promise<Json> {
    if (symbol.includes('PERP')) return one(this.bob.future({ symbol, side, type: 'LIMIT', price, size }));
    return one(this.bob.spot({ symbol, orderSide: side, orderType: 'LIMIT', orderPrice: price, orderSize: size }));
  }

  /** Cancels all orders of both traders, on both products. */
  async cancelAll(): Promise<void> {
    for (const client of [this.alice, this.bob]) {
      await ok(client.cancelFuture());
      for (const { orderId, symbol } of await ok(client.spotOrders())) await client.cancelSpot(orderId, symbol);
    }
  }

  async account(name = 'alice'): Promise<Json> {
    return this.control.account(name);
  }

  /** Decimal text: total, available, reserved, margin, unrealised. */
  async balance(currency: string, name = 'alice'): Promise<Json> {
    return (await this.account(name)).balances[currency];
  }

  /** The size of a position, negative when short; 0 without one. */
  async position(name = 'alice', symbol = PERP): Promise<number> {
    const { positions } = await this.account(name);
    const found = positions.find((position: Json) => position.symbol === symbol);
    return found === undefined ? 0 : found.direction === 'LONG' ? found.size : -found.size;
  }

  /**
   * The state of one of alice's spot orders: how it ended, from the label in the look-up's 404, or its present state.
   */
  async state(orderId: string): Promise<string> {
    const { status, body, text } = await this.alice.lookup(orderId);
    if (status === 200) return body.orderState;
    assert.equal(status, 404, text);
    return body.data?.orderState ?? 'unknown';
  }

  hash(): string {
    return this.venue.stateHash();
  }
}

type Scenario = (w: World) => Promise<unknown>;

export interface Scenarios {
  (sentence: string, test: Scenario): void;
  (sentence: string, options: tests.TestOptions, test: Scenario): void;
}

/** A `test` whose body gets a fresh world. One venue serves all tests of a suite. */
export function scenarios(options: Options = {}): Scenarios {
  let world: World;
  before(async () => {
    world = await World.open(options);
  });
  after(() => world.close());
  return (sentence: string, ...rest: [Scenario] | [tests.TestOptions, Scenario]) => {
    const [settings, test] = rest.length === 1 ? [{}, rest[0]] : rest;
    it(sentence, settings, async () => {
      await world.begin();
      await test(world);
      const audit = await world.control.audit();
      assert.equal(audit.ok, true, JSON.stringify(audit));
    });
  };
}
