/** What a seed means for venues on one log in PostgreSQL: requests, look-ups, and what fails when. Plain JSON. */
import type { Ask, Retry } from '../plan.ts';
import { Chance, CLIENTS, PRICE } from '../plan.ts';
import type { Way } from './cluster.ts';
import type { Clocks } from './node.ts';

/** A node by its number, or by what it is when the step comes. */
export type Which = number | 'leader' | 'standby';

export type Step = { readonly atMs: number } & (
  | { what: 'ask'; client: number; ask: Ask; retry: Retry }
  /** A look-up of what was acknowledged last. `atLeast`: with the seq of then. */
  | { what: 'read'; node: Which; atLeast: boolean }
  | { what: 'kill'; node: Which; silent: boolean; forMs: number }
  | { what: 'pause'; node: Which; forMs: number; venueOnly: boolean }
  | { what: 'handOver'; node: Which }
  /** Its connections are reset. */
  | { what: 'reset'; node: Which }
  | { what: 'wall'; node: Which; byMs: number }
  /** Between a node and servers. -1: all of them. */
  | { what: 'cut'; node: Which; server: number; ways: readonly Way[]; forMs: number }
  | { what: 'slow'; node: Which; byMs: number; forMs: number }
  /** -1: the primary. */
  | { what: 'crash'; server: number; silent: boolean; forMs: number }
  /** `force`: although an operator has ended a wait for the quorum. */
  | { what: 'promote'; oldGoesOn: boolean; silent: boolean; forMs: number; force?: true }
  | { what: 'cutReplication'; servers: readonly number[]; ways: readonly Way[]; forMs: number }
  /** The waits for the quorum are ended, and the sessions that wait. */
  | { what: 'endWaits'; withSessions: boolean }
  /** `synchronous_standby_names` of the primary is emptied by a reload, and set again. */
  | { what: 'emptyNames'; forMs: number }
  | { what: 'full'; forMs: number }
  | { what: 'slowReads' | 'slowAppends'; byMs: number; forMs: number }
);

/** The command of an order throws: always, in each process that follows, or once in one that leads or follows. */
export type Throws = 'always' | 'following' | 'onceLeading' | 'onceFollowing';

export interface Plan {
  readonly seed: number;
  readonly clocks: readonly Clocks[];
  /** The nodes keep archives. */
  readonly archives: boolean;
  /** By client id. */
  readonly throws: Readonly<Record<string, Throws>>;
  readonly steps: readonly Step[];
  readonly endMs: number;
}

const ASKS = 16;

export function planOf(seed: number): Plan {
  const r = new Chance(seed * 2 + 1);
  const nodes = r.of([2, 2, 3]);
  const endMs = r.of([1000, 2000, 4000]);
  const steps: Step[] = [];
  const placed: string[] = [];
  const throws: Record<string, Throws> = {};
  let atMs = 1;
  for (let i = r.int(ASKS - 6, ASKS + 6); i > 0; i -= 1) {
    if (!r.is(0.4)) atMs = r.int(1, endMs);
    const ask = askOf(r, `p${i}`, placed);
    if (r.is(0.004) && ask.kind !== 'lookup') throws[ask.id] = r.of(['always', 'onceLeading', 'onceFollowing']);
    const retry = r.of(['sameBytes', 'newNonce', 'newNonce', 'none'] as const);
    steps.push({ atMs: atMs + r.int(0, 3), what: 'ask', client: r.int(0, CLIENTS - 1), ask, retry });
  }
  for (let i = r.int(4, 10); i > 0; i -= 1) {
    const node = r.of(['leader', 'standby', 'standby', r.int(0, nodes - 1)] as const);
    steps.push({ atMs: r.int(1, endMs), what: 'read', node, atLeast: r.is(0.7) });
  }
  const faults = r.of([0, 1, 1, 1, 2, 2, 3]);
  for (let i = 0; i < faults; i += 1) steps.push(fault(r, r.int(1, endMs), nodes));
  steps.sort((a, b) => a.atMs - b.atMs);
  const clocks = Array.from({ length: nodes }, () => ({
    aheadMs: r.int(0, 1_000_000),
    ppm: r.int(-200, 200),
    wallAheadMs: r.of([0, 0, -3000, 3000]),
  }));
  return { seed, clocks, archives: r.is(0.15), throws, steps, endMs };
}

function askOf(r: Chance, id: string, placed: string[]): Ask {
  const known = placed.length === 0 ? undefined : r.of(placed);
  if (known !== undefined && r.is(0.15)) return { kind: 'cancel', id, of: known, product: 'spot' };
  placed.push(id);
  const price = PRICE + r.int(-20, 20) / 2;
  return { kind: 'spot', id, side: r.of(['BUY', 'SELL']), price, size: r.int(1, 100) / 100 };
}

function fault(r: Chance, atMs: number, nodes: number): Step {
  const node: Which = r.of(['leader', 'leader', 'leader', 'standby', r.int(0, nodes - 1)] as const);
  const forMs = r.of([50, 300, 700, 1500, 3000]);
  const ways: readonly Way[] = r.of([['there', 'back'], ['there'], ['back']] as const);
  const roll = r.int(0, 15);
  switch (roll) {
    case 0:
    case 1:
      return { atMs, what: 'kill', node, silent: r.is(0.3), forMs };
    case 2:
    case 3:
      return { atMs, what: 'pause', node, forMs, venueOnly: r.is(0.3) };
    case 4:
      return { atMs, what: 'handOver', node: r.of(['leader', 'leader', 'standby']) };
    case 5:
      return { atMs, what: 'wall', node, byMs: r.of([-1, 1]) * r.of([700, 5000]) };
    case 6:
    case 7:
      return { atMs, what: 'cut', node, server: r.of([-1, -1, r.int(0, 2)]), ways, forMs };
    case 8:
      return { atMs, what: 'slow', node, byMs: r.of([5, 50, 300]), forMs };
    case 9:
      return { atMs, what: 'crash', server: r.of([-1, -1, r.int(0, 2)]), silent: r.is(0.3), forMs };
    case 10:
    case 11:
    case 12:
      return { atMs, what: 'promote', oldGoesOn: r.is(0.3), silent: r.is(0.3), forMs };
    case 13:
      return { atMs, what: 'cutReplication', servers: r.of([[0, 1, 2], [r.int(0, 2)]]), ways, forMs };
    case 14:
      return r.is(0.5) ? { atMs, what: 'endWaits', withSessions: r.is(0.5) } : { atMs, what: 'reset', node };
    default:
      if (r.is(0.4)) return { atMs, what: 'full', forMs };
      return { atMs, what: r.of(['slowReads', 'slowAppends']), byMs: r.of([20, 200, 900]), forMs };
  }
}
