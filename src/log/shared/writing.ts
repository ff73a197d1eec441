/** What logs that write frames have in common: the frame of each action, and one action at a time. */
import assert from 'node:assert/strict';
import type { Batch, Poisoned, SealedState, StartState } from '../contract/command-log.ts';
import { LogFailed } from '../contract/command-log.ts';
import { commandsPayload, type FrameHeader, jsonPayload, type Payload } from './frame.ts';

/** A frame that is to be written. */
export interface NewFrame {
  readonly kind: Exclude<FrameHeader['kind'], 'next'>;
  readonly lastSeq: number;
  readonly timeMs: number;
  readonly payload: Payload;
  readonly effects?: string;
}

/** The same, or the last one of a segment. */
export type AnyFrame = Omit<NewFrame, 'kind'> & { readonly kind: FrameHeader['kind'] };

/** Where a log ends. */
interface End {
  readonly lastSeq: number;
  readonly lastTimeMs: number;
}

export function batchFrame({ lastSeq }: End, { firstSeq, timeMs, commands, effects }: Batch): NewFrame {
  assert.equal(firstSeq, lastSeq + 1, 'a batch must follow the last one');
  assert.ok(commands.count > 0, 'a batch holds at least one command');
  return { kind: 'batch', lastSeq: lastSeq + commands.count, timeMs, payload: commandsPayload(commands), effects };
}

export function poisonFrame({ lastSeq, lastTimeMs }: End, record: Poisoned): NewFrame {
  const kind = record.due === undefined ? 'poisoned' : 'leftOut';
  return { kind, lastSeq, timeMs: lastTimeMs, payload: jsonPayload(record) };
}

export function sealFrame({ lastSeq, lastTimeMs }: End, state: SealedState | undefined): NewFrame {
  const said = state === undefined ? [] : [{ hash: state.hash }];
  return { kind: 'seal', lastSeq, timeMs: lastTimeMs, payload: jsonPayload(...said), effects: state?.effects };
}

export function startFrame({ lastSeq, lastTimeMs }: End, rules: string, state: StartState | undefined): NewFrame {
  const { snapshot, anew, venueId: venue, lost, effects } = state ?? {};
  const record = { rules, venue, snapshot, lost, ...(anew && { effects: 'anew' }) };
  return { kind: 'start', lastSeq, timeMs: lastTimeMs, payload: jsonPayload(record), effects };
}

export function nextFrame({ lastSeq, lastTimeMs }: End): AnyFrame {
  return { kind: 'next', lastSeq, timeMs: lastTimeMs, payload: jsonPayload() };
}

/** Runs one action of a log at a time, and none once the log has ended. */
export class Actions {
  #busy: string | undefined;
  /** Why nothing more can be written. */
  #ended: 'sealed' | 'failed' | 'closed' | undefined;

  /** `errorOf`: an error as one of the log. `LogFailed` ends the log. */
  async run(what: string, act: () => Promise<void>, errorOf: (error: unknown) => unknown): Promise<void> {
    assert.equal(this.#ended, undefined, `${what} on a log that is ${this.#ended}`);
    assert.equal(this.#busy, undefined, `${what} while ${this.#busy} is in flight`);
    this.#busy = what;
    try {
      await act();
    } catch (error) {
      const known = errorOf(error);
      if (known instanceof LogFailed) this.#ended = 'failed';
      throw known;
    } finally {
      this.#busy = undefined;
    }
  }

  /** The log ends in a seal: nothing may follow it. */
  sealed(): void {
    this.#ended = 'sealed';
  }

  /** False: the log is closed already. */
  close(): boolean {
    assert.equal(this.#busy, undefined, 'a log is closed when nothing is in flight');
    if (this.#ended === 'closed') return false;
    this.#ended = 'closed';
    return true;
  }
}
