/**
 * `node scripts/run.js [FILE ARGS…]` sets the clone up, then runs FILE on the Node that came with it. One command rather
 * than two in a row: a shell remembers where it found `node` and would run the second one on the old Node again. The
 * scripts of package.json that run for long say `exec node …`, so that npm passes a SIGTERM to us and not to a shell.
 */
import { respawn } from '../bin/respawn.js';
import { setUp } from './setup.js';

const node = setUp();
if (process.argv.length > 2) respawn(node, process.argv.slice(2));
