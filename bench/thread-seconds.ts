/**
 * The processor time that the calling thread has used, in seconds. Other work on the machine disturbs it less than the time that
 * passes.
 *
 * What the thread has used since the last tick, up to 4 ms, the kernel counts only for a question about the whole process.
 */
export function threadSeconds(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
}
