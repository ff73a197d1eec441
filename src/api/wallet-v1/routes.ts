/** Wallet v1: what an account owns. Envelope B; amounts are text. */
import { decimalText } from '../../venue/quantity.ts';
import type { Balance } from '../../venue/venue.ts';
import { type Call, enveloped, type Route, type Surface } from '../surface.ts';

function assetRecord({ currency: { code, decimals }, total, available }: Balance): object {
  return {
    asset: code,
    totalAmount: decimalText(total, decimals),
    availableAmount: decimalText(available, decimals),
  };
}

/** Every currency of the venue, zeros included. */
function assets({ venue, account }: Call): object {
  return enveloped(venue, venue.balances(account).map(assetRecord));
}

const routes: readonly Route[] = [
  { method: 'GET', path: '/user/assets', permission: 'read', summary: 'Balances of the account', handle: assets },
];

export const walletV1: Surface = {
  name: 'wallet-v1',
  envelope: 'B',
  basePath: '/public-api/wallet/v1',
  unsignedPrefix: '',
  routes,
};
