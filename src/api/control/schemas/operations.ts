/** Replies about the running process: errors, faults, refusals, health, the log's files. */
import Type from 'typebox';
import {
  component,
  flag,
  list,
  number,
  orNull,
  sometimes,
  text,
  timestampMs,
  whole,
} from '../../orders/reply-fields.ts';
import { open, table } from './fields.ts';
import { clock } from './venue.ts';

export const CONTROL_ERROR = component('ErrorControl', {
  error: Type.Object({
    reason: text('Stable: programs compare it'),
    field: sometimes(text('The field that is wrong')),
    message: text('For people'),
  }),
});

export const FAULTS_ARMED = component('FaultsArmed', { armed: whole('How many') });
export const FAULTS = component('Faults', {
  faults: list(
    component('FaultState', {
      match: Type.Object({ method: sometimes(text()), path: sometimes(text()), pathPrefix: sometimes(text()) }),
      latencyMs: sometimes(whole()),
      status: sometimes(whole()),
      code: sometimes(whole()),
      message: sometimes(text()),
      body: sometimes(Type.Unknown()),
      retryAfterSeconds: sometimes(whole()),
      dropReply: sometimes(flag()),
      maintenance: sometimes(flag()),
      closeStreams: sometimes(flag()),
      refuseStreams: sometimes(flag()),
      streamLatencyMs: sometimes(whole()),
      dropFrames: sometimes(flag()),
      gapBook: sometimes(flag()),
      inVenueTime: sometimes(flag()),
      probability: sometimes(Type.Number()),
      seed: sometimes(whole()),
      from: sometimes(whole('Venue time, epoch ms')),
      until: sometimes(whole('Venue time, epoch ms')),
      every: sometimes(whole('Milliseconds')),
      for: sometimes(whole('Milliseconds')),
      skip: sometimes(whole()),
      times: orNull(whole('Null: any number')),
      hits: whole('How many requests, frames, handshakes or closings it has affected'),
      left: orNull(whole('How many it will still affect; null: any number')),
      lastHitSeq: orNull(whole('The last command before the last hit')),
      // The latest ten, oldest first.
      lastHits: list(
        component('FaultHit', {
          seq: whole('The last command before it'),
          time: whole('Venue time, epoch ms'),
          what: text('POST /path, or the path of a stream'),
        }),
      ),
    }),
  ),
});

export const REFUSALS = component('Refusals', {
  refusals: list(
    component('RefusalRow', {
      reason: text(),
      count: whole(),
      lastSeq: orNull(whole('Of the last one that is in the log')),
    }),
  ),
});

export const LATEST_REFUSALS = component('LatestRefusals', {
  requests: list(
    component('RefusedRequest', {
      time: timestampMs,
      seq: orNull(whole('Of the refused command. Null: the request is not in the log')),
      account: orNull(text('Whose request it was. Null: it was not signed, or not well')),
      method: text(),
      path: text('Without the query'),
      status: whole(),
      code: whole("The surface's own"),
      reason: text(),
      message: text(),
    }),
  ),
});

export const HEALTH = component('Health', {
  live: flag(),
  ready: flag('false: status 503'),
  reasons: list(text('Why it is not ready')),
  deficit: sometimes(table(text(), 'By currency, how far the insurance fund is below zero')),
  clock,
  role: sometimes(text('leader or standby, if the log is in a database')),
  leader: sometimes(
    open({ name: text(), http: sometimes(text()), control: sometimes(text()) }, 'Of a standby: the process that leads'),
  ),
  lag: sometimes(
    open(
      { commands: whole('Commands that it has heard of, and not applied'), ms: number('How old what it shows may be') },
      'Of a standby: how far it is behind',
    ),
  ),
  configuration: sometimes(text('Of a standby, also after it took over: why its configuration is not that of the log')),
  log: sometimes(
    Type.Object({
      kind: text('postgres'),
      where: text('The database, without its password'),
      version: text('Of the server'),
      fsync: text(),
      fullPageWrites: text(),
      synchronousCommit: text(),
      synchronousStandbyNames: text('The standbys that a commit waits for'),
      singleNode: Type.Boolean({
        description: 'There is no standby: the loss of the server loses acknowledged commands',
      }),
    }),
  ),
  history: sometimes(open({ state: text('checking, sound or damaged') }, 'The check of what the start did not read')),
  archiveKnownFromSeq: sometimes(whole()),
  archive: sometimes(text('Why the archive is out of service')),
  snapshot: sometimes(text('Why the last snapshot failed')),
});

export const METRICS = text('Prometheus text');
export const LOG_ARCHIVED = component('LogArchived', {
  moved: whole('Segments'),
  left: whole('Segments that the next call can move'),
  seq: whole('The last command that is not in the data folder any more'),
  noteRestored: sometimes(flag('true: the note of what was moved was lost, and was written again')),
  reason: sometimes(text('Why nothing was moved')),
});
