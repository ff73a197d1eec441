/**
 * The past of a running venue, for the control surface. It says up to where the log is durable and applied, and keeps
 * questions few: a newer one of a client, about another seq, takes the place of the older one.
 */
import type {
  Asker,
  AtQuery,
  CommandQuery,
  CommandsQuery,
  LogSummary,
  Past,
  SummaryQuery,
} from '../api/control/past.ts';
import { ApiError } from '../api/shared/errors.ts';
import type { SinceQuery } from '../api/streams/since.ts';
import type { Engine } from '../engine/host.ts';
import { EffectsDiffer } from '../engine/replay/differs.ts';
import { CommandFailed } from '../engine/replay/log-replayer.ts';
import { LogDamaged, LogMoved, LogUnsupported } from '../log/contract/command-log.ts';
import { NoSuchMoment } from './history.ts';
import { NotWanted, type Question } from './time-machine.ts';

/** The most questions of operators that wait. */
const MOST_WAITING = 32;
/** The most questions of streams that wait. One pass over the log answers all of them. */
const MOST_STREAMS_WAITING = 1000;

/** Answers questions, in this thread or in another one. */
export interface Answers {
  ask(question: Question, gone: AbortSignal): Promise<object>;
  close(): Promise<void>;
}

/** A question as a client asks it. */
type ClientQuestion = Question extends infer Q ? (Q extends Question ? Omit<Q, 'endSeq'> : never) : never;

/** What a client asks about at present. */
interface Current {
  readonly subject: string;
  readonly abort: AbortController;
  /** How many of its questions are about that. */
  count: number;
}

export class PastOfVenue implements Past {
  readonly #engine: Pick<Engine, 'venue'>;
  readonly #answers: Answers;
  /** The last command that is durable and applied, with everything that the log says of it. */
  #endSeq: number;
  #waitingForEnd: (() => void)[] = [];
  readonly #current = new Map<string, Current>();
  #waiting = 0;
  /** Questions of streams so far. */
  #streams = 0;

  constructor(engine: Pick<Engine, 'venue' | 'listen'>, answers: Answers) {
    this.#engine = engine;
    this.#answers = answers;
    this.#endSeq = engine.venue.seq;
    engine.listen({
      batchApplied: (seq) => {
        this.#endSeq = seq;
        for (const go of this.#waitingForEnd.splice(0)) go();
      },
    });
  }

  at(query: AtQuery, asker: Asker): Promise<object> {
    return this.#ask({ type: 'at', ...query }, asker, 'moment', String(query.seq));
  }

  command(query: CommandQuery, asker: Asker): Promise<object> {
    return this.#ask({ type: 'command', ...query }, asker, 'moment', String(query.seq));
  }

  commands(query: CommandsQuery, asker: Asker): Promise<object> {
    return this.#ask({ type: 'commands', ...query }, asker, 'commands', JSON.stringify(query));
  }

  async summary(query: SummaryQuery, asker: Asker): Promise<LogSummary> {
    const summary = await this.#ask({ type: 'summary', ...query }, asker, 'summary', JSON.stringify(query));
    return summary as LogSummary;
  }

  /** The frames of a topic after a seq. */
  async since(query: SinceQuery, gone: AbortSignal): Promise<readonly Uint8Array[]> {
    this.#streams += 1;
    const asker = { client: String(this.#streams), gone };
    const answer = await this.#ask({ type: 'since', ...query }, asker, 'since', '', MOST_STREAMS_WAITING);
    return (answer as { frames: readonly Uint8Array[] }).frames;
  }

  close(): Promise<void> {
    return this.#answers.close();
  }

  async #ask(
    asked: ClientQuestion,
    { client, gone }: Asker,
    group: string,
    subject: string,
    most = MOST_WAITING,
  ): Promise<object> {
    if (this.#waiting >= most) {
      const problem = `${most} questions about the past are waiting, as many as are allowed: try again later`;
      throw new ApiError('busy', { problem });
    }
    const key = `${group} ${client}`;
    const current = this.#begun(key, subject);
    this.#waiting += 1;
    try {
      await this.#settled();
      const question = { ...asked, endSeq: this.#endSeq } as Question;
      return await this.#answers.ask(question, AbortSignal.any([current.abort.signal, gone]));
    } catch (error) {
      throw clientError(error, asked, current.abort.signal.aborted);
    } finally {
      this.#waiting -= 1;
      current.count -= 1;
      if (current.count === 0 && this.#current.get(key) === current) this.#current.delete(key);
    }
  }

  /** A client that asks about the same has several answers. Otherwise its older question ends. */
  #begun(key: string, subject: string): Current {
    const before = this.#current.get(key);
    if (before?.subject === subject) {
      before.count += 1;
      return before;
    }
    const current = { subject, abort: new AbortController(), count: 1 };
    this.#current.set(key, current);
    before?.abort.abort();
    return current;
  }

  /** Resolves when the batch of the last command is applied as a whole: its records are complete then. */
  async #settled(): Promise<void> {
    while (this.#endSeq < this.#engine.venue.seq) {
      await new Promise<void>((resolve) => this.#waitingForEnd.push(resolve));
    }
  }
}

const WHAT: { readonly [Type in Question['type']]: (question: Question & { type: Type }) => string } = {
  at: ({ seq }) => `the state at seq ${seq}`,
  command: ({ seq }) => `the command at seq ${seq}`,
  commands: ({ from }) => `the command at seq ${from}`,
  summary: () => 'a summary of the log',
  since: ({ seq }) => `what happened after seq ${seq}`,
};

/** The error for the client. Bugs stay as they are. */
function clientError(error: unknown, question: ClientQuestion, isReplaced: boolean): unknown {
  if (error instanceof NotWanted && isReplaced) return new ApiError('superseded');
  if (error instanceof NotWanted) return new ApiError('busy', { problem: error.message });
  const isOfTheLog = [NoSuchMoment, LogDamaged, LogMoved, LogUnsupported, CommandFailed, EffectsDiffer].some(
    (kind) => error instanceof kind || (error as Error).name === kind.name,
  );
  if (!isOfTheLog) return error;
  const what = WHAT[question.type](question as never);
  return new ApiError('pastUnavailable', { what, problem: (error as Error).message });
}
