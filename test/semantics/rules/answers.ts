/** Sections 1 and 2: answers to a placement, identity. */
import type { Section } from '../rules.ts';

export const sections: readonly Section[] = [
  {
    title: 'Three kinds of answer to a placement',
    rules: [
      {
        says: 'Malformed is 400 in the envelope of the surface (-2 futures, 400 spot), naming the field and what is valid.',
        tests: { answers: ['names the field, what was wrong and what is valid'] },
      },
      {
        says: 'A malformed request is not logged and gets no order id.',
        tests: { answers: ['is refused without being logged: the sequence number stands'] },
      },
      {
        says: 'A pre-trade refusal is 400 with code and figures, and leaves the state as it was: funds 51523 and 33199101.',
        tests: { answers: ['no money: 51523 on spot, 33199101 on futures, with the figures'] },
      },
      {
        says: 'Reduce-only without a position to reduce: 33199120.',
        tests: { answers: ['reduce-only without a position to reduce: 33199120'] },
      },
      {
        says: 'A price outside the band: 33001003.',
        tests: { answers: ['a price outside the band: 33001003, one-sided'] },
      },
      {
        says: 'A limit too far from its trigger: 33001001.',
        tests: { answers: ['a limit too far from its trigger: 33001001 on spot, nothing on futures'] },
      },
      {
        says: 'Above the maximum size: 4003 on spot, 4051 on futures.',
        tests: { answers: ['above the maximum size: 4003 on spot, 4051 on futures'] },
      },
      {
        says: 'Off the size step or below the minimum: 301.',
        tests: { answers: ['off the step or below the minimum size: 301'] },
      },
      {
        says: 'Off the tick, below the minimum price, or on the wrong side (OCO, TP/SL): 302.',
        tests: { answers: ['off the tick, below the minimum price or on the wrong side: 302'] },
      },
      {
        says: 'The cap of open orders: 304.',
        tests: { answers: ['too many open orders: 304, an OCO counts two'] },
      },
      {
        says: 'Another position mode: 133; a client id that lives: 15; an unknown market: -7006.',
        tests: {
          answers: ['another position mode with an order there: 133; a live client id: 15; an unknown market: -7006'],
        },
      },
      {
        says: 'A halted market: -7016.',
        tests: { halt: ['refuses orders of every kind, on every surface'] },
      },
      {
        says: 'What the book rejects is 200 with status 15 and a reason: post-only that would match, an own order included.',
        tests: { answers: ['post-only that would match is rejected with 15, an own resting order included'] },
      },
      {
        says: 'An IOC or MARKET remainder and a FOK that cannot fill end in 6, sizes right, with a reason.',
        tests: {
          answers: ['the remainder of IOC and MARKET, and a FOK that cannot fill, end with 6, sizes and a reason'],
        },
      },
      {
        says: 'The reply has 2 at rest, 5 partly filled and at rest, 4 filled, 6 ended, 15 rejected.',
        tests: { records: ['spot v4: 2 at rest, 5 partly filled and at rest, 4 filled, 6 ended, 15 rejected'] },
      },
      {
        says: "The reply is taken after the order's own matching and before anything that it sets off.",
        tests: { records: ['is taken after the own matching and before what that sets off'] },
      },
      {
        says: 'A waiting trigger replies 9 even where its condition holds; it then fires as its own event.',
        tests: {
          records: ['is 9 for every trigger that waits, also where its condition holds: it fires as its own event'],
          answers: ['a trigger whose condition holds already is answered with 9, then fires'],
        },
      },
      {
        says: 'A TWAP replies 2.',
        tests: { records: ['is 2 for a TWAP, running or waiting for its activation'] },
      },
      {
        says: 'An OCO whose limit leg ended at once shows its stop leg with 6, or 15 where the limit leg was rejected.',
        tests: {
          answers: [
            'an OCO whose limit leg ended at once shows its stop leg with 6, with 15 when the limit leg was rejected',
          ],
        },
      },
      {
        says: 'message is null on spot v4 and empty on futures where there is none.',
        tests: { records: ['message: null on spot v4 and empty on futures where there is nothing to say'] },
      },
      {
        says: 'stealth and deviation stand on algo orders only.',
        tests: { records: ['stealth and deviation stand on algo orders alone'] },
      },
      {
        says: 'Fields for trigger, peg and trailing orders are there and null on others, triggerOrderType 0.',
        tests: {
          records: ['shows LIMIT as the table says'],
          triggers: [
            'v2.3: triggerOrderType 1001 for STOP, 1002 for TRIGGER, triggerStopPrice the limit, zeros on plain orders',
          ],
        },
      },
      {
        says: 'v2.3 leaves positionDirection out in ONE_WAY, v3 has null.',
        tests: { records: ['positionDirection: left out on v2.3 and null on v3 in ONE_WAY'] },
      },
      {
        says: 'v2.3 price of a MARKET order is the average fill, 0 if none.',
        tests: { records: ['v2.3 price of a MARKET order is the average of its fills, 0 without any'] },
      },
      {
        says: 'v2.3 time_in_force is always a value, GTC where none was given.',
        tests: { records: ['v2.3 time_in_force is always a value, GTC where none was given'] },
      },
      {
        says: 'Spot v4 time in force is null for MARKET, TWAP, TRAILING, market triggers and a waiting stop leg, else GTC by default.',
        tests: {
          records: [
            'spot v4 time_in_force is null for MARKET, TWAP, TRAILING, market triggers and a waiting stop leg, else as given',
          ],
        },
      },
      {
        says: 'wrapperOrder is true on OCO legs.',
        tests: {
          records: ['both OCO legs say wrapperOrder, other orders do not'],
          oco: ['both legs count as wrapper orders and share a request'],
        },
      },
      {
        says: "orderValue is price (0: ref) × current size in the account's currency; userQuoteCurrency is USDT.",
        tests: { records: ['orderValue is price × current size in USDT, at the reference where there is no price'] },
      },
      {
        says: 'original never changes; current = filled + unfilled as last amended; remaining = current − filled, ended too.',
        tests: {
          records: [
            'original never changes; current is filled and unfilled as last amended; remaining is what is left of it',
          ],
          answers: ['remaining is current less filled in ended orders too'],
        },
      },
      {
        says: 'filledSize on futures is filled by this command; filledBaseSize on spot by the last match; total… is cumulative.',
        tests: {
          records: ['filledSize on futures is what this command filled'],
          answers: ['the record of a sweep shows its last match and its total'],
        },
      },
    ],
  },
  {
    title: 'Identity',
    rules: [
      {
        says: 'Order ids are UUID text; requestId is the sequence number, without loss.',
        tests: {
          identity: [
            'is UUID text, another one for each order; both surfaces have the same kind',
            'requestId is the sequence number of the command',
          ],
        },
      },
      {
        says: 'clOrderId has at most 64 UTF-16 units and no control characters; empty is not given.',
        tests: { identity: ['has at most 64 UTF-16 units and no control characters; an empty one is none'] },
      },
      {
        says: 'clOrderId is echoed exactly.',
        tests: { identity: ['is echoed exactly: emoji, right-to-left text, both normal forms, prototype names'] },
      },
      {
        says: 'Its scope is account and product.',
        tests: { identity: ['belongs to account and product: others may use the same'] },
      },
      {
        says: 'Both OCO legs share it; attached orders have none.',
        tests: { identity: ['is shared by both legs of an OCO; attached orders have none'] },
      },
      {
        says: "A second order with a live order's client id is refused (15), naming that order.",
        tests: { identity: ['of a live order is refused to a second one with code 15, naming the live order'] },
      },
      {
        says: 'An identical request within 60 s is refused in the same way, even when the first has ended.',
        tests: {
          identity: [
            'within 60 s is refused with code 15 even when the first has ended, so that a retry never doubles an order',
          ],
        },
      },
      {
        says: 'Requests are compared after parsing: operation, fields, decimal values; headers do not count.',
        tests: {
          identity: ['is one with the same decimal values, however they are written, and whatever its headers'],
        },
      },
      {
        says: 'Without a clOrderId nothing is identical; refused requests do not count.',
        tests: {
          identity: [
            'is none without a client id, on another operation, or for another account',
            'does not count a refused one: the retry may succeed',
          ],
        },
      },
      {
        says: 'Otherwise an ended order frees its id.',
        tests: { identity: ['is free again when its order has ended, for another request'] },
      },
      {
        says: "duplicateClientIds: allow restores BTSE's laxity.",
        tests: { identity: ["restores BTSE's laxity: two live orders, cancelled together by their id"] },
      },
      {
        says: 'A look-up prefers orderId over clOrderId.',
        tests: { identity: ['gives way to the order id where a look-up has both; with neither it is malformed'] },
      },
      {
        says: 'By clOrderId: the live order (of an OCO the limit leg while it lives, then the stop leg), else the newest.',
        tests: {
          identity: [
            'finds the live order, else the newest',
            'of an OCO finds the limit leg while it lives, then the stop leg',
          ],
        },
      },
      {
        says: "Another account's order is like none.",
        tests: { identity: ["has the label of how it ended, and another account's looks like none"] },
      },
      {
        says: 'The v4 look-up answers a live order with 200, whatever kind it is.',
        tests: {
          identity: [
            'a TWAP that runs: the v4 look-up answers 200 with ORDER_INSERTED',
            'a trigger that waits: the v4 look-up answers 200 with TRIGGER_INSERTED',
          ],
        },
      },
      {
        says: 'Absent or ended is 404 with code 16 and "Order not found"; of an own ended one with id, client id and state.',
        tests: { identity: ["stays readable at v2.3 and in the v4 lookup's 404 for 30 minutes, then is not found"] },
      },
      {
        says: 'Neither id given is 400.',
        tests: { identity: ['gives way to the order id where a look-up has both; with neither it is malformed'] },
      },
      {
        says: 'Ended orders stay readable at v3.3, v2.3 and in the 404 for 30 minutes of venue time.',
        tests: {
          identity: ["stays readable at v2.3 and in the v4 lookup's 404 for 30 minutes, then is not found"],
          'spot-v3.3': ['that has ended stays readable for 30 minutes of venue time'],
        },
      },
      {
        says: 'At most 100,000 ended orders are held.',
        tests: {
          'venue/retention': ['of ended orders at most 100,000 are held: with one more the oldest is forgotten'],
        },
      },
      {
        says: 'From then on trade history and the archive know them.',
        tests: {
          identity: ['is known to the archive with all that happened to it, also when the venue has forgotten it'],
          'spot-v3.3': [
            'tells its trades, newest first, as soon as the reply is there, and when the venue has forgotten it',
          ],
        },
      },
      {
        says: 'Cancelling an ended order is the same not-found with its final state.',
        tests: { identity: ['cancelled again is the same not-found, with its final state'] },
      },
      {
        says: 'orderState: ORDER_INSERTED, ORDER_PARTIALLY_TRANSACTED, TRIGGER_INSERTED; ended FULLY_TRANSACTED, CANCELLED, REJECTED.',
        tests: {
          identity: [
            'partly filled: ORDER_PARTIALLY_TRANSACTED; a released stop-limit at rest: ORDER_INSERTED, triggered',
            "has the label of how it ended, and another account's looks like none",
          ],
        },
      },
      {
        says: 'List rows say STATUS_ACTIVE.',
        tests: { identity: ['v4 lists the open orders oldest first, of one pair or all, as STATUS_ACTIVE'] },
      },
      {
        says: 'orderDetail is null but for TWAP, PEG and TRAILING, with the fields that the rule names.',
        tests: { records: ['shows no detail but of algos'] },
      },
      {
        says: "A trailing stop's present stop price is triggerPrice, null while unarmed.",
        tests: { records: ['shows TRAILING SELL as the table says', 'shows TRAILING unarmed as the table says'] },
      },
    ],
  },
];
