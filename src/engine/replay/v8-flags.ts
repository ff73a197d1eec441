/**
 * Settings of V8 for the whole process. Their effects are in bench/README.md.
 *
 * - More of the venue is inlined. Its rules are many small functions over typed columns, which is how they are read. By
 *   default V8 stops inlining into a function after 920 bytes of bytecode, so that most of a command's time is spent on
 *   calls, and on checks that are repeated in each of them.
 * - One thread collects young objects. Little of them survives, so there is little work to share, and the other core is
 *   left to the archive.
 */
import { setFlagsFromString } from 'node:v8';

const INLINED_BYTES = 6000;

setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`);
setFlagsFromString('--no-parallel-scavenge');
