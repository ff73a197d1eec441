/** `bourse replay --show` and `bourse why`: the past of a data folder, as JSON in a pipe and as text for a terminal. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RULES } from '../../src/archive/follow/follower.ts';
import { stateText, whyText } from '../../src/cli/past-text.ts';
import { tableText } from '../../src/cli/tables.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { replay } from '../../src/engine/replay/inspect.ts';
import { startEngine } from '../../src/engine/start.ts';
import { openTimeMachine } from '../../src/time-machine/open.ts';
import { Place } from './support.ts';

const root = mkdtempSync(join(tmpdir(), 'bourse-past-cli-'));
const data = join(root, 'data');
const place = new Place();
after(async () => {
  await place[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

/** Genesis, prices (2), a bid of alice (3), and a sale of bob that takes a part of it (4). */
before(async () => {
  const accounts = ['alice', 'bob'].map((name) => ({ name, balances: { USDT: 1_000_000, BTC: 100 } }));
  const engine = await startEngine({
    folder: data,
    clock: 'manual',
    configuration: readConfiguration({ accounts }),
    secrets: { seal: (text) => text, open: (text) => text },
  });
  await engine.submit({ v: 1, type: 'setPrices', market: 0, index: 1_000_000_000, byHand: true });
  for (const [account, side, size] of [
    [0, 0, 1000],
    [1, 1, 400],
  ] as const) {
    const of = { account, market: 0, side, price: 1_000_000, size, clientId: null, request: null, broker: null };
    const terms = { kind: 'limit', timeInForce: 'GTC', postOnly: false, reduceOnly: false } as const;
    const { refusal } = await engine.submit({ v: 1, type: 'place', ...of, ...terms });
    assert.equal(refusal, null);
  }
  await engine.stop();
});

async function run(...args: string[]) {
  const { code, stdout, stderr } = await place.run(args);
  return { code, stderr, found: stdout === '' ? undefined : JSON.parse(stdout) };
}

test('in a pipe, a state and a command are JSON, with the hash of the state', async () => {
  const { found } = await run('replay', data, '--seq', '3', '--show', 'book', '--symbol', 'BTC-USDT');
  assert.deepEqual(found, { ...found, ...(await replay(data, { seq: 3 })) });
  assert.deepEqual([found.bids, found.asks], [[['100000', '0.01']], []]);
  const last = await run('replay', data, '--show', 'account', '--account', 'alice');
  assert.deepEqual([last.found.seq, last.found.orders[0].filled], [4, '0.004']);
  const command = await run('why', data, '4', '--json');
  assert.match(command.found.sentence, /^bob places SELL 0\.004/);
  assert.deepEqual(
    command.found.effects.map(({ type }: { type: string }) => type),
    ['cause', 'accepted', 'traded', 'filled', 'ended', 'cause'],
  );
});

test('what is missing, unknown or not there is said in one line', async () => {
  const errors: [args: string[], message: RegExp][] = [
    [['replay', data, '--show', 'book'], /^bourse: --show book needs --symbol\n$/],
    [['replay', data, '--show', 'book', '--symbol', 'X'], /^bourse: there is no market X/],
    [['replay', data, '--account', 'alice'], /^bourse: --account needs --show/],
    [['replay', data, '--limit', '2'], /^bourse: --limit needs --show/],
    [
      ['replay', data, '--show', 'orders', '--limit', '0'],
      /--limit <n>.* '0' is invalid\. give a whole number from 1 on/,
    ],
    [['why', data, '5'], /^bourse: the log has the seqs 1 to 4\n$/],
    [['why', join(root, 'nothing'), '1'], /^bourse: there is no data folder at /],
  ];
  for (const [args, message] of errors) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
  }
});

test('output that cannot be written is one sentence', {
  skip: !existsSync('/dev/full'),
}, () => {
  const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
  for (const args of [['replay', data], ['why', data, '4'], ['--version'], ['verify', data]]) {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    assert.match(String(stderr), /^bourse: standard output cannot be written: ENOSPC: [^\n]*\n$/);
    assert.equal(status, 1);
  }
});

