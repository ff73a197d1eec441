/** Section 11: futures positions. */
import type { Section } from '../rules.ts';

export const sections: readonly Section[] = [
  {
    title: 'Futures positions',
    rules: [
      {
        says: 'ONE_WAY nets.',
        tests: {
          positions: [
            'nets: buys and sells make one position, which may flip',
            'realises the result of what is closed into the wallet',
          ],
        },
      },
      {
        says: 'HEDGE: BUY opens or adds LONG, SELL opens or adds SHORT.',
        tests: { modes: ['BUY opens or adds LONG, SELL opens or adds SHORT: they stand side by side'] },
      },
      {
        says: 'HEDGE with reduceOnly: SELL reduces LONG, BUY reduces SHORT.',
        tests: { modes: ['with reduceOnly SELL reduces LONG and BUY reduces SHORT, clipped to that position'] },
      },
      {
        says: 'ISOLATED: each order that does not reduce opens a position of its own at its first fill.',
        tests: {
          modes: [
            'each order that does not reduce opens a position of its own, of either side',
            'opens it at its first fill, with its own margin: notional × (1/10 + 2 × 0.055 %) × 1.01',
            'has one margin rate for all that its order comes to, however the fills are cut',
            'holds for what rests of its order what its fills will take, whatever leverage is chosen for positions to come',
          ],
        },
      },
      {
        says: 'With its own margin × 1.01.',
        tests: {
          modes: [
            'opens it at its first fill, with its own margin: notional × (1/10 + 2 × 0.055 %) × 1.01',
            'gives the margin back with the part that closes, and its profit to the wallet',
            'its loss is no concern of the wallet, nor of other positions',
          ],
        },
      },
      {
        says: 'Up to five a market, live opening orders counted.',
        tests: {
          modes: ['there are at most five in a market, live opening orders counted: the sixth is refused with 304'],
          'positions-routes': [
            'ISOLATED: what is left of an order whose position was closed opens another one, within the five',
          ],
        },
      },
      {
        says: 'ISOLATED with reduceOnly takes the oldest opposite one.',
        tests: { modes: ['reduceOnly takes the oldest opposite one, and no more than that'] },
      },
      {
        says: 'positionId and positionDirection as on the wire, in each mode.',
        tests: {
          modes: ['an order says the position that it works on: a reduce-only one that which it reduces'],
          'positions-routes': [
            'HEDGE: a LONG and a SHORT row',
            'ISOLATED: a row each, with margin type 92, its own wallet and leverage',
            'shows a position at its mark; positionDirection is left out on v2.3, null on v3',
          ],
        },
      },
      {
        says: "positionMode omitted is the account's mode for the market, ONE_WAY at first.",
        tests: { modes: ['is ONE_WAY at first; an order without positionMode has the one of the account'] },
      },
      {
        says: 'A different one switches only with no position and no order there, else 133; by its own call 134.',
        tests: {
          'positions-routes': [
            'an order that names another mode switches where there is nothing',
            'stays with an order or a position there: 134 by its own call, 133 by an order',
          ],
          modes: ['of an order that is refused is not taken on'],
        },
      },
      {
        says: 'reduceOnly never grows or flips a position: on the growing side 33199120.',
        tests: { positions: ['never grows or opens a position'] },
      },
      {
        says: 'It is clipped at entry to the position.',
        tests: {
          positions: ['is clipped to the position at entry, and never flips it'],
          modes: ['with reduceOnly SELL reduces LONG and BUY reduces SHORT, clipped to that position'],
        },
      },
      {
        says: 'It is clipped again at match time within one sweep.',
        tests: {
          positions: ['is clipped again at match time within one sweep'],
          modes: ['reduce-only is clipped at match time within one sweep'],
        },
      },
      {
        says: 'Resting ones shrink, least aggressive first, and never grow back.',
        tests: {
          positions: [
            'at rest shrinks with the position, least aggressive first, and does not grow back',
            'at rest several may be more than the position; the first fill brings them down to it',
          ],
          modes: [
            'reduce-only at rest shrinks with its own position alone, and goes with it',
            'reduce-only at rest belongs to its position: it shrinks and goes with it',
          ],
        },
      },
      {
        says: 'They are gone with a reason when the position is gone.',
        tests: { positions: ['at rest is gone, with a reason, when the position is gone'] },
      },
      {
        says: 'A reduce-only trigger is judged when it fires.',
        tests: {
          triggers: ['judges a reduce-only trigger when it fires, and clips it to the position'],
          modes: ['a reduce-only trigger is judged when it fires: by the position that there is then'],
          trailing: ['reduce-only is judged when it fires'],
        },
      },
      {
        says: 'Attached TP/SL cover the part of the parent that opens.',
        tests: { positions: ['cover only the part that opens'] },
      },
      {
        says: 'They are created by its first fill as reduce-only MARKET triggers, sized by its fills.',
        tests: {
          positions: [
            'do not exist before the first fill, then grow with the fills',
            'come with MARKET orders and with triggers that fire',
          ],
        },
      },
      {
        says: 'One cancels the other.',
        tests: { positions: ['one fired cancels the other and closes the position'] },
      },
      {
        says: 'They are gone when the position is, theirs in HEDGE and ISOLATED.',
        tests: {
          positions: ['are gone when the position is'],
          modes: [
            'attached orders protect the position that their parent opens',
            'attached orders belong to the position of their parent, and go with it',
          ],
        },
      },
      {
        says: 'Parent cancelled unfilled: none.',
        tests: { positions: ['of a parent cancelled unfilled there are none'] },
      },
      {
        says: 'takeProfit on the profit side and stopLoss on the loss side of the order price (MARKET: of ref), else 302.',
        tests: {
          positions: ['on the wrong side are refused with 302: of the order price, of MARKET of the reference'],
        },
      },
      {
        says: 'One that fires and finds no book keeps the rest waiting for the next observation.',
        tests: { positions: ['one that fires and finds no book keeps waiting for the next observation'] },
      },
      {
        says: 'Margin of an order: notional × (max(initial rate of its tier, 1/leverage) + 2 × taker fee).',
        tests: {
          margin: [
            'an order of 100,000 USDT takes 1 % of all of it: 1110',
            'cross 3 takes 334.43334 of 1,000 USDT',
            'the initial rate of a higher tier wins over the leverage',
          ],
        },
      },
      {
        says: 'A MARKET order is judged at its worst band price.',
        tests: { margin: ['a MARKET order is judged at its worst price in the band: 5 % beyond the best'] },
      },
      {
        says: 'Position at mark, orders at limit price.',
        tests: { margin: ['the position at mark and the orders at their limit price set the tier together'] },
      },
      {
        says: 'For the worse of |position + buys| and |position − sells|; reducing needs none.',
        tests: {
          margin: ['is for the worse of |position + buys| and |position − sells|; what only reduces needs none'],
          positions: ['needs no margin'],
        },
      },
      {
        says: 'That size sets the tier, one rate for all of it.',
        tests: {
          margin: [
            'an order of 100,000.5 USDT takes 2 % of all of it: 2110.01055',
            'an order of 1,000,000.5 USDT takes 5 % of all of it: 51100.02555',
          ],
        },
      },
      {
        says: "Leverage 0 is the tier's maximum (default in cross); isolated default 10.",
        tests: {
          margin: [
            'cross 0, the maximum of the tier, takes 11.1 of 1,000 USDT',
            'isolated by default, 10, takes 102.111 of 1,000 USDT: a hundredth more',
          ],
          'positions-routes': [
            'is the maximum of the tier at first: 0, one CROSS row in ONE_WAY, LONG and SHORT otherwise',
          ],
        },
      },
      {
        says: 'A risk limit that is chosen is the least tier; its rates are paid at once.',
        tests: {
          'risk-limit': [
            'a level that is chosen is the least one: its rates are paid at once, and by what comes later',
            'an exposure above it sets a higher tier by itself',
            'one that takes more than what is available is refused: a unit less will not do',
          ],
        },
      },
      {
        says: 'Liquidation at mark, when equity < maintenance.',
        tests: {
          liquidation: [
            'is left alone while its equity is at least its maintenance',
            'below it closes in quarters until equity is 1.2 × maintenance, 0.2 % of each fill to the fund',
            'is judged after its own trade, too, when the mark stands',
          ],
          funding: ['that leaves less than the maintenance is followed by liquidation, at an unmoved mark, too'],
          'positions-routes': ['its liquidation price is where the position is liquidated'],
        },
      },
      {
        says: 'Cross: balance + unrealised, largest loss first, then market.',
        tests: {
          liquidation: [
            'has the position with the largest loss closed first, whichever market moved',
            'in HEDGE closes the side that loses',
          ],
        },
      },
      {
        says: "Isolated: the position's own money, and no other.",
        tests: {
          liquidation: [
            'is liquidated on its own money; wallet, orders elsewhere and other positions stay',
            'closes in quarters, too, until it is safe: results and fees are its own money’s, the wallet stays',
            'beyond its bankruptcy price costs the wallet nothing: the others are deleveraged at that price',
            'whose liquidation waits draws no other one of the market into it',
          ],
        },
      },
      {
        says: "All the account's orders in that market are cancelled (for cross in all futures markets).",
        tests: { liquidation: ['loses its orders in all futures markets first; those on spot stay'] },
      },
      {
        says: 'Closed in steps of a quarter as IOC inside the band until equity ≥ maintenance × 1.2, `liquidationFee` to the fund.',
        tests: {
          liquidation: [
            'below it closes in quarters until equity is 1.2 × maintenance, 0.2 % of each fill to the fund',
            'is closed through the book inside the band, at the prices that stand there',
            'that has begun goes on until 1.2 × maintenance, though the mark is back above the maintenance',
            'is over by a mark that is safe again, with nothing closed',
          ],
        },
      },
      {
        says: 'The orders are PARTIAL_LIQUIDATION and FORCED_MARKET_SELL / _BUY.',
        tests: {
          'venue/liquidation': [
            'equity below maintenance: orders go, quarters are closed until equity is 1.2 times maintenance, the fee goes to the fund',
            'where the fee is no longer left the whole position goes, and the fund gives the difference to the bankruptcy price',
          ],
          'futures-trades': ['of a liquidation are PARTIAL_LIQUIDATION, then FORCED_MARKET_SELL where the whole goes'],
        },
      },
      {
        says: 'When equity at the bankruptcy price is what is left, the whole goes, and the fund takes or gives the difference.',
        tests: {
          liquidation: [
            'goes whole: above the bankruptcy price the fund takes what the book gives',
            'below it the fund gives the difference',
            'a short is mirrored',
            'goes whole with more than that left, too, where the book gives no more than the bankruptcy price',
            'the fund goes no further than it reaches: with equity left the rest waits',
          ],
        },
      },
      {
        says: 'No book within the band and equity ≥ 0: tried again at each mark or book change.',
        tests: {
          liquidation: [
            'without a book within the band it waits; a mark or a book that changes tries again',
            'is not sold off into a thin book: a quarter takes no price at which the whole would be bankrupt',
          ],
        },
      },
      {
        says: 'Equity < 0 and the fund cannot cover: auto-deleveraging by profit × leverage rank, at the bankruptcy price.',
        tests: {
          liquidation: [
            'closes an uncovered loss against the other side by profit × leverage, at the bankruptcy price',
            'comes after the book, as far as the fund covers that',
            'is announced: adlScoreBucket is the third of the queue that a position is in, 2 the first to be closed',
            'takes the orders of the closed position with it, and fires nothing',
          ],
        },
      },
      {
        says: 'The fund starts at the configured amount (0).',
        tests: {
          liquidation: [
            'starts with nothing where none is configured',
            'goes whole: above the bankruptcy price the fund takes what the book gives',
          ],
        },
      },
      {
        says: 'Liquidation prints count neither as last for triggers nor in mark.',
        tests: {
          liquidation: ['its liquidation is no last price, fires no stop on last, and does not move the mark'],
        },
      },
      {
        says: 'Funding each interval (8 h): rate = mean of per-minute premiums / 3, capped.',
        tests: {
          funding: [
            'of bids 0.3 % above the index: longs pay 0.1 %',
            'of asks 0.3 % below it: shorts pay 0.1 %',
            'of bids 3 % above it: capped at 0.75 %',
            'is the mean of the minutes of its interval: half of them with 0.3 % make half of 0.1 %',
            'begins anew with each interval, and is paid at the end of each: 08:00, 16:00, 24:00',
          ],
        },
      },
      {
        says: 'The premium is of the impact prices; a side thinner than the impact size counts 0.',
        tests: {
          funding: [
            'looks at the average price of the impact size, through the levels',
            'a side thinner than the impact size counts 0',
          ],
        },
      },
      {
        says: 'Payment = mark notional × rate; payers round up, receivers down, the rest to the fund.',
        tests: {
          funding: [
            'is mark notional × rate: at a mark of 110, 1,100 USDT',
            'goes from longs to shorts: payers round up, receivers down, the rest to the fund',
            'is paid by the own money of an isolated position',
          ],
        },
      },
      {
        says: 'A time missed while down is settled once at recovery.',
        tests: { funding: ['is settled once at recovery, and not again at the next one'] },
      },
    ],
  },
];
