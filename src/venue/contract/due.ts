/**
 * The name of a due timer. A timer that throws is a bug of the venue. The log records by this name that it is left out.
 * When the same command is applied again, the venue does something simpler instead. Otherwise every later command would
 * fail in the same way.
 *
 * - An order whose timer has failed once is cancelled. After the second failure it is left as it is (clock.ts).
 * - A recurring timer that has failed three times within a command is left out until the command ends. Otherwise a long
 *   advance, or the first tick after a long stop, would rebuild the venue once for each minute of it.
 */
export const DUE_KINDS = ['minute', 'expiry', 'deadMan', 'algo', 'liquidation', 'feed', 'distressed'] as const;

/** Identifies a timer in every process that applies the same log. */
export interface Due {
  readonly kind: (typeof DUE_KINDS)[number];
  /** Epoch milliseconds. */
  readonly dueMs: number;
  /** The key of the order, or a number of its market or account. */
  readonly key: number;
}

export class DueFailed extends Error {
  override readonly name = 'DueFailed';
  readonly due: Due;

  constructor(due: Due, cause: unknown) {
    super(`${due.kind} ${due.key}, due at ${due.dueMs}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.due = due;
  }
}

const MOST_IN_A_COMMAND = 3;

/** How often this item has failed in earlier attempts to apply the present command. */
export function failuresOf(leftOut: readonly Due[], { kind, dueMs, key }: Due): number {
  if (leftOut.length === 0) return 0;
  const so = leftOut.filter((other) => other.kind === kind && other.key === key && other.dueMs <= dueMs);
  const now = so.filter((other) => other.dueMs === dueMs).length;
  return now === 0 && so.length >= MOST_IN_A_COMMAND ? 1 : now;
}