test('damage is reported with its place, and not as the end of the log', async () => {
  const broken = join(root, 'broken');
  cpSync(data, broken, { recursive: true });
  for (const name of readdirSync(broken)) if (name.endsWith('.snapshot')) rmSync(join(broken, name));
  const { stdout } = await place.run(['log', 'show', broken]);
  const [, , third] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [, file, offset] = /^(\S+) at offset (\d+)$/.exec(third.place) as RegExpExecArray;
  const path = join(broken, file);
  const bytes = readFileSync(path);
  bytes.writeUInt16LE(0xabcd, Number(offset) + 40);
  writeFileSync(path, bytes);
  const damage = `the command log is damaged: ${third.place}: `;
  const { code, stderr } = await run('why', broken, '4');
  assert.deepEqual([code, stderr.includes(damage)], [1, true], stderr);
  const identity = { rules: RULES, venueId: undefined };
  const machine = openTimeMachine(broken, broken, identity, { world: realWorld, sliceMs: 20, restMs: 0 });
  const at = { type: 'at', seq: 4, endSeq: 4, show: null, account: null, symbol: null, limit: 1 } as const;
  await assert.rejects(
    machine.ask(at, () => true),
    ({ message }: Error) => message.includes(third.place),
  );
  await assert.rejects(
    machine.ask({ type: 'commands', from: 2, limit: 3, endSeq: 4 }, () => true),
    ({ message }: Error) => message.includes(third.place),
  );
  const empty = join(root, 'empty');
  mkdirSync(empty);
  const none = await run('why', empty, '1');
  assert.match(none.stderr, /00000001\.log at offset 0: the log is missing or empty/);
});

test('on a terminal, a state is tables and a command is a tree', async () => {
  const { found: account } = await run('replay', data, '--show', 'account', '--account', 'alice');
  const lines = stateText(account, 'account').split('\n');
  assert.match(lines[0], /^seq 4, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/);
  assert.deepEqual([lines[1], lines[3]], [`hash ${account.hash}`, 'alice']);
  assert.match(lines.join('\n'), /BTC +100\.0039992 +100\.0039992 +0 +0\n/);
  assert.match(lines.at(-1) as string, new RegExp(`^${account.orders[0].orderId.slice(0, 8)} +alice +BTC-USDT +BUY`));
  const { found: book } = await run('replay', data, '--show', 'book', '--symbol', 'BTC-USDT');
  assert.match(stateText(book, 'book'), /\n\nBTC-USDT\n\nSide +Price +Size\nbid +100000 +0\.006$/);
  const { balances } = account;
  const more = stateText({ ...account, balances: { alice: balances }, more: true }, 'balances');
  assert.match(more, /alice +USDT +999600 +999000 +600 +0\nthere are more: give --account or --symbol$/);
  assert.match(stateText({ ...account, positions: [] }, 'positions'), /no positions$/);
  assert.equal(stateText(account, null).split('\n').length, 2);
  const { found: command } = await run('why', data, '4');
  const [, sentence, none, first, second, , count] = whyText(command).split('\n');
  assert.match(sentence, /^bob places SELL 0\.004/);
  assert.equal(none, '');
  assert.match(first, /^ {2}1 {2}Limit order of bob accepted$/);
  assert.match(second, /^2-4 {2}bob sold 0\.004/);
  assert.equal(count, '4 effects');
  const left = { at: 43118, by: 'reset' } as const;
  const said = '\nThe reset at seq 43,118 has left this branch of the history.\n';
  assert.ok(stateText({ ...account, left }, null).includes(said) && whyText({ ...command, left }).includes(said));
  assert.match(whyText({ seq: 9, time: 0, count: 0 }), /left out, because it made the venue fail/);
});

test('a name cannot move the cursor, and a table without rows says so', () => {
  const columns = [{ title: 'name' }, { title: 'size', right: true }];
  assert.equal(tableText(columns, [['a\u001b[2Jb', '1']]), 'name    size\na?[2Jb     1');
  assert.equal(tableText(columns, [], 'nobody'), 'nobody');
});
