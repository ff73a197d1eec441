/**
 * semantics.md sections 5, 11 and 13 as a thief would try them: two accounts, one friend, an empty book. BTC-PERP at 60,000;
 * a has 1,000 USDT, its friend b 10,000, bob is the rich maker.
 */
import assert from 'node:assert/strict';
import { describe, type test as tests } from 'node:test';
import { future, limit, stop, twap } from '../support/bodies.ts';
import type { Client, Json, Reply } from '../support/client.ts';
import { ok, one } from '../support/client.ts';
import { fund, join, setLeverage, setMode } from '../support/positions.ts';
import { BTC, type Options, PERP, scenarios, type World } from '../support/venue.ts';

const ETH = 'ETH-PERP';

interface Scene extends World {
  readonly a: Client;
  readonly b: Client;
}

/** Scenarios that begin with a, b and the prices of this file; each ends with a sound audit. */
function scenes(
  options: Options = {},
): (sentence: string, settings: tests.TestOptions, test: (w: Scene) => Promise<unknown>) => void {
  const it = scenarios(options);
  return (sentence, settings, test) =>
    it(sentence, settings, async (w) => {
      for (const symbol of [PERP, BTC]) await w.price(symbol, { index: 60_000, last: 60_000 });
      const a = await join(w, 'a', '1000');
      const b = await join(w, 'b', '10000');
      await test(Object.assign(w, { a, b }));
    });
}

/** `who` opens a position at `price` against `maker`; long when positive. */
async function open(who: Client, maker: Client, size: number, price = 60_000, extra: Json = {}): Promise<Json> {
  await one(maker.future(future(size > 0 ? 'SELL' : 'BUY', price, Math.abs(size))));
  return one(who.future(future(size > 0 ? 'BUY' : 'SELL', price, Math.abs(size), extra)));
}

async function refused(reply: Promise<Reply>, code: number, pattern = /./): Promise<void> {
  const { status, body, text } = await reply;
  assert.equal(status, 400, text);
  assert.equal(body.errorCode ?? body.code, code, text);
  assert.match(text, pattern);
}

const total = async (w: World, name: string) => Number((await w.balance('USDT', name)).total);

/** Total and unrealised profit: what an account has at the mark, isolated positions included. */
async function worth(w: World, name: string): Promise<number> {
  const { balances, positions } = await w.account(name);
  const isolated = positions.filter((position: Json) => position.positionMode === 'ISOLATED');
  const own = isolated.reduce(
    (sum: number, { margin, unrealised }: Json) => sum + Number(margin) + Number(unrealised),
    0,
  );
  return Number(balances.USDT.total) + Number(balances.USDT.unrealised) + own;
}

