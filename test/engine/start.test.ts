import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { ConfigurationError } from '../../src/config/config.ts';
import { CommandRejected } from '../../src/engine/contract/errors.ts';
import type { Engine } from '../../src/engine/host.ts';
import { OtherMasterKey } from '../../src/engine/identity/master-key.ts';
import { DEFAULT_START_TIME_MS } from '../../src/engine/own-commands.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { type EngineStartOptions, startEngine } from '../../src/engine/start.ts';
import { LogDamaged, LogFull, LogLocked, LogUnsupported } from '../../src/log/contract/command-log.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { FileLog } from '../../src/log/file/file-log.ts';
import { folderStorage } from '../../src/log/open.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { ALICE, buy, configuration, PRICES, SEGMENT_BYTES, secrets } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-engine-'));
after(() => fs.rmSync(root, { recursive: true }));
let folders = 0;

function newFolder(): string {
  folders += 1;
  return join(root, String(folders));
}

function start(folder: string, options: Partial<EngineStartOptions> = {}): Promise<Engine> {
  return startEngine({ folder, segmentBytes: SEGMENT_BYTES, secrets, ...options });
}

const FIRST: Partial<EngineStartOptions> = { configuration: configuration(), clock: 'manual', seed: 7 };

/** A folder that was started, used and stopped. */
async function usedFolder(options: Partial<EngineStartOptions> = {}): Promise<{ folder: string; hash: string }> {
  const folder = newFolder();
  const engine = await start(folder, { ...FIRST, ...options });
  await engine.submit(PRICES);
  await engine.submit(buy());
  const hash = engine.stateHash();
  await engine.stop();
  return { folder, hash };
}

function contents(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder).filter((name) => name !== 'lock.owner');
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(join(folder, name), 'hex')]));
}

test('a first start: the configured venue, at the time where a manual clock begins', async () => {
  const folder = newFolder();
  const engine = await start(folder, FIRST);
  assert.deepEqual([engine.epoch, engine.venue.seq, engine.venue.timeMs], [1, 1, DEFAULT_START_TIME_MS]);
  assert.deepEqual(engine.venue.counts(), { orders: 0, accounts: 1, markets: 4 });
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  assert.equal(fs.statSync(join(folder, 'bourse.json')).mode & 0o777, 0o600);
  await engine.stop();
});

test('a restart has the same state, whether options are given again or left to the folder', async () => {
  const { folder, hash } = await usedFolder();
  for (const [epoch, options] of [FIRST, {}, { seed: 7 }].entries()) {
    const engine = await start(folder, options);
    assert.equal(engine.epoch, epoch + 2);
    assert.equal(engine.stateHash(), hash);
    assert.equal(engine.venue.openOrders(0, 'spot', null).length, 1);
    await engine.stop();
  }
});

test('a start says that the last run was not stopped cleanly, also if no batch was unfinished', async () => {
  const said = async (folder: string): Promise<string[]> => {
    const notices: string[] = [];
    const engine = await start(folder, { onNotice: (text) => notices.push(text) });
    await engine.stop();
    return notices;
  };
  const folder = newFolder();
  const engine = await start(folder, FIRST);
  await engine.submit(PRICES);
  const killed = newFolder();
  fs.cpSync(folder, killed, { recursive: true });
  await engine.stop();
  assert.deepEqual(await said(folder), []);
  assert.deepEqual(await said(killed), [
    'the last run was not stopped cleanly: the venue is recovered from the log up to seq 2',
  ]);
  assert.deepEqual(await said(killed), []);
});

test('a start says that its rules continue a log of others, as long as the way back is open', async () => {
  const { folder } = await usedFolder({ rules: '1' });
  const run = async (rules: string, ...commands: Command[]): Promise<string[]> => {
    const notices: string[] = [];
    const engine = await start(folder, { rules, onNotice: (text) => notices.push(text) });
    for (const command of commands) await engine.submit(command);
    await engine.stop();
    return notices;
  };
  const continued = [
    'rules 2 continue the log that rules 1 made up to seq 3: until the first command after that seq, the version of ' +
      'rules 1 can still be started instead',
  ];
  assert.deepEqual(await run('2'), continued);
  await run('1');
  assert.deepEqual(await run('2'), continued);
  assert.deepEqual(await run('2', PRICES), continued);
  assert.deepEqual(await run('2'), []);
});

