/**
 * A start on a damaged folder in this process: engine, archive, the checks that run behind a start, and all of their
 * answers. The archive's thread is left out. Its work is done here, in the same order.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkHistory } from '../../../src/archive/follow/check.ts';
import { Follower } from '../../../src/archive/follow/follower.ts';
import { orderHistory } from '../../../src/archive/read/history.ts';
import { findTrades, type TradeQuery } from '../../../src/archive/read/trades.ts';
import { ArchiveDamaged } from '../../../src/archive/store/errors.ts';
import { ArchiveStore } from '../../../src/archive/store/store.ts';
import { TABLE_NAMES } from '../../../src/archive/store/tables.ts';
import { archiveWitness } from '../../../src/archive/store/witness.ts';
import type { Engine } from '../../../src/engine/host.ts';
import { LossRefused } from '../../../src/engine/identity/loss.ts';
import { ARCHIVE_FILE } from '../../../src/engine/identity/manifest.ts';
import { OtherVenue } from '../../../src/engine/identity/venue-id.ts';
import { EffectsDiffer, StateDiffers } from '../../../src/engine/replay/differs.ts';
import { startEngine } from '../../../src/engine/start.ts';
import { LogDamaged, LogUnsupported, RulesMismatch } from '../../../src/log/contract/command-log.ts';
import { folderStorage } from '../../../src/log/open.ts';
import { ANY_TRADES } from '../../archive/support.ts';
import type { Start } from './flips.ts';
import { ACCOUNTS, type Folders } from './folders.ts';

/** Everything that the venue and its archive answer, by question. */
export type Answers = Readonly<Record<string, string>>;

export interface Outcome {
  /** The message of the refusal. */
  readonly refused?: string;
  /** The notices for the operator. */
  readonly notices: readonly string[];
  /** What the check behind the start found. */
  readonly damage?: string;
  readonly answers?: Answers;
  /** The answers of the archive before it turned out to be damaged. */
  readonly early?: Answers;
}

const NAMED = [LogDamaged, LogUnsupported, RulesMismatch, EffectsDiffer, StateDiffers, OtherVenue, LossRefused];
/** The answer with the nonces. Those of requests in no log are only in the snapshot of a clean stop. */
export const NONCES = 'nonces';
const TURN_MS = 60_000;
/** The number of single look-ups, including keys that no order has. */
const ASKED_ORDERS = 40;
const UNKNOWN_KEYS = [1, 2 ** 40];

const ALL: TradeQuery = { ...ANY_TRADES, oldestFirst: true };

/** Starts in this process. Throws if a start fails without a refusal by name. */
export function startsInProcess({ orderIds }: Folders): Start {
  return (folder) => started(folder, orderIds);
}

async function started(folder: string, orderIds: readonly string[]): Promise<Outcome> {
  const notices: string[] = [];
  let engine: Engine;
  try {
    engine = await startEngine({
      folder,
      // Nobody signs a request here, so the secrets of keys stay as they are.
      secrets: { seal: (secret) => secret, open: (sealed) => sealed },
      onNotice: (text) => notices.push(text),
      witness: () => archiveWitness(folder),
    });
  } catch (error) {
    if (!NAMED.some((named) => error instanceof named)) throw error;
    return { refused: (error as Error).message, notices };
  }
  try {
    const damage = await damageBehind(folder, engine.venue.seq, notices);
    const early: Record<string, string> = {};
    const archived = await archiveAnswers(folder, engine.venue.seq, orderIds, notices, early);
    return { answers: { ...answersOf(engine), ...archived }, early, notices, damage };
  } finally {
    await engine.stop();
  }
}

async function damageBehind(folder: string, seq: number, notices: string[]): Promise<string | undefined> {
  try {
    for await (const said of checkHistory(folderStorage(folder), seq, { commands: 0, snapshots: 0 })) {
      if (said !== undefined) notices.push(said);
    }
    return undefined;
  } catch (error) {
    if (!NAMED.some((named) => error instanceof named)) throw error;
    return (error as Error).message;
  }
}

function answersOf(engine: Engine): Answers {
  const { venue } = engine;
  const { nonces, ...state } = JSON.parse(venue.save()) as Record<string, unknown>;
  const [saved, taken] = [JSON.stringify(state), JSON.stringify(nonces)];
  return { seq: String(venue.seq), hash: engine.stateHash(), state: saved, [NONCES]: taken };
}

/** Opens the archive, lets it catch up, reads its answers, and checks it. A damaged one is rebuilt. */
async function archiveAnswers(
  folder: string,
  seq: number,
  orderIds: readonly string[],
  notices: string[],
  early: Record<string, string>,
): Promise<Answers> {
  try {
    return await openedAnswers(folder, seq, orderIds, early);
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    notices.push(`the archive is rebuilt from the log: ${error.message}`);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, ARCHIVE_FILE) + suffix, { force: true });
    return await openedAnswers(folder, seq, orderIds, {});
  }
}

/** `answers` receives the answers one after another. Throws if the archive is damaged. */
async function openedAnswers(
  folder: string,
  seq: number,
  orderIds: readonly string[],
  answers: Record<string, string>,
): Promise<Answers> {
  const store = new ArchiveStore(join(folder, ARCHIVE_FILE));
  try {
    const follower = await Follower.open(folderStorage(folder), store, seq);
    while (!(await follower.advance(seq, TURN_MS)));
    answers.archived = String(follower.seq);
    for (const key of [...orderIds.slice(0, ASKED_ORDERS).map((id) => follower.orderIds.decode(id)), ...UNKNOWN_KEYS]) {
      answers[`order ${key}`] = JSON.stringify(orderHistory(store, key) ?? null);
    }
    for (const account of [...ACCOUNTS, 'nobody']) {
      for (const product of ['spot', 'futures'] as const) {
        const all = { ...ALL, account, product };
        const trades = findTrades(store, follower.orderIds, all);
        answers[`${product} trades of ${account}`] = JSON.stringify(trades);
        const [{ order } = { order: undefined }] = trades;
        if (order === undefined) continue;
        const ofOne = findTrades(store, follower.orderIds, { ...all, orderId: order.orderId, limit: 3 });
        answers[`${product} trades of an order of ${account}`] = JSON.stringify(ofOne);
      }
    }
    for (const _ of store.check());
    for (const table of TABLE_NAMES) answers[table] = JSON.stringify([...store.rows(table)]);
    return answers;
  } finally {
    store.close();
  }
}