describe('a close below what the account has', () => {
  const it = scenes();

  for (const [kind, extra] of [
    ['plain', {}],
    ['reduce-only', { reduceOnly: true }],
    ['post-only', { postOnly: true }],
  ] as const) {
    it(`is refused as a ${kind} LIMIT beyond the bankruptcy price (101)`, {
      rule: ['1.15', '5.28', '5.32'],
    }, async (w) => {
      await open(w.a, w.bob, 130_000);
      await one(w.b.future(future('BUY', 54_000, 130_000 / 10)));
      await refused(w.a.future(future('SELL', 54_000, 130_000, extra)), 101, /bankruptcy price: the limit is 59/);
      assert.equal(await w.position('a'), 130_000);
    });
  }

  it('is refused at an amend, too, and the order stays as it was', { rule: '5.32' }, async (w) => {
    await open(w.a, w.bob, 130_000);
    const { orderID } = await one(w.a.future(future('SELL', 61_000, 130_000, { reduceOnly: true })));
    await refused(w.a.amendFuture(orderID, { type: 'PRICE', value: 57_000 }), 101);
    assert.equal((await ok(w.a.futureOrder(orderID))).price, 61_000);
  });

  for (const [kind, place] of [
    ['MARKET', (a: Client) => one(a.future(future('SELL', null, 130_000)))],
    ['IOC', (a: Client) => one(a.future(future('SELL', 57_500, 130_000, { time_in_force: 'IOC' })))],
    [
      'close_position',
      async (a: Client) =>
        one(a.call('POST', '/futures/api/v2.3/order/close_position', { body: { symbol: PERP, type: 'MARKET' } })),
    ],
  ] as const) {
    it(`is filled as ${kind} only as far as the equity covers the maintenance of what is left`, {
      rule: ['5.20', '5.21', '5.23', '5.33'],
    }, async (w) => {
      await open(w.a, w.bob, 130_000);
      await one(w.bob.future(future('BUY', 57_500, 130_000)));
      const { status, totalFilledSize, message } = await place(w.a);
      assert.equal(status, 6);
      assert.match(message, /^margin: .* it would fill at 59\d\d\d/);
      const left = await w.position('a');
      assert.equal(left, 130_000 - totalFilledSize);
      assert.ok(totalFilledSize > 0 && left > 0);
      // Equity covers 0.5 % of what is left, and not of what one lot more would leave.
      const equity = await worth(w, 'a');
      assert.ok(equity >= left * 0.6 * 0.005 && equity < left * 0.6 * 0.005 + 0.06, `${equity} for ${left}`);
      // At the price that it names all of the rest can be filled, a tick below that not.
      const price = Number(message.match(/it would fill at ([\d.]+)/)[1]);
      const fills = async (at: number) => {
        await w.bob.cancelFuture();
        await one(w.bob.future(future('BUY', at, left)));
        return (await one(w.a.future(future('SELL', at, left, { time_in_force: 'FOK' })))).totalFilledSize;
      };
      assert.equal(await fills(Math.round(price * 10 - 1) / 10), 0);
      assert.equal(await fills(price), left);
    });
  }

  it('clips a stop into a thin book, and a maker that has fallen below its price', {
    rule: ['5.20', '5.33'],
  }, async (w) => {
    await open(w.a, w.bob, 130_000);
    await one(w.a.future(stop('SELL', 59_950, 130_000, { reduceOnly: true })));
    await one(w.bob.future(future('BUY', 57_500, 130_000)));
    await w.price(PERP, { index: 59_940 });
    assert.ok((await worth(w, 'a')) >= (await w.position('a')) * 0.5994 * 0.005);
    assert.ok((await w.position('a')) > 100_000);
  });

  it('clips a stop-limit that fires: what would rest beyond the bankruptcy price is cancelled', {
    rule: '5.34',
  }, async (w) => {
    await open(w.a, w.bob, 130_000);
    const { orderID } = await one(w.a.future(stop('SELL', 59_950, 130_000, { type: 'LIMIT', price: 57_500 })));
    await one(w.bob.future(future('BUY', 57_500, 20_000)));
    await w.price(PERP, { index: 59_940 });
    const { status, totalFilledSize, remainingSize } = await ok(w.a.futureOrder(orderID));
    assert.equal(status, 6);
    assert.ok(totalFilledSize > 0 && remainingSize > 0, `${totalFilledSize} of 130,000`);
    const { order } = (await w.control.request('GET', `/orders/${orderID}`)) as Json;
    assert.equal(order.reason, 'margin');
    assert.ok((await worth(w, 'a')) >= (await w.position('a')) * 0.5994 * 0.005);
  });

  it('leaves the rest of a resting order that the mark has left, and the sweep goes on behind it', {
    rule: ['5.22', '5.24'],
  }, async (w) => {
    await open(w.a, w.bob, 80_000);
    const { orderID } = await one(w.a.future(future('SELL', 59_600, 80_000, { postOnly: true })));
    await one(w.bob.future(future('SELL', 59_700, 80_000)));
    // a has bought more since: what closes at 59,600 now takes it below its maintenance.
    const before = await worth(w, 'a');
    assert.ok(before > 0);
    await ok(w.bob.future(future('BUY', 59_700, 100_000)));
    assert.ok((await worth(w, 'a')) >= 0);
    assert.equal((await ok(w.a.futureOrder(orderID))).remainingSize, 0);
  });

  it('brings no account beyond what a balance can say, with a friend who holds all that the venue may', {
    rule: ['5.20', '5.52'],
  }, async (w) => {
    await open(w.a, w.bob, 130_000);
    // A balance is a signed 64-bit number of 0.00000001 USDT.
    const most = Math.floor(2 ** 63 / 1e8);
    const { USDT } = ((await w.control.audit()) as Json).currencies;
    const held = Number(USDT.deposits) - Number(USDT.withdrawals);
    await w.venue.deposit('b', 'USDT', most - Math.ceil(held));
    await assert.rejects(w.venue.deposit('b', 'USDT', 2), /amount/);
    await one(w.b.future(future('BUY', 54_000, 130_000)));
    assert.equal((await one(w.a.future(future('SELL', null, 130_000)))).status, 6);
    assert.ok((await total(w, 'a')) >= 0);
    assert.equal((await w.control.audit()).ok, true);
  });

  it('of a HEDGE position, too', { rule: ['5.20', '5.21'] }, async (w) => {
    await setMode(w, 'HEDGE', w.a);
    await open(w.a, w.bob, 130_000, 60_000, { positionMode: 'HEDGE' });
    await one(w.bob.future(future('BUY', 57_500, 130_000)));
    const { status } = await one(w.a.future(future('SELL', null, 130_000, { reduceOnly: true })));
    assert.equal(status, 6);
    assert.ok((await worth(w, 'a')) >= (await w.position('a')) * 0.6 * 0.005);
  });

  it('of an ISOLATED position at 100x loses at most its own margin', { rule: ['5.20', '11.6'] }, async (w) => {
    await setMode(w, 'ISOLATED', w.a);
    await setLeverage(w, { leverage: 100, marginMode: 'ISOLATED' }, w.a);
    await open(w.a, w.bob, 9_000, 60_000, { positionMode: 'ISOLATED' });
    const wallet = await total(w, 'a');
    await one(w.bob.future(future('BUY', 57_500, 9_000)));
    await one(w.a.future(future('SELL', null, 9_000, { reduceOnly: true })));
    assert.ok((await total(w, 'a')) >= wallet, 'the wallet has lost nothing');
    for (const { margin, unrealised } of (await w.account('a')).positions) {
      assert.ok(Number(margin) + Number(unrealised) >= 0);
    }
  });
});

