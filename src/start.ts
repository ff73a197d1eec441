/**
 * Puts a venue together: engine, gateway, control surface, and synthetic traders if wanted. Only this file knows all of
 * them. The command line and `startVenue` both start here.
 *
 * A start opens secrets, engine (recovery), control token, traders and listeners, in this order. A stop goes in
 * reverse: accepted requests are finished, and the log is sealed last. A start that fails half-way closes what it
 * opened.
 */
import { hostname } from 'node:os';
import type { ControlContext } from './api/control/context.ts';
import { Metrics } from './api/control/metrics.ts';
import { pathOfLink } from './api/control/page/page.ts';
import { PageSessions } from './api/control/page/sessions.ts';
import { ControlServer } from './api/control/server.ts';
import { ControlStream } from './api/control/stream/stream.ts';
import { type Caller, ControlTokens, type KeptToken } from './api/control/tokens.ts';
import { Faults } from './api/gateway/faults.ts';
import { type Activity, Gateway } from './api/gateway/http.ts';
import { Keyring, SealBroken } from './api/gateway/keyring.ts';
import { Routing } from './api/gateway/routing.ts';
import { AtLeastSeq } from './api/shared/at-least-seq.ts';
import { ApiError } from './api/shared/errors.ts';
import { RefusedRequests } from './api/shared/refused-requests.ts';
import type { Surface } from './api/shared/surface.ts';
import { StreamServer } from './api/streams/server.ts';
import { futuresV23 } from './api/surfaces/futures-v2.3/routes.ts';
import { futuresV3 } from './api/surfaces/futures-v3/routes.ts';
import { marketV1 } from './api/surfaces/market-v1/routes.ts';
import { OLDER_SURFACES } from './api/surfaces/older/versions.ts';
import { spotV33 } from './api/surfaces/spot-v3.3/routes.ts';
import { spotV4 } from './api/surfaces/spot-v4/routes.ts';
import { otcV1, walletV1 } from './api/surfaces/wallet-v1/routes.ts';
import { type Archive, FolderArchive } from './archive/archive.ts';
import { MemoryArchive } from './archive/memory.ts';
import { setAside } from './archive/store/aside.ts';
import type { Kept } from './archive/store/forgetting.ts';
import { archiveWitness } from './archive/store/witness.ts';
import type { Configuration } from './config/config.ts';
import { DEFAULT_MARKETS } from './config/defaults.ts';
import { GATEWAY_DEFAULTS, type GatewayConfiguration, maxQueueOn, refusedCommandsOn } from './config/gateway.ts';
import { HOUR_MS } from './config/times.ts';
import { controlContext } from './control-context.ts';
import { type DemoKey, demoConfiguration, demoKeysOf, madePast, openTraders, writeDemoKeys } from './demo.ts';
import type { OnNotice } from './engine/contract/notice.ts';
import { realWorld, type World } from './engine/contract/world.ts';
import type { Engine } from './engine/host.ts';
import { OtherMasterKey } from './engine/identity/master-key.ts';
import type { Progress } from './engine/replay/recovery.ts';
import { type EngineStartOptions, type StandbyEngine, startEngine } from './engine/start.ts';
import type { SyntheticTraders } from './feeds/traders.ts';
import { follow, takeOver } from './follow-leader.ts';
import { browsable, planListeners, refuseAddress } from './listeners.ts';
import type { AcceptedLoss } from './log/contract/command-log.ts';
import type { Addresses, Leader } from './log/contract/leader.ts';
import type { LogOwner, LogStorage } from './log/contract/storage.ts';
import { MarketData } from './market-data/market-data.ts';
import { openPlace, type Place } from './place.ts';
import type { Player } from './playback/player.ts';
import { noticeUnplayed, openPlayer, prepareReplay, type ReplayOptions } from './replay.ts';
import { ReportOfVenue } from './report/of-venue.ts';
import {
  checkControlToken,
  type KeyMaker,
  randomKeys,
  readControlToken,
  readKeptTokens,
  StartRefused,
  writeKeptTokens,
} from './secrets.ts';
import { openPast } from './time-machine/open.ts';
import type { Recordings } from './venue/contract/commands.ts';
import type { MarketView } from './venue/views.ts';

const ANNOUNCE_AGAIN_MS = 1000;

export const SURFACES: readonly Surface[] = [
  spotV4,
  spotV33,
  futuresV23,
  futuresV3,
  marketV1,
  walletV1,
  otcV1,
  ...OLDER_SURFACES,
];

