/**
 * The model's reading of what orders do to each other (docs/semantics.md sections 3, 4, 6, 7 and 11), without a venue:
 * pegs as a group, self-trade, fill-or-kill, timed triggers, OCO, attached orders, and what goes with a position.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Alone, ANN, BOB, BUY, CYD, PERP, placement, SELL, SPOT, stands } from './alone.ts';
import type { ModelOrder } from './model-state.ts';

const effective = (o: ModelOrder): number => o.peg!.effective;
const reasons = (orders: ModelOrder[]) => orders.map((o) => o.ending?.reason ?? null);

describe('pegs are re-priced as a group', () => {
  it('one account quotes both sides, and an index change that passes its own quote cancels neither', () => {
    const w = new Alone();
    const bid = w.peg(ANN, SPOT, BUY, -1, 5);
    const ask = w.peg(ANN, SPOT, SELL, 1, 5);
    assert.deepEqual([effective(bid), effective(ask)], [99, 101]);
    w.prices(SPOT, { index: 110 });
    assert.deepEqual([effective(bid), effective(ask)], [108, 112]);
    assert.deepEqual(
      [stands(bid), stands(ask)],
      [
        ['working', 0, 5],
        ['working', 0, 5],
      ],
    );
  });

  it('no peg trades at a price that another one is about to leave', () => {
    const w = new Alone();
    const ask = w.peg(ANN, SPOT, SELL, 1, 5);
    const bid = w.peg(BOB, SPOT, BUY, -1, 5);
    w.prices(SPOT, { index: 90 });
    assert.deepEqual([effective(ask), effective(bid)], [91, 89]);
    assert.deepEqual([ask.filled, bid.filled], [0, 0]);
  });

  it('they enter by age: of two that cross at their new prices, the younger one takes', () => {
    const w = new Alone();
    const capped = w.peg(ANN, SPOT, SELL, 0, 5, { price: 105 });
    const bid = w.peg(BOB, SPOT, BUY, 2, 5);
    assert.deepEqual([effective(capped), effective(bid)], [105, 102]);
    w.prices(SPOT, { index: 108 });
    assert.deepEqual(
      [stands(capped), stands(bid)],
      [
        ['filled', 5, 0],
        ['filled', 5, 0],
      ],
    );
    assert.equal(w.model.w.s.markets[SPOT].last, 108_000);
  });

  it('one whose price is the same keeps its place at its level', () => {
    const w = new Alone();
    const capped = w.peg(ANN, SPOT, BUY, 0, 5, { price: 90 });
    const behind = w.limit(BOB, SPOT, BUY, 90, 5);
    w.prices(SPOT, { index: 101 });
    w.market(CYD, SPOT, SELL, 5);
    assert.deepEqual([capped.filled, behind.filled], [5, 0]);
  });

  it('one whose price changes and comes back has lost its place', () => {
    const w = new Alone();
    const peg = w.peg(ANN, SPOT, BUY, 0, 5);
    w.limit(BOB, SPOT, BUY, 100, 5);
    w.prices(SPOT, { index: 90 });
    w.prices(SPOT, { index: 100 });
    w.market(CYD, SPOT, SELL, 5);
    assert.equal(peg.filled, 0);
  });
});

describe('a peg that meets a peg of its own account', () => {
  it('stops one tick before it, and is cancelled by no rule of the venue', () => {
    for (const selfTrade of ['cancelIncoming', 'cancelResting', 'cancelBoth'] as const) {
      const w = new Alone({ selfTrade });
      const ask = w.peg(ANN, SPOT, SELL, 1, 5);
      const bid = w.peg(ANN, SPOT, BUY, 3, 5);
      assert.deepEqual(
        [stands(ask), stands(bid)],
        [
          ['working', 0, 5],
          ['working', 0, 5],
        ],
      );
      assert.deepEqual([effective(ask), effective(bid), bid.resting?.price], [101, 100, 100]);
    }
  });

  it('takes what lies before its own', () => {
    const w = new Alone();
    const other = w.limit(BOB, SPOT, SELL, 101, 2);
    w.peg(ANN, SPOT, SELL, 1, 5);
    const bid = w.peg(ANN, SPOT, BUY, 3, 5);
    assert.deepEqual([stands(other), stands(bid), effective(bid)], [['filled', 2, 0], ['working', 2, 3], 100]);
  });

  it('a SELL peg rests one tick above its own bid', () => {
    const w = new Alone();
    w.peg(ANN, SPOT, BUY, -1, 5);
    const ask = w.peg(ANN, SPOT, SELL, -3, 5);
    assert.deepEqual([stands(ask), effective(ask)], [['working', 0, 5], 100]);
  });

  it('takes its own price again with the next index that it hears of', () => {
    const w = new Alone();
    const ask = w.peg(ANN, SPOT, SELL, 1, 5);
    const bid = w.peg(ANN, SPOT, BUY, 3, 5);
    w.cancel(ask);
    assert.equal(effective(bid), 100);
    w.prices(SPOT, { index: 101 });
    assert.equal(effective(bid), 104);
  });

  it('a plain order of its own ends it by the rule of the venue', () => {
    const w = new Alone();
    w.limit(ANN, SPOT, SELL, 101, 5);
    const bid = w.peg(ANN, SPOT, BUY, 3, 5);
    assert.deepEqual(stands(bid), ['cancelled', 0, 5, 'selfTrade']);
  });
});

/** Ann's own bid is the best one, Bob's stand behind it. */
function ownBidFirst(market: number): { w: Alone; own: ModelOrder } {
  const w = new Alone();
  if (market === PERP) long(w, ANN, 10);
  const own = w.limit(ANN, market, BUY, 99, 1);
  w.limit(BOB, market, BUY, 98, 5);
  return { w, own };
}

