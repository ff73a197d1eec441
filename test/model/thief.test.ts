/**
 * The thief's tests, a slice of what `npm run thief` runs at length. Accounts that collude do anything they like; after each
 * command thief-judge.ts says whether money came from nowhere. A failure prints the shrunk run as a story.
 *
 * And the judge bites: what a venue with a planted fault does is called by its name.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ledger } from '../../src/venue/state/ledger.ts';
import { Position } from '../../src/venue/state/position.ts';
import type { Test } from './thief-judge.ts';
import { runSeed, shrink, story } from './thief-run.ts';

/** About fifteen seconds a test on one core. */
const SEEDS: Readonly<Record<Test, number>> = { 1: 250, 2: 210 };
const PER_TEST = 50;
const COMMANDS = 200;

const SENTENCES: Readonly<Record<Test, string>> = {
  1: 'with index and mark pinned, nobody who colludes owns more than was brought, honest makers lose nothing, the fund does not fall',
  2: 'with a moving index, the fund pays no more than a step took, no deficit arises, auto-deleveraging takes no more than the step gave',
};

for (const test of [1, 2] as const) {
  describe(SENTENCES[test], () => {
    for (let from = 1; from <= SEEDS[test]; from += PER_TEST) {
      const to = Math.min(from + PER_TEST, SEEDS[test] + 1) - 1;
      it(`seeds ${from} to ${to}`, () => {
        for (let seed = from; seed <= to; seed++) {
          const run = runSeed(test, seed, COMMANDS);
          if (run.complaint !== null) assert.fail(story(shrink(run)));
        }
      });
    }
  });
}

const MOST_SEEDS = 40;

/** What the judge says of the first run that fails while `faulty` is in place of a method. */
function complaintWith<T extends object, K extends keyof T>(of: T, method: K, faulty: (right: T[K]) => T[K]): string {
  const right = of[method];
  of[method] = faulty(right);
  try {
    for (let seed = 1; seed <= MOST_SEEDS; seed++) {
      for (const test of [1, 2] as const) {
        const { complaint } = runSeed(test, seed, COMMANDS);
        if (complaint !== null) return complaint;
      }
    }
  } finally {
    of[method] = right;
  }
  return `nothing within ${MOST_SEEDS} seeds`;
}

describe('the judge reports', () => {
  it('a fee that is counted and not paid', () => {
    const said = complaintWith(Ledger.prototype, 'charge', (right) => {
      return function (this: Ledger, ...terms) {
        right.apply(this, terms);
        const [account, currency, fee] = terms;
        account.addToTotal(currency, fee);
      };
    });
    assert.match(said, /units of \w+ came from nowhere|the thieves own|is below zero/);
  });

  it('a fill that reaches one side alone', () => {
    let fills = 0;
    const said = complaintWith(Position.prototype, 'fill', (right) => {
      return function (this: Position, ...terms) {
        return ++fills % 50 === 0 ? 0n : right.apply(this, terms);
      };
    });
    assert.match(said, /sizes of all positions|came from nowhere/);
  });

  it('a fund that pays a stranger', () => {
    let deposits = 0;
    const said = complaintWith(Ledger.prototype, 'deposit', (right) => {
      return function (this: Ledger, account, currency, amount) {
        right.call(this, account, currency, amount);
        if (++deposits % 20 !== 0) return;
        this.insurance[currency] -= 1n;
        account.addToTotal(currency, 1);
      };
    });
    assert.match(said, /the fund fell by 0.00000001|a deficit of 0.00000001 arose/);
  });
});
