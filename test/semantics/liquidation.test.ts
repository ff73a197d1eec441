/** semantics.md section 11: liquidation at the mark, the insurance fund and auto-deleveraging, with figures. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, stop } from '../support/bodies.ts';
import { type Json, ok, one } from '../support/client.ts';
import { fund, held, join, leave, MILLION, open, setMode } from '../support/positions.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';

const ETH = 'ETH-PERP';

/** Alice is long 10 BTC from 100 with 20 USDT: bankrupt at 98; her equity meets maintenance near 98.5. */
async function thinLong(w: World): Promise<void> {
  await open(w, MILLION);
  await leave(w, '20');
}

const total = async (w: World, name = 'alice') => (await w.balance('USDT', name)).total;

async function marketPrices(w: World, symbol = PERP): Promise<string[]> {
  const { markets } = (await w.control.request('GET', '/markets')) as Json;
  const { mark, last } = markets.find((market: Json) => market.symbol === symbol);
  return [mark, last];
}

describe('a cross account', () => {
  const it = scenarios();

  it('is left alone while its equity is at least its maintenance', { rule: '11.40' }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 98.4, 2 * MILLION, PERP);
    // equity 5 − 0.025 = 4.975 at 98.4975; maintenance 4.924875
    await w.price(PERP, { mark: '98.4975' });
    assert.equal(await w.position(), MILLION);
  });

  it('is left alone with exactly its maintenance, and not with a tick less', { rule: '11.40' }, async (w) => {
    await open(w, MILLION);
    // 44.8 − 40 = 4.8 = 0.005 × 960
    await leave(w, '44.8');
    await w.price(PERP, { mark: 96 });
    await w.rest('BUY', 95.9, 2 * MILLION, PERP);
    assert.equal(await w.position(), MILLION);
    // A quarter sold 0.0999 below the mark costs 0.24975 and pays 0.4795: 4.06975 for 1.2 × 3.599996; two leave 3.3405.
    await w.price(PERP, { mark: '95.9999' });
    assert.equal(await w.position(), MILLION / 2);
  });

  it('below it closes in quarters until equity is 1.2 × maintenance, 0.2 % of each fill to the fund', {
    rule: ['11.40', '11.46', '11.47'],
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 98.4, 2 * MILLION, PERP);
    await w.price(PERP, { mark: 98.49 });
    // Each quarter of 2.5 BTC loses 4 and pays 0.492. After one: 4.183 of equity for 1.2 × 3.693375; after two 3.466 for 2.9547.
    assert.equal(await w.position(), MILLION / 2);
    assert.deepEqual([await total(w), await fund(w)], ['11.016', '0.984']);
  });

  it('is checked when its money changes, too, though the mark does not move: after funding', {
    rule: '11.71',
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 100.3, MILLION, PERP);
    await w.rest('SELL', 100.4, MILLION, PERP);
    // 5.5 of equity, 4.9275 needed; bids 0.3 % above the index: 0.1 % of 985.5 is paid, and 4.5145 remains.
    await w.price(PERP, { mark: 98.55 });
    await w.advance(8 * 3_600_000 - 1);
    assert.equal(await w.position(), MILLION);
    await w.advance(1);
    // A quarter at 100.3 pays 0.5015 to the fund: 20 − 0.9855 + 2.5 × 0.3 − 0.5015
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [(MILLION * 3) / 4, '19.263', '0.5015']);
  });

  it('is closed through the book inside the band, at the prices that rest there', { rule: '11.46' }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 98.4, MILLION / 8, PERP);
    await w.rest('BUY', 98.3, MILLION, PERP);
    await w.price(PERP, { mark: 98.49 });
    // The first quarter: 1.25 BTC at each price; the second at 98.3. 4.0579 of equity remains: safe.
    assert.equal(await w.position(), MILLION / 2);
    assert.equal(await fund(w), '0.98325');
  });

  it('loses its orders in all futures markets first; those on spot stay', { rule: '11.44' }, async (w) => {
    await w.price(ETH, { index: 100 });
    await thinLong(w);
    await w.rest('BUY', 98.4, 2 * MILLION, PERP);
    const mine = [
      await one(w.alice.future(future('SELL', 110, 10, { reduceOnly: true }))),
      await one(w.alice.future(stop('SELL', 50))),
      await one(w.alice.future(future('BUY', 90, 10, { symbol: ETH }))),
    ];
    const { orderId } = await one(w.alice.spot(limit('SELL', 105)));
    await w.price(PERP, { mark: 98.49 });
    for (const { orderID } of mine) assert.equal((await ok(w.alice.futureOrder(orderID))).status, 6);
    assert.equal(await w.state(orderId), 'ORDER_INSERTED');
  });

  it('gives up its spot orders that pay in the currency, newest first, only as long as equity is below maintenance', {
    rule: ['5.3', '11.45'],
  }, async (w) => {
    await open(w, MILLION);
    await leave(w, '60');
    const [older, newer] = [await one(w.alice.spot(limit('BUY', 10))), await one(w.alice.spot(limit('BUY', 20)))];
    const other = await one(w.alice.spot(limit('SELL', 105)));
    await w.rest('BUY', 98, 2 * MILLION, PERP);
    // 30 are reserved. At 97.49 30 − 25.1 covers the 4.8745 needed; at 97.48 30 − 25.2 does not cover 4.874, and 20 more do.
    await w.price(PERP, { mark: 97.49 });
    assert.equal(await w.state(newer.orderId), 'ORDER_INSERTED');
    await w.price(PERP, { mark: 97.48 });
    const states = await Promise.all([older, newer, other].map(({ orderId }) => w.state(orderId)));
    assert.deepEqual(states, ['ORDER_INSERTED', 'ORDER_CANCELLED', 'ORDER_INSERTED']);
    assert.deepEqual([await w.position(), await fund(w)], [MILLION, '0']);
  });

  it('has the position with the largest loss closed first, whichever market moved', { rule: '11.42' }, async (w) => {
    await w.price(ETH, { index: 100 });
    await w.rest('SELL', 100, 100_000, ETH);
    await thinLong(w);
    await w.venue.deposit('alice', 'USDT', 30);
    await ok(w.alice.future(future('BUY', null, 100_000, { symbol: ETH })));
    await w.rest('BUY', 97, 2 * MILLION, ETH);
    await w.rest('BUY', 99, 2 * MILLION, PERP);
    await w.price(ETH, { mark: 97 });
    // Losses of 30 in ETH and 9.7 in BTC leave 9.75, where 9.8015 is needed; three quarters make 1.2 × what is left.
    await w.price(PERP, { mark: 99.03 });
    assert.deepEqual([await w.position('alice', PERP), await w.position('alice', ETH)], [MILLION, 25_000]);
  });

  /** Alice is long 10 BTC and 10 ETH from 100. */
  async function thinLongs(w: World, total: string): Promise<void> {
    await w.price(ETH, { index: 100 });
    await open(w, MILLION);
    await open(w, MILLION / 10, { symbol: ETH });
    await leave(w, total);
  }

  it('of equal losses that in the lowest market goes first, decided anew after each quarter', {
    rule: '11.42',
  }, async (w) => {
    await thinLongs(w, '39.5');
    await w.rest('BUY', 98.5, MILLION, PERP);
    await w.rest('BUY', 98.5, MILLION / 10, ETH);
    await w.price(ETH, { mark: 98.5 });
    // 9.5 for 9.85. Quarters pay 0.4925: of BTC, of ETH, which has lost more then, of BTC again; 8.0225 for 1.2 × 6.15625.
    await w.price(PERP, { mark: 98.5 });
    assert.deepEqual([await w.position('alice', PERP), await w.position('alice', ETH)], [MILLION / 2, 75_000]);
    assert.equal(await fund(w), '1.4775');
  });

  it('a position that finds no price does not shield the one with the next largest loss', {
    rule: '11.51',
  }, async (w) => {
    await thinLongs(w, '39');
    await w.rest('BUY', 98.6, MILLION / 10, ETH);
    await w.price(ETH, { mark: 98.6 });
    // BTC has lost 16 of 39 and finds no bid, ETH 14: 9 for 9.85. Three quarters of 0.493 leave 7.521 for 1.2 × 6.1525.
    await w.price(PERP, { mark: 98.4 });
    assert.deepEqual([await w.position('alice', PERP), await w.position('alice', ETH)], [MILLION, 25_000]);
    assert.equal(await fund(w), '1.479');
  });

  it('an order that it meets in the book is checked like any maker: clipped to what is solvent, and the next one is met', {
    rule: ['5.24', '5.26', '11.46'],
  }, async (w) => {
    await open(w, MILLION);
    await leave(w, '105');
    const carol = await join(w, 'carol', '11');
    const { orderID } = await one(carol.future(future('BUY', 99, MILLION)));
    await w.rest('BUY', 89.9, MILLION, PERP);
    // 4 of equity for 4.495: a quarter goes. At 89.9 carol loses 9.1 a BTC, pays 0.0198 and needs 0.4495: 11 carry 1.1495.
    await w.price(PERP, { mark: 89.9 });
    const { status, totalFilledSize } = await ok(carol.futureOrder(orderID));
    assert.deepEqual([status, totalFilledSize], [6, 114_950]);
    assert.match(JSON.stringify(await w.control.request('GET', `/orders/${orderID}`)), /"reason":"margin"/);
    assert.deepEqual([await w.position('carol'), await w.position()], [114_950, (MILLION * 3) / 4]);
    // 0.2 % of 113.8005 and of the 121.40995 that bob pays for the rest
    assert.equal(await fund(w), '0.4704209');
  });

  it('is not checked before the triggers of the same price: a stop-loss may save it', { rule: '3.11' }, async (w) => {
    await open(w, MILLION, { stopLossPrice: 98.5 });
    await leave(w, '20');
    await w.rest('BUY', 98.4, 2 * MILLION, PERP);
    await w.price(PERP, { mark: 98.49 });
    // 16 lost, 0.055 % paid: no liquidation, nothing for the fund
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '3.4588', '0']);
  });

  it('without a book within the band it waits; a mark or a book that changes tries again', {
    rule: ['5.50', '11.51'],
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 88, MILLION, PERP);
    await w.price(PERP, { mark: 98.4 });
    assert.equal(await w.position(), MILLION);
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, true);
    await w.rest('BUY', 98.4, MILLION / 8, PERP);
    assert.equal(await w.position(), (MILLION * 7) / 8);
    await w.rest('BUY', 98.3, MILLION, PERP);
    // quarters of what there was when it began: of seven eighths, two
    assert.equal(await w.position(), (MILLION * 3) / 8);
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, false);
  });

  it('that has begun goes on until 1.2 × maintenance, though the mark is back above the maintenance', {
    rule: '11.46',
  }, async (w) => {
    await thinLong(w);
    await w.price(PERP, { mark: 98.4 });
    // 5.5 of equity, 4.9275 needed, 5.913 is safe
    await w.price(PERP, { mark: 98.55 });
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, true);
    await w.rest('BUY', 98.5, 2 * MILLION, PERP);
    assert.equal(await w.position(), (MILLION * 3) / 4);
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, false);
  });

  it('is over by a mark that is safe again, with nothing closed', { rule: '11.46' }, async (w) => {
    await thinLong(w);
    await w.price(PERP, { mark: 98.4 });
    await w.price(PERP, { mark: 98.6 });
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, false);
    await w.price(PERP, { mark: 98.55 });
    await w.rest('BUY', 98.5, 2 * MILLION, PERP);
    assert.equal(await w.position(), MILLION);
  });

  it('is not sold off into a thin book: a quarter takes no price at which the whole would be bankrupt', {
    rule: ['5.28', '5.29', '11.49'],
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 90, 2 * MILLION, PERP);
    // Bankrupt at 98, with the fee at 98.2. A quarter at 90 would lose 21 of 4.9: the others would have to pay for that.
    await w.price(PERP, { mark: 98.49 });
    assert.deepEqual([await w.position(), await total(w), await w.position('bob')], [MILLION, '20', -MILLION]);
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, true);
    await w.rest('BUY', 98.2, MILLION / 8, PERP);
    // An eighth at 98.2 pays 0.2 % of 122.75. The fund gives nothing for a price below that: the rest waits.
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [875_000, '17.5045', '0.2455']);
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, true);
  });

  it('its liquidation is no last price, fires no stop on last, and does not move the mark', {
    rule: '11.56',
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 98.4, 2 * MILLION, PERP);
    const waits = await one(w.bob.future(stop('SELL', 98.6, 10, { trigger: 'lastPrice' })));
    // Equity 4, maintenance 4.92. Each quarter at the mark pays 0.492: after two 3.016 for 1.2 × 2.46.
    await w.price(PERP, { index: 98.4 });
    assert.deepEqual([await w.position(), await fund(w)], [MILLION / 2, '0.984']);
    assert.deepEqual(await marketPrices(w), ['98.4', '100']);
    assert.equal((await ok(w.bob.futureOrder(waits.orderID))).status, 9);
  });

  it('in HEDGE closes the side that loses', { rule: '11.42' }, async (w) => {
    await setMode(w, 'HEDGE');
    await open(w, -MILLION / 10);
    await thinLong(w);
    await w.rest('BUY', 98.2, 2 * MILLION, PERP);
    await w.price(PERP, { mark: 98.2 });
    // 20 − 18 + 1.8 for 5.401. Three quarters of the long one pay 0.491 each: 2.327 for 1.2 × 1.7185.
    assert.deepEqual(await held(w), [
      ['BTC-PERP-USDT|LONG', MILLION / 4],
      ['BTC-PERP-USDT|SHORT', -MILLION / 10],
    ]);
    assert.equal(await fund(w), '1.473');
  });
});

