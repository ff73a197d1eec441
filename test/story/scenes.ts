/** Scenes of a venue with every kind of order, for stories: accounts that trade, and the orders to read about. */
import { BourseClient, ControlClient, type StartVenueOptions, startVenue, type TestVenue } from '../../src/index.ts';
import type { StoryPart, StoryRow } from '../../src/story/order-facts.ts';

/** An order as the control surface answers. */
export interface Answer {
  readonly order: Readonly<Record<string, unknown>>;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly title: string;
  readonly status: string;
  readonly sentence: string;
  readonly rows: readonly StoryRow[];
  readonly parts?: readonly StoryPart[];
  readonly totals: unknown;
  readonly siblings: readonly Readonly<Record<string, unknown>>[];
  readonly alongside: readonly { readonly seq: number; readonly sentences: readonly string[] }[];
  readonly ledger: { readonly entries: readonly Readonly<Record<string, unknown>>[]; readonly more: boolean };
}

const account = (name: string, USDT: string) => ({
  name,
  balances: { USDT, BTC: '100' },
  keys: [{ key: name, secret: `${name}-secret`, permissions: ['read', 'trading', 'transfer', 'wallet'] as const }],
});

/** BTC-USDT and BTC-PERP at 60,000. `maker` has much, `thin` little. */
export class Scene implements AsyncDisposable {
  readonly venue: TestVenue;
  readonly control: ControlClient;
  readonly maker: BourseClient;
  readonly bot: BourseClient;
  readonly thin: BourseClient;

  private constructor(venue: TestVenue) {
    this.venue = venue;
    this.control = new ControlClient({ url: venue.control, token: venue.controlToken });
    const client = (name: string) => {
      const found = venue.keys.find((key) => key.account === name);
      if (found === undefined) throw new Error(`no key of ${name}`);
      return new BourseClient({ url: venue.url, ...found });
    };
    this.maker = client('maker');
    this.bot = client('bot');
    this.thin = client('thin');
  }

  /** `options`: such as a data folder. If that has a venue already, it goes on. */
  static async open(options: StartVenueOptions = {}): Promise<Scene> {
    const accounts = [account('maker', '10000000'), account('bot', '1000000'), account('thin', '250')];
    const begun = { accounts, insuranceFund: { USDT: '100000' }, startTime: '2026-01-01T14:26:00Z' };
    const venue = await startVenue({ ...begun, ...options });
    const scene = new Scene(venue);
    const { balances } = (await scene.control.account('bot')) as { balances: Record<string, { total: string }> };
    // A venue that goes on has its prices.
    if (balances.USDT.total !== '1000000') return scene;
    for (const symbol of ['BTC-USDT', 'BTC-PERP']) {
      await venue.setPrice(symbol, { index: 60_000, last: 60_000 });
    }
    return scene;
  }

  async spot(
    client: BourseClient,
    side: 'BUY' | 'SELL',
    size: number,
    price: number,
    terms: object = {},
  ): Promise<string> {
    const order = { symbol: 'BTC-USDT', orderSide: side, orderType: 'LIMIT', orderSize: size, orderPrice: price };
    return idOf(await client.send('POST', '/spot/api/v4/trade/orders', { body: { ...order, ...terms } }));
  }

  async market(client: BourseClient, side: 'BUY' | 'SELL', terms: object): Promise<string> {
    const order = { symbol: 'BTC-USDT', orderSide: side, orderType: 'MARKET', ...terms };
    return idOf(await client.send('POST', '/spot/api/v4/trade/orders', { body: order }));
  }

  async algo(client: BourseClient, orderType: string, side: 'BUY' | 'SELL', terms: object): Promise<string[]> {
    const order = { symbol: 'BTC-USDT', orderSide: side, orderType, ...terms };
    return idsOf(await client.send('POST', '/spot/api/v4/trade/orders/algo', { body: order }));
  }

  async futures(client: BourseClient, side: 'BUY' | 'SELL', size: number, terms: object): Promise<string[]> {
    const order = { symbol: 'BTC-PERP', side, size, type: 'LIMIT', ...terms };
    return idsOf(await client.send('POST', '/futures/api/v2.3/order', { body: order }));
  }

