/** A gateway with all surfaces over a running engine, without archive and market data. */
import { Gateway, type GatewayOptions } from '../../src/api/gateway/http.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { SURFACES } from '../../src/start.ts';
import { NO_ARCHIVE, NO_MARKET_DATA } from './gateway.ts';

/** It listens at `url`. Without a keyring it knows no keys. The caller closes it. */
export async function listenOver(
  engine: GatewayOptions['engine'],
  options: Partial<GatewayOptions>,
): Promise<{ gateway: Gateway; url: string }> {
  const gateway = new Gateway({
    engine,
    archive: NO_ARCHIVE,
    marketData: NO_MARKET_DATA,
    surfaces: SURFACES,
    keyring: new Keyring(),
    ...options,
  });
  return { gateway, url: await gateway.listen(0, '127.0.0.1') };
}
