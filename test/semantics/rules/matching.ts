/** Sections 3 to 5: time and order of events, matching, funds. */
import type { Section } from '../rules.ts';

export const sections: readonly Section[] = [
  {
    title: 'Time and order of events',
    rules: [
      {
        says: 'Time moves first: what is due at or before a command happens before it is judged.',
        tests: {
          time: ['moves first: an order that is due to expire is gone before the command at that time is judged'],
        },
      },
      {
        says: "In order of due time, then kind (funding, expiry, dead man's switch, TWAP), then age.",
        tests: {
          time: [
            'happens by kind: a whole minute of the mark before an expiry',
            'an expiry before the dead man’s switch: the order says which of them ended it',
            'of one kind by age: the older TWAP has its child first',
          ],
          'dead-man': ['comes before a TWAP child that is due at the same time'],
        },
      },
      {
        says: 'Each due item is a step at its own time: any two ways of reaching a time give the same state.',
        tests: { time: ['any two ways of reaching a time give the same state'] },
      },
      { says: 'A deadline equal to now has passed.', tests: { time: ['a deadline equal to now has passed'] } },
      {
        says: 'Price improvement is unlocked with each fill.',
        tests: { funds: ['nothing more than what is left after a fill, price improvement given back at once'] },
      },
      {
        says: 'Never a trigger in the middle of a match.',
        tests: {
          time: ['never a trigger in the middle of a match: the sweep has its fills before the stop that it sets off'],
        },
      },
      {
        says: 'What a command sets off is one queue, worked until it is empty.',
        tests: { time: ['a stop that fires sets off the next one by its own print'] },
      },
      {
        says: 'Each trade print, in order, is an observation of last: a sweep that prints 95 and 105 shows both.',
        tests: { time: ['a sweep that prints two prices shows both: stops at either fire'] },
      },
      {
        says: 'For an observation trailing extremes come first.',
        tests: {
          trailing: [
            'takes every print of a sweep into its extreme: 95 tightens a BUY to 105, where the next print fires it',
          ],
        },
      },
      {
        says: 'Then triggers: nearest to the previous price first, buys and sells together, then age.',
        tests: {
          time: [
            'of several triggers the nearest to the previous price fires first, whatever the side, then the older',
          ],
        },
      },
      {
        says: 'Then pegs by age.',
        tests: {
          time: ['an index change fires triggers before it moves pegs'],
          peg: ['re-prices in order of age: the older peg stays ahead'],
        },
      },
      {
        says: 'Liquidations come last.',
        tests: { liquidation: ['is not judged before the triggers of the same price: a stop-loss may save it'] },
      },
      {
        says: 'An order fires at most once a command.',
        tests: { time: ['an order fires at most once a command, however many prices of it reach its trigger'] },
      },
      {
        says: 'A peg re-prices at most once an index change.',
        tests: {
          peg: ['moves to the back of its level when an index move changes its price, and keeps its place when not'],
        },
      },
      {
        says: 'Liquidation runs at most ten rounds; what is left is due again at the same time.',
        tests: {
          liquidation: [
            'are the most at once; what is left is due again at the same time: twelve quarters in one call',
          ],
        },
      },
      {
        says: 'After a refused command the state is as before: a refused FOK moves no last and fires no stop.',
        tests: { time: ['a refused or killed FOK moves no last price and fires nobody'] },
      },
      {
        says: 'A waiting order whose condition was seen fires even if the price is back.',
        tests: { time: ['a waiting order whose condition was seen fires even when the price is back'] },
      },
      {
        says: 'Without a ref CONDITIONAL and TRAILING wait, OCO is 302, a TWAP BUY 301, MARKET ends 6 unfilled.',
        tests: {
          time: [
            'CONDITIONAL and TRAILING wait, unarmed; OCO is 302, a TWAP BUY 301, MARKET ends 6 with nothing filled',
            'the first price arms a TRAILING and fires a CONDITIONAL that it satisfies',
          ],
        },
      },
      {
        says: 'Several prices in one call: all set, then evaluated once.',
        tests: { time: ['several prices in one call are all set, then evaluated once: a stop on each fires'] },
      },
    ],
  },
  {
    title: 'Matching',
    rules: [
      {
        says: "Price-time priority; a trade has the resting order's price.",
        tests: { matching: ['trades at the resting price, better prices first, then the older order'] },
      },
      {
        says: 'An amend keeps its place only when it lowers the size.',
        tests: {
          amend: [
            'a lower size keeps its place in the queue',
            'a higher size loses it in the queue',
            'an equal price and size lose its place in the queue',
            'a price that goes away and comes back loses its place',
          ],
        },
      },
      {
        says: 'An amended size is the new total, on spot v4 only with totalAmountMode, else the new unfilled size.',
        tests: { amend: ['is the new unfilled size on spot v4', 'is the new total with totalAmountMode'] },
      },
      {
        says: 'At or below the filled size: 301.',
        tests: { amend: ['is the new total on futures; at or below the filled size it is refused'] },
      },
      {
        says: 'A post-only order amended into a cross is refused, order and place unchanged.',
        tests: { amend: ['a post-only order amended into a cross is refused, the order and its place unchanged'] },
      },
      {
        says: 'Any other price amended into a cross matches.',
        tests: { amend: ['a new price that crosses matches at the resting price; status 4 when it filled at once'] },
      },
      {
        says: 'Amend replies with 123, 4 when it filled at once.',
        tests: {
          amend: [
            'answers with the record as it is now: status 123 while it lives',
            'what a crossing amend leaves unfilled rests at the new price, status 123',
          ],
        },
      },
      {
        says: 'Algo orders and OCO legs are amendable in the trigger price of a waiting trigger alone.',
        tests: {
          amend: [
            'price, size or trigger of a PEG on spot: it is an algo order',
            'price and size of either OCO leg: they belong to a group',
            'of an OCO stop leg moves, on its side of the reference',
          ],
        },
      },
      {
        says: "Self-trade: the incoming remainder is cancelled (6) at the same account's order; earlier fills stand.",
        tests: {
          matching: ['cancels the incoming remainder when it would meet the own order; earlier fills stand'],
        },
      },
      {
        says: 'Option: cancel the resting one, or both.',
        tests: {
          matching: [
            'selfTrade: cancelResting › lets the incoming order fill 2 of 2 and leaves 0 own resting orders',
            'selfTrade: cancelBoth › lets the incoming order fill 1 of 2 and leaves 0 own resting orders',
          ],
        },
      },
      {
        says: 'FOK is counted before any fill: all or nothing.',
        tests: { matching: ['a FOK fills whole or not at all'] },
      },
      {
        says: 'It counts what lies ahead of the first own order, hidden size included.',
        tests: { matching: ['a FOK counts hidden size, and only what lies ahead of the first own order'] },
      },
      {
        says: 'It counts reduce-only makers at what their position allows.',
        tests: { matching: ['a FOK counts a reduce-only maker at what its position allows'] },
      },
      {
        says: 'IOC fills what is there and cancels the rest.',
        tests: { matching: ['an IOC takes what is there and cancels the rest'] },
      },
      {
        says: 'Post-only with IOC or FOK is malformed.',
        tests: { answers: ['post-only with IOC or FOK is one, on every surface'] },
      },
      {
        says: 'Timed validity from acceptance: HALFSEC, HALFMIN, FIVEMIN, HOUR, TWELVEHOUR, DAY, WEEK, MONTH.',
        tests: {
          matching: [
            'HALFSEC ends 500 ms after acceptance, its fills kept',
            'of a waiting stop-limit counts from acceptance too',
          ],
        },
      },
      {
        says: 'Expiry is a cancel with reason `expired`, fills kept.',
        tests: { matching: ['ends as a cancel that says so'] },
      },
      {
        says: 'MARKET sweeps at most to the protection band around the best price at entry; the rest is cancelled.',
        tests: { matching: ['sweeps at most to 5 % beyond the best price at entry, the rest is cancelled'] },
      },
      {
        says: 'Spot MARKET BUY is sized in quote only (v3.3: by price, or by size without a price), SELL in base only.',
        tests: {
          matching: ['spot BUY is sized in quote only, SELL in base only'],
          'spot-v3.3': ['MARKET BUY spends its price, or buys its size where it has no price; SELL has a size'],
        },
      },
      {
        says: "A quote-sized BUY below one lot's cost is refused (301).",
        tests: { matching: ['a BUY below the cost of one lot at the best price is refused with 301'] },
      },
      {
        says: "One that ends with less than a lot's cost left is 5, dust in remaining, the reserve returned, inactive.",
        tests: {
          matching: [
            'a BUY that has less than one lot left ends with 5, dust in remaining, the reserve returned, and is inactive',
          ],
        },
      },
      {
        says: 'The price band is one-sided: BUY not above, SELL not below.',
        tests: { answers: ['a price outside the band: 33001003, one-sided'] },
      },
      {
        says: 'Its ref is the index on spot, the mark on futures; without a ref there is none.',
        tests: { matching: ['look at the index on spot and at the mark on futures', 'are off without a reference'] },
      },
      {
        says: 'Limit prices of waiting triggers: distance at placement (5 % on spot, off on futures), band when they fire.',
        tests: {
          answers: ['a limit too far from its trigger: 33001001 on spot, nothing on futures'],
          matching: ['judge a released limit order when it fires: 15 with the reason'],
        },
      },
      {
        says: "A peg's effective price is held inside the band.",
        tests: { peg: ['is held inside the price band'] },
      },
      {
        says: "Fees are the market's; accounts may have their own rates.",
        tests: { matching: ['stand before those of the market'] },
      },
      {
        says: 'Spot fees come from what is received; option: from the quote.',
        tests: {
          matching: [
            'spot takes them from what is received: base of a BUY, quote of a SELL',
            'a BUY pays its fee in quote on top, held in advance',
          ],
        },
      },
      {
        says: 'Futures fees come from the wallet; fees round against the trader.',
        tests: {
          matching: [
            'futures takes them from the wallet: maker 0.02 %, taker 0.055 %',
            'round up to the smallest unit, against the trader',
          ],
        },
      },
      {
        says: 'A halted market takes cancels only.',
        tests: {
          halt: [
            'refuses orders of every kind, on every surface',
            'refuses amends',
            'takes cancels: by id, by client id, all of them',
          ],
        },
      },
      {
        says: 'Triggers, TWAP and pegs wait through a halt.',
        tests: {
          halt: [
            'a trigger waits whatever the price does, and fires on resuming where the price still holds',
            'a TWAP skips its children, and catches up within its time',
            'a peg keeps its price; on resuming it moves to the index of then',
          ],
        },
      },
      {
        says: "Expiry and the dead man's switch run in a halt.",
        tests: { halt: ['lets orders expire'], 'dead-man': ['runs in a halted market'] },
      },
      {
        says: 'Unknown field names, and those of another variant, are refused on v4 and v3, ignored on v2.3 and v3.3.',
        tests: {
          answers: ['an unknown name or one of another variant is refused on v4 and v3, ignored on v2.3'],
          'spot-v3.3': [
            'takes enum values in any case, ignores names that it does not know, and a price of 0 was not given',
          ],
        },
      },
      {
        says: 'A non-zero price on MARKET is malformed; on futures and v3.3 an optional price of 0 is absent, on spot v4 malformed.',
        tests: {
          answers: [
            '0 for a price is no price on futures, malformed on spot v4; a price on MARKET is malformed everywhere',
          ],
          'spot-v3.3': [
            'takes enum values in any case, ignores names that it does not know, and a price of 0 was not given',
          ],
        },
      },
      {
        says: 'Notionals below 5 USDT are not hidden.',
        tests: { matching: ['below 5 USDT stands in the book and trades as any other'] },
      },
    ],
  },
  {
    title: 'Funds',
    rules: [
      {
        says: 'One wallet a currency for spot and cross futures.',
        tests: { funds: ['spot and futures share one wallet'] },
      },
      {
        says: 'total excludes unrealised profit; available = total − reserved − margins + min(0, unrealised).',
        tests: {
          funds: [
            'leaves unrealised profit out and takes unrealised loss off; total has neither',
            'shows in the wallet: total − in use is free',
          ],
        },
      },
      {
        says: 'Spot reserves: SELL base, BUY limit price × size, quote-sized orders the quote.',
        tests: {
          funds: [
            'a SELL its base; cancelling gives it back',
            'a BUY its limit price × size; cancelling gives it back',
            'a waiting market BUY its quote; cancelling gives it back',
          ],
        },
      },
      {
        says: 'Waiting triggers reserve at placement, a BUY stop-limit its limit price.',
        tests: {
          funds: [
            'a waiting BUY stop-limit its limit price × size; cancelling gives it back',
            'money that the release of a stop needs is there already: it never fails for funds',
          ],
        },
      },
      {
        says: 'An OCO reserves once for both legs, a BUY at the dearer price.',
        tests: {
          funds: [
            'an OCO of both legs once: with the money for one it is accepted',
            'an OCO BUY the dearer of its two prices; cancelling gives it back',
          ],
        },
      },
      {
        says: 'TWAP: affordability at placement: SELL size, BUY size × best ask, else last.',
        tests: {
          funds: [
            'a TWAP is judged at placement, by size on SELL and by size × best ask on BUY',
            'a TWAP BUY without an ask is judged by last',
          ],
        },
      },
      {
        says: 'Then child by child, what the walk of the book can cost.',
        tests: { funds: ['a TWAP child needs what the walk of the book costs, and no more'] },
      },
      {
        says: 'PEG reserves at its cap.',
        tests: {
          funds: [
            'a PEG BUY its cap × size; cancelling gives it back',
            'of a PEG is held for all of it at its cap, what it does not show included',
          ],
        },
      },
      {
        says: 'Futures: margin for resting orders, none for waiting triggers.',
        tests: {
          funds: [
            'is held for resting orders and positions, at (1 % + 2 × 0.055 %) of the notional, none for waiting triggers',
          ],
        },
      },
      {
        says: 'They are judged when they fire: failing is 15 with the reason.',
        tests: { funds: ['of a trigger is judged when it fires: 15 when it fails'] },
      },
    ],
  },
];
