/**
 * The saved form of the state is what the state hash covers, in every log and snapshot that anyone has. So a new field is
 * saved only where it differs from its default: then the hashes of old logs stay as they are. A field that is new in the
 * lists below is saved at its default, and has moved the hash of every venue.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Venue } from '../../src/venue/venue.ts';
import { busyVenue, unrest } from './busy-venue.ts';
import { BTC_PERP, BTC_USDT, VenueDriver } from './support.ts';

const ADVICE =
  'a field was added to the saved state of a plain venue, or taken away: save it only where it differs from its default. ' +
  'What is meant to move every state hash needs a new RULES_VERSION (test/golden/README.md)';

const STATE = ['genesis', 'markets', 'accounts', 'keys', 'ledger', 'requests', 'deadMen', 'live', 'ended'];
const MARKET = [
  ...['spec', 'last', 'mark', 'judgedMark', 'indexPrice', 'markPinned', 'halted', 'nextTradeId', 'fundingRate'],
  ...['basis', 'premiumSum', 'distressed', 'bids', 'asks'],
];
const ACCOUNT = ['index', 'name', 'totals', 'reserved', 'feeRates', 'holdings'];
const LEDGER = ['fees', 'insurance', 'deposits', 'withdrawals'];
/** Columns: a field of which every order has the blank order's value has none. */
const PLAIN_ORDER = ['account', 'current', 'price', 'algo', 'updatedMs', 'createdMs', 'timeInForce', 'original'];
const LIVE = ['keys', 'fields', 'triggers', 'reserved', 'watched', 'due'];
const FILLED_ORDER = [
  ...['side', 'state', 'current', 'filled', 'price', 'algo', 'createdMs', 'timeInForce', 'original'],
  ...['lastFill', 'filledCost', 'covered', 'opened'],
];

/** A plain order that rests, one that is filled, and a position. */
function plainVenue(): VenueDriver {
  const driver = new VenueDriver();
  for (const market of [BTC_USDT, BTC_PERP]) {
    driver.prices(market, { index: 600_000_000 });
    driver.limit(0, market, 1, 600_000, 5_000);
    driver.limit(1, market, 0, 600_000, 5_000);
  }
  driver.limit(1, BTC_USDT, 0, 599_000, 5_000);
  return driver;
}

function fieldsOf(value: unknown): string[] {
  return Object.keys(value as object);
}

test('the saved state of a plain venue has these fields, in this order', () => {
  const driver = plainVenue();
  const state = JSON.parse(driver.hash());
  assert.deepEqual(fieldsOf(state), STATE, ADVICE);
  for (const market of state.markets) assert.deepEqual(fieldsOf(market), MARKET, ADVICE);
  for (const account of state.accounts) assert.deepEqual(fieldsOf(account), ACCOUNT, ADVICE);
  assert.deepEqual(fieldsOf(state.ledger), LEDGER, ADVICE);
  assert.deepEqual(fieldsOf(state.live), LIVE, ADVICE);
  assert.deepEqual(fieldsOf(state.live.fields), PLAIN_ORDER, ADVICE);
  assert.deepEqual(fieldsOf(JSON.parse(state.ended.rest).fields), FILLED_ORDER, ADVICE);
});

test('the positions in a market are saved as market, mode, leverage, next number and positions, and only if they differ from new ones', () => {
  const [alice] = JSON.parse(plainVenue().hash()).accounts;
  const [holding] = alice.holdings;
  assert.equal(holding.length, 5, ADVICE);
  const [market, mode, leverage, next, positions] = holding;
  assert.deepEqual([market, mode, leverage, next, positions.length], [BTC_PERP, 'ONE_WAY', 10, 1, 3]);
  for (const position of positions) assert.equal(position.length, 5, ADVICE);
});

