import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigurationError, readConfiguration, readConfigurationFile, venueConfig } from '../../src/config/config.ts';
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import { listMarket } from '../../src/venue/state/market.ts';

const folder = mkdtempSync(join(tmpdir(), 'bourse-config-'));
after(() => rmSync(folder, { recursive: true }));

/** The problems of a configuration as 'path message' lines. */
function problemsOf(value: unknown): string[] {
  try {
    readConfiguration(value);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    return error.problems.map(({ path, message }) => `${path} ${message}`);
  }
  return [];
}

test('nothing configured gives the four default markets, no accounts and no limits', () => {
  const configuration = readConfiguration({});
  assert.deepEqual(
    configuration.markets.map((market) => [market.symbol, market.kind, market.tick, market.step, market.maxSize]),
    [
      ['BTC-USDT', 'spot', '0.1', '0.00001', '100'],
      ['ETH-USDT', 'spot', '0.01', '0.0001', '2000'],
      ['BTC-PERP', 'perpetual', '0.1', '1', '7500000'],
      ['ETH-PERP', 'perpetual', '0.01', '1', '7500000'],
    ],
  );
  assert.deepEqual(Object.keys(configuration.currencies), ['USDT', 'USD', 'BTC', 'ETH']);
  assert.deepEqual(configuration.accounts, []);
  assert.equal(configuration.nonceWindowMs, 60_000);
  assert.deepEqual(configuration.trustedProxies, []);
  assert.equal(configuration.selfTrade, 'cancelIncoming');
  assert.equal(configuration.feeFrom, 'received');
  assert.deepEqual(readConfiguration(undefined), configuration);
});

test('the venue lists every default market', () => {
  const currencies = ['USDT', 'USD', 'BTC', 'ETH'].map((code) => ({ code, decimals: 8 }));
  for (const spec of DEFAULT_MARKETS) assert.ok(!('reason' in listMarket(0, spec, currencies)), spec.symbol);
});

test('a market given partly keeps the rest of the default of its symbol', () => {
  const { markets } = readConfiguration({
    markets: [
      { symbol: 'ETH-PERP', fees: { maker: 0 }, maxSize: 1000 },
      { symbol: 'BTC-USDT', tick: '0.50' },
    ],
  });
  assert.deepEqual(
    markets.map((market) => market.symbol),
    ['BTC-USDT', 'ETH-USDT', 'BTC-PERP', 'ETH-PERP'],
  );
  assert.deepEqual(markets[3].fees, { maker: '0', taker: '0.00055' });
  assert.deepEqual({ ...markets[3], fees: null, maxSize: null }, { ...DEFAULT_MARKETS[3], fees: null, maxSize: null });
  assert.equal(markets[3].maxSize, '1000');
  assert.equal(markets[0].tick, '0.5');
});

test('a market of a new symbol is added after the defaults and has the defaults of its kind', () => {
  const { markets } = readConfiguration({
    currencies: { SOL: { decimals: 9 } },
    markets: [
      {
        symbol: 'SOL-USDT',
        kind: 'spot',
        base: 'SOL',
        quote: 'USDT',
        tick: 0.01,
        maxPrice: 100000,
        step: 0.001,
        minSize: 0.001,
        maxSize: 5000,
      },
    ],
  });
  assert.equal(markets.length, 5);
  assert.equal(markets[4].band, '0.1');
  assert.equal(markets[4].triggerLimitDistance, '0.05');
  assert.equal(markets[4].duplicateClientIds, 'refuse');
});

test('a new market says what it has to have', () => {
  assert.deepEqual(problemsOf({ markets: [{ symbol: 'SOL-USDT' }] }).slice(0, 2), [
    'markets[0].kind must be one of spot, perpetual',
    'markets[0].base is required (text)',
  ]);
});

