/** Is the venue well, and the figures of its work. */
import { type ControlContext, Unready } from '../context.ts';
import { clockView, deficitView } from '../views.ts';

function healthOf({ venue, clock, checks }: ControlContext): object {
  return { ...deficitView(venue), ...(clock !== null && { clock: clockView(clock) }), ...checks() };
}

export async function showHealth(context: ControlContext): Promise<object> {
  const reasons = context.notReadyBecause();
  const body = { live: true, ready: reasons.length === 0, reasons, ...healthOf(context) };
  return reasons.length === 0 ? body : new Unready(body);
}
