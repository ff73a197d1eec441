/** What the archive's file holds in place of a row is read back as that row, whatever its values are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalOfInteger, decimalParts, integerOfDecimal, product } from '../../src/archive/store/decimals.ts';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { Names } from '../../src/archive/store/names.ts';
import { type Packed, PackReader, PackWriter } from '../../src/archive/store/packing.ts';
import { RowForm, type StoredRow } from '../../src/archive/store/row-form.ts';
import {
  columnsOf,
  type Row,
  TABLE_NAMES,
  TABLES,
  type Table,
  type TableName,
} from '../../src/archive/store/tables.ts';
import { decimalText } from '../../src/venue/contract/decimal.ts';
import { OrderIds } from '../../src/venue/contract/order-id.ts';
import { busyVenue, unrest } from '../venue/busy-venue.ts';
import { BTC_PERP, BTC_USDT, VenueDriver } from '../venue/support.ts';
import { projected } from './support.ts';

const ids = new OrderIds('00112233445566778899aabbccddeeff');
const ACCOUNTS = ['alice', 'bob'];

function directory() {
  return {
    names: new Names([]),
    ids,
    accountNumber: (name: string) => (ACCOUNTS.includes(name) ? ACCOUNTS.indexOf(name) + 1 : undefined),
    accountName: (number: number) => ACCOUNTS[number - 1],
  };
}

const decimal = fc
  .tuple(fc.bigInt(-(10n ** 22n), 10n ** 22n), fc.integer({ min: 0, max: 20 }))
  .map(([units, scale]) => decimalText(units, scale));
/** Texts that look like what is stored in another way, and are not. */
const odd = fc.constantFrom(
  '',
  '0',
  '-0',
  '00',
  '007',
  '1.50',
  '.5',
  '1.',
  '-',
  '1e5',
  '1,5',
  ' 1',
  '15',
  '16',
  '0.0',
  '-0.0',
);
const key = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 36 }), fc.integer({ min: 0, max: 65535 }))
  .map(([seq, i]) => seq * 65536 + i);
const text = fc.oneof(
  decimal,
  odd,
  fc.string({ unit: 'binary' }),
  key.map((one) => ids.encode(one)),
);
const time = fc.integer({ min: -(2 ** 50), max: 2 ** 50 });
const whole = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -20, max: 20 }), fc.constant(1_767_225_600_000));

test('an exact decimal is read back from its integer, or it has none', () => {
  fc.assert(
    fc.property(text, (one) => {
      const integer = integerOfDecimal(one);
      if (integer !== undefined) assert.equal(decimalOfInteger(integer), one);
    }),
    { numRuns: 2000 },
  );
  for (const usual of ['0', '0.00000001', '59000.5', '-12.25', '99999999999.99', '0.000000000001']) {
    assert.ok(integerOfDecimal(usual) !== undefined, usual);
  }
  for (const other of ['', '-', '-0', '-0.0', '01', '.5', '1.', '1.2.3', '1e5', '9007199254740993', '1 ']) {
    assert.equal(integerOfDecimal(other), undefined, other);
  }
  assert.deepEqual(decimalParts('-0.50'), { negative: true, scale: 2, digits: 50 });
});

test('a product of decimals is exact, or there is none', () => {
  fc.assert(
    fc.property(decimal, decimal, (one, other) => {
      const found = product(one, other);
      if (found === undefined) return;
      const [a, b] = [one, other].map((each) => decimalParts(each) ?? assert.fail());
      const units = BigInt(a.digits) * BigInt(b.digits) * (a.negative !== b.negative ? -1n : 1n);
      assert.equal(found, decimalText(units, a.scale + b.scale));
    }),
    { numRuns: 1000 },
  );
  assert.equal(product('59000.5', '0.004'), '236.002');
});

