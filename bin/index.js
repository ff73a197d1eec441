/**
 * What `import … from 'bourse'` gets: the built code, or in a clone its sources. Loaded by hand, so that a Node that is too
 * old, and a package that was not built, are told in words and not by the first module that is missing.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNodeNewEnough, MIN_NODE_MAJOR } from './respawn.js';

if (!isNodeNewEnough(process.version)) {
  throw new Error(
    `bourse needs Node ${MIN_NODE_MAJOR} or newer, and this is ${process.version}. In a project of your own, ` +
      `\`npm i -D node@${MIN_NODE_MAJOR}\` brings it: then run your tests with \`npx node --test\``,
  );
}

const places = ['../src/index.ts', '../dist/index.js'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
const place = places.find((path) => existsSync(path));
if (place === undefined) {
  throw new Error('bourse is not built: run `npm pack` in its clone, and install the file that it makes');
}

/** @type {typeof import('../src/index.ts')} */
const bourse = createRequire(import.meta.url)(place);

export const { BourseClient, ConfigurationError, ControlClient, request, sign, startVenue, VenueError } = bourse;
