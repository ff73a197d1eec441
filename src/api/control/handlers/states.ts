/** The whole state: what it is, snapshots of it, and back to the beginning. */
import { readAccountName } from '../../../config/config.ts';
import { Field } from '../../../config/field.ts';
import { type ControlContext, requireDataFolder, requireManualClock, submit } from '../context.ts';
import { refuseProblems } from '../problems.ts';
import { auditView } from '../views.ts';

export async function showState(context: ControlContext): Promise<object> {
  const { seq, timeMs, hash, counts } = await context.wholeState.state();
  const speed = context.clock === null ? {} : { speed: context.clock.speed };
  return { seq, time: timeMs, epoch: context.epoch, ...speed, hash, ...counts };
}

export async function reset(context: ControlContext): Promise<object> {
  const reply = await submit(context, { v: 1, type: 'reset' });
  return { time: reply.timeMs, seq: reply.seq };
}

export async function takeSnapshot(context: ControlContext): Promise<object> {
  const { seq, file } = await requireDataFolder(context.snapshot());
  return { seq, file };
}

/** Names are used in paths and appear in errors, so they are short and plain. */
function snapshotName(name: string): string {
  const field = new Field(name, 'name');
  readAccountName(field);
  refuseProblems(field);
  return name;
}

/** Oldest first. A reset keeps them. */
export async function listSnapshots({ venue }: ControlContext): Promise<object> {
  return { snapshots: venue.snapshotNames().map((name) => ({ name })) };
}

export async function saveSnapshot(context: ControlContext, _body: Field, given: string): Promise<object> {
  requireManualClock(context, 'a named snapshot');
  const name = snapshotName(given);
  const reply = await submit(context, { v: 1, type: 'saveSnapshot', name });
  return { name, time: reply.timeMs, seq: reply.seq };
}

export async function restoreSnapshot(context: ControlContext, _body: Field, given: string): Promise<object> {
  requireManualClock(context, 'a named snapshot');
  const name = snapshotName(given);
  const reply = await submit(context, { v: 1, type: 'restoreSnapshot', name });
  return { name, time: reply.timeMs, seq: reply.seq };
}

export async function showAudit({ wholeState }: ControlContext): Promise<object> {
  const { seq, audit } = await wholeState.audit();
  return { seq, ...auditView(audit) };
}
