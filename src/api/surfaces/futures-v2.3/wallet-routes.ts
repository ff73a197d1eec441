/** The wallet routes of futures v2.3: wallets, their history, and the margin of a market. */
import type { PositionView } from '../../../venue/venue.ts';
import type { MarketView } from '../../../venue/views.ts';
import { LEGACY_GET } from '../../orders/legacy-requests.ts';
import { CROSS_WALLET } from '../../positions/position-records.ts';
import { reader } from '../../shared/fields.ts';
import { findMarket } from '../../shared/markets.ts';
import { submit } from '../../shared/submit.ts';
import type { Call, Route } from '../../shared/surface.ts';
import { TRANSFER_BODY, transferCommand } from '../../wallets/transfer.ts';
import { futuresHistoryRow, isolatedMarket, walletRecords } from '../../wallets/wallet-history.ts';
import { FUTURES_HISTORY } from '../../wallets/wallet-replies.ts';
import * as examples from './examples.ts';
import * as replies from './replies.ts';
import * as schemas from './schemas.ts';
import { crossWallet, isolatedWallet, type WalletRow, walletSums } from './wallet.ts';

const readWallet = reader(schemas.WALLET_QUERY, LEGACY_GET);
const readHistory = reader(schemas.WALLET_HISTORY_QUERY, LEGACY_GET);
const readMarket = reader(schemas.MARKET_QUERY, LEGACY_GET);
const readUnified = reader(schemas.UNIFIED_MARGIN_QUERY, LEGACY_GET);

function marketOf(call: Call, symbol: string): MarketView {
  return findMarket(call.venue, 'futures', symbol, { legacyNames: true });
}

/** A row as it is sent. BTSE numbers queries, and clients read the fields. */
function sent({ venue, account }: Call, row: WalletRow): object {
  const username = venue.account(account)?.name ?? '';
  return { ...row, walletTotalValue: row.totalValue, username, queryType: 0, trackingID: 0, requestId: 0 };
}

function cross({ venue, account }: Call): WalletRow {
  return crossWallet(venue, venue.balances(account), venue.positions(account));
}

function isolated({ venue, account }: Call, market: MarketView): WalletRow {
  const isIts = (position: PositionView) => position.market === market && position.mode === 'ISOLATED';
  return isolatedWallet(venue, market, venue.positions(account).filter(isIts));
}

function wallet(call: Call): object[] {
  const { wallet: name = CROSS_WALLET } = readWallet(call.query);
  return [sent(call, name === CROSS_WALLET ? cross(call) : isolated(call, isolatedMarket(call, 'wallet', name)))];
}

async function history(call: Call): Promise<object[]> {
  const { wallet: name, ...request } = readHistory(call.query);
  const market = name === undefined || name === CROSS_WALLET ? null : isolatedMarket(call, 'wallet', name);
  const all = name === undefined ? (['CROSS', 'ISOLATED'] as const) : null;
  const wallets = all ?? (market === null ? (['CROSS'] as const) : (['ISOLATED'] as const));
  return (await walletRecords(call, { ...request, wallets, market })).map(futuresHistoryRow);
}

/** The wallet that a position in the market uses. */
function walletOf(call: Call, market: MarketView): WalletRow {
  return call.venue.settings(call.account, market).mode === 'ISOLATED' ? isolated(call, market) : cross(call);
}

/** The cross wallet, and the isolated ones with positions. */
function allWallets(call: Call): WalletRow[] {
  const open = call.venue.positions(call.account).filter(({ mode }) => mode === 'ISOLATED');
  return [cross(call), ...[...new Set(open.map(({ market }) => market))].map((market) => isolated(call, market))];
}

/** The wallets of one market (that of a position, if it is named so) or all, and their sums. */
function unifiedMargin(call: Call): object {
  const { symbol, positionId } = readUnified(call.query);
  const name = symbol ?? positionId?.split('|', 1)[0];
  const market = name === undefined ? null : marketOf(call, name);
  const wallets = market === null ? allWallets(call) : [walletOf(call, market)];
  const { venue, account } = call;
  return {
    symbol: market?.symbol ?? '',
    ...walletSums(venue, venue.balances(account), venue.positions(account)),
    wallets: wallets.map((row) => ({
      activeWalletName: row.activeWalletName,
      unrealisedProfitLoss: row.unrealisedProfitLoss,
      walletTotalValue: row.totalValue,
      marginBalance: row.marginBalance,
      availableBalance: row.availableBalance,
      maintenanceMargin: row.maintenanceMargin,
    })),
  };
}

async function transfer(call: Call): Promise<object[]> {
  await submit(call, transferCommand(call));
  const now = { ...call, venue: call.engine.venue };
  return [sent(now, cross(now))];
}

export const WALLET_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/user/wallet',
    permission: 'read',
    summary: 'The cross wallet, or the wallet of the isolated positions in one market',
    query: schemas.WALLET_QUERY,
    reply: replies.WALLETS,
    handle: wallet,
  },
  {
    method: 'GET',
    path: '/user/wallet_history',
    permission: 'read',
    summary: 'What moved money on futures: trades, funding, liquidations, transfers; newest first',
    query: schemas.WALLET_HISTORY_QUERY,
    reply: FUTURES_HISTORY,
    handle: history,
  },
  {
    method: 'POST',
    path: '/user/wallet/transfer',
    permission: 'transfer',
    summary: 'Transfer between the spot and the cross wallet: recorded, but moves nothing, because they are one',
    body: TRANSFER_BODY,
    examples: examples.TRANSFER,
    reply: replies.WALLETS,
    handle: transfer,
  },
  {
    method: 'GET',
    path: '/user/margin',
    permission: 'read',
    summary: 'The wallet that positions in a market use',
    query: schemas.MARKET_QUERY,
    reply: replies.WALLETS,
    handle: (call) => [sent(call, walletOf(call, marketOf(call, readMarket(call.query).symbol)))],
  },
  {
    method: 'GET',
    path: '/user/unifiedWallet/margin',
    permission: 'read',
    summary: 'The margin of the wallets of one market or all, and the sums of all wallets',
    query: schemas.UNIFIED_MARGIN_QUERY,
    reply: replies.UNIFIED_MARGIN,
    handle: unifiedMargin,
  },
];
