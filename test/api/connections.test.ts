/** Connections at a listener: so many in all, so many from an address, never more than the process may open. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import { planConnections } from '../../src/api/gateway/connections.ts';
import { openFiles, openFilesLimit } from '../../src/api/gateway/descriptors.ts';
import { type StandIn, standIn } from '../support/gateway.ts';
import { RawConnection, requestText } from '../support/raw-http.ts';

const UNSET = { maxConnections: null, maxConnectionsPerAddress: null };
const TIME = requestText('GET', '/spot/api/v4/time', {});

describe('what a process may open is shared out', () => {
  const plan = (
    limit: number,
    open: number,
    settings: Partial<typeof UNSET | Record<keyof typeof UNSET, number>> = {},
  ) => planConnections(limit, open, { ...UNSET, ...settings });

  test('less what is open and 48 for files: a quarter to the control surface, a quarter of each to one address', () => {
    const left = 256 - 30 - 48;
    const control = Math.floor(left / 4);
    assert.deepEqual(plan(256, 30), {
      gateway: { total: left - control, perAddress: Math.ceil((left - control) / 4) },
      control: { total: control, perAddress: Math.ceil(control / 4) },
    });
  });

  test('never more than 10,000 and 1,000, though the process may open any number', () => {
    const most = { gateway: { total: 10_000, perAddress: 2500 }, control: { total: 1000, perAddress: 250 } };
    assert.deepEqual(plan(Number.POSITIVE_INFINITY, 30), most);
    assert.deepEqual(plan(1_000_000, 30), most);
  });

  test('settings lower the bounds, and raise them as far as the process allows', () => {
    const some = plan(20_000, 30, { maxConnections: 100, maxConnectionsPerAddress: 60 });
    assert.deepEqual(some?.gateway, { total: 100, perAddress: 60 });
    assert.equal(some?.control.perAddress, 60);
    assert.equal(plan(100_000, 30, { maxConnections: 50_000 })?.gateway.total, 50_000);
    const most = plan(256, 30, { maxConnections: 50_000, maxConnectionsPerAddress: 50_000 });
    assert.equal((most?.gateway.total ?? 0) + (most?.control.total ?? 0), 256 - 30 - 48);
    assert.equal(most?.gateway.perAddress, most?.gateway.total);
  });

  test('a limit that leaves less than 16 is refused at the start', () => {
    assert.equal(plan(30 + 48 + 15, 30), null);
    assert.ok(plan(30 + 48 + 16, 30) !== null);
  });

  test('the limit and what is open are those of this process', () => {
    assert.ok(openFilesLimit() > openFiles());
    assert.ok(openFiles() >= 3);
  });
});

describe('at a listener', () => {
  const open: StandIn[] = [];
  after(() => Promise.all(open.map((venue) => venue.close())));

  async function listener(total: number, perAddress: number, trustedProxies: string[] = []) {
    let refused = 0;
    const venue = await standIn({
      connections: { total, perAddress },
      trustedProxies,
      onConnectionRefused: () => {
        refused += 1;
      },
    });
    open.push(venue);
    return { url: venue.url, refused: () => refused };
  }

  /** A connection that was served a request: it is held from then on. Null where it was closed instead. */
  async function served(url: string, localAddress = '127.0.0.1'): Promise<RawConnection | null> {
    const connection = new RawConnection(url, { localAddress });
    connection.send(TIME);
    const answer = await connection.answer();
    return answer?.status === 200 ? connection : null;
  }

  test('one more than the total is closed, from whatever address, and let in once another has gone', async () => {
    const { url, refused } = await listener(3, 3);
    const held = [await served(url), await served(url, '127.0.0.2'), await served(url, '127.0.0.3')];
    assert.ok(held.every((connection) => connection !== null));
    assert.equal(await served(url, '127.0.0.4'), null);
    assert.equal(refused(), 1);
    held[0]?.socket.destroy();
    let again: RawConnection | null = null;
    while (again === null) again = await served(url, '127.0.0.4');
    for (const connection of [...held, again]) connection?.socket.destroy();
  });

  test('one more from an address is closed, others are let in', async () => {
    const { url, refused } = await listener(100, 2);
    const held = [await served(url), await served(url)];
    assert.ok(held.every((connection) => connection !== null));
    assert.equal(await served(url), null);
    assert.equal(await served(url), null);
    assert.equal(refused(), 2);
    const other = await served(url, '127.0.0.2');
    assert.ok(other !== null);
    for (const connection of [...held, other]) connection?.socket.destroy();
  });

  test('a connection that was closed counts no more', async () => {
    const { url, refused } = await listener(100, 1);
    for (let i = 0; i < 20; i++) {
      const connection = await served(url);
      assert.ok(connection !== null, `the connection ${i}`);
      connection.socket.end();
      await once(connection.socket, 'close');
    }
    assert.equal(refused(), 0);
  });

  test('a trusted proxy has no bound of its own, but that of the listener', async () => {
    const { url } = await listener(6, 1, ['127.0.0.1']);
    const held = await Promise.all(Array.from({ length: 6 }, () => served(url)));
    assert.ok(held.every((connection) => connection !== null));
    assert.equal(await served(url), null);
    for (const connection of held) connection?.socket.destroy();
  });
});
