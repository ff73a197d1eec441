/** The memory of a market while it is built from the archive: what happens meanwhile is counted once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketAnswer } from '../../src/archive/read/market-history.ts';
import { MarketData } from '../../src/market-data/market-data.ts';
import type { EventHandlers } from '../../src/venue/contract/events.ts';
import { projected } from '../archive/support.ts';
import { BTC_USDT, VenueDriver } from '../venue/support.ts';

class Building {
  readonly driver = new VenueDriver();
  readonly archive = projected([], 1);
  archived = 0;
  /** Called instead of the archive, which answers when it is done. */
  meanwhile: () => void = () => {};
  readonly data: MarketData;

  constructor() {
    const { venue } = this.driver;
    this.driver.prices(BTC_USDT, { index: 600_000_000 });
    const engine = {
      venue,
      listen: (listener: EventHandlers) => {
        venue.listen(listener);
        return () => {};
      },
    };
    this.data = new MarketData(engine, {
      ask: async (question) => {
        const { store } = this.upToDate();
        const answer = marketAnswer(store, question);
        this.meanwhile();
        return answer as never;
      },
      busy: (problem) => new Error(problem),
    });
  }

  upToDate() {
    this.archive.go(this.driver.log.slice(this.archived));
    this.archived = this.driver.log.length;
    return this.archive;
  }

  trade(): void {
    this.driver.limit(1, BTC_USDT, 1, 600_000, 10);
    this.driver.limit(0, BTC_USDT, 0, 600_000, 10);
  }

  async ids(): Promise<number[]> {
    const { venue } = this.driver;
    const trades = await this.data.newest(venue.markets[BTC_USDT], 100);
    return trades.map(({ tradeId }) => tradeId);
  }
}

test('a trade that happens while the memory is built is added to it, once', async () => {
  const building = new Building();
  building.trade();
  building.meanwhile = () => {
    building.trade();
    building.meanwhile = () => {};
  };
  assert.deepEqual(await building.ids(), [2, 1]);
  building.trade();
  assert.deepEqual(await building.ids(), [3, 2, 1]);
});

test('a trade that the archive already has is not added again', async () => {
  const building = new Building();
  building.trade();
  const asked = building.ids();
  // The archive has answered, and its answer is on its way. What it had is heard late.
  building.trade();
  assert.deepEqual(await asked, [2, 1]);
});

test('a state that is replaced while the memory is built begins it again', async () => {
  const building = new Building();
  building.trade();
  building.driver.run({ type: 'saveSnapshot', name: 'one' });
  building.trade();
  building.meanwhile = () => {
    building.driver.run({ type: 'restoreSnapshot', name: 'one' });
    building.meanwhile = () => {};
  };
  assert.deepEqual(await building.ids(), [1]);
});

test('a market that trades faster than its memory can be built is busy, and is asked again later', async () => {
  const building = new Building();
  building.trade();
  building.meanwhile = () => {
    building.driver.run({ type: 'reset' });
    building.driver.prices(BTC_USDT, { index: 600_000_000 });
  };
  await assert.rejects(building.ids(), /are being rebuilt: try again later/);
  building.meanwhile = () => {};
  assert.deepEqual(await building.ids(), []);
});
