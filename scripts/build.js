/** Builds dist, the published JavaScript: Node does not strip types under node_modules. `npm pack` runs it first. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

// Files that are not TypeScript are used unchanged.
for (const path of readdirSync(source, { recursive: true, withFileTypes: true })) {
  if (path.isFile() && !path.name.endsWith('.ts')) {
    const from = join(path.parentPath, path.name);
    cpSync(from, join(dist, from.slice(source.length)));
  }
}

// The compiler turns `.ts` into `.js` in imports only; workers are started by URL.
const urlOfModule = /new URL\((['"])(\.{1,2}\/[^'"]+)\.ts\1, import\.meta\.url\)/g;
for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.js')) continue;
  const file = join(dist, path);
  const text = readFileSync(file, 'utf8');
  const rewritten = text.replace(urlOfModule, 'new URL($1$2.js$1, import.meta.url)');
  if (rewritten !== text) writeFileSync(file, rewritten);
}