  /** A busy machine may need more than one wait for the archive, which gives up after 5 s. */
  async story(id: string, query = '', waits = 12): Promise<Answer> {
    const { control, controlToken } = this.venue;
    const response = await fetch(`${control}/control/v1/orders/${id}${query}`, {
      headers: { authorization: `Bearer ${controlToken}` },
    });
    const body = await response.json();
    if (response.ok) return body as Answer;
    if (response.status === 503 && waits > 1) return this.story(id, query, waits - 1);
    throw new Error(JSON.stringify(body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of [this.maker, this.bot, this.thin]) client.close();
    await this.venue.close();
  }
}

function idsOf(reply: unknown): string[] {
  const records = (Array.isArray(reply) ? reply : [reply]) as Readonly<Record<string, unknown>>[];
  return records.map((record) => String(record.orderId ?? record.orderID));
}

function idOf(reply: unknown): string {
  return idsOf(reply)[0];
}

/** A story as it is read: title and status, its sentence, then the rows. Ids of orders are replaced by their order. */
export function read({ title, status, sentence, rows }: Answer): string[] {
  const lines = rows.map(({ time, sentence: said, detail, price, filled, left }) => {
    const at = new Date(time).toISOString().slice(11, 19);
    const figures = [price, filled, left].map((figure) => figure ?? '–').join(' / ');
    return `${at} ${said}${detail === undefined ? '' : ` (${detail})`} [${figures}]`;
  });
  const names = new Map<string, string>();
  const named = (text: string) =>
    text.replace(/\b[0-9a-f]{8}\b(?!-)/g, (id) => {
      if (!names.has(id)) names.set(id, `ID-${names.size + 1}`);
      return names.get(id) as string;
    });
  return [`${title} (${status})`, sentence, ...lines].map(named);
}

const PERP = 'BTC-PERP';
const SPOT = 'BTC-USDT';

/** An ask side from 60,050 on in steps of 10, and a bid at 60,000. */
async function book(scene: Scene): Promise<void> {
  for (let i = 0; i < 8; i++) await scene.spot(scene.maker, 'SELL', 0.5, 60_050 + 10 * i);
  await scene.spot(scene.maker, 'BUY', 0.5, 60_000);
}

/** A long position of 1,000 contracts with a take-profit and a stop-loss, whose ids follow the order's. */
async function bracket(scene: Scene): Promise<string[]> {
  await scene.futures(scene.maker, 'SELL', 1000, { price: 60_010 });
  await scene.futures(scene.maker, 'BUY', 2000, { price: 59_450 });
  const exits = { takeProfitPrice: 61_000, stopLossPrice: 59_500 };
  const [parent] = await scene.futures(scene.bot, 'BUY', 1000, { price: 60_010, ...exits });
  const { siblings } = await scene.story(parent);
  return [parent, ...siblings.map(({ orderId }) => String(orderId))];
}

/** What each plays, and the id of the order that its story is about. */
export const SCENES: Readonly<Record<string, (scene: Scene) => Promise<string>>> = {
  'a limit order that was partly filled and cancelled': async (scene) => {
    const orderId = await scene.spot(scene.bot, 'BUY', 0.5, 59_000, { clOrderId: 'entry-1' });
    await scene.spot(scene.maker, 'SELL', 0.2, 59_000);
    await scene.venue.advance(5000);
    await scene.bot.cancelSpotOrder(SPOT, { orderId });
    return orderId;
  },
  'a limit order that works': async (scene) => {
    const [id] = await scene.futures(scene.bot, 'BUY', 500, { price: 59_000, time_in_force: 'FIVEMIN' });
    await scene.futures(scene.maker, 'SELL', 200, { price: 59_000 });
    return id;
  },
  'a limit order that was amended and filled': async (scene) => {
    const id = await scene.spot(scene.bot, 'BUY', 0.5, 59_000);
    await scene.venue.advance(1000);
    await scene.bot.amendSpotOrder({
      symbol: SPOT,
      orderId: id,

      orderPrice: 59_100,
      orderSize: 0.4,
    } as never);
    for (const size of [0.1, 0.1, 0.1]) {
      await scene.venue.advance(1000);
      await scene.spot(scene.maker, 'SELL', size, 59_100);
    }
    await scene.venue.advance(1000);
    await scene.spot(scene.maker, 'SELL', 0.2, 59_050);
    return id;
  },
  'a limit order that expired': async (scene) => {
    const [id] = await scene.futures(scene.bot, 'BUY', 500, { price: 59_000, time_in_force: 'FIVEMIN' });
    await scene.venue.advance('10m');
    return id;
  },
  'a post-only order that was rejected': async (scene) => {
    await scene.spot(scene.maker, 'SELL', 0.3, 60_010);
    return scene.spot(scene.bot, 'BUY', 0.1, 60_010, { postOnly: true });
  },
  'a fill-or-kill order': async (scene) => {
    await scene.spot(scene.maker, 'SELL', 0.3, 60_010);
    return scene.spot(scene.bot, 'BUY', 0.5, 60_010, { timeInForce: 'FOK' });
  },
  'an immediate-or-cancel order': async (scene) => {
    await scene.spot(scene.maker, 'SELL', 0.3, 60_010);
    return scene.spot(scene.bot, 'BUY', 0.5, 60_010, { timeInForce: 'IOC' });
  },
  'an order that met one of its own account': async (scene) => {
    await scene.spot(scene.maker, 'SELL', 0.3, 60_010);
    await scene.spot(scene.bot, 'SELL', 0.2, 60_020, { clOrderId: 'exit-a' });
    return scene.spot(scene.bot, 'BUY', 0.5, 60_030, { clOrderId: 'chase' });
  },
  'a market order': async (scene) => {
    await scene.spot(scene.maker, 'BUY', 0.3, 60_000);
    await scene.spot(scene.maker, 'BUY', 0.3, 59_990);
    return scene.market(scene.bot, 'SELL', { orderSize: 0.5 });
  },
  'a market order that spends an amount': async (scene) => {
    await book(scene);
    return scene.market(scene.bot, 'BUY', { quoteOrderSize: 40_000 });
  },
  'a stop that waits': async (scene) => {
    const terms = {
      orderSize: 0.5,
      triggerPrice: 59_800,
      triggerPriceType: 'LAST_PRICE',
      triggerOrderType: 'STOP_LOSS',
    };
    const [id] = await scene.algo(scene.bot, 'CONDITIONAL', 'SELL', terms);
    return id;
  },
  'a stop that a trade of others fired': async (scene) => {
    await scene.spot(scene.maker, 'BUY', 1, 59_790);
    const terms = {
      orderSize: 0.5,
      triggerPrice: 59_800,
      triggerPriceType: 'LAST_PRICE',
      triggerOrderType: 'STOP_LOSS',
    };
    const [id] = await scene.algo(scene.bot, 'CONDITIONAL', 'SELL', terms);
    await scene.venue.advance(1500);
    await scene.spot(scene.thin, 'SELL', 0.01, 59_790);
    return id;
  },
  'a take-profit on futures that had no money when it fired': async (scene) => {
    const terms = { txType: 'TRIGGER', triggerPrice: 61_000, type: 'LIMIT', price: 61_000 };
    const [id] = await scene.futures(scene.thin, 'SELL', 100_000, terms);
    await scene.venue.setPrice(PERP, { mark: 61_000, last: 61_000 });
    return id;
  },
  'the limit leg of an OCO': async (scene) => (await oco(scene))[0],
  'the stop leg of an OCO': async (scene) => (await oco(scene))[1],
  'a trailing stop that fired': async (scene) => {
    await scene.spot(scene.maker, 'BUY', 1, 60_280);
    const terms = { orderSize: 0.5, trailValue: 100, trailValueType: 'DISTANCE', triggerPriceType: 'LAST_PRICE' };
    const [id] = await scene.algo(scene.bot, 'TRAILING', 'SELL', terms);
    for (const last of [60_100, 60_200, 60_300, 60_400, 60_290]) {
      await scene.venue.advance(1000);
      await scene.venue.setPrice(SPOT, { last });
    }
    return id;
  },
  'a trailing stop that waits to be armed': async (scene) => {
    const terms = { orderSize: 0.5, trailValue: 1, trailValueType: 'PERCENTAGE', triggerPriceType: 'LAST_PRICE' };
    const activation = { activationTriggerPrice: 61_000, activationTriggerPriceType: 'LAST_PRICE' };
    const [id] = await scene.algo(scene.bot, 'TRAILING', 'SELL', { ...terms, ...activation });
    return id;
  },
  'a peg': async (scene) => {
    const [id] = await scene.algo(scene.bot, 'PEG', 'BUY', {
      orderSize: 1,
      orderPrice: 60_000,
      deviation: -0.5,
      stealth: 10,
    });
    for (const index of [60_100, 60_200, 59_900]) {
      await scene.venue.advance(1000);
      await scene.venue.setPrice(SPOT, { index });
    }
    await scene.spot(scene.maker, 'SELL', 0.05, 59_000);
    return id;
  },
  'a TWAP that is paused': async (scene) => {
    const id = await twap(scene);
    await scene.maker.cancelAllSpotOrders(SPOT);
    await scene.spot(scene.maker, 'SELL', 0.5, 60_350);
    await scene.spot(scene.maker, 'BUY', 0.5, 60_000);
    await scene.venue.advance('30s');
    return id;
  },
  'a TWAP that may pause, and trades': async (scene) => {
    await book(scene);
    const terms = { orderSize: 0.2, timePeriod: 600, pausePrice: 60_400 };
    const [id] = await scene.algo(scene.bot, 'TWAP', 'BUY', terms);
    await scene.venue.advance('1m');
    return id;
  },
  'a TWAP whose parts rest first': async (scene) => {
    await book(scene);
    const terms = { orderSize: 0.2, timePeriod: 100, makerFirst: true };
    const [id] = await scene.algo(scene.bot, 'TWAP', 'BUY', terms);
    await scene.venue.advance('12s');
    await scene.maker.cancelAllSpotOrders(SPOT);
    await scene.spot(scene.maker, 'SELL', 0.01, 60_000);
    await scene.spot(scene.maker, 'SELL', 1, 60_050);
    await scene.venue.advance('31s');
    return id;
  },
  'a TWAP whose book ran empty': async (scene) => {
    await scene.spot(scene.maker, 'SELL', 0.05, 60_050);
    const [id] = await scene.algo(scene.bot, 'TWAP', 'BUY', { orderSize: 0.1, timePeriod: 60 });
    await scene.venue.advance('2m');
    return id;
  },
  'a TWAP that was done': async (scene) => {
    const id = await twap(scene);
    for (let i = 0; i < 8; i++) await scene.spot(scene.maker, 'SELL', 0.5, 60_100 + 10 * i);
    await scene.venue.advance('10m');
    return id;
  },
  'an order with attached orders': async (scene) => (await bracket(scene))[0],
  'a take-profit whose stop-loss fired': async (scene) => {
    const [, takeProfit] = await bracket(scene);
    await scene.venue.setPrice(PERP, { mark: 59_400 });
    return takeProfit;
  },
  'a stop-loss that fired': async (scene) => {
    const [, , stopLoss] = await bracket(scene);
    await scene.venue.setPrice(PERP, { mark: 59_400 });
    return stopLoss;
  },
  'a reduce-only order whose position shrank and closed': async (scene) => {
    await scene.futures(scene.maker, 'SELL', 1000, { price: 60_010 });
    await scene.futures(scene.maker, 'BUY', 1000, { price: 59_990 });
    await scene.futures(scene.bot, 'BUY', 1000, { price: 60_010 });
    const [id] = await scene.futures(scene.bot, 'SELL', 1000, { price: 62_000, reduceOnly: true });
    await scene.venue.advance(1000);
    await scene.futures(scene.bot, 'SELL', 400, { price: 59_990 });
    await scene.venue.advance(1000);
    await scene.futures(scene.bot, 'SELL', 600, { price: 59_990 });
    return id;
  },
  'an order that a liquidation cancelled': async (scene) => (await liquidation(scene))[0],
  'a liquidation order': async (scene) => (await liquidation(scene))[1],
};

async function oco(scene: Scene): Promise<string[]> {
  await scene.spot(scene.maker, 'BUY', 1, 59_780);
  const stop = { stopLossOrderPrice: 59_750, stopLossTriggerPrice: 59_800, stopLossTriggerPriceType: 'LAST_PRICE' };
  const terms = { orderSize: 0.5, takeProfitOrderPrice: 60_500, ...stop, clOrderId: 'exit-17' };
  const ids = await scene.algo(scene.bot, 'OCO', 'SELL', terms);
  await scene.venue.advance('2m');
  await scene.spot(scene.maker, 'BUY', 0.2, 60_500);
  await scene.venue.advance('90s');
  await scene.venue.setPrice(SPOT, { last: 59_790 });
  return ids;
}

/** After 12 of 20 parts: seven on time, three skipped at a price above its pausePrice, two more. */
async function twap(scene: Scene): Promise<string> {
  await book(scene);
  const terms = { orderSize: 2, timePeriod: 600, pausePrice: 60_400, maxSpread: 0.002 };
  const [id] = await scene.algo(scene.bot, 'TWAP', 'BUY', terms);
  await scene.venue.advance('3m');
  await scene.venue.setPrice(SPOT, { last: 60_418 });
  await scene.venue.advance('90s');
  await scene.venue.setPrice(SPOT, { last: 60_100 });
  await scene.venue.advance('60s');
  return id;
}

/** The id of an order that rested, and of the order by which the venue closed a quarter. */
async function liquidation(scene: Scene): Promise<string[]> {
  await scene.futures(scene.maker, 'SELL', 100_000, { price: 60_010 });
  await scene.futures(scene.maker, 'BUY', 100_000, { price: 59_785 });
  await scene.futures(scene.thin, 'BUY', 20_000, { price: 60_010 });
  const [resting] = await scene.futures(scene.thin, 'SELL', 100, { price: 63_000 });
  await scene.venue.setPrice(PERP, { mark: 59_000 });
  const [trade] = await scene.thin.futuresTrades({ symbol: PERP });
  return [resting, trade.orderId];
}
