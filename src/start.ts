/**
 * Puts a venue together: engine, gateway, control surface, and synthetic traders if wanted. Only this file knows all of
 * them. The command line and `startVenue` both start here.
 *
 * A start opens secrets, engine (recovery), control token, traders and listeners, in this order. A stop goes in
 * reverse: accepted requests are finished, and the log is sealed last. A start that fails half-way closes what it
 * opened.
 */
import { isDeepStrictEqual } from 'node:util';
import { Metrics } from './api/control/metrics.ts';
import type { ControlContext } from './api/control/routes.ts';
import { ControlServer } from './api/control/server.ts';
import { Faults } from './api/gateway/faults.ts';
import { Gateway } from './api/gateway/http.ts';
import { Keyring, SealBroken } from './api/gateway/keyring.ts';
import { Routing } from './api/gateway/routing.ts';
import { isUnavailable } from './api/shared/engine-errors.ts';
import { ApiError } from './api/shared/errors.ts';
import type { Surface } from './api/shared/surface.ts';
import { StreamServer } from './api/streams/server.ts';
import { STREAM_PATHS } from './api/streams/topics.ts';
import { futuresV23 } from './api/surfaces/futures-v2.3/routes.ts';
import { futuresV3 } from './api/surfaces/futures-v3/routes.ts';
import { marketV1 } from './api/surfaces/market-v1/routes.ts';
import { OLDER_SURFACES } from './api/surfaces/older/versions.ts';
import { spotV33 } from './api/surfaces/spot-v3.3/routes.ts';
import { spotV4 } from './api/surfaces/spot-v4/routes.ts';
import { otcV1, walletV1 } from './api/surfaces/wallet-v1/routes.ts';
import { type Archive, ArchiveBusy, ArchiveNoRoom, DAMAGE, FolderArchive } from './archive/archive.ts';
import { MemoryArchive } from './archive/memory.ts';
import { setAside } from './archive/store/aside.ts';
import { archiveWitness } from './archive/store/witness.ts';
import { type Configuration, readConfiguration } from './config/config.ts';
import { DEMO_HISTORY_HOURS } from './config/defaults.ts';
import { GATEWAY_DEFAULTS, type GatewayConfiguration, maxQueueOn, refusedCommandsOn } from './config/gateway.ts';
import {
  type AccountTerms,
  type DemoKey,
  demoKeysOf,
  readDemoKeys,
  traderBalances,
  withDemoAccounts,
  writeDemoKeys,
} from './demo.ts';
import type { OnNotice } from './engine/contract/notice.ts';
import { realWorld, type World } from './engine/contract/world.ts';
import type { Engine } from './engine/host.ts';
import { manifestConfiguration, readManifest } from './engine/identity/manifest.ts';
import type { Progress } from './engine/replay/recovery.ts';
import { startEngine } from './engine/start.ts';
import { demoPast } from './feeds/demo-past.ts';
import { SyntheticTraders, TRADERS } from './feeds/traders.ts';
import { planListeners, refuseAddress } from './listeners.ts';
import type { AcceptedLoss } from './log/contract/command-log.ts';
import { folderStorage } from './log/open.ts';
import { type MadeCandles, MarketData } from './market-data/market-data.ts';
import { checkControlToken, type KeyMaker, randomKeys, readControlToken, StartRefused } from './secrets.ts';
import type { Reply } from './venue/venue.ts';

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
  readonly host: string;
  readonly port: number;
  readonly controlHost: string;
  readonly controlPort: number;
  /** Absent: the data folder's, which its first start creates. */
  readonly controlToken?: string;
  /** Creates the keys of the demo and of the control surface. Default: random ones. */
  readonly newKey?: KeyMaker;
  /** 64 hex digits. Absent: a temporary key, for a log in memory. */
  readonly masterKey?: string;
  readonly segmentBytes?: number;
  /** Commands between two snapshots. Default: 200,000. */
  readonly snapshotEvery?: number;
  readonly clock?: 'real' | 'manual';
  readonly startTimeMs?: number;
  readonly seed?: number;
  /** The id for a venue that has none yet. Default: random. */
  readonly venueId?: string;
  /** The first lost seq. This one start does without the commands from there on. */
  readonly acceptLossFrom?: number;
  /** The rules that the venue applies: those of this version, except in tests of a change of rules. */
  readonly rules?: string;
  readonly demo: boolean;
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
}