describe('a position whose equity does not pay the fee', () => {
  const it = scenarios({ insuranceFund: { USDT: '10' } });

  it('goes whole: above the bankruptcy price the fund takes what the book gives', {
    rule: ['11.48', '11.50', '11.55'],
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 98.1, 2 * MILLION, PERP);
    // equity 1 at 98.1, the fee would be 1.962; 980 is owed at 98, the book gives 981
    await w.price(PERP, { mark: 98.1 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '0', '11']);
  });

  it('takes no price below it, though the fund could pay for that: it waits', {
    rule: ['11.49', '11.51'],
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 97.9, 2 * MILLION, PERP);
    await w.price(PERP, { mark: 98.1 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [MILLION, '20', '10']);
    assert.equal((await ok(w.alice.positions()))[0].liquidationInProgress, true);
    // At 98 itself: 2.5 BTC lose 2 each, nothing is better or worse, and a forced close pays no fee.
    await w.rest('BUY', 98, MILLION / 4, PERP);
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [(MILLION * 3) / 4, '15', '10']);
  });

  it('a short is mirrored', { rule: ['11.49', '11.50'] }, async (w) => {
    await open(w, -MILLION);
    await leave(w, '20');
    await w.rest('SELL', 102.1, 2 * MILLION, PERP);
    // Bankrupt at 102; equity 1 at 101.9, the fee would be 2.038.
    await w.price(PERP, { mark: 101.9 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [-MILLION, '20', '10']);
    await w.rest('SELL', 101.9, MILLION, PERP);
    // 1,020 is owed at 102, the book takes 1,019.
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '0', '11']);
  });

  it('goes whole at the mark that leaves no more than the fee, and not before', {
    rule: ['5.29', '11.48', '11.50'],
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 98.1, 2 * MILLION, PERP);
    // Equity 2.1, fee 1.9642: a quarter, at no price below 980 / (10 × 99.8 %), that is 98.2
    await w.price(PERP, { mark: 98.21 });
    assert.deepEqual([await w.position(), await fund(w)], [MILLION, '10']);
    // Equity 1.9, fee 1.9638: all of it, at no price below 98; 1 of the 981 that the book gives is better than that.
    await w.price(PERP, { mark: 98.19 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '0', '11']);
  });
});

