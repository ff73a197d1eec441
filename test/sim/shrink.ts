/** Shortens a failing plan, and prints it as a test. */
import type { Plan } from './plan.ts';
import { type Planted, type Run, runPlan } from './run.ts';

/** A run of any world. */
interface AnyRun {
  readonly plan: { readonly seed: number };
  readonly found: readonly string[];
  readonly story: readonly string[];
}

const MOST_ATTEMPTS = 400;

/** The shortest plan found that still fails. */
export async function shrink(failing: Run, planted?: Planted): Promise<Run> {
  let best = failing;
  let attempts = 0;
  const fails = async (candidate: Plan): Promise<boolean> => {
    if (attempts >= MOST_ATTEMPTS) return false;
    attempts += 1;
    const run = await runPlan(candidate, planted);
    if (run.found.length > 0) best = run;
    return run.found.length > 0;
  };
  for (let d = best.plan.last.length - 1; d >= 0; d -= 1) {
    await fails({ ...best.plan, last: best.plan.last.toSpliced(d, 1) });
  }
  for (let i = best.plan.lives.length - 1; i >= 0; i -= 1) await fails(withoutLife(best.plan, i));
  for (let i = 0; i < best.plan.lives.length; i += 1) {
    for (const step of Object.keys(best.plan.lives[i]?.faults ?? {}))
      await fails(withoutFault(best.plan, i, Number(step)));
    for (let d = (best.plan.lives[i]?.damage.length ?? 0) - 1; d >= 0; d -= 1)
      await fails(withoutDamage(best.plan, i, d));
    for (let chunk = best.plan.lives[i]?.steps.length ?? 0; chunk >= 1; chunk >>= 1) {
      for (let at = (best.plan.lives[i]?.steps.length ?? 0) - chunk; at >= 0; at -= chunk) {
        await fails(withoutSteps(best.plan, i, at, chunk));
      }
    }
  }
  return best;
}

function withoutLife(plan: Plan, index: number): Plan {
  return { ...plan, lives: plan.lives.filter((_, i) => i !== index) };
}

function changed(plan: Plan, index: number, change: (life: Plan['lives'][number]) => object): Plan {
  return { ...plan, lives: plan.lives.map((life, i) => (i === index ? { ...life, ...change(life) } : life)) };
}

function withoutFault(plan: Plan, index: number, step: number): Plan {
  return changed(plan, index, ({ faults }) => {
    return { faults: Object.fromEntries(Object.entries(faults).filter(([at]) => Number(at) !== step)) };
  });
}

function withoutDamage(plan: Plan, index: number, at: number): Plan {
  return changed(plan, index, ({ damage }) => ({ damage: damage.filter((_, i) => i !== at) }));
}

function withoutSteps(plan: Plan, index: number, at: number, count: number): Plan {
  return changed(plan, index, ({ steps }) => ({ steps: steps.toSpliced(at, count) }));
}

/** A failure as a test to paste into a test file. */
export function asTest({ plan, found, story }: AnyRun): string {
  return [
    ...story.map((line) => `// ${line}`),
    `it(${JSON.stringify(`seed ${plan.seed}: ${found[0]?.split('\n')[0]}`)}, () => holds(`,
    `  ${JSON.stringify(plan)},`,
    '));',
  ].join('\n');
}
