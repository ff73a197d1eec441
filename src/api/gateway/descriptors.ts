/** How many files and connections this process may open, and how many are open. */
import { readdirSync, readFileSync } from 'node:fs';

/** The limit of the operating system (`ulimit -n`). Infinity if it has none. */
export function openFilesLimit(): number {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (soft !== undefined) return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Not Linux: the report of the runtime has it too, but takes longer.
  }
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isSafeInteger(soft) ? soft : Number.POSITIVE_INFINITY;
}

/** The files that a venue has open before anybody connects, if the operating system does not list them. */
const USUAL = 40;

export function openFiles(): number {
  for (const folder of ['/proc/self/fd', '/dev/fd']) {
    try {
      return readdirSync(folder).length;
    } catch {
      // Another system.
    }
  }
  return USUAL;
}
