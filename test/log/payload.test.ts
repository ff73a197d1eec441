/** Commands as bytes: whatever the command, what is read is what JSON would give back. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandsPayload, encodeFrame, frameLength, NO_HASH } from '../../src/log/shared/frame.ts';
import { SHAPES } from '../../src/log/shared/payload/command-table.ts';
import { decodeCommands, PayloadBroken, PayloadUnknown } from '../../src/log/shared/payload/decode.ts';
import { CommandEncoder, encodeCommands } from '../../src/log/shared/payload/encode.ts';
import { runSeed } from '../model/run.ts';

const KEY = '00fdfeff'.repeat(8);
const BASE = { v: 1, account: 3, market: 2 };
const PLACE = { ...BASE, type: 'place', side: 1, clientId: 'mine-1', request: null, broker: null };
const SIGNED = { signed: { key: KEY, nonceMs: 1_767_225_600_000 } };
const FUTURE = { ...SIGNED, positionMode: 'HEDGE', position: 7 };
const ATTACHED = { takeProfit: { price: 61, reference: 'mark' }, stopLoss: null };

/** By the number of its shape: a command that has everything, and its bytes in hex. They are in logs for ever. */
const EVERY_SHAPE: Readonly<Record<number, readonly [command: object, bytes: string]>> = {
  1: [
    {
      ...PLACE,
      kind: 'limit',
      price: 60,
      size: 5,
      timeInForce: 'DAY',
      postOnly: true,
      reduceOnly: false,
      ...FUTURE,
      ...ATTACHED,
    },
    '02a6e94d04030d6d696e652d313d0601420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370083e',
  ],
  2: [
    {
      ...PLACE,
      kind: 'market',
      size: null,
      quote: '12300000000',
      reduceOnly: true,
      timeInForce: 'FOK',
      ...FUTURE,
      ...ATTACHED,
    },
    '03a8d49a0204030d6d696e652d3117313233303030303030303001420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370083e',
  ],
  3: [
    {
      ...PLACE,
      kind: 'conditional',
      rule: 'profit',
      trigger: 62,
      reference: 'last',
      price: 60,
      size: 5,
      quote: null,
      timeInForce: 'MONTH',
      postOnly: false,
      reduceOnly: true,
      ...FUTURE,
      ...ATTACHED,
    },
    '04b2ab894f04030d6d696e652d313f3d0601420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370083e',
  ],
  4: [
    {
      ...PLACE,
      kind: 'oco',
      size: 5,
      price: 60,
      stopTrigger: 70,
      stopReference: 'index',
      stopPrice: 71,
      timeInForce: 'GTC',
      postOnly: false,
      reduceOnly: false,
      ...FUTURE,
    },
    '05f8860b04030d6d696e652d31063d474801420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a37008',
  ],
  5: [
    {
      ...PLACE,
      kind: 'trailing',
      distance: null,
      percent: 500_000_000,
      reference: 'mark',
      size: 5,
      quote: null,
      activation: 64,
      activationReference: 'last',
      reduceOnly: false,
      timeInForce: null,
      ...FUTURE,
    },
    '0684ba8e0604030d6d696e652d31f988f7fa02064101420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a37008',
  ],
  6: [
    { ...PLACE, kind: 'peg', price: 60, size: 5, stealth: 1_000_000_000, deviation: -50_000_000, ...FUTURE },
    '07fa0504030d6d696e652d313d06eda6e5f408e2e5fb3201420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a37008',
  ],
  7: [
    {
      ...PLACE,
      kind: 'twap',
      size: 500,
      periodMs: 600_000,
      makerFirst: true,
      randomizeSize: false,
      maxChildSize: null,
      maxSpread: 1_000_000,
      maxThroughBook: null,
      pausePrice: 70,
      activation: null,
      activationReference: null,
      ...FUTURE,
    },
    '08ea931504030d6d696e652d31f904f1e226bffb3f4701420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a37008',
  ],
  8: [
    { v: 1, type: 'cancel', account: 3, product: 'futures', market: 2, order: 65_536 * 900, clientId: null, ...SIGNED },
    '09180403a397bc1e01420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  9: [
    { v: 1, type: 'cancelAll', account: 3, product: 'spot', market: null, ...SIGNED },
    '0a050401420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  10: [
    {
      v: 1,
      type: 'amend',
      account: 3,
      product: 'spot',
      market: 0,
      order: null,
      clientId: 'ü',
      price: 61,
      size: null,
      totalSize: true,
      trigger: null,
      ...SIGNED,
    },
    '0bdd03040105c3bc3e01420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  11: [
    { v: 1, type: 'cancelAllAfter', account: 3, product: 'spot', timeoutMs: 60_000, ...SIGNED },
    '0c030497e10401420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  12: [
    { ...BASE, type: 'setLeverage', margin: 'ISOLATED', leverage: 25, position: 7, ...SIGNED },
    '0d0804031a0801420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  13: [
    { ...BASE, type: 'setRiskLimit', level: 2, ...SIGNED },
    '0e0204030301420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  14: [
    { ...BASE, type: 'setPositionMode', mode: 'ISOLATED', ...SIGNED },
    '0f07040301420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  15: [
    {
      ...BASE,
      type: 'attachBrackets',
      position: 7,
      takeProfit: null,
      stopLoss: { price: 50, reference: 'index' },
      ...SIGNED,
    },
    '10590403083301420404f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb04f9fafb7fb5b4f8a370',
  ],
  16: [
    { v: 1, type: 'deposit', account: 3, currency: 'USDT', amount: '-12300000000' },
    '1104010955534454192d3132333030303030303030',
  ],
  17: [
    { v: 1, type: 'setPrices', market: 2, byHand: true, index: 60_000_000, mark: null, last: 60 },
    '121803bba3fc1e3d',
  ],
  18: [{ v: 1, type: 'advance', toMs: 1_767_225_660_000 }, '1397bddcbbd038'],
  19: [{ v: 1, type: 'tick' }, '14'],
  20: [
    {
      v: 1,
      type: 'market',
      market: 2,
      toMs: 1_767_225_660_000,
      position: 300,
      recordedMs: 1_723_161_255_617,
      steps: [1, 2, 6_183_763, 94_800, -6_183_764, 0, 3, -6_183_763, 210, 4, 6_183_763_500, 0, 5],
    },
    '150397bddcbbd038af038ae6d4d19f370e0305f97f9607dff50cfa7f96070107f87f9607a9040997ddca8732010b',
  ],
};
const SAMPLES = Object.values(EVERY_SHAPE).map(([command]) => command);

