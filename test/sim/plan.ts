/**
 * The meaning of a seed: some lives of one venue, and for each its client requests, events of the world, faults of the
 * disk, and its end. A plan is plain JSON, so that it can be shortened, printed and kept.
 */
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { seeded } from './seeded.ts';
import type { Fault } from './sim-disk.ts';

/** A request of a client. `id` is the client id, and names the request. */
export type Ask =
  | { kind: 'spot' | 'future'; id: string; side: 'BUY' | 'SELL'; price: number; size: number; ioc?: true }
  | { kind: 'cancel'; id: string; of: string; product: 'spot' | 'future' }
  | { kind: 'lookup'; id: string; of: string }
  | { kind: 'deadMan'; id: string; product: 'spot' | 'future'; timeoutMs: number };

/** What a client does when no answer comes. */
export type Retry = 'sameBytes' | 'newNonce' | 'none';

export type Step = { readonly atMs: number } & (
  | { what: 'ask'; client: number; ask: Ask; retry: Retry }
  | { what: 'price'; market: 0 | 1; price: number; byHand: boolean }
  /** Somebody sets the machine's clock. */
  | { what: 'wall'; byMs: number }
  | { what: 'drift'; ppm: number }
  | { what: 'acceptWall' }
  | { what: 'sleep'; ms: number }
  /** The bytes left on the disk. Null: enough. */
  | { what: 'room'; bytes: number | null }
  | { what: 'files'; out: boolean }
  /** The archive's file accepts no more, because it is full or its medium fails, or it accepts data again. */
  | { what: 'archive'; fails: 'full' | 'io' | null }
  /** There is space for commands, but none for a snapshot. */
  | { what: 'snapshots'; full: boolean }
);

/** What happens to the folder between two lives. `at`: where in it, 0 to 1. */
export type Damage =
  | { what: 'bit'; file: 'log' | 'snapshot' | 'remembered'; at: number }
  | { what: 'lose'; file: 'snapshot' }
  /** The log is as at some moment of the life before. The rest of the folder is present. */
  | { what: 'half' }
  /** The archive is lost, damaged, or as at some earlier moment. */
  | { what: 'archive'; how: 'lost' | 'aged' | 'damaged'; at: number };

export type End =
  /** The process dies, but the machine goes on. */
  'kill' | 'powerCut' | 'stop';

export interface Life {
  readonly damage: readonly Damage[];
  /** The version has the next rules. */
  readonly upgrade?: true;
  /** The archive's thread gets no time. The next life has to catch up. */
  readonly idleArchive?: true;
  /** The archive's work takes long, so that its turns end in the middle of it. */
  readonly slowArchive?: true;
  /** By step of the disk. */
  readonly faults: Readonly<Record<number, Fault>>;
  /** Reads that fail, counted from 1. */
  readonly failReads?: readonly number[];
  readonly steps: readonly Step[];
  /** The slowest sync. */
  readonly syncMs: number;
  readonly end: End;
  readonly endMs: number;
  /** The time between its end and the next start. */
  readonly restMs: number;
}

export interface Plan {
  readonly seed: number;
  /** The world begins with the sealed golden log of these rules (test/golden), not with an empty disk. */
  readonly golden?: number;
  readonly lives: readonly Life[];
  /** Before the last life, in which nothing fails any more. */
  readonly last: readonly Damage[];
}

