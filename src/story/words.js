/**
 * What orders are called, why a TWAP pauses, and what moved money, in the sentences of stories, the tables of the terminal and the page. A browser
 * runs this file as it is, so it is JavaScript.
 */

/**
 * @typedef {{ kind?: unknown, rule?: unknown, role?: unknown, liquidation?: unknown }} OrderTraits
 *   `rule`: of its trigger. `role`: in a group, such as an OCO
 */

/** @type {Readonly<Record<string, string>>} */
const ROLES = { limit: 'limit leg', stop: 'stop leg', takeProfit: 'take-profit', stopLoss: 'stop-loss' };
/** @type {Readonly<Record<string, string>>} */
const KINDS = { limit: 'limit order', market: 'market order', trailing: 'trailing stop', peg: 'peg', twap: 'TWAP' };
/** @type {Readonly<Record<string, string>>} */
const RULES = { stop: 'stop', profit: 'take-profit', reach: 'trigger order' };

/** In a sentence: 'limit order', 'trailing stop', 'stop leg'. @param {OrderTraits} traits */
export function orderName({ kind, rule, role, liquidation }) {
  if (liquidation === 'forced') return 'forced liquidation order';
  if (liquidation === 'partial') return 'liquidation order';
  if (typeof role === 'string' && ROLES[role] !== undefined) return ROLES[role];
  if (kind === 'conditional') return RULES[String(rule)] ?? 'trigger order';
  return KINDS[String(kind)] ?? 'order';
}

/** In a column of kinds: 'limit', 'trailing stop', 'OCO, stop leg'. @param {OrderTraits} traits */
export function kindWord(traits) {
  const name = orderName(traits).replace(/ order$/, '');
  return name.endsWith(' leg') ? `OCO, ${name}` : name;
}

/** Of an order as the control surface has it. @param {any} order */
export const kindOf = ({ kind, trigger, details, liquidation }) =>
  kindWord({ kind, rule: trigger?.rule, role: details?.terms?.role, liquidation });

/** Why a TWAP skips its parts, where the figures that were compared are not known. @type {Readonly<Record<string, string>>} */
const PAUSES = {
  spread: 'the spread was wider than its maxSpread',
  price: 'last was beyond its pausePrice',
  funds: 'the account did not have enough money',
  activation: 'it waits for its activation price',
  halt: 'the market was halted',
  book: 'there was nothing in the book to trade with',
  ownOrder: 'only orders of the same account were within its price limit',
};

/** @param {unknown} pausedBy */
export const pauseWord = (pausedBy) => PAUSES[String(pausedBy)] ?? `the reason is ${String(pausedBy)}`;

/** @type {Readonly<Record<string, string>>} */
const MOVES = { insurance: 'insurance fund', autoDeleveraging: 'auto-deleveraging' };

/** What moved money: 'liquidationFee' of the ledger is 'liquidation fee'. @param {string} reason */
export const moveWord = (reason) => MOVES[reason] ?? inWords(reason);

/** 'insufficientFunds' is 'insufficient funds'. @param {string} name */
export const inWords = (name) =>
  name.replace(/([a-z0-9])([A-Z])/g, (_all, end, begin) => `${end} ${begin.toLowerCase()}`);

/**
 * With an escape, such as `\u202e`, for each character that shows nothing or moves what is beside it. Client ids and messages may have them.
 * @param {string} text
 */
export const visible = (text) =>
  text.replace(UNSEEN, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
/** Also the letters that fonts leave blank. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/gu;