/** The account buys so many contracts of Cyd at 100. */
function long(w: Alone, account: number, size: number, terms = {}): ModelOrder {
  w.limit(CYD, PERP, SELL, 100, size);
  return w.limit(account, PERP, BUY, 100, size, terms);
}

describe('what protects or closes is disarmed by no own resting order', () => {
  const cases: [string, number, (w: Alone) => ModelOrder][] = [
    ['a CONDITIONAL', SPOT, (w) => w.stop(ANN, SPOT, SELL, 100, 3)],
    ['a stop-limit', SPOT, (w) => w.stop(ANN, SPOT, SELL, 100, 3, { price: 90 })],
    ['a STOP', PERP, (w) => w.stop(ANN, PERP, SELL, 100, 3, { reference: 'mark' })],
    ['a TRIGGER', PERP, (w) => w.stop(ANN, PERP, SELL, 100, 3, { reference: 'mark', rule: 'profit' })],
    ['a reduce-only MARKET', PERP, (w) => w.market(ANN, PERP, SELL, 3, { reduceOnly: true })],
    ['a reduce-only LIMIT', PERP, (w) => w.limit(ANN, PERP, SELL, 90, 3, { reduceOnly: true })],
    ['a close of a position', PERP, (w) => w.market(ANN, PERP, SELL, 3, { reduceOnly: true, position: 0 })],
    ['a TWAP', SPOT, (w) => w.twap(ANN, SELL, 6)],
  ];
  for (const [name, market, make] of cases) {
    it(`${name} cancels what it meets and goes on`, () => {
      const { w, own } = ownBidFirst(market);
      const o = make(w);
      assert.equal(o.filled, 3);
      assert.deepEqual(stands(own), ['cancelled', 0, 1, 'selfTrade']);
    });
  }

  it('a trailing stop', () => {
    const { w, own } = ownBidFirst(SPOT);
    const o = w.trailing(ANN, SPOT, SELL, 1, 3);
    w.prices(SPOT, { last: 99 });
    assert.deepEqual([stands(o), reasons([own])], [['filled', 3, 0], ['selfTrade']]);
  });

  it('the stop leg of an OCO', () => {
    const { w, own } = ownBidFirst(SPOT);
    const [, stop] = w.oco(ANN, SPOT, 3);
    w.prices(SPOT, { last: 90 });
    assert.deepEqual([stands(stop), reasons([own])], [['filled', 3, 0], ['selfTrade']]);
  });

  it('an attached stop-loss', () => {
    const w = new Alone();
    const parent = long(w, ANN, 3, { stopLoss: { price: 95, reference: 'mark' } });
    const own = w.limit(ANN, PERP, BUY, 99, 1);
    w.limit(BOB, PERP, BUY, 98, 5);
    w.prices(PERP, { mark: 95 });
    assert.deepEqual(stands(w.order(parent.stopLossKey)), ['filled', 3, 0]);
    assert.deepEqual([reasons([own]), w.position(ANN).size], [['selfTrade'], 0]);
  });

  it('the issue: own bid 1 at 95 is best, others 5 at 94, a stop SELL of 1 fires at 96 and fills 1', () => {
    const w = new Alone();
    const own = w.limit(ANN, SPOT, BUY, 95, 1);
    w.limit(BOB, SPOT, BUY, 94, 5);
    const stop = w.stop(ANN, SPOT, SELL, 96, 1);
    w.prices(SPOT, { last: 96 });
    assert.deepEqual([stands(stop), reasons([own])], [['filled', 1, 0], ['selfTrade']]);
  });

  it('a plain order goes on giving way', () => {
    const { w, own } = ownBidFirst(SPOT);
    const o = w.limit(ANN, SPOT, SELL, 90, 3);
    assert.deepEqual(
      [stands(o), stands(own)],
      [
        ['cancelled', 0, 3, 'selfTrade'],
        ['working', 0, 1],
      ],
    );
  });

  it('under "cancel both", too, the order that protects goes on', () => {
    const w = new Alone({ selfTrade: 'cancelBoth' });
    w.limit(ANN, SPOT, BUY, 99, 1);
    w.limit(BOB, SPOT, BUY, 98, 5);
    assert.equal(w.stop(ANN, SPOT, SELL, 100, 3).filled, 3);
  });

  it('of an own TWAP in the way the child goes, the TWAP runs on', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, BUY, 98, 5);
    const twap = w.twap(ANN, BUY, 4, { makerFirst: true });
    assert.equal(twap.resting?.price, 98);
    const stop = w.stop(ANN, SPOT, SELL, 100, 6);
    assert.deepEqual(
      [stands(stop), twap.state, twap.resting],
      [['cancelled', 5, 1, 'noLiquidityInBand'], 'working', null],
    );
  });

  it('an own take-profit leg in the way has ended by itself: its stop leg goes on alone', () => {
    const w = new Alone();
    long(w, ANN, 5);
    const [limit, stop] = w.oco(ANN, PERP, 2);
    w.limit(CYD, PERP, SELL, 111, 5);
    const close = w.stop(ANN, PERP, BUY, 100, 3, { reference: 'mark' });
    assert.deepEqual(
      [stands(close), stands(limit)],
      [
        ['filled', 3, 0],
        ['cancelled', 0, 2, 'selfTrade'],
      ],
    );
    assert.deepEqual(stands(stop), ['waiting', 0, 2]);
  });
});

