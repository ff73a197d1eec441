/** Faults at the gateway and of the streams, which a test arms. */
import type { Field } from '../../../config/field.ts';
import type { Fault, FaultMatch } from '../../gateway/faults.ts';
import type { ControlContext } from '../context.ts';
import { refuseProblems } from '../problems.ts';

const MAX_FAULT_LATENCY_MS = 600_000;
/** Of venue time. */
const LONGEST_WAIT_MS = 31 * 24 * 3_600_000;
const SHORTEST_TURN_MS = 1000;
const MAX_FAULT_PATH = 200;
const MOST_TIMES = 1_000_000_000;
const MOST_CODE = 999_999_999;
const LONGEST_MESSAGE = 1000;
/** How many are armed at a time. One with `times` affects many requests. */
const MOST_FAULTS = 1000;

/** What a fault does. One fault does what one of these lists has. */
const KINDS = {
  requests: ['latencyMs', 'status', 'dropReply'],
  frames: ['streamLatencyMs', 'dropFrames', 'gapBook'],
  closings: ['closeStreams'],
  handshakes: ['refuseStreams'],
  everything: ['maintenance'],
} as const;
type Kind = keyof typeof KINDS;
const OF_ANSWER = ['code', 'message', 'body', 'retryAfterSeconds'];
const WHEN = ['inVenueTime', 'probability', 'seed', 'from', 'until', 'every', 'for', 'skip', 'times'];
const ACTS =
  'latencyMs, status, dropReply, or closeStreams, refuseStreams, streamLatencyMs, dropFrames, gapBook for streams';
/** Statuses that have no body. */
const BODILESS = [204, 205, 304];

export async function armFault(context: ControlContext, body: Field): Promise<object> {
  body.object(['match', ...Object.values(KINDS).flat(), ...OF_ANSWER, ...WHEN]);
  const fault: Fault = {
    match: readMatch(body.at('match')),
    latencyMs: readLatency(body, 'latencyMs'),
    ...readAnswer(body),
    dropReply: body.at('dropReply').flag(),
    maintenance: body.at('maintenance').flag() || undefined,
    closeStreams: body.at('closeStreams').flag(),
    refuseStreams: body.at('refuseStreams').flag() || undefined,
    streamLatencyMs: readLatency(body, 'streamLatencyMs'),
    dropFrames: body.at('dropFrames').flag() || undefined,
    gapBook: body.at('gapBook').flag() || undefined,
    inVenueTime: body.at('inVenueTime').flag() || undefined,
    ...readChance(body),
    ...readTimes(body, context.nowMs()),
  };
  const kind = kindOf(body, fault);
  if (kind === 'requests') refuseUnserved(context, body.at('match'), fault.match ?? {});
  else if (kind === 'everything' && body.at('match').given) {
    body.at('match').problem('does not apply to maintenance, which is of the whole venue: leave it out');
  } else if (kind !== null) refuseNoStream(context, body.at('match'), fault.match ?? {}, fault.gapBook === true);
  if (context.faults.count >= MOST_FAULTS)
    body.problem(`is one fault too many: ${MOST_FAULTS} are armed; clear them first`);
  refuseProblems(body);
  context.faults.arm(fault);
  return { armed: context.faults.count };
}

