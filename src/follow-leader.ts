/** How a standby begins to follow the leader of its log, and takes over once that one is gone. */
import type { Candidacy } from './candidacy.ts';
import { realWorld } from './engine/contract/world.ts';
import { OtherRules } from './engine/standby.ts';
import { type EngineStartOptions, type StandbyEngine, startStandby } from './engine/start.ts';
import { LogUnreachable } from './log/contract/command-log.ts';
import type { LogOwner, LogStorage } from './log/contract/storage.ts';

const AGAIN_MS = 200;

/**
 * Follows the leader of the log. Undefined: there is none, or none that this version can follow, and this process may lead
 * once it owns the log.
 */
export async function follow(
  storage: LogStorage,
  candidacy: Candidacy,
  options: EngineStartOptions,
): Promise<StandbyEngine | undefined> {
  const { onNotice = () => {}, world = realWorld } = options;
  const leader = await candidacy.leader();
  if (leader === undefined) return undefined;
  for (let waits = false; ; waits = true) {
    try {
      const following = await startStandby(storage, leader, options);
      const { standby } = following;
      candidacy.onChange = (next) => {
        if (next.name !== standby.leader.name) onNotice(`standby: ${next.name} leads now`);
        standby.leader = next;
        following.leaderChanged();
      };
      standby.leader = candidacy.current ?? leader;
      if (standby.leader !== leader) following.leaderChanged();
      onNotice(`standby: ${standby.leader.name} leads. This process follows it, and takes over when it is gone`);
      return following;
    } catch (error) {
      if (error instanceof OtherRules) {
        onNotice(`standby: ${leader.name} leads; ${error.message}`, 'warn');
        candidacy.needsSeal = true;
        candidacy.goOn();
        return undefined;
      }
      if (!(error instanceof LogUnreachable)) throw error;
      if (!waits) onNotice(`standby: ${error.message}`, 'warn');
      await new Promise<void>((resolve) => world.timer(AGAIN_MS, resolve));
    }
  }
}

interface TakeOverOptions {
  /** It leads. */
  readonly onLead?: () => void;
  /** It cannot: the process must exit. */
  readonly onFatal: (error: Error) => void;
}

/** Waits until the log is owned, and leads then. False: the candidacy was given up, or the process must exit. */
export async function takeOver(
  candidacy: Candidacy,
  lead: (owner: LogOwner) => Promise<void>,
  { onLead, onFatal }: TakeOverOptions,
): Promise<boolean> {
  candidacy.goOn();
  let owner: LogOwner | undefined;
  try {
    owner = await candidacy.owner;
    if (candidacy.hasGivenUp) return false;
    await lead(owner);
    onLead?.();
    return true;
  } catch (error) {
    owner?.release();
    if (!candidacy.hasGivenUp) onFatal(error as Error);
    return false;
  }
}
