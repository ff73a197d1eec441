/** Shortens a failing plan. */
import type { PlantedNode } from './node.ts';
import type { Plan } from './plan.ts';
import { type Run, runPlan } from './run.ts';

const MOST_ATTEMPTS = 300;

/** The shortest plan found that still fails. */
export async function shrink(failing: Run, planted?: PlantedNode): Promise<Run> {
  let best = failing;
  let attempts = 0;
  const attempt = async (candidate: Plan): Promise<void> => {
    if (attempts >= MOST_ATTEMPTS) return;
    attempts += 1;
    const run = await runPlan(candidate, planted);
    if (run.found.length > 0) best = run;
  };
  if (best.plan.archives) await attempt({ ...best.plan, archives: false });
  await attempt({ ...best.plan, throws: {} });
  for (let chunk = best.plan.steps.length; chunk >= 1; chunk >>= 1) {
    for (let at = best.plan.steps.length - chunk; at >= 0; at -= chunk) {
      await attempt({ ...best.plan, steps: best.plan.steps.toSpliced(at, chunk) });
    }
  }
  return best;
}
