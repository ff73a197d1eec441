/** The set of what comes and goes often has exactly its members, in some order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Placed, Unordered } from '../../src/api/gateway/unordered.ts';

interface Member extends Placed {
  readonly id: number;
}

test('it has the members that were added and not deleted, whatever the order of both', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), (ids) => {
      const members: Member[] = Array.from({ length: 21 }, (_, id) => ({ id, place: -1 }));
      const set = new Unordered<Member>();
      const expected = new Set<number>();
      for (const id of ids) {
        // Each id comes and goes in turn.
        assert.equal(set.delete(members[id]), expected.delete(id) || !expected.add(id));
        if (expected.has(id)) set.add(members[id]);
        assert.equal(set.size, expected.size);
        assert.deepEqual(Array.from(set, (member) => member.id).sort(), [...expected].sort());
      }
    }),
  );
});

test('who is no member cannot be deleted, also at the place of another', () => {
  const set = new Unordered<Member>();
  const member = { id: 1, place: -1 };
  set.add(member);
  assert.equal(set.delete({ id: 2, place: 0 }), false);
  assert.equal(set.delete({ id: 2, place: -1 }), false);
  assert.deepEqual([...set], [member]);
  assert.equal(set.delete(member), true);
  assert.equal(set.delete(member), false);
  assert.equal(set.size, 0);
});
