/** Which terms a command changes, from what to what: of a market, or of an account. */
import type { TermChange } from '../../story/facts.ts';
import { compared } from '../../story/text.ts';
import type { ChangeAccount, ChangeMarket, Command } from '../../venue/contract/commands.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import type { Venue } from '../../venue/venue.ts';

/**
 * Must be called before the command is applied, because `from` is what the venue has now. Terms that stay as they are are
 * left out. Undefined: the command changes no terms.
 */
export function changesOf(venue: Venue, command: Command): TermChange[] | undefined {
  const changes =
    command.type === 'changeMarket'
      ? ofMarket(venue, command)
      : command.type === 'changeAccount'
        ? ofAccount(venue, command)
        : undefined;
  return changes?.filter(({ from, to }) => !isSame(from, to));
}

function ofMarket(venue: Venue, { market, terms }: ChangeMarket): TermChange[] {
  const spec = venue.markets[market]?.spec as unknown as Readonly<Record<string, unknown>> | undefined;
  return Object.entries(terms).flatMap(([name, value]) => {
    const now = leavesOf(name, value);
    if (spec === undefined) return [...now].map(([term, to]) => ({ term, to }));
    const before = leavesOf(name, spec[name]);
    // A list or an object that takes the place of null, or gives way to it, has other leaves than null has.
    const names = [...new Set([...now.keys(), ...before.keys()])].filter((term) => term !== name || now.size === 1);
    return names.map((term) => ({ term, from: before.get(term) ?? null, to: now.get(term) ?? null }));
  });
}

function ofAccount(venue: Venue, { account, fees = {}, frozen }: ChangeAccount): TermChange[] {
  const known = venue.account(account) !== undefined;
  const changes = Object.entries(fees).flatMap(([symbol, rates]): TermChange[] => {
    const term = `fees.${symbol}`;
    const market = venue.marketBySymbol(symbol);
    if (rates === null) return [{ term, to: null }];
    return (['maker', 'taker'] as const).map((side) => {
      const from = known && market && decimalText(venue.feeRates(account, market)[side], RATE_DECIMALS);
      return { term: `${term}.${side}`, ...(from && { from }), to: rates[side] };
    });
  });
  if (frozen === undefined) return changes;
  const from = known ? { from: venue.accountTerms(account).frozen } : {};
  return [...changes, { term: 'frozen', ...from, to: frozen }];
}

const RATE_DECIMALS = 8;

/** The plain values within, by path: `riskTiers[0].initial`. */
function leavesOf(path: string, value: unknown): Map<string, TermChange['to']> {
  if (typeof value !== 'object' || value === null) return new Map([[path, (value ?? null) as TermChange['to']]]);
  const part = (name: string) => (Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`);
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...leavesOf(part(name), inner)]));
}

/** Also of two spellings of one number. An unknown value is not the same as any. */
function isSame(from: TermChange['from'], to: TermChange['to']): boolean {
  if (from === to) return true;
  return isDecimal(from) && isDecimal(to) && compared(from, to) === 0;
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
}
