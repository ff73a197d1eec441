/** Unmodified ccxt on a venue, for the tests of what it makes of it. */
import ccxt from 'ccxt';
import type { TestVenue } from '../../src/index.ts';

export const SPOT = 'BTC/USDT';
export const SWAP = 'BTC/USDT:USDT';

/** As the README says it. */
export function connect({ url }: TestVenue, { key, secret }: { key: string; secret: string }) {
  const btse = new ccxt.btse({ apiKey: key, secret });
  btse.urls.api = { public: url, private: url };
  // ccxt's own limiter spaces requests out; this venue has no rate limits to fear.
  btse.enableRateLimit = false;
  return btse;
}

/** As it was started, both markets priced at 60,000. */
export async function reset(venue: TestVenue): Promise<void> {
  await venue.reset();
  await venue.setPrice('BTC-USDT', 60_000);
  await venue.setPrice('BTC-PERP', 60_000);
}
