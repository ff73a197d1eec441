/**
 * Bytes that one more of a kind costs the venue: a resting order, an ended one, a waiting trigger, an account. Also how
 * long a million accounts take. Each kind is made by `Venue.apply`, as clients and operators make it.
 *
 * The figure is heap and array buffers after a forced collection, less the same before, by the number made. Each kind is
 * made in a new venue, in several rounds, and the median counts. Columns double when they are full, so the numbers are
 * just below a power of two, or the most that the venue keeps.
 *
 * usage: node bench/memory.ts [--json] [--small]      exit code 1 if a kind costs more than its limit
 *   --small: a tenth of each number, without limits
 */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DEFAULT_MARKETS } from '../src/config/defaults.ts';
import type { Genesis } from '../src/venue/contract/commands.ts';
import { KEYS_PER_SEQ } from '../src/venue/contract/order-id.ts';
import { RETENTION_ORDERS } from '../src/venue/contract/order-view.ts';
import { Venue } from '../src/venue/venue.ts';
import { threadSeconds } from './thread-seconds.ts';
import { median } from './yardstick.ts';

const START_MS = 1_767_225_600_000;
const ROUNDS = 3;
const PRICE = 600_000;
const FINE = 1000;
/** Orders of an account, so that no list of one is long. */
const ORDERS_AN_ACCOUNT = 1000;
const SECONDS_FOR_A_MILLION_ACCOUNTS = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

interface Kind {
  readonly name: string;
  readonly count: number;
  /** Bytes. */
  readonly limit: number;
  readonly make: (scene: Scene, count: number) => void;
}

const KINDS: readonly Kind[] = [
  { name: 'resting order', count: 1_000_000, limit: 300, make: (scene, count) => scene.rest(count) },
  { name: 'ended order', count: RETENTION_ORDERS, limit: 110, make: (scene, count) => scene.end(count) },
  { name: 'waiting trigger', count: 500_000, limit: 400, make: (scene, count) => scene.wait(count) },
  { name: 'account', count: 1_000_000, limit: 600, make: (scene, count) => scene.accounts(count) },
];

function genesis(): Genesis {
  const market = { ...DEFAULT_MARKETS[0], maxOpenOrders: 2_000_000 };
  const balances = { USDT: '80000000', BTC: '80000' };
  const accounts = Array.from({ length: 1000 }, (_, i) => ({ name: `rich-${i}`, balances, fees: {}, keys: [] }));
  const currencies = { USDT: { decimals: 8 }, BTC: { decimals: 8 } };
  const rules = { insuranceFund: {}, selfTrade: 'cancelIncoming', feeFrom: 'received' } as const;
  const config = { currencies, markets: [market], accounts, ...rules };
  return { v: 1, type: 'genesis', config, seed: 1, clock: 'manual', idKey: '000102030405060708090a0b0c0d0e0f' };
}

class Scene {
  readonly venue = new Venue();
  #seq = 0;

  constructor() {
    this.#apply(genesis());
    this.#apply({ v: 1, type: 'setPrices', market: 0, index: PRICE * FINE, byHand: true });
  }

  #apply(command: Parameters<Venue['apply']>[2]): void {
    const { refusal } = this.venue.apply(++this.#seq, START_MS, command);
    if (refusal !== null) throw new Error(`${command.type}: ${JSON.stringify(refusal)}`);
  }

  #limit(i: number): void {
    const head = { v: 1, type: 'place', account: Math.floor(i / ORDERS_AN_ACCOUNT), market: 0, side: 0 } as const;
    const names = { clientId: null, request: null, broker: null } as const;
    const terms = { kind: 'limit', price: PRICE - 1 - (i % 1000), size: 100, timeInForce: 'GTC' } as const;
    this.#apply({ ...head, ...names, ...terms, postOnly: false, reduceOnly: false });
  }

  rest(count: number): void {
    for (let i = 0; i < count; i++) this.#limit(i);
  }

  end(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#limit(i);
      const order = this.#seq * KEYS_PER_SEQ;
      const account = Math.floor(i / ORDERS_AN_ACCOUNT);
      this.#apply({ v: 1, type: 'cancel', account, product: 'spot', market: null, order, clientId: null });
    }
  }

  wait(count: number): void {
    for (let i = 0; i < count; i++) {
      const head = { v: 1, type: 'place', account: Math.floor(i / ORDERS_AN_ACCOUNT), market: 0, side: 1 } as const;
      const names = { clientId: null, request: null, broker: null, quote: null, price: null } as const;
      const when = { kind: 'conditional', rule: 'stop', reference: 'index', trigger: PRICE - 1 - (i % 1000) } as const;
      const terms = { size: 100, timeInForce: 'GTC', postOnly: false, reduceOnly: false } as const;
      this.#apply({ ...head, ...names, ...when, ...terms });
    }
  }

  accounts(count: number): void {
    for (let i = 0; i < count; i++) this.#apply({ v: 1, type: 'createAccount', name: `account-${i}` });
  }
}

function used(): number {
  // The second collection takes what only finalisation released.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Bytes for each of `count` things, and the seconds that making them took. */
function measure({ make }: Kind, count: number): { readonly bytes: number; readonly seconds: number } {
  const scene = new Scene();
  const before = used();
  const begun = threadSeconds();
  make(scene, count);
  const seconds = threadSeconds() - begun;
  const bytes = (used() - before) / count;
  // Uses the scene, so that it is not collected earlier.
  if (scene.venue.seq < count) throw new Error('too few commands were applied');
  return { bytes, seconds };
}

function main(): void {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, small: { type: 'boolean' } } });
  if (!values.json) console.log(`Node ${process.version}; medians of ${ROUNDS} rounds`);
  let isWithin = true;
  // Once unmeasured: code and caches of the process cost memory, too.
  for (const kind of KINDS) measure(kind, 1000);
  for (const kind of KINDS) {
    const count = values.small ? kind.count / 10 : kind.count;
    const rounds = Array.from({ length: ROUNDS }, () => measure(kind, count));
    const bytes = Math.round(median(rounds.map((round) => round.bytes)));
    const seconds = median(rounds.map((round) => round.seconds));
    const { name, limit } = kind;
    if (values.json)
      console.log(JSON.stringify({ case: `memory-${name.replace(' ', '-')}`, count, bytes, limit, seconds }));
    else {
      const cells = [String(count).padStart(9), `${bytes} bytes`.padStart(11), `limit ${limit}`.padStart(10)];
      console.log(`${name.padEnd(16)}${cells.join('')}   ${seconds.toFixed(1)} s of processor time`);
    }
    if (values.small) continue;
    if (bytes > limit) isWithin = false;
    if (name === 'account' && seconds > SECONDS_FOR_A_MILLION_ACCOUNTS) isWithin = false;
  }
  if (isWithin) return;
  console.error('above a limit');
  process.exitCode = 1;
}

if (import.meta.main) main();
