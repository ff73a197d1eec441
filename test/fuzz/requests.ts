/**
 * A seeded stream of requests to every surface: orders of every kind, amends, cancels, settings, reads, and what the
 * control surface does to prices, time, halts, money and saved states. It knows the orders that replies have named.
 */
import type { Random } from '../model/random.ts';
import type { Json, Reply } from '../support/client.ts';

export interface Request {
  /** The name of an account, or the control surface. */
  readonly by: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/** The venue is stopped and started again on its data folder. */
export const RESTART = 'restart';
export const CONTROL = 'control';

const V4 = '/spot/api/v4';
const V33 = '/spot/api/v3.3';
const V23 = '/futures/api/v2.3';
const V3 = '/futures/api/v3';
const WALLET = '/public-api/wallet/v1';
const SPOT = ['BTC-USDT', 'ETH-USDT'];
const PERPETUALS = ['BTC-PERP', 'ETH-PERP'];
const STARTS: Readonly<Record<string, number>> = { BTC: 60_000, ETH: 3_000 };
const MODES = ['ONE_WAY', 'HEDGE', 'ISOLATED'];
const TIMES = ['GTC', 'GTC', 'GTC', 'IOC', 'FOK', 'HALFSEC', 'HALFMIN', 'FIVEMIN', 'HOUR', 'DAY'];
/** Orders that are remembered; older ones are forgotten. */
const MOST_KNOWN = 60;

const WEIGHTS = {
  quote: 30,
  limitV4: 14,
  marketV4: 8,
  algoV4: 12,
  orderV33: 8,
  limitV23: 22,
  marketV23: 16,
  triggerV23: 12,
  pegV23: 4,
  orderV3: 12,
  algoV3: 6,
  amend: 12,
  cancel: 5,
  cancelMany: 1,
  closePosition: 4,
  bind: 5,
  setting: 5,
  deadMan: 1,
  read: 16,
  price: 22,
  clock: 8,
  money: 8,
  transfer: 2,
  halt: 1,
  save: 3,
  restore: 1,
  reset: 1,
  restart: 1,
};

interface Known {
  readonly by: string;
  readonly surface: 'v4' | 'v3.3' | 'v2.3' | 'v3';
  readonly symbol: string;
  readonly id: string;
}

export class Requests {
  readonly #r: Random;
  readonly #names: readonly string[];
  /** The index of each coin, as it was last set. */
  readonly #index = new Map(Object.entries(STARTS));
  #known: Known[] = [];
  #saved: string[] = [];
  readonly #halted = new Set<string>();
  #asked = 0;

  constructor(r: Random, names: readonly string[]) {
    this.#r = r;
    this.#names = names;
  }

