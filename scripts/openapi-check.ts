/**
 * `npm run docs:openapi:check` tests docs/openapi.json with the tools that its readers use: the Redocly linter, then
 * openapi-typescript, whose types a strict TypeScript compiles, without replies of unknown type. Both tools are
 * installed into a temporary folder, with another TypeScript, because openapi-typescript does not run with ours. It
 * needs the npm registry and half a minute, so it is not part of `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOOLS = { '@redocly/cli': '2.77.0', 'openapi-typescript': '7.13.0', typescript: '5.9.3' };

const RULES = 'extends: [recommended-strict]\n';

/** The linter is wrong about this: a `type` that only a PEG may omit does distinguish a PEG. */
const IGNORED = `openapi.json:
  no-illogical-composition-keywords:
${['v3.3', 'v3.2', 'v3.1']
  .map((v) => `    - '#/paths/~1spot~1api~1${v}~1order~1peg/post/requestBody/content/application~1json/schema/oneOf'`)
  .join('\n')}
`;

/** Compiles only if no route has a reply of an unknown type. */
const READER = `import type { paths } from './types.js';

type Reply<O> = O extends { responses: { 200: { content: { 'application/json': infer R } } } } ? R : never;
type Unknown<O> = [O] extends [undefined] ? never : unknown extends Reply<NonNullable<O>> ? true : never;
type UnknownReplies = { [P in keyof paths]: { [M in keyof paths[P]]-?: Unknown<paths[P][M]> }[keyof paths[P]] }[keyof paths];

type Rows = Reply<paths['/spot/api/v4/trade/orders']['get']>;
export const none: [UnknownReplies] extends [never] ? 'none' : 'some' = 'none';
export const state = (rows: Rows): 'base' | 'quote' | undefined => rows[0]?.orderCurrency;
// @ts-expect-error: a field that the document does not know
export const other = (rows: Rows) => rows[0]?.nonsense;
`;

const document = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bourse-openapi-'));
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: TOOLS }));
  copyFileSync(document, join(folder, 'openapi.json'));
  writeFileSync(join(folder, 'redocly.yaml'), RULES);
  writeFileSync(join(folder, '.redocly.lint-ignore.yaml'), IGNORED);
  writeFileSync(join(folder, 'reader.ts'), READER);
  const { npm_execpath: npm } = process.env;
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  step('install the tools', npm === undefined ? ['npm', ...install] : [process.execPath, npm, ...install]);
  const tool = (path: string, ...args: string[]) => [process.execPath, join(folder, 'node_modules', path), ...args];
  step('Redocly', tool('@redocly/cli/bin/cli.js', 'lint', 'openapi.json', '--max-problems', '50'));
  step('openapi-typescript', tool('openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'types.d.ts'));
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', 'types.d.ts', 'reader.ts'];
  step('TypeScript', tool('typescript/bin/tsc', ...strict));
  console.log('docs/openapi.json: all passed');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs one tool in the folder, with its output shown. Throws if it fails. */
function step(name: string, [program, ...args]: string[]): void {
  console.log(`== ${name}`);
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, error } = spawnSync(program, args, { cwd: folder, stdio: 'inherit', env });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${name} failed with status ${status}`);
}
