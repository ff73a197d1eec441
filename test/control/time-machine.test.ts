/** The time machine: the state at any seq of the log, what a command set off, and the log from afar. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ControlClient } from '../../src/client/control.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { replay } from '../../src/engine/replay/inspect.ts';
import { stateHash } from '../../src/engine/replay/log-replayer.ts';
import { type RunningVenue, type StartOptions, start } from '../../src/start.ts';
import { STARTED_BY_TEST } from '../support/started.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-past-'));
after(() => fs.rmSync(root, { recursive: true }));

const ACCOUNTS = ['alice', 'bob'].map((name) => ({ name, balances: { USDT: 1_000_000, BTC: 100 } }));
const FUTURES = ['carol', 'dave'].map((name) => ({ name, balances: { USDT: 10_000 } }));

interface Past {
  readonly running: RunningVenue;
  /** A GET of the control surface. */
  // biome-ignore lint/suspicious/noExplicitAny: replies are what the tests judge
  get(path: string): Promise<any>;
  /** The same, refused: its status and error. */
  refused(path: string): Promise<{ readonly status: number; readonly reason: string; readonly message: string }>;
  /** Another call. Returns its reply. */
  // biome-ignore lint/suspicious/noExplicitAny: the same
  post(path: string, body?: unknown): Promise<any>;
  /** Places a limit order in BTC-USDT, in ticks and lots. Returns its seq. */
  place(account: number, side: 0 | 1, price: number, size: number): Promise<number>;
}