const SWAP = {
  ...{ symbol: 'BTC-SWAP', kind: 'perpetual', base: 'BTC', quote: 'USDT', tick: '0.1', maxPrice: '1000000' },
  ...{ step: '1', minSize: '1', maxSize: '1000000', contractSize: '0.001' },
};
const REFUSED: [what: string, value: unknown, problem: RegExp][] = [
  [
    'a perpetual with the name of positions in another one on futures v2.1',
    { markets: [{ ...SWAP, symbol: 'BTCPFC-USD' }] },
    /markets\[0\].symbol is BTCPFC-USD, as futures v2.1 names positions/,
  ],
  ['an unknown key', { acounts: [] }, /^acounts is not known; did you mean accounts\?$/],
  [
    'an unknown key of a market',
    { markets: [{ symbol: 'BTC-USDT', maxprice: 1 }] },
    /^markets\[0\]\.maxprice .*maxPrice\?$/,
  ],
  ['an unknown key that is near nothing', { zzz: 1 }, /^zzz is not known; known: currencies, markets/],
  ['a prototype as a key', JSON.parse('{"__proto__": {}}'), /^__proto__ is not known/],
  ['a list as the whole', [], /^ must be an object/],
  ['a market list that is none', { markets: {} }, /^markets must be a list of markets$/],
  [
    'a market twice',
    { markets: [{ symbol: 'BTC-USDT' }, { symbol: 'BTC-USDT' }] },
    /^markets\[1\]\.symbol BTC-USDT is given twice$/,
  ],
  ['a symbol in small letters', { markets: [{ symbol: 'btc-usdt' }] }, /^markets\[0\]\.symbol must be BASE-QUOTE/],
  [
    'a tick that is no number',
    { markets: [{ symbol: 'BTC-USDT', tick: 'fast' }] },
    /^markets\[0\]\.tick is not a number: give a decimal above 0/,
  ],
  [
    'a tick of zero',
    { markets: [{ symbol: 'BTC-USDT', tick: 0 }] },
    /^markets\[0\]\.tick must be a decimal above 0.*, not 0$/,
  ],
  [
    'a maximum price off the tick',
    { markets: [{ symbol: 'BTC-USDT', maxPrice: '100.05' }] },
    /^markets\[0\]\.maxPrice must be a multiple of the tick$/,
  ],
  [
    'a base that is no currency',
    { markets: [{ symbol: 'BTC-USDT', base: 'XYZ' }] },
    /^markets\[0\]\.base names the unknown currency XYZ/,
  ],
  [
    'contracts on spot',
    { markets: [{ symbol: 'BTC-USDT', contractSize: 1 }] },
    /^markets\[0\]\.contractSize belongs to perpetual markets only/,
  ],
  [
    'a fee of 100 %',
    { markets: [{ symbol: 'BTC-USDT', fees: { maker: 1 } }] },
    /^markets\[0\]\.fees\.maker must be a decimal at least 0 and below 1/,
  ],
  [
    'risk tiers out of order',
    {
      markets: [
        {
          symbol: 'BTC-PERP',
          riskTiers: [
            { maxNotional: 10, initial: 0.1, maintenance: 0.05 },
            { maxNotional: 5, initial: 0.2, maintenance: 0.1 },
          ],
        },
      ],
    },
    /^markets\[0\]\.riskTiers\[1\]\.maxNotional must be above that of the tier before \(10\)$/,
  ],
  [
    'maintenance above initial',
    { markets: [{ symbol: 'BTC-PERP', riskTiers: [{ maxNotional: 10, initial: 0.1, maintenance: 0.2 }] }] },
    /^markets\[0\]\.riskTiers\[0\]\.maintenance must not be above initial/,
  ],
  ['an account without a name', { accounts: [{}] }, /^accounts\[0\]\.name is required/],
  ['an account twice', { accounts: [{ name: 'a' }, { name: 'a' }] }, /^accounts\[1\]\.name a is given twice$/],
  [
    'a balance in an unknown currency',
    { accounts: [{ name: 'a', balances: { EUR: 1 } }] },
    /^accounts\[0\]\.balances\.EUR is not a configured currency; known: USDT/,
  ],
  [
    'a balance finer than its currency',
    { accounts: [{ name: 'a', balances: { BTC: '0.000000001' } }] },
    /^accounts\[0\]\.balances\.BTC has 9 decimals, the currency has 8$/,
  ],
  [
    'a balance below zero',
    { accounts: [{ name: 'a', balances: { BTC: -1 } }] },
    /^accounts\[0\]\.balances\.BTC must be a decimal at least 0/,
  ],
  [
    'a balance beyond 64 bit',
    { accounts: [{ name: 'a', balances: { USDT: '1000000000000' } }] },
    /is larger than an account can hold/,
  ],
  [
    'more accounts than a file may have',
    { accounts: Array.from({ length: 10_001 }, (_, i) => ({ name: `a${i}` })) },
    /^accounts must hold at most 10000 accounts, not 10001: add the others by POST .* or `bourse accounts add`$/,
  ],
  [
    'fees on an unknown market',
    { accounts: [{ name: 'a', fees: { 'X-Y': { maker: 0, taker: 0 } } }] },
    /^accounts\[0\]\.fees\.X-Y is not a configured market/,
  ],
  [
    'an unknown permission',
    { accounts: [{ name: 'a', keys: [{ key: 'k', secret: 's', permissions: ['trade'] }] }] },
    /^accounts\[0\]\.keys\[0\]\.permissions\[0\] must be one of read, trading, transfer, wallet, not "trade"$/,
  ],
  [
    'a key twice',
    {
      accounts: [
        {
          name: 'a',
          keys: [
            { key: 'k', secret: 's', permissions: ['read'] },
            { key: 'k', secret: 't', permissions: ['read'] },
          ],
        },
      ],
    },
    /^accounts\[0\]\.keys\[1\]\.key is given twice$/,
  ],
  [
    'an odd choice',
    { selfTrade: 'never' },
    /^selfTrade must be one of cancelIncoming, cancelResting, cancelBoth, not "never"$/,
  ],
  ['a proxy by name', { trustedProxies: ['proxy.example'] }, /^trustedProxies\[0\] must be an address or CIDR range/],
  ['a network too wide', { trustedProxies: ['::1', '10.0.0.0/33'] }, /^trustedProxies\[1\] must be an address/],
  ['one proxy without a list', { trustedProxies: '10.0.0.1' }, /^trustedProxies must be a list of addresses/],
  ['no connections', { maxConnections: 0 }, /^maxConnections must be a whole number from 1 to 1000000, not 0/],
  ['all connections', { maxConnectionsPerAddress: 'all' }, /^maxConnectionsPerAddress must be a whole number from 1/],
  [
    'refused commands on',
    { refusedCommands: 'on' },
    /^refusedCommands must be "off" or an object with burst, perSecond/,
  ],
  ['no burst', { refusedCommands: { burst: 0 } }, /^refusedCommands.burst must be a whole number from 1/],
  ['refused commands a minute', { refusedCommands: { perMinute: 5 } }, /^refusedCommands.perMinute is not known/],
  ['no queue', { maxQueueMs: 0 }, /^maxQueueMs must be a whole number from 1 to 60000, not 0/],
  ['an endless queue', { maxQueueMs: 'none' }, /^maxQueueMs must be a whole number from 1 to 60000/],
  ['no hour', { keepUnfilledHours: 0 }, /^keepUnfilledHours must be a whole number from 1 to 876000, not 0/],
  ['few orders', { keepUnfilledOrders: 10 }, /^keepUnfilledOrders must be a whole number from 100000 to/],
  ['orders for ever', { keepUnfilledHours: 'ever' }, /^keepUnfilledHours must be a whole number from 1/],
  ['half a millisecond', { nonceWindowMs: 0.5 }, /^nonceWindowMs must be a whole number from 1/],
  [
    'too many digits',
    { insuranceFund: { USDT: '0.1234567890123456' } },
    /^insuranceFund\.USDT has more than 15 digits/,
  ],
];