export interface RunningVenue {
  readonly engine: Engine;
  readonly keyring: Keyring;
  /** The context of the control surface, for callers in the same process. */
  readonly context: ControlContext;
  /** The address of the gateway: `http://127.0.0.1:8080`. */
  readonly http: string;
  readonly control: string;
  readonly controlToken: string;
  readonly demoKeys: readonly DemoKey[];
  /** From now on the venue does not keep the process alive. */
  unref(): void;
  /**
   * Answers the requests in progress, seals the log, releases the folder. Resolves with the requests, as `POST /path`,
   * that had no answer in time and were cut off.
   */
  stop(): Promise<readonly string[]>;
}

/** Throws StartRefused, ConfigurationError, or an error of the log by name. */
export async function start(options: StartOptions): Promise<RunningVenue> {
  const { data, demo, notice, newKey = randomKeys() } = options;
  if (options.controlToken !== undefined) checkControlToken(options.controlToken);
  const configuration = demo ? await demoConfiguration(options, newKey) : options.configuration;
  const settings: GatewayConfiguration = { ...GATEWAY_DEFAULTS, ...configuration, ...options.gateway };
  const keyring = new Keyring(options.masterKey);
  const metrics = new Metrics(SURFACES);
  let gateway: Gateway | undefined;
  const takenNonces = () => gateway?.takenNonces() ?? new Map<string, number>();
  const { engine, archive } = await openEngine(options, configuration, keyring, metrics, takenNonces);
  const undo: (() => Promise<void>)[] = [() => engine.stop(), () => archive.close()];
  try {
    const marketData = new MarketData(engine, {
      ask: (question, seq) => archive.market(question, seq).catch(notNow),
      busy: (problem) => new ApiError('busy', { problem }),
      made: demo ? madePast(engine, archive, options) : undefined,
    });
    metrics.watch(engine);
    const token = readControlToken(options.controlToken, data);
    if (token.file !== null) notice(`the control token is in ${token.file}`);
    const traders = demo ? await openTraders(engine, options) : null;
    if (traders !== null) undo.unshift(() => traders.stop());
    const demoKeys = demo ? demoKeysOf(engine.venue, keyring) : [];
    if (demo && data !== null) writeDemoKeys(data, demoKeys);

    const { trustedProxies } = settings;
    const connections = planListeners(settings, notice);
    const clock = engine.venue.genesis?.clock ?? 'real';
    const faults = new Faults();
    const opened = new Gateway({
      engine,
      archive: {
        trades: (query) => archive.trades(query).catch(notNow),
        order: (key) => archive.order(key).catch(notNow),
        clientOrder: (query) => archive.clientOrder(query).catch(notNow),
        wallet: (query) => archive.wallet(query).catch(notNow),
        get knownFromSeq() {
          return archive.knownFromSeq;
        },
      },
      marketData,
      surfaces: SURFACES,
      keyring,
      faults,
      nonceWindowMs: settings.nonceWindowMs,
      trustedProxies,
      connections: connections.gateway,
      refusedCommands: refusedCommandsOn(clock, settings),
      maxQueueMs: maxQueueOn(clock, settings),
      rateLimits: settings.rateLimits,
      world: options.world,
      onCommandRefused: (reason) => metrics.onCommandRefused(reason),
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
      faults,
      onSent: (kind, seconds) => metrics.onSent(kind, seconds),
      onBug: options.onBug,
    });
    opened.serveUpgrades(streams);
    metrics.watchStreams(streams);
    const routing = new Routing(SURFACES);
    const context = controlContext({ engine, archive, keyring, faults, routing, metrics, traders, streams, newKey });
    const { controlHost: host, controlPort: port, onBug } = options;
    const control = new ControlServer(context, {
      host,
      port,
      token: token.token,
      onBug,
      trustedProxies,
      connections: connections.control,
      onConnectionRefused: () => metrics.onConnectionRefused('control'),
    });
    undo.unshift(() => control.close());
    const controlUrl = await control.listen().catch((error) => refuseAddress(error, port, host, 'control-'));
    let cutOff: readonly string[] = [];
    undo.unshift(async () => {
      cutOff = await opened.close();
    });
    const http = await opened
      .listen(options.port, options.host)
      .catch((error) => refuseAddress(error, options.port, options.host, ''));
    return {
      engine,
      keyring,
      context,
      http,
      control: controlUrl,
      controlToken: token.token,
      demoKeys,
      unref() {
        for (const part of [engine, archive, traders, control, opened]) part?.unref();
      },
      async stop() {
        await inOrder(undo);
        return cutOff;
      },
    };
  } catch (error) {
    await inOrder(undo);
    throw error;
  }
}

