/**
 * What a server must be set to so that it keeps what it has acknowledged.
 *
 * - `fsync` and `full_page_writes` on: else a power cut can lose or destroy what was committed.
 * - `synchronous_commit` on or remote_apply: else a commit is acknowledged before it is on a disk. Each connection sets it
 *   (connection.ts), so it is another one only if a pooler shares connections.
 * - `synchronous_standby_names` not empty: else the loss of one server loses what it had acknowledged. The operator may
 *   accept that (`--accept-single-node`), and nothing else, for an address with one host. With several, an old primary that
 *   came back beside a promoted one would take commits as well, and have another leader.
 *
 * A reload may change all of these but the third while the venue runs. So each append and each renewal of the lease reads
 * them. `safeCondition` and `problemsOf` are the same rule, for the server and for this process.
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

/** What a reload may change. */
export interface CurrentSettings {
  readonly fsync: string;
  readonly pages: string;
  readonly standbys: string;
}

/** The columns of `CurrentSettings`. */
export const CURRENT = `current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
  current_setting('synchronous_standby_names') AS standbys`;
const SETTINGS = `SELECT current_setting('server_version') AS version, current_setting('synchronous_commit') AS commit, ${CURRENT}`;

/**
 * What an operator accepts: `quorum`, a server that loses nothing; `single`, one without standbys; `any`, whatever there is,
 * to read it.
 */
export type Accepted = 'quorum' | 'single' | 'any';

type Address = Pick<DatabaseAddress, 'where' | 'connections'>;

/** An SQL condition that holds if the server loses nothing that it acknowledges. `problemsOf` finds nothing then. */
export function safeCondition({ connections }: Address, accepted: Accepted): string {
  if (accepted === 'any') return 'true';
  const isOn = `current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'`;
  if (accepted === 'single' && connections.length === 1) return isOn;
  return `${isOn} AND btrim(current_setting('synchronous_standby_names')) <> ''`;
}

/** Why a server with these settings could lose what it acknowledges. Undefined: it cannot. */
export function unsafeText(settings: CurrentSettings, address: Address, accepted: Accepted): string | undefined {
  const problems = problemsOf(settings, address, accepted);
  return problems.length === 0 ? undefined : textOf(problems, address);
}

function textOf(problems: readonly string[], { where }: Address): string {
  return `the database ${where} could lose acknowledged orders: ${problems.join('; ')}`;
}

function problemsOf(
  { fsync, pages, standbys }: CurrentSettings,
  { connections }: Address,
  accepted: Accepted,
): string[] {
  if (accepted === 'any') return [];
  const problems: string[] = [];
  if (fsync !== 'on') problems.push(`fsync is ${fsync}: set it to on`);
  if (pages !== 'on') problems.push(`full_page_writes is ${pages}: set it to on`);
  const hosts = connections.length;
  if (standbys.trim() !== '') return problems;
  if (hosts > 1) {
    problems.push(
      `synchronous_standby_names is empty, and the address names ${hosts} hosts: two of them that both are primaries would ` +
        "both acknowledge orders. Set it, as to 'ANY 1 (a, b)', or name only the primary, with --accept-single-node",
    );
  } else if (accepted === 'quorum') {
    problems.push(
      "synchronous_standby_names is empty, so no standby has what is acknowledged: set it, as to 'ANY 1 (a, b)', or accept " +
        'with --accept-single-node that the loss of this server loses orders',
    );
  }
  return problems;
}

/** @throws {DatabaseUnsafe} names each setting that is wrong */
export async function readReliance(connection: Connection, address: Address, accepted: Accepted): Promise<Reliance> {
  const { rows } = await connection.query(SETTINGS);
  const { version, commit, ...settings } = rows[0] as CurrentSettings & { version: string; commit: string };
  const problems = problemsOf(settings, address, accepted);
  if (accepted !== 'any' && commit !== 'on' && commit !== 'remote_apply') {
    problems.push(`synchronous_commit is ${commit} although the connection has set it: connect without a pooler`);
  }
  if (problems.length > 0) throw new DatabaseUnsafe(textOf(problems, address));
  return { kind: 'postgres', where: address.where, version, synchronousCommit: commit, ...changing(settings) };
}

/** The part of a `Reliance` that a reload may change. */
export function changing({
  fsync,
  pages,
  standbys,
}: CurrentSettings): Omit<Reliance, 'kind' | 'where' | 'version' | 'synchronousCommit'> {
  return {
    fsync,
    fullPageWrites: pages,
    synchronousStandbyNames: standbys,
    singleNode: standbys.trim() === '',
  };
}
