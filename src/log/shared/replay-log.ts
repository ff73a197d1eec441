/** The first step of every opening of a log, whatever stores it. */
import { areNewer, type BegunFrom, RulesMismatch } from '../contract/command-log.ts';
import type { LogEnd, LogEntry } from '../contract/log-source.ts';
import type { OpenOptions } from '../contract/storage.ts';

/**
 * Takes all entries after the origin, and passes them on. Once it finds commands of other rules, it passes nothing more
 * on, and only finds out how the log ends. A log that older rules sealed may continue from an origin that none of their
 * commands follows. A log of newer rules may continue only if they have made no command, for these rules may not know
 * what the commands mean. A start after the seal, whatever its rules, changes nothing of that until it has made a command.
 * @throws {RulesMismatch} and as reading does
 */
export async function replayLog<End extends LogEnd>(
  entries: AsyncGenerator<LogEntry, End, void> | Generator<LogEntry, End, void>,
  { rulesVersion, origin, replay = () => {} }: OpenOptions,
): Promise<End> {
  let rules = origin?.rulesVersion ?? rulesVersion;
  /** The rules of the last command. */
  let made = rules;
  let otherRules: string | undefined;
  let boundary: BegunFrom | undefined;
  /** There is a seal, and no command after it. */
  let rests = false;
  let step = await entries.next();
  for (; !step.done; step = await entries.next()) {
    const entry = step.value;
    if (entry.kind === 'start') {
      const taken = entry.rulesVersion === rulesVersion && rules !== rulesVersion;
      if (taken && !(origin !== undefined && rests)) otherRules ??= rules;
      if (taken) boundary = entry.began?.snapshot;
      rules = entry.rulesVersion as string;
    }
    if (entry.kind === 'batch') {
      made = rules;
      if (rules !== rulesVersion) otherRules ??= rules;
    }
    rests = entry.kind === 'seal' || (entry.kind === 'start' && rests);
    if (otherRules === undefined) replay(entry);
  }
  const end = step.value;
  if (rules !== rulesVersion) {
    boundary = undefined;
    if (!(origin !== undefined && rests)) otherRules ??= rules;
  }
  if (areNewer(made, rulesVersion)) throw new RulesMismatch(made, rulesVersion, 'newer');
  if (otherRules !== undefined) {
    throw new RulesMismatch(otherRules, rulesVersion, boundary ?? (rests ? 'noSnapshot' : 'notSealed'));
  }
  return end;
}
