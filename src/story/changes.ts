/** Changes of terms, in sentences: of a market, or of an account. */
import type { CommandFacts, TermChange } from './facts.ts';
import { counted, grouped, listed } from './text.ts';
import { inWords } from './words.js';

/** More changes than this are not all in one sentence. */
const MOST_SAID = 6;

/** "Terms of BTC-PERP are changed by force: taker fee 0.0005 → 0.0004". */
export function marketChangeSentence({ market, changes, force }: CommandFacts): string {
  const asked = `Terms of ${market} are changed${force === true ? ' by force' : ''}`;
  if (changes === undefined) return asked;
  return changes.length === 0 ? `${asked}, and stay as they were` : `${asked}: ${listed(said(changes))}`;
}

/** "carol is frozen: cancelOnly", "Fees of maker are changed: taker fee in BTC-USDT 0.0005 → 0.0004". */
export function accountChangeSentence({ account, changes }: CommandFacts): string {
  if (changes === undefined) return `Terms of ${account} are changed`;
  if (changes.length === 0) return `Terms of ${account} are changed, and stay as they were`;
  const fees = changes.filter(({ term }) => term !== 'frozen');
  const freeze = changes.filter(({ term }) => term === 'frozen').map((change) => freezeText(account, change));
  return [...freeze, ...(fees.length === 0 ? [] : [`Fees of ${account} are changed: ${listed(said(fees))}`])].join(
    '. ',
  );
}

export function changedMarketText(market: unknown, changes: readonly TermChange[] | undefined): string {
  return changes?.length === 0 ? `${market} keeps its terms` : `${market} has new terms`;
}

/** What an account has after its terms were changed: "carol is frozen: cancelOnly", "maker has new fees". */
export function changedAccountText(account: unknown, changes: readonly TermChange[] | undefined): string {
  if (changes === undefined) return `${account} has new terms`;
  if (changes.length === 0) return `${account} keeps its terms`;
  const freeze = changes.find(({ term }) => term === 'frozen');
  if (freeze === undefined) return `${account} has new fees`;
  return `${freezeText(account, freeze)}${changes.length > 1 ? ', and has new fees' : ''}`;
}

/** All changes, if they do not fit into the sentence of their command. */
export function changesDetail(changes: readonly TermChange[] | undefined): string | undefined {
  return changes === undefined || changes.length <= MOST_SAID ? undefined : listed(changes.map(changeText));
}

function said(changes: readonly TermChange[]): string[] {
  const first = changes.slice(0, MOST_SAID).map(changeText);
  const rest = changes.length - first.length;
  return rest === 0 ? first : [...first, counted(rest, 'more term')];
}

function freezeText(account: unknown, { to }: TermChange): string {
  return to === null ? `${account} is not frozen any more` : `${account} is frozen: ${to}`;
}

function changeText({ term, from, to }: TermChange): string {
  const name = termName(term);
  if (term.startsWith('fees.') && to === null) return `${name} are those of the market again`;
  return from === undefined
    ? `${name} ${valueText(term, to)}`
    : `${name} ${valueText(term, from)} → ${valueText(term, to)}`;
}

/** Terms that have a default where they are null. The others have no value then. */
const WITH_DEFAULT = ['maxBasis', 'liquidationBand', 'indexJump'];

function valueText(term: string, value: TermChange['to']): string {
  if (value === null) return WITH_DEFAULT.includes(term) ? 'the default' : 'none';
  if (term.endsWith('Ms')) return `${grouped(String(value))} ms`;
  return /^-?\d+(\.\d+)?$/.test(String(value)) ? grouped(String(value)) : String(value);
}

const TIER_TERMS: Readonly<Record<string, string>> = {
  initial: 'initial margin',
  maintenance: 'maintenance margin',
  maxNotional: 'largest notional',
};

/** "taker fee", "taker fee in BTC-USDT", "initial margin of tier 1", "funding interval". */
function termName(term: string): string {
  const tier = /^riskTiers\[(\d+)\]\.(\w+)$/.exec(term);
  if (tier !== null) return `${TIER_TERMS[tier[2]] ?? inWords(tier[2])} of tier ${Number(tier[1]) + 1}`;
  const [, symbol, side] = /^fees\.(?:(.+)\.)?(maker|taker)$/.exec(term) ?? [];
  if (side !== undefined) return `${side} fee${symbol === undefined ? '' : ` in ${symbol}`}`;
  if (term.startsWith('fees.')) return `fees in ${term.slice('fees.'.length)}`;
  return inWords(term.replace('.', ' ').replace(/Ms$/, ''));
}
