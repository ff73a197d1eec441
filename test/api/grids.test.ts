import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Call } from '../../src/api/shared/surface.ts';
import { finePrice, parts, priceTicks, quoteUnits, sizeLots } from '../../src/api/shared/tick-conversion.ts';
import { defaultMarkets } from '../support/markets.ts';
import { refused, value } from './support.ts';

const { spot, perpetual, venue } = defaultMarkets();
const call = { venue } as unknown as Call;

describe("onto a market's grid", () => {
  const cases: readonly (readonly [string, () => unknown, RegExp | number | string])[] = [
    ['price', () => priceTicks(spot, 'orderPrice', value('60000.1')), 600_001],
    [
      'price off the tick',
      () => priceTicks(spot, 'orderPrice', value('60000.15')),
      /priceOffTick.*"below":"60000.1","above":"60000.2"/,
    ],
    ['price below the minimum', () => priceTicks(spot, 'p', value('0.05')), /priceBelowMinimum.*"minimum":"0.1"/],
    ['price of zero', () => priceTicks(spot, 'p', value('0')), /priceBelowMinimum/],
    ['price below zero', () => priceTicks(spot, 'p', value('-1')), /priceBelowMinimum/],
    [
      'price above the maximum',
      () => priceTicks(spot, 'p', value('10000000.1')),
      /priceAboveMaximum.*"maximum":"10000000"/,
    ],
    ['a huge price', () => priceTicks(spot, 'p', value('1e18')), /priceAboveMaximum/],
    ['size', () => sizeLots(spot, 'orderSize', value('0.01')), 1000],
    [
      'size off the step',
      () => sizeLots(spot, 'orderSize', value('0.000015')),
      /sizeOffStep.*"below":"0.00001","above":"0.00002"/,
    ],
    ['size of zero', () => sizeLots(spot, 's', value('0')), /sizeBelowMinimum.*"minimum":"0.00001"/],
    ['size below zero', () => sizeLots(spot, 's', value('-0.01')), /sizeBelowMinimum/],
    ['size above the maximum', () => sizeLots(spot, 's', value('100.00001')), /sizeAboveMaximum.*"maximum":"100"/],
    ['a huge size', () => sizeLots(spot, 's', value('1e18')), /sizeAboveMaximum/],
    ['contracts', () => sizeLots(perpetual, 'size', value('7')), 7],
    [
      'one and a half contracts',
      () => sizeLots(perpetual, 'size', value('1.5')),
      /sizeOffStep.*"below":"1","above":"2"/,
    ],
    ['half a contract', () => sizeLots(perpetual, 'size', value('0.5')), /sizeBelowMinimum.*"minimum":"1"/],
    ['half a contract too many', () => sizeLots(perpetual, 's', value('7500000.5')), /sizeAboveMaximum.*"7500000"/],
    ['price off the tick above the maximum', () => priceTicks(spot, 'p', value('10000000.05')), /priceAboveMaximum/],
    ['fine price', () => finePrice(spot, 'trailValue', value('100.0001')), 1_000_001],
    [
      'finer than fine',
      () => finePrice(spot, 'trailValue', value('0.00015')),
      /priceOffTick.*"below":"0.0001","above":"0.0002"/,
    ],
    ['below the finest', () => finePrice(spot, 'p', value('0.00005')), /priceBelowMinimum.*"minimum":"0.0001"/],
    ['fine price above the maximum', () => finePrice(spot, 'p', value('10000000.00005')), /priceAboveMaximum/],
    ['quote', () => quoteUnits(call, spot, 'quoteOrderSize', value('12.5')), '1250000000'],
    [
      'quote off its decimals',
      () => quoteUnits(call, spot, 'q', value('0.123456789')),
      /sizeOffStep.*"below":"0.12345678","above":"0.12345679"/,
    ],
    ['quote of zero', () => quoteUnits(call, spot, 'q', value('0')), /sizeBelowMinimum/],
    ['quote beyond money', () => quoteUnits(call, spot, 'q', value('1e12')), /sizeAboveMaximum/],
    ['parts', () => parts('deviation', value('-0.5')), -50_000_000],
    ['finer than parts', () => parts('deviation', value('0.000000001')), /malformed.*at most 8 decimals/],
  ];
  for (const [name, act, expected] of cases) {
    test(name, () => {
      if (expected instanceof RegExp) assert.match(refused(act), expected);
      else assert.equal(act(), expected);
    });
  }

  test('every price on the grid is accepted and none between', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 0, max: 9 }), (tenths, hundredth) => {
        const written = `${Math.floor(tenths / 10)}.${tenths % 10}${hundredth}`;
        const result = refused(() => assert.equal(priceTicks(spot, 'p', value(written)), tenths));
        assert.equal(result === 'accepted', hundredth === 0, written);
      }),
      { numRuns: 200 },
    );
  });
});
