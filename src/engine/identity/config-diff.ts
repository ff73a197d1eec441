/**
 * Finds the currencies, markets and accounts that are new in a later start's configuration, and returns them as
 * commands. `manifest.ts` has already checked that earlier values are unchanged, except secrets, which are nowhere in
 * clear text, and what commands may change while a venue runs.
 */
import { accountSpec, type Configuration, ConfigurationError, GIVEN } from '../../config/config.ts';
import type { Problem } from '../../config/field.ts';
import type { AccountSpec, Command, CurrencySpec } from '../../venue/contract/commands.ts';
import { decimalText, parseDecimal, toUnits } from '../../venue/contract/decimal.ts';
import { CHANGEABLE_TERMS } from '../../venue/contract/market-spec.ts';
import type { Venue } from '../../venue/venue.ts';
import { type Manifest, type Plain, withPresentDefaults } from './manifest.ts';

/** Seals secrets for commands, and compares them with those of the configuration. */
export interface Secrets {
  seal(secret: string): string;
  open(sealed: string): string;
}

/** @throws {ConfigurationError} a new name was already added manually, or a key has another secret */
export function newConfigCommands(venue: Venue, before: Manifest, given: Configuration, secrets: Secrets): Command[] {
  const problems: Problem[] = [];
  const commands: Command[] = [];
  const known = namesOf(before);
  const taken = (path: string): void => {
    problems.push({ path, message: 'already exists and was added manually: give the configured one another name' });
  };
  let currencies = newCurrencies(venue, given, problems);
  for (const market of given.markets) {
    if (venue.marketBySymbol(market.symbol) === undefined) {
      commands.push({ v: 1, type: 'listMarket', market, ...(Object.keys(currencies).length > 0 && { currencies }) });
      currencies = {};
    } else if (!known.has(`market ${market.symbol}`)) {
      taken(`markets[${market.symbol}]`);
    }
  }
  for (const code of Object.keys(currencies)) {
    problems.push({ path: `currencies.${code}`, message: 'is new, and a new currency needs a new market: add one' });
  }
  let next = venue.nextAccount;
  for (const account of given.accounts) {
    const path = `accounts[${account.name}]`;
    const isNew = venue.accountByName(account.name) === undefined;
    if (isNew) {
      commands.push(
        ...accountCommands(
          given,
          next,
          accountSpec(account, (secret) => secrets.seal(secret)),
        ),
      );
      next += 1;
    } else if (!known.has(`account ${account.name}`)) {
      taken(path);
    }
    for (const { key, secret } of account.keys) {
      const held = venue.key(key);
      if (held === undefined) continue;
      if (isNew) taken(`${path}.keys[${key}]`);
      else if (secrets.open(held.sealed) !== secret) {
        problems.push({ path: `${path}.keys[${key}].secret`, message: 'is not the one that this key was made with' });
      }
    }
  }
  problems.push(...changedTerms(venue, before, given), ...changedFees(venue, before, given));
  if (problems.length > 0) throw new ConfigurationError(GIVEN, problems);
  return commands;
}

/**
 * Terms of known markets that are neither those of the last start nor those in force. A configuration does not change
 * them: a command does, and the problem says which.
 */
function changedTerms(venue: Venue, before: Manifest, given: Configuration): Problem[] {
  const earlier = withPresentDefaults(before.configuration.markets, given.markets as unknown as Plain) as Named[];
  return given.markets.flatMap((market) => {
    const listed = venue.marketBySymbol(market.symbol);
    const now = listed?.spec;
    const was = earlier.find(({ symbol }) => symbol === market.symbol);
    if (now === undefined || was === undefined) return [];
    const changed = CHANGEABLE_TERMS.filter(
      (term) => !isSame(market[term], was[term]) && !isSame(market[term], now[term]),
    );
    return changed.map((term) => ({
      path: `markets[${market.symbol}].${term}`,
      message:
        listed?.delisted === true
          ? changedAfterEnd(market[term], now[term])
          : changeBy(market[term], now[term], `markets/${market.symbol}`, { [term]: market[term] ?? null }),
    }));
  });
}

