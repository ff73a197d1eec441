/** Wallet v1: the balances of an account. Envelope B. Amounts are text. */
import { decimalText } from '../../../venue/contract/decimal.ts';
import type { Balance } from '../../../venue/venue.ts';
import * as reply from '../../orders/reply-fields.ts';
import { type Call, enveloped, type Route, type Surface } from '../../shared/surface.ts';

function assetRecord({ currency: { code, decimals }, total, available }: Balance): object {
  return {
    asset: code,
    totalAmount: decimalText(total, decimals),
    availableAmount: decimalText(available, decimals),
  };
}

/** Every currency of the venue, including zeros. */
function assets(call: Call): object {
  const { venue, account } = call;
  return enveloped(call, venue.balances(account).map(assetRecord));
}

const ASSET = reply.component('Asset', {
  asset: reply.text('Currency'),
  totalAmount: reply.text('Decimal'),
  availableAmount: reply.text('Decimal; less what orders and positions hold'),
});

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/user/assets',
    permission: 'read',
    summary: 'Balances of the account',
    reply: reply.enveloped(reply.list(ASSET)),
    handle: assets,
  },
];

export const walletV1: Surface = {
  name: 'wallet-v1',
  envelope: 'B',
  basePath: '/public-api/wallet/v1',
  unsignedPrefix: '',
  routes,
};