test('after a command of newer rules, a version of older ones is refused, also after a clean stop', async () => {
  const { folder } = await usedFolder({ rules: '1' });
  const newer = await start(folder, { rules: '2' });
  await newer.submit(PRICES);
  await newer.stop();
  const before = contents(folder);
  await assert.rejects(start(folder, { rules: '1' }), {
    name: 'RulesMismatch',
    message:
      'the command log was written under rules 2, this version applies rules 1; rules 2 are newer: start their ' +
      'version, or restore the backup from before the upgrade',
  });
  assert.deepEqual(contents(folder), before);
  // A start of the newer rules that makes no command does not change that.
  await (await start(folder, { rules: '2' })).stop();
  await assert.rejects(start(folder, { rules: '1' }), { name: 'RulesMismatch' });
  await (await start(folder, { rules: '3' })).stop();
  await (await start(folder, { rules: '2' })).stop();
});

test('a version that is killed before its first command leaves the log to older and to newer rules', async () => {
  const killed = async (from: string, rules: string): Promise<string> => {
    const folder = newFolder();
    const engine = await start(from, { rules });
    fs.cpSync(from, folder, { recursive: true });
    await engine.stop();
    return folder;
  };
  const { folder, hash } = await usedFolder({ rules: '2' });
  const twice = await killed(await killed(folder, '3'), '3');
  for (const rules of ['2', '3', '4']) {
    const copy = newFolder();
    fs.cpSync(twice, copy, { recursive: true });
    const engine = await start(copy, { rules });
    assert.deepEqual([engine.epoch, engine.stateHash()], [4, hash]);
    await engine.submit(PRICES);
    fs.cpSync(copy, `${copy}-killed`, { recursive: true });
    await engine.stop();
    // Its first command binds the log to these rules.
    for (const other of ['2', '3', '4'].filter((each) => each !== rules)) {
      await assert.rejects(start(`${copy}-killed`, { rules: other }), {
        name: 'RulesMismatch',
        message: new RegExp(`written under rules ${rules}, this version applies rules ${other}`),
      });
    }
    await (await start(`${copy}-killed`, { rules })).stop();
  }
  // The same rules, too: what was sealed stays open to an upgrade.
  const { folder: same } = await usedFolder({ rules: '2' });
  await (await start(await killed(same, '2'), { rules: '3' })).stop();
});

test('no secret of the configuration is in the folder', async () => {
  const { folder } = await usedFolder({ secrets: { seal: () => 'v1.sealed', open: () => 'alice-secret' } });
  for (const [name, hex] of Object.entries(contents(folder))) {
    assert.ok(!Buffer.from(hex, 'hex').includes('alice-secret'), name);
  }
});

test('two venues of the same seed have the same order ids, without a seed they are unlike', async () => {
  const hashes = new Set<string>();
  const keys = new Set<string | undefined>();
  for (const options of [FIRST, FIRST, { ...FIRST, seed: undefined }, { ...FIRST, seed: undefined }]) {
    const engine = await startEngine({ secrets, ...options });
    await engine.submit(PRICES);
    await engine.submit(buy());
    hashes.add(engine.stateHash());
    keys.add(engine.venue.genesis?.idKey);
    await engine.stop();
  }
  assert.deepEqual([hashes.size, keys.size], [3, 3]);
});

