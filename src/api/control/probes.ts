/**
 * What a process manager or a load balancer reads without a token: `GET /livez` and `GET /readyz` on the port of the
 * control surface, outside `/control/v1`. The answer is a status and one word, so it reveals nothing else.
 */

export interface Probe {
  readonly status: 200 | 503;
  readonly word: 'live' | 'ready' | 'unready';
}

/** The answer to a request. Undefined: it is not one of the two. `isReady`: the venue accepts orders and is in order. */
export function probe(method: string | undefined, path: string, isReady: () => boolean): Probe | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (path === '/livez') return { status: 200, word: 'live' };
  if (path !== '/readyz') return undefined;
  return isReady() ? { status: 200, word: 'ready' } : { status: 503, word: 'unready' };
}
