/** Wallet v1: the balances of an account, and the history of its wallets. Envelope B. Amounts are text. */
import { decimalText } from '../../../venue/contract/decimal.ts';
import type { Balance } from '../../../venue/venue.ts';
import * as reply from '../../orders/reply-fields.ts';
import { ApiError, malformed } from '../../shared/errors.ts';
import { choice, fields, jsonTexts, optional, reader, text } from '../../shared/fields.ts';
import { type Call, enveloped, type Route, type Surface } from '../../shared/surface.ts';
import { NOT_IN_WALLET, NOT_OTC } from '../../wallets/not-offered.ts';
import {
  HISTORY_COUNT,
  HISTORY_FIELDS,
  HISTORY_TYPES,
  isolatedMarket,
  walletRecords,
  walletV1Row,
} from '../../wallets/wallet-history.ts';
import { WALLET_HISTORY } from '../../wallets/wallet-replies.ts';

const HISTORY_QUERY = fields({
  walletType: optional(choice(['SPOT', 'CROSS', 'ISOLATED'], 'SPOT (default), CROSS or ISOLATED')),
  walletName: optional(text('An isolated wallet: ISOLATED@ and a market; default: all')),
  asset: optional(text('Currency; required for SPOT')),
  historyTypes: optional(
    text('A JSON array of types, such as ["DEPOSIT","WITHDRAW"]; an unknown one lists them; default: all'),
  ),
  pageSize: HISTORY_COUNT,
  ...HISTORY_FIELDS,
});

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

const readHistory = reader(HISTORY_QUERY);

async function history(call: Call): Promise<object> {
  const { walletType: given, walletName, asset, historyTypes, pageSize, ...request } = readHistory(call.query);
  if (given === undefined && call.query.wallet !== undefined) {
    throw malformed('wallet', 'is not a field here', 'give walletType, one of SPOT, CROSS, ISOLATED');
  }
  const walletType = given ?? 'SPOT';
  if (walletName !== undefined && walletType !== 'ISOLATED') {
    const expected = 'give walletType ISOLATED, or leave walletName out: SPOT and CROSS have one wallet each';
    throw malformed('walletType', given === undefined ? 'is missing beside walletName' : `is ${given}`, expected);
  }
  if (walletType === 'SPOT' && asset === undefined) throw new ApiError('assetMissing');
  const market = walletName === undefined ? null : isolatedMarket(call, 'walletName', walletName);
  const types = historyTypes === undefined ? null : jsonTexts('historyTypes', historyTypes, 'DEPOSIT', HISTORY_TYPES);
  const asked = {
    ...request,
    count: pageSize,
    wallets: [walletType],
    market,
    currency: asset ?? null,
    currencyField: 'asset',
    types,
  };
  return enveloped(call, (await walletRecords(call, asked)).map(walletV1Row));
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
  {
    method: 'GET',
    path: '/user/walletHistory',
    permission: 'read',
    summary: 'What moved the money of a wallet, newest first',
    query: HISTORY_QUERY,
    reply: reply.enveloped(WALLET_HISTORY),
    handle: history,
  },
];

export const walletV1: Surface = {
  name: 'wallet-v1',
  envelope: 'B',
  basePath: '/public-api/wallet/v1',
  unsignedPrefix: '',
  routes,
  notOffered: NOT_IN_WALLET,
};

/** BTSE's over-the-counter trades: none of its routes is served. */
export const otcV1: Surface = {
  name: 'otc-v1',
  envelope: 'B',
  basePath: '/otc/api/v1',
  unsignedPrefix: '',
  routes: [],
  notOffered: NOT_OTC,
};
