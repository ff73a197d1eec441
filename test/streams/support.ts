/** What the tests of the streams share: a venue, clients that are closed after each test, and keys. */
import { afterEach } from 'node:test';
import { StreamClient } from '../support/stream-client.ts';
import type { World } from '../support/venue.ts';

export const ALICE = { key: 'alice-key', secret: 'alice-secret' };
export const BOB = { key: 'bob-key', secret: 'bob-secret' };

/** Opens clients that end with their test. */
export function clients(): (w: World, path: string) => Promise<StreamClient> {
  const open: StreamClient[] = [];
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });
  return async (w, path) => {
    const client = await StreamClient.open(w.venue.url, path);
    open.push(client);
    return client;
  };
}
