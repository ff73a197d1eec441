/** The address of a log in a database: what is taken, and that no message repeats a password. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress } from '../../src/log/postgres/address.ts';

test('the parts of an address, of one host or several', () => {
  const of = (text: string) => readAddress(text).where;
  assert.equal(of('postgres://u:secret@db/bourse'), 'postgres://u@db/bourse');
  assert.equal(of('postgresql://db:5433/bourse?sslmode=require'), 'postgres://db:5433/bourse');
  assert.equal(of('postgres://u:p%2Fx%40y@a:1,b_2.example:2/bourse'), 'postgres://u@a:1,b_2.example:2/bourse');
  assert.equal(of('postgres://u@[::1]:5432/bourse'), 'postgres://u@[::1]:5432/bourse');
  assert.equal(readAddress('postgres://u@a,b/d').connections.length, 2);
});

test('a password with a character that must be percent-encoded is refused, and not repeated', () => {
  for (const password of ['sec/ret', '1234/ret', 'sec@ret', 'sec?ret', 'sec#ret', '/ret', 'sec/ret@x:5/y']) {
    assert.throws(
      () => readAddress(`postgres://user:${password}@db:5432/bourse`),
      (error: Error) =>
        error instanceof RangeError && !error.message.includes('ret') && !error.message.includes('1234'),
      password,
    );
  }
});
