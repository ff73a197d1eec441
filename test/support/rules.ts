/** The option by which a test names the rules of docs/semantics.md that it shows. coverage.ts reads it. */
import type {} from 'node:test';

/** The id of a rule in docs/semantics.md, its section and number: `5.3`. */
export type RuleId = `${number}.${number}`;

declare module 'node:test' {
  namespace test {
    interface TestOptions {
      rule?: RuleId | RuleId[];
    }
  }
}
