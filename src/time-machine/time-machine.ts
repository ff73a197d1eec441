/**
 * The time machine: answers what a venue was at any seq of its log, what a command set off, and what the log is like
 * from afar. It only reads the log. It knows nothing of threads: worker.ts runs it in one.
 *
 * - One question at a time. Those that wait are answered in the order of the log, so that one continues from the moment of
 *   the one before. While there is none, the survey goes on (survey.ts).
 * - The thread is given to others every few milliseconds, and a question that nobody waits for ends there.
 */
import type { AtQuery, CommandQuery, CommandsQuery, SummaryQuery } from '../api/control/past.ts';
import type { SinceQuery } from '../api/streams/since.ts';
import type { World } from '../engine/contract/world.ts';
import { CHECKPOINT_EVERY, type History, NoSuchMoment } from './history.ts';
import { framesSince } from './since.ts';
import { Survey } from './survey.ts';
import { type Moment, Traveller, type Turn } from './traveller.ts';
import { commandLine, commandView, viewOf } from './views.ts';

/** `endSeq`: the last command that is durable and applied. */
export type Question = { readonly endSeq: number } & (
  | ({ readonly type: 'at' } & AtQuery)
  | ({ readonly type: 'command' } & CommandQuery)
  | ({ readonly type: 'commands' } & CommandsQuery)
  | ({ readonly type: 'summary' } & SummaryQuery)
  | ({ readonly type: 'since' } & SinceQuery)
);
type QuestionOf<Type extends Question['type']> = Question & { readonly type: Type };

/** Nobody waits for the answer any more. */
export class NotWanted extends Error {
  override readonly name = 'NotWanted';
}

/** How long a summary waits for the survey. After that, it says how far the survey is. */
const SUMMARY_WAITS_MS = 2000;

export interface TimeMachineOptions extends History {
  readonly world: Pick<World, 'monotonicMs' | 'nextTurn' | 'timer'>;
  /** How long it works at a time. */
  readonly sliceMs: number;
  /** How long it rests after each part of the survey for which nobody waits. */
  readonly restMs: number;
}

interface Asked {
  readonly question: Question;
  readonly isWanted: () => boolean;
  readonly resolve: (answer: object) => void;
  readonly reject: (error: unknown) => void;
}

/** Where in the log the answer is. */
function placeOf({ question }: Asked): number {
  if (question.type === 'summary') return 0;
  return question.type === 'commands' ? question.from : question.seq;
}

export class TimeMachine {
  readonly #options: TimeMachineOptions;
  readonly #traveller: Traveller;
  readonly #queue: Asked[] = [];
  #working = false;
  #survey: Survey | undefined;
  /** Why the survey does not go on. Tried again with the next question. */
  #surveyProblem: string | undefined;
  /** The largest that was said. */
  #endSeq = 0;
  #closed = false;

  constructor(options: TimeMachineOptions) {
    this.#options = options;
    this.#traveller = new Traveller(options);
  }

