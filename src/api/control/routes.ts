/** The routes of the control surface, by which a test controls time, prices, accounts and faults. */
import { ApiError } from '../shared/errors.ts';
import type { ControlRoute } from './context.ts';
import { amendAs, cancelAs, listFills, listOrders, placeAs } from './handlers/account-orders.ts';
import { createAccount, deposit, listAccounts, showAccount, showLedger } from './handlers/accounts.ts';
import { showDue } from './handlers/due.ts';
import { armFault, clearFaults, listFaults } from './handlers/faults.ts';
import { showHealth } from './handlers/health.ts';
import { createKey, listAccountKeys, listKeys, revokeKey } from './handlers/keys.ts';
import { archiveLog } from './handlers/log.ts';
import { addMarket, haltMarket, listMarkets, showBook, summarizeMarkets } from './handlers/markets.ts';
import { showOrder } from './handlers/orders.ts';
import { listCommands, showCommand, showPast, summariseLog } from './handlers/past.ts';
import { moveClock, previewPrices, setPrices, showClock } from './handlers/prices-and-time.ts';
import {
  listSnapshots,
  reset,
  restoreSnapshot,
  saveSnapshot,
  showAudit,
  showState,
  takeSnapshot,
} from './handlers/states.ts';
import { changeAccount, changeMarket, delistMarket } from './handlers/terms.ts';
import { createToken, listTokens, revokeToken } from './handlers/tokens.ts';

/** The handshake of the stream is taken before it is a request (server.ts). */
export const STREAM: ControlRoute = {
  method: 'GET',
  path: '/stream',
  scope: 'read',
  summary: 'A WebSocket that shows everything, of any account',
  handle: async () => {
    throw new ApiError('upgradeRequired');
  },
};

