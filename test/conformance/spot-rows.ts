/** Rows that many fields of the spot algo requests share: prices, sizes, price types, flags. */
import { type Json, refused } from '../support/client.ts';
import type { World } from '../support/venue.ts';
import { isRequired, NO_FLAGS, NO_NUMBERS, type Request, type Row, takes, takesNone } from './table.ts';

const send: Request['send'] = (client, body) => client.spot(body);
export const algo = (body: Json): Request => ({ send, body, malformed: 400 });

const BAD_PRICES = [...NO_NUMBERS, 0, -1];
export const PRICE_TYPES = ['LAST_PRICE', 'MARK_PRICE', 'INDEX_PRICE'];
export const BAD_PRICE_TYPES = ['LAST', 'last_price', 'lastPrice', '', 1];

/** A price field: malformed values refused, off the tick refused with the nearest, a good one (as text, too) taken. */
export function priceRow(row: string, request: Request, required: boolean, good: number, shows: string): Row {
  return {
    row,
    shows,
    async test(w) {
      if (required) await isRequired(w, request, row);
      await takesNone(w, request, row, BAD_PRICES);
      await refused(w.alice.spot({ ...request.body, [row]: good + 0.05 }), 302, row);
      await takes(w, request, row, [good, String(good)]);
    },
  };
}

/** An orderSize field: required, on the step, between the bounds. */
export function sizeRow(request: Request, shows: string): Row {
  return {
    row: 'orderSize',
    shows,
    async test(w) {
      await isRequired(w, request, 'orderSize');
      await takesNone(w, request, 'orderSize', NO_NUMBERS);
      for (const size of [0, -1, 0.000001])
        await refused(w.alice.spot({ ...request.body, orderSize: size }), 301, 'orderSize');
      await refused(w.alice.spot({ ...request.body, orderSize: 0.123456 }), 301, '0.12345 and 0.12346');
      await refused(w.alice.spot({ ...request.body, orderSize: 100.00001 }), 4003, '100');
      await takes(w, request, 'orderSize', [0.5, '0.50000']);
    },
  };
}

export function priceTypeRow(row: string, request: Request, required: boolean, shows: string): Row {
  return {
    row,
    shows,
    async test(w) {
      if (required) await isRequired(w, request, row);
      await takesNone(w, request, row, BAD_PRICE_TYPES);
      await takes(w, request, row, PRICE_TYPES);
    },
  };
}

export function flagRow(row: string, request: Request, shows: string): Row {
  return {
    row,
    shows,
    async test(w) {
      await takesNone(w, request, row, NO_FLAGS);
      await takes(w, request, row, [true, false]);
    },
  };
}

export function timeRow(request: Request, shows: string): Row {
  return {
    row: 'timeInForce',
    shows,
    async test(w) {
      await takesNone(w, request, 'timeInForce', ['HOUR', 'gtc', '', 1]);
      await takes(w, request, 'timeInForce', ['GTC', 'IOC', 'FOK']);
    },
  };
}

/** A field that belongs to another kind is refused by name, for each kind that lacks it. */
export async function foreign(w: World, body: Json, name: string, value: unknown): Promise<void> {
  await refused(w.alice.spot({ ...body, [name]: value }), 400, `${name} is not a field`);
}