for (const [what, value, problem] of REFUSED) {
  test(`${what} is refused by path`, () => {
    const problems = problemsOf(value);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0], problem);
  });
}

test('every problem is named at once', () => {
  assert.deepEqual(problemsOf({ rateLimits: 'on', accounts: [{ name: '' }], unknown: 1 }).length, 3);
  const [limits, name] = problemsOf({ rateLimits: 'on', accounts: [{ name: '' }] })
    .sort()
    .reverse();
  assert.match(limits, /^rateLimits must be "off", "btse", or an object/);
  assert.match(name, /^accounts\[0\]\.name/);
});

test('decimals are the same as text and as numbers', () => {
  const given = (tick: unknown) => readConfiguration({ markets: [{ symbol: 'BTC-USDT', tick }] });
  assert.deepEqual(given(0.5), given('0.5000'));
});

test('a file is read with its numbers exact, and named in the error', () => {
  const file = join(folder, 'exact.json');
  writeFileSync(file, '{"insuranceFund": {"USDT": 0.10000000000000000001}}');
  assert.throws(
    () => readConfigurationFile(file),
    (error: Error) =>
      error.message.includes(file) && error.message.includes('insuranceFund.USDT has more than 15 digits'),
  );
  writeFileSync(file, '{"accounts": [{"name": "a", "balances": {"USDT": 0.1}}]}');
  assert.deepEqual(readConfigurationFile(file).accounts[0].balances, { USDT: '0.1' });
});

