/**
 * Faults that the log in PostgreSQL, its lease and its standbys could have, planted at their seams: statements, answers and
 * time. The simulation must find each.
 */
import type { QueryConfig, QueryResult } from 'pg';
import type { DatabaseClient } from '../../../src/log/postgres/connection.ts';
import type { PlantedNode } from './node.ts';
import type { Plan, Step } from './plan.ts';

/** A client with changed statements. `run` carries one out. */
function withQueries(
  client: DatabaseClient,
  change: (statement: QueryConfig, run: (statement: QueryConfig) => Promise<QueryResult>) => Promise<QueryResult>,
): DatabaseClient {
  return {
    connection: client.connection,
    get processID() {
      return client.processID;
    },
    connect: () => client.connect(),
    end: () => client.end(),
    on: (event, act) => client.on(event, act),
    ref: () => client.ref(),
    unref: () => client.unref(),
    query: (statement) => change(statement, (changed) => client.query(changed)),
  };
}

/** Replaces a part of each statement that has it. */
function replacing(part: string, by: string): PlantedNode {
  return {
    client: (client) =>
      withQueries(client, (statement, run) => run({ ...statement, text: statement.text.replace(part, by) })),
  };
}

/** Orders, and what fails around them. */
function planOf(...faults: readonly Step[]): Plan {
  const clock = { aheadMs: 0, ppm: 0, wallAheadMs: 0 };
  const asks = [300, 400, 405, 1200, 2400, 3600].map((atMs, i): Step => {
    const ask = { kind: 'spot', id: `p${i}`, side: 'BUY', price: 990, size: (i + 1) / 10 } as const;
    return { atMs, what: 'ask', client: 0, ask, retry: atMs < 1000 ? 'none' : 'newNonce' };
  });
  const reads = Array.from({ length: 60 }, (_, i): Step => {
    return { atMs: 410 + 60 * i, what: 'read', node: i % 2, atLeast: false };
  });
  const steps = [...asks, ...reads, ...faults].sort((a, b) => a.atMs - b.atMs);
  return { seed: 1, clocks: [clock, clock], archives: false, throws: {}, steps, endMs: 4500 };
}

export interface PlantedFault {
  readonly plant: () => PlantedNode;
  /** A plan that shows it. Absent: seeds do. */
  readonly plan?: Plan;
}

