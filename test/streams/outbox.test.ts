/** What a connection gets at once goes to the system at once. */
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { Outbox } from '../../src/api/streams/outbox.ts';
import { realWorld } from '../../src/engine/contract/world.ts';

/** A socket that keeps what each call of the system writes. */
function socket() {
  const calls: string[] = [];
  const duplex = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      calls.push(String(chunk));
      done();
    },
    writev(chunks, done) {
      calls.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  return { duplex, calls };
}

const put = (outbox: Outbox, { duplex }: { duplex: Duplex }, text: string) => outbox.put(duplex, Buffer.from(text));

test('frames of several sockets are written with one call each, in their order', () => {
  const [outbox, one, other] = [new Outbox(), socket(), socket()];
  for (const text of ['a', 'b', 'c']) put(outbox, one, text);
  put(outbox, other, 'd');
  assert.deepEqual([one.calls, other.calls], [[], []]);
  outbox.flush();
  assert.deepEqual([one.calls, other.calls], [['abc'], ['d']]);
  outbox.flush();
  put(outbox, one, 'e');
  outbox.flush();
  assert.deepEqual(one.calls, ['abc', 'e']);
});

test('what nobody writes is written at the end of the turn, in the order in which others wrote to the socket', async () => {
  const [outbox, one] = [new Outbox(), socket()];
  put(outbox, one, 'a');
  one.duplex.write('ping');
  put(outbox, one, 'b');
  assert.deepEqual(one.calls, []);
  await realWorld.nextTurn();
  assert.deepEqual(one.calls, ['apingb']);
});

test('a socket that ended in between does no harm', async () => {
  const [outbox, one, other] = [new Outbox(), socket(), socket()];
  put(outbox, one, 'a');
  put(outbox, other, 'b');
  one.duplex.destroy();
  await realWorld.nextTurn();
  assert.deepEqual(other.calls, ['b']);
});
