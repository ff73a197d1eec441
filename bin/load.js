/**
 * Loads a module of the package: the built code, or in a clone its sources. It does so explicitly, so that an old Node,
 * or a package that was not built, gets a clear message and not an error about a missing module.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNodeNewEnough, MIN_NODE_MAJOR } from './respawn.js';

/**
 * @param {string} name in src or dist, without the ending: 'client/index'
 * @returns {any}
 */
export function load(name) {
  if (!isNodeNewEnough(process.version)) {
    throw new Error(
      `bourse needs Node ${MIN_NODE_MAJOR} or newer, but this is ${process.version}. Run the file with \`npx node FILE\`, ` +
        `and tests with \`npx node --test\`. In a project other than bourse, \`npm i -D node@${MIN_NODE_MAJOR}\` first`,
    );
  }
  const places = [`../src/${name}.ts`, `../dist/${name}.js`];
  const place = places.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
  if (place === undefined) {
    throw new Error('bourse is not built: run `npm pack` in its clone, and install the resulting file');
  }
  return createRequire(import.meta.url)(place);
}
