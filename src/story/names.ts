/** What commands asked for, in sentences. */
import { accountChangeSentence, marketChangeSentence } from './changes.ts';
import type { CommandFacts, Markets } from './facts.ts';
import { because } from './reasons.ts';
import { clockFrom, grouped, priceIn, shortId } from './text.ts';
import { kindWord, visible } from './words.js';

/** What a command asked for, as a sentence without its stop. */
export function commandSentence(command: CommandFacts, markets: Markets = {}): string {
  const { refusal } = command;
  const asked = ASKED[command.type]?.(command, markets) ?? command.type;
  return refusal === undefined
    ? asked
    : `${asked}${asked.includes(': ') ? ';' : ':'} refused, because ${because(refusal)}`;
}

type Asked = (command: CommandFacts, markets: Markets) => string;
const ASKED: Readonly<Record<string, Asked>> = {
  genesis: () => 'The venue begins',
  place: (command, markets) => `${command.account} places ${placed(command, markets)}`,
  cancel: ({ account, order, clientId }) =>
    `${account} cancels order ${order === undefined ? `with client id ${visible(String(clientId))}` : shortId(order)}`,
  cancelAll: ({ account, market, product }) =>
    `${account} cancels all orders ${market ? `in ${market}` : `on ${product}`}`,
  amend: ({ account, order, clientId }) =>
    `${account} amends order ${order === undefined ? `with client id ${visible(String(clientId))}` : shortId(order)}`,
  cancelAllAfter: ({ account, product, timeoutMs }) =>
    timeoutMs === 0
      ? `${account} disarms the dead man's switch of ${product}`
      : `${account} sets the dead man's switch of ${product} to ${grouped(String(Number(timeoutMs) / 1000))} s`,
  setLeverage: ({ account, market, leverage }) => `${account} sets leverage ${leverage} in ${market}`,
  setRiskLimit: ({ account, market, level }) => `${account} sets risk limit ${level} in ${market}`,
  setPositionMode: ({ account, market, mode }) => `${account} sets position mode ${mode} in ${market}`,
  attachBrackets: ({ account, market }) => `${account} attaches orders to its position in ${market}`,
  haltMarket: ({ market }) => `${market} is halted`,
  resumeMarket: ({ market }) => `${market} is resumed`,
  changeMarket: marketChangeSentence,
  delistMarket: ({ market }) => `${market} is delisted`,
  changeAccount: accountChangeSentence,
  createAccount: ({ account }) => `Account ${account} is created`,
  addKey: ({ account }) => `${account} gets an API key`,
  revokeKey: () => 'An API key is revoked',
  deposit: ({ account, currency, amount }) =>
    String(amount).startsWith('-')
      ? `${account} withdraws ${grouped(String(amount).slice(1))} ${currency}`
      : `${account} deposits ${grouped(String(amount))} ${currency}`,
  transfer: ({ account, from, to }) => `${account} transfers from its ${from} wallet to its ${to} wallet`,
  setPrices: ({ market, byHand }) => (byHand ? `Prices of ${market} are set` : `The feed sends prices of ${market}`),
  advance: ({ toMs, fromMs }) => `The clock is moved to ${clockFrom(Number(fromMs ?? toMs), Number(toMs))}`,
  tick: ({ time, fromMs }) => `Time passes, to ${clockFrom(Number(fromMs ?? time), time)}`,
  listMarket: ({ market }) => `${market} is listed`,
  reset: () => 'The venue is reset to its beginning',
  saveSnapshot: ({ name }) => `Snapshot ${name} is saved`,
  restoreSnapshot: ({ name }) => `Snapshot ${name} is restored`,
};

/** "SELL 1,252 BTC-PERP, limit 59,985.0". */
function placed(command: CommandFacts, markets: Markets): string {
  const { side, size, quote, kind, price, market } = command;
  const facts = markets[String(market)];
  const much =
    size === undefined
      ? `${market} for ${grouped(String(quote))} ${facts?.quote ?? 'quote'}`
      : `${grouped(String(size))} ${market}`;
  const at = price === undefined ? '' : ` ${priceIn(facts, price)}`;
  return `${side} ${much}, ${kind === 'oco' ? 'OCO' : kindWord(command as Readonly<Record<string, unknown>>)}${at}`;
}
