/**
 * What the attacks are aimed at: a started venue with a book, traders and keys of every kind. `attack` is a test after
 * which the state hash is what it was before, as the control surface tells it.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ControlClient, type KeyPermission, type NewKey } from '../../src/client/control.ts';
import { type StartVenueOptions, startVenue, type TestVenue } from '../../src/index.ts';
import { exchange, type RawOptions, requestText } from '../support/raw-http.ts';
import { type Answer, credentialHeaders, nextNonce, type Signing, type TestKey } from '../support/signing.ts';

export { nextNonce };

export const ORDERS = '/spot/api/v4/trade/orders';
export const ALGO = '/spot/api/v4/trade/orders/algo';
export const LOOKUP = '/spot/api/v4/trade/order';
export const FUTURES = '/futures/api/v2.3/order';
export const FUTURES_V3 = '/futures/api/v3/trade/orders';
export const JSON_TYPE = { 'content-type': 'application/json' };

/** A valid placement that rests: far from the market, so nothing meets it. */
export const RESTING = {
  symbol: 'BTC-USDT',
  orderSide: 'BUY',
  orderType: 'LIMIT',
  orderSize: '0.01',
  orderPrice: '95',
};
export const RESTING_FUTURE = { symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', size: 10, price: 95 };
export const RESTING_V3 = { symbol: 'BTC-PERP', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 10, orderPrice: 95 };

const EVERYTHING: KeyPermission[] = ['read', 'trading', 'transfer', 'wallet'];

export interface Sending extends RawOptions, Signing {
  /** On top of the credentials, or instead of one of them. */
  readonly headers?: Record<string, string | readonly string[]>;
  readonly without?: string;
}

export class Target {
  readonly venue: TestVenue;
  readonly control: ControlClient;
  readonly alice: TestKey = { key: 'alice-key', secret: 'alice-secret-0123456789' };
  readonly bob: TestKey = { key: 'bob-key', secret: 'bob-secret-0123456789' };

  private constructor(venue: TestVenue) {
    this.venue = venue;
    this.control = new ControlClient({ url: venue.control, token: venue.controlToken });
  }

  static async open(options: Omit<StartVenueOptions, 'accounts'> = {}): Promise<Target> {
    const account = (name: string) => ({
      name,
      balances: { USDT: '1000000', BTC: '1000' },
      keys: [{ key: `${name}-key`, secret: `${name}-secret-0123456789`, permissions: EVERYTHING }],
    });
    const target = new Target(await startVenue({ ...options, accounts: [account('alice'), account('bob')] }));
    for (const symbol of ['BTC-USDT', 'BTC-PERP']) await target.venue.setPrice(symbol, 100);
    return target;
  }

  get url(): string {
    return this.venue.url;
  }

  newKey(account: 'alice' | 'bob', spec: Partial<NewKey>): Promise<TestKey> {
    return this.control.createKey(account, { permissions: EVERYTHING, ...spec });
  }

  async hash(): Promise<string> {
    return (await this.control.state()).hash;
  }

  /** A signed request, byte by byte; objects are sent as JSON. */
  async send(
    key: TestKey,
    method: string,
    target: string,
    body: object | string | Buffer = '',
    sending: Sending = {},
  ): Promise<Answer & { head: string }> {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const credentials = credentialHeaders(key, target, bytes, { nonce: nextNonce(), ...sending });
    const headers: Record<string, string | readonly string[]> = { ...JSON_TYPE, ...credentials, ...sending.headers };
    if (sending.without !== undefined) delete headers[sending.without];
    const answer = await exchange(this.url, requestText(method, target, headers, bytes), sending);
    assert.ok(answer !== null, 'the connection was closed without an answer');
    return answer;
  }

  /** Places an order that is to rest, and gives its id. */
  async place(key: TestKey, more: object = {}): Promise<string> {
    const answer = await this.send(key, 'POST', ORDERS, { ...RESTING, ...more });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body[0].orderId;
  }

  async cancel(key: TestKey, id: string): Promise<void> {
    const answer = await this.send(key, 'DELETE', `${ORDERS}?symbol=BTC-USDT&orderId=${id}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
}

/** One target for the tests of a file. Asserts after the last that orders can still be placed and cancelled. */
export function aim(prepare: (target: Target) => Promise<void> = async () => {}): () => Target {
  let target: Target;
  before(async () => {
    target = await Target.open();
    await prepare(target);
  });
  after(async () => {
    await target.cancel(target.alice, await target.place(target.alice));
    assert.equal((await target.control.audit()).ok, true);
    await target.venue.close();
  });
  return () => target;
}

/** Runs what may leave nothing in the venue. */
export async function unchanged(target: Target, run: () => Promise<void>): Promise<void> {
  const hash = await target.hash();
  await run();
  assert.equal(await target.hash(), hash, 'the attack left something in the state');
}

/** A test of which nothing may stay in the venue. */
export function attack(name: string, at: () => Target, run: (target: Target) => Promise<void>): void {
  test(name, () => unchanged(at(), () => run(at())));
}

/** Asserts the refusal's status and code in whichever envelope it came. */
export function refusedWith(answer: Answer, status: number, code: number, mention: RegExp = /./): void {
  const text = JSON.stringify(answer.body);
  assert.equal(answer.status, status, text);
  assert.equal(answer.body.errorCode ?? answer.body.code, code, text);
  assert.match(answer.body.message ?? answer.body.msg, mention);
}