test('a file that is missing or no JSON is refused by name', () => {
  assert.throws(
    () => readConfigurationFile(join(folder, 'none.json')),
    /none\.json was refused:\n {2}it cannot be read: there is no such file/,
  );
  const file = join(folder, 'broken.json');
  writeFileSync(file, '{');
  assert.throws(() => readConfigurationFile(file), /broken\.json was refused:\n {2}it is not valid JSON: .*position 1/);
});

const SECRET = 'a long "random" text';
const KEY = { key: 'k', secret: 's', permissions: ['read'] };
for (const [what, text] of [
  ['a secret with spaces', JSON.stringify({ accounts: [{ name: 'a', keys: [{ ...KEY, secret: SECRET }] }] })],
  ['a secret in the place of the key', JSON.stringify({ accounts: [{ name: 'a', keys: [{ ...KEY, key: SECRET }] }] })],
  ['a secret as a list', JSON.stringify({ accounts: [{ name: 'a', keys: [{ ...KEY, secret: [SECRET] }] }] })],
  ['a key that is no object', JSON.stringify({ accounts: [{ name: 'a', keys: [SECRET] }] })],
  ['keys that are no list', JSON.stringify({ accounts: [{ name: 'a', keys: SECRET }] })],
  ['a secret without quotes', '{"accounts": [{"keys": [{"secret": a long random text}]}]}'],
  ['a secret with a line break in it', '{"accounts": [{"keys": [{"secret": "a long\nrandom text"}]}]}'],
  ['a file that is a secret', 'a long random text'],
] as const) {
  test(`${what} is refused without repeating it`, () => {
    const file = join(folder, 'secret.json');
    writeFileSync(file, text);
    assert.throws(
      () => readConfigurationFile(file),
      (error: Error) => error.name === 'ConfigurationError' && !/long|random/.test(`${error.message}${error.stack}`),
    );
  });
}

test('an unexpected character is reported with its line', () => {
  const file = join(folder, 'line.json');
  for (const [text, line] of [
    ['x', 1],
    ['{\n"a": 1,\n"b": b\n}\n', 3],
    ['{"a":\n\n\n[1, 2, ?],\n"b": ?}', 4],
  ] as const) {
    writeFileSync(file, text);
    assert.throws(
      () => readConfigurationFile(file),
      new RegExp(`is not valid JSON: an unexpected character in line ${line}$`),
    );
  }
});

test('secrets of configured keys are sealed for the venue', () => {
  const keys = [{ key: 'k', secret: 'clear', permissions: ['trading', 'read'] }];
  const config = venueConfig(
    readConfiguration({ accounts: [{ name: 'a', keys }] }),
    (secret) => `sealed ${secret.length}`,
  );
  assert.deepEqual(config.accounts[0].keys, [
    { key: 'k', sealed: 'sealed 5', permissions: ['read', 'trading'], ipAllow: [], expiresAtMs: null },
  ]);
});