const fees = { maker: '0.0003', taker: '0.0002' };
const refusedChanges: [string, Partial<EngineStartOptions>, RegExp][] = [
  [
    'another seed',
    { ...FIRST, seed: 8 },
    /^ {2}seed is 8, but the folder was started with 7\nStart without a configuration, or/m,
  ],
  ['another clock', { ...FIRST, clock: 'real' }, /^ {2}clock is "real", but the folder was started with "manual"/m],
  ['another start time', { ...FIRST, startTimeMs: 1 }, /^ {2}startTime is 1, but .* started with 1767225600000/m],
  [
    'another fee of a market',
    { configuration: configuration({ markets: [{ symbol: 'BTC-USDT', fees }] }) },
    /^ {2}markets\[BTC-USDT\]\.fees is .*0\.0003.*, but the venue has .*0\.0002.*PATCH \/control\/v1\/markets\/BTC-USDT \{"fees"/m,
  ],
  [
    'another balance of an account',
    { configuration: configuration({ accounts: [{ ...ALICE, balances: { USDT: 5 } }] }) },
    /^ {2}accounts\[alice\]\.balances\.USDT is "5", but the folder was started with "1000000"/m,
  ],
  [
    'an account taken away',
    { configuration: configuration({ accounts: [] }) },
    /^ {2}accounts\[alice\] is missing, but the folder was started with it$/m,
  ],
  [
    'another secret of a key',
    { configuration: configuration({ accounts: [{ ...ALICE, keys: [{ ...ALICE.keys[0], secret: 'other' }] }] }) },
    /^ {2}accounts\[alice\]\.keys\[alice-key\]\.secret is not the one that this key was made with$/m,
  ],
  ['another rule', { configuration: configuration({ selfTrade: 'cancelBoth' }) }, /^ {2}selfTrade is "cancelBoth"/m],
  [
    'another currency',
    { configuration: configuration({ currencies: { XYZ: { decimals: 2 } } }) },
    /^ {2}currencies\.XYZ is new, and a new currency needs a new market/m,
  ],
];

for (const [what, options, message] of refusedChanges) {
  test(`${what} on a later start is refused by name, nothing is written, and every order stays`, async () => {
    const { folder, hash } = await usedFolder();
    const before = contents(folder);
    await assert.rejects(start(folder, options), (error: unknown) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(contents(folder), before);
    const engine = await start(folder, FIRST);
    assert.equal(engine.stateHash(), hash);
    await engine.stop();
  });
}

test('a delisted market stays in the configuration with its terms, and no change of them is recommended', async () => {
  const { folder } = await usedFolder();
  const engine = await start(folder, FIRST);
  const market = engine.venue.marketBySymbol('ETH-USDT')!.index;
  const terms = { fees: { maker: '0.0001', taker: '0.0001' } };
  await engine.submit({ v: 1, type: 'changeMarket', market, terms, force: false });
  await engine.submit({ v: 1, type: 'haltMarket', market });
  await engine.submit({ v: 1, type: 'delistMarket', market, settlementPrice: null });
  await engine.stop();
  const given = (maker: string) =>
    start(folder, {
      configuration: configuration({ markets: [{ symbol: 'ETH-USDT', fees: { ...terms.fees, maker } }] }),
    });
  const refused = await given('0.0003').then(
    () => 'it was not refused',
    (error: Error) => error.message,
  );
  assert.match(
    refused,
    /markets\[ETH-USDT\]\.fees is .*0\.0003.*, but the venue has .*0\.0001.*\. The market was delisted, and does not change/,
  );
  assert.doesNotMatch(refused, /PATCH/);
  await (await start(folder, FIRST)).stop();
  await (await given('0.0001')).stop();
});

test('options of the gateway alone may change from start to start', async () => {
  const { folder } = await usedFolder();
  const engine = await start(folder, {
    configuration: configuration({ nonceWindowMs: 5, trustedProxies: ['::1'], maxConnections: 9 }),
  });
  await engine.stop();
});

const MORE = {
  markets: [
    {
      symbol: 'ETH-BTC',
      kind: 'spot' as const,
      base: 'ETH',
      quote: 'BTC',
      tick: '0.00001',
      maxPrice: 10,
      step: '0.001',
      minSize: '0.001',
      maxSize: 1000,
    },
  ],
  accounts: [
    ALICE,
    {
      name: 'bob',
      balances: { USDT: '12.5', BTC: 0 },
      keys: [{ key: 'bob-key', secret: 'bobs', permissions: ['read' as const] }],
    },
  ],
};

test('new markets and accounts of the configuration are added by one batch, once', async () => {
  const { folder } = await usedFolder();
  for (const seq of [8, 8]) {
    const engine = await start(folder, { configuration: configuration(MORE) });
    const { venue } = engine;
    const bob = venue.accountByName('bob');
    assert.equal(venue.seq, seq - 1);
    assert.ok(venue.marketBySymbol('ETH-BTC') !== undefined && bob !== undefined);
    const usdt = venue.balances(bob.index).find(({ currency }) => currency.code === 'USDT');
    assert.equal(usdt?.total, 1_250_000_000n);
    assert.equal(venue.key('bob-key')?.account, bob.index);
    await engine.stop();
  }
  await assert.rejects(start(folder, FIRST), /markets\[ETH-BTC\] is missing, but the folder was started with it/);
});

const SOL = {
  ...MORE.markets[0],
  symbol: 'SOL-USDT',
  base: 'SOL',
  quote: 'USDT',
  tick: '0.01',
  maxPrice: 100_000,
  maxSize: 10_000,
};

test('a new coin comes with its market and the accounts that hold it, and is there after every restart', async () => {
  const { folder } = await usedFolder();
  const given = { currencies: { SOL: { decimals: 9 } }, markets: [...MORE.markets, SOL] };
  const carol = { name: 'carol', balances: { SOL: '2.5' } };
  const options = { configuration: configuration({ ...given, accounts: [ALICE, carol] }) };
  const hashes = new Set<string>();
  for (const withSnapshot of [true, true, false]) {
    if (!withSnapshot) {
      for (const name of fs.readdirSync(folder)) if (name.endsWith('.snapshot')) fs.rmSync(join(folder, name));
    }
    const engine = await start(folder, withSnapshot ? options : {});
    const { venue } = engine;
    const balances = venue.balances(venue.accountByName('carol')!.index);
    assert.equal(balances.find(({ currency }) => currency.code === 'SOL')?.total, 2_500_000_000n);
    assert.equal(venue.marketBySymbol('SOL-USDT')?.spec.base, 'SOL');
    hashes.add(engine.stateHash());
    await engine.stop();
  }
  assert.equal(hashes.size, 1);
  await assert.rejects(start(folder, FIRST), /^ {2}currencies\.SOL is missing, but the folder was started with it$/m);
});

test('a new coin that was added manually with other decimals is refused by name', async () => {
  const { folder } = await usedFolder();
  const options = { configuration: configuration({ currencies: { SOL: { decimals: 9 } }, markets: [SOL] }) };
  const market = options.configuration.markets.find(({ symbol }) => symbol === 'SOL-USDT')!;
  const engine = await start(folder, FIRST);
  const byHand = { ...market, symbol: 'SOL-BTC', quote: 'BTC' };
  await engine.submit({ v: 1, type: 'listMarket', market: byHand, currencies: { SOL: { decimals: 8 } } });
  await engine.stop();
  await assert.rejects(
    start(folder, options),
    /^ {2}currencies\.SOL\.decimals must be 8, the decimals that SOL has here$/m,
  );
});

test('a reset on a real clock is noticed, on a manual one it is not', async () => {
  const resetsOf = async (clock: 'real' | 'manual') => {
    const notices: string[] = [];
    const engine = await start(newFolder(), {
      ...FIRST,
      clock,
      onNotice: (text, level) => notices.push(`${level}: ${text}`),
    });
    await engine.submit({ v: 1, type: 'reset' });
    const { seq } = engine.venue;
    await engine.stop();
    return { seq, resets: notices.filter((text) => text.includes('reset')) };
  };
  const { seq, resets } = await resetsOf('real');
  const notice = `warn: the venue was reset by command ${seq}: accounts, keys, money and orders are those of its configuration`;
  assert.deepEqual(resets, [notice]);
  assert.deepEqual((await resetsOf('manual')).resets, []);
});

test('an account that is added after a reset gets a number of its own', async () => {
  const { folder } = await usedFolder();
  const engine = await start(folder, FIRST);
  await engine.submit({ v: 1, type: 'createAccount', name: 'by-hand' });
  await engine.submit({ v: 1, type: 'reset' });
  await engine.stop();
  const again = await start(folder, { configuration: configuration(MORE) });
  assert.equal(again.venue.accountByName('bob')?.index, 2);
  await again.stop();
});

test('a configured account whose name was taken manually is refused', async () => {
  const { folder } = await usedFolder();
  const engine = await start(folder, FIRST);
  await engine.submit({ v: 1, type: 'createAccount', name: 'bob' });
  await engine.stop();
  const options = { configuration: configuration(MORE) };
  const before = contents(folder);
  await assert.rejects(start(folder, options), /accounts\[bob\] already exists and was added manually/);
  assert.deepEqual(contents(folder), before);
});

test('a configuration that the venue refuses is never logged', async () => {
  const folder = newFolder();
  const valid = configuration(MORE);
  const markets = valid.markets.map((market) => (market.symbol === 'ETH-BTC' ? { ...market, tick: '1e-9' } : market));
  const refuse = () =>
    assert.rejects(start(folder, { ...FIRST, configuration: { ...valid, markets } }), (error: unknown) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, /is refused by the venue: .*ETH-BTC\.maxPrice/);
      return true;
    });
  await refuse();
  const engine = await start(folder, FIRST);
  assert.deepEqual([engine.epoch, engine.venue.seq], [1, 1]);
  await engine.stop();
  const before = contents(folder);
  await refuse();
  assert.deepEqual(contents(folder), before);
});

