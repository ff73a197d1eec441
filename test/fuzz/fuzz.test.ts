/** A slice of `npm run fuzz`: two fixed seeds, bounded by steps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fuzz } from './fuzz.ts';
import { broken } from './statements.ts';

const SEEDS = [1, 2];
const STEPS = 900;

describe('requests of every kind, prices, halts, saved states and restarts', () => {
  for (const seed of SEEDS) {
    it(`leave the money right and meet no 5xx: seed ${seed}, ${STEPS} steps`, async () => {
      const { failure, steps, statuses } = await fuzz(seed, (step) => step <= STEPS);
      assert.equal(failure, null, failure ?? '');
      assert.equal(steps, STEPS);
      assert.ok(statuses[200] > STEPS / 3, `only ${statuses[200]} of ${STEPS} requests were taken`);
    });
  }
});

describe('what is broken is named', () => {
  const audit = { ok: true, accounts: { waitingLiquidation: 0 } };
  const usdt = (total: string, reserved = '0') => ({ USDT: { total, reserved } });
  const long = {
    symbol: 'BTC-PERP',
    size: 5,
    direction: 'LONG',
    positionMode: 'ONE_WAY',
    margin: '1',
    unrealised: '-3',
  };
  const short = { ...long, direction: 'SHORT', unrealised: '3' };
  const cases: [what: string, account: object, audit: object, expected: RegExp][] = [
    ['an audit that is not ok', { balances: {}, positions: [] }, { ...audit, ok: false }, /the audit is not ok/],
    [
      'a total below what is reserved',
      { balances: usdt('1', '1.00000001'), positions: [] },
      audit,
      /total is below reserved/,
    ],
    [
      'a wallet below zero',
      { balances: usdt('-0.00000001'), positions: [] },
      audit,
      /without a position is below zero/,
    ],
    ['sizes that do not sum to zero', { balances: usdt('9'), positions: [long] }, audit, /sum to 5/],
    [
      'equity below zero that nobody closes',
      { balances: usdt('2'), positions: [long, { ...short, unrealised: '0' }] },
      audit,
      /below zero, and no account waits/,
    ],
    [
      'an isolated position below zero',
      { balances: usdt('9'), positions: [{ ...long, positionMode: 'ISOLATED' }, short] },
      audit,
      /1 margins are below zero/,
    ],
  ];
  for (const [what, account, shown, expected] of cases) {
    it(what, () => assert.match(broken({ ann: account }, shown).join(), expected));
  }

  it('and nothing where all holds', () => {
    assert.deepEqual(broken({ ann: { balances: usdt('5', '5'), positions: [long, short] } }, audit), []);
  });
});