function throughJson(commands: readonly unknown[]): unknown[] {
  return commands.map((command) => JSON.parse(JSON.stringify(command)));
}

function throughBytes(commands: readonly unknown[]): unknown[] {
  const { bytes, count } = encodeCommands(commands);
  const stray = bytes.findIndex((byte) => byte < 1 || byte > 252);
  assert.equal(stray, -1, `byte ${bytes[stray]} at ${stray} of ${bytes.toString('hex')}`);
  return decodeCommands(bytes, count);
}

/** The number of the shape that the command is written as. */
function shapeOf(command: unknown): number {
  return encodeCommands([command]).bytes[0] - 1;
}

test('every shape of the table has the bytes that it always had', () => {
  assert.deepEqual(
    Object.keys(EVERY_SHAPE).map(Number),
    SHAPES.map(({ number }) => number),
  );
  const bytes = Object.entries(EVERY_SHAPE).map(([number, [command]]) => [
    Number(number),
    shapeOf(command),
    encodeCommands([command]).bytes.toString('hex'),
  ]);
  assert.deepEqual(
    bytes,
    Object.entries(EVERY_SHAPE).map(([number, [, hex]]) => [Number(number), Number(number), hex]),
  );
});

test('the commands of every shape are read as they were, alone and in one batch, with and without what may be absent', () => {
  const without = SAMPLES.map((command) => {
    const {
      signed: _,
      positionMode: __,
      position: ___,
      takeProfit: ____,
      ...rest
    } = command as Record<string, unknown>;
    return rest;
  });
  const all = [...SAMPLES, ...without, ...SAMPLES];
  assert.deepEqual(throughBytes(all), throughJson(all));
  for (const command of all) assert.deepEqual(throughBytes([command]), throughJson([command]));
});

