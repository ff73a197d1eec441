/** Whether a log on another machine answers, and whether this process can show that it leads it. */
import type { RemoteLog } from '../log/contract/command-log.ts';
import { EngineReadOnly, OutcomeUnknown } from './contract/errors.ts';
import type { OnNotice } from './contract/notice.ts';

export interface RemoteAnswersOptions {
  readonly onNotice: OnNotice;
  /** The log does not answer: what new commands are refused with, and what the callers of the batch in flight hear. */
  readonly onUnanswered: (refusal: EngineReadOnly, unknown: OutcomeUnknown) => void;
  /** Another process leads the log. */
  readonly onReplaced: (error: Error) => void;
}

export class RemoteAnswers {
  readonly #options: RemoteAnswersOptions;
  /** Undefined: the log is here, or not led by this process. */
  #remote: RemoteLog | undefined;
  /** Set while the log does not answer, once the callers of the batch in flight got an answer. */
  #unanswered: EngineReadOnly | undefined;
  /** Why this process cannot show that it leads. Undefined: it can. */
  #unshown: string | undefined;
  /** What was noted last. Undefined: all is well. */
  #noted: string | undefined;

  constructor(options: RemoteAnswersOptions) {
    this.#options = options;
  }

  /** Called when this process begins to lead. Undefined: the log is here. */
  watch(remote: RemoteLog | undefined): void {
    this.#remote = remote;
    remote?.watch({
      onUnknown: (problem) => this.#noteAnswer(problem),
      onUnshown: (problem) => {
        this.#unshown = problem;
        this.#note();
      },
      onReplaced: this.#options.onReplaced,
    });
  }

  get remote(): RemoteLog | undefined {
    return this.#remote;
  }

  /** Set while the log does not answer: what commands are refused with. */
  get unanswered(): EngineReadOnly | undefined {
    return this.#unanswered;
  }

  /** Set while the log does not answer, or another process may lead it: what this one knows may be old. */
  get doubt(): EngineReadOnly | undefined {
    if (this.#unanswered !== undefined) return this.#unanswered;
    const doubt = this.#remote?.doubt;
    return doubt === undefined ? undefined : new EngineReadOnly(doubt);
  }

  /** The same as a sentence for `/health`. */
  get problem(): string | undefined {
    return this.#unanswered?.message ?? this.#remote?.doubt;
  }

  /** The log does not answer (`problem`; called again if that changes), or has answered (undefined). */
  #noteAnswer(problem: string | undefined): void {
    this.#unanswered = problem === undefined ? undefined : new EngineReadOnly(unwritable(problem));
    this.#note();
    if (problem === undefined || this.#unanswered === undefined) return;
    this.#options.onUnanswered(this.#unanswered, new OutcomeUnknown(unwritable(problem)));
  }

  /** One line for each reason why the log cannot be written, and one when it can be again. */
  #note(): void {
    const unshown = this.#unshown && new EngineReadOnly(unwritable(this.#unshown)).message;
    const problem = this.#unanswered?.message ?? unshown;
    if (problem === this.#noted) return;
    this.#noted = problem;
    if (problem === undefined) this.#options.onNotice('the command log answers again');
    else this.#options.onNotice(problem, 'error');
  }
}

function unwritable(problem: string): string {
  return `the command log cannot be written: ${problem}`;
}
