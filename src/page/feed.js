/**
 * One socket a tab: the control stream. Messages wait in a list and are folded together, so a burst costs one rendering: the first after
 * a quiet moment at once, the next ones four times a second. While somebody does something they come as fast as the machine
 * has time for. A tab that nobody sees gives the connection back after five seconds, and begins again with snapshots.
 */
import { get, Refused } from './api.js';
import { isHurried, onHurry } from './hurry.js';
import { link, noteTopic, now, signOut, unreachable } from './store.js';
import { batch } from './ui.js';

/** @typedef {{ topic: string, type: 'snapshot' | 'change' | 'heartbeat' | 'error', seq: number, time: number, data: any }} Message */

/** The venue sends a heartbeat a second. */
const SILENCE_MS = 2200;
/** How long a handshake may take. */
const HANDSHAKE_MS = 10_000;
const CHECK_MS = 500;
const HIDDEN_MS = 5000;
/** The page rests so long after each frame. */
const REST_MS = 250;
/** Somebody who has just done something waits for what it did: then it rests so many times what the frame took, if that is shorter. */
const REST_TIMES = 4;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8000;
/** After it a topic that could not be read is asked for again. */
const TOPIC_RETRY_MS = 5000;

/** Who wants which topic. @type {Map<string, Set<(message: Message) => void>>} */
const followers = new Map();
/** Topics that continue where a connection was lost, with the last seq that each has sent. @type {Map<string, number>} */
const heard = new Map();
/** @type {WebSocket | null} */
let socket = null;
/** @type {Message[]} */
let waiting = [];
let isScheduled = false;
let restsUntilMs = 0;
/** Ends a rest. @type {ReturnType<typeof setTimeout> | undefined} */
let resting;
let heardAtMs = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retry;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;
let isStarted = false;

/**
 * Follows a topic of the stream (docs/operating.md names them): `take` gets its snapshot, then its changes. Returns what
 * ends it.
 * @param {string} topic @param {(message: Message) => void} take
 */
export function follow(topic, take) {
  const known = followers.get(topic);
  if (known === undefined) followers.set(topic, new Set([take]));
  else known.add(take);
  // A topic that is subscribed again begins with its snapshot, which the others may take as well.
  ask('subscribe', [topic]);
  return () => {
    const left = followers.get(topic);
    left?.delete(take);
    if (left?.size !== 0) return;
    followers.delete(topic);
    heard.delete(topic);
    noteTopic(topic, null);
    ask('unsubscribe', [topic]);
  };
}

/** @param {'subscribe' | 'unsubscribe'} op @param {readonly string[]} topics @param {number} [after] they have what happened up to it */
function ask(op, topics, after) {
  if (socket?.readyState === WebSocket.OPEN && topics.length > 0) socket.send(JSON.stringify({ op, topics, after }));
}

/** Subscribes everything over a new connection. */
function askAll() {
  ask(
    'subscribe',
    [...followers.keys()].filter((topic) => !heard.has(topic)),
  );
  for (const [topic, seq] of heard) ask('subscribe', [topic], seq);
}

export function startFeed() {
  if (!isStarted) {
    isStarted = true;
    setInterval(checkSilence, CHECK_MS);
    document.addEventListener('visibilitychange', onVisibility);
    onHurry(() => resting !== undefined && endRest());
  }
  connect();
}

/** Opens the stream at once, also in place of one that is open. */
export function connect() {
  clearTimeout(retry);
  close();
  heardAtMs = performance.now();
  const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/control/v1/stream`);
  socket = opened;
  opened.addEventListener('open', () => {
    heardAtMs = performance.now();
    askAll();
  });
  opened.addEventListener('message', ({ data }) => {
    heardAtMs = performance.now();
    take(JSON.parse(data));
  });
  opened.addEventListener('close', () => opened === socket && lost());
}

function close() {
  const old = socket;
  socket = null;
  waiting = [];
  old?.close();
}

/** @param {any} message */
function take(message) {
  // Answers to requests have no type.
  if (message.type === undefined) {
    if (message.error !== undefined && message.topic !== undefined) notRead(message.topic, message.error);
    return;
  }
  waiting.push(message);
  if (isScheduled) return;
  isScheduled = true;
  const restMs = restsUntilMs - performance.now();
  if (restMs <= 0) requestAnimationFrame(fold);
  else resting = setTimeout(endRest, restMs);
}

function endRest() {
  clearTimeout(resting);
  resting = undefined;
  requestAnimationFrame(fold);
}

function fold() {
  isScheduled = false;
  const messages = waiting;
  waiting = [];
  if (messages.length === 0) return;
  const begunMs = performance.now();
  // When the browser has painted.
  setTimeout(() => {
    const nowMs = performance.now();
    restsUntilMs = nowMs + (isHurried() ? Math.min(REST_MS, REST_TIMES * (nowMs - begunMs)) : REST_MS);
  });
  batch(() => {
    for (const message of messages) {
      if (message.type === 'error') {
        notRead(message.topic, message.data?.error);
        continue;
      }
      if (message.type === 'snapshot') noteTopic(message.topic, null);
      if (message.topic.startsWith('fills:') && followers.has(message.topic)) heard.set(message.topic, message.seq);
      for (const follower of followers.get(message.topic) ?? []) follower(message);
    }
    const { seq, time } = messages[messages.length - 1];
    if (now.value === null || now.value.seq !== seq || now.value.timeMs !== time) now.value = { seq, timeMs: time };
    if (link.value.state !== 'live') link.value = { state: 'live', sinceMs: performance.now(), tries: 0 };
  });
}

/** It shows what it showed before, and is asked for again. @param {string} topic @param {{ message?: string } | undefined} error */
function notRead(topic, error) {
  if (!followers.has(topic)) return;
  noteTopic(topic, error?.message ?? 'it could not be read');
  heard.delete(topic);
  setTimeout(() => followers.has(topic) && ask('subscribe', [topic]), TOPIC_RETRY_MS);
}

function checkSilence() {
  if (socket === null) return;
  const mostMs = socket.readyState === WebSocket.CONNECTING ? HANDSHAKE_MS : SILENCE_MS;
  if (performance.now() - heardAtMs > mostMs) lost();
}

/** The connection is gone, or silent. Tries again, later each time, and not all tabs at once. */
function lost() {
  close();
  if (link.value.state === 'signedOut') return;
  unreachable();
  const waitMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (link.value.tries - 1)) * (0.75 + Math.random() / 2);
  clearTimeout(retry);
  retry = setTimeout(() => void reopen(), waitMs);
}

/** A browser does not say why a handshake was refused, so the session is asked for first. */
async function reopen() {
  try {
    await get('/session');
    // A venue that is being rebuilt takes no stream, and says why.
    const { ready, reasons } = await get('/health');
    if (!ready) link.value = { ...link.value, reasons };
    connect();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) signOut();
    else lost();
  }
}

function onVisibility() {
  clearTimeout(hiding);
  if (document.hidden) {
    hiding = setTimeout(() => {
      clearTimeout(retry);
      close();
    }, HIDDEN_MS);
  } else if (socket === null && link.value.state !== 'signedOut') connect();
}