/** Of BTC-PERP: the options that guard money, with its standard tiers (0.5 % lowest maintenance, 1 % lowest initial rate). */
const BOUNDS = [
  ['maxBasis', '0.0025', '0.00250001', 'half of the lowest maintenance rate'],
  ['liquidationBand', '0.00095', '0.00095001', 'twice the maker fee plus the taker fee'],
  ['indexJump', '0.01', '0.01000001', 'the lowest initial rate'],
] as const;

for (const [option, most, tooMuch, bound] of BOUNDS) {
  test(`${option} is taken up to ${most}, and refused beyond: ${bound}`, { rule: ['11.53', '13.3', '13.8'] }, () => {
    const given = (value: string) => ({ markets: [{ symbol: 'BTC-PERP', [option]: value }] });
    assert.equal(readConfiguration(given(most)).markets[2][option], most);
    assert.deepEqual(problemsOf(given(tooMuch)), [`markets[0].${option} must be at most ${most}, ${bound}`]);
    assert.deepEqual(problemsOf({ markets: [{ symbol: 'BTC-PERP', [option]: null }] }), []);
    assert.match(problemsOf(given('-0.001'))[0], new RegExp(`markets\\[0\\]\\.${option} must be a decimal above 0`));
  });
}

test('the funding cap is refused above three quarters of the lowest maintenance rate', { rule: '11.75' }, () => {
  const given = (cap: string) => ({ markets: [{ symbol: 'BTC-PERP', funding: { cap } }] });
  assert.deepEqual(problemsOf(given('0.00375')), []);
  assert.deepEqual(problemsOf(given('0.0038')), [
    'markets[0].funding.cap must be at most 0.00375, three quarters of the lowest maintenance rate',
  ]);
});

test('options that are not given are lowered to what lower tiers allow', () => {
  const riskTiers = [{ maxNotional: 1_000_000, initial: '0.004', maintenance: '0.002' }];
  const { markets } = readConfiguration({ markets: [{ symbol: 'BTC-PERP', riskTiers }] });
  assert.equal(markets[2].funding?.cap, '0.0015');
  const listed = listMarket(0, markets[2], [
    { code: 'USDT', decimals: 8 },
    { code: 'BTC', decimals: 8 },
  ]);
  assert.ok(!('reason' in listed));
  // In hundred-millionths: half of 0.2 %, and the initial rate.
  assert.deepEqual([listed.maxBasis, listed.indexJump, listed.liquidationBand], [100_000, 400_000, 50_000]);
});

test('a spot market has a jump of its feed, and neither a basis nor a liquidation', () => {
  const spot = (option: string) => ({ markets: [{ symbol: 'BTC-USDT', [option]: '0.001' }] });
  assert.deepEqual(problemsOf(spot('indexJump')), []);
  for (const option of ['maxBasis', 'liquidationBand']) {
    assert.match(problemsOf(spot(option))[0], new RegExp(`${option} belongs to perpetual markets only`));
  }
});

test('rates do not fall from one risk tier to the next: a larger position never needs less', () => {
  const tiers = (initial: string, maintenance: string) => [
    { maxNotional: 1000, initial: '0.5', maintenance: '0.4' },
    { maxNotional: 100_000, initial, maintenance },
  ];
  const given = (initial: string, maintenance: string) => ({
    markets: [{ symbol: 'BTC-PERP', riskTiers: tiers(initial, maintenance) }],
  });
  assert.deepEqual(problemsOf(given('0.5', '0.4')), []);
  assert.deepEqual(problemsOf(given('0.6', '0.3')), [
    'markets[0].riskTiers[1].maintenance must not be below that of the tier before (0.4)',
  ]);
  assert.deepEqual(problemsOf(given('0.45', '0.45')), [
    'markets[0].riskTiers[1].initial must not be below that of the tier before (0.5)',
  ]);
});
