/**
 * Commands that are not about orders: accounts, keys, deposits, prices, markets. Each is refused or done completely.
 */

import type { Currency } from '../contract/account-view.ts';
import type {
  AddKey,
  CreateAccount,
  Deposit,
  Genesis,
  HaltMarket,
  ListMarket,
  RevokeKey,
  SetPrices,
  Transfer,
} from '../contract/commands.ts';
import { decimalText, MAX_MONEY, parseDecimal, toUnits } from '../contract/decimal.ts';
import type { FeeRates } from '../contract/market-spec.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import { FINE } from '../contract/units.ts';
import { endStale, feedTimer, filterIndex } from '../prices/index-feed.ts';
import { nextMark, startMinutes } from '../prices/mark-and-funding.ts';
import { availableOf, covered } from '../risk/funds.ts';
import type { Effects } from '../state/effects-digest.ts';
import type { Emitter } from '../state/emitter.ts';
import { Account } from '../state/ledger.ts';
import { listMarket, Market } from '../state/market.ts';
import { feesOf } from '../state/market-terms.ts';
import { Playback } from '../state/playback.ts';
import { VenueState } from '../state/venue-state.ts';

/** The venue as configured, before anyone acts. An inconsistent configuration is a programming error here. */
export function openVenue(genesis: Genesis, timeMs: number, emit: Emitter, effects: Effects): VenueState {
  const venue = new VenueState(genesis, timeMs, emit, effects);
  venue.track();
  const must = (refusal: Refusal | null) => {
    if (refusal !== null) throw new Error(`configuration: ${refusal.reason} ${JSON.stringify(refusal.params)}`);
  };
  for (const market of genesis.config.markets) must(addMarket(venue, { v: 1, type: 'listMarket', market }, true));
  for (const [symbol, terms] of Object.entries(genesis.recordings?.markets ?? {})) {
    const market = venue.marketBySymbol(symbol);
    if (market === undefined) must(refuse('unknownMarket', { symbol }));
    else market.playback = new Playback(terms);
  }
  genesis.config.accounts.forEach((spec, index) => {
    must(createAccount(venue, { v: 1, type: 'createAccount', name: spec.name, fees: spec.fees }, index));
    for (const [currency, text] of Object.entries(spec.balances)) {
      const amount = unitsOf(venue, currency, text);
      must(deposit(venue, { v: 1, type: 'deposit', account: index, currency, amount: String(amount) }));
    }
    for (const key of spec.keys) must(addKey(venue, { v: 1, type: 'addKey', account: index, ...key }));
  });
  for (const [code, text] of Object.entries(genesis.config.insuranceFund)) {
    const currency = currencyIndex(venue, code);
    if (currency < 0) must(refuse('unknownCurrency', { currency: code }));
    const amount = unitsOf(venue, code, text);
    must(withinVenue(venue, currency, amount));
    venue.ledger.addToInsurance(currency, amount);
    venue.ledger.deposits[currency] += amount;
  }
  return venue;
}

function currencyIndex(venue: VenueState, code: string): number {
  return venue.ledger.currencies.findIndex((currency) => currency.code === code);
}

function unitsOf(venue: VenueState, code: string, text: string): bigint {
  const value = parseDecimal(text);
  const decimals = venue.genesis.config.currencies[code]?.decimals ?? 0;
  const units = typeof value === 'string' ? null : toUnits(value, decimals);
  if (units === null)
    throw new Error(`configuration: ${text} is not an amount of ${code} with at most ${decimals} decimals`);
  return units;
}

