/** What a log that is not in this process needs of the machine. The engine's `World` has it. */
export interface LogWorld {
  /** Milliseconds since an arbitrary moment. Never goes back. */
  monotonicMs(): number;
  /** Calls `act` once, after at least `ms`. */
  timer(ms: number, act: () => void): { clear(): void; unref(): void };
}