describe('a TWAP says why it has skipped a child', () => {
  it('"book": nothing is there to be taken', () => {
    const w = new Alone();
    const twap = w.twap(ANN, BUY, 4);
    assert.deepEqual([twap.twap?.pausedBy, twap.twap?.childrenDone, twap.filled], ['book', 1, 0]);
  });

  it('"ownOrder": within its limit there were own orders alone, which have given way', () => {
    const w = new Alone();
    const own = w.limit(ANN, SPOT, SELL, 100, 1);
    w.limit(BOB, SPOT, SELL, 120, 5);
    const twap = w.twap(ANN, BUY, 4, { maxThroughBook: 10_000_000 });
    assert.deepEqual([twap.twap?.pausedBy, twap.filled, reasons([own])], ['ownOrder', 0, ['selfTrade']]);
    w.advance(30_000);
    assert.deepEqual([twap.twap?.pausedBy, twap.filled], [null, 4]);
  });

  it('"funds" does not count own orders: they are not bought', () => {
    const w = new Alone();
    w.limit(ANN, SPOT, SELL, 100, 1);
    w.limit(BOB, SPOT, SELL, 101, 5);
    w.accepted({ v: 1, type: 'deposit', account: ANN, currency: 'QQ', amount: String(-(1_000_000 - 404)) });
    const twap = w.twap(ANN, BUY, 4);
    assert.deepEqual([twap.twap?.pausedBy, twap.filled], [null, 2]);
  });
});

