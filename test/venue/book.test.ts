import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HASHES, runBook } from '../../bench/book.ts';
import { FLOW_FILLS, FLOW_MESSAGES, flow } from '../../bench/flow.ts';
import { canonicalHash, load, SCENARIOS } from '../../bench/yardstick.ts';
import { BUY, NONE, SELL, type Side } from '../../src/venue/contract/units.ts';
import { Book } from '../../src/venue/structures/order-book.ts';
import { NaiveBook, type NaiveEntry } from './naive-book.ts';

const SIDES: readonly Side[] = [BUY, SELL];
const LARGEST = Number.MAX_SAFE_INTEGER;

/** The owners of a side in the order in which the book would trade them. */
function owners(book: Book, side: Side): number[] {
  const result: number[] = [];
  for (let handle = book.front(side); handle !== NONE; handle = book.next(handle)) result.push(book.owner(handle));
  return result;
}

/** Both books say the same about everything that can be asked. */
function assertSame(book: Book, naive: NaiveBook): void {
  for (const side of SIDES) {
    const queue = naive.queue(side);
    const depth = naive.depth(side);
    assert.deepEqual(
      owners(book, side),
      queue.map((entry) => entry.owner),
    );
    assert.deepEqual(book.depth(side, LARGEST), depth);
    assert.deepEqual(book.depth(side, 2), depth.slice(0, 2));
    assert.equal(book.bestPrice(side), naive.bestPrice(side));
    assert.equal(book.count(side), queue.length);
    for (const level of depth) assert.equal(book.levelSize(side, level.priceTicks), level.sizeLots);
  }
}

interface Step {
  readonly kind: 'add' | 'remove' | 'reduce' | 'fill' | 'fill front';
  readonly side: Side;
  readonly priceTicks: number;
  readonly sizeLots: number;
  /** Picks one of the entries in the book. */
  readonly pick: number;
}

/** A book and its naive twin under the same steps. */
class Twins {
  readonly book = new Book();
  readonly naive = new NaiveBook();
  readonly #live = new Map<NaiveEntry, number>();
  #owner = 0;

  take(step: Step): void {
    if (step.kind === 'add') this.#add(step);
    else if (step.kind === 'fill front') this.#fillFront(step);
    else if (this.#live.size > 0) this.#change(step);
  }

  #add({ side, priceTicks, sizeLots }: Step): void {
    const owner = this.#owner++;
    this.#live.set(this.naive.add(side, priceTicks, sizeLots, owner), this.book.add(side, priceTicks, sizeLots, owner));
  }

  #fillFront({ side, sizeLots }: Step): void {
    const handle = this.book.front(side);
    const entry = this.naive.queue(side)[0];
    assert.equal(handle, entry === undefined ? NONE : this.#live.get(entry));
    if (entry !== undefined) this.#fill(entry, handle, sizeLots);
  }

  #change({ kind, pick, sizeLots }: Step): void {
    const entry = [...this.#live.keys()][pick % this.#live.size];
    const handle = this.#live.get(entry)!;
    assert.deepEqual(
      [this.book.side(handle), this.book.price(handle), this.book.size(handle), this.book.owner(handle)],
      [entry.side, entry.priceTicks, entry.sizeLots, entry.owner],
    );
    if (kind === 'fill') this.#fill(entry, handle, sizeLots);
    else if (kind === 'reduce' && sizeLots < entry.sizeLots) {
      this.naive.reduce(entry, sizeLots);
      this.book.reduce(handle, sizeLots);
    } else {
      this.naive.remove(entry);
      this.book.remove(handle);
      this.#forget(entry, handle);
    }
  }

  #fill(entry: NaiveEntry, handle: number, sizeLots: number): void {
    const lots = Math.min(sizeLots, entry.sizeLots);
    const left = this.naive.fill(entry, lots);
    assert.equal(this.book.fill(handle, lots), left);
    if (left === 0) this.#forget(entry, handle);
  }

  #forget(entry: NaiveEntry, handle: number): void {
    this.#live.delete(entry);
    assert.equal(this.book.size(handle), 0);
    assert.throws(() => this.book.remove(handle), /is not in the book/);
  }
}

function steps(prices: number): fc.Arbitrary<Step> {
  return fc.record({
    kind: fc.constantFrom('add', 'add', 'add', 'remove', 'reduce', 'fill', 'fill front') as fc.Arbitrary<Step['kind']>,
    side: fc.constantFrom(...SIDES),
    priceTicks: fc.integer({ min: 1, max: prices }),
    sizeLots: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 ** 40 })),
    pick: fc.nat(),
  });
}

for (const prices of [3, 100]) {
  test(`the book does what the naive book does, on ${prices} prices`, () => {
    fc.assert(
      fc.property(fc.array(steps(prices), { maxLength: 150, size: 'max' }), (sequence) => {
        const twins = new Twins();
        for (const step of sequence) {
          twins.take(step);
          assertSame(twins.book, twins.naive);
        }
      }),
      { numRuns: 80 },
    );
  });
}

test('the book does what the naive book does while its columns grow and shrink again', () => {
  const twins = new Twins();
  const [sequence] = fc.sample(fc.array(steps(900), { minLength: 6000, maxLength: 6000, size: 'max' }), {
    numRuns: 1,
    seed: 7,
  });
  for (const [i, step] of sequence.entries()) {
    twins.take({ ...step, kind: i < 2500 ? 'add' : step.kind === 'add' ? 'remove' : step.kind });
    if (i % 250 === 0) assertSame(twins.book, twins.naive);
  }
  assertSame(twins.book, twins.naive);
});

