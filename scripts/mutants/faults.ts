/**
 * The small faults that can be planted in a source text. Each changes one place, as a typing or thinking mistake would.
 * They are found in the text as the formatter leaves it: a binary operator has a space on either side, a type argument
 * has none.
 *
 * Invariant: a fault is in code, never in a comment, a string, a type or an import. Whether it compiles is not known
 * here.
 */
import { seeded } from '../../test/sim/seeded.ts';

export interface Fault {
  readonly file: string;
  /** Its kind: a comparison, a dropped statement, … */
  readonly kind: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The line before and after. Together with the file they name the fault, wherever the line has moved to. */
  readonly from: string;
  readonly to: string;
}

const SPACED: readonly [kind: string, from: string, to: string][] = [
  ['comparison', '<', '<='],
  ['comparison', '<=', '<'],
  ['comparison', '>', '>='],
  ['comparison', '>=', '>'],
  ['equality', '===', '!=='],
  ['equality', '!==', '==='],
  ['logic', '&&', '||'],
  ['logic', '||', '&&'],
  ['arithmetic', '+', '-'],
  ['arithmetic', '-', '+'],
  ['arithmetic', '*', '+'],
  ['arithmetic', '/', '*'],
  ['arithmetic', '+=', '-='],
  ['arithmetic', '-=', '+='],
];

const WORDS: readonly [kind: string, from: string, to: string][] = [
  ['rounding', 'ceilDiv', 'floorDiv'],
  ['rounding', 'floorDiv', 'ceilDiv'],
  ['rounding', 'mulDivCeil', 'mulDivFloor'],
  ['rounding', 'mulDivFloor', 'mulDivCeil'],
  ['rounding', 'Math.ceil', 'Math.floor'],
  ['rounding', 'Math.floor', 'Math.ceil'],
  ['bound', 'Math.min', 'Math.max'],
  ['bound', 'Math.max', 'Math.min'],
  ['side', 'BUY', 'SELL'],
  ['side', 'SELL', 'BUY'],
  ['flag', 'true', 'false'],
  ['flag', 'false', 'true'],
];

/** Values that could be confused with each other. */
const TEXTS: readonly [from: string, to: string][] = [
  ["'GTC'", "'IOC'"],
  ["'IOC'", "'GTC'"],
  ["'stop'", "'profit'"],
  ["'profit'", "'stop'"],
  ["'last'", "'mark'"],
  ["'mark'", "'index'"],
  ["'index'", "'last'"],
  ["'cancelled'", "'rejected'"],
  ["'takeProfit'", "'stopLoss'"],
  ["'stopLoss'", "'takeProfit'"],
];

/** A call or an assignment that is a whole statement on one line. */
const STATEMENT =
  /^( +)(?!return\b|const\b|let\b|throw\b|super\b|break\b|continue\b|type\b)[\w.#!?[\]]+(?:\(.*\)| [+-]?= .*|\+\+|--);$/;
const GUARD = /^( +)if \((.*)\) (?:return|continue|break|throw)\b.*;$/;
const CHECK = /^ +[\w.]+\(.*\) \?\?$/;
const DEFAULTED = /^ +\w+: (\S.* \?\? )[^,]+,$/;
const NEGATED = /(?<=[(\s])!(?=[\w(])/g;
const TYPE = /^(?:export )?(?:interface|type) /;
/**
 * Blank lines, imports, members of a class that are types, and assertions, which report bugs and carry no behaviour.
 */
const NO_CODE = /^\s*(?:$|import\b|export [*{]|\} from |readonly \w+\??:)|throw new (?:Range)?Error\(/;

export function faultsIn(file: string, source: string): Fault[] {
  const code = codeOf(source);
  const faults: Fault[] = [];
  let start = 0;
  let type: RegExp | null = null; // inside a type: what its last line looks like
  source.split('\n').forEach((text, i) => {
    const at = start;
    start += text.length + 1;
    if (type === null && TYPE.test(text)) type = text.endsWith('{') ? /^\}/ : /;$/;
    const skip = type !== null || NO_CODE.test(text);
    if (type?.test(text)) type = null;
    if (skip) return;
    const add = (kind: string, from: number, to: number, replacement: string): void => {
      // The replaced text must begin in code.
      if (!code[at + from]) return;
      const changed = text.slice(0, from) + replacement + text.slice(to);
      if (changed === text) return;
      const place = { file, line: i + 1, start: at + from, end: at + to };
      faults.push({ ...place, kind, replacement, from: text.trim(), to: changed.trim() });
    };
    for (const [kind, from, to] of SPACED) {
      for (let p = text.indexOf(` ${from} `); p >= 0; p = text.indexOf(` ${from} `, p + 1)) {
        add(kind, p + 1, p + 1 + from.length, to);
      }
    }
    for (const [kind, from, to] of WORDS) {
      for (const match of text.matchAll(new RegExp(`(?<![\\w.'])${from.replace('.', '\\.')}(?![\\w'])`, 'g'))) {
        add(kind, match.index, match.index + from.length, to);
      }
    }
    for (const [from, to] of TEXTS) {
      for (let p = text.indexOf(from); p >= 0; p = text.indexOf(from, p + 1)) add('text', p, p + from.length, to);
    }
    for (const match of text.matchAll(NEGATED)) add('negation', match.index, match.index + 1, '');
    const statement = STATEMENT.exec(text);
    if (statement !== null) add('dropped statement', statement[1].length, text.length, ';');
    const guard = GUARD.exec(text);
    if (guard !== null) {
      const condition = guard[1].length + 'if ('.length;
      add('dropped guard', condition, condition + guard[2].length, 'false');
    }
    if (CHECK.test(text)) add('dropped check', text.search(/\S/), text.length, '');
    const defaulted = DEFAULTED.exec(text);
    if (defaulted !== null) {
      const value = text.indexOf(defaulted[1]);
      add('dropped value', value, value + defaulted[1].length, '');
    }
  });
  return faults;
}

/** 1 where a character is code or opens a string, 0 inside comments, strings and templates. */
function codeOf(source: string): Uint8Array {
  const code = new Uint8Array(source.length).fill(1);
  const pattern =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[gimsuvy]*/g;
  for (const match of source.matchAll(pattern)) {
    const opens = match[0].startsWith("'") ? 1 : 0;
    code.fill(0, match.index + opens, match.index + match[0].length);
  }
  return code;
}

/** Names faults by file and text. A number distinguishes equal lines in one file. */
export function named(faults: readonly Fault[]): Map<string, Fault> {
  const found = new Map<string, Fault>();
  for (const fault of faults) {
    const name = `${fault.file}: ${fault.from} → ${fault.to}`;
    let n = 1;
    while (found.has(n === 1 ? name : `${name} (${n})`)) n++;
    found.set(n === 1 ? name : `${name} (${n})`, fault);
  }
  return found;
}

/** All names in an order that depends on the seed, with the kinds in turn: the first n are a mixed sample of n. */
export function shuffled(faults: ReadonlyMap<string, Fault>, seed: number): string[] {
  const random = seeded(seed);
  const kinds = new Map<string, string[]>();
  for (const [name, { kind }] of faults) kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
  const queues = [...kinds.values()];
  for (const queue of queues) {
    for (let i = queue.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [queue[i], queue[j]] = [queue[j], queue[i]];
    }
  }
  const order: string[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) order.push(...queue.splice(0, 1));
  }
  return order;
}
