/**
 * The reply schemas of futures v2.3. records.ts and wallet.ts create the replies. In ONE_WAY mode positionDirection is
 * absent.
 */
import { POSITION_FIELDS, POSITION_OF_ORDER, SIZES } from '../../orders/futures-replies.ts';
import { ACTION_FIELDS, LOOKUP_FIELDS, OPEN_FIELDS } from '../../orders/legacy-replies.ts';
import * as reply from '../../orders/reply-fields.ts';
import { FUTURES_FILL_V23 } from '../../trades/trade-replies.ts';

const NAME_AND_SIZE = { clOrderID: reply.text('Empty: none'), ...SIZES };
const positionDirection = reply.sometimes(reply.direction);

export const ORDER = reply.component('FuturesOrderV23', {
  ...ACTION_FIELDS,
  ...NAME_AND_SIZE,
  filledSize: reply.number('By this request'),
  ...POSITION_OF_ORDER,
  positionDirection,
});

const LOOKUP = {
  ...LOOKUP_FIELDS,
  ...NAME_AND_SIZE,
  reduceOnly: reply.flag(),
  contractSize: reply.number(),
  takeProfitOrder: reply.orNull(reply.ATTACHED),
  stopLossOrder: reply.orNull(reply.ATTACHED),
  closeOrder: reply.flag('It is attached to a position'),
};
export const LOOKED_UP = reply.component('FuturesLookupV23', LOOKUP);
export const OPEN_ORDER = reply.component('FuturesOpenOrderV23', {
  ...LOOKUP,
  ...OPEN_FIELDS,
  ...POSITION_OF_ORDER,
  positionDirection,
});

const ASSET = reply.component('WalletAsset', {
  balance: reply.number(),
  assetPrice: reply.number('In USDT; 0: no index yet'),
  currency: reply.text(),
});
const WALLET = reply.component('Wallet', {
  wallet: reply.text('CROSS@, or ISOLATED@ and a market'),
  activeWalletName: reply.text(),
  username: reply.text('Name of the account'),
  walletTotalValue: reply.number('The same as totalValue'),
  totalValue: reply.number('All currencies, in USDT'),
  queryType: reply.whole('Always 0'),
  trackingID: reply.whole('Always 0'),
  requestId: reply.whole('Always 0'),
  marginBalance: reply.number('Settlement currency only'),
  availableBalance: reply.number(),
  unrealisedProfitLoss: reply.number(),
  maintenanceMargin: reply.number(),
  leverage: reply.number('Exposure over equity'),
  openMargin: reply.number(),
  assets: reply.list(ASSET),
  assetsInUse: reply.list(ASSET),
});

export const UNIFIED_MARGIN = reply.component('UnifiedMargin', {
  symbol: reply.text('Empty: of all markets'),
  walletTotalValue: reply.number('Of all wallets, in USDT'),
  walletTotalUnrealizedProfitLoss: reply.number('Of all wallets'),
  futuresTotalAvailableBalance: reply.number('Of all wallets'),
  wallets: reply.list(
    reply.component('WalletMargin', {
      activeWalletName: reply.text('CROSS@, or ISOLATED@ and a market'),
      unrealisedProfitLoss: reply.number(),
      walletTotalValue: reply.number('All currencies, in USDT'),
      marginBalance: reply.number('Settlement currency only'),
      availableBalance: reply.number(),
      maintenanceMargin: reply.number(),
    }),
  ),
});

export const ORDERS = reply.list(ORDER);
export const OPEN_ORDERS = reply.list(OPEN_ORDER);
export const TRADES = reply.list(FUTURES_FILL_V23);
export const POSITIONS = reply.list(reply.component('PositionV23', { ...POSITION_FIELDS, positionDirection }));
export const FEES = reply.list(reply.FEE);
export const WALLETS = reply.list(WALLET);
