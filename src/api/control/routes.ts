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
import * as replies from './schemas/replies.ts';
import * as requests from './schemas/requests.ts';

/** The handshake of the stream is taken before it is a request (server.ts). */
export const STREAM: ControlRoute = {
  method: 'GET',
  path: '/stream',
  scope: 'read',
  summary: 'A WebSocket that shows everything, of any account',
  reply: replies.NOTHING,
  upgrades: true,

  handle: async () => {
    throw new ApiError('upgradeRequired');
  },
};

export const ROUTES: readonly ControlRoute[] = [
  STREAM,
  {
    method: 'POST',
    path: '/accounts',
    scope: 'admin',
    summary: 'Create an account',
    takes: { body: requests.NEW_ACCOUNT },
    reply: replies.ACCOUNT_CREATED,
    examples: { 'a new account': { body: { name: 'bob' } } },
    handle: createAccount,
  },
  {
    method: 'GET',
    path: '/accounts',
    scope: 'read',
    summary: 'All accounts',
    takes: { query: requests.PAGE_QUERY },
    reply: replies.ACCOUNTS,
    examples: { 'the first ten': { query: { limit: 10 } } },
    handle: listAccounts,
  },
  {
    method: 'GET',
    path: '/accounts/{account}',
    scope: 'read',
    summary: 'Balances, positions, open orders',
    reply: replies.ACCOUNT,

    handle: showAccount,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/ledger',
    scope: 'read',
    summary: 'What moved the money of an account',
    takes: { query: requests.LEDGER_QUERY },
    reply: replies.LEDGER,

    handle: showLedger,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/orders',
    scope: 'read',
    summary: 'Open orders, with what each is doing and its place in the queue',
    takes: { query: requests.OPEN_ORDERS_QUERY },
    reply: replies.OPEN_ORDERS,
    examples: { 'in one market': { query: { symbol: 'BTC-USDT' } } },

    handle: listOrders,
  },
  {
    method: 'POST',
    path: '/accounts/{account}/orders',
    scope: 'admin',
    summary: 'Place an order in the name of an account',
    takes: { body: requests.ORDER_BODY },
    reply: replies.ORDER_RECORDS,
    examples: {
      'a limit order on spot': {
        body: { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.01, orderPrice: 59000 },
      },
      'a TWAP on spot': {
        body: { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'TWAP', orderSize: 0.01, timePeriod: 600 },
      },
      'a limit order on futures': { body: { symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', size: 10, price: 59000 } },
    },

    takesBytes: true,
    handle: placeAs,
  },
  {
    method: 'PUT',
    path: '/accounts/{account}/orders',
    scope: 'admin',
    summary: 'Amend an order in the name of an account',
    takes: { body: requests.ORDER_BODY },
    reply: replies.ORDER_RECORDS,
    examples: {
      'a new price': { body: { symbol: 'BTC-USDT', clOrderId: 'my-first', orderPrice: 58500 } },
    },

    takesBytes: true,
    handle: amendAs,
  },
  {
    method: 'DELETE',
    path: '/accounts/{account}/orders',
    scope: 'admin',
    summary: 'Cancel orders in the name of an account',
    takes: { query: requests.CANCEL_QUERY },
    reply: replies.ORDER_RECORDS,
    examples: {
      'by client id': { query: { symbol: 'BTC-USDT', clOrderId: 'my-first' } },
    },

    handle: cancelAs,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/fills',
    scope: 'read',
    summary: 'The trades of an account, each from its side',
    takes: { query: requests.FILLS_QUERY },
    reply: replies.FILLS,
    examples: { 'since a time': { query: { market: 'BTC-USDT', from: '2026-01-01T00:00:00Z' } } },

    handle: listFills,
  },
  {
    method: 'PATCH',
    path: '/accounts/{account}',
    scope: 'admin',
    summary: 'Change fees, freeze',
    takes: { body: requests.ACCOUNT_CHANGE },
    reply: replies.ACCOUNT,
    examples: {
      'other fees': { body: { fees: { 'BTC-PERP': { maker: '0.0001', taker: '0.0004' } } } },
      'a freeze': { body: { frozen: 'cancelOnly' } },
    },

    inTurn: true,
    handle: changeAccount,
  },
  {
    method: 'POST',
    path: '/accounts/{account}/keys',
    scope: 'admin',
    summary: 'Create an API key',
    takes: { body: requests.NEW_KEY },
    reply: replies.KEY_CREATED,
    examples: {
      'a key that trades': { body: { permissions: ['read', 'trading'] } },
      'a key that reads, from one network': { body: { permissions: ['read'], ipAllow: ['192.0.2.0/24'] } },
    },
    handle: createKey,
  },
  {
    method: 'GET',
    path: '/accounts/{account}/keys',
    scope: 'read',
    summary: 'The API keys of an account',
    takes: { query: requests.PAGE_QUERY },
    reply: replies.KEYS,

    handle: listAccountKeys,
  },
  {
    method: 'GET',
    path: '/keys',
    scope: 'read',
    summary: 'All API keys, without secrets',
    takes: { query: requests.PAGE_QUERY },
    reply: replies.KEYS,
    handle: listKeys,
  },
  {
    method: 'POST',
    path: '/accounts/{account}/deposits',
    scope: 'admin',
    summary: 'Deposit or withdraw',
    takes: { body: requests.DEPOSIT },
    reply: replies.DEPOSITED,
    examples: {
      'a deposit': { body: { currency: 'USDT', amount: '1000' } },
      'a withdrawal': { body: { currency: 'USDT', amount: '-10.5' } },
    },

    handle: deposit,
  },
  {
    method: 'DELETE',
    path: '/keys/{key}',
    scope: 'admin',
    summary: 'Revoke an API key',
    reply: replies.NOTHING,
    handle: revokeKey,
  },
  {
    method: 'POST',
    path: '/prices',
    scope: 'test',
    summary: 'Set index, mark and last of a market',
    takes: { query: requests.PREVIEW_QUERY, body: requests.NEW_PRICES },
    reply: replies.PRICES_SET,
    examples: {
      'index and last': { body: { symbol: 'BTC-USDT', index: 60000, last: 60000 } },
      'a mark': { body: { symbol: 'BTC-PERP', mark: '59000.5' } },
      'a value of a feed': { body: { symbol: 'BTC-PERP', index: 60010, feed: true } },
      'what a mark would set off': { query: { preview: true }, body: { symbol: 'BTC-PERP', mark: 40000 } },
    },

    handle: setPrices,
    preview: previewPrices,
  },
  {
    method: 'GET',
    path: '/clock',
    scope: 'read',
    summary: 'Sequence and time',
    reply: replies.CLOCK_NOW,
    handle: showClock,
  },
  {
    method: 'POST',
    path: '/clock',
    scope: 'test',
    summary: 'Move a manual clock, take the machine’s, or set a speed',
    takes: { body: requests.CLOCK_MOVE },
    reply: replies.CLOCK_MOVED,
    examples: {
      'an hour later': { body: { advance: '1h' } },
      'to a time': { body: { to: '2026-01-02T00:00:00Z' } },
      'to what is due next': { body: { toNextDue: true } },
      'a real clock sixty times as fast': { body: { speed: 60 } },
      'a real clock as the machine has it': { body: { acceptWall: true } },
    },

    handle: moveClock,
  },
  {
    method: 'GET',
    path: '/due',
    scope: 'read',
    summary: 'What time brings about next',
    takes: { query: requests.LIMIT_QUERY },
    reply: replies.DUE,
    examples: { 'the next five': { query: { limit: 5 } } },
    handle: showDue,
  },
  {
    method: 'GET',
    path: '/state',
    scope: 'read',
    summary: 'Sequence, time and state hash',
    reply: replies.STATE,
    handle: showState,
  },
  {
    method: 'GET',
    path: '/at/{seq}',
    scope: 'read',
    summary: 'The state at any seq of the log',
    takes: { query: requests.AT_QUERY },
    reply: replies.PAST_STATE,
    examples: {
      'a book': { query: { show: 'book', symbol: 'BTC-USDT' } },
      'an account': { query: { show: 'account', account: 'alice' } },
    },

    handle: showPast,
  },
  {
    method: 'GET',
    path: '/log',
    scope: 'read',
    summary: 'Consecutive commands of the log, each in a sentence',
    takes: { query: requests.COMMANDS_QUERY },
    reply: replies.COMMANDS,
    examples: { 'from the first one': { query: { from: 1, limit: 10 } } },

    handle: listCommands,
  },
  {
    method: 'GET',
    path: '/log/summary',
    scope: 'read',
    summary: 'The log from afar: counts of commands, and marks',
    takes: { query: requests.SUMMARY_QUERY },
    reply: replies.LOG_SUMMARY,
    examples: { 'with the fills of an account': { query: { account: 'alice' } } },

    handle: summariseLog,
  },
  {
    method: 'GET',
    path: '/log/{seq}',
    scope: 'read',
    summary: 'A command of the log, and what it set off',
    takes: { query: requests.COMMAND_QUERY },
    reply: replies.PAST_COMMAND,

    handle: showCommand,
  },
  {
    method: 'GET',
    path: '/audit',
    scope: 'read',
    summary: 'The ledger audit',
    reply: replies.AUDIT,

    handle: showAudit,
  },
  {
    method: 'GET',
    path: '/markets',
    scope: 'read',
    summary: 'All markets',
    takes: { query: requests.PAGE_QUERY },
    reply: replies.MARKETS,
    handle: listMarkets,
  },
  {
    method: 'GET',
    path: '/markets/summary',
    scope: 'read',
    summary: 'Prices, 24 hours, funding and open interest of the markets',
    takes: { query: requests.PAGE_QUERY },
    reply: replies.MARKET_SUMMARIES,

    handle: summarizeMarkets,
  },
  {
    method: 'POST',
    path: '/markets',
    scope: 'admin',
    summary: 'Add a market',
    takes: { body: requests.NEW_MARKET },
    reply: replies.MARKET,
    examples: {
      'a pair with a new currency': {
        body: {
          symbol: 'SOL-USDT',
          kind: 'spot',
          base: 'SOL',
          quote: 'USDT',
          tick: '0.01',
          maxPrice: '100000',
          step: '0.01',
          minSize: '0.01',
          maxSize: '100000',
          currencies: { SOL: { decimals: 9 } },
        },
      },
    },
    inTurn: true,
    handle: addMarket,
  },
  {
    method: 'GET',
    path: '/markets/{symbol}/book',
    scope: 'read',
    summary: 'The best levels of a book',
    takes: { query: requests.LIMIT_QUERY },
    reply: replies.BOOK,
    examples: { 'ten levels': { path: { symbol: 'BTC-USDT' }, query: { limit: 10 } } },

    handle: showBook,
  },
  {
    method: 'PATCH',
    path: '/markets/{symbol}',
    scope: 'admin',
    summary: 'Change terms',
    takes: { body: requests.TERMS_CHANGE },
    reply: replies.MARKET,
    examples: {
      'other fees': { body: { fees: { maker: '0.0001', taker: '0.0004' } } },
    },

    inTurn: true,
    handle: changeMarket,
  },
  {
    method: 'POST',
    path: '/markets/{symbol}/delist',
    scope: 'admin',
    summary: 'End a halted market for ever',
    takes: { body: requests.DELISTING },
    reply: replies.MARKET,
    examples: { 'with a price for open positions': { body: { settlementPrice: '60000' } } },

    inTurn: true,
    handle: delistMarket,
  },
  {
    method: 'POST',
    path: '/markets/{symbol}/halt',
    scope: 'admin',
    summary: 'Take cancels only',
    reply: replies.MARKET,

    inTurn: true,
    handle: haltMarket('haltMarket'),
  },
  {
    method: 'POST',
    path: '/markets/{symbol}/resume',
    scope: 'admin',
    summary: 'Trade again',
    reply: replies.MARKET,

    inTurn: true,
    handle: haltMarket('resumeMarket'),
  },
  {
    method: 'POST',
    path: '/reset',
    scope: 'test',
    summary: 'Back to the configured beginning',
    reply: replies.DONE_AT,

    inTurn: true,
    handle: reset,
  },
  {
    method: 'GET',
    path: '/snapshots',
    scope: 'read',
    summary: 'The saved states',
    reply: replies.SNAPSHOTS,
    handle: listSnapshots,
  },
  {
    method: 'POST',
    path: '/snapshots/{name}',
    scope: 'test',
    summary: 'Save the state under a name',
    reply: replies.SNAPSHOT_DONE,
    examples: { 'the state before a test': { path: { name: 'before' } } },

    handle: saveSnapshot,
  },
  {
    method: 'POST',
    path: '/snapshots/{name}/restore',
    scope: 'test',
    summary: 'Return to a saved state',
    reply: replies.SNAPSHOT_DONE,

    inTurn: true,
    handle: restoreSnapshot,
  },
  {
    method: 'POST',
    path: '/faults',
    scope: 'test',
    summary: 'Arm a fault at the gateway',
    takes: { body: requests.FAULT },
    reply: replies.FAULTS_ARMED,
    examples: {
      'an order without an answer': {
        body: { match: { method: 'POST', path: '/spot/api/v4/trade/orders' }, dropReply: true },
      },
      'three refusals': { body: { status: 503, times: 3 } },
      'late frames of the streams': { body: { streamLatencyMs: 2000, times: 10 } },
    },
    handle: armFault,
  },
  {
    method: 'GET',
    path: '/faults',
    scope: 'read',
    summary: 'What is armed, and how often it hit',
    reply: replies.FAULTS,
    handle: listFaults,
  },
  {
    method: 'DELETE',
    path: '/faults',
    scope: 'test',
    summary: 'Clear all faults',
    reply: replies.FAULTS_ARMED,
    handle: clearFaults,
  },
  {
    method: 'GET',
    path: '/refusals',
    scope: 'read',
    summary: 'Refused commands of clients, by reason',
    reply: replies.REFUSALS,

    handle: async (context) => ({ refusals: context.refusals() }),
  },
  {
    method: 'GET',
    path: '/health',
    scope: 'read',
    summary: 'Liveness and readiness',
    reply: replies.HEALTH,
    mayBeUnready: true,
    handle: showHealth,
  },
  {
    method: 'GET',
    path: '/metrics',
    scope: 'read',
    summary: 'Prometheus text',
    reply: replies.METRICS,

    handle: (context) => context.metrics(),
  },
  {
    method: 'GET',
    path: '/orders/{orderId}',
    scope: 'read',
    summary: 'An order with its whole history',
    takes: { query: requests.ORDER_QUERY },
    reply: replies.ORDER_STORY,
    examples: {
      'by client id': { query: { account: 'alice' } },
    },

    handle: showOrder,
  },
  {
    method: 'POST',
    path: '/snapshot',
    scope: 'test',
    summary: 'Write a snapshot into the data folder',
    reply: replies.SNAPSHOT_FILE,

    handle: takeSnapshot,
  },
  {
    method: 'POST',
    path: '/log/archive',
    scope: 'admin',
    summary: 'Move old segments of the log to a cold folder',
    takes: { body: requests.LOG_ARCHIVE },
    reply: replies.LOG_ARCHIVED,
    examples: { 'to a slower disk': { body: { to: '/mnt/cold' } } },

    handle: archiveLog,
  },
  {
    method: 'GET',
    path: '/tokens',
    scope: 'read',
    summary: 'The control tokens, without themselves',
    reply: replies.TOKENS,

    handle: listTokens,
  },
  {
    method: 'POST',
    path: '/tokens',
    scope: 'admin',
    summary: 'Create a control token',
    takes: { body: requests.NEW_TOKEN },
    reply: replies.TOKEN_CREATED,
    examples: { 'for a monitor': { body: { name: 'monitor', scope: 'read' } } },

    tokenOnly: true,
    handle: createToken,
  },
  {
    method: 'DELETE',
    path: '/tokens/{name}',
    scope: 'admin',
    summary: 'Revoke a control token',
    reply: replies.NOTHING,
    examples: { 'of a harness': { path: { name: 'harness' } } },
    handle: revokeToken,
  },
];
