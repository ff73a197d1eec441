/** The set of what comes and goes often has exactly its members, in some order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Placed, Unordered } from '../../src/api/gateway/unordered.ts';

interface Member extends Placed {
  readonly id: number;
}

test('a set has the members that were added and not deleted, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), (ids) => {
      const members: Member[] = Array.from({ length: 21 }, (_, id) => ({ id, place: -1 }));
      const set = new Unordered<Member>();
      const expected = new Set<number>();
      for (const id of ids) {
        const wasMember = expected.delete(id);
        assert.equal(set.delete(members[id]), wasMember);
        if (!wasMember) {
          expected.add(id);
          set.add(members[id]);
        }
        assert.equal(set.size, expected.size);
        assert.deepEqual(Array.from(set, (member) => member.id).sort(), [...expected].sort());
      }
    }),
  );
});

test('deleting what is no member changes nothing, even if its place is that of a member', () => {
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