describe('an order that would lose at once', () => {
  const it = scenes({ insuranceFund: { USDT: '50000' } });

  it('needs its margin and its open loss: BUY far above the mark, SELL far below it', {
    rule: ['5.6', '5.7'],
  }, async (w) => {
    await one(w.bob.future(future('SELL', 66_000, 130_000)));
    await refused(w.a.future(future('BUY', 66_000, 130_000)), 33199101, /[1-9]\d*\.?\d* needed/);
    await w.cancelAll();
    await refused(w.a.future(future('SELL', 54_000, 130_000)), 33199101);
    assert.equal(await fund(w), '50000');
  });

  it('as an amend from 59,000 to 66,000', { rule: '5.7' }, async (w) => {
    const { orderID } = await one(w.a.future(future('BUY', 59_000, 100_000)));
    await refused(w.a.amendFuture(orderID, { type: 'PRICE', value: 66_000 }), 33199101);
  });

  it('as MARKET into far asks', { rule: '5.8' }, async (w) => {
    await one(w.bob.future(future('SELL', 62_900, 60_000)));
    await refused(w.a.future(future('BUY', null, 60_000)), 33199101);
  });

  it('as PEG by its cap, and ISOLATED', { rule: '5.7' }, async (w) => {
    const peg = { symbol: PERP, side: 'BUY', price: 66_000, size: 60_000, deviation: 0, stealth: 100 };
    await refused(w.a.call('POST', '/futures/api/v2.3/order/peg', { body: peg }), 33199101);
    await setMode(w, 'ISOLATED', w.a);
    await one(w.bob.future(future('SELL', 65_000, 9_000)));
    await setLeverage(w, { leverage: 100, marginMode: 'ISOLATED' }, w.a);
    await refused(w.a.future(future('BUY', 65_000, 50_000, { positionMode: 'ISOLATED' })), 33199101);
  });

  it('rests while the mark leaves it, and is cancelled at the fill: margin', { rule: ['5.20', '5.24'] }, async (w) => {
    const { orderID } = await one(w.a.future(future('BUY', 59_900, 140_000)));
    await w.price(PERP, { index: 59_000 });
    await one(w.bob.future(future('SELL', 59_000, 140_000)));
    const { status, totalFilledSize } = await ok(w.a.futureOrder(orderID));
    assert.equal(status, 6);
    assert.match(JSON.stringify(await w.control.request('GET', `/orders/${orderID}`)), /"reason":"margin"/);
    assert.ok(totalFilledSize < 140_000);
    assert.ok((await worth(w, 'a')) >= 0);
  });

  it('ISOLATED, takes from the wallet at the rate of all that its order may come to, and no more than is there', {
    rule: ['5.20', '5.47'],
  }, async (w) => {
    await w.price(ETH, { index: 3_000, last: 3_000 });
    await one(w.bob.future(future('SELL', 3_000, 200_000, { symbol: ETH })));
    await one(w.b.future(future('BUY', 3_000, 200_000, { symbol: ETH })));
    await setMode(w, 'ISOLATED', w.b);
    await setLeverage(w, { leverage: 100, marginMode: 'ISOLATED' }, w.b);
    // 120,000 USDT are of the second tier (2 %); a part of it alone would be of the first (1 %).
    const { orderID } = await one(w.b.future(future('BUY', 60_000, 200_000, { positionMode: 'ISOLATED' })));
    await w.price(ETH, { index: 2_560 });
    const room = (await worth(w, 'b')) - 200_000 * 0.256 * 0.005;
    await one(w.bob.future(future('SELL', 60_000, 100_000)));
    const { status, totalFilledSize } = await ok(w.b.futureOrder(orderID));
    assert.equal(status, 6);
    // Its margin, the taker fee of opening and closing it, and the maker's fee.
    const { margin } = (await w.account('b')).positions[0];
    const taken = Number(margin) + totalFilledSize * 0.6 * 0.0002;
    assert.ok(Number(margin) >= totalFilledSize * 0.6 * 0.02, `${margin} for ${totalFilledSize}`);
    assert.ok(taken <= room && taken * (1 + 1 / totalFilledSize) > room, `${taken} of ${room}`);
  });

  it('cannot drain the fund by eight rounds of fresh accounts', { rule: ['5.7', '5.20'] }, async (w) => {
    for (let round = 0; round < 8; round++) {
      const fresh = await join(w, `fresh${round}`, '1000');
      await one(w.b.future(future('SELL', 66_000, 5_000)));
      await fresh.future(future('BUY', 66_000, 130_000));
      await fresh.future(future('BUY', 66_000, 5_000));
      await w.b.cancelFuture();
    }
    assert.ok(Number(await fund(w)) >= 50_000);
  });
});

