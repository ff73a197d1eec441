/** The archive's thread may take long to come on a loaded machine: a test asks again until it answers. */
import { VenueError } from '../../src/client/request.ts';

const ASKED_AGAIN = /try again later/;

/** What `ask` resolves with, once the archive is no longer busy. */
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
