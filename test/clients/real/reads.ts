/**
 * Which fields of the venue's answers a client reads, and which of those are in no answer. Programs note reads as lines of JSON in
 * the file BOURSE_READS: python/reads.py, go/reads.go, and reads-preload.ts for scripts for Node.
 *
 * A field is absent if no answer of that route, or frame of that topic, had it when that function read it.
 */
import { appendFileSync } from 'node:fs';

/** A read of a field. */
export interface Read {
  /** The route (`GET /spot/api/v3.2/order`), `topic NAME` or `event NAME`. */
  readonly at: string;
  /** The function of the client, or the type that it decodes into. */
  readonly by: string;
  /** The line of the client's source, 0 if it is not known. */
  readonly line: number;
  readonly field: string;
  readonly there: boolean;
}

export type AbsentField = Pick<Read, 'at' | 'by' | 'field'>;

export class Reads {
  readonly #reads = new Map<string, Map<string, boolean>>();

  /** From the lines of a file. */
  static from(text: string): Reads {
    const reads = new Reads();
    for (const line of text.split('\n')) if (line !== '') reads.add(JSON.parse(line));
    return reads;
  }

  add({ at, by, line, field, there }: Read): void {
    const reader = JSON.stringify([at, by, line]);
    const fields = this.#reads.get(reader) ?? new Map();
    fields.set(field, there || fields.get(field) === true);
    this.#reads.set(reader, fields);
  }

  /** How many fields were read: by function and route, each once. */
  get count(): number {
    return this.#each().size;
  }

  /**
   * The fields that are in no answer. With `linesAreAlternatives` the fields that one line reads are names of one field, of which one
   * is enough; without any of them they are one, with `/` between them.
   */
  absent(linesAreAlternatives = false): AbsentField[] {
    const absent = new Map<string, AbsentField>();
    if (linesAreAlternatives) {
      for (const [reader, fields] of this.#reads) {
        if ([...fields.values()].includes(true)) continue;
        const [at, by] = JSON.parse(reader);
        const field = [...fields.keys()].join('/');
        absent.set(JSON.stringify([at, by, field]), { at, by, field });
      }
    } else {
      for (const [read, there] of this.#each()) {
        const [at, by, field] = JSON.parse(read);
        if (!there) absent.set(read, { at, by, field });
      }
    }
    return [...absent.keys()].sort().map((key) => absent.get(key) as AbsentField);
  }

  #each(): Map<string, boolean> {
    const each = new Map<string, boolean>();
    for (const [reader, fields] of this.#reads) {
      const [at, by] = JSON.parse(reader);
      for (const [field, there] of fields) {
        const read = JSON.stringify([at, by, field]);
        each.set(read, there || each.get(read) === true);
      }
    }
    return each;
  }
}

/** A function that writes each different read once into a file. */
export function writer(file: string): (read: Read) => void {
  const written = new Set<string>();
  return (read) => {
    const line = JSON.stringify(read);
    if (written.has(line)) return;
    written.add(line);
    appendFileSync(file, `${line}\n`);
  };
}

/** What code asks of any object, which is no field. */
const NO_FIELDS = new Set([
  'constructor',
  'toJSON',
  'then',
  'length',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'splice',
]);
const FRAME = /^\s*at (?:async )?(?:new )?(?:(.*?) (?:\[as .*\] )?\()?(?:file:\/\/)?(.*):(\d+):\d+\)?$/;

/** The answer, whose objects note what code in these files reads. `files`: parts of paths that only the client's have. */
export function noting<Answer>(
  answer: Answer,
  at: string,
  files: readonly string[],
  note: (read: Read) => void,
): Answer {
  if (typeof answer !== 'object' || answer === null) return answer;
  const members = answer as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) members[name] = noting(member, at, files, note);
  if (Array.isArray(answer)) return answer;
  const read = (field: string | symbol) => {
    if (typeof field === 'symbol' || NO_FIELDS.has(field)) return;
    const reader = readerIn(files);
    if (reader !== undefined) note({ at, ...reader, field, there: Object.hasOwn(answer, field) });
  };
  return new Proxy(answer, {
    get(target, field, receiver) {
      read(field);
      return Reflect.get(target, field, receiver);
    },
    has(target, field) {
      read(field);
      return Reflect.has(target, field);
    },
  });
}

/** Where a frame of a stream or an answer came from. */
export function origin(answer: unknown, route: string): string {
  const { topic, event } = (answer ?? {}) as { topic?: unknown; event?: unknown };
  if (typeof topic === 'string') return `topic ${topic.split(':')[0]}`;
  return typeof event === 'string' ? `event ${event}` : route;
}

function readerIn(files: readonly string[]): Pick<Read, 'by' | 'line'> | undefined {
  const most = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = most;
  for (const text of stack.split('\n')) {
    const [, name, file = '', line] = FRAME.exec(text) ?? [];
    if (files.some((part) => file.includes(part))) {
      const by = name?.split('.').at(-1);
      const isNamed = by !== undefined && by !== '<anonymous>';
      return { by: isNamed ? by : (file.split('/').at(-1) as string), line: Number(line) };
    }
  }
  return undefined;
}