test('with another master key nothing of the configuration is added, and nothing is written', async () => {
  const [right, wrong] = ['ab', 'cd'].map((digits) => new Keyring(digits.repeat(32)));
  const folder = newFolder();
  const [keyless, key] = [{ ...ALICE, keys: [] }, ALICE.keys[0]];
  const first = await start(folder, {
    ...FIRST,
    configuration: configuration({ accounts: [keyless] }),
    secrets: right,
  });
  const { secret, ...terms } = key;
  await first.submit({
    v: 1,
    type: 'addKey',
    account: 0,
    ...terms,
    sealed: right.seal(secret),
    ipAllow: [],
    expiresAtMs: null,
  });
  await first.stop();
  const before = contents(folder);
  const bob = { name: 'bob', balances: {}, keys: [{ ...key, key: 'bob-key' }] };
  const added = { configuration: configuration({ accounts: [keyless, bob] }) };
  await assert.rejects(start(folder, { ...added, secrets: wrong }), OtherMasterKey);
  assert.deepEqual(contents(folder), before);
  const engine = await start(folder, { ...added, secrets: right });
  assert.equal(right.open(engine.venue.key('bob-key')!.sealed), secret);
  await engine.stop();
});

test('a start that finds no space after its record seals the log again', async () => {
  const { folder, hash } = await usedFolder();
  const noSpace = async (): Promise<void> => {
    throw new LogFull(folder, 1, { what: 'bourse.json' });
  };
  const storage = folderStorage(folder, { segmentBytes: SEGMENT_BYTES });
  Object.assign(storage, { documents: Object.assign(storage.documents, { write: noSpace }) });
  await assert.rejects(startEngine({ storage, secrets, configuration: configuration(MORE) }), LogFull);
  const notices: string[] = [];
  const engine = await start(folder, { rules: 'other', onNotice: (text) => notices.push(text) });
  assert.deepEqual([engine.epoch, engine.stateHash()], [3, hash]);
  assert.doesNotMatch(notices.join(), /not stopped cleanly/);
  await engine.stop();
});