test('any value is read back from its bytes', () => {
  const leaf = fc.oneof(
    text,
    whole,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const member = fc.constantFrom('type', 'side', 'state', 'clientId', 'price', 'a b', 'é');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value')),
      fc.dictionary(member, tie('value'), { noNullPrototype: true }),
    ),
  })) as { value: fc.Arbitrary<Packed> };
  const { names } = directory();
  const writer = new PackWriter(names, () => ids);
  fc.assert(
    fc.property(fc.array(value), fc.array(leaf), (values, known) => {
      writer.begin();
      writer.know(known as Packed[]);
      for (const one of values) writer.value(one);
      const reader = new PackReader(names, () => ids);
      reader.begin(writer.take());
      reader.know(known as Packed[]);
      const read = values.map(() => reader.value());
      assert.ok(reader.done);
      assert.equal(JSON.stringify(read), JSON.stringify(values));
    }),
    { numRuns: 2000 },
  );
});

test('members without a name, or with a comma or an equals sign, are refused, because a shape could not tell them apart', () => {
  const writer = new PackWriter(new Names([]), () => ids);
  for (const member of ['a,b', 'a=b', '']) assert.throws(() => writer.value({ [member]: 1 }), TypeError);
});

/** Any row: what a column holds need not fit to the others. */
function anyRow(table: TableName): fc.Arbitrary<Row> {
  const { columns, key: ofKey }: Table = TABLES[table];
  const of = ([name, column]: [string, Table['columns'][string]]): fc.Arbitrary<unknown> => {
    if (name === 'events') {
      const event = fc.record(
        { type: fc.constantFrom('accepted', 'ended'), time: whole, price: text },
        { requiredKeys: ['type'], noNullPrototype: true },
      );
      return fc.option(fc.array(event, { minLength: 1 }));
    }
    const orNull = <T>(one: fc.Arbitrary<T>) => (ofKey.includes(name) ? one : fc.option(one));
    if (!('form' in column)) {
      if (column.after !== undefined) return orNull(time);
      return orNull(column.named ? fc.constantFrom('BUY', 'SELL', 'GTC') : fc.oneof(text, whole));
    }
    if (column.form === 'name') return orNull(fc.constantFrom('BTC-USDT', 'limit', 'filled', 'é'));
    if (column.form === 'account') return orNull(fc.constantFrom(...ACCOUNTS));
    if (column.form === 'decimal') return orNull(fc.oneof(decimal, odd));
    if (column.form === 'orderId')
      return orNull(
        fc.oneof(
          key.map((one) => ids.encode(one)),
          odd,
        ),
      );
    return name === 'orderKey' || name === 'before' ? key : orNull(name.endsWith('Ms') ? time : whole);
  };
  return fc.tuple(...Object.entries(columns).map(of)) as unknown as fc.Arbitrary<Row>;
}

for (const table of TABLE_NAMES) {
  test(`any row of ${table} is decoded as it was, and a changed one is not`, () => {
    const form = new RowForm(table, directory());
    fc.assert(
      fc.property(anyRow(table), fc.nat(), (row, at) => {
        const stored = form.encode(row);
        const damaged = [...stored] as StoredRow;
        assert.deepEqual(form.decode(stored), row);
        const place = at % (damaged.length - 1);
        const value = damaged[place];
        damaged[place] =
          value instanceof Uint8Array ? value.map((byte, i) => (i === 0 ? byte ^ 1 : byte)) : (value ?? 0) + 1;
        if (place === damaged.length - 2 && value === null) return;
        assert.throws(() => form.decode(damaged), ArchiveDamaged);
      }),
      { numRuns: 300 },
    );
  });
}

test('a plain order takes few bytes, and so does what happens to it', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { index: 600_000_000 });
  driver.limit(0, BTC_USDT, 0, 590_000, 1234);
  const { store } = projected(driver.log);
  const form = new RowForm('orders', directory());
  const [row] = [...store.rows('orders')];
  const rest = form.encode(row).at(-2) as Uint8Array;
  assert.ok(rest.length < 30, `${rest.length} bytes`);
});

test('what a busy venue leaves has its names in few numbers: none of them is what a client chose', () => {
  const driver = busyVenue();
  unrest(driver);
  for (let i = 0; i < 50; i += 1) {
    driver.limit(0, BTC_USDT, 0, 590_000, 1000, { clientId: `my-order-${i}`, broker: `broker-${i}` });
    driver.limit(1, BTC_PERP, 0, 590_000, 1000, { clientId: `other-${i}` });
  }
  const { store } = projected(driver.log);
  assert.ok(store.state.names < 128, `${store.state.names} names`);
  assert.ok(columnsOf('orders').length < 64);
});
