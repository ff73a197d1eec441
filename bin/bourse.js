#!/usr/bin/env node
/**
 * The `bourse` command. In a clone it installs what is missing, and runs src/cli/main.ts. In the published package,
 * which has no src, it runs dist/cli/main.js. On an old Node it starts itself again on the clone's own.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { endWithParent, isNodeNewEnough, MIN_NODE_MAJOR, respawn } from './respawn.js';

endWithParent();
const source = new URL('../src/cli/main.ts', import.meta.url);
const inClone = existsSync(source);
// TypeScript is stripped and compiled once. In the package there is nothing to strip.
if (inClone) module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));

if (isNodeNewEnough(process.version) && (!inClone || existsSync(new URL('../node_modules', import.meta.url)))) {
  await import(inClone ? source.href : new URL('../dist/cli/main.js', import.meta.url).href);
} else if (inClone) {
  const { setUp } = await import('../scripts/setup.js');
  respawn(setUp(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
} else {
  process.stderr.write(`bourse needs Node ${MIN_NODE_MAJOR} or newer, but this is ${process.version}\n`);
  process.exit(1);
}
