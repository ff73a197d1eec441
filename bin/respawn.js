/**
 * Runs a program on another Node instead of this process. It shares the standard streams, passes signals on, and ends
 * with the child's exit code (or deadly signal). If it is killed, the child gets SIGTERM (`endWithParent`). Plain JavaScript,
 * because it must run on the older Node.
 */
import { spawn } from 'node:child_process';

/** The oldest Node with the built-in type stripping and SQLite that the venue needs. */
export const MIN_NODE_MAJOR = 24;

/** @param {string} version such as `v24.1.0` @returns {boolean} */
export function isNodeNewEnough(version) {
  return Number.parseInt(version.replace(/^v/, ''), 10) >= MIN_NODE_MAJOR;
}

/** In the environment of the child: its channel to the parent was opened by `respawn`. */
const RESPAWNED = 'BOURSE_RESPAWNED';

/** In the child: the channel closes when the parent has ended, also by SIGKILL. Then the program stops as by SIGTERM. */
export function endWithParent() {
  const isRespawned = process.env[RESPAWNED] !== undefined;
  delete process.env[RESPAWNED];
  if (!isRespawned || !process.channel) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The listener alone would keep the program alive.
  process.channel.unref();
}

/**
 * Runs the program as a child, with a channel to it (`endWithParent`).
 * @param {string} node path of the Node binary to run on
 * @param {string[]} args the program and its arguments
 */
export function respawn(node, args) {
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [RESPAWNED]: '1' },
  });
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP', 'SIGINT'])) {
    process.on(signal, () => {
      // A terminal sends its Ctrl-C to the child as well; passing it on would deliver it twice.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`bourse: cannot run ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