export const ROUTES: readonly ControlRoute[] = [
  STREAM,
  { method: 'POST', path: '/accounts', scope: 'admin', summary: 'Create an account', handle: createAccount },
  { method: 'GET', path: '/accounts', scope: 'read', summary: 'All accounts', handle: listAccounts },
  {
    method: 'GET',
    path: '/accounts/{account}',
    scope: 'read',
    summary: 'Balances, positions, open orders',
    handle: showAccount,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/ledger',
    scope: 'read',
    summary: 'What moved the money of an account',
    handle: showLedger,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/orders',
    scope: 'read',
    summary: 'Open orders, with what each is doing and its place in the queue',
    handle: listOrders,
  },
  {
    method: 'POST',
    path: '/accounts/{account}/orders',
    scope: 'admin',
    summary: 'Place an order in the name of an account',
    takesBytes: true,
    handle: placeAs,
  },
  {
    method: 'PUT',
    path: '/accounts/{account}/orders',
    scope: 'admin',
    summary: 'Amend an order in the name of an account',
    takesBytes: true,
    handle: amendAs,
  },
  {
    method: 'DELETE',
    path: '/accounts/{account}/orders',
    scope: 'admin',
    summary: 'Cancel orders in the name of an account',
    handle: cancelAs,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/fills',
    scope: 'read',
    summary: 'The trades of an account, each from its side',
    handle: listFills,
  },
  {
    method: 'PATCH',
    path: '/accounts/{account}',
    scope: 'admin',
    summary: 'Change fees, freeze',
    inTurn: true,
    handle: changeAccount,
  },
  { method: 'POST', path: '/accounts/{account}/keys', scope: 'admin', summary: 'Create an API key', handle: createKey },
  {
    method: 'GET',
    path: '/accounts/{account}/keys',
    scope: 'read',
    summary: 'The API keys of an account',
    handle: listAccountKeys,
  },
  { method: 'GET', path: '/keys', scope: 'read', summary: 'All API keys, without secrets', handle: listKeys },
  {
    method: 'POST',
    path: '/accounts/{account}/deposits',
    scope: 'admin',
    summary: 'Deposit or withdraw',
    handle: deposit,
  },
  { method: 'DELETE', path: '/keys/{key}', scope: 'admin', summary: 'Revoke an API key', handle: revokeKey },
  {
    method: 'POST',
    path: '/prices',
    scope: 'test',
    summary: 'Set index, mark and last of a market',
    handle: setPrices,
    preview: previewPrices,
  },
  { method: 'GET', path: '/clock', scope: 'read', summary: 'Sequence and time', handle: showClock },
  {
    method: 'POST',
    path: '/clock',
    scope: 'test',
    summary: 'Move a manual clock, take the machine’s, or set a speed',
    handle: moveClock,
  },
  { method: 'GET', path: '/due', scope: 'read', summary: 'What time brings about next', handle: showDue },
  { method: 'GET', path: '/state', scope: 'read', summary: 'Sequence, time and state hash', handle: showState },
  {
    method: 'GET',
    path: '/at/{seq}',
    scope: 'read',
    summary: 'The state at any seq of the log',
    handle: showPast,
  },
  {
    method: 'GET',
    path: '/log',
    scope: 'read',
    summary: 'Consecutive commands of the log, each in a sentence',
    handle: listCommands,
  },
  {
    method: 'GET',
    path: '/log/summary',
    scope: 'read',
    summary: 'The log from afar: counts of commands, and marks',
    handle: summariseLog,
  },
  {
    method: 'GET',
    path: '/log/{seq}',
    scope: 'read',
    summary: 'A command of the log, and what it set off',
    handle: showCommand,
  },
  {
    method: 'GET',
    path: '/audit',
    scope: 'read',
    summary: 'The ledger audit',
    handle: showAudit,
  },
  { method: 'GET', path: '/markets', scope: 'read', summary: 'All markets', handle: listMarkets },
  {
    method: 'GET',
    path: '/markets/summary',
    scope: 'read',
    summary: 'Prices, 24 hours, funding and open interest of the markets',
    handle: summarizeMarkets,
  },
  { method: 'POST', path: '/markets', scope: 'admin', summary: 'Add a market', inTurn: true, handle: addMarket },
  {
    method: 'GET',
    path: '/markets/{symbol}/book',
    scope: 'read',
    summary: 'The best levels of a book',
    handle: showBook,
  },
  {
    method: 'PATCH',
    path: '/markets/{symbol}',
    scope: 'admin',
    summary: 'Change terms',
    inTurn: true,
    handle: changeMarket,
  },
  {
    method: 'POST',
    path: '/markets/{symbol}/delist',
    scope: 'admin',
    summary: 'End a halted market for ever',
    inTurn: true,
    handle: delistMarket,
  },
  {
    method: 'POST',
    path: '/markets/{symbol}/halt',
    scope: 'admin',
    summary: 'Take cancels only',
    inTurn: true,
    handle: haltMarket('haltMarket'),
  },
  {
    method: 'POST',
    path: '/markets/{symbol}/resume',
    scope: 'admin',
    summary: 'Trade again',
    inTurn: true,
    handle: haltMarket('resumeMarket'),
  },
  {
    method: 'POST',
    path: '/reset',
    scope: 'test',
    summary: 'Back to the configured beginning',
    inTurn: true,
    handle: reset,
  },
  { method: 'GET', path: '/snapshots', scope: 'read', summary: 'The saved states', handle: listSnapshots },
  {
    method: 'POST',
    path: '/snapshots/{name}',
    scope: 'test',
    summary: 'Save the state under a name',
    handle: saveSnapshot,
  },
  {
    method: 'POST',
    path: '/snapshots/{name}/restore',
    scope: 'test',
    summary: 'Return to a saved state',
    inTurn: true,
    handle: restoreSnapshot,
  },
  { method: 'POST', path: '/faults', scope: 'test', summary: 'Arm a fault at the gateway', handle: armFault },
  { method: 'GET', path: '/faults', scope: 'read', summary: 'What is armed, and how often it hit', handle: listFaults },
  { method: 'DELETE', path: '/faults', scope: 'test', summary: 'Clear all faults', handle: clearFaults },
  {
    method: 'GET',
    path: '/refusals',
    scope: 'read',
    summary: 'Refused commands of clients, by reason',
    handle: async (context) => ({ refusals: context.refusals() }),
  },
  { method: 'GET', path: '/health', scope: 'read', summary: 'Liveness and readiness', handle: showHealth },
  {
    method: 'GET',
    path: '/metrics',
    scope: 'read',
    summary: 'Prometheus text',
    handle: (context) => context.metrics(),
  },
  {
    method: 'GET',
    path: '/orders/{orderId}',
    scope: 'read',
    summary: 'An order with its whole history',
    handle: showOrder,
  },
  {
    method: 'POST',
    path: '/snapshot',
    scope: 'test',
    summary: 'Write a snapshot into the data folder',
    handle: takeSnapshot,
  },
  {
    method: 'POST',
    path: '/log/archive',
    scope: 'admin',
    summary: 'Move old segments of the log to a cold folder',
    handle: archiveLog,
  },
  {
    method: 'GET',
    path: '/tokens',
    scope: 'read',
    summary: 'The control tokens, without themselves',
    handle: listTokens,
  },
  {
    method: 'POST',
    path: '/tokens',
    scope: 'admin',
    summary: 'Create a control token',
    tokenOnly: true,
    handle: createToken,
  },
  { method: 'DELETE', path: '/tokens/{name}', scope: 'admin', summary: 'Revoke a control token', handle: revokeToken },
];