async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps) await step();
}

async function openEngine(
  options: StartOptions,
  configuration: Configuration | undefined,
  keyring: Keyring,
  metrics: Metrics,
  takenNonces: () => ReadonlyMap<string, number>,
): Promise<{ engine: Engine; archive: Archive }> {
  const wrongKey = (cause: unknown) =>
    new StartRefused(
      `the master key is not the one that the log in ${options.data} was started with: name the right one with --master-key-file`,
      { cause },
    );
  const { data } = options;
  let engine: Engine;
  let kept: FolderArchive | undefined;
  try {
    engine = await startEngine({
      folder: options.data ?? undefined,
      segmentBytes: options.segmentBytes,
      configuration,
      seed: options.seed,
      clock: options.clock,
      startTimeMs: options.startTimeMs,
      world: options.world,
      rules: options.rules,
      venueId: options.venueId,
      ...(data !== null && lossOptions(data, options)),
      secrets: { seal: (secret) => keyring.seal(secret), open: (sealed) => keyring.open(sealed) },
      takenNonces,
      onBatch: (commands, syncSeconds) => metrics.onBatch(commands, syncSeconds),
      beforeSeal: async () => kept?.close(),
      onFatal: options.onFatal,
      onNotice: options.notice,
      onProgress: options.onProgress,
    });
  } catch (error) {
    throw error instanceof SealBroken ? wrongKey(error) : error;
  }
  try {
    for (const { sealed } of engine.venue.keys()) {
      keyring.open(sealed);
      break;
    }
  } catch (error) {
    await engine.stop();
    throw wrongKey(error);
  }
  engine.listen(metrics.listener);
  if (engine.memory !== undefined) return { engine, archive: new MemoryArchive(engine.memory) };
  kept = new FolderArchive({
    folder: options.data as string,
    seq: engine.venue.seq,
    snapshotEvery: options.snapshotEvery,
    rules: options.rules,
    venueId: engine.venueId,
    onNotice: options.notice,
  });
  const archive = kept;
  engine.listen({ batchApplied: (seq) => archive.applied(seq) });
  return { engine, archive };
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

/**
 * The configuration with the demo's accounts. A folder that was started as a demo needs no given configuration, so lost
 * keys do not block it. A folder that was started with a configuration needs that one, to become a demo.
 */
async function demoConfiguration(
  { data, configuration }: StartOptions,
  newKey: KeyMaker,
): Promise<Configuration | undefined> {
  const remembered = data === null ? undefined : await readManifest(folderStorage(data).documents);
  const before = (remembered?.configuration.accounts ?? []) as unknown as AccountTerms[];
  if (configuration === undefined && remembered !== undefined) {
    if (before.some(({ name }) => name === 'demo-1')) return undefined;
    if (!isDeepStrictEqual(remembered.configuration, manifestConfiguration(readConfiguration({})))) {
      throw new StartRefused(
        `the data folder ${data} was started with a configuration and without --demo: give that configuration with --config ` +
          'to have --demo add its accounts, or start another folder with --data',
      );
    }
  }
  const kept = data === null ? [] : readDemoKeys(data);
  return withDemoAccounts(configuration ?? readConfiguration({}), kept, newKey, before);
}

/** The candles of before the first start. Undefined: it was no demo, or its time is not known. */
function madePast({ venue }: Engine, archive: Archive, options: StartOptions): MadeCandles | undefined {
  const { config, seed, clock } = venue.genesis!;
  const hours = options.demoHistoryHours ?? (clock === 'real' ? DEMO_HISTORY_HOURS : 0);
  const [trader] = TRADERS;
  if (hours === 0 || !config.accounts.some(({ name }) => name === trader)) return undefined;
  const isFirst = venue.seq <= 1;
  const { timeMs } = venue;
  // The first deposit of a trader is part of the first command.
  const recorded = async () => {
    const { entries } = await archive.ledger({ account: trader as string, after: null, limit: 1 }).catch(notNow);
    return archive.knownFromSeq === 1 ? (entries[0]?.timeMs ?? null) : null;
  };
  options.notice(`the candles of the ${hours} hours before the first start are made up: there were no trades`);
  const symbols = config.markets.map(({ symbol }) => symbol);
  return demoPast({ seed, hours, symbols, startMs: isFirst ? async () => timeMs : recorded });
}

async function openTraders(engine: Engine, options: StartOptions): Promise<SyntheticTraders> {
  const { genesis, currencies } = engine.venue;
  const specs = Object.fromEntries(currencies.map(({ code, decimals }) => [code, { decimals }]));
  const traders = new SyntheticTraders(engine, genesis!.seed, traderBalances(specs));
  await traders.open();
  if (genesis!.clock === 'real') {
    traders.run((error) => {
      // While the venue accepts no commands, traders wait like everyone. Any other error is a bug in the traders.
      if (!isUnavailable(error)) options.onBug(error, 'synthetic traders');
    });
  }
  return traders;
}

interface ControlParts {
  readonly engine: Engine;
  readonly archive: Archive;
  readonly keyring: Keyring;
  readonly faults: Faults;
  readonly routing: Routing;
  readonly metrics: Metrics;
  readonly traders: SyntheticTraders | null;
  readonly streams: StreamServer;
  readonly newKey: KeyMaker;
}

function controlContext({
  engine,
  archive,
  keyring,
  faults,
  routing,
  metrics,
  traders,
  streams,
  newKey,
}: ControlParts): ControlContext {
  const submit = (toMs: number): Promise<Reply> => engine.submit({ v: 1, type: 'advance', toMs });
  const isManual = engine.venue.genesis?.clock === 'manual';
  /** A test that has its answer finds what the command sent in its streams, without a wait. */
  const settled = async (reply: Promise<Reply>): Promise<Reply> => {
    const done = await reply;
    if (isManual) await streams.settled();
    return done;
  };
  const advance = (toMs: number) => (traders === null ? submit(toMs) : traders.advance(toMs, submit));
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
    closeStreams: (path) => streams.cut(path),
    submit: (command) => settled(engine.submit(command)),
    advance: (target) => {
      const move = lastMove.then(() => settled(advance(target())));
      lastMove = move.catch(() => {});
      return move;
    },
    get clock() {
      return engine.clock;
    },
    acceptWall: () => engine.acceptWall(),
    stateHash: () => engine.stateHash(),
    newKey,
    seal: (secret) => keyring.seal(secret),
    get unreadable() {
      return engine.unreadable;
    },
    orderHistory: (key) => archive.order(key).catch(notNow),
    ledger: (query) => archive.ledger(query).catch(notNow),
    get knownFromSeq() {
      return archive.knownFromSeq;
    },
    snapshot: () => {
      if (!(archive instanceof FolderArchive)) return null;
      // The log has no space, and a snapshot needs more than a command.
      if (engine.readOnly !== undefined) return Promise.reject(engine.readOnly);
      return snapshotOf(archive).catch(notNow);
    },
    checks: () => {
      const { history, problem, snapshotProblem } = archive;
      return {
        ...(history && { history }),
        ...(archive.knownFromSeq > 1 && { archiveKnownFromSeq: archive.knownFromSeq }),
        ...(problem !== undefined && { archive: problem }),
        ...(snapshotProblem !== undefined && { snapshot: snapshotProblem }),
      };
    },
    notReadyBecause: () => [...engine.health().reasons, ...problemsOf(archive)],
    metrics: () => metrics.text(),
  };
}

/** Problems that an operator must fix, though orders are accepted. */
function problemsOf({ history, problem }: Archive): string[] {
  return [
    ...(history?.state === 'damaged' ? [`${DAMAGE}${history.problem}`] : []),
    ...(problem === undefined ? [] : [problem]),
  ];
}

async function snapshotOf(archive: FolderArchive): Promise<{ seq: number; file: string }> {
  const { seq, name } = await archive.snapshot();
  return { seq, file: name };
}

/** The archive's "not now" as an error of the surfaces. */
function notNow(error: unknown): never {
  if (error instanceof ArchiveNoRoom) throw new ApiError('noRoom', { problem: error.message });
  throw error instanceof ArchiveBusy ? new ApiError('busy', { problem: error.message }) : error;
}
