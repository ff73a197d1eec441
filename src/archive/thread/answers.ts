/** What the archive's file says to each kind of question. */
import { ledgerPage, walletHistory } from '../read/account-ledger.ts';
import { accountOrders } from '../read/account-orders.ts';
import { clientOrderHistory, orderHistory } from '../read/history.ts';
import { marketAnswer } from '../read/market-history.ts';
import { ordersBeginning } from '../read/short-ids.ts';
import { orderStory } from '../read/story.ts';
import { findTrades } from '../read/trades.ts';
import { leftAt } from '../store/timeline.ts';
import type { Opened } from './kept-archive.ts';
import type { AnyQuestion, Reply } from './messages.ts';

type NotOfFile = 'snapshot' | 'state' | 'audit' | 'moveLog';
export type FileQuestion = Exclude<AnyQuestion, { readonly type: NotOfFile }>;

/** True: the archive's file has the answer. */
export function isOfFile(question: AnyQuestion): question is FileQuestion {
  return !['snapshot', 'state', 'audit', 'moveLog'].includes(question.type);
}

/** @throws {ArchiveDamaged} @throws {ArchiveUnavailable} anything else is a bug */
export function answerOf(question: FileQuestion, { store, follower }: Opened): Reply {
  const { id } = question;
  switch (question.type) {
    case 'order':
      return { type: 'order', id, history: orderHistory(store, question.key) };
    case 'orderStory':
      return { type: 'orderStory', id, story: orderStory(store, follower.venue, question.of, question.range) };
    case 'ordersBeginning':
      return { type: 'ordersBeginning', id, keys: ordersBeginning(store, follower.orderIds, question.beginning) };
    case 'accountOrders':
      return { type: 'accountOrders', id, page: accountOrders(store, follower.venue, question.query) };
    case 'leftAt':
      return { type: 'leftAt', id, left: leftAt(store.state, question.of) };
    case 'clientOrder':
      return { type: 'order', id, history: clientOrderHistory(store, question.query) };
    case 'trades':
      return { type: 'trades', id, trades: findTrades(store, follower.orderIds, question.query) };
    case 'ledger':
      return { type: 'ledger', id, page: ledgerPage(store, question.query) };
    case 'market':
      return { type: 'market', id, answer: marketAnswer(store, question.question) };
    case 'wallet':
      return { type: 'wallet', id, records: walletHistory(store, question.query) };
  }
}

/** `noRoom`: the disk is full. */
export function failed(id: number, message: string, noRoom = false): Reply {
  return { type: 'failed', id, message, noRoom };
}
