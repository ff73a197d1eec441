/**
 * Finds the currencies, markets and accounts that are new in a later start's configuration, and returns them as
 * commands. `manifest.ts` has already checked that earlier values are unchanged, except secrets, which are nowhere in
 * clear text.
 */
import { accountSpec, type Configuration, ConfigurationError } from '../../config/config.ts';
import type { Problem } from '../../config/field.ts';
import type { AccountSpec, Command, CurrencySpec } from '../../venue/contract/commands.ts';
import { parseDecimal, toUnits } from '../../venue/contract/decimal.ts';
import type { Venue } from '../../venue/venue.ts';
import type { Manifest } from './manifest.ts';

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
  if (problems.length > 0) throw new ConfigurationError('given', problems);
  return commands;
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
