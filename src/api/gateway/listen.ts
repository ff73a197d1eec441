/** Opens both listeners: the gateway and the control surface. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves with the address once the server listens: 'http://127.0.0.1:8080'. Port 0 picks a free one. */
export async function listenAt(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
}
