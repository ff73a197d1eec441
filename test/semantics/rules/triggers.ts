/** Sections 6 to 8: triggers, OCO, TRAILING. */
import type { Section } from '../rules.ts';

export const sections: readonly Section[] = [
  {
    title: 'Triggers',
    rules: [
      {
        says: 'Stop kind: BUY fires when ref ≥ trigger, SELL when ref ≤ trigger.',
        tests: {
          triggers: [
            'spot STOP_LOSS BUY at 105 waits at 104.9 and fires at 105',
            'spot STOP_LOSS SELL at 95 waits at 95.1 and fires at 95',
            'futures STOP BUY at 105 waits at a mark of 104.9 and fires at 105',
          ],
        },
      },
      {
        says: 'Profit kind: BUY when ref ≤, SELL when ref ≥.',
        tests: {
          triggers: [
            'spot TAKE_PROFIT SELL at 105 waits at 104.9 and fires at 105',
            'futures TRIGGER BUY at 95 waits at a mark of 95.1 and fires at 95',
          ],
        },
      },
      {
        says: 'Equality fires; already true at entry fires right after acceptance.',
        tests: {
          answers: ['a trigger whose condition holds already is answered with 9, then fires'],
          triggers: ['spot STOP_LOSS BUY fires when the price jumps past 105'],
        },
      },
      {
        says: 'Only the chosen type counts: futures mark (default) or last; spot as given.',
        tests: {
          time: ['wait for the mark or the last price, each on its own'],
          triggers: ['spot INDEX_PRICE', 'a trade moves last and fires what waits for it'],
        },
      },
      {
        says: 'Spot mark = index unless set.',
        tests: { triggers: ['spot mark is the index unless set by hand'] },
      },
      {
        says: 'Firing keeps the order id; its event, status 10, comes before those of the released order (2, 4, 5, 6, 15).',
        tests: {
          triggers: [
            'is an event of its own in the history of the order, status 10, before those of what it becomes: 4, 2 and 6, 15',
          ],
        },
      },
      {
        says: 'It becomes MARKET (77) or LIMIT (76).',
        tests: {
          triggers: [
            'keeps the id and releases a MARKET order, filled as far as the book goes',
            'releases a futures MARKET of type 77 and a LIMIT of type 76 under the same id',
          ],
        },
      },
      {
        says: 'It is checked again as a new order.',
        tests: {
          matching: ['judge a released limit order when it fires: 15 with the reason'],
          triggers: ['honours the time in force of the released limit order'],
        },
      },
      {
        says: 'triggered = true; triggerOriginalPrice keeps what was submitted.',
        tests: { triggers: ['releases a LIMIT order that rests, shows triggered and keeps what was submitted'] },
      },
      {
        says: 'triggerOrderType: 1001 stop, 1002 profit, 0 for others.',
        tests: {
          triggers: [
            'v2.3: triggerOrderType 1001 for STOP, 1002 for TRIGGER, triggerStopPrice the limit, zeros on plain orders',
          ],
          records: ['shows CONDITIONAL profit market SELL as the table says'],
        },
      },
      {
        says: 'triggerUseLastPrice is true for LAST_PRICE alone; triggerTrailingStopDeviation is the percentage as a fraction.',
        tests: { records: ['says triggerUseLastPrice for LAST_PRICE alone, and a percentage as a fraction'] },
      },
      {
        says: "A TRAILING's triggerOriginalPrice is its first stop.",
        tests: { trailing: ['with txType STOP need no triggerPrice, are type 77 and follow the mark'] },
      },
      {
        says: 'CONDITIONAL: limit variants need orderSize and orderPrice, a market SELL orderSize, a market BUY quoteOrderSize.',
        tests: {
          triggers: [
            'spot: a limit variant orderSize',
            'spot: a limit variant orderPrice',
            'spot: a market SELL orderSize',
            'spot: a market BUY no orderSize',
          ],
        },
      },
      {
        says: 'Every CONDITIONAL has type 77 in the placement reply; the look-up tells 76 for the limit variants.',
        tests: { records: ['tells a limit trigger as 76, which its placement shows as 77 as every CONDITIONAL'] },
      },
      {
        says: 'timeInForce or postOnly on a market variant is malformed.',
        tests: { triggers: ['spot: a market variant no timeInForce', 'spot: a market variant no postOnly'] },
      },
      {
        says: 'postOnly on a limit variant is judged at release.',
        tests: { triggers: ['judges post-only at release'] },
      },
      {
        says: 'Futures STOP and TRIGGER go with MARKET or LIMIT; LIMIT needs a price.',
        tests: { triggers: ['futures STOP: a triggerPrice, and with type LIMIT a price'] },
      },
      {
        says: 'The v3 CONDITIONAL fires when ref reaches the trigger from the side on which it stood at acceptance; equal: at once.',
        tests: { triggers: ['a v3 CONDITIONAL fires from whichever side the reference stood on, at once when equal'] },
      },
    ],
  },
  {
    title: 'OCO',
    rules: [
      {
        says: 'Spot: the TP leg first (76, status 2), then the SL leg (76, status 9).',
        tests: { oco: ['replies with the take-profit leg first: types 76, status 2 and 9, at their prices'] },
      },
      {
        says: 'At stopLossTriggerPrice the SL leg places a LIMIT at stopLossOrderPrice.',
        tests: {
          oco: ['stop fired: the take-profit leg is cancelled before the stop enters, which then rests or fills'],
        },
      },
      {
        says: 'Futures: triggerPrice fires the stop leg, stopPrice is its limit and the `price` of its record; the stop leg comes first.',
        tests: {
          oco: ['replies with the stop leg first, shows stopPrice as its price, and waits for the mark by default'],
        },
      },
      {
        says: 'Futures: price, triggerPrice and stopPrice are required; txType is optional, LIMIT or STOP.',
        tests: { oco: ['needs price, triggerPrice and stopPrice; txType may be left out, LIMIT or STOP'] },
      },
      {
        says: "SELL needs TP price > ref > SL trigger, BUY the reverse, by the SL's type; else 302.",
        tests: {
          oco: [
            'needs take-profit > ref > stop trigger on SELL, the reverse on BUY, by the reference of the stop: else 302',
            'needs price > ref > triggerPrice on SELL, the reverse on BUY, by the mark or the last price: else 302',
          ],
        },
      },
      {
        says: 'A post-only TP that would match: both legs rejected (15).',
        tests: {
          answers: [
            'an OCO whose limit leg ended at once shows its stop leg with 6, with 15 when the limit leg was rejected',
          ],
        },
      },
      {
        says: 'TP fully filled, or SL fired: the other leg is cancelled in the same step, before the fired order enters.',
        tests: {
          oco: [
            'take-profit filled: the stop leg is cancelled',
            'stop fired: the take-profit leg is cancelled before the stop enters, which then rests or fills',
          ],
        },
      },
      {
        says: 'TP partly filled: the SL leg shrinks; the two never trade more than the size.',
        tests: {
          oco: [
            'take-profit partly filled: the stop leg shrinks to what is left; the two never trade more than the size',
          ],
        },
      },
      {
        says: 'Below the minimum size the SL leg stays as it is.',
        tests: { oco: ['keeps its stop leg as it is: the rest still trades, never more than the size'] },
      },
      {
        says: 'Cancelling either cancels both, and both records come back.',
        tests: {
          oco: [
            'cancelling the limit leg cancels both, and both records come back, limit leg first',
            'cancelling the stop leg cancels both, and both records come back, limit leg first',
          ],
        },
      },
      {
        says: 'timeInForce and postOnly belong to the TP leg; when it ends without filling, the group ends.',
        tests: {
          oco: [
            'time in force belongs to the take-profit leg: when it ends without filling, the group ends',
            'with a timed validity ends as a group',
          ],
        },
      },
    ],
  },
  {
    title: 'TRAILING',
    rules: [
      {
        says: 'SELL stop = highest since arming − value; BUY stop = lowest + value.',
        tests: {
          trailing: [
            'SELL fires at 98 after a high of 108 with distance 10',
            'BUY fires at 102 after a low of 92 with distance 10',
          ],
        },
      },
      { says: 'A percentage of 5 means 5 %.', tests: { trailing: ['a percentage of 5 means 5 %'] } },
      {
        says: 'The extreme is updated first, then compared.',
        tests: {
          trailing: [
            'takes every print of a sweep into its extreme: 95 tightens a BUY to 105, where the next print fires it',
          ],
        },
      },
      {
        says: 'It only ever tightens.',
        tests: { trailing: ['only ever tightens, and passing the stop fires it as touching does'] },
      },
      {
        says: 'It fires MARKET when ref touches or passes the stop.',
        tests: {
          trailing: ['fires a MARKET order', 'only ever tightens, and passing the stop fires it as touching does'],
        },
      },
      {
        says: 'The stop lies on the tick, away from the market.',
        tests: { trailing: ['the stop lies on the tick, away from the market: SELL down, BUY up'] },
      },
      {
        says: 'value > 0; a percentage < 100.',
        tests: { trailing: ['has a value of 0', 'has a percentage of 100'] },
      },
      {
        says: 'Armed at placement, or when the activation price is reached from whichever side; equal: at once.',
        tests: {
          trailing: [
            'is armed only when the activation price is reached, from whichever side the reference stood on',
            'is armed at once when the activation price equals the reference',
            'a price before activation is no extreme',
          ],
        },
      },
      {
        says: 'Activation is by its own price type, by default the trigger type; the price is kept and echoed.',
        tests: { trailing: ['activates by its own price type, the trigger type by default'] },
      },
      {
        says: 'The trigger type is LAST_PRICE by default.',
        tests: { trailing: ['follows the price of its type, LAST_PRICE by default'] },
      },
      {
        says: 'SELL takes orderSize only, BUY quoteOrderSize only.',
        tests: { trailing: ['has a SELL sized in quote', 'has a BUY sized in base'] },
      },
      {
        says: 'Futures: type MARKET with trailValue, `trigger` as reference, no triggerPrice whatever txType says, type 77.',
        tests: { trailing: ['with txType TRIGGER need no triggerPrice, are type 77 and follow the mark'] },
      },
      {
        says: 'With takeProfitPrice or stopLossPrice it is refused.',
        tests: { trailing: ['take no takeProfitPrice and no stopLossPrice'] },
      },
      {
        says: 'A negative value of a SELL is its magnitude.',
        tests: { trailing: ['a negative value of a SELL is its magnitude; lastPrice follows last'] },
      },
    ],
  },
];