describe('FOK', () => {
  it('counts up to the first own order, which does not give way', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, SELL, 100, 2);
    w.limit(ANN, SPOT, SELL, 101, 1);
    w.limit(BOB, SPOT, SELL, 102, 5);
    const short = w.limit(ANN, SPOT, BUY, 105, 3, { timeInForce: 'FOK' });
    assert.deepEqual(stands(short), ['cancelled', 0, 3, 'fillOrKillUnfilled']);
    assert.deepEqual(stands(w.limit(ANN, SPOT, BUY, 105, 2, { timeInForce: 'FOK' })), ['filled', 2, 0]);
  });

  it('counts past own orders that give way: a reduce-only one takes what lies behind', () => {
    const { w, own } = ownBidFirst(PERP);
    const close = w.limit(ANN, PERP, SELL, 90, 5, { timeInForce: 'FOK', reduceOnly: true });
    assert.deepEqual([stands(close), reasons([own])], [['filled', 5, 0], ['selfTrade']]);
  });

  it('that cannot fill leaves the own order that would have given way', () => {
    const { w, own } = ownBidFirst(PERP);
    const close = w.limit(ANN, PERP, SELL, 90, 6, { timeInForce: 'FOK', reduceOnly: true });
    assert.deepEqual(
      [stands(close), stands(own)],
      [
        ['cancelled', 0, 6, 'fillOrKillUnfilled'],
        ['working', 0, 1],
      ],
    );
  });

  it('on MARKET is all or nothing, and is shown', () => {
    const w = new Alone();
    w.limit(BOB, PERP, SELL, 100, 2);
    w.limit(BOB, PERP, SELL, 140, 2);
    const wanted = w.market(ANN, PERP, BUY, 3, { timeInForce: 'FOK' });
    assert.deepEqual([wanted.timeInForce, stands(wanted)], ['FOK', ['cancelled', 0, 3, 'fillOrKillUnfilled']]);
    assert.deepEqual(stands(w.market(ANN, PERP, BUY, 2, { timeInForce: 'FOK' })), ['filled', 2, 0]);
  });

  it('on MARKET with no book ends the same way', () => {
    const w = new Alone();
    const o = w.market(ANN, SPOT, SELL, 3, { timeInForce: 'FOK' });
    assert.deepEqual(stands(o), ['cancelled', 0, 3, 'fillOrKillUnfilled']);
  });

  it('on a MARKET BUY in quote spends all but less than a lot costs, or nothing', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, SELL, 100, 2);
    const buy = (quote: string) => w.place('market', ANN, SPOT, BUY, { size: null, quote, timeInForce: 'FOK' })[0];
    assert.deepEqual(stands(buy('300')), ['cancelled', 0, 0, 'fillOrKillUnfilled']);
    assert.deepEqual(stands(buy('250')), ['partlyFilled', 2, 0]);
  });

  it('of a market trigger is checked when it fires', () => {
    const w = new Alone();
    w.limit(BOB, PERP, BUY, 99, 2);
    const stop = w.stop(ANN, PERP, SELL, 95, 3, { reference: 'mark', timeInForce: 'FOK' });
    assert.deepEqual([stop.state, stop.timeInForce], ['waiting', 'FOK']);
    w.prices(PERP, { mark: 95 });
    assert.deepEqual(stands(stop), ['cancelled', 0, 3, 'fillOrKillUnfilled']);
  });

  it('IOC is the nature of a MARKET order, and is shown; none given, none is kept', () => {
    const w = new Alone();
    w.limit(BOB, PERP, SELL, 100, 2);
    const o = w.market(ANN, PERP, BUY, 3, { timeInForce: 'IOC' });
    assert.deepEqual([o.timeInForce, stands(o)], ['IOC', ['cancelled', 2, 1, 'noLiquidityInBand']]);
    assert.equal(w.market(ANN, PERP, BUY, 1).timeInForce, null);
    assert.equal(w.market(ANN, PERP, BUY, 1, { timeInForce: 'GTC' }).timeInForce, null);
  });
});

