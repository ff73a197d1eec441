/** The entry point of `import … from 'bourse/client'`. */
import { load } from './load.js';

/** @type {typeof import('../src/client/index.ts')} */
const client = load('client/index');

export const { BourseClient, ControlClient, request, StreamError, sign, VenueError } = client;
