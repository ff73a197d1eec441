/** Sections 12 to 14: the dead man's switch, prices, the v4 look-up. */
import type { Section } from '../rules.ts';

export const sections: readonly Section[] = [
  {
    title: "Dead man's switch",
    rules: [
      {
        says: 'It cancels all the orders of the account and product at the deadline.',
        tests: {
          'dead-man': [
            'the switch of spot v4 › cancels at its deadline, not a millisecond earlier',
            'takes every kind of spot order, with what it held',
            'takes every kind of futures order, of all markets, attached ones too; the position stays',
            'of a product is no concern of the other product',
          ],
        },
      },
      {
        says: 'Unless it is renewed.',
        tests: { 'dead-man': ['a renewal moves the deadline, in either direction'] },
      },
      { says: '0 disarms.', tests: { 'dead-man': ['0 disarms, armed or not'] } },
      {
        says: 'It is a timer in the venue: it survives a restart.',
        tests: {
          'dead-man': ['keeps the switch and its deadline', 'is part of a saved state, and of the state hash'],
        },
      },
    ],
  },
  {
    title: 'Prices',
    rules: [
      {
        says: 'A jump of a feed over 3 % is held until a second value confirms it.',
        tests: {
          feeds: [
            'from 100 over 103.0001 stands at 100',
            'from 100 over 110, 110 stands at 110',
            'fires nothing with a value that is held, and everything with the one that confirms it',
            'keeps what a feed holds, and when it will have stopped',
          ],
        },
      },
      {
        says: '/prices by hand is always taken.',
        tests: {
          feeds: ['is no concern of prices by hand: they are always taken, and what was held is forgotten'],
        },
      },
      {
        says: 'Mark is the median of index × (1 + funding to come), index + mean basis, last.',
        tests: {
          prices: [
            'is the median of index with funding, index + mean basis, and last',
            'has the funding to come in its first candidate: rate × time left / interval',
            'fires what waits for it when a trade or a minute moves it',
          ],
        },
      },
      {
        says: 'The basis is the mean of the last 60 values of (mid − index) at whole minutes of venue time.',
        tests: {
          prices: [
            'takes mid − index at whole minutes of venue time, and at no other moment',
            'takes no sample of a one-sided book',
            'has the mean of the last 60 samples: the sixty-first drops the first',
          ],
        },
      },
      {
        says: 'A mark set by hand stays until it is set to null.',
        tests: {
          prices: ['a mark of BTC-PERP set by hand stays through index, trades and minutes, until it is set to null'],
        },
      },
      {
        says: 'last = last trade; before any trade it is seeded once from the first index.',
        tests: {
          prices: [
            'last is seeded once from the first index, and moves with trades after that',
            'last is not seeded again: neither by a second index nor after a trade',
          ],
        },
      },
      {
        says: '/prices may set last without a trade.',
        tests: { prices: ['may be set without a trade, and then fire what waits for last'] },
      },
      {
        says: 'Rounding to the tick: a trigger fires only when surely reached.',
        tests: {
          triggers: ['a price finer than the tick fires only when the trigger is surely reached'],
          prices: ['a mark finer than the tick fires a stop only when it is surely reached'],
        },
      },
      {
        says: "A feed that stops for longer than staleAfter suspends triggers on that price and says so in the market's status.",
        tests: {
          feeds: [
            'for longer than staleAfter is stale, which the status of its market says; a value makes it fresh',
            'suspends triggers on the index, and on a spot mark that follows it; those on last go on',
            'suspends the stop of an OCO, the arming of a trailing stop and an activation, until a value is taken',
          ],
        },
      },
      {
        says: 'Prices set by hand never go stale.',
        tests: { feeds: ['never makes prices by hand stale'], prices: ['set by hand never go stale'] },
      },
    ],
  },
  {
    title: 'The v4 lookup, kind by kind',
    rules: [
      { says: 'LIMIT.', tests: { records: ['shows LIMIT as the table says'] } },
      {
        says: 'OCO TP leg and SL leg.',
        tests: {
          records: [
            'shows the legs of an OCO as the table says: the stop leg without time in force, GTC once released',
          ],
        },
      },
      {
        says: 'CONDITIONAL market: SELL in base, BUY in quote.',
        tests: {
          records: [
            'shows CONDITIONAL stop market SELL as the table says',
            'shows CONDITIONAL stop market BUY as the table says',
          ],
        },
      },
      {
        says: 'CONDITIONAL limit.',
        tests: {
          records: [
            'shows CONDITIONAL stop limit as the table says',
            'shows CONDITIONAL profit limit IOC as the table says',
          ],
        },
      },
      {
        says: 'TRAILING.',
        tests: { records: ['shows TRAILING SELL as the table says', 'shows TRAILING BUY as the table says'] },
      },
      {
        says: 'PEG.',
        tests: { records: ['shows PEG BUY as the table says', 'shows PEG SELL as the table says'] },
      },
      { says: 'TWAP.', tests: { records: ['shows TWAP as the table says'] } },
      {
        says: 'activationPrice and its type where given, trail fields on TRAILING, peg fields on PEG, else null.',
        tests: {
          records: ['shows TRAILING unarmed as the table says', 'shows TWAP with activation as the table says'],
        },
      },
    ],
  },
];
