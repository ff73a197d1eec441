/** Faults at the gateway and of the streams, which a test arms. */
import type { Field } from '../../../config/field.ts';
import { isOfStreams } from '../../gateway/faults.ts';
import type { ControlContext } from '../context.ts';
import { refuseProblems } from '../problems.ts';

const MAX_FAULT_LATENCY_MS = 600_000;
const MAX_FAULT_PATH = 200;
const MOST_TIMES = 1_000_000_000;
/** How many are armed at a time. One with `times` affects many requests. */
const MOST_FAULTS = 1000;

export async function armFault(context: ControlContext, body: Field): Promise<object> {
  body.object([
    ...['match', 'latencyMs', 'status', 'dropReply', 'times'],
    ...['closeStreams', 'streamLatencyMs', 'dropFrames', 'gapBook'],
  ]);
  const match = body.at('match');
  if (match.given) match.object(['method', 'path']);
  const method = match.at('method').given ? match.at('method').oneOf(['GET', 'POST', 'PUT', 'DELETE']) : undefined;
  const path = match.at('path').given
    ? match.at('path').matching(/^\/[^?#\s]*$/, 'an exact path without query', MAX_FAULT_PATH)
    : undefined;
  const latencyMs = body.at('latencyMs').given ? body.at('latencyMs').integer(0, MAX_FAULT_LATENCY_MS) : undefined;
  const status = body.at('status').given ? body.at('status').integer(400, 599) : undefined;
  const dropReply = body.at('dropReply').flag();
  const closeStreams = body.at('closeStreams').flag();
  const streamLatencyMs = body.at('streamLatencyMs').given
    ? body.at('streamLatencyMs').integer(0, MAX_FAULT_LATENCY_MS)
    : undefined;
  const [dropFrames, gapBook] = [body.at('dropFrames').flag() || undefined, body.at('gapBook').flag() || undefined];
  const times = body.at('times').integer(1, MOST_TIMES, 1);
  const ofRequests = latencyMs !== undefined || status !== undefined || dropReply;
  const ofStreams = { streamLatencyMs, dropFrames, gapBook };
  const isOfFrames = isOfStreams(ofStreams);
  if (ofRequests && (isOfFrames || closeStreams)) {
    body.problem(
      'mixes faults of requests (latencyMs, status, dropReply) with faults of streams (closeStreams, streamLatencyMs, ' +
        'dropFrames, gapBook): arm two faults',
    );
  }
  if (!ofRequests && !isOfFrames && !closeStreams) {
    body.problem(
      'must say what to do: latencyMs, status, dropReply, or closeStreams, streamLatencyMs, dropFrames, gapBook for streams',
    );
  }
  if (ofRequests) refuseUnserved(context, match, method, path);
  else refuseNoStream(context, match, path, gapBook === true);
  if (context.faults.count >= MOST_FAULTS)
    body.problem(`is one fault too many: ${MOST_FAULTS} are armed; clear them first`);
  refuseProblems(body);
  if (closeStreams) context.closeStreams(path);
  if (ofRequests || isOfFrames) {
    context.faults.arm({ match: { method, path }, latencyMs, status, dropReply, closeStreams, ...ofStreams, times });
  }
  return { armed: context.faults.count };
}

/** A fault that no request can match would let a test pass that tested nothing. */
function refuseUnserved(
  { routing, streamPaths }: ControlContext,
  match: Field,
  method: string | undefined,
  path: string | undefined,
): void {
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
  path: string | undefined,
  isOfBooks: boolean,
): void {
  if (match.at('method').given) match.at('method').problem('applies to requests only: leave it out for streams');
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