/** Adds the market and the currencies that come with it, or nothing. `asBefore`: see listMarket. */
export function addMarket(venue: VenueState, command: ListMarket, asBefore = false): Refusal | null {
  const { market: spec, currencies: given = {} } = command;
  if (venue.marketBySymbol(spec.symbol) !== undefined) return refuse('marketExists', { symbol: spec.symbol });
  const { currencies } = venue.ledger;
  const added: Currency[] = [];
  for (const code of Object.keys(given).sort()) {
    const { decimals } = given[code];
    const known = currencies.find((currency) => currency.code === code);
    if (known === undefined) added.push({ code, decimals });
    else if (known.decimals !== decimals) {
      const problem = `must be ${known.decimals}, as ${code} has here`;
      return refuse('invalidMarket', { field: `currencies.${code}.decimals`, problem });
    }
  }
  const market = listMarket(venue.markets.length, spec, [...currencies, ...added], asBefore);
  if (!(market instanceof Market)) return market;
  venue.addCurrencies(added);
  venue.addMarket(market, feedTimer(market));
  venue.changes.watch(market);
  venue.emit.marketListed?.({ type: 'marketListed', market: market.index });
  return null;
}

export function createAccount(venue: VenueState, command: CreateAccount, index: number): Refusal | null {
  if (venue.accountByName(command.name) !== undefined) return refuse('accountExists', { name: command.name });
  const feeRates: FeeRates[] = [];
  for (const [symbol, fees] of Object.entries(command.fees ?? {})) {
    const market = venue.marketBySymbol(symbol);
    if (market === undefined) return refuse('unknownMarket', { symbol });
    feeRates[market.index] = feesOf(fees);
  }
  const account = new Account(index, command.name, venue.ledger.wallets);
  feeRates.forEach((rates, market) => {
    account.feeRates[market] = rates;
  });
  venue.addAccount(account);
  venue.emit.accountCreated?.({ type: 'accountCreated', account: index });
  return null;
}

export function addKey(venue: VenueState, command: AddKey): Refusal | null {
  const { account, key, sealed, permissions, ipAllow, expiresAtMs } = command;
  if (!venue.accounts.has(account)) return refuse('unknownAccount', { account });
  if (venue.keys.has(key)) return refuse('keyExists', { key });
  venue.addKey({ account, key, sealed, permissions, ipAllow, expiresAtMs });
  venue.emit.keyAdded?.({ type: 'keyAdded', key, account });
  return null;
}

export function revokeKey(venue: VenueState, command: RevokeKey): Refusal | null {
  const found = venue.keys.get(command.key);
  if (found === undefined) return refuse('unknownKey', { key: command.key });
  venue.keys.delete(command.key);
  venue.emit.keyRevoked?.({ type: 'keyRevoked', key: command.key, account: found.account });
  return null;
}

/**
 * The whole venue has at most MAX_MONEY of a currency. Then no trade can exceed the range of a balance, and only
 * deposits have to be checked.
 */
function withinVenue(venue: VenueState, currency: number, amount: bigint): Refusal | null {
  const { deposits, withdrawals, currencies } = venue.ledger;
  const total = deposits[currency] - withdrawals[currency] - venue.house.total(currency);
  if (total + amount <= MAX_MONEY) return null;
  const { code, decimals } = currencies[currency];
  return refuse('amountOutOfRange', {
    currency: code,
    amount: decimalText(amount, decimals),
    held: decimalText(total, decimals),
    maximum: decimalText(MAX_MONEY, decimals),
  });
}

export function deposit(venue: VenueState, command: Deposit): Refusal | null {
  const account = venue.accounts.get(command.account);
  if (account === undefined) return refuse('unknownAccount', { account: command.account });
  const currency = currencyIndex(venue, command.currency);
  if (currency < 0) return refuse('unknownCurrency', { currency: command.currency });
  const amount = BigInt(command.amount);
  const tooMuch = withinVenue(venue, currency, amount);
  if (tooMuch !== null) return tooMuch;
  if (amount < 0n) {
    const short = covered(venue, account, currency, -amount);
    if (short !== null) return short;
  }
  venue.ledger.deposit(account, currency, amount);
  const reason = amount >= 0n ? 'deposit' : 'withdrawal';
  venue.emit.balanceChanged?.({
    type: 'balanceChanged',
    account: account.index,
    currency,
    amount,
    reason,
    market: -1,
    positionId: -1,
  });
  return null;
}

