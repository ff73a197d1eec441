/** The content of a database as the log's tables have it. A change is made by a commit, with values that it knows then. */

export interface Frame {
  readonly seq: number;
  readonly segment: number;
  readonly at: number;
  readonly bytes: Buffer;
}

export interface WriterRow {
  readonly term: number;
  readonly owner: string | null;
  readonly name: string | null;
  readonly http: string | null;
  readonly control: string | null;
}

export interface LeaseRow {
  readonly owner: string | null;
  readonly beat: number;
}

export type Change = (tables: Tables) => void;

export class Tables {
  created = false;
  readonly partitions = new Set<string>();
  writer: WriterRow = { term: 0, owner: null, name: null, http: null, control: null };
  lease: LeaseRow = { owner: null, beat: 0 };
  /** In the order of the log. */
  readonly frames: Frame[] = [];
  /** By name and part. */
  readonly files = new Map<string, Map<number, Buffer>>();

  /** What a server has that has applied these changes. */
  static of(changes: Iterable<readonly Change[]>): Tables {
    const tables = new Tables();
    for (const commit of changes) for (const change of commit) change(tables);
    return tables;
  }

  /** The same with what a transaction has changed and not committed. */
  with(changes: readonly Change[]): Tables {
    if (changes.length === 0) return this;
    const copy = new Tables();
    copy.created = this.created;
    copy.writer = this.writer;
    copy.lease = this.lease;
    for (const name of this.partitions) copy.partitions.add(name);
    copy.frames.push(...this.frames);
    for (const [name, parts] of this.files) copy.files.set(name, new Map(parts));
    for (const change of changes) change(copy);
    return copy;
  }

  insertFrame(frame: Frame): void {
    const { frames } = this;
    let at = frames.length;
    while (at > 0 && compare(frames[at - 1], frame) > 0) at -= 1;
    frames.splice(at, 0, frame);
  }

  hasFrame(frame: Frame): boolean {
    const { frames } = this;
    for (let at = frames.length - 1; at >= 0; at -= 1) {
      const order = compare(frames[at], frame);
      if (order === 0) return true;
      if (order < 0) return false;
    }
    return false;
  }
}

/** The order of the primary key. */
export function compare(one: Omit<Frame, 'bytes'>, other: Omit<Frame, 'bytes'>): number {
  return one.seq - other.seq || one.segment - other.segment || one.at - other.at;
}
