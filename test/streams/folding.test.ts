/**
 * What clients hold is what is there: a client that applies the frames of a book holds the true best 50 levels after every
 * frame, in every grouping. The fills and positions of the private topics are those of the venue, and its fills are the
 * trade history that REST gives. The commands are those of the model's generator, with rebuilds and replaced states among
 * them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GROUP_TICKS, grouped, levelPrice } from '../../src/api/market-data/grouping.ts';
import { exactNumber } from '../../src/api/orders/order-records.ts';
import type { Call } from '../../src/api/shared/surface.ts';
import { Accounts } from '../../src/api/streams/accounts.ts';
import { LEVELS } from '../../src/api/streams/book-chain.ts';
import { Books } from '../../src/api/streams/books.ts';
import { Pace } from '../../src/api/streams/pace.ts';
import type { Receiver, StreamEngine } from '../../src/api/streams/subscription.ts';
import { legacyTradeRow, tradesOf } from '../../src/api/trades/trade-history.ts';
import { Projector } from '../../src/archive/follow/projector.ts';
import { findTrades, type TradeQuery } from '../../src/archive/read/trades.ts';
import { ArchiveStore, IN_MEMORY } from '../../src/archive/store/store.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { type EngineListener, Listeners } from '../../src/engine/listeners.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import type { Traded } from '../../src/venue/contract/events.ts';
import { BUY, SELL, type Side } from '../../src/venue/contract/units.ts';
import { type Reply, Venue } from '../../src/venue/venue.ts';
import type { MarketView } from '../../src/venue/views.ts';
import { runSeed } from '../model/run.ts';
import { START_MS } from '../model/scenario.ts';
import { contentOf, type Frame, HeldBook } from '../support/stream-client.ts';

const SEEDS = 10;
const COMMANDS = 250;
/** Commands between two rebuilds. */
const REBUILD_EVERY = 67;
/** No time passes: every change is sent at once. */
const STILL = { ...realWorld, monotonicMs: () => 0 };

type Apply = (venue: Venue, seq: number, atMs: number, command: Command) => Reply;
const directly: Apply = (venue, seq, atMs, command) => venue.apply(seq, atMs, command);

/** An engine without a log: each command is a batch. */
class EngineAlone implements StreamEngine {
  venue = new Venue();
  readonly unreadable = undefined;
  readonly durableAtMs = 0;
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

  apply(seq: number, atMs: number, command: Command, by: Apply = directly): Reply {
    const reply = by(this.venue, seq, atMs, command);
    this.#listeners.commandApplied(seq);
    this.#listeners.batchApplied(seq);
    return reply;
  }

  rebuild(): void {
    this.venue = Venue.load(this.venue.save());
    this.#listeners.rebuilt(this.venue);
  }
}

function receiver(take: (frame: Frame) => void): Receiver {
  const send = (frame: Buffer) => take(contentOf(frame));
  return { send, sendPrivate: send, skipsNumber: () => false, refuse: () => {} };
}

const PRODUCTS = ['spot', 'futures'] as const;

function subscribeFills(accounts: Accounts, account: number, own: Receiver): void {
  for (const product of PRODUCTS) {
    const topic = { name: 'fills', product, names: 'present', content: { shows: 'fills' } } as const;
    accounts.publication(account, topic).subscribe({ receiver: own, name: 'fills', topic: 'fills' });
  }
}

/** What the rows of both surfaces say of a fill, by the names of the stream. The stream has numbers as text. */
type SameFill = Record<string, string | number | boolean>;

function streamed(row: Frame): SameFill {
  const { orderId, serialId, tradeId, clOrderId, type, symbol, side, quote, maker, timestamp, feeCurrency } = row;
  const numbers = { price: Number(row.price), size: exactNumber(row.size), fee: exactNumber(row.feeAmount) };
  return {
    orderId,
    serialId,
    tradeId,
    clOrderId,
    type,
    symbol,
    side,
    quote,
    maker,
    timestamp,
    feeCurrency,
    ...numbers,
  };
}

