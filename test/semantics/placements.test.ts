/**
 * Every field of every placement variant, on every surface, reaches the order: each row sends one field that differs from the
 * variant's base request, and says how the order differs from the base order. What the order is comes from its history.
 *
 * Invariant: a variant's rows and its ignored fields are all that its schema has, but for what tells variants apart.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future } from '../support/bodies.ts';
import { type Json, ok, type Reply } from '../support/client.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';
import { FUTURES_V23_VARIANTS } from './placements/futures-v2.3.ts';
import { FUTURES_V3_VARIANTS } from './placements/futures-v3.ts';
import { SPOT_V33_VARIANTS } from './placements/spot-v3.3.ts';
import { SPOT_V4_VARIANTS } from './placements/spot-v4.ts';
import type { Variant } from './placements/variant.ts';

/** What tells variants apart, and the market. */
const TELLING = ['symbol', 'side', 'type', 'txType', 'orderSide', 'orderType', 'triggerOrderType'];

/** A LONG of 10 contracts. */
async function open(w: World): Promise<void> {
  await w.rest('SELL', 100, 10, PERP);
  await ok(w.alice.future(future('BUY', null, 10)));
}

function send(w: World, { method = 'POST', path }: Variant, body: Json, headers = {}): Promise<Reply> {
  return w.alice.call(method, path, { body, headers });
}

/** Each order of the reply as it was accepted, and the mode that it was accepted in. */
async function placed(w: World, variant: Variant, body: Json, headers = {}): Promise<Json[]> {
  const reply = await ok(send(w, variant, body, headers));
  const records: Json[] = Array.isArray(reply) ? reply : [reply];
  return Promise.all(
    records.map(async (record) => {
      const id = record.orderID ?? record.orderId;
      const { order, events } = (await w.control.request('GET', `/orders/${id}`)) as Json;
      // Without what caused it, and the prices of then.
      const { seq, time, type, status, oco: leg, by, due, last, index, mark, ...accepted } = events[0];
      return {
        ...accepted,
        ...(leg && { leg: leg.role }),
        ...(order.positionMode && { positionMode: order.positionMode }),
      };
    }),
  );
}

/** A copy with what differs; nested members are merged, undefined takes one away. */
function merged(base: Json, differs: Json): Json {
  const copy = { ...base };
  for (const [name, value] of Object.entries(differs)) {
    const nested = typeof value === 'object' && value !== null && typeof copy[name] === 'object';
    if (value === undefined) delete copy[name];
    else copy[name] = nested ? merged(copy[name], value) : value;
  }
  return copy;
}

const SURFACES = {
  'spot v4': SPOT_V4_VARIANTS,
  'spot v3.3': SPOT_V33_VARIANTS,
  'futures v2.3': FUTURES_V23_VARIANTS,
  'futures v3': FUTURES_V3_VARIANTS,
};

for (const [surface, variants] of Object.entries(SURFACES)) {
  describe(`${surface}, every field reaches the order`, () => {
    const it = scenarios();
    for (const variant of variants) {
      const { name, body, base, rows, ignored = {} } = variant;

      const begin = async (w: World, position: boolean | undefined = variant.closes) => {
        await w.begin();
        if (position) await open(w);
      };

      it(`${name}: the rows are all that its schema has`, async () => {
        const listed = [...Object.keys(rows), ...Object.keys(ignored)];
        const fields = Object.keys(variant.schema.properties).filter((field) => !TELLING.includes(field));
        assert.deepEqual(listed.sort(), fields.sort());
      });

      it(`${name}: ${Object.keys(rows).join(', ')}`, async (w) => {
        await begin(w);
        const orders = await placed(w, variant, body);
        assert.deepEqual(orders, base);
        for (const [field, [value, differs, all]] of Object.entries(rows)) {
          // These need a position, or no order.
          const fresh = field === 'reduceOnly' || field === 'positionMode';
          if (fresh) await begin(w, field === 'reduceOnly');
          const request = { ...body, ...(all === 'all' ? value : { [field]: value }) };
          const expected = [differs].flat().map((part, i) => merged(orders[i], part));
          assert.deepEqual(await placed(w, variant, request), expected, field);
          if (fresh) await begin(w);
        }
      });

      it(`${name}: what the fields of other variants say is refused or makes no difference`, async (w) => {
        await begin(w);
        for (const [field, value] of Object.entries(ignored)) {
          const request = { ...body, [field]: value };
          const { status, body: reply } = await send(w, variant, request);
          if (status === 400) assert.ok(JSON.stringify(reply).includes(field), field);
          else assert.deepEqual(await placed(w, variant, request), base, field);
        }
      });

      if (variant.attaches) continue;
      it(`${name}: BROKER-ID`, async (w) => {
        await begin(w);
        const tagged = await placed(w, variant, body, { 'BROKER-ID': 'partner' });
        assert.deepEqual(
          tagged,
          base.map((each) => ({ ...each, broker: 'partner' })),
        );
      });
    }
  });
}