describe('timed validity of a trigger runs from its placement', () => {
  it('a trailing stop expires, too', () => {
    const w = new Alone();
    const o = w.trailing(ANN, PERP, SELL, 5, 3, { reference: 'mark', timeInForce: 'HALFMIN' });
    w.advance(29_999);
    assert.deepEqual([o.state, o.timeInForce], ['waiting', 'HALFMIN']);
    w.advance(30_000);
    assert.deepEqual(stands(o), ['cancelled', 0, 3, 'expired']);
  });

  for (const [name, price] of [
    ['MARKET', null],
    ['LIMIT', 94],
  ] as const) {
    it(`a waiting ${name} trigger expires to the millisecond`, () => {
      const w = new Alone();
      const stop = w.stop(ANN, PERP, SELL, 95, 3, { reference: 'mark', price, timeInForce: 'HALFMIN' });
      w.advance(29_999);
      assert.deepEqual([stop.state, stop.timeInForce], ['waiting', 'HALFMIN']);
      w.advance(30_000);
      assert.deepEqual(stands(stop), ['cancelled', 0, 3, 'expired']);
    });
  }

  it('and covers what it releases', () => {
    const w = new Alone();
    const stop = w.stop(ANN, PERP, SELL, 95, 3, { reference: 'mark', price: 94, timeInForce: 'HALFMIN' });
    w.advance(20_000);
    w.prices(PERP, { mark: 95 });
    assert.equal(stop.resting?.price, 94);
    w.advance(30_000);
    assert.deepEqual(stands(stop), ['cancelled', 0, 3, 'expired']);
  });
});

describe('an OCO whose take-profit leg ends by itself', () => {
  it('IOC filled 4 of 10: the stop leg lives on for 6, and the reply shows it so', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, BUY, 112, 4);
    const { orders } = w.accepted(ocoSell(ANN, SPOT, 10, { timeInForce: 'IOC' }));
    assert.deepEqual(orders.map(stands), [
      ['cancelled', 4, 6, 'immediateRemainder'],
      ['waiting', 0, 6],
    ]);
    const stop = w.order(orders[1].key);
    w.limit(BOB, SPOT, BUY, 89, 10);
    w.prices(SPOT, { last: 90 });
    assert.deepEqual(stands(stop), ['filled', 6, 0]);
  });

  it('FOK unfilled: the stop leg keeps all of it', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, BUY, 112, 4);
    const [limit, stop] = w.oco(ANN, SPOT, 10, { timeInForce: 'FOK' });
    assert.deepEqual(
      [stands(limit), stands(stop)],
      [
        ['cancelled', 0, 10, 'fillOrKillUnfilled'],
        ['waiting', 0, 10],
      ],
    );
  });

  it('expired after a partial fill: the stop leg goes on with the rest', () => {
    const w = new Alone();
    const [limit, stop] = w.oco(ANN, SPOT, 10, { timeInForce: 'HALFMIN' });
    w.limit(BOB, SPOT, BUY, 110, 3);
    assert.deepEqual(stands(stop), ['waiting', 0, 7]);
    w.advance(30_000);
    assert.deepEqual(
      [stands(limit), stands(stop)],
      [
        ['cancelled', 3, 7, 'expired'],
        ['waiting', 0, 7],
      ],
    );
    w.advance(3_600_000);
    assert.equal(stop.state, 'waiting');
  });

  it('holds the money of the stop leg alone from then on', () => {
    const w = new Alone();
    const buy = { price: 90, stopTrigger: 110, stopPrice: 115, timeInForce: 'HALFMIN' };
    const reserved = () => w.model.w.s.live.filter((o) => o.account === ANN).map((o) => o.price);
    w.place('oco', ANN, SPOT, BUY, { size: 10, stopReference: 'last', postOnly: false, ...buy });
    w.advance(30_000);
    assert.deepEqual(reserved(), [115]);
  });

  it('is cancelled alone when the client cancels it', () => {
    const w = new Alone();
    const [, stop] = w.oco(ANN, SPOT, 10, { timeInForce: 'FOK' });
    assert.deepEqual(w.cancel(stop).orders.map(stands), [['cancelled', 0, 10, 'cancelledByClient']]);
  });
});

describe('the reply of an OCO', () => {
  it('whose limit leg was filled at once shows the stop leg ended', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, BUY, 112, 10);
    const { orders } = w.accepted(ocoSell(ANN, SPOT, 10));
    assert.deepEqual(orders.map(stands), [
      ['filled', 10, 0],
      ['cancelled', 0, 0, 'ocoSiblingFilled'],
    ]);
  });

  it('whose limit leg was filled in part and rests shows both legs with what is left', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, BUY, 112, 4);
    const { orders } = w.accepted(ocoSell(ANN, SPOT, 10));
    assert.deepEqual(orders.map(stands), [
      ['working', 4, 6],
      ['waiting', 0, 6],
    ]);
  });

  it('whose limit leg was rejected shows both rejected', () => {
    const w = new Alone();
    w.limit(BOB, SPOT, BUY, 112, 4);
    const { orders } = w.accepted(ocoSell(ANN, SPOT, 10, { postOnly: true }));
    assert.deepEqual(orders.map(stands), [
      ['rejected', 0, 10, 'postOnlyWouldMatch'],
      ['rejected', 0, 10, 'ocoLimitLegRejected'],
    ]);
  });
});