describe('a mark that gaps', () => {
  const it = scenes();

  it('closes the bankrupt long against an honest short at no worse than the mark before, whatever entries say', {
    rule: ['11.57', '11.61', '11.63', '11.64'],
  }, async (w) => {
    const short = await join(w, 'short', '10000');
    // The honest short sells at 60,000 to bob, who sells to a: a is bankrupt below 59,230.
    await open(short, w.bob, -130_000);
    await open(w.a, w.bob, 130_000);
    const before = await worth(w, 'short');
    await w.price(PERP, { index: 55_000 });
    assert.equal(await w.position('a'), 0);
    assert.ok((await worth(w, 'short')) >= before, 'it keeps at least what it had at the mark before');
    assert.ok((await total(w, 'a')) >= 0);
    const { currencies } = (await w.control.audit()) as Json;
    assert.deepEqual([currencies.USDT.insurance, currencies.USDT.deficit], ['0', '0']);
  });

  it('leaves nobody with what a friend never had: C sells to D at 54,000, D to A at 60,000, index 57,000', {
    rule: ['11.57', '11.61', '11.64'],
  }, async (w) => {
    const c = await join(w, 'c', '100000');
    const d = await join(w, 'd', '100000');
    await one(d.future(future('BUY', 54_000, 130_000)));
    await c.future(future('SELL', 54_000, 130_000));
    await one(d.future(future('SELL', 60_000, 130_000)));
    await one(w.a.future(future('BUY', 60_000, 130_000)));
    const names = ['c', 'd', 'a', 'b', 'bob'];
    const before = new Map<string, number>();
    for (const name of names) before.set(name, await worth(w, name));
    await w.price(PERP, { index: 57_000 });
    for (const name of names.filter((name) => name !== 'a')) {
      assert.ok((await worth(w, name)) >= (before.get(name) as number) - 0.001, name);
    }
    const { currencies } = (await w.control.audit()) as Json;
    assert.deepEqual([currencies.USDT.insurance, currencies.USDT.deficit], ['0', '0']);
  });

  it("is over before a winner's take-profit leaves with what the loser owes", {
    rule: ['3.14', '11.57'],
  }, async (w) => {
    await open(w.b, w.bob, -130_000);
    await open(w.a, w.bob, 130_000);
    await one(w.bob.future(future('SELL', 60_500, 130_000)));
    await ok(w.b.future({ ...stop('BUY', 58_000, 130_000), txType: 'TRIGGER', reduceOnly: true }));
    await w.price(PERP, { index: 57_000 });
    const { currencies } = (await w.control.audit()) as Json;
    assert.deepEqual([currencies.USDT.insurance, currencies.USDT.deficit], ['0', '0']);
    assert.equal(await w.position('a'), 0);
  });

  it('does not pay a friend whose bid is 9 % off: while equity is there, no price beyond the bankruptcy price', {
    rule: ['5.50', '11.49'],
  }, async (w) => {
    await open(w.a, w.b, 130_000);
    await one(w.b.future(future('BUY', 54_600, 60_000)));
    await w.price(PERP, { index: 59_500 });
    assert.equal(await w.position('a'), 130_000, 'it waits');
    const waiting = (await w.control.audit()) as Json;
    assert.equal(waiting.accounts.waitingLiquidation, 1);
    for (let index = 59_500; index > 59_100; index -= 6) await w.price(PERP, { index });
    assert.ok(Number(await fund(w)) >= 0);
    assert.ok((await total(w, 'a')) >= 0);
  });

  it('closes what can be closed where the largest loss is in a halted market', { rule: '11.70' }, async (w) => {
    await w.price(ETH, { index: 3_000, last: 3_000 });
    await one(w.bob.future(future('SELL', 3_000, 100, { symbol: ETH })));
    await one(w.a.future(future('BUY', 3_000, 100, { symbol: ETH })));
    await open(w.a, w.bob, 120_000);
    await ok(w.control.request('POST', `/markets/${ETH}/halt`) as never).catch(() => {});
    await w.price(PERP, { index: 58_000 });
    assert.equal(await w.position('a', PERP), 0);
  });
});