describe('a position that a gap of the mark has put below zero', () => {
  const it = scenarios({ insuranceFund: { USDT: '10' } });

  /** What bob has now, less what he had. */
  const gained = async (w: World, before: string) => (Number(await total(w, 'bob')) - Number(before)).toFixed(3);

  it('is closed through the book near the mark: the fund gives the difference to the bankruptcy price', {
    rule: '11.52',
  }, async (w) => {
    await thinLong(w);
    await w.rest('BUY', 97.5, 2 * MILLION, PERP);
    // 97.54 × 99.95 % is 97.491: a bid at 97.5 is near. 980 is owed at 98, the book gives 975.
    await w.price(PERP, { mark: 97.54 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '0', '5']);
    assert.equal(await w.position('bob'), 0);
  });

  it('leaves the book beyond liquidationBand of the mark alone: others are closed instead, at the bankruptcy price', {
    rule: ['11.52', '11.57'],
  }, async (w) => {
    await thinLong(w);
    const { orderID } = await w.rest('BUY', 97.4, 2 * MILLION, PERP);
    const before = await total(w, 'bob');
    await w.price(PERP, { mark: 97.54 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '0', '10']);
    // bob, who is short 10 BTC from 100, is closed at 98, without a fee; his order has no fill.
    assert.deepEqual([await w.position('bob'), await gained(w, before)], [0, '20.000']);
    assert.equal((await ok(w.bob.futureOrder(orderID))).totalFilledSize, 0);
  });

  it('takes of the book what the fund covers, the rest is closed against others', {
    rule: ['11.52', '11.57'],
  }, async (w) => {
    await thinLong(w);
    const { orderID } = await w.rest('BUY', 96, 2 * MILLION, PERP);
    const before = await total(w, 'bob');
    // 2 USDT a BTC: the fund of 10 pays for five; 96.04 × 99.95 % is 95.992.
    await w.price(PERP, { mark: 96.04 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '0', '0']);
    assert.equal((await ok(w.bob.futureOrder(orderID))).totalFilledSize, MILLION / 2);
    // Five from 100 to 96 less 0.02 % of 480, five from 100 to 98
    assert.deepEqual([await w.position('bob'), await gained(w, before)], [0, '29.904']);
  });

  it('a short is mirrored', { rule: '11.52' }, async (w) => {
    await open(w, -MILLION);
    await leave(w, '20');
    await w.rest('SELL', 102.5, 2 * MILLION, PERP);
    // 102.46 × 100.05 % is 102.511; 1,020 is owed at 102, the book takes 1,025.
    await w.price(PERP, { mark: 102.46 });
    assert.deepEqual([await w.position(), await total(w), await fund(w)], [0, '0', '5']);
  });
});

