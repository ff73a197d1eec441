/**
 * Loaded before every test file: a file whose tests are over but whose process stays alive (an open server, a timer, a
 * child left running) fails and says what is open, instead of holding up the whole run. A thread of a test loads this file,
 * too; it has no tests, and with a hook of its own it would be reported as a test file.
 */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

const GRACE_MS = 10_000;

if (isMainThread) {
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`still running ${GRACE_MS / 1000} s after its last test; open: ${open}\n`);
      process.exit(1);
    }, GRACE_MS).unref();
  });
}
