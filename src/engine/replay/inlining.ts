/**
 * Lets V8 inline more of the venue. Its rules are many small functions over typed columns, which is how they are read.
 * By default V8 stops inlining into a function after 920 bytes of bytecode, so that most of a command's time is spent on
 * calls, and on checks that are repeated in each of them. Measured in bench/README.md. The budget belongs to the process.
 */
import { setFlagsFromString } from 'node:v8';

const BYTES = 6000;

setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${BYTES}`);