describe('liquidationBand', () => {
  const it = scenarios({ insuranceFund: { USDT: '10' }, fees: { [PERP]: { maker: '0', taker: '0.0001' } } });

  it('is limited to what a round trip costs every account that has its own rates: 0.01 % here, not 0.05 %', {
    rule: '11.54',
  }, async (w) => {
    await thinLong(w);
    const { orderID } = await w.rest('BUY', 97.5, 2 * MILLION, PERP);
    // 97.54 × 99.99 % is 97.53: the bid at 97.5 is not near. bob is closed at 98, and his order is not met.
    await w.price(PERP, { mark: 97.54 });
    assert.deepEqual([await w.position(), await w.position('bob'), await fund(w)], [0, 0, '10']);
    assert.equal((await ok(w.bob.futureOrder(orderID))).totalFilledSize, 0);
  });
});

describe('a fund', () => {
  const it = scenarios();

  it('starts with nothing where none is configured', { rule: '11.55' }, async (w) => {
    assert.equal(await fund(w), '0');
  });
});

describe('an isolated position', () => {
  const it = scenarios();

  it('is liquidated on its own money; wallet, orders elsewhere and other positions stay', {
    rule: ['5.30', '11.40', '11.43', '11.44'],
  }, async (w) => {
    await w.price(ETH, { index: 100 });
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    await open(w, -10);
    await w.rest('BUY', 90, 2 * MILLION, PERP);
    const elsewhere = await one(w.alice.future(future('BUY', 90, 10, { symbol: ETH })));
    const here = await one(w.alice.future(future('SELL', 110, 10)));
    const { orderId } = await one(w.alice.spot(limit('BUY', 90)));
    const wallet = await total(w);
    // 102.111 of margin are used up at 89.7889; at 89.9 the fee is not left, so it goes whole, and what 90 is better is the fund's
    await w.price(PERP, { mark: 89.9 });
    assert.deepEqual(await held(w), [['BTC-PERP-USDT|2#1', -10]]);
    assert.deepEqual([await total(w), await fund(w)], [wallet, '2.111']);
    // Of its orders those of the market go.
    assert.equal((await ok(w.alice.futureOrder(here.orderID))).status, 6);
    assert.equal((await ok(w.alice.futureOrder(elsewhere.orderID))).status, 2);
    assert.equal(await w.state(orderId), 'ORDER_INSERTED');
  });

  it('closes in quarters, too, until it is safe: results and fees are its own money’s, the wallet stays', {
    rule: ['11.43', '11.46'],
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    await w.rest('BUY', 90.2, 2 * MILLION, PERP);
    const wallet = await total(w);
    // 4.111 of equity at 90.2, 4.51 needed. A quarter costs 0.451 and leaves 3.66 for 1.2 × 3.3825, two leave 3.209 for 2.706.
    await w.price(PERP, { mark: 90.2 });
    assert.deepEqual(await held(w), [['BTC-PERP-USDT|1#1', MILLION / 2]]);
    assert.equal((await w.account()).positions[0].margin, '52.209');
    assert.deepEqual([await total(w), await fund(w)], [wallet, '0.902']);
  });

  it('beyond its bankruptcy price costs the wallet nothing: the others are deleveraged at that price', {
    rule: ['5.30', '11.43', '11.57'],
  }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    await w.rest('BUY', 88, 2 * MILLION, PERP);
    const wallet = await total(w);
    // 102.111 of its own are used up at 89.7889
    await w.price(PERP, { mark: 90.2 });
    assert.deepEqual(await held(w), [['BTC-PERP-USDT|1#1', MILLION]]);
    await w.price(PERP, { mark: 89.7 });
    assert.deepEqual([await held(w), await total(w), await w.position('bob')], [[], wallet, 0]);
    assert.equal(await fund(w), '0');
  });

  it('whose liquidation waits draws no other one of the market into it', { rule: '11.43' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    await open(w, MILLION, {}, 99.9);
    // Of the second one 5.009 is left, where 4.51 is needed and 5.412 is safe.
    await w.price(PERP, { mark: 90.2 });
    await w.rest('BUY', 90.2, 2 * MILLION, PERP);
    assert.deepEqual(await held(w), [
      ['BTC-PERP-USDT|1#1', MILLION / 2],
      ['BTC-PERP-USDT|2#1', MILLION],
    ]);
  });
});

