/**
 * Loaded before every test file. If the tests of a file are over but its process stays alive (an open server, a timer,
 * a running child), the file fails and says what is open, instead of holding up the whole run. A thread of a test loads
 * this file too. It has no tests, and with its own hook it would be reported as a test file.
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
