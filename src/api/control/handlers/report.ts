/** What came of the venue, account by account: for programs, and as a page for people. */
import type { Field } from '../../../config/field.ts';
import { ApiError } from '../../shared/errors.ts';
import { type ControlContext, find, Html } from '../context.ts';
import { refuseProblems } from '../problems.ts';

export async function showReport(context: ControlContext, query: Field): Promise<object> {
  return (await reportFor(context, query)).report;
}

export async function showReportPage(context: ControlContext, query: Field): Promise<Html> {
  return new Html((await reportFor(context, query)).page());
}

async function reportFor(context: ControlContext, query: Field): ReturnType<ControlContext['report']> {
  query.object(['account']);
  const { given } = query.at('account');
  const account = given ? query.at('account').text(64) : undefined;
  refuseProblems(query);
  if (account !== undefined) find(context, account);
  try {
    return await context.report(account);
  } catch (error) {
    throw new ApiError('notAvailable', { what: `there is no report: ${(error as Error).message}` });
  }
}
