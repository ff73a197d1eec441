/** What takes the connection of a request for an upgrade to another protocol. The gateway serves no such protocol itself. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface UpgradeTaker {
  /** Whether it takes upgrades at this path (without query). */
  takes(path: string): boolean;
  /** Takes a connection whose request has a sound head. `head`: what arrived behind the head. `address`: the client's (client-address.ts). */
  take(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void;
  close(): Promise<void>;
}
