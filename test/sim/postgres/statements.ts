/**
 * What each statement of the log means to the model of a server. A statement that is changed, or is new, is not known here
 * until its meaning is.
 *
 * Each is READ COMMITTED: it sees what is visible when it begins, and a row that it changes or locks as that is once it
 * has the lock.
 */
import { type Session, SqlError } from './server.ts';
import type { Frame, Tables } from './tables.ts';

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: rows have every shape
  readonly rows: any[];
  readonly rowCount: number;
}

type Values = readonly unknown[];
type Meaning = (session: Session, values: Values, text: string) => Answer | Promise<Answer>;

const NOTHING: Answer = { rows: [], rowCount: 0 };
const OK = async () => NOTHING;
const SETTINGS = { version: '15.0', fsync: 'on', pages: 'on', commit: 'on' };
const settingsOf = ({ server }: Session) => ({ ...SETTINGS, standbys: server.standbyNames });

function rows(...found: unknown[]): Answer {
  return { rows: found, rowCount: found.length };
}

/** What the statement sees: what is committed, and what its transaction has changed. */
function seen({ server, tx }: Session): Tables {
  return server.tables.with(tx?.changes ?? []);
}

/** The same of a table of the log. @throws {SqlError} it does not exist */
function seenLog(session: Session): Tables {
  const tables = seen(session);
  if (!tables.created) throw new SqlError('42P01', 'relation "bourse.frame" does not exist');
  return tables;
}

function change({ tx }: Session, act: (tables: Tables) => void): void {
  tx?.changes.push(act);
}

function refuseFull({ server }: Session): void {
  if (server.isFull) throw new SqlError('53100', 'could not extend file: No space left on device');
}

/** A read takes its time, after it has seen what there is. */
async function read(session: Session, answer: Answer): Promise<Answer> {
  await session.server.wait(session.server.readMs());
  return answer;
}

async function insertFrame(session: Session, values: Values, text: string): Promise<Answer> {
  const [term, seq, segment, at, bytes] = values as [number, number, number, number, Buffer];
  if (text.includes('FOR SHARE')) await session.server.lock(session, 'writer', 'share');
  refuseFull(session);
  const isFenced = text.includes('WHERE term = $1');
  if (isFenced && seenLog(session).writer.term !== term) return NOTHING;
  if (text.includes(`current_setting('synchronous_standby_names')`) && session.server.standbyNames === '')
    return NOTHING;
  const frame: Frame = { seq, segment, at, bytes: Buffer.from(bytes) };
  await session.server.wait(session.server.appendMs());
  await session.server.lock(session, `frame ${seq} ${segment} ${at}`, 'exclusive');
  if (seenLog(session).hasFrame(frame)) throw new SqlError('23505', 'duplicate key value violates unique constraint');
  change(session, (tables) => tables.insertFrame(frame));
  if (text.includes('pg_notify')) session.tx?.notifications.push(String(seq));
  return { rows: [{ pg_notify: '' }], rowCount: 1 };
}

async function insertFile(session: Session, name: string, part: number, bytes: Buffer): Promise<Answer> {
  refuseFull(session);
  await session.server.lock(session, `file ${name} ${part}`, 'exclusive');
  if (seenLog(session).files.get(name)?.has(part))
    throw new SqlError('23505', 'duplicate key value violates unique constraint');
  const content = Buffer.from(bytes);
  change(session, ({ files }) => {
    const parts = files.get(name) ?? new Map<number, Buffer>();
    parts.set(part, content);
    files.set(name, parts);
  });
  return { rows: [], rowCount: 1 };
}

function removeFiles(session: Session, names: readonly string[]): Answer {
  change(session, ({ files }) => {
    for (const name of names) files.delete(name);
  });
  return NOTHING;
}

