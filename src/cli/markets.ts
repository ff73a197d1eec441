/** `bourse markets`: markets, their terms, halts and their end, through the control surface of a running venue. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { ControlClient } from '../client/control.ts';
import { parseExactJson } from '../config/field.ts';
import { ASK_AGAIN, controlClient, type PageFlags, pageOf } from './control-options.ts';
import { addExamples } from './examples.ts';
import { addCall, addListCommand } from './groups.ts';
import { marketsText, marketText, termsText } from './market-text.ts';
import { UsageError } from './output.ts';
import { type ShowFlags, show } from './show.ts';

const reading = { remedy: ASK_AGAIN, flagOfField: {} };
const LOST_CHANGE = 'the terms may or may not be changed; it is safe to change them again';
const LOST_HALT = 'the market may or may not be halted: `bourse markets show SYMBOL` says';
const LOST_DELIST = 'the market may or may not be delisted: `bourse markets show SYMBOL` says';
const MOST_ROWS = 1000;

export function addMarketCommands(program: Command): void {
  const markets = program
    .command('markets')
    .description('list markets, change their terms, halt and delist them; `bourse book SYMBOL` shows a book');
  addExamples(markets, [
    ['markets'],
    ['markets show BTC-PERP'],
    ['markets set BTC-PERP fees.maker=0.0001 fees.taker=0.0004'],
    ['markets halt BTC-PERP'],
  ]);

  const list = addListCommand(
    markets,
    'list the markets with their prices and fees',
    '`bourse markets show SYMBOL` shows a market.',
  );
  addExamples(list, [['markets list'], ['markets list --json | jq -r \'.markets[] | select(.status != "active")\'']]);
  list.action((flags: PageFlags & { json?: boolean }) =>
    show(
      flags,
      reading,
      () => controlClient(flags).markets(pageOf(flags)),
      (page) => marketsText(page, flags.limit),
    ),
  );

  addCall(markets, 'show <symbol>', 'show the prices and all terms of a market', [
    ['markets show BTC-PERP'],
    ['markets show BTC-PERP --json | jq .riskTiers > tiers.json', 'to edit them for `markets set`'],
  ]).action((symbol: string, flags: ShowFlags) =>
    show(flags, reading, () => marketOf(controlClient(flags), symbol), marketText),
  );

  addCall(markets, 'set <symbol> <terms...>', 'change terms of a market while it runs, each given as name=value', [
    ['markets set BTC-PERP band=0.05 maxOpenOrders=200'],
    ['markets set BTC-PERP fees.maker=0.0001', 'the fee of the taker stays'],
    ['markets set BTC-PERP riskTiers=@tiers.json --force', 'JSON from a file'],
    ['markets set BTC-PERP triggerLimitDistance=null', 'no such limit'],
  ])
    .option('--force', 'also if that puts accounts below maintenance, which liquidates them, and with fees above 0.05')
    .action((symbol: string, pairs: string[], flags: ShowFlags & { force?: boolean }) => {
      const terms = termsOf(pairs);
      return show(
        flags,
        { remedy: LOST_CHANGE, flagOfField: { force: '--force' } },
        () => controlClient(flags).changeMarket(symbol, terms, flags.force),
        (market) => `terms of ${market.symbol} are changed\n\n${termsText(market, Object.keys(terms))}`,
      );
    });

  addCall(markets, 'halt <symbol>', 'halt a market: it takes cancels only', [['markets halt BTC-PERP']]).action(
    (symbol: string, flags: ShowFlags) =>
      show(
        flags,
        { remedy: LOST_HALT, flagOfField: {} },
        () => controlClient(flags).haltMarket(symbol),
        (market) => `${market.symbol} is halted: it takes cancels only`,
      ),
  );
  addCall(markets, 'resume <symbol>', 'let a halted market trade again', [['markets resume BTC-PERP']]).action(
    (symbol: string, flags: ShowFlags) =>
      show(
        flags,
        { remedy: LOST_HALT, flagOfField: {} },
        () => controlClient(flags).resumeMarket(symbol),
        (market) => `${market.symbol} is ${market.status}`,
      ),
  );
  addCall(markets, 'delist <symbol>', 'end a halted market for ever: its orders are cancelled, its positions closed', [
    ['markets delist BTC-PERP', 'positions close at the mark'],
    ['markets delist BTC-PERP --settlement-price 60000'],
  ])
    .option('--settlement-price <price>', 'at which positions close (default: the mark)')
    .action((symbol: string, flags: ShowFlags & { settlementPrice?: string }) =>
      show(
        flags,
        { remedy: LOST_DELIST, flagOfField: { settlementPrice: '--settlement-price' } },
        () => controlClient(flags).delistMarket(symbol, flags.settlementPrice),
        (market) => `${market.symbol} is delisted, for ever`,
      ),
    );
}

/** There is no call for one market, so the list is searched. The call of its book refuses an unknown name, and gives its symbol. */
async function marketOf(client: ControlClient, name: string): Promise<Record<string, unknown>> {
  const { symbol } = await client.book(name, 1);
  let after: string | undefined;
  do {
    const page = await client.markets({ limit: MOST_ROWS, ...(after !== undefined && { after }) });
    const found = page.markets.find((market) => market.symbol === symbol);
    if (found !== undefined) return found;
    after = page.next;
  } while (after !== undefined);
  throw new UsageError(`the market ${symbol} is gone: a reset has removed it`);
}

/**
 * name=value pairs. `fees.maker=0.0001` is a member of a term. A value that is valid JSON is read as such, and anything
 * else as text. @FILE is the JSON in a file. @throws {UsageError}
 */
export function termsOf(pairs: readonly string[]): Record<string, unknown> {
  const terms = new Map<string, unknown>();
  const members = new Map<string, Map<string, unknown>>();
  for (const pair of pairs) {
    const [, name, member, text] = /^([^.=]+)(?:\.([^=]+))?=(.*)$/s.exec(pair) ?? [];
    if (name === undefined) throw new UsageError(`a term is name=value, such as band=0.05, not ${pair}`);
    const of = members.get(name);
    const isTwice = member === undefined ? terms.has(name) || of !== undefined : terms.has(name) || of?.has(member);
    if (isTwice) throw new UsageError(`${member === undefined ? name : `${name}.${member}`} is given twice`);
    if (member === undefined) terms.set(name, termValue(text));
    else members.set(name, (of ?? new Map<string, unknown>()).set(member, termValue(text)));
  }
  for (const [name, of] of members) terms.set(name, Object.fromEntries(of));
  return Object.fromEntries(terms);
}

function termValue(text: string): unknown {
  if (text.startsWith('@')) return jsonOf(text.slice(1));
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

function jsonOf(file: string): unknown {
  try {
    return parseExactJson(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
