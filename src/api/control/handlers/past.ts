/** The past of the venue: the state at any seq, what a command set off, and the log from afar. */
import type { Field } from '../../../config/field.ts';
import { malformed, shortened } from '../../shared/errors.ts';
import { type ControlCall, find } from '../context.ts';
import { type Asker, type LogSummary, missingFor, SHOWN } from '../past.ts';
import { refuseProblems } from '../problems.ts';

const SEQ = /^[1-9][0-9]{0,14}$/;
const A_SEQ = 'a sequence number, a whole number from 1 on';
const LIMIT = /^[1-9][0-9]{0,3}$/;
const MOST = 1000;
const LEVELS = 50;
const COMMANDS = 20;
const MOST_COMMANDS = 100;
const BUCKETS = 120;

export async function showPast(call: ControlCall, query: Field, given: string): Promise<object> {
  query.object(['show', 'account', 'symbol', 'limit', 'client']);
  const show = query.at('show').given ? query.at('show').oneOf(SHOWN) : null;
  const [account, symbol] = [textOf(query, 'account'), textOf(query, 'symbol')];
  const limit = countOf(query, 'limit', show === 'book' ? LEVELS : MOST);
  const asker = askerOf(call, query);
  // Of a part that does not exist, nothing is missing.
  const missing = query.problems.length > 0 ? null : missingFor({ show, account, symbol });
  if (missing !== null) query.at(missing).problem(`is missing: show=${show} needs it`);
  refuseProblems(query);
  return call.past.at({ seq: seqOf(given), show, account, symbol, limit }, asker);
}

export async function showCommand(call: ControlCall, query: Field, given: string): Promise<object> {
  query.object(['limit', 'after', 'client']);
  const limit = countOf(query, 'limit', MOST);
  const after = query.at('after');
  const first = after.given ? Number(after.matching(/^[0-9]{1,9}$/, 'the next of a page')) : 0;
  const asker = askerOf(call, query);
  refuseProblems(query);
  return call.past.command({ seq: seqOf(given), first, limit }, asker);
}

/** Consecutive commands, each in a sentence. */
export async function listCommands(call: ControlCall, query: Field): Promise<object> {
  query.object(['from', 'limit', 'client']);
  const from = Number(query.at('from').matching(SEQ, A_SEQ));
  const limit = countOf(query, 'limit', COMMANDS, MOST_COMMANDS);
  const asker = askerOf(call, query);
  refuseProblems(query);
  return call.past.commands({ from, limit }, asker);
}

export async function summariseLog(call: ControlCall, query: Field): Promise<object> {
  query.object(['from', 'to', 'buckets', 'account', 'client']);
  const [from, to] = [query.at('from'), query.at('to')].map((field) =>
    field.given ? Number(field.matching(SEQ, A_SEQ)) : null,
  );
  const buckets = countOf(query, 'buckets', BUCKETS);
  const account = textOf(query, 'account');
  const asker = askerOf(call, query);
  if (from !== null && to !== null && from > to) query.at('from').problem(`is ${from}, after to, which is ${to}`);
  refuseProblems(query);
  const summary = await call.past.summary({ from, to, buckets, account }, asker);
  // An account that a reset has removed is known by its trades, or may have been in a branch that was left.
  const mayHaveBeen = summary.left.length > 0 || summary.marks.some(({ kind }) => kind === 'fill');
  if (account !== null && !mayHaveBeen) find(call, account);
  const marks = [...summary.marks, ...faultMarks(call, summary)];
  return { ...summary, marks: marks.sort((a, b) => a.seq - b.seq) };
}

/** The last hit of each fault. Faults are not in the log: the time is that of the bucket. */
function faultMarks({ faults }: ControlCall, { buckets }: LogSummary): LogSummary['marks'] {
  return faults.states.flatMap(({ lastHitSeq: seq, hits: count }) => {
    const bucket = buckets.find(({ from, to }) => seq !== null && seq >= from && seq <= to);
    return bucket === undefined || seq === null ? [] : [{ kind: 'fault', seq, time: bucket.time, count }];
  });
}

function seqOf(given: string): number {
  if (SEQ.test(given)) return Number(given);
  throw malformed('seq', `is ${shortened(given)}`, `give ${A_SEQ}`);
}

function textOf(query: Field, name: string): string | null {
  return query.at(name).given ? query.at(name).text() : null;
}

function countOf(query: Field, name: string, usual: number, most = MOST): number {
  const field = query.at(name);
  if (!field.given) return usual;
  const count = Number(field.matching(LIMIT, `a number from 1 to ${most}`));
  if (count > most) field.problem(`must be a number from 1 to ${most}, not ${count}`);
  return count;
}

/** Several clients with one token, such as two tabs of a page, name themselves. */
function askerOf({ caller, gone }: ControlCall, query: Field): Asker {
  return { client: JSON.stringify([caller, textOf(query, 'client')]), gone };
}