export const PLANTED: Readonly<Record<string, PlantedFault>> = {
  'an append does not look at the term': {
    plant: () => replacing('WHERE term = $1', 'WHERE true'),
  },
  'an append does not lock the term': {
    plant: () => replacing('FOR SHARE', ''),
    plan: planOf(
      { atMs: 380, what: 'slowAppends', byMs: 1800, forMs: 3000 },
      { atMs: 415, what: 'pause', node: 'leader', forMs: 3000, venueOnly: false },
    ),
  },
  'after a lost connection the frame is appended again without a look': {
    plant: () => {
      let sent: Buffer | undefined;
      return {
        client: (client) =>
          withQueries(client, async (statement, run) => {
            if (statement.text.startsWith('WITH appended')) sent = (statement.values as Buffer[])[4];
            const answer = await run(statement);
            const last = answer.rows[0] as { bytes?: Buffer } | undefined;
            // It takes the frame in flight for one that is not there, and so looks at the one before.
            if (
              !statement.text.includes('f.frame AS bytes') ||
              sent === undefined ||
              last?.bytes?.equals(sent) !== true
            )
              return answer;
            return run({ ...statement, text: `${statement.text} OFFSET 1` });
          }),
      };
    },
  },
  'a connection takes the term of the one before': {
    plant: () =>
      replacing('UPDATE bourse.writer SET term = term + 1 WHERE owner = $1 RETURNING', 'SELECT the same term of $1 AS'),
    plan: planOf(
      { atMs: 380, what: 'slowAppends', byMs: 1800, forMs: 1000 },
      { atMs: 450, what: 'reset', node: 'leader' },
    ),
  },
  'a warning in the answer to a commit is not heard': {
    plant: () => ({
      client: (client) => ({
        ...withQueries(client, (statement, run) => run(statement)),
        on: (event, act) => (event === 'notice' ? undefined : client.on(event, act)),
      }),
    }),
    plan: planOf(
      { atMs: 330, what: 'kill', node: 'standby', silent: false, forMs: 3000 },
      { atMs: 380, what: 'cutReplication', servers: [0, 1, 2], ways: ['there', 'back'], forMs: 3000 },
      { atMs: 500, what: 'endWaits', withSessions: false },
      { atMs: 700, what: 'promote', oldGoesOn: false, silent: false, forMs: 500, force: true },
    ),
  },
  'commits wait for no standby server, because a reload said so': {
    plant: () => ({
      client: (client) => ({
        ...withQueries(client, (statement, run) =>
          run({ ...statement, text: statement.text.replace("set_config('synchronous_commit'", '(') }),
        ),
        connect: async () => {
          await client.connect();
          await client.query({ text: 'SET synchronous_commit = off' });
        },
      }),
    }),
  },
  'what was appended is acknowledged without a look at the settings': {
    plant: () => ({
      client: (client) =>
        withQueries(client, async (statement, run) => {
          const answer = await run(statement);
          const isLook = statement.text.startsWith("SELECT current_setting('fsync')");
          return isLook ? { ...answer, rows: [{ ...answer.rows[0], standbys: 'ANY 1 (a, b, c)' }] } : answer;
        }),
    }),
    plan: planOf(
      { atMs: 330, what: 'kill', node: 'standby', silent: false, forMs: 3000 },
      { atMs: 380, what: 'cutReplication', servers: [0, 1, 2], ways: ['there', 'back'], forMs: 3000 },
      { atMs: 500, what: 'emptyNames', forMs: 3000 },
      { atMs: 700, what: 'promote', oldGoesOn: false, silent: false, forMs: 500, force: true },
    ),
  },
  'an append is written while no standby server has to have it, and acknowledged without a look': {
    plant: () => ({
      client: (client) =>
        withQueries(client, async (statement, run) => {
          const text = statement.text.replace("btrim(current_setting('synchronous_standby_names')) <> ''", 'true');
          const answer = await run({ ...statement, text });
          const isLook = statement.text.startsWith("SELECT current_setting('fsync')");
          return isLook ? { ...answer, rows: [{ ...answer.rows[0], standbys: 'ANY 1 (a, b, c)' }] } : answer;
        }),
    }),
    plan: planOf(
      { atMs: 320, what: 'kill', node: 'standby', silent: false, forMs: 3000 },
      { atMs: 350, what: 'emptyNames', forMs: 3000 },
      { atMs: 380, what: 'cutReplication', servers: [0, 1, 2], ways: ['there', 'back'], forMs: 3000 },
      { atMs: 700, what: 'promote', oldGoesOn: false, silent: false, forMs: 500, force: true },
    ),
  },
  'the lease is judged by the clock of the wall': {
    plant: () => ({ leaseMs: (process) => process.wallMs() }),
    plan: planOf(
      { atMs: 450, what: 'wall', node: 'leader', byMs: -60_000 },
      { atMs: 460, what: 'pause', node: 'leader', forMs: 1500, venueOnly: false },
    ),
  },
  'a writer does not look at its lease before it answers': {
    plant: () => ({ leaseMs: () => 0 }),
    plan: planOf({ atMs: 460, what: 'pause', node: 'leader', forMs: 1500, venueOnly: false }),
  },
  'a standby shows what it can read': {
    plant: () => replacing('SELECT pg_logical_emit_message(true', 'SELECT 1 -- '),
    plan: {
      ...planOf(
        { atMs: 380, what: 'cutReplication', servers: [0, 1, 2], ways: ['there', 'back'], forMs: 3000 },
        { atMs: 450, what: 'kill', node: 'leader', silent: false, forMs: 6000 },
        { atMs: 460, what: 'crash', server: 0, silent: false, forMs: 50 },
        { atMs: 2000, what: 'promote', oldGoesOn: false, silent: false, forMs: 500 },
      ),
      archives: true,
    },
  },
  'one notification in five is lost': {
    plant: () => {
      let count = 0;
      return {
        client: (client) => ({
          ...withQueries(client, (statement, run) => run(statement)),
          on: (event, act) =>
            client.on(event, (about) => {
              count += 1;
              if (event !== 'notification' || count % 5 !== 0) act(about);
            }),
        }),
      };
    },
  },
};