describe('an OCO that is taken from outside goes as a group', () => {
  it('cancelling either leg cancels both, and both records come back', () => {
    for (const leg of [0, 1]) {
      const w = new Alone();
      const { orders } = w.cancel(w.oco(ANN, SPOT, 10)[leg]);
      assert.deepEqual(reasons(orders), ['cancelledByClient', 'ocoCancelled']);
    }
  });

  it("the dead man's switch takes both", () => {
    const w = new Alone();
    const legs = w.oco(ANN, SPOT, 10);
    w.accepted({ v: 1, type: 'cancelAllAfter', account: ANN, product: 'spot', timeoutMs: 1000 });
    w.advance(1000);
    assert.deepEqual(reasons(legs), ['deadMansSwitch', 'ocoCancelled']);
  });
});

describe('a reduce-only OCO shrinks in both legs with its position', () => {
  it('a fill elsewhere takes 4 of 10: both legs have 6', () => {
    const w = new Alone();
    long(w, ANN, 10);
    const [limit, stop] = w.oco(ANN, PERP, 10, { reduceOnly: true });
    w.limit(BOB, PERP, BUY, 99, 4);
    w.market(ANN, PERP, SELL, 4);
    assert.deepEqual(
      [stands(limit), stands(stop)],
      [
        ['working', 0, 6],
        ['waiting', 0, 6],
      ],
    );
  });

  it('a position that is gone takes both along', () => {
    const w = new Alone();
    long(w, ANN, 10);
    const legs = w.oco(ANN, PERP, 10, { reduceOnly: true });
    w.limit(BOB, PERP, BUY, 99, 10);
    w.market(ANN, PERP, SELL, 10);
    assert.deepEqual(reasons(legs), ['positionClosed', 'positionClosed']);
  });

  it('a stop leg that has gone on alone shrinks with it, too', () => {
    const w = new Alone();
    long(w, ANN, 10);
    const [, stop] = w.oco(ANN, PERP, 10, { reduceOnly: true, timeInForce: 'FOK' });
    w.limit(BOB, PERP, BUY, 99, 4);
    w.market(ANN, PERP, SELL, 4);
    assert.deepEqual(stands(stop), ['waiting', 0, 6]);
  });

  it('a take-profit that others cover leaves the stop for what the position has', () => {
    const w = new Alone();
    long(w, ANN, 10);
    const [limit, stop] = w.oco(ANN, PERP, 10, { reduceOnly: true });
    w.limit(ANN, PERP, SELL, 105, 10, { reduceOnly: true });
    w.limit(BOB, PERP, BUY, 99, 2);
    w.market(ANN, PERP, SELL, 2);
    assert.deepEqual(
      [stands(limit), stands(stop)],
      [
        ['cancelled', 0, 10, 'positionCovered'],
        ['waiting', 0, 8],
      ],
    );
  });
});

const MARK = { reference: 'mark' } as const;

/** Ann is long 10 at 100, with a take-profit at 110 and a stop-loss at 90. */
function attached(): { w: Alone; profit: ModelOrder; loss: ModelOrder } {
  const w = new Alone();
  w.limit(CYD, PERP, SELL, 100, 10);
  const both = { takeProfit: { price: 110, ...MARK }, stopLoss: { price: 90, ...MARK } };
  const parent = w.limit(ANN, PERP, BUY, 100, 10, both);
  return { w, profit: w.order(parent.takeProfitKey), loss: w.order(parent.stopLossKey) };
}

