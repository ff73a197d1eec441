/**
 * A due item (a timer) that throws is a bug of the venue. It has a name here, so that the log can record that it is left out.
 * When the same command is applied again, the venue does in its place only what cannot throw. Without that, every later
 * command would fail at it too.
 *
 * Invariant: each time that the same item fails, less of it is done; the third time nothing that can throw (clock.ts).
 * An item that is due again and again and has failed three times is left out until the command ends. Otherwise a long
 * advance, or the first tick after a long stop, would rebuild the venue once for each minute of it.
 */
export const DUE_KINDS = ['minute', 'expiry', 'deadMan', 'algo', 'liquidation', 'feed', 'distressed'] as const;

/** What identifies a timer in every process that applies the same log. */
export interface Due {
  readonly kind: (typeof DUE_KINDS)[number];
  /** Epoch milliseconds. */
  readonly dueMs: number;
  /** The order's key, or a number of its market or account. */
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

/** How often this item has failed already, in earlier attempts to apply the present command. */
export function failuresOf(leftOut: readonly Due[], { kind, dueMs, key }: Due): number {
  if (leftOut.length === 0) return 0;
  const so = leftOut.filter((other) => other.kind === kind && other.key === key && other.dueMs <= dueMs);
  const now = so.filter((other) => other.dueMs === dueMs).length;
  return now === 0 && so.length >= MOST_IN_A_COMMAND ? 1 : now;
}
