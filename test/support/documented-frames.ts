/**
 * Checks frames of the streams against docs/asyncapi.json. The tests' client passes every frame through here. A field that is
 * missing, has another type, or is not documented fails the test.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Compile, type Validator } from 'typebox/schema';

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into freely
type Json = any;

const document: Json = JSON.parse(readFileSync(new URL('../../docs/asyncapi.json', import.meta.url), 'utf8'));
const validators = new Map<string, Validator>();

export function assertDocumentedFrame(path: string, frame: Json): void {
  const name = nameOf(path, frame);
  const message = document.components.messages[name];
  assert.ok(message !== undefined, `docs/asyncapi.json has no ${name}: ${JSON.stringify(frame)}`);
  let validator = validators.get(name);
  if (validator === undefined) {
    validator = Compile(closed(document.components.schemas[message.payload.$ref.split('/').pop()]));
    validators.set(name, validator);
  }
  if (validator.Check(frame)) return;
  const [, errors] = validator.Errors(frame);
  const found = errors.map(({ instancePath, message: text }) => `${instancePath} ${text}`).slice(0, 5);
  const cure = 'if it should be so, say it in src/api/streams/schemas.ts, then npm run docs:asyncapi';
  assert.fail(`${name} is not what docs/asyncapi.json says (${cure}):\n${found.join('\n')}\n${JSON.stringify(frame)}`);
}

function nameOf(path: string, frame: Json): string {
  if (frame === 'pong') return 'Pong';
  if (frame.topic !== undefined) return `${path.slice(1).replaceAll('/', '-')}.${frame.topic.split(':')[0]}`;
  if (frame.severity !== undefined) return 'Errors';
  return frame.event === 'login' ? 'LoggedIn' : 'Acknowledged';
}

/** The schema with objects that allow documented fields only. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return schema.type === 'object' ? { additionalProperties: false, ...members } : members;
}
