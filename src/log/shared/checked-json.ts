/** JSON documents that carry a checksum, so that a changed or truncated one is found. */
import { hash } from 'node:crypto';
import { type LogDamaged, LogUnsupported } from '../contract/command-log.ts';

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

export interface DocumentKind {
  /** What errors call it. */
  readonly place: string;
  /** The only format that this version knows. */
  readonly format: number;
  /** The error of a document that is not as it was written. */
  damaged(reason: string, cause?: unknown): LogDamaged;
}

/** The content of a document with a field `format`, without it. @throws {LogDamaged} @throws {LogUnsupported} */
export function readDocument(
  text: string,
  { place, format: known, damaged }: DocumentKind,
): { readonly [name: string]: unknown } {
  let content: ReturnType<typeof fromCheckedJson>;
  try {
    content = fromCheckedJson(text);
  } catch (cause) {
    throw damaged('it is not JSON', cause);
  }
  if (content === undefined) throw damaged('it does not match its checksum');
  const { format, ...rest } = content;
  if (format !== known) throw new LogUnsupported(place, `format ${format}, this version knows ${known}`);
  return rest;
}
