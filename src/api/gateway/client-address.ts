/**
 * The address of a client: the socket's, unless that is a trusted proxy's. Then it comes from X-Forwarded-For.
 *
 * A proxy appends the address of its own client. Everything before that may be invented. So the list is read from its
 * end, and the first address that is not a trusted proxy is the client's.
 */
import { isIP } from 'node:net';
import { AddressList } from '../../config/addresses.ts';
import { ApiError } from '../shared/errors.ts';

/** With a port, as some proxies write it: '203.0.113.9:4711', '[2001:db8::1]:4711', '[2001:db8::1]'. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([0-9a-f:.]+)\](?::\d+)?)$/i;

export class ClientAddresses {
  readonly #proxies: AddressList | null;

  constructor(trustedProxies: readonly string[]) {
    this.#proxies = trustedProxies.length === 0 ? null : new AddressList(trustedProxies);
  }

  isProxy(address: string): boolean {
    return this.#proxies?.includes(address) ?? false;
  }

  /**
   * Without the header, or with only proxies in it, the request is the proxy's own. @throws {ApiError} an entry is not
   * an address
   */
  of(socketAddress: string, forwarded: string | readonly string[] | undefined): string {
    let address = socketAddress;
    if (!this.isProxy(address) || forwarded === undefined) return address;
    const entries = (typeof forwarded === 'string' ? forwarded : forwarded.join(',')).split(',');
    for (let i = entries.length - 1; i >= 0 && this.isProxy(address); i--) address = addressIn(entries[i].trim());
    return address;
  }
}

function addressIn(entry: string): string {
  const [, v4, v6] = WITH_PORT.exec(entry) ?? [];
  const address = v4 ?? v6 ?? entry;
  if (isIP(address) === 0) throw new ApiError('forwardedForUnknown', { entry });
  return address;
}
