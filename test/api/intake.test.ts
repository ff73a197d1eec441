/** What the gateway reads of its connections: so many requests of each, in turns over all of them. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { IN_HAND } from '../../src/api/gateway/intake.ts';
import { Turns } from '../../src/api/gateway/turns.ts';
import type { Call } from '../../src/api/shared/surface.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { type StandIn, standIn } from '../support/gateway.ts';
import { RawConnection, requestText } from '../support/raw-http.ts';
import { credentialHeaders, type TestKey } from '../support/signing.ts';

const TIME = '/spot/api/v4/time';
const ORDER = '/spot/api/v4/order';
const loopTurn = () => new Promise((resolve) => setImmediate(resolve));

interface HeldOptions {
  readonly mostInHand?: number;
  readonly answerAll?: boolean;
  readonly turnsComeAlone?: boolean;
  readonly plainRequests?: boolean;
  /** How much longer answers are than a name. */
  readonly padding?: number;
}

/** A gateway whose handlers answer when the test says so, and whose turns over connections come when the test says so. */
class Held {
  readonly handled: string[] = [];
  /** By the request's name. */
  readonly answers = new Map<string, () => void>();
  readonly venue: StandIn;
  readonly #acts: (() => void)[];

  private constructor(venue: StandIn, acts: (() => void)[]) {
    this.venue = venue;
    this.#acts = acts;
  }

  static async start(options: HeldOptions = {}) {
    const acts: (() => void)[] = [];
    const { mostInHand, answerAll = false, turnsComeAlone = false, padding = 0, plainRequests } = options;
    const nextTurn = () => new Promise<void>((resolve) => void acts.push(resolve));
    const world = turnsComeAlone ? realWorld : { ...realWorld, nextTurn };
    const venue = await standIn({
      mostInHand,
      plainRequests,
      world,
      handle: (call) => held.#handle(call, answerAll, padding),
    });
    const held: Held = new Held(venue, acts);
    open.push(held);
    return held;
  }

  #handle({ query, body }: Call, answered: boolean, padding: number): unknown {
    const name = query.n ?? String(body.n);
    this.handled.push(name);
    if (padding > 0) return { n: name, padding: ' '.repeat(padding) };
    if (answered) return { n: name };
    return new Promise((resolve) => this.answers.set(name, () => resolve({ n: name })));
  }

  connect(): RawConnection {
    const connection = new RawConnection(this.venue.url);
    connection.socket.setNoDelay(true);
    return connection;
  }

  connections(): Promise<number> {
    const { server } = this.venue.gateway;
    return promisify(server.getConnections.bind(server))();
  }

  async untilHandled(count: number): Promise<void> {
    while (this.handled.length < count) await loopTurn();
  }

  /** One turn of the event loop, as the connections see it; false: nobody waits. */
  async turn(): Promise<boolean> {
    const acts = this.#acts.splice(0);
    for (const act of acts) act();
    await loopTurn();
    return acts.length > 0;
  }

  async turnsUntilNobodyWaits(): Promise<void> {
    while (await this.turn());
  }
}

const open: Held[] = [];
after(async () => {
  for (const { venue } of open) {
    await venue.gateway.close(0);
    assert.deepEqual(venue.bugs, []);
  }
});

