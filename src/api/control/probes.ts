/**
 * What a process manager or a load balancer reads without a token: `GET /livez` and `GET /readyz` on the port of the
 * control surface, outside `/control/v1`. The answer is a status and one word, so it reveals nothing else.
 */

export interface Probe {
  readonly status: 200 | 503;
  readonly word: 'live' | 'ready' | 'unready' | 'standby';
}

/** What a venue is ready for. `ready`: it accepts orders and is in order. `standby`: it is in order, and another one leads. */
export type Readiness = 'ready' | 'unready' | 'standby';

/** The answer to a request. Undefined: it is not one of the two. */
export function probe(method: string | undefined, path: string, readiness: () => Readiness): Probe | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (path === '/livez') return { status: 200, word: 'live' };
  if (path !== '/readyz') return undefined;
  const word = readiness();
  return { status: word === 'ready' ? 200 : 503, word };
}
