/**
 * A client: it sends a request with a client id, waits, and without an answer repeats it, with the same signed bytes or
 * with a new nonce, until it has an answer or gives up.
 */
import { credentialHeaders } from '../support/signing.ts';
import type { Answer, Asked } from './door.ts';
import type { Machine } from './machine.ts';
import type { Ask, Retry } from './plan.ts';
import { seeded } from './seeded.ts';

const TIMEOUT_MS = 1500;
/** An identical request is remembered for a minute of venue time. A later repetition may place a second order. */
const GIVES_UP_MS = 20_000;
/** Temporary refusals, which are worth another attempt. */
const PASSING = ['busy', 'readOnly', 'stopped', 'nonceBeforeStart', 'nonceSpent', 'nonceReplayed', 'notLeading'];

/** A request of a client, and its result. */
export interface Wish {
  readonly ask: Ask;
  readonly account: number;
  readonly retry: Retry;
  readonly askedAtMs: number;
  answer?: Answer;
  /** True: it is not sent any more. */
  over: boolean;
  /** The refusals so far. */
  readonly refusals: string[];
}

export interface Network {
  /** The venue's entrance. Undefined while nobody listens. */
  readonly take: ((asked: Asked, nonceMs: number) => Promise<Answer>) | undefined;
}

export class Client {
  readonly wishes: Wish[] = [];
  readonly #machine: Machine;
  readonly #network: Network;
  readonly #name: string;
  readonly #account: number;
  readonly #startMs: number;
  #lastNonce = 0;

  /** `startMs`: the time of a right clock when the machine's time is 0. */
  constructor(machine: Machine, network: Network, name: string, account: number, startMs: number) {
    this.#machine = machine;
    this.#network = network;
    this.#name = name;
    this.#account = account;
    this.#startMs = startMs;
  }

  /** `seed`: what the network does to the request. */
  ask(ask: Ask, retry: Retry, seed: number): void {
    const wish: Wish = {
      ask,
      account: this.#account,
      retry,
      askedAtMs: this.#machine.nowMs,
      over: false,
      refusals: [],
    };
    this.wishes.push(wish);
    this.#attempt(wish, this.#signed(ask), seeded(seed));
  }

  /** From now on nothing is repeated, because the venue may forget what it knew. */
  giveUp(): void {
    for (const wish of this.wishes) wish.over = true;
  }

  #signed(ask: Ask): { asked: Asked; nonceMs: number } {
    const nonceMs = Math.max(this.#lastNonce + 1, this.#startMs + Math.floor(this.#machine.nowMs));
    this.#lastNonce = nonceMs;
    const { method, target, body } = wireOf(ask);
    const key = { key: `${this.#name}-key`, secret: `${this.#name}-secret` };
    return {
      asked: { method, target, body, headers: credentialHeaders(key, target, body, { nonce: nonceMs }) },
      nonceMs,
    };
  }

  #attempt(wish: Wish, signed: { asked: Asked; nonceMs: number }, chance: () => number): void {
    const machine = this.#machine;
    let settled = false;
    const settle = (answer: Answer | undefined): void => {
      if (settled || wish.answer !== undefined) return;
      settled = true;
      patience.off = true;
      if (answer !== undefined && !PASSING.includes(answer.reason ?? '')) {
        wish.answer = answer;
        wish.over = true;
        return;
      }
      if (answer?.reason !== undefined) wish.refusals.push(answer.reason);
      if (wish.over || wish.retry === 'none' || machine.nowMs - wish.askedAtMs > GIVES_UP_MS) {
        wish.over = true;
        return;
      }
      const again = answer === undefined && wish.retry === 'sameBytes' ? signed : this.#signed(wish.ask);
      machine.in(chance() * 200, () => {
        if (!wish.over) this.#attempt(wish, again, chance);
      });
    };
    const patience = machine.in(TIMEOUT_MS, () => settle(undefined));
    const deliveries = chance() < 0.1 ? 2 : 1;
    for (let i = 0; i < deliveries; i += 1) {
      if (chance() < 0.08) continue; // Lost on its way.
      machine.in(delay(chance), () => {
        const answer = this.#network.take?.(signed.asked, signed.nonceMs);
        answer?.then((reply) => {
          if (chance() < 0.15) return; // The answer is lost.
          machine.in(delay(chance), () => settle(reply));
        });
      });
    }
  }
}

/** Usually about a millisecond, and sometimes longer than anybody waits. */
function delay(chance: () => number): number {
  const roll = chance();
  if (roll < 0.9) return chance() * 3;
  return chance() * (roll < 0.98 ? 500 : 5000);
}

function wireOf(ask: Ask): { method: Asked['method']; target: string; body: string } {
  switch (ask.kind) {
    case 'spot':
      return {
        method: 'POST',
        target: '/spot/api/v4/trade/orders',
        body: JSON.stringify({
          symbol: 'BTC-USDT',
          orderSide: ask.side,
          orderType: 'LIMIT',
          orderPrice: ask.price,
          orderSize: ask.size,
          clOrderId: ask.id,
          ...(ask.ioc && { timeInForce: 'IOC' }),
        }),
      };
    case 'future':
      return {
        method: 'POST',
        target: '/futures/api/v3/trade/orders',
        body: JSON.stringify({
          symbol: 'BTC-PERP',
          orderSide: ask.side,
          orderType: 'LIMIT',
          orderPrice: ask.price,
          orderSize: ask.size,
          clOrderId: ask.id,
          ...(ask.ioc && { timeInForce: 'IOC' }),
        }),
      };
    case 'cancel':
      return ask.product === 'spot'
        ? { method: 'DELETE', target: `/spot/api/v4/trade/orders?symbol=BTC-USDT&clOrderId=${ask.of}`, body: '' }
        : {
            method: 'DELETE',
            target: '/futures/api/v3/trade/orders',
            body: JSON.stringify({ symbol: 'BTC-PERP', clOrderId: ask.of }),
          };
    case 'lookup':
      return { method: 'GET', target: `/spot/api/v4/trade/order?clOrderId=${ask.of}`, body: '' };
    case 'deadMan':
      return ask.product === 'spot'
        ? {
            method: 'POST',
            target: '/spot/api/v4/trade/orders/cancel_all_after',
            body: JSON.stringify({ timeout: ask.timeoutMs }),
          }
        : {
            method: 'POST',
            target: '/futures/api/v3/trade/orders/cancel_all_after',
            body: JSON.stringify({ timeoutMs: ask.timeoutMs }),
          };
  }
}
