/**
 * Venues that a failed test can be explained with (`startVenue({ page: true })`). Only the end of the process says which tests failed: a
 * test closes its venue before, and the report comes after. So such a venue lives on after its close, and when nothing else is left
 * to do, the links of those whose tests failed are printed, and the process waits for somebody to look.
 *
 * - The tests of `node:test` are known by name. In another runner the exit code decides, for all venues at once.
 * - A closed venue whose test passed ends with the next one that is started, or with the process. At most MOST_CLOSED wait.
 * - Nothing waits where `CI` is set, nor if the process is ended by force.
 */
const MOST_CLOSED = 20;
const CHECK_MS = 2000;
/** How long nobody may have the page open until the process ends: as long as a link is valid. */
const WAIT_MS = 600_000;

export interface Explaining {
  /** A new link to the page. */
  link(): string;
  isLookedAt(): boolean;
  stop(): Promise<unknown>;
}

/** What is read of a test of `node:test`, while it runs and afterwards. */
interface KnownTest {
  readonly fullName: string;
  readonly passed: boolean;
  readonly error: Error | null;
}

interface Kept {
  readonly venue: Explaining;
  /** Undefined: it was not started by a test, or the runner is another. */
  readonly test: KnownTest | undefined;
  isClosed: boolean;
}

const kept = new Set<Kept>();
let hasVerdict = false;

/** Keeps a venue until the verdict on the test that runs now. Returns what its close calls. */
export function keepForFailure(venue: Explaining): () => void {
  if (!process.listeners('beforeExit').includes(onIdle)) process.on('beforeExit', onIdle);
  const entry: Kept = { venue, test: currentTest(), isClosed: false };
  kept.add(entry);
  endNeedless();
  return () => {
    entry.isClosed = true;
  };
}

function currentTest(): KnownTest | undefined {
  const runner: { getTestContext?: () => unknown } = process.getBuiltinModule('node:test');
  // Node has it since 24.19. A suite's has no error.
  const test = runner.getTestContext?.() as KnownTest | undefined;
  return test !== undefined && 'error' in test ? test : undefined;
}

function endNeedless(): void {
  const closed = [...kept].filter(({ isClosed }) => isClosed);
  const surplus = closed.length - MOST_CLOSED;
  for (const [i, entry] of closed.entries()) if (entry.test?.passed === true || i < surplus) end(entry);
}

function end(entry: Kept): void {
  kept.delete(entry);
  stop(entry.venue);
}

function stop(venue: Explaining): void {
  venue.stop().catch((error) => console.error('bourse: the venue of a test did not stop:', error));
}

/** Nothing is left to do. The runner hears it at the same time, and its verdict is there a turn later. */
function onIdle(): void {
  if (!hasVerdict) {
    hasVerdict = true;
    setImmediate(() => {});
    return;
  }
  const failed = [...kept].filter(({ test }) =>
    test === undefined ? hasFailed() : test.error !== null && !test.passed,
  );
  kept.clear();
  for (const { venue, test } of failed) {
    console.error(`bourse: ${test === undefined ? 'a test' : `“${test.fullName}”`} failed. Its venue: ${venue.link()}`);
    waitForEyes(venue);
  }
  if (failed.length > 0) {
    console.error('bourse: the process waits until nobody has had the page open for ten minutes. Ctrl-C ends it.');
  }
}

function hasFailed(): boolean {
  return (process.exitCode ?? 0) !== 0;
}

function waitForEyes(venue: Explaining): void {
  let seenAtMs = performance.now();
  const timer = setInterval(() => {
    if (venue.isLookedAt()) seenAtMs = performance.now();
    if (performance.now() - seenAtMs < WAIT_MS) return;
    clearInterval(timer);
    stop(venue);
  }, CHECK_MS);
}
