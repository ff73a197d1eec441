/** Money that is a number where it can be: it must be what bigints would make of it, on both sides of every limit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_MONEY, MoneyOverflow } from '../../src/venue/contract/decimal.ts';
import {
  addTo,
  highWord,
  isLeft,
  lowWord,
  type Money,
  minus,
  moneyColumn,
  moneyOf,
  negated,
  plus,
  readMoney,
  times,
  writeMoney,
} from '../../src/venue/contract/money.ts';
import { PARTS } from '../../src/venue/contract/units.ts';
import { feeOf, feeOn } from '../../src/venue/risk/fees.ts';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** Amounts where a form, a half or a sign changes, each with its neighbours, and their negatives. */
const EDGES = [0n, 1n, 2n ** 31n, 2n ** 32n, 3n * 2n ** 32n, 2n ** 52n, SAFE, 2n ** 60n, MAX_MONEY - 1n]
  .flatMap((edge) => [edge - 1n, edge, edge + 1n])
  .flatMap((edge) => [edge, -edge]);

/** The amount, in the one form that it has. */
function assertIs(money: Money, amount: bigint, what: string): void {
  assert.equal(BigInt(money), amount, what);
  assert.equal(typeof money, amount >= -SAFE && amount <= SAFE ? 'number' : 'bigint', what);
  assert.ok(!Object.is(money, -0), `${what} is −0`);
}

/** A linear generator, so that a failure can be repeated. */
function* amounts(count: number): Generator<bigint> {
  let x = 88172645463325252n;
  for (let i = 0; i < count; i++) {
    x ^= BigInt.asUintN(64, x << 13n);
    x ^= x >> 7n;
    x ^= BigInt.asUintN(64, x << 17n);
    yield BigInt.asIntN(64, x) >> BigInt(i % 63);
  }
}

describe('money', () => {
  it('adds, subtracts and multiplies as bigints do, and has one form for each amount', () => {
    for (const a of EDGES) {
      assertIs(moneyOf(a), a, `${a}`);
      assertIs(negated(moneyOf(a)), -a, `−(${a})`);
      for (const b of EDGES) {
        assertIs(plus(moneyOf(a), moneyOf(b)), a + b, `${a} + ${b}`);
        assertIs(minus(moneyOf(a), moneyOf(b)), a - b, `${a} − ${b}`);
        assertIs(times(moneyOf(a), moneyOf(b)), a * b, `${a} × ${b}`);
        assertIs(plus(a, b), a + b, `the bigints ${a} + ${b}`);
      }
    }
  });

  it('is written into 64 bits and read back, with the halves of the bigint', () => {
    const [column, reference] = [moneyColumn(new BigInt64Array(3)), moneyColumn(new BigInt64Array(3))];
    for (const amount of EDGES.filter((edge) => edge >= -(2n ** 63n) && edge < 2n ** 63n)) {
      writeMoney(column, 1, moneyOf(amount));
      reference.amounts[1] = amount;
      assertIs(readMoney(column, 1), amount, `${amount}`);
      assert.deepEqual(column.amounts, reference.amounts);
      assert.deepEqual([lowWord(column, 1), highWord(column, 1)], [lowWord(reference, 1), highWord(reference, 1)]);
    }
    for (const wrong of [0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => writeMoney(column, 1, wrong), /is not exact money/);
    }
  });

  it('is added to 64 bits half by half, and never beyond them', () => {
    const column = moneyColumn(new BigInt64Array(1));
    let [sums, refusals] = [0, 0];
    for (const a of [...EDGES, ...amounts(2000)].filter((edge) => edge >= -(2n ** 63n) && edge < 2n ** 63n)) {
      for (const b of EDGES.filter((edge) => edge >= -(2n ** 63n) && edge < 2n ** 63n)) {
        column.amounts[0] = a;
        const sum = a + b;
        if (sum >= -(2n ** 63n) && sum < 2n ** 63n) {
          addTo(column, 0, moneyOf(b));
          assert.equal(column.amounts[0], sum, `${a} + ${b}`);
          sums++;
        } else {
          assert.throws(() => addTo(column, 0, moneyOf(b)), MoneyOverflow, `${a} + ${b}`);
          assert.equal(column.amounts[0], a);
          refusals++;
        }
      }
    }
    assert.ok(sums > 10_000 && refusals > 1000, `${sums} sums, ${refusals} refusals`);
  });

  it('knows whether enough is left, however large the amounts are', () => {
    const column = moneyColumn(new BigInt64Array(2));
    const held = EDGES.filter((edge) => edge >= 0n && edge < 2n ** 63n);
    for (const total of held) {
      for (const reserved of held) {
        column.amounts.set([total, reserved]);
        for (const needed of EDGES) {
          const near = total - reserved + (needed % 3n);
          for (const asked of [needed, near]) {
            assert.equal(
              isLeft(column, 0, 1, moneyOf(asked)),
              total - reserved >= asked,
              `${total} − ${reserved}, ${asked}`,
            );
          }
        }
      }
    }
  });

  it('pays the same fee as in bigints, of any amount at any rate', () => {
    const rates = [0, 1, 3, 50_000, 100_000, 33_333_333, PARTS / 2, PARTS / 2 + 1, PARTS].flatMap((rate) => [
      rate,
      -rate,
    ]);
    for (const amount of [...EDGES, ...amounts(3000)].filter((edge) => edge >= 0n)) {
      for (const rate of rates) {
        assertIs(feeOn(moneyOf(amount), rate), feeOf(amount, BigInt(rate)), `${rate} of ${amount}`);
      }
      // Just beside a whole fee.
      for (const rate of [100_000n, -100_000n]) {
        for (const near of [-1n, 0n, 1n]) {
          const whole = amount - (amount % 1000n) + near;
          if (whole >= 0n) assertIs(feeOn(moneyOf(whole), Number(rate)), feeOf(whole, rate), `${rate} of ${whole}`);
        }
      }
    }
  });
});
