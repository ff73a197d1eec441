/**
 * The rules of semantics.md, one short sentence each, and the tests that show them; a rule's number is its section and its
 * place there. docs/semantics-coverage.md is made from this list (coverage.ts).
 */
import { sections as answers } from './rules/answers.ts';
import { sections as matching } from './rules/matching.ts';
import { sections as pegTwap } from './rules/peg-twap.ts';
import { sections as positions } from './rules/positions.ts';
import { sections as prices } from './rules/prices.ts';
import { sections as triggers } from './rules/triggers.ts';

export interface Rule {
  readonly says: string;
  /** Titles, `suite › test` or the test alone, by file under test/semantics, or under test where a folder is named. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

export interface Section {
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** In the order of semantics.md. */
export const sections: readonly Section[] = [...answers, ...matching, ...triggers, ...pegTwap, ...positions, ...prices];
