/**
 * The addresses at which this process has closed a venue. A client that reconnects to one of them does not keep the
 * process alive: only this process could start the venue again, and a test that forgets its client must still end.
 *
 * Invariant: once a venue is started again at the address, the attempts that wait keep the process alive as before.
 */

/** By address, the timers of attempts that wait. */
const closed = new Map<string, Set<NodeJS.Timeout>>();

/** A venue of this process is being closed. */
export function venueClosed(url: string): void {
  closed.set(addressOf(url), new Set());
}

/** A venue of this process listens. */
export function venueStarted(url: string): void {
  const address = addressOf(url);
  for (const timer of closed.get(address) ?? []) timer.ref();
  closed.delete(address);
}

/** Calls `attempt` after a delay, which keeps the process alive unless the venue was one of this process and is closed. */
export function attemptLater(url: string, attempt: () => void, delayMs: number): NodeJS.Timeout {
  const waiting = closed.get(addressOf(url));
  const timer = setTimeout(() => {
    waiting?.delete(timer);
    attempt();
  }, delayMs);
  if (waiting !== undefined) {
    waiting.add(timer);
    timer.unref();
  }
  return timer;
}

/** Host and port. A venue of this process has the address 127.0.0.1, and a client may call it localhost. */
function addressOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
}
