/**
 * The one paging of all lists of the control surface that can grow without bound: `?limit=` (100, at most 1,000) and
 * `?after=`, the `next` of the page before. A list has `next` where there is more.
 */
import type { Field } from '../../config/field.ts';
import { type ApiError, malformed, shortened } from '../shared/errors.ts';
import { refuseProblems } from './problems.ts';

const DEFAULT_LIMIT = 100;
const MOST = 1000;
/** The name of an account, a slash and a key. */
const LONGEST_CURSOR = 64 + 1 + 128;

export interface PageQuery {
  readonly limit: number;
  /** Null: the first page. */
  readonly after: string | null;
}

/** `others`: what the list takes too, which the caller has read. @throws {ApiError} malformed, also for other parameters */
export function readPage(query: Field, others: readonly string[] = []): PageQuery {
  query.object(['limit', 'after', ...others]);
  const limit = limitOf(query.at('limit'));
  const after = query.at('after').given ? query.at('after').text(LONGEST_CURSOR) : null;
  refuseProblems(query);
  return { limit, after };
}

/** For a list that has one page only. `others`: as above. @throws {ApiError} malformed, also for other parameters */
export function readLimit(query: Field, others: readonly string[] = []): number {
  query.object(['limit', ...others]);
  const limit = limitOf(query.at('limit'));
  refuseProblems(query);
  return limit;
}

/** `true` or `false`, absent: false. */
export function readFlag(field: Field): boolean {
  return field.oneOf(['true', 'false'], 'false') === 'true';
}

function limitOf(field: Field): number {
  if (!field.given) return DEFAULT_LIMIT;
  const limit = Number(field.matching(/^[1-9][0-9]{0,3}$/, `a number from 1 to ${MOST}`));
  if (limit > MOST) field.problem(`must be a number from 1 to ${MOST}, not ${limit}`);
  return limit;
}

/** Finds where a page continues. Null: it is the first one. @throws {ApiError} malformed: `find` does not know the cursor */
export function placeIn<Place>(after: string | null, find: (cursor: string) => Place | undefined): Place | null {
  const place = after === null ? null : find(after);
  if (place === undefined) throw unknownCursor(after ?? '');
  return place;
}

export function unknownCursor(after: string): ApiError {
  return malformed('after', `is ${shortened(after)}`, 'give the next of a page');
}

/** The rows of a page from a place on. `more`: there are others behind it. */
export function pageFrom<Row>(
  all: readonly Row[],
  first: number,
  limit: number,
): { rows: readonly Row[]; more: boolean } {
  return { rows: all.slice(first, first + limit), more: first + limit < all.length };
}