test('an empty side has no front, no best price, no depth', () => {
  const book = new Book();
  for (const side of SIDES) {
    assert.equal(book.front(side), NONE);
    assert.equal(book.bestPrice(side), NONE);
    assert.deepEqual(book.depth(side, 10), []);
    assert.equal(book.levelSize(side, 1), 0);
    assert.equal(book.count(side), 0);
  }
});

test('buys trade from the highest price, sells from the lowest, and at one price the earlier first', () => {
  const book = new Book();
  for (const side of SIDES) {
    for (const [owner, price] of [10, 12, 11, 12, 10].entries()) book.add(side, price, 1, owner);
  }
  assert.deepEqual(owners(book, BUY), [1, 3, 2, 0, 4]);
  assert.deepEqual(owners(book, SELL), [0, 4, 2, 1, 3]);
});

test('an entry that is reduced or partly filled keeps its place', () => {
  const book = new Book();
  const first = book.add(SELL, 10, 5, 1);
  book.add(SELL, 10, 5, 2);
  book.reduce(first, 2);
  assert.equal(book.fill(first, 2), 1);
  assert.deepEqual(owners(book, SELL), [1, 2]);
  assert.deepEqual(book.depth(SELL, 1), [{ priceTicks: 10, sizeLots: 6 }]);
});

test('prices and sizes reach to 2^53 - 1', () => {
  const book = new Book();
  for (const side of SIDES) {
    const handle = book.add(side, LARGEST, LARGEST, -(2 ** 31));
    assert.deepEqual([book.price(handle), book.size(handle), book.owner(handle)], [LARGEST, LARGEST, -(2 ** 31)]);
    assert.equal(book.fill(handle, LARGEST - 1), 1);
    assert.equal(book.levelSize(side, LARGEST), 1);
  }
});

test('a level whose lots would no longer be exact is refused, and nothing changes', () => {
  const book = new Book();
  book.add(BUY, 7, LARGEST, 1);
  assert.throws(() => book.add(BUY, 7, 1, 2), /the level at 7 would exceed 2\^53 lots/);
  assert.deepEqual(owners(book, BUY), [1]);
  assert.equal(book.levelSize(BUY, 7), LARGEST);
});

test('misuse throws and leaves the book as it was', () => {
  const book = new Book();
  const handle = book.add(BUY, 10, 3, 1);
  const gone = book.add(BUY, 10, 3, 2);
  book.remove(gone);
  const misuses: [string, () => unknown][] = [
    ['price 0', () => book.add(BUY, 0, 1, 0)],
    ['price 1.5', () => book.add(BUY, 1.5, 1, 0)],
    ['price NaN', () => book.add(BUY, Number.NaN, 1, 0)],
    ['size 0', () => book.add(BUY, 1, 0, 0)],
    ['size 2^53', () => book.add(BUY, 1, 2 ** 53, 0)],
    ['owner 2^31', () => book.add(BUY, 1, 1, 2 ** 31)],
    ['fill of more than there is', () => book.fill(handle, 4)],
    ['fill of nothing', () => book.fill(handle, 0)],
    ['fill of a fraction', () => book.fill(handle, 0.5)],
    ['reduction by everything', () => book.reduce(handle, 3)],
    ['reduction by a negative number', () => book.reduce(handle, -1)],
  ];
  for (const stale of [gone, NONE, 5000]) {
    misuses.push(
      [`remove of ${stale}`, () => book.remove(stale)],
      [`fill of ${stale}`, () => book.fill(stale, 1)],
      [`reduce of ${stale}`, () => book.reduce(stale, 1)],
      [`next of ${stale}`, () => book.next(stale)],
      [`price of ${stale}`, () => book.price(stale)],
      [`owner of ${stale}`, () => book.owner(stale)],
      [`side of ${stale}`, () => book.side(stale)],
    );
    assert.equal(book.size(stale), 0);
  }
  for (const [name, misuse] of misuses) assert.throws(misuse, RangeError, name);
  assert.deepEqual(owners(book, BUY), [1]);
  assert.deepEqual(book.depth(BUY, 10), [{ priceTicks: 10, sizeLots: 3 }]);
});

for (const scenario of SCENARIOS) {
  test(`the reports on the recorded flow ${scenario} have the published hash`, () => {
    assert.equal(canonicalHash(runBook(load(scenario)).out), HASHES[scenario]);
  });
}

test('the generated flow makes 376,209 fills', () => {
  const { n, isCancel, side, price, size, target } = flow(FLOW_MESSAGES);
  const book = new Book();
  const handles = new Int32Array(n).fill(NONE);
  let fills = 0;
  for (let i = 0; i < n; i++) {
    if (isCancel[i]) {
      if (handles[target[i]] === NONE) continue;
      book.remove(handles[target[i]]);
      handles[target[i]] = NONE;
      continue;
    }
    const own = side[i] as Side;
    const against = own === BUY ? SELL : BUY;
    let left = size[i];
    for (let maker = book.front(against); left > 0 && maker !== NONE; maker = book.front(against)) {
      if (own === BUY ? book.price(maker) > price[i] : book.price(maker) < price[i]) break;
      const lots = Math.min(left, book.size(maker));
      const owner = book.owner(maker);
      if (book.fill(maker, lots) === 0) handles[owner] = NONE;
      left -= lots;
      fills++;
    }
    if (left > 0) handles[i] = book.add(own, price[i], left, i);
  }
  assert.equal(fills, FLOW_FILLS);
});