export const CLIENTS = 4;
/** Such a seed costs ten times as much as others. */
const GOLDEN_EVERY = 500;
/** All prices are around this one, in quote currency. */
export const PRICE = 1000;
const ASKS = 30;

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  unit(): number {
    return this.#next();
  }

  /** From `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.#next() * (to - from + 1));
  }

  is(probability: number): boolean {
    return this.#next() < probability;
  }

  of<const T>(options: readonly T[]): T {
    return options[Math.floor(this.#next() * options.length)] as T;
  }
}

export function planOf(seed: number): Plan {
  const r = new Chance(seed);
  const lives: Life[] = [];
  const placed: { id: string; product: 'spot' | 'future' }[] = [];
  const count = r.of([1, 1, 1, 1, 1, 1, 1, 1, 2, 3]);
  for (let i = 0; i < count; i += 1) lives.push(life(r, i, placed));
  const golden = seed % GOLDEN_EVERY === 0 && { golden: r.int(1, RULES_VERSION) };
  return { seed, ...golden, lives, last: damagesOf(r) };
}

function life(r: Chance, index: number, placed: { id: string; product: 'spot' | 'future' }[]): Life {
  const endMs = r.of([500, 2000, 8000, 20_000, 70_000]);
  const steps: Step[] = [];
  if (index === 0) {
    steps.push({ atMs: 0, what: 'price', market: 0, price: PRICE, byHand: true });
    steps.push({ atMs: 0, what: 'price', market: 1, price: PRICE, byHand: true });
  }
  // In bursts, so that batches form.
  const asks = r.int(ASKS - 6, ASKS + 6);
  let atMs = 1;
  for (let i = 0; i < asks; i += 1) {
    if (!r.is(0.6)) atMs = r.int(1, endMs);
    const ask = askOf(r, `c${index}-${i}`, placed);
    steps.push({
      atMs: atMs + r.int(0, 3),
      what: 'ask',
      client: r.int(0, CLIENTS - 1),
      ask,
      retry: r.of(['sameBytes', 'newNonce', 'newNonce', 'none']),
    });
  }
  for (let i = r.int(0, 2); i > 0; i -= 1) {
    const price = PRICE + r.int(-30, 30);
    steps.push({ atMs: r.int(1, endMs), what: 'price', market: r.of([0, 1]), price, byHand: r.is(0.5) });
  }
  const archive = r.of(['idle', 'idle', 'idle', 'idle', 'idle', 'idle', 'idle', 'quick', 'quick', 'slow'] as const);
  if (r.is(archive === 'slow' ? 0.6 : 0.25)) worldSteps(r, endMs, steps);
  if (archive !== 'idle' && r.is(0.3)) archiveSteps(r, endMs, steps);
  steps.sort((a, b) => a.atMs - b.atMs);
  return {
    damage: index > 0 ? damagesOf(r) : [],
    ...(index > 0 && r.is(0.3) && { upgrade: true as const }),
    ...(archive === 'idle' && { idleArchive: true as const }),
    ...(archive === 'slow' && { slowArchive: true as const }),
    faults: faultsOf(r),
    ...(r.is(0.1) && { failReads: [r.int(1, 30)] }),
    steps,
    syncMs: r.of([0.2, 2, 20]),
    end: r.of(['kill', 'powerCut', 'powerCut', 'stop']),
    endMs,
    restMs: r.of([10, 1000, 5000]),
  };
}

function askOf(r: Chance, id: string, placed: { id: string; product: 'spot' | 'future' }[]): Ask {
  const roll = r.unit();
  const known = placed.length === 0 ? undefined : placed[r.int(0, placed.length - 1)];
  if (known !== undefined && roll < 0.18) return { kind: 'cancel', id, of: known.id, product: known.product };
  if (known !== undefined && roll < 0.25) return { kind: 'lookup', id, of: known.id };
  if (roll < 0.33) {
    return { kind: 'deadMan', id, product: r.of(['spot', 'future']), timeoutMs: r.of([0, 1000, 5000, 30_000]) };
  }
  const product = r.of(['spot', 'spot', 'future']);
  placed.push({ id, product });
  const side = r.of(['BUY', 'SELL']);
  const price = PRICE + r.int(-20, 20) / 2;
  const size = product === 'spot' ? r.int(1, 100) / 100 : r.int(100, 50_000);
  return { kind: product, id, side, price, size, ...(r.is(0.15) && { ioc: true as const }) };
}

function worldSteps(r: Chance, endMs: number, steps: Step[]): void {
  const [from, to] = [r.int(1, endMs), r.int(1, endMs)].sort((a, b) => a - b) as [number, number];
  switch (r.of(['wall', 'wall', 'drift', 'sleep', 'room', 'room', 'files'])) {
    case 'wall': {
      const byMs = r.of([-1, 1]) * r.of([3000, 15_000, 3_600_000]);
      steps.push({ atMs: from, what: 'wall', byMs });
      if (r.is(0.3)) steps.push({ atMs: from + 100, what: 'acceptWall' });
      if (r.is(0.7)) steps.push({ atMs: to + 200, what: 'wall', byMs: -byMs });
      return;
    }
    case 'drift':
      steps.push({ atMs: from, what: 'drift', ppm: r.of([-500, 500, 5000]) });
      return;
    case 'sleep':
      steps.push({ atMs: from, what: 'sleep', ms: r.of([3000, 60_000, 3_600_000]) });
      return;
    case 'room':
      steps.push({ atMs: from, what: 'room', bytes: r.of([0, 600, 20_000]) });
      steps.push({ atMs: to + 1, what: 'room', bytes: null });
      return;
    case 'files':
      steps.push({ atMs: from, what: 'files', out: true });
      steps.push({ atMs: to + 1, what: 'files', out: false });
  }
}

function archiveSteps(r: Chance, endMs: number, steps: Step[]): void {
  steps.push({ atMs: r.int(1, endMs), what: 'archive', fails: r.of(['full', 'io', 'io']) });
  if (r.is(0.5)) steps.push({ atMs: endMs, what: 'archive', fails: null });
  if (r.is(0.5)) return;
  const fromMs = r.int(1, endMs);
  steps.push({ atMs: fromMs, what: 'snapshots', full: true });
  steps.push({ atMs: r.int(fromMs, endMs), what: 'snapshots', full: false });
}

function faultsOf(r: Chance): Record<number, Fault> {
  const faults: Record<number, Fault> = {};
  if (r.is(0.45)) return faults;
  const kinds: readonly Fault[] = ['crash', 'crash', 'short', 'failWrite', 'full', 'failSync', 'loseSync', 'lieSync'];
  // Early faults hit the start, and the recovery from a recovery.
  for (let i = r.int(1, 2); i > 0; i -= 1) faults[r.is(0.3) ? r.int(1, 8) : r.int(1, 70)] = r.of(kinds);
  return faults;
}

function damagesOf(r: Chance): Damage[] {
  return r.is(0.3) ? [damage(r)] : [];
}

function damage(r: Chance): Damage {
  const at = r.unit();
  switch (r.of(['bit', 'bit', 'lose', 'half', 'archive', 'archive'])) {
    case 'bit':
      return { what: 'bit', file: r.of(['log', 'log', 'snapshot', 'remembered']), at };
    case 'lose':
      return { what: 'lose', file: 'snapshot' };
    case 'half':
      return { what: 'half' };
    case 'archive':
      return { what: 'archive', how: r.of(['lost', 'aged', 'damaged']), at };
  }
}
