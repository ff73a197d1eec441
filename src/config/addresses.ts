/**
 * IPv4 and IPv6 addresses and networks: which a list names, and what counts as one client. An IPv4 client on an IPv6
 * socket counts as IPv4.
 */
import { BlockList, isIP } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** '::ffff:10.0.0.1' is 10.0.0.1. */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address;
}

/** One host owns a whole IPv6 /64, so that counts as its address. */
export function sourceOf(socketAddress: string): string {
  const address = plainAddress(socketAddress);
  if (!address.includes(':') || address.includes('.')) return address;
  const [head, tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? 0 : tail.split(':').length;
    for (let i = groups.length + rest; i < 8; i++) groups.push('0');
    if (tail !== '') groups.push(...tail.split(':'));
  }
  return groups.slice(0, 4).join(':');
}

/** An entry of a list if it is a valid address or network ('10.0.0.0/8'). Otherwise null. */
export function parseNetwork(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | null {
  const [address, prefixText, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return null;
  const bits = version === 4 ? 32 : 128;
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefix > bits) return null;
  const plain = plainAddress(address);
  if (plain === address) return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
  return prefix < 96 ? null : { address: plain, prefix: prefix - 96, family: 'ipv4' };
}

export class AddressList {
  readonly #list = new BlockList();

  /** Throws for an entry that parseNetwork refuses. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const network = parseNetwork(entry);
      if (network === null) throw new RangeError(`${entry} is not an IP address or a network`);
      this.#list.addSubnet(network.address, network.prefix, network.family);
    }
  }

  includes(address: string): boolean {
    const plain = plainAddress(address);
    const version = isIP(plain);
    return version !== 0 && this.#list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  }
}