async function withPast(
  data: string | null,
  act: (past: Past) => Promise<void>,
  more: Partial<StartOptions> = {},
): Promise<void> {
  const running = await start({
    ...STARTED_BY_TEST,
    configuration: readConfiguration({ accounts: [...ACCOUNTS, ...FUTURES] }),
    data,
    masterKeys: ['1'.repeat(64)],
    segmentBytes: 1 << 20,
    clock: 'manual',
    seed: 1,
    ...more,
  });
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${running.control}/control/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${running.controlToken}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const ok = async (method: string, path: string, body?: unknown) => {
    const reply = await call(method, path, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const place = async (account: number, side: 0 | 1, price: number, size: number) => {
    const terms = { kind: 'limit', timeInForce: 'GTC', postOnly: false, reduceOnly: false } as const;
    const of = { account, market: 0, side, price, size, clientId: null, request: null, broker: null };
    const { seq, refusal } = await running.engine.submit({ v: 1, type: 'place', ...of, ...terms });
    assert.equal(refusal, null);
    return seq;
  };
  try {
    await act({
      running,
      get: (path) => ok('GET', path),
      refused: async (path) => {
        const { status, body } = await call('GET', path);
        return { status, ...body.error };
      },
      post: (path, body = {}) => ok('POST', path, body),
      place,
    });
  } finally {
    await running.stop();
  }
}

const PLACES = [
  ['in memory', () => null],
  ['in a data folder', (name: string) => join(root, name)],
] as const;

for (const [where, folderOf] of PLACES) {
  test(`${where}: the state at each seq is the one that was there, with its hash, in any order of the questions`, async () => {
    const folder = folderOf('every');
    const hashes: string[] = [];
    await withPast(folder, async ({ running, get, post, place }) => {
      const note = () => {
        hashes[running.engine.venue.seq] = stateHash(running.engine.venue);
      };
      note();
      await post('/prices', { symbol: 'BTC-USDT', index: 100_000 });
      note();
      for (let i = 0; i < 6; i += 1) {
        await place(i % 2, (i % 2) as 0 | 1, 1_000_000, 1000 + i);
        note();
      }
      await post('/clock', { advance: '1m' });
      note();
      for (const seq of [9, 1, 5, 3, 4, 8, 2, 9, 6, 7, 6]) {
        const found = await get(`/at/${seq}`);
        assert.deepEqual([found.seq, found.hash], [seq, hashes[seq]]);
      }
      assert.equal((await get('/at/9')).time - (await get('/at/8')).time, 60_000);
    });
    if (folder === null) return;
    for (const [seq, hash] of hashes.entries()) {
      if (seq > 0) assert.equal((await replay(folder, { seq })).hash, hash, `seq ${seq}`);
    }
  });

  test(`${where}: what a reset or a return to a snapshot has left is shown as such, and can be looked at`, async () => {
    await withPast(folderOf('left'), async ({ get, post, place }) => {
      await post('/prices', { symbol: 'BTC-USDT', index: 100_000 }); // 2
      await post('/snapshots/one'); // 3
      const order = await place(0, 0, 1_000_000, 1000); // 4
      await post('/snapshots/one/restore'); // 5
      await place(1, 0, 999_000, 10); // 6
      const reset = (await post('/reset')).seq as number; // 7
      const left = async (seq: number) => (await get(`/at/${seq}`)).left;
      assert.deepEqual(await left(order), { at: 5, by: 'restore' });
      assert.deepEqual(await left(2), { at: reset, by: 'reset' });
      assert.deepEqual(await left(6), { at: reset, by: 'reset' });
      assert.deepEqual([await left(1), await left(reset)], [null, null]);
      assert.equal((await get(`/at/${order}?show=orders`)).orders.length, 1);

      const summary = await get('/log/summary');
      assert.deepEqual(summary.left, [
        { from: 2, to: 3, at: reset, by: 'reset' },
        { from: 4, to: 4, at: 5, by: 'restore' },
        { from: 5, to: 6, at: reset, by: 'reset' },
      ]);
    });
  });
}

test('book, orders, positions, balances and account are those of then', async () => {
  await withPast(null, async ({ running, get, post, place }) => {
    await post('/prices', { symbol: 'BTC-USDT', index: 100_000 });
    const rested = await place(0, 0, 1_000_000, 1000);
    const filled = await place(1, 1, 1_000_000, 400);
    await running.engine.submit({ v: 1, type: 'cancelAll', account: 0, product: 'spot', market: null });

    const book = await get(`/at/${rested}?show=book&symbol=BTC-USDT`);
    assert.deepEqual([book.bids, book.asks, book.market.last], [[['100000', '0.01']], [], '100000']);
    const after = await get(`/at/${filled}?show=book&symbol=BTC-USDT`);
    assert.deepEqual(after.bids, [['100000', '0.006']]);
    const { orders } = await get(`/at/${filled}?show=orders&account=alice`);
    assert.deepEqual([orders.length, orders[0].state, orders[0].filled], [1, 'working', '0.004']);
    assert.deepEqual((await get(`/at/${filled}?show=orders&account=bob`)).orders, []);
    assert.deepEqual((await get(`/at/${filled + 1}?show=orders`)).orders, []);
    const { balances } = await get(`/at/${rested}?show=balances`);
    assert.deepEqual(Object.keys(balances), ['alice', 'bob', 'carol', 'dave']);
    assert.equal(balances.alice.USDT.reserved, '1000');
    const account = await get(`/at/${filled}?show=account&account=alice`);
    assert.deepEqual([account.balances.BTC.total, account.openOrders, account.orders.length], ['100.0039992', 1, 1]);
    assert.deepEqual((await get(`/at/${filled}?show=positions`)).positions, []);
    assert.deepEqual((await get(`/at/${filled}?show=balances&limit=1`)).more, true);
  });
});

test('a command is shown with what it set off, in order, and without secrets', async () => {
  await withPast(null, async ({ get, post, place, refused }) => {
    await post('/prices', { symbol: 'BTC-USDT', index: 100_000 });
    await place(0, 0, 1_000_000, 1000);
    const seq = await place(1, 1, 1_000_000, 400);
    const shown = await get(`/log/${seq}`);
    assert.deepEqual(
      [shown.seq, shown.command.type, shown.command.account, shown.command.price, shown.command.size],
      [seq, 'place', 'bob', '100000', '0.004'],
    );
    assert.deepEqual(
      shown.effects
        .filter(({ type }: { type: string }) => type !== 'cause')
        .map(({ type, account }: { type: string; account?: string }) => [type, account]),
      [
        ['accepted', 'bob'],
        ['traded', undefined],
        ['filled', 'alice'],
        ['ended', 'bob'],
      ],
    );
    assert.match(shown.sentence, /^bob places SELL 0\.004/);
    assert.deepEqual(
      shown.why.map(({ n, last, kind }: Record<string, unknown>) => [n, last, kind]),
      [
        [1, 1, 'order'],
        [2, 4, 'trade'],
      ],
    );
    const [{ price, size }] = shown.record.commands;
    assert.deepEqual([shown.record.record, price, size, shown.count], ['batch', 1_000_000, 400, 4]);
    const page = await get(`/log/${seq}?limit=3`);
    assert.deepEqual([page.effects.length, page.next], [3, '3']);
    assert.deepEqual((await get(`/log/${seq}?after=3`)).effects, shown.effects.slice(3));
    assert.equal((await refused(`/log/${seq}?after=x`)).status, 400);

    const { key } = await post('/accounts/alice/keys', { permissions: ['trading'] });
    const added = await get(`/log/${seq + 1}`);
    assert.equal(added.record.commands[0].key, key);
    const genesis = await get('/log/1');
    assert.doesNotMatch(JSON.stringify([added, genesis]), /sealed|idKey/);
  });
});

test('new terms of a market and a freeze are read from the log, from what to what', async () => {
  await withPast(null, async ({ running, get }) => {
    const control = new ControlClient({ url: running.control, token: running.controlToken });
    await control.changeMarket('BTC-PERP', { fees: { maker: '0.0002', taker: '0.0004' } });
    await control.changeAccount('alice', { frozen: 'cancelOnly' });
    const seq = running.engine.venue.seq;
    const [terms, freeze] = [await get(`/log/${seq - 1}`), await get(`/log/${seq}`)];
    assert.equal(terms.sentence, 'Terms of BTC-PERP are changed: taker fee 0.00055 → 0.0004');
    assert.deepEqual(terms.command.changes, [{ term: 'fees.taker', from: '0.00055', to: '0.0004' }]);
    assert.equal(freeze.sentence, 'alice is frozen: cancelOnly');
    assert.deepEqual(freeze.command.changes, [{ term: 'frozen', from: null, to: 'cancelOnly' }]);
  });
});

test('an order for an amount of the quote is named by that amount, and not by its smallest units', async () => {
  await withPast(null, async ({ running, get, post, place }) => {
    await post('/prices', { symbol: 'BTC-USDT', index: 100_000 });
    await place(1, 1, 1_000_000, 1000);
    const of = { account: 0, market: 0, side: 0, size: null, quote: '10000000000', clientId: null } as const;
    const terms = { kind: 'market', request: null, broker: null, reduceOnly: false } as const;
    const { seq, refusal } = await running.engine.submit({ v: 1, type: 'place', ...of, ...terms });
    assert.equal(refusal, null);
    const { sentence, command } = await get(`/log/${seq}`);
    assert.deepEqual([sentence, command.quote], ['alice places BUY BTC-USDT for 100 USDT, market', '100']);
  });
});

test('consecutive commands are listed, each in a sentence, and the client reads the past', async () => {
  await withPast(null, async ({ running, get, post, place, refused }) => {
    await post('/prices', { symbol: 'BTC-USDT', index: 100_000 });
    await place(0, 0, 1_000_000, 1000);
    await post('/reset');
    const { commands, endSeq } = await get('/log?from=2');
    assert.deepEqual(
      commands.map(({ seq, count, left }: Record<string, unknown>) => [seq, count, left]),
      [
        [2, 3, { at: 4, by: 'reset' }],
        [3, 2, { at: 4, by: 'reset' }],
        [4, 1, null],
      ],
    );
    assert.match(commands[1].sentence, /^alice places BUY 0\.01/);
    assert.equal(endSeq, 4);
    assert.deepEqual((await get('/log?from=1&limit=1')).commands.length, 1);
    assert.equal(
      (await refused('/log?from=5')).message,
      'the command at seq 5 is not available: the log has the seqs 1 to 4',
    );
    for (const query of ['', 'from=0', 'from=1&limit=101']) {
      assert.equal((await refused(`/log?${query}`)).reason, 'malformed', query);
    }
    const client = new ControlClient({ url: running.control, token: running.controlToken });
    const { hash, left, ...then } = await client.at(3, { show: 'book', symbol: 'BTC-USDT' });
    assert.deepEqual([hash.length, left, then.bids], [64, { at: 4, by: 'reset' }, [['100000', '0.01']]]);
    assert.equal((await client.command(4)).command?.type, 'reset');
  });
});

test('the summary counts commands by kind and marks remarkable ones', async () => {
  await withPast(null, async ({ running, get, post, place, refused }) => {
    await post('/prices', { symbol: 'BTC-USDT', index: 100_000 }); // 2
    await place(0, 0, 1_000_000, 1000); // 3
    await place(1, 1, 1_000_000, 400); // 4
    await place(1, 1, 1_000_000, 400); // 5
    await post('/snapshots/one'); // 6
    const marks = async (query: string) =>
      (await get(`/log/summary?${query}`)).marks.map(({ kind, seq, count }: Record<string, unknown>) => [
        kind,
        seq,
        count,
      ]);
    const whole = await get('/log/summary');
    assert.deepEqual([whole.from, whole.to, whole.knownTo, whole.buckets.length], [1, 6, 6, 6]);
    const two = await get('/log/summary?from=3&to=6&buckets=2&account=alice');
    assert.deepEqual(
      two.buckets.map(({ from, to, commands }: Record<string, unknown>) => [from, to, commands]),
      [
        [3, 4, { place: 2 }],
        [5, 6, { place: 1, saveSnapshot: 1 }],
      ],
    );
    assert.deepEqual(await marks('buckets=1&account=bob'), [
      ['prices', 2, 1],
      ['fill', 4, 2],
      ['snapshot', 6, 1],
    ]);
    assert.deepEqual(await marks('from=3&to=5&account=alice'), [
      ['fill', 4, 1],
      ['fill', 5, 1],
    ]);
    assert.deepEqual(await marks('from=3&to=5&account=carol'), []);
    await post('/faults', { status: 503 });
    await fetch(`${running.http}/spot/api/v3.3/time`);
    assert.deepEqual(await marks('from=6'), [
      ['snapshot', 6, 1],
      ['fault', 6, 1],
    ]);
    assert.equal((await refused('/log/summary?account=nobody')).reason, 'unknownAccount');
    const { message } = await refused('/at/5?show=x');
    assert.equal(message, 'show must be one of book, orders, positions, balances, account, not "x"');
    for (const query of ['from=0', 'from=5&to=3', 'buckets=0', 'buckets=1001', 'other=1']) {
      assert.equal((await refused(`/log/summary?${query}`)).reason, 'malformed', query);
    }
  });
});

test('a price that liquidates an account and fires three stops is explained in order, and marked', async () => {
  await withPast(null, async ({ running, get, post }) => {
    const market = running.engine.venue.marketBySymbol('BTC-PERP')?.index as number;
    const place = async (account: number, more: object) => {
      const of = { account, market, clientId: null, request: null, broker: null };
      const terms = { timeInForce: 'GTC', postOnly: false, reduceOnly: false };
      const { refusal } = await running.engine.submit({ v: 1, type: 'place', ...of, ...terms, ...more } as never);
      assert.equal(refusal, null);
    };
    const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => {
      return running.engine.venue.accountByName(name)?.index as number;
    });
    await post('/accounts/carol/deposits', { currency: 'USDT', amount: '-8000' });
    await post('/prices', { symbol: 'BTC-PERP', index: 100_000, mark: 100_000, last: 100_000 });
    await place(alice, { kind: 'limit', side: 1, price: 1_000_000, size: 100_000 });
    await place(carol, { kind: 'limit', side: 0, price: 1_000_000, size: 100_000 });
    await place(alice, { kind: 'limit', side: 0, price: 990_000, size: 300_000 });
    const stop = { kind: 'conditional', rule: 'stop', side: 1, reference: 'mark', price: null, quote: null };
    for (const trigger of [985_000, 987_000, 989_000]) await place(bob, { ...stop, trigger, size: 100 });
    const { seq } = await post('/prices', { symbol: 'BTC-PERP', mark: 98_000 });

    const { why, count } = await get(`/log/${seq}`);
    assert.equal(why.length, 1);
    const kinds = (effects: readonly { kind: string }[]) => effects.map(({ kind }) => kind);
    assert.equal(why[0].kind, 'price');
    assert.deepEqual(kinds(why[0].effects), ['liquidation', 'fired', 'fired', 'fired']);
    assert.deepEqual(kinds(why[0].effects[0].effects), ['order', 'trade', 'money']);
    const triggers = why[0].effects
      .slice(1)
      .map(({ sentence }: { sentence: string }) => /98,[1-9]00/.exec(sentence)?.[0]);
    assert.deepEqual(triggers, ['98,900', '98,700', '98,500']);
    assert.equal(why[0].effects.at(-1).last, count);

    const { marks } = await get(`/log/summary?account=carol&from=${seq}`);
    assert.deepEqual(marks.map(({ kind }: { kind: string }) => kind).sort(), ['fill', 'liquidation', 'prices']);
    const ofCarol = async (at: number) =>
      (await get(`/at/${at}?show=positions&account=carol&symbol=BTC-PERP`)).positions;
    assert.deepEqual(
      (await ofCarol(seq - 1)).map(({ size }: { size: number }) => size),
      [100_000],
    );
    assert.deepEqual(await ofCarol(seq), []);
    assert.deepEqual((await get(`/at/${seq - 1}?show=positions&symbol=ETH-PERP`)).positions, []);
  });
});

test('a bad seq, and what was not there then, get a clear error', async () => {
  await withPast(null, async ({ refused, post }) => {
    await post('/accounts', { name: 'erin' });
    for (const seq of ['0', '-1', '1.5', 'x', '99999999999999999999']) {
      const { status, reason, message } = await refused(`/at/${seq}`);
      assert.deepEqual([status, reason], [400, 'malformed'], message);
    }
    for (const path of ['/at/3', '/log/3', '/at/999999']) {
      const { status, reason, message } = await refused(path);
      assert.deepEqual([status, reason], [404, 'pastUnavailable']);
      assert.match(message, /^the (state|command) at seq \d+ is not available: the log has the seqs 1 to 2$/);
    }
    const errors = {
      'show=all': /^show must be one of book, orders, positions, balances, account, not "all"/,
      'show=book': /^symbol is missing: show=book needs it$/,
      'show=account': /^account is missing: show=account needs it$/,
      'show=book&symbol=X': /^there is no market X/,
      'show=account&account=erin': /^there is no account erin at seq 1$/,
      'show=orders&limit=0': /^limit must be a number from 1 to 1000/,
      'seq=4': /^seq is not known/,
    };
    for (const [query, message] of Object.entries(errors)) {
      assert.match((await refused(`/at/1?${query}`)).message, message);
    }
  });
});
