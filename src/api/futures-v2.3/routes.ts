/**
 * Futures v2.3: place, look up and cancel orders, and the cross wallet. Errors are envelope A. Names of markets:
 * BTC-PERP, BTC-PERP-USDT and BTCPFC. A placement is answered with an array always; an OCO's stop leg comes first.
 */
import { ApiError, malformed } from '../errors.ts';
import { cancelNamed, type IdNames, ownOrder } from '../requests-common.ts';
import type { Call, Route, Surface } from '../surface.ts';
import { findMarket, reader, submit } from '../values.ts';
import { NAMES, placement } from './placements.ts';
import { lookupRecord, orderRecord } from './records.ts';
import * as schemas from './schemas.ts';
import { CROSS_WALLET, crossWallet } from './wallet.ts';

const IDS: IdNames = { id: 'orderID', clientId: 'clOrderID' };

const readLookup = reader(schemas.LOOKUP_QUERY);
const readCancel = reader(schemas.CANCEL_QUERY);
const readWallet = reader(schemas.WALLET_QUERY);

async function place(call: Call): Promise<object[]> {
  const reply = await submit(call, placement(call), NAMES);
  const records = reply.orders.map((order) => orderRecord(call.engine.venue, reply, order));
  return reply.orders[0].oco === null ? records : records.reverse();
}

/** Live and ended orders alike, as long as the venue holds them. */
function lookup(call: Call): object {
  const query = readLookup(call.query);
  const order = ownOrder(call, 'futures', { id: query.orderID, clientId: query.clOrderID }, IDS);
  return lookupRecord(call.venue, order);
}

/** One order, every live order of a client id, or (neither given) all of the market; nothing to cancel is `[]`. */
async function cancel(call: Call): Promise<object[]> {
  const query = readCancel(call.query);
  const market = findMarket(call.venue, 'futures', query.symbol, true).index;
  const named = { id: query.orderID, clientId: query.clOrderID };
  // An empty client id is somebody's unset variable: it must not cancel everything.
  if (named.id === undefined && named.clientId === null) {
    throw malformed('clOrderID', 'is empty', 'give an id, or leave it out to cancel all orders of the market');
  }
  const { account } = call;
  const reply =
    named.id === undefined && named.clientId === undefined
      ? await submit(call, { v: 1, type: 'cancelAll', account, product: 'futures', market })
      : await cancelNamed(call, 'futures', market, named, IDS);
  return reply.orders.map((order) => orderRecord(call.engine.venue, reply, order));
}

function wallet(call: Call): object[] {
  const { wallet: name = CROSS_WALLET } = readWallet(call.query);
  if (name.startsWith('ISOLATED@')) {
    throw new ApiError('positionModeUnavailable', { positionMode: 'ISOLATED', expected: 'ONE_WAY' });
  }
  if (name !== CROSS_WALLET) throw malformed('wallet', `is ${JSON.stringify(name)}`, `give ${CROSS_WALLET}`);
  const { venue, account } = call;
  return [crossWallet(venue, venue.balances(account), venue.positions(account))];
}

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/order',
    permission: 'trading',
    summary: 'Place a MARKET, LIMIT or OCO order, a STOP, TRIGGER or trailing order, with attached TP and SL',
    body: schemas.CREATE_BODY,
    handle: place,
  },
  {
    method: 'GET',
    path: '/order',
    permission: 'trading',
    summary: 'Look up one order by orderID or clOrderID',
    query: schemas.LOOKUP_QUERY,
    handle: lookup,
  },
  {
    method: 'DELETE',
    path: '/order',
    permission: 'trading',
    summary: 'Cancel by orderID or clOrderID, or all orders of a market',
    query: schemas.CANCEL_QUERY,
    handle: cancel,
  },
  {
    method: 'GET',
    path: '/user/wallet',
    permission: 'read',
    summary: 'The cross wallet',
    query: schemas.WALLET_QUERY,
    handle: wallet,
  },
];

export const futuresV23: Surface = {
  name: 'futures-v2.3',
  envelope: 'A',
  basePath: '/futures/api/v2.3',
  unsignedPrefix: '/futures',
  routes,
};
