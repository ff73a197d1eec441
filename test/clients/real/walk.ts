/**
 * `walk.ts CLONE DOCUMENT SECTION…`: does what sections of a document say, in an empty folder and one shell, and prints a line
 * of JSON for each block of commands. CLONE is what PATH-TO-THE-CLONE is replaced by.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../../support/tutorial.ts';

const [clone, document, ...wanted] = process.argv.slice(2);
const sections = new Map(
  readFileSync(document, 'utf8')
    .split(/^## /m)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
const folder = mkdtempSync(join(tmpdir(), 'bourse-walk-'));
const environment = join(folder, '.environment');
writeFileSync(environment, '');
try {
  for (const name of wanted) {
    const section = sections.get(name);
    if (section === undefined) throw new Error(`${document} has no section ${name}`);
    for (const { kind, name: file, text } of blocksOf(section)) {
      if (kind === 'file') writeFileSync(join(folder, file), text);
      else run(text.replaceAll('PATH-TO-THE-CLONE', clone));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What is exported in one block is there in the next. */
function run(commands: string): void {
  const script = `set -e; . '${environment}'\n${commands}\nexport -p > '${environment}'`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
  const verdict = status === 0 ? 'ok' : 'failed';
  const detail = status === 0 ? '' : `${stdout}${stderr}`.slice(-2000);
  console.log(JSON.stringify({ name: commands.split('\n').at(-1), verdict, detail }));
  if (status !== 0) process.exit(1);
}
