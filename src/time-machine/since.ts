/**
 * What happened to accounts after a seq, as frames of the streams. The commands after it are applied again to an earlier
 * state, and the same code makes the frames as for those who are subscribed now.
 *
 * Cost: as `Traveller.to` for the first command, and then about 10 microseconds a command, however many questions there are.
 */
import { Accounts } from '../api/streams/accounts.ts';
import type { SinceQuery } from '../api/streams/since.ts';
import type { Publication, Receiver, StreamEngine, Subscription } from '../api/streams/subscription.ts';
import { numberedTopic } from '../api/streams/topics.ts';
import { type EngineListener, Listeners } from '../engine/listeners.ts';
import { type Apply, LogReplayer } from '../engine/replay/log-replayer.ts';
import type { Venue } from '../venue/venue.ts';
import { baseBefore, type History, NoSuchMoment } from './history.ts';
import type { Turn } from './traveller.ts';

/** How many commands are applied again, at most. */
export const MOST_REPEATED = 500_000;
/** How much the frames of one question take, at most. */
export const MOST_BYTES = 1_048_576;

const INSTEAD = 'read the orders and trades, and subscribe from a later seq';

/** The frames of a question, or why there are none. */
export type SinceAnswer = readonly Uint8Array[] | NoSuchMoment;

/** One question while the commands are applied again. */
class Listening implements Receiver {
  readonly query: SinceQuery;
  readonly frames: Buffer[] = [];
  problem: NoSuchMoment | undefined;
  #bytes = 0;
  #publication: Publication | undefined;
  readonly #subscription: Subscription;

  constructor(query: SinceQuery) {
    this.query = query;
    this.#subscription = { receiver: this, name: query.topic, topic: query.topic };
  }

  begin(accounts: Accounts): void {
    const { account, product, topic } = this.query;
    const shown = numberedTopic(product, topic);
    if (shown === undefined) throw new Error(`no topic ${topic} begins after a seq`);
    this.#publication = accounts.publication(account, shown);
    this.#publication.subscribe(this.#subscription);
  }

  end(problem?: NoSuchMoment): void {
    this.problem ??= problem;
    this.#publication?.unsubscribe(this.#subscription);
    this.#publication = undefined;
  }

  send(frame: Buffer): void {
    this.sendPrivate(frame);
  }

  sendPrivate(frame: Buffer): void {
    this.#bytes += frame.length;
    if (this.problem !== undefined) return;
    if (this.#bytes > MOST_BYTES) this.problem = new NoSuchMoment(`more than ${MOST_BYTES} bytes: ${INSTEAD}`);
    else this.frames.push(frame);
  }

  skipsNumber(): boolean {
    return false;
  }

  refuse(): void {}
}

/**
 * Answers all questions in one pass over the log.
 * @throws {NoSuchMoment} the state that they begin with cannot be computed
 * @throws {LogDamaged} @throws {CommandFailed} and what `turn` throws
 */
export async function framesSince(
  history: History,
  queries: readonly SinceQuery[],
  endSeq: number,
  turn: Turn,
): Promise<SinceAnswer[]> {
  const all = queries.map((query) => new Listening(query));
  const near = all.filter((each) => {
    const commands = each.query.toSeq - each.query.seq;
    if (commands > MOST_REPEATED)
      each.end(new NoSuchMoment(`${commands} commands ago, and ${MOST_REPEATED} are repeated: ${INSTEAD}`));
    return commands <= MOST_REPEATED;
  });
  if (near.length > 0) await listen(history, near, endSeq, turn);
  return all.map(({ problem, frames }) => problem ?? frames);
}

async function listen(history: History, all: readonly Listening[], endSeq: number, turn: Turn): Promise<void> {
  const leastSeq = Math.min(...all.map(({ query }) => query.seq));
  const mostSeq = Math.max(...all.map(({ query }) => query.toSeq));
  const { venue, origin } = await baseBefore(history, leastSeq, endSeq);
  const listeners = new Listeners(venue, (text) => {
    throw new Error(text);
  });
  const accounts = new Accounts({ engine: engineOf(venue, listeners), write: () => {} });
  let waiting = [...all].sort((a, b) => a.query.seq - b.query.seq);
  let begun: Listening[] = [];
  let isReplaced = false;
  const begin = (seq: number) => {
    if (waiting.length === 0 || waiting[0].query.seq >= seq) return;
    if (begun.length === 0)
      listeners.add({
        stateReplaced: () => {
          isReplaced = true;
        },
      });
    const first = waiting.filter(({ query }) => query.seq < seq);
    waiting = waiting.slice(first.length);
    for (const each of first) each.begin(accounts);
    begun.push(...first);
  };
  const end = (seq: number) => {
    if (isReplaced)
      for (const each of begun.splice(0))
        each.end(new NoSuchMoment(`the state was replaced at seq ${seq}: ${INSTEAD}`));
    isReplaced = false;
    const ended = begun.filter(({ query }) => query.toSeq <= seq);
    if (ended.length === 0) return;
    listeners.batchApplied(seq);
    for (const each of ended) each.end();
    begun = begun.filter((each) => !ended.includes(each));
  };
  const apply: Apply<unknown> = (of, seq, timeMs, command) => {
    begin(seq);
    of.applySilently(seq, timeMs, command);
    listeners.commandApplied(seq);
    end(seq);
  };
  const replayer = new LogReplayer(venue, { lastSeq: mostSeq, apply });
  const log = await history.storage.source.follow(origin);
  for await (const entry of log.take(endSeq)) {
    const before = venue.seq;
    replayer.take(entry);
    if (venue.seq > before) listeners.batchApplied(venue.seq);
    if (venue.seq >= mostSeq) break;
    await turn();
  }
  replayer.finish();
  listeners.batchApplied(venue.seq);
  for (const each of begun) each.end();
  for (const each of waiting) each.end(new NoSuchMoment(`the log ends at seq ${venue.seq}`));
}

function engineOf(venue: Venue, listeners: Listeners): StreamEngine {
  return {
    venue,
    unreadable: undefined,
    durableAtMs: 0,
    nowMs: () => venue.timeMs,
    listen: (listener: EngineListener) => listeners.add(listener),
  };
}
