/** The option by which a test names the rules of docs/semantics.md that it shows; coverage.ts reads it. */
import type {} from 'node:test';

/** Section and place in docs/semantics.md: `5.3`. */
export type RuleId = `${number}.${number}`;

declare module 'node:test' {
  namespace test {
    interface TestOptions {
      rule?: RuleId | RuleId[];
    }
  }
}
