/**
 * Goes through the whole log once, from its beginning, and then follows it: makes the checkpoints and the index. It
 * works in steps, while there is no question, and holds a second venue.
 *
 * Invariant: the index has every command up to `seq`, and the state there is the venue's.
 */
import { AppliedLog } from '../archive/follow/applied-log.ts';
import { type Course, type Timeline, turned, upTo, WHOLE } from '../archive/store/timeline.ts';
import { type Apply, LogReplayer } from '../engine/replay/log-replayer.ts';
import type { Command } from '../venue/contract/commands.ts';
import { HOUSE } from '../venue/contract/units.ts';
import type { Venue } from '../venue/venue.ts';
import { CHECKPOINT_EVERY, firstBase, type History } from './history.ts';
import { LogIndex } from './log-index.ts';

/** Commands whose reply says whether there is something to mark. */
const MARKED: readonly Command['type'][] = ['setPrices', 'saveSnapshot', 'reset', 'restoreSnapshot'];

export class Survey {
  readonly #history: History;
  readonly #log: AppliedLog;
  readonly index: LogIndex;
  #checkpointAt: number;
  #course: Course = { lineage: WHOLE };
  readonly #saved = new Map<string, Timeline>();
  /** The markets in which the present command liquidated. */
  readonly #liquidated = new Set<number>();

  private constructor(history: History, log: AppliedLog, index: LogIndex) {
    this.#history = history;
    this.#log = log;
    this.index = index;
    this.#checkpointAt = log.replayer.venue.seq + CHECKPOINT_EVERY;
  }

  /** @throws {NoSuchMoment} no state can be computed */
  static async begin(history: History, endSeq: number): Promise<Survey> {
    const { venue, origin } = await firstBase(history, endSeq);
    const log = await history.storage.source.follow(origin);
    let survey: Survey;
    const apply: Apply<unknown> = (of, seq, timeMs, command) => survey.#apply(of, seq, timeMs, command);
    survey = new Survey(history, new AppliedLog(log, new LogReplayer(venue, { apply })), new LogIndex(venue.seq + 1));
    survey.#listen(venue);
    return survey;
  }

  /** The last command that it has passed. */
  get seq(): number {
    return this.index.seq;
  }

  /** Goes on towards `endSeq` while `goesOn`. */
  async step(endSeq: number, goesOn: () => boolean): Promise<void> {
    if (this.seq >= endSeq) return;
    await this.#log.advance(endSeq, goesOn, () => this.#keepCheckpoint());
    this.index.leftOut(this.#venue.seq, this.#venue.timeMs);
  }

  get #venue(): Venue {
    return this.#log.replayer.venue;
  }

  /** Everything before the next record is applied. */
  #keepCheckpoint(): void {
    const { position } = this.#log;
    const { seq } = this.#venue;
    if (position?.seq !== seq || seq < this.#checkpointAt) return;
    this.#checkpointAt = seq + CHECKPOINT_EVERY;
    const { checkpoints } = this.#history;
    if (checkpoints.before(seq) !== seq) checkpoints.add(position, this.#venue.save());
  }

  #listen(venue: Venue): void {
    const nameOf = (account: number) => venue.account(account)?.name ?? String(account);
    venue.listen({
      traded: ({ makerAccount, takerAccount }) => {
        for (const account of [makerAccount, takerAccount]) {
          if (account !== HOUSE) this.index.fill(nameOf(account), venue.seq);
        }
      },
      orderPlaced: ({ liquidation, market }) => {
        if (liquidation !== null) this.#liquidated.add(market);
      },
    });
  }

  #apply(venue: Venue, seq: number, timeMs: number, command: Command): void {
    if (MARKED.includes(command.type)) {
      if (venue.apply(seq, timeMs, command).refusal === null) this.#mark(venue, seq, command);
    } else venue.applySilently(seq, timeMs, command);
    for (const market of this.#liquidated) {
      this.index.mark({ kind: 'liquidation', seq, time: venue.timeMs, symbol: venue.markets[market]?.symbol });
    }
    this.#liquidated.clear();
    this.index.add(seq, command.type, venue.timeMs);
  }

  #mark(venue: Venue, seq: number, command: Command): void {
    const time = venue.timeMs;
    if (command.type === 'setPrices' && command.byHand) {
      this.index.mark({ kind: 'prices', seq, time, symbol: venue.markets[command.market].symbol });
    } else if (command.type === 'saveSnapshot') {
      this.index.mark({ kind: 'snapshot', seq, time, name: command.name });
      this.#saved.set(command.name, upTo(this.#course.lineage, seq));
    } else if (command.type === 'reset') {
      this.index.mark({ kind: 'reset', seq, time });
      this.#replaced(seq, 'reset', upTo(WHOLE, 1));
    } else if (command.type === 'restoreSnapshot') {
      this.index.mark({ kind: 'restore', seq, time, name: command.name });
      this.#replaced(seq, 'restore', this.#saved.get(command.name) ?? []);
    }
  }

  #replaced(seq: number, by: 'reset' | 'restore', saved: Timeline): void {
    this.#course = turned(this.#course, by, seq, saved);
    this.index.turned(this.#course);
  }
}
