/**
 * Checks replies against docs/openapi.json. The tests' clients pass every reply of the trading surfaces, and of the
 * control surface, through here. A field that is missing, has another type, or is not documented fails the test.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Compile, type Validator } from 'typebox/schema';

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into freely
type Json = any;

const document: Json = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const validators = new Map<string, Validator>();

/** Routes whose 200 was seen with content: `GET /spot/api/v3.3/time`. */
export const filledReplies = new Set<string>();

/** Asserts that a reply matches the document of its route and status. A path without a route has no document. */
export function assertDocumented(method: string, path: string, status: number, body: unknown): void {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) return;
  const response = operation.responses[status] ?? operation.responses.default;
  const key = `${method} ${path} ${status}`;
  let validator = validators.get(key);
  if (validator === undefined) {
    validator = Compile(closed(response.content['application/json'].schema));
    validators.set(key, validator);
  }
  if (validator.Check(body)) {
    if (status === 200 && Object.keys(body as object).length > 0) filledReplies.add(`${method} ${path}`);
    return;
  }
  const [, errors] = validator.Errors(body);
  const found = errors.map(({ instancePath, message }) => `${instancePath} ${message}`).slice(0, 5);
  const cure = 'if it should be so, say it in the replies.ts of its surface, then npm run docs:openapi';
  assert.fail(`${key} is not what docs/openapi.json says (${cure}):\n${found.join('\n')}\n${JSON.stringify(body)}`);
}

/** The same for a target of the control surface: `/control/v1/accounts/alice?…`. */
export function assertControlDocumented(method: string, target: string, status: number, body: unknown): void {
  const segments = target.split('?')[0].split('/');
  const fits = (pattern: string) => {
    const wanted = pattern.split('/');
    return wanted.length === segments.length && wanted.every((part, i) => part.startsWith('{') || part === segments[i]);
  };
  // `/log/summary` is more exact than `/log/{seq}`.
  const names = (pattern: string) => pattern.split('{').length;
  const [path] = CONTROL_PATHS.filter(fits).sort((a, b) => names(a) - names(b));
  if (path !== undefined && typeof body === 'object') assertDocumented(method, path, status, body);
}

const CONTROL_PATHS: readonly string[] = Object.keys(document.paths).filter((path) => path.startsWith('/control/'));

/** The schema with its references resolved, and with objects that allow documented fields only. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  if (schema.$ref !== undefined) return closed(document.components.schemas[schema.$ref.split('/').pop()]);
  const members = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return schema.type === 'object' ? { additionalProperties: false, ...members } : members;
}