export interface StartOptions {
  /** Absent: that of the data folder, or the defaults. */
  readonly configuration?: Configuration;
  /** Takes precedence over the configuration's. */
  readonly gateway?: Partial<GatewayConfiguration>;
  /** The data folder. Null keeps the log in memory. */
  readonly data: string | null;
  /** The address of a log in a database: `postgres://…`. Absent: the log is in the data folder. */
  readonly log?: string;
  /** A database without standbys will do. */
  readonly acceptSingleNode?: boolean;
  /** Follows the leader of the log until that one is gone, and takes over. */
  readonly standby?: boolean;
  /** Where others reach this process, if not at its listeners: beside a log in a database. */
  readonly advertised?: Partial<Addresses>;
  readonly host: string;
  readonly port: number;
  readonly controlHost: string;
  readonly controlPort: number;
  /** Absent: the data folder's, which its first start creates. */
  readonly controlToken?: string;
  /** Every session of the page may only look, whatever its token may do. */
  readonly pageReadOnly?: boolean;
  /** Creates the keys of the demo and of the control surface. Default: random ones. */
  readonly newKey?: KeyMaker;
  /** 64 hex digits each, the newest first. Absent: a temporary key, for a log in memory. */
  readonly masterKeys?: readonly string[];
  /** Where they were read. Absent: not in a file. */
  readonly masterKeyFile?: string;
  readonly segmentBytes?: number;
  /** Commands between two snapshots. Default: 200,000. */
  readonly snapshotEvery?: number;
  readonly clock?: 'real' | 'manual';
  readonly startTimeMs?: number;
  /** Venue time per elapsed time, on a real clock. Absent: the machine's clock is followed. */
  readonly speed?: number;
  readonly seed?: number;
  /** The id for a venue that has none yet. Default: random. */
  readonly venueId?: string;
  /** The first lost seq. This one start does without the commands from there on. */
  readonly acceptLossFrom?: number;
  /** The rules that the venue applies: those of this version, except in tests of a change of rules. */
  readonly rules?: string;
  readonly demo: boolean;
  /** A recorded market that the venue plays. */
  readonly replay?: ReplayOptions;
  /** The control surface may give the markets of the first start books and trades of the house. */
  readonly house?: boolean;
  /** How far a demo's candles go back before its first start. Default: 48 on a real clock, 0 on a manual one. */
  readonly demoHistoryHours?: number;
  readonly notice: OnNotice;
  /** Time, turns, timers and randomness. Default: the machine's. */
  readonly world?: World;
  /** Called from time to time during a long recovery. */
  readonly onProgress?: (progress: Progress) => void;
  readonly onBug: (error: unknown, where: string) => void;
  /** The log failed, or the venue could not be rebuilt without a command that throws: the process must exit. */
  readonly onFatal: (error: Error) => void;
  /** A standby has taken over. */
  readonly onLead?: () => void;
}

export interface RunningVenue {
  /** The process that leads, if it is another one. */
  leader(): Leader | undefined;
  readonly engine: Engine;
  readonly keyring: Keyring;
  /** The context of the control surface, for callers in the same process. */
  readonly context: ControlContext;
  /** The address of the gateway: `http://127.0.0.1:8080`. */
  readonly http: string;
  readonly control: string;
  readonly controlToken: string;
  readonly demoKeys: readonly DemoKey[];
  /** What clients do on the gateway now. */
  activity(): Activity;
  /** A new link to the page: it opens one session, within ten minutes. */
  pageLink(): string;
  /** Somebody has the page open, or follows the control stream otherwise. */
  isLookedAt(): boolean;
  /** Answers the requests in progress, and no others: only the control surface and its page go on. Resolves with the same as `stop`. */
  closeGateway(): Promise<readonly string[]>;
  /** From now on the venue does not keep the process alive. */
  unref(): void;
  /**
   * Answers the requests in progress, seals the log, releases the folder. Resolves with the requests, as `POST /path`,
   * that had no answer in time and were cut off.
   */
  stop(): Promise<readonly string[]>;
}

/** Throws StartRefused, ConfigurationError, OtherMasterKey, or an error of the log by name. */
export async function start(options: StartOptions): Promise<RunningVenue> {
  if (options.controlToken !== undefined) checkControlToken(options.controlToken);
  const place = await openPlace(options);
  try {
    return await startIn(place, options);
  } catch (error) {
    place.candidacy?.giveUp();
    place.release();
    throw error;
  }
}