/**
 * All amounts are checked before the first is recorded, and those of one currency together. An amount of null is all
 * that the amounts before it have left.
 */
export function transfer(venue: VenueState, command: Transfer): Refusal | null {
  const account = venue.accounts.get(command.account);
  if (account === undefined) return refuse('unknownAccount', { account: command.account });
  const found: { readonly currency: number; readonly amount: bigint }[] = [];
  for (const asked of command.amounts) {
    const currency = currencyIndex(venue, asked.currency);
    if (currency < 0) return refuse('unknownCurrency', { currency: asked.currency });
    const before = found.reduce((sum, one) => (one.currency === currency ? sum + one.amount : sum), 0n);
    const amount =
      asked.amount === null ? BigInt(availableOf(venue, account, currency)) - before : BigInt(asked.amount);
    const short = covered(venue, account, currency, before + amount);
    if (short !== null) return short;
    if (amount > 0n) found.push({ currency, amount });
  }
  const { from, to } = command;
  for (const one of found) {
    venue.emit.transferred?.({ type: 'transferred', account: account.index, ...one, from, to });
  }
  return null;
}

/** First sets all prices. Then each is observed once, in the order mark, index, last. */
export function setPrices(venue: VenueState, command: SetPrices): Refusal | null {
  const market = venue.markets[command.market];
  if (market === undefined) return refuse('unknownMarket', { symbol: command.market });
  if (market.delisted) return refuse('marketDelisted', { symbol: market.symbol });
  const mostFine = market.maxPriceTicks * FINE;
  const fields = { index: command.index, mark: command.mark ?? undefined, last: command.last };
  for (const [field, value] of Object.entries(fields)) {
    const fine = value !== undefined && field === 'last' ? value * FINE : value;
    if (fine !== undefined && !(Number.isSafeInteger(fine) && fine > 0 && fine <= mostFine)) {
      const problem = `must be above 0 and at most ${market.priceText(market.maxPriceTicks)}`;
      return refuse('priceOutOfRange', { field, problem });
    }
  }
  if (command.mark !== undefined) market.markPinned = command.mark !== null;
  const index = filterIndex(venue, market, command);
  const again = command.index === index ? endStale(venue, market) : [];
  const last = command.last === undefined ? (market.last === 0 ? index : market.last) : command.last * FINE;
  const mark = command.mark ?? nextMark(market, market.markPinned, { index, last }, venue.nowMs);
  for (const [reference, fine] of [
    ['mark', mark],
    ['index', index],
    ['last', last],
  ] as const) {
    if (fine === market.reference(reference) && !again.includes(reference)) continue;
    if (reference === 'index' && market.indexPrice === 0) startMinutes(venue, market);
    const previous = market.reference(reference);
    venue.observe(market, reference, fine);
    if (reference === 'last')
      venue.emit.priceChanged?.({ type: 'priceChanged', market: market.index, reference, fine, previous });
  }
  return null;
}

/** On resuming, every reference price is observed once more. Triggers that were reached during the halt fire now. */
export function haltMarket(venue: VenueState, command: HaltMarket): Refusal | null {
  const market = venue.markets[command.market];
  if (market === undefined) return refuse('unknownMarket', { symbol: command.market });
  if (market.delisted) return refuse('marketDelisted', { symbol: market.symbol });
  const halted = command.type === 'haltMarket';
  if (market.halted === halted) return null;
  market.halted = halted;
  venue.margins.revalued(market);
  venue.noteUnsettled(market);
  if (halted) {
    venue.emit.marketHalted?.({ type: 'marketHalted', market: market.index });
    return null;
  }
  venue.emit.marketResumed?.({ type: 'marketResumed', market: market.index });
  for (const reference of ['mark', 'index', 'last'] as const) {
    const fine = market.reference(reference);
    if (fine !== 0) venue.observe(market, reference, fine);
  }
  return null;
}
