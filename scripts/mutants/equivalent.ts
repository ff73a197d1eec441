/**
 * Faults that change nothing observable, each with the reason. No test can notice them, so they do not count. Their
 * names are those that the run prints.
 */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  'src/venue/contract/decimal.ts: return quotient * b !== a && a < 0n !== b < 0n ? quotient - 1n : quotient; → return quotient * b !== a && a <= 0n !== b < 0n ? quotient - 1n : quotient;':
    'zero is divided without a remainder, so the sign of the dividend is not looked at',
  'src/venue/algos/trailing.ts: const further = order.side === BUY ? fine < state.extreme : fine > state.extreme; → const further = order.side === BUY ? fine < state.extreme : fine >= state.extreme;':
    'a price equal to the extreme leaves the extreme as it is, and with it the stop',
  'src/venue/structures/key-index.ts: if (this.#size * 2 > this.#mask) this.#grow(this.#keys.length * 2); → if (this.#size * 2 >= this.#mask) this.#grow(this.#keys.length * 2);':
    'the table grows one key earlier or later; what it holds and finds is the same',
  'src/api/gateway/seen-requests.ts: if (2 * (this.count + 1) > this.#slots.length / WORDS) this.#grow(); → if (2 * (this.count + 1) >= this.#slots.length / WORDS) this.#grow();':
    'the table grows one entry earlier or later; what it holds and finds is the same',
  "src/venue/state/exposure.ts: if (order.product === 'spot') return; → if (false) return;":
    'a spot order would have an empty holding of its market, which costs memory and is shown nowhere',
  'src/venue/venue.ts: if (nonceMs <= (used?.nonceMs ?? 0)) return false; → if (nonceMs <= (used?.nonceMs ?? 0)) return true;':
    'a stop would write one more snapshot of the same state',
  'src/venue/steps/clock.ts: if (venue.leftOut.length > 0 && failuresOf(venue.leftOut, distressedNow(venue)) > 0) { → if (venue.leftOut.length >= 0 && failuresOf(venue.leftOut, distressedNow(venue)) > 0) {':
    'where nothing was left out, nothing of it fails',
  "src/venue/prices/mark-and-funding.ts: if (market.product === 'spot' || index === 0) return index; → if (market.product === 'spot' && index === 0) return index;":
    'a spot market has neither funding nor samples of a basis, so that two of the three prices of its median are the index',
  'src/venue/contract/decimal.ts: const fractionDigits = pointAt < 0 ? 0 : at - pointAt - 1; → const fractionDigits = pointAt <= 0 ? 0 : at - pointAt - 1;':
    'a text that begins with the point has no integer digits, and is no number whatever comes behind',
  "src/api/gateway/routing.ts: query[name] = cut < 0 ? '' : decoded(pair.slice(cut + 1)); → query[name] = cut <= 0 ? '' : decoded(pair.slice(cut + 1));":
    'a pair that begins with = has an empty name, which no parameter has',
  'src/api/surfaces/futures-v3/account.ts: return closeCommand(call, market, { positionId, price: null, postOnly: false }); → return closeCommand(call, market, { positionId, price: null, postOnly: true });':
    'a close by a market order has no post-only to look at',
  'src/venue/views/audit.ts: if (order.filled > order.quantity && order.quoteOriginal === null) → if (order.filled >= order.quantity && order.quoteOriginal === null)':
    'the audit looks at live orders, and none of these is filled',
  'src/venue/structures/key-index.ts: for (let i = 0; i < keys.length; i++) { → for (let i = 0; i <= keys.length; i++) {':
    'each growth would keep one place for a key that is not a number, which is never looked up and where no search ends',
  'src/venue/state/position.ts: return position.cost < 0n ? -position.cost : position.cost; → return position.cost <= 0n ? -position.cost : position.cost;':
    'a cost of zero is the same with either sign',
  'src/venue/structures/order-book.ts: return side === BUY ? this.#buys : this.#sells; → return side === SELL ? this.#buys : this.#sells;':
    'both sides are alike and empty at first, and this line alone says which is which',
  'src/api/control/metrics.ts: const amount = units * sign > 0n ? units * sign : 0n; → const amount = units * sign >= 0n ? units * sign : 0n;':
    'nothing, or less than nothing, is 0 either way',
  "src/venue/handlers/position-settings.ts: if (market.product === 'spot') return null; → if (false) return null;":
    'a spot order would have an empty holding of its market, whose mode is never ISOLATED, and which is saved and shown nowhere',
};