async function startIn(place: Place, options: StartOptions): Promise<RunningVenue> {
  const { data, demo, notice, newKey = randomKeys() } = options;
  const { storage } = place;
  if (!demo && options.replay?.atEnd === 'traders') {
    throw new StartRefused(
      '--at-end traders needs --demo: the synthetic traders of a demo go on at the end of the files',
    );
  }
  const replay = options.replay && (await prepareReplay(options.replay, options, storage));
  const given = replay?.configuration ?? options.configuration;
  const configuration = demo ? await demoConfiguration({ ...options, configuration: given, storage }, newKey) : given;
  const settings: GatewayConfiguration = { ...GATEWAY_DEFAULTS, ...configuration, ...options.gateway };
  const keyring = new Keyring(...(options.masterKeys ?? []));
  const metrics = new Metrics(SURFACES);
  const refusedRequests = new RefusedRequests();
  let gateway: Gateway | undefined;
  const takenNonces = () => gateway?.takenNonces() ?? new Map<string, number>();
  const keep = keptOrders(settings);
  const { engine, archive, following } = await openEngine(
    place,
    { ...options, startTimeMs: replay?.startTimeMs ?? options.startTimeMs },
    configuration,
    keyring,
    metrics,
    takenNonces,
    keep,
    replay?.recordings,
  );
  const past = openPast(engine, options);
  // Clients of the streams must not delay operators.
  const streamsPast = openPast(engine, options);
  const report = new ReportOfVenue(options.log ?? options.data ?? (engine.memory as LogStorage));
  const undo: (() => Promise<void>)[] = [
    () => report.close(),
    () => past.close(),
    () => streamsPast.close(),
    () => engine.stop(),
    () => archive.close(),
  ];
  try {
    const marketData = new MarketData(engine, {
      ask: (question, seq) => archive.market(question, seq),
      busy: (problem) => new ApiError('busy', { problem }),
      made: demo ? madePast(engine, archive, options) : undefined,
    });
    metrics.watch(engine);
    const leads = following === undefined;
    if (options.speed !== undefined && leads) startSpeed(engine, options.speed);
    if (archive instanceof FolderArchive) metrics.watchArchive(archive);
    const token = readControlToken(options.controlToken, data);
    if (token.file !== null) notice(`the control token is in ${token.file}`);
    const feeds: { player: Player | null; traders: SyntheticTraders | null } = { player: null, traders: null };
    const beginFeeds = async () => {
      if (replay === undefined) noticeUnplayed(engine, notice);
      else {
        feeds.player = openPlayer(engine, replay, options);
        metrics.watchReplay(feeds.player);
        await feeds.player.begin();
      }
      const { player } = feeds;
      const isTheirs = ({ index }: MarketView) => player === null || player.hasHandedOver || player.market !== index;
      if (demo) feeds.traders = await openTraders(engine, options.onBug, isTheirs);
    };
    undo.unshift(async () => {
      await feeds.player?.stop();
      await feeds.traders?.stop();
    });
    if (leads) await beginFeeds();
    const demoKeys = demo ? demoKeysOf(engine.venue, keyring) : [];
    if (demo && data !== null) writeDemoKeys(data, demoKeys);

    const { trustedProxies } = settings;
    const connections = planListeners(settings, notice);
    const clock = engine.venue.genesis?.clock ?? 'real';
    const faults = new Faults({
      seq: () => engine.venue.seq,
      nowMs: () => engine.nowMs(),
      seed: () => engine.venue.genesis?.seed ?? 0,
      speed: () => engine.clock?.speed ?? null,
      world: options.world ?? realWorld,
      cut: (matches) => streams.cut(matches),
    });
    const atLeastSeq = new AtLeastSeq(engine, options.world ?? realWorld);
    const opened = new Gateway({
      engine,
      archive,
      marketData,
      surfaces: SURFACES,
      keyring,
      faults,
      nonceWindowMs: settings.nonceWindowMs,
      trustedProxies,
      connections: connections.gateway,
      refusedCommands: refusedCommandsOn(clock, settings),
      maxQueueMs: maxQueueOn(clock, settings, demo),
      rateLimits: settings.rateLimits,
      atLeastSeq,
      world: options.world,
      onCommandRefused: (reason, seq) => metrics.onCommandRefused(reason, seq),
      onRefused: (request) => refusedRequests.add(request),
      onRateLimited: (limited) => metrics.onRateLimited(limited),
      onConnectionRefused: () => metrics.onConnectionRefused('gateway'),
      onBug: options.onBug,
      onReply: (target, status, seconds) => metrics.onReply(target, status, seconds),
    });
    gateway = opened;
    const streams = new StreamServer({
      engine,
      world: options.world ?? realWorld,
      bookIntervalMs: settings.streamBookMs,
      recentTrades: (market, limit) => marketData.newest(market, limit),
      logins: opened.logins,
      since: {
        ask: (query, gone) => streamsPast.since(query, gone),
        wait: (seq) => atLeastSeq.wait(seq),
      },
      faults,
      onSent: (kind, seconds) => metrics.onSent(kind, seconds),
      onBug: options.onBug,
    });
    opened.serveUpgrades(streams);
    metrics.watchStreams(streams);
    const routing = new Routing(SURFACES);
    const tokens = controlTokens(token.token, options);
    const sessions = new PageSessions({
      tokens,
      readOnly: options.pageReadOnly === true,
      monotonicMs: () => (options.world ?? realWorld).monotonicMs(),
    });
    const context = controlContext({
      engine,
      archive,
      keyring,
      masterKeyFile: options.masterKeyFile,
      gateway: opened,
      faults,
      routing,
      metrics,
      refusedRequests,
      feeds,
      streams,
      newKey,
      tokens,
      sessions,
      past,
      marketData,
      report,
      atLeastSeq,
      following,
    });
    metrics.watchReadiness(() => context.following === undefined && context.notReadyBecause().length === 0);
    const lag = () => (engine.following === undefined ? undefined : following?.standby.lag);
    metrics.watchRole(() => engine.following === undefined, lag);
    const { controlHost: host, controlPort: port, onBug } = options;
    const stream = new ControlStream({
      sources: {
        engine,
        marketData,
        trades: (query) => archive.trades(query),
        notReadyBecause: () => context.notReadyBecause(),
      },
      world: options.world ?? realWorld,
      onBug,
      onTooSlow: () => metrics.onReaderTooSlow(),
    });
    const control = new ControlServer(context, {
      host,
      port,
      onBug,
      trustedProxies,
      connections: connections.control,
      onConnectionRefused: () => metrics.onConnectionRefused('control'),
      stream,
    });
    undo.unshift(() => control.close());
    const controlUrl = await control.listen().catch((error) => refuseAddress(error, port, host, 'control-'));
    let closing: Promise<readonly string[]> | undefined;
    const closeGateway = () => {
      closing ??= opened.close();
      return closing;
    };
    undo.unshift(async () => {
      await closeGateway();
    });
    const http = await opened
      .listen(options.port, options.host)
      .catch((error) => refuseAddress(error, options.port, options.host, ''));
    const addresses = advertised({ http, control: controlUrl }, options.advertised);
    /** What only a leader does. */
    const lead = async (owner: LogOwner): Promise<void> => {
      await following?.lead(owner, {
        beforeCommands: () => opened.startOver(),
        hasGivenUp: () => place.candidacy?.hasGivenUp === true,
      });
      if (archive instanceof FolderArchive) archive.lead(place.storage?.ownerId);
      await beginFeeds();
      if (options.speed !== undefined) startSpeed(engine, options.speed);
    };
    const takingOver = following && place.candidacy && takeOver(place.candidacy, lead, options);
    undo.unshift(async () => {
      place.candidacy?.giveUp();
      await takingOver;
    });
    if (leads) announce(engine, addresses, options);
    else takingOver?.then((led) => (led ? announce(engine, addresses, options) : undefined));
    return {
      engine,
      keyring,
      context,
      leader: () => (engine.following === undefined ? undefined : following?.standby.leader),
      http,
      control: controlUrl,
      controlToken: token.token,
      demoKeys,
      activity: () => opened.activity,
      pageLink: () => {
        const { code } = sessions.newCode(tokens.callerOf(token.token) as Caller, false);
        return `${browsable(controlUrl)}${pathOfLink(code)}`;
      },
      isLookedAt: () => stream.readers > 0,
      closeGateway,
      unref() {
        for (const part of [engine, archive, feeds.traders, feeds.player, control, opened]) part?.unref();
      },
      async stop() {
        await inOrder(undo);
        place.release();
        return closeGateway();
      },
    };
  } catch (error) {
    await inOrder(undo);
    throw error;
  }
}

