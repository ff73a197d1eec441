/** No account keeps the archive from another's questions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairTurns } from '../../src/archive/thread/fair-turns.ts';
import type { AnyQuestion } from '../../src/archive/thread/messages.ts';

/** A question of an account, or of nobody ('-'). */
function question(account: string, seq = 1): AnyQuestion {
  const query = account === '-' ? undefined : { account };
  return { id: 0, untilMs: 0, seq, type: 'trades', query } as unknown as AnyQuestion;
}

/** Whose questions are answered, in order. */
function answered(turns: FairTurns, waiting: AnyQuestion[], reached = 1): string {
  let order = '';
  for (;;) {
    const next = turns.next(waiting, ({ seq }) => seq <= reached);
    if (next === undefined) return order;
    waiting.splice(waiting.indexOf(next), 1);
    order += (next as { query?: { account: string } }).query?.account ?? '-';
  }
}

test('accounts take turns, whoever has more questions, and nobody’s questions are one more account', () => {
  const waiting = [...'aaaaa-b--cb'].map((account) => question(account));
  assert.equal(answered(new FairTurns(), waiting), 'a-bca-ba-aa');
});

test('an account that was just answered waits for the others that come later', () => {
  const turns = new FairTurns();
  const flood = [...'aaa'].map((account) => question(account));
  flood.splice(flood.indexOf(turns.next(flood, () => true)!), 1);
  assert.equal(answered(turns, [...flood, question('b')]), 'baa');
});

test('questions that are not ready keep their turn', () => {
  const turns = new FairTurns();
  const waiting = [question('a', 2), question('b'), question('b')];
  assert.equal(answered(turns, waiting), 'bb');
  assert.equal(answered(turns, [...waiting, question('b')], 2), 'ab');
});
