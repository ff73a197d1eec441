/** What the control surface reads and does, in terms of the parts of a venue. */
import { AccountList } from './api/control/account-list.ts';
import type { ControlContext } from './api/control/context.ts';
import type { Metrics } from './api/control/metrics.ts';
import type { PageSessions } from './api/control/page/sessions.ts';
import type { Past } from './api/control/past.ts';
import type { ControlTokens } from './api/control/tokens.ts';
import type { Faults } from './api/gateway/faults.ts';
import type { Gateway } from './api/gateway/http.ts';
import type { Keyring } from './api/gateway/keyring.ts';
import type { Routing } from './api/gateway/routing.ts';
import type { AtLeastSeq } from './api/shared/at-least-seq.ts';
import { RefusedCommands } from './api/shared/refused-commands.ts';
import type { RefusedRequests } from './api/shared/refused-requests.ts';
import type { EnginePort } from './api/shared/surface.ts';
import type { StreamServer } from './api/streams/server.ts';
import { BOOK_PATHS, STREAM_PATHS } from './api/streams/topics.ts';
import { type Archive, DAMAGE, FolderArchive } from './archive/archive.ts';
import type { Engine } from './engine/host.ts';
import type { StandbyEngine } from './engine/start.ts';
import type { SyntheticTraders } from './feeds/traders.ts';
import type { MarketData } from './market-data/market-data.ts';
import type { Player } from './playback/player.ts';
import type { ReportOfVenue } from './report/of-venue.ts';
import { reportPage } from './report/page.ts';
import { ofAccount } from './report/report.ts';
import { type KeyMaker, newestMasterKey } from './secrets.ts';
import type { Reply } from './venue/venue.ts';
import { WholeState } from './whole-state.ts';

/** The traders of a demo, or what plays a recorded market. */
export interface Feeds {
  readonly traders: SyntheticTraders | null;
  readonly player: Player | null;
}

export interface ControlParts {
  readonly engine: Engine;
  readonly archive: Archive;
  readonly keyring: Keyring;
  /** Where the master keys were read. Undefined: not in a file. */
  readonly masterKeyFile: string | undefined;
  readonly gateway: Pick<Gateway, 'lastNonceMs' | 'logins'>;
  readonly faults: Faults;
  readonly routing: Routing;
  readonly metrics: Metrics;
  readonly refusedRequests: RefusedRequests;
  /** What acts by itself. A process that takes over begins it then. */
  readonly feeds: Feeds;
  readonly streams: StreamServer;
  readonly newKey: KeyMaker;
  readonly tokens: ControlTokens;
  readonly past: Past;
  readonly sessions: PageSessions;
  readonly marketData: MarketData;
  readonly report: ReportOfVenue;
  readonly atLeastSeq: AtLeastSeq;
  /** What follows the leader at first. Undefined: this process has led from its start. */
  readonly following: StandbyEngine | undefined;
}