/** Tells the standbys where this leader serves, as soon as the log can be reached. */
async function announce(
  engine: Engine,
  addresses: Addresses,
  { notice, world = realWorld }: StartOptions,
): Promise<void> {
  for (let waits = false; ; waits = true) {
    try {
      return await engine.announce(addresses);
    } catch (error) {
      if (!waits) notice(`standbys do not know where this leader serves: ${(error as Error).message}`, 'warn');
      await new Promise<void>((resolve) => world.timer(ANNOUNCE_AGAIN_MS, resolve).unref());
    }
  }
}

/** A listener on all addresses is reached by the name of the machine. */
function advertised(listening: Addresses, given: Partial<Addresses> = {}): Addresses {
  const named = (url: string) => url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, `//${hostname()}:`);
  return { http: given.http ?? named(listening.http), control: given.control ?? named(listening.control) };
}

function startSpeed(engine: Engine, speed: number): void {
  if (engine.clock === null) {
    throw new StartRefused(
      'a speed (--speed) is for a real clock: this venue has a manual one, which the control surface moves',
    );
  }
  engine.setSpeed(speed);
}

/** The token of the start, and those that were created on the control surface, which the data folder keeps. */
function controlTokens(start: string, { data, world = realWorld }: StartOptions): ControlTokens {
  const wallMs = () => world.wallMs();
  if (data === null) return new ControlTokens({ start, kept: [], save: () => {}, wallMs });
  return new ControlTokens({ start, kept: readKeptTokens(data), save: (tokens) => saveTokens(data, tokens), wallMs });
}

