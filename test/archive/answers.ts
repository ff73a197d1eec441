/** What an archive answers to every question that its rows have an answer for. */
import { ledgerPage, type WalletKind, walletHistory } from '../../src/archive/read/account-ledger.ts';
import { clientOrderHistory, orderHistory } from '../../src/archive/read/history.ts';
import { LEDGER_COLUMNS, ledgerEntries } from '../../src/archive/read/ledger.ts';
import { marketAnswer } from '../../src/archive/read/market-history.ts';
import { findTrades, type Trade, type TradeQuery } from '../../src/archive/read/trades.ts';
import type { ArchiveStore } from '../../src/archive/store/store.ts';
import type { MarketQuestion } from '../../src/market-data/history.ts';
import type { OrderIds } from '../../src/venue/contract/order-id.ts';
import { ANY_TRADES, table } from './support.ts';

const WALLETS: readonly WalletKind[] = ['SPOT', 'CROSS', 'ISOLATED'];
const PRODUCTS = ['spot', 'futures'] as const;
const FROM_MS = 0;
const TO_MS = Number.MAX_SAFE_INTEGER;

/** By question, as JSON, so that also the order of members counts. */
export function answersOf(store: ArchiveStore, ids: OrderIds): Record<string, string> {
  const answers: Record<string, string> = {};
  const ask = (question: string, answer: () => unknown) => {
    const text = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
    answers[question] = JSON.stringify(answer(), text) ?? 'nothing';
  };
  const trades = (query: TradeQuery) => findTrades(store, ids, query).map(withoutLinks);
  const orders = table(store, 'orders');
  for (const { orderKey, orderId } of orders) ask(`order ${orderId}`, () => orderHistory(store, orderKey as number));
  const clientIds = [...new Set(orders.map(({ clientId }) => clientId as string | null))].sort();
  const accounts = [...new Set(orders.map(({ account }) => account as string))].sort();
  for (const account of [...accounts, 'nobody']) {
    for (const product of PRODUCTS) {
      const query = { ...ANY_TRADES, account, product };
      for (const oldestFirst of [false, true]) {
        ask(`trades ${account} ${product} ${oldestFirst}`, () => trades({ ...query, oldestFirst }));
      }
      for (const clientId of [...clientIds.filter((one) => one !== null), 'unknown']) {
        ask(`client ${account} ${product} ${clientId}`, () =>
          clientOrderHistory(store, { account, product, clientId }),
        );
        ask(`trades ${account} ${product} of ${clientId}`, () => trades({ ...query, clientId }));
      }
      for (const { orderId } of orders.filter((order) => order.account === account)) {
        ask(`trades ${product} of ${orderId}`, () => trades({ ...query, orderId: orderId as string }));
      }
    }
    ask(`ledger ${account}`, () => ledgerPage(store, { account, after: null, limit: 10_000 }));
    const wallet = { account, fromMs: FROM_MS, toMs: TO_MS, wallets: WALLETS, market: null, currency: null };
    ask(`wallet ${account}`, () => walletHistory(store, { ...wallet, reasons: null, limit: 10_000 }));
  }
  ask('ledger', () => [...ledgerEntries(store)].map((entry) => LEDGER_COLUMNS.map((name) => entry[name])));
  for (const { symbol } of table(store, 'markets')) {
    const market = symbol as string;
    const range = { fromMs: FROM_MS, toMs: TO_MS, limit: 1000, oldestFirst: true };
    const questions: MarketQuestion[] = [
      { type: 'recent', market, fromMs: FROM_MS, most: 100 },
      { type: 'trades', market, query: { ...range, fromId: 0, toId: TO_MS } },
      { type: 'rates', market, query: range },
      ...([1, 60, 1440] as const).map(
        (level) => ({ type: 'candles', market, level, fromMs: FROM_MS, toMs: TO_MS }) as const,
      ),
    ];
    for (const question of questions) {
      ask(`${market} ${question.type} ${'level' in question ? question.level : ''}`, () =>
        marketAnswer(store, question),
      );
    }
  }
  return answers;
}

/** What links the rows of orders is no part of an answer. */
function withoutLinks({ order, ...trade }: Trade): object {
  return { ...trade, order: { ...order, before: undefined, eventRows: undefined } };
}
