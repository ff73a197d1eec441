/** The archive's thread may be slow on a loaded machine. A test repeats its request until it gets an answer. */
import { VenueError } from '../../src/client/request.ts';

const ASKED_AGAIN = /try again later/;

/** The result of `ask`, once the archive is no longer busy. */
export async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof VenueError && error.status === 503 && ASKED_AGAIN.test(error.message))) throw error;
    }
  }
}

/** The same for a client that gives every status. */
export async function answeredCall<T extends { status: number; text: string }>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503 || !ASKED_AGAIN.test(answer.text)) return answer;
  }
}
