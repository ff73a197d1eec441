/** The notices and refusals of a start about its two listeners: their connection limits, and why one cannot listen. */
import {
  type ConnectionBounds,
  type ConnectionPlan,
  type ConnectionSettings,
  planConnections,
} from './api/gateway/connections.ts';
import { openFiles, openFilesLimit } from './api/gateway/descriptors.ts';
import type { OnNotice } from './engine/contract/notice.ts';
import { StartRefused } from './secrets.ts';

/** The connection limits of each listener, with a notice. Throws StartRefused if the process may open too few files. */
export function planListeners(settings: ConnectionSettings, notice: OnNotice): ConnectionPlan {
  const [limit, open] = [openFilesLimit(), openFiles()];
  const plan = planConnections(limit, open, settings);
  if (plan === null) {
    throw new StartRefused(
      `this process may open ${limit} files, and ${open} are already open: a venue needs more, raise the limit (ulimit -n)`,
    );
  }
  const { gateway, control } = plan;
  const bounds = ({ total, perAddress }: ConnectionBounds) => `${total} connections, ${perAddress} from one address`;
  notice(
    `at most ${bounds(gateway)}; control: ${bounds(control)}; this process may open ${limit === Number.POSITIVE_INFINITY ? 'any number of' : limit} files`,
  );
  const { maxConnections } = settings;
  if (maxConnections !== null && maxConnections > gateway.total) {
    notice(
      `maxConnections is ${maxConnections}, more than this process can hold: raise the limit of open files (ulimit -n)`,
      'warn',
    );
  }
  return plan;
}

/** The address for a browser on this machine: a listener on all addresses is reached at that of loopback. */
export function browsable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Why a listener cannot listen at its address, with the flag and the variable to change. */
export function refuseAddress(
  error: NodeJS.ErrnoException,
  port: number,
  host: string,
  prefix: '' | 'control-',
): never {
  const option = (name: string) => {
    const flag = `${prefix}${name}`;
    return `--${flag} (or BOURSE_${flag.replace('-', '_').toUpperCase()})`;
  };
  const words: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use: give another ${option('port')} (0 picks a free one), or stop the process that listens there`,
    EACCES: `port ${port} of ${host} needs privileges: give another ${option('port')}, 1024 or above`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: give another ${option('host')}`,
    ENOTFOUND: `${host} cannot be resolved to an address: give another ${option('host')}`,
  };
  const text = words[error.code ?? ''];
  throw text === undefined ? error : new StartRefused(text, { cause: error });
}
