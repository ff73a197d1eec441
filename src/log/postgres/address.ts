/**
 * The address of a log in PostgreSQL: `postgres://user:password@host:port,host:port/database?sslmode=…`. Several hosts are
 * those of one cluster: the writer uses the one that is its primary.
 *
 * Invariant: no message has anything of an address but `where`, which has no password.
 */

/**
 * Scheme, user and password, hosts with their ports, database, parameters. Each part refuses the characters that end another
 * one, so a password with such a character is never taken for a host or a database, which messages show.
 */
const FORM =
  /^postgres(?:ql)?:\/\/(?:([^/?#@]*)@)?((?:[\w.-]+|\[[\da-fA-F:.]+\])?(?::\d+)?(?:,(?:[\w.-]+|\[[\da-fA-F:.]+\])?(?::\d+)?)*)\/([^/?#@]+)(?:\?([^#]*))?$/;

export interface DatabaseAddress {
  /** As it was given. Secret. */
  readonly text: string;
  /** The address as messages show it: user, hosts and database. */
  readonly where: string;
  /** One connection string for each host. Secret. */
  readonly connections: readonly string[];
}

/** True if the address of a log names a database, not a folder. */
export function isDatabase(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

/** @throws {RangeError} it has another form. The message does not repeat it, because it may have a password. */
export function readAddress(address: string): DatabaseAddress {
  const [, auth, hosts = '', database = '', parameters] = FORM.exec(address) ?? [];
  if (database === '') {
    throw new RangeError(
      'the address of the log must have the form postgres://user@host:port/database; special characters in it are ' +
        'percent-encoded',
    );
  }
  for (const [, port] of hosts.matchAll(/:(\d+)(?=,|$)/g)) {
    if (Number(port) < 1 || Number(port) > 65_535) {
      throw new RangeError(`the address of the log has the port ${port}: a port is from 1 to 65535`);
    }
  }
  if ([auth, database, parameters].some((part = '') => /%(?![\da-f]{2})/i.test(part))) {
    throw new RangeError('the address of the log has a % without two hexadecimal digits: a % itself is written as %25');
  }
  const tail = `/${database}${parameters === undefined ? '' : `?${parameters}`}`;
  const login = auth === undefined ? '' : `${auth}@`;
  const user = auth === undefined ? '' : `${auth.split(':')[0]}@`;
  return {
    text: address,
    where: `postgres://${user}${hosts}/${database}`,
    connections: hosts.split(',').map((host) => `postgres://${login}${host}${tail}`),
  };
}
