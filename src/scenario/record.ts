/**
 * What happened in a run, by account: trades, orders, money that moved, and the prices. Conditions are judged by it, and the
 * report is made of it.
 *
 * Cost: one row for each trade, order and movement.
 */
import type { Engine } from '../engine/host.ts';
import type { Traded } from '../venue/contract/events.ts';
import { BUY, type Side } from '../venue/contract/units.ts';

export interface Fill {
  readonly seq: number;
  readonly timeMs: number;
  readonly account: number;
  readonly market: number;
  readonly side: 'BUY' | 'SELL';
  readonly priceTicks: number;
  readonly sizeLots: number;
  /** In smallest units of its currency. Positive: paid. */
  readonly fee: bigint;
  /** Number of the currency. */
  readonly feeCurrency: number;
  /** The venue closed a position of this account. */
  readonly liquidation: boolean;
}

export interface PlacedOrder {
  readonly seq: number;
  readonly timeMs: number;
  readonly account: number;
  readonly market: number;
  readonly side: 'BUY' | 'SELL';
  readonly kind: string;
  readonly clientId: string | null;
  readonly priceTicks: number;
  /** Null: it is open. */
  ending: string | null;
  endedMs: number | null;
  filledLots: number;
}

export interface Movement {
  readonly seq: number;
  readonly timeMs: number;
  readonly account: number;
  readonly market: number;
  readonly currency: number;
  /** In smallest units of the currency. Negative: taken from the account. */
  readonly amount: bigint;
  readonly reason: string;
}

export interface Happened {
  readonly seq: number;
  readonly timeMs: number;
  readonly kind: 'liquidation' | 'deleveraging' | 'halt' | 'resume' | 'reset';
  /** −1: of none. */
  readonly account: number;
  readonly market: number;
}

export class RunRecord {
  readonly fills: Fill[] = [];
  readonly orders: PlacedOrder[] = [];
  readonly movements: Movement[] = [];
  readonly events: Happened[] = [];
  readonly #engine: Engine;
  readonly #open = new Map<number, PlacedOrder>();

  /** `onCommand`: each time that a command was applied. */
  constructor(engine: Engine, onCommand: (seq: number) => void) {
    this.#engine = engine;
    const happened = (kind: Happened['kind'], account = -1, market = -1) =>
      this.events.push({ ...this.#now(), kind, account, market });
    engine.listen({
      traded: (trade) => this.#traded(trade),
      orderAccepted: ({ order }) => {
        const { account, market, side, kind, clientId, price: priceTicks, liquidation } = order;
        const placed = {
          account,
          market,
          side: sideText(side),
          kind,
          clientId,
          priceTicks,
          ending: null,
          endedMs: null,
          filledLots: 0,
        };
        this.#open.set(order.key, { ...this.#now(), ...placed });
        this.orders.push(this.#open.get(order.key) as PlacedOrder);
        if (liquidation !== null) happened('liquidation', account, market);
      },
      orderChanged: ({ key, change, filledLots, ending }) => {
        const order = this.#open.get(key);
        if (order === undefined) return;
        order.filledLots = filledLots;
        if (change !== 'ended') return;
        order.ending = ending?.reason ?? 'filled';
        order.endedMs = this.#now().timeMs;
        this.#open.delete(key);
      },
      balanceChanged: ({ account, market, currency, amount, reason }) => {
        this.movements.push({ ...this.#now(), account, market, currency, amount, reason });
      },
      deleveraged: ({ account, market }) => happened('deleveraging', account, market),
      marketHalted: ({ market }) => happened('halt', -1, market),
      marketResumed: ({ market }) => happened('resume', -1, market),
      stateReplaced: () => {
        this.#open.clear();
        happened('reset');
      },
      commandApplied: onCommand,
    });
  }

  #now(): { seq: number; timeMs: number } {
    const { seq, timeMs } = this.#engine.venue;
    return { seq, timeMs };
  }

  #traded(trade: Traded): void {
    const { market, priceTicks, sizeLots, takerSide, liquidation } = trade;
    const both = { ...this.#now(), market, priceTicks, sizeLots };
    const takerIs = sideText(takerSide);
    const makerIs = takerIs === 'BUY' ? 'SELL' : 'BUY';
    const { makerAccount, makerFee, makerFeeCurrency, takerAccount, takerFee, takerFeeCurrency } = trade;
    this.fills.push(
      {
        ...both,
        account: makerAccount,
        side: makerIs,
        fee: BigInt(makerFee),
        feeCurrency: makerFeeCurrency,
        liquidation: false,
      },
      {
        ...both,
        account: takerAccount,
        side: takerIs,
        fee: BigInt(takerFee),
        feeCurrency: takerFeeCurrency,
        liquidation,
      },
    );
  }
}

function sideText(side: Side): 'BUY' | 'SELL' {
  return side === BUY ? 'BUY' : 'SELL';
}