describe('ten rounds', () => {
  const FURTHER = {
    base: 'BTC',
    quote: 'USDT',
    tick: '0.1',
    step: '1',
    minSize: '1',
    contractSize: '0.00001',
  } as const;
  const SYMBOLS = [PERP, 'A-PERP', 'B-PERP'];
  const it = scenarios({
    markets: ['A-PERP', 'B-PERP'].map((symbol) => ({
      ...FURTHER,
      symbol,
      kind: 'perpetual',
      maxPrice: '10000000',
      maxSize: '7500000',
    })),
  });

  it('are the most at once; what is left is due again at the same time: twelve quarters in one call', {
    rule: '3.17',
  }, async (w) => {
    for (const symbol of SYMBOLS) {
      await w.price(symbol, { index: 100 });
      await open(w, MILLION, { symbol });
    }
    await leave(w, '36.5');
    for (const symbol of SYMBOLS.slice(1)) await w.price(symbol, { mark: 99 });
    for (const symbol of SYMBOLS) await w.rest('BUY', 99, MILLION, symbol);
    assert.equal((await held(w)).length, 3);
    // A loss of 30 leaves 6.5, where 14.85 is needed. Each quarter pays 0.495: only all twelve are enough.
    await w.price(PERP, { mark: 99 });
    assert.deepEqual([await held(w), await fund(w)], [[], '5.94']);
  });
});