describe('attached orders with partial fills', () => {
  it('a take-profit filled 1 of 10 waits again with 9, and the stop-loss closes 9', () => {
    const { w, profit, loss } = attached();
    w.limit(BOB, PERP, BUY, 109, 1);
    w.prices(PERP, { mark: 110 });
    assert.deepEqual(
      [stands(profit), stands(loss)],
      [
        ['waiting', 1, 9],
        ['waiting', 0, 9],
      ],
    );
    w.limit(BOB, PERP, BUY, 90, 20);
    w.prices(PERP, { mark: 90 });
    assert.deepEqual([stands(loss), w.position(ANN).size], [['filled', 9, 0], 0]);
    assert.deepEqual(reasons([profit]), ['bracketSiblingDone']);
  });

  it('a stop-loss filled in part leaves the take-profit for the rest', () => {
    const { w, profit, loss } = attached();
    w.limit(BOB, PERP, BUY, 90, 4);
    w.prices(PERP, { mark: 90 });
    assert.deepEqual(
      [stands(loss), stands(profit)],
      [
        ['waiting', 4, 6],
        ['waiting', 0, 6],
      ],
    );
    w.limit(BOB, PERP, BUY, 109, 20);
    w.prices(PERP, { mark: 110 });
    assert.deepEqual([stands(profit), w.position(ANN).size], [['filled', 6, 0], 0]);
  });

  it('one that waits again fires at the next observation that reaches its price, and at no other', () => {
    const { w, profit } = attached();
    w.limit(BOB, PERP, BUY, 109, 1);
    w.prices(PERP, { mark: 110 });
    w.limit(BOB, PERP, BUY, 108, 3);
    assert.equal(profit.filled, 1);
    w.prices(PERP, { mark: 109 });
    assert.equal(profit.filled, 1);
    w.prices(PERP, { mark: 111 });
    assert.deepEqual(stands(profit), ['waiting', 4, 6]);
  });

  it('the other has never more than the position', () => {
    const { w, profit, loss } = attached();
    w.limit(BOB, PERP, BUY, 99, 4);
    w.market(ANN, PERP, SELL, 4);
    w.limit(BOB, PERP, BUY, 109, 1);
    w.prices(PERP, { mark: 110 });
    assert.deepEqual(
      [stands(profit), stands(loss)],
      [
        ['waiting', 1, 5],
        ['waiting', 0, 5],
      ],
    );
  });

  it('one filled to its end ends the other, whatever else the position has', () => {
    const { w, profit, loss } = attached();
    long(w, ANN, 5);
    w.limit(BOB, PERP, BUY, 109, 20);
    w.prices(PERP, { mark: 110 });
    assert.deepEqual([stands(profit), w.position(ANN).size], [['filled', 10, 0], 5]);
    assert.deepEqual(reasons([loss]), ['bracketSiblingDone']);
  });

  it('one that covers less than the other leaves it for what it did not close', () => {
    const w = new Alone();
    w.limit(CYD, PERP, SELL, 100, 4);
    const both = { takeProfit: { price: 110, ...MARK }, stopLoss: { price: 90, ...MARK } };
    const parent = w.limit(ANN, PERP, BUY, 100, 10, both);
    w.cancel(w.order(parent.takeProfitKey));
    w.limit(CYD, PERP, SELL, 100, 6);
    const [profit, loss] = [w.order(parent.takeProfitKey), w.order(parent.stopLossKey)];
    assert.deepEqual(
      [stands(profit), stands(loss)],
      [
        ['waiting', 0, 6],
        ['waiting', 0, 10],
      ],
    );
    w.limit(BOB, PERP, BUY, 109, 6);
    w.prices(PERP, { mark: 110 });
    assert.deepEqual(
      [stands(profit), stands(loss)],
      [
        ['filled', 6, 0],
        ['waiting', 0, 4],
      ],
    );
  });

  it('those of a position that are attached by themselves share in the same way', () => {
    const w = new Alone();
    long(w, ANN, 10);
    const both = { takeProfit: { price: 110, ...MARK }, stopLoss: { price: 90, ...MARK } };
    const made = w.accepted({ v: 1, type: 'attachBrackets', account: ANN, market: PERP, position: 0, ...both });
    w.limit(BOB, PERP, BUY, 109, 3);
    w.prices(PERP, { mark: 110 });
    assert.deepEqual(
      made.orders.map(({ key }) => stands(w.order(key))),
      [
        ['waiting', 3, 7],
        ['waiting', 0, 7],
      ],
    );
  });
});