function readMatch(match: Field): FaultMatch {
  if (match.given) match.object(['method', 'path', 'pathPrefix']);
  const [method, path, prefix] = [match.at('method'), match.at('path'), match.at('pathPrefix')];
  if (path.given && prefix.given) prefix.problem('is beside a path: give one of them');
  return {
    method: method.given ? method.oneOf(['GET', 'POST', 'PUT', 'DELETE']) : undefined,
    path: path.given ? path.matching(/^\/[^?#\s]*$/, 'an exact path without query', MAX_FAULT_PATH) : undefined,
    pathPrefix: prefix.given
      ? prefix.matching(/^\/[^?#\s]*$/, 'the beginning of paths, without query', MAX_FAULT_PATH)
      : undefined,
  };
}

function readLatency(body: Field, name: 'latencyMs' | 'streamLatencyMs'): number | undefined {
  const most = body.at('inVenueTime').value === true ? LONGEST_WAIT_MS : MAX_FAULT_LATENCY_MS;
  return body.at(name).given ? body.at(name).integer(0, most) : undefined;
}

/** The status of a fault that answers, and what else its answer has. */
function readAnswer(body: Field): Pick<Fault, 'status' | 'code' | 'message' | 'body' | 'retryAfterSeconds'> {
  const [status, code, message, own] = ['status', 'code', 'message', 'body'].map((name) => body.at(name));
  const retry = body.at('retryAfterSeconds');
  for (const field of [code, message, own, retry]) {
    if (field.given && !status.given) field.problem('is for a fault with a status');
  }
  if (own.given && (code.given || message.given)) own.problem('is the whole body: leave code and message out');
  const read = status.given ? status.integer(own.given ? 200 : 400, 599) : undefined;
  if (read !== undefined && BODILESS.includes(read)) status.problem(`${read} has no body: give another`);
  return {
    status: read,
    code: code.given ? code.integer(-MOST_CODE, MOST_CODE) : undefined,
    message: message.given ? message.text(LONGEST_MESSAGE) : undefined,
    body: own.value,
    retryAfterSeconds: retry.given ? retry.integer(0, 86_400) : undefined,
  };
}

function readChance(body: Field): Pick<Fault, 'probability' | 'seed' | 'skip'> {
  const [probability, seed, skip] = [body.at('probability'), body.at('seed'), body.at('skip')];
  if (seed.given && !probability.given) seed.problem('is for a fault with a probability');
  return {
    probability: probability.given ? Number(probability.decimal({ above: '0', atMost: '1' })) : undefined,
    seed: seed.given ? seed.integer(0, Number.MAX_SAFE_INTEGER) : undefined,
    skip: skip.given ? skip.integer(0, MOST_TIMES) : undefined,
  };
}

/** A `from` that has passed counts as now. */
function readTimes(body: Field, nowMs: number): Pick<Fault, 'from' | 'until' | 'every' | 'for' | 'times'> {
  const [from, until, every, lasts, times] = ['from', 'until', 'every', 'for', 'times'].map((name) => body.at(name));
  const isAgain = every.given || until.given || body.at('maintenance').value === true;
  const untilMs = until.given ? until.time() : undefined;
  const everyMs = every.given ? every.duration() : undefined;
  const lastsMs = lasts.given ? lasts.duration() : undefined;
  const fromMs = from.given || every.given ? Math.max(from.given ? from.time() : 0, nowMs) : undefined;
  if (untilMs !== undefined && untilMs <= (fromMs ?? nowMs)) {
    const after =
      fromMs !== undefined && fromMs > nowMs ? 'from' : `the venue's time, ${new Date(nowMs).toISOString()}`;
    until.problem(`must be after ${after}`);
  }
  if (everyMs !== undefined && everyMs < SHORTEST_TURN_MS) every.problem('must be at least a second');
  const closes = body.at('closeStreams').value === true;
  if (closes && lasts.given) lasts.problem('does not apply to closeStreams, which takes no time: leave it out');
  else if (lasts.given && !every.given) lasts.problem('is the length of a turn: give every too, or until instead');
  else if (every.given && !closes && !lasts.given) lasts.problem('is required beside every: how long each turn lasts');
  else if (everyMs !== undefined && lastsMs !== undefined && (lastsMs < 1 || lastsMs >= everyMs)) {
    lasts.problem('must be shorter than every, and not 0');
  }
  return {
    from: fromMs,
    until: untilMs,
    every: everyMs,
    for: lastsMs,
    times: times.value === null || (!times.given && isAgain) ? null : times.integer(1, MOST_TIMES, 1),
  };
}

/** What the fault affects. Null: nothing, or several things, which is a problem of the body. */
function kindOf(body: Field, fault: Fault): Kind | null {
  const does = (name: keyof Fault) => fault[name] !== undefined && fault[name] !== false;
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => KINDS[kind].some(does));
  if (kinds.length === 0) body.problem(`must say what to do: ${ACTS}, or maintenance`);
  else if (kinds.length > 1) {
    const named = kinds.flatMap((kind) => KINDS[kind].filter(does));
    body.problem(`mixes ${named.join(' with ')}: arm one fault for each`);
  }
  if (fault.inVenueTime === true && !does('latencyMs') && !does('streamLatencyMs')) {
    body.at('inVenueTime').problem('is for a fault with latencyMs or streamLatencyMs');
  }
  return kinds.length === 1 ? kinds[0] : null;
}

/** A fault that no request can match would let a test pass that tested nothing. */
function refuseUnserved(
  { routing, streamPaths }: ControlContext,
  match: Field,
  { method, path, pathPrefix }: FaultMatch,
): void {
  if (pathPrefix) {
    const places = routing.beginningWith(pathPrefix);
    if (places.length === 0) match.at('pathPrefix').problem('has no route: no path begins so');
    else if (method !== undefined && !places.some(({ methods }) => methods.has(method))) {
      match.at('method').problem(`${method} has no route at any path that begins so`);
    }
  }
  if (!path) return;
  if (streamPaths.includes(path)) {
    match.at('path').problem('is of streams: use streamLatencyMs instead of latencyMs, or closeStreams or dropFrames');
    return;
  }
  const place = routing.find(path);
  if (place === undefined) match.at('path').problem(`has no route${routing.hint(path)}`);
  else if (method !== undefined && !place.methods.has(method)) {
    match
      .at('method')
      .problem(`${method} has no route at ${path}, which takes ${[...place.methods.keys()].join(', ')}`);
  }
}

/** The same for a path without streams. */
function refuseNoStream(
  { streamPaths, bookPaths }: ControlContext,
  match: Field,
  { path, pathPrefix }: FaultMatch,
  isOfBooks: boolean,
): void {
  if (match.at('method').given) match.at('method').problem('applies to requests only: leave it out for streams');
  const paths = isOfBooks ? bookPaths : streamPaths;
  if (pathPrefix && !paths.some((each) => each.startsWith(pathPrefix))) {
    match.at('pathPrefix').problem(`has no ${isOfBooks ? 'books' : 'streams'}; there are ${paths.join(', ')}`);
  }
  if (path !== undefined && !streamPaths.includes(path)) {
    match.at('path').problem(`has no streams; there are ${streamPaths.join(', ')}`);
  } else if (isOfBooks && path !== undefined && !bookPaths.includes(path)) {
    match.at('path').problem(`has no books; gapBook is for ${bookPaths.join(', ')}`);
  }
}

export async function listFaults({ faults }: ControlContext): Promise<object> {
  return { faults: faults.states.map(({ fault, ...counts }) => ({ ...fault, ...counts })) };
}

export async function clearFaults(context: ControlContext): Promise<object> {
  context.faults.clear();
  return { armed: 0 };
}
