/** A venue with an order of each kind, a position that is near its liquidation, and a skipped part of a TWAP. */
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';

export const SPOT = 'BTC-USDT';
export const PERP = 'BTC-PERP';

/** Orders by what they are. */
export interface Busy {
  readonly venue: TestVenue;
  readonly client: ControlClient;
  readonly orders: Readonly<Record<'limit' | 'stop' | 'twap' | 'trailing' | 'peg' | 'oco' | 'cancelled', string>>;
  /** The last command. */
  readonly seq: number;
}

type Body = Readonly<Record<string, unknown>>;

export async function busyVenue(): Promise<Busy> {
  const venue = await startVenue({
    accounts: [
      { name: 'bot', balances: { USDT: '3000', BTC: '5' } },
      { name: 'maker', balances: { USDT: '9000000', BTC: '50' } },
    ],
  });
  const client = new ControlClient({ url: venue.control, token: venue.controlToken });
  const place = async (account: string, body: Body): Promise<string> => {
    const [first] = await client.placeAs(account, body);
    return String(first.orderID ?? first.orderId);
  };
  const future = (account: string, side: string, size: number, price: number | null, more: Body = {}) =>
    place(account, {
      symbol: PERP,
      type: price === null ? 'MARKET' : 'LIMIT',
      side,
      size,
      ...(price !== null && { price }),
      ...more,
    });
  const spot = (account: string, orderSide: string, orderSize: number, orderPrice: number) =>
    place(account, { symbol: SPOT, orderType: 'LIMIT', orderSide, orderSize, orderPrice });
  const algo = (orderType: string, orderSide: string, body: Body) =>
    place('bot', { symbol: SPOT, orderType, orderSide, ...body });

  for (const symbol of [SPOT, PERP]) await client.setPrices(symbol, { index: 60_000, last: 60_000 });
  const quotes = [await spot('maker', 'SELL', 1, 60_010), await spot('maker', 'BUY', 1, 59_990)];
  await future('maker', 'SELL', 200_000, 60_010);
  await future('maker', 'BUY', 200_000, 59_990);
  await future('bot', 'BUY', 90_000, null);
  const stop = await future('bot', 'SELL', 1000, null, {
    txType: 'STOP',
    triggerPrice: 59_900,
    triggerType: 'markPrice',
  });
  const limit = await future('bot', 'SELL', 900, 60_050, { clOrderID: 'exit-17' });
  const cancelled = await future('bot', 'SELL', 700, 60_060);
  await client.request('DELETE', `/accounts/bot/orders?symbol=${PERP}&orderID=${cancelled}`);
  const oco = await algo('OCO', 'SELL', {
    orderSize: 0.2,
    takeProfitOrderPrice: 60_500,
    stopLossTriggerPrice: 59_500,
    stopLossOrderPrice: 59_400,
    stopLossTriggerPriceType: 'LAST_PRICE',
  });
  const trailing = await algo('TRAILING', 'SELL', { orderSize: 0.2, trailValue: 500, trailValueType: 'DISTANCE' });
  const peg = await algo('PEG', 'SELL', { orderSize: 0.4, orderPrice: 59_000, deviation: 0.5, stealth: 10 });
  const twap = await algo('TWAP', 'SELL', { orderSize: 0.2, timePeriod: 600, maxSpread: 0.001 });
  await client.request('POST', '/clock', { advance: '61s' });
  // The next part meets a spread that is too wide.
  for (const id of quotes) await client.request('DELETE', `/accounts/maker/orders?symbol=${SPOT}&orderId=${id}`);
  await spot('maker', 'BUY', 1, 59_800);
  await client.request('POST', '/clock', { advance: '31s' });
  const { seq } = (await client.request('GET', '/clock')) as { seq: number };
  return { venue, client, orders: { limit, stop, twap, trailing, peg, oco, cancelled }, seq };
}