test('what the generator of the model sends is read as it was, and JSON is for rare commands and nonsense', () => {
  const inTheTable = SHAPES.map(({ common }) => common.type);
  let frequent = 0;
  let asJson = 0;
  for (let seed = 1; seed <= 8; seed += 1) {
    const { genesis, steps } = runSeed(seed, 150);
    const commands = [genesis, ...steps.map(({ command }) => command)];
    assert.deepEqual(throughBytes(commands), throughJson(commands));
    for (const command of commands) {
      if (!inTheTable.includes(command.type)) continue;
      frequent += 1;
      if (shapeOf(command) === 0) asJson += 1; // A price of −1, a level of null.
    }
  }
  assert.ok(frequent > 1000 && asJson < frequent / 50, `${asJson} of ${frequent}`);
});

/** Values that a field of a command may have by mistake, or in a later version. */
const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    undefined,
    -0,
    -1,
    0.5,
    2 ** 53 - 1,
    2 ** 53,
    -(2 ** 52),
    1e300,
    Number.NaN,
    '',
    '\u0000',
    '\ud800',
    KEY,
  ),
  fc.constantFrom(
    'GTC',
    'HEDGE',
    'mark',
    true,
    false,
    null,
    {},
    [],
    { price: 1 },
    { price: 1, reference: 'mark', more: 1 },
  ),
);
const names = [...new Set(SAMPLES.flatMap((command) => Object.keys(command))), 'more', '__proto__', 'toString'];
const changed = fc
  .tuple(
    fc.constantFrom(...SAMPLES),
    fc.array(fc.tuple(fc.constantFrom(...names), anyValue, fc.boolean()), { maxLength: 3 }),
  )
  .map(([command, changes]) => {
    const result: Record<string, unknown> = { ...command };
    for (const [name, value, away] of changes) {
      if (away) delete result[name];
      else Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return result;
  });

test('any change of any command is read as JSON gives it back', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(changed, fc.jsonValue()), { maxLength: 8 }), (commands) => {
      assert.deepEqual(throughBytes(commands), throughJson(commands));
    }),
    { numRuns: 1500 },
  );
});

test('texts of any kind are read as they were, shared ones too', () => {
  const hexDigits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 130 });
  fc.assert(
    fc.property(fc.array(fc.oneof(hexDigits, fc.string({ unit: 'binary' })), { maxLength: 6 }), (texts) => {
      const commands = texts.flatMap((text, i) => [
        { v: 1, type: 'tick', signed: { key: text, nonceMs: i } },
        { ...PLACE, kind: 'peg', price: 1, size: 1, stealth: 1, deviation: 0, clientId: text, broker: text },
        {
          v: 1,
          type: 'cancelAll',
          account: 1,
          product: 'spot',
          market: null,
          signed: { key: text, nonceMs: -i * 1e12 },
        },
      ]);
      assert.deepEqual(throughBytes(commands), throughJson(commands));
    }),
    { numRuns: 500 },
  );
});

test('a batch has the same bytes whatever was encoded before it', () => {
  const encoder = new CommandEncoder();
  // More texts in all than the encoder keeps, so it drops them once on the way.
  const batches = Array.from({ length: 80 }, (_, batch) =>
    Array.from({ length: 100 }, (_, i) => {
      const text = i % 3 === 0 ? `broker ${batch % 7}` : hash('sha256', `key ${batch * 90 + i}`, 'hex');
      return { v: 1, type: 'tick', signed: { key: text, nonceMs: 1_767_225_600_000 + i } };
    }),
  );
  for (const batch of batches) {
    for (const command of batch) encoder.add(command);
    assert.deepEqual(encoder.take(), encodeCommands(batch));
  }
});

