/**
 * Makes a clone ready to run: installs the locked dependencies if they are missing or differ from the lock file, and
 * the Node that comes with them as a package. Plain JavaScript without dependencies, so it runs on Node 20.
 * Costs a few milliseconds if there is nothing to do. It writes to standard error, so that the standard output of the
 * program started afterwards stays clean.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNodeNewEnough, MIN_NODE_MAJOR } from '../bin/respawn.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const packagedNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/**
 * Installs what is missing. If that fails, exits with status 1 and npm's own message.
 * @returns {string} path of a Node that is new enough
 */
export function setUp() {
  if (!matchesLockFile()) {
    say('installing the locked dependencies (npm ci)');
    // --include=dev: the runtime, the type checker and the test tools are needed under NODE_ENV=production as well.
    const result = npm('ci', '--ignore-scripts', '--include=dev');
    if (result.status !== 0) giveUp('npm ci', result);
  }
  if (!existsSync(packagedNode)) {
    say(`installing Node ${MIN_NODE_MAJOR} into node_modules (npm rebuild node)`);
    const result = npm('rebuild', 'node', '--ignore-scripts=false');
    if (!existsSync(packagedNode)) {
      if (!isNodeNewEnough(process.version)) giveUp('npm rebuild node', result);
      say(`that failed; continuing with the installed ${process.version}`);
      return process.execPath;
    }
  }
  return packagedNode;
}

/** True if node_modules holds every package of the lock file, in the version named there. */
function matchesLockFile() {
  const installedFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  // Optional packages are builds for other platforms; the root entry ('') is this project itself.
  return Object.keys(locked).every(
    (path) => path === '' || locked[path].optional || installed[path]?.version === locked[path].version,
  );
}

/** @param {string[]} args */
function npm(...args) {
  const quiet = [...args, '--loglevel=error', '--no-audit', '--no-fund'];
  const options = { cwd: root, encoding: /** @type {const} */ ('utf8'), input: '' };
  // Under `npm start` this is the npm that runs us. Otherwise it is the one on the PATH.
  const npmScript = process.env.npm_execpath;
  return npmScript && basename(npmScript) === 'npm-cli.js'
    ? spawnSync(process.execPath, [npmScript, ...quiet], options)
    : spawnSync('npm', quiet, { ...options, shell: process.platform === 'win32' });
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`bourse: ${text}\n`);
}

/**
 * @param {string} command
 * @param {import('node:child_process').SpawnSyncReturns<string>} result
 * @returns {never}
 */
function giveUp(command, result) {
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  say(`${command} failed${result.error ? `: ${result.error.message}` : ` with status ${result.status}`}`);
  process.exit(1);
}
