/** The entry point of `import … from 'bourse'`. */
import { load } from './load.js';

/** @type {typeof import('../src/index.ts')} */
const bourse = load('index');

export const { BourseClient, ConfigurationError, ControlClient, request, StreamError, sign, startVenue, VenueError } =
  bourse;