/** Changes the one row of the lease, if it is as it should be. */
async function changeLease(
  session: Session,
  isIt: (row: Tables['lease']) => boolean,
  changed: (row: Tables['lease']) => Tables['lease'],
): Promise<Answer> {
  await session.server.lock(session, 'lease', 'exclusive');
  const { lease } = seenLog(session);
  if (!isIt(lease)) return NOTHING;
  const next = changed(lease);
  change(session, (tables) => {
    tables.lease = next;
  });
  return { rows: [], rowCount: 1 };
}

async function changeWriter(
  session: Session,
  isIt: (row: Tables['writer']) => boolean,
  changed: (row: Tables['writer']) => Tables['writer'],
): Promise<Answer> {
  await session.server.lock(session, 'writer', 'exclusive');
  const { writer } = seenLog(session);
  if (!isIt(writer)) return NOTHING;
  const next = changed(writer);
  change(session, (tables) => {
    tables.writer = next;
  });
  return { rows: [{ term: next.term }], rowCount: 1 };
}

function lastOf(session: Session): Frame | undefined {
  return seenLog(session).frames.at(-1);
}

const MEANINGS: readonly (readonly [beginning: string, meaning: Meaning])[] = [
  [
    'SELECT pg_is_in_recovery()',
    (session, _, text) => {
      if (text.includes(`set_config('synchronous_commit'`)) session.commitsAsync = false;
      return rows({ standby: !session.server.isPrimary });
    },
  ],
  ['SELECT current_setting', (session) => rows(settingsOf(session))],
  [
    'SELECT 1 AS there FROM pg_stat_activity',
    ({ server }, [id]) => ([...server.sessions].some((each) => each.id === id) ? rows({ there: 1 }) : NOTHING),
  ],
  ['SELECT 1', () => rows({ one: 1 })],
  [
    'SELECT 1 AS waiting FROM pg_stat_activity',
    ({ server }, [forMs]) => (server.waitingMs > (forMs as number) ? rows({ waiting: 1 }) : NOTHING),
  ],
  [
    'SET synchronous_commit = off',
    (session) => {
      session.commitsAsync = true;
      return NOTHING;
    },
  ],
  [
    'LISTEN bourse',
    (session) => {
      session.listens = true;
      return NOTHING;
    },
  ],
  [
    'SELECT pg_logical_emit_message(true',
    (session) => {
      change(session, () => {});
      return rows({ lsn: '0/0' });
    },
  ],
  // The tables.
  [
    'SELECT format FROM bourse.writer',
    (session) => {
      seenLog(session);
      return rows({ format: 2 });
    },
  ],
  [
    'SELECT pg_advisory_xact_lock',
    async (session) => {
      await session.server.lock(session, 'creation', 'exclusive');
      return rows({});
    },
  ],
  [`SELECT to_regclass('bourse.writer')`, (session) => rows({ found: seen(session).created ? 1 : null })],
  [
    'SELECT to_regclass($1)',
    (session, [name]) => rows({ found: seen(session).partitions.has(name as string) ? 1 : null }),
  ],
  ['CREATE SCHEMA', OK],
  ['CREATE TABLE IF NOT EXISTS', OK],
  ['ALTER TABLE bourse.frame ALTER COLUMN', OK],
  ['ALTER TABLE bourse.writer ADD COLUMN', OK],
  ['INSERT INTO bourse.writer (format, term)', OK],
  [
    'INSERT INTO bourse.lease (beat)',
    (session) => {
      change(session, (tables) => {
        tables.created = true;
      });
      return NOTHING;
    },
  ],
  [
    'CREATE TABLE bourse.frame_',
    (session, _, text) => {
      const name = /bourse\.frame_\d+/.exec(text)?.[0] as string;
      change(session, ({ partitions }) => partitions.add(name));
      return NOTHING;
    },
  ],
  ['ALTER TABLE bourse.frame ATTACH PARTITION', OK],
  // Frames.
  ['WITH appended AS (INSERT INTO bourse.frame SELECT', insertFrame],
  ['INSERT INTO bourse.frame SELECT', insertFrame],
  [
    'SELECT f.seq::float8 AS seq, f.segment, f.at AS "offset", f.frame AS bytes',
    (session, _, text) => {
      const last = text.endsWith('OFFSET 1') ? seenLog(session).frames.at(-2) : lastOf(session);
      if (last === undefined) return read(session, NOTHING);
      const { seq, segment, at, bytes } = last;
      return read(session, rows({ seq, segment, offset: at, bytes }));
    },
  ],
  ['SELECT max(seq)::float8', (session) => read(session, rows({ seq: lastOf(session)?.seq ?? null }))],
  [
    'SELECT segment, at, octet_length(frame)',
    (session) => {
      const last = lastOf(session);
      return read(session, last === undefined ? NOTHING : rows({ ...last, bytes: last.bytes.length }));
    },
  ],
  [
    'SELECT frame FROM bourse.frame WHERE seq >= $1',
    (session, values) => {
      const [seq, segment, at, upTo, most] = values as number[];
      const found: [Buffer][] = [];
      for (const frame of seenLog(session).frames) {
        if (frame.seq > upTo || found.length === most) break;
        const order = frame.seq - seq || frame.segment - segment || frame.at - at;
        if (order > 0) found.push([frame.bytes]);
      }
      return read(session, rows(...found));
    },
  ],
  [
    'SELECT frame FROM bourse.frame WHERE seq = $1',
    (session, [seq, segment, at]) => {
      const found = seenLog(session).frames.find(
        (frame) => frame.seq === seq && frame.segment === segment && frame.at === at,
      );
      return read(session, found === undefined ? NOTHING : rows([found.bytes]));
    },
  ],
  // Who writes.
  ['SELECT gen_random_uuid()', ({ server }) => rows({ owner: server.newOwner() })],
  [
    'SELECT l.owner, l.beat::float8',
    (session) => {
      const { lease, writer } = seenLog(session);
      const { name, http, control } = writer;
      return rows({ ...lease, name, http, control });
    },
  ],
  [
    'SELECT FROM bourse.writer WHERE owner = $1 AND term = $2',
    (session, [owner, term]) => {
      const { writer } = seenLog(session);
      return writer.owner === owner && writer.term === term ? rows({}) : NOTHING;
    },
  ],
  [
    'SELECT FROM bourse.writer WHERE owner = $1 FOR SHARE',
    async (session, [owner]) => {
      await session.server.lock(session, 'writer', 'share');
      return seenLog(session).writer.owner === owner ? rows({}) : NOTHING;
    },
  ],
  [
    'UPDATE bourse.writer SET term = term + 1 WHERE owner = $1',
    (session, [owner]) =>
      changeWriter(
        session,
        (row) => row.owner === owner,
        (row) => ({ ...row, term: row.term + 1 }),
      ),
  ],
  [
    'SELECT the same term of $1',
    (session, [owner]) => {
      const { writer } = seenLog(session);
      return writer.owner === owner ? rows({ term: writer.term }) : NOTHING;
    },
  ],
  [
    'UPDATE bourse.writer SET http = $2',
    (session, [owner, http, control]) =>
      changeWriter(
        session,
        (row) => row.owner === owner,
        (row) => ({ ...row, http: http as string, control: control as string }),
      ),
  ],
  [
    'UPDATE bourse.writer SET term = term + 1, owner = $1',
    (session, [owner, name]) =>
      changeWriter(
        session,
        () => true,
        ({ term }) => ({
          term: term + 1,
          owner: owner as string,
          name: name as string,
          http: null,
          control: null,
        }),
      ),
  ],
  [
    'UPDATE bourse.lease SET owner = $1, beat = beat + 1 WHERE beat = $2',
    (session, [owner, beat, before]) =>
      changeLease(
        session,
        (row) => row.beat === beat && row.owner === before,
        (row) => ({ owner: owner as string, beat: row.beat + 1 }),
      ),
  ],
  [
    'UPDATE bourse.lease SET beat = beat + 1 WHERE owner = $1',
    async (session, [owner]) => {
      const { rowCount } = await changeLease(
        session,
        (row) => row.owner === owner,
        (row) => ({ owner: row.owner, beat: row.beat + 1 }),
      );
      return rowCount === 0 ? NOTHING : rows(settingsOf(session));
    },
  ],
  [
    'UPDATE bourse.lease SET owner = NULL',
    (session, [owner]) =>
      changeLease(
        session,
        (row) => row.owner === owner,
        (row) => ({ owner: null, beat: row.beat + 1 }),
      ),
  ],
  // Files.
  [
    'SELECT DISTINCT name FROM bourse.file',
    (session) => read(session, rows(...[...seenLog(session).files.keys()].map((name) => ({ name })))),
  ],
  [
    'SELECT bytes FROM bourse.file WHERE name = $1',
    (session, [name]) => {
      const parts = [...(seenLog(session).files.get(name as string) ?? [])].sort(([a], [b]) => a - b);
      return read(session, rows(...parts.map(([, bytes]) => [bytes])));
    },
  ],
  ['DELETE FROM bourse.file WHERE name = $1', (session, [name]) => removeFiles(session, [name as string])],
  ['DELETE FROM bourse.file WHERE name = ANY($1)', (session, [names]) => removeFiles(session, names as string[])],
  [
    'INSERT INTO bourse.file VALUES ($1, 0, $2)',
    (session, [name, bytes]) => insertFile(session, name as string, 0, bytes as Buffer),
  ],
  [
    'INSERT INTO bourse.file VALUES ($1, $2, $3)',
    (session, [name, part, bytes]) => insertFile(session, name as string, part as number, bytes as Buffer),
  ],
  [
    'UPDATE bourse.file SET name = $2 WHERE name = $1',
    (session, [from, to]) => {
      change(session, ({ files }) => {
        const parts = files.get(from as string);
        files.delete(from as string);
        if (parts !== undefined) files.set(to as string, parts);
      });
      return NOTHING;
    },
  ],
];

