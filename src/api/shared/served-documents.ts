/**
 * The documents of the interface for programs, `/openapi.json` and `/asyncapi.json`. Both listeners serve them to anyone,
 * because they hold nothing of the venue. Each is read once, with its first request.
 */
import { readFileSync } from 'node:fs';

export const DOCUMENT_PATHS: readonly string[] = ['/openapi.json', '/asyncapi.json'];

const bodies = new Map<string, Buffer>();

/** The document at a path, as JSON. Undefined: there is none, or its file cannot be read. */
export function servedDocument(path: string): Buffer | undefined {
  if (!DOCUMENT_PATHS.includes(path)) return undefined;
  const known = bodies.get(path);
  if (known !== undefined) return known;
  try {
    const body = readFileSync(new URL(`../../../docs${path}`, import.meta.url));
    bodies.set(path, body);
    return body;
  } catch {
    return undefined;
  }
}
