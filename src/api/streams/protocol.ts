/**
 * What clients and the venue say to each other beside the topics: subscribe, unsubscribe, login, ping, and errors. Frames
 * are text. Clients spell a ping in several ways, and each gets the answer that it can read.
 */
import type { Login } from '../gateway/auth.ts';
import { shortened } from '../shared/errors.ts';
import { frameOf } from './subscription.ts';

export type ErrorCode = 1000 | 1001 | 1002 | 1005 | 1007 | 1008;

const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  1000: 'Market pair provided is currently not supported.',
  1001: 'Operation provided is currently not supported.',
  1002: 'Invalid request. Please check again your request and provide all information required.',
  1005: 'Topic provided does not exist.',
  1007: 'User message buffer is full.',
  1008: 'Reached maximum failed attempts, closing the session.',
};

/** Why something is refused. */
export interface Refusal {
  readonly code: ErrorCode;
  /** What was probably meant. Codes and messages are BTSE's, and this is not. */
  readonly hint?: string;
}

export interface StreamError extends Refusal {
  /** What is refused. The frame shows its beginning. */
  readonly arg: string;
}

export type ClientFrame =
  | { readonly op: 'subscribe' | 'unsubscribe'; readonly topics: readonly string[] }
  | { readonly op: 'login'; readonly login: Login }
  | { readonly op: 'ping' }
  | { readonly op: 'nothing' }
  | { readonly op: 'error'; readonly error: StreamError };

const PONG = frameOf('pong');
export const pong = (): Buffer => PONG;

/** Reads a frame of a client. */
export function readFrame(text: string): ClientFrame {
  if (text === 'ping') return { op: 'ping' };
  // cryptoxlib sends it to keep the connection, and fails on every answer that is not a topic's.
  if (text === '2') return { op: 'nothing' };
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return invalid(text);
  }
  if (typeof frame !== 'object' || frame === null) return invalid(text);
  const { op, args } = frame as { op?: unknown; args?: unknown };
  switch (op) {
    case 'ping':
      return { op: 'ping' };
    case 'subscribe':
    case 'unsubscribe':
      return topicsOf(op, args, text);
    case 'authKeyExpires':
    case 'login':
      return loginOf(args, text);
    default:
      // What is not text must not be made text: that can throw.
      return typeof op === 'string' ? { op: 'error', error: { arg: op, code: 1001 } } : invalid(text);
  }
}

function topicsOf(op: 'subscribe' | 'unsubscribe', args: unknown, text: string): ClientFrame {
  if (args === undefined) return { op: 'nothing' };
  const topics: readonly unknown[] = typeof args === 'string' ? [args] : Array.isArray(args) ? args : [null];
  return topics.every((topic) => typeof topic === 'string') ? { op, topics } : invalid(text);
}

function loginOf(args: unknown, text: string): ClientFrame {
  if (!Array.isArray(args) || args.length !== 3) return invalid(text);
  const [key, nonce, signature] = args as unknown[];
  const isNonce = typeof nonce === 'string' || typeof nonce === 'number';
  if (typeof key !== 'string' || !isNonce || typeof signature !== 'string') return invalid(text);
  return { op: 'login', login: { key, nonce: String(nonce), signature } };
}

function invalid(text: string): ClientFrame {
  return { op: 'error', error: { arg: text, code: 1002 } };
}

/** The acknowledgement: the topics that were taken. */
export function acknowledged(event: 'subscribe' | 'unsubscribe', channel: readonly string[]): Buffer {
  return frameOf(JSON.stringify({ event, channel }));
}

/** The answer to a login. `message` says why it failed. */
export function loggedIn(message: string | null): Buffer {
  return frameOf(JSON.stringify({ event: 'login', success: message === null, ...(message !== null && { message }) }));
}

export function errorFrame(errors: readonly StreamError[]): Buffer {
  const listed = errors.map(({ arg, code, hint }) => {
    return { arg: shortened(arg), error: { code, message: MESSAGES[code], ...(hint !== undefined && { hint }) } };
  });
  return frameOf(JSON.stringify({ severity: 'ERROR', errors: listed }));
}