describe('money that spot orders reserve', () => {
  const it = scenes();

  it('is no equity: liquidation comes earlier and cancels the spot order before it closes the position', {
    rule: ['5.3', '11.45'],
  }, async (w) => {
    await open(w.a, w.bob, 50_000);
    const { orderId } = await one(w.a.spot(limit('BUY', 59_000, '0.01', { symbol: BTC })));
    const { reserved } = await w.balance('USDT', 'a');
    assert.equal(reserved, '590');
    await one(w.bob.future(future('BUY', 58_900, 500_000)));
    await w.price(PERP, { index: 59_450 });
    // 393.5 − 275 is below the maintenance of 148.6: the spot order goes, and that is enough.
    assert.equal((await w.a.lookup(orderId)).status, 404);
    assert.equal(await w.position('a'), 50_000);
  });

  /** a is long 1 ETH that has won `profit`, and 0.5 BTC; bob bids for the BTC. Every loss below that is covered by the profit. */
  async function winnerAndLoser(w: Scene, profit: number, bid: number): Promise<() => Promise<Json>> {
    await w.price(ETH, { index: 3_000, last: 3_000 });
    await one(w.bob.future(future('SELL', 3_000, 10_000, { symbol: ETH })));
    await one(w.a.future(future('BUY', 3_000, 10_000, { symbol: ETH })));
    await open(w.a, w.bob, 50_000);
    await w.price(ETH, { index: 3_000 + profit });
    await one(w.bob.future(future('BUY', bid, 50_000)));
    return () => one(w.a.future(future('SELL', bid, 50_000, { time_in_force: 'IOC' })));
  }

  it('is given up where a loss has taken it: the newest order first, a TWAP that reserves nothing just then included', {
    rule: ['5.35', '5.36', '5.49'],
  }, async (w) => {
    const close = await winnerAndLoser(w, 600, 59_000);
    const older = await one(w.a.spot(limit('BUY', 50_000, '0.004', { symbol: BTC })));
    const newer = await one(w.a.spot(limit('BUY', 50_000, '0.006', { symbol: BTC })));
    const running = await one(w.a.spot(twap('BUY', { orderSize: '0.001' })));
    assert.equal((await w.balance('USDT', 'a')).reserved, '500');
    assert.equal((await close()).status, 4);
    const { total, reserved } = await w.balance('USDT', 'a');
    assert.ok(Number(total) < 500 && Number(total) > 200, `${total}`);
    assert.equal(reserved, '200');
    const lives = async ({ orderId }: Json) => (await w.a.lookup(orderId)).status === 200;
    assert.deepEqual(await Promise.all([older, newer, running].map(lives)), [true, false, false]);
  });

  it('is below zero only where the unrealised profit of open positions covers that', {
    rule: ['5.51', '5.53', '5.54'],
  }, async (w) => {
    const close = await winnerAndLoser(w, 1_200, 57_500);
    assert.equal((await close()).status, 4);
    const { total, unrealised } = await w.balance('USDT', 'a');
    assert.ok(Number(total) < 0 && Number(total) + Number(unrealised) > 0, `${total} and ${unrealised}`);
    const { ok: sound, accounts, positions } = (await w.control.audit()) as Json;
    assert.deepEqual([sound, accounts.belowReserved, accounts.belowZero], [true, 0, 0]);
    assert.deepEqual(positions[ETH], { long: 10_000, short: 10_000, difference: 0 });
  });
});

