/** The checks of everything that a start did not read: log and snapshots, then the archive. */
import type { NoticeLevel } from '../../engine/contract/notice.ts';
import type { World } from '../../engine/contract/world.ts';
import { pruneSnapshots } from '../../engine/replay/snapshots.ts';
import { LogFailed } from '../../log/contract/command-log.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { type Checked, checkHistory } from '../follow/check.ts';
import type { StateIdentity } from '../follow/follower.ts';
import { isPassing, type KeptArchive, RETRY_MS } from './kept-archive.ts';
import type { Reply, SharedProgress } from './messages.ts';

export interface ChecksOptions {
  readonly storage: LogStorage;
  readonly identity: StateIdentity;
  readonly progress: Pick<SharedProgress, 'applied' | 'leads'>;
  readonly world: Pick<World, 'monotonicMs'>;
  readonly archive: Pick<KeptArchive, 'opened'>;
  readonly send: (reply: Reply) => void;
  readonly notice: (text: string, level?: NoticeLevel) => void;
}

/** In small steps. Old snapshots are removed if all are sound. @throws {ArchiveDamaged} the archive is not as it was written */
export async function* allChecks(options: ChecksOptions): AsyncGenerator<void> {
  const { storage, identity, progress, world, archive, send, notice } = options;
  const checked: Checked = { commands: 0, snapshots: 0 };
  try {
    for await (const said of checkHistory(storage, progress.applied, checked, identity, world, progress.leads)) {
      if (said !== undefined) notice(said, 'warn');
      yield;
    }
    if (progress.leads) await pruneSnapshots(storage.snapshots);
    send({ type: 'checked', history: { state: 'sound', ...checked } });
  } catch (error) {
    if (isPassing(error)) {
      const retryAtMs = world.monotonicMs() + RETRY_MS;
      while (world.monotonicMs() < retryAtMs) yield;
      return yield* allChecks(options);
    }
    // Another process leads now, and this one ends.
    if (error instanceof LogFailed) return;
    // A file that cannot be read counts as damaged: its content is as good as lost.
    send({ type: 'checked', history: { state: 'damaged', problem: (error as Error).message } });
  }
  const { opened } = archive;
  if (opened === undefined) return;
  for (const _ of opened.store.check()) {
    yield;
    if (archive.opened !== opened) return; // It is being rebuilt.
  }
}