/** The longest beginning that fits, by the text as the log writes it. */
const known = new Map<string, Meaning>();

function meaningOf(text: string): Meaning {
  const found = known.get(text);
  if (found !== undefined) return found;
  const plain = text.replace(/\s+/g, ' ').trim();
  const fitting = MEANINGS.filter(([beginning]) => plain.startsWith(beginning)).sort(([a], [b]) => b.length - a.length);
  if (fitting.length === 0)
    throw new SqlError('0A000', `the model of PostgreSQL does not know the statement: ${plain}`);
  known.set(text, fitting[0][1]);
  return fitting[0][1];
}

/** Carries out a statement. @throws {SqlError} */
export async function carryOut(session: Session, text: string, values: Values): Promise<Answer> {
  const { server } = session;
  if (text === 'BEGIN') {
    session.begin(true);
    return NOTHING;
  }
  if (text === 'COMMIT') {
    const failed = session.tx?.failed !== false;
    session.inBlock = false;
    if (failed) server.rollback(session);
    else await server.commit(session);
    return NOTHING;
  }
  if (text === 'ROLLBACK') {
    session.inBlock = false;
    server.rollback(session);
    return NOTHING;
  }
  const { tx } = session;
  if (session.inBlock && (tx === undefined || tx.failed)) {
    throw new SqlError('25P02', 'current transaction is aborted, commands ignored until end of transaction block');
  }
  if (!session.inBlock) session.begin(false);
  try {
    const answer = await meaningOf(text)(session, values, text);
    if (!session.inBlock) await server.commit(session);
    return answer;
  } catch (error) {
    if (session.inBlock && session.tx !== undefined) session.tx.failed = true;
    else server.rollback(session);
    throw error;
  }
}