export function controlContext({
  engine,
  archive,
  keyring,
  masterKeyFile,
  gateway,
  faults,
  routing,
  metrics,
  refusedRequests,
  feeds,
  streams,
  newKey,
  tokens,
  past,
  sessions,
  marketData,
  report,
  atLeastSeq,
  following,
}: ControlParts): ControlContext {
  const submit = (toMs: number): Promise<Reply> => engine.submit({ v: 1, type: 'advance', toMs });
  const isManual = engine.venue.genesis?.clock === 'manual';
  /** A test that has its answer finds what the command sent in its streams, without a wait. */
  const settled = async (reply: Promise<Reply>): Promise<Reply> => {
    const done = await reply;
    if (isManual) await streams.settled();
    return done;
  };
  const play = (toMs: number) => feeds.player?.advance(toMs, submit) ?? submit(toMs);
  const move = (toMs: number) => feeds.traders?.advance(toMs, play) ?? play(toMs);
  const { waits } = faults;
  /** Stops at each time for which a fault lets something wait. */
  const advance = async (toMs: number): Promise<Reply> => {
    for (let dueMs = waits.nextDueMs; dueMs <= toMs; dueMs = waits.nextDueMs) {
      const reply = await move(Math.max(dueMs, engine.venue.timeMs));
      if (reply.refusal !== null) return reply;
      await waits.release();
    }
    return move(toMs);
  };
  const accountList = new AccountList(engine);
  /** The engine for orders in the name of an account. */
  const trading = (onCommand: (seq: number) => void): EnginePort => ({
    get venue() {
      return engine.venue;
    },
    get unreadable() {
      return engine.unreadable;
    },
    nowMs: () => engine.nowMs(),
    jumpedAtMs: () => engine.jumpedAtMs(),
    get queueMs() {
      return engine.queueMs;
    },
    submit: async (command) => {
      const reply = await settled(engine.submit({ ...command, origin: 'control' }));
      onCommand(reply.seq);
      return reply;
    },
  });
  const refused = new RefusedCommands('off', {
    elapsedMs: () => engine.nowMs(),
    onRefused: (reason, seq) => metrics.onCommandRefused(reason, seq),
  });
  let lastMove: Promise<unknown> = Promise.resolve();
  return {
    get venue() {
      return engine.venue;
    },
    get epoch() {
      return engine.epoch;
    },
    faults,
    routing,
    streamPaths: STREAM_PATHS,
    bookPaths: BOOK_PATHS,
    submit: (command) => settled(engine.submit(command)),
    advance: (target) => {
      const move = lastMove.then(() => settled(advance(target())));
      lastMove = move.catch(() => {});
      return move;
    },
    get clock() {
      return engine.clock;
    },
    setSpeed: (speed) => engine.setSpeed(speed),
    acceptWall: () => engine.acceptWall(),
    wholeState: new WholeState(engine, archive),
    past,
    newKey,
    isPastForKeys: (timeMs) => gateway.logins.isPast(timeMs),
    seal: (secret) => keyring.seal(secret),
    masterOf: (sealed) => keyring.masterOf(sealed),
    rotationPending: async () => {
      const newest = masterKeyFile === undefined ? null : await newestMasterKey(masterKeyFile);
      return newest !== null && !keyring.sealsBy(newest);
    },
    get unreadable() {
      return engine.unreadable;
    },
    get following() {
      return engine.following;
    },
    atLeastSeq,
    orderStory: (of, range) => archive.orderStory(of, range),
    ordersBeginning: (beginning) => archive.ordersBeginning(beginning),
    accountOrders: (query) => archive.accountOrders(query),
    leftAt: (seq) => archive.leftAt(seq),
    trades: (query) => archive.trades(query),
    marketData,
    report: async (account) => {
      const found = ofAccount(await report.read(), account);
      return { report: found, page: () => reportPage(found) };
    },
    get player() {
      return feeds.player;
    },
    nowMs: () => engine.nowMs(),
    callAs: (account, request, onCommand) => {
      const { venue } = engine;
      const ports = { engine: trading(onCommand), archive, marketData, venue, refused };
      return { ...ports, account, signed: null, broker: null, ...request };
    },
    ledger: (query) => archive.ledger(query),
    tokens,
    sessions,
    accountList,
    lastUsedMs: (key) => gateway.lastNonceMs(key),
    get knownFromSeq() {
      return archive.knownFromSeq;
    },
    snapshot: () => {
      if (!(archive instanceof FolderArchive)) return null;
      // The log has no space, and a snapshot needs more than a command.
      if (engine.readOnly !== undefined) return Promise.reject(engine.readOnly);
      return snapshotOf(archive);
    },
    moveLog: (to) => (archive instanceof FolderArchive ? archive.moveLog(to) : null),
    checks: () => {
      const { history, problem, snapshotProblem } = archive;
      return {
        ...roleOf(engine, following),
        ...(engine.reliesOn && { log: engine.reliesOn }),
        ...(history && { history }),
        ...(archive.knownFromSeq > 1 && { archiveKnownFromSeq: archive.knownFromSeq }),
        ...(problem !== undefined && { archive: problem }),
        ...(snapshotProblem !== undefined && { snapshot: snapshotProblem }),
      };
    },
    notReadyBecause: () => [...engine.health().reasons, ...problemsOf(archive)],
    metrics: () => metrics.text(),
    refusals: () => metrics.refusals,
    refusedRequests,
  };
}

/** Who leads, where several processes may. */
function roleOf(engine: Engine, following: StandbyEngine | undefined): object {
  const configuration = following?.configurationProblem;
  const noted = configuration === undefined ? {} : { configuration };
  if (engine.following === undefined || following === undefined)
    return engine.reliesOn === undefined ? {} : { role: 'leader', ...noted };
  const { leader, lag } = following.standby;
  return { role: 'standby', leader: { name: leader.name, ...leader.addresses }, lag, ...noted };
}

/** Why history is not there, or may be wrong, though orders are accepted. */
function problemsOf({ history, hasBegun, problem }: Archive): string[] {
  return [
    ...(hasBegun ? [] : ['the archive is being opened']),
    ...(history?.state === 'damaged' ? [`${DAMAGE}${history.problem}`] : []),
    ...(problem === undefined ? [] : [problem]),
  ];
}

async function snapshotOf(archive: FolderArchive): Promise<{ seq: number; file: string }> {
  const { seq, name } = await archive.snapshot();
  return { seq, file: name };
}
