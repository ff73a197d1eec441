/** What the commands of markets.ts show on a terminal. */
import type { MarketsPage } from '../client/control.ts';
import { printable } from './output.ts';
import { left, right, tableText } from './tables.ts';
import { moreText } from './venue-text.ts';

// biome-ignore lint/suspicious/noExplicitAny: a reply of the venue; docs/openapi.json has its fields
type Market = any;

const PRICES = ['index', 'mark', 'last', 'bestBid', 'bestAsk'] as const;
const PRICE_COLUMNS = ['Index', 'Mark', 'Last', 'Bid', 'Ask'].map(right);
/** Terms that never change. */
const FIXED: readonly string[] = ['base', 'quote', 'tick', 'maxPrice', 'step', 'contractSize'];
/** Members of a market that are no terms of it. */
const NO_TERMS: readonly string[] = ['symbol', 'kind', 'status', 'markByHand', ...PRICES];
/** Terms that mean nothing on a spot market. */
const OF_PERPETUALS: readonly string[] = ['contractSize', 'riskTiers', 'funding', 'liquidationFee'];

const pricesOf = (market: Market) => PRICES.map((name) => market[name] ?? 'none');

/** `limit`: of the page, if it was given. */
export function marketsText({ markets, next }: MarketsPage, limit?: string): string {
  const rows = markets.map((market: Market) => [
    market.symbol,
    market.kind,
    market.status,
    ...pricesOf(market),
    market.fees.maker,
    market.fees.taker,
  ]);
  const columns = [left('Market'), left('Kind'), left('Status'), ...PRICE_COLUMNS, right('Maker'), right('Taker')];
  return `${tableText(columns, rows, 'no markets')}${moreText('markets', { limit, after: next })}`;
}

export function marketText(market: Market): string {
  const terms = Object.keys(market).filter(
    (name) => !NO_TERMS.includes(name) && (market.kind === 'perpetual' || !OF_PERPETUALS.includes(name)),
  );
  const fixed = FIXED.filter((name) => terms.includes(name)).map((name) => [name, String(market[name])]);
  return [
    printable(`${market.symbol}, ${market.kind}, ${market.status}`),
    '',
    tableText(PRICE_COLUMNS, [pricesOf(market)]),
    '',
    tableText([left('Never changes'), right('Value')], fixed),
    '',
    termsText(
      market,
      terms.filter((name) => !FIXED.includes(name)),
    ),
  ].join('\n');
}

/** Some terms, named as `bourse markets set` takes them. */
export function termsText(market: Market, names: readonly string[]): string {
  const rows = names.filter((name) => name !== 'riskTiers').flatMap((name) => termRows(name, market[name]));
  const tiers = names.includes('riskTiers') ? [tiersText(market.riskTiers)] : [];
  return [...(rows.length === 0 ? [] : [tableText([left('Term'), right('Value')], rows)]), ...tiers].join('\n\n');
}

/** A term with members has one row for each. */
function termRows(name: string, value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[name, String(value)]];
  return Object.entries(value).map(([member, of]) => [`${name}.${member}`, String(of)]);
}

function tiersText(tiers: readonly Market[]): string {
  const rows = tiers.map(({ maxNotional, initial, maintenance }) => [maxNotional, initial, maintenance].map(String));
  return `riskTiers\n${tableText(['maxNotional', 'initial', 'maintenance'].map(right), rows)}`;
}
