/** Accounts and their money. */
import { readAccountName, readAmount } from '../../../config/config.ts';
import type { Field } from '../../../config/field.ts';
import { toUnits } from '../../../venue/contract/decimal.ts';
import { ApiError } from '../../shared/errors.ts';
import { decimalOf } from '../../shared/tick-conversion.ts';
import { type ControlContext, find, nameOf, submit } from '../context.ts';
import { leftMember, readTo } from '../moment.ts';
import { placeIn, readFlag, readPage, unknownCursor } from '../paging.ts';
import { refuseProblems } from '../problems.ts';
import { accountView, balancesView } from '../views.ts';

export async function createAccount(context: ControlContext, body: Field): Promise<object> {
  const name = readAccountName(body.object(['name']).at('name'));
  refuseProblems(body);
  await submit(context, { v: 1, type: 'createAccount', name });
  return { account: name };
}

export async function showAccount(context: ControlContext, _body: Field, name: string): Promise<object> {
  return accountView(context.venue, find(context, name).index);
}

const ENTRY_ID = /^([0-9]{1,15})\.([0-9])$/;

/**
 * In pages, oldest first: the id of the last entry continues later, when there are new ones. Or the newest entries, newest
 * first. `to`: up to that seq.
 */
export async function showLedger(context: ControlContext, query: Field, name: string): Promise<object> {
  const { limit, after } = readPage(query, ['newest', 'to']);
  const newest = readFlag(query.at('newest'));
  const to = readTo(context, query);
  if (newest && after !== null) query.at('after').problem('goes with the oldest entries first: leave newest out');
  refuseProblems(query);
  const [id, n, part] = ENTRY_ID.exec(after ?? '') ?? [];
  if (after !== null && id === undefined) throw unknownCursor(after);
  const left = await leftMember(context, to, name);
  const from = after === null ? null : { n: Number(n), part: Number(part) };
  const { entries, more } = await context.ledger({ account: name, after: from, limit, newest, toSeq: to });
  const { knownFromSeq } = context;
  return {
    ...left,
    entries,
    ...(more && !newest && { next: entries[entries.length - 1].id }),
    ...(knownFromSeq > 1 && { knownFromSeq }),
  };
}

/** In the order in which they were added. New accounts follow the name of the last one. */
export async function listAccounts({ venue, accountList }: ControlContext, query: Field): Promise<object> {
  const { limit, after } = readPage(query);
  const last = placeIn(after, (name) => venue.accountByName(name)?.index);
  const { rows, more } = accountList.accountsAfter(last, limit);
  const accounts = rows.map((index) => ({
    account: nameOf(venue, index),
    keys: accountList.keyCount(index),
    frozen: venue.accountTerms(index).frozen,
  }));
  return { accounts, ...(more && { next: accounts[accounts.length - 1].account }) };
}

export async function deposit(context: ControlContext, body: Field, name: string): Promise<object> {
  body.object(['currency', 'amount']);
  const code = body.at('currency').text(16);
  const amount = body.at('amount').decimal();
  if (body.problems.length === 0 && amount === '0') body.at('amount').problem('must not be 0');
  refuseProblems(body);
  const account = find(context, name).index;
  const currency = context.venue.currencies.find((each) => each.code === code);
  if (currency === undefined) throw new ApiError('unknownCurrency', { field: 'currency', currency: code });
  readAmount(body.at('amount'), currency.decimals, {});
  refuseProblems(body);
  // readAmount has checked that the amount has no more decimals than its currency.
  const units = toUnits(decimalOf(amount), currency.decimals)!;
  await submit(context, { v: 1, type: 'deposit', account, currency: code, amount: units.toString() });
  return { balances: balancesView(context.venue, account) };
}
