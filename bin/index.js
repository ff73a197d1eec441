/**
 * The entry point of `import … from 'bourse'`: the built code, or in a clone its sources. It loads them explicitly, so
 * that an old Node, or a package that was not built, gets a clear message and not an error about a missing module.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNodeNewEnough, MIN_NODE_MAJOR } from './respawn.js';

if (!isNodeNewEnough(process.version)) {
  throw new Error(
    `bourse needs Node ${MIN_NODE_MAJOR} or newer, but this is ${process.version}. In your project, ` +
      `\`npm i -D node@${MIN_NODE_MAJOR}\` installs it. Then run your tests with \`npx node --test\``,
  );
}

const places = ['../src/index.ts', '../dist/index.js'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
const place = places.find((path) => existsSync(path));
if (place === undefined) {
  throw new Error('bourse is not built: run `npm pack` in its clone, and install the resulting file');
}

/** @type {typeof import('../src/index.ts')} */
const bourse = createRequire(import.meta.url)(place);

export const { BourseClient, ConfigurationError, ControlClient, request, sign, startVenue, VenueError } = bourse;