describe('a mark that somebody would buy', () => {
  const it = scenes();
  const mark = async (w: World) => {
    const { markets } = (await w.control.request('GET', '/markets')) as Json;
    return Number(markets.find((market: Json) => market.symbol === PERP).mark);
  };

  it('does not follow one contract bid and ask 9 % above the index, and a wash print', {
    rule: ['13.7', '13.11', '13.13'],
  }, async (w) => {
    await one(w.bob.future(future('BUY', 65_300, 1)));
    await one(w.bob.future(future('SELL', 65_400, 1)));
    await one(w.b.future(future('BUY', 65_400, 1)));
    await w.advance(60_000);
    assert.equal(await mark(w), 60_000);
  });

  it('moves by maxBasis / 60 a minute at most, with the impact size quoted 8 % above', {
    rule: ['13.10', '13.13'],
  }, async (w) => {
    await one(w.bob.future(future('BUY', 64_700, 50_000)));
    await one(w.bob.future(future('SELL', 64_800, 50_001)));
    await one(w.b.future(future('BUY', 64_800, 1)));
    await w.advance(60_000);
    assert.ok((await mark(w)) <= 60_000 + (60_000 * 0.0025) / 60, `${await mark(w)}`);
  });

  it('has a funding rate that a small bid does not make: impact size, missing minutes count zero, cap', {
    rule: ['11.73', '11.74', '11.75'],
  }, async (w) => {
    await open(w.a, w.b, 50_000);
    const before = [await total(w, 'a'), await total(w, 'b')];
    await one(w.bob.future(future('BUY', 61_362, 10_000)));
    await w.advance(8 * 3_600_000);
    assert.deepEqual([await total(w, 'a'), await total(w, 'b')], before);
    // The impact size for half of the interval: half of a third of it, and never more than 0.375 %.
    await one(w.bob.future(future('BUY', 61_362, 50_000)));
    await w.advance(4 * 3_600_000);
    await ok(w.bob.cancelFuture());
    await w.advance(4 * 3_600_000);
    const paid = before[0] - (await total(w, 'a'));
    assert.ok(paid > 0 && paid <= 30_000 * 0.00375 * 1.0001, `${paid}`);
  });
});

