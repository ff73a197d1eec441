/** What every opening of a log does first, whatever the log is stored in. */
import { type BegunFrom, RulesMismatch } from '../contract/command-log.ts';
import type { LogEnd, LogEntry } from '../contract/log-source.ts';
import type { OpenOptions } from '../contract/storage.ts';

/**
 * Takes all entries that lie behind the origin, and hands them on. Once it finds commands under other rules, nothing more
 * is handed on, only how the log ends is found out. A log that other rules sealed may go on from an origin that no command
 * of theirs follows.
 * @throws {RulesMismatch} and as reading does
 */
export async function replayLog<End extends LogEnd>(
  entries: AsyncGenerator<LogEntry, End, void> | Generator<LogEntry, End, void>,
  { rulesVersion, origin, replay = () => {} }: OpenOptions,
): Promise<End> {
  let rules = origin?.rulesVersion ?? rulesVersion;
  let otherRules: string | undefined;
  let boundary: BegunFrom | undefined;
  let sealed = false;
  let step = await entries.next();
  for (; !step.done; step = await entries.next()) {
    const entry = step.value;
    if (entry.kind === 'start') {
      const taken = entry.rulesVersion === rulesVersion && rules !== rulesVersion;
      if (taken && !(origin !== undefined && sealed)) otherRules ??= rules;
      if (taken) boundary = entry.began?.snapshot;
      rules = entry.rulesVersion as string;
    }
    if (entry.kind === 'batch' && rules !== rulesVersion) otherRules ??= rules;
    sealed = entry.kind === 'seal';
    if (otherRules === undefined) replay(entry);
  }
  const end = step.value;
  if (rules !== rulesVersion) {
    boundary = undefined;
    if (!(origin !== undefined && end.sealed)) otherRules ??= rules;
  }
  if (otherRules !== undefined) throw new RulesMismatch(otherRules, rulesVersion, end.sealed, boundary);
  return end;
}
