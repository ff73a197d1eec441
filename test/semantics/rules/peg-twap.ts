/** Sections 9 and 10: PEG, TWAP. */
import type { Section } from '../rules.ts';

export const sections: readonly Section[] = [
  {
    title: 'PEG',
    rules: [
      {
        says: 'Effective price = index × (1 + deviation/100), on tick (BUY down, SELL up).',
        tests: { peg: ['stands at index × (1 + deviation/100), on the tick: BUY down, SELL up'] },
      },
      {
        says: 'Capped by orderPrice: BUY never above, SELL never below.',
        tests: { peg: ['is capped by its price: BUY never above, SELL never below'] },
      },
      {
        says: 'An index move that changes its price sends it to the back of the level; an unchanged price keeps its place.',
        tests: {
          peg: [
            'moves to the back of its level when an index move changes its price, and keeps its place when not',
            'an index that does not change its price leaves it its place',
          ],
        },
      },
      {
        says: 'Re-pricing is in order of age.',
        tests: { peg: ['re-prices in order of age: the older peg stays ahead'] },
      },
      {
        says: 'A new price that crosses takes, as a new order would.',
        tests: {
          peg: [
            'takes, as a new order would, when its new price crosses',
            'meeting the own order ends it as self-trade does',
          ],
        },
      },
      {
        says: 'The record has pegPriceMax (BUY) or pegPriceMin (SELL), the deviation as a fraction, currentPegPrice.',
        tests: { peg: ['its record shows the cap of its side, the deviation as a fraction, and the price in force'] },
      },
      {
        says: 'Without an index it waits, hidden, for the index.',
        tests: { peg: ['without an index it waits, hidden, and enters with the first one'] },
      },
      {
        says: 'stealth s shows ceil(s % of the original size) on the lot grid at a time.',
        tests: {
          peg: [
            'shows ceil(stealth % of the size) at a time; the next slice joins at the back',
            'a slice is rounded up to the lot grid, from the original size',
          ],
        },
      },
      {
        says: 'The next slice joins at the back, within the same sweep too.',
        tests: { peg: ['the next slice joins at the back within the same sweep, too'] },
      },
      { says: 'Hidden size is in no depth.', tests: { peg: ['hidden size is in no depth'] } },
      {
        says: 'An aggressive entry uses the full size.',
        tests: { peg: ['an aggressive entry uses the full size, hidden or not'] },
      },
      {
        says: 'Funds are reserved in full.',
        tests: {
          peg: ['its money stays held at the cap, and comes back with a cancel'],
          funds: ['a PEG SELL its base, hidden size included; cancelling gives it back'],
        },
      },
      {
        says: 'stealth 1..100, deviation −10..10 (default 0), else malformed.',
        tests: {
          peg: ['stealth is 1 to 100 and deviation −10 to 10, else malformed; deviation is 0 where not given'],
        },
      },
    ],
  },
  {
    title: 'TWAP',
    rules: [
      {
        says: 'timePeriod is 60..86,400 s.',
        tests: { answers: ['names the field, what was wrong and what is valid'], twap: ['86400 s are 2880 children'] },
      },
      {
        says: 'n = timePeriod / interval, interval = timePeriod / 20 within 1..30 s (market option), rounded up.',
        tests: {
          twap: [
            '61 s are 20 children',
            '3600 s are 120 children',
            'sets the interval, rounded up to a whole number of children',
          ],
        },
      },
      {
        says: 'n falls where a child would be below the minimum size, down to 1.',
        tests: { twap: ['fewer children where one would be below the minimum size, down to one'] },
      },
      {
        says: 'n rises, to one a second at most, where a child would exceed the cap (random: 1.5 children); if none fits: 301.',
        tests: {
          twap: [
            'more children where one would exceed the cap, one a second at most; if none fits it is refused with 301',
          ],
        },
      },
      {
        says: 'Child i is due at start + i × timePeriod / n in ms, the first at the start.',
        tests: {
          twap: [
            'child i is due at start + i × period / n, in whole milliseconds',
            '60 s are twenty children, three seconds apart, the first at the start; all filled is a full order',
          ],
        },
      },
      {
        says: 'A child is floor(what is left / children left) on the lot grid, the last takes the rest.',
        tests: {
          twap: [
            'a child takes floor(what is left / children left) on the lot grid, the last the rest: together exactly the total',
          ],
        },
      },
      {
        says: 'randomizeSize: times 0.5..1.5, together the total.',
        tests: { twap: ['varies the children between 0.5 and 1.5 of the plan, and together they are the total'] },
      },
      {
        says: "Drawn from (venue seed, order's sequence number, child number).",
        tests: { twap: ['follow from the venue’s seed, the order and the child alone'] },
      },
      {
        says: 'Never below the minimum nor above the cap.',
        tests: { twap: ['are never below the minimum nor above the cap'] },
      },
      {
        says: 'Missed volume is spread over the children left, at most three planned children at once; the end does not move.',
        tests: {
          twap: [
            'what a child misses is spread over the children left, at most three planned children at once',
            'the end does not move, and a cancel works in a pause',
          ],
        },
      },
      {
        says: 'Caps win: what they leave is cancelled at the end.',
        tests: { twap: ['caps win: what they leave is cancelled at the end'] },
      },
      {
        says: "Taker child: IOC, at most maxDistanceThroughBook beyond the best price, without it the market's band.",
        tests: {
          twap: [
            'go at most maxDistanceThroughBook beyond the best opposite price, without it the band of the market',
            'never rest',
          ],
        },
      },
      {
        says: 'makerFirst: post-only at the own best price; own side empty: taker.',
        tests: {
          twap: ['is filled at its own price while it rests', 'goes taker at once where the own side is empty'],
        },
      },
      {
        says: 'What is left of it goes taker when the next child is due, for the last child at start + timePeriod, in one step.',
        tests: {
          twap: [
            'places post-only at the own best price, and what is left goes taker when the next child is due',
            'ends the last child at start + period in one step',
          ],
        },
      },
      {
        says: 'A due child is skipped while spread / mid > maxSpread; a one-sided book is infinitely wide, the own child not counted.',
        tests: {
          twap: [
            'skips a child while spread / mid is above maxSpread, and resumes at the next due child',
            'equal to maxSpread is no pause',
            'a one-sided book is infinitely wide, and the own child is not counted',
          ],
        },
      },
      {
        says: 'Or while last is beyond pausePrice (BUY above, SELL below).',
        tests: { twap: ['skips while last is beyond pausePrice: BUY above, SELL below; at it goes on'] },
      },
      {
        says: 'A resting maker child is withdrawn when the pause begins; it resumes at the next due child.',
        tests: { twap: ['withdraws a resting maker child when the pause begins'] },
      },
      {
        says: 'activationTriggerPrice (LAST_PRICE by default) delays the start from whichever side; the period counts from it.',
        tests: {
          twap: [
            'delays the start until the price is reached from whichever side it stood on; the period counts from there',
            'starts at once when the price equals it, and watches LAST_PRICE unless told otherwise',
          ],
        },
      },
      {
        says: 'At start + timePeriod what is left is cancelled (6); all filled is 4.',
        tests: { twap: ['what is left at the end of the period is cancelled: 6, the fills kept'] },
      },
      {
        says: "Fills carry the parent's id; children are no orders of their own.",
        tests: {
          twap: [
            'is part of its parent: fills are the parent’s, in its records and in its history',
            'its children are not orders of their own',
          ],
        },
      },
      {
        says: 'Cancelling the parent cancels the child at once, in a pause too.',
        tests: {
          twap: [
            'cancelling it cancels its child at once',
            'the end does not move, and a cancel works in a pause',
            'one that waits can be cancelled',
          ],
        },
      },
      {
        says: 'A refused child never ends the parent.',
        tests: {
          twap: ['never ends its parent: one that meets the own order is tried again with the next'],
          funds: ['a TWAP child that finds no money is skipped, and never ends the parent'],
        },
      },
    ],
  },
];
