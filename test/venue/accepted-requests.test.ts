/** Requests that were accepted are forgotten oldest first, also those that were accepted again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AcceptedRequests } from '../../src/venue/state/accepted-requests.ts';

const step = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 30 }).map((id) => `request ${id}`) },
  { weight: 2, arbitrary: fc.constant('forget the oldest' as const) },
  { weight: 1, arbitrary: fc.constant('look at the oldest' as const) },
);

test('the oldest is the one that was accepted first, of those that were not forgotten or accepted again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const requests = new AcceptedRequests();
      const expected: [id: string, request: { key: number; atMs: number }][] = [];
      steps.forEach((what, atMs) => {
        if (what === 'forget the oldest') {
          requests.forgetOldest();
          expected.shift();
        } else if (what === 'look at the oldest') assert.deepEqual(requests.oldest(), expected[0]);
        else {
          const request = { key: atMs, atMs };
          const again = expected.findIndex(([id]) => id === what);
          if (again >= 0) expected.splice(again, 1);
          requests.add(what, request);
          expected.push([what, request]);
          assert.equal(requests.get(what), request);
        }
        assert.deepEqual([...requests], expected);
        assert.equal(requests.size, expected.length);
      });
      assert.deepEqual(requests.oldest(), expected[0]);
    }),
  );
});
