/**
 * Finds out what a signature that does not fit was made over, if it is a common mistake: the path with `/spot` or
 * `/futures`, the query, a path without its beginning, or no body. The client learns it from the header `Bourse-Hint`.
 *
 * It gives nothing away to anyone without the secret. A hint needs a signature that was made with the secret, and such a
 * request is still refused. The work is the same for known and unknown keys, so it does not show which keys exist.
 *
 * Cost: at most seven HMACs over path and body, for a refused request only.
 */
import { Buffer } from 'node:buffer';

export interface RefusedRequest {
  readonly method: string;
  /** The raw request target, query included. */
  readonly target: string;
  /** The path that should have been signed. */
  readonly signedPath: string;
  readonly body: Buffer;
}

/** Whether the signature is that of this path and body. The body is that of the request if it is absent. */
export type Fits = (path: string, body?: Buffer) => boolean;

const NO_BODY = Buffer.alloc(0);

/** What to do. Undefined: the signature fits none of the mistakes. */
export function signatureHint({ method, target, signedPath, body }: RefusedRequest, fits: Fits): string | undefined {
  const cut = target.indexOf('?');
  const [path, query] = cut < 0 ? [target, ''] : [target.slice(0, cut), target.slice(cut)];
  const withoutFirst = signedPath.slice(Math.max(signedPath.indexOf('/', 1), 0));
  const paths = [...new Set([signedPath, path, withoutFirst])];
  let signed: string | undefined;
  // Every mistake is tried, so that the time does not say which one it was.
  for (const tried of new Set([...paths, ...paths.map((each) => each + query)])) if (fits(tried)) signed = tried;
  const bodyLeftOut = body.length > 0 && fits(signedPath, NO_BODY);
  if (bodyLeftOut)
    return 'the signature leaves out the body: sign path, nonce and body, byte for byte as they are sent';
  if (signed === undefined) return undefined;
  const or = method === 'GET' && query !== '' ? ', or that with its query' : '';
  return `the signature is over ${shownPath(signed)}: sign ${signedPath}${or}`;
}

/** The query is not shown: it need not be ASCII, as a header must be. */
function shownPath(signed: string): string {
  const cut = signed.indexOf('?');
  return cut < 0 ? signed : `${signed.slice(0, cut)} and the query`;
}
