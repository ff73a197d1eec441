/**
 * Faults below a venue's process: compiles `shim.c`, and arms its faults through a file that both sides map or write.
 *
 * A fault passes `skip` calls, hits the next `times` ones in its places, and counts its hits. A test that arms a fault
 * checks that it hit.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('./shim.c', import.meta.url));
const COMPILERS = ['cc', 'gcc', 'clang'];

/** In the order of the slots in shim.c. */
export const FAULT_KINDS = [
  'shortWrite',
  'writeFails',
  'noSpace',
  'syncFails',
  'slowSync',
  'noDescriptor',
  'renameFails',
  'clockStep',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** In the order of the bits in shim.c. `folder` is the data folder itself, `other` is anything else. */
export const PLACES = ['log', 'archive', 'snapshot', 'other', 'folder'] as const;
export type Place = (typeof PLACES)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly where: readonly Place[];
  /** Calls that pass first. */
  readonly skip?: number;
  /** Calls that are hit. Absent: all until the fault is disarmed. */
  readonly times?: number;
  /** For `slowSync` the delay, for `clockStep` the step of the wall clock. */
  readonly milliseconds?: number;
}

const WORD_BYTES = 8;
const SLOT_WORDS = 8;
/** The words of a slot. */
const SKIP = 0;
const LEFT = 1;
const WHERE = 2;
const ARGUMENT = 3;
const HITS = 4;
const UNTIL_DISARMED = 2 ** 40;
const NS_PER_MS = 1_000_000;

/** The compiled shim, or why there is none. */
export type Built = { readonly library: string } | { readonly missing: string };

/** Compiles the shim into `folder`. Throws if there is a compiler and it fails. */
export function buildShim(folder: string): Built {
  if (process.platform !== 'linux') return { missing: `the shim is made for Linux, this is ${process.platform}` };
  const library = join(folder, 'shim.so');
  for (const compiler of COMPILERS) {
    const args = ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-o', library, SOURCE, '-ldl'];
    const { error, status, stderr } = spawnSync(compiler, args, { encoding: 'utf8' });
    if (error !== undefined) continue;
    if (status !== 0 || stderr !== '') throw new Error(`${compiler} cannot compile ${SOURCE}:\n${stderr}`);
    return { library };
  }
  return { missing: `no C compiler here (${COMPILERS.join(', ')}): the faults below the process are not tried` };
}

/** The faults of the processes that are started with `environment`. */
export class Shim {
  readonly environment: Readonly<Record<string, string>>;
  readonly #control: number;

  /** `data`: the data folder whose files are hit. */
  constructor(library: string, control: string, data: string) {
    this.#control = fs.openSync(control, 'w+');
    fs.writeSync(this.#control, Buffer.alloc(FAULT_KINDS.length * SLOT_WORDS * WORD_BYTES));
    this.environment = { LD_PRELOAD: library, BOURSE_SHIM_CONTROL: control, BOURSE_SHIM_FOLDER: data };
  }

  /** From now on the fault hits, and its hits count from 0. */
  arm({ kind, where, skip = 0, times = UNTIL_DISARMED, milliseconds = 0 }: Fault): void {
    this.#set(kind, LEFT, 0);
    this.#set(kind, SKIP, skip);
    this.#set(
      kind,
      WHERE,
      where.reduce((bits, place) => bits | (1 << PLACES.indexOf(place)), 0),
    );
    this.#set(kind, ARGUMENT, kind === 'clockStep' ? milliseconds * NS_PER_MS : milliseconds);
    this.#set(kind, HITS, 0);
    this.#set(kind, LEFT, times);
  }

  disarm(kind: FaultKind): void {
    this.#set(kind, LEFT, 0);
  }

  disarmAll(): void {
    for (const kind of FAULT_KINDS) this.disarm(kind);
  }

  hits(kind: FaultKind): number {
    const word = Buffer.alloc(WORD_BYTES);
    fs.readSync(this.#control, word, 0, WORD_BYTES, offsetOf(kind, HITS));
    return Number(word.readBigInt64LE());
  }

  close(): void {
    fs.closeSync(this.#control);
  }

  #set(kind: FaultKind, word: number, value: number): void {
    const bytes = Buffer.alloc(WORD_BYTES);
    bytes.writeBigInt64LE(BigInt(value));
    fs.writeSync(this.#control, bytes, 0, WORD_BYTES, offsetOf(kind, word));
  }
}

function offsetOf(kind: FaultKind, word: number): number {
  return (FAULT_KINDS.indexOf(kind) * SLOT_WORDS + word) * WORD_BYTES;
}
