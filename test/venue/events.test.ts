/**
 * What the events tell is what is there: books, positions, wallets and live orders folded from them are what the venue's reads
 * say at every seq. The commands are those of the model's generator, with restarts and replaced state among them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command } from '../../src/venue/contract/commands.ts';
import type { EventHandlers, EventKind, VenueEvent } from '../../src/venue/contract/events.ts';
import { BUY, SELL } from '../../src/venue/contract/units.ts';
import { Changes } from '../../src/venue/state/changes.ts';
import { Venue } from '../../src/venue/venue.ts';
import { runSeed } from '../model/run.ts';
import { START_MS } from '../model/scenario.ts';
import { liveState } from '../support/live-state.ts';
import { Follower } from './follower.ts';
import { BTC_USDT, VenueDriver } from './support.ts';

const SEEDS = 30;
const COMMANDS = 300;
/** Commands between two restarts beside those of the generator. */
const RESTART_EVERY = 41;
/** The venue's own last words on a command. */
const SUMMARIES: readonly EventKind[] = ['bookChanged', 'positionChanged', 'walletChanged'];

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));
}

describe('events folded are what is there at every seq', () => {
  const seen = new Map<EventKind, number>();

  for (let from = 1; from <= SEEDS; from += 10) {
    it(`seeds ${from} to ${from + 9}`, () => {
      for (let seed = from; seed < from + 10; seed++) follow(seed);
    });
  }

  it('each kind was among them', () => {
    for (const kind of [...SUMMARIES, 'stateReplaced', 'orderChanged', 'traded', 'deleveraged'] as const) {
      assert.ok((seen.get(kind) ?? 0) > 0, `no ${kind}`);
    }
  });

  function follow(seed: number): void {
    const { genesis, steps, difference } = runSeed(seed, COMMANDS);
    assert.equal(difference, null);
    const count = (event: VenueEvent) => {
      seen.set(event.type, (seen.get(event.type) ?? 0) + 1);
    };
    const silent = new Venue();
    silent.apply(1, START_MS, genesis);
    let venue = new Venue();
    let followers = [new Follower(venue)];
    for (const { handlers } of followers) venue.listen(handlers);
    venue.listen(count);
    venue.apply(1, START_MS, genesis);
    for (const [i, { atMs, command, restart }] of steps.entries()) {
      if (restart || i % RESTART_EVERY === RESTART_EVERY - 1) {
        venue = Venue.load(venue.save());
        // One goes on over the restart; another begins with what is there.
        followers = [followers[0].on(venue), new Follower(venue)];
        for (const { handlers } of followers) venue.listen(handlers);
        venue.listen(count);
      }
      venue.apply(i + 2, atMs, command);
      for (const follower of followers) {
        const apart = follower.compare();
        if (apart !== null) assert.fail(`seed ${seed}, seq ${i + 2}, ${textOf(command)}: ${apart}`);
      }
      silent.apply(i + 2, atMs, command);
    }
    assert.equal(silent.canonical(), venue.canonical(), 'who listens makes no difference');
    assert.equal(silent.effects, venue.effects);
  }
});

describe('an event is a value', () => {
  it('nothing that happens later changes it', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const events: VenueEvent[] = [];
      const texts: string[] = [];
      const { genesis, steps } = runSeed(seed, COMMANDS);
      const venue = new Venue((event) => {
        events.push(event);
        texts.push(textOf(event));
      });
      venue.apply(1, START_MS, genesis);
      for (const [i, { atMs, command }] of steps.entries()) venue.apply(i + 2, atMs, command);
      assert.deepEqual(events.map(textOf), texts);
    }
  });
});

describe('the order of events', () => {
  it('books, positions and wallets come last, in this order, each once a command', () => {
    for (let seed = 1; seed <= 5; seed++) {
      let events: VenueEvent[] = [];
      const { genesis, steps } = runSeed(seed, COMMANDS);
      const venue = new Venue((event) => {
        events.push(event);
      });
      venue.apply(1, START_MS, genesis);
      for (const [i, { atMs, command }] of steps.entries()) {
        events = [];
        venue.apply(i + 2, atMs, command);
        const places = events.map(({ type }) => SUMMARIES.indexOf(type));
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
        );
        const summaries = events.flatMap((event) => {
          if (event.type === 'bookChanged') return [`book ${event.market}`];
          if (event.type === 'walletChanged') return [`wallet ${event.account} ${event.currency}`];
          if (event.type !== 'positionChanged') return [];
          return [`position ${event.account} ${event.market} ${event.mode} ${event.positionId}`];
        });
        assert.equal(new Set(summaries).size, summaries.length);
        const markets = events.flatMap((event) => (event.type === 'bookChanged' ? [event.market] : []));
        assert.deepEqual(
          markets,
          markets.toSorted((a, b) => a - b),
        );
      }
    }
  });
});

