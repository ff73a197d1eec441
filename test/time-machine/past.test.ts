/** Who waits for an answer about the past: newer questions, other clients, closed connections, a full queue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AtQuery } from '../../src/api/control/past.ts';
import { ApiError } from '../../src/api/shared/errors.ts';
import type { EngineListener } from '../../src/engine/listeners.ts';
import { NoSuchMoment } from '../../src/time-machine/history.ts';
import { type Answers, PastOfVenue } from '../../src/time-machine/past.ts';
import { NotWanted, type Question } from '../../src/time-machine/time-machine.ts';

const KEPT = new AbortController().signal;

/** Questions that wait until the test answers them. */
class Held implements Answers {
  readonly asked: { question: Question; answer: (reply: object) => void; fail: (error: Error) => void }[] = [];

  ask(question: Question, gone: AbortSignal): Promise<object> {
    return new Promise((answer, fail) => {
      const drop = () => fail(new NotWanted('dropped'));
      if (gone.aborted) drop();
      gone.addEventListener('abort', drop);
      this.asked.push({ question, answer, fail });
    });
  }

  async close(): Promise<void> {}
}

function pastOf(answers: Answers, venue = { seq: 100 }) {
  let listener: EngineListener = {};
  const engine = {
    venue,
    listen: (heard: EngineListener) => {
      listener = heard;
      return () => {};
    },
  };
  const past = new PastOfVenue(engine as never, answers);
  return { past, applied: (seq: number) => listener.batchApplied?.(seq) };
}

function query(seq: number): AtQuery {
  return { seq, show: null, account: null, symbol: null, limit: 1 };
}

const outcome = (answer: Promise<object>): Promise<unknown> =>
  answer.catch((error: unknown) => (error instanceof ApiError ? error.reason : error));

test('a newer question about another seq replaces the older one of the client, and no other', async () => {
  const held = new Held();
  const { past } = pastOf(held);
  const [one, other] = ['one', 'other'].map((client) => ({ client, gone: KEPT }));
  const old = outcome(past.at(query(5), one));
  const ofOther = outcome(past.at(query(5), other));
  const summary = outcome(past.summary({ from: null, to: null, buckets: 1, account: null }, one));
  const same = outcome(past.command({ seq: 6, first: 0, limit: 1 }, one));
  const newer = outcome(past.at(query(6), one));
  assert.equal(await old, 'superseded');
  await new Promise(setImmediate);
  for (const { question, answer } of held.asked) answer({ is: question.type });
  assert.deepEqual(await Promise.all([ofOther, summary, same, newer]), [
    { is: 'at' },
    { is: 'summary' },
    { is: 'command' },
    { is: 'at' },
  ]);
});

test('a closed connection ends its question, and leaves others of the client', async () => {
  const held = new Held();
  const { past } = pastOf(held);
  const gone = new AbortController();
  const left = outcome(past.at(query(5), { client: 'one', gone: gone.signal }));
  const stays = outcome(past.at(query(5), { client: 'one', gone: KEPT }));
  await new Promise(setImmediate);
  gone.abort();
  assert.equal(await left, 'busy');
  for (const { answer } of held.asked) answer({});
  assert.deepEqual(await stays, {});
});

test('at most 32 questions wait', async () => {
  const held = new Held();
  const { past } = pastOf(held);
  const waiting = Array.from({ length: 32 }, (_, i) => outcome(past.at(query(1), { client: `${i}`, gone: KEPT })));
  assert.equal(await outcome(past.at(query(1), { client: 'late', gone: KEPT })), 'busy');
  await new Promise(setImmediate);
  for (const { answer } of held.asked) answer({});
  assert.equal((await Promise.all(waiting)).length, 32);
  const next = past.at(query(1), { client: 'late', gone: KEPT });
  await new Promise(setImmediate);
  held.asked.at(-1)?.answer({ now: true });
  assert.deepEqual(await next, { now: true });
});

test('a question during a batch waits until the log has all that it says of the batch', async () => {
  const held = new Held();
  const venue = { seq: 100 };
  const { past, applied } = pastOf(held, venue);
  venue.seq = 103;
  const answer = past.at(query(102), { client: 'one', gone: KEPT });
  await new Promise(setImmediate);
  assert.equal(held.asked.length, 0);
  venue.seq = 105;
  applied(105);
  await new Promise(setImmediate);
  assert.equal(held.asked[0].question.endSeq, 105);
  held.asked[0].answer({});
  await answer;
});

test('what the log cannot give is an error of the request, and all else is one of the venue', async () => {
  const held = new Held();
  const { past } = pastOf(held);
  const asker = { client: 'one', gone: KEPT };
  const unknown = past.at(query(5), asker);
  await new Promise(setImmediate);
  held.asked[0].fail(new NoSuchMoment('it was moved'));
  await assert.rejects(unknown, ({ reason, params }: ApiError) => {
    assert.deepEqual([reason, params], ['pastUnavailable', { what: 'the state at seq 5', problem: 'it was moved' }]);
    return true;
  });
  const broken = past.at(query(6), asker);
  await new Promise(setImmediate);
  held.asked[1].fail(new TypeError('a bug'));
  await assert.rejects(broken, TypeError);
});
