/**
 * Loaded into the venue of the soak benchmark before anything else (`--import`, with `--expose-gc`): whenever it gets a
 * message, it collects all garbage of its thread and sends the bytes that are left.
 */
process.on('message', () => {
  (globalThis as { gc?: () => void }).gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
// The channel must not keep the venue from ending.
process.channel?.unref();