  /** @throws {NoSuchMoment} @throws {NotWanted} @throws {ApiError} and errors of the log */
  ask(question: Question, isWanted: () => boolean): Promise<object> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ question, isWanted, resolve, reject });
      this.#surveyProblem = undefined;
      this.#endSeq = Math.max(this.#endSeq, question.endSeq);
      if (!this.#working) this.#work();
    });
  }

  /** The survey ends, and what it holds is dropped. */
  close(): void {
    this.#closed = true;
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (;;) {
      const waiting = this.#queue.splice(0).sort((a, b) => placeOf(a) - placeOf(b));
      await this.#answerSince(waiting.filter(({ question }) => question.type === 'since'));
      for (const each of waiting) {
        if (each.question.type !== 'since') await this.#answer(each).then(each.resolve, each.reject);
      }
      if (waiting.length > 0) continue;
      if ((this.#closed || !(await this.#surveyMore())) && this.#queue.length === 0) break;
    }
    this.#working = false;
  }

  /** A part of the survey for which nobody waits. False: it is done, or cannot go on. */
  async #surveyMore(): Promise<boolean> {
    const { world, sliceMs, restMs } = this.#options;
    const until = world.monotonicMs() + sliceMs;
    await this.#surveyStep(() => world.monotonicMs() < until);
    if (this.#surveyProblem !== undefined || this.#isSurveyed) return false;
    await (restMs === 0 ? world.nextTurn() : new Promise<void>((resolve) => world.timer(restMs, resolve).unref()));
    return true;
  }

  get #isSurveyed(): boolean {
    return this.#survey !== undefined && this.#survey.seq >= this.#endSeq;
  }

  async #surveyStep(goesOn: () => boolean): Promise<void> {
    try {
      this.#survey ??= await Survey.begin(this.#options, this.#endSeq);
      await this.#survey.step(this.#endSeq, goesOn);
    } catch (error) {
      this.#survey = undefined;
      this.#surveyProblem = (error as Error).message;
    }
  }

  /** Surveys up to `seq` while `goesOn`. */
  async #surveyTo(seq: number, turn: Turn, goesOn = () => true): Promise<void> {
    const { world, sliceMs } = this.#options;
    while ((this.#survey?.seq ?? -1) < seq && this.#surveyProblem === undefined && goesOn()) {
      const until = world.monotonicMs() + sliceMs;
      await this.#surveyStep(() => world.monotonicMs() < until);
      await turn();
    }
  }

  /** Gives the thread to others every few milliseconds. @throws {NotWanted} */
  #turns(isWanted: () => boolean): Turn {
    const { world, sliceMs } = this.#options;
    let until = world.monotonicMs() + sliceMs;
    return async () => {
      if (!isWanted()) throw new NotWanted('nobody waits for this answer');
      if (world.monotonicMs() < until) return;
      await world.nextTurn();
      until = world.monotonicMs() + sliceMs;
    };
  }

  /** Answers all of them in one pass over the log. */
  async #answerSince(asked: readonly Asked[]): Promise<void> {
    const wanted = asked.filter(({ isWanted }) => isWanted());
    for (const { reject } of asked.filter((each) => !wanted.includes(each))) {
      reject(new NotWanted('nobody waits for this answer'));
    }
    if (wanted.length === 0) return;
    const questions = wanted.map(({ question }) => question as QuestionOf<'since'>);
    const endSeq = Math.max(...questions.map((question) => question.endSeq));
    const turn = this.#turns(() => wanted.some(({ isWanted }) => isWanted()));
    try {
      const answers = await framesSince(this.#options, questions, endSeq, turn);
      wanted.forEach(({ resolve, reject }, i) => {
        const answer = answers[i];
        if (answer instanceof NoSuchMoment) reject(answer);
        else resolve({ frames: answer });
      });
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }

  async #answer({ question, isWanted }: Asked): Promise<object> {
    const { world } = this.#options;
    const begunMs = world.monotonicMs();
    const turn = this.#turns(isWanted);
    if (!isWanted()) throw new NotWanted('nobody waits for this answer');
    if (question.type === 'since') throw new Error('such questions are answered together');
    if (question.type === 'summary') return this.#summary(question, turn);
    if (question.type === 'commands') return this.#commands(question, turn);
    const moment = await this.#moment(question, turn);
    const shown =
      question.type === 'at'
        ? this.#at(question, moment)
        : { ...commandView(moment, question), ...this.#left(moment.seq), from: moment.from };
    return { ...shown, tookMs: Math.round(world.monotonicMs() - begunMs) };
  }

  async #moment({ seq, endSeq }: Pick<QuestionOf<'at'>, 'seq' | 'endSeq'>, turn: Turn): Promise<Moment> {
    if (seq > endSeq) throw new NoSuchMoment(`the log has the seqs 1 to ${endSeq}`);
    if (this.#isNear(endSeq)) await this.#surveyTo(endSeq, turn);
    else if (await this.#surveyIsNearest(seq)) await this.#surveyTo(seq - 1, turn);
    return this.#traveller.to(seq, endSeq, turn);
  }

  /** True: the survey needs a moment only to come to its end. */
  #isNear(endSeq: number): boolean {
    return endSeq - (this.#survey?.seq ?? 0) <= CHECKPOINT_EVERY;
  }

  /** True: the survey, which makes checkpoints on the way, is nearer than any state that is kept. */
  async #surveyIsNearest(seq: number): Promise<boolean> {
    const { storage, checkpoints } = this.#options;
    const at = this.#survey?.seq ?? 0;
    if (at >= seq - CHECKPOINT_EVERY) return false;
    const snapshots = await storage.snapshots.list();
    return (checkpoints.before(seq - 1) ?? 0) <= at && snapshots.every((kept) => kept.seq >= seq || kept.seq <= at);
  }

  #at({ show, account, symbol, limit }: QuestionOf<'at'>, moment: Moment): object {
    const { seq, venue, from } = moment;
    const view = viewOf(venue, { show, account, symbol, limit });
    const counts = venue.counts();
    return { seq, time: venue.timeMs, hash: moment.hash, counts, ...this.#left(seq), ...view, from };
  }

  async #commands({ from, limit, endSeq }: QuestionOf<'commands'>, turn: Turn): Promise<object> {
    const commands: object[] = [];
    // Past the end there is an error, which the first one gives.
    for (let seq = from; seq < from + limit && (seq <= endSeq || seq === from); seq += 1) {
      commands.push({ ...commandLine(await this.#moment({ seq, endSeq }, turn)), ...this.#left(seq) });
    }
    return { commands, endSeq };
  }

  /** Whether the command leads to the present state. Absent: the survey is not there yet. */
  #left(seq: number): object {
    if (this.#survey === undefined || !this.#isSurveyed || seq < this.#survey.index.firstSeq) return {};
    return { left: this.#survey.index.leftAt(seq) };
  }

  async #summary({ from, to, buckets: most, account, endSeq }: QuestionOf<'summary'>, turn: Turn): Promise<object> {
    const { world } = this.#options;
    const untilMs = world.monotonicMs() + SUMMARY_WAITS_MS;
    await this.#surveyTo(endSeq, turn, () => this.#isNear(endSeq) || world.monotonicMs() < untilMs);
    if (this.#survey === undefined) throw new NoSuchMoment(this.#surveyProblem ?? 'the log was not read yet');
    const { index } = this.#survey;
    const [first, last] = [Math.max(from ?? 1, index.firstSeq), Math.min(to ?? endSeq, index.seq)];
    const known = { endSeq, knownFrom: index.firstSeq, knownTo: index.seq };
    if (first > last) return { from, to, ...known, buckets: [], marks: [], left: [] };
    const buckets = index.buckets(first, last, most);
    const marks = index.marksIn(buckets, account ?? undefined);
    return { from: first, to: last, ...known, buckets, marks, left: index.leftBranches(first, last) };
  }
}