test('a plain LIMIT order of spot v4 takes at most 60 bytes in a batch of 32, each with a different key', () => {
  for (const size of [32, 128]) {
    const commands = Array.from({ length: size }, (_, i) => ({
      v: 1,
      type: 'place',
      account: 999_000 + i,
      market: 999,
      side: i % 2,
      clientId: null,
      request: null,
      broker: null,
      kind: 'limit',
      price: 9_000_000 + i,
      size: 200_000_000 + i,
      timeInForce: i % 2 === 0 ? 'GTC' : 'MONTH',
      postOnly: true,
      reduceOnly: false,
      signed: { key: hash('sha256', `key ${i}`, 'hex'), nonceMs: 1_767_225_600_000 + (i % 2) * 60_000 },
    }));
    const payload = commandsPayload(encodeCommands(commands));
    // Header, format byte, and trailer.
    const bytes = 96 + 1 + payload.bytes.length + 36;
    assert.equal(frameLength(payload), Math.ceil(bytes / 512) * 512);
    assert.ok(bytes <= 60 * size, `${bytes / size} bytes`);
  }
});

test('a payload that is cut or changed is refused, or read as other commands, and nothing else happens', () => {
  const { bytes, count } = encodeCommands([...SAMPLES, { more: 'ü' }]);
  const whole = decodeCommands(bytes, count);
  for (let length = 0; length < bytes.length; length += 1) {
    assert.throws(() => decodeCommands(bytes.subarray(0, length), count), refused);
  }
  for (let at = 0; at < bytes.length; at += 1) {
    for (const byte of [0, 1, 32, 126, 127, 252, 253, 255]) {
      const other = Buffer.from(bytes);
      other[at] = byte;
      try {
        decodeCommands(other, count);
      } catch (error) {
        assert.ok(refused(error), String(error));
      }
    }
  }
  assert.throws(() => decodeCommands(bytes, count - 1), PayloadBroken);
  assert.deepEqual(decodeCommands(Buffer.concat([bytes, Buffer.alloc(511, ' ')]), count), whole);
});

function refused(error: unknown): boolean {
  return error instanceof PayloadBroken || error instanceof PayloadUnknown;
}

test('a shape, a value or a head that this version does not know is said to be unknown', () => {
  for (const [bytes, what] of [
    [[1 + SHAPES.length + 1], /a command of shape 21/],
    // The third and last bit of the mode: only 3 of 4 are known.
    [[1 + 14, 1 + 0b11, 1, 1], /value 3 of a field/],
    [[1 + 18, 1 + 5, 1], undefined],
  ] as const) {
    const read = () => decodeCommands(Buffer.from(bytes), 1);
    if (what === undefined) assert.throws(read, PayloadBroken);
    else assert.throws(read, (error) => error instanceof PayloadUnknown && what.test(error.message));
  }
});

test('what JSON cannot hold is refused, and the batch goes on without it', () => {
  for (const command of [undefined, () => {}, { big: 1n }]) {
    assert.throws(() => encodeCommands([{ v: 1, type: 'tick' }, command]), TypeError);
  }
});

test('the largest batch fills the largest frame, and one byte more is refused', () => {
  const header = {
    kind: 'batch',
    segmentBytes: 0,
    epoch: 1,
    firstSeq: 1,
    lastSeq: 1,
    timeMs: 0,
    durableSeq: 0,
    prevHash: NO_HASH,
    effects: undefined,
  } as const;
  const largest = 16 * 1024 * 1024 - 96 - 1 - 36;
  const exact = { count: 1, bytes: Buffer.alloc(largest, 1) };
  assert.equal(encodeFrame(header, commandsPayload(exact)).bytes.length, 16 * 1024 * 1024);
  assert.throws(
    () => encodeFrame(header, commandsPayload({ count: 1, bytes: Buffer.alloc(largest + 1, 1) })),
    RangeError,
  );
});