describe('prices that are not there, or not sure', () => {
  const it = scenes();

  it('an order before the first index is refused: no mark yet', { rule: '5.11' }, async (w) => {
    await w.venue.reset();
    await w.control.createAccount('early');
    const early = await join(w, 'early2', '1000');
    await refused(early.future(future('BUY', 100, 10)), 33001003, /no mark yet/);
  });

  it('the value that a feed holds counts against an order that opens', { rule: ['5.13', '13.2'] }, async (w) => {
    await w.control.request('POST', '/prices', { symbol: PERP, index: 60_000, feed: true });
    await w.control.request('POST', '/prices', { symbol: PERP, index: 62_400, feed: true });
    await refused(w.a.future(future('SELL', 60_000, 100_000)), 33199101);
    await refused(w.b.future(future('SELL', 60_000, 1_400_000)), 33199101);
  });

  it('the value that a feed holds counts against a close in another market, too: no friend is paid what it will take', {
    rule: ['5.13', '5.14', '5.27', '5.31'],
  }, async (w) => {
    await w.price(ETH, { index: 3_000, last: 3_000 });
    await open(w.a, w.bob, 24_470);
    const eth = { symbol: ETH };
    await one(w.bob.future(future('SELL', 3_000, 145_980, eth)));
    await one(w.a.future(future('BUY', 3_000, 145_980, eth)));
    await w.control.request('POST', '/prices', { symbol: PERP, index: 60_000, feed: true });
    await w.control.request('POST', '/prices', { symbol: PERP, index: 56_950, feed: true });
    await one(w.b.future(future('BUY', 2_970, 145_980, eth)));
    const close = future('SELL', null, 145_980, eth);
    const { status, totalFilledSize } = await one(w.a.future(close));
    assert.deepEqual([status, totalFilledSize], [6, 0]);
    await one(w.bob.future(future('BUY', 2_995, 145_980, eth)));
    assert.equal((await one(w.a.future(close))).status, 4, 'a fair price is taken');
  });

  it('while a feed is stale, orders may only reduce: stale index', { rule: '5.18' }, async (w) => {
    await open(w.a, w.bob, 10_000);
    await w.control.request('POST', '/prices', { symbol: PERP, index: 60_000, feed: true });
    await w.advance(61_000);
    await refused(w.a.future(future('BUY', 60_000, 10)), 33001003, /stale index/);
    await one(w.a.future(future('SELL', 61_000, 10_000)));
    await refused(w.a.future(future('SELL', 61_000, 10)), 33001003, /stale index/);
  });
});