const get = (name: string) => requestText('GET', `${TIME}?n=${name}`, {});
const names = (prefix: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${prefix}${from + i}`);

describe('of one connection', () => {
  test('the 17th pipelined request is not read before an answer is out', async () => {
    const held = await Held.start();
    const connection = held.connect();
    connection.send(Buffer.concat(names('a', 1, 40).map(get)));
    await held.untilHandled(1);
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled, names('a', 1, IN_HAND));

    held.answers.get('a1')?.();
    assert.deepEqual((await connection.answer())?.body, { n: 'a1' });
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled, names('a', 1, IN_HAND + 1));
    connection.socket.destroy();
  });

  test('an answer that waits for an earlier one is not out', async () => {
    const held = await Held.start();
    const connection = held.connect();
    connection.send(Buffer.concat(names('a', 1, 40).map(get)));
    await held.untilHandled(1);
    await held.turnsUntilNobodyWaits();
    for (const name of names('a', 2, IN_HAND)) held.answers.get(name)?.();
    await loopTurn();
    await held.turnsUntilNobodyWaits();
    assert.equal(held.handled.length, IN_HAND);

    held.answers.get('a1')?.();
    for (const name of names('a', 1, IN_HAND)) assert.deepEqual((await connection.answer())?.body, { n: name });
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled, names('a', 1, 2 * IN_HAND));
    connection.socket.destroy();
  });

  for (const answerAll of [false, true]) {
    const which = answerAll ? 'requests that are answered at once' : 'them';
    test(`what is sent behind ${which} stays in the socket: 64 MB do not become memory of the venue`, async () => {
      const held = await Held.start({ answerAll });
      const connection = held.connect();
      const chunk = Buffer.concat(names('a', 1, 400).map(get));
      let sent = 0;
      while (sent < 64 * 1024 * 1024 && connection.socket.writableLength < 1024 * 1024) {
        connection.send(chunk);
        sent += chunk.length;
        await held.turn();
        await loopTurn();
      }
      assert.ok(connection.socket.writableLength >= 1024 * 1024, `the venue has read ${sent} bytes`);
      if (!answerAll) assert.equal(held.handled.length, IN_HAND);
      connection.socket.destroy();
    });
  }

  test('a client that closes its half behind 40 requests gets 40 answers', async () => {
    const held = await Held.start({ answerAll: true, turnsComeAlone: true });
    const connection = held.connect();
    connection.send(Buffer.concat(names('a', 1, 40).map(get)));
    connection.socket.end();
    for (const name of names('a', 1, 40)) assert.deepEqual((await connection.answer())?.body, { n: name });
    await connection.closed();
  });

  test('a client that reads nothing for a while gets all answers in the end', async () => {
    const held = await Held.start({ padding: 4000, turnsComeAlone: true });
    const connection = held.connect();
    connection.socket.pause();
    const count = 5000;
    for (let i = 0; i < count; i += 1000) connection.send(Buffer.concat(names('a', i + 1, i + 1000).map(get)));
    let before = -1;
    for (let quiet = 0; quiet < 50; quiet += 1) {
      if (held.handled.length !== before) quiet = 0;
      before = held.handled.length;
      await loopTurn();
    }
    assert.ok(before < count, 'its answers were kept');
    connection.socket.resume();
    for (let i = 1; i <= count; i += 1) assert.equal((await connection.answer())?.body.n, `a${i}`);
    connection.socket.destroy();
  });
});

describe('however the bytes are cut into packets', () => {
  /** Requests of every form: without a body, with one that looks like the end of a head, in chunks, behind blank lines. */
  function mixed(key: TestKey, count: number): { bytes: Buffer; names: string[] } {
    const parts: Buffer[] = [];
    const all = names('m', 1, count);
    all.forEach((name, i) => {
      const body = `{"n":"${name}"${' \r\n\r\n'.repeat(i % 5)}}`;
      const headers = { ...credentialHeaders(key, ORDER, body), 'content-type': 'application/json' };
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      parts.push(
        [
          () => get(name),
          () => requestText('POST', ORDER, headers, body),
          () => requestText('POST', ORDER, { ...headers, 'transfer-encoding': 'chunked' }, chunks),
          () => Buffer.concat([Buffer.from('\r\n\r\n'), get(name)]),
        ][i % 4](),
      );
    });
    return { bytes: Buffer.concat(parts), names: all };
  }

  for (const size of [1, 2, 3, 5, 17, 100, 1000]) {
    test(`into packets of ${size} bytes, at most 16 are in hand, and each is answered in its place`, async () => {
      // Plain requests and others are never in hand together.
      const held = await Held.start({ turnsComeAlone: true, plainRequests: false });
      const connection = held.connect();
      const { bytes, names: all } = mixed(held.venue.addKey(), 50);
      let out = 0;
      const answers = (async () => {
        for (const name of all) {
          assert.deepEqual((await connection.answer())?.body, { n: name });
          out += 1;
        }
      })();
      const sending = (async () => {
        for (let at = 0; at < bytes.length; at += size) {
          connection.send(bytes.subarray(at, at + size));
          if (at % 64 === 0) await loopTurn();
        }
      })();
      while (out < all.length) {
        const due = all[out];
        // Answers go out when as many are in hand as there may be, or all have come.
        const most = Math.min(out + IN_HAND, all.length);
        await held.untilHandled(most);
        for (let i = 0; i < 3; i += 1) await loopTurn();
        assert.equal(held.handled.length, most);
        const before = out;
        held.answers.get(due)?.();
        while (out === before) await loopTurn();
      }
      await Promise.all([answers, sending]);
      assert.deepEqual(held.handled.toSorted(), all.toSorted());
      connection.socket.destroy();
    });
  }
});

describe('over connections', () => {
  test('those that have sent more than one request take turns', async () => {
    const held = await Held.start({ answerAll: true });
    const connections: RawConnection[] = [];
    for (const prefix of ['a', 'b', 'c']) {
      const connection = held.connect();
      connections.push(connection);
      connection.send(Buffer.concat(names(prefix, 1, prefix === 'b' ? 2 : 4).map(get)));
      await held.untilHandled(connections.length);
    }
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'c3', 'a4', 'c4']);
    for (const { socket } of connections) socket.destroy();
  });

  test('a client with one request does not wait for those with many', async () => {
    const held = await Held.start({ answerAll: true });
    const many = held.connect();
    many.send(Buffer.concat(names('a', 1, 1000).map(get)));
    await held.untilHandled(1);
    for (let i = 1; i <= 5; i += 1) {
      const one = held.connect();
      one.send(get(`b${i}`));
      assert.deepEqual((await one.answer())?.body, { n: `b${i}` });
      one.socket.destroy();
    }
    assert.deepEqual(held.handled, ['a1', ...names('b', 1, 5)]);
    many.socket.destroy();
  });

  test('while 7 MB of requests come on one connection, another client has its orders answered in between', async () => {
    const held = await Held.start({ answerAll: true, turnsComeAlone: true });
    const key = held.venue.addKey();
    const many = held.connect();
    many.socket.resume();
    const count = Math.ceil((7 * 1024 * 1024) / get('a1').length);
    many.send(Buffer.concat(Array.from({ length: count }, () => get('a'))));
    await held.untilHandled(100);
    const one = held.connect();
    const before = held.handled.length;
    for (let i = 1; i <= 10; i += 1) {
      const body = `{"n":"b${i}"}`;
      const headers = { ...credentialHeaders(key, ORDER, body), 'content-type': 'application/json' };
      one.send(requestText('POST', ORDER, headers, body));
      assert.deepEqual((await one.answer())?.body, { n: `b${i}` });
    }
    // Each order takes a few turns of the event loop, and each turn has few of the others.
    assert.ok(held.handled.length - before < 1000, `${held.handled.length - before} came before`);
    assert.ok(held.handled.length < count);
    for (const { socket } of [one, many]) socket.destroy();
  });

  test('where as many are in hand as there may be over all, each connection may still have one', async () => {
    const held = await Held.start({ mostInHand: 5 });
    const first = held.connect();
    first.send(Buffer.concat(names('a', 1, 9).map(get)));
    await held.untilHandled(1);
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled, names('a', 1, 5));

    const second = held.connect();
    second.send(Buffer.concat(names('b', 1, 9).map(get)));
    await held.untilHandled(6);
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled.slice(5), ['b1']);

    held.answers.get('b1')?.();
    assert.deepEqual((await second.answer())?.body, { n: 'b1' });
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled.slice(5), ['b1', 'b2']);

    first.socket.resetAndDestroy();
    while ((await held.connections()) > 1) await loopTurn();
    held.answers.get('b2')?.();
    assert.deepEqual((await second.answer())?.body, { n: 'b2' });
    await held.turnsUntilNobodyWaits();
    assert.deepEqual(held.handled.slice(5), names('b', 1, 7), 'what was in hand of the other one counts no more');
    second.socket.destroy();
  });
});

test('connections are served for so long in one turn of the event loop, the others in the next, in the order of their coming', async () => {
  const acts: (() => void)[] = [];
  const clock = { ms: 0 };
  const world = {
    monotonicMs: () => clock.ms,
    nextTurn: () => new Promise<void>((resolve) => void acts.push(resolve)),
  };
  const turns = new Turns(5, world);
  const served: number[] = [];
  const waiters = Array.from({ length: 12 }, (_, i) => {
    const waiter = {
      turn() {
        served.push(i);
        // The third takes longer than all have together.
        clock.ms += i === 2 ? 10 : 1;
        if (served.length <= 12) turns.join(waiter);
      },
    };
    return waiter;
  });
  for (const waiter of waiters) turns.join(waiter);
  const lengths: number[] = [];
  while (acts.length > 0) {
    acts.shift()?.();
    await loopTurn();
    lengths.push(served.length);
  }
  assert.deepEqual(lengths, [3, 8, 13, 15, 20, 24]);
  const once = waiters.map((_, i) => i);
  assert.deepEqual(served, [...once, ...once]);
});