function saveTokens(data: string, tokens: readonly KeptToken[]): void {
  try {
    writeKeptTokens(data, tokens);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    throw new ApiError('noRoom', { problem: `no space left in ${data} for the control tokens` });
  }
}

async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps) await step();
}

async function openEngine(
  { storage, candidacy }: Place,
  options: StartOptions,
  configuration: Configuration | undefined,
  keyring: Keyring,
  metrics: Metrics,
  takenNonces: () => ReadonlyMap<string, number>,
  keep: Kept,
  recordings: Recordings | undefined,
): Promise<{ engine: Engine; archive: Archive; following?: StandbyEngine }> {
  const { data } = options;
  let engine: Engine;
  let following: StandbyEngine | undefined;
  let kept: FolderArchive | undefined;
  try {
    const engineOptions: EngineStartOptions = {
      storage,
      configuration,
      seed: options.seed,
      clock: options.clock,
      startTimeMs: options.startTimeMs,
      world: options.world,
      rules: options.rules,
      venueId: options.venueId,
      recordings: recordings ?? (options.house === true ? houseMarkets(configuration) : undefined),
      ...(data !== null && lossOptions(data, options)),
      secrets: { seal: (secret) => keyring.seal(secret), open: (sealed) => keyring.open(sealed) },
      takenNonces,
      onBatch: (commands, syncSeconds) => metrics.onBatch(commands, syncSeconds),
      beforeSeal: async () => kept?.close(),
      onFatal: options.onFatal,
      onNotice: options.notice,
      onProgress: options.onProgress,
    };
    if (storage !== undefined && candidacy !== undefined) following = await follow(storage, candidacy, engineOptions);
    if (following !== undefined) engine = following.engine;
    else engine = await startEngine({ ...engineOptions, owner: await candidacy?.owner });
  } catch (error) {
    throw error instanceof SealBroken ? new OtherMasterKey(storage?.where ?? 'memory', { cause: error }) : error;
  }
  engine.listen(metrics.listener);
  if (engine.memory !== undefined) return { engine, archive: new MemoryArchive(engine.memory) };
  kept = new FolderArchive({
    folder: options.data as string,
    log: options.log,
    seq: engine.venue.seq,
    snapshotEvery: options.snapshotEvery,
    rules: options.rules,
    venueId: engine.venueId,
    idKey: engine.venue.genesis?.idKey,
    keep,
    leads: following === undefined,
    ownerId: storage?.ownerId,
    onNotice: options.notice,
  });
  const archive = kept;
  engine.listen({ batchApplied: (seq) => archive.applied(seq) });
  return { engine, archive, following };
}

/** Every market takes what the house does. No file is played. */
function houseMarkets(configuration?: Configuration): Recordings {
  const markets = configuration?.markets ?? DEFAULT_MARKETS;
  const terms = { queue: 'back', healAfterMs: null } as const;
  return { markets: Object.fromEntries(markets.map(({ symbol }) => [symbol, terms])), files: [] };
}

function keptOrders({ keepUnfilledHours, keepUnfilledOrders }: GatewayConfiguration): Kept {
  return {
    forMs: keepUnfilledHours === 'all' ? Number.POSITIVE_INFINITY : keepUnfilledHours * HOUR_MS,
    most: keepUnfilledOrders === 'all' ? Number.POSITIVE_INFINITY : keepUnfilledOrders,
  };
}

function lossOptions(data: string, { acceptLossFrom, notice }: StartOptions) {
  return {
    acceptLossFrom,
    witness: () => archiveWitness(data),
    onLossAccepted({ fromSeq, upToSeq, knownBy }: AcceptedLoss): void {
      const name = setAside(data, `lost-${fromSeq}-${upToSeq}`);
      notice(
        `the loss of the commands of seq ${fromSeq} to ${upToSeq} was accepted: ${knownBy} is kept as ${name}`,
        'warn',
      );
    },
  };
}
