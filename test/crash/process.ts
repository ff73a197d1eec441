/**
 * Venues in separate processes for tests. After the tests, running ones are ended, and the scratch folder is removed.
 */
import { after } from 'node:test';
import { endAll } from './venue-process.ts';

export * from './venue-process.ts';

after(endAll);