  next(): Request | typeof RESTART {
    const r = this.#r;
    // Prices first, else little can happen.
    const first = [...SPOT, ...PERPETUALS][this.#asked++];
    if (first !== undefined) return this.#setPrice(first, { index: this.#indexOf(first) });
    for (const symbol of this.#halted) if (r.once(12)) return this.#resume(symbol);
    switch (r.weighted(WEIGHTS)) {
      case 'quote':
        return this.#quote();
      case 'limitV4':
        return this.#spot('LIMIT', { orderPrice: this.#price(this.#symbol(SPOT)), ...this.#spotTime() });
      case 'marketV4':
        return this.#spot('MARKET', {});
      case 'algoV4':
        return this.#algoV4();
      case 'orderV33':
        return this.#orderV33();
      case 'limitV23':
        return this.#limitV23();
      case 'marketV23':
        return this.#future({ type: 'MARKET', reduceOnly: r.once(3), ...this.#mode(), ...this.#brackets() });
      case 'triggerV23':
        return this.#triggerV23();
      case 'pegV23':
        return this.#pegV23();
      case 'orderV3':
        return this.#orderV3();
      case 'algoV3':
        return this.#algoV3();
      case 'amend':
        return this.#amend();
      case 'cancel':
        return this.#cancel();
      case 'cancelMany':
        return this.#cancelMany();
      case 'closePosition': {
        const body = { symbol: this.#symbol(PERPETUALS), type: 'MARKET' };
        const limit = { type: 'LIMIT', price: this.#price(body.symbol) };
        return this.#post(`${V23}/order/close_position`, r.once(3) ? { ...body, ...limit } : body);
      }
      case 'bind': {
        const symbol = this.#symbol(PERPETUALS);
        const prices = {
          takeProfitPrice: this.#price(symbol),
          ...(r.once(2) && { stopLossPrice: this.#price(symbol) }),
        };
        return this.#post(`${V23}/order/bind/tpsl`, { symbol, ...prices, ...(r.once(2) && { side: this.#side() }) });
      }
      case 'setting':
        return this.#setting();
      case 'deadMan': {
        const timeout = r.pick([0, 1000, 60_000]);
        return r.once(2)
          ? this.#post(`${V4}/trade/orders/cancel_all_after`, { timeout })
          : this.#post(`${V23}/order/cancelAllAfter`, { timeout });
      }
      case 'read':
        return this.#read();
      case 'price':
        return this.#move();
      case 'clock':
        return this.#control('/clock', { advance: r.pick([1, 500, 1000, 3000, 60_000, 61_000, 600_000, 3_600_000]) });
      case 'money': {
        const currency = r.pick(['USDT', 'USDT', 'BTC', 'ETH']);
        const amount = r.pick(['1', '1000', '-1', '-100', '-1000', '-50000', '0.00000001', '-0.00000001']);
        return this.#control(`/accounts/${r.pick(this.#names)}/deposits`, { currency, amount });
      }
      case 'transfer': {
        const [walletSrcType, walletDestType] = r.once(2) ? ['SPOT', 'CROSS'] : ['CROSS', 'SPOT'];
        const currency = r.pick(['USDT', 'USDT', 'BTC', 'ETH']);
        const apiWallets = [r.once(3) ? { currency, allBalance: true } : { currency, balance: r.pick([1, 1000]) }];
        return this.#post(`${V23}/user/wallet/transfer`, { walletSrcType, walletDestType, apiWallets });
      }
      case 'halt': {
        const symbol = r.pick([...SPOT, ...PERPETUALS]);
        this.#halted.add(symbol);
        return this.#control(`/markets/${symbol}/halt`);
      }
      case 'save': {
        const name = r.pick(['x', 'y', 'z']);
        if (!this.#saved.includes(name)) this.#saved.push(name);
        return this.#control(`/snapshots/${name}`);
      }
      case 'restore':
        return this.#control(`/snapshots/${this.#saved.length === 0 ? 'none' : r.pick(this.#saved)}/restore`);
      case 'reset':
        if (!r.once(5)) return this.#read();
        this.#halted.clear();
        this.#asked = 0;
        return this.#control('/reset');
      case 'restart':
        return RESTART;
    }
  }

  /** Remembers the orders that the reply to a placement names. */
  replied({ by, method, path, body }: Request, reply: Reply): void {
    if (method !== 'POST' || reply.status !== 200 || by === CONTROL) return;
    const surface = (['v4', 'v3.3', 'v2.3', 'v3'] as const).find((each) => path.includes(`/api/${each}/`));
    const records = Array.isArray(reply.body) ? reply.body : (reply.body?.data ?? []);
    if (surface === undefined || !Array.isArray(records)) return;
    for (const record of records) {
      const id = record?.orderId ?? record?.orderID;
      if (typeof id === 'string' && id !== '') this.#known.push({ by, surface, symbol: body.symbol, id });
    }
    this.#known = this.#known.slice(-MOST_KNOWN);
  }

  // --- parts -------------------------------------------------------------------------------------------------------

  #post(path: string, body: Json): Request {
    return { by: this.#r.pick(this.#names), method: 'POST', path, body };
  }

  #control(path: string, body?: Json): Request {
    return { by: CONTROL, method: 'POST', path, ...(body !== undefined && { body }) };
  }

  /** What a price is chosen for, and then traded, is the same market. */
  #symbol(of: readonly string[]): string {
    return this.#r.pick(of);
  }

  #side(): 'BUY' | 'SELL' {
    return this.#r.pick(['BUY', 'SELL']);
  }

  #indexOf(symbol: string): number {
    return this.#index.get(symbol.slice(0, 3)) ?? 100;
  }

  /** Around the index, at the edges of bands now and then; on the tick. */
  #price(symbol: string): number {
    const r = this.#r;
    const away = r.weighted({ near: 10, some: 6, far: 3, edge: 2 });
    const parts = {
      near: r.int(-10, 10),
      some: r.int(-100, 100),
      far: r.int(-900, 900),
      edge: r.pick([-1000, 1000, -1001, 1001, -500, 500]),
    };
    return onTick(symbol, this.#indexOf(symbol) * (1 + parts[away] / 10_000));
  }

  #contracts(): number {
    return this.#r.pick([1, 10, 100, 1000, 10_000, 50_000, 130_000, 500_000, 2_000_000]);
  }

  #coins(symbol: string): number {
    const unit = symbol.startsWith('BTC') ? 0.0001 : 0.002;
    return Number((unit * this.#r.pick([1, 5, 100, 1000, 5000])).toFixed(4));
  }

  #mode(): Json {
    return this.#r.once(4) ? { positionMode: this.#r.pick(MODES) } : {};
  }

  #brackets(): Json {
    const [r, symbol] = [this.#r, PERPETUALS[0]];
    if (!r.once(5)) return {};
    return { takeProfitPrice: this.#price(symbol), ...(r.once(2) && { stopLossPrice: this.#price(symbol) }) };
  }

  #spotTime(): Json {
    const r = this.#r;
    const timeInForce = r.pick(['GTC', 'GTC', 'IOC', 'FOK']);
    return { ...(r.once(2) && { timeInForce }), ...(timeInForce === 'GTC' && r.once(6) && { postOnly: true }) };
  }

  /** The richest account quotes near the index, so that others find somebody. */
  #quote(): Request {
    const r = this.#r;
    const by = this.#names[this.#names.length - 1];
    const symbol = r.pick([...SPOT, ...PERPETUALS, ...PERPETUALS]);
    const side = this.#side();
    const away = (side === 'BUY' ? -1 : 1) * r.int(1, 20);
    const price = onTick(symbol, this.#indexOf(symbol) * (1 + away / 10_000));
    if (SPOT.includes(symbol)) {
      const body = { symbol, orderType: 'LIMIT', orderSide: side, orderPrice: price, orderSize: 1 };
      return { by, method: 'POST', path: `${V4}/trade/orders`, body };
    }
    const body = { symbol, side, type: 'LIMIT', price, size: r.pick([10_000, 100_000, 1_000_000]) };
    return { by, method: 'POST', path: `${V23}/order`, body };
  }

  // --- spot --------------------------------------------------------------------------------------------------------

  #spot(orderType: string, fields: Json): Request {
    const symbol = this.#symbol(SPOT);
    const side = this.#side();
    const sized =
      orderType === 'MARKET' && side === 'BUY'
        ? { quoteOrderSize: this.#r.pick([1, 100, 5000]) }
        : { orderSize: this.#coins(symbol) };
    const body = { symbol, orderType, orderSide: side, ...sized, ...fields };
    if (body.orderPrice !== undefined) body.orderPrice = this.#price(symbol);
    return this.#post(`${V4}/trade/orders`, body);
  }

  #algoV4(): Request {
    const r = this.#r;
    const symbol = this.#symbol(SPOT);
    const side = this.#side();
    const base = { symbol, orderSide: side };
    const size = { orderSize: this.#coins(symbol) };
    const money = side === 'SELL' ? size : { quoteOrderSize: r.pick([10, 500]) };
    const reference = r.pick(['LAST_PRICE', 'MARK_PRICE', 'INDEX_PRICE']);
    const bodies: Json = {
      conditional: {
        orderType: 'CONDITIONAL',
        triggerOrderType: r.pick(['STOP_LOSS', 'TAKE_PROFIT']),
        triggerPrice: this.#price(symbol),
        triggerPriceType: reference,
        ...money,
      },
      conditionalLimit: {
        orderType: 'CONDITIONAL',
        triggerOrderType: r.pick(['STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT']),
        triggerPrice: this.#price(symbol),
        triggerPriceType: reference,
        orderPrice: this.#price(symbol),
        ...size,
      },
      oco: {
        orderType: 'OCO',
        takeProfitOrderPrice: this.#price(symbol),
        stopLossTriggerPrice: this.#price(symbol),
        stopLossOrderPrice: this.#price(symbol),
        stopLossTriggerPriceType: reference,
        ...size,
      },
      trailing: {
        orderType: 'TRAILING',
        trailValue: r.pick([1, 5, 50]),
        trailValueType: r.once(3) ? 'PERCENTAGE' : 'DISTANCE',
        ...money,
      },
      peg: {
        orderType: 'PEG',
        orderPrice: this.#price(symbol),
        stealth: r.pick([1, 20, 100]),
        deviation: r.pick([-1, -0.1, 0, 0.1, 1]),
        ...size,
      },
      twap: {
        orderType: 'TWAP',
        timePeriod: r.pick([60, 120]),
        makerFirst: r.once(2),
        randomizeSize: r.once(3),
        ...size,
      },
    };
    return this.#post(`${V4}/trade/orders/algo`, { ...base, ...bodies[r.pick(Object.keys(bodies))] });
  }

  #orderV33(): Request {
    const r = this.#r;
    const symbol = this.#symbol(SPOT);
    const base = { symbol, side: this.#side(), size: this.#coins(symbol) };
    const limit = { ...base, type: 'LIMIT', price: this.#price(symbol) };
    const kind = r.weighted({ limit: 4, market: 2, stop: 2, oco: 1, peg: 1 });
    if (kind === 'market') {
      const sized = base.side === 'BUY' ? { symbol, side: 'BUY', price: 100 } : base;
      return this.#post(`${V33}/order`, { ...sized, type: 'MARKET' });
    }
    if (kind === 'stop')
      return this.#post(`${V33}/order`, { ...limit, txType: 'STOP', triggerPrice: this.#price(symbol) });
    if (kind === 'oco') {
      const legs = { triggerPrice: this.#price(symbol), stopPrice: this.#price(symbol) };
      return this.#post(`${V33}/order`, { ...limit, type: 'OCO', ...legs });
    }
    if (kind === 'peg') return this.#post(`${V33}/order/peg`, { ...limit, deviation: r.pick([-1, 0, 1]), stealth: 50 });
    return this.#post(`${V33}/order`, limit);
  }

  // --- futures -----------------------------------------------------------------------------------------------------

  #future(fields: Json, symbol = this.#symbol(PERPETUALS)): Request {
    return this.#post(`${V23}/order`, { symbol, side: this.#side(), size: this.#contracts(), ...fields });
  }

  #limitV23(): Request {
    const r = this.#r;
    const symbol = this.#symbol(PERPETUALS);
    const time_in_force = r.pick(TIMES);
    const timing = time_in_force === 'GTC' && r.once(6) ? { postOnly: true } : { time_in_force };
    const attached = symbol === PERPETUALS[0] ? this.#brackets() : {};
    const fields = { type: 'LIMIT', price: this.#price(symbol), reduceOnly: r.once(6), ...timing };
    return this.#future({ ...fields, ...this.#mode(), ...attached }, symbol);
  }

  #triggerV23(): Request {
    const r = this.#r;
    const symbol = this.#symbol(PERPETUALS);
    const trigger = r.pick(['markPrice', 'lastPrice']);
    const limited = r.once(2) ? { type: 'LIMIT', price: this.#price(symbol) } : { type: 'MARKET' };
    const waits = { triggerPrice: this.#price(symbol), trigger, reduceOnly: r.once(2), ...this.#mode() };
    switch (r.weighted({ stop: 4, trigger: 3, oco: 2, trailing: 2 })) {
      case 'oco': {
        const prices = {
          price: this.#price(symbol),
          stopPrice: this.#price(symbol),
          triggerPrice: this.#price(symbol),
        };
        return this.#future({ type: 'OCO', trigger, ...prices }, symbol);
      }
      case 'trailing':
        return this.#future(
          { type: 'MARKET', trailValue: r.pick([1, 20, 500]), trigger, reduceOnly: r.once(2) },
          symbol,
        );
      case 'trigger':
        return this.#future({ ...limited, txType: 'TRIGGER', ...waits }, symbol);
      default:
        return this.#future({ ...limited, txType: 'STOP', ...waits }, symbol);
    }
  }

  #pegV23(): Request {
    const symbol = this.#symbol(PERPETUALS);
    const body = { symbol, side: this.#side(), size: this.#contracts(), price: this.#price(symbol) };
    return this.#post(`${V23}/order/peg`, { ...body, deviation: this.#r.pick([-1, -0.1, 0.1, 1]), stealth: 40 });
  }

  #orderV3(): Request {
    const r = this.#r;
    const symbol = this.#symbol(PERPETUALS);
    const base = { symbol, orderSide: this.#side(), orderSize: this.#contracts() };
    const limit = { ...base, orderType: 'LIMIT', orderPrice: this.#price(symbol), reduceOnly: r.once(6) };
    return this.#post(`${V3}/trade/orders`, r.once(3) ? { ...base, orderType: 'MARKET' } : limit);
  }

  #algoV3(): Request {
    const r = this.#r;
    const symbol = this.#symbol(PERPETUALS);
    const base = { symbol, orderSide: this.#side(), orderSize: this.#contracts() };
    const trailing = {
      orderType: 'TRAILING',
      trailValue: 2,
      trailValueType: 'PERCENTAGE',
      trailTriggerPriceType: 'LAST_PRICE',
    };
    const conditional = { orderType: 'CONDITIONAL', triggerPrice: this.#price(symbol) };
    return this.#post(`${V3}/trade/orders/algo`, { ...base, ...(r.once(3) ? trailing : conditional) });
  }

  #setting(): Request {
    const r = this.#r;
    const symbol = this.#symbol(PERPETUALS);
    switch (r.weighted({ leverage: 4, mode: 3, risk: 1 })) {
      case 'mode':
        return this.#post(`${V23}/position_mode`, { symbol, positionMode: r.pick(MODES) });
      case 'risk':
        return this.#post(`${V23}/risk_limit`, { symbol, riskLimitLevel: r.int(1, 4) });
      default: {
        const marginMode = r.pick(['CROSS', 'ISOLATED']);
        return this.#post(`${V23}/leverage`, { symbol, leverage: r.pick([0, 1, 5, 20, 50, 100]), marginMode });
      }
    }
  }

  // --- what is there already ---------------------------------------------------------------------------------------

  #amend(): Request {
    const r = this.#r;
    if (this.#known.length === 0) return this.#read();
    const { by, surface, symbol, id } = r.pick(this.#known);
    const price = this.#price(symbol);
    const size = surface === 'v4' || surface === 'v3.3' ? this.#coins(symbol) : this.#contracts();
    switch (surface) {
      case 'v4': {
        const change = r.once(2) ? { orderPrice: price } : { orderSize: size };
        return { by, method: 'PUT', path: `${V4}/trade/orders`, body: { symbol, orderId: id, ...change } };
      }
      case 'v3': {
        const change = r.once(2) ? { orderPrice: price } : { orderSize: size };
        return { by, method: 'PUT', path: `${V3}/trade/orders`, body: { symbol, orderId: id, ...change } };
      }
      default: {
        const change = r.pick([
          { type: 'PRICE', value: price },
          { type: 'SIZE', value: size },
          { type: 'TRIGGERPRICE', value: price },
          { type: 'ALL', orderPrice: price, orderSize: size },
        ]);
        const path = `${surface === 'v3.3' ? V33 : V23}/order`;
        return { by, method: 'PUT', path, body: { symbol, orderID: id, ...change } };
      }
    }
  }

  #cancel(): Request {
    if (this.#known.length === 0) return this.#read();
    const { by, surface, symbol, id } = this.#r.pick(this.#known);
    if (surface === 'v3') return { by, method: 'DELETE', path: `${V3}/trade/orders`, body: { symbol, orderId: id } };
    const v4 = surface === 'v4';
    const path = v4 ? `${V4}/trade/orders` : `${surface === 'v3.3' ? V33 : V23}/order`;
    return { by, method: 'DELETE', path, query: { symbol, [v4 ? 'orderId' : 'orderID']: id } };
  }

  #cancelMany(): Request {
    const by = this.#r.pick(this.#names);
    return this.#r.once(2)
      ? { by, method: 'DELETE', path: `${V23}/order`, query: { symbol: this.#symbol(PERPETUALS) } }
      : { by, method: 'DELETE', path: `${V33}/order`, query: { symbol: this.#symbol(SPOT) } };
  }

  #read(): Request {
    const r = this.#r;
    const by = r.pick(this.#names);
    const known = this.#known.length === 0 ? null : r.pick(this.#known);
    const reads: Omit<Request, 'by' | 'method'>[] = [
      { path: `${V4}/trade/orders` },
      { path: `${V33}/user/open_orders`, query: { symbol: r.pick(SPOT) } },
      { path: `${V23}/user/open_orders` },
      { path: `${V23}/user/positions` },
      { path: `${V23}/user/wallet` },
      { path: `${V23}/user/margin_setting` },
      { path: `${V23}/user/trade_history` },
      { path: `${V23}/user/unifiedWallet/margin` },
      { path: `${V23}/user/wallet_history` },
      { path: `${V33}/user/wallet_history` },
      { path: `${WALLET}/user/walletHistory`, query: { walletType: r.pick(['CROSS', 'ISOLATED']) } },
      { path: `${V3}/trade/positions` },
      { path: `${V3}/trade/orders` },
      { path: '/spot/api/v3.2/user/open_orders' },
      { path: '/spot/api/v3.1/user/wallet' },
      { path: '/futures/api/v2.2/user/trade_history' },
      ...['open_orders', 'positions', 'trade_history', 'wallet_history'].map((name) => ({
        path: `/futures/api/v2.1/user/${name}`,
      })),
    ];
    if (known === null) return { by, method: 'GET', ...r.pick(reads) };
    reads.push({ path: `${V4}/trade/order`, query: { orderId: known.id } });
    reads.push({ path: `${V23}/order`, query: { orderID: known.id } });
    for (const base of [V33, V23, '/spot/api/v3.2', '/futures/api/v2.1']) {
      reads.push({ path: `${base}/order`, query: { orderID: known.id, includeOld: 'true' } });
    }
    return { by, method: 'GET', ...r.pick(reads) };
  }

  // --- prices ------------------------------------------------------------------------------------------------------

  #setPrice(symbol: string, prices: Json): Request {
    return this.#control('/prices', { symbol, ...prices });
  }

  #resume(symbol: string): Request {
    this.#halted.delete(symbol);
    return this.#control(`/markets/${symbol}/resume`);
  }

  #move(): Request {
    const r = this.#r;
    const symbol = r.pick([...SPOT, ...PERPETUALS, ...PERPETUALS]);
    const step = r.weighted({ walk: 12, jump: 3, feed: 4, pin: 1, free: 2, last: 1 });
    const parts = step === 'jump' ? r.int(-500, 500) : r.int(-30, 30);
    const index = onTick(symbol, this.#indexOf(symbol) * (1 + parts / 10_000));
    switch (step) {
      case 'pin':
        return this.#setPrice(symbol, { mark: index });
      case 'free':
        return this.#setPrice(symbol, { mark: null });
      case 'last':
        return this.#setPrice(symbol, { last: index });
      default:
        // Held near where they began, so that money stays in proportion.
        if (Math.abs(index / STARTS[symbol.slice(0, 3)] - 1) < 0.3) this.#index.set(symbol.slice(0, 3), index);
        return this.#setPrice(symbol, { index: this.#indexOf(symbol), ...(step === 'feed' && { feed: true }) });
    }
  }
}

function onTick(symbol: string, price: number): number {
  return Number(price.toFixed(symbol.startsWith('BTC') ? 1 : 2));
}