describe('normal trading is not harmed', () => {
  const it = scenes();

  it('a 100x market entry within 5 bp of the mark', { rule: ['5.8', '5.20'] }, async (w) => {
    await one(w.bob.future(future('SELL', 60_030, 140_000)));
    assert.equal((await one(w.a.future(future('BUY', null, 140_000)))).status, 4);
  });

  it('a stop in a fast market closes all of it, flat with what is left', { rule: '5.27' }, async (w) => {
    await open(w.a, w.bob, 145_000);
    await one(w.a.future(stop('SELL', 59_760, 145_000, { reduceOnly: true })));
    await one(w.bob.future(future('BUY', 59_598, 50_000)));
    await one(w.bob.future(future('BUY', 59_580, 100_000)));
    await w.price(PERP, { index: 59_610 });
    assert.equal(await w.position('a'), 0);
    assert.ok((await total(w, 'a')) > 0);
    assert.equal(await fund(w), '0');
  });

  it('a close near liquidation, 5 bp below the mark, though nothing is available', {
    rule: ['5.4', '5.9'],
  }, async (w) => {
    await open(w.a, w.bob, 140_000);
    await w.price(PERP, { index: 59_700 });
    assert.ok(Number((await w.balance('USDT', 'a')).available) < 0);
    await one(w.bob.future(future('BUY', 59_670, 140_000)));
    assert.equal((await one(w.a.future(future('SELL', null, 140_000)))).status, 4);
  });

  it('an amend that lowers what the order needs is taken, though nothing is available', { rule: '5.10' }, async (w) => {
    await open(w.a, w.bob, 100_000);
    const { orderID } = await one(w.a.future(future('BUY', 59_000, 20_000)));
    await w.price(PERP, { index: 59_650 });
    assert.ok(Number((await w.balance('USDT', 'a')).available) < 0);
    await ok(w.a.amendFuture(orderID, { type: 'SIZE', value: 10_000 }));
  });

  it('a winner and a loser in one cross account', { rule: ['5.5', '5.20'] }, async (w) => {
    await w.price(ETH, { index: 3_000, last: 3_000 });
    await one(w.bob.future(future('SELL', 3_000, 1_000, { symbol: ETH })));
    await one(w.a.future(future('BUY', 3_000, 1_000, { symbol: ETH })));
    await open(w.a, w.bob, 50_000);
    await w.price(ETH, { index: 5_000 });
    await w.price(PERP, { index: 59_000 });
    await one(w.bob.future(future('BUY', 59_000, 50_000)));
    assert.equal((await one(w.a.future(future('SELL', null, 50_000)))).status, 4);
  });

  it('post-only on both sides with all margin used', { rule: ['5.7', '11.35'] }, async (w) => {
    await one(w.a.future(future('BUY', 59_900, 148_000, { postOnly: true })));
    await one(w.a.future(future('SELL', 60_100, 147_000, { postOnly: true })));
    await ok(w.bob.future(future('SELL', 59_900, 148_000)));
    await ok(w.bob.future(future('BUY', 60_100, 147_000)));
    assert.ok((await total(w, 'a')) > 1_200);
  });

  it('both legs of a hedge', { rule: '5.20' }, async (w) => {
    await setMode(w, 'HEDGE', w.a);
    await open(w.a, w.bob, 60_000, 60_000, { positionMode: 'HEDGE' });
    await open(w.a, w.bob, -60_000, 60_000, { positionMode: 'HEDGE' });
    assert.equal((await w.account('a')).positions.length, 2);
  });

  it('isolated at the highest leverage', { rule: ['5.20', '5.47'] }, async (w) => {
    await setMode(w, 'ISOLATED', w.a);
    await setLeverage(w, { leverage: 100, marginMode: 'ISOLATED' }, w.a);
    assert.equal((await open(w.a, w.bob, 100_000, 60_000, { positionMode: 'ISOLATED' })).status, 4);
  });

  it('the liquidation price of a position in the second tier counts what its first part is spared', {
    rule: ['11.38', '11.41'],
  }, async (w) => {
    await open(w.b, w.bob, 200_000);
    const equity = await worth(w, 'b');
    const [{ liquidationPrice }] = await ok(w.b.positions());
    // 2 BTC: equity + 2 × (p − 60,000) = 1 % × 2 × p − 0.5 % × 100,000
    const due = (120_000 - equity - 500) / (2 * 0.99);
    assert.ok(Math.abs(liquidationPrice - due) < 0.1, `${liquidationPrice} is not ${due}`);
    await one(w.bob.future(future('BUY', 55_300, 200_000)));
    await w.price(PERP, { mark: Math.ceil(due * 10) / 10 });
    assert.equal(await w.position('b'), 200_000);
    await w.price(PERP, { mark: Math.floor(due * 10) / 10 });
    assert.ok((await w.position('b')) < 200_000);
  });

  it("a short whose value passes a tier's edge lives: each part has its own tier's rate", {
    rule: '11.38',
  }, async (w) => {
    await open(w.a, w.bob, -165_000, 60_000).catch(() => undefined);
    await w.venue.deposit('a', 'USDT', 500);
    await open(w.a, w.bob, -166_000, 60_000);
    const held = await w.position('a');
    await w.price(PERP, { index: 60_300 });
    assert.equal(await w.position('a'), held);
  });

  it('FOK against a maker that the check clips ends 6, nothing touched', { rule: '4.16' }, async (w) => {
    const { orderID } = await one(w.a.future(future('BUY', 59_900, 140_000)));
    await w.price(PERP, { index: 59_200 });
    const { status, totalFilledSize } = await one(
      w.bob.future(future('SELL', 59_000, 140_000, { time_in_force: 'FOK' })),
    );
    assert.deepEqual([status, totalFilledSize], [6, 0]);
    assert.equal((await ok(w.a.futureOrder(orderID))).totalFilledSize, 0);
  });

  it('FOK against two HEDGE orders of one account that its equity covers only one by one ends 6, nothing touched', {
    rule: '4.16',
  }, async (w) => {
    await setMode(w, 'HEDGE', w.a);
    await open(w.a, w.bob, 50_000, 60_000, { positionMode: 'HEDGE' });
    const sell = (extra: Json) => one(w.a.future(future('SELL', 60_100, 50_000, { positionMode: 'HEDGE', ...extra })));
    const closes = await sell({ reduceOnly: true });
    const opens = await sell({});
    for (const index of [61_000, 62_000, 62_800]) await w.price(PERP, { index });
    const { status, totalFilledSize } = await one(
      w.bob.future(future('BUY', 60_100, 100_000, { time_in_force: 'FOK' })),
    );
    assert.deepEqual([status, totalFilledSize], [6, 0]);
    for (const { orderID } of [closes, opens]) assert.equal((await ok(w.a.futureOrder(orderID))).totalFilledSize, 0);
    const plain = await one(w.bob.future(future('BUY', 60_100, 100_000, { time_in_force: 'IOC' })));
    assert.ok(plain.totalFilledSize > 50_000 && plain.totalFilledSize < 100_000, 'both fill, the second one in part');
  });
});