/** The same for the fees of known accounts. */
function changedFees(venue: Venue, before: Manifest, given: Configuration): Problem[] {
  const earlier = before.configuration.accounts as Named[];
  return given.accounts.flatMap(({ name, fees }) => {
    const account = venue.accountByName(name);
    const was = earlier.find((each) => each.name === name)?.fees as Partial<Configuration['accounts'][number]['fees']>;
    if (account === undefined || was === undefined) return [];
    const symbols = new Set([...Object.keys(was), ...Object.keys(fees)]);
    return [...symbols].flatMap((symbol) => {
      const market = venue.marketBySymbol(symbol);
      if (market === undefined || isSame(fees[symbol], was[symbol])) return [];
      const { maker, taker } = venue.feeRates(account.index, market);
      const now = { maker: decimalText(maker, 8), taker: decimalText(taker, 8) };
      const wanted = fees[symbol] ?? market.spec.fees;
      if (isSame(plainRates(wanted), plainRates(now))) return [];
      const body = { fees: { [symbol]: fees[symbol] ?? null } };
      const path = `accounts[${name}].fees.${symbol}`;
      if (market.delisted) return [{ path, message: changedAfterEnd(wanted, now) }];
      return [{ path, message: changeBy(wanted, now, `accounts/${name}`, body) }];
    });
  });
}

type Named = { readonly [name: string]: unknown };

/** Rates in one spelling. */
function plainRates({ maker, taker }: { readonly maker: string; readonly taker: string }): string[] {
  return [maker, taker].map((text) => {
    const value = parseDecimal(text);
    return typeof value === 'string' ? text : String(toUnits(value, 8));
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function changedAfterEnd(wanted: unknown, now: unknown): string {
  return `${valuesOf(wanted, now)}. The market was delisted, and does not change any more`;
}

function valuesOf(wanted: unknown, now: unknown): string {
  return `is ${JSON.stringify(wanted ?? null)}, but the venue has ${JSON.stringify(now ?? null)}`;
}

function changeBy(wanted: unknown, now: unknown, of: string, body: object): string {
  return `${valuesOf(wanted, now)}. A running venue changes it by PATCH /control/v1/${of} ${JSON.stringify(body)}`;
}

function newCurrencies(venue: Venue, given: Configuration, problems: Problem[]): Record<string, CurrencySpec> {
  const found: Record<string, CurrencySpec> = {};
  for (const [code, spec] of Object.entries(given.currencies)) {
    const held = venue.currencies.find((currency) => currency.code === code);
    if (held === undefined) found[code] = spec;
    else if (held.decimals !== spec.decimals) {
      problems.push({
        path: `currencies.${code}.decimals`,
        message: `must be ${held.decimals}, the decimals that ${code} has here`,
      });
    }
  }
  return found;
}

function namesOf(before: Manifest): Set<string> {
  const { markets, accounts } = before.configuration as unknown as Pick<Configuration, 'markets' | 'accounts'>;
  return new Set([
    ...markets.map(({ symbol }) => `market ${symbol}`),
    ...accounts.map(({ name }) => `account ${name}`),
  ]);
}

/** Commands that create an account under its future number, fund it, and give it its keys. */
function accountCommands(given: Configuration, account: number, spec: AccountSpec): Command[] {
  const deposits = Object.entries(spec.balances).map(([currency, text]): Command => {
    const amount = smallestUnits(given, currency, text);
    return { v: 1, type: 'deposit', account, currency, amount };
  });
  return [
    { v: 1, type: 'createAccount', name: spec.name, fees: spec.fees },
    ...deposits.filter((command) => command.type === 'deposit' && command.amount !== '0'),
    ...spec.keys.map((key): Command => ({ v: 1, type: 'addKey', account, ...key })),
  ];
}

/** The configuration was already checked: the amount has no more decimals than its currency. */
function smallestUnits({ currencies }: Configuration, currency: string, text: string): string {
  const value = parseDecimal(text);
  const units = typeof value === 'string' ? null : toUnits(value, currencies[currency].decimals);
  if (units === null) throw new RangeError(`${text} is not an amount of ${currency}`);
  return units.toString();
}