function recorded(row: Frame): SameFill {
  const { orderId, serialId, tradeId, symbol, side, quote, maker, timestamp, feeCurrency } = row;
  const numbers = { price: row.filledPrice, size: row.filledSize, fee: row.feeAmount };
  const texts = { clOrderId: row.clOrderID ?? '', type: String(row.orderType) };
  return { orderId, serialId, tradeId, symbol, side, quote, maker, timestamp, feeCurrency, ...texts, ...numbers };
}

/** A fill once, as text: fills in one millisecond have no order between markets. */
function sorted(fills: readonly SameFill[]): string[] {
  return fills.map((fill) => JSON.stringify(fill, Object.keys(fill).sort())).sort();
}

const ALL_TRADES = { includeOld: true, count: { coefficient: 1_000_000n, scale: 0 } };

/** The rows of `trade_history` on spot v3.3 and futures v2.3, from an archive that has followed the engine. */
async function tradeHistory(engine: EngineAlone, store: ArchiveStore, account: number): Promise<Frame[]> {
  const { venue } = engine;
  const archive = {
    knownFromSeq: 1,
    trades: async (query: TradeQuery) => findTrades(store, venue.orderIds, query),
  };
  const call = { venue, engine, account, archive, replyHeaders: [] } as unknown as Call;
  const found = await Promise.all(PRODUCTS.map((product) => tradesOf(call, product, null, ALL_TRADES)));
  return found.flat().map(legacyTradeRow);
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
      const books = new Books({ engine, world: STILL, write: () => {}, pace: new Pace(STILL), intervalMs: 0 });
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
          books.publication(market, group, 'update').subscribe({ receiver: receiver(check), name, topic: name });
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
      const accounts = new Accounts({ engine, write: () => {} });
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
        subscribeFills(accounts, account, own);
        const topic = {
          name: 'positions',
          product: 'futures',
          names: 'present',
          content: { shows: 'positions' },
        } as const;
        accounts.publication(account, topic).subscribe({ receiver: own, name: 'positions', topic: 'positions' });
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
      for (const [account, held] of positions) {
        const open = [...held.values()].filter((contracts) => contracts !== 0).length;
        assert.equal(open, engine.venue.positions(account).length);
      }
    });

    it(`fills of the stream are the trade history, seed ${seed}`, async () => {
      const { genesis, steps } = runSeed(seed, COMMANDS);
      const engine = new EngineAlone(genesis);
      const store = new ArchiveStore(IN_MEMORY);
      const projector = new Projector(store);
      projector.follow(engine.venue);
      projector.begin(1, null);
      projector.on = true;
      const accounts = new Accounts({ engine, write: () => {} });
      let rows = new Map<number, Frame[]>(engine.venue.accountNumbers().map((account) => [account, []]));
      for (const account of rows.keys()) {
        const own = receiver(({ data }) => rows.get(account)?.push(...data));
        subscribeFills(accounts, account, own);
      }
      const copied = () => new Map([...rows].map(([account, fills]) => [account, [...fills]]));
      let compared = 0;
      const compare = async (seq: number) => {
        projector.write({ seq, position: null });
        for (const [account, fills] of rows) {
          compared += fills.length;
          const history = await tradeHistory(engine, store, account);
          assert.deepEqual(
            sorted(fills.map(streamed)),
            sorted(history.map(recorded)),
            `account ${account}, seq ${seq}`,
          );
        }
      };
      const saved = new Map<string, Map<number, Frame[]>>();
      for (const [i, { atMs, command }] of steps.entries()) {
        const replaces = command.type === 'reset' || command.type === 'restoreSnapshot';
        if (replaces) await compare(i + 1);
        const { refusal } = engine.apply(i + 2, atMs, command, projector.apply);
        if (refusal !== null) continue;
        // A state that is replaced takes its trades with it. A client that follows the stream reads the history anew.
        if (command.type === 'reset') rows = new Map([...rows].map(([account]) => [account, []]));
        else if (command.type === 'saveSnapshot') saved.set(command.name, copied());
        else if (command.type === 'restoreSnapshot') {
          rows = saved.get(command.name) ?? assert.fail('it was not saved');
          rows = copied();
        }
      }
      await compare(steps.length + 1);
      assert.ok(compared > 0, 'nothing was traded');
      store.close();
    });
  }
});
