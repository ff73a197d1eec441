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
import '../src/engine/replay/v8-flags.ts';
import { DEFAULT_MARKETS } from '../src/config/defaults.ts';
import type { Command, Genesis, Side } from '../src/venue/contract/commands.ts';
import { KEYS_PER_SEQ } from '../src/venue/contract/order-id.ts';
import { type Reply, Venue } from '../src/venue/venue.ts';
import { FLOW_FILLS, FLOW_MESSAGES, type Flow, flow } from './flow.ts';
import { threadSeconds } from './thread-seconds.ts';
import { load, median, round, runYardstick, SCENARIOS, type Workload } from './yardstick.ts';

const WARM_UP = 2;
/** A multiple of two for the sides, and of five for the flows. */
const ROUNDS = 10;
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

/**
 * The first venue stays, as a process keeps its own. When the last object of a shape is collected, V8 forgets the shape, and
 * with it the code that it has compiled for it. The next venue would pay for compiling it again.
 */
export const KEPT: Venue[] = [];

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
  if (KEPT.length === 0) KEPT.push(venue);
  const start = process.hrtime.bigint();
  const used = threadSeconds();
  for (let i = 0; i < operations.n; i++) {
    const reply = venue.apply(i + 2, START_MS + Math.floor(i / COMMANDS_PER_MS), command(operations, accounts, i));
    if (showsFilled(read === 'whole' ? reply.whole() : reply, keyOf(operations, i))) filled++;
  }
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const processorSeconds = threadSeconds() - used;
  if (!venue.audit().ok) throw new Error('money is not conserved');
  return { seconds, processorSeconds, fills, filled };
}

/** Speeds of one round, in millions of messages a second. */
interface Round {
  readonly venue: number;
  readonly whole: number;
  /** Of the bare book, by scenario. */
  readonly yardstick: readonly number[];
}

/**
 * Runs the venue and all recorded flows through the bare book. Either side is first in turn, and each flow is the first of
 * them in turn, because what runs after a venue is slower.
 */
function runRound(operations: Flow, accounts: Int32Array, workloads: readonly Workload[], round: number): Round {
  const speeds = new Map<Read | Workload, number>();
  const first = round % workloads.length;
  const flows = [...workloads.slice(first), ...workloads.slice(0, first)];
  const sides: (Read | Workload)[] = round % 2 === 0 ? [...flows, 'names', 'whole'] : ['whole', 'names', ...flows];
  for (const side of sides) {
    const { n } = typeof side === 'string' ? operations : side;
    const { seconds } = typeof side === 'string' ? runVenue(operations, accounts, side) : runYardstick(side);
    speeds.set(side, n / seconds / 1e6);
  }
  const speed = (side: Read | Workload) => speeds.get(side) as number;
  return { venue: speed('names'), whole: speed('whole'), yardstick: workloads.map(speed) };
}

function main(): void {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
  const operations = flow(FLOW_MESSAGES);
  const accounts = accountsOf(operations);
  const workloads = SCENARIOS.map(load);
  const warm = runVenue(operations, accounts);
  const read = runVenue(operations, accounts, 'whole');
  if (read.filled !== warm.filled)
    throw new Error(`${read.filled} whole replies show a filled order, not ${warm.filled}`);
  for (let round = 0; round < WARM_UP; round++) runRound(operations, accounts, workloads, round);
  const rounds = Array.from({ length: ROUNDS }, (_, round) => runRound(operations, accounts, workloads, round));
  const medians = SCENARIOS.map((_, place) => median(rounds.map(({ yardstick }) => yardstick[place])));
  const slowest = medians.indexOf(Math.min(...medians));
  const thousandths = (value: number) => round(value, 3);
  const ratioOf = (side: 'venue' | 'whole') =>
    thousandths(median(rounds.map((each) => each[side] / each.yardstick[slowest])));
  const result = {
    case: 'venue-apply',
    commands: operations.n,
    fills: warm.fills,
    mps: thousandths(median(rounds.map(({ venue }) => venue))),
    wholeMps: thousandths(median(rounds.map(({ whole }) => whole))),
    yardsticksMps: Object.fromEntries(SCENARIOS.map((scenario, place) => [scenario, thousandths(medians[place])])),
    yardstickScenario: SCENARIOS[slowest],
    yardstickMps: thousandths(medians[slowest]),
    ratio: ratioOf('venue'),
    wholeRatio: ratioOf('whole'),
    cores: availableParallelism(),
    node: process.version,
  };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`Venue.apply: Node ${result.node}, ${result.cores} cores, ${cpus()[0]?.model}`);
    console.log(`${result.commands} commands, ${result.fills} fills`);
    console.log(
      `yardstick, M/s: ${SCENARIOS.map((scenario, place) => `${scenario} ${medians[place].toFixed(2)}`).join(', ')}`,
    );
    console.log(
      `${result.mps} M commands/s; yardstick (${result.yardstickScenario}) ${result.yardstickMps} M/s; ratio ${result.ratio}`,
    );
    console.log(`replies read whole: ${result.wholeMps} M commands/s; ratio ${result.wholeRatio}`);
  }
  if (warm.fills !== FLOW_FILLS) {
    console.error(`${warm.fills} fills, not ${FLOW_FILLS}`);
    process.exitCode = 1;
  }
}

if (import.meta.main) main();