test('the digest of effects and the nonces are saved beside the state, not in it', () => {
  const driver = plainVenue();
  const saved = JSON.parse(driver.venue.save());
  assert.deepEqual(fieldsOf(saved), ['format', 'seq', 'effects', 'nextAccount', 'snapshots', 'nonces', 'desk']);
  assert.deepEqual(fieldsOf(saved.desk), ['time', 'state']);
  assert.equal(JSON.stringify(saved.desk.state), driver.hash());
});

test('a venue that was saved in a form of before or after those known is refused by the number of its form', () => {
  const saved = JSON.parse(new VenueDriver().venue.save());
  for (const format of [0, saved.format + 1]) {
    const refused = new RegExp(`^Error: a saved venue of format ${format}, not \\d+ to ${saved.format}$`);
    assert.throws(() => Venue.load(JSON.stringify({ ...saved, format })), refused);
  }
  assert.equal(Venue.load(JSON.stringify(saved)).seq, saved.seq);
});

test('a liquidation under way is saved and loaded with the lots of its step', () => {
  const saved = JSON.parse(plainVenue().venue.save());
  const [net] = saved.desk.state.accounts[0].holdings[0][4];
  net.push(1_250);
  const text = JSON.stringify(saved);
  assert.equal(Venue.load(text).save(), text);
});

test('a venue with more orders than are loaded at a time is loaded as it was saved', () => {
  const driver = busyVenue();
  for (let i = 0; i < 1_200; i++) {
    const market = i % 3 === 0 ? BTC_PERP : BTC_USDT;
    const clientId = i % 5 === 0 ? `again-${i % 50}` : null;
    driver.place(i % 2, market, 0, { kind: 'limit', price: 590_000 - (i % 37), size: 10 + (i % 7), clientId });
    if (i % 11 === 0) driver.place(1, market, 1, { kind: 'limit', price: 700_000 + (i % 5), size: 10, postOnly: true });
  }
  unrest(driver);
  const text = driver.venue.save();
  const loaded = Venue.load(Buffer.from(text));
  assert.ok(loaded.counts().orders > 1_100);
  assert.equal(loaded.save(), text);
  assert.equal(Venue.load(loaded.save()).save(), text);
});

test('a saved book whose orders are not the live ones is refused', () => {
  const saved = JSON.parse(plainVenue().venue.save());
  const [bid] = saved.desk.state.markets[BTC_USDT].bids;
  const refused = (bids: number[][], asks: number[][] = []) => {
    Object.assign(saved.desk.state.markets[BTC_USDT], { bids, asks });
    assert.throws(
      () => Venue.load(JSON.stringify(saved)),
      /^Error: the saved book holds the order \d+, which is not live/,
    );
  };
  refused([bid, bid]);
  refused([[bid[0] + 1, bid[1], bid[2]]]);
  refused([], [bid]);
});

test('a value of an order that is not there is refused, and so is an order without one', () => {
  const text = plainVenue().venue.save();
  const refused = (change: (live: Record<string, unknown>) => void, error: RegExp) => {
    const saved = JSON.parse(text);
    change(saved.desk.state.live);
    assert.throws(() => Venue.load(JSON.stringify(saved)), error);
  };
  const columns: Record<string, unknown> = {
    reserved: '777777777',
    triggers: { price: 1, reference: 'mark' },
    watched: ['mark', 600_000, true],
    due: [1_767_225_700_000, 1],
  };
  for (const place of [-1, 1, 511, 512, 100_000]) {
    const error = new RegExp(`^Error: the saved orders have a value in place ${place}, where there is no order$`);
    for (const [name, value] of Object.entries(columns)) {
      refused((live) => {
        live[name] = { at: [place], all: [value] };
      }, error);
    }
    refused(({ fields }) => Object.assign(fields as object, { clientId: { at: [place], all: ['mine'] } }), error);
  }
  refused(({ fields }) => {
    (fields as Record<string, unknown>).price = { all: [] };
  }, /^Error: the saved orders have too few values of price$/);
});