test('a crash between any two steps of a first start is a first start again', async () => {
  for (const left of ['log', 'bourse.json'] as const) {
    const folder = newFolder();
    fs.mkdirSync(folder);
    const { folder: other } = await usedFolder();
    const log = await FileLog.open(new RealDisk(folder), {
      rulesVersion: String(RULES_VERSION),
      segmentBytes: SEGMENT_BYTES,
    });
    await log.close();
    if (left === 'bourse.json') fs.copyFileSync(join(other, 'bourse.json'), join(folder, 'bourse.json'));
    const engine = await start(folder, FIRST);
    assert.deepEqual([engine.epoch, engine.venue.seq], [2, 1]);
    await engine.stop();
  }
});

test('a second start beside a running venue is refused and disturbs nothing', async () => {
  const folder = newFolder();
  const engine = await start(folder, FIRST);
  await assert.rejects(start(folder, FIRST), (error: unknown) => error instanceof LogLocked);
  assert.equal((await engine.submit(PRICES)).seq, 2);
  await engine.stop();
  await (await start(folder, FIRST)).stop();
});

const damages: [string, (folder: string) => void, RegExp][] = [
  ['a flipped bit in the log', (folder) => flip(join(folder, '00000001.log'), 700), /00000001\.log at offset 512: /],
  ['a flipped bit in bourse.json', (folder) => flip(join(folder, 'bourse.json'), 40), /bourse\.json: /],
  ['a lost log', (folder) => fs.rmSync(join(folder, '00000001.log')), /00000001\.log at offset 0: /],
  [
    'a lost log and seal',
    (folder) =>
      ['00000001.log', 'sealed'].forEach((name) => {
        fs.rmSync(join(folder, name));
      }),
    /00000001\.log at offset 0: .* missing or /,
  ],
  ['an emptied log', (folder) => fs.truncateSync(join(folder, '00000001.log')), /00000001\.log at offset 0: /],
  ['a lost bourse.json', (folder) => fs.rmSync(join(folder, 'bourse.json')), /bourse\.json: it is missing/],
];