describe('a reduce-only trigger goes with the position that it was placed with', () => {
  const kinds: [string, (w: Alone) => ModelOrder][] = [
    ['a STOP', (w) => w.stop(ANN, PERP, SELL, 80, 10, { ...MARK, reduceOnly: true })],
    ['a TRIGGER', (w) => w.stop(ANN, PERP, SELL, 120, 10, { ...MARK, rule: 'profit', reduceOnly: true })],
    ['a stop-limit', (w) => w.stop(ANN, PERP, SELL, 80, 10, { ...MARK, price: 79, reduceOnly: true })],
    ['a trailing stop', (w) => w.trailing(ANN, PERP, SELL, 20, 10, { ...MARK, reduceOnly: true })],
  ];
  for (const [name, make] of kinds) {
    it(`${name}: gone when the position is`, () => {
      const w = new Alone();
      long(w, ANN, 10);
      const o = make(w);
      w.limit(BOB, PERP, BUY, 99, 10);
      w.market(ANN, PERP, SELL, 4);
      assert.deepEqual(stands(o), ['waiting', 0, 10]);
      w.market(ANN, PERP, SELL, 6);
      assert.deepEqual(stands(o), ['cancelled', 0, 10, 'positionClosed']);
    });

    it(`${name} that was placed before there was a position stays when one comes and goes`, () => {
      const w = new Alone();
      const o = make(w);
      long(w, ANN, 10);
      w.limit(BOB, PERP, BUY, 99, 10);
      w.market(ANN, PERP, SELL, 10);
      assert.deepEqual(stands(o), ['waiting', 0, 10]);
    });
  }

  it('a position that turns to the other side is gone, too', () => {
    const w = new Alone();
    long(w, ANN, 10);
    const o = w.stop(ANN, PERP, SELL, 80, 10, { ...MARK, reduceOnly: true });
    w.limit(BOB, PERP, BUY, 99, 12);
    w.market(ANN, PERP, SELL, 12);
    assert.deepEqual([w.position(ANN).size, reasons([o])], [-2, ['positionClosed']]);
  });

  it('placed before there was one, it is checked when it fires', () => {
    const w = new Alone();
    const [none, some] = [95, 94].map((at) => w.stop(ANN, PERP, SELL, at, 10, { ...MARK, reduceOnly: true }));
    w.prices(PERP, { mark: 95 });
    assert.deepEqual(stands(none), ['rejected', 0, 10, 'reduceOnlyWithoutPosition']);
    long(w, ANN, 4);
    w.limit(BOB, PERP, BUY, 94, 10);
    w.prices(PERP, { mark: 94 });
    assert.deepEqual(stands(some), ['filled', 4, 0]);
  });

  it('HEDGE: it goes with its own leg, not with the other', () => {
    const w = new Alone();
    const hedge = { positionMode: 'HEDGE' };
    long(w, ANN, 5, hedge);
    w.limit(BOB, PERP, BUY, 100, 5);
    w.limit(ANN, PERP, SELL, 100, 5, hedge);
    const sells = w.stop(ANN, PERP, SELL, 80, 5, { ...MARK, reduceOnly: true });
    const buys = w.stop(ANN, PERP, BUY, 120, 5, { ...MARK, reduceOnly: true });
    w.limit(BOB, PERP, BUY, 99, 5);
    w.market(ANN, PERP, SELL, 5, { reduceOnly: true });
    assert.deepEqual([reasons([sells]), stands(buys)], [['positionClosed'], ['waiting', 0, 5]]);
  });

  it('ISOLATED: it goes with the position that was the oldest one when it was placed', () => {
    const w = new Alone();
    const isolated = { positionMode: 'ISOLATED' };
    const [first, second] = [long(w, ANN, 3, isolated), long(w, ANN, 4, isolated)];
    w.limit(BOB, PERP, BUY, 99, 20);
    const stop = w.stop(ANN, PERP, SELL, 95, 4, { ...MARK, reduceOnly: true });
    assert.equal(stop.positionId, first.positionId);
    w.market(ANN, PERP, SELL, 3, { reduceOnly: true, position: first.positionId });
    assert.deepEqual([reasons([stop]), w.position(ANN, second.positionId).size], [['positionClosed'], 4]);
  });
});

function ocoSell(account: number, market: number, size: number, terms = {}) {
  const legs = { price: 110, stopTrigger: 90, stopPrice: 80, stopReference: 'last', timeInForce: 'GTC' };
  return placement('oco', account, market, SELL, { ...legs, postOnly: false, size, ...terms });
}
