/** A market that is listed while the venue runs, with a coin that nobody had before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import { genesis, VenueDriver } from './support.ts';

const SOL_USDT = DEFAULT_MARKETS.length;
const market = { ...DEFAULT_MARKETS[0], symbol: 'SOL-USDT', base: 'SOL' };
const list = { type: 'listMarket', market, currencies: { SOL: { decimals: 9 }, USDT: { decimals: 8 } } };

function listed(): VenueDriver {
  const driver = new VenueDriver();
  driver.limit(0, 0, 0, 500_000, 100);
  assert.equal(driver.run(list).refusal, null);
  return driver;
}

const balance = ({ venue }: VenueDriver, account: number, code: string) =>
  venue.balances(account).find(({ currency }) => currency.code === code)!;

test('a new coin is deposited, traded and audited like the others', () => {
  const driver = listed();
  assert.deepEqual(
    driver.venue.currencies.map(({ code, decimals }) => [code, decimals]),
    [
      ['BTC', 8],
      ['ETH', 8],
      ['USD', 8],
      ['USDT', 8],
      ['SOL', 9],
    ],
  );
  assert.equal(balance(driver, 1, 'SOL').total, 0n);
  assert.equal(balance(driver, 0, 'USDT').total, 100_000_000_000_000n);
  assert.ok(balance(driver, 0, 'USDT').reserved > 0n, 'what an order held before is held still');
  assert.equal(driver.run({ type: 'deposit', account: 1, currency: 'SOL', amount: '5000000000' }).refusal, null);
  driver.limit(1, SOL_USDT, 1, 1500, 100_000);
  assert.equal(driver.limit(0, SOL_USDT, 0, 1500, 100_000).orders[0].state, 'filled');
  assert.equal(balance(driver, 1, 'SOL').total, 4_000_000_000n);
  assert.equal(balance(driver, 0, 'SOL').total, 999_800_000n, 'one SOL less the fee');
  const audit = driver.venue.audit();
  assert.ok(audit.ok, JSON.stringify(audit.orders));
  assert.equal(audit.currencies.find(({ currency }) => currency.code === 'SOL')?.line.fees, 200_000n);
});

test('accounts that come later hold it, too, and a saved venue goes on the same', () => {
  const driver = listed();
  driver.run({ type: 'createAccount', name: 'carol' });
  driver.run({ type: 'deposit', account: 2, currency: 'SOL', amount: '7' });
  const again = driver.reloaded();
  assert.equal(again.hash(), driver.hash());
  for (const one of [driver, again]) {
    assert.equal(balance(one, 2, 'SOL').total, 7n);
    one.run({ type: 'deposit', account: 0, currency: 'SOL', amount: '3000000000' });
    one.limit(0, SOL_USDT, 1, 1500, 100);
  }
  assert.equal(again.hash(), driver.hash());
});

test('an order reserves more of a coin with many decimals than a number holds, exactly, until a fill brings it below', () => {
  const driver = new VenueDriver();
  driver.run({ ...list, currencies: { SOL: { decimals: 18 }, USDT: { decimals: 8 } } });
  driver.run({ type: 'deposit', account: 1, currency: 'SOL', amount: '5000000000000000001' });
  const perLot = 10_000_000_000_000n;
  driver.limit(1, SOL_USDT, 1, 500, 450_001);
  for (const [taken, left] of [
    [1, 450_000n],
    [449_900, 100n],
  ] as const) {
    driver.limit(0, SOL_USDT, 0, 500, taken);
    const again = driver.reloaded();
    for (const each of [driver, again]) assert.equal(balance(each, 1, 'SOL').reserved, left * perLot);
    assert.equal(again.hash(), driver.hash());
    assert.ok(driver.venue.audit().ok);
  }
  assert.equal(driver.run({ type: 'cancelAll', account: 1, product: 'spot', market: null }).orders.length, 1);
  assert.equal(balance(driver, 1, 'SOL').reserved, 0n);
  assert.equal(driver.reloaded().hash(), driver.hash());
});

test('a reset takes the coin away with its market, and both may come again', () => {
  const driver = listed();
  driver.run({ type: 'reset' });
  assert.equal(driver.hash(), new VenueDriver().hash());
  assert.equal(driver.run(list).refusal, null);
  assert.equal(driver.venue.currencies.length, 5);
});

for (const [what, command, field] of [
  [
    'a coin with other decimals than it has',
    { ...list, currencies: { BTC: { decimals: 6 } } },
    'currencies.BTC.decimals',
  ],
  ['a market that does not fit', { ...list, market: { ...market, quote: 'XYZ' } }, 'SOL-USDT.quote'],
  ['a coin that does not come with its market', { type: 'listMarket', market }, 'SOL-USDT.base'],
] as const) {
  test(`${what} is refused, and nothing is listed`, () => {
    const driver = new VenueDriver(genesis());
    const before = driver.hash();
    const { refusal } = driver.run(command);
    assert.deepEqual([refusal?.reason, refusal?.params.field], ['invalidMarket', field]);
    assert.equal(driver.hash(), before);
    assert.equal(driver.venue.currencies.length, 4);
  });
}

test('a maintenance rate above the initial one is refused: a paid fill would be liquidated at once', () => {
  const driver = new VenueDriver();
  const perpetual = DEFAULT_MARKETS.findIndex(({ kind }) => kind === 'perpetual');
  const riskTiers = DEFAULT_MARKETS[perpetual].riskTiers.map((tier) => ({ ...tier, maintenance: '0.5' }));
  const { refusal } = driver.run({ type: 'changeMarket', market: perpetual, terms: { riskTiers }, force: true });
  assert.deepEqual(
    [refusal?.reason, refusal?.params.field, refusal?.params.problem],
    ['invalidMarket', 'BTC-PERP.riskTiers[0].maintenance', 'must not be above initial (0.01)'],
  );
});
