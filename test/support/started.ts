/** How tests start a venue of `start`: on free ports of this machine, without a word, and any bug fails the test. */
import assert from 'node:assert/strict';
import type { StartOptions } from '../../src/start.ts';

const fail = (error: unknown) => assert.fail(`a bug of the venue: ${error}`);

export const STARTED_BY_TEST = {
  host: '127.0.0.1',
  port: 0,
  controlHost: '127.0.0.1',
  controlPort: 0,
  demo: false,
  notice: () => {},
  onBug: fail,
  onFatal: fail,
} satisfies Partial<StartOptions>;
