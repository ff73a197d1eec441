/**
 * A morning of a bot among the demo's traders, the same in every run: what the pictures of the documents show, and a busy page
 * for tests. Prices are in relation to the last trade, which the seed decides.
 */
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';

export interface Morning {
  readonly venue: TestVenue;
  readonly control: ControlClient;
  /** The ids of orders of `bot`. */
  readonly stopLoss: string;
  readonly twap: string;
  /** Moves the mark below the stop-loss, and lets some time pass. */
  fall(): Promise<void>;
}

/** `bot` is long, with orders of every kind, and the account that a page shows first. */
export async function openMorning(): Promise<Morning> {
  const venue = await startVenue({
    demo: true,
    seed: 11,
    startTime: '2026-01-05T07:30:00Z',
    accounts: [{ name: 'bot', balances: { USDT: '60000', BTC: '2' } }],
  });
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  // The traders have 600 turns in each advance: enough for candles, and the log is soon made.
  const wait = async (minutes: number) => {
    for (let i = 0; i < minutes; i += 10) await venue.advance(`${Math.min(10, minutes - i)}m`);
  };
  const last = async (symbol: string) => {
    const { markets } = await control.markets();
    return Number(markets.find((market) => market.symbol === symbol)?.last);
  };
  const place = async (symbol: string, terms: object) => {
    const [record] = await control.placeAs('bot', { symbol, ...terms });
    return String(record.orderID ?? record.orderId);
  };
  const future = (side: string, size: number, terms: object) => place('BTC-PERP', { side, size, ...terms });
  const price = (of: number, offset: number) => Math.round(of + offset);

  await wait(40);
  await future('BUY', 20_000, { type: 'MARKET' });
  await wait(10);
  const entry = await last('BTC-PERP');
  const exits = { takeProfitPrice: price(entry, 900), stopLossPrice: price(entry, -420) };
  await future('BUY', 30_000, { type: 'MARKET', ...exits });
  await wait(10);
  const spot = await last('BTC-USDT');
  const twap = await place('BTC-USDT', {
    orderType: 'TWAP',
    orderSide: 'BUY',
    orderSize: 0.4,
    timePeriod: 3600,
    pausePrice: price(spot, 60),
  });
  await wait(20);
  const now = await last('BTC-PERP');
  await future('SELL', 10_000, { type: 'LIMIT', price: price(now, 45) });
  await future('BUY', 5000, { type: 'LIMIT', price: price(now, -38) });
  await future('SELL', 20_000, { type: 'MARKET', trailValue: 240 });
  await future('BUY', 10_000, { type: 'PEG', price: price(now, 200), deviation: -0.15, stealth: 20 });
  await wait(5);
  const { orders } = await control.openOrders('bot', {}, 'BTC-PERP');
  const stopLoss = orders.find(({ kind, details }) => kind === 'conditional' && isStopLoss(details));
  if (stopLoss === undefined) throw new Error('the stop-loss does not wait');
  const fall = async () => {
    await control.setPrices('BTC-PERP', { mark: exits.stopLossPrice - 30 });
    await wait(5);
  };
  return { venue, control, stopLoss: stopLoss.orderId, twap, fall };
}

function isStopLoss(details: unknown): boolean {
  const { name, terms } = details as { name?: string; terms?: { role?: string } };
  return name === 'attachedTo' && terms?.role !== 'takeProfit';
}
