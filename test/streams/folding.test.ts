/**
 * What clients hold is what is there: a client that applies the frames of a book holds the true best 50 levels after every
 * frame, in every grouping. The fills and positions of the private topics are those of the venue. The commands are those
 * of the model's generator, with rebuilds and replaced states among them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GROUP_TICKS, grouped, levelPrice } from '../../src/api/market-data/grouping.ts';
import { Accounts } from '../../src/api/streams/accounts.ts';
import { LEVELS } from '../../src/api/streams/book-chain.ts';
import { Books } from '../../src/api/streams/books.ts';
import { fillRow } from '../../src/api/streams/fills.ts';
import type { Receiver, StreamEngine } from '../../src/api/streams/subscription.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { type EngineListener, Listeners } from '../../src/engine/listeners.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import type { Traded } from '../../src/venue/contract/events.ts';
import { BUY, SELL, type Side } from '../../src/venue/contract/units.ts';
import { Venue } from '../../src/venue/venue.ts';
import type { MarketView } from '../../src/venue/views.ts';
import { runSeed } from '../model/run.ts';
import { START_MS } from '../model/scenario.ts';
import { contentOf, type Frame, HeldBook } from '../support/stream-client.ts';

const SEEDS = 10;
const COMMANDS = 250;
/** Commands between two rebuilds. */
const REBUILD_EVERY = 67;

/** An engine without a log: each command is a batch. */
class EngineAlone implements StreamEngine {
  venue = new Venue();
  readonly unreadable = undefined;
  readonly #listeners: Listeners;

  constructor(genesis: Command) {
    this.venue.apply(1, START_MS, genesis);
    this.#listeners = new Listeners(this.venue, (text) => assert.fail(text));
  }

  nowMs(): number {
    return this.venue.timeMs;
  }

  listen(listener: EngineListener): () => void {
    return this.#listeners.add(listener);
  }

  apply(seq: number, atMs: number, command: Command): void {
    this.venue.apply(seq, atMs, command);
    this.#listeners.commandApplied(seq);
    this.#listeners.batchApplied(seq);
  }

  rebuild(): void {
    this.venue = Venue.load(this.venue.save());
    this.#listeners.rebuilt(this.venue);
  }
}

function receiver(take: (frame: Frame) => void): Receiver {
  const send = (frame: Buffer) => take(contentOf(frame));
  return { send, sendPrivate: send, skipsNumber: () => false };
}

/** What a client has to hold of a side, best first. */
function trueSide(market: MarketView, side: Side, group: number): [string, string][] {
  const levels = grouped(market.depth(side, Number.POSITIVE_INFINITY), side, GROUP_TICKS[group], LEVELS);
  return levels.map(({ priceTicks, sizeLots }) => [levelPrice(market, priceTicks), market.sizeText(sizeLots)]);
}

describe('frames folded are what is there', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    it(`books in every grouping, seed ${seed}`, () => {
      const { genesis, steps } = runSeed(seed, COMMANDS);
      const engine = new EngineAlone(genesis);
      const books = new Books({ engine, world: realWorld, intervalMs: 0 });
      let frames = 0;
      const held = engine.venue.markets.flatMap((market) =>
        GROUP_TICKS.map((_, group) => {
          const book = new HeldBook();
          const check = (frame: Frame) => {
            frames += 1;
            book.fold(frame);
            const now = engine.venue.marketBySymbol(market.symbol) ?? market;
            const { bids, asks } = book.sides();
            assert.deepEqual([bids, asks], [trueSide(now, BUY, group), trueSide(now, SELL, group)]);
          };
          const name = `update:${market.symbol}_${group}`;
          books.feed(market, group, 'update').subscribe({ receiver: receiver(check), name, topic: name });
          return { market, group, book };
        }),
      );
      const begun = frames;
      for (const [i, { atMs, command }] of steps.entries()) {
        if (i % REBUILD_EVERY === REBUILD_EVERY - 1) engine.rebuild();
        engine.apply(i + 2, atMs, command);
        for (const { market, group, book } of held) {
          const now = engine.venue.marketBySymbol(market.symbol) ?? market;
          assert.deepEqual(book.sides().bids, trueSide(now, BUY, group), `seq ${i + 2}, ${market.symbol}_${group}`);
          assert.deepEqual(book.sides().asks, trueSide(now, SELL, group), `seq ${i + 2}, ${market.symbol}_${group}`);
        }
      }
      assert.ok(frames > begun + COMMANDS / 4, `only ${frames} frames`);
    });

    it(`fills and positions of every account, seed ${seed}`, () => {
      const { genesis, steps } = runSeed(seed, COMMANDS);
      const engine = new EngineAlone(genesis);
      const accounts = new Accounts(engine);
      const trades: Traded[] = [];
      engine.listen({ traded: (trade) => trades.push(trade) });
      const fills = new Map<number, Frame[]>();
      const positions = new Map<number, Map<string, number>>();
      for (const account of engine.venue.accountNumbers()) {
        fills.set(account, []);
        positions.set(account, new Map());
        const take = ({ topic, data }: Frame) => {
          if (topic === 'fills') fills.get(account)?.push(...data);
          else for (const row of data) positions.get(account)?.set(row.positionId, row.totalContracts);
        };
        const own = receiver(take);
        for (const product of ['spot', 'futures'] as const) {
          const topic = { name: 'fills', product, content: { shows: 'fills', row: fillRow } } as const;
          accounts.feed(account, topic).subscribe({ receiver: own, name: 'fills', topic: 'fills' });
        }
        const topic = {
          name: 'positions',
          product: 'futures',
          content: { shows: 'positions', names: 'present' },
        } as const;
        accounts.feed(account, topic).subscribe({ receiver: own, name: 'positions', topic: 'positions' });
      }
      for (const [i, { atMs, command }] of steps.entries()) engine.apply(i + 2, atMs, command);
      for (const [account, rows] of fills) {
        const own = trades.flatMap(({ tradeId, makerAccount, takerAccount, makerKey, takerKey }) => [
          ...(makerAccount === account ? [[tradeId, engine.venue.orderIds.encode(makerKey), true]] : []),
          ...(takerAccount === account ? [[tradeId, engine.venue.orderIds.encode(takerKey), false]] : []),
        ]);
        const key = (row: readonly unknown[]) => JSON.stringify(row);
        assert.deepEqual(
          rows.map(({ serialId, orderId, maker }) => key([serialId, orderId, maker])).sort(),
          own.map(key).sort(),
        );
      }
      if (steps.some(({ command }) => command.type === 'reset' || command.type === 'restoreSnapshot')) return;
      for (const [account, held] of positions) {
        const open = [...held.values()].filter((contracts) => contracts !== 0).length;
        assert.equal(open, engine.venue.positions(account).length);
      }
    });
  }
});
