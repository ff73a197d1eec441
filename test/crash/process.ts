/** A venue in a process of its own, for tests: what still runs after them is ended, and the scratch folder removed. */
import { after } from 'node:test';
import { endAll } from './venue-process.ts';

export * from './venue-process.ts';

after(endAll);