describe('what nobody listens to', () => {
  it('is not built', (t) => {
    const driver = new VenueDriver();
    const saved = driver.venue.save();
    driver.limit(0, BTC_USDT, 0, 100, 10);
    const command = JSON.parse(driver.log[1]) as Command;
    // Each event of an order asks once what it was filled for.
    const { mock } = t.mock.method(Changes.prototype, 'takeFill');
    const built = (listener: EventHandlers): number => {
      mock.resetCalls();
      const venue = Venue.load(saved, listener);
      venue.applySilently(2, START_MS, command);
      assert.equal(venue.counts().orders, 1);
      return mock.callCount();
    };
    assert.equal(built({}), 0);
    assert.equal(built({ orderAccepted: () => {}, traded: () => {}, bookChanged: () => {} }), 0);
    assert.equal(built({ orderChanged: () => {} }), 1);
  });

  it('is not tracked: a book notes nothing', () => {
    const venue = Venue.load(new VenueDriver().venue.save(), { traded: () => {} });
    const { book } = liveState(venue).markets[BTC_USDT];
    book.add(BUY, 100, 1, 0);
    assert.deepEqual(book.takeChanges(), []);
  });

  it('does not keep the others from it: those of one kind are called in turn', () => {
    const said: string[] = [];
    const driver = new VenueDriver();
    driver.venue.listen({ orderAccepted: () => said.push('first') });
    driver.venue.listen({ orderAccepted: () => said.push('second'), bookChanged: () => said.push('book') });
    driver.limit(0, BTC_USDT, BUY, 100, 10);
    assert.deepEqual(said, ['first', 'second', 'book']);
  });
});

describe('what an event of an order says that it was filled for', () => {
  const filled = (driver: VenueDriver, key: number) =>
    driver.events.flatMap((event) =>
      event.type === 'orderChanged' && event.key === key
        ? [[event.change, event.filledNowLots, event.filledLots, event.liquidity]]
        : [],
    );

  it('a taker: by all fills of its sweep; each maker: by its fill; then what rests of the taker is a maker', () => {
    const driver = new VenueDriver();
    driver.prices(BTC_USDT, { index: 100_000 });
    const [small] = driver.limit(0, BTC_USDT, SELL, 100, 3).orders;
    const [large] = driver.limit(0, BTC_USDT, SELL, 101, 10, { clientId: 'large' }).orders;
    const [taker] = driver.limit(1, BTC_USDT, BUY, 101, 7, { clientId: 'taker' }).orders;
    const [last] = driver.limit(1, BTC_USDT, BUY, 101, 8).orders;
    const [closing] = driver.limit(0, BTC_USDT, SELL, 101, 1).orders;
    assert.deepEqual(filled(driver, small.key), [
      ['rested', 0, 0, null],
      ['ended', 3, 3, 'maker'],
    ]);
    assert.deepEqual(filled(driver, large.key), [
      ['rested', 0, 0, null],
      ['filled', 4, 4, 'maker'],
      ['ended', 6, 10, 'maker'],
    ]);
    assert.deepEqual(filled(driver, taker.key), [['ended', 7, 7, 'taker']]);
    assert.deepEqual(filled(driver, last.key), [
      ['filled', 6, 6, 'taker'],
      ['filled', 1, 7, 'maker'],
    ]);
    assert.deepEqual(filled(driver, closing.key), [['ended', 1, 1, 'taker']]);
    const trade = driver.events.find((event) => event.type === 'traded' && event.priceTicks === 101);
    assert.ok(trade?.type === 'traded');
    const { makerClientId, takerClientId, makerFeeCurrency, takerFeeCurrency, liquidation } = trade;
    const codes = driver.venue.currencies.map(({ code }) => code);
    assert.deepEqual([makerClientId, takerClientId, liquidation], ['large', 'taker', false]);
    assert.deepEqual([codes[makerFeeCurrency], codes[takerFeeCurrency]], ['USDT', 'BTC']);
  });
});

describe('changed levels', () => {
  const levels = (driver: VenueDriver, act: () => void) => {
    driver.events.length = 0;
    act();
    return driver.events.flatMap((event) => (event.type === 'bookChanged' ? [event.levels] : []));
  };

  it('one event a command, with what each level shows now; a level that changed back is not in it', () => {
    const driver = new VenueDriver();
    driver.prices(BTC_USDT, { index: 100_000 });
    assert.deepEqual(
      levels(driver, () => driver.limit(0, BTC_USDT, SELL, 100, 3)),
      [[{ side: SELL, priceTicks: 100, sizeLots: 3 }]],
    );
    driver.limit(0, BTC_USDT, SELL, 101, 5);
    assert.deepEqual(
      levels(driver, () => driver.limit(1, BTC_USDT, BUY, 101, 4)),
      [
        [
          { side: SELL, priceTicks: 100, sizeLots: 0 },
          { side: SELL, priceTicks: 101, sizeLots: 4 },
        ],
      ],
    );
    assert.deepEqual(
      levels(driver, () => driver.limit(1, BTC_USDT, BUY, 99, 4, { timeInForce: 'IOC' })),
      [],
    );
  });
});