function flip(path: string, byte: number): void {
  const bytes = fs.readFileSync(path);
  bytes[byte] ^= 1;
  fs.writeFileSync(path, bytes);
}

for (const [what, damage, message] of damages) {
  test(`${what} is refused by a start and by verify, and the folder is left as it was`, async () => {
    const { folder } = await usedFolder();
    // With the snapshot of the stop, a start reads only what is behind it (snapshots.test.ts).
    if (what.startsWith('a flipped bit')) fs.rmSync(join(folder, '000000000003.snapshot'));
    damage(folder);
    const before = contents(folder);
    for (const open of [() => start(folder), async () => verify(folder)]) {
      await assert.rejects(open, (error: unknown) => {
        assert.ok(error instanceof LogDamaged, String(error));
        assert.match(error.message, message);
        return true;
      });
    }
    assert.deepEqual(contents(folder), before);
  });
}

test('replay gives the state at any seq, beside a running venue too', async () => {
  const folder = newFolder();
  const engine = await start(folder, FIRST);
  const hashes: string[] = [engine.stateHash()];
  for (const command of [PRICES, buy(), buy({ price: 980_000 })]) {
    await engine.submit(command);
    hashes.push(engine.stateHash());
    assert.equal((await replay(folder)).hash, hashes.at(-1));
  }
  for (const [i, hash] of hashes.entries()) {
    assert.deepEqual(await replay(folder, { seq: i + 1 }), { seq: i + 1, time: DEFAULT_START_TIME_MS, hash });
  }
  assert.deepEqual(await verify(folder), { ok: true, rows: 5, seq: 4, hash: hashes.at(-1) });
  for (const seq of [0, -1, 1.5, 5, Number.NaN])
    await assert.rejects(replay(folder, { seq }), /the log holds the seqs 1 to 4/);
  await engine.stop();
  await assert.rejects(replay(join(root, 'none')), /there is no data folder at .*none/);
});

test('a command of an unknown version or type stops the start, by name', async () => {
  for (const [command, message] of [
    [{ ...PRICES, v: 2 }, /command setPrices of version 2 at seq 4/],
    [{ v: 1, type: 'toString' }, /command toString of version 1 at seq 4/],
    [null, /command null at seq 4/],
  ] as const) {
    const { folder } = await usedFolder();
    const log = await FileLog.open(new RealDisk(folder), {
      rulesVersion: String(RULES_VERSION),
      segmentBytes: SEGMENT_BYTES,
    });
    await log.append({ firstSeq: 4, timeMs: DEFAULT_START_TIME_MS, commands: encodeCommands([command]) });
    await log.close();
    await assert.rejects(start(folder), (error: unknown) => {
      assert.ok(error instanceof LogUnsupported, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
});

test('a venue in memory forgets its log while commands wait: it goes on, and a rebuild finds everything', async () => {
  const tick: Command = { v: 1, type: 'tick' };
  const engine = await startEngine({
    ...FIRST,
    secrets,
    apply: (venue, seq, timeMs, command) => {
      if (command.type === 'deposit') throw new Error('planted');
      return venue.apply(seq, timeMs, command);
    },
  });
  await engine.submit(PRICES);
  await engine.submit(buy());
  const client = async () => {
    while (engine.venue.seq < 200_100) await engine.submit(tick);
  };
  // Each half has its commands in one batch, and they are sent when the other half's are in the log.
  const half = () => Array.from({ length: 100 }, client);
  const first = half();
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...first, ...half()]);
  const before = engine.stateHash();
  await assert.rejects(
    engine.submit({ v: 1, type: 'deposit', account: 0, currency: 'USDT', amount: '1' }),
    CommandRejected,
  );
  assert.equal(engine.stateHash(), before);
  await engine.stop();
});
