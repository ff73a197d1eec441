/**
 * `node scripts/run.js [FILE ARGS…]` sets the clone up, then runs FILE on the Node that came with it. It is one command
 * instead of two in a row, because a shell remembers where it found `node` and would run the second one on the old
 * Node. Long-running scripts of package.json say `exec node …`, so that npm passes a SIGTERM to us and not to a shell.
 */
import { fileURLToPath } from 'node:url';
import { respawn } from '../bin/respawn.js';
import { setUp } from './setup.js';

const node = setUp();
// What the script starts, and what that starts, strips and compiles TypeScript once. bin/bourse.js keeps it there, too.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
if (process.argv.length > 2) respawn(node, process.argv.slice(2));
