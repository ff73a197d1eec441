/**
 * The model bites: each fault that is planted here into the venue, and nowhere else, is found within a few seeds. The
 * faults are put in place of methods of the venue's own objects for the time of one test; src is as it is.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oco } from '../../src/venue/algos/oco.ts';
import { minus } from '../../src/venue/contract/money.ts';
import { Changes } from '../../src/venue/state/changes.ts';
import { DeleveragingRanks } from '../../src/venue/state/deleveraging-ranks.ts';
import { Ledger } from '../../src/venue/state/ledger.ts';
import { MarginWatch } from '../../src/venue/state/margin-watch.ts';
import { MarketPositions } from '../../src/venue/state/market-positions.ts';
import { Position } from '../../src/venue/state/position.ts';
import { TriggerBook } from '../../src/venue/state/trigger-book.ts';
import { Venue } from '../../src/venue/venue.ts';
import { type OpenVenue, runSeed, shrink } from './run.ts';

const MOST_SEEDS = 200;
const COMMANDS = 300;

/** The first seed that finds the fault, with what differs. */
function firstDifference(open?: OpenVenue) {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const run = runSeed(seed, COMMANDS, undefined, open);
    if (run.difference !== null) return run;
  }
  return null;
}

/** Puts `faulty` in place of a method while a search runs; the same seed must be clean without it. */
function finds<T extends object, K extends keyof T>(of: T, method: K, faulty: (right: T[K]) => T[K]): void {
  const right = of[method];
  of[method] = faulty(right);
  let run: ReturnType<typeof firstDifference>;
  try {
    run = firstDifference();
  } finally {
    of[method] = right;
  }
  assert.ok(run !== null, `not found within ${MOST_SEEDS} seeds`);
  assert.equal(runSeed(run.seed, COMMANDS).difference, null);
}

describe('a planted fault is found', () => {
  it('one leg of an OCO is left alive', () => {
    type Hooks = { onEnd: (...args: unknown[]) => void };
    finds(oco as unknown as Hooks, 'onEnd', () => () => {});
  });

  it('a fill is dropped: it never reaches the position', () => {
    let fills = 0;
    finds(Position.prototype, 'fill', (right) => {
      return function (this: Position, ...terms) {
        return ++fills % 20 === 0 ? 0n : right.apply(this, terms);
      };
    });
  });

  it('a fill is dropped: no event reports it', () => {
    let trades = 0;
    const run = firstDifference(
      (emit) => new Venue((event) => (event.type === 'traded' && ++trades % 20 === 0 ? undefined : emit(event))),
    );
    assert.ok(run !== null);
  });

  it('a fee is rounded the other way', () => {
    finds(Ledger.prototype, 'charge', (right) => {
      return function (this: Ledger, account, currency, fee) {
        right.call(this, account, currency, fee > 0 ? minus(fee, 1) : fee);
      };
    });
  });

  it('a reduce-only order is not clipped to its position', () => {
    finds(MarketPositions.prototype, 'reducible', (right) => {
      return function (this: MarketPositions, id, side) {
        return right.call(this, id, side) > 0 ? Number.MAX_SAFE_INTEGER : 0;
      };
    });
  });

  it('a trigger waits at the wrong price', () => {
    finds(TriggerBook.prototype, 'watch', (right) => {
      return function (this: TriggerBook, order, reference, ticks, up) {
        right.call(this, order, reference, up ? ticks + 1 : ticks, up);
      };
    });
  });

  it('an account is watched whose mark has left its band', () => {
    finds(MarginWatch.prototype, 'outside', () => () => -1);
  });

  it('an account is watched whose money has changed', () => {
    finds(Changes.prototype, 'wallet', () => () => {});
  });

  it('an account is watched whose position has changed', () => {
    finds(Changes.prototype, 'position', () => () => {});
  });

  it('a band is wider than its account is safe', () => {
    finds(MarginWatch.prototype, 'watch', (right) => {
      return function (this: MarginWatch, account, positions, low, high) {
        right.call(this, account, positions, low * 0.98, high * 1.02);
      };
    });
  });

  it('a rank of auto-deleveraging is kept although its account has changed', () => {
    finds(DeleveragingRanks.prototype, 'note', () => () => {});
  });

  it('and what is left of its commands is few', () => {
    const right = oco.onEnd;
    const hooks = oco as { onEnd?: unknown };
    hooks.onEnd = () => {};
    try {
      const run = firstDifference();
      assert.ok(run !== null);
      const small = shrink(run);
      assert.ok(small.difference !== null && small.steps.length < 20, `${small.steps.length} commands are left`);
    } finally {
      hooks.onEnd = right;
    }
  });
});
