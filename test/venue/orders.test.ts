/** An order's object is used again for another one: everything of it has to be taken over, or made blank. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Order } from '../../src/venue/state/order.ts';

test('an order takes over every field of another one but its slot, and what its algo keeps is a copy', () => {
  const from = new Order(1) as Order & Record<string, unknown>;
  const to = new Order(2) as Order & Record<string, unknown>;
  const fields = Object.keys(from).filter((name) => name !== 'slot');
  assert.ok(fields.length > 45, `${fields.length}`);
  for (const name of fields) from[name] = { of: name };
  to.assign(from);
  for (const name of fields) assert.deepEqual(to[name], { of: name }, name);
  assert.notEqual(to.algoState, from.algoState);
  assert.notEqual(to.trigger, from.trigger);
  assert.equal(to.slot, 2);
});
