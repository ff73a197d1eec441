/** JSON documents that carry a checksum, so that a changed or truncated one is found. */
import { hash } from 'node:crypto';

/** The text of a document. `content` has no field `sha256`. */
export function toCheckedJson(content: object): string {
  const sha256 = hash('sha256', JSON.stringify(content), 'hex');
  return `${JSON.stringify({ ...content, sha256 }, null, 2)}\n`;
}

/** The content of a document. Undefined: the text is not as it was written. @throws {SyntaxError} it is not JSON */
export function fromCheckedJson(text: string): { readonly [name: string]: unknown } | undefined {
  const parsed = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { sha256: _, ...content } = parsed;
  return toCheckedJson(content) === text ? content : undefined;
}
