/**
 * `npm run test:ops`: the suites of the operating pages (test/ops) with everything that they can have here. If nginx is
 * not installed, it is unpacked from Debian's package into a temporary folder; nothing is installed. Where that is
 * impossible, its tests are skipped with a sentence.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from '../test/ops/support.ts';

const folder = mkdtempSync(join(tmpdir(), 'bourse-ops-'));
let status: number | null = 1;
try {
  const nginx = process.env.BOURSE_NGINX ?? program('nginx') ?? unpackedNginx();
  const env = { ...process.env, BOURSE_OPS: '1', ...(nginx !== undefined && { BOURSE_NGINX: nginx }) };
  const suites = fileURLToPath(new URL('test.ts', import.meta.url));
  ({ status } = spawnSync(process.execPath, [suites, 'test/ops'], { stdio: 'inherit', env }));
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = status ?? 1;

/** The path of an nginx that runs. Undefined: it cannot be had here. */
function unpackedNginx(): string | undefined {
  chmodSync(folder, 0o755); // apt-get downloads as another user.
  const has = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: folder }).status === 0;
  if (!has('apt-get', 'download', 'nginx')) return undefined;
  const [archive] = globSync('nginx_*.deb', { cwd: folder });
  if (archive === undefined || !has('dpkg-deb', '-x', archive, '.')) return undefined;
  const path = join(folder, 'usr', 'sbin', 'nginx');
  return has(path, '-v') ? path : undefined;
}
