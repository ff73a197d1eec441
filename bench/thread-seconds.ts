/**
 * The processor time of the calling thread, in seconds. Other work on the machine disturbs it less than wall time.
 *
 * The kernel adds to a thread's time at each tick, every 4 ms, and at each question about the whole process. So this puts that
 * question first.
 */
export function threadSeconds(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
}
