/**
 * The whole venue on the recorded-style flow of flow.ts: funds, holds, fees, order keys, the
 * order table, replies and the events that a process listens to, through `Venue.apply`, against the bare book of the yardstick on the scenario that is
 * slowest for it, in the same process, in turn. Of each reply the order's key and state are read, as any caller does, and
 * beside that all of it. What is left out is what lies outside the venue: JSON, the log, HTTP.
 *
 * usage: node bench/venue.ts [--json]     exit code 1 if the fills are not those of a correct book
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import '../src/engine/replay/inlining.ts';
import { DEFAULT_MARKETS } from '../src/config/defaults.ts';
import type { Command, Genesis, Side } from '../src/venue/contract/commands.ts';
import { KEYS_PER_SEQ } from '../src/venue/contract/order-id.ts';
import { type Reply, Venue } from '../src/venue/venue.ts';
import { FLOW_FILLS, FLOW_MESSAGES, type Flow, flow } from './flow.ts';
import { load, median, runYardstick, SCENARIOS } from './yardstick.ts';

const PAIRS = 9;
/** The pairs in which another run reads its replies whole. */
const WHOLE = 5;
const ACCOUNTS = 128;
const START_MS = 1_767_225_600_000;
/** Venue time moves a millisecond per this many commands: the pace of a busy market. */
const COMMANDS_PER_MS = 100;

export function genesis(): Genesis {
  const market = { ...DEFAULT_MARKETS[0], maxOpenOrders: 1_000_000 };
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({
    name: `account-${i}`,
    balances: { USDT: '100000000', BTC: '100000' },
    fees: {},
    keys: [],
  }));
  const currencies = { USDT: { decimals: 8 }, BTC: { decimals: 8 } };
  const rules = { insuranceFund: {}, selfTrade: 'cancelIncoming', feeFrom: 'received' } as const;
  const config = { currencies, markets: [market], accounts, ...rules };
  return { v: 1, type: 'genesis', config, seed: 1, clock: 'manual', idKey: '000102030405060708090a0b0c0d0e0f' };
}

/**
 * The accounts: buys come from accounts 0..63 in turn, sells from 64..127, and a cancel from the account that placed
 * the order.
 */
export function accountsOf(operations: Flow): Int32Array {
  const inTurn = [0, 0];
  const accounts = new Int32Array(operations.n);
  for (let i = 0; i < operations.n; i++) {
    const side = operations.side[i];
    accounts[i] = operations.isCancel[i] ? accounts[operations.target[i]] : side * 64 + (inTurn[side]++ % 64);
  }
  return accounts;
}

/** The order that row i places or cancels. */
function keyOf(operations: Flow, i: number): number {
  return ((operations.isCancel[i] ? operations.target[i] : i) + 2) * KEYS_PER_SEQ;
}

/** Row i of the flow as a command, created when it is due, as after parsing. */
export function command(operations: Flow, accounts: Int32Array, i: number): Command {
  const account = accounts[i];
  if (operations.isCancel[i]) {
    const order = keyOf(operations, i);
    return { v: 1, type: 'cancel', account, product: 'spot', market: null, order, clientId: null };
  }
  return {
    v: 1,
    type: 'place',
    kind: 'limit',
    account,
    market: 0,
    side: operations.side[i] as Side,
    clientId: null,
    request: null,
    broker: null,
    price: operations.price[i],
    size: operations.size[i],
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
  };
}

/** What a caller reads of each reply: which order it names, and the state of that. Or all of it, as a copy. */
export type Read = 'names' | 'whole';

interface Run {
  readonly seconds: number;
  /** Of the thread alone. */
  readonly processorSeconds: number;
  readonly fills: number;
  /** Replies that show a filled order. */
  readonly filled: number;
}

/** Whether the reply shows a filled order of the operation. Throws for another order than that. */
function showsFilled(reply: Reply, key: number): boolean {
  const order = reply.refusal === null ? reply.orders[0] : reply.about;
  // An ended order is forgotten after a while.
  if (order === null) return false;
  if (order.key !== key) throw new Error(`the reply names order ${order.key}, not ${key}`);
  return order.state === 'filled';
}

/** Applies the flow to a new venue, as all measurements of this file do. */
export function runVenue(operations: Flow, accounts: Int32Array, read: Read = 'names'): Run {
  let fills = 0;
  let filled = 0;
  // The kinds that the metrics count.
  const venue = new Venue({
    orderPlaced: () => {},
    traded: () => {
      fills++;
    },
  });
  venue.apply(1, START_MS, genesis());
  const start = process.hrtime.bigint();
  const used = process.threadCpuUsage();
  for (let i = 0; i < operations.n; i++) {
    const reply = venue.apply(i + 2, START_MS + Math.floor(i / COMMANDS_PER_MS), command(operations, accounts, i));
    if (showsFilled(read === 'whole' ? reply.whole() : reply, keyOf(operations, i))) filled++;
  }
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.threadCpuUsage(used);
  if (!venue.audit().ok) throw new Error('money is not conserved');
  return { seconds, processorSeconds: (user + system) / 1e6, fills, filled };
}

function slowestScenario(): string {
  const seconds = SCENARIOS.map((scenario) => {
    const workload = load(scenario);
    // The fastest of some runs: other work on the machine must not make another flow look slowest.
    const runs = Array.from({ length: 4 }, () => runYardstick(workload).seconds);
    return { scenario, perMessage: Math.min(...runs) / workload.n };
  });
  return seconds.toSorted((a, b) => b.perMessage - a.perMessage)[0].scenario;
}

function main(): void {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
  const operations = flow(FLOW_MESSAGES);
  const accounts = accountsOf(operations);
  const scenario = slowestScenario();
  const workload = load(scenario);
  const warm = runVenue(operations, accounts);
  const read = runVenue(operations, accounts, 'whole');
  if (read.filled !== warm.filled)
    throw new Error(`${read.filled} whole replies show a filled order, not ${warm.filled}`);
  const venue: number[] = [];
  const whole: number[] = [];
  const yardstick: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) yardstick.push(workload.n / runYardstick(workload).seconds / 1e6);
    venue.push(operations.n / runVenue(operations, accounts).seconds / 1e6);
    if (pair < WHOLE) whole.push(operations.n / runVenue(operations, accounts, 'whole').seconds / 1e6);
    if (pair % 2 === 1) yardstick.push(workload.n / runYardstick(workload).seconds / 1e6);
  }
  const round = (value: number) => Math.round(value * 1000) / 1000;
  const result = {
    case: 'venue-apply',
    commands: operations.n,
    fills: warm.fills,
    mps: round(median(venue)),
    wholeMps: round(median(whole)),
    yardstickScenario: scenario,
    yardstickMps: round(median(yardstick)),
    ratio: round(median(venue.map((mps, pair) => mps / yardstick[pair]))),
    wholeRatio: round(median(whole.map((mps, pair) => mps / yardstick[pair]))),
    cores: availableParallelism(),
    node: process.version,
  };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`Venue.apply: Node ${result.node}, ${result.cores} cores, ${cpus()[0]?.model}`);
    console.log(`${result.commands} commands, ${result.fills} fills`);
    console.log(
      `${result.mps} M commands/s; yardstick (${scenario}) ${result.yardstickMps} M/s; ratio ${result.ratio}`,
    );
    console.log(`replies read whole: ${result.wholeMps} M commands/s; ratio ${result.wholeRatio}`);
  }
  if (warm.fills !== FLOW_FILLS) {
    console.error(`${warm.fills} fills, not ${FLOW_FILLS}`);
    process.exitCode = 1;
  }
}

if (import.meta.main) main();
