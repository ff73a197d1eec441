/** The default markets in a venue without accounts, for tests that need a market and no traders. */
import { readConfiguration, venueConfig } from '../../src/config/config.ts';
import { Venue } from '../../src/venue/venue.ts';
import type { MarketView } from '../../src/venue/views.ts';

export function defaultMarkets(): { venue: Venue; spot: MarketView; perpetual: MarketView } {
  const venue = new Venue();
  const config = venueConfig(readConfiguration({}), (secret) => secret);
  venue.apply(1, 0, { v: 1, type: 'genesis', config, seed: 1, clock: 'manual', idKey: '0'.repeat(32) });
  const [spot, perpetual] = [venue.marketBySymbol('BTC-USDT'), venue.marketBySymbol('BTC-PERP')];
  if (spot === undefined || perpetual === undefined) throw new Error('the default markets are others');
  return { venue, spot, perpetual };
}
