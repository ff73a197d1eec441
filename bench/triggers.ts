/**
 * The cost of a price move while many triggers wait. The price moves between two ticks below all of them, so that
 * nothing fires, and then through ten at a time. The cost of a move should depend on what it fires, not on how many
 * wait.
 *
 * usage: node bench/triggers.ts [--json]
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { DEFAULT_MARKETS } from '../src/config/defaults.ts';
import type { Genesis } from '../src/venue/contract/commands.ts';
import { Venue } from '../src/venue/venue.ts';
import { median } from './yardstick.ts';

const WAITING = [1_000, 10_000, 100_000];
const START_MS = 1_767_225_600_000;
const QUIET_MOVES = 20_000;
const FIRING_MOVES = 50;
const FIRED_A_MOVE = 10;
const BASE_TICKS = 600_000;

function genesis(): Genesis {
  const market = { ...DEFAULT_MARKETS[0], maxOpenOrders: 1_000_000, band: '1' };
  const account = { name: 'holder', balances: { USDT: '10000000000', BTC: '1000000' }, fees: {}, keys: [] };
  const currencies = { USDT: { decimals: 8 }, BTC: { decimals: 8 } };
  const rules = { insuranceFund: {}, selfTrade: 'cancelIncoming', feeFrom: 'received' } as const;
  const config = { currencies, markets: [market], accounts: [account], ...rules };
  return { v: 1, type: 'genesis', config, seed: 1, clock: 'manual', idKey: '000102030405060708090a0b0c0d0e0f' };
}

/** A venue with `waiting` SELL take-profits, one per tick from `BASE_TICKS + 100` up. */
class Scene {
  readonly venue = new Venue();
  #seq = 0;

  constructor(waiting: number) {
    this.venue.apply(++this.#seq, START_MS, genesis());
    this.last(BASE_TICKS);
    for (let i = 0; i < waiting; i++) {
      this.venue.apply(++this.#seq, START_MS, {
        v: 1,
        type: 'place',
        kind: 'conditional',
        rule: 'profit',
        account: 0,
        market: 0,
        side: 1,
        clientId: null,
        request: null,
        broker: null,
        trigger: BASE_TICKS + 100 + i,
        reference: 'last',
        price: null,
        size: 10,
        quote: null,
        timeInForce: 'GTC',
        postOnly: false,
        reduceOnly: false,
      });
    }
  }

  last(ticks: number): void {
    this.venue.apply(++this.#seq, START_MS, { v: 1, type: 'setPrices', market: 0, last: ticks, byHand: true });
  }
}

/** Nanoseconds per call of `move`, over `moves` calls. */
function timed(moves: number, move: (i: number) => void): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < moves; i++) move(i);
  return Number(process.hrtime.bigint() - start) / moves;
}

function measure(waiting: number) {
  const quiet: number[] = [];
  const firing: number[] = [];
  for (let round = 0; round < 5; round++) {
    const scene = new Scene(waiting);
    timed(QUIET_MOVES, (i) => scene.last(BASE_TICKS + (i % 2)));
    quiet.push(timed(QUIET_MOVES, (i) => scene.last(BASE_TICKS + (i % 2))));
    firing.push(timed(FIRING_MOVES, (i) => scene.last(BASE_TICKS + 99 + FIRED_A_MOVE * (i + 1))));
  }
  const perFired = Math.round(median(firing) / FIRED_A_MOVE);
  return { waiting, quietMoveNs: Math.round(median(quiet)), firedTriggerNs: perFired, node: process.version };
}

function main(): void {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
  const results = WAITING.map(measure);
  if (values.json) for (const result of results) console.log(JSON.stringify(result));
  else {
    console.log(`price moves while triggers wait: Node ${process.version}, ${availableParallelism()} cores`);
    console.log('waiting   a move that fires nothing   a trigger fired');
    for (const { waiting, quietMoveNs, firedTriggerNs } of results) {
      console.log(
        `${String(waiting).padStart(7)} ${String(quietMoveNs).padStart(24)} ns ${String(firedTriggerNs).padStart(14)} ns`,
      );
    }
  }
}

if (import.meta.main) main();
