/**
 * `npm run test:postgres [-- --rounds N [--seed S] [--rounds-only]]`: the suites that need PostgreSQL servers (test/postgres),
 * then N rounds of faults (10 by default) and their totals. If PostgreSQL is missing, Debian's package is installed, which
 * needs root. Where that is impossible, it says so and ends with exit code 2.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { postgresPrograms } from '../test/postgres/server.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    'rounds-only': { type: 'boolean', default: false },
  },
});

if (postgresPrograms() === undefined) install();
if (postgresPrograms() === undefined) {
  console.error(
    'PostgreSQL is not installed, and cannot be: install it, or name the folder of its programs in BOURSE_POSTGRES',
  );
  process.exit(2);
}
const suites = fileURLToPath(new URL('test.ts', import.meta.url));
const faults = fileURLToPath(new URL('../test/postgres/faults.test.ts', import.meta.url));
const passed = [
  values['rounds-only'] || run({ BOURSE_POSTGRES_SUITES: '1', BOURSE_POSTGRES_ROUNDS: '0' }, suites, 'test/postgres'),
  // Without the time limit of a suite.
  run({ BOURSE_POSTGRES_ROUNDS: values.rounds }, '--test', '--test-reporter=spec', faults),
];
process.exitCode = passed.every(Boolean) ? 0 : 1;

function run(which: Readonly<Record<string, string>>, ...args: string[]): boolean {
  const env = { ...process.env, ...which, BOURSE_POSTGRES_SEED: values.seed };
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status === 0;
}

/** Without a cluster: the tests make their own. */
function install(): void {
  const script = [
    'mkdir -p /etc/postgresql-common',
    'echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf',
    'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql || (apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql)',
  ].join(' && ');
  const command = process.getuid?.() === 0 ? ['sh', '-c', script] : ['sudo', '-n', 'sh', '-c', script];
  spawnSync(command[0], command.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] });
}
