/**
 * Reads plain requests: those of nearly all clients, without anything that two readers could understand differently.
 * Anything else goes to node:http.
 *
 * A plain request has a method that routes have, a target that begins with '/', HTTP/1.1, one Host, at most one
 * Content-Length of plain digits, headers of visible ASCII without folding or repetition where it matters, and nothing
 * that changes the framing or the connection: no Transfer-Encoding, Expect, Upgrade, nor a Connection other than
 * keep-alive. node:http reads every such request in the same way.
 *
 * Cost: one pass of a regular expression over the head, and a short string for each header.
 */
import type { Buffer } from 'node:buffer';
import { ownText } from '../shared/own-text.ts';
import { MAX_BODY_BYTES, type RequestHeaders } from './request.ts';

/** Larger heads go to node:http, which takes 16 KB. */
const MAX_HEAD_BYTES = 8192;
/** Requests with more headers go to node:http, which also has a limit. */
const MAX_HEADERS = 64;
export const HEAD_END = '\r\n\r\n';
/** Method, target, and all header lines. Values begin with a visible character. */
const HEAD =
  /^(GET|POST|PUT|DELETE) (\/[\w\-.~!$&'()*+,;=:@%/?]*) HTTP\/1\.1\r\n((?:[A-Za-z0-9-]+: [!-~][ -~]*\r\n)+)\r\n$/;
const SPACE = 32;
const COLON = 58;
const LENGTH = /^(?:0|[1-9][0-9]{0,4})$/;

/** The head of a plain request. */
export interface PlainHead {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  /** The offset of the body. */
  readonly headBytes: number;
  readonly bodyBytes: number;
}

/** The head at the beginning of the bytes. 'incomplete': more must arrive. Null: it is not plain. */
export function readPlainHead(bytes: Buffer): PlainHead | 'incomplete' | null {
  // Searching a string, and slicing it, costs less than searching bytes.
  const text = bytes.toString('latin1', 0, MAX_HEAD_BYTES);
  const end = text.indexOf(HEAD_END);
  if (end < 0) return bytes.length < MAX_HEAD_BYTES ? 'incomplete' : null;
  const headBytes = end + HEAD_END.length;
  const match = HEAD.exec(text.slice(0, headBytes));
  if (match === null) return null;
  const read = readHeaders(match[3]);
  if (read === null || read.bodyBytes > MAX_BODY_BYTES) return null;
  return { method: match[1], target: match[2], headBytes, ...read };
}

interface Name {
  readonly given: string;
  readonly inLowerCase: string;
}

/** The last name at each place of a head. Most heads have the same names at the same places, and to compare costs less than to read. */
const KNOWN_NAMES: (Name | undefined)[] = Array.from({ length: MAX_HEADERS + 1 });

/** The name of the header that begins at `at`. `place`: its place in the head. */
function nameAt(lines: string, at: number, place: number): Name {
  const known = KNOWN_NAMES[place];
  if (known !== undefined && lines.startsWith(known.given, at) && lines.charCodeAt(at + known.given.length) === COLON)
    return known;
  const given = ownText(lines.slice(at, lines.indexOf(':', at)));
  const name = { given, inLowerCase: given.toLowerCase() };
  KNOWN_NAMES[place] = name;
  return name;
}

/** The headers that routes read. */
class PlainHeaders implements RequestHeaders {
  'content-type': string | undefined = undefined;
  'request-api': string | undefined = undefined;
  'request-nonce': string | undefined = undefined;
  'request-sign': string | undefined = undefined;
  'btse-api': string | undefined = undefined;
  'btse-nonce': string | undefined = undefined;
  'btse-sign': string | undefined = undefined;
  'broker-id': string | undefined = undefined;
  'x-forwarded-for': string | undefined = undefined;
}

/**
 * Null: a header that is read comes twice, or one is not plain.
 * The cases are written out, because computed names make a head a quarter slower (bench/README.md).
 */
function readHeaders(lines: string): { headers: PlainHeaders; bodyBytes: number } | null {
  const headers = new PlainHeaders();
  let hosts = 0;
  let length: string | undefined;
  let count = 0;
  for (let at = 0; at < lines.length; ) {
    count += 1;
    if (count > MAX_HEADERS) return null;
    const { given, inLowerCase } = nameAt(lines, at, count);
    const colon = at + given.length;
    const end = lines.indexOf('\r', colon);
    const value = lines.slice(colon + 2, end);
    at = end + 2;
    if (value.charCodeAt(value.length - 1) === SPACE) return null;
    switch (inLowerCase) {
      case 'host':
        hosts += 1;
        continue;
      case 'content-length':
        if (length !== undefined) return null;
        length = value;
        continue;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return null;
        continue;
      case 'content-type':
        if (headers['content-type'] !== undefined) return null;
        headers['content-type'] = value;
        continue;
      case 'request-api':
        if (headers['request-api'] !== undefined) return null;
        headers['request-api'] = value;
        continue;
      case 'request-nonce':
        if (headers['request-nonce'] !== undefined) return null;
        headers['request-nonce'] = value;
        continue;
      case 'request-sign':
        if (headers['request-sign'] !== undefined) return null;
        headers['request-sign'] = value;
        continue;
      case 'btse-api':
        if (headers['btse-api'] !== undefined) return null;
        headers['btse-api'] = value;
        continue;
      case 'btse-nonce':
        if (headers['btse-nonce'] !== undefined) return null;
        headers['btse-nonce'] = value;
        continue;
      case 'btse-sign':
        if (headers['btse-sign'] !== undefined) return null;
        headers['btse-sign'] = value;
        continue;
      case 'broker-id':
        if (headers['broker-id'] !== undefined) return null;
        headers['broker-id'] = value;
        continue;
      case 'x-forwarded-for':
        if (headers['x-forwarded-for'] !== undefined) return null;
        headers['x-forwarded-for'] = value;
        continue;
      case 'transfer-encoding':
      case 'content-encoding':
      case 'te':
      case 'trailer':
      case 'expect':
      case 'upgrade':
      case 'http2-settings':
      case 'proxy-connection':
        return null;
    }
  }
  if (hosts !== 1 || (length !== undefined && !LENGTH.test(length))) return null;
  return { headers, bodyBytes: length === undefined ? 0 : Number(length) };
}
