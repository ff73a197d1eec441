/**
 * What a server must be set to so that it keeps what it has acknowledged.
 *
 * - `fsync` and `full_page_writes` on: else a power cut can lose or destroy what was committed.
 * - `synchronous_commit` on or remote_apply: else a commit is acknowledged before it is on a disk. Each connection sets it
 *   (connection.ts), so it is another one only if a pooler shares connections.
 * - `synchronous_standby_names` not empty: else the loss of one server loses what it had acknowledged. The operator may
 *   accept that (`--accept-single-node`), and nothing else, for an address with one host. With several, an old primary that
 *   came back beside a promoted one would take commits as well, and have another leader.
 */
import type { DatabaseAddress } from './address.ts';
import type { Connection } from './connection.ts';

/** The server could lose what it acknowledges. */
export class DatabaseUnsafe extends Error {
  override readonly name = 'DatabaseUnsafe';
}

/** What the log relies on, for `/health`. */
export interface Reliance {
  readonly kind: 'postgres';
  /** Without the password. */
  readonly where: string;
  readonly version: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly synchronousStandbyNames: string;
  /** True: there is no standby, and that was accepted. The loss of the server's disk loses acknowledged commands. */
  readonly singleNode: boolean;
}

const SETTINGS = `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS commit,
  current_setting('synchronous_standby_names') AS standbys`;

/**
 * What an operator accepts: `quorum`, a server that loses nothing; `single`, one without standbys; `any`, whatever there is,
 * to read it.
 */
export type Accepted = 'quorum' | 'single' | 'any';

/** @throws {DatabaseUnsafe} names each setting that is wrong */
export async function readReliance(
  connection: Connection,
  { where, connections }: Pick<DatabaseAddress, 'where' | 'connections'>,
  accepted: Accepted,
): Promise<Reliance> {
  const { rows } = await connection.query(SETTINGS);
  const { version, fsync, pages, commit, standbys } = rows[0] as Record<string, string>;
  const problems: string[] = [];
  if (fsync !== 'on') problems.push(`fsync is ${fsync}: set it to on`);
  if (pages !== 'on') problems.push(`full_page_writes is ${pages}: set it to on`);
  if (commit !== 'on' && commit !== 'remote_apply') {
    problems.push(`synchronous_commit is ${commit} although the connection has set it: connect without a pooler`);
  }
  const singleNode = standbys.trim() === '';
  const hosts = connections.length;
  if (singleNode && hosts > 1) {
    problems.push(
      `synchronous_standby_names is empty, and the address names ${hosts} hosts: two of them that both are primaries would ` +
        "both acknowledge orders. Set it, as to 'ANY 1 (a, b)', or name only the primary, with --accept-single-node",
    );
  } else if (singleNode && accepted === 'quorum') {
    problems.push(
      "synchronous_standby_names is empty, so no standby has what is acknowledged: set it, as to 'ANY 1 (a, b)', or accept " +
        'with --accept-single-node that the loss of this server loses orders',
    );
  }
  if (problems.length > 0 && accepted !== 'any') {
    throw new DatabaseUnsafe(`the database ${where} could lose acknowledged orders: ${problems.join('; ')}`);
  }
  return {
    kind: 'postgres',
    where,
    version,
    fsync,
    fullPageWrites: pages,
    synchronousCommit: commit,
    synchronousStandbyNames: standbys,
    singleNode,
  };
}
